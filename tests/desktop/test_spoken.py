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
from tests.inference import test_errors, test_hub_errors, test_server_errors
from tests.spoken_sources import failures_told_past, parsed, words_past_sentences

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
            "a.gguf passt mit einem Kontextfenster von 8.192 Tokens nicht in den Speicher (nötig sind neben seinen"
            " Gewichten etwa 12,3 GB)."
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


ERRORS = (*test_errors.ERRORS, *test_hub_errors.ERRORS, *test_server_errors.ERRORS)
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


# Where the program's own words stand that are said to nobody who reads German in a window, and why.
FOR_OTHERS = {
    "desktop/__main__.py": "the terminal, before there is a window",
    "desktop/app.py": "the log: who did not end in time",
    "desktop/crash.py": "the report, for whoever mends it",
    "desktop/demo.py": "the terminal",
    "desktop/display.py": "the terminal: no window can be shown",
    "desktop/exchange/markdown.py": "a file that other programs may read",
    "desktop/formulas.py": "why a formula is shown as it was written",
    "desktop/licences.py": "what a licence names itself",
    "desktop/running.py": "the terminal",
    "desktop/settings.py": "the head of the file",
    "desktop/store/copies.py": "names of columns",
    "desktop/store/index.py": "SQL",
    "desktop/store/traces.py": "names in kept rows",
    "desktop/downloads.py": "a thread's name",
    "desktop/widgets/segments.py": "a type",
    "desktop/widgets/highlight.py": "words of programming languages",
}
SQL = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WHERE|FROM|ORDER BY|ON|SET|USING|content =)\b|\w+ \w+ TEXT\b"
)
TO_THE_TERMINAL = {"desktop/running.py", "desktop/__main__.py", "desktop/crash.py"}
AS_IT_WAS_TOLD = {"desktop/exchange/markdown.py"}  # what is kept of a failure was spoken before


def test_the_window_says_nothing_past_its_translations():
    past = {
        name: words
        for name, tree in parsed("desktop")
        if (words := [text for _, text in words_past_sentences(tree) if not SQL.search(text)])
    }
    assert {name: words for name, words in past.items() if name not in FOR_OTHERS} == {}
    assert set(FOR_OTHERS) - set(past) == set(), "nothing is said there any more"


def test_no_failure_is_told_as_it_is_where_it_can_be_told_in_german():
    past = {name: told for name, tree in parsed("desktop") if (told := tuple(failures_told_past(tree)))}
    assert {name: told for name, told in past.items() if name not in TO_THE_TERMINAL | AS_IT_WAS_TOLD} == {}


TOLD = """
try: pass
except ValueError as error:
    label.setText(str(error))
    notice.show(f"It failed: {error}")
    failed.emit(error)
    board.say(words.format(reason=error))
    spoken(error), Sentence("{said}", said=str(error)), failed.emit(spoken(error))
    raise Refused(str(error)) from error
label.setText(event.error)
label.setText(spoken(event.error))
"""


def test_failures_that_are_told_past_are_found():
    assert sorted(failures_told_past(ast.parse(TOLD))) == [
        (4, "error"),
        (5, "error"),
        (6, "error"),
        (7, "error"),
        (10, "event.error"),
    ]


@pytest.mark.usefixtures("german_program")
@pytest.mark.parametrize(("seconds", "german"), [(1.0, "in 1 Sekunde"), (2.0, "in 2 Sekunden"), (1200, "in 1.200 Sek")])
def test_one_is_told_as_one_and_more_as_more(seconds, german):
    assert german in spoken(ServerBusy("http://here:80", 503, "Loading", seconds))
    assert ("in 1 second:" in str(ServerBusy("http://here:80", 503, "Loading", seconds))) == (seconds == 1)
