from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.llama.model import LlamaModel
from inference.messages import Message, Role
from inference.model import Model, Sampler
from inference.model_names import embedded_model
from inference.prompt import PromptBuilder
from inference.requests import DEFAULT_SAMPLING, Sampling
from inference.speculation import Account, Decoder, Drafting, OneByOne, Repetitions, decoder_of
from tests.fakes import ManualClock
from tests.gguf_files import write_tiny_model
from tests.llama_models import loaded, read

Rule = Callable[[Sequence[int]], int]
STEP, MORE = 1.0, 0.5  # seconds of a token by itself, and of each token more in a batch


def chance(seed: int | str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - the same seed gives the same text


class RuledModel:
    """Its next token follows from all that it holds; it takes time by the clock."""

    def __init__(self, rule: Rule, prompt: Sequence[int], context_size: int = 4096, longest_draft: int = 15) -> None:
        self.rule = rule
        self.tokens = list(prompt)
        self.info = SimpleNamespace(context_size=context_size)
        self.longest_draft = longest_draft
        self.clock = ManualClock()
        self.stops_at: int | None = None  # how many tokens are held when the stop flag is raised
        self.batches: list[int] = []
        self.most_held = 0
        self._batch: list[int] = []

    def evaluate(self, tokens: Sequence[int]) -> int:
        assert len(tokens) == 1
        return self._evaluate(tokens)

    def evaluate_draft(self, tokens: Sequence[int]) -> int:
        assert 2 <= len(tokens) <= self.longest_draft + 1
        return self._evaluate(tokens)

    def _evaluate(self, tokens: Sequence[int]) -> int:
        assert len(self.tokens) + len(tokens) <= self.info.context_size
        self.clock.advance(STEP + MORE * (len(tokens) - 1))
        room = len(tokens) if self.stops_at is None else max(0, min(len(tokens), self.stops_at - len(self.tokens)))
        before = list(self.tokens)
        self.tokens += tokens[:room]
        self._batch = [self.rule(before + list(tokens[: i + 1])) for i in range(room)]
        self.batches.append(len(tokens))
        self.most_held = max(self.most_held, len(self.tokens))
        return room

    def rewind(self, length: int) -> int:
        del self.tokens[length:]
        self._batch = []
        return length

    def sample(self, at: int = -1, *, free: bool = False) -> int:
        if at < 0:
            return self._batch[-1] if self._batch else self.rule(self.tokens)
        return self._batch[at]

    def close(self) -> None:
        pass


def decoders(model: RuledModel, *, speculation: bool, max_tokens: int | None = None) -> Drafting | OneByOne:
    decoder = decoder_of(
        cast("Model", model),
        cast("Sampler", model),
        tuple(model.tokens),
        speculation=speculation,
        max_tokens=max_tokens,
        clock=model.clock,
    )
    assert isinstance(decoder, Drafting | OneByOne)
    return decoder


def written(model: RuledModel, count: int, *, speculation: bool = True, max_tokens: int | None = None) -> list[int]:
    """`count` tokens: the last one sampled, all others evaluated."""
    prompt = list(model.tokens)
    decoder = decoders(model, speculation=speculation, max_tokens=max_tokens)
    tokens = [decoder.sample()]
    while len(tokens) < count:
        assert decoder.evaluate(tokens[-1])
        tokens.append(decoder.sample())
    decoder.close()
    assert model.tokens == prompt + tokens[:-1]
    assert 0 <= decoder.accepted <= decoder.drafted
    return tokens


def copying(source: Sequence[int], seed: int = 0, mistakes: float = 0.0) -> Rule:
    """Says `source` again and again, and now and then something else."""

    def rule(held: Sequence[int]) -> int:
        dice = chance(f"{seed} {len(held)} {held[-1]}")
        if dice.random() < mistakes:
            return dice.randrange(len(source))
        return source[len(held) % len(source)]

    return rule


def hopping(kinds: int) -> Rule:
    """Says what nobody can foresee, with `kinds` different tokens."""
    return lambda held: chance(f"{len(held)} {held[-2:]}").randrange(kinds)


@given(st.integers(0, 10_000), st.integers(6, 40), st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_the_text_is_the_same_as_without(seed, length, mistakes):
    source = chance(seed).choices(range(20), k=length)
    rule = copying(source, seed, mistakes)
    with_drafts, without = RuledModel(rule, source), RuledModel(rule, source)
    assert written(with_drafts, 80) == written(without, 80, speculation=False)


def test_text_that_repeats_comes_faster():
    source = chance(1).choices(range(1000), k=60)
    with_drafts, without = RuledModel(copying(source), source), RuledModel(copying(source), source)
    written(with_drafts, 120)
    written(without, 120, speculation=False)
    assert with_drafts.clock.now - 100 < 0.65 * (without.clock.now - 100)
    assert max(with_drafts.batches) == 16


@pytest.mark.parametrize("kinds", [2, 3, 20, 1000])
def test_text_that_does_not_repeat_costs_next_to_nothing(kinds):
    model = RuledModel(hopping(kinds), [1, 2, 3])
    written(model, 400)
    assert model.clock.now - 100 <= 1.02 * 399 * STEP


def test_text_that_begins_to_repeat_late_is_drafted_again():
    source = chance(2).choices(range(1000), k=50)
    hop, copy = hopping(2), copying(source)
    model = RuledModel(lambda held: hop(held) if len(held) < 600 else copy(held), [1, 2, 3])
    decoder = decoders(model, speculation=True)
    while len(model.tokens) < 650:
        assert decoder.evaluate(decoder.sample())
    copying_for_a_while = model.clock.now
    while len(model.tokens) < 800:
        assert decoder.evaluate(decoder.sample())
    assert model.clock.now - copying_for_a_while < 0.8 * 150 * STEP


def test_nothing_is_drafted_beyond_the_end_of_the_reply_or_of_the_window():
    source = chance(3).choices(range(1000), k=30)
    model = RuledModel(copying(source), source, context_size=100)
    written(model, 71)
    assert max(model.batches) > 8
    assert model.most_held <= 100
    limited = RuledModel(copying(source), source)
    written(limited, 42, max_tokens=42)
    assert max(limited.batches) > 8
    assert limited.most_held == len(source) + 41


def test_a_memory_that_cannot_be_cut_is_never_drafted_for():
    model = RuledModel(copying([1, 2, 3]), [1, 2, 3], longest_draft=0)
    assert isinstance(decoders(model, speculation=True), OneByOne)
    assert isinstance(decoders(RuledModel(copying([1]), [1]), speculation=False), OneByOne)


def test_a_stop_in_the_middle_of_a_draft_leaves_the_text_alone():
    source = chance(4).choices(range(1000), k=60)
    model = RuledModel(copying(source), source)
    decoder = decoders(model, speculation=True)
    tokens = [decoder.sample()]
    for _ in range(30):
        assert decoder.evaluate(tokens[-1])
        tokens.append(decoder.sample())
    model.stops_at = len(model.tokens) + 3
    while decoder.evaluate(tokens[-1]):
        tokens.append(decoder.sample())
    decoder.close()
    assert model.tokens[: len(source)] == source
    assert model.tokens[len(source) :] in (tokens, tokens[:-1])


@given(st.lists(st.integers(0, 2), max_size=60), st.integers(1, 15))
def test_the_longest_match_is_found_and_of_equal_ones_the_newest(text, length):
    match, draft = Repetitions(text).continuation(length)
    matches = {place: common_end(text[:place], text) for place in range(5, len(text))}
    newest = [place for place in sorted(matches, reverse=True) if matches[place] >= 5][:8]
    if not newest:
        assert (match, draft) == (0, [])
        return
    # Only so many places are compared, and so many tokens: what lies beyond makes no difference.
    best = max(newest, key=lambda place: (min(matches[place], 16), place))
    assert match == min(matches[best], 16)
    tail = text[best:]
    assert draft == [tail[i % len(tail)] for i in range(length)]


def common_end(one: Sequence[int], other: Sequence[int]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return count


def test_an_account_lends_little_and_learns_what_a_draft_costs():
    account = Account()
    assert account.affordable(15) == 0  # nothing is known of a token's time
    account.add_token(1.0)
    assert account.affordable(15) == 3
    account.add_draft(3, accepted=0, seconds=2.5)
    assert account.affordable(15) == 0
    for _ in range(400):
        account.add_token(1.0)
    assert account.affordable(15) == 3


def test_an_account_that_won_lends_more_but_not_for_ever():
    account = Account()
    account.add_token(1.0)
    for _ in range(20):
        account.add_draft(3, accepted=3, seconds=1.1)
    assert account.affordable(15) == 15
    for _ in range(12):
        account.add_draft(15, accepted=0, seconds=9.0)
    assert account.affordable(15) == 0


def test_every_place_of_a_draft_has_the_logits_it_would_have_had(tmp_path):
    tokens = list(range(30, 46))
    greedy = Sampling(temperature=0.0, repeat_penalty=1.0).over(DEFAULT_SAMPLING)
    with loaded(write_tiny_model(tmp_path / "tiny.gguf")) as model:
        read(model, [1, 2, 3, 4])
        assert model.longest_draft == 15
        assert model.evaluate_draft(tokens) == len(tokens)
        together = [model.sampler(greedy).sample(at) for at in range(len(tokens))]
        model.rewind(4)
        alone = []
        for token in tokens:
            model.evaluate([token])
            alone.append(model.sampler(greedy).sample())
        assert together == alone


@pytest.mark.parametrize("architecture", ["mamba", "jamba"])
def test_a_memory_that_knows_only_forward_takes_no_drafts(tmp_path, architecture):
    with loaded(write_tiny_model(tmp_path / "tiny.gguf", architecture=architecture)) as model:
        assert model.longest_draft == 0


@pytest.mark.parametrize("sampling", [Sampling(temperature=0.0, repeat_penalty=1.0), Sampling(top_k=5, seed=5)])
@pytest.mark.parametrize("grammar", ['root ::= "abcdefgh"{30}', 'root ::= ("abcdefgh" [x-z]){30}', None])
def test_llama_says_the_same_with_drafts_and_without(tmp_path, sampling, grammar):
    prompt = [*range(60, 90), *range(60, 90)]
    # Its weights are not rounded, so that a batch gives very nearly the same logits as a token by itself.
    with loaded(write_tiny_model(tmp_path / "tiny.gguf")) as model:
        one_by_one, _ = said_by(model, prompt, sampling, grammar, speculation=False)
        drafted, drafts = said_by(model, prompt, sampling, grammar, speculation=True)
        assert drafted == one_by_one
        if grammar is not None:
            assert drafts.accepted > 20


def said_by(
    model: LlamaModel,
    prompt: list[int],
    sampling: Sampling,
    grammar: str | None,
    *,
    speculation: bool,
    length: int = 150,
) -> tuple[list[int], Decoder]:
    model.rewind(0)
    read(model, prompt)
    sampler = model.sampler(sampling.over(DEFAULT_SAMPLING), grammar)
    decoder = decoder_of(model, sampler, prompt, speculation=speculation, clock=count_up().__next__)
    tokens = [decoder.sample()]
    while len(tokens) < length and not model.vocabulary.is_end(tokens[-1]):
        assert decoder.evaluate(tokens[-1])
        tokens.append(decoder.sample())
    decoder.close()
    sampler.close()
    assert list(model.tokens) == [*prompt, *tokens[:-1]]
    return tokens, decoder


def count_up() -> Iterator[float]:
    """A clock by which a draft costs twice as much as a token by itself."""
    return map(float, count(1))


@pytest.mark.model
def test_a_real_model_that_repeats_its_prompt_has_its_drafts_accepted():
    path = embedded_model()
    assert path is not None
    text = "The river rises in the hills above the village of Marne, where three springs meet in a narrow valley. " * 2
    with loaded(path) as model:
        prompt = PromptBuilder(model).build((Message(Role.USER, f"Repeat this word for word.\n\n{text}"),)).tokens
        greedy = Sampling(temperature=0.0, repeat_penalty=1.0)
        tokens, drafts = said_by(model, list(prompt), greedy, None, speculation=True, length=60)
        assert b"three springs meet" in b"".join(map(model.vocabulary.piece, tokens))
        assert drafts.accepted > 0.5 * drafts.drafted > 5
