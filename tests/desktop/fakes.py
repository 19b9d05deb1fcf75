"""ScriptedEngine: an engine that does nothing by itself; a test says what happens in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from inference import (
    DEFAULT_SAMPLING,
    AnyModel,
    DeltaKind,
    EngineClosed,
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    GenerationRequest,
    InferenceError,
    Job,
    JobFailed,
    JobFinished,
    JobId,
    JobProgress,
    ModelConfig,
    ModelFailed,
    ModelInfo,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    PrefillProgress,
    RemoteModel,
    RemoteModelEvent,
    RemoteModelFailed,
    RemoteModelInfo,
    RemoteModelReady,
    RequestId,
    ReuseEnd,
    StateBudget,
    TextDelta,
    Timings,
    Trace,
    TurnsLeftOut,
    Usage,
)

MODEL = Path("models/small.gguf").absolute()
OTHER_MODEL = Path("models/other.gguf").absolute()


class ScriptedEngine:
    """Remembers what it was asked; each of the second group of methods makes one thing happen, at once.

    Events go to every function in `listeners`. Text is counted as one token per call of `say`.
    """

    def __init__(self, *listeners: Callable[[Event], None]) -> None:
        self.listeners = list(listeners)
        self.remote_listeners: list[Callable[[RemoteModelEvent], None]] = []
        self.loads: list[AnyModel] = []
        self.unloads = 0
        self.forgotten: list[str] = []
        self.budgets: list[StateBudget] = []
        self.requests: list[GenerationRequest] = []
        self.jobs: list[Job] = []
        self.cancelled: list[RequestId | JobId] = []
        self.closed = False
        self._pieces: dict[RequestId, list[str]] = {}
        self._thoughts: dict[RequestId, list[str]] = {}
        self._read: dict[RequestId, tuple[int, int]] = {}

    def load(self, model: AnyModel) -> None:
        self.loads.append(model)

    def unload(self) -> None:
        self.unloads += 1

    def keep_states(self, states: StateBudget) -> None:
        self.budgets.append(states)

    def forget_states(self, owners: Iterable[str]) -> None:
        self.forgotten += owners

    def generate(self, request: GenerationRequest) -> RequestId:
        if self.closed:
            raise EngineClosed
        self.requests.append(request)
        self._pieces[request.id] = []
        self._thoughts[request.id] = []
        return request.id

    def run(self, job: Job) -> JobId:
        if self.closed:
            raise EngineClosed
        self.jobs.append(job)
        return job.id

    def cancel(self, request: RequestId | JobId) -> None:
        self.cancelled.append(request)

    def close(self) -> None:
        for request in list(self._pieces):
            self.finish(FinishReason.CANCELLED, request=request)
        self.closed = True

    @property
    def last_load(self) -> ModelConfig:
        """The model file that was asked for last."""
        return next(model for model in reversed(self.loads) if isinstance(model, ModelConfig))

    @property
    def last(self) -> RequestId:
        return self.requests[-1].id

    def emit(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)

    def loading(self, fraction: float, model: ModelConfig | None = None) -> None:
        self.emit(ModelLoading(model or self.last_load, fraction))

    def ready(self, model: ModelConfig | None = None, **facts: object) -> None:
        self.emit(ModelReady(model_info(model or self.last_load, **facts)))

    def fail_to_load(self, error: InferenceError, model: ModelConfig | None = None) -> None:
        self.emit(ModelFailed(model or self.last_load, error))

    def unloaded(self, model: ModelConfig | None = None) -> None:
        self.emit(ModelUnloaded(model or self.last_load))

    def read(self, evaluated: int, of: int, *, batch_end: int, seconds: float, cached: int = 0) -> None:
        self._read[self.last] = (evaluated, cached)
        self.emit(PrefillProgress(self.last, cached, of, evaluated, batch_end, seconds))

    def say(
        self, text: str, *, request: RequestId | None = None, at: float | None = None, began: float = 100.0
    ) -> None:
        request = request or self.last
        self._pieces[request].append(text)
        self._write(request, text, DeltaKind.ANSWER, at, began)

    def think(
        self, text: str, *, request: RequestId | None = None, at: float | None = None, began: float = 100.0
    ) -> None:
        request = request or self.last
        self._thoughts[request].append(text)
        self._write(request, text, DeltaKind.REASONING, at, began)

    def _write(self, request: RequestId, text: str, kind: DeltaKind, at: float | None, began: float) -> None:
        count = len(self._pieces[request]) + len(self._thoughts[request])
        self.emit(TextDelta(request, text, kind, count, began + 0.1 * (count - 1) if at is None else at, began))

    def progress(self, fraction: float, step: object = None) -> None:
        """The last job is so far."""
        self.emit(JobProgress(self.jobs[-1].id, fraction, step))

    def finish_job(self, result: object, *, cancelled: bool = False) -> None:
        self.emit(JobFinished(self.jobs[-1].id, result, cancelled))

    def fail_job(self, error: InferenceError) -> None:
        self.emit(JobFailed(self.jobs[-1].id, error))

    def leave_out(self, *messages: int, needed: int = 5000, context_size: int = 4096) -> None:
        self.emit(TurnsLeftOut(self.last, messages, needed, context_size))

    def emit_remote(self, event: RemoteModelEvent) -> None:
        for listener in self.remote_listeners:
            listener(event)

    def offer(self, model: RemoteModel, *names: str, **facts: object) -> None:
        """The server answers: it has `model` and the models of these names."""
        info = RemoteModelInfo(model, model.name, **facts)  # type: ignore[arg-type]  # as above
        self.emit_remote(RemoteModelReady(info, names or (model.name,)))

    def fail_to_reach(self, model: RemoteModel, error: InferenceError) -> None:
        self.emit_remote(RemoteModelFailed(model, error))

    def finish(
        self,
        reason: FinishReason = FinishReason.STOP,
        *,
        request: RequestId | None = None,
        trace: Trace | None = None,
        timings: Timings | None = None,
        usage: Usage | None = None,
        model_name: str = "small",
        begun_ids: tuple[int, ...] = (),
    ) -> None:
        request = request or self.last
        pieces, thoughts = self._pieces.pop(request), self._thoughts.pop(request)
        read, cached = self._read.get(request, (0, 0))
        count = len(pieces) + len(thoughts)
        ids, moments = tuple(range(1, count + 1)), tuple(0.1 * i for i in range(count))
        self.emit(
            GenerationFinished(
                request=request,
                text="".join(pieces),
                finish_reason=reason,
                model_name=model_name,
                usage=usage or Usage(read + cached, cached, count, len(thoughts)),
                timings=timings or timings_of(read, count),
                trace=trace or Trace(ids, moments, count, reuse_end=ReuseEnd.NEW_TEXT),
                reasoning="".join(thoughts),
                begun_ids=begun_ids,
            )
        )

    def fail(self, error: InferenceError, *, request: RequestId | None = None) -> None:
        request = request or self.last
        text, reasoning = "".join(self._pieces.pop(request)), "".join(self._thoughts.pop(request))
        self.emit(GenerationFailed(request, error, text, reasoning))


def model_info(config: ModelConfig, **facts: object) -> ModelInfo:
    known: dict[str, object] = {
        "name": config.path.stem,
        "architecture": "llama",
        "quantisation": "Q4_1",
        "parameters": 135_000_000,
        "file_size": 98_000_000,
        "training_context": 8192,
        "context_size": 4096,
        "batch_size": 512,
        "threads": 1,
        "device": "CPU",
        "template_name": "the model's own",
        "has_own_template": True,
        "default_sampling": DEFAULT_SAMPLING,
        "load_seconds": 0.2,
    }
    return ModelInfo(config=config, **(known | facts))  # type: ignore[arg-type]  # a test names the facts it needs


def timings_of(prefill_tokens: int, output_tokens: int) -> Timings:
    return Timings(
        queued=0.001,
        load=0.0,
        prepare=0.002,
        prefill=0.5 if prefill_tokens else 0.0,
        first_sample=0.001 if output_tokens else None,
        decode=0.1 * (output_tokens - 1) if output_tokens else None,
        finish=0.001,
        prefill_tokens=prefill_tokens,
        output_tokens=output_tokens,
    )
