"""Chat completions as OpenAI-compatible servers speak them: a request to a body, an answer to plain values.

It knows nothing of connections, threads or events. Whatever a server sends is checked here: a figure of the wrong
type counts as not sent; a text of the wrong type is an error, for no text may be lost in silence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum

from inference.configuration import RemoteModel
from inference.declared import LARGEST_NUMBER
from inference.errors import InvalidRequest
from inference.events import RemoteModelInfo
from inference.messages import Message
from inference.requests import GenerationRequest
from inference.sentences import Sentence

_LONGEST_REASON = 300  # characters
_KEY = re.compile(r"[!-~]+")  # what may stand in a header: printable, no space
_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,1000}")  # of a model: a line, perhaps a path


class Dialect(StrEnum):
    """What a server knows beyond OpenAI's protocol, told by the owner it names in its list of models."""

    PLAIN = ""
    OPENAI = "OpenAI"
    LLAMA_SERVER = "llama-server"
    VLLM = "vLLM"


_DIALECT_OF_OWNER = {
    "llamacpp": Dialect.LLAMA_SERVER,
    "llama-swap": Dialect.LLAMA_SERVER,  # it hands requests on to llama-server
    "vllm": Dialect.VLLM,
    "openai": Dialect.OPENAI,
    "system": Dialect.OPENAI,
}
_OTHER_NAMES = {
    Dialect.OPENAI: {"max_tokens": "max_completion_tokens"},
    Dialect.VLLM: {"repeat_penalty": "repetition_penalty"},
}
_FORBIDS = -100.0  # the least that servers take for a token's bias, and enough to forbid it


