"""The branch of a conversation that is shown: its turns, changed together with what the store keeps of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.conversations import Conversation
from desktop.store import Store
from desktop.turn_tree import TurnTree

if TYPE_CHECKING:
    from desktop.changes import Deletion
    from desktop.turns import ReplyOrigin, Turn

_AT_FIRST = 40  # turns: more than the largest screen shows


class ShownBranch:
    """The turns from the first one to the conversation's head.

    Raises:
        StoreError: from every method that changes what is kept; then nothing is changed.
    """

    def __init__(
        self, store: Store, conversation: Conversation | None, deletions: list[Deletion] | None = None
    ) -> None:
        """`deletions` are those that can be brought back, the last one last; what comes and goes is written there."""
        self._store = store
        self._conversation: int | None = None if conversation is None else conversation.id
        self._known = [] if conversation is None else list(store.turns(conversation.head, _AT_FIRST))
        self._is_whole = conversation is None  # whether nothing stands before what is known
        self._tree = TurnTree({} if conversation is None else store.branches(conversation.id))
        self._walk()
        self._deletions = [] if deletions is None else deletions

    @property
    def turns(self) -> Sequence[Turn]:
        return self._turns

    @property
    def latest(self) -> Sequence[Turn]:
        """The last turns, as many as have been read: all that a screen shows, and what a reply needs to be judged."""
        return self._known

    @property
    def last(self) -> Turn | None:
        return self._known[-1] if self._known else None

    @property
    def head(self) -> int | None:
        """The last turn's id."""
        return self._known[-1].id if self._known else None

    @property
    def deletions(self) -> list[Deletion]:
        """Those that can be brought back, the last one last."""
        return self._deletions

    def before(self, turn_id: int, most: int) -> Sequence[Turn]:
        """So many of the turns before this one, as far as there are."""
        place = next((place for place, turn in enumerate(self._known) if turn.id == turn_id), 0)
        if not place and not self._is_whole:
            place = self._read_older(most)
        return self._known[max(0, place - most) : place]

    def forks(self) -> dict[int, tuple[int, int]]:
        """The turns in whose place others stand too: which it is of them, counted from one, and of how many."""
        return self._tree.forks()

    def place_of(self, turn_id: int) -> int | None:
        """Where in it a turn stands."""
        return next((place for place, turn in enumerate(self._turns) if turn.id == turn_id), None)

    def question_of(self, turn_id: int) -> int | None:
        """Where in it the question stands that a turn answers, or is."""
        place = self.place_of(turn_id)
        if place is None:
            return None
        question = place - 1 if self._turns[place].is_reply else place
        return question if question >= 0 and not self._turns[question].is_reply else None

    def siblings(self, turn_id: int) -> tuple[int, ...]:
        """The turn and those that stand in its place on other branches, oldest first."""
        return self._tree.siblings(turn_id)

    def add(self, turn: Turn) -> None:
        """The store has kept this turn, after the last one."""
        if turn.id not in self._tree:
            self._tree.add(turn.id, self.head)
        self._conversation = turn.conversation
        self._known.append(turn)
        self._walk()

    def change(self, turn: Turn) -> None:
        """The last turn is another: what is being written of it grows."""
        self._known[-1] = turn

    def cut(self, length: int) -> None:
        """Show that many turns; what is added next stands on a branch of its own."""
        del self._turns[length:]

    def begin_reply(self, place: int, origin: ReplyOrigin) -> Turn:
        """Keep another reply to the question there, as one that is being written, and cut what came after it. A reply
        without a word is not worth a branch beside the new one."""
        question, after = self._turns[place], self._turns[place + 1 :]
        empty = [turn.id for turn in after[:1] if _says_nothing(turn)]
        reply = self._store.begin_reply(question.id, origin, conversation=question.conversation, instead_of=empty)
        for turn in empty:
            self._tree.remove(turn)
        self.cut(place + 1)
        return reply

    def begin_continuation(self, origin: ReplyOrigin) -> Turn:
        """Keep a reply that begins as the last one did, as one that is being written, in its place."""
        reply = self._store.begin_continuation(self._turns[-1], origin)
        self.cut(-1)
        return reply

    def edit(self, place: int, words: str) -> Turn:
        """Put a turn with these words in the place of one that is shown; that one is kept, with all that came after
        it."""
        edited = self._store.edit(self._turns[place], words)
        self.cut(place)
        self.add(edited)
        return edited

    def pin(self, place: int, *, pinned: bool) -> Turn:
        """Never leave a turn out of a full window; or do, as any other."""
        self._store.set_turn_pinned(self._turns[place].id, pinned=pinned)
        self._turns[place] = replace(self._turns[place], pinned=pinned)
        return self._turns[place]

    def show(self, turn_id: int) -> bool:
        """Show the branch through this turn; false where there is none."""
        if turn_id not in self._tree:
            return False
        head = self._tree.end_of(turn_id)
        self._change(lambda conversation: self._store.set_head(conversation, head), head)
        return True

    def delete_message(self, place: int) -> int:
        """Delete one turn; what came after it stands after the one before. Returns how many were deleted."""
        turn = self._turns[place].id
        is_last = place == len(self._turns) - 1
        return self._delete((turn,), self._head_without(turn) if is_last else self.head)

    def delete_from(self, place: int) -> int:
        """Delete a turn and all that came after it, on whatever branch; returns how many those were. Where it stood on
        one of several branches, another of them is shown."""
        turn = self._turns[place].id
        return self._delete(self._tree.below(turn), self._head_without(turn))

    def undo(self) -> bool:
        """Bring back what was deleted last; false where nothing was."""
        if not self._deletions:
            return False
        deletion = self._deletions[-1]
        head = deletion.head_before if self.head == deletion.head_after else self.head
        self._change(lambda conversation: self._store.restore_turns(conversation, deletion.turns, head=head), head)
        self._deletions.pop()
        return True

    def _delete(self, turns: tuple[int, ...], head: int | None) -> int:
        from desktop.changes import Deletion

        deletion = Deletion(turns, self.head, head)
        self._change(lambda conversation: self._store.delete_turns(conversation, turns, head=head), head)
        self._deletions.append(deletion)
        return len(turns)

    def _head_without(self, turn_id: int) -> int | None:
        """The last turn to be shown when this one and all after it are gone: that of a branch beside it, the one
        before rather than the one after, else the turn before."""
        siblings = self._tree.siblings(turn_id)
        place = siblings.index(turn_id)
        beside = siblings[place - 1 : place] if place else siblings[1:2]
        return self._tree.end_of(beside[0]) if beside else self._tree.parent(turn_id)

    def _change(self, write: Callable[[int], None], head: int | None) -> None:
        """Change what is kept of the tree, and show the branch that ends with `head`."""
        assert self._conversation is not None  # noqa: S101 - there are turns, so they are of one
        write(self._conversation)
        self._tree.replace(self._store.branches(self._conversation))
        self._known, self._is_whole = list(self._store.turns(head)), True
        self._walk()

    @property
    def _turns(self) -> list[Turn]:
        while not self._is_whole:
            self._read_older(None)
        return self._known

    def _read_older(self, most: int | None) -> int:
        """Read turns before those that are known; how many there were."""
        first = self._known[0] if self._known else None
        older = () if first is None or first.parent is None else self._store.turns(first.parent, most)
        self._known[:0] = older
        self._is_whole = not older or most is None
        return len(older)

    def _walk(self) -> None:
        """Remember the way to the head."""
        way: list[int] = []
        turn = self.head
        while turn is not None and turn in self._tree:
            way.append(turn)
            turn = self._tree.parent(turn)
        self._tree.walk(reversed(way))


def _says_nothing(turn: Turn) -> bool:
    return turn.is_reply and not turn.message.content and not turn.message.reasoning
