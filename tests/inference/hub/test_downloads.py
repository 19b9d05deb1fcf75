from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from inference.hub.access import HubSession
from inference.hub.downloads import LIST_NAME, Download, Downloads, DownloadState, _List
from inference.hub.files import HubModel
from inference.hub.hub import Hub
from inference.hub.repo import HubRepo
from tests.deep_types import assert_of_its_types
from tests.hub_server import HubServer
from tests.odd_values import damaged

REPO = "maker/small-GGUF"
LARGE = bytes(range(256)) * 40_000
PATIENCE = 20.0


class Desk:
    """A queue on a server, and what it reports."""

    def __init__(self, server: HubServer, session: HubSession, folder: Path) -> None:
        self.server = server
        self.session = session
        self.folder = folder
        self.queues: list[Downloads] = []
        self.reports: list[Download | str] = []
        self._told = threading.Condition()

    def open(self, *, goes_on: bool = True) -> Downloads:
        self.queues.append(
            Downloads(self.folder, lambda: self.session, self.report, goes_on=goes_on, pauses=(0.0, 0.01))
        )
        return self.queues[-1]

    def report(self, told: Download | str) -> None:
        with self._told:
            self.reports.append(told)
            self._told.notify_all()

    def wait(self, reached: Callable[[Download], bool]) -> Download:
        """The first report that is so."""
        with self._told:
            assert self._told.wait_for(lambda: self._first(reached) is not None, PATIENCE), self.reports[-3:]
            found = self._first(reached)
        assert found is not None
        return found

    def wait_for(self, state: DownloadState, name: str = "") -> Download:
        return self.wait(lambda download: download.state is state and download.name.startswith(name))

    def _first(self, reached: Callable[[Download], bool]) -> Download | None:
        return next((told for told in self.reports if isinstance(told, Download) and reached(told)), None)

    def model(self, quantisation: str) -> tuple[HubRepo, HubModel]:
        hub = Hub(self.session)
        repo = hub.repo(REPO)
        return repo, next(model for model in hub.models(repo) if model.quantisation == quantisation)


@pytest.fixture
def desk(hub: HubServer, tmp_path: Path, open_session) -> Iterator[Desk]:
    parts = {f"split-Q8_0-0000{number}-of-00003.gguf": bytes([number]) * 70_000 for number in (1, 2, 3)}
    hub.add(REPO, {"one-Q4_K_M.gguf": LARGE, "two-Q5_K_M.gguf": b"two", **parts})
    desk = Desk(hub, open_session(hub), tmp_path / "models")
    yield desk
    for queue in desk.queues:
        queue.close()


def test_a_model_that_was_added_comes_and_can_be_opened(desk):
    queue = desk.open()
    queue.add(*desk.model("Q4_K_M"))
    done = desk.wait_for(DownloadState.DONE)
    assert done.path.read_bytes() == LARGE
    assert (done.received, done.size, done.reason) == (len(LARGE), len(LARGE), "")
    running = desk.wait_for(DownloadState.RUNNING)
    assert running.id == f"{REPO}/one-Q4_K_M.gguf"


def test_the_parts_of_a_model_are_one_download(desk):
    desk.open().add(*desk.model("Q8_0"))
    done = desk.wait_for(DownloadState.DONE)
    assert done.size == 210_000
    assert done.path.name == "split-Q8_0-00001-of-00003.gguf"
    assert [path.stat().st_size for path in sorted(done.path.parent.glob("split*.gguf"))] == [70_000] * 3


def test_one_comes_after_another_in_the_order_they_were_added(desk):
    desk.server.behaviour.rate = 3e7
    queue = desk.open()
    for quantisation in ("Q4_K_M", "Q5_K_M", "Q8_0"):
        queue.add(*desk.model(quantisation))
    desk.wait_for(DownloadState.DONE, "split")
    done = [told.name for told in desk.reports if isinstance(told, Download) and told.state is DownloadState.DONE]
    assert done == ["one-Q4_K_M", "two-Q5_K_M", "split-Q8_0"]


