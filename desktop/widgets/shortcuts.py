"""Every key that does something, read from the actions themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from desktop.theme import Theme
from desktop.widgets.form import Page, Row, Value

_WIDTH = 560
_LONG_NAMES = ("Return", "Enter", "Backspace", "Space", "Home", "PgUp", "PgDown", "Left", "Right", "Down")


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What is done, and the keys for it as this platform writes them."""

    words: str
    keys: str


@dataclass(frozen=True, slots=True)
class Group:
    """The shortcuts of one menu, or of one place."""

    title: str
    shortcuts: tuple[Shortcut, ...]


class ShortcutOverview(Page):
    """Shows groups of shortcuts."""

    def __init__(self, theme: Theme, groups: Sequence[Group]) -> None:
        super().__init__(theme, _WIDTH)
        self.groups = tuple(groups)
        self.set_title(self.tr("Keyboard shortcuts"), self.tr("Close this overview (Esc)"))
        for group in groups:
            self.add_heading(group.title)
            for shortcut in group.shortcuts:
                self.add(Row(theme, shortcut.words, Value(theme, shortcut.keys)))
        self.column.addStretch(1)
        self.set_theme(theme)


def groups_of(menus: Sequence[QMenu]) -> tuple[Group, ...]:
    """The shortcuts of these menus, those of menus in them included; a menu without any is left out."""
    found = (Group(plain(menu.title()), tuple(_shortcuts_in(menu))) for menu in menus)
    return tuple(group for group in found if group.shortcuts)


def plain(words: str) -> str:
    """An action's words without the mark of its letter and without the sign that more is asked."""
    return words.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix("…")


def _shortcuts_in(menu: QMenu) -> Iterator[Shortcut]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _shortcuts_in(inner)
        elif action.isVisible() and (keys := _keys_of(action)):
            yield Shortcut(plain(action.text()), keys)


def _keys_of(action: QAction) -> str:
    """Its own keys; those that only some keyboards have, for opening or finding, are left out."""
    usual = (sequence for sequence in action.shortcuts() if _is_on_every_keyboard(sequence.toString()))
    return ", ".join(dict.fromkeys(native(keys) for keys in usual))


def native(keys: QKeySequence) -> str:
    """Keys as this platform and the language of the program write them; Return is called as it is printed on most."""
    return keys.toString(QKeySequence.SequenceFormat.NativeText).replace("Return", "Enter")


def _is_on_every_keyboard(portable: str) -> bool:
    """Keys for copying or finding by themselves are called so, in one longer word."""
    return "+" in portable or len(portable) <= 3 or portable in _LONG_NAMES
