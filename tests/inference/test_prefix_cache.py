"""The longest common beginning wins, wherever it is kept, and every reply is the one a fresh model would give."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.bounds import StateBudget
from inference.events import ReuseEnd
from inference.model import Snapshot, StopFlag, shared_prefix
from inference.prefix_cache import Holder, PrefixCache
from inference.state_folder import StateFolder
from tests.fakes import Script, ScriptedModel, config

MEBIBYTE = 1 << 20
NOBODY = Holder()


def model_of(*, rewindable: bool = True) -> ScriptedModel:
    return ScriptedModel(Script(rewindable=rewindable), config(), StopFlag())


def conversation(of: int, length: int = 200) -> tuple[int, ...]:
    return (1, *([of] * (length - 1)))


def read(
    model: ScriptedModel, cache: PrefixCache, tokens: tuple[int, ...], holder: Holder = NOBODY
) -> tuple[int, ReuseEnd]:
    """Prefill `tokens` as a generation does; returns how many came from the cache, and why no more."""
    reuse = cache.reuse(model, tokens, holder)
    assert tuple(model.tokens) == tokens[: reuse.cached]
    if new := tokens[reuse.cached :]:
        model.evaluate(new)
    model.keep_logits()
    if model.wants_marks:
        model.mark()
    return reuse.cached, reuse.end


def test_the_first_prompt_finds_nothing_held() -> None:
    assert read(model_of(), PrefixCache(MEBIBYTE), conversation(5)) == (0, ReuseEnd.MODEL_RELOADED)


def test_what_goes_on_from_what_is_held_reuses_all_of_it() -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    read(model, cache, conversation(5))
    assert read(model, cache, (*conversation(5), 6, 7)) == (200, ReuseEnd.NEW_TEXT)


def test_the_same_prompt_again_needs_nothing_read() -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    read(model, cache, conversation(5))
    assert read(model, cache, conversation(5)) == (200, ReuseEnd.WHOLE_PROMPT)


def test_a_smaller_budget_gives_up_what_was_used_longest_ago(tmp_path: Path) -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    for other in (5, 6, 7):
        read(model, cache, conversation(other))
    each = cache.size // 2
    cache.keep_to(StateBudget(each, 0, tmp_path))
    assert 0 < cache.size <= each
    assert read(model, cache, (*conversation(6), 9)) == (200, ReuseEnd.NEW_TEXT)
    assert read(model, cache, (*conversation(5), 9))[0] == 1


def test_a_conversation_that_was_left_comes_back_whole() -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    for other in (5, 6, 7):
        read(model, cache, conversation(other))
    assert read(model, cache, (*conversation(5), 9)) == (200, ReuseEnd.NEW_TEXT)
    assert read(model, cache, (*conversation(7), 9)) == (200, ReuseEnd.NEW_TEXT)


def test_the_least_recently_used_state_is_given_up_and_said_to_be() -> None:
    model, cache = model_of(), PrefixCache(2 * model_size())
    for other in (5, 6, 7, 8):
        read(model, cache, (other, *conversation(other)))
    assert cache.size <= 2 * model_size()
    assert read(model, cache, (5, *conversation(5))) == (0, ReuseEnd.EVICTED)


def model_size() -> int:
    model = model_of()
    model.evaluate(conversation(5))
    model.keep_logits()
    return model.save().size + 16


def test_a_short_conversation_is_not_worth_keeping() -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    read(model, cache, conversation(5, 30))
    read(model, cache, conversation(6, 30))
    assert cache.size == 0


def test_states_of_another_model_are_not_used() -> None:
    cache = PrefixCache(MEBIBYTE)
    cache.open("one")
    first = model_of()
    read(first, cache, conversation(5))
    cache.keep_all_of(first)
    cache.open("two")
    assert read(model_of(), cache, conversation(5)) == (0, ReuseEnd.MODEL_RELOADED)
    cache.open("one")
    assert read(model_of(), cache, (*conversation(5), 6)) == (200, ReuseEnd.NEW_TEXT)


def test_a_state_that_goes_on_from_another_takes_its_place() -> None:
    cache, model = PrefixCache(MEBIBYTE), model_of()
    for length in (100, 150, 200):
        cache.keep(Snapshot(conversation(5, length), bytes(1000)))
    assert cache.size < 2 * 2000
    assert read(model, cache, (*conversation(5), 6)) == (200, ReuseEnd.NEW_TEXT)


def test_states_are_found_on_disk_by_the_next_program(tmp_path: Path) -> None:
    first = PrefixCache(MEBIBYTE, StateFolder(tmp_path, MEBIBYTE))
    first.open("model")
    model = model_of()
    read(model, first, conversation(5))
    first.keep_all_of(model)
    first.close()
    second = PrefixCache(MEBIBYTE, StateFolder(tmp_path, MEBIBYTE))
    second.open("model")
    assert read(model_of(), second, (*conversation(5), 6)) == (200, ReuseEnd.NEW_TEXT)
    second.close()


def test_a_state_the_model_will_not_have_is_given_up_and_the_prompt_is_read(tmp_path: Path) -> None:
    model = Refusing(Script(), config(), StopFlag())
    cache = PrefixCache(MEBIBYTE, StateFolder(tmp_path, MEBIBYTE))
    cache.open("model")
    cache.keep(Snapshot(conversation(5), b"of another shape"))
    read(model, cache, (*conversation(5)[:20], *conversation(6)))
    assert read(model, cache, (*conversation(5), 7))[0] == 0
    assert model.refused == 1
    assert read(model, cache, conversation(7))[0] == 1
    assert read(model, cache, (*conversation(5), 7))[0] == 0, "the state that was saved meanwhile is refused as well"
    cache.close()
    assert model.refused == 2


class Refusing(ScriptedModel):
    refused = 0

    def restore(self, _snapshot: Snapshot) -> bool:
        self.refused += 1
        self.rewind(0)
        return False


def test_a_state_larger_than_the_budget_drives_out_no_other() -> None:
    model, cache = model_of(), PrefixCache(10_000)
    cache.keep(Snapshot(conversation(5), bytes(1000)))
    cache.keep(Snapshot(conversation(6), bytes(50_000)))
    assert read(model, cache, (*conversation(5), 6)) == (200, ReuseEnd.NEW_TEXT)


@pytest.mark.parametrize("rewindable", [True, False], ids=["cut anywhere", "marks only"])
@given(prompts=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=300).map(tuple), max_size=6))
def test_whatever_was_read_before_exactly_the_prompt_is_held(rewindable: bool, prompts: list[tuple[int, ...]]) -> None:
    model, cache = model_of(rewindable=rewindable), PrefixCache(20_000)
    for tokens in prompts:
        cached, _ = read(model, cache, tokens)
        assert 0 <= cached <= len(tokens)
        assert tuple(model.tokens) == tokens
        assert model.logits_at == len(tokens)
        assert cache.size <= 20_000


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_the_shared_prefix_is_the_longest(first: list[int], second: list[int]) -> None:
    length = shared_prefix(first, second)
    assert first[:length] == second[:length]
    assert first[length : length + 1] != second[length : length + 1] or length == len(first) == len(second)


def test_what_is_kept_of_an_owner_is_given_up_wherever_it_is(tmp_path: Path) -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE, StateFolder(tmp_path, MEBIBYTE))
    cache.open("model")
    read(model, cache, conversation(5), Holder("five"))
    read(model, cache, conversation(6), Holder("six"))
    read(model, cache, conversation(7), Holder("seven"))
    cache.forget_of(["five", "seven"], model)
    assert tuple(model.tokens) == ()
    assert read(model, cache, conversation(5))[0] == 0
    assert read(model, cache, conversation(6), Holder("six"))[0] == 200
    cache.close()
    again = PrefixCache(0, StateFolder(tmp_path, MEBIBYTE))
    again.open("model")
    assert read(model_of(), again, conversation(7))[0] == 0
    assert read(model_of(), again, conversation(6))[0] == 200


def test_what_is_held_of_somebody_else_stays_held() -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE)
    read(model, cache, conversation(5), Holder("five"))
    cache.forget_of(["six"], model)
    assert tuple(model.tokens) == conversation(5)


def test_a_private_state_is_kept_in_memory_alone(tmp_path: Path) -> None:
    model, cache = model_of(), PrefixCache(MEBIBYTE, StateFolder(tmp_path, MEBIBYTE))
    cache.open("model")
    read(model, cache, conversation(5), Holder("five", is_private=True))
    read(model, cache, conversation(6), Holder("six", is_private=True))
    assert read(model, cache, conversation(5), Holder("five", is_private=True))[0] == 200
    cache.keep_all_of(model)
    cache.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("memory", "disk", "private", "copied"), [
    (1599, None, False, False), (1600, None, False, True), (0, 1599, False, False), (0, 1600, False, True),
    (0, 1600, True, False),
])  # fmt: skip
def test_what_has_room_nowhere_is_not_even_copied(
    tmp_path: Path, memory: int, disk: int | None, private: bool, copied: bool
) -> None:
    script = Script()
    model = ScriptedModel(script, config(), StopFlag())
    folder = None if disk is None else StateFolder(tmp_path, disk)
    cache = PrefixCache(memory, folder)
    read(model, cache, conversation(5), Holder("somebody", private))
    read(model, cache, conversation(6))
    assert ("saved 200" in script.log) is copied
    cache.close()
