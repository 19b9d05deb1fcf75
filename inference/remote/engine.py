"""RemoteEngine: OpenAI-compatible servers behind the same face as the model on this machine.

Requests run side by side: a server decides itself whose turn it is, and none waits for the model on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from inference.bounds import Proxy, StateBudget
from inference.configuration import AnyModel, RemoteModel
from inference.errors import InvalidRequest
from inference.ids import JobId, RequestId
from inference.leaving import Worker, closed_at_exit
from inference.remote.inbox import Clock, Emit, Inbox, KeyOf, Look, Patience, WayOut
from inference.requests import GenerationRequest
from inference.sentences import Sentence

if TYPE_CHECKING:
    from inference.jobs import Job


def _no_key(_: str) -> None:
    return None


class RemoteEngine:
    """Answers requests that name a `RemoteModel`, on a thread of its own, whichever server they name.

    `key_of` gives a server's key by its base URL; the key goes to that address and to no other. `way_out` is asked for
    the proxy before each request. A program that never closes the engine still exits cleanly: it is closed at the
    interpreter's exit.
    """

    def __init__(
        self,
        emit: Emit,
        key_of: KeyOf = _no_key,
        patience: Patience | None = None,
        clock: Clock = time.perf_counter,
        way_out: WayOut = Proxy,
    ) -> None:
        self._emit = emit
        self._key_of = key_of
        self._patience = patience or Patience()
        self._clock = clock
        self._way_out = way_out
        self._inbox = Inbox()
        self._worker = Worker(self._work, "remote engine")
        self._was_closed = closed_at_exit(self)
        self._worker.start()

    def load(self, model: AnyModel) -> None:
        """Ask the server about `model`. Ends with `RemoteModelReady` or `RemoteModelFailed`.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: a model file.
        """
        self._inbox.put(Look(_remote(model)))

    def unload(self) -> None:
        """Nothing is held here: a server keeps or frees its models as it likes."""

    def keep_states(self, states: StateBudget) -> None:
        """Nothing is kept here, whatever the budget."""

    def forget_states(self, owners: Iterable[str]) -> None:
        """Nothing is kept here of anybody."""

    def generate(self, request: GenerationRequest) -> RequestId:
        """Send a request to the server it names.

        Raises:
            EngineClosed: the engine was closed before.
            InvalidRequest: the request names a model file.
        """
        _remote(request.model)
        self._inbox.put(replace(request, submitted_at=self._clock()))
        return request.id

    def run(self, job: Job) -> NoReturn:
        """Raises InvalidRequest: what a job does with a model, no server lets one do."""
        raise InvalidRequest(
            Sentence("Experiments run with a model of this machine, such as {name}.", name=job.model.path.name)
        )

    def cancel(self, request: RequestId | JobId) -> None:
        """Close the connection of a request at once, wherever it is; what was written stays."""
        self._inbox.cancel(RequestId(request))

    def close(self) -> None:
        """Cancel everything and wait for the last event. Closing twice is fine."""
        self.leave()
        self._worker.wait()
        self._was_closed()

    def leave(self) -> None:
        """Have it closed, but wait for nothing: the garbage collector may ask for it, on any thread."""
        if self._worker.is_here:
            self._inbox.close()

    def _work(self) -> None:
        # asyncio and httpx2 take a fifth of a second to import: on this thread, once an engine is wanted.
        from inference.remote.loop import run

        run(self._inbox, self._emit, self._key_of, self._way_out, self._patience, self._clock)


def _remote(model: AnyModel) -> RemoteModel:
    if not isinstance(model, RemoteModel):
        raise InvalidRequest(Sentence("This engine answers from servers; the request names a model file."))
    return model
