"""The overview says what the actions themselves say."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from desktop.settings import SendingKey, Settings
from desktop.widgets.shortcuts import Group, Shortcut, groups_of, native, plain

ROOT = Path(__file__).parents[2]
PAGES = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))


def action(words: str, *keys: str) -> QAction:
    made = QAction(words)
    made.setShortcuts([QKeySequence(key) for key in keys])
    return made


def test_the_shortcuts_of_menus_are_found_in_menus_within_them_too(qapp):
    menu, inner, empty = QMenu("&File"), QMenu("&More"), QMenu("&Nothing")
    actions = (action("&Open a file…", "Ctrl+O"), action("No key"), action("Find", "Ctrl+F", "Find"))
    menu.addActions(list(actions))
    deep = action("Deep", "Ctrl+D")
    inner.addAction(deep)
    menu.addMenu(inner)
    assert groups_of([menu, empty]) == (
        Group("File", (Shortcut("Open a file", "Ctrl+O"), Shortcut("Find", "Ctrl+F"), Shortcut("Deep", "Ctrl+D"))),
    )


def test_an_action_that_is_hidden_has_no_shortcut_to_speak_of(qapp):
    menu, hidden = QMenu("File"), action("Open", "Ctrl+O")
    hidden.setVisible(False)
    menu.addAction(hidden)
    assert groups_of([menu]) == ()


def test_marks_are_left_out_of_words():
    assert plain("&Save && quit…") == "Save & quit"


def every_shortcut(window) -> set[str]:
    return {
        native(sequence)
        for found in window.findChildren(QAction)
        for sequence in found.shortcuts()
        if "+" in sequence.toString() or sequence.toString() in ("F1", "?", "Esc")
    }


def test_every_key_of_the_window_is_in_the_overview_and_no_two_actions_share_one(desk):
    window = desk.open()
    window.views.open_shortcuts()
    overview = window.views.shortcuts
    shown = [key for group in overview.groups for one in group.shortcuts for key in one.keys.split(", ")]
    assert every_shortcut(window) - set(shown) == set()
    of_actions = [key for group in overview.groups[:-1] for one in group.shortcuts for key in one.keys.split(", ")]
    assert len(of_actions) == len(set(of_actions))


def test_f1_and_the_question_mark_open_it_but_not_while_one_is_typing(desk):
    window = desk.open()
    desk.qtbot.keyClick(window.composer.field, Qt.Key.Key_Question)
    assert window.view is None
    desk.qtbot.keyClick(window, Qt.Key.Key_F1)
    assert window.view is window.views.shortcuts


def test_the_sending_key_is_the_chosen_one(desk):
    window = desk.open()
    desk.settings.save(Settings(send_with=SendingKey.CTRL_ENTER))
    window.views.open_shortcuts()
    assert window.views.shortcuts.groups[-1].shortcuts[0] == Shortcut("Send", "Ctrl+Enter")


def keys_in(page: Path) -> set[str]:
    return set(re.findall(r"\b(?:(?:Ctrl|Shift|Alt)\+)+(?:[A-Z]\w*|,)|\bF\d+\b", page.read_text("utf-8")))


def test_every_key_that_the_pages_name_is_one_of_the_window(desk):
    window = desk.open()
    desk.furnish()
    window.views.open_shortcuts()
    there = {key for group in window.views.shortcuts.groups for one in group.shortcuts for key in one.keys.split(", ")}
    for page in PAGES:
        assert keys_in(page) - there == set(), page.name


def test_keys_for_reading_and_writing_are_in_the_overview_in_the_language_of_the_program(desk, german_program):
    window = desk.open()
    window.views.open_shortcuts()
    reading, writing = window.views.shortcuts.groups[-2:]
    assert "F7" in {one.keys for one in reading.shortcuts}
    assert "Strg+Hoch, Strg+Herunter" in {one.keys for one in reading.shortcuts}
    assert writing.shortcuts[1].keys == "Strg+Enter, Umschalt+Enter"
