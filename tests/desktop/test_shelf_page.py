from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.widgets.cards import Tone
from inference import Measurements, ModelConfig
from inference.measurements import Pace


def current(models, title: str) -> None:
    page = models.views.browser.here
    page.list.select(next(card.key for card in page.list.cards if card.title == title))


def test_models_are_listed_with_what_they_say_and_whether_they_fit(models_on_desk):
    models_on_desk.put("maker/small/small-Q4_K_M.gguf", metadata={"general.license": "mit"})
    models_on_desk.put("projector.gguf", metadata={"general.type": "mmproj"})
    (models_on_desk.folder / "broken.gguf").write_bytes(b"GGUF")
    browser = models_on_desk.open()
    models_on_desk.wait(lambda: all(card.note for card in browser.here.list.cards))
    cards = {card.title: card for card in browser.here.list.cards}
    assert cards["small-Q4_K_M"].details.startswith("F32 · 1,024 tokens · mit · Headwater's folder")
    assert cards["small-Q4_K_M"].note.startswith("Fits: 0.0 of ")
    assert cards["projector"].tone is Tone.WARNING
    assert cards["broken"].tone is Tone.ERROR


def test_the_forecast_follows_the_slider_and_the_window_is_used(models_on_desk, qtbot):
    path = models_on_desk.put("long.gguf", context_length=65536)
    page = models_on_desk.open().here
    current(models_on_desk, "long")
    models_on_desk.wait(lambda: page.fit.context_size == 4096)
    before = page.fit.forecast
    page.fit.slider.setValue(page.fit.slider.maximum())
    assert page.fit.context_size == 65536
    assert page.fit.forecast.kv > 10 * before.kv
    assert "65,536 tokens" in page.fit.words
    qtbot.mouseClick(page.use_button, Qt.MouseButton.LeftButton)
    models_on_desk.wait(lambda: models_on_desk.desk.engine.last_load.path == path)
    assert models_on_desk.desk.engine.last_load.context_size == 65536


@pytest.mark.parametrize("kind", ["embedding", "damaged"])
def test_what_is_known_to_be_no_model_to_chat_with_is_not_offered_and_says_why(models_on_desk, qtbot, kind):
    path = models_on_desk.put("other.gguf", **({"architecture": "bert"} if kind == "embedding" else {}))
    if kind == "damaged":
        path.write_bytes(b"GGUF")
    models_on_desk.put("sound.gguf")
    page = models_on_desk.open().here
    loads = list(models_on_desk.desk.engine.loads)
    current(models_on_desk, "other")
    models_on_desk.wait(lambda: not page.use_button.isEnabled())
    why = page.use_button.toolTip()
    assert why
    assert why == page.use_button.accessibleDescription() == models_on_desk.notes(models_on_desk.views.browser)["other"]
    assert page.fit.isHidden()
    assert page.more_button.isEnabled()
    page.list.chosen.emit(page.list.key)  # as by a double click
    assert models_on_desk.window.board.notices[-1].text == (why if kind == "damaged" else f"other: {why}")  # named once
    assert models_on_desk.desk.engine.loads == loads
    current(models_on_desk, "sound")
    assert page.use_button.isEnabled()
    assert not page.use_button.toolTip()
    models_on_desk.wait(lambda: not page.fit.isHidden())


def test_a_model_that_turns_out_to_be_sound_is_offered_again(models_on_desk):
    path = models_on_desk.put("mended.gguf", architecture="bert")
    page = models_on_desk.open().here
    current(models_on_desk, "mended")
    models_on_desk.wait(lambda: not page.use_button.isEnabled())
    path.unlink()
    models_on_desk.put("mended.gguf", metadata={"general.license": "mit"})
    models_on_desk.views.browser.look()
    models_on_desk.wait(lambda: page.use_button.isEnabled() and not page.fit.isHidden())