class Unreadable(Exception):
    """What a server sent is not what it should be; `str()` of it says how, for the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a server is in the prompt: tokens of it done, cached ones included, and the seconds since it began."""

    total: int
    cached: int
    processed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class ServerTimings:
    """llama-server's own figures. Its prefill ends, and its decode begins, with the first sampled token."""

    prefill_tokens: int  # without the cached ones
    prefill_seconds: float
    output_tokens: int
    decode_seconds: float
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ServerUsage:
    """Token counts as a server reports them; `None` for what it does not."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a streamed reply."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""  # in the server's words
    model: str = ""
    progress: Progress | None = None
    timings: ServerTimings | None = None
    usage: ServerUsage | None = None


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server says is wrong: one line of its own words, and facts where it gives some."""

    reason: str = ""
    code: str = ""
    status: int | None = None
    needed_tokens: int | None = None
    context_size: int | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server says it has."""

    models: tuple[RemoteModelInfo, ...] = ()
    dialect: Dialect = Dialect.PLAIN

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model.config.name for model in self.models)


def headers_of(key: str | None) -> dict[str, str]:
    """The headers of a request. `key` stands in no other place.

    Raises:
        InvalidRequest: no key can look like that. The sentence does not repeat it.
    """
    # A compressed stream comes in lumps, and may unpack to any size.
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "Headwater"}
    if key:
        if not _KEY.fullmatch(key):
            raise InvalidRequest(Sentence("The key for this server has characters in it that no key can have."))
        headers["Authorization"] = f"Bearer {key}"
    return headers


def body_of(request: GenerationRequest, model: str, dialect: Dialect) -> bytes:
    """The body of `request` for `model`, as JSON.

    What the request leaves open is left out, so that the server's own defaults hold. A value that a server of this
    dialect may not know is sent all the same: it refuses it in words, where leaving it out would be silent.
    """
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message, dialect) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    wishes: dict[str, object] = {
        field.name: getattr(request.sampling, field.name) for field in fields(request.sampling)
    }
    if request.sampling.logit_bias is not None:
        wishes["logit_bias"] = {str(token): max(bias, _FORBIDS) for token, bias in request.sampling.logit_bias}
    wishes |= _form_of(request, dialect)
    wishes["max_tokens"] = request.max_tokens
    wishes["stop"] = list(request.stop) or None
    if request.thinking is not None and dialect is not Dialect.OPENAI:
        wishes["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    other_names = _OTHER_NAMES.get(dialect, {})
    body.update({other_names.get(name, name): value for name, value in wishes.items() if value is not None})
    match dialect:
        case Dialect.LLAMA_SERVER:
            body |= {"cache_prompt": True, "return_progress": True, "timings_per_token": True}
        case Dialect.VLLM:
            body["stream_options"] = {"include_usage": True, "continuous_usage_stats": True}
        case Dialect.PLAIN | Dialect.OPENAI:
            pass
    return json.dumps(body).encode()


def chunk_from(data: str) -> Chunk | Complaint:
    """One event of a stream, or a whole answer of a server that does not stream.

    Raises:
        Unreadable: it is no JSON object, or its text is no text.
    """
    value = _parsed(data)
    if not isinstance(value, dict):
        raise Unreadable(Sentence("a piece of it is no JSON object."))
    if value.get("error") or value.get("object") == "error":
        return _complaint_in(value)
    choice = _first_choice(value)
    delta = _object(choice.get("delta")) or _object(choice.get("message"))
    return Chunk(
        text=_text(delta, "content") or _text(delta, "refusal"),
        # Some servers send both spellings with the same words.
        reasoning=_text(delta, "reasoning_content") or _text(delta, "reasoning"),
        finish_reason=_word(choice.get("finish_reason")),
        model=_name(value.get("model")),
        progress=_progress(_object(value.get("prompt_progress"))),
        timings=_timings(_object(value.get("timings"))),
        usage=_usage(_object(value.get("usage"))),
    )


def complaint_from(body: str, status: int) -> Complaint:
    """What the body of a refusal says; a web page says nothing."""
    try:
        value = _parsed(body)
    except Unreadable:
        return Complaint("" if body.lstrip().startswith("<") else one_line(body), status=status)
    complaint = _complaint_in(value if isinstance(value, dict) else {"error": value})
    return Complaint(complaint.reason, complaint.code, status, complaint.needed_tokens, complaint.context_size)


def offer_from(base_url: str, body: str) -> Offer:
    """A server's list of models.

    Raises:
        Unreadable: it is no such list.
    """
    value = _parsed(body)
    entries = value.get("data") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise Unreadable(Sentence("it does not list its models."))
    known = [entry for entry in map(_object, entries) if _name(entry.get("id"))]
    dialects = [_DIALECT_OF_OWNER.get(_word(entry.get("owned_by")), Dialect.PLAIN) for entry in known]
    dialect = next(filter(None, dialects), Dialect.PLAIN)
    return Offer(tuple(_model_in(base_url, entry, dialect) for entry in known), dialect)


def one_line(text: str) -> str:
    """A server's words as they can stand in a sentence."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= _LONGEST_REASON else words[:_LONGEST_REASON] + "…"


