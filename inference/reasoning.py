"""How models mark their reasoning: text in, reasoning and answer out.

It knows nothing of bytes, tokens or stop strings. Reasoning comes before the answer; once the answer has begun,
everything is answer, also what looks like a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

from inference.events import DeltaKind

_TAG = re.compile(r"</((?:\w+:)?(?:think|thinking|thoughts?|reasoning)(?::\w+)?)>")
_WORD = re.compile(r"<[^<>\s]+>|\[[^\[\]\s]+\]")


@dataclass(frozen=True, slots=True)
class Markup:
    """The texts that stand around reasoning and answer, and are part of neither.

    One of `opens` begins reasoning, one of `closes` ends it. `intros` may come before the answer; one of `outros` ends
    an answer that an intro began. White space next to any of them is theirs.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...]
    intros: tuple[str, ...] = ()
    outros: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """What in them may be a token of its own, as `<think>` or `<|channel|>`."""
        texts = (*self.opens, *self.closes, *self.intros, *self.outros)
        return frozenset(word for text in texts for word in _WORD.findall(text))


THINK = Markup(("<think>",), ("</think>",))

# A family applies to a template that holds all its signs.
_FAMILIES: tuple[tuple[tuple[str, ...], Markup], ...] = (
    (
        ("<|channel|>", "<|message|>", "analysis"),  # gpt-oss
        Markup(
            opens=("<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>"),
            closes=("<|end|>",),
            intros=("<|start|>assistant", "<|channel|>final<|message|>"),
        ),
    ),
    (("<|channel>", "<channel|>"), Markup(("<|channel>thought",), ("<channel|>",))),  # Gemma 4
    (("[THINK]", "[/THINK]"), Markup(("[THINK]",), ("[/THINK]",))),  # Mistral
    (
        ("<|START_THINKING|>", "<|END_THINKING|>"),  # Cohere
        Markup(("<|START_THINKING|>",), ("<|END_THINKING|>",), ("<|START_RESPONSE|>", "<|START_TEXT|>")),
    ),
    (
        ("<|open|>", "<|close|>", "<|sep|>"),  # Kimi K3
        Markup(
            opens=("<|open|>think<|sep|>",),
            closes=("<|close|>think<|sep|>",),
            intros=("<|open|>response<|sep|>",),
            outros=("<|close|>response<|sep|>",),
        ),
    ),
    (
        ("<|begin|>", "<|think|>", "<|content|>"),  # Solar
        Markup(("<|think|>",), ("<|end|>",), ("<|begin|>assistant", "<|content|>"), ("<|end|>",)),
    ),
    (
        ("to=self", "<|message|>", "<|eom|>"),  # Muse
        Markup(("to=self<|message|>",), ("<|eom|>",), ("<|start|>assistant", "to=user<|message|>")),
    ),
    (("<|inner_prefix|>", "<|inner_suffix|>"), Markup(("<|inner_prefix|>",), ("<|inner_suffix|>",))),  # Apertus
    (
        ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),  # Apriel
        Markup(("Here are my reasoning steps:",), ("[BEGIN FINAL RESPONSE]",)),
    ),
    (
        ("<think>", "<response>", "</response>"),  # Granite
        Markup(("<think>",), ("</think>",), ("<response>",), ("</response>",)),
    ),
)


