"""Tokens' bytes to text that may be shown: whole characters, reasoning apart, and nothing of a stop string.

It knows nothing of token ids or vocabularies: bytes go in, text comes out.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inference.events import DeltaKind
from inference.reasoning import Markup, Part, ReasoningParser, first_of, length_begun


class TextStream:
    """Turns the pieces of one reply into text, a piece at a time.

    A character whose bytes are not all there is held back; so is text that may be the beginning of a stop string.
    What is held is bounded by the longest stop string. The stop string that is complete first ends the text, so that
    the same text ends at the same place however it was cut; they are looked for in the answer only. Bytes that are no
    UTF-8 become U+FFFD.

    `length` counts the characters of the pieces up to the end of what was shown.
    """

    def __init__(self, stop: Sequence[str] = (), markup: Markup | None = None, lead: str = "") -> None:
        self._stop = tuple(stop)
        self._outros = markup.outros if markup is not None else ()
        self._parser = ReasoningParser(markup, lead)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._held_to = 0
        self.stopped = False
        self.length = 0

    @property
    def reasoned(self) -> bool:
        """Whether the reply has reasoning, be it empty."""
        return self._parser.reasoned

    @property
    def answering(self) -> bool:
        """Whether the answer has begun."""
        return self._parser.answering

    @property
    def reasoning(self) -> bool:
        """Whether reasoning has begun that has not come to its end."""
        return self._parser.reasoning

    @property
    def holds(self) -> bool:
        """Whether text is held back that may be the beginning of a stop string."""
        return bool(self._held)

    @property
    def wants_words(self) -> bool:
        """Whether control tokens that mark reasoning or answer belong into the pieces now."""
        return not self.answering or (self._parser.introduced and bool(self._outros))

    def feed(self, piece: bytes) -> list[Part]:
        """The text that can be shown now that `piece` has come; after a stop string, none."""
        if self.stopped:
            return []
        return self._shown(self._parser.feed(self._decoder.decode(piece)))

    def flush(self) -> list[Part]:
        """The rest, at the end of the reply: what only looked like the beginning of a mark or a stop string. A
        character that never came to its end is not shown."""
        if self.stopped:
            return []
        shown = self._shown(self._parser.flush())
        if self._held:
            shown.append(Part(DeltaKind.ANSWER, self._held, self._held_to))
            self._held, self.length = "", self._held_to
        return shown

    def _shown(self, parts: list[Part]) -> list[Part]:
        shown = (part if part.kind is DeltaKind.REASONING else self._before_stop(part) for part in parts)
        shown_parts = [part for part in shown if part.text]
        if shown_parts:
            self.length = shown_parts[-1].end
        return shown_parts

    def _before_stop(self, part: Part) -> Part:
        """Of the answer, what no stop string can be part of any more."""
        stops = (*self._stop, *self._outros) if self._parser.introduced else self._stop
        if not stops:
            return part
        text = self._held + part.text
        found = first_of(text, stops)
        self.stopped = found is not None
        cut = found[0] if found is not None else len(text) - length_begun(text, stops)
        self._held, self._held_to = "" if self.stopped else text[cut:], part.end
        return replace(part, text=text[:cut], end=part.end - len(text) + cut)


def tokens_within(pieces: Iterable[bytes], length: int) -> int:
    """How many of the `pieces`, from the first, stand whole in the first `length` characters they spell.

    The count never ends inside a character, nor with pieces that stand for no text (an end token).
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    reached, whole = 0, 0
    for count, piece in enumerate(pieces, start=1):
        reached += len(decoder.decode(piece))
        if reached > length:
            break
        if piece and not decoder.getstate()[0]:
            whole = count
    return whole
