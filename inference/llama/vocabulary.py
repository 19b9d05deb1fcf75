"""A model's vocabulary: text to token ids and back."""

from __future__ import annotations

import ctypes

from inference.llama.library import llama, token_to_piece, vocab_is_end

_FIRST_BUFFER = 64  # bytes; most pieces are far shorter


class LlamaVocabulary:
    """llama.cpp's vocabulary. Safe from any thread while its model lives."""

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer
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
        data = text.encode("utf-8", "replace")
        # A token is at least a byte, but for what a vocabulary puts before the text.
        room = len(data) + 8
        while True:
            tokens = (llama.llama_token * room)()
            count = llama.llama_tokenize(self._pointer, data, len(data), tokens, room, False, special)
            if count >= 0:
                return list(tokens[:count])
            room = -count

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
        return frozenset(
            llama.llama_vocab_get_text(self._pointer, token).decode("utf-8", "replace")
            for token in range(self._size)
            if llama.llama_vocab_is_control(self._pointer, token)
        )

    def text_of(self, token: int) -> str:
        """How a token is written, control tokens too; "" for a token that is not there (-1)."""
        return "" if token < 0 else self._read_piece(token, special=True).decode("utf-8", "replace")

    def _read_piece(self, token: int, *, special: bool) -> bytes:
        self._check(token)
        buffer = ctypes.create_string_buffer(_FIRST_BUFFER)
        length = token_to_piece(self._pointer, token, buffer, len(buffer), 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = token_to_piece(self._pointer, token, buffer, len(buffer), 0, special)
        return buffer.raw[:length]

    def _check(self, token: int) -> None:
        # llama.cpp ends the process over an id it does not have.
        if not 0 <= token < self._size:
            raise ValueError(f"token {token} is not one of {self._size}")