def test_a_paused_one_keeps_what_it_has_and_goes_on(desk):
    desk.server.behaviour.rate = 5e6
    queue = desk.open()
    download = queue.add(*desk.model("Q4_K_M"))
    desk.wait(lambda told: told.received > 500_000)
    queue.pause(download.id)
    desk.wait_for(DownloadState.PAUSED)
    desk.reports.clear()
    queue.resume(download.id)
    desk.wait_for(DownloadState.RUNNING)  # so the first connection is closed: it would be filled with what nobody reads
    desk.server.behaviour.rate = 0
    assert desk.wait_for(DownloadState.DONE).path.read_bytes() == LARGE
    assert desk.server.sent < len(LARGE) + 1_000_000


def test_one_may_wait_until_somebody_says_when(desk):
    queue = desk.open()
    download = queue.add(*desk.model("Q4_K_M"), begins=False)
    assert download.state is DownloadState.PAUSED
    queue.add(*desk.model("Q5_K_M"))
    desk.wait_for(DownloadState.DONE, "two")
    assert [each.state for each in queue.all] == [DownloadState.PAUSED, DownloadState.DONE]
    queue.resume(download.id)
    assert desk.wait_for(DownloadState.DONE, "one").path.read_bytes() == LARGE


def test_while_one_is_paused_the_next_comes(desk):
    desk.server.behaviour.rate = 2e6
    queue = desk.open()
    first = queue.add(*desk.model("Q4_K_M"))
    queue.add(*desk.model("Q5_K_M"))
    desk.wait(lambda told: told.received > 100_000)
    queue.pause(first.id)
    desk.wait_for(DownloadState.DONE, "two")


def test_what_was_not_finished_goes_on_when_the_program_comes_back(desk):
    desk.server.behaviour.rate = 5e6
    queue = desk.open()
    queue.add(*desk.model("Q4_K_M"))
    queue.add(*desk.model("Q5_K_M"))
    desk.wait(lambda told: told.received > 500_000)
    queue.close()
    desk.server.behaviour.rate = 0
    desk.reports.clear()
    again = desk.open()
    assert [download.name for download in again.all] == ["one-Q4_K_M", "two-Q5_K_M"]
    assert again.all[0].received > 500_000
    desk.wait_for(DownloadState.DONE, "two")
    assert desk.wait_for(DownloadState.DONE, "one").path.read_bytes() == LARGE
    again.close()
    assert desk.open().all == (), "what is done is no download any more"


def test_where_nothing_may_go_on_by_itself_it_comes_back_paused(desk):
    desk.server.behaviour.rate = 5e6
    queue = desk.open()
    queue.add(*desk.model("Q4_K_M"))
    desk.wait(lambda told: told.received > 100_000)
    queue.close()
    again = desk.open(goes_on=False)
    assert [download.state for download in again.all] == [DownloadState.PAUSED]


def test_a_paused_one_comes_back_paused(desk):
    desk.server.behaviour.rate = 5e6
    queue = desk.open()
    download = queue.add(*desk.model("Q4_K_M"))
    queue.pause(download.id)
    queue.close()
    assert [each.state for each in desk.open().all] == [DownloadState.PAUSED]


def test_a_removed_one_leaves_nothing_on_the_disk(desk):
    desk.server.behaviour.rate = 5e6
    queue = desk.open()
    download = queue.add(*desk.model("Q4_K_M"))
    desk.wait(lambda told: told.received > 100_000)
    queue.remove(download.id)
    assert desk.reports[-1] == download.id
    queue.add(*desk.model("Q5_K_M"))
    desk.wait_for(DownloadState.DONE, "two")  # by then the worker has let go of the other
    assert sorted(path.name for path in desk.folder.rglob("*.gguf*")) == ["two-Q5_K_M.gguf"]


def test_one_that_is_done_stays_on_the_disk_when_it_is_removed_from_the_list(desk):
    queue = desk.open()
    queue.add(*desk.model("Q5_K_M"))
    done = desk.wait_for(DownloadState.DONE)
    queue.remove(done.id)
    assert done.path.read_bytes() == b"two"
    assert queue.all == ()


