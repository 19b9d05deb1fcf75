"""Jinja for templates that nobody vouches for: everything they do is paid for from a budget.

It knows nothing of messages or models. jinja2's own sandbox keeps a template away from Python's insides and from
changing what it is given; this adds an end to time and memory. Every loop step, call, filter and piece of output is
paid for before it happens or as soon as its size is known, and each payment looks at the clock. What could grow
without any payment is left out.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import wraps
from typing import Any, NoReturn, TypeAlias

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import do_title
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace, pass_context
from jinja2.visitor import NodeTransformer

from inference.errors import TemplateFailed
from inference.sentences import Sentence

_MOST_SOURCE = 200_000  # characters; the longest templates of the field have 20,000
_MOST_VALUE = 8_000_000  # characters of one value: a conversation of two million tokens
_ELEMENT = 8  # characters that an element counts for
_MOST_SPENT = 500_000_000  # of one rendering
_MOST_BITS = 4096  # of a whole number
_SECONDS = 5.0  # a rendering takes some milliseconds
_LONGEST_TITLE = 10_000  # characters; it takes some microseconds for each, in one step
_LONGEST_STEP = 16  # characters that tojson may put between two values

# Their results have no end that follows from what they are given.
_LEFT_OUT_FILTERS = ("batch", "center", "pprint", "random", "round", "slice", "sum", "urlize", "wordwrap", "xmlattr")
_LEFT_OUT_GLOBALS = ("cycler", "joiner", "lipsum")
_CODECS = ("decode", "encode")  # some take hours for a few letters, in one step that nobody can end
_LEFT_OUT_METHODS = frozenset(
    (*_CODECS, "center", "expandtabs", "format_map", "ljust", "maketrans", "rjust", "to_bytes", "translate", "zfill")
)

Value: TypeAlias = Any  # whatever a template makes


class SandboxedTemplate:
    """A compiled template; one thread at a time may render it.

    `look` is called again and again while it renders: what that raises ends the rendering.

    Raises:
        TemplateFailed: the source is no Jinja.
    """

    def __init__(self, source: str, look: Callable[[], None], seconds: float = _SECONDS) -> None:
        self._budget = Budget(look, seconds)
        environment = _Environment(self._budget)
        if len(source) > _MOST_SOURCE:
            raise TemplateFailed(Sentence("it is too long to be one."))
        try:
            self._template = environment.from_string(_Metered().visit(environment.parse(source)))
        except (TemplateError, *_FAULTS) as error:
            raise TemplateFailed(_sentence(error)) from error

    def open_budget(self) -> None:
        """Give the renderings from here on a budget, which they share."""
        self._budget.open()

    def render(self, variables: Mapping[str, Value]) -> str:
        """The text.

        Raises:
            TemplateFailed: the template refuses, breaks, or takes more than it may.
        """
        pieces: list[str] = []
        length = 0
        try:
            for piece in self._template.generate(variables):
                pieces.append(piece)
                length += len(piece)
                _check_size(length)
        except (TemplateError, *_FAULTS) as error:
            raise TemplateFailed(_sentence(error)) from error
        return "".join(pieces)


# What Python raises while it compiles or runs a template is the template's fault.
_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)


def _sentence(error: BaseException) -> str:
    match error:
        case RecursionError() | SyntaxError():  # Python's compiler counts levels too
            return Sentence("it is nested too deep.")
        case MemoryError():
            return Sentence("it takes too much memory.")
        case TemplateError():
            return error.message or type(error).__name__
        case _:
            return f"{type(error).__name__}: {error}"


class Budget:
    """What a template may still spend. A unit is a step, or a character that it made.

    Its seconds are those the thread that opened it computes: a machine that is busy or was suspended is no template's
    fault.
    """

    def __init__(self, look: Callable[[], None], seconds: float) -> None:
        self._look = look
        self._seconds = seconds
        self.open()

    def open(self) -> None:
        self._left = _MOST_SPENT
        self._ends = time.thread_time() + self._seconds

    def pay(self, cost: int) -> None:
        """Raises where not enough is left, no time is left, or `look` does."""
        self._left -= cost
        if self._left < 0:
            raise TemplateError(Sentence("it does more than a template may"))
        self._look()
        if time.thread_time() > self._ends:
            raise TemplateError(Sentence("it does not come to an end"))

    def take(self, value: Value) -> Value:
        """`value`, paid for by its size."""
        self.pay(_size(value))
        return value

    def steps(self, iterable: Iterable[Value]) -> Iterator[Value]:
        """What `iterable` gives, each element paid for."""
        for element in iterable:
            self.pay(1)
            yield element


def _size(value: Value) -> int:
    """Characters and elements of all that `value` would be if it were written out."""
    if isinstance(value, str):
        _check_size(len(value))
        return len(value) + _ELEMENT
    size, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        size += _ELEMENT
        match item:
            case str() | bytes():
                size += len(item)
            case int():
                _check_bits(item.bit_length())
            case Mapping():
                waiting.extend(item.keys())
                waiting.extend(item.values())
            case list() | tuple() | AbstractSet():
                waiting.extend(item)
        _check_size(size)
    return size


def _check_size(size: int) -> None:
    if size > _MOST_VALUE:
        raise TemplateError(Sentence("it makes too large a text"))


def _check_bits(bits: int) -> None:
    if bits > _MOST_BITS:
        raise TemplateError(Sentence("it makes too large a number"))


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox in which calls, operators, filters and output are paid for."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, budget: Budget) -> None:
        # Nothing is computed ahead, when it would cost nothing: no optimizer, and output that asks for the context.
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            optimized=False,
            finalize=pass_context(lambda _, value: budget.take(value)),
            extensions=[loopcontrols, _GenerationTag],
        )
        self._budget = budget
        for name in _LEFT_OUT_FILTERS:
            self.filters.pop(name, None)
        for name in _LEFT_OUT_GLOBALS:
            self.globals.pop(name, None)
        self.filters |= {
            "from_json": json.loads,
            "format": self._formatted,
            "indent": self._indented,
            "join": self._joined,
            "replace": self._replaced,
            "string": str,
            "title": self._titled,
            "tojson": self._as_json,
        }
        self.filters = {name: self._paid(function) for name, function in self.filters.items()}
        self.filters |= {_GLUE: self._glued, _STEPS: budget.steps, _TAKE: budget.take}
        self.globals |= {"namespace": _Namespace, "raise_exception": _refuse, "strftime_now": _now}

    def is_safe_attribute(self, obj: Value, attr: str, value: Value) -> bool:
        return attr not in _LEFT_OUT_METHODS and super().is_safe_attribute(obj, attr, value)

    def call(__self, __context: Context, __obj: Value, *args: Value, **kwargs: Value) -> Value:  # noqa: N805 - jinja2's names: a template may pass any others
        self, method = __self, getattr(__obj, "__wrapped__", __obj)
        self._budget.pay(1)
        match (getattr(method, "__self__", None), getattr(method, "__name__", "")):
            case (str() as text, "join"):
                args = (self._paid_items(text, *args),)
            case (str() as text, "replace"):
                self._pay_replacements(text, *args)
            case (str() as text, "format"):
                self._pay_format(text, (*args, *kwargs.values()))
            case _ if isinstance(__obj, LoopContext):
                args = (self._budget.steps(args[0]), *args[1:])
        return self._budget.take(super().call(__context, __obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Value, right: Value) -> Value:
        match (operator, left, right):
            case ("*", int(), int()):
                _check_bits(left.bit_length() + right.bit_length())
            case ("*", int() as times, value) | ("*", value, int() as times):
                self._pay_many(len(value) if isinstance(value, str) else _size(value), times)
            case ("**", int(), int()):
                _check_bits(left.bit_length() * max(right, 1))
            case ("%", str() | bytes(), _):
                self._pay_format(str(left), right if isinstance(right, tuple) else (right,))
        return self._budget.take(super().call_binop(context, operator, left, right))

    def _paid(self, function: Callable[..., Value]) -> Callable[..., Value]:
        @wraps(function)
        def paid(*args: Value, **kwargs: Value) -> Value:
            return self._budget.take(function(*args, **kwargs))

        return paid

    def _pay_many(self, size: int, times: int) -> None:
        _check_size(size * max(times, 0))
        self._budget.pay(size * max(times, 0))

    def _pay_format(self, pattern: str, values: Iterable[Value]) -> None:
        if re.search(r"\d{4}|\*|:[^}]*\{", pattern):
            raise TemplateError(Sentence("it formats with too large or unknown widths"))
        self._pay_many(_size(list(values)) + 1, pattern.count("%") + pattern.count("{") + 1)

    def _pay_replacements(self, text: str, old: str, new: str, *_: object) -> None:
        self._pay_many(len(new), text.count(old))

    def _paid_items(self, separator: str, items: Iterable[Value]) -> list[str]:
        held = list(self._budget.steps(items))
        self._budget.take(held)
        self._pay_many(len(separator), len(held))
        return held

    # Filters that can make much of little: each is paid for before it is done.

    def _glued(self, items: Iterable[Value]) -> str:
        return "".join(map(str, self._paid_items("", items)))

    def _joined(self, value: Iterable[Value], d: str = "", attribute: str | int | None = None) -> str:
        if attribute is not None:
            value = (self.getitem(item, attribute) for item in value)
        return str(d).join(map(str, self._paid_items(str(d), value)))

    def _replaced(self, s: Value, old: str, new: str, count: int = -1) -> str:
        self._pay_replacements(str(s), str(old), str(new))
        return str(s).replace(str(old), str(new), count)

    def _titled(self, s: Value) -> str:
        if len(str(s)) > _LONGEST_TITLE:
            raise TemplateError(Sentence("it makes a title of too long a text"))
        return do_title(str(s))

    def _formatted(self, value: Value, *args: Value, **kwargs: Value) -> str:
        values = kwargs or args
        self._pay_format(str(value), (*args, *kwargs.values()))
        return str(str(value) % values)

    def _indented(self, s: Value, width: int | str = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - jinja2's signature
        margin = width if isinstance(width, str) else " " * min(width, _MOST_VALUE)
        self._pay_many(len(margin), str(s).count("\n") + 1)
        head, *rest = str(s).split("\n")
        lines = (margin + line if line.strip() or blank else line for line in rest)
        return "\n".join([margin + head if first else head, *lines])

    def _as_json(
        self,
        value: Value,
        ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - Hugging Face's signature
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,  # noqa: FBT001, FBT002 - the same
    ) -> str:
        """As Hugging Face does it: JSON as it is, without jinja2's escapes for HTML."""
        steps = [indent if isinstance(indent, int) else len(indent or ""), *map(len, separators or ())]
        if max(steps) > _LONGEST_STEP:
            raise TemplateError(Sentence("it indents too far"))
        self._pay_many(_size(value), _LONGEST_STEP if indent is not None else 1)
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=bool(sort_keys)
        )


