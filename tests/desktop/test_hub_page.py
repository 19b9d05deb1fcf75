from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.widgets.model_browser import Section
from inference.hub import HubLink
from tests.desktop.hub_desk_parts import REPO
from tests.gguf_files import write_tiny_model

PAGE = "---\nlicense: mit\n---\n<p align='center'><img src='https://x/y.png'></p>\n\n# Small\n\nFor **everybody**.\n"


@pytest.fixture
def models(models_online, hub):
    hub.add(REPO, {"small-Q4_K_M.gguf": b"GGUF" * 10, "small-Q8_0.gguf": b"GGUF" * 20}, downloads=5, likes=1, page=PAGE)
    hub.add(REPO, {"big-F16-00001-of-00002.gguf": b"1" * 90, "big-F16-00002-of-00002.gguf": b"2" * 90})
    hub.add(REPO, {"mmproj-f16.gguf": b"projector"})
    hub.add("other/liked-GGUF", {"liked-Q4_K_M.gguf": b"GGUF"}, downloads=1, likes=9)
    return models_online


def test_the_hub_is_searched_in_the_order_that_is_wanted(models):
    page = models.open(Section.SEARCH).search
    models.wait(lambda: [card.title for card in page.list.cards] == [REPO, "other/liked-GGUF"])
    page.order.setCurrentIndex(1)
    page.order.activated.emit(1)
    models.wait(lambda: [card.title for card in page.list.cards] == ["other/liked-GGUF", REPO])
    page.field.setText("nothing of that name")
    models.wait(lambda: "Nothing was found" in page.status)


def test_an_address_opens_its_repository_with_files_and_page(models, hub):
    page = models.open(Section.SEARCH).search
    page.field.setText(f"{hub.address}/{REPO}/blob/main/small-Q8_0.gguf")
    models.wait(lambda: page.shows_repo)
    repo = page.repo_page
    assert [card.title for card in repo.list.cards] == ["Q4_K_M", "Q8_0", "F16", "F16"]
    assert "2 parts" in repo.list.cards[2].details
    assert "projector" in repo.list.cards[3].note
    assert repo.model.quantisation == "Q8_0"
    assert repo.text.toPlainText() == "Small\nFor everybody."
    repo.list.select("mmproj-f16.gguf")
    assert not repo.get_button.isEnabled()


def test_a_model_is_fetched_and_used(models, hub, qtbot, tmp_path):
    hub.add(REPO, {"small-Q8_0.gguf": write_tiny_model(tmp_path / "tiny.gguf").read_bytes()})
    browser = models.open(Section.SEARCH)
    page = browser.search
    page.field.setText(f"{REPO}:Q8_0")
    models.wait(lambda: page.shows_repo)
    qtbot.mouseClick(page.repo_page.get_button, Qt.MouseButton.LeftButton)
    assert browser.section is Section.DOWNLOADS
    models.wait(lambda: [card.note for card in browser.downloads.list.cards] == ["Whole: its checksum is the Hub's"])
    assert "small-Q8_0 is here and whole." in [notice.text for notice in models.window.board.notices]
    models.wait(lambda: "small-Q8_0" in [card.title for card in browser.here.list.cards])
    browser.downloads.go_button.click()
    wanted = models.folder / REPO / "small-Q8_0.gguf"
    models.wait(lambda: models.desk.engine.last_load.path == wanted)


def test_what_was_fetched_and_is_no_model_is_not_used_and_it_is_said_why(models, qtbot):
    browser = models.open(Section.SEARCH)
    browser.search.field.setText(f"{REPO}:Q8_0")
    models.wait(lambda: browser.search.shows_repo)
    qtbot.mouseClick(browser.search.repo_page.get_button, Qt.MouseButton.LeftButton)
    models.wait(lambda: models.notes(browser).get("small-Q8_0"))
    browser.downloads.go_button.click()
    assert models.notes(browser)["small-Q8_0"].startswith("small-Q8_0.gguf cannot be read as a model: ")
    assert models.notes(browser)["small-Q8_0"] in [notice.text for notice in models.window.board.notices]
    assert browser.isVisible()


def test_the_download_that_was_just_begun_is_the_current_one(models, hub):
    hub.behaviour.rate = 100.0
    browser = models.open(Section.SEARCH)
    page = browser.search
    for word in ("Q8_0", "Q4_K_M"):
        page.open(HubLink(REPO, quantisation=word))
        models.wait(lambda word=word: page.shows_repo and page.repo_page.model.quantisation == word)
        page.repo_page.get_button.click()
        models.wait(lambda word=word: (browser.downloads.list.key or "").endswith(f"{word}.gguf"))


