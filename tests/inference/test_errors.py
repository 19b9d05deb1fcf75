"""Every error is a sentence with facts in it, and survives pickling."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference import errors
from inference.errors import (
    DeviceNotFound,
    EngineClosed,
    EngineFault,
    GenerationBroke,
    GrammarRefused,
    InferenceError,
    InvalidRequest,
    MemoryShort,
    ModelChanged,
    ModelCrashed,
    ModelError,
    ModelNotFound,
    ModelUnreadable,
    ModelUnsupported,
    OutOfMemory,
    ProcessorTooOld,
    PromptTooLong,
    TemplateFailed,
)
from tests.inference.error_rules import (
    check_that_all_are_read_and_drawn,
    check_that_it_reads_as_a_sentence,
    check_that_it_says_what_to_do,
    check_that_it_survives_pickling,
)

ERRORS = [
    InvalidRequest("max_tokens is at least 1; got 0."),
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
    TemplateFailed("no system role."),
    GrammarRefused("it is empty."),
    PromptTooLong(5000, 4096, 2),
    GenerationBroke("decode returned -1."),
    MemoryShort(),
    EngineClosed(),
    EngineFault("ZeroDivisionError", "Traceback ..."),
]

every_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


@every_error
def test_an_error_survives_pickling_with_its_facts(error: InferenceError) -> None:
    check_that_it_survives_pickling(error)


@every_error
def test_an_error_reads_as_a_sentence(error: InferenceError) -> None:
    check_that_it_reads_as_a_sentence(error)


@every_error
def test_an_error_says_what_to_do_next(error: InferenceError) -> None:
    if not isinstance(error, InvalidRequest):  # whose own words say it
        check_that_it_says_what_to_do(error)


def test_every_error_is_read_here_and_stands_in_the_tree() -> None:
    check_that_all_are_read_and_drawn(errors, ERRORS, InferenceError, ModelError)


def test_the_numbers_a_person_needs_stand_in_the_sentence() -> None:
    assert "5,000" in str(PromptTooLong(5000, 4096))
    assert "4,096" in str(PromptTooLong(5000, 4096))
    assert "2.0 GB" in str(OutOfMemory(Path("a.gguf"), 4096, 2_000_000_000))
    assert "about 33.6 MB needed" in str(OutOfMemory(Path("a.gguf"), 4096, 33_600_000))