class _GenerationTag(Extension):
    """`{% generation %}`, which marks the reply for training and means nothing here."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 wants a plain set on the class

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


_GLUE, _STEPS, _TAKE = "(glue)", "(steps)", "(take)"  # names that no template can write


class _Metered(NodeTransformer):
    """Puts the payments into a template: at loops, at constants that are written out, at what builds larger values."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - jinja2's names
        self.generic_visit(node)
        node.iter = _filtered(node.iter, _STEPS)
        return node

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Const:  # noqa: N802 - jinja2's names
        return nodes.Const(node.data, lineno=node.lineno)  # output that goes through `finalize`

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802 - jinja2's names
        self.generic_visit(node)
        return _filtered(nodes.Tuple(node.nodes, "load", lineno=node.lineno), _GLUE)

    def visit_List(self, node: nodes.List) -> nodes.Filter:  # noqa: N802 - jinja2's names
        self.generic_visit(node)
        return _filtered(node, _TAKE)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Filter:  # noqa: N802 - jinja2's names
        self.generic_visit(node)
        return _filtered(node, _TAKE)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:  # noqa: N802 - jinja2's names
        self.generic_visit(node)
        return node if node.ctx != "load" else _filtered(node, _TAKE)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class _Namespace(Namespace):
    """A namespace that does not write out what it holds: it is no part of any value's size."""

    def __repr__(self) -> str:
        return "<Namespace>"


def _refuse(reason: Value = "") -> NoReturn:
    raise TemplateError("" if isinstance(reason, Undefined) else str(reason)[:1000])


def _now(pattern: str) -> str:
    # The C library pads to any width that is written out.
    if len(pattern) > 100 or re.search(r"\d{3}", pattern):
        raise TemplateError(Sentence("it asks for the time in too many letters"))
    return datetime.now().astimezone().strftime(pattern)