def test_a_gate_is_explained_and_a_token_opens_it(models, hub):
    hub.repos[REPO].gated = True
    browser = models.open(Section.SEARCH)
    page = browser.search
    page.field.setText(REPO)
    models.wait(lambda: page.shows_repo)
    assert "gated" in page.status
    page.repo_page.get_button.click()
    models.wait(lambda: browser.downloads.list.cards and "token" in browser.downloads.list.cards[0].note)
    browser.show_section(Section.SEARCH)
    page.token_field.setText("hf_invited")
    page.token_button.click()
    assert page.token_field.text() == ""
    models.wait(lambda: page.shows_repo and not browser.downloads.list.cards[0].note.startswith("Asking"))
    browser.show_section(Section.DOWNLOADS)
    browser.downloads.go_button.click()
    models.wait(lambda: browser.downloads.list.cards[0].note.startswith("Whole"))


def test_a_hub_that_cannot_be_reached_is_said_with_a_way_on(models, hub):
    browser = models.open()
    hub.behaviour.statuses = [(503, {})]
    browser.show_section(Section.SEARCH)
    page = browser.search
    models.wait(lambda: "failed" in page.status)
    assert page.again_button.isVisible()
    page.again_button.click()
    models.wait(lambda: page.list.cards)


def test_offline_the_reason_is_said_and_nothing_is_asked(models_on_desk):
    browser = models_on_desk.open(Section.SEARCH)
    assert "HF_HUB_OFFLINE" in browser.search.status
    assert not browser.search.field.isEnabled()
    browser.show_section(Section.RECOMMENDED)
    assert "HF_HUB_OFFLINE" in browser.recommended.status
    assert not browser.recommended.get_button.isEnabled()
    assert browser.recommended.list.cards, "what is recommended can be read all the same"


def test_whoever_searches_meanwhile_is_not_thrown_into_a_repository(models, hub):
    page = models.open(Section.SEARCH).search
    models.wait(lambda: page.list.cards)
    opened: list[object] = []
    models.desk.supply.hub.opened.connect(opened.append)
    page.field.setText(REPO)
    page._go()
    page.field.setText("liked")
    page._go()
    models.wait(lambda: [card.title for card in page.list.cards] == ["other/liked-GGUF"])
    models.wait(lambda: any("/resolve/" in request.path for request in hub.requests))  # of its page, asked for last
    page.field.setText("small")
    page._go()
    models.wait(lambda: [card.title for card in page.list.cards] == [REPO])
    assert not page.shows_repo
    assert opened == []


def test_a_name_that_is_being_typed_keeps_the_keyboard_and_enter_goes_on(models, qtbot):
    page = models.open(Section.SEARCH).search
    page.field.setFocus()
    qtbot.keyClicks(page.field, REPO)
    models.wait(lambda: page.shows_repo)
    assert page.field.hasFocus()
    qtbot.keyClick(page.field, Qt.Key.Key_Return)
    models.wait(page.repo_page.list.hasFocus)


def test_back_from_an_address_shows_what_was_found_before_and_from_other_words_what_they_find(models):
    page = models.open(Section.SEARCH).search
    models.wait(lambda: len(page.list.cards) == 2)
    page.field.setText(REPO)
    models.wait(lambda: page.shows_repo)
    page.repo_page.back_button.click()
    assert len(page.list.cards) == 2
    page.open(HubLink(REPO))
    page.field.setText("liked")
    page._pause.stop()
    models.wait(lambda: page.shows_repo)
    page.repo_page.back_button.click()
    models.wait(lambda: [card.title for card in page.list.cards] == ["other/liked-GGUF"])


def test_what_another_program_has_fetched_is_not_fetched_again(models, tmp_path):
    cached = tmp_path / f".cache/huggingface/hub/models--{REPO.replace('/', '--')}/snapshots/123/small-Q8_0.gguf"
    cached.parent.mkdir(parents=True)
    write_tiny_model(cached)
    page = models.open(Section.SEARCH).search
    page.field.setText(f"{REPO}:Q8_0")
    models.wait(lambda: page.shows_repo)
    notes = {card.title: card.note for card in page.repo_page.list.cards}
    assert notes["Q8_0"] == "On this disk"
    assert notes["Q4_K_M"] != "On this disk"
    assert page.repo_page.get_button.text() == "Use this model"


def test_its_page_is_that_of_the_hub_which_was_asked(models, hub, qtbot):
    page = models.open(Section.SEARCH).search
    page.open(HubLink(REPO))
    models.wait(lambda: page.shows_repo)
    with qtbot.waitSignal(page.repo_page.link_activated) as wanted:
        page.repo_page.web_button.click()
    assert wanted.args == [f"{hub.address}/{REPO}"]
