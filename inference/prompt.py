"""Messages to the tokens of a prompt.

Foreign text never becomes a control token: it is tokenised apart from the template's own text, with control tokens
switched off. A reply is put back as the very tokens it was sampled as, so that the KV cache still matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from inference.errors import TemplateFailed
from inference.events import BlockKind
from inference.messages import Message, Role
from inference.model import Vocabulary
from inference.reasoning import Markup, find_markup, length_begun
from inference.recent import Recent
from inference.sentences import Sentence, ended
from inference.template import CHATML, GEMMA, PLAIN, ChatTemplate, Segment, Torn, never

_PLAIN_STOP = ("\nUser:", "\nSystem:")
_REMEMBERED = 32 << 20  # bytes of texts with their tokens: a conversation of nearly a million tokens

_MARK = re.compile(rb"<[^<>\s]+>|\[[^\[\]\s]+\]")  # how tokens look that no text joins

_HELLO = Message(Role.USER, "Hello")
_REPLY = Message(Role.ASSISTANT, "Hello! How can I help?", reasoning="The user greets me.")
_SYSTEM = Message(Role.SYSTEM, "Be short.")


@dataclass(frozen=True, slots=True)
class PromptPart:
    """The tokens of one message in the prompt, with the template's text before it; its own begin at `begin`, and it
    ends at `end`."""

    kind: BlockKind
    message: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole prompt: its tokens, which message each comes from, and strings that end the reply to it.

    The first `said` tokens end with the last message; what follows leads into the reply, and where a template strips
    reasoning from history, it will not come again. `markup` is how the reply marks its reasoning, `lead` the prompt's
    last text, in which it may begin already. `begun` are the tokens at the end that belong to the reply already.
    """

    tokens: tuple[int, ...]
    parts: tuple[PromptPart, ...]
    stop: tuple[str, ...]
    said: int = 0
    markup: Markup | None = None
    lead: str = ""
    begun: tuple[int, ...] = ()


class Reader(Protocol):
    """What a prompt is built with, of a loaded model or of one without weights."""

    @property
    def vocabulary(self) -> Vocabulary: ...
    @property
    def chat_template(self) -> str | None: ...
    @property
    def template_tokens(self) -> dict[str, str]: ...


