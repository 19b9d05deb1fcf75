"""What was typed and attached waits in its conversation until it is sent."""

from __future__ import annotations

from desktop.store import Store
from desktop.turns import Attachment
from tests.desktop.exchanges import ask

TABLE = Attachment("bends.csv", "csv", 8, "x,y\n1,2\n")
NOTES = Attachment("notes.md", "md", 5, "words")


def test_files_are_kept_for_each_conversation_and_for_a_new_one(store, path):
    number = ask(store).conversation.id
    store.set_draft_attachments(None, (TABLE, NOTES))
    store.set_draft_attachments(number, (NOTES,))
    store.set_draft_attachments(number, (NOTES, TABLE))
    again = Store(path)
    assert again.draft_attachments(None) == (TABLE, NOTES)
    assert again.draft_attachments(number) == (NOTES, TABLE)
    again.close()


def test_what_was_sent_is_no_draft_any_more(store):
    store.set_draft_attachments(None, (TABLE,))
    asked = ask(store)
    assert store.draft_attachments(None) == ()
    store.set_draft_attachments(None, (TABLE,))
    store.set_draft_attachments(asked.conversation.id, (NOTES,))
    ask(store, "And?", asked)
    assert store.draft_attachments(asked.conversation.id) == ()
    assert store.draft_attachments(None) == (TABLE,)
