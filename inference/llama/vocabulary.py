"""A model's vocabulary: text to token ids and back.

It knows nothing of prompts: no token is added that the text does not hold.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from functools import cached_property

from inference.errors import GenerationBroke
from inference.llama.library import llama, token_to_piece, vocab_is_end
from inference.sentences import Sentence

_FIRST_BUFFER = 64  # bytes; the few longer pieces are asked for twice

# llama.cpp cuts text into words by std::regex for many vocabularies, and that recurses for each character of a match:
# 26,000 letters in a row end the process. Besides, it takes a time that grows with the square of the parts a text falls
# into. So a long text goes in stretches of about this many characters.
_STRETCH = 1500
# What one match of any of its patterns can span. No run of these is longer than a stretch.
_WORD_ENDS = ".,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c"
_RUNS = (re.compile(rf"[^\s{_WORD_ENDS}]+"), re.compile(r"[^\w\s]+"), re.compile(r"\s+"))
# Where a text can be cut and still have the same tokens: at the beginning of a line.
_WORD_ON_NEW_LINE = re.compile(r"\n(?=[^\W_])")
_NEW_LINE = re.compile(r"\n(?!\n)")


class LlamaVocabulary:
    """llama.cpp's vocabulary of one model. Safe from any thread while the model lives.

    Raises:
        ValueError: it was asked for a token it does not have; llama.cpp would end the process.
        GenerationBroke: it was asked for something new after `close`.
    """

    def __init__(self, pointer: int) -> None:
        self._open: int | None = pointer
        self._size = int(llama.llama_vocab_n_tokens(pointer))
        self._pieces: dict[int, bytes] = {}
        beginning = int(llama.llama_vocab_bos(pointer))
        self._beginning = beginning if llama.llama_vocab_get_add_bos(pointer) and beginning >= 0 else None
        self._ends: dict[int, bool] = {}

    @property
    def size(self) -> int:
        return self._size

    @property
    def beginning(self) -> int | None:
        return self._beginning

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        tokens: list[int] = []
        for stretch in self._stretches(text):
            # Half a character (a lone surrogate) has no bytes: a "?" stands in for it.
            tokens += self._tokenize(stretch.encode("utf-8", "replace"), special=special)
        return tokens

    def piece(self, token: int) -> bytes:
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._read_piece(token, special=False)
        return piece

    def is_end(self, token: int) -> bool:
        end = self._ends.get(token)
        if end is None:
            self._check(token)
            end = self._ends[token] = bool(vocab_is_end(self._pointer, token))
        return end

    def control_texts(self) -> frozenset[str]:
        return self._control_texts

    def text_of(self, token: int) -> str:
        """How a token is written, control tokens too; "" for a token that is not there (-1)."""
        return "" if token < 0 else self._read_piece(token, special=True).decode("utf-8", "replace")

    def close(self) -> None:
        """Ask llama.cpp nothing more: the model is about to be freed."""
        self._open = None

    @property
    def _pointer(self) -> int:
        if self._open is None:
            raise GenerationBroke(Sentence("the model was freed."))
        return self._open

    @cached_property
    def _control_texts(self) -> frozenset[str]:
        # What is recognised only when control tokens are wanted: the unknown token is, too.
        return frozenset(self._texts_of(llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_UNKNOWN))

    @cached_property
    def _has_byte_pairs(self) -> bool:
        return bool(llama.llama_vocab_type(self._pointer) == llama.LLAMA_VOCAB_TYPE_BPE)

    @cached_property
    def _line_start(self) -> re.Pattern[str] | None:
        """Where a text may be cut without changing its tokens; `None` where no place is known to be safe."""
        if self._has_byte_pairs:
            return _WORD_ON_NEW_LINE
        # Where line ends are tokens of their own, what follows them is cut up by itself anyhow.
        own = [text for text in self._texts_of(llama.LLAMA_TOKEN_ATTR_USER_DEFINED) if "\n" in text]
        return _NEW_LINE if "\n" in own and all(not text.strip("\n") for text in own) else None

    def _stretches(self, text: str) -> Iterator[str]:
        if len(text) <= _STRETCH:
            yield text
            return
        for part in _without_long_runs(text) if self._has_byte_pairs else (text,):
            yield from _lines_together(part, self._line_start)

    def _tokenize(self, data: bytes, *, special: bool) -> list[int]:
        # A token is at least a byte, but for a blank that some vocabularies put before the text.
        room = len(data) + 8
        while True:
            tokens = (llama.llama_token * room)()
            count = llama.llama_tokenize(self._pointer, data, len(data), tokens, room, False, special)
            if count >= 0:
                return list(tokens[:count])
            room = -count

    def _read_piece(self, token: int, *, special: bool) -> bytes:
        self._check(token)
        buffer = ctypes.create_string_buffer(_FIRST_BUFFER)
        length = token_to_piece(self._pointer, token, buffer, len(buffer), 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = token_to_piece(self._pointer, token, buffer, len(buffer), 0, special)
        return buffer.raw[:length]

    def _texts_of(self, attributes: int) -> Iterator[str]:
        for token in range(self._size):
            if llama.llama_vocab_get_attr(self._pointer, token) & attributes:
                yield llama.llama_vocab_get_text(self._pointer, token).decode("utf-8", "replace")

    def _check(self, token: int) -> None:
        # llama.cpp ends the process over an id it does not have.
        if not 0 <= token < self._size:
            raise ValueError(f"token {token} is not one of {self._size}")


def _without_long_runs(text: str) -> Iterator[str]:
    """`text`, cut so that no run is longer than a stretch: nowhere in any text that people write."""
    cuts: set[int] = set()
    for run in _RUNS:
        for match in run.finditer(text):
            cuts.update(range(match.start() + _STRETCH, match.end(), _STRETCH))
    start = 0
    for end in sorted(cuts):
        yield text[start:end]
        start = end
    yield text[start:]


def _lines_together(text: str, line_start: re.Pattern[str] | None) -> Iterator[str]:
    """Whole lines, as many as make up a stretch."""
    start = 0
    while line_start is not None and (cut := line_start.search(text, start + _STRETCH)):
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:]
