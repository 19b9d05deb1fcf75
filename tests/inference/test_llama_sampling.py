import math
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from inference.errors import GenerationBroke, InvalidRequest
from inference.llama import _sampling_of
from inference.llama.library import llama
from inference.llama.model import LlamaModel
from inference.model_names import embedded_model
from inference.requests import DEFAULT_SAMPLING, Sampling
from tests.gguf_files import write_tiny_model
from tests.llama_models import GREEDY, loaded, read, write

PROMPT = list(range(10, 40))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with loaded(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")) as model:
        yield model


@pytest.fixture(autouse=True)
def after_the_prompt(model):
    model.rewind(0)
    read(model, PROMPT)


def first_tokens(model: LlamaModel, sampling: Sampling, count: int = 60) -> list[int]:
    """What a sampler chooses again and again from the same logits."""
    sampler = model.sampler(sampling)
    chosen = [sampler.sample() for _ in range(count)]
    sampler.close()
    return chosen


def test_temperature_zero_always_takes_the_likeliest(model):
    assert len(set(first_tokens(model, GREEDY))) == 1
    assert set(first_tokens(model, Sampling(temperature=5.0, top_k=1, repeat_penalty=1.0))) == set(
        first_tokens(model, GREEDY)
    )


def test_a_seed_makes_a_reply_the_same_again(model):
    hot = Sampling(temperature=3.0, repeat_penalty=1.0, seed=7)
    assert first_tokens(model, hot) == first_tokens(model, hot)
    assert first_tokens(model, hot) != first_tokens(model, Sampling(temperature=3.0, repeat_penalty=1.0, seed=8))


def test_without_a_seed_replies_differ(model):
    hot = Sampling(temperature=3.0, repeat_penalty=1.0, top_k=0, top_p=1.0, min_p=0.0)
    assert first_tokens(model, hot) != first_tokens(model, hot)


def test_top_k_leaves_that_many(model):
    flat = Sampling(temperature=100.0, top_k=3, top_p=1.0, min_p=0.0, repeat_penalty=1.0, seed=1)
    assert len(set(first_tokens(model, flat, 300))) == 3


@pytest.mark.parametrize("narrow", [{"top_p": 0.0}, {"min_p": 1.0}])
def test_top_p_and_min_p_leave_the_likeliest_at_the_least(model, narrow):
    values = {"temperature": 2.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0, "seed": 1} | narrow
    assert set(first_tokens(model, Sampling(**values))) == set(first_tokens(model, GREEDY))


def test_a_penalty_wears_a_repetition_out(model):
    penalised = Counter(first_tokens(model, Sampling(temperature=0.0, repeat_penalty=3.0), 30))
    assert len(penalised) > 1
    assert len(set(first_tokens(model, Sampling(temperature=0.0, repeat_penalty=3.0, top_k=0), 30))) > 1


def test_each_sampler_begins_without_a_memory(model):
    sampling = Sampling(temperature=0.0, repeat_penalty=2.0)
    assert first_tokens(model, sampling, 10) == first_tokens(model, sampling, 10)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(),
        Sampling(temperature=0.0),
        Sampling(temperature=1e-30, seed=1),
        Sampling(temperature=100, seed=1),
        Sampling(top_k=2**31 - 1, top_p=0.0, min_p=1.0, repeat_penalty=0.01),
        Sampling(top_k=0, top_p=1.0, min_p=0.0, repeat_penalty=100, seed=2**32 - 2),
    ],
)
def test_a_chain_of_any_allowed_values_selects_a_token(model, sampling):
    assert all(0 <= token < model.vocabulary.size for token in write(model, 20, sampling))


OPEN: dict[str, Any] = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0, "seed": 1}


def chances(model: LlamaModel) -> np.ndarray:
    """How likely each token is by the logits that are there."""
    logits = np.ctypeslib.as_array(llama.llama_get_logits_ith(model.with_logits(), -1), (model.vocabulary.size,))
    weights = np.exp(logits.astype(np.float64) - logits.max())
    return np.asarray(weights / weights.sum())


def test_the_choice_follows_the_chances(model):
    expected = chances(model)
    found = Counter(first_tokens(model, Sampling(**OPEN), 4000))
    for token in np.argsort(expected)[-5:]:
        assert found[int(token)] / 4000 == pytest.approx(expected[token], abs=0.03)