def _form_of(request: GenerationRequest, dialect: Dialect) -> dict[str, object]:
    """How a server is told what the answer must look like."""
    if request.json_schema is not None:
        schema = {"name": "answer", "schema": json.loads(request.json_schema)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if request.grammar is not None and dialect is Dialect.VLLM:
        return {"structured_outputs": {"grammar": request.grammar}}
    return {"grammar": request.grammar}


def _message(message: Message, dialect: Dialect) -> dict[str, str]:
    said = {"role": str(message.role), "content": message.content}
    if message.reasoning and dialect in (Dialect.LLAMA_SERVER, Dialect.VLLM):
        # The model's template takes of it what it wants. Other servers would refuse the field.
        said["reasoning_content"] = message.reasoning
    return said


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(Sentence("a piece of it is no JSON.")) from None


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _first_choice(value: Mapping[str, object]) -> Mapping[str, object]:
    choices = value.get("choices")
    return _object(choices[0]) if isinstance(choices, list) and choices else {}


def _text(delta: Mapping[str, object], name: str) -> str:
    value = delta.get(name)
    if value is not None and not isinstance(value, str):
        raise Unreadable(Sentence("a piece of its text is no text."))
    return value or ""


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _name(value: object) -> str:
    """A model's name; "" for what can be none."""
    return value if isinstance(value, str) and _NAME.fullmatch(value) else ""


def _count(value: object) -> int | None:
    return None if (number := _number(value)) is None else int(number)


def _seconds(milliseconds: object) -> float | None:
    return None if (number := _number(milliseconds)) is None else number / 1000


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST_NUMBER:
        return None
    return value


def _progress(value: Mapping[str, object]) -> Progress | None:
    total, cached, processed = (_count(value.get(name)) for name in ("total", "cache", "processed"))
    seconds = _seconds(value.get("time_ms"))
    if total is None or cached is None or processed is None or seconds is None:
        return None
    return Progress(total, min(cached, total), min(processed, total), seconds)


def _timings(value: Mapping[str, object]) -> ServerTimings | None:
    read, written = _count(value.get("prompt_n")), _count(value.get("predicted_n"))
    prefill, decode = _seconds(value.get("prompt_ms")), _seconds(value.get("predicted_ms"))
    if read is None or written is None or prefill is None or decode is None:
        return None
    return ServerTimings(read, prefill, written, decode, _count(value.get("cache_n")))


def _usage(value: Mapping[str, object]) -> ServerUsage | None:
    if not value:
        return None
    return ServerUsage(
        input_tokens=_count(value.get("prompt_tokens")),
        cached_tokens=_count(_object(value.get("prompt_tokens_details")).get("cached_tokens")),
        output_tokens=_count(value.get("completion_tokens")),
        reasoning_tokens=_count(_object(value.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _model_in(base_url: str, entry: Mapping[str, object], dialect: Dialect) -> RemoteModelInfo:
    name, meta = _word(entry.get("id")), _object(entry.get("meta"))
    sizes = (_count(meta.get("n_ctx")), _count(entry.get("max_model_len")), _count(entry.get("context_length")))
    return RemoteModelInfo(
        config=RemoteModel(base_url, name),
        # llama-server and others name a model by its file's path.
        name=re.split(r"[/\\]", name)[-1].removesuffix(".gguf") or name if name.endswith(".gguf") else name,
        server=str(dialect),
        context_size=next(filter(None, sizes), None),
        training_context=_count(meta.get("n_ctx_train")),
        parameters=_count(meta.get("n_params")),
        file_size=_count(meta.get("size")),
    )


# Servers that give the two numbers only in words. OpenAI's and vLLM's wordings, and llama-cpp-python's.
_CONTEXT_IN_WORDS = re.compile(r"maximum context length is (\d{1,12})")
_NEEDED_IN_WORDS = re.compile(r"(\d{1,12}) in the messages|(?:your request has|messages resulted in) (\d{1,12})")


def _complaint_in(value: Mapping[str, object]) -> Complaint:
    error = value.get("error") or value
    if not isinstance(error, dict):
        return Complaint(one_line(error if isinstance(error, str) else ""))
    words = [error.get(name) for name in ("message", "detail", "msg")]
    reason = next((word for word in words if isinstance(word, str)), "")
    code = error.get("code")
    needed, size = _count(error.get("n_prompt_tokens")), _count(error.get("n_ctx"))
    if needed is None and (found := _NEEDED_IN_WORDS.search(reason)):
        needed = int(found[1] or found[2])
    if size is None and (found := _CONTEXT_IN_WORDS.search(reason)):
        size = int(found[1])
    return Complaint(
        reason=one_line(reason),
        code=one_line(code if isinstance(code, str) else _word(error.get("type"))),
        status=_count(code),
        needed_tokens=needed,
        context_size=size,
    )
