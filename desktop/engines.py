"""The engine of this machine and the one for servers behind one face, each made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import inference
from inference import EngineClosed, RemoteModel

if TYPE_CHECKING:
    from inference import AnyModel, GenerationRequest, Job, JobId, RequestId, StateBudget


class Engines:
    """Hands each request to the engine that answers it, so that none waits for the other."""

    def __init__(
        self,
        make_local: Callable[[], inference.Engine],
        make_remote: Callable[[], inference.Engine | inference.RemoteEngine],
    ) -> None:
        self._make_local = make_local
        self._make_remote = make_remote
        self._local: inference.Engine | None = None
        self._remote: inference.Engine | inference.RemoteEngine | None = None
        self._closed = False

    def load(self, model: AnyModel) -> None:
        """Load a model file, or ask a server about a model."""
        if isinstance(model, RemoteModel):
            self._for_servers().load(model)  # type: ignore[arg-type]  # see Engine.load
        else:
            self._for_this_machine().load(model)

    def unload(self) -> None:
        """Free the model that is loaded here; a server keeps its own."""
        if self._local is not None:
            self._local.unload()

    def keep_states(self, states: StateBudget) -> None:
        """Keep to this budget here from now on; an engine that is not made yet is made with its own."""
        if self._local is not None:
            self._local.keep_states(states)

    def forget_states(self, owners: Iterable[str]) -> None:
        """Delete all that is kept here of these owners' requests, on disk too. Raises EngineClosed after `close`."""
        self._for_this_machine().forget_states(owners)

    def generate(self, request: GenerationRequest) -> RequestId:
        """Raises EngineClosed after `close`."""
        here = not isinstance(request.model, RemoteModel)
        return (self._for_this_machine() if here else self._for_servers()).generate(request)

    def run(self, job: Job) -> JobId:
        """Jobs are for a model of this machine. Raises EngineClosed after `close`."""
        return self._for_this_machine().run(job)

    def cancel(self, request: RequestId | JobId) -> None:
        for engine in self._made():
            engine.cancel(request)  # one that does not know it leaves it alone

    def close(self) -> None:
        """Close those that were made, one after the other. Closing twice is fine."""
        self._closed = True
        for engine in self._made():
            engine.close()

    def _made(self) -> tuple[inference.Engine | inference.RemoteEngine, ...]:
        return tuple(engine for engine in (self._local, self._remote) if engine is not None)

    def _for_this_machine(self) -> inference.Engine:
        if self._local is None:
            self._refuse_when_closed()
            self._local = self._make_local()
        return self._local

    def _for_servers(self) -> inference.Engine | inference.RemoteEngine:
        if self._remote is None:
            self._refuse_when_closed()
            self._remote = self._make_remote()
        return self._remote

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise EngineClosed
