"""What a text is made of: blocks and runs, plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from desktop.markdown.formula_marks import DISPLAY_OPENERS

CODE_LINES = 60
TABLE_ROWS = 12
TASK_OPEN, TASK_DONE = "☐", "☑"  # the markers of tasks


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style. `link` is the whole address, http(s) or mailto, or empty.

    A formula is a run of its own: its text is the source with its marks, `formula` what stands between them.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""
    formula: str = ""

    @property
    def is_display(self) -> bool:
        """Whether it is a formula that wants a line of its own."""
        return self.formula != "" and self.text.startswith(DISPLAY_OPENERS)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: in how many lists and quotes, with what marker before it, after a blank line or not.

    Of the lists, `outside` are around the quotes, the others in them. `resumes` says that this block goes on where the
    one before it was cut for length.
    """

    depth: int = 0
    quotes: int = 0
    marker: str = ""
    loose: bool = False
    resumes: bool = False
    outside: int = 0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; one with a marker begins a list item."""

    runs: tuple[Run, ...]
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    runs: tuple[Run, ...]
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""

    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Fence:
    """Code, or a stretch of a long one: up to `CODE_LINES` lines. `closed` says that it is the last stretch."""

    language: str
    text: str
    closed: bool
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or a stretch of a long one: up to `TABLE_ROWS` rows. `alignments` are "left", "center", "right", ""."""

    alignments: tuple[str, ...]
    header: tuple[tuple[Run, ...], ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    place: Place = Place()


Block: TypeAlias = Paragraph | Heading | Rule | Fence | Table
