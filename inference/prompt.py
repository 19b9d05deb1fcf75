"""Messages to the tokens of a prompt.

Foreign text never becomes a control token: it is tokenised apart from the template's own text, with control tokens
switched off. A reply is put back as the very tokens it was sampled as, so that the KV cache still matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from inference.events import BlockKind
from inference.messages import Message, Role
from inference.model import Model, Vocabulary
from inference.template import CHATML, GEMMA, PLAIN, ChatTemplate, Segment, Torn

_PLAIN_STOP = ("\nUser:", "\nSystem:")
_CACHED_TEXTS = 1024  # a turn has two texts: its own and the template's around it


@dataclass(frozen=True, slots=True)
class PromptPart:
    """The tokens of one message in the prompt, with the template's text before it; they end at `end`."""

    kind: BlockKind
    message: int
    end: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole prompt: its tokens, which message each comes from, and strings that end the reply to it."""

    tokens: tuple[int, ...]
    parts: tuple[PromptPart, ...]
    stop: tuple[str, ...]


class PromptBuilder:
    """Builds prompts for one loaded model. `template_name` says which template it uses.

    Raises:
        TemplateFailed: the file's template is no Jinja.
    """

    def __init__(self, model: Model) -> None:
        self._vocabulary = model.vocabulary
        self.template_name, source, stop = choose_template(model.chat_template, model.vocabulary)
        self._template = ChatTemplate(source, model.template_tokens, stop)
        self._beginning_text = model.template_tokens.get("bos_token", "")
        # The turns before the last were tokenised for the prompt before: only new text costs anything.
        self._tokenize = lru_cache(maxsize=_CACHED_TEXTS)(self._tokenize_anew)

    def build(self, messages: Sequence[Message]) -> Prompt:
        """The prompt for `messages`, up to where the reply begins.

        Raises:
            TemplateFailed: the template refuses these messages.
        """
        tokens: list[int] = []
        ends = [0] * len(messages)
        if self._vocabulary.beginning is not None:
            tokens.append(self._vocabulary.beginning)
        for segment in self._without_beginning(self._segments(messages)):
            tokens += self._tokens_of(segment, messages)
            if segment.message is not None:
                ends[segment.message] = len(tokens)
        ends[-1] = len(tokens)
        return Prompt(tuple(tokens), _parts(messages, ends), self._template.stop)

    def _segments(self, messages: Sequence[Message]) -> list[Segment]:
        neutral: dict[int, str] = {}
        while True:
            try:
                return self._template.segments(messages, neutral)
            except Torn as torn:
                neutral[torn.index] = _defused(messages[torn.index].content, self._vocabulary)

    def _without_beginning(self, segments: list[Segment]) -> list[Segment]:
        """The segments without a BOS the template wrote itself: it is added once, by the vocabulary's own word."""
        first = segments[0] if segments else None
        text = self._beginning_text
        if first is None or first.message is not None or not text or not first.text.startswith(text):
            return segments
        return [Segment(first.text[len(text) :], None), *segments[1:]]

    def _tokens_of(self, segment: Segment, messages: Sequence[Message]) -> tuple[int, ...]:
        if segment.message is None:
            return self._tokenize(segment.text, special=True)
        sampled = messages[segment.message].token_ids
        if not sampled or messages[segment.message].content != segment.text:
            return self._tokenize(segment.text, special=False)
        written = b"".join(map(self._vocabulary.piece, sampled)).decode("utf-8", "replace")
        if not segment.text.startswith(written):
            # Sampled by a model with another vocabulary.
            return self._tokenize(segment.text, special=False)
        rest = segment.text[len(written) :]
        return sampled + (self._tokenize(rest, special=False) if rest else ())

    def _tokenize_anew(self, text: str, *, special: bool) -> tuple[int, ...]:
        return tuple(self._vocabulary.tokenize(text, special=special))


def choose_template(own: str | None, vocabulary: Vocabulary) -> tuple[str, str, tuple[str, ...]]:
    """The template to use: its name, its Jinja source, and the stop strings that go with it.

    A model without one of its own gets the plainest that fits the control tokens it knows.
    """
    if own is not None:
        return "the model's own", own, ()
    if _knows(vocabulary, "<|im_start|>") and _knows(vocabulary, "<|im_end|>"):
        return "ChatML", CHATML, ()
    if _knows(vocabulary, "<start_of_turn>") and _knows(vocabulary, "<end_of_turn>"):
        return "Gemma turns", GEMMA, ()
    return "plain roles", PLAIN, _PLAIN_STOP


def _knows(vocabulary: Vocabulary, control: str) -> bool:
    return len(vocabulary.tokenize(control, special=True)) == 1


def _parts(messages: Sequence[Message], ends: Sequence[int]) -> tuple[PromptPart, ...]:
    parts, reached = [], 0
    for index, message in enumerate(messages):
        # A message that the template dropped or folded into another has no tokens of its own.
        reached = max(reached, ends[index])
        parts.append(PromptPart(_kind(index, message, len(messages)), index, reached))
    return tuple(parts)


def _kind(index: int, message: Message, count: int) -> BlockKind:
    if index == count - 1:
        return BlockKind.NEW_MESSAGE
    return BlockKind.SYSTEM if message.role is Role.SYSTEM else BlockKind.TURN


def _defused(text: str, vocabulary: Vocabulary) -> str:
    """`text` with every control token written out in it broken by an invisible character."""
    for control in vocabulary.control_texts():
        if control and control in text:
            text = text.replace(control, f"{control[0]}\u200b{control[1:]}")
    return text