def test_min_p_leaves_out_what_is_that_much_less_likely(model):
    expected = chances(model)
    for top_k in (0, 40):
        kept = set(first_tokens(model, Sampling(**OPEN | {"min_p": 0.3, "top_k": top_k}), 1500))
        assert kept == set(np.flatnonzero(expected >= 0.3 * expected.max()).tolist())


def test_top_n_sigma_leaves_out_what_is_far_below_the_likeliest(model):
    logits = np.log(chances(model))
    kept = set(first_tokens(model, Sampling(**OPEN | {"top_n_sigma": 1.0, "temperature": 3.0}), 1500))
    assert kept == set(np.flatnonzero(logits >= logits.max() - logits.std()).tolist())


def test_typical_choices_are_those_of_usual_surprise(model):
    expected = chances(model)
    surprise = -np.log(expected)
    order = np.argsort(np.abs(surprise - (expected * surprise).sum()))
    typical = set(order[: int(np.searchsorted(np.cumsum(expected[order]), 0.3)) + 1].tolist())
    assert set(first_tokens(model, Sampling(**OPEN | {"typical_p": 0.3}), 1500)) <= typical


def test_xtc_leaves_the_likeliest_out_as_often_as_it_is_told(model):
    best = int(np.argmax(chances(model)))
    values = OPEN | {"top_k": 5, "temperature": 0.5, "xtc_threshold": 0.01}
    assert best in first_tokens(model, Sampling(**values | {"xtc_probability": 0.0}), 200)
    assert best not in first_tokens(model, Sampling(**values | {"xtc_probability": 1.0}), 200)
    assert best in first_tokens(model, Sampling(**values | {"xtc_probability": 0.5}), 200)


def test_a_dynamic_temperature_rises_with_the_uncertainty(model):
    values = OPEN | {"temperature": 0.3, "top_k": 20}
    calm = Counter(first_tokens(model, Sampling(**values), 500))
    dynamic = Counter(first_tokens(model, Sampling(**values | {"dynatemp_range": 50.0}), 500))
    assert len(dynamic) > len(calm)
    assert set(first_tokens(model, Sampling(**values | {"temperature": 0.0, "dynatemp_range": 1.0}), 200)) != set(
        first_tokens(model, GREEDY)
    )


def test_mirostat_aims_at_a_surprise(model):
    expected = chances(model)

    def surprise(tau: float) -> float:
        chosen = first_tokens(model, Sampling(**OPEN | {"mirostat": 2, "mirostat_tau": tau, "mirostat_eta": 0.3}), 800)
        return float(np.mean(-np.log2(expected[chosen[100:]])))

    assert surprise(1.0) < surprise(3.0) < surprise(6.0)


def test_a_bias_forbids_and_forces(model):
    best, second = np.argsort(chances(model))[:-3:-1].tolist()
    assert first_tokens(model, Sampling(temperature=0.0, logit_bias=((best, -math.inf),)), 1) == [second]
    assert first_tokens(model, Sampling(seed=1, logit_bias=((5, 10_000.0),)), 20) == [5] * 20


def test_presence_and_frequency_count_differently(model):
    seldom = Counter(first_tokens(model, Sampling(temperature=0.0, presence_penalty=1.0), 60))
    often = Counter(first_tokens(model, Sampling(temperature=0.0, frequency_penalty=1.0), 60))
    assert len(often) > len(seldom) > 1
    forgotten = first_tokens(model, Sampling(temperature=0.0, presence_penalty=5.0, repeat_last_n=1), 20)
    assert all(token != after for token, after in pairwise(forgotten))
    assert len(set(forgotten)) == 2
    assert len(set(first_tokens(model, Sampling(temperature=0.0, presence_penalty=5.0, repeat_last_n=0), 20))) == 1
    assert len(set(first_tokens(model, Sampling(temperature=0.0, presence_penalty=50.0, repeat_last_n=-1), 200))) == 200


