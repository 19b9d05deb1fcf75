"""The sidebar: a search, and all conversations, the newest first, in groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from desktop.conversations import Conversation
from desktop.groups import Group
from desktop.theme import Theme, control_font, figure_font
from desktop.widgets.buttons import Button
from desktop.widgets.conversation_actions import ConversationActions
from desktop.widgets.conversation_delegate import strong
from desktop.widgets.conversation_model import ConversationModel, today
from desktop.widgets.conversation_view import ConversationView
from desktop.widgets.notice import announce
from desktop.widgets.painting import Emblem, fill, recolour
from desktop.widgets.search_field import SearchField

if TYPE_CHECKING:
    from desktop.hits import Hit
    from desktop.widgets.search_results import SearchResults
    from desktop.widgets.selection_bar import SelectionBar


class ConversationList(QWidget):
    """The list with its head. A click or Enter opens a conversation; the open one is marked.

    While something is searched for, what was found stands in the list's place. What can be done with conversations is
    in `commands`; what those want and what mouse and keys want is said by signals, and shown when it has been done.
    """

    opened = Signal(int)  # conversation id
    new_wanted = Signal()
    fold_wanted = Signal()
    search_wanted = Signal(str)
    hit_wanted = Signal(object)  # Hit
    renamed = Signal(int, str)
    folder_renamed = Signal(str, str)  # from, to
    dropped = Signal(object, object)  # ids of conversations, and the Group they were dropped on
    folded_changed = Signal(object)  # the names of folded folders
    left = Signal()  # Escape was pressed where there was nothing more to give up

    def __init__(self, theme: Theme, parent: QWidget | None = None, today: Callable[[], date] = today) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ConversationModel(today, self)
        self._waiting: Sequence[Conversation] | None = None  # until the name that is being typed is there
        self.search_field = SearchField(theme)
        self._results: SearchResults | None = None  # made when something is found
        self._selection_bar: SelectionBar | None = None  # and when several are chosen
        self.view = ConversationView(self._model, theme)
        self.commands = ConversationActions(self.view, self._model, self)
        self.new_button = Button(theme, name=self.tr("New conversation (Ctrl+N)"), icon_name="plus")
        self.fold_button = Button(theme, name=self.tr("Hide the sidebar (Ctrl+B)"), icon_name="sidebar")
        self._empty = QLabel(self.tr("Conversations are kept here, on this machine."))
        self._nothing = QLabel()
        self._found = QLabel()
        self._hits: tuple[Hit, ...] = ()
        self._results_page = QWidget()
        self._name = QLabel(self.tr("Headwater"))
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.show_conversations(())

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """What the keyboard goes through below the head."""
        results = () if self._results is None else (self._results,)
        return (
            self.search_field,
            self.search_field.clear_button,
            self.view,
            *results,
            *(() if self._selection_bar is None else self._selection_bar.buttons),
        )

    @property
    def results(self) -> SearchResults:
        """What was found. Whoever asks for it has it made."""
        return self._results or self._make_results()

    @property
    def selection_bar(self) -> SelectionBar:
        """What can be done with those that are chosen; the same holds."""
        return self._selection_bar or self._make_selection_bar()

    @property
    def folded(self) -> frozenset[str]:
        """The folders of which no more than the name is shown."""
        return self._model.folded

    @property
    def folders(self) -> tuple[str, ...]:
        """Those that hold a conversation."""
        return self._model.folders

    def show_conversations(self, conversations: Sequence[Conversation]) -> None:
        """Show these, the newest first; what is open, chosen and in sight stays so.

        While a name is typed they wait for its end: it would be gone with its row.
        """
        if self.view.is_editing:
            self._waiting = conversations
            return
        self._waiting = None
        with self._kept_in_place():
            self._model.replace(conversations)
        self.search_field.search_again()
        self._choose_body()

    def set_current(self, conversation: int | None) -> None:
        """Mark the one that is open; `None` for a new one, which is not in the list yet."""
        if conversation != self._model.opened:
            self._model.opened = conversation
            self._mark_current()
            self.view.viewport().update()

    def set_busy(self, conversations: Collection[int]) -> None:
        """Mark those whose reply is being written."""
        if frozenset(conversations) != self._model.busy:
            self._model.busy = frozenset(conversations)
            self.view.viewport().update()

    def set_folded(self, folders: Collection[str]) -> None:
        """Show of these folders no more than their names."""
        with self._kept_in_place():
            self._model.set_folded(folders)

    def show_hits(self, words: str, hits: Sequence[Hit]) -> None:
        """Show what was found, unless something else is looked for by now."""
        if words != self.search_field.words or not words:
            return
        self._hits = tuple(hits)
        if hits or self._results is not None:
            self.results.show_hits(hits)
        self._found.setText(self._count_of(len(hits)))
        self._nothing.setText(self.tr("Nothing found for “{words}”.").format(words=words))
        self._choose_body()
        announce(self.search_field, self._found.text() if hits else self._nothing.text())

    def begin_search(self) -> None:
        """Have the keyboard where one types what to look for."""
        self.search_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search_field.selectAll()

    def begin_renaming(self, conversation: int) -> None:
        """Let a conversation's title be typed anew, in place."""
        self.search_field.clear()
        row = self._model.row_of(conversation)
        if row is None:
            self._unfold_all()
            row = self._model.row_of(conversation)
        if row is not None:
            self._edit(row)

    def begin_renaming_folder(self, folder: str) -> None:
        """Let a folder's name be typed anew, in place."""
        self.search_field.clear()
        row = self._model.row_of_folder(folder)
        if row is not None:
            self._edit(row)

    @contextmanager
    def keyboard_kept(self) -> Iterator[None]:
        """Where the list has the keyboard it has it afterwards, beside where it was if that is gone."""
        has_focus, row = self.view.hasFocus(), self.view.currentIndex().row()
        yield
        if has_focus and self.isVisible():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.view.put_keyboard_near(row)

    def beside(self, step: int) -> int | None:
        """The conversation that stands so many further down than the open one (up, below zero), round the ends."""
        return self._model.beside(self._model.opened, step)

    def conversation(self, number: int) -> Conversation:
        """One of those that are shown."""
        return self._model.conversation(number)

    def conversations_in_folder(self, folder: str) -> tuple[int, ...]:
        """All that are in it, those that stand among the pinned ones included."""
        return self._model.in_folder(folder)

    def titles(self) -> tuple[str, ...]:
        """What is shown from top to bottom, the groups' names included."""
        return tuple(str(self._model.index(row, 0).data()) for row in range(self._model.rowCount()))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        made = [widget for widget in (self._results, self._selection_bar) if widget is not None]
        for widget in (self.new_button, self.fold_button, self.view, self.search_field, *made):
            widget.set_theme(theme)
        for label in (self._empty, self._nothing, self._found):
            recolour(label, QPalette.ColorRole.WindowText, theme.muted)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and not self.view.is_editing:
            with self._kept_in_place():
                self._model.regroup()  # a window may stand open for days

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.background)
        painter.end()

    # Building

    def _lay_out(self) -> None:
        self._name.setFont(strong(control_font()))
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 0)
        head.setSpacing(4)
        head.addWidget(Emblem(24))
        head.addSpacing(4)
        head.addWidget(self._name, 1)
        head.addWidget(self.fold_button)
        head.addWidget(self.new_button)
        field = QHBoxLayout()
        field.setContentsMargins(8, 8, 8, 4)
        field.addWidget(self.search_field)
        self._body = QStackedLayout()
        for page in (_note(self._empty), self.view, self._results_page, _note(self._nothing)):
            self._body.addWidget(page)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(field)
        column.addLayout(self._body, 1)

    def _make_results(self) -> SearchResults:
        from desktop.widgets.search_results import SearchResults

        results = SearchResults(self._theme)
        rows = QVBoxLayout(self._results_page)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        self._found.setFont(figure_font())
        self._found.setContentsMargins(16, 4, 16, 0)
        rows.addWidget(self._found)
        rows.addWidget(results, 1)
        results.wanted.connect(self.hit_wanted)
        results.left.connect(self._end_search)
        results.left_upwards.connect(self.begin_search)
        QWidget.setTabOrder(self.search_field.clear_button, results)
        self._results = results
        return results

    def _make_selection_bar(self) -> SelectionBar:
        from desktop.widgets.selection_bar import SelectionBar

        bar = SelectionBar(self._theme, self.commands)
        bar.let_go.connect(self._let_go)
        self._column.addWidget(bar)
        for before, after in pairwise((self.view, *bar.buttons)):
            QWidget.setTabOrder(before, after)
        self._selection_bar = bar
        return bar

    def _connect(self) -> None:
        self.new_button.clicked.connect(self.new_wanted)
        self.fold_button.clicked.connect(self.fold_wanted)
        self.view.row_wanted.connect(self._open)
        self.view.fold_wanted.connect(self._toggle_folder)
        self.view.dropped.connect(self._drop)
        self.view.menu_wanted.connect(self.commands.open_menu)
        self.view.editing_ended.connect(self._show_what_waited)
        self.view.choice_changed.connect(self._on_choice)
        self.view.typed.connect(self._search_for)
        self._model.renamed.connect(self.renamed)
        self._model.folder_renamed.connect(self.folder_renamed)
        self.search_field.wanted.connect(self._on_search)
        self.search_field.left.connect(self.left)
        self.search_field.down_pressed.connect(self._go_down)
        self.search_field.enter_pressed.connect(self._want_best)

    # What happens

    def _open(self, index: QModelIndex) -> None:
        conversation = self._model.conversation_at(index)
        if conversation is not None:
            self.opened.emit(conversation.id)

    def _on_search(self, words: str) -> None:
        if words:
            self.search_wanted.emit(words)
        self._choose_body()

    def _search_for(self, letter: str) -> None:
        """Who types in the list looks for something."""
        self.search_field.setText(letter)
        self.search_field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _want_best(self) -> None:
        if self.search_field.words:
            self.results.want_first()

    def _end_search(self) -> None:
        self.search_field.clear()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go_down(self) -> None:
        if self.search_field.words:
            self.results.begin()
            return
        if not self.view.currentIndex().isValid():
            self.view.go_to_first()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _drop(self, conversations: Sequence[int], group: Group) -> None:
        """A temporary conversation has no place among those that are kept."""
        kept = tuple(number for number in conversations if number not in self._model.temporary)
        if kept:
            self.dropped.emit(kept, group)

    def _toggle_folder(self, folder: str) -> None:
        self.set_folded(self._model.folded ^ {folder})
        self.folded_changed.emit(self._model.folded)

    def _unfold_all(self) -> None:
        self.set_folded(())
        self.folded_changed.emit(self._model.folded)

    def _edit(self, row: int) -> None:
        if not self.view.is_editing:  # else it is being typed already
            self.view.go_to(row)
            self.view.edit(self._model.index(row, 0))

    def _show_what_waited(self) -> None:
        if self._waiting is not None:
            self.show_conversations(self._waiting)

    def _let_go(self) -> None:
        self.view.let_go()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_choice(self) -> None:
        count = self.view.count if self._body.currentIndex() == _Page.LIST else 0
        if count > 1 or self._selection_bar is not None:
            self.selection_bar.show_count(count)

    # What is seen

    def _choose_body(self) -> None:
        if self.search_field.said:
            page = _Page.RESULTS if self._hits else _Page.NOTHING
        else:
            page = _Page.LIST if self._model.rowCount() else _Page.EMPTY
        self._body.setCurrentIndex(page)
        self._on_choice()

    def _count_of(self, hits: int) -> str:
        if hits == 1:
            return self.tr("1 found")
        return self.tr("{count} found, the best first").format(count=hits)

    def _mark_current(self) -> None:
        self.view.go_to(self._model.row_of(self._model.opened))

    @contextmanager
    def _kept_in_place(self) -> Iterator[None]:
        """The rows change meanwhile: what is chosen, where the keyboard is and what is in sight stays."""
        place = self.view.verticalScrollBar().value()
        chosen = frozenset(each.id for each in self.view.chosen)
        keyboard = self.view.currentIndex()
        row, folder = keyboard.row(), self._model.folder_at(keyboard)
        conversation = self._model.conversation_at(keyboard)
        yield
        again = self._model.row_of(None if conversation is None else conversation.id)
        if folder:
            again = self._model.row_of_folder(folder)
        if again is not None:
            self.view.put_keyboard_on(again)
        elif row >= 0 and self.view.hasFocus():
            self.view.put_keyboard_near(row)  # what it was on is gone; somebody goes on from there
        else:
            self._mark_current()
        if self._model.rows_of(chosen):
            self.view.choose(chosen)
        self.view.verticalScrollBar().setValue(place)


class _Page(IntEnum):
    """What stands below the search."""

    EMPTY = 0
    LIST = 1
    RESULTS = 2
    NOTHING = 3


def _note(label: QLabel) -> QLabel:
    """A sentence where otherwise a list stands."""
    label.setFont(control_font())
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setContentsMargins(16, 16, 16, 16)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
    return label
