"""A model's chat template, rendered in a sandbox.

It knows nothing of tokens: messages go in, the prompt's text comes out, with marks around what people and models
said. The marks let the prompt be cut into the template's own text, where control tokens are meant, and foreign
text, where they are not.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from inference.errors import TemplateFailed
from inference.messages import Message, Role

if TYPE_CHECKING:
    from jinja2 import Template

CHATML = """\
{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""

GEMMA = """\
{{ bos_token }}{% for message in messages %}\
{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\n' }}\
{{ message.content + '<end_of_turn>\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"""

PLAIN = """\
{% for message in messages %}{{ message.role | capitalize }}: {{ message.content }}

{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a rendered prompt. `message` is the index of the message it was said in, `None` where the template
    wrote it."""

    text: str
    message: int | None


class ChatTemplate:
    """A Jinja chat template. `stop` are strings that end a reply under it, besides the model's own end tokens.

    Raises:
        TemplateFailed: the source is no Jinja.
    """

    def __init__(self, source: str, tokens: Mapping[str, str], stop: tuple[str, ...] = ()) -> None:
        self.stop = stop
        self._tokens = dict(tokens)
        self._template = _compile(source)

    def segments(self, messages: Sequence[Message], neutral: Mapping[int, str] | None = None) -> list[Segment]:
        """The prompt for `messages`, up to where the reply begins.

        Foreign text stands in segments of its own. Where a template tears a message apart so that its marks no
        longer pair, that message is rendered again without marks, as its text in `neutral`: the same with every
        control token in it defused.

        Raises:
            TemplateFailed: the template refuses these messages, whichever way they are put.
            Torn: a message was torn apart and `neutral` does not hold it.
        """
        marks = _Marks()
        neutral = neutral or {}
        said = [
            {"role": str(message.role), "content": neutral.get(index, marks.around(index, message.content))}
            for index, message in enumerate(messages)
        ]
        return marks.cut(self._render(said))

    def _render(self, said: Sequence[Mapping[str, str]]) -> str:
        """Render as given, then ever closer to what strict templates demand: roles that alternate, no system role."""
        refusals: list[TemplateFailed] = []
        for attempt in (said, _merged(said), _merged(_folded(said))):
            try:
                return self._render_once(attempt)
            except TemplateFailed as error:
                refusals.append(error)
        raise refusals[0]

    def _render_once(self, said: Sequence[Mapping[str, str]]) -> str:
        from jinja2 import TemplateError

        try:
            return self._template.render(messages=list(said), add_generation_prompt=True, **self._tokens)
        except TemplateError as error:
            raise TemplateFailed(str(error)) from error
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            # What Python raises inside a template is the template's fault too.
            raise TemplateFailed(f"{type(error).__name__}: {error}") from error


class Torn(Exception):
    """A template tore the message `index` apart: its marks no longer pair."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class _Marks:
    """Unguessable marks around each message, so that no message can write one."""

    def __init__(self) -> None:
        self._nonce = secrets.token_hex(12)
        self._pattern = re.compile(rf"{self._nonce}([be])(\d+)x")

    def around(self, index: int, content: str) -> str:
        return f"{self._nonce}b{index}x{content}{self._nonce}e{index}x"

    def cut(self, rendered: str) -> list[Segment]:
        segments: list[Segment] = []
        inside: int | None = None
        at = 0
        for mark in self._pattern.finditer(rendered):
            begins, index = mark[1] == "b", int(mark[2])
            if begins == (inside is not None) or (not begins and index != inside):
                raise Torn(index)
            segments.append(Segment(rendered[at : mark.start()], inside))
            inside = index if begins else None
            at = mark.end()
        if inside is not None:
            raise Torn(inside)
        segments.append(Segment(rendered[at:], None))
        return [segment for segment in segments if segment.text]


def _merged(said: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Consecutive messages of one role as one."""
    merged: list[Mapping[str, str]] = []
    for message in said:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1] = {**message, "content": f"{merged[-1]['content']}\n\n{message['content']}"}
        else:
            merged.append(message)
    return merged


def _folded(said: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """System messages as words of the user, for templates that know no system role."""
    return [{**message, "role": str(Role.USER)} if message["role"] == Role.SYSTEM else message for message in said]


def _compile(source: str) -> Template:
    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(Extension):
        """`{% generation %}`, which marks the reply for training and means nothing here."""

        tags = {"generation"}  # noqa: RUF012 - Jinja wants a plain set on the class

        def parse(self, parser: Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, GenerationTag], autoescape=False
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda pattern: datetime.now().astimezone().strftime(pattern)
    try:
        return environment.from_string(source)
    except TemplateError as error:
        raise TemplateFailed(str(error)) from error


def _to_json(value: Any, indent: int | None = None) -> str:  # noqa: ANN401 - a template may hand over anything
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(reason: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(reason)