@pytest.mark.parametrize("penalties", [{"repeat_penalty": 1.4}, {"presence_penalty": 0.7, "frequency_penalty": 0.2}])
def test_what_is_cut_before_penalties_does_not_change_the_likeliest(model, penalties):
    logits = np.log(chances(model)) + 50.0
    chosen = first_tokens(model, Sampling(temperature=0.0, repeat_last_n=20, **penalties), 60)
    for place, token in enumerate(chosen):
        punished = logits.copy()
        for before, times in Counter(chosen[max(0, place - 20) : place]).items():
            punished[before] -= times * penalties.get("frequency_penalty", 0.0) + penalties.get("presence_penalty", 0.0)
        if "presence_penalty" in penalties:
            assert token == int(np.argmax(punished))
        assert logits[token] >= np.sort(logits)[-21]


def test_dry_breaks_up_what_was_said_before_be_it_in_the_prompt(model):
    period = [100, 101, 102, 103, 104, 105]
    model.rewind(0)
    read(model, period * 4 + period[:3])
    expected = Sampling(temperature=0.0, logit_bias=((103, 8.0),))
    assert first_tokens(model, expected, 1) == [103]
    dry: dict[str, Any] = {"dry_multiplier": 5.0, "dry_sequence_breakers": ()}
    punished = Sampling(temperature=0.0, logit_bias=((103, 8.0),), **dry)
    assert first_tokens(model, punished, 1) != [103]
    broken = "".join(model.vocabulary.piece(token).decode("latin-1") for token in period[2:3])
    with_breaker = Sampling(
        temperature=0.0, logit_bias=((103, 8.0),), dry_multiplier=5.0, dry_sequence_breakers=(broken,)
    )
    assert first_tokens(model, with_breaker, 1) == [103]
    short = Sampling(temperature=0.0, logit_bias=((103, 8.0),), dry_penalty_last_n=3, **dry)
    assert first_tokens(model, short, 1) == [103]


def test_a_token_that_is_not_there_is_refused_with_a_sentence(model):
    with pytest.raises(InvalidRequest, match="logit_bias names token 99999; this model has"):
        model.sampler(Sampling(logit_bias=((99_999, 1.0),), dry_multiplier=1.0))


@pytest.mark.parametrize("seed", range(40))
def test_no_combination_of_allowed_values_ends_the_process(model, seed):
    dice = random.Random(seed)  # noqa: S311 - the same seed gives the same values
    values: dict[str, Any] = {
        "temperature": dice.choice([0.0, 1e-30, 1e-3, 1.0, 100.0]),
        "top_k": dice.choice([0, 1, 5, 2**31 - 1]),
        "top_p": dice.choice([0.0, 0.5, 1.0]),
        "min_p": dice.choice([0.0, 0.5, 1.0]),
        "repeat_penalty": dice.choice([0.01, 1.0, 100.0]),
        "repeat_last_n": dice.choice([-1, 0, 1, 2**20]),
        "presence_penalty": dice.choice([-100.0, 0.0, 100.0]),
        "frequency_penalty": dice.choice([-100.0, 0.0, 100.0]),
        "typical_p": dice.choice([0.0, 0.5, 1.0]),
        "top_n_sigma": dice.choice([0.0, 1e-9, 1.0, 100.0]),
        "xtc_probability": dice.choice([0.0, 1.0]),
        "xtc_threshold": dice.choice([0.0, 0.5]),
        "dry_multiplier": dice.choice([0.0, 100.0]),
        "dry_base": dice.choice([1.0, 100.0]),
        "dry_allowed_length": dice.choice([1, 2**20]),
        "dry_penalty_last_n": dice.choice([-1, 0, 2**20]),
        "dynatemp_range": dice.choice([0.0, 100.0]),
        "dynatemp_exponent": dice.choice([0.0, 5.0]),
        "mirostat": dice.choice([0, 0, 0, 2]),
        "mirostat_tau": dice.choice([0.0, 100.0]),
        "mirostat_eta": dice.choice([0.0, 1.0]),
        "logit_bias": tuple((dice.randrange(200), dice.choice([-math.inf, -1e4, 1e4])) for _ in range(5)),
        "seed": dice.choice([0, 2**32 - 2]),
    }
    assert all(0 <= token < model.vocabulary.size for token in write(model, 20, Sampling(**values)))


