"""Tokens' bytes to text that may be shown: whole characters, and nothing of a stop string.

It knows nothing of token ids or vocabularies: bytes go in, text comes out.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence


class TextStream:
    """Turns the pieces of one reply into text, a piece at a time.

    A character whose bytes are not all there is held back; so is text that may be the beginning of a stop string.
    What is held is bounded by the longest stop string. The stop string that is complete first ends the text, so that
    the same text ends at the same place however it was cut. Bytes that are no UTF-8 become U+FFFD.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._stop = tuple(stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def feed(self, piece: bytes) -> str:
        """The text that can be shown now that `piece` has come; after a stop string, none."""
        if self.stopped:
            return ""
        text = self._decoder.decode(piece)
        if not self._stop:
            return text
        self._held += text
        return self._release()

    def flush(self) -> str:
        """The rest, at the end of the reply: what only looked like the beginning of a stop string. A character that
        never came to its end is not shown."""
        rest, self._held = self._held, ""
        return rest

    def _release(self) -> str:
        at = _first_stop(self._held, self._stop)
        if at is not None:
            self.stopped = True
            shown, self._held = self._held[:at], ""
            return shown
        keep = _length_of_begun_stop(self._held, self._stop)
        cut = len(self._held) - keep
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown


def tokens_within(pieces: Iterable[bytes], text: str) -> int:
    """How many of the `pieces`, from the first, stand whole in `text`.

    The count never ends inside a character, nor with pieces that stand for no text (an end token).
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    length, whole = 0, 0
    for count, piece in enumerate(pieces, start=1):
        part = decoder.decode(piece)
        if not text.startswith(part, length):
            break
        length += len(part)
        if piece and not decoder.getstate()[0]:
            whole = count
    return whole


def _first_stop(text: str, stops: Iterable[str]) -> int | None:
    """Where the stop string begins that is complete first; of two that end together, the longer one."""
    found = [(at + len(stop), at) for stop in stops if (at := text.find(stop)) >= 0]
    return min(found)[1] if found else None


def _length_of_begun_stop(text: str, stops: Iterable[str]) -> int:
    return max((_overlap(text, stop) for stop in stops), default=0)


def _overlap(text: str, stop: str) -> int:
    """The length of the longest end of `text` that is a beginning of `stop`, short of all of it."""
    for length in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:length]):
            return length
    return 0