def test_a_deleted_model_comes_back_with_undo_and_goes_with_the_notice(models_on_desk):
    path = models_on_desk.put("one.gguf")
    other = models_on_desk.put("two.gguf")
    page = models_on_desk.open().here
    window = models_on_desk.window
    current(models_on_desk, "one")
    page.delete_action.trigger()
    assert not path.exists()
    assert "one" not in [card.title for card in page.list.cards]
    window.board.notices[-1].action_button.click()
    models_on_desk.wait(lambda: path.exists() and "one" in [card.title for card in page.list.cards])
    current(models_on_desk, "two")
    page.delete_action.trigger()
    window.board.notices[-1].close_button.click()
    models_on_desk.wait(lambda: not (models_on_desk.folder / ".headwater-trash").exists())
    assert not other.exists()


def test_two_of_one_name_that_were_deleted_both_come_back(models_on_desk):
    paths = [models_on_desk.put(f"maker{number}/repo/same.gguf") for number in (1, 2)]
    page = models_on_desk.open().here
    for _ in paths:
        current(models_on_desk, "same")
        page.delete_action.trigger()
    assert not any(path.exists() for path in paths)
    models_on_desk.window.board.take_back()
    models_on_desk.window.board.take_back()
    models_on_desk.wait(lambda: all(path.exists() for path in paths))


