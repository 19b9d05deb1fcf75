"""Asking a lent model again and again, so that only what is meant to differ differs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from inference.configuration import ModelConfig
from inference.events import FinishReason, GenerationFailed, GenerationFinished, JobProgress
from inference.ids import JobId
from inference.jobs import ModelOnLoan
from inference.messages import Message, Role
from inference.model import Snapshot
from inference.requests import GenerationRequest, Sampling
from inference.sentences import Sentence

WARMING_UP = Sentence("Warming up; not counted")

_SENTENCES = (
    "The river bends because water on the outside of a curve runs faster than on the inside. "
    "In spring it floods the meadows on both banks, and in a dry summer carts can cross it at the mill. "
    "The people of the lower town built their houses on small mounds of earth to keep them dry. "
)


class Stopped(Exception):
    """Somebody wants the job to end: whatever was measured so far is all there will be."""


class Trial:
    """Questions to a model on loan; every answer takes the likeliest tokens, so that the same question has the same
    answer."""

    def __init__(self, loan: ModelOnLoan, model: ModelConfig, job: JobId, *, quick: bool) -> None:
        self.loan = loan
        self.quick = quick
        self._model = model
        self._job = job
        self._steps = 1
        self._done = 0

    def plan(self, steps: int) -> None:
        """How many calls of `begin` there will be."""
        self._steps = max(1, steps)

    def begin(self, words: Sentence) -> JobProgress:
        """What is done now; to be yielded. Raises Stopped where nothing more is wanted."""
        if self.loan.is_stopped:
            raise Stopped
        progress = JobProgress(self._job, min(1.0, self._done / self._steps), words)
        self._done += 1
        return progress

    def ask(
        self,
        *said: Message | str,
        start: Snapshot | None = None,
        hold: bool = True,
        max_tokens: int | None = None,
        stop: tuple[str, ...] = (),
        exactly: bool = False,
    ) -> GenerationFinished:
        """The reply to these messages, the KV cache holding what `start` held; nothing at all without one, and what it
        holds now without `hold`. With `exactly`, the reply does not end before `max_tokens`.

        Raises:
            InferenceError: it cannot be answered.
            Stopped: it was stopped.
        """
        if hold:
            self.loan.hold(start)
        messages = tuple(Message(Role.USER, text) if isinstance(text, str) else text for text in said)
        sampling = Sampling(temperature=0.0, repeat_penalty=1.0, seed=1, logit_bias=self._no_end if exactly else None)
        request = GenerationRequest(self._model, messages, sampling, max_tokens, stop)
        for event in self.loan.answer(request):
            match event:
                case GenerationFinished(finish_reason=FinishReason.CANCELLED):
                    raise Stopped
                case GenerationFinished():
                    return event
                case GenerationFailed(error=error):
                    raise error
                case _:
                    pass
        raise AssertionError("a request ends with its last event")

    def text_of(self, tokens: int) -> str:
        """A text of about so many tokens, whole words."""
        known = len(self.tokens_of(_SENTENCES))
        text = _SENTENCES * (1 + tokens // known)
        cut = text[: max(1, len(_SENTENCES) * tokens // known)]
        return cut.rpartition(" ")[0] or cut

    def tokens_of(self, text: str) -> list[int]:
        return self.loan.model.vocabulary.tokenize(text, special=False)

    def fitting(self, sizes: Sequence[int], reserve: int = 0) -> tuple[int, ...]:
        """Those of `sizes` for which, with the template's words around them, the context window has room."""
        room = self.loan.info.context_size - reserve - 64
        return tuple(size for size in sizes if size <= room) or (max(8, room),)

    @cached_property
    def _no_end(self) -> tuple[tuple[int, float], ...]:
        """A bias that keeps a reply from ending."""
        vocabulary = self.loan.model.vocabulary
        ends = (token for token in range(vocabulary.size) if vocabulary.is_end(token))
        return tuple((token, float("-inf")) for token in ends)


def rounds_of(values: Sequence[int], rounds: int) -> list[tuple[int, int]]:
    """Each value in each round, up and down in turn, so that what drifts meanwhile does not favour one side."""
    return [(turn, value) for turn in range(rounds) for value in (values if turn % 2 == 0 else tuple(reversed(values)))]
