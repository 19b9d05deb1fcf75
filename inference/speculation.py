"""Drafts from the text so far: where a reply repeats something, several tokens are evaluated at once.

A drafted token is taken only where it is the sampler's own choice. So the text is what it would have been, but for
near ties: llama.cpp computes a batch in another order than a token by itself, and rounds otherwise. It knows nothing of
words or requests: token ids decide.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Protocol

from inference.model import Model, Sampler

_SHORTEST_MATCH = 5  # tokens that must have come before in the same order
_LONGEST_MATCH = 16
_PLACES_COMPARED = 8
# The longer the match, the longer the draft. One token more than these is a multiple of four, which CPUs take best.
_DRAFT_FOR_MATCH = ((12, 15), (8, 11), (5, 7))
_DRAFT_STEP = 4
# In tokens' time: what may be lost at first, and what of earlier winnings may be lost again.
_CREDIT, _MOST_BALANCE = 2.0, 10.0
_INTEREST = 0.005  # of the time of tokens decoded one by one: what may be lost in the long run
_GUESSED_COST = 0.6  # of a token's time, for a drafted token, until it was measured
_SMOOTHING = 0.125


class Decoder(Protocol):
    """Gives the tokens of a reply, one after another: `sample`, then `evaluate` what was sampled, and again."""

    drafted: int
    accepted: int

    def sample(self, *, free: bool = False) -> int:
        """The next token, chosen by the request's sampler; a grammar lets everything pass while `free`."""

    def evaluate(self, token: int) -> bool:
        """Go on with `token`, the one sampled last; `False` where the stop flag was raised meanwhile."""

    def close(self) -> None:
        """Let the model hold the prompt and what was evaluated here, and nothing else."""


