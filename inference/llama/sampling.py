"""How the next token is chosen: one chain of llama.cpp's samplers per generation."""

from __future__ import annotations

import ctypes
import secrets
from collections.abc import Iterator
from typing import Protocol

from inference.errors import GenerationBroke
from inference.llama.library import llama, sampler_sample
from inference.requests import Sampling

_PENALISED_TOKENS = 64  # how far back a repetition counts
_MOST_SEED = 2**32 - 1  # llama.cpp's word for "choose one"


class LlamaSampler:
    """A chain over the logits of one context. It accepts what it samples by itself."""

    def __init__(self, context: LogitsOwner, sampling: Sampling, vocabulary_size: int) -> None:
        self._context = context
        self._chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        links = list(_samplers(sampling, vocabulary_size))
        for link in filter(None, links):
            llama.llama_sampler_chain_add(self._chain, link)
        if not all(links):
            # A chain with an empty link would end the process at its first sample.
            self.close()
            raise GenerationBroke("a sampler could not be made.")

    def sample(self) -> int:
        """Raises GenerationBroke where there are no logits to sample from."""
        kept = self._context.kept_logits()
        if kept is not None:
            return self._sample_from(kept)
        return int(sampler_sample(self._chain, self._context.with_logits(), -1))

    def close(self) -> None:
        if self._chain:
            llama.llama_sampler_free(self._chain)
            self._chain = None

    def _sample_from(self, kept: bytes) -> int:
        """What `llama_sampler_sample` does, over logits (float32) that are not llama.cpp's own any more."""
        import numpy as np

        logits = np.frombuffer(kept, dtype=np.float32)
        candidates = np.zeros(len(logits), dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])
        candidates["id"] = np.arange(len(logits), dtype=np.int32)
        candidates["logit"] = logits
        data = candidates.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))
        array = llama.llama_token_data_array(data=data, size=len(logits), selected=-1, sorted=False)
        llama.llama_sampler_apply(self._chain, ctypes.byref(array))
        token = int(data[array.selected].id)
        llama.llama_sampler_accept(self._chain, token)
        return token


class LogitsOwner(Protocol):
    """A context whose last token's logits can be sampled from."""

    def kept_logits(self) -> bytes | None:
        """Logits kept from before, as float32, where the context itself has none for this place."""

    def with_logits(self) -> int:
        """The context's pointer. Raises GenerationBroke where it has no logits: llama.cpp would end the process."""


def _samplers(sampling: Sampling, vocabulary_size: int) -> Iterator[int]:
    """The links in their order. Those that cut come before those that look at each token that is left."""
    top_k, penalty = sampling.top_k or 0, sampling.repeat_penalty or 1.0
    if top_k and (sampling.temperature or penalty != 1.0):
        yield llama.llama_sampler_init_top_k(top_k)
    if penalty != 1.0:
        # Of a whole vocabulary, a large one takes a millisecond and more.
        yield llama.llama_sampler_init_penalties(vocabulary_size, _PENALISED_TOKENS, penalty, 0.0, 0.0)
    if not sampling.temperature:
        yield llama.llama_sampler_init_greedy()
        return
    if sampling.top_p is not None and sampling.top_p < 1.0:
        yield llama.llama_sampler_init_top_p(sampling.top_p, 1)
    if sampling.min_p:
        yield llama.llama_sampler_init_min_p(sampling.min_p, 1)
    yield llama.llama_sampler_init_temp(sampling.temperature)
    yield llama.llama_sampler_init_dist(secrets.randbelow(_MOST_SEED) if sampling.seed is None else sampling.seed)
