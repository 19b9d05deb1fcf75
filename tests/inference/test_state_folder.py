"""States on disk: whole to the last bit or not used, bounded, and free to be deleted."""

from __future__ import annotations

import os
import random
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.model import Mark, Snapshot
from inference.state_folder import StateFolder

BUDGET = 1 << 20


def state_of(number: int, length: int = 100, size: int = 5_000) -> Snapshot:
    chance = random.Random(number)  # noqa: S311 - made data
    tokens = tuple(chance.randrange(1000) for _ in range(length))
    marks = (Mark(10, b"first"), Mark(length, b""))
    return Snapshot(tokens, chance.randbytes(size), marks, chance.randbytes(400), length)


def folder_of(path: Path, key: str = "model", budget: int = BUDGET) -> StateFolder:
    folder = StateFolder(path, budget)
    folder.open(key)
    return folder


def written(path: Path, *states: Snapshot) -> None:
    folder = folder_of(path)
    for state in states:
        folder.write(state)
    folder.close()


def files_of(path: Path) -> list[Path]:
    return sorted(path.glob("*"))


def test_a_state_comes_back_as_it_was(tmp_path: Path) -> None:
    state = state_of(1)
    written(tmp_path, state, state_of(2))
    assert folder_of(tmp_path).best((*state.tokens, 7), 50) == state


def test_a_state_can_be_read_while_it_is_still_being_written(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    state = state_of(1, size=500_000)
    folder.write(state)
    assert folder.best(state.tokens, 50) == state


def test_too_short_a_beginning_is_not_worth_reading(tmp_path: Path) -> None:
    state = state_of(1)
    written(tmp_path, state)
    assert folder_of(tmp_path).best(state.tokens[:40], 50) is None


def test_states_of_another_model_are_not_seen(tmp_path: Path) -> None:
    state = state_of(1)
    written(tmp_path, state)
    assert folder_of(tmp_path, "another").best(state.tokens, 50) is None


def test_a_state_that_goes_on_from_another_replaces_its_file(tmp_path: Path) -> None:
    longer = state_of(1, 200)
    written(tmp_path, Snapshot(longer.tokens[:100], b"begun"), longer)
    assert len(files_of(tmp_path)) == 1
    assert folder_of(tmp_path).best(longer.tokens, 50) == longer


def test_the_folder_never_outgrows_its_budget_and_gives_up_what_was_used_longest_ago(tmp_path: Path) -> None:
    written(tmp_path, state_of(1, size=30_000))
    written(tmp_path, state_of(2, size=30_000))
    for age, path in enumerate(files_of(tmp_path)):
        os.utime(path, (1000 + age, 1000 + age))
    oldest = files_of(tmp_path)[0]
    folder = folder_of(tmp_path, budget=70_000)
    folder.write(state_of(3, size=30_000))
    folder.close()
    assert sum(path.stat().st_size for path in files_of(tmp_path)) <= 70_000
    assert oldest not in files_of(tmp_path)


def test_what_is_said_stays_with_its_owner(tmp_path: Path) -> None:
    written(tmp_path / "states", state_of(1))
    assert stat.S_IMODE((tmp_path / "states").stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in files_of(tmp_path / "states")] == [0o600]


def test_any_file_may_be_deleted_at_any_time(tmp_path: Path) -> None:
    state = state_of(1)
    written(tmp_path, state)
    folder = folder_of(tmp_path)
    for path in files_of(tmp_path):
        path.unlink()
    assert folder.best(state.tokens, 50) is None
    folder.write(state)
    assert folder.best(state.tokens, 50) == state


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    folder = folder_of(tmp_path / "file" / "states")
    folder.write(state_of(1))
    assert folder.best(state_of(1).tokens, 50) is None
    folder.close()


def test_clear_leaves_nothing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    folder.write(state_of(1))
    folder.clear()
    assert not files_of(tmp_path)
    assert folder.best(state_of(1).tokens, 50) is None


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_file_damaged_anywhere_is_not_used(tmp_path: Path, data: st.DataObject) -> None:
    state = state_of(1, size=300)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.sampled_from(["flip", "cut", "grow", "foreign"]))
    match damage:
        case "flip":
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        case "cut":
            path.write_bytes(whole[:at])
        case "grow":
            path.write_bytes(whole + b"x")
        case _:
            path.write_bytes(random.Random(at).randbytes(at))  # noqa: S311 - made data
    found = folder_of(tmp_path).best(state.tokens, 50)
    path.unlink()
    assert found is None or found == state, "what was damaged is the header's spacing at most"


@pytest.mark.parametrize("content", [b"", b"HWKV\x01\n", b"HWKV\x01\n\xff\xff\xff\x7f", b"HWKV\x01\n\x02\0\0\0{}"])
def test_a_file_of_nonsense_is_passed_over(tmp_path: Path, content: bytes) -> None:
    state = state_of(1)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    path.with_name(path.name.replace("-", "-0")).write_bytes(content)
    assert folder_of(tmp_path).best(state.tokens, 50) == state
