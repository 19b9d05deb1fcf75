"""Rows of conversations and groups: what stands where, what is said of it, and how little ten thousand cost."""

from __future__ import annotations

from datetime import timedelta
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt

from desktop.conversations import Conversation
from desktop.groups import Group
from desktop.widgets.conversation_model import ConversationModel
from tests.desktop.dated import TODAY, conversation

SOME = (
    conversation(1),
    conversation(2, pinned=True, folder="Work"),
    conversation(3, 1, folder="Work"),
    conversation(4, 1, folder="garden"),
    conversation(5, 2, folder="Work"),
    conversation(-1, 3, temporary=True),
)


@pytest.fixture
def model(qapp):
    made = ConversationModel(lambda: TODAY)
    made.replace(SOME)
    return made


def texts(model: ConversationModel, role=Qt.ItemDataRole.DisplayRole) -> list[object]:
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def test_groups_have_a_row_for_their_name(model):
    assert texts(model) == [
        "Temporary, kept nowhere",
        "conversation -1",
        "Pinned",
        "conversation 2",
        "garden",
        "conversation 4",
        "Work",
        "conversation 3",
        "conversation 5",
        "Today",
        "conversation 1",
    ]


def test_of_a_folded_folder_the_name_is_left(model):
    model.set_folded({"Work"})
    assert texts(model)[6:] == ["Work", "Today", "conversation 1"]
    assert model.row_of(3) is None
    assert model.row_of(1) == 8
    model.set_folded(())
    assert model.row_of(3) == 7


def test_what_the_eye_sees_is_said_to_who_does_not_see(model):
    model.busy = frozenset({3})
    model.set_folded({"garden"})
    said = texts(model, Qt.ItemDataRole.AccessibleTextRole)
    assert said[1] == "conversation -1, temporary, kept nowhere"
    assert said[3] == "conversation 2, pinned"
    assert said[4:6] == ["Folder garden, 1, folded", "Folder Work, 2"]
    assert said[6] == "conversation 3, a reply is being written"


def test_the_month_is_named_and_its_year_where_it_is_another(model):
    model.replace((conversation(1, 30), conversation(2, 300)))
    assert texts(model)[::2] == ["February", "May 2025"]


def test_folders_are_known_even_where_all_in_them_is_pinned(model):
    model.replace((conversation(1, pinned=True, folder="b"), conversation(2, folder="A")))
    assert model.folders == ("A", "b")
    assert model.in_folder("b") == (1,)


def test_one_walks_in_the_order_of_the_list_and_round_its_ends(model):
    assert model.beside(-1, 1) == 2
    assert model.beside(-1, -1) == 1
    assert model.beside(1, 1) == -1
    assert (model.beside(None, 1), model.beside(None, -1)) == (-1, 1)
    model.set_folded({"Work", "garden"})
    assert model.beside(2, 1) == 1
    model.replace(())
    assert model.beside(1, 1) is None


def test_a_new_name_is_asked_for_and_not_taken(model, qtbot):
    index = model.index(model.row_of(1) or 0, 0)
    with qtbot.waitSignal(model.renamed) as renamed:
        assert model.setData(index, "  Why \n rivers  bend ")
    assert renamed.args == [1, "Why rivers bend"]
    assert index.data() == "conversation 1"
    with qtbot.waitSignal(model.folder_renamed) as renamed:
        model.setData(model.index(model.row_of_folder("Work") or 0, 0), "Office")
    assert renamed.args == ["Work", "Office"]


@pytest.mark.parametrize("name", ["", "  ", "conversation 1"])
def test_no_name_and_the_same_name_change_nothing(model, qtbot, name):
    with qtbot.assertNotEmitted(model.renamed):
        model.setData(model.index(model.row_of(1) or 0, 0), name)


def test_names_of_days_are_stepped_over_and_those_of_folders_are_not(model):
    enabled = [bool(model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsEnabled) for row in range(model.rowCount())]
    assert enabled == [False, True, False, True, True, True, True, True, True, False, True]
    assert model.flags(QModelIndex()) == Qt.ItemFlag.NoItemFlags


def test_another_day_groups_anew(qapp):
    day = [TODAY]
    model = ConversationModel(lambda: day[0])
    model.replace((conversation(1),))
    assert not model.regroup()
    day[0] += timedelta(days=1)
    assert model.regroup()
    assert texts(model)[0] == "Yesterday"


@given(
    st.lists(st.tuples(st.integers(0, 90), st.booleans(), st.sampled_from(["", "a", "b"])), max_size=40),
    st.sets(st.sampled_from(["a", "b"])),
    st.integers(0, 45),
    st.integers(0, 45),
)
def test_rows_and_conversations_agree(qapp, facts, folded, first, last):
    model = ConversationModel(lambda: TODAY)
    model.replace(
        tuple(conversation(n, ago, pinned=pinned, folder=folder) for n, (ago, pinned, folder) in enumerate(facts))
    )
    model.set_folded(folded)
    rows = [model.at(row) for row in range(model.rowCount())]
    for place, row in enumerate(rows):
        if isinstance(row, Conversation):
            assert model.row_of(row.id) == place
            assert row in model.group_at(place).conversations
        else:
            assert model.group_at(place) is row
    seen = [row for row in rows if not isinstance(row, Group)]
    assert model.rows_of([each.id for each in seen]) == [n for n, row in enumerate(rows) if not isinstance(row, Group)]
    assert model.between(first, last) == [row for row in rows[first : last + 1] if not isinstance(row, Group)]


def test_ten_thousand_conversations_cost_a_fraction_of_a_frame(qapp):
    model = ConversationModel(lambda: TODAY)
    many = tuple(
        conversation(n, n / 24, pinned=n % 500 == 0, folder=("", "", "work", "garden")[n % 4]) for n in range(10_000)
    )
    taken = []
    for _ in range(5):
        begin = thread_time()
        model.replace(many)
        taken.append(thread_time() - begin)
    assert min(taken) < 0.01
