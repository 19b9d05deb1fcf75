"""Whatever goes wrong with a server is a sentence with its facts."""

from __future__ import annotations

import pytest

from inference import server_errors
from inference.errors import InferenceError
from inference.server_errors import (
    CertificateRefused,
    HostNotFound,
    KeyRefused,
    ModelNotOffered,
    NoChatService,
    NothingListens,
    RedirectRefused,
    ReplyBroken,
    RequestRefused,
    ServerBroke,
    ServerBusy,
    ServerError,
    ServerTimeout,
    ServerUnreachable,
)
from tests.inference.error_rules import (
    check_that_all_are_read_and_drawn,
    check_that_it_reads_as_a_sentence,
    check_that_it_says_what_to_do,
    check_that_it_survives_pickling,
)

SERVER = "http://127.0.0.1:8080/v1"
ERRORS = [
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
    check_that_it_says_what_to_do(error)


def test_every_error_is_read_here_and_stands_in_the_tree() -> None:
    check_that_all_are_read_and_drawn(server_errors, ERRORS, ServerError)
