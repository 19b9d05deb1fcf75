"""How the next token is chosen: one chain of llama.cpp's samplers per generation."""

from __future__ import annotations

import ctypes
import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from inference.errors import GenerationBroke, GrammarRefused, InvalidRequest
from inference.llama.grammar import Grammar
from inference.llama.library import llama, sampler_accept, sampler_apply, sampler_sample
from inference.requests import Sampling
from inference.sentences import Sentence

_MOST_SEED = 2**32 - 1  # llama.cpp's word for "choose one"
_COLDEST = 1e-6  # a temperature below it is none: the logits would not fit into their numbers
_FAINT = 1e-6  # times the likeliest: what is left out where llama.cpp would sort all, or cannot bear a chance of 0
_LARGEST_CUT = 4096  # tokens; sorting out more costs as much as it saves
_GRAMMAR_LOOKS_AT = 1024  # the likeliest tokens; all the others only where none of these is allowed
_LAST_N, _XTC_THRESHOLD, _TAU, _ETA = 64, 0.1, 5.0, 0.1
_DRY_BASE, _DRY_ALLOWED, _DRY_BREAKERS = 1.75, 2, ("\n", ":", '"', "*")

_Number = TypeVar("_Number", int, float)
Link: TypeAlias = Any  # a pointer of llama.cpp's to a sampler; false where there is none


class LogitsOwner(Protocol):
    """A context whose last batch's logits can be sampled from."""

    @property
    def tokens(self) -> Sequence[int]: ...
    def kept_logits(self) -> bytes | None:
        """Logits kept from before, as float32, where the context itself has none for this place."""

    def with_logits(self, at: int = -1) -> int:
        """The context's pointer. Raises GenerationBroke where it has no logits: llama.cpp would end the process."""


class LlamaSampler:
    """A chain over the logits of one context. It accepts what it samples by itself."""

    def __init__(
        self,
        context: LogitsOwner,
        chain: Link,
        vocabulary_size: int,
        grammar: Grammar | None = None,
        dry: Link | None = None,
    ) -> None:
        """`dry` is the link that wants to know the prompt, where there is one. `chain` and `grammar` are freed here."""
        self._context = context
        self._chain: Link | None = chain
        self._size = vocabulary_size
        self._grammar = grammar
        self._dry = dry
        self._candidates: _Candidates | None = None
        self._likeliest: Link | None = None

    def sample(self, at: int = -1, *, free: bool = False) -> int:
        """Raises GenerationBroke where there are no logits to sample from, or no token is allowed."""
        if self._dry is not None:
            self._read_prompt()
        grammar = None if free else self._grammar
        kept = self._context.kept_logits() if at < 0 else None
        if kept is None and grammar is None:
            return int(sampler_sample(self._chain, self._context.with_logits(at), at))
        token = self._choose(self._logits(kept, at), grammar)
        sampler_accept(self._chain, token)
        return token

    def likeliest(self, count: int, chosen: int) -> tuple[tuple[int, float], ...]:
        """Raises GenerationBroke where there are no logits."""
        import numpy as np

        logits = self._logits(self._context.kept_logits(), -1).astype(np.float64)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        places = np.argpartition(chances, -count)[-count:] if count < self._size else np.arange(self._size)
        best = [int(token) for token in places[np.argsort(-chances[places], kind="stable")]]
        named = best if chosen in best else [*best, chosen]
        return tuple((token, float(chances[token])) for token in named)

    def follow(self, token: int) -> None:
        if self._grammar is not None:
            if not self._grammar.allows(token):
                raise GrammarRefused(Sentence("what was written so far does not follow it."))
            self._grammar.accept(token)

    def close(self) -> None:
        for link in filter(None, (self._chain, self._likeliest)):
            llama.llama_sampler_free(link)
        self._chain = self._likeliest = None
        if self._grammar is not None:
            self._grammar.close()

    def _read_prompt(self) -> None:
        for token in self._context.tokens:
            sampler_accept(self._dry, token)
        self._dry = None

    def _logits(self, kept: bytes | None, at: int) -> Any:  # noqa: ANN401 - an array of numpy's
        import numpy as np

        if kept is not None:
            return np.frombuffer(kept, dtype=np.float32)
        context = self._context.with_logits(at)
        return np.ctypeslib.as_array(llama.llama_get_logits_ith(context, at), (self._size,))

    def _choose(self, logits: Any, grammar: Grammar | None) -> int:  # noqa: ANN401 - a C array
        """What `llama_sampler_sample` does before it accepts, held to the grammar.

        A grammar takes a while over a large vocabulary: it is asked about the token that is chosen without it, then
        about the likeliest tokens, and only then about all.
        """
        candidates = self._candidates = self._candidates or _Candidates(self._size)
        token = self._first(candidates.filled(logits))
        if grammar is None:
            return token
        if not grammar.allows(token):
            token = self._second(candidates, logits, grammar)
        grammar.accept(token)
        return token

    def _first(self, array: Any) -> int:  # noqa: ANN401 - a C array
        sampler_apply(self._chain, ctypes.byref(array))
        return int(array.data[array.selected].id)  # a link may have moved `data`

    def _second(self, candidates: _Candidates, logits: Any, grammar: Grammar) -> int:  # noqa: ANN401 - a C array
        self._likeliest = self._likeliest or llama.llama_sampler_init_top_k(_GRAMMAR_LOOKS_AT)
        for narrow in (True, False):
            array = candidates.filled(logits)
            if narrow:
                sampler_apply(self._likeliest, ctypes.byref(array))
            grammar.forbid(array)
            if candidates.keep(array.size, grammar.counts):
                token = self._first(array)
                if grammar.allows(token):
                    return token
        raise GenerationBroke(Sentence("no token of this model goes on as the grammar wants."))