def decoder_of(
    model: Model,
    sampler: Sampler,
    prompt: Sequence[int],
    *,
    speculation: bool,
    max_tokens: int | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Decoder:
    """What decodes after `prompt`, once the model has read it: with drafts where they are wanted and the model's memory
    can be cut back."""
    if not speculation or not model.longest_draft:
        return OneByOne(model, sampler)
    return Drafting(model, sampler, prompt, max_tokens, clock)


class OneByOne:
    """Evaluates each token by itself."""

    def __init__(self, model: Model, sampler: Sampler) -> None:
        self._model = model
        self._sampler = sampler
        self.drafted = 0
        self.accepted = 0

    def sample(self, *, free: bool = False) -> int:
        return self._sampler.sample(free=free)

    def evaluate(self, token: int) -> bool:
        return bool(self._model.evaluate((token,)))

    def close(self) -> None:
        pass


class Drafting:
    """Evaluates a token together with those that followed the same text before, as long as that pays.

    `drafted` tokens were evaluated on trial, `accepted` of them turned out to be the sampler's choice.
    """

    def __init__(
        self,
        model: Model,
        sampler: Sampler,
        prompt: Sequence[int],
        max_tokens: int | None,
        clock: Callable[[], float],
    ) -> None:
        self._model = model
        self._sampler = sampler
        self._prompt = prompt
        self._clock = clock
        self._end = model.info.context_size if max_tokens is None else len(prompt) + max_tokens
        self._text: Repetitions | None = None
        self._account = Account()
        self._length = len(prompt)  # held tokens that belong to the text
        self._draft: Sequence[int] = ()
        self._at = -1  # the place in the last batch that is sampled from; -1 where that was one token
        self._spent = 0.0  # seconds that its evaluation took
        self.drafted = 0
        self.accepted = 0

    def sample(self, *, free: bool = False) -> int:
        return self._sampler.sample(self._at, free=free)

    def evaluate(self, token: int) -> bool:
        text = self._text = self._text or Repetitions(self._prompt)
        text.add(token)
        if 0 <= self._at < len(self._draft) and self._draft[self._at] == token:
            self._at += 1
            self._length += 1
            self.accepted += 1
            return True
        self._settle()
        match, draft = text.continuation(self._room())
        count = self._account.affordable(_wanted(match)) if draft else 0
        return self._evaluate(token, draft[:count])

    def close(self) -> None:
        self._cut()

    def _room(self) -> int:
        """How many tokens can be drafted: each of them, and the one that is sampled after it, must have a place."""
        end = min(self._end, self._model.info.context_size)
        return max(0, min(self._model.longest_draft, end - self._length - 2))

    def _evaluate(self, token: int, draft: Sequence[int]) -> bool:
        began = self._clock()
        self._draft, self._at = draft, 0 if draft else -1
        if draft:
            read = self._model.evaluate_draft((token, *draft))
            self.drafted += len(draft)
        else:
            read = self._model.evaluate((token,))
            self._account.add_token(self._clock() - began)
        self._length += min(read, 1)
        self._spent = self._clock() - began
        return read == 1 + len(draft)

    def _settle(self) -> None:
        """The sampler went another way than the draft, or to its end: cut what is left, and see whether it paid."""
        if not self._draft:
            return
        began = self._clock()
        self._cut()
        self._account.add_draft(len(self._draft), self._at, self._spent + self._clock() - began)
        self._draft = ()

    def _cut(self) -> None:
        if len(self._model.tokens) > self._length:
            self._model.rewind(self._length)


class Repetitions:
    """A text of token ids, and where its end was met before. What it costs to add a token or to ask does not depend on
    the length of the text."""

    def __init__(self, text: Sequence[int]) -> None:
        self._text: list[int] = []
        # The place after the newest occurrence of so many tokens in a row; and for each such place, the one before.
        self._newest: dict[tuple[int, ...], int] = {}
        self._earlier: dict[int, int] = {}
        for token in text:
            self.add(token)

    def add(self, token: int) -> None:
        """The text goes on with `token`."""
        place = len(self._text)
        if place >= _SHORTEST_MATCH:
            words = tuple(self._text[-_SHORTEST_MATCH:])
            earlier = self._newest.get(words)
            if earlier is not None:
                self._earlier[place] = earlier
            self._newest[words] = place
        self._text.append(token)

    def continuation(self, length: int) -> tuple[int, list[int]]:
        """How many of the last tokens were met before in the same order, and what followed them there, `length` tokens
        of it. The longest match counts; of equal ones, the newest."""
        best, place = 0, None
        candidate = self._newest.get(tuple(self._text[-_SHORTEST_MATCH:]))
        for _ in range(_PLACES_COMPARED):
            if candidate is None or best >= _LONGEST_MATCH:
                break
            match = self._match_before(candidate)
            if match > best:
                best, place = match, candidate
            candidate = self._earlier.get(candidate)
        if place is None:
            return 0, []
        # What reaches to the end of the text goes round.
        return best, list(islice(cycle(self._text[place : place + length]), length))

    def _match_before(self, place: int) -> int:
        text, length = self._text, _SHORTEST_MATCH
        while length < min(_LONGEST_MATCH, place) and text[place - 1 - length] == text[-1 - length]:
            length += 1
        return length


class Account:
    """What drafts won and lost, in measured seconds; a draft is affordable where the balance covers its whole loss.

    So text that never repeats loses next to nothing, and text that begins to repeat is drafted again after a while.
    """

    def __init__(self) -> None:
        self._token = 0.0  # seconds of a token by itself; 0.0 until one was measured
        self._drafted: float | None = None  # seconds of each token more in a batch
        self._balance = 0.0

    def add_token(self, seconds: float) -> None:
        """A token was evaluated by itself."""
        if not self._token:
            self._token = seconds
            self._balance = _CREDIT * seconds
        self._token += _SMOOTHING * (seconds - self._token)
        self._add(_INTEREST * seconds)

    def add_draft(self, drafted: int, accepted: int, seconds: float) -> None:
        """A token was evaluated together with `drafted` ones, of which `accepted` were right."""
        extra = max(0.0, seconds - self._token) / drafted
        self._drafted = extra if self._drafted is None else self._drafted + _SMOOTHING * (extra - self._drafted)
        self._add((1 + accepted) * self._token - seconds)

    def affordable(self, wanted: int) -> int:
        """How many tokens to draft, `wanted` at the most."""
        if not self._token:
            return 0
        cost = self._token * _GUESSED_COST if self._drafted is None else self._drafted
        while wanted > 0 and wanted * cost > self._balance:
            wanted -= _DRAFT_STEP
        return max(0, wanted)

    def _add(self, seconds: float) -> None:
        self._balance = min(self._balance + seconds, _MOST_BALANCE * self._token)


def _wanted(match: int) -> int:
    return next((draft for least, draft in _DRAFT_FOR_MATCH if match >= least), 0)
