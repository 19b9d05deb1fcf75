"""JSON schemas to grammars, by the package's converter, which takes whatever it is told to.

It is told no more than it can do in a moment: a schema of a few words may ask for rules without an end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from llama_cpp.llama_grammar import SchemaConverter

from inference.errors import GrammarRefused
from inference.sentences import Sentence

_MOST_SCHEMA = 1 << 20  # characters
_MOST_VISITS = 20_000
_MOST_RULES = 8 << 20  # characters
_LONGEST_NAME = 500  # of a rule: the names that lead to it
_MOST_TIMES = 100_000  # that something may be written out one after another
_MOST_TOLD = 10**15  # longer numbers say nothing to anybody
_LONGEST_REASON = 200
_TIMES = frozenset(("minLength", "maxLength", "minItems", "maxItems"))
_BRACES = re.compile(r"\{([^}]*)")
_CLOSED = re.compile(r"(?:\)\?){2,}")


def grammar_of(json_schema: str) -> str:
    """The grammar of all JSON that follows a schema.

    Raises:
        GrammarRefused: it asks for what cannot be said by a grammar, or for too much.
    """
    try:
        grammar = _converted(json_schema)
    except RecursionError:
        raise GrammarRefused(Sentence("the JSON schema is nested too deeply.")) from None
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # The converter takes a sound schema for granted.
        reason = str(error).strip().partition("\n")[0][:_LONGEST_REASON] or type(error).__name__
        raise GrammarRefused(Sentence("the JSON schema cannot be followed: {reason}.", reason=reason)) from None
    # It lets line ends and other control characters stand in strings, where JSON has them escaped.
    return _counted(grammar).replace(r'char ::= [^"\\]', r'char ::= [^"\\\x7F\x00-\x1F]')


def _converted(json_schema: str) -> str:
    if len(json_schema) > _MOST_SCHEMA:
        raise GrammarRefused(Sentence("the JSON schema is too long."))
    schema = json.loads(json_schema)
    if (most := max(_times_in(schema), default=0)) > _MOST_TIMES:
        if most >= _MOST_TOLD:
            raise GrammarRefused(
                Sentence(
                    "the JSON schema counts too far; a grammar counts to {MOST_TIMES:,} at the most.",
                    MOST_TIMES=_MOST_TIMES,
                )
            )
        raise GrammarRefused(
            Sentence(
                "the JSON schema counts to {times:,}; a grammar counts to {MOST_TIMES:,} at the most.",
                times=most,
                MOST_TIMES=_MOST_TIMES,
            )
        )
    converter = _Converter(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    converter.visit(converter.resolve_refs(schema, "schema"), "")
    return str(converter.format_grammar())


class _Converter(SchemaConverter):  # type: ignore[misc]  # the package has no types
    """Comes to an end, whatever the schema. Names that no rule can have are looked up anew wherever they stand."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the package's own
        super().__init__(**options)
        self._visits = 0
        self._written = 0

    def visit(self, schema: Any, name: str) -> str:  # noqa: ANN401 - any JSON
        self._visits += 1
        if self._visits > _MOST_VISITS or self._written > _MOST_RULES:
            raise GrammarRefused(Sentence("the JSON schema makes too many rules."))
        if len(name) > _LONGEST_NAME:
            raise GrammarRefused(Sentence("the JSON schema is nested too deeply, or its names are too long."))
        return str(super().visit(schema, name))

    def _add_rule(self, name: str, rule: str) -> str:
        self._written += len(rule)
        return str(super()._add_rule(name, rule))


def _times_in(schema: object) -> Iterator[int]:
    """All that is to be counted to."""
    waiting = [schema]
    while waiting:
        match waiting.pop():
            case list() as items:
                waiting += items
            case dict() as fields:
                for name, value in fields.items():
                    if name in _TIMES and isinstance(value, int):
                        yield value
                    elif name == "pattern" and isinstance(value, str):
                        yield from _times_in_pattern(value)
                    else:
                        waiting.append(value)
            case _:
                pass


def _times_in_pattern(pattern: str) -> Iterator[int]:
    for braces in _BRACES.findall(pattern):
        for number in braces.split(","):
            with suppress(ValueError):
                yield int(number)


def _counted(grammar: str) -> str:
    """The grammar with what is wanted up to n times as `(x){0,n}`. The converter puts n into each other, `(x (x)?)?`,
    and llama.cpp goes only so deep."""
    pieces: list[str] = []
    at = 0
    for closed in _CLOSED.finditer(grammar):
        depth = len(closed[0]) // 2
        begin = grammar.rfind("(", at, closed.start())
        unit = f"{grammar[begin : closed.start()]} "
        times, start = 1, begin
        while times < depth and start >= at + len(unit) and grammar.startswith(unit, start - len(unit)):
            times, start = times + 1, start - len(unit)
        if begin < 0 or times < 2 or "\n" in unit:
            continue
        pieces += grammar[at:start], f"{unit[:-1]}){{0,{times}}}", ")?" * (depth - times)
        at = closed.end()
    return "".join((*pieces, grammar[at:]))
