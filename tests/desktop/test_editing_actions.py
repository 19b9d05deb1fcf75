from __future__ import annotations

from PySide6.QtCore import Qt


def test_copy_takes_what_is_marked_where_one_is(desk, qapp):
    window = desk.open()
    desk.type("copied words")
    window.composer.field.selectAll()
    window.editing.copy.trigger()
    assert qapp.clipboard().text() == "copied words"


def test_what_is_undone_by_a_notice_is_undone_by_the_key_too(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    kept = window.session.conversation.id
    window.housekeeping._delete([kept])
    assert [conversation.id for conversation in desk.library.conversations()] == []
    window.conversation_list.view.setFocus()
    desk.qtbot.keyClick(window.conversation_list.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert [conversation.id for conversation in desk.library.conversations()] == [kept]
    window.session.delete_message(window.session.turns[-1].id)
    window.editing.undo.trigger()
    assert [turn.message.content for turn in window.session.turns] == ["Why?", "Because."]
    window.editing.undo.trigger()  # nothing is left to be undone


def test_undoing_in_the_prompt_undoes_what_was_typed_first(desk):
    window = desk.open()
    desk.talk("Why?", "Because.")
    window.session.delete_message(window.session.turns[-1].id)
    window.composer.field.setFocus()
    window.composer.field.clear()
    desk.type("And")
    while window.composer.field.document().isUndoAvailable():
        window.editing.undo.trigger()
        assert len(window.session.turns) == 1
    window.editing.undo.trigger()
    assert len(window.session.turns) == 2
