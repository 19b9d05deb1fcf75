"""Headwater's engine: prompts in, events out; plain Python with llama.cpp behind it.

This is the public face; nothing else is imported from outside, and importing it is light: llama.cpp, numpy and
Jinja are loaded with the first model, httpx2 with the first server.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from inference.engine import Engine, LocalEngine
from inference.errors import (
    CertificateRefused,
    EngineClosed,
    EngineFault,
    GenerationBroke,
    GrammarRefused,
    HostNotFound,
    InferenceError,
    InvalidRequest,
    KeyRefused,
    ModelError,
    ModelNotFound,
    ModelNotOffered,
    ModelUnreadable,
    ModelUnsupported,
    NoChatService,
    NothingListens,
    OutOfMemory,
    PromptTooLong,
    RedirectRefused,
    ReplyBroken,
    RequestRefused,
    ServerBroke,
    ServerBusy,
    ServerError,
    ServerTimeout,
    ServerUnreachable,
    TemplateFailed,
)
from inference.events import (
    BlockKind,
    DeltaKind,
    Event,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    ModelEvent,
    ModelFailed,
    ModelInfo,
    ModelLoading,
    ModelReady,
    ModelUnloaded,
    PrefillProgress,
    PromptBlock,
    RemoteModelEvent,
    RemoteModelFailed,
    RemoteModelInfo,
    RemoteModelReady,
    ReuseEnd,
    TextDelta,
    Timings,
    Trace,
    TurnsLeftOut,
    Usage,
    rate_of_decode,
)
from inference.messages import Message, Role
from inference.remote import RemoteEngine
from inference.requests import (
    DEFAULT_SAMPLING,
    AnyModel,
    GenerationRequest,
    ModelConfig,
    RemoteModel,
    RequestId,
    Sampling,
    SamplingOptions,
    StateBudget,
    WindowPolicy,
    base_url_of,
    is_address,
    new_request_id,
)

if TYPE_CHECKING:
    from inference.client import Client, Response, connect, prompt_text
    from inference.counting import TokenCount, TokenCounter
    from inference.machine import default_threads
    from inference.model_files import display_name, embedded_model

# A window is painted before any of these is needed.
_LATER = {
    "Client": "inference.client",
    "Response": "inference.client",
    "connect": "inference.client",
    "prompt_text": "inference.client",
    "TokenCount": "inference.counting",
    "TokenCounter": "inference.counting",
    "default_threads": "inference.machine",
    "display_name": "inference.model_files",
    "embedded_model": "inference.model_files",
}

__all__ = [
    "DEFAULT_SAMPLING",
    "AnyModel",
    "BlockKind",
    "CertificateRefused",
    "Client",
    "DeltaKind",
    "Engine",
    "EngineClosed",
    "EngineFault",
    "Event",
    "FinishReason",
    "GenerationBroke",
    "GenerationEvent",
    "GenerationFailed",
    "GenerationFinished",
    "GenerationRequest",
    "GrammarRefused",
    "HostNotFound",
    "InferenceError",
    "InvalidRequest",
    "KeyRefused",
    "LocalEngine",
    "Message",
    "ModelConfig",
    "ModelError",
    "ModelEvent",
    "ModelFailed",
    "ModelInfo",
    "ModelLoading",
    "ModelNotFound",
    "ModelNotOffered",
    "ModelReady",
    "ModelUnloaded",
    "ModelUnreadable",
    "ModelUnsupported",
    "NoChatService",
    "NothingListens",
    "OutOfMemory",
    "PrefillProgress",
    "PromptBlock",
    "PromptTooLong",
    "RedirectRefused",
    "RemoteEngine",
    "RemoteModel",
    "RemoteModelEvent",
    "RemoteModelFailed",
    "RemoteModelInfo",
    "RemoteModelReady",
    "ReplyBroken",
    "RequestId",
    "RequestRefused",
    "Response",
    "ReuseEnd",
    "Role",
    "Sampling",
    "SamplingOptions",
    "ServerBroke",
    "ServerBusy",
    "ServerError",
    "ServerTimeout",
    "ServerUnreachable",
    "StateBudget",
    "TemplateFailed",
    "TextDelta",
    "Timings",
    "TokenCount",
    "TokenCounter",
    "Trace",
    "TurnsLeftOut",
    "Usage",
    "WindowPolicy",
    "base_url_of",
    "connect",
    "default_threads",
    "display_name",
    "embedded_model",
    "is_address",
    "new_request_id",
    "prompt_text",
    "rate_of_decode",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_LATER[name]), name)
    return value
