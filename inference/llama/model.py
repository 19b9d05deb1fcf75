"""A loaded model with one context, behind the Model protocol.

Each misuse that would end the process is checked for here, and raised as an error instead.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inference.blocks import block
from inference.errors import GenerationBroke
from inference.events import ModelInfo
from inference.llama.grammar import Grammar
from inference.llama.json_schema import grammar_of
from inference.llama.library import abort_callback, llama
from inference.llama.log import EngineLog
from inference.llama.sampling import LlamaSampler, Samplers
from inference.llama.vocabulary import LlamaVocabulary
from inference.model import Mark, Snapshot, StopFlag
from inference.requests import Sampling
from inference.sentences import Sentence
from inference.sizes import MOST_OUTPUTS

_SEQUENCE, _ANY_SEQUENCE = 0, -1
_TO_THE_END = -1
_NO_ROOM, _ABORTED = 1, 2
_PARTIAL = llama.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY  # only what cannot be cut: the window's cells, recurrent states
_MOST_MARKS = 32
_MOST_MARKED = 128 << 20  # bytes of marks; two are kept however large they are
_MOST_STEP_TIMES = 4096


class LlamaModel:
    """Owns the model's and the context's pointers. One thread at a time may use it; another one gets a RuntimeError."""

    def __init__(
        self,
        model: int,
        context: int,
        info: ModelInfo,
        template: str | None,
        state_key: str,
        stop_flag: StopFlag,
        log: EngineLog,
    ) -> None:
        self._model: int | None = model
        self._context: int | None = context
        self._info = info
        self._template = template
        self._state_key = state_key
        self._stop_flag = stop_flag  # llama.cpp reads its bytes: it must live as long as the context
        self._log = log
        self._vocabulary = LlamaVocabulary(llama.llama_model_get_vocab(model))
        self._memory = llama.llama_get_memory(context)
        self._window = int(llama.llama_model_n_swa(model))  # tokens a sliding window looks back; 0 without one
        # Layers that carry a state from token to token: it knows only forward.
        self._is_recurrent = bool(llama.llama_model_is_recurrent(model) or llama.llama_model_is_hybrid(model))
        # Taken as any sequence's, all of a window's cells are kept, also those that look back beyond it and that make
        # room for a small cut; and they come back from the first place on, wherever the last ones lay.
        self._kept_as = _ANY_SEQUENCE if self._window and not self._is_recurrent else _SEQUENCE
        # What a GPU holds would go out to memory and back, which takes as long as several tokens.
        self._settles = self._kept_as == _ANY_SEQUENCE and info.device == "CPU"
        self._is_settled = True
        self._may_abort = True  # inside a batch, as the context is made
        self._wants_marks = bool(self._window or self._is_recurrent)
        self._waits = info.device != "CPU"
        self._in_use = threading.Lock()
        self._held: list[int] = []
        self._marks: list[Mark] = []
        self._has_logits = False
        self._draft_size = 0  # of the last batch, where each of its tokens has logits
        self._kept_logits = b""
        self._logits_at = -1
        self._step_times: deque[float] = deque(maxlen=_MOST_STEP_TIMES)
        self._batch = (llama.llama_token * info.batch_size)()
        # Of a batch that it computes in several goes, llama.cpp finds the cells first, and takes those from a window's
        # cache that the last go will not need, but the first one may.
        self._at_once = min(info.batch_size, int(llama.llama_n_ubatch(context))) if self._window else info.batch_size
        none = (ctypes.c_int8 * info.batch_size)()
        self._none = ctypes.cast(none, ctypes.POINTER(ctypes.c_int8))
        every = (ctypes.c_int8 * MOST_OUTPUTS)(*[1] * MOST_OUTPUTS)
        self._every = ctypes.cast(every, ctypes.POINTER(ctypes.c_int8))
        self._samplers = Samplers(llama.llama_model_get_vocab(model), self._vocabulary.size, info.context_size)

    @property
    def info(self) -> ModelInfo:
        return self._info

    @property
    def vocabulary(self) -> LlamaVocabulary:
        return self._vocabulary

    @property
    def chat_template(self) -> str | None:
        return self._template

    @property
    def template_tokens(self) -> dict[str, str]:
        pointer = llama.llama_model_get_vocab(self._open_model())
        return {
            "bos_token": self._vocabulary.text_of(llama.llama_vocab_bos(pointer)),
            "eos_token": self._vocabulary.text_of(llama.llama_vocab_eos(pointer)),
        }

    @property
    def tokens(self) -> Sequence[int]:
        return self._held

    def evaluate(self, tokens: Sequence[int]) -> int:
        return self._evaluate(tokens, logits=None)

    @property
    def longest_draft(self) -> int:
        return 0 if self._wants_marks else min(MOST_OUTPUTS, self._info.batch_size) - 1

    def evaluate_draft(self, tokens: Sequence[int]) -> int:
        if len(tokens) > MOST_OUTPUTS:
            raise GenerationBroke(
                Sentence(
                    "a draft holds up to {MOST_OUTPUTS} tokens; got {tokens}.",
                    MOST_OUTPUTS=MOST_OUTPUTS,
                    tokens=len(tokens),
                )
            )
        read = self._evaluate(tokens, logits=self._every)
        self._draft_size = len(tokens) if self._has_logits else 0
        return read

    def rewind(self, length: int) -> int:
        with self._alone():
            if not 0 <= length <= len(self._held):
                raise GenerationBroke(
                    Sentence("{held} tokens are held; {length} cannot be kept.", held=len(self._held), length=length)
                )
            self._settle()
            if length == len(self._held):
                return length
            kept = length if self._cut(length) else self._back_to_mark(length)
            self._hold(self._held[:kept])
            return kept

    @property
    def wants_marks(self) -> bool:
        return self._wants_marks

    def mark(self, *, near: bool = False) -> None:
        if near and not self._is_recurrent:
            return
        with self._alone() as context:
            length = len(self._held)
            if not (self._marks and self._marks[-1].length == length):
                self._marks.append(Mark(length, _partial_state(context, _SEQUENCE)))
                self._thin_out_marks()

    def _thin_out_marks(self) -> None:
        marked = sum(len(mark.state) for mark in self._marks)
        while len(self._marks) > 2 and (len(self._marks) > _MOST_MARKS or marked > _MOST_MARKED):
            marked -= len(self._marks.pop(self._least_missed()).state)

    def _least_missed(self) -> int:
        """The mark to give up. The first stands behind the system prompt, the last is where the prompt goes on; of the
        others, the further back they are the wider they may stand: what is read again for an edit is then in
        proportion to what it changes."""
        lengths = [mark.length for mark in self._marks]
        return min(
            range(1, len(lengths) - 1), key=lambda at: (lengths[at + 1] - lengths[at - 1]) / (lengths[-1] - lengths[at])
        )

    def keep_logits(self) -> None:
        if self._has_logits:
            logits = llama.llama_get_logits_ith(self.with_logits(), -1)
            self._kept_logits = ctypes.string_at(logits, self._vocabulary.size * ctypes.sizeof(ctypes.c_float))
            self._logits_at = len(self._held)

    @property
    def logits_at(self) -> int:
        return self._logits_at

    @property
    def state_key(self) -> str:
        return self._state_key

    @property
    def state_size(self) -> int:
        with self._alone() as context:
            size = int(llama.llama_state_seq_get_size(context, self._kept_as))
            return size + len(self._kept_logits) + sum(len(mark.state) for mark in self._marks)

    def save(self) -> Snapshot:
        with self._alone() as context:
            sequence = self._kept_as
            size = llama.llama_state_seq_get_size(context, sequence)
            state = _written_to(size, lambda data: llama.llama_state_seq_get_data(context, data, size, sequence))
            return Snapshot(tuple(self._held), state, tuple(self._marks), self._kept_logits, self._logits_at)

    def restore(self, snapshot: Snapshot) -> bool:
        with self._alone() as context:
            self._clear()
            read = llama.llama_state_seq_set_data(context, _data_of(snapshot.state), len(snapshot.state), self._kept_as)
            if not read or not self._holds_exactly(len(snapshot.tokens)):
                self._clear()
                return False
            self._held = list(snapshot.tokens)
            self._marks, self._is_settled = list(snapshot.marks), True
            if len(snapshot.logits) == self._vocabulary.size * ctypes.sizeof(ctypes.c_float):
                self._kept_logits, self._logits_at = snapshot.logits, snapshot.logits_at
            return True

    def use_threads(self, decode: int, prefill: int) -> None:
        with self._alone() as context:
            llama.llama_set_n_threads(context, decode, prefill)

    def take_step_times(self) -> list[float]:
        times = list(self._step_times)
        self._step_times.clear()
        return times

    def sampler(self, sampling: Sampling, grammar: str | None = None, json_schema: str | None = None) -> LlamaSampler:
        pointer = llama.llama_model_get_vocab(self._open_model())
        if json_schema is not None:
            grammar = grammar_of(json_schema)
        held_to = Grammar(grammar, self._vocabulary, pointer) if grammar is not None else None
        return self._samplers.make(self, sampling, held_to)

    def with_logits(self, at: int = -1) -> int:
        """The context, whose logits are there to sample from: the last token's, or that at a place of a draft."""
        context = self._open_context()
        if self._in_use.locked():
            raise RuntimeError("another thread evaluates tokens with this model")
        if not self._has_logits or at >= self._draft_size:
            raise GenerationBroke(Sentence("there is nothing to sample from."))
        return context

    def kept_logits(self) -> bytes | None:
        """The logits kept for this place, as float32, where llama.cpp itself has none."""
        return self._kept_logits if not self._has_logits and self._logits_at == len(self._held) else None

    def close(self) -> None:
        with self._in_use:  # a thread that still evaluates is waited for
            context, model, self._context, self._model = self._context, self._model, None, None
            self._has_logits = False
            self._samplers.close()
            self._vocabulary.close()
            if context is not None:
                llama.llama_free(context)
            if model is not None:
                llama.llama_model_free(model)

    def _evaluate(self, tokens: Sequence[int], logits: Any) -> int:  # noqa: ANN401 - a pointer, to a mark for each token
        with self._alone() as context:
            self._check(tokens)
            self._has_logits, self._draft_size, self._is_settled = False, 0, False
            self._log.forget()
            # A state that carries on cannot be taken back by one token: what is left of this one is little against all
            # since the last mark, which would have to be read again.
            self._let_abort(context, wanted=len(tokens) > 1 or not self._is_recurrent)
            read = 0
            for begin in range(0, len(tokens), self._at_once):
                part = tokens[begin : begin + self._at_once]
                is_last = begin + len(part) == len(tokens)
                read += self._decode(context, part, logits if is_last else self._none)
                if read < begin + len(part):
                    return max(0, read)
            self._has_logits = True
            return read

    def _decode(self, context: int, tokens: Sequence[int], logits: Any) -> int:  # noqa: ANN401 - as above
        """One call of llama.cpp's; returns how many more tokens are held after it."""
        if self._stop_flag.is_set():  # inside a batch, only a CPU looks at it
            return 0
        count = len(tokens)
        self._batch[:count] = tokens
        began = time.perf_counter()
        batch = llama.llama_batch_get_one(self._batch, count)
        if logits is not None:
            batch.logits = logits
        result = llama.llama_decode(context, batch)
        if result != 0:
            return self._after_refusal(result, tokens)
        if self._waits:
            # A GPU only queues the work: wait, so that the time is counted where it is spent.
            llama.llama_synchronize(context)
        if count == 1:
            self._step_times.append(time.perf_counter() - began)
        self._held.extend(tokens)
        return count

    def _let_abort(self, context: int, *, wanted: bool) -> None:
        """Whether llama.cpp may look at the stop flag inside a batch."""
        if wanted != self._may_abort:
            callback = abort_callback() if wanted else llama.ggml_abort_callback()
            llama.llama_set_abort_callback(context, callback, self._stop_flag.address if wanted else None)
            self._may_abort = wanted

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """The context, for this thread alone: two threads in one end the process."""
        if not self._in_use.acquire(blocking=False):
            raise RuntimeError("another thread uses this model")
        try:
            yield self._open_context()
        finally:
            self._in_use.release()

    def _check(self, tokens: Sequence[int]) -> None:
        if not 0 < len(tokens) <= self._info.batch_size:
            raise GenerationBroke(
                Sentence(
                    "a batch holds 1 to {batch_size} tokens; got {tokens}.",
                    batch_size=self._info.batch_size,
                    tokens=len(tokens),
                )
            )
        if len(self._held) + len(tokens) > self._info.context_size:
            raise GenerationBroke(
                Sentence("the context window of {context_size:,} tokens is full.", context_size=self._info.context_size)
            )
        if min(tokens) < 0 or max(tokens) >= self._vocabulary.size:
            raise GenerationBroke(Sentence("a token is none of this model's."))

    def _after_refusal(self, result: int, tokens: Sequence[int]) -> int:
        """Bring the list of held tokens in line with what the memory holds now."""
        before = len(self._held)
        read = int(llama.llama_memory_seq_pos_max(self._memory, _SEQUENCE)) + 1 - before
        if self._is_recurrent or not 0 <= read <= len(tokens):
            # A state cannot be taken back, and llama.cpp counts the tokens of a batch it gave up as read.
            self._hold(self._held[: self._back_to_mark(before)])
            read = 0
        self._held.extend(tokens[:read])
        match result:
            case r if r == _ABORTED:
                return read
            case r if r == _NO_ROOM:
                raise GenerationBroke(Sentence("llama.cpp found no room in its memory."))
            case _:
                raise GenerationBroke(
                    " ".join(self._log.errors()) or Sentence("llama.cpp refused with {result}.", result=result)
                )

    def _cut(self, length: int) -> bool:
        """Cut the memory itself; `False`, and nothing cut, where what is needed before `length` is gone already."""
        if self._window and length and self._first_position() > self._first_needed(length):
            return False
        cut = llama.llama_memory_seq_rm(self._memory, _SEQUENCE, length, _TO_THE_END)
        return bool(cut) and self._holds_exactly(length)

    def _back_to_mark(self, length: int) -> int:
        """Go back to the newest mark at or before `length`, else to the beginning; returns how many tokens are left."""
        for mark in reversed([mark for mark in self._marks if mark.length <= length]):
            if self._take_back(mark.state) and self._cut(mark.length):
                return mark.length
        self._clear()
        return 0

    def _settle(self) -> None:
        """Bring a window's cells into the order they come back in from a snapshot: sums round by the order of cells, so
        a reply is then the same to the last bit whether or not its conversation was left and came back before it.

        It takes less than a token does: a window's cells are a small part of what is read for one.
        """
        if self._settles and not self._is_settled:
            self._is_settled = True
            if not self._take_back(_partial_state(self._open_context(), self._kept_as)):
                self._clear()

    def _take_back(self, state: bytes | memoryview) -> bool:
        """Have the memory hold, of what cannot be cut, what it held then."""
        context, size = self._open_context(), len(state)
        return bool(llama.llama_state_seq_set_data_ext(context, _data_of(state), size, self._kept_as, _PARTIAL))

    def _hold(self, tokens: list[int]) -> None:
        """Say that the memory holds `tokens`, a beginning of what it held."""
        self._has_logits = False
        self._held = tokens
        self._marks = [mark for mark in self._marks if mark.length <= len(tokens)]
        if self._logits_at > len(tokens):
            self._logits_at = -1

    def _clear(self) -> None:
        llama.llama_memory_clear(self._memory, True)
        self._hold([])

    def _holds_exactly(self, length: int) -> bool:
        """Whether the memory reaches to `length`, and back as far as the next token looks."""
        last = llama.llama_memory_seq_pos_max(self._memory, _SEQUENCE)
        if last != length - 1:
            return False
        return not (self._window and length) or 0 <= self._first_position() <= self._first_needed(length)

    def _first_position(self) -> int:
        return int(llama.llama_memory_seq_pos_min(self._memory, _SEQUENCE))

    def _first_needed(self, length: int) -> int:
        return max(0, length - self._window)

    def _open_context(self) -> int:
        if self._context is None:
            raise GenerationBroke(Sentence("the model was freed."))
        return self._context

    def _open_model(self) -> int:
        if self._model is None:
            raise GenerationBroke(Sentence("the model was freed."))
        return self._model


def _partial_state(context: int, sequence: int) -> memoryview:
    """Of what the memory holds, what cannot be cut."""
    size = llama.llama_state_seq_get_size_ext(context, sequence, _PARTIAL)
    return _written_to(size, lambda data: llama.llama_state_seq_get_data_ext(context, data, size, sequence, _PARTIAL))


def _data_of(state: bytes | memoryview) -> Any:  # noqa: ANN401 - a pointer
    if isinstance(state, bytes):
        return ctypes.cast(ctypes.c_char_p(state), ctypes.POINTER(ctypes.c_uint8))
    return (ctypes.c_uint8 * len(state)).from_buffer(state)


def _written_to(size: int, write: Callable[[Any], int]) -> memoryview:
    """What `write` puts into memory of this size; it returns how much of it. It is never there twice."""
    data = block(size)
    return data[: write(_data_of(data))]
