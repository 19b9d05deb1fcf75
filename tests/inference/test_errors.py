"""Every error is a sentence with facts in it, and survives pickling."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from inference.errors import (
    CertificateRefused,
    DeviceNotFound,
    DiskTooSmall,
    DownloadChanged,
    DownloadDamaged,
    DownloadElsewhere,
    EngineClosed,
    EngineFault,
    FolderRefused,
    GateClosed,
    GenerationBroke,
    GrammarRefused,
    HostNotFound,
    HubBroke,
    HubBusy,
    HubError,
    HubOffline,
    HubUnreachable,
    InferenceError,
    InvalidRequest,
    KeyRefused,
    MemoryShort,
    ModelChanged,
    ModelCrashed,
    ModelError,
    ModelNotFound,
    ModelNotOffered,
    ModelUnreadable,
    ModelUnsupported,
    NoChatService,
    NothingListens,
    NotOnHub,
    OutOfMemory,
    ProcessorTooOld,
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
    TokenWanted,
)

SERVER = "http://127.0.0.1:8080/v1"
ERRORS = [
    InvalidRequest("max_tokens is at least 1; got 0."),
    HubOffline("The Hub", "HF_HUB_OFFLINE is set."),
    HubUnreachable("this search", "it did not answer in time"),
    HubBusy("maker/small", 7.0),
    HubBroke("maker/small", "it answers 500"),
    NotOnHub("maker/small"),
    TokenWanted("maker/small"),
    TokenWanted("maker/small", was_sent=True),
    GateClosed("maker/small", "https://huggingface.co/maker/small"),
    DiskTooSmall("maker/small/a.gguf", Path("models"), 5, 4),
    FolderRefused("maker/small/a.gguf", Path("models"), "permission denied"),
    DownloadDamaged("maker/small/a.gguf"),
    DownloadChanged("maker/small/a.gguf"),
    DownloadElsewhere("maker/small/a.gguf"),
    ModelNotFound(Path("models/a.gguf")),
    ModelChanged(Path("models/a.gguf")),
    ModelCrashed(Path("models/a.gguf"), "it was killed", ("GGML_ASSERT failed.",)),
    ModelCrashed(Path("models/a.gguf"), "it was killed", (), 2048, was_on_gpu=True),
    DeviceNotFound(Path("models/a.gguf"), "CUDA7"),
    DeviceNotFound(Path("models/a.gguf"), "CUDA7", ("CPU", "CUDA0")),
    ProcessorTooOld(("avx2", "fma")),
    ModelUnreadable(Path("models/a.gguf"), "This is a web page. Download it again."),
    ModelUnsupported(Path("models/a.gguf"), "it holds only a vocabulary."),
    OutOfMemory(Path("models/a.gguf"), 4096, 2_000_000_000),
    NothingListens(SERVER),
    HostNotFound(SERVER),
    ServerUnreachable(SERVER, "no route to host."),
    ServerTimeout(SERVER, 10.0),
    CertificateRefused(SERVER, "self-signed certificate."),
    KeyRefused(SERVER, 401, key_sent=False),
    KeyRefused(SERVER, 403, key_sent=True),
    NoChatService(SERVER, 404),
    ModelNotOffered(SERVER, "llama", ("gemma", "qwen")),
    ModelNotOffered(SERVER, ""),
    ServerBusy(SERVER, 429, "rate limit.", 30.0),
    ServerBusy(SERVER, 503, ""),
    ServerBroke(SERVER, 500, "out of memory."),
    ServerBroke(SERVER, 502, ""),
    RequestRefused(SERVER, 400, "top_k is unknown."),
    RedirectRefused(SERVER, "https://elsewhere.example/v1"),
    ReplyBroken(SERVER, "the connection was cut."),
    TemplateFailed("no system role."),
    GrammarRefused("it is empty."),
    PromptTooLong(5000, 4096, 2),
    GenerationBroke("decode returned -1."),
    MemoryShort(),
    EngineClosed(),
    EngineFault("ZeroDivisionError", "Traceback ..."),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_with_its_facts(error: InferenceError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made a line above
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_reads_as_a_sentence(error: InferenceError) -> None:
    assert str(error)[0].isalnum()
    assert "\n" not in str(error)


WAYS = (
    *(
        "Accept",
        "Ask",
        "Change",
        "Check",
        "Choose",
        "Download",
        "Give",
        "Leave",
        "Load",
        "Make",
        "Start",
        "Try",
        "Wait",
    ),
    *("accept", "try again", "use that address", "Such addresses mostly end in"),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_says_what_to_do_next_in_whole_sentences(error: InferenceError) -> None:
    assert str(error).endswith(".")
    assert ".." not in str(error)
    if not isinstance(error, InvalidRequest | HubOffline):  # whose own words say it
        assert any(way in str(error) for way in WAYS)


def test_every_error_is_read_here() -> None:
    import inference.errors as module

    kinds = {value for value in vars(module).values() if isinstance(value, type) and issubclass(value, InferenceError)}
    told = {type(error) for error in ERRORS}
    assert kinds - told == {InferenceError, ModelError, ServerError, HubError}


def test_the_numbers_a_person_needs_stand_in_the_sentence() -> None:
    assert "5,000" in str(PromptTooLong(5000, 4096))
    assert "4,096" in str(PromptTooLong(5000, 4096))
    assert "2.0 GB" in str(OutOfMemory(Path("a.gguf"), 4096, 2_000_000_000))


def test_the_tree_in_the_docstring_names_every_error() -> None:
    import inference.errors as module

    for name, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, InferenceError):
            assert name in (module.__doc__ or "")
