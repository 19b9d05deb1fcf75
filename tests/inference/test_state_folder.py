"""States on disk: whole to the last bit or not used, bounded, and free to be deleted."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.model import Mark, Snapshot
from inference.state_folder import StateFolder
from tests.mounts import disk_of
from tests.odd_values import damaged

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


def test_a_smaller_budget_is_kept_to_before_anything_is_written(tmp_path: Path) -> None:
    written(tmp_path, *(state_of(number) for number in range(6)))
    folder = StateFolder(tmp_path, 20_000)
    folder.shrink()
    folder.close()
    assert 0 < sum(path.stat().st_size for path in files_of(tmp_path)) <= 20_000


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


def test_no_bit_of_the_header_can_change_what_is_believed(tmp_path: Path) -> None:
    state = state_of(1, size=30)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    whole = path.read_bytes()
    header = range(len(MAGIC), len(MAGIC) + 4 + int.from_bytes(whole[len(MAGIC) : len(MAGIC) + 4], "little"))
    folder = folder_of(tmp_path)
    for at in header:
        for bit in range(8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :])
            folder.open("model")
            found = folder.best(state.tokens, 50)
            assert found is None or found == state, (at, bit)


MAGIC = b"HWKV\x02\n"


def said(text: bytes) -> bytes:
    return MAGIC + len(text).to_bytes(4, "little") + text


def header_of(sizes: str) -> bytes:
    return said(f'{{"sizes": {sizes}, "marks": [], "logits_at": 0, "digest": ""}}'.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        MAGIC,
        MAGIC + b"\xff\xff\xff\x7f",
        b"HWKV\x01\n\x02\0\0\0{}",
        said(b"{}"),
        said(b"[]"),
        said(b"null"),
        said(b"\xff\xff"),
        said(b"[" * 100_000),
        header_of("[]"),
        header_of("[4]") + b"abcd",
        header_of("[-4, 8, 0]") + b"abcd",
        header_of("[1000000000000000, 0, 0]"),
        header_of("[1" + 40 * "0" + ", 0, 0]"),
        header_of("[Infinity, 0, 0]"),
        header_of('["4", "0", "0"]') + b"abcd",
    ],
)
def test_a_file_of_nonsense_is_passed_over(tmp_path: Path, content: bytes) -> None:
    state = state_of(1)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    path.with_name(path.name.replace("-", "-0")).write_bytes(content)
    assert folder_of(tmp_path).best(state.tokens, 50) == state


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_damage_left_of_a_header_its_file_is_not_used(tmp_path: Path, data: st.DataObject) -> None:
    state = state_of(1, size=30)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    whole = path.read_bytes()
    start = len(MAGIC) + 4
    length = int.from_bytes(whole[len(MAGIC) : start], "little")
    header = json.loads(whole[start : start + length])
    path.write_bytes(said(json.dumps(data.draw(damaged(header))).encode()) + whole[start + length :])
    found = folder_of(tmp_path).best(state.tokens, 50)
    path.unlink()
    assert found is None or found == state, "what was put there is what stood there"


@pytest.mark.skipif(sys.platform == "win32", reason="makes a named pipe")
def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    state = state_of(1)
    written(tmp_path, state)
    [path] = files_of(tmp_path)
    path.with_name(path.name.replace("-", "-0")).mkdir()
    os.mkfifo(path.with_name(path.name.replace("-", "-1")))  # opening it would wait for ever
    folder = folder_of(tmp_path)
    assert folder.best(state.tokens, 50) == state
    folder.clear()
    assert len(files_of(tmp_path)) == 2


def test_a_state_larger_than_the_budget_drives_out_no_other(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, budget=20_000)
    folder.write(state_of(1))
    folder.write(state_of(2, size=30_000))
    assert folder.best(state_of(1).tokens, 50) == state_of(1)
    assert folder.best(state_of(2).tokens, 50) is None


def test_on_a_full_disk_the_oldest_make_room_for_the_next(tmp_path: Path) -> None:
    with disk_of(tmp_path, "100k"):
        folder = folder_of(tmp_path)
        for number in range(20):
            folder.write(state_of(number, size=20_000))
            folder.wait()
            assert folder_of(tmp_path).best(state_of(number).tokens, 50) == state_of(number, size=20_000)
        assert {path.suffix for path in files_of(tmp_path)} == {".kvstate"}


def test_what_a_killed_program_left_half_written_counts_and_goes(tmp_path: Path) -> None:
    tmp_path.joinpath("0123-4567.part").write_bytes(bytes(15_000))
    folder = folder_of(tmp_path, budget=20_000)
    folder.write(state_of(1, size=10_000))
    folder.wait()
    assert [path.suffix for path in files_of(tmp_path)] == [".kvstate"]
    tmp_path.joinpath("0123-4567.part").write_bytes(bytes(100))
    folder.clear()
    assert not files_of(tmp_path), "what was said may stand in it"


def test_a_state_that_is_of_no_use_is_deleted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    folder.write(state_of(1))
    folder.discard(state_of(1))
    assert folder.best(state_of(1).tokens, 50) is None
    assert not files_of(tmp_path)


LEFT_OPEN = """
import atexit, sys
from dataclasses import replace
from pathlib import Path
from inference.model import Snapshot
from inference.state_folder import StateFolder
folder = StateFolder(Path(sys.argv[1]), 1 << 20)
folder.open("model")
atexit.register(folder.write, Snapshot((1,) * 100, b"state"))
"""


def test_a_state_can_be_written_while_the_interpreter_exits(tmp_path: Path) -> None:
    words = [sys.executable, "-c", LEFT_OPEN, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(files_of(tmp_path)) == 1


def owned(number: int, owner: str) -> Snapshot:
    return replace(state_of(number), owner=owner)


def test_the_states_of_an_owner_can_be_deleted_of_every_model(tmp_path: Path) -> None:
    kept, gone = owned(1, "one"), owned(2, "two")
    for key in ("model", "another"):
        folder = folder_of(tmp_path, key)
        folder.write(kept)
        folder.write(gone)
        folder.close()
    folder = folder_of(tmp_path)
    folder.forget_of(["two", "three"])
    assert len(files_of(tmp_path)) == 2
    assert folder.best(gone.tokens, 50) is None
    found = folder.best(kept.tokens, 50)
    assert found is not None
    assert found.tokens == kept.tokens


def test_what_is_still_to_be_written_is_deleted_too(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    folder.write(replace(state_of(1, size=500_000), owner="one"))
    folder.forget_of(["one"])
    assert files_of(tmp_path) == []


def test_states_of_which_nobody_knows_the_owner_go_with_the_first_that_are_deleted(tmp_path: Path) -> None:
    written(tmp_path, state_of(1))
    (path,) = files_of(tmp_path)
    key, _, digest = path.stem.split("-")
    path.rename(tmp_path / f"{key}-{digest}.kvstate")  # as earlier versions called it
    assert folder_of(tmp_path).best(state_of(1).tokens, 50) is not None
    folder_of(tmp_path).forget_of(["anybody"])
    assert files_of(tmp_path) == []
