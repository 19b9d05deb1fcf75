"""The transcript is made when there is something to show in it, and then shows what the session says."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.library import Library
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.theme import load_theme
from desktop.turns import Turn
from desktop.widgets.conversation_page import ConversationPage
from desktop.wishes import ReplyChoices
from tests.desktop.fakes import MODEL


@pytest.fixture
def library(qapp, tmp_path, engine):
    store = Store(tmp_path / "conversations.sqlite3")
    models = ModelChoice(engine, SettingsFile(tmp_path / "settings.toml"), MODEL)
    library = Library(store, engine, models)
    engine.listeners += [models.on_event, library.on_event]
    models.load()
    engine.ready()
    yield library
    library.deleteLater()
    # Now: a session that lives on would store its reply a second later.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    store.close()


@pytest.fixture
def page(qtbot, library):
    page = ConversationPage(load_theme("light"), MODEL)
    qtbot.addWidget(page)
    page.resize(700, 500)
    page.show_session(library.current)
    return page


def test_before_there_is_anything_to_show_there_is_no_transcript(page):
    assert not page.has_transcript
    assert page.currentWidget() is page.empty_state


def test_the_first_turn_brings_the_transcript_which_shows_the_reply_as_it_grows(page, library, engine):
    library.current.send("Why do rivers bend?", ReplyChoices(streaming=True, thinking=False))
    engine.say("Because ")
    engine.say("of water.")
    assert page.currentWidget() is page.transcript
    assert page.transcript.plain_text().count("Why do rivers bend?") == 1
    assert "Because of water." in page.transcript.plain_text()


def test_a_transcript_made_before_the_first_turn_waits_out_of_sight(page, library, engine, qtbot):
    with qtbot.waitSignal(page.transcript_made):
        page.prepare()
    assert page.currentWidget() is page.empty_state
    with qtbot.assertNotEmitted(page.transcript_made):
        page.prepare()
        library.current.send("Why do rivers bend?", ReplyChoices(streaming=True, thinking=False))
    engine.say("Because.")
    assert page.currentWidget() is page.transcript
    assert page.transcript.plain_text().count("Because.") == 1


def test_a_session_that_is_no_longer_shown_is_no_longer_heard(page, library, engine):
    library.opened.connect(page.show_session)
    left = library.current
    left.send("Why do rivers bend?", ReplyChoices(streaming=True, thinking=False))
    library.new()
    assert page.currentWidget() is page.empty_state
    engine.say("Because.")
    engine.finish()
    assert page.currentWidget() is page.empty_state
    assert "Because." not in page.transcript.plain_text()
    assert isinstance(left.turns[-1], Turn)
    library.open(left.turns[-1].conversation)
    assert "Because." in page.transcript.plain_text()


def test_another_theme_reaches_the_transcript_made_before_and_after(page, library):
    page.set_theme(load_theme("dark"))
    library.current.send("Why do rivers bend?", ReplyChoices(streaming=True, thinking=False))
    dark = page.grab().toImage().pixelColor(3, 250)
    page.set_theme(load_theme("light"))
    assert dark == load_theme("dark").surface
    assert page.grab().toImage().pixelColor(3, 250) == load_theme("light").surface