def test_a_failure_is_a_sentence_and_another_try_may_do(desk):
    desk.server.repos[REPO].gated = True
    queue = desk.open()
    download = queue.add(*desk.model("Q5_K_M"))
    failed = desk.wait_for(DownloadState.FAILED)
    assert failed.reason.endswith(".")
    desk.server.repos[REPO].gated = False
    queue.resume(download.id)
    desk.wait_for(DownloadState.DONE)


def test_a_file_that_was_replaced_meanwhile_is_asked_for_anew(desk):
    model = desk.model("Q5_K_M")
    desk.server.add(REPO, {"two-Q5_K_M.gguf": b"two, newer"})
    queue = desk.open()
    download = queue.add(*model)
    desk.wait_for(DownloadState.FAILED)
    queue.resume(download.id)
    assert desk.wait_for(DownloadState.DONE).path.read_bytes() == b"two, newer"


def test_waiting_is_told_with_its_reason(desk):
    desk.server.behaviour.storage_statuses = [503, 503]
    desk.open().add(*desk.model("Q5_K_M"))
    assert desk.wait_for(DownloadState.WAITING).reason.endswith(".")
    desk.wait_for(DownloadState.DONE)


def test_a_second_process_does_not_take_the_queue_over(desk):
    desk.server.behaviour.rate = 2e6
    queue = desk.open()
    queue.add(*desk.model("Q4_K_M"))
    desk.wait(lambda told: told.received > 100_000)
    assert desk.open().all == ()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "{}",
        "[5]",
        '[{"repo": "a/b"}]',
        json.dumps([{"repo": "../..", "commit": "", "name": "n", "quantisation": "", "state": "queued",
                     "files": [{"path": "a.gguf", "size": 1, "sha256": ""}]}]),
        json.dumps([{"repo": "a/b", "commit": "", "name": "n", "quantisation": "", "state": "queued",
                     "files": [{"path": "../../a.gguf", "size": 1, "sha256": ""}]}]),
    ],
)  # fmt: skip
def test_a_list_that_makes_no_sense_is_none(desk, content):
    desk.folder.mkdir()
    (desk.folder / LIST_NAME).write_text(content)
    assert desk.open().all == ()


_FILE = {"path": "a.gguf", "size": 1, "sha256": "0"}
_ROW = {"repo": "a/b", "commit": "c", "name": "n", "quantisation": "Q4", "state": "queued", "files": [_FILE]}


@given(damaged([_ROW, _ROW]))
def test_what_damage_left_of_the_list_is_of_its_types(content):
    with TemporaryDirectory() as folder:
        Path(folder, LIST_NAME).write_text(json.dumps(content))
        kept = _List(Path(folder))
        found = kept.load(goes_on=False)
        kept.save(found)
        again = kept.load(goes_on=False)
        kept.close()
    assert again == found
    for download in found:
        assert_of_its_types(download)
        assert (download.id, download.size >= 0) == (f"{download.repo}/{download.files[0].path}", True)


def test_a_list_nested_without_end_is_none(desk):
    desk.folder.mkdir()
    (desk.folder / LIST_NAME).write_text("[" * 100_000)
    assert desk.open().all == ()


def test_a_speed_and_the_time_left_are_told(desk):
    desk.server.behaviour.rate = 5e6
    desk.open().add(*desk.model("Q4_K_M"))
    told = desk.wait(lambda download: download.rate is not None)
    assert told.rate == pytest.approx(5e6, rel=0.9)
    assert told.seconds_left == pytest.approx((told.size - told.received) / told.rate)


def test_closing_does_not_wait_for_a_net_that_does_not_answer(desk):
    found = desk.model("Q5_K_M")
    desk.server.behaviour.statuses = [(429, {"Retry-After": "3000"})]
    queue = desk.open()
    queue.add(*found)
    desk.wait_for(DownloadState.WAITING)
    queue.close()
