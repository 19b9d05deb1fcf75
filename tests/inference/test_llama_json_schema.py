"""JSON schemas come to grammars that say the same, and whatever is asked for comes to an end soon."""

from __future__ import annotations

import json
import time

import pytest

from inference.errors import GrammarRefused
from inference.llama.grammar import Grammar
from inference.llama.json_schema import grammar_of
from inference.llama.library import llama
from tests.gguf_files import write_tiny_model
from tests.llama_models import loaded


def doubling(depth: int) -> dict[str, object]:
    """Each part names the next twice, by a name that no rule can have, so that it is looked up anew."""
    parts: dict[str, object] = {f"p {n}": {"anyOf": [{"$ref": f"#/$defs/p {n + 1}"}] * 2} for n in range(depth)}
    return {"$ref": "#/$defs/p 0", "$defs": parts | {f"p {depth}": {"type": "null"}}}


ENDLESS: dict[str, object] = {
    "a long text": {"type": "string", "minLength": 10**9},
    "a text up to much": {"type": "string", "maxLength": 10**12},
    "a long list": {"type": "array", "items": {"type": "null"}, "minItems": 10**9},
    "a pattern that counts": {"type": "string", "pattern": "^a{1000000000}$"},
    "a pattern that counts in words of Python": {"type": "string", "pattern": "^a{2,9_999_999_999}$"},
    "parts that name each other": doubling(40),
    "names without an end": {"properties": {"n" * 100_000: {"items": {"type": "null"}, "minItems": 90_000}}},
    "many long lists": {"anyOf": [{"items": {"type": "null"}, "minItems": 90_000}] * 1000},
    "a long schema": {"enum": ["x" * 2_000_000]},
    "deep inside": {"properties": {"a": {"items": {"anyOf": [{"type": "string", "minLength": 10**20}]}}}},
}


@pytest.mark.parametrize("schema", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_schema_that_asks_for_too_much_is_refused_in_a_moment(schema):
    began = time.process_time()
    with pytest.raises(GrammarRefused, match="JSON schema"):
        grammar_of(json.dumps(schema))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.com/schema"},
        {"type": "unheard of"},
        {"type": "string", "pattern": "no anchors"},
        {"properties": 5},
        {"anyOf": 5},
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused_with_a_sentence(schema):
    with pytest.raises(GrammarRefused, match="JSON schema"):
        grammar_of(json.dumps(schema))


def test_a_schema_that_is_nested_too_deeply_is_refused():
    text = '{"items":' * 2000 + "{}" + "}" * 2000
    with pytest.raises(GrammarRefused, match="nested too deeply"):
        grammar_of(text)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with loaded(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")) as model:
        yield model


def follows(model, schema: object, text: str) -> bool:
    """Whether a reply held to the schema could be this text, and end there."""
    pointer = llama.llama_model_get_vocab(model._model)  # the grammar's own test: what the model would do costs a model
    grammar = Grammar(grammar_of(json.dumps(schema)), model.vocabulary, pointer)
    try:
        for token in model.vocabulary.tokenize(text, special=False):
            if not grammar.allows(token):
                return False
            grammar.accept(token)
        end = next(token for token in range(model.vocabulary.size) if model.vocabulary.is_end(token))
        return grammar.allows(end)
    finally:
        grammar.close()


LETTERS = {"type": "string", "minLength": 2, "maxLength": 5}
LIST = {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3}
SHORT_LIST = {"type": "array", "items": {"type": "integer"}, "maxItems": 3}
PATTERN = {"type": "string", "pattern": "^a{2,4}(bc){0,2}$"}
OPTIONAL = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "null"}, "c": {"type": "null"}},
}


@pytest.mark.parametrize(
    ("schema", "text", "right"),
    [
        *((LETTERS, json.dumps("x" * n), 2 <= n <= 5) for n in range(8)),
        *((LIST, str([7] * n), 1 <= n <= 3) for n in range(6)),
        *((SHORT_LIST, str([7] * n), n <= 3) for n in range(6)),
        *((PATTERN, json.dumps("a" * n + "bc" * m), 2 <= n <= 4 and m <= 2) for n in range(1, 6) for m in range(4)),
        *((OPTIONAL, text, True) for text in ("{}", '{"a": 1}', '{"b": null}', '{"a": 1, "c": null}')),
        (OPTIONAL, '{"c": null, "a": 1}', False),
    ],
)
def test_what_may_be_left_out_is_counted_as_the_schema_counts(model, schema, text, right):
    assert follows(model, schema, text) is right


def test_a_text_may_be_as_long_as_people_want_it(model):
    schema = {
        "type": "object",
        "properties": {"summary": {"type": "string", "maxLength": 1000}},
        "required": ["summary"],
    }
    assert follows(model, schema, json.dumps({"summary": "x" * 1000}))
    assert not follows(model, schema, json.dumps({"summary": "x" * 1001}))
