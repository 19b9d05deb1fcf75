"""Which turns follow which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.turn_tree import TurnTree

#     1 - 2 - 3 - 4
#         |   `-- 5
#         `-- 6
CHILDREN = {None: (1,), 1: (2,), 2: (3, 6), 3: (4, 5)}


@pytest.fixture
def tree():
    return TurnTree(CHILDREN)


def test_those_that_stand_in_a_turns_place_are_its_siblings(tree):
    assert tree.siblings(4) == (4, 5)
    assert tree.siblings(6) == (3, 6)
    assert tree.siblings(1) == (1,)


def test_what_nobody_knows_stands_alone(tree):
    assert tree.siblings(9) == (9,)
    assert 9 not in tree


def test_a_branch_ends_with_the_newest_turns(tree):
    assert tree.end_of(3) == 5
    assert tree.end_of(None) == 6


def test_a_branch_that_was_left_ends_where_it_ended(tree):
    tree.walk((1, 2, 3, 4))
    tree.walk((1, 2, 6))
    assert tree.end_of(3) == 4
    assert tree.end_of(1) == 6


def test_a_way_that_is_no_longer_there_is_not_gone(tree):
    tree.walk((1, 2, 3, 4))
    tree.replace({None: (1,), 1: (2,), 2: (3, 6), 3: (5,)})
    assert tree.end_of(3) == 5


def test_what_stands_after_a_turn_on_every_branch_is_below_it(tree):
    assert set(tree.below(3)) == {3, 4, 5}
    assert set(tree.below(2)) == {2, 3, 4, 5, 6}


def test_a_turn_is_added_after_another_and_taken_away(tree):
    tree.add(7, 6)
    assert tree.end_of(2) == 7
    tree.remove(7)
    assert tree.end_of(2) == 6
    assert 7 not in tree


@given(st.lists(st.integers(0, 8), max_size=12), st.data())
def test_every_branch_ends_below_where_it_begins(parents, data):
    tree = TurnTree()
    for turn, parent in enumerate(parents, start=1):
        tree.add(turn, parent if 0 < parent < turn else None)
    if parents:
        turn = data.draw(st.integers(1, len(parents)))
        assert tree.end_of(turn) in tree.below(turn)
        assert turn in tree.siblings(turn)


def test_forks_are_turns_that_do_not_stand_alone():
    tree = TurnTree({None: (1,), 1: (2, 4), 2: (3,), 4: (5, 6, 7)})
    assert tree.forks() == {2: (1, 2), 4: (2, 2), 5: (1, 3), 6: (2, 3), 7: (3, 3)}