def test_what_others_have_fetched_cannot_be_deleted_and_its_folder_can_be_forgotten(models_on_desk, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    models_on_desk.put("ours.gguf")
    models_on_desk.put("moved.gguf").rename(theirs / "moved.gguf")
    page = models_on_desk.open().here
    models_on_desk.desk.to_choose = theirs
    page.folder_button.click()
    models_on_desk.wait(lambda: "moved" in [card.title for card in page.list.cards])
    current(models_on_desk, "moved")
    assert not page.delete_action.isVisible()
    assert page.forget_folder_action.isVisible()
    page.forget_folder_action.trigger()
    models_on_desk.wait(lambda: "moved" not in [card.title for card in page.list.cards])
    assert (theirs / "moved.gguf").exists()


def test_a_model_that_comes_into_a_watched_folder_is_seen(models_on_desk):
    models_on_desk.put("one.gguf")
    page = models_on_desk.open().here
    models_on_desk.put("two.gguf")
    models_on_desk.wait(lambda: "two" in [card.title for card in page.list.cards])


def test_a_model_that_comes_later_into_a_folder_that_was_just_made_is_seen(models_on_desk):
    models_on_desk.folder.mkdir(parents=True)
    page = models_on_desk.open().here
    shelf = models_on_desk.desk.supply.shelf
    place = models_on_desk.folder / "maker/repo"
    place.mkdir(parents=True)
    models_on_desk.wait(lambda: str(place) in shelf._watcher.directories())
    models_on_desk.put("maker/repo/late.gguf")
    models_on_desk.wait(lambda: "late" in [card.title for card in page.list.cards])


def test_a_file_is_verified_and_the_verdict_stands_on_its_card(models_on_desk):
    models_on_desk.put("one.gguf")
    page = models_on_desk.open().here
    current(models_on_desk, "one")
    page.verify_action.trigger()
    models_on_desk.wait(lambda: "not known" in models_on_desk.notes(models_on_desk.views.browser)["one"])


def test_why_the_hub_was_no_help_in_verifying_is_said(models_on_desk):
    models_on_desk.put("maker/repo/one.gguf")
    page = models_on_desk.open().here  # offline
    current(models_on_desk, "one")
    page.verify_action.trigger()
    models_on_desk.wait(lambda: models_on_desk.window.board.notices)
    assert models_on_desk.window.board.notices[-1].text.endswith("HF_HUB_OFFLINE is set.")


def test_a_file_that_cannot_be_verified_is_not_left_as_being_read(models_on_desk):
    path = models_on_desk.put("one.gguf")
    page = models_on_desk.open().here
    current(models_on_desk, "one")
    path.write_bytes(path.read_bytes()[:-100])
    page.verify_action.trigger()
    models_on_desk.wait(lambda: models_on_desk.window.board.notices)
    assert "ends before its last tensor" in models_on_desk.window.board.notices[-1].text
    assert "Reading" not in models_on_desk.notes(models_on_desk.views.browser)["one"]


def test_one_file_is_verified_at_a_time_and_that_can_be_stopped(models_on_desk):
    for name in ("one.gguf", "two.gguf"):
        with models_on_desk.put(name).open("r+b") as file:
            file.truncate(1 << 36)  # a hole: it takes a while to read, and nothing of it is on the disk
    browser = models_on_desk.open()
    page, shelf = browser.here, models_on_desk.desk.supply.shelf

    def is_read() -> list[str]:
        return [title for title, note in models_on_desk.notes(browser).items() if note.startswith("Reading")]

    current(models_on_desk, "one")
    page.verify_action.trigger()
    models_on_desk.wait(lambda: is_read() == ["one"])
    current(models_on_desk, "two")
    page._menu.aboutToShow.emit()
    assert page.verify_action.text() == "&Verify"
    page.verify_action.trigger()
    assert is_read() == ["two"]
    page._menu.aboutToShow.emit()
    assert page.verify_action.text() == "Stop &verifying"
    page.verify_action.trigger()
    assert shelf.being_verified is None
    assert is_read() == []


def test_walking_over_broken_files_says_nothing_twice_and_moves_nothing(models_on_desk):
    for name in ("a.gguf", "b.gguf"):
        (models_on_desk.folder / name).parent.mkdir(exist_ok=True)
        (models_on_desk.folder / name).write_bytes(b"GGUF")
    models_on_desk.put("sound.gguf")
    page = models_on_desk.open().here
    current(models_on_desk, "sound")
    models_on_desk.wait(page.fit.isVisible)
    height = page.list.height()
    for name in ("a", "b"):
        current(models_on_desk, name)
        models_on_desk.wait(lambda: not models_on_desk.desk.supply.shelf._errands.is_out("glance-at-model"))
        assert page.list.height() == height
    assert models_on_desk.window.board.notices == ()


def test_a_smaller_window_is_advised_only_where_one_would_fit(models_on_desk):
    path = models_on_desk.put("huge.gguf")
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # a hole: nothing of it is on the disk
    page = models_on_desk.open().here
    current(models_on_desk, "huge")
    models_on_desk.wait(lambda: page.fit.words)
    assert "smaller quantisation" in page.fit.words[-1]
    assert "smaller window" not in page.fit.words[-1]


def test_no_pace_is_promised_for_a_mixture(models_on_desk):
    measurements = Measurements(models_on_desk.desk.folder / "machine.json")
    measurements.add_pace("/x 98000000 1", Pace("CPU", 1, 8, 1 / 64))
    measurements.save()
    models_on_desk.put("dense.gguf")
    models_on_desk.put("mixture.gguf", metadata={"llama.expert_count": 8})
    browser = models_on_desk.open()
    models_on_desk.wait(lambda: all(card.note for card in browser.here.list.cards))
    notes = models_on_desk.notes(browser)
    assert "words a second" in notes["dense"]
    assert "words a second" not in notes["mixture"]


def test_what_would_not_stay_in_memory_is_loaded_only_when_that_is_wanted(models_on_desk):
    path = models_on_desk.put("huge.gguf")
    with path.open("r+b") as file:
        file.truncate(1 << 40)  # a hole: nothing of it is on the disk
    page = models_on_desk.open().here
    current(models_on_desk, "huge")
    loads = len(models_on_desk.desk.engine.loads)
    page.use_button.click()
    models_on_desk.wait(lambda: models_on_desk.window.board.notices)
    notice = models_on_desk.window.board.notices[-1]
    assert "huge needs" in notice.text
    assert len(models_on_desk.desk.engine.loads) == loads
    notice.action_button.click()
    assert models_on_desk.desk.engine.loads[-1] == ModelConfig(path)
