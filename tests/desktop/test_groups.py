"""Groups: which there are, in what order, and where their borders lie."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.groups import Group, GroupKind, groups_of
from tests.desktop.dated import TODAY, conversation


def shown(groups: tuple[Group, ...]) -> list[tuple[str, str, list[int]]]:
    return [
        (group.kind.value, group.name or str(group.month or ""), [each.id for each in group.conversations])
        for group in groups
    ]


def test_what_is_marked_by_a_person_comes_first_then_the_days():
    everything = (
        conversation(1),
        conversation(2, temporary=True),
        conversation(3, pinned=True, folder="work"),
        conversation(4, 1, folder="Work"),
        conversation(5, 2, folder="garden"),
        conversation(6, 3, folder="Work"),
        conversation(7, 3),
        conversation(8, 40),
        conversation(9, 300),
    )
    assert shown(groups_of(everything, TODAY)) == [
        ("temporary", "", [2]),
        ("pinned", "", [3]),
        ("folder", "garden", [5]),
        ("folder", "Work", [4, 6]),
        ("today", "", [1]),
        ("week", "", [7]),
        ("month", "2026-02-01", [8]),
        ("month", "2025-05-01", [9]),
    ]


def test_without_conversations_there_are_no_groups():
    assert groups_of((), TODAY) == ()


@pytest.mark.parametrize(
    ("then", "kind"),
    [
        ("2026-03-21 09:00", GroupKind.TODAY),
        ("2026-03-20 00:00", GroupKind.TODAY),
        ("2026-03-19 23:59", GroupKind.YESTERDAY),
        ("2026-03-19 00:00", GroupKind.YESTERDAY),
        ("2026-03-18 23:59", GroupKind.WEEK),
        ("2026-03-14 00:00", GroupKind.WEEK),
        ("2026-03-13 23:59", GroupKind.MONTH),
    ],
)
def test_a_day_begins_at_the_midnight_of_here(then, kind):
    here = datetime.fromisoformat(then).astimezone()
    (group,) = groups_of((replace(conversation(1), updated=here),), TODAY)
    assert group.kind is kind


@given(
    st.lists(st.tuples(st.floats(-2, 800), st.booleans(), st.sampled_from(["", "a", "B"]), st.booleans()), max_size=60),
    st.booleans(),
)
def test_each_conversation_is_in_one_group_in_its_order_whatever_the_order_is(facts, in_order):
    made = [
        conversation(number, ago, pinned=pinned, folder=folder, temporary=temporary)
        for number, (ago, pinned, folder, temporary) in enumerate(facts)
    ]
    if in_order:
        made.sort(key=lambda each: each.updated, reverse=True)
    groups = groups_of(made, TODAY)
    assert sorted(each.id for group in groups for each in group.conversations) == list(range(len(made)))
    assert all(group.conversations for group in groups)
    places = {each.id: place for place, each in enumerate(made)}
    for group in groups:
        order = [places[each.id] for each in group.conversations]
        assert order == sorted(order)
