"""Which turns follow which: the branches of a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class TurnTree:
    """The turns of one conversation by their ids, without those that were deleted: what stood after one of those
    stands after the turn before it. `children` are what follows each turn, oldest first; the first turns of all
    follow `None`.

    It remembers which way was gone last from each turn, so that a branch that was left shows again what it showed.
    """

    def __init__(self, children: Mapping[int | None, Sequence[int]] | None = None) -> None:
        self._children: dict[int | None, list[int]] = {}
        self._parents: dict[int, int | None] = {}
        self._last: dict[int | None, int] = {}
        self.replace(children or {})

    def __contains__(self, turn: int) -> bool:
        return turn in self._parents

    def replace(self, children: Mapping[int | None, Sequence[int]]) -> None:
        """It is another now; which way was gone last is still known."""
        self._children = {parent: list(turns) for parent, turns in children.items()}
        self._parents = {turn: parent for parent, turns in children.items() for turn in turns}

    def add(self, turn: int, parent: int | None) -> None:
        """One more turn, after `parent`."""
        self._children.setdefault(parent, []).append(turn)
        self._parents[turn] = parent

    def remove(self, turn: int) -> None:
        """Take away a turn that nothing follows."""
        self._children[self._parents.pop(turn)].remove(turn)

    def walk(self, turns: Iterable[int]) -> None:
        """This way was gone: from the first turn on, one after the other."""
        before: int | None = None
        for turn in turns:
            self._last[before] = turn
            before = turn

    def siblings(self, turn: int) -> tuple[int, ...]:
        """The turn and those that stand in its place on other branches, oldest first."""
        return tuple(self._children[self._parents[turn]]) if turn in self._parents else (turn,)

    def forks(self) -> dict[int, tuple[int, int]]:
        """The turns that do not stand alone in their place: which it is, counted from one, and of how many."""
        several = (turns for turns in self._children.values() if len(turns) > 1)
        return {turn: (number, len(turns)) for turns in several for number, turn in enumerate(turns, 1)}

    def parent(self, turn: int) -> int | None:
        """The turn before."""
        return self._parents[turn]

    def end_of(self, turn: int | None) -> int | None:
        """Where the branch through this turn ends: the way that was gone last, else along the newest turns."""
        while turns := self._children.get(turn):
            last = self._last.get(turn)
            turn = last if last in turns else turns[-1]
        return turn

    def below(self, turn: int) -> tuple[int, ...]:
        """The turn and all that stand after it, on whatever branch."""
        found = [turn]
        for each in found:
            found += self._children.get(each, ())
        return tuple(found)
