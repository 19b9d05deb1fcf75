"""Engine: the face of whatever answers requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inference.bounds import StateBudget
    from inference.configuration import ModelConfig
    from inference.ids import JobId, RequestId
    from inference.jobs import Job
    from inference.requests import GenerationRequest


class Engine(Protocol):
    """What answers requests. Every method may be called from any thread and returns at once; only `close` waits.

    Every request ends with exactly one `GenerationFinished` or `GenerationFailed`, every job with one `JobFinished` or
    `JobFailed`; the events of each come in order; after `close` there are none. Where `emit` raises over one, its
    request or job ends there with an `EngineFault`, and nothing else does. Over a last event, or one of none of them,
    there is nothing to end: `threading.excepthook` is told.
    """

    def load(self, model: ModelConfig) -> None:
        """Have `model` loaded, in place of any other. Ends with `ModelReady` or `ModelFailed`."""

    def unload(self) -> None:
        """Free the model and its KV cache, once what was asked before is done. Jobs are ended early for it."""

    def keep_states(self, states: StateBudget) -> None:
        """Keep to this budget from now on, once what was asked before is done. What is beyond it goes at once."""

    def forget_states(self, owners: Iterable[str]) -> None:
        """Delete all that is kept of these owners' requests, in memory and on disk, once what was asked before is
        done; it is done even where the engine is closed meanwhile."""

    def generate(self, request: GenerationRequest) -> RequestId:
        """Queue a request; it loads its model where another or none is loaded.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: its model is not of the kind this engine answers with.
        """

    def run(self, job: Job) -> JobId:
        """Queue a job, which has the model to itself until it ends.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: this engine lends no models.
        """

    def cancel(self, request: RequestId | JobId) -> None:
        """End a request or a job early, wherever it is; what was written stays. One that has ended is left alone."""

    def close(self) -> None:
        """Cancel everything, wait for the last event, free the model. Closing twice is fine."""
