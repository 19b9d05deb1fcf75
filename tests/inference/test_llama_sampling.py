from collections import Counter

import pytest

from inference.llama.model import LlamaModel
from inference.requests import Sampling
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


def test_closing_a_sampler_twice_is_fine(model):
    sampler = model.sampler(GREEDY)
    sampler.close()
    sampler.close()
