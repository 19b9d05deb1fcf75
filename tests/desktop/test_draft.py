from __future__ import annotations

import sqlite3

from desktop.chat_session import ChatSession


def test_a_draft_is_kept(session, store):
    session.draft.set_text("Why do")
    assert session.draft.text == "Why do"
    assert store.new_draft == "Why do"


def test_a_draft_that_cannot_be_stored_is_said(watched, session, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    session.draft.set_text("Why do")
    other.close()
    assert session.draft.text == "Why do"
    assert len(watched.sentences) == 1


def test_a_draft_is_there_when_the_conversation_is_opened_again(watched, session, store, engine, models):
    watched.ask()
    engine.finish()
    session.draft.set_text("And why")
    (conversation,) = store.conversations()
    assert ChatSession(store, engine, models, conversation).draft.text == "And why"


def test_sending_uses_the_draft_up(watched, session, store):
    session.draft.set_text("Why?")
    watched.ask("Why?")
    assert session.draft.text == ""
    assert store.new_draft == ""
