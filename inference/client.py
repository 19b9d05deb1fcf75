"""connect(model or address) -> Client: generate() and stream(), a thin blocking wrapper around an engine.

It needs no window and no event loop: the caller's thread waits, the engine's works.
"""

from __future__ import annotations

import errno
import queue
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from types import TracebackType
from typing import Self, SupportsIndex

from inference.engine import Engine, LocalEngine
from inference.errors import InvalidRequest, ModelNotFound
from inference.events import (
    Event,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    ModelFailed,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    PrefillProgress,
    RemoteModelEvent,
    RemoteModelFailed,
    RemoteModelReady,
    TextDelta,
    Timings,
    Trace,
    TurnsLeftOut,
    Usage,
)
from inference.messages import Message, Role, message_from
from inference.model_files import EMBEDDED_FILE_NAME, embedded_model
from inference.prompt import PromptBuilder
from inference.remote import RemoteEngine
from inference.requests import (
    AnyModel,
    GenerationRequest,
    ModelConfig,
    RemoteModel,
    RequestId,
    Sampling,
    base_url_of,
    is_address,
)

_REMEMBERED_REPLIES = 256
_WAKE_SECONDS = 0.25  # on Windows a wait without end cannot be interrupted by Ctrl-C


@dataclass(frozen=True, slots=True)
class Response:
    """A whole reply, with its figures."""

    text: str
    finish_reason: FinishReason
    model: str
    usage: Usage
    timings: Timings
    trace: Trace
    reasoning: str = ""


def connect(
    source: str | Path | ModelConfig | None = None,
    *,
    model: str | Path | ModelConfig | None = None,
    api_key: str | None = None,
    context_size: int | None = None,
    threads: int | None = None,
    gpu_layers: int | None = None,
    template: str | None = None,
) -> Client:
    """A client of a model: the path of a GGUF file, the address of a server, or `None` for the embedded default.

    A file is loaded with the first request. `context_size` is in tokens; see `ModelConfig` for what `None` means.
    `template` is a Jinja chat template in place of the file's own.

    A server is any that speaks OpenAI's protocol, by an address such as `http://127.0.0.1:8080/v1`; `model` is what
    it calls the model, or `None` for its only or first one, and `api_key` goes to that address and to no other. It
    is asked with the first request.

    Raises:
        ModelNotFound: there is no such file, or no embedded model.
        InvalidRequest: a size below 1, an address that is none, or what only files or only servers have.
    """
    if source is None:
        source, model = model, None
    local = (context_size, threads, gpu_layers, template)
    if isinstance(source, str) and is_address(source):
        return _remote_client(source, model, api_key, local)
    if model is not None or api_key is not None:
        raise InvalidRequest("A model file is given alone; a model's name and a key belong to a server's address.")
    if not isinstance(source, ModelConfig):
        source = ModelConfig(_path_of(source), *local)
    if not _is_there(source.path):
        raise ModelNotFound(source.path)
    return Client(source)