class Samplers:
    """Makes the samplers of one model. What takes long to make is made once."""

    def __init__(self, pointer: int, vocabulary_size: int, context_size: int) -> None:
        """`pointer` is llama.cpp's vocabulary."""
        self._pointer = pointer
        self._size = vocabulary_size
        self._context_size = context_size
        self._suppressed = _suppressed(pointer)
        self._dry_kept: tuple[tuple[object, ...], Link] | None = None

    def make(self, context: LogitsOwner, sampling: Sampling, grammar: Grammar | None = None) -> LlamaSampler:
        """A sampler without a memory. It frees `grammar`, also where it cannot be made."""
        chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        dry = self._dry(sampling)
        sampler = LlamaSampler(context, chain, self._size, grammar, dry)
        try:
            links = list(self._links(sampling, dry))
        except InvalidRequest:
            if dry is not None:
                llama.llama_sampler_free(dry)
            sampler.close()
            raise
        for link in filter(None, links):
            llama.llama_sampler_chain_add(chain, link)
        if not all(links):
            # A chain with an empty link would end the process at its first sample.
            sampler.close()
            raise GenerationBroke(Sentence("a sampler could not be made."))
        return sampler

    def close(self) -> None:
        if self._dry_kept is not None:
            llama.llama_sampler_free(self._dry_kept[1])
        self._dry_kept = None

    def _links(self, sampling: Sampling, dry: Link | None) -> Iterator[Link]:
        """llama.cpp's own order, but for the penalties: those that cut come before those that look at each token that
        is left."""
        yield from self._bias(sampling)
        seed = secrets.randbelow(_MOST_SEED) if sampling.seed is None else sampling.seed
        temperature, swing = sampling.temperature or 0.0, sampling.dynatemp_range or 0.0
        if sampling.mirostat:
            yield llama.llama_sampler_init_temp(temperature)
            yield llama.llama_sampler_init_min_p(_FAINT, 1)
            tau, eta = _or(sampling.mirostat_tau, _TAU), _or(sampling.mirostat_eta, _ETA)
            yield llama.llama_sampler_init_mirostat_v2(seed, tau, eta)
        elif temperature < _COLDEST and not swing:
            yield from self._greedy(sampling, dry)
        else:
            yield from self._cuts(sampling)
            yield from self._penalties(sampling, dry)
            yield from _finer_cuts(sampling, seed)
            yield from _heat(sampling, temperature, swing)
            yield llama.llama_sampler_init_dist(seed)

    def _bias(self, sampling: Sampling) -> Iterator[Link]:
        biases = dict(sampling.logit_bias or ())
        if biases and max(biases) >= self._size:
            raise InvalidRequest(
                Sentence(
                    "logit_bias names token {biases}; this model has {size:,}, from 0.",
                    biases=max(biases),
                    size=self._size,
                )
            )
        biases |= dict.fromkeys(self._suppressed, -math.inf)
        if biases:
            array = (llama.llama_logit_bias * len(biases))(*biases.items())
            yield llama.llama_sampler_init_logit_bias(self._size, len(biases), array)

    def _greedy(self, sampling: Sampling, dry: Link | None) -> Iterator[Link]:
        penalties = list(self._penalties(sampling, dry))
        if penalties and _only_lower(sampling):
            # At most so many tokens are lowered: the likeliest of the others is among these.
            count = 1 + self._last_n(sampling) + (self._dry_last_n(sampling) if dry is not None else 0)
            if count <= _LARGEST_CUT:
                yield llama.llama_sampler_init_top_k(count)
        yield from penalties
        yield llama.llama_sampler_init_greedy()

    def _cuts(self, sampling: Sampling) -> Iterator[Link]:
        """From the whole vocabulary to what is worth looking at."""
        if sampling.top_n_sigma:
            yield llama.llama_sampler_init_top_n_sigma(sampling.top_n_sigma)
        if sampling.top_k:
            yield llama.llama_sampler_init_top_k(sampling.top_k)
        elif sampling.min_p or _or(sampling.top_p, 1.0) < 1.0:
            yield llama.llama_sampler_init_min_p(sampling.min_p or _FAINT, 1)

    def _penalties(self, sampling: Sampling, dry: Link | None) -> Iterator[Link]:
        repeat, frequency = sampling.repeat_penalty or 1.0, sampling.frequency_penalty or 0.0
        presence = sampling.presence_penalty or 0.0
        if (repeat, frequency, presence) != (1.0, 0.0, 0.0):
            yield llama.llama_sampler_init_penalties(self._size, self._last_n(sampling), repeat, frequency, presence)
        if dry is not None:
            yield dry

    def _last_n(self, sampling: Sampling) -> int:
        return self._back(_or(sampling.repeat_last_n, _LAST_N))

    def _dry_last_n(self, sampling: Sampling) -> int:
        return self._back(_or(sampling.dry_penalty_last_n, -1))

    def _back(self, count: int) -> int:
        """How far back `count` looks; llama.cpp itself takes -1 for nothing."""
        return self._context_size if count < 0 else min(count, self._context_size)

    def _dry(self, sampling: Sampling) -> Link | None:
        """A link that punishes repetition, where one is wanted. It is copied from one that has read the whole
        vocabulary for the breakers, which takes up to a tenth of a second."""
        if not sampling.dry_multiplier or sampling.mirostat:
            return None
        base, allowed = _or(sampling.dry_base, _DRY_BASE), _or(sampling.dry_allowed_length, _DRY_ALLOWED)
        breakers = _DRY_BREAKERS if sampling.dry_sequence_breakers is None else sampling.dry_sequence_breakers
        last_n = self._dry_last_n(sampling)
        key = (sampling.dry_multiplier, base, allowed, last_n, breakers)
        if self._dry_kept is None or self._dry_kept[0] != key:
            self.close()
            array = (ctypes.c_char_p * len(breakers))(*(breaker.encode() for breaker in breakers))
            self._dry_kept = key, llama.llama_sampler_init_dry(self._pointer, *key[:-1], array, len(breakers))
        return llama.llama_sampler_clone(self._dry_kept[1])


