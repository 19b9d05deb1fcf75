"""Things that take a while, each on a thread of its own; what came of it is said on Qt's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from inference import EngineFault, InferenceError, MemoryShort, is_shortage, tell_fault

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Post:
    """What another thread wants to be done on Qt's."""

    do: Callable[[], object]


class Errand:
    """Work that was sent away, as the work itself sees it."""

    def __init__(self, tell: Callable[[Errand, object], None]) -> None:
        self._tell = tell
        self.is_wanted = True  # until other work of its kind takes its place, or nobody wants it any more

    def tell(self, value: object) -> None:
        """Have this told on Qt's thread, if the work is wanted then."""
        self._tell(self, value)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """Who waits for an errand."""

    errand: Errand
    done: Callable[[Any], object]
    failed: Callable[[InferenceError], object]
    told: Callable[[Any], object]


class Errands:
    """Sends work away. Of work of one kind only the last counts: what came of the others is told to nobody.

    Everything but the work itself happens on Qt's thread, and whoever waits is known there alone: a thread that
    outlives the program's parts must not be the last to let go of them. Nobody waits for the threads, at the end of the
    program either; after `close` none of them says anything.
    """

    def __init__(self, post: Callable[[Post], None]) -> None:
        self._post: Callable[[Post], None] | None = post
        self._closing = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}

    def send(
        self,
        kind: str,
        work: Callable[[Errand], Result],
        done: Callable[[Result], object],
        failed: Callable[[InferenceError], object],
        told: Callable[[Any], object] = lambda _: None,
    ) -> None:
        """Have `work` done. It ends with `done` and its result, or with `failed` and the world's fault; a fault of our
        own is told where all of them are, and fails it too. Meanwhile `told` gets what it tells."""
        self.forget(kind)
        errand = Errand(self._tell)
        self._waiting[kind] = _Waiting(errand, done, failed, told)
        thread = threading.Thread(target=self._run, args=(kind, errand, work), name=kind, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives no more threads
            self._say(partial(self._end, kind, errand, MemoryShort(), failed=True))

    def forget(self, kind: str) -> None:
        """Have nothing told any more of what was sent of this kind."""
        if (waiting := self._waiting.pop(kind, None)) is not None:
            waiting.errand.is_wanted = False

    def close(self) -> None:
        """Take no answers any more: from now on nobody may be there to take them."""
        for kind in tuple(self._waiting):
            self.forget(kind)
        with self._closing:
            self._post = None

    def is_out(self, kind: str) -> bool:
        """Whether something of this kind is being done."""
        return kind in self._waiting

    # On the errand's thread

    def _run(self, kind: str, errand: Errand, work: Callable[[Errand], object]) -> None:
        try:
            result = work(errand)
        except InferenceError as error:
            self._say(partial(self._end, kind, errand, error, failed=True))
        except Exception as error:  # noqa: BLE001 - whoever waits for it would wait for ever
            tell_fault(error)
            fault = MemoryShort() if is_shortage(error) else EngineFault(type(error).__name__, "")
            self._say(partial(self._end, kind, errand, fault, failed=True))
        else:
            self._say(partial(self._end, kind, errand, result, failed=False))

    def _tell(self, errand: Errand, value: object) -> None:
        self._say(partial(self._pass_on, errand, value))

    def _say(self, do: Callable[[], object]) -> None:
        with self._closing:
            if self._post is not None:
                self._post(Post(do))

    # On Qt's

    def _end(self, kind: str, errand: Errand, result: Any, *, failed: bool) -> None:  # noqa: ANN401 - whatever the work gave
        waiting = self._waiting.get(kind)
        if waiting is not None and waiting.errand is errand:
            del self._waiting[kind]
            (waiting.failed if failed else waiting.done)(result)

    def _pass_on(self, errand: Errand, value: object) -> None:
        for waiting in tuple(self._waiting.values()):
            if waiting.errand is errand:
                waiting.told(value)