class Client:
    """Asks one model; the same calls whichever engine answers.

    Several threads may ask at once: the engine answers one after another. A later call that continues an earlier
    conversation reuses its KV cache by itself. Closing is optional; a client left open is closed at exit.
    """

    def __init__(self, model: AnyModel, engine: Engine | None = None, mailbox: Mailbox | None = None) -> None:
        self.model = model
        self._mailbox = mailbox or Mailbox()
        self._engine: Engine = engine or LocalEngine(self._mailbox.post)
        self._replies = _RepliesSampled()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop what runs and free the model."""
        self._engine.close()

    def generate(
        self,
        prompt: str | None = None,
        *,
        messages: Sequence[Message | Mapping[str, object]] | None = None,
        max_tokens: int | None = None,
        stop: str | Sequence[str] = (),
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repeat_penalty: float | None = None,
        seed: int | None = None,
        thinking: bool | None = None,
    ) -> Response:
        """The whole reply to `prompt` (one user message) or to `messages`, once it is there. Where the last message is
        an assistant's, that reply is gone on with.

        `thinking` is heeded by models that have a switch for it; `None` leaves it to them.

        Raises:
            InvalidRequest: neither or both of prompt and messages, or a value outside its range.
            InferenceError: the model cannot be loaded, the prompt does not fit, or the engine could not go on.
        """
        sampling = Sampling(temperature, top_k, top_p, min_p, repeat_penalty, seed)
        for event in self._events(self._request(prompt, messages, max_tokens, stop, sampling, thinking)):
            match event:
                case GenerationFinished():
                    return _response(event)
                case GenerationFailed():
                    raise event.error
                case TurnsLeftOut() | PrefillProgress() | TextDelta():
                    pass
        raise AssertionError("a request ends with its last event")

    def stream(
        self,
        prompt: str | None = None,
        *,
        messages: Sequence[Message | Mapping[str, object]] | None = None,
        max_tokens: int | None = None,
        stop: str | Sequence[str] = (),
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        repeat_penalty: float | None = None,
        seed: int | None = None,
        thinking: bool | None = None,
    ) -> Iterator[GenerationEvent]:
        """The events of the reply as they come, the last one `GenerationFinished` or `GenerationFailed`.

        Closing the iterator, or leaving it unfinished, cancels the reply.

        Raises:
            InvalidRequest: as `generate`; what fails later is told by the last event.
        """
        sampling = Sampling(temperature, top_k, top_p, min_p, repeat_penalty, seed)
        return self._events(self._request(prompt, messages, max_tokens, stop, sampling, thinking))

    def _request(
        self,
        prompt: str | None,
        messages: Sequence[Message | Mapping[str, object]] | None,
        max_tokens: int | None,
        stop: str | Sequence[str],
        sampling: Sampling,
        thinking: bool | None,  # noqa: FBT001 - as all the wishes before it
    ) -> GenerationRequest:
        said = _said(prompt, messages)
        return GenerationRequest(
            model=self.model,
            messages=tuple(map(self._replies.with_ids, said)),
            sampling=replace(sampling, top_k=_whole("top_k", sampling.top_k), seed=_whole("seed", sampling.seed)),
            max_tokens=_whole("max_tokens", max_tokens),
            stop=_stop_strings(stop),
            thinking=thinking,
            continues=bool(said) and said[-1].role is Role.ASSISTANT,
        )

    def _events(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        letters = self._mailbox.open(request.id)
        try:
            self._engine.generate(request)
            while True:
                event = _next_of(letters)
                if isinstance(event, GenerationFinished):
                    self._replies.remember(event)
                yield event
                if isinstance(event, GenerationFinished | GenerationFailed):
                    return
        finally:
            self._engine.cancel(request.id)
            self._mailbox.discard(request.id)


def prompt_text(
    model: ModelConfig, messages: Sequence[Message | Mapping[str, object]], *, thinking: bool | None = None
) -> str:
    """What the model reads of `messages`, as one text. Of its file, only the vocabulary is loaded.

    Raises:
        ModelError: the file cannot be read.
        TemplateFailed: the chat template refuses these messages.
    """
    # llama.cpp is imported when it is needed.
    from inference.llama import load_reader

    reader = load_reader(model.path)
    try:
        said = tuple(map(message_from, messages))
        return PromptBuilder(reader, template=model.template).text(said, thinking=thinking)
    finally:
        reader.close()


class Mailbox:
    """Hands each event to whoever waits for its request. `post` is called by an engine's thread."""

    def __init__(self) -> None:
        self._boxes: dict[RequestId, queue.SimpleQueue[GenerationEvent]] = {}
        # Reentrant: a stream that was forgotten is closed wherever the garbage collector runs, be it in here.
        self._lock = threading.RLock()

    def post(self, event: Event | RemoteModelEvent) -> None:
        match event:
            case (
                ModelLoading()
                | ModelReady()
                | ModelFailed()
                | ModelUnloaded()
                | RemoteModelReady()
                | RemoteModelFailed()
            ):
                return  # a model that cannot be loaded also fails the request that wanted it
            case TurnsLeftOut() | PrefillProgress() | TextDelta() | GenerationFinished() | GenerationFailed():
                with self._lock:
                    box = self._boxes.get(event.request)
                if box is not None:
                    box.put(event)

    def open(self, request: RequestId) -> queue.SimpleQueue[GenerationEvent]:
        box: queue.SimpleQueue[GenerationEvent] = queue.SimpleQueue()
        with self._lock:
            self._boxes[request] = box
        return box

    def discard(self, request: RequestId) -> None:
        with self._lock:
            self._boxes.pop(request, None)


