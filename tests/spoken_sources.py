"""What the program's sources say, read from their syntax trees: words that are said past a `Sentence`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from scripts.translations import ROOT

_WORDS = re.compile(r"[a-z]{2,},? [a-z]{2,}")  # two in a row
_SAYS = frozenset({"Sentence", "tr", "_tr", "translate", "from_text"})
_NOT_FOR_PEOPLE = frozenset({"compile", "getLogger", "debug", "info", "warning", "error", "exception", "add_argument"})
_HANDED_ON = frozenset({"spoken", "Sentence", "FileRead", "ConversationsRead"})  # as the sentence it is
_FAULTS_OF_OURS = frozenset({"ValueError", "TypeError", "AssertionError", "RuntimeError", "AttributeError"})


def parsed(package: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules of a package by their paths."""
    for path in sorted((ROOT / package).rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def above(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """What stands around each part."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def around(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    while node in parents:
        node = parents[node]
        yield node


def called(node: ast.AST) -> str:
    """What is called here; empty where nothing is."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return ""


def words_past_sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines and texts of several words that no `Sentence` is made of, and that are for somebody all the same: no
    docstring, no pattern, no line for a log, no fault of the program's own, no value of an enumeration."""
    parents = above(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORDS.search(node.value):
            places = tuple(around(node, parents))
            if not any(map(_is_no_telling, places)) and not _is_of_an_enumeration(places):
                yield node.lineno, node.value


def _is_no_telling(place: ast.AST) -> bool:
    if called(place) in _SAYS | _NOT_FOR_PEOPLE:
        return True
    match place:
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Call() as error):
            return called(error) in _FAULTS_OF_OURS
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case _:
            return False


def _is_of_an_enumeration(places: tuple[ast.AST, ...]) -> bool:
    bases = [base for place in places if isinstance(place, ast.ClassDef) for base in place.bases]
    return any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in bases) and not any(
        isinstance(place, ast.FunctionDef) for place in places
    )


def failures_told_past(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Lines where what a failure says is made a text, and not handed to `spoken` or to who does it, quoted in a
    `Sentence`, logged, or raised again."""
    parents = above(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and _is_failure(node, parents) and _is_made_a_text(node, parents):
            places = tuple(around(node, parents))
            kept = _HANDED_ON | _NOT_FOR_PEOPLE
            if not any(called(place) in kept or isinstance(place, ast.Raise) for place in places):
                yield node.lineno, ast.unparse(node)


def _is_failure(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    match node:
        case ast.Name(id=name):
            return any(isinstance(place, ast.ExceptHandler) and place.name == name for place in around(node, parents))
        case ast.Attribute(attr="error" | "refusal" | "trouble" | "reason" | "notice"):
            return True
        case _:
            return False


def _is_made_a_text(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    match parents[node]:
        case ast.FormattedValue():
            return True
        case ast.Call() if isinstance(parents[parents[node]], ast.BoolOp):
            return "strerror" not in ast.unparse(parents[parents[node]])  # else it is the system's own word
        case ast.Call(func=ast.Name(id="str" | "format" | "repr"), args=[first, *_]) if first is node:
            return True
        case ast.keyword() as word:
            return called(parents[word]) == "format"
        case ast.Call(func=ast.Attribute(attr="setText" | "emit" | "format"), args=args):
            return node in args
        case _:
            return False
