"""Whatever goes wrong with the Hub is a sentence with its facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference import hub_errors
from inference.errors import InferenceError
from inference.hub_errors import (
    DiskTooSmall,
    DownloadChanged,
    DownloadDamaged,
    DownloadElsewhere,
    FolderRefused,
    GateClosed,
    HubBroke,
    HubBusy,
    HubError,
    HubOffline,
    HubUnreachable,
    NotOnHub,
    TokenWanted,
)
from tests.inference.error_rules import (
    check_that_all_are_read_and_drawn,
    check_that_it_reads_as_a_sentence,
    check_that_it_says_what_to_do,
    check_that_it_survives_pickling,
)

ERRORS = [
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
    if not isinstance(error, HubOffline):  # whose own words say it
        check_that_it_says_what_to_do(error)


def test_every_error_is_read_here_and_stands_in_the_tree() -> None:
    check_that_all_are_read_and_drawn(hub_errors, ERRORS, HubError)
