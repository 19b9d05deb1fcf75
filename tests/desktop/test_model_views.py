from __future__ import annotations

import json
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from desktop.widgets.model_browser import Section
from inference import ModelConfig, OutOfMemory, RemoteModel
from tests.desktop.fakes import MODEL, OTHER_MODEL
from tests.desktop.test_shelf_page import current
from tests.gguf_files import write_tiny_model


def test_the_menus_and_keys_lead_to_the_models(models_on_desk):
    views, window = models_on_desk.views, models_on_desk.window
    assert views.models_action.shortcut().toString() == "Ctrl+Shift+M"
    assert views.switch_action.shortcut().toString() == "Ctrl+M"
    assert {"&Models…", "&Find more models…"} <= set(window.opening.picker.menu_texts)
    views.models_action.trigger()
    assert window.view is views.browser
    views.browser.tabs[Section.DOWNLOADS].click()
    assert views.browser.section is Section.DOWNLOADS
    views.browser.close_button.click()
    assert window.view is None


def test_a_tall_notice_leaves_room_to_choose_a_model_in_a_narrow_window_with_large_letters(models_on_desk):
    for name in ("one", "two", "three"):
        models_on_desk.put(f"{name}.gguf")
    desk, window = models_on_desk.desk, models_on_desk.window
    desk.settings.save(replace(desk.settings.current, font_size=18))
    desk.models.choose(MODEL)
    desk.engine.fail_to_load(OutOfMemory(MODEL, 8192))
    page = models_on_desk.open().here
    current(models_on_desk, "one")
    models_on_desk.wait(page.fit.isVisible)
    window.resize(420, 700)
    for _ in range(3):
        QApplication.processEvents()
    assert page.list.viewport().visibleRegion().boundingRect().height() >= page.list.sizeHintForRow(0)
    (notice,) = window.board.notices
    assert not notice.visibleRegion().isEmpty()
    before = window.board.height()
    window.close_view()
    QApplication.processEvents()
    assert window.board.height() > before


def test_models_that_are_found_stand_in_the_picker(models_on_desk):
    models_on_desk.put("maker/small/small-Q4_K_M.gguf")
    models_on_desk.put("projector.gguf", metadata={"general.type": "mmproj"})
    models_on_desk.open()
    models_on_desk.views.open()  # now it is known what each is
    models_on_desk.wait(lambda: "small-Q4_K_M" in models_on_desk.window.opening.picker.menu_texts)


def test_one_of_ollamas_is_shown_by_its_name_and_opened(models_on_desk, tmp_path):
    blobs = tmp_path / ".ollama/models/blobs"
    blobs.mkdir(parents=True)
    blob = write_tiny_model(blobs / "tiny.gguf").rename(blobs / "sha256-abc123")
    manifest = tmp_path / ".ollama/models/manifests/registry.ollama.ai/library/tiny/1b"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc123"}
    manifest.write_text(json.dumps({"layers": [layer]}), "utf-8")
    page = models_on_desk.open().here
    page.list.select(str(blob))
    assert page.model.name == "tiny:1b"
    page.use_button.click()
    models_on_desk.wait(lambda: models_on_desk.desk.engine.last_load.path == blob)
    assert models_on_desk.window.opening.picker.words == "tiny:1b"


def test_whoever_chooses_another_meanwhile_gets_that(models_on_desk):
    first, second = models_on_desk.put("one.gguf"), models_on_desk.put("two.gguf")
    models_on_desk.window.opening.choose(first)
    models_on_desk.window.opening.choose(second)
    models_on_desk.wait(lambda: models_on_desk.desk.engine.last_load.path == second)
    QApplication.processEvents()
    assert first not in [load.path for load in models_on_desk.desk.engine.loads]


def test_a_file_that_is_gone_is_left_to_the_load_to_say(models_on_desk):
    models_on_desk.window.opening.choose(OTHER_MODEL)
    models_on_desk.wait(lambda: models_on_desk.desk.engine.last_load.path == OTHER_MODEL)


def test_when_a_model_was_used_is_shown(models_on_desk):
    path = models_on_desk.put("one.gguf")
    browser = models_on_desk.open()
    models_on_desk.desk.models.choose(path)
    models_on_desk.desk.engine.ready()
    card = next(card for card in browser.here.list.cards if card.title == "one")
    assert "used " in card.details


def test_a_server_that_is_chosen_while_a_file_is_looked_into_keeps_answering(models_on_desk):
    shelf = models_on_desk.desk.supply.shelf
    models_on_desk.window.opening.choose(OTHER_MODEL)  # is not there: that is found out in a moment
    models_on_desk.window.opening.choose(RemoteModel("http://127.0.0.1:1/v1", "large"))
    models_on_desk.wait(lambda: not shelf._errands.is_out("weigh-model"))
    assert OTHER_MODEL not in [load.path for load in models_on_desk.desk.engine.loads if isinstance(load, ModelConfig)]
