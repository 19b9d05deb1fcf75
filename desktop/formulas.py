"""TeX formulas as pictures: SVG and sizes, plain values, made in a process of its own.

`set_formula` makes a picture, `run` is the process: `python -m desktop.formulas`, and in a frozen program `headwater
--set-formulas`. It answers each line of JSON with one. A formula may come from a model that was told to be hostile, so
somebody has to wait for the answer who can end the process; and a formula takes some 10 ms of Python, which nobody
should wait for who draws text.

It knows nothing of Qt.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:  # imported with the first formula
    from ziamath.zmath import Latex

SET_OPTION = "--set-formulas"
INK = "currentColor"  # stands in the picture where the colour of the text belongs

LONGEST = 2000  # characters
DEEPEST = 40  # braces, and what else has an end
LARGEST = 300_000  # characters of SVG
WIDEST = 300  # em
HIGHEST = 100  # em
MOST_MEMORY = 1 << 30  # bytes, where the system can hold a process to that


@dataclass(frozen=True, slots=True)
class Formula:
    """What stands between the marks of a formula, and whether it has a line of its own."""

    tex: str
    is_display: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A formula as SVG. Its sizes are in em; `ascent` and `descent` are above and below the baseline."""

    svg: str
    width: float
    ascent: float
    descent: float


class FormulaRefused(Exception):
    """There is no picture of this formula: it is shown as it was written."""


def set_formula(formula: Formula) -> Picture:
    """Make the picture of a formula. The first call loads ziamath.

    Raises:
        FormulaRefused: it is malformed, or too large, or has letters that the font for formulas has not.
    """
    if len(formula.tex) > LONGEST or _depth(formula.tex) > DEEPEST:
        raise FormulaRefused("too large")
    try:
        drawn = _drawn(formula)
        svg = drawn.svg()
    except _stumbles() as error:
        raise FormulaRefused(repr(error)) from error
    return _checked(svg)


def request(formula: Formula) -> bytes:
    """A line that asks for a formula."""
    return json.dumps(asdict(formula)).encode() + b"\n"


def picture_in(line: bytes) -> Picture | None:
    """The picture in a line that answers, or `None` where it was refused."""
    answer = json.loads(line)
    return Picture(**answer) if answer else None


def command() -> tuple[str, ...]:
    """How the process is started."""
    if getattr(sys, "frozen", False):
        return (sys.executable, SET_OPTION)
    return (sys.executable, "-P", "-m", "desktop.formulas")


def folder() -> str:
    """Where the process finds this package, wherever the program was started."""
    return str(Path(__file__).resolve().parent.parent)


def run() -> NoReturn:
    """Be the process: answer until standard input ends, which is when nobody waits any longer."""
    _limit_memory()
    lines: SimpleQueue[bytes] = SimpleQueue()
    # A thread of its own sees the end of input though a formula is taking forever.
    threading.Thread(target=_read_requests, args=(lines,), name="requests", daemon=True).start()
    while True:
        answer = _answer(lines.get())
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(line: bytes) -> dict[str, Any] | None:
    try:
        return asdict(set_formula(Formula(**json.loads(line))))
    except FormulaRefused:
        return None


def _drawn(formula: Formula) -> Latex:
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False  # Qt draws no glyphs of SVG 2
    config.precision = 2
    tex = _NUMBERED.sub(r"\g<0>*", formula.tex)
    drawn = Latex(tex, size=_SIZE, color=INK, inline=not formula.is_display)
    missing = [letter for letter in set(formula.tex) if not letter.isascii() and not drawn.font.glyphindex(letter)]
    if missing:
        raise FormulaRefused(f"no glyphs for {missing}")
    return drawn


def _checked(svg: str) -> Picture:
    """The picture, unless there is in it what a formula needs not."""
    found = _VIEW.search(svg)
    if found is None or len(svg) > LARGEST or not set(_TAG.findall(svg)) <= _TAGS:
        raise FormulaRefused("no picture of a formula")
    top, width, height = (float(number) / _SIZE for number in found.groups())
    if not (0 < width < WIDEST and 0 < height < HIGHEST):
        raise FormulaRefused("too large")
    return Picture(svg, width, -top, top + height)


def _stumbles() -> tuple[type[Exception], ...]:
    """What is raised on formulas that cannot be read: as manifold as what can be wrong with one. What is not among
    these ends the process, and the formula is refused all the same."""
    from latex2mathml import exceptions

    own = (kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
    return (*_STUMBLES, *own)


def _depth(tex: str) -> int:
    depth = deepest = 0
    for mark in filter(None, _NESTING.findall(tex)):  # the empty ones are letters that look like marks
        depth += 1 if mark in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest


def _limit_memory() -> None:
    """On Linux a process can be held to an amount; elsewhere the time it has is the bound."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read_requests(lines: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


_STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)
_SIZE = 40.0
_VIEW = re.compile(r'viewBox="\S+ (\S+) (\S+) (\S+)"')
_NUMBERED = re.compile(r"\\(?:begin|end)\{(?:equation|align|alignat|gather|multline|eqnarray)(?=\})")
_TAG = re.compile(r"<([A-Za-z]\w*)")
_TAGS = frozenset({"svg", "path", "rect", "line", "g"})
_OPENING = frozenset({"{", "\\begin", "\\left"})
_NESTING = re.compile(r"\\\\|\\[{}]|(\{|\}|\\begin\b|\\end\b|\\left\b|\\right\b)")

if __name__ == "__main__":
    run()
