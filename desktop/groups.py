"""Which conversations stand together in the list: pinned ones, folders, days and months."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from desktop.conversations import Conversation


class GroupKind(StrEnum):
    """What the conversations of a group have in common. Folders are the user's, the others come by themselves."""

    TEMPORARY = "temporary"
    PINNED = "pinned"
    FOLDER = "folder"
    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Group:
    """Some conversations, the newest first. `name` is a folder's; `month` the first day of a month."""

    kind: GroupKind
    conversations: Sequence[Conversation]
    name: str = ""
    month: date | None = None


def groups_of(conversations: Sequence[Conversation], today: date) -> tuple[Group, ...]:
    """The groups from top to bottom, none of them empty. `conversations` come with the newest first.

    A conversation is in one group only: a pinned one is not in its folder. The days are found by halving, so ten
    thousand conversations are not asked for theirs.
    """
    # Whole passes with one plain question each: a single loop that asks all of them takes twice as long.
    temporary = [each for each in conversations if each.temporary]
    pinned = [each for each in conversations if each.pinned and not each.temporary]
    in_folders = [each for each in conversations if each.folder and not each.pinned and not each.temporary]
    plain = [each for each in conversations if not (each.folder or each.pinned or each.temporary)]
    groups: list[Group] = []
    if temporary:
        groups.append(Group(GroupKind.TEMPORARY, temporary))
    if pinned:
        groups.append(Group(GroupKind.PINNED, pinned))
    return (*groups, *_folders(in_folders), *_days(plain, today))


def _folders(conversations: Sequence[Conversation]) -> list[Group]:
    by_name: dict[str, list[Conversation]] = {}
    for conversation in conversations:
        by_name.setdefault(conversation.folder, []).append(conversation)
    names = sorted(by_name, key=lambda name: (name.casefold(), name))
    return [Group(GroupKind.FOLDER, by_name[name], name=name) for name in names]


def _days(conversations: Sequence[Conversation], today: date) -> list[Group]:
    groups: list[Group] = []
    begin = 0
    for kind, first_day in (
        (GroupKind.TODAY, today),
        (GroupKind.YESTERDAY, today - timedelta(days=1)),
        (GroupKind.WEEK, today - timedelta(days=6)),
    ):
        end = _first_before(conversations, first_day, begin)
        if end > begin:
            groups.append(Group(kind, conversations[begin:end]))
        begin = end
    while begin < len(conversations):
        month = conversations[begin].updated.astimezone().date().replace(day=1)
        # At least one: a clock that was set back may have left them out of order.
        end = max(begin + 1, _first_before(conversations, month, begin))
        groups.append(Group(GroupKind.MONTH, conversations[begin:end], month=month))
        begin = end
    return groups


def _first_before(conversations: Sequence[Conversation], day: date, begin: int) -> int:
    """The place of the first one from `begin` on that is older than this day's first moment, here."""
    moment = datetime(day.year, day.month, day.day).astimezone()
    return bisect_right(conversations, -moment.timestamp(), lo=begin, key=_age)


def _age(conversation: Conversation) -> float:
    return -conversation.updated.timestamp()
