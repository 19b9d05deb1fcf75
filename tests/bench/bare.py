"""What the engine is measured against: llama.cpp with as little around it as can be."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from pathlib import Path

import llama_cpp.llama_cpp as llama


class BareLlama:
    """A context of its own and nothing but `llama_decode` and a greedy sampler.

    The context is made with the engine's settings (threads, batch size, one output), so that only what the engine
    adds differs.
    """

    def __init__(self, path: Path, *, context_size: int, threads: int, batch_size: int = 512) -> None:
        llama.llama_backend_init()
        self._model = llama.llama_model_load_from_file(str(path).encode(), llama.llama_model_default_params())
        params = llama.llama_context_default_params()
        params.n_ctx = context_size
        params.n_batch = params.n_ubatch = batch_size
        params.n_threads = params.n_threads_batch = threads
        params.n_outputs_max = 1
        params.swa_full = False
        # The engine's choice for a model with narrow heads on a CPU; with it, both decode alike.
        params.flash_attn_type = llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self._batch_size = batch_size
        self._context = llama.llama_init_from_model(self._model, params)
        chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        llama.llama_sampler_chain_add(chain, llama.llama_sampler_init_greedy())
        self._sampler = chain

    def prefill(self, tokens: Sequence[int]) -> float:
        """Read `tokens` into an empty cache; returns the seconds it took."""
        llama.llama_memory_clear(llama.llama_get_memory(self._context), True)
        array = (llama.llama_token * len(tokens))(*tokens)
        began = time.perf_counter()
        for at in range(0, len(tokens), self._batch_size):
            count = min(self._batch_size, len(tokens) - at)
            part = ctypes.cast(ctypes.byref(array, at * 4), ctypes.POINTER(llama.llama_token))
            llama.llama_decode(self._context, llama.llama_batch_get_one(part, count))
        llama.llama_synchronize(self._context)
        return time.perf_counter() - began

    def decode(self, steps: int) -> float:
        """Write `steps` + 1 tokens after what was read; returns the seconds of the `steps` between them."""
        token = (llama.llama_token * 1)()
        token[0] = llama.llama_sampler_sample(self._sampler, self._context, -1)
        began = time.perf_counter()
        for _ in range(steps):
            llama.llama_decode(self._context, llama.llama_batch_get_one(token, 1))
            token[0] = llama.llama_sampler_sample(self._sampler, self._context, -1)
        return time.perf_counter() - began

    def cut(self, length: int) -> None:
        """Keep the first `length` tokens, less one that is read again for its logits."""
        memory = llama.llama_get_memory(self._context)
        llama.llama_memory_seq_rm(memory, 0, length, -1)

    def read_again(self, token: int, position: int) -> None:
        """Put the last prompt token back, so that its logits are there to sample from."""
        self.cut(position)
        array = (llama.llama_token * 1)(token)
        llama.llama_decode(self._context, llama.llama_batch_get_one(array, 1))

    def close(self) -> None:
        llama.llama_sampler_free(self._sampler)
        llama.llama_free(self._context)
        llama.llama_model_free(self._model)
