"""Conversations and the names of their groups as the rows of a list."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, datetime

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QStringListModel, Qt, Signal

from desktop.conversations import Conversation
from desktop.groups import Group, GroupKind, groups_of
from desktop.widgets.tips import as_tip

ID = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
Row = Conversation | Group


def today() -> date:
    """The day it is here."""
    return datetime.now().astimezone().date()


class ConversationModel(QStringListModel):
    """Each group's name with its conversations below it; of a folded folder the name alone.

    A row is made when somebody looks at it: ten thousand conversations cost a few passes over them, no more. The
    strings of the model below are empty. They are there to be counted: a list asks for each of its rows how many rows
    there are, which Python would take most of a frame to answer.
    """

    renamed = Signal(int, str)  # somebody wants a conversation to be called so
    folder_renamed = Signal(str, str)  # and a folder: its name so far, and the one wanted

    def __init__(self, today: Callable[[], date], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._today = today
        self._conversations: Sequence[Conversation] = ()
        self._groups: tuple[Group, ...] = ()
        self._starts: list[int] = []  # the row of each group's name
        self._day = today()
        self.opened: int | None = None
        self.busy: frozenset[int] = frozenset()
        self.folded: frozenset[str] = frozenset()

    def replace(self, conversations: Sequence[Conversation]) -> None:
        """Hold these from now on, the newest first."""
        self._conversations = conversations
        self._day = self._today()
        self._groups = groups_of(conversations, self._day)
        self._place()

    def regroup(self) -> bool:
        """Group anew where another day has come; returns whether one has."""
        if self._today() == self._day:
            return False
        self.replace(self._conversations)
        return True

    def set_folded(self, folders: Collection[str]) -> None:
        """Show of these folders no more than their names."""
        self.folded = frozenset(folders)
        self._place()

    @property
    def folders(self) -> tuple[str, ...]:
        """Those that hold a conversation, as they stand in the list; what is pinned hides its folder from the list,
        but not from here."""
        return tuple(sorted({each.folder for each in self._conversations if each.folder}, key=str.casefold))

    @property
    def temporary(self) -> frozenset[int]:
        """Those that are kept nowhere."""
        groups = (group for group in self._groups if group.kind is GroupKind.TEMPORARY)
        return frozenset(each.id for group in groups for each in group.conversations)

    def at(self, row: int) -> Row:
        """What stands in that row."""
        number, place = self._find(row)
        group = self._groups[number]
        return group if place < 0 else group.conversations[place]

    def group_at(self, row: int) -> Group:
        """The group that the row belongs to."""
        return self._groups[self._find(row)[0]]

    def conversation_at(self, index: Index) -> Conversation | None:
        """The conversation in that row, if it is one's."""
        row = self.at(index.row()) if index.isValid() else None
        return row if isinstance(row, Conversation) else None

    def folder_at(self, index: Index) -> str:
        """The folder whose name stands in that row; empty for all others."""
        row = self.at(index.row()) if index.isValid() else None
        return row.name if isinstance(row, Group) else ""

    def between(self, first: int, last: int) -> list[Conversation]:
        """The conversations in these rows, both ends included."""
        found: list[Conversation] = []
        for start, group in zip(self._starts, self._groups, strict=True):
            if not self.is_folded(group) and start <= last:
                found += group.conversations[max(0, first - start - 1) : max(0, last - start)]
        return found

    def row_of(self, conversation: int | None) -> int | None:
        """Where a conversation stands; `None` where it is not to be seen."""
        return None if conversation is None else next(self._rows_where(conversation.__eq__), None)

    def rows_of(self, conversations: Collection[int]) -> list[int]:
        """Where these stand, from top to bottom, as far as they are to be seen."""
        return list(self._rows_where(conversations.__contains__)) if conversations else []

    def conversation(self, number: int) -> Conversation:
        """The conversation with that id, whether or not it is to be seen."""
        return next(each for each in self._conversations if each.id == number)

    def in_folder(self, folder: str) -> tuple[int, ...]:
        """The conversations in it, those that stand among the pinned ones included."""
        return tuple(each.id for each in self._conversations if each.folder == folder)

    def row_of_folder(self, name: str) -> int | None:
        """Where a folder's name stands."""
        folders = zip(self._starts, self._groups, strict=True)
        return next((start for start, group in folders if group.kind is GroupKind.FOLDER and group.name == name), None)

    def beside(self, conversation: int | None, step: int) -> int | None:
        """The conversation that stands `step` further down (up, below zero), round the ends; from none the first."""
        ids = [each.id for each in self._seen()]
        if not ids:
            return None
        if conversation not in ids:
            return ids[0 if step > 0 else -1]
        return ids[(ids.index(conversation) + step) % len(ids)]

    def is_folded(self, group: Group) -> bool:
        """Whether only the group's name is shown."""
        return group.kind is GroupKind.FOLDER and group.name in self.folded

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.at(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words_of(row)
            case Qt.ItemDataRole.EditRole:
                return row.title if isinstance(row, Conversation) else row.name
            case Qt.ItemDataRole.ToolTipRole:
                return as_tip(self._explained(row) or "") or None
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
        return row.id if role == ID and isinstance(row, Conversation) else None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802 - Qt's
        """Ask for another name; it changes when whoever keeps it has changed it."""
        row, name = self.at(index.row()), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not name:
            return False
        if isinstance(row, Conversation):
            if name != row.title:
                self.renamed.emit(row.id, name)
        elif row.kind is GroupKind.FOLDER and name != row.name:
            self.folder_renamed.emit(row.name, name)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flag, row = Qt.ItemFlag, self.at(index.row()) if index.isValid() else None
        if isinstance(row, Conversation):
            usual = flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemNeverHasChildren
            return usual if row.temporary else usual | flag.ItemIsEditable | flag.ItemIsDragEnabled
        if row is not None and row.kind is GroupKind.FOLDER:
            return flag.ItemIsEnabled | flag.ItemIsEditable | flag.ItemNeverHasChildren
        return flag.NoItemFlags  # the arrow keys step over it

    def words_of(self, row: Row) -> str:
        """What a row says."""
        if isinstance(row, Conversation):
            return row.title or self.tr("New conversation")
        match row.kind:
            case GroupKind.TEMPORARY:
                return self.tr("Temporary, kept nowhere")
            case GroupKind.PINNED:
                return self.tr("Pinned")
            case GroupKind.FOLDER:
                return row.name
            case GroupKind.TODAY:
                return self.tr("Today")
            case GroupKind.YESTERDAY:
                return self.tr("Yesterday")
            case GroupKind.WEEK:
                return self.tr("Previous 7 days")
            case GroupKind.MONTH:
                return self._month(row.month or self._day)

    def _place(self) -> None:
        self._starts, row = [], 0
        for group in self._groups:
            self._starts.append(row)
            row += 1 if self.is_folded(group) else 1 + len(group.conversations)
        self.setStringList([""] * row)  # from here on views see other rows

    def _find(self, row: int) -> tuple[int, int]:
        """The group's number, and the place in it; -1 for its name."""
        number = bisect_right(self._starts, row) - 1
        return number, row - self._starts[number] - 1

    def _rows_where(self, is_wanted: Callable[[int], bool]) -> Iterator[int]:
        for start, group in zip(self._starts, self._groups, strict=True):
            if not self.is_folded(group):
                for place, each in enumerate(group.conversations):
                    if is_wanted(each.id):
                        yield start + 1 + place

    def _seen(self) -> Iterator[Conversation]:
        for group in self._groups:
            if not self.is_folded(group):
                yield from group.conversations

    def _explained(self, row: Row) -> str | None:
        if isinstance(row, Group):
            return row.name if row.kind is GroupKind.FOLDER else None
        if row.id in self.busy:
            return self.tr("{title}\nA reply is being written.").format(title=self.words_of(row))
        return self.words_of(row)

    def _spoken(self, row: Row) -> str:
        """What a screen reader says: what the eye sees from the place, the dot or the chevron."""
        words = self.words_of(row)
        if isinstance(row, Conversation):
            said = [words]
            if row.temporary:
                said.append(self.tr("temporary, kept nowhere"))
            if row.pinned:
                said.append(self.tr("pinned"))
            if row.id in self.busy:
                said.append(self.tr("a reply is being written"))
            return ", ".join(said)
        if row.kind is not GroupKind.FOLDER:
            return words
        form = self.tr("Folder {name}, {count}, folded") if self.is_folded(row) else self.tr("Folder {name}, {count}")
        return form.format(name=words, count=len(row.conversations))

    def _month(self, first: date) -> str:
        # Not by QLocale: to name one takes Python's halves of all languages and countries, before the first paint.
        names = (
            *(self.tr("January"), self.tr("February"), self.tr("March"), self.tr("April"), self.tr("May")),
            *(self.tr("June"), self.tr("July"), self.tr("August"), self.tr("September"), self.tr("October")),
            *(self.tr("November"), self.tr("December")),
        )
        name = names[first.month - 1]
        return name if first.year == self._day.year else f"{name} {first.year}"
