"""How many threads decode fastest: tried in idle moments, remembered, and fewer when something else takes the cores.

It knows nothing of jobs: whoever has nothing to do calls `idle`, and raises the model's stop flag to have it end.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace

from inference.events import ModelInfo
from inference.measurements import Measurements, Pace, Threads
from inference.model import Model
from inference.sentences import Sentence

_ROUNDS = 3
_TOKENS = 8  # in each round, and one before them that counts for nothing: threads start with it
_FEWER_IS_BETTER_WITHIN = 1.03  # threads spin while they wait
_ENOUGH = 24  # tokens of a reply that say something about its pace
_SLOW = 2.0
_DRIFT = 0.1
_LEAST_DEPTH = 8


class ThreadTuner:
    """Sets the threads of one loaded model, at most `bound` of them. `file` names it among the measurements."""

    def __init__(self, model: Model, file: str, bound: int, measurements: Measurements) -> None:
        self._model = model
        self._file = file
        self._bound = bound
        self._measurements = measurements
        self._device = model.info.device.partition(":")[0]
        self._threads = self._usual = min(model.info.threads, bound)
        self._note = ""
        known = any((t.device, t.bound) == (self._device, bound) for t in measurements.of(file).threads)
        self._trial = _Trial(() if known or not _threads_matter(model.info) else candidates(bound))

    @property
    def has_work(self) -> bool:
        """Whether there is something to try, and nothing in the model's memory that it would disturb."""
        model = self._model
        room = model.info.context_size - len(model.tokens)
        return bool(self._trial.left) and room > _TOKENS and not (model.wants_marks and model.tokens)

    def idle(self) -> bool:
        """Try a little: one number of threads, for a few tokens. Returns whether the threads are others now."""
        if not self.has_work:
            return False
        threads = self._trial.left[0]
        times = self._times_with(threads)
        if len(times) > _TOKENS:
            self._trial.add(threads, times[1:])
        return self._settle() if not self._trial.left else False

    def after_reply(self) -> bool:
        """Look at how fast the last reply was decoded. Returns whether the threads are others now."""
        times = self._model.take_step_times()
        if len(times) < _ENOUGH or self._bound < 2 or not _threads_matter(self._model.info):
            return False
        seconds = median(times)
        usual = self._usual_pace()
        if self._threads < self._usual:
            self._trial = _Trial((self._usual, self._threads))  # whether what took the cores is gone
        if usual is not None and seconds > _SLOW * usual:
            return self._take_fewer(seconds, usual)
        self._remember(seconds if usual is None or seconds < usual else usual + _DRIFT * (seconds - usual))
        return False

    def describe(self, info: ModelInfo) -> ModelInfo:
        """`info` with the threads as they are now."""
        return replace(info, threads=self._threads, threads_note=self._note)

    def _times_with(self, threads: int) -> list[float]:
        """The seconds of each token, one more than are counted; fewer where the stop flag was raised meanwhile."""
        model, held = self._model, len(self._model.tokens)
        model.take_step_times()
        model.use_threads(threads, self._bound)
        try:
            for step in range(_TOKENS + 1):
                # Any tokens will do; with experts, not always the same ones.
                if not model.evaluate(((7 * step) % model.vocabulary.size,)):
                    break
        finally:
            model.rewind(held)
            self._apply()
        return model.take_step_times()

    def _settle(self) -> bool:
        best, seconds = self._trial.best()
        self._trial = _Trial(())
        if self._threads == self._usual:  # not a trial to come back to what is usual
            self._measurements.add_threads(self._file, Threads(self._device, self._bound, best))
            self._usual = best
        changed = best != self._threads
        self._threads = best
        if best == self._usual:
            self._note = ""
            self._remember(seconds)
        self._apply()
        return changed

    def _take_fewer(self, seconds: float, usual: float) -> bool:
        fewer = max(1, self._threads - max(1, self._threads // 4))
        if fewer == self._threads:
            return False
        self._note = Sentence(
            "{fewer} threads, not {usual}: the last reply was written at {last_rate:,.3g} tokens/s, usually it is"
            " {usual_rate:,.3g}. Something else uses the processor.",
            fewer=fewer,
            usual=self._usual,
            last_rate=1 / seconds,
            usual_rate=1 / usual,
        )
        self._threads = fewer
        self._apply()
        return True

    def _apply(self) -> None:
        """Decode with the threads as they are now. Reading a prompt is bound by the cores, so it gets all of them,
        unless something else takes some."""
        self._model.use_threads(self._threads, self._bound if self._threads >= self._usual else self._threads)

    def _usual_pace(self) -> float | None:
        here = (self._device, self._threads, self._depth)
        paces = self._measurements.of(self._file).paces
        return next((p.seconds for p in paces if (p.device, p.threads, p.depth) == here and p.seconds), None)

    def _remember(self, seconds: float) -> None:
        self._measurements.add_pace(self._file, Pace(self._device, self._threads, self._depth, seconds))

    @property
    def _depth(self) -> int:
        # The more tokens are held, the longer one takes.
        return max(_LEAST_DEPTH, len(self._model.tokens).bit_length())


def candidates(bound: int) -> tuple[int, ...]:
    """Numbers of threads worth trying, none above `bound`; none at all where there is no choice."""
    tried = {bound, -(-3 * bound // 4), -(-bound // 2)} if bound > 1 else set()
    return tuple(sorted(tried, reverse=True))


class _Trial:
    """A comparison of numbers of threads: which are left to try, in turns, and what was measured."""

    def __init__(self, tried: Iterable[int]) -> None:
        self.left = deque(list(tried) * _ROUNDS)
        self._times: dict[int, list[float]] = defaultdict(list)

    def add(self, threads: int, times: list[float]) -> None:
        self._times[threads] += times
        self.left.popleft()

    def best(self) -> tuple[int, float]:
        """The number to take, and how long a token then takes."""
        medians = {threads: median(times) for threads, times in self._times.items()}
        bar = min(medians.values()) * _FEWER_IS_BETTER_WITHIN
        return min((threads, seconds) for threads, seconds in medians.items() if seconds <= bar)


def median(times: Sequence[float]) -> float:
    """`statistics` would take longer to import than the whole of this module."""
    ordered, half = sorted(times), len(times) // 2
    return ordered[half] if len(times) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _threads_matter(info: ModelInfo) -> bool:
    """Whether a CPU has layers to compute, and nobody chose the threads."""
    return info.config.threads is None and (info.gpu_layers < info.layers or not info.layers)
