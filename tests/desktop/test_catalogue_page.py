from __future__ import annotations

import pytest

from desktop.widgets.model_browser import Section
from inference import hub as hub_face
from tests.hub_server import Contents

ENTRIES = hub_face.read_catalogue().entries


@pytest.fixture
def models(models_online, hub):
    for entry in ENTRIES[1:]:
        contents = Contents(entry.size, lambda begin, end: bytes(end - begin))
        contents.sha256 = lambda: "ab" * 32  # type: ignore[method-assign]  # of gigabytes nobody reads
        hub.add(entry.repo, {entry.file: contents})
    return models_online


def test_what_fits_comes_first_and_what_is_gone_is_not_offered(models):
    page = models.open(Section.RECOMMENDED).recommended
    models.wait(lambda: len(models.desk.supply.hub.offers) == len(ENTRIES))
    titles = [card.title for card in page.list.cards]
    assert ENTRIES[0].name not in titles
    assert len(titles) == len(ENTRIES) - 1
    fits = [card.note.startswith("Fits") for card in page.list.cards]
    assert fits == sorted(fits, reverse=True)


def test_an_entry_is_fetched_once_its_repository_was_asked(models, hub):
    browser = models.open(Section.RECOMMENDED)
    page = browser.recommended
    models.wait(lambda: len(models.desk.supply.hub.offers) == len(ENTRIES))
    hub.behaviour.rate = 1e6
    page.list.select(ENTRIES[1].name)
    page.get_button.click()
    assert browser.section is Section.DOWNLOADS
    models.wait(lambda: models.desk.supply.downloads.all)
    download = models.desk.supply.downloads.all[0]
    assert (download.repo, download.files[0].path) == (ENTRIES[1].repo, ENTRIES[1].file)
    browser.downloads.remove_button.click()
    models.wait(lambda: not models.desk.supply.downloads.all)


def test_the_empty_state_leads_here(models):
    models.window.page.empty_state.larger_button.click()
    assert models.views.browser.section is Section.RECOMMENDED
