"""Conversations of files are kept a few at a time, and all of them are counted."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from desktop.conversations import Conversation
from desktop.exchange import Imported, ImportRefused, LeftOut, Tree, read
from desktop.import_reader import ConversationsRead
from desktop.imports import ImportReport, Imports
from desktop.turns import Turn
from inference import Message, Role
from tests.desktop.exchange.test_damaged import OWN
from tests.desktop.store.conftest import Clock
from tests.odd_values import damaged


@pytest.fixture
def imports(qapp, store):
    return Imports(store)


def file_of(count: int, name: str = "x.json") -> ConversationsRead:
    moment = Clock()()
    trees = tuple(
        Tree(
            Conversation(number, f"{name} {number}", moment, moment, head=1),
            (Turn(1, number, None, Message(Role.USER, "Hello"), moment),),
        )
        for number in range(count)
    )
    return ConversationsRead(Path(name), Imported(trees, Counter({LeftOut.IMAGES: 3})))


def test_many_conversations_are_kept_in_several_steps(imports, store, qtbot):
    steps: list[list[int]] = []
    imports.kept.connect(steps.append)
    with qtbot.waitSignal(imports.ended) as ended:
        imports.take(file_of(600))
    (report,) = ended.args
    assert len(steps) > 1
    assert report == ImportReport(
        Path("x.json"), tuple(number for step in steps for number in step), 600, {LeftOut.IMAGES: 3}
    )
    assert len(store.conversations()) == 600


def test_two_files_are_told_apart(imports, qtbot):
    reports: list[ImportReport] = []
    imports.ended.connect(reports.append)
    imports.take(file_of(2, "a.json"))
    imports.take(file_of(3, "b.json"))
    qtbot.waitUntil(lambda: len(reports) == 2)
    assert [(report.path.name, len(report.conversations), report.messages) for report in reports] == [
        ("a.json", 2, 2),
        ("b.json", 3, 3),
    ]


def test_a_refusal_is_said(imports):
    said: list[str] = []
    imports.failed.connect(said.append)
    imports.take(ConversationsRead(Path("x"), None, "No."))
    assert said == ["No."]


def test_where_nothing_can_be_kept_that_is_said_once_and_it_ends(imports, path, qtbot):
    said: list[str] = []
    imports.failed.connect(said.append)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with qtbot.waitSignal(imports.ended) as ended:
        imports.take(file_of(5))
    other.execute("ROLLBACK")
    other.close()
    assert ended.args[0].conversations == ()
    assert len(said) == 1


def test_what_was_stopped_is_not_gone_on_with(imports, store, qapp):
    imports.take(file_of(5))
    imports.stop()
    qapp.processEvents()
    assert store.conversations() == ()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damaged(OWN))
def test_whatever_was_imported_can_be_looked_at(desk, tmp_path, document):
    if not hasattr(desk, "window"):
        desk.open()
        desk.insights.inspector_action.trigger()
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        found = read(path)
    except ImportRefused:
        return
    for tree in found.conversations:
        desk.library.open(desk.store.import_tree(tree.conversation, tree.turns, tree.traces).id)
        assert desk.window.grab().width() > 0
