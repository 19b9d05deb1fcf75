"""A model's chat template, rendered in a sandbox.

It knows nothing of tokens: messages go in, the prompt's text comes out, with marks around what people and models
said. The marks let the prompt be cut into the template's own text, where control tokens are meant, and foreign
text, where they are not.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from inference.errors import TemplateFailed
from inference.messages import Message, Role

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
    """A stretch of a rendered prompt. `message` is the index of the message it was said in, as its content or as its
    `reasoning`; `None` where the template wrote it."""

    text: str
    message: int | None
    reasoning: bool = False


class RenderStopped(Exception):
    """Somebody wanted a rendering stopped."""


class Torn(Exception):
    """A template tore messages apart: the marks of those with these `indices` no longer pair."""

    def __init__(self, indices: frozenset[int]) -> None:
        super().__init__(indices)
        self.indices = indices


def never() -> bool:
    """Nobody wants anything stopped."""
    return False


class ChatTemplate:
    """A Jinja chat template. `stop` are strings that end a reply under it, besides the model's own end tokens.

    A template that takes too long or too much fails; one that is `interrupted` ends at once. One thread at a time may
    render.

    Raises:
        TemplateFailed: the source is no Jinja.
    """

    def __init__(
        self,
        source: str,
        tokens: Mapping[str, str],
        stop: tuple[str, ...] = (),
        interrupted: Callable[[], bool] = never,
    ) -> None:
        # jinja2 is imported with the first model.
        from inference.sandbox import SandboxedTemplate

        self.stop = stop
        self._tokens = dict(tokens)
        self._interrupted = interrupted
        self._template = SandboxedTemplate(source, self._look)

    def text(self, messages: Sequence[Message], *, thinking: bool | None = None) -> str:
        """The prompt for `messages`, up to where the reply begins, as one text. `thinking` is the choice of templates
        that know one; `None` leaves it to them.

        Raises:
            TemplateFailed: the template refuses these messages, whichever way they are put.
            RenderStopped: it was interrupted.
        """
        return self._render([_as_template_sees(message) for message in messages], thinking=thinking)

    def segments(
        self,
        messages: Sequence[Message],
        neutral: Mapping[int, Message] | None = None,
        *,
        thinking: bool | None = None,
    ) -> list[Segment]:
        """The same prompt with what was said in segments of its own.

        Where a template tears a message apart so that its marks no longer pair, that message is rendered again without
        marks, as it is in `neutral`: with every control token in it defused.

        Raises:
            TemplateFailed: the template refuses these messages, whichever way they are put.
            Torn: messages were torn apart and `neutral` does not hold them.
            RenderStopped: it was interrupted.
        """
        marks, neutral = _Marks(), neutral or {}
        said = [
            _as_template_sees(neutral[index] if index in neutral else marks.around(index, message))
            for index, message in enumerate(messages)
        ]
        return _with_white_space(marks.cut(self._render(said, thinking=thinking)), messages)

    def _look(self) -> None:
        if self._interrupted():
            raise RenderStopped

    def _render(self, said: Sequence[Mapping[str, str]], *, thinking: bool | None) -> str:
        """Render as given, then ever closer to what strict templates demand: roles that alternate, no system role."""
        variables = self._variables(thinking=thinking)
        refusals: list[TemplateFailed] = []
        self._template.open_budget()
        for attempt in (said, _merged(said), _merged(_folded(said))):
            try:
                return self._template.render({**variables, "messages": attempt})
            except TemplateFailed as error:
                refusals.append(error)
        raise refusals[0]

    def _variables(self, *, thinking: bool | None) -> dict[str, object]:
        """What templates ask for by name; what is not known stays undefined."""
        today = datetime.now().astimezone()
        choice = {} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
        return {
            **self._tokens,
            **choice,
            "add_generation_prompt": True,
            "date_string": today.strftime("%d %b %Y"),
            "datetime": today.strftime("%b %d %Y"),  # without the time of day, which would end prefix reuse
        }


def _as_template_sees(message: Message) -> dict[str, str]:
    seen = {"role": str(message.role), "content": message.content}
    return {**seen, "reasoning_content": message.reasoning} if message.reasoning else seen


class _Marks:
    """Unguessable marks around what was said, so that no message can write one.

    They are digits: no filter for letters changes them, and none of them is white space.
    """

    def __init__(self) -> None:
        self._nonce = str(secrets.randbelow(9 * 10**23) + 10**23)
        self._pattern = re.compile(rf"{self._nonce}([0-3])(\d{{6}})")

    def around(self, index: int, message: Message) -> Message:
        return Message(
            message.role,
            self._around(message.content, index, 0, whole=bool(message.token_ids)),
            reasoning=self._around(message.reasoning, index, 2, whole=False),
        )

    def cut(self, rendered: str) -> list[Segment]:
        segments: list[Segment] = []
        torn: set[int] = set()
        inside: tuple[int, bool] | None = None
        at = 0
        for mark in self._pattern.finditer(rendered):
            kind, index = int(mark[1]), int(mark[2])
            begins, said = kind % 2 == 0, (index, kind >= 2)
            if inside != (None if begins else said):
                torn |= {index} if inside is None else {index, inside[0]}
            segments.append(_segment(rendered[at : mark.start()], inside))
            inside = said if begins else None
            at = mark.end()
        if inside is not None:
            torn.add(inside[0])
        if torn:
            raise Torn(frozenset(torn))
        segments.append(_segment(rendered[at:], None))
        return [segment for segment in segments if segment.text]

    def _around(self, text: str, index: int, kind: int, *, whole: bool) -> str:
        """Marks around `text`, but inside the white space at its ends, which templates trim; `whole` keeps that too,
        as a reply's tokens do. Nothing is around nothing: templates ask whether there is any text."""
        core = text if whole else text.strip()
        if not core.strip():
            return text
        before, after = text.split(core, 1)
        return f"{before}{self._nonce}{kind}{index:06d}{core}{self._nonce}{kind + 1}{index:06d}{after}"