def _finer_cuts(sampling: Sampling, seed: int) -> Iterator[Link]:
    if sampling.typical_p is not None and sampling.typical_p < 1.0:
        yield llama.llama_sampler_init_min_p(_FAINT, 1)
        yield llama.llama_sampler_init_typical(sampling.typical_p, 1)
    if sampling.top_p is not None and sampling.top_p < 1.0:
        yield llama.llama_sampler_init_top_p(sampling.top_p, 1)
    if sampling.min_p and sampling.top_k:
        yield llama.llama_sampler_init_min_p(sampling.min_p, 1)
    if sampling.xtc_probability:
        threshold = _or(sampling.xtc_threshold, _XTC_THRESHOLD)
        yield llama.llama_sampler_init_xtc(sampling.xtc_probability, threshold, 1, seed)


def _heat(sampling: Sampling, temperature: float, swing: float) -> Iterator[Link]:
    if swing:
        yield llama.llama_sampler_init_min_p(_FAINT, 1)
        yield llama.llama_sampler_init_temp_ext(temperature, swing, _or(sampling.dynatemp_exponent, 1.0))
    else:
        yield llama.llama_sampler_init_temp(temperature)


def _only_lower(sampling: Sampling) -> bool:
    return (
        (sampling.repeat_penalty or 1.0) >= 1.0
        and (sampling.frequency_penalty or 0.0) >= 0.0
        and (sampling.presence_penalty or 0.0) >= 0.0
    )


def _suppressed(pointer: int) -> tuple[int, ...]:
    """The tokens that a model's file says must never be written."""
    count = ctypes.c_int32(0)
    tokens = llama.llama_vocab_get_suppress_tokens(pointer, ctypes.byref(count))
    return tuple(tokens[: count.value]) if tokens else ()


def _or(value: _Number | None, otherwise: _Number) -> _Number:
    return otherwise if value is None else value


class _Candidates:
    """Every token with its logit, as llama.cpp's samplers take them. The samplers leave them in disorder."""

    def __init__(self, size: int) -> None:
        import numpy as np

        self._ids = np.arange(size, dtype=np.int32)
        self._data = np.zeros(size, dtype=[("id", np.int32), ("logit", np.float32), ("p", np.float32)])

    def filled(self, logits: Any) -> Any:  # noqa: ANN401 - arrays of numpy's and of llama.cpp's
        self._data["id"] = self._ids
        self._data["logit"] = logits
        data = self._data.ctypes.data_as(ctypes.POINTER(llama.llama_token_data))
        return llama.llama_token_data_array(data=data, size=len(self._data), selected=-1, sorted=False)

    def keep(self, size: int, wanted: Callable[[int], bool]) -> bool:
        """Take every chance from those of the first `size` that are not wanted, as far as they can be asked about in a
        moment; whether one is left."""
        import numpy as np

        left = self._data[:size]
        (places,) = np.nonzero(left["logit"] > -math.inf)
        if len(places) <= _LARGEST_CUT:
            tokens = left["id"][places].tolist()
            unwanted = [place for place, token in zip(places, tokens, strict=True) if not wanted(token)]
            left["logit"][unwanted] = -math.inf
            return len(unwanted) < len(places)
        return True
