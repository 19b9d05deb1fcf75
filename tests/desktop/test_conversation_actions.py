"""What can be done with conversations: what each action is about, and what it asks for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu

from desktop.conversations import Conversation
from desktop.library import FileFormat
from desktop.theme import load_theme
from desktop.widgets.conversation_list import ConversationList

NOON = datetime.fromisoformat("2026-03-20 12:00").astimezone()
SOME = (
    Conversation(-1, "secret", NOON, NOON, temporary=True),
    Conversation(4, "pinned", NOON, NOON, pinned=True),
    Conversation(3, "in a folder", NOON, NOON, folder="R&D"),
    Conversation(2, "two", NOON, NOON),
    Conversation(1, "one", NOON, NOON),
)


@pytest.fixture
def sidebar(qtbot):
    made = ConversationList(load_theme("light"), today=lambda: date(2026, 3, 20))
    qtbot.addWidget(made)
    made.resize(260, 500)
    made.show()
    made.show_conversations(SOME)
    made.set_current(1)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.new_button.setFocus()
    return made


@pytest.fixture
def asked(sidebar):
    """What was asked for, in order."""
    asked: list[tuple[object, ...]] = []
    commands = sidebar.commands
    for name in (
        "pin",
        "move",
        "new_folder",
        "duplicate",
        "export",
        "delete",
        "rename",
        "folder_rename",
        "folder_removal",
    ):
        signal = getattr(commands, f"{name}_wanted")
        signal.connect(lambda *facts, name=name: asked.append((name, *facts)))
    return asked


def menu_of(sidebar: ConversationList) -> QMenu:
    menu = QMenu(sidebar)
    sidebar.commands.fill(menu)
    menu.aboutToShow.emit()
    return menu


def named(menu: QMenu, words: str) -> QAction:
    (found,) = (action for action in menu.actions() if action.text().replace("&", "") == words)
    return found


def on_the_row(sidebar: ConversationList, conversation: int) -> None:
    sidebar.view.setFocus()
    row = next(
        row for row in range(30) if sidebar.view.model().index(row, 0).data(Qt.ItemDataRole.UserRole) == conversation
    )
    sidebar.view.setCurrentIndex(sidebar.view.model().index(row, 0))


def test_elsewhere_an_action_is_about_the_open_conversation(sidebar, asked):
    sidebar.commands.rename.trigger()
    sidebar.commands.pin.trigger()
    sidebar.commands.duplicate.trigger()
    sidebar.commands.as_json.trigger()
    sidebar.commands.as_markdown.trigger()
    sidebar.commands.delete.trigger()
    assert asked == [
        ("rename", 1),
        ("pin", (1,), True),
        ("duplicate", (1,)),
        ("export", (1,), FileFormat.JSON),
        ("export", (1,), FileFormat.MARKDOWN),
        ("delete", (1,)),
    ]


def test_in_the_list_it_is_about_the_row_the_keyboard_is_on(sidebar, asked, qtbot):
    on_the_row(sidebar, 2)
    qtbot.keyClick(sidebar.view, Qt.Key.Key_Delete)
    assert asked == [("delete", (2,))]


def test_several_are_meant_wherever_the_keyboard_is(sidebar, asked):
    sidebar.view.choose({4, 2, 1})
    sidebar.commands.delete.trigger()
    sidebar.commands.rename.trigger()  # means one
    assert asked == [("delete", (4, 2, 1))]


def test_delete_in_a_field_deletes_a_letter(sidebar, asked, qtbot):
    sidebar.search_field.setText("x")
    sidebar.search_field.setFocus()
    sidebar.search_field.setCursorPosition(0)
    qtbot.keyClick(sidebar.search_field, Qt.Key.Key_Delete)
    assert sidebar.search_field.text() == ""
    assert asked == []


def test_pinning_what_is_pinned_unpins_it(sidebar, asked):
    on_the_row(sidebar, 4)
    assert named(menu_of(sidebar), "Unpin").isEnabled()
    sidebar.commands.pin.trigger()
    sidebar.view.choose({4, 2})
    assert named(menu_of(sidebar), "Pin").isEnabled()
    sidebar.commands.pin.trigger()
    assert asked == [("pin", (4,), False), ("pin", (4, 2), True)]


def test_a_temporary_one_can_be_exported_and_deleted_only(sidebar, asked):
    on_the_row(sidebar, -1)
    menu = menu_of(sidebar)
    enabled = [action.text().replace("&", "") for action in menu.actions() if action.isEnabled() and action.text()]
    assert enabled == ["Export", "Delete"]
    menu.aboutToHide.emit()
    for action in (sidebar.commands.rename, sidebar.commands.pin, sidebar.commands.duplicate):
        action.trigger()
    assert asked == []


def test_without_a_conversation_the_menu_offers_nothing_and_keys_work_again_later(sidebar, asked):
    sidebar.set_current(None)
    menu = menu_of(sidebar)
    assert not any(action.isEnabled() for action in menu.actions() if action.text())
    menu.aboutToHide.emit()
    sidebar.commands.delete.trigger()
    assert asked == []
    sidebar.set_current(2)
    sidebar.commands.delete.trigger()
    assert asked == [("delete", (2,))]


def test_the_folders_there_are_a_new_one_and_the_way_out(sidebar, asked):
    on_the_row(sidebar, 3)
    menu = QMenu(sidebar)
    sidebar.commands.fill_with_folders(menu)
    folder = menu.actions()[0]
    assert (folder.text(), folder.isChecked()) == ("R&&D", True)
    named(menu, "New folder").trigger()
    named(menu, "Out of its folder").trigger()
    on_the_row(sidebar, 2)
    sidebar.commands.fill_with_folders(menu)
    assert not menu.actions()[0].isChecked()
    assert not named(menu, "Out of its folder").isVisible()
    menu.actions()[0].trigger()
    assert asked == [("new_folder", (3,)), ("move", (3,), ""), ("move", (2,), "R&D")]


def test_the_name_of_a_folder_has_actions_of_its_own(sidebar, asked, qtbot):
    sidebar.view.setFocus()
    row = sidebar.titles().index("R&D")
    sidebar.view.setCurrentIndex(sidebar.view.model().index(row, 0))
    sidebar.commands.rename.trigger()
    qtbot.keyClick(sidebar.view, Qt.Key.Key_Delete)
    assert asked == [("folder_rename", "R&D"), ("folder_removal", "R&D")]


def test_the_menu_opens_at_the_row(sidebar, qtbot):
    on_the_row(sidebar, 2)
    sidebar.commands.open_menu(sidebar.mapToGlobal(QPoint(20, 20)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert named(menu, "Rename").isEnabled()
    assert "Delete" in [action.text().replace("&", "") for action in menu.actions()]
    menu.close()


def test_the_bar_does_the_same(sidebar, asked, qtbot):
    bar = sidebar.selection_bar
    sidebar.view.choose({4, 2})
    assert bar.isVisible()
    assert bar._count.accessibleName() == "2 chosen"
    assert bar.pin_button.accessibleName() == "Pin"
    for button in (bar.pin_button, bar.delete_button):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == [("pin", (4, 2), True), ("delete", (4, 2))]
    qtbot.mouseClick(bar.move_button, Qt.MouseButton.LeftButton)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    named(menu, "New folder").trigger()
    menu.close()
    assert asked[-1] == ("new_folder", (4, 2))
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    sidebar.show_conversations([replace(each, pinned=True) for each in SOME])
    sidebar.view.choose({2, 1})
    assert bar.pin_button.accessibleName() == "Unpin"
