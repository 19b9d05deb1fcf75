from __future__ import annotations

import os

import pytest

from desktop.widgets.download_page import DownloadPage
from desktop.widgets.model_browser import Section
from inference import hub as hub_face
from tests.desktop.hub_desk_parts import REPO

LARGE = bytes(range(256)) * 40_000


@pytest.fixture
def models(models_online, hub):
    hub.add(REPO, {"small-Q4_K_M.gguf": LARGE})
    return models_online


def begin(models) -> DownloadPage:
    return add(models, *listed(models))


def listed(models) -> tuple[hub_face.HubRepo, hub_face.HubModel]:
    """What the Hub says now of the file."""
    asked = hub_face.Hub(models.desk.supply.door.session())
    repo = asked.repo(REPO)
    return repo, asked.models(repo)[0]


def add(models, repo: hub_face.HubRepo, model: hub_face.HubModel) -> DownloadPage:
    models.desk.supply.downloads.add(repo, model)
    page: DownloadPage = models.open(Section.DOWNLOADS).downloads
    return page


def parts(models) -> list[str]:
    # `rglob` breaks over folders that go while it walks.
    return [name for _, _, names in os.walk(models.folder) for name in names if name.endswith(".part")]


def test_a_download_is_paused_resumed_and_removed(models, hub):
    hub.behaviour.rate = 3e6
    page = begin(models)
    models.wait(lambda: page.list.cards and (page.list.cards[0].fraction or 0) > 0.02)
    assert page.go_button.text() == "Pause"
    assert models.desk.supply.downloads.all[0].rate
    page.go_button.click()
    models.wait(lambda: page.list.cards[0].note == "Paused")
    assert page.go_button.text() == "Resume"
    page.go_button.click()
    models.wait(lambda: page.list.cards[0].note != "Paused")
    page.remove_button.click()
    models.wait(lambda: not page.list.cards)
    assert parts(models)
    models.window.board.notices[-1].action_button.click()
    models.wait(lambda: page.list.cards)
    page.remove_button.click()
    models.wait(lambda: not page.list.cards)
    models.window.board.notices[-1].close_button.click()
    models.wait(lambda: not parts(models))


def test_where_downloads_wait_for_a_word_they_do(models):
    models.open(Section.DOWNLOADS).downloads.waits.click()
    assert models.desk.settings.current.downloads_wait
    page = begin(models)
    models.wait(lambda: page.list.cards)
    assert page.list.cards[0].note == "Paused"
    page.go_button.click()
    models.wait(lambda: page.list.cards[0].note.startswith("Whole"))


def test_while_it_downloads_sleep_is_held_off(models, hub):
    hub.behaviour.rate = 3e6
    queue = models.desk.supply.downloads
    page = begin(models)
    models.wait(lambda: models.desk.awake.is_held)
    queue.pause(queue.all[0].id)
    models.wait(lambda: page.list.cards[0].note == "Paused")
    assert not models.desk.awake.is_held


def test_why_one_failed_is_said_in_full(models, hub):
    hub.repos[REPO].files["small-Q4_K_M.gguf"].contents.size += 1  # what is listed is not what the file is
    repo, model = listed(models)
    hub.repos[REPO].files["small-Q4_K_M.gguf"].contents.size -= 1
    page = add(models, repo, model)
    models.wait(lambda: page.go_button.text() == "Try again")
    assert page.reason.endswith("Download it again.")
    page.remove_button.click()
    models.wait(lambda: not page.list.cards)
    assert page.reason == ""


def test_what_one_waits_for_is_said_in_full_and_that_it_goes_on(models, hub):
    hub.behaviour.storage_statuses = [429] * 20
    page = begin(models)
    models.wait(lambda: page.reason)
    assert "asked too often" in page.reason
    assert page.reason.endswith("It goes on by itself when that is over.")