class _RepliesSampled:
    """The ids recent replies were sampled as, by their text: whoever sends a reply's text back finds its KV again."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, tuple[int, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def remember(self, finished: GenerationFinished) -> None:
        with self._lock:
            self._ids[finished.text] = finished.trace.kept_ids
            self._ids.move_to_end(finished.text)
            if len(self._ids) > _REMEMBERED_REPLIES:
                self._ids.popitem(last=False)

    def with_ids(self, message: Message) -> Message:
        if message.role is not Role.ASSISTANT or message.token_ids:
            return message
        with self._lock:
            return replace(message, token_ids=self._ids.get(message.content, ()))


def _said(prompt: object, messages: object) -> list[Message]:
    """What is asked, from whatever kind of value a caller gave."""
    if (prompt is None) == (messages is None):
        raise InvalidRequest("Give either a prompt or messages.")
    if prompt is not None:
        return [Message(Role.USER, _text("A prompt", prompt))]
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidRequest("Messages are a list, each with a role and a content.")
    said = []
    for message in messages:
        if not isinstance(message, Message | Mapping):
            raise InvalidRequest(f"A message has a role and a content; got {type(message).__name__}.")
        said.append(message_from(message))
    return said


def _stop_strings(stop: object) -> tuple[str, ...]:
    texts = stop if isinstance(stop, Iterable) and not isinstance(stop, str | bytes) else (stop,)
    return tuple(_text("A stop string", text) for text in texts)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} is text; got {type(value).__name__}.")
    return value


def _whole(name: str, value: object) -> int | None:
    """A whole number of any kind; no other would ever be reached by counting."""
    if value is None:
        return None
    if not isinstance(value, SupportsIndex):
        raise InvalidRequest(f"{name} is a whole number; got {value}.")
    return index(value)


def _response(event: GenerationFinished) -> Response:
    return Response(
        event.text,
        event.finish_reason,
        event.model_name,
        event.usage,
        event.timings,
        event.trace,
        event.reasoning,
    )


def _next_of(letters: queue.SimpleQueue[GenerationEvent]) -> GenerationEvent:
    while True:
        try:
            return letters.get(timeout=_WAKE_SECONDS)
        except queue.Empty:
            continue


def _remote_client(
    address: str, model: str | Path | ModelConfig | None, api_key: str | None, local: tuple[int | str | None, ...]
) -> Client:
    if not isinstance(model, str | None):
        raise InvalidRequest("A server's model is given by its name.")
    if any(value is not None for value in local):
        raise InvalidRequest("The context size, threads, layers and template are a server's own; leave them out.")
    remote = RemoteModel(base_url_of(address), model or "")
    keys = {remote.base_url: api_key.strip()} if api_key is not None else {}
    mailbox = Mailbox()
    return Client(remote, RemoteEngine(mailbox.post, keys.get), mailbox)


def _path_of(model: str | Path | None) -> Path:
    if model is None:
        return embedded_model() or Path(EMBEDDED_FILE_NAME)
    try:
        return Path(model).expanduser()
    except RuntimeError:  # there is no such user
        return Path(model)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        # Of a folder that may not be looked into, the load says so.
        return error.errno != errno.ENAMETOOLONG