class PromptBuilder:
    """Builds prompts for one loaded model.

    A `template` that is given takes the place of the model's own; `template_name` says which it is.
    `has_thinking_switch` says whether it knows a choice of thinking or not, `warnings` what it cannot render, each in a
    sentence. A rendering ends at once when it is `interrupted`.

    Raises:
        TemplateFailed: the template is no Jinja, or refuses a single question.
        RenderStopped: it was interrupted.
    """

    def __init__(self, model: Reader, interrupted: Callable[[], bool] = never, template: str | None = None) -> None:
        self._vocabulary = model.vocabulary
        self.template_name, source, stop = choose_template(template, model.chat_template, model.vocabulary)
        self._template = ChatTemplate(source, model.template_tokens, stop, interrupted)
        self._beginning_text = model.template_tokens.get("bos_token", "")
        self._words: dict[int, bytes] = {}
        # The turns before the last were tokenised for the prompt before: only new text costs anything.
        self._tokenize = Recent(self._tokenize_anew, _REMEMBERED)
        self._written = Recent(self._written_anew, _REMEMBERED)
        self._defused = Recent(self._defused_anew, _REMEMBERED)
        self._answer_tokens = Recent(self._answer_tokens_anew, _REMEMBERED)
        self._puts_space = self._written(self._tokenize("a", special=False)) == " a"
        rendered, self.warnings = _checked(self._template)
        self.has_thinking_switch = _has_switch(self._template)
        self._markup = find_markup(source + rendered, self._knows)
        marks = {word: self._vocabulary.tokenize(word, special=True) for word in _words_of(self._markup)}
        tokens = {word: found[0] for word, found in marks.items() if len(found) == 1}
        self._words = {token: word.encode() for word, token in tokens.items() if not self._vocabulary.piece(token)}
        self._inside_marks = _inside(
            [word for word, token in tokens.items() if "|" in word and token not in self._words]
        )

    def build(
        self, messages: Sequence[Message], *, thinking: bool | None = None, begun: Message | None = None
    ) -> Prompt:
        """The prompt for `messages`, up to where the reply begins, or up to where one that was `begun` goes on.

        Raises:
            TemplateFailed: the template refuses these messages.
            RenderStopped: it was interrupted.
        """
        messages = [self._with_known_ids(message) for message in messages]
        segments = self._segments(messages, thinking=thinking)
        tokens: list[int] = []
        begins, ends = [0] * len(messages), [0] * len(messages)
        if self._vocabulary.beginning is not None:
            tokens.append(self._vocabulary.beginning)
        for stretch in self._put_back(segments, messages):
            if stretch.message is not None and not ends[stretch.message]:
                begins[stretch.message] = len(tokens)
            tokens += stretch.sampled or self._tokens_of(stretch, tokens[-1] if tokens else None)
            if stretch.message is not None:
                ends[stretch.message] = len(tokens)
        said, ends[-1] = max(ends), len(tokens)
        lead = segments[-1].text if segments and segments[-1].message is None else ""
        prompt = Prompt(tuple(tokens), _parts(messages, begins, ends), self._template.stop, said, self._markup, lead)
        return prompt if begun is None else self._going_on(prompt, self._with_known_ids(begun), len(messages))

    def _with_known_ids(self, message: Message) -> Message:
        """The message without ids that this vocabulary does not have: another model sampled them."""
        ids = message.token_ids
        known = not ids or (min(ids) >= 0 and max(ids) < self._vocabulary.size)
        return message if known else replace(message, token_ids=())

    def _going_on(self, prompt: Prompt, begun: Message, index: int) -> Prompt:
        """The prompt with a reply's beginning after it: the very tokens it was sampled as, where they spell it."""
        written = self._written(begun.token_ids)
        if begun.token_ids and written.endswith(begun.content):
            sampled = begun.token_ids
        else:
            known = self._answer_tokens(begun.token_ids, begun.content)
            rest = begun.content[len(self._written(known)) :]
            sampled = known + self._tokens_of(_Stretch(rest, index), (*prompt.tokens, *known)[-1])
        tokens = prompt.tokens + sampled
        part = PromptPart(BlockKind.TURN, index, len(prompt.tokens), len(tokens))
        return replace(prompt, tokens=tokens, parts=(*prompt.parts, part), begun=sampled)

    def text(self, messages: Sequence[Message], *, thinking: bool | None = None) -> str:
        """The prompt as one text, as `build` has it tokenised.

        Raises:
            TemplateFailed: the template refuses these messages.
            RenderStopped: it was interrupted.
        """
        beginning = self._beginning_text if self._vocabulary.beginning is not None else ""
        return beginning + "".join(segment.text for segment in self._segments(messages, thinking=thinking))

    def count(self, text: str) -> int:
        """How many tokens a text is by itself. It is not kept for later prompts."""
        return len(self._tokenize_anew(text, special=False))

    def word(self, token: int) -> bytes:
        """How a control token is written that marks reasoning or answer; of any other token, nothing."""
        return self._words.get(token, b"")

    def _segments(self, messages: Sequence[Message], *, thinking: bool | None) -> list[Segment]:
        neutral: dict[int, Message] = {}
        while True:
            try:
                segments = self._template.segments(messages, neutral, thinking=thinking)
                suspects = self._unmarked(messages, segments) - neutral.keys()
            except Torn as torn:
                suspects = set(torn.indices)
            if not suspects:
                return self._without_beginning(segments)
            neutral |= {index: self._neutral(messages[index]) for index in suspects}

    def _unmarked(self, messages: Sequence[Message], segments: Sequence[Segment]) -> set[int]:
        """The messages that hold control tokens, written out, and did not come back between their marks: the template
        left them out, or their marks."""
        seen = {(segment.message, segment.reasoning) for segment in segments}
        return {
            index
            for index, message in enumerate(messages)
            for text, key in ((message.content, (index, False)), (message.reasoning, (index, True)))
            if text.strip() and key not in seen and self._defused(text) != text
        }

    def _neutral(self, message: Message) -> Message:
        return replace(message, content=self._defused(message.content), reasoning=self._defused(message.reasoning))

    def _without_beginning(self, segments: list[Segment]) -> list[Segment]:
        """The segments without a BOS the template wrote itself: it is added once, by the vocabulary's own word."""
        first = segments[0] if segments else None
        text = self._beginning_text if self._vocabulary.beginning is not None else ""
        if first is None or first.message is not None or not text or not first.text.startswith(text):
            return segments
        return [Segment(first.text[len(text) :], None), *segments[1:]]

    def _put_back(self, segments: Sequence[Segment], messages: Sequence[Message]) -> Iterator[_Stretch]:
        """The segments, with replies as what they were sampled as."""
        waiting: list[Segment] = []  # what may still turn out to be a reply's own beginning
        for segment in segments:
            waiting.append(segment)
            if segment.message is None or segment.reasoning:
                continue
            message = messages[segment.message]
            whole = self._whole_reply(waiting, message) if message.token_ids else None
            if whole is not None:
                yield from whole
            else:
                yield from (_Stretch(earlier.text, earlier.message) for earlier in waiting[:-1])
                yield from self._answer_alone(segment, message)
            waiting.clear()
        yield from (_Stretch(segment.text, segment.message) for segment in waiting)

    def _whole_reply(self, waiting: Sequence[Segment], message: Message) -> tuple[_Stretch, ...] | None:
        """Where the template writes a reply out as it was sampled, with its reasoning and all marks: the text before
        it, and the reply's tokens. White space next to marks may differ: it is the reply's own that counts."""
        *earlier, answer = waiting
        thought: list[Segment] = []
        if len(earlier) > 1 and earlier[-2].reasoning and earlier[-2].message == answer.message:
            *earlier, _, _ = earlier
            thought = list(waiting[-3:-1])
        if any(segment.message is not None for segment in earlier):
            return None
        head, rest = _split_reply(self._written(message.token_ids), answer.text)
        opening: str | None = head if head.strip() else None
        for segment in reversed(thought):
            opening = _without_ending(opening, segment.text)
        stem = _without_ending("".join(segment.text for segment in earlier), opening)
        if opening is None or stem is None:
            return None
        return (
            _Stretch(stem.rstrip() if opening[:1].isspace() else stem, None),
            _Stretch("", answer.message, message.token_ids),
            _Stretch(rest, answer.message),
        )

    def _answer_alone(self, segment: Segment, message: Message) -> tuple[_Stretch, ...]:
        """A message's content without its reasoning: as far as its tokens spell it, those."""
        kept = self._answer_tokens(message.token_ids, segment.text) if message.content == segment.text else ()
        written = self._written(kept)
        if not segment.text.startswith(written):
            kept, written = (), ""
        return _Stretch("", segment.message, kept), _Stretch(segment.text[len(written) :], segment.message)

    def _answer_tokens_anew(self, sampled: tuple[int, ...], text: str) -> tuple[int, ...]:
        """Those of a reply's tokens that spell the beginning of `text`: all, or those after its reasoning; none where
        another vocabulary sampled them."""
        pieces = [self._vocabulary.piece(token) for token in sampled]
        data = text.encode("utf-8", "replace")
        if data.startswith(b"".join(pieces)) and self._words.keys().isdisjoint(sampled):
            return sampled
        length, begin = 0, len(pieces)
        while begin and pieces[begin - 1] and length + len(pieces[begin - 1]) <= len(data):
            begin -= 1
            length += len(pieces[begin])
        return sampled[begin:] if data.startswith(b"".join(pieces[begin:])) else ()

    def _tokens_of(self, stretch: _Stretch, before: int | None) -> tuple[int, ...]:
        """The tokens of a text that comes after the token `before`."""
        if stretch.message is None:
            return self._tokenize(stretch.text, special=True, joined=self._joins(before))
        # A mark that is no control token is a token even where those are switched off: it is cut in two.
        pieces = self._inside_marks.split(stretch.text) if self._inside_marks is not None else [stretch.text]
        tokens: tuple[int, ...] = ()
        for piece in pieces:
            tokens += self._tokenize(piece, special=False, joined=self._joins(tokens[-1] if tokens else before))
        return tokens

    def _joins(self, before: int | None) -> bool:
        """Whether text after the token `before` goes on without the space that the vocabulary puts before a text."""
        if not self._puts_space or before is None:
            return False
        piece = self._vocabulary.piece(before)
        return bool(piece) and not _MARK.fullmatch(piece)

    def _tokenize_anew(self, text: str, *, special: bool, joined: bool = False) -> tuple[int, ...]:
        if not text:
            return ()
        if joined:
            anchor = self._tokenize("\n", special=False)
            tokens = tuple(self._vocabulary.tokenize("\n" + text, special=special))
            if tokens[: len(anchor)] == anchor:
                return tokens[len(anchor) :]
        return tuple(self._vocabulary.tokenize(text, special=special))

    def _written_anew(self, tokens: tuple[int, ...]) -> str:
        return b"".join(self._vocabulary.piece(token) or self.word(token) for token in tokens).decode(
            "utf-8", "replace"
        )

    def _defused_anew(self, text: str) -> str:
        """`text` with every control token written out in it broken by an invisible character."""
        for control in self._vocabulary.control_texts():
            if control and control in text:
                text = text.replace(control, f"{control[0]}\u200b{control[1:]}")
        return text

    def _knows(self, word: str) -> bool:
        return _knows(self._vocabulary, word)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A text in the prompt, or tokens that were sampled, of one message or of the template."""

    text: str
    message: int | None
    sampled: tuple[int, ...] = ()


def choose_template(given: str | None, own: str | None, vocabulary: Vocabulary) -> tuple[str, str, tuple[str, ...]]:
    """The template to use: its name, its Jinja source, and the stop strings that go with it.

    One that was given comes first. A model without one of its own gets the plainest that fits the control tokens it
    knows.
    """
    if given is not None:
        return Sentence("the one given"), given, ()
    if own is not None:
        return Sentence("the model's own"), own, ()
    if _knows(vocabulary, "<|im_start|>") and _knows(vocabulary, "<|im_end|>"):
        return "ChatML", CHATML, ()
    if _knows(vocabulary, "<start_of_turn>") and _knows(vocabulary, "<end_of_turn>"):
        return Sentence("Gemma turns"), GEMMA, ()
    return Sentence("plain roles"), PLAIN, _PLAIN_STOP


def _checked(template: ChatTemplate) -> tuple[str, tuple[str, ...]]:
    """What the template makes of small conversations, and what it makes nothing of. One question it must render."""
    rendered, warnings = template.text([_HELLO]), []
    trials = (
        (_no_system_prompt, [_SYSTEM, _HELLO]),
        (_no_second_question, [_HELLO, _REPLY, _HELLO]),
    )
    for warning, messages in trials:
        try:
            rendered += template.text(messages)
        except TemplateFailed as error:
            warnings.append(warning(error.reason))
    return rendered, tuple(warnings)


def _no_system_prompt(reason: str) -> Sentence:
    return Sentence("The model's chat template takes no system prompt: {reason}", reason=ended(reason))


def _no_second_question(reason: str) -> Sentence:
    return Sentence("The model's chat template refuses a second question: {reason}", reason=ended(reason))


def _has_switch(template: ChatTemplate) -> bool:
    try:
        return template.text([_HELLO], thinking=True) != template.text([_HELLO], thinking=False)
    except TemplateFailed:
        return False


def _knows(vocabulary: Vocabulary, control: str) -> bool:
    return len(vocabulary.tokenize(control, special=True)) == 1


def _words_of(markup: Markup | None) -> frozenset[str]:
    return markup.words if markup is not None else frozenset()


def _inside(words: Sequence[str]) -> re.Pattern[str] | None:
    """Finds the place after the first character of each word."""
    return (
        re.compile("|".join(f"(?<={re.escape(word[0])})(?={re.escape(word[1:])})" for word in words)) if words else None
    )


def _split_reply(written: str, answer: str) -> tuple[str, str]:
    """What was written before the answer, and the end of the answer that was not written (a stop string cut it)."""
    length = len(answer) if written.endswith(answer) else length_begun(written, [answer])
    return written[: len(written) - length], answer[length:]


def _without_ending(text: str | None, ending: str | None) -> str | None:
    """`text` without `ending`, whatever white space is around that; `None` where it does not end with it."""
    if text is None or ending is None:
        return None
    core, body = ending.strip(), text.rstrip()
    if not core:
        return text
    return body[: -len(core)] if body.endswith(core) else None


def _parts(messages: Sequence[Message], begins: Sequence[int], ends: Sequence[int]) -> tuple[PromptPart, ...]:
    parts, reached = [], 0
    for index, message in enumerate(messages):
        # A message that the template dropped or folded into another has no tokens of its own.
        reached = max(reached, ends[index])
        parts.append(PromptPart(_kind(index, message, len(messages)), index, min(begins[index], reached), reached))
    return tuple(parts)


def _kind(index: int, message: Message, count: int) -> BlockKind:
    if index == count - 1:
        return BlockKind.NEW_MESSAGE
    return BlockKind.SYSTEM if message.role is Role.SYSTEM else BlockKind.TURN
