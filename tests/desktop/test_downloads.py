from __future__ import annotations

import os
import statistics
from dataclasses import replace

import pytest

from desktop.downloads import DownloadQueue
from desktop.engine_bridge import EngineBridge
from desktop.settings import SettingsFile
from inference import hub as hub_face
from inference.hub import DownloadState
from tests.bench.download import fetched
from tests.desktop.desk import Awake

REPO = "maker/small-GGUF"
LARGE = bytes(range(256)) * 20_000


class Queues:
    """Queues into folders of a test, on one Hub."""

    def __init__(self, qtbot, tmp_path, server) -> None:
        self.settings = SettingsFile(tmp_path / "settings.toml")
        self.session = hub_face.HubSession(hub_face.HubAccess(server.address))
        self.bridge = EngineBridge()
        self.usual = tmp_path / "models"
        self.made: list[DownloadQueue] = []

    def open(self) -> DownloadQueue:
        def folder():
            chosen = self.settings.current.models_folder
            return self.usual if not chosen else self.usual.parent / chosen

        self.made.append(DownloadQueue(self.bridge.post, lambda: self.session, folder, self.settings, Awake()))
        return self.made[-1]

    def add_to(self, queue: DownloadQueue):
        hub = hub_face.Hub(self.session)
        repo = hub.repo(REPO)
        return queue.add(repo, hub.models(repo)[0])


@pytest.fixture
def queues(qtbot, tmp_path, hub):
    hub.add(REPO, {"small-Q4_K_M.gguf": LARGE})
    made = Queues(qtbot, tmp_path, hub)
    yield made
    for queue in made.made:
        queue.close()
    made.session.close()


def test_a_download_goes_on_after_a_restart(queues, qtbot, hub):
    hub.behaviour.rate = 2e6
    first = queues.open()
    queues.add_to(first)
    qtbot.waitUntil(lambda: bool(first.all) and first.all[0].received > 300_000, timeout=20_000)
    first.close()
    hub.behaviour.rate = 0
    second = queues.open()
    with qtbot.waitSignal(second.finished, timeout=20_000) as done:
        second.look()
    assert done.args[0].path.read_bytes() == LARGE


def test_without_anything_to_go_on_with_nothing_is_opened(queues):
    queue = queues.open()
    queue.look()
    assert not queues.usual.exists()


def test_another_folder_has_downloads_of_its_own(queues, qtbot, hub):
    hub.behaviour.rate = 1e6
    queue = queues.open()
    queues.add_to(queue)
    qtbot.waitUntil(lambda: bool(queue.all) and queue.all[0].state is DownloadState.RUNNING, timeout=20_000)
    with qtbot.waitSignal(queue.emptied):
        queues.settings.save(replace(queues.settings.current, models_folder="others"))
    assert queue.all == ()
    hub.behaviour.rate = 0
    with qtbot.waitSignal(queue.finished, timeout=20_000) as done:
        queues.add_to(queue)
    assert "others" in str(done.args[0].path)


def test_a_download_adds_little_memory_and_hardly_delays_the_window():
    found = fetched(150_000_000)
    assert found["added"] < 50_000_000
    assert statistics.median(found["lag"]) < 0.016


def begun(queues: Queues, qtbot, hub) -> DownloadQueue:
    hub.behaviour.rate = 1e6
    queue = queues.open()
    queues.add_to(queue)
    qtbot.waitUntil(lambda: bool(queue.all) and queue.all[0].received > 100_000, timeout=20_000)
    return queue


def parts(queues) -> list[str]:
    # `rglob` breaks over folders that go while it walks.
    return [name for _, _, names in os.walk(queues.usual) for name in names if name.endswith(".part")]


def test_one_that_is_put_aside_keeps_what_it_has_and_comes_back(queues, qtbot, hub):
    queue = begun(queues, qtbot, hub)
    (download,) = queue.all
    aside = queue.put_aside(download.id)
    assert aside is not None
    assert (aside.id, len(queue.all)) == (download.id, 0)
    assert parts(queues)
    hub.behaviour.rate = 0
    queue.take_back(download.id)
    qtbot.waitUntil(lambda: [each.state for each in queue.all] == [DownloadState.DONE], timeout=20_000)


def test_one_that_was_paused_comes_back_paused(queues, qtbot, hub):
    queue = begun(queues, qtbot, hub)
    (download,) = queue.all
    queue.pause(download.id)
    qtbot.waitUntil(lambda: queue.all[0].state is DownloadState.PAUSED, timeout=20_000)
    queue.put_aside(download.id)
    queue.take_back(download.id)
    queues.bridge.drain()
    assert [each.state for each in queue.all] == [DownloadState.PAUSED]


def test_one_that_nobody_takes_back_is_thrown_out(queues, qtbot, hub):
    queue = begun(queues, qtbot, hub)
    (download,) = queue.all
    queue.put_aside(download.id)
    queue.throw_out(download.id)
    qtbot.waitUntil(lambda: not parts(queues), timeout=20_000)
    queue.take_back(download.id)
    assert queue.all == ()


def test_one_that_was_put_aside_is_there_after_a_restart_and_when_it_is_wanted_again(queues, qtbot, hub):
    first = begun(queues, qtbot, hub)
    first.put_aside(first.all[0].id)
    first.close()
    second = queues.open()
    second.look()
    qtbot.waitUntil(lambda: [each.state for each in second.all] == [DownloadState.PAUSED], timeout=20_000)
    second.put_aside(second.all[0].id)
    assert second.all == ()
    queues.add_to(second)
    assert len(second.all) == 1
