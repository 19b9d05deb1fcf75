"""The KV states of several conversations, in memory and on disk.

A prompt is compared with what the model holds and with every state kept here; the longest common beginning wins.
It knows nothing of conversations or messages: token ids decide.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from inference.bounds import StateBudget
from inference.events import ReuseEnd
from inference.model import Model, Snapshot, shared_prefix
from inference.state_folder import StateFolder

_WORTH_KEEPING = 64  # tokens; below, reading them again costs less than it is worth


@dataclass(frozen=True, slots=True)
class Reuse:
    """How many tokens of a prompt need not be read, and why no more."""

    cached: int
    end: ReuseEnd


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose prompt a KV cache holds; a private one is kept in memory alone."""

    owner: str = ""
    is_private: bool = False


_NOBODY = Holder()


class PrefixCache:
    """States of conversations that were left, the least recently used given up first.

    `memory_budget` is in bytes. Only states of the model named by `open` are ever used.
    """

    def __init__(self, memory_budget: int, disk: StateFolder | None = None) -> None:
        self._budget = memory_budget
        self._disk = disk
        self._states: OrderedDict[tuple[str, tuple[int, ...]], Snapshot] = OrderedDict()
        self._key = ""
        self._has_evicted = False
        self._is_first = True
        self._holder = _NOBODY

    @classmethod
    def within(cls, budget: StateBudget) -> PrefixCache:
        """A cache that keeps to `budget`. What an earlier, larger one left on disk goes."""
        return cls(budget.memory, _disk_within(budget))

    @property
    def outlasts(self) -> bool:
        """Whether anything is kept beyond `close`."""
        return self._disk is not None

    @property
    def size(self) -> int:
        """Bytes held in memory."""
        return sum(state.size for state in self._states.values())

    @property
    def holder(self) -> Holder:
        """Whose prompt the model holds."""
        return self._holder

    @holder.setter
    def holder(self, holder: Holder) -> None:
        self._holder = holder

    def open(self, key: str) -> None:
        """A model was loaded; `key` names everything that its states depend on."""
        self._key = key
        self._is_first = True
        self._holder = _NOBODY
        if self._disk is not None:
            self._disk.open(key)

    def reuse(self, model: Model, tokens: Sequence[int], holder: Holder = _NOBODY) -> Reuse:
        """Bring the model to hold the longest beginning of `tokens` that is anywhere to be had, and nothing else. What
        it held is kept for whoever's it was; what it holds from now on is the `holder`'s."""
        held = model.tokens
        shared = shared_prefix(held, tokens)
        end = self._end_without(len(held), shared)
        other, other_shared = self._best(tokens)
        if len(held) - shared >= _WORTH_KEEPING:
            self._keep_what_is_held(model)
        self._holder = holder
        if other is not None and other_shared >= shared + _WORTH_KEEPING:
            if model.restore(other):
                shared = other_shared
                end = ReuseEnd.NEW_TEXT if shared == len(other.tokens) else ReuseEnd.TURN_CHANGED
            else:
                self._give_up(other)
                shared = shared_prefix(model.tokens, tokens)
                end = self._end_without(len(model.tokens), shared)
        self._is_first = False
        return _cut(model, shared, len(tokens), end)

    def keep(self, state: Snapshot) -> None:
        """Keep a state, in memory within the budget, and on disk where there is a folder for it."""
        if len(state.tokens) < _WORTH_KEEPING:
            return
        if self._disk is not None and not state.is_private:
            self._disk.write(state)
        if state.size > self._budget:
            # It would drive out all the others, and then itself.
            self._has_evicted = True
            return
        for key, tokens in list(self._states):
            if key == self._key and state.tokens[: len(tokens)] == tokens:
                del self._states[key, tokens]
        self._states[self._key, state.tokens] = state
        self._make_room()

    def keep_all_of(self, model: Model) -> None:
        """Keep what the model holds: it is about to be freed."""
        if len(model.tokens) >= _WORTH_KEEPING:
            self._keep_what_is_held(model)

    def keep_to(self, budget: StateBudget) -> None:
        """Another budget from now on; what is held stays as far as that reaches."""
        if self._disk is not None:
            self._disk.close()  # what was to be written is, before the folder is looked at anew
        self._budget, self._disk = budget.memory, _disk_within(budget)
        if self._disk is not None:
            self._disk.open(self._key)
        self._make_room()

    def forget(self) -> None:
        """Give up what is held in memory."""
        self._states.clear()

    def forget_of(self, owners: Iterable[str], model: Model | None) -> None:
        """Give up all that is kept of these, of whatever model, in memory, on disk and in the model itself."""
        names = frozenset(owners)
        self._states = OrderedDict((key, state) for key, state in self._states.items() if state.owner not in names)
        if self._disk is not None:
            self._disk.forget_of(names)
        if model is not None and self._holder.owner in names:
            model.rewind(0)
            self._holder = _NOBODY

    def close(self) -> None:
        """Give up what is held in memory; wait until what was to be written is."""
        self._states.clear()
        if self._disk is not None:
            self._disk.close()

    def _make_room(self) -> None:
        while self.size > self._budget:
            self._states.popitem(last=False)
            self._has_evicted = True

    def _keep_what_is_held(self, model: Model) -> None:
        """Keep it for whoever's it is. What has room nowhere is not even copied: it may be gigabytes."""
        on_disk = self._disk.budget if self._disk is not None and not self._holder.is_private else 0
        if model.state_size > max(self._budget, on_disk):
            self._has_evicted = True
            return
        self.keep(replace(model.save(), owner=self._holder.owner, is_private=self._holder.is_private))

    def _best(self, tokens: Sequence[int]) -> tuple[Snapshot | None, int]:
        best, length = None, 0
        for (key, held), state in self._states.items():
            if key == self._key and (shared := shared_prefix(held, tokens)) > length:
                best, length = state, shared
        if best is not None:
            self._states.move_to_end((self._key, best.tokens))
        if self._disk is not None and (found := self._disk.best(tokens, length + _WORTH_KEEPING)) is not None:
            return found, shared_prefix(found.tokens, tokens)
        return best, length

    def _give_up(self, state: Snapshot) -> None:
        """Forget a state that the model will not have."""
        self._states.pop((self._key, state.tokens), None)
        if self._disk is not None:
            self._disk.discard(state)
        self._has_evicted = True

    def _end_without(self, held: int, shared: int) -> ReuseEnd:
        """Why reuse ends where it does, as far as what the model holds tells."""
        if shared:
            return ReuseEnd.NEW_TEXT if shared == held else ReuseEnd.TURN_CHANGED
        if self._is_first:
            return ReuseEnd.MODEL_RELOADED
        return ReuseEnd.EVICTED if self._has_evicted else ReuseEnd.TURN_CHANGED


def _disk_within(budget: StateBudget) -> StateFolder | None:
    if budget.folder is None:
        return None
    folder = StateFolder(budget.folder, budget.disk)
    if budget.disk:
        folder.shrink()
        return folder
    folder.clear()
    folder.close()
    return None


def _cut(model: Model, shared: int, wanted: int, end: ReuseEnd) -> Reuse:
    """Cut the model's memory to the `shared` tokens; where those are the whole prompt, its last logits decide."""
    if shared == wanted:
        has_logits = model.logits_at == wanted
        end = ReuseEnd.WHOLE_PROMPT if has_logits else ReuseEnd.LAST_TOKEN
        shared = wanted if has_logits else wanted - 1
    kept = model.rewind(shared)
    return Reuse(kept, end if kept == shared else ReuseEnd.NOT_REWINDABLE)
