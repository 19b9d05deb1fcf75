"""What the engine says is said in the language of the program, and as it was said where that is English."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from desktop.spoken import spoken
from inference import (
    HubOffline,
    ModelCrashed,
    ModelUnreadable,
    OutOfMemory,
    PromptTooLong,
    Sentence,
    ServerBusy,
    TemplateFailed,
)
from scripts.translations import ROOT, sentences_in
from tests.inference.test_errors import ERRORS

FAILURES = [
    (
        PromptTooLong(5000, 4096),
        (
            "Diese Unterhaltung braucht 5.000 Tokens; das Kontextfenster fasst 4.096. Kürzen Sie sie, oder wählen Sie"
            " ein größeres Fenster."
        ),
    ),
    (
        OutOfMemory(Path("a.gguf"), 8192, 12_300_000_000),
        (
            "a.gguf passt mit einem Kontextfenster von 8.192 Tokens nicht in den Speicher (nötig sind etwa 12,3 GB)."
            " Wählen Sie ein kleineres Fenster oder ein kleineres Modell."
        ),
    ),
    (
        ModelCrashed(Path("a.gguf"), Sentence("it crashed (SIGSEGV)"), ("GGML_ASSERT(x) failed.",), 2048, True),
        (
            "llama.cpp kann a.gguf nicht ausführen. Beim Versuch in einem eigenen Prozess: Er ist abgestürzt (SIGSEGV)."
            " Die letzte Zeile: GGML_ASSERT(x) failed. Versuchen Sie es mit der CPU oder einem Kontextfenster von"
            " 2.048 Tokens."
        ),
    ),
    (
        ModelUnreadable(Path("a.gguf"), Sentence("The file is empty. Download it again.")),
        "a.gguf lässt sich nicht als Modell lesen: Die Datei ist leer. Laden Sie sie erneut herunter.",
    ),
    (
        ServerBusy("http://here:80", 503, "Loading model", 1200),
        (
            "Der Server here:80 nimmt gerade keine Anfragen an (503). Versuchen Sie es in 1.200 Sekunden erneut:"
            " Loading model."
        ),
    ),
    (
        HubOffline(Sentence("this search"), Sentence("HF_HUB_OFFLINE is set.")),
        "Diese Suche wurde nicht angefragt: HF_HUB_OFFLINE ist gesetzt.",
    ),
]


@pytest.mark.usefixtures("german_program")
@pytest.mark.parametrize(("failure", "german"), FAILURES)
def test_a_failure_is_told_in_german_with_its_numbers_also_out_of_another_process(failure, german):
    assert spoken(failure) == german
    assert spoken(pickle.loads(pickle.dumps(failure))) == german  # noqa: S301 - our own


@pytest.mark.parametrize("failure", [failure for failure, _ in FAILURES])
def test_in_english_the_window_says_what_the_terminal_says(failure):
    assert spoken(failure) == str(failure)


@pytest.mark.usefixtures("german_program")
def test_words_of_others_stay_as_they_were_said():
    assert spoken(OSError("No space left on device")) == "No space left on device"


TREES = [ast.parse(path.read_text("utf-8")) for path in sorted((ROOT / "inference").rglob("*.py"))]
CALLS = [node for tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call)]


def reasons_of(kind: str) -> Iterator[str]:
    """The templates that the engine gives to failures of this kind as their reason."""
    for call in CALLS:
        if isinstance(call.func, ast.Name) and call.func.id == kind:
            yield from sentences_in(ast.unparse(call))


def filled(template: str) -> Sentence:
    return Sentence(template, **{name: 7 for _, name, _, _ in Formatter().parse(template) if name})


WITH_REASONS = [error for error in ERRORS if "reason" in vars(error)]


def joined() -> Iterator[str]:
    for error in WITH_REASONS:
        for template in reasons_of(type(error).__name__):
            failure = copy.copy(error)
            vars(failure)["reason"] = filled(template)
            yield spoken(failure)


ILL_JOINED = re.compile(r"\.\.|\.:|  |[^.] (?:Try|Check|Ask|Change|Choose|Versuchen|Prüfen) ")


def is_well_joined(text: str) -> bool:
    return text.endswith(".") and not ILL_JOINED.search(text)


def test_reasons_join_their_sentences_with_one_full_stop_in_english():
    texts = list(joined())
    assert len(texts) > 40
    assert [text for text in texts if not is_well_joined(text)] == []


@pytest.mark.usefixtures("german_program")
def test_reasons_join_their_sentences_with_one_full_stop_in_german():
    assert [text for text in joined() if not is_well_joined(text)] == []


@pytest.mark.parametrize("words", ["roles must alternate", "roles must alternate.", "No system role!"])
def test_what_a_template_says_is_ended_where_it_did_not_end_itself(words):
    told = str(TemplateFailed(words))
    assert is_well_joined(told.replace("!", "."))
    assert words in told