def _segment(text: str, said: tuple[int, bool] | None) -> Segment:
    return Segment(text, None) if said is None else Segment(text, *said)


def _with_white_space(segments: Sequence[Segment], messages: Sequence[Message]) -> list[Segment]:
    """The segments with white space where tokens have it: what was said has its own again, which the template left at
    its ends, and the template's spaces before it, which are one token with the word behind them."""
    texts = [segment.text for segment in segments]
    for at, segment in enumerate(segments):
        if segment.message is None:
            continue
        message = messages[segment.message]
        before, after = _white_space_around(segment.text, message.reasoning if segment.reasoning else message.content)
        if at and segments[at - 1].message is None:
            kept = texts[at - 1].removesuffix(before)
            kept = kept if message.token_ids else kept.rstrip(" ")
            texts[at - 1], texts[at] = kept, texts[at - 1][len(kept) :] + texts[at]
        if at + 1 < len(segments) and segments[at + 1].message is None and texts[at + 1].startswith(after):
            texts[at], texts[at + 1] = texts[at] + after, texts[at + 1][len(after) :]
    return [replace(segment, text=text) for segment, text in zip(segments, texts, strict=True) if text]


def _white_space_around(text: str, said: str) -> tuple[str, str]:
    """What is around `text` in what was said; nothing where the template changed it."""
    if said.strip() != text:
        return "", ""
    before, after = said.split(text, 1)
    return before, after


def _merged(said: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Consecutive messages of one role as one."""
    merged: list[Mapping[str, str]] = []
    for message in said:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1] = {
                key: "\n\n".join(part[key] for part in (merged[-1], message) if part.get(key))
                for key in {**merged[-1], **message}
            } | {"role": message["role"]}
        else:
            merged.append(message)
    return merged


def _folded(said: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """System messages as words of the user, for templates that know no system role."""
    return [{**message, "role": str(Role.USER)} if message["role"] == Role.SYSTEM else message for message in said]