def test_what_a_file_recommends_is_taken_where_it_makes_sense():
    metadata: dict[str, int | float | bool | str] = {
        "general.sampling.temp": 0.6000000238418579,
        "general.sampling.top_k": 20,
        "general.sampling.xtc_probability": 0.5,
        "general.sampling.xtc_threshold": 0.1,
        "general.sampling.penalty_last_n": 128,
        "general.sampling.penalty_repeat": 1.05,
        "general.sampling.mirostat": 1,
        "general.sampling.mirostat_tau": 4.0,
        "general.sampling.mirostat_eta": 7.0,
        "general.sampling.min_p": math.nan,
        "general.sampling.top_p": "high",
    }
    assert _sampling_of(metadata) == Sampling(
        temperature=0.6, top_k=20, repeat_penalty=1.05, repeat_last_n=128, xtc_probability=0.5, xtc_threshold=0.1,
        mirostat_tau=4.0,
    )  # fmt: skip


def test_logits_that_were_kept_give_the_same_choice_by_every_way_of_choosing(model):
    everything = Sampling(
        seed=3, temperature=2.0, xtc_probability=1.0, xtc_threshold=0.01, typical_p=0.9, top_n_sigma=2.0,
        dry_multiplier=0.5, dynatemp_range=0.5, logit_bias=((7, 1.0),),
    ).over(DEFAULT_SAMPLING)  # fmt: skip
    there = [model.sampler(everything).sample() for _ in range(5)]
    model.keep_logits()
    model.evaluate([50])
    model.rewind(len(PROMPT))
    assert model.kept_logits() is not None
    assert [model.sampler(everything).sample() for _ in range(5)] == there


def test_a_place_that_is_no_part_of_a_draft_is_refused(model):
    sampler = model.sampler(GREEDY)
    with pytest.raises(GenerationBroke):
        sampler.sample(0)
    model.evaluate_draft([41, 42, 43])
    assert 0 <= sampler.sample(2) < model.vocabulary.size
    with pytest.raises(GenerationBroke):
        sampler.sample(3)
    model.rewind(len(PROMPT) + 1)
    with pytest.raises(GenerationBroke):
        sampler.sample(0)
    with pytest.raises(GenerationBroke, match="up to 16"):
        model.evaluate_draft([41] * 17)
    sampler.close()


@pytest.mark.model
@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(seed=11),
        Sampling(
            seed=11, temperature=1.5, xtc_probability=0.5, dry_multiplier=0.8, top_n_sigma=2.0, dynatemp_range=0.5
        ),
        Sampling(seed=11, mirostat=2),
    ],
)
def test_the_same_seed_and_batches_give_the_same_text_by_a_real_model(sampling):
    path = embedded_model()
    assert path is not None
    with loaded(path) as model:
        texts = []
        for _ in range(2):
            model.rewind(0)
            read(model, model.vocabulary.tokenize("The river bends because", special=False))
            texts.append(write(model, 40, sampling.over(model.info.default_sampling)))
        assert texts[0] == texts[1]


def test_closing_a_sampler_twice_is_fine(model):
    sampler = model.sampler(GREEDY)
    sampler.close()
    sampler.close()


def test_the_likeliest_tokens_have_the_probabilities_of_the_model_itself(model):
    sampler = model.sampler(Sampling(temperature=5.0, top_k=1, repeat_penalty=1.0))
    best = sampler.sample()
    likeliest = sampler.likeliest(5, best)
    everything = sampler.likeliest(model.vocabulary.size, best)
    assert best == likeliest[0][0]
    assert likeliest == everything[:5]
    assert sum(chance for _, chance in everything) == pytest.approx(1.0)
    chances = [chance for _, chance in everything]
    assert chances == sorted(chances, reverse=True)
    last = everything[-1]
    assert sampler.likeliest(5, last[0]) == (*likeliest, last)  # what was chosen is named, however unlikely it was
    sampler.close()


def test_kept_logits_have_probabilities_too(model):
    model.keep_logits()
    sampler = model.sampler(GREEDY)
    chosen = sampler.sample()
    before = sampler.likeliest(4, chosen)
    snapshot = model.save()
    model.rewind(0)
    assert model.restore(snapshot)
    again = model.sampler(GREEDY)
    assert again.sample() == chosen
    for (token, chance), (other, same) in zip(before, again.likeliest(4, chosen), strict=True):
        assert (token, chance) == (other, pytest.approx(same))
    sampler.close()
    again.close()
