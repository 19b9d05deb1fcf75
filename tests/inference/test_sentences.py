"""Sentences are English texts that know what they were made of, and the engine says nothing else to people."""

from __future__ import annotations

import ast
import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import InvalidRequest
from inference.sentences import Sentence, capital, ended, from_text, in_a_row, listed
from tests.inference import test_errors, test_hub_errors, test_server_errors
from tests.spoken_sources import called, parsed, words_past_sentences

WHOLE = Sentence("{what:capital} took {seconds:,.1f} s", what=Sentence("reading {name}", name="a.gguf"), seconds=1234.5)


def test_a_sentence_is_its_english_text_and_knows_its_template():
    assert WHOLE == "Reading a.gguf took 1,234.5 s"
    assert json.dumps([WHOLE]) == '["Reading a.gguf took 1,234.5 s"]'
    assert (WHOLE.template, WHOLE.arguments["seconds"]) == ("{what:capital} took {seconds:,.1f} s", 1234.5)


@pytest.mark.parametrize("again", [str, copy.copy, copy.deepcopy, lambda said: pickle.loads(pickle.dumps(said))])  # noqa: S301 - our own
def test_it_stays_a_sentence(again):
    same = again(WHOLE)
    assert (same, same.template, dict(same.arguments)) == (WHOLE, WHOLE.template, dict(WHOLE.arguments))


@given(st.text())
def test_a_kept_text_becomes_the_sentence_it_was_whatever_stands_in_it(text):
    assert from_text(text) == text


@given(st.lists(st.text(min_size=1)))
def test_several_are_joined_as_texts_would_be(parts):
    assert listed(parts) == ", ".join(parts)
    assert in_a_row(iter(parts)) == "; ".join(parts)


def test_what_others_say_is_ended_once():
    assert [ended(words) for words in ("No", "No.", "No!")] == ["No.", "No.", "No!"]
    assert isinstance(ended(Sentence("it is empty")), Sentence)
    assert [capital(words) for words in ("", "a b", "Äb")] == ["", "A b", "Äb"]


# Where words stand that are no sentences for a person who looks at a window, and why.
FOR_OTHERS = {
    "inference/__main__.py": "the terminal, which is English",
    "inference/experiment_commands.py": "the terminal",
    "inference/model_commands.py": "the terminal",
    "inference/client.py": "refusals of what a script asked, which no window asks",
    "inference/messages.py": "the same",
    "inference/requests.py": "the same; a window's own fields do not let them come about",
    "inference/processor.py": "said where no window can be opened",
    "inference/prompt.py": "what a template is tried with",
    "inference/template.py": "templates",
    "inference/reasoning.py": "marks that models write",
    "inference/shortage.py": "words of the system's, to be recognised",
    "inference/llama/__init__.py": "words of llama.cpp's, to be recognised",
    "inference/llama/grammar.py": "the same",
    "inference/probe.py": "the same, and the child's own help",
    "inference/remote/engine.py": "a thread's name",
    "inference/experiments/kv_cache.py": "what a model is asked",
    "inference/experiments/max_tokens.py": "the same",
    "inference/experiments/phases.py": "the same",
    "inference/experiments/streaming.py": "the same",
    "inference/experiments/trial.py": "the same",
}
FOR_MODELS = [
    "And then?",
    "Explain why rivers bend.",
    "Tell me about rivers.",
    "\nGo on with this text.",
    "The river bends because",
]


def test_the_engine_says_nothing_past_its_sentences():
    past = {name: tuple(words_past_sentences(tree)) for name, tree in parsed("inference")}
    said = {name: words for name, words in past.items() if words}
    assert {name: words for name, words in said.items() if name not in FOR_OTHERS} == {}
    assert set(FOR_OTHERS) - set(said) == set(), "nothing is said there any more"
    asked = [text for name, words in said.items() if "/experiments/" in name for _, text in words]
    assert [text for text in asked if not text.startswith(tuple(FOR_MODELS))] == []


@pytest.mark.parametrize("package", ["inference", "desktop"])
def test_every_sentence_is_made_from_a_template_that_stands_there_so_that_its_translation_is_asked_for(package):
    others = [
        f"{name}:{node.lineno}"
        for name, tree in parsed(package)
        if name != "inference/sentences.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node) == "Sentence"
        if not (node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str))
    ]
    assert others == []


FAILURES = (*test_errors.ERRORS, *test_hub_errors.ERRORS, *test_server_errors.ERRORS)


@pytest.mark.parametrize(
    "error", [each for each in FAILURES if type(each) is not InvalidRequest], ids=lambda error: type(error).__name__
)
def test_every_failure_says_a_sentence(error):
    assert isinstance(str(error), Sentence)
