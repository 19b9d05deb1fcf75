"""connect(model or address) -> Client: generate() and stream(), a thin blocking wrapper around an engine.

It needs no window and no event loop: the caller's thread waits, the engine's works.
"""

from __future__ import annotations

import errno
import json
import queue
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsFloat, SupportsIndex, TypeVar, Unpack

from inference.configuration import AnyModel, EngineFiles, KvType, ModelConfig, RemoteModel, base_url_of, is_address
from inference.engine import Engine
from inference.errors import InvalidRequest, ModelNotFound
from inference.events import (
    Event,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    JobEvent,
    JobFailed,
    JobFinished,
    JobProgress,
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
from inference.ids import JobId, RequestId
from inference.local_engine import LocalEngine
from inference.messages import Message, Role, message_from
from inference.model_names import EMBEDDED_FILE_NAME, embedded_model
from inference.prompt import PromptBuilder
from inference.remote import RemoteEngine
from inference.requests import WHOLE_NUMBERS, GenerationRequest, Sampling, SamplingOptions

if TYPE_CHECKING:
    from inference.jobs import Job

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
    device: str | None = None,
    kv_type: str = KvType.F16,
) -> Client:
    """A client of a model: the path of a GGUF file, the address of a server, or `None` for the embedded default.

    A file is loaded with the first request. `context_size` is in tokens; see `ModelConfig` for what `None` means.
    `template` is a Jinja chat template in place of the file's own, `kv_type` is "f16" or "q8_0".

    A server is any that speaks OpenAI's protocol, by an address such as `http://127.0.0.1:8080/v1`; `model` is what
    it calls the model, or `None` for its only or first one, and `api_key` goes to that address and to no other. It
    is asked with the first request.

    Raises:
        ModelNotFound: there is no such file, or no embedded model.
        InvalidRequest: a size below 1, an address that is none, or what only files or only servers have.
    """
    if source is None:
        source, model = model, None
    if source == "":
        raise InvalidRequest("An empty text names no model.")
    local = (context_size, threads, gpu_layers, template, device)
    if isinstance(source, str) and is_address(source):
        return _remote_client(source, model, api_key, (*local, None if kv_type == KvType.F16 else kv_type))
    if model is not None or api_key is not None:
        raise InvalidRequest("A model file is given alone; a model's name and a key belong to a server's address.")
    if not isinstance(source, ModelConfig):
        source = ModelConfig(_path_of(source), *local, _kv_type(kv_type))
    if not _is_there(source.path):
        raise ModelNotFound(source.path)
    return Client(source)


class Wishes(SamplingOptions, total=False):
    """What a caller may want of a reply; what is left out is left to the model.

    `max_tokens` is the most it may have, `stop` ends it before any of these texts. `thinking` is heeded by models that
    have a switch for it. `grammar` (llama.cpp's GBNF) or `json_schema` (an object, or its text) holds the answer to a
    form. With `speculation`, text that repeats itself comes faster. The rest says how each token is chosen: see
    `Sampling`.
    """

    max_tokens: int | None
    stop: str | Sequence[str]
    thinking: bool | None
    grammar: str | None
    json_schema: str | Mapping[str, object] | None
    speculation: bool


_NUMBERS = SamplingOptions.__annotations__.keys() - {"dry_sequence_breakers", "logit_bias"}
_NOT_SAMPLING = Wishes.__annotations__.keys() - SamplingOptions.__annotations__.keys()


class Client:
    """Asks one model; the same calls whichever engine answers.

    Several threads may ask at once: the engine answers one after another. A later call that continues an earlier
    conversation reuses its KV cache by itself. Close it, or use `with`, to have its model freed by then. Where nobody
    has it any more it is freed by and by; one left open is closed at exit.
    """

    def __init__(self, model: AnyModel, engine: Engine | None = None, mailbox: Mailbox | None = None) -> None:
        self.model = model
        self._mailbox = mailbox or Mailbox()
        self._engine: Engine = engine or _left_with(self, LocalEngine(self._mailbox.post, files=EngineFiles.usual()))
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
        **wishes: Unpack[Wishes],
    ) -> Response:
        """The whole reply to `prompt` (one user message) or to `messages`, once it is there. Where the last message is
        an assistant's, that reply is gone on with.

        `wishes` are named in `Wishes`: max_tokens, stop, temperature, seed, grammar, and all the others.

        Raises:
            InvalidRequest: neither or both of prompt and messages, or a value outside its range.
            GrammarRefused: no reply can be held to the grammar or the JSON schema.
            InferenceError: the model cannot be loaded, the prompt does not fit, or the engine could not go on.
        """
        for event in self._events(self._request(prompt, messages, wishes)):
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
        **wishes: Unpack[Wishes],
    ) -> Iterator[GenerationEvent]:
        """The events of the reply as they come, the last one `GenerationFinished` or `GenerationFailed`.

        Closing the iterator, or leaving it unfinished, cancels the reply.

        Raises:
            InvalidRequest: as `generate`; what fails later is told by the last event.
        """
        return self._events(self._request(prompt, messages, wishes))

    def _request(
        self, prompt: str | None, messages: Sequence[Message | Mapping[str, object]] | None, wishes: Wishes
    ) -> GenerationRequest:
        said = _said(prompt, messages)
        sampling: dict[str, Any] = {name: value for name, value in wishes.items() if name not in _NOT_SAMPLING}
        return GenerationRequest(
            model=self.model,
            messages=tuple(map(self._replies.with_ids, said)),
            sampling=_sampling(sampling),
            max_tokens=_whole("max_tokens", wishes.get("max_tokens")),
            stop=_texts("A stop string", wishes.get("stop", ())),
            thinking=wishes.get("thinking"),
            continues=bool(said) and said[-1].role is Role.ASSISTANT,
            grammar=_optional_text("A grammar", wishes.get("grammar")),
            json_schema=_schema(wishes.get("json_schema")),
            speculation=wishes.get("speculation", False),
        )

    def request(
        self,
        prompt: str | None = None,
        *,
        messages: Sequence[Message | Mapping[str, object]] | None = None,
        **wishes: Unpack[Wishes],
    ) -> GenerationRequest:
        """What `generate` would ask for, for a job such as `inference.experiments.CompareJob`."""
        return self._request(prompt, messages, wishes)

    def run(self, job: Job) -> Iterator[JobEvent]:
        """Do a job, such as a comparison or an experiment of `inference.experiments`: how far it is, and at last
        `JobFinished` with its result. Closing the iterator ends it early.

        Raises:
            InferenceError: it cannot be done.
        """
        letters = self._mailbox.open_job(job.id)
        try:
            self._engine.run(job)
            while True:
                event = _next_of(letters)
                if isinstance(event, JobFailed):
                    raise event.error
                yield event
                if isinstance(event, JobFinished):
                    return
        finally:
            self._engine.cancel(job.id)
            self._mailbox.discard(job.id)

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


