"""Colours for code: at once and roughly while it is written, exactly and in small steps when it is whole.

It knows code and kinds of words, not how they are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """What a word of code is."""

    KEYWORD = "keyword"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    FUNCTION = "function"
    OPERATOR = "operator"


Span: TypeAlias = tuple[int, int, Kind]  # begin and length within a line, in UTF-16 units as Qt counts them
Line: TypeAlias = tuple[Span, ...]


def rough_line(line: str, language: str) -> Line:
    """The colours of one line, read by itself: good enough while the rest is being written."""
    pattern = _ROUGH_SLASHES if language.lower() in _SLASHES else _ROUGH_HASHES
    if language.lower() in _NO_CODE:
        return ()
    spans = []
    for found in pattern.finditer(line):
        kind = Kind(found.lastgroup or Kind.KEYWORD)
        spans.append((found.start(), found.end() - found.start(), kind))
    return _in_units(line, spans)


def exact_lines(code: str, language: str) -> Iterator[Line]:
    """The colours of each line, one after the other; nothing for a language that is not known.

    It is a generator so that long code can be coloured between other work. The first step loads Pygments.
    """
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return
    spans: list[Span] = []
    line = ""
    for token, text in lex(code, lexer):
        kind = _kind(token)
        for number, part in enumerate(text.split("\n")):
            if number:
                yield _in_units(line, spans)
                spans, line = [], ""
            if kind and part:
                spans.append((len(line), len(part), kind))
            line += part
    yield _in_units(line, spans)


def _kind(token: object) -> Kind | None:
    while token is not None:
        if kind := _KINDS.get(str(token)):
            return kind
        token = getattr(token, "parent", None)
    return None


def _in_units(line: str, spans: list[Span]) -> Line:
    """Spans counted in characters as spans counted in UTF-16 units."""
    if line.isascii() or max(line, default="") <= "\uffff":
        return tuple(spans)
    return tuple((_units(line[:begin]), _units(line[begin : begin + length]), kind) for begin, length, kind in spans)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


_KINDS = {
    "Token.Keyword": Kind.KEYWORD,
    "Token.Keyword.Constant": Kind.NUMBER,
    "Token.Operator.Word": Kind.KEYWORD,
    "Token.Literal.String": Kind.STRING,
    "Token.Literal.Number": Kind.NUMBER,
    "Token.Comment": Kind.COMMENT,
    "Token.Name.Function": Kind.FUNCTION,
    "Token.Name.Class": Kind.FUNCTION,
    "Token.Name.Builtin": Kind.FUNCTION,
    "Token.Name.Decorator": Kind.FUNCTION,
    "Token.Name.Tag": Kind.KEYWORD,
    "Token.Name.Attribute": Kind.FUNCTION,
    "Token.Operator": Kind.OPERATOR,
    "Token.Generic.Deleted": Kind.NUMBER,
    "Token.Generic.Inserted": Kind.STRING,
    "Token.Generic.Heading": Kind.KEYWORD,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SLASHES = _words(
    "c c++ cpp h hpp cs csharp java javascript js jsx ts tsx typescript go rust rs swift kotlin kt scala dart php "
    "zig json jsonc css scss less glsl wgsl groovy objc proto protobuf v"
)
_NO_CODE = _words("text txt plain plaintext output log markdown md csv") | {""}
_KEYWORDS = _words(
    "and as async await break case catch class const continue def default del do elif else enum except export extends "
    "False finally fn for from func function global if impl import in interface is lambda let loop match mod mut new "
    "None nonlocal not null or package pass private protected pub public raise return self static struct super switch "
    "this throw trait True true false try type typeof use using var void where while with yield"
)
_ROUGH = (
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'|`[^`]*`)"
    r"|(?P<number>\b\d[\w.]*)"
    rf"|(?P<keyword>\b(?:{'|'.join(sorted(_KEYWORDS))})\b)"
    r"|(?P<function>\b[A-Za-z_]\w*(?=\())"
)
_ROUGH_HASHES = re.compile(r"(?P<comment>(?:^|(?<=\s))(?:#|--\s).*)" + _ROUGH)
_ROUGH_SLASHES = re.compile(r"(?P<comment>//.*|/\*.*?(?:\*/|$))" + _ROUGH)
