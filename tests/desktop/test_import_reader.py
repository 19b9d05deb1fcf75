"""A file is read beside what else happens, and what it held or why not is said."""

from __future__ import annotations

import threading
from queue import Queue

from desktop.import_reader import ConversationReader, ConversationsRead


def test_a_file_is_read_on_another_thread(tmp_path):
    said: Queue[tuple[ConversationsRead, str]] = Queue()
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]')
    ConversationReader(lambda read: said.put((read, threading.current_thread().name))).read(path)
    read, thread = said.get(timeout=60)
    assert thread == "import"
    assert read.imported is not None
    assert [len(tree.turns) for tree in read.imported.conversations] == [2]


def test_why_a_file_cannot_be_read_is_a_sentence(tmp_path):
    said: list[ConversationsRead] = []
    ConversationReader(said.append, in_background=False).read(tmp_path / "nowhere.json")
    assert (said[0].path, said[0].imported) == (tmp_path / "nowhere.json", None)
    assert said[0].refusal.endswith(".")
