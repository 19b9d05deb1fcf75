"""What the engine says is said in the language of the program, and as it was said where that is English."""

from __future__ import annotations

import pickle
from pathlib import Path

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
)

FAILURES = [
    (
        PromptTooLong(5000, 4096),
        (
            "Diese Unterhaltung braucht 5.000 Tokens; das Fenster fasst 4.096. Kürzen Sie sie, oder verwenden Sie ein"
            " größeres Fenster."
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
            "llama.cpp kann a.gguf nicht ausführen. Beim Versuch in einem eigenen Prozess: er ist abgestürzt (SIGSEGV)."
            " Die letzte Zeile: GGML_ASSERT(x) failed. Versuchen Sie es so: die CPU oder ein Fenster von 2.048 Tokens."
        ),
    ),
    (
        ModelUnreadable(Path("a.gguf"), Sentence("The file is empty. Download it again.")),
        "a.gguf lässt sich nicht als Modell lesen: Die Datei ist leer. Laden Sie sie erneut herunter.",
    ),
    (
        ServerBusy("http://here:80", 503, "Loading model", 1200),
        (
            "Der Server here:80 nimmt jetzt keine Anfrage an (503). Versuchen Sie es in 1.200 Sekunden erneut:"
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
