from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from filelock import FileLock

from inference.hub.access import HubSession
from inference.hub.address import HubAccess
from inference.hub.fetch import FetchPhase, FetchProgress, FetchStopped, Wanted, checksum, discard, fetch, files_wanted
from inference.hub.files import HubFile
from inference.hub.part import BORDER
from inference.hub_errors import (
    DiskTooSmall,
    DownloadChanged,
    DownloadDamaged,
    DownloadElsewhere,
    FolderRefused,
    GateClosed,
    HubBroke,
    HubOffline,
    NotOnHub,
    TokenWanted,
)
from tests.hub_server import COMMIT, Contents, HubServer
from tests.killing import moments, seed

REPO = "maker/small-GGUF"
SIZE = 2 * BORDER + 12_345
DATA = random.Random(1).randbytes(SIZE)  # noqa: S311 - of any kind, and the same each time
AT_ONCE = (0.0,)
NAME = "sub/small-Q4_K_M.gguf"


@pytest.fixture
def server(hub: HubServer) -> HubServer:
    hub.add(REPO, {NAME: DATA, "tiny.txt": b"a few words", "empty.txt": b""})
    return hub


def wanted(server: HubServer, path: str = NAME) -> Wanted:
    file = server.repos[REPO].files[path]
    return Wanted(REPO, COMMIT, HubFile(path, file.contents.size, file.sha256 if file.is_large else ""))


def fetched(server: HubServer, folder: Path, path: str = NAME, token: str = "") -> list[FetchProgress]:
    with closing(HubSession(HubAccess(server.address, token))) as session:
        return list(fetch(wanted(server, path), folder, session, threading.Event(), AT_ONCE))


