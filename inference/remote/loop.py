"""The remote engine's thread: an event loop on which each request is a task.

A task is what can be stopped anywhere: while a name is looked up, before the first byte, in mid-stream.
"""

from __future__ import annotations

import asyncio
from typing import assert_never

from inference.bounds import Proxy
from inference.configuration import RemoteModel
from inference.errors import InferenceError
from inference.events import RemoteModelFailed, RemoteModelInfo, RemoteModelReady
from inference.faults import fault_of
from inference.ids import RequestId
from inference.remote.inbox import Clock, Emit, Inbox, Job, KeyOf, Look, Patience, WayOut
from inference.remote.reply import Reply
from inference.remote.server import Server
from inference.remote.wire import Chunk, Offer, body_of
from inference.requests import GenerationRequest
from inference.server_errors import ModelNotOffered


def run(inbox: Inbox, emit: Emit, key_of: KeyOf, way_out: WayOut, patience: Patience, clock: Clock) -> None:
    """Do what comes into `inbox` until it is closed, then end what still runs."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_Tasks(emit, key_of, way_out, patience, clock).serve(inbox))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        inbox.wake_with(None)
        # Without waiting for its helper threads: one may be looking up a name for a long time.
        loop.close()


class _Tasks:
    """The requests that run, and what is known of the servers they go to."""

    def __init__(self, emit: Emit, key_of: KeyOf, way_out: WayOut, patience: Patience, clock: Clock) -> None:
        self._emit = emit
        self._key_of = key_of
        self._way_out = way_out
        self._patience = patience
        self._clock = clock
        self._servers: dict[tuple[str, Proxy], Server] = {}  # by address, and by the way there
        self._talks: dict[RequestId, asyncio.Task[None]] = {}
        self._ends: set[asyncio.Task[None]] = set()  # that see the talks through
        self._looks: set[asyncio.Task[None]] = set()

    async def serve(self, inbox: Inbox) -> None:
        loop, awake = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(awake.set)

        inbox.wake_with(wake)
        while True:
            awake.clear()
            batch = inbox.take()
            for job in batch.jobs:
                self._begin(job)
            for request in batch.cancelled:
                if (talk := self._talks.get(request)) is not None:
                    talk.cancel()
            if batch.closing:
                break
            await awake.wait()
        await self._end_all()

    def _begin(self, job: Job) -> None:
        match job:
            case GenerationRequest():
                reply = Reply(job, _remote(job).name, self._clock)
                talk = asyncio.create_task(self._talk(job, reply))
                self._talks[job.id] = talk
                # Cancelled before its first step, a task runs none of its own code: another one sees it through.
                _keep(asyncio.create_task(self._see_through(job.id, talk, reply)), self._ends)
            case Look():
                _keep(asyncio.create_task(self._look(job.model)), self._looks)
            case _:
                assert_never(job)

    async def _talk(self, request: GenerationRequest, reply: Reply) -> None:
        model = _remote(request)
        key = self._key_of(model.base_url)
        server = self._server(model.base_url)

        def hear(chunk: Chunk) -> None:
            for event in reply.feed(chunk):
                self._emit(event)

        try:
            offer = await _offer_for(model, server, key)
            name = _named(model, offer)
            await server.talk(body_of(request, name, offer.dialect), name, key, hear)
        except InferenceError:
            server.forget()
            raise

    async def _see_through(self, request: RequestId, talk: asyncio.Task[None], reply: Reply) -> None:
        """Emit the last event of a request, whichever way it ended."""
        await asyncio.wait({talk})
        del self._talks[request]
        error = None if talk.cancelled() else talk.exception()
        last = reply.finish(cancelled=talk.cancelled()) if error is None else reply.fail(_known(error))
        for event in last:
            self._emit(event)

    async def _look(self, model: RemoteModel) -> None:
        try:
            server = self._server(model.base_url)
            server.forget()
            offer = await server.offer(self._key_of(model.base_url))
            self._emit(RemoteModelReady(_info_of(model, offer), offer.names))
        except Exception as error:  # noqa: BLE001 - the engine's loop: one bad job must not end it
            self._emit(RemoteModelFailed(model, _known(error)))

    def _server(self, base_url: str) -> Server:
        place = base_url, self._way_out()
        if place not in self._servers:
            self._servers[place] = Server(base_url, self._patience, place[1])
        return self._servers[place]

    async def _end_all(self) -> None:
        for task in (*self._talks.values(), *self._looks):
            task.cancel()
        if running := self._ends | self._looks:
            await asyncio.wait(running)
        for server in self._servers.values():
            await server.close()


def _keep(task: asyncio.Task[None], tasks: set[asyncio.Task[None]]) -> None:
    """Hold on to a task while it runs; asyncio itself does not."""
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _remote(request: GenerationRequest) -> RemoteModel:
    assert isinstance(request.model, RemoteModel)  # noqa: S101 - the engine takes no other
    return request.model


async def _offer_for(model: RemoteModel, server: Server, key: str | None) -> Offer:
    """What the server offers. Where it does not say, a model that was named can be asked for all the same."""
    try:
        return await server.offer(key)
    except InferenceError:
        if not model.name:
            raise
    nothing_said = Offer()
    server.assume(nothing_said)
    return nothing_said


def _named(model: RemoteModel, offer: Offer) -> str:
    if not model.name and not offer.models:
        raise ModelNotOffered(model.base_url, "")
    return model.name or offer.names[0]


def _info_of(model: RemoteModel, offer: Offer) -> RemoteModelInfo:
    name = _named(model, offer)
    for info in offer.models:
        if info.config.name == name:
            return info
    raise ModelNotOffered(model.base_url, name, offer.names)


def _known(error: BaseException) -> InferenceError:
    if isinstance(error, InferenceError):
        # Its traceback would hold on to all that was at hand where it was raised: the key, the prompt.
        return error.with_traceback(None)
    return fault_of(error)
