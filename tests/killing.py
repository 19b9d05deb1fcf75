"""Processes that are killed at moments drawn by chance, and what they had said by then.

`HEADWATER_MOMENTS=100` in the environment has every such test kill so many processes; without it they are a few, with
`LONG=1` some more. `HEADWATER_SEED` draws other moments. Counted are those alone that came in the middle of what a test
is about; where they came is printed (`pytest -s`).
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

BETWEEN = "between"  # where a process is that has begun nothing, or ended all it began

Fact = list[Any]
Work = Callable[..., None]

_SILENCE_SECONDS = 120.0  # after which nothing more will come
_TRIES = 5  # for each moment that is to come in the middle of something


def moments(few: int, some: int) -> int:
    """How many processes are killed: a few, some in the long form of the suite, or as many as somebody asked for."""
    return int(os.environ.get("HEADWATER_MOMENTS") or (some if os.environ.get("LONG") else few))


def seed() -> int:
    return int(os.environ.get("HEADWATER_SEED") or "7")


# In the process that is killed


def say(*fact: object) -> None:
    """Tell the test. A line is written whole or not at all, whatever happens to this process. Where there is no test
    any more, this process ends too."""
    try:
        os.write(1, (json.dumps((time.monotonic(), *fact)) + "\n").encode())
    except BrokenPipeError:
        os._exit(1)


@contextmanager
def doing(what: str) -> Iterator[list[object]]:
    """In the middle of something; what is put into the list is said with its end: from then on it is kept."""
    kept: list[object] = []
    say("began", what)
    yield kept
    say("ended", what, *kept)


_STEPS = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "open")  # Python's names for what is done to files


def die_before(step: int) -> None:
    """From now on this process kills itself before the step of that number that it does to a file: between two of them
    there may be less time than chance ever finds."""
    left = step

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _STEPS and not (event == "open" and not _writes(arguments)):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def _writes(arguments: tuple[object, ...]) -> bool:
    flags = arguments[-1]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def bring_up(works: Mapping[str, Work]) -> None:
    """For each line a process of its own, which has loaded everything already. The line: its work, and with what."""
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        process = os.fork()
        if process == 0:
            status = 1
            try:
                say("born", os.getpid())
                works[name](*arguments)
                status = 0
            except BaseException:  # noqa: BLE001 - nobody else will say it
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        _, ended = os.waitpid(process, 0)
        say("gone", os.waitstatus_to_exitcode(ended))


# In the test


@dataclass(frozen=True, slots=True)
class Life:
    """What a process said, when, in the middle of what it was at its end, and for how long it had been busy."""

    facts: Sequence[Fact]
    times: Sequence[float]
    place: str
    seconds: float

    def kept(self, what: str) -> list[Any]:
        """What was said at each end of something."""
        return [fact[2:] for fact in self.facts if fact[:2] == ["ended", what]]

    def seconds_of(self, what: str) -> float:
        """How long it took, the first time."""
        began = self.facts.index(["began", what])
        return next(
            moment - self.times[began]
            for moment, fact in zip(self.times[began:], self.facts[began:], strict=True)
            if fact[:2] == ["ended", what]
        )

    def said(self, kind: str) -> list[Any]:
        return [fact[1:] for fact in self.facts if fact[0] == kind]


class Nursery:
    """A process that brings up others: a module that calls `bring_up`."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"},
        )
        self._buffer = b""

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)  # with what it has just brought up
        self._process.communicate()

    def live(self, *order: object, seconds: float | None = None, begins: str = "") -> Life:
        """Have a process work; after so many seconds from when it began something (what `begins` says, if that is
        said) it is killed."""
        assert self._process.stdin is not None
        self._process.stdin.write((json.dumps(order) + "\n").encode())
        self._process.stdin.flush()
        _, kind, number = self._fact()
        assert kind == "born"
        facts: list[Fact] = []
        times: list[float] = []
        began = deadline = None
        killed = False
        while True:
            if deadline is not None and not killed and time.monotonic() >= deadline:
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(number, signal.SIGKILL)
                killed = True
            line = self._fact(None if killed else deadline)
            if line is None:
                continue
            moment, *fact = line
            if fact[0] == "gone":
                assert fact[1] in (0, -signal.SIGKILL), f"{order} ended with {fact[1]}"
                return Life(facts, times, _place(facts), 0.0 if began is None else times[-1] - began)
            times.append(moment)
            facts.append(fact)
            if began is None and fact[0] == "began" and begins in ("", fact[1]):
                began = moment
                deadline = None if seconds is None else began + seconds

    def _fact(self, deadline: float | None = None) -> Any:
        """The next line; `None` where none comes before that moment."""
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            wait = _SILENCE_SECONDS if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._process.stdout], [], [], wait)[0]:
                assert deadline is not None, "nothing comes from it any more"
                return None
            piece = os.read(self._process.stdout.fileno(), 1 << 16)
            assert piece, "it is gone"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)


def _place(facts: Sequence[Fact]) -> str:
    last = next((fact for fact in reversed(facts) if fact[0] in ("began", "ended")), None)
    return BETWEEN if last is None or last[0] == "ended" else str(last[1])


@dataclass(frozen=True, slots=True)
class Killing:
    """How many processes are killed, and within how many seconds; without that, as long as one of them takes. `within`
    is the one thing in whose middle that is to be; without it, whatever it is that they do."""

    count: int
    seconds: float | None = None
    within: str = ""

    def of(
        self, nursery: Nursery, order: Callable[[int], Sequence[object]], look: Callable[[int, Life], str | None]
    ) -> Counter[str]:
        """Kill them one after the other, until so many were killed in the middle of something. `order` says what the
        next one is to do; `look` sees what it left, and may know better in the middle of what that was. Returns how
        often it came in the middle of what."""
        dice = random.Random(seed())  # noqa: S311 - the same moments each time, for whoever looks for what went wrong
        seconds = self.seconds or self._seconds_of(nursery, order, look)
        places: Counter[str] = Counter()
        while self._counted(places) < self.count:
            number = places.total() + 1
            life = nursery.live(*order(number), seconds=dice.uniform(0, seconds), begins=self.within)
            places[look(number, life) or life.place] += 1
            assert number < self.count * _TRIES, f"hardly any moment is in the middle of something: {places}"
        report = f"seed {seed()}, {places.total()} moments within {seconds:.3f} s: {dict(places.most_common())}"
        print(report)  # noqa: T201 - for whoever asks for it with -s
        return places

    def _counted(self, places: Counter[str]) -> int:
        return places[self.within] if self.within else places.total() - places[BETWEEN]

    def _seconds_of(
        self, nursery: Nursery, order: Callable[[int], Sequence[object]], look: Callable[[int, Life], str | None]
    ) -> float:
        lives = []
        for _ in range(2):
            lives.append(nursery.live(*order(0)))
            look(0, lives[-1])
        return min(life.seconds for life in lives)