_Leaving = TypeVar("_Leaving", bound="LocalEngine | RemoteEngine")
_Letter = TypeVar("_Letter", bound="GenerationEvent | JobEvent")


class Mailbox:
    """Hands each event to whoever waits for its request. `post` is called by an engine's thread."""

    def __init__(self) -> None:
        self._boxes: dict[RequestId | JobId, queue.SimpleQueue[Any]] = {}
        # No lock: each step is one of a dict's own. The garbage collector may close a forgotten stream in the middle of
        # any, and a forked process would find a lock held for ever by a thread it does not have.

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
                box = self._boxes.get(event.request)
                if box is not None:
                    box.put(event)
            case JobProgress() | JobFinished() | JobFailed():
                box = self._boxes.get(event.job)
                if box is not None:
                    box.put(event)

    def open(self, request: RequestId) -> queue.SimpleQueue[GenerationEvent]:
        return self._open(request)

    def open_job(self, job: JobId) -> queue.SimpleQueue[JobEvent]:
        return self._open(job)

    def discard(self, asked: RequestId | JobId) -> None:
        self._boxes.pop(asked, None)

    def _open(self, asked: RequestId | JobId) -> queue.SimpleQueue[Any]:
        box = self._boxes[asked] = queue.SimpleQueue()
        return box


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


def _texts(what: str, given: object) -> tuple[str, ...]:
    texts = given if isinstance(given, Iterable) and not isinstance(given, str | bytes) else (given,)
    return tuple(_text(what, text) for text in texts)


def _text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} is text; got {type(value).__name__}.")
    return value


def _optional_text(what: str, value: object) -> str | None:
    return None if value is None else _text(what, value)


def _sampling(values: dict[str, Any]) -> Sampling:
    for name, value in values.items():
        if name in _NUMBERS and value is not None:
            _check_number(name, value)
    exact: dict[str, Any] = {name: _whole(name, value) for name, value in values.items() if name in WHOLE_NUMBERS}
    breakers, bias = values.get("dry_sequence_breakers"), values.get("logit_bias")
    if breakers is not None:
        exact["dry_sequence_breakers"] = _texts("A DRY sequence breaker", breakers)
    if bias is not None:
        if not isinstance(bias, Mapping):
            raise InvalidRequest(f"logit_bias gives token ids a number each; got {type(bias).__name__}.")
        for value in bias.values():
            _check_number("a bias in logit_bias", value)
        exact["logit_bias"] = tuple((_whole("a token id in logit_bias", token), by) for token, by in bias.items())
    return Sampling(**(values | exact))


def _check_number(name: str, value: object) -> None:
    if isinstance(value, str | bytes) or not isinstance(value, SupportsFloat | SupportsIndex):
        raise InvalidRequest(f"{name} is a number; got {type(value).__name__}.")
    try:
        float(value)
    except OverflowError:
        raise InvalidRequest(f"{name} is a number of a size that makes sense.") from None


def _schema(json_schema: str | Mapping[str, object] | None) -> str | None:
    if json_schema is None or isinstance(json_schema, str):
        return json_schema
    try:
        return json.dumps(json_schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"The JSON schema cannot be written as JSON: {error}.") from None


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


def _next_of(letters: queue.SimpleQueue[_Letter]) -> _Letter:
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
        raise InvalidRequest(
            "The context size, threads, layers, template and device are a server's own; leave them out."
        )
    remote = RemoteModel(base_url_of(address), model or "")
    keys = {remote.base_url: api_key.strip()} if api_key is not None else {}
    mailbox = Mailbox()
    engine = RemoteEngine(mailbox.post, keys.get)
    client = Client(remote, engine, mailbox)
    _left_with(client, engine)
    return client


def _left_with(client: Client, engine: _Leaving) -> _Leaving:
    """`engine`, which ends once nobody has the client any more: its thread would keep it for ever."""
    weakref.finalize(client, engine.leave).atexit = False  # at exit it is closed, and waited for
    return engine


def _kv_type(name: str) -> KvType:
    try:
        return KvType(name)
    except ValueError:
        offered = " or ".join(kind.value for kind in KvType)
        raise InvalidRequest(f"The KV cache is kept as {offered}; got {name}.") from None


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