def find_markup(template: str, knows: Callable[[str], bool]) -> Markup | None:
    """How a model with this template marks its reasoning; `None` where it does not.

    `template` is its source and what it renders; `knows` says whether a word is a token of its own.
    """
    for signs, markup in _FAMILIES:
        if all(sign in template for sign in signs):
            return markup
    if names := sorted(set(_TAG.findall(template))):
        return Markup(tuple(f"<{name}>" for name in names), tuple(f"</{name}>" for name in names))
    for markup in (*(markup for _, markup in _FAMILIES), THINK):
        if markup.words and all(map(knows, markup.words)):
            return markup
    return None


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reply. `end` is where it ends in all that was fed, in characters."""

    kind: DeltaKind
    text: str
    end: int


class _Phase(Enum):
    BEFORE = auto()  # the answer: a mark may come, or the answer itself
    REASONING = auto()
    ANSWER = auto()


class ReasoningParser:
    """Tells reasoning and answer of one reply apart, a piece at a time.

    The same text gives the same parts however it was cut. `lead` is the prompt's end: where a mark that opens reasoning
    stands there, the reply begins inside. Text that may be the beginning of a mark is held back, and white space that
    may stand next to one.
    """

    def __init__(self, markup: Markup | None, lead: str = "") -> None:
        self._markup = markup or Markup((), ())
        tail = lead.rstrip()
        self.reasoned = tail.endswith(self._markup.opens)
        self.introduced = tail.endswith(self._markup.intros)
        self._phase = _Phase.REASONING if self.reasoned else _Phase.BEFORE if markup else _Phase.ANSWER
        self._held = ""
        self._fed = 0
        self._after_mark = self.reasoned
        self._blocks = 0  # of reasoning that have text
        self._in_block = False

    @property
    def answering(self) -> bool:
        """Whether the answer has begun."""
        return self._phase is _Phase.ANSWER

    @property
    def reasoning(self) -> bool:
        """Whether reasoning has begun that has not come to its end."""
        return self._phase is _Phase.REASONING

    def feed(self, text: str) -> list[Part]:
        """What can be told apart now that `text` has come."""
        self._held += text
        self._fed += len(text)
        parts: list[Part] = []
        while self._advance(parts):
            pass
        return parts

    def flush(self) -> list[Part]:
        """The rest, at the end of the reply: what only looked like the beginning of a mark."""
        parts: list[Part] = []
        match self._phase:
            case _Phase.REASONING:
                self._reason(len(self._held), parts)
            case _Phase.BEFORE if "|>" not in self._held:  # a mark that was begun with a control word is no text
                self._answer(parts)
            case _Phase.BEFORE | _Phase.ANSWER:
                pass
        self._held = ""
        return parts

    def _advance(self, parts: list[Part]) -> bool:
        """Take what is sure from the text held; whether more may be sure now."""
        match self._phase:
            case _Phase.BEFORE:
                return self._look_for_mark(parts)
            case _Phase.REASONING:
                return self._look_for_close(parts)
            case _Phase.ANSWER:
                self._answer(parts)
                return False
            case _:
                assert_never(self._phase)

    def _look_for_mark(self, parts: list[Part]) -> bool:
        text = self._held.lstrip()
        marks = (*self._markup.opens, *self._markup.intros)
        if found := min(filter(text.startswith, marks), key=len, default=""):
            self._held = text[len(found) :]
            self._after_mark = True
            if found in self._markup.opens:
                self._phase, self.reasoned, self._in_block = _Phase.REASONING, True, False
            else:
                self.introduced = True
            return True
        if any(mark.startswith(text) for mark in marks):
            return False
        self._answer(parts)
        return False

    def _look_for_close(self, parts: list[Part]) -> bool:
        found = first_of(self._held, self._markup.closes)
        if found is None:
            self._reason(len(self._held) - length_begun(self._held, self._markup.closes), parts)
            return False
        at, end = found
        self._held, rest = self._held[:at], self._held[end:]
        self._reason(at, parts, behind=end - at + len(rest))
        self._held = rest
        self._phase, self._after_mark = _Phase.BEFORE, True
        return True

    def _reason(self, length: int, parts: list[Part], behind: int = 0) -> None:
        """Give the first `length` characters held as reasoning, without white space that may stand next to a mark.
        `behind` more were fed after those held."""
        text = self._held[:length].rstrip()
        end = self._fed - behind - len(self._held) + len(text)
        self._held = self._held[len(text) :]
        if not self._in_block:
            text = text.lstrip()
        if text:
            self._blocks += not self._in_block
            parted = "\n\n" if self._blocks > 1 and not self._in_block else ""
            self._in_block = True
            parts.append(Part(DeltaKind.REASONING, parted + text, end))

    def _answer(self, parts: list[Part]) -> None:
        text = self._held
        if self._phase is _Phase.BEFORE and self._after_mark:
            text = text.lstrip()
        self._phase, self._held = _Phase.ANSWER, ""
        if text:
            parts.append(Part(DeltaKind.ANSWER, text, self._fed))


def first_of(text: str, marks: Iterable[str]) -> tuple[int, int] | None:
    """Where the mark stands that is complete first; of two that end together, the longer one."""
    found = [(at + len(mark), at) for mark in marks if (at := text.find(mark)) >= 0]
    if not found:
        return None
    end, at = min(found)
    return at, end


def length_begun(text: str, marks: Iterable[str]) -> int:
    """The length of the longest end of `text` that may be the beginning of a mark."""
    return max((_overlap(text, mark) for mark in marks), default=0)


def _overlap(text: str, mark: str) -> int:
    for length in range(min(len(text), len(mark) - 1), 0, -1):
        if text.endswith(mark[:length]):
            return length
    return 0
