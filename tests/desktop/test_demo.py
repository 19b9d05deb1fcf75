"""The demonstration asks by itself, prints what came of it, and says how it ended."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage

from desktop.app import App
from desktop.demo import ENOUGH_TOKENS, PROMPT, Demo
from desktop.places import Places
from inference import ModelNotFound
from tests.desktop.fakes import MODEL


@pytest.fixture
def app(qapp, qtbot, tmp_path, engine):
    def make_engine(emit, _states):
        engine.listeners.append(emit)
        return engine

    app = App(qapp, Places(tmp_path / "conversations.sqlite3", tmp_path / "settings.toml"), make_engine, MODEL)
    qtbot.addWidget(app.window)
    with qtbot.waitSignal(app.begun):
        app.show()
    yield app
    app.leave()


@pytest.fixture
def said():
    return []


@pytest.fixture
def complaints():
    return []


@pytest.fixture
def picture(tmp_path):
    return tmp_path / "shot.png"


@pytest.fixture
def demo(app, said, complaints, picture):
    return Demo(app.window, picture, said.append, complaints.append)


def test_an_answer_is_printed_with_every_figure_and_a_picture(demo, engine, said, complaints, picture, qtbot):
    demo.begin()
    engine.ready()
    assert engine.requests[0].messages[-1].content == PROMPT
    engine.read(38, 38, batch_end=38, seconds=0.2)
    engine.say("Keys and ")
    engine.say("values are kept.")
    with qtbot.waitSignal(demo.ended) as ended:
        engine.finish()
    assert ended.args == [0]
    assert complaints == []
    words = "\n".join(said)
    for expected in ("Keys and values are kept.", "CPU, 1 thread", "39 / 4,096", "38 new", "tok/s", str(picture)):
        assert expected in words
    assert QImage(str(picture)).width() >= 1080  # more than a screen that nobody looks at


def test_a_reply_without_end_is_stopped(demo, engine, qtbot):
    demo.begin()
    engine.ready()
    for _ in range(ENOUGH_TOKENS):
        engine.say("on and ")
    qtbot.waitUntil(lambda: engine.cancelled == [engine.last])


def test_a_model_that_cannot_be_loaded_ends_it_with_the_sentence(demo, engine, complaints, qtbot):
    demo.begin()
    with qtbot.waitSignal(demo.ended) as ended:
        engine.fail(ModelNotFound(MODEL))
    assert ended.args == [1]
    assert complaints == [str(ModelNotFound(MODEL))]


def test_without_any_model_it_ends_at_once(demo, app, complaints, qtbot):
    app.models.eject()
    with qtbot.waitSignal(demo.ended) as ended:
        demo.begin()
    assert ended.args == [1]
    assert complaints == ["No model is open, so nothing was sent. Open one, then send again."]


def test_a_model_that_failed_before_anything_was_asked_ends_it_with_the_sentence(app, demo, engine, complaints, qtbot):
    engine.fail_to_load(ModelNotFound(MODEL))
    qtbot.waitUntil(lambda: app.models.config is None)
    with qtbot.waitSignal(demo.ended) as ended:
        demo.begin()
    assert ended.args == [1]
    assert complaints == [str(ModelNotFound(MODEL))]


@pytest.mark.parametrize("name", ["shot", "shot.xyz", "shot.gguf"])
def test_a_picture_is_saved_under_any_name(app, engine, said, complaints, qtbot, tmp_path, name):
    demo = Demo(app.window, tmp_path / name, said.append, complaints.append)
    demo.begin()
    engine.ready()
    with qtbot.waitSignal(demo.ended) as ended:
        engine.finish()
    assert (ended.args, complaints) == ([0], [])
    assert not QImage.fromData((tmp_path / name).read_bytes()).isNull()


def test_a_picture_that_cannot_be_saved_is_said(app, engine, said, complaints, qtbot, tmp_path):
    demo = Demo(app.window, tmp_path / "nowhere" / "shot.png", said.append, complaints.append)
    demo.begin()
    engine.ready()
    with qtbot.waitSignal(demo.ended) as ended:
        engine.finish()
    assert ended.args == [1]
    assert "cannot be saved" in complaints[0]


def test_a_program_that_is_ended_before_the_answer_says_so_and_has_not_answered(
    app, demo, engine, said, complaints, qtbot
):
    demo.begin()
    engine.ready()
    engine.say("Keys")
    with qtbot.waitSignal(demo.ended) as ended:
        app.window.close()
    assert ended.args == [1]
    assert said == []
    assert complaints == ["It was ended before the answer was there."]
    assert not demo.has_answered


def test_what_breaks_on_the_way_ends_the_demonstration(app, demo, complaints, qtbot):
    app.broke.connect(demo.give_up)
    demo.begin()
    with qtbot.waitSignal(demo.ended) as ended:
        app.broke.emit("a report")
    assert ended.args == [1]
    assert complaints == ["Something went wrong inside Headwater."]