def there(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_comes_whole_and_nothing_else_is_left(server, tmp_path):
    progress = fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA
    assert there(tmp_path) == ["small-Q4_K_M.gguf"]
    assert progress[-1] == FetchProgress(FetchPhase.DONE, SIZE, SIZE, SIZE)
    received = [each.received for each in progress]
    assert received == sorted(received)


@pytest.mark.skipif(sys.platform == "win32", reason="there a folder's own list says who may")
def test_what_is_fetched_is_its_owners_alone(server, tmp_path):
    before = os.umask(0)
    try:
        fetched(server, tmp_path / "models")
    finally:
        os.umask(before)
    made = [tmp_path / "models", *(tmp_path / "models").rglob("*")]
    assert len(made) > 2
    assert [path.name for path in made if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_a_small_file_is_checked_by_gits_name_for_it(server, tmp_path):
    fetched(server, tmp_path, "tiny.txt")
    assert (tmp_path / REPO / "tiny.txt").read_bytes() == b"a few words"
    server.behaviour.breaks_bytes = True
    (tmp_path / REPO / "tiny.txt").unlink()
    with pytest.raises(DownloadDamaged):
        fetched(server, tmp_path, "tiny.txt")


def test_a_file_of_no_bytes_comes_too(server, tmp_path):
    fetched(server, tmp_path, "empty.txt")
    assert (tmp_path / REPO / "empty.txt").read_bytes() == b""


def test_what_is_there_is_not_fetched_again(server, tmp_path):
    fetched(server, tmp_path)
    before = server.sent
    assert [each.phase for each in fetched(server, tmp_path)] == [FetchPhase.DONE]
    assert server.sent == before


def test_connections_that_break_cost_no_byte_twice(server, tmp_path):
    server.behaviour.cuts = [1_000_000, 0, 3_000_000, BORDER, 0, 0]
    progress = fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA
    assert progress[-1].fetched == SIZE
    waits = [each for each in progress if each.phase is FetchPhase.WAITING]
    assert waits
    assert all("the connection" in each.reason for each in waits)


def test_one_that_was_stopped_goes_on_where_it_was(server, tmp_path):
    stop_after(server, tmp_path, BORDER + 1000)
    assert there(tmp_path) == ["small-Q4_K_M.gguf.part", "small-Q4_K_M.gguf.part.info"]
    kept = next(tmp_path.rglob("*.part")).stat().st_size
    assert kept > BORDER
    again = fetched(server, tmp_path)
    assert again[-1].fetched == SIZE - kept
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


@pytest.mark.parametrize("at", [0, BORDER - 1, BORDER, BORDER + 5])
def test_damage_done_to_the_part_meanwhile_is_cut_off_and_fetched_again(server, tmp_path, at):
    stop_after(server, tmp_path, 2 * BORDER + 1000)
    part = next(tmp_path.rglob("*.part"))
    with part.open("r+b") as file:
        file.seek(at)
        file.write(b"\0damage\0")
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def stop_after(server: HubServer, folder: Path, received: int) -> None:
    stop = threading.Event()
    with closing(HubSession(HubAccess(server.address))) as session, pytest.raises(FetchStopped):
        stop_when(
            lambda progress: progress.received > received, fetch(wanted(server), folder, session, stop, AT_ONCE), stop
        )


def stop_when(reached: Callable[[FetchProgress], bool], steps: Iterable[FetchProgress], stop: threading.Event) -> None:
    for progress in steps:
        if reached(progress):
            stop.set()


@pytest.mark.parametrize("info", [b"", b"nonsense\n", b"[]\n", b'{"size": 5}\n', b"\xff\xfe\n", None])
def test_a_part_that_nothing_is_known_of_is_begun_anew(server, tmp_path, info):
    stop_after(server, tmp_path, BORDER)
    path = next(tmp_path.rglob("*.part.info"))
    path.unlink() if info is None else path.write_bytes(info)
    assert fetched(server, tmp_path)[-1].fetched == SIZE
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_line_that_was_cut_in_the_info_is_none(server, tmp_path):
    stop_after(server, tmp_path, BORDER + 1000)
    path = next(tmp_path.rglob("*.part.info"))
    path.write_bytes(path.read_bytes()[:-10])
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_part_that_is_too_long_is_cut(server, tmp_path):
    stop_after(server, tmp_path, BORDER)
    with next(tmp_path.rglob("*.part")).open("ab") as file:
        file.write(b"x" * 2 * SIZE)
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_storage_that_knows_no_ranges_costs_time_and_nothing_else(server, tmp_path):
    server.behaviour.ignores_ranges = True
    server.behaviour.cuts = [BORDER + 100]
    progress = fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA
    assert progress[-1].fetched > SIZE


def test_wrong_bytes_never_become_a_file(server, tmp_path):
    server.behaviour.breaks_bytes = True
    with pytest.raises(DownloadDamaged, match="checksum"):
        fetched(server, tmp_path)
    assert there(tmp_path) == []
    server.behaviour.breaks_bytes = False
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_file_that_was_replaced_on_the_hub_is_said(server, tmp_path):
    server.behaviour.etag = "f" * 64
    with pytest.raises(DownloadChanged):
        fetched(server, tmp_path)


def test_a_part_of_an_earlier_version_is_never_mixed_with_the_new_one(server, tmp_path):
    stop_after(server, tmp_path, BORDER)
    newer = DATA[::-1]
    server.add(REPO, {NAME: newer})
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == newer


@pytest.mark.parametrize("more", [5_000, -5_000])
def test_a_length_that_is_a_lie_harms_nothing(server, tmp_path, more):
    server.behaviour.lies_about_length = [more]
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_another_range_than_the_one_asked_for_is_refused(server, tmp_path):
    server.behaviour.shifted_range = 7
    with pytest.raises(HubBroke, match="another part"):
        fetched(server, tmp_path)


@pytest.mark.parametrize("status", [403, 404, 416, 500, 503])
def test_a_storage_that_refuses_for_a_while_is_asked_again(server, tmp_path, status):
    server.behaviour.storage_statuses = [status, status]
    fetched(server, tmp_path)
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_hub_that_is_busy_is_given_the_time_it_asks_for(server, tmp_path):
    server.behaviour.statuses = [(429, {"Retry-After": "0"}), (503, {})]
    progress = fetched(server, tmp_path)
    assert progress[0].phase is FetchPhase.WAITING
    assert "asked too often" in progress[0].reason
    assert (tmp_path / REPO / NAME).read_bytes() == DATA


def test_a_hub_that_is_busy_for_no_time_is_not_asked_without_a_pause(server, tmp_path, open_session):
    server.behaviour.statuses = [(429, {"Retry-After": "0"})] * 100
    steps = fetch(wanted(server), tmp_path, open_session(server), threading.Event(), (0.0, 3600.0))
    waits = [each for each in islice(steps, 2) if each.phase is FetchPhase.WAITING]
    assert waits[1].until > time.monotonic() + 1000


def test_a_storage_that_is_busy_is_given_the_time_it_asks_for(server, tmp_path):
    server.behaviour.storage_statuses = [429]
    progress = fetched(server, tmp_path)
    assert "asked too often" in next(each.reason for each in progress if each.phase is FetchPhase.WAITING)


def test_a_storage_that_never_comes_further_is_not_asked_without_a_pause(server, tmp_path, open_session):
    server.behaviour.ignores_ranges = True
    server.behaviour.cuts = [BORDER] * 100
    steps = fetch(wanted(server), tmp_path, open_session(server), threading.Event(), (3600.0,))
    waits = (each for each in steps if each.phase is FetchPhase.WAITING)
    first, second = islice(waits, 2)
    assert first.received == second.received
    assert first.until < time.monotonic()
    assert second.until > time.monotonic() + 1000


def test_a_disk_that_is_too_small_for_all_parts_is_said_before_the_first_comes(hub, tmp_path, open_session):
    large = Contents(1 << 60, lambda begin, end: bytes(end - begin))
    hub.add(REPO, {"b-00001-of-00002.gguf": b"GGUF"})
    files = (HubFile("b-00001-of-00002.gguf", 4), HubFile("b-00002-of-00002.gguf", large.size, "0" * 64))
    first, second = files_wanted(REPO, COMMIT, files, tmp_path)
    assert (first.more, second.more) == (large.size, 0)
    with pytest.raises(DiskTooSmall) as raised:
        list(fetch(first, tmp_path, open_session(hub), threading.Event()))
    assert raised.value.needed == 4 + large.size
    assert hub.sent == 0


def test_a_wait_is_ended_by_stopping(server, tmp_path, open_session):
    server.behaviour.statuses = [(429, {"Retry-After": "3000"})]
    stop = threading.Event()
    with pytest.raises(FetchStopped):
        stop_when(
            lambda progress: progress.until > 0, fetch(wanted(server), tmp_path, open_session(server), stop), stop
        )


def test_a_hub_that_stays_broken_is_given_up_in_the_end(server, tmp_path):
    server.behaviour.statuses = [(500, {})] * 100
    with pytest.raises(HubBroke):
        fetched(server, tmp_path)


def test_a_gate_and_a_missing_file_are_said_at_once(server, tmp_path, open_session):
    server.repos[REPO].gated = True
    with pytest.raises((GateClosed, TokenWanted)):
        fetched(server, tmp_path)
    with pytest.raises(GateClosed, match=f"{server.address}/{REPO}"):
        fetched(server, tmp_path, token="hf_good")
    fetched(server, tmp_path, token="hf_invited")
    del server.repos[REPO].files["tiny.txt"]
    missing = Wanted(REPO, COMMIT, HubFile("tiny.txt", 11))
    with pytest.raises(NotOnHub):
        list(fetch(missing, tmp_path, open_session(server, "hf_invited"), threading.Event()))


def test_the_token_goes_to_the_hub_and_never_to_its_storage(server, tmp_path):
    fetched(server, tmp_path, token="hf_good")
    assert all(request.headers.get("authorization") == "Bearer hf_good" for request in server.requests)
    assert server.storage_requests
    assert all("authorization" not in request.headers for request in server.storage_requests)


def test_offline_nothing_is_asked(server, tmp_path, open_session):
    session = open_session(server, offline="Offline was chosen.")
    with pytest.raises(HubOffline):
        list(fetch(wanted(server), tmp_path, session, threading.Event()))
    assert not server.requests


def test_two_do_not_fetch_the_same_file_at_once(server, tmp_path):
    path = wanted(server).path_in(tmp_path)
    path.parent.mkdir(parents=True)
    with FileLock(path.with_name(path.name + ".part.lock")), pytest.raises(DownloadElsewhere):
        fetched(server, tmp_path)


def test_what_another_process_fetches_is_not_thrown_away(server, tmp_path):
    server.behaviour.cuts = [BORDER]
    with closing(HubSession(HubAccess(server.address))) as session:
        steps = fetch(wanted(server), tmp_path, session, threading.Event(), (3600.0,))
        assert any(each.received for each in steps)
        before = there(tmp_path)
        discard(wanted(server), tmp_path)
        assert there(tmp_path) == before
        steps.close()  # type: ignore[attr-defined]  # it is a generator
    discard(wanted(server), tmp_path)
    assert there(tmp_path) == []


def test_a_disk_that_is_too_small_is_said_before_a_byte_is_asked_for(hub, tmp_path, open_session):
    huge = Contents(1 << 60, lambda begin, end: bytes(end - begin))
    hub.add(REPO, {"tiny.gguf": b"x"})
    hub.repos[REPO].files["tiny.gguf"].contents = huge
    file = HubFile("tiny.gguf", huge.size, hub.repos[REPO].files["tiny.gguf"].sha256)
    with pytest.raises(DiskTooSmall) as raised:
        list(fetch(Wanted(REPO, COMMIT, file), tmp_path, open_session(hub), threading.Event()))
    assert raised.value.needed == huge.size
    assert not hub.storage_requests


@pytest.mark.skipif(sys.platform == "win32", reason="a folder whose files are open cannot be deleted there")
def test_a_folder_that_vanishes_is_said(server, tmp_path, open_session):
    folder = tmp_path / "models"
    steps = fetch(wanted(server), folder, open_session(server), threading.Event(), AT_ONCE)
    with pytest.raises(FolderRefused, match="went away"):
        remove_after_the_first_byte(folder, steps)


def remove_after_the_first_byte(folder: Path, steps: Iterable[FetchProgress]) -> None:
    for progress in steps:
        if progress.received and folder.exists():
            remove_all(folder)


def remove_all(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    folder.rmdir()


def test_a_file_where_the_folder_should_be_is_said(server, tmp_path):
    (tmp_path / "maker").write_text("in the way")
    with pytest.raises(FolderRefused):
        fetched(server, tmp_path)


def test_what_is_not_wanted_any_more_leaves_nothing(server, tmp_path):
    stop_after(server, tmp_path, 1000)
    discard(wanted(server), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_checksum_is_told_at_the_end(server, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(DATA)
    *steps, last = checksum(path)
    assert [read for read, _ in steps][-1] == SIZE
    assert last == (SIZE, wanted(server).file.sha256)
    stop = threading.Event()
    stop.set()
    with pytest.raises(FetchStopped):
        list(checksum(path, stop))


CHILD = """
import sys, threading
from pathlib import Path
from inference.hub.access import HubSession
from inference.hub.address import HubAccess
from inference.hub.fetch import Wanted, fetch
from inference.hub.files import HubFile
address, repo, commit, path, size, sha256, folder = sys.argv[1:]
wanted = Wanted(repo, commit, HubFile(path, int(size), sha256))
for progress in fetch(wanted, Path(folder), HubSession(HubAccess(address)), threading.Event(), (0.01,)):
    print(progress.received, flush=True)
"""


KILLS = moments(few=6, some=30)


@pytest.mark.timeout(120 + 4 * KILLS)
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL there")
def test_killed_at_any_moment_it_ends_in_a_correct_file_and_hardly_a_byte_comes_twice(hub, tmp_path):
    rng = random.Random(seed())  # noqa: S311 - moments, not secrets
    size = KILLS * 700_000 + BORDER
    data = rng.randbytes(size)
    hub.add(REPO, {NAME: data})
    hub.behaviour.rate = 4e6  # as slow as a good line: what lies in buffers is lost with the process
    file = hub.repos[REPO].files[NAME]
    arguments = [hub.address, REPO, COMMIT, NAME, str(size), file.sha256, str(tmp_path)]
    places: Counter[str] = Counter()
    for _ in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True)
        moment = rng.randrange(1, 30)
        assert child.stdout is not None
        for number, _line in enumerate(child.stdout):
            if number == moment:
                child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        whole, part = tmp_path / REPO / NAME, tmp_path / REPO / f"{NAME}.part"
        places["at its end" if whole.exists() else "in the download" if part.exists() else "before it"] += 1
        assert not whole.exists() or whole.read_bytes() == data
    print(f"seed {seed()}, {KILLS} moments: {dict(places)}")  # noqa: T201 - for whoever asks for it with -s
    assert places["in the download"] >= KILLS * 0.8
    hub.behaviour.rate = 0
    last = fetched(hub, tmp_path)[-1]
    assert last.phase is FetchPhase.DONE
    assert (tmp_path / REPO / NAME).read_bytes() == data
    assert hub.sent <= 1.1 * size + KILLS * (1 << 16), "what lay in buffers when the process was killed came again"
