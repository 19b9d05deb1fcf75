"""A loaded model with one context, behind the Model protocol.

Each misuse that would end the process is checked for here, and raised as an error instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from inference.errors import GenerationBroke
from inference.events import ModelInfo
from inference.llama.library import llama
from inference.llama.log import EngineLog
from inference.llama.sampling import LlamaSampler
from inference.llama.vocabulary import LlamaVocabulary
from inference.model import StopFlag
from inference.requests import Sampling

_SEQUENCE = 0
_TO_THE_END = -1
_NO_ROOM, _ABORTED = 1, 2


class LlamaModel:
    """Owns the model's and the context's pointers. One thread at a time may use it."""

    def __init__(
        self, model: int, context: int, info: ModelInfo, template: str | None, stop_flag: StopFlag, log: EngineLog
    ) -> None:
        self._model: int | None = model
        self._context: int | None = context
        self._info = info
        self._template = template
        self._stop_flag = stop_flag  # llama.cpp reads its bytes: it must live as long as the context
        self._log = log
        self._vocabulary = LlamaVocabulary(llama.llama_model_get_vocab(model))
        self._memory = llama.llama_get_memory(context)
        self._held: list[int] = []
        self._has_logits = False
        self._batch = (llama.llama_token * info.batch_size)()

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
        context = self._open_context()
        count = len(tokens)
        self._check(tokens)
        self._batch[:count] = tokens
        self._has_logits = False
        self._log.forget()
        result = llama.llama_decode(context, llama.llama_batch_get_one(self._batch, count))
        if result == 0:
            # A GPU only queues the work: wait, so that the time is counted where it is spent.
            llama.llama_synchronize(context)
            self._held.extend(tokens)
            self._has_logits = True
            return count
        return self._after_refusal(result, tokens)

    def rewind(self, length: int) -> int:
        self._open_context()
        if not 0 <= length <= len(self._held):
            raise GenerationBroke(f"{len(self._held)} tokens are held; {length} cannot be kept.")
        if length == len(self._held):
            return length
        self._has_logits = False
        cut = llama.llama_memory_seq_rm(self._memory, _SEQUENCE, length, _TO_THE_END)
        if not cut or not self._holds_exactly(length):
            # A recurrent memory refuses; a sliding window may have dropped what is needed without a word.
            llama.llama_memory_clear(self._memory, True)
            length = 0
        del self._held[length:]
        return length

    def sampler(self, sampling: Sampling) -> LlamaSampler:
        self._open_context()
        return LlamaSampler(self, sampling, self._vocabulary.size)

    def with_logits(self) -> int:
        """The context, whose last token's logits are there to sample from."""
        context = self._open_context()
        if not self._has_logits:
            raise GenerationBroke("there is nothing to sample from.")
        return context

    def close(self) -> None:
        context, model, self._context, self._model = self._context, self._model, None, None
        if context is not None:
            llama.llama_free(context)
        if model is not None:
            llama.llama_model_free(model)

    def _check(self, tokens: Sequence[int]) -> None:
        if not 0 < len(tokens) <= self._info.batch_size:
            raise GenerationBroke(f"a batch holds 1 to {self._info.batch_size} tokens; got {len(tokens)}.")
        if len(self._held) + len(tokens) > self._info.context_size:
            raise GenerationBroke(f"the context window of {self._info.context_size:,} tokens is full.")
        if min(tokens) < 0 or max(tokens) >= self._vocabulary.size:
            raise GenerationBroke("a token is none of this model's.")

    def _after_refusal(self, result: int, tokens: Sequence[int]) -> int:
        """Bring the list of held tokens in line with what the memory holds now."""
        held = int(llama.llama_memory_seq_pos_max(self._memory, _SEQUENCE)) + 1
        read = max(0, min(held - len(self._held), len(tokens)))
        self._held.extend(tokens[:read])
        if held < len(self._held):
            llama.llama_memory_clear(self._memory, True)
            self._held.clear()
        match result:
            case r if r == _ABORTED:
                return read
            case r if r == _NO_ROOM:
                raise GenerationBroke("llama.cpp found no room in its memory.")
            case _:
                raise GenerationBroke(" ".join(self._log.errors()) or f"llama.cpp refused with {result}.")

    def _holds_exactly(self, length: int) -> bool:
        """Whether the memory reaches to `length`, and back as far as the next token looks."""
        last = llama.llama_memory_seq_pos_max(self._memory, _SEQUENCE)
        first = llama.llama_memory_seq_pos_min(self._memory, _SEQUENCE)
        if length == 0:
            return bool(last == -1)
        window = llama.llama_model_n_swa(self._open_model())
        needed = max(0, length - window) if window else 0
        return bool(last == length - 1 and 0 <= first <= needed)

    def _open_context(self) -> int:
        if self._context is None:
            raise GenerationBroke("the model was freed.")
        return self._context

    def _open_model(self) -> int:
        if self._model is None:
            raise GenerationBroke("the model was freed.")
        return self._model
