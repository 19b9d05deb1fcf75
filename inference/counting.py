"""How many tokens a conversation and a draft are, counted while somebody types.

It has a thread and a vocabulary of its own: the engine's model is never asked, and may be busy.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from inference.configuration import ModelConfig, WindowPolicy
from inference.errors import InferenceError, PromptTooLong
from inference.faults import tell_fault
from inference.fit import fit
from inference.leaving import Worker, closed_at_exit
from inference.messages import Message, Role
from inference.prompt import PromptBuilder, Reader
from inference.requests import GenerationRequest
from inference.template import RenderStopped


@dataclass(frozen=True, slots=True)
class TokenCount:
    """What a prompt would need: `conversation` tokens for what was said, `draft` more for what is being typed and
    attached to it, the template's own text included in either. `attachments` are those of each attached text by itself.

    `left_out` are the messages that would be left out for it; it `fits` where that makes room enough. `about` is the
    name that whoever asked gave it: what is asked about is often another by the time it is counted.
    """

    model: ModelConfig
    draft_text: str
    conversation: int
    draft: int
    attachments: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()
    fits: bool = True
    about: int = 0


@dataclass(frozen=True, slots=True)
class DropRule:
    """What is known of a window of which the oldest turns are left out: its size, and the messages that are not."""

    context_size: int
    pinned: tuple[int, ...] = ()


class ClosableReader(Reader, Protocol):
    """A reader that holds memory until it is closed."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Wish:
    model: ModelConfig
    messages: tuple[Message, ...]
    draft: str
    attachments: tuple[str, ...]
    drop: DropRule | None
    about: int


class TokenCounter:
    """Counts what it was asked last; what was asked before and is not counted yet is forgotten.

    `counted` is called on the counter's thread. A file that cannot be read, or a conversation that its template
    refuses, gets no count: the reply will say why.
    """

    def __init__(
        self, counted: Callable[[TokenCount], None], open_reader: Callable[[ModelConfig], ClosableReader] | None = None
    ) -> None:
        self._counted = counted
        self._open_reader = open_reader or _open_with_llama
        self._changed = threading.Condition()
        self._wish: _Wish | None = None
        self._closing = False
        # The thread's own.
        self._model: ModelConfig | None = None
        self._reader: ClosableReader | None = None
        self._builder: PromptBuilder | None = None
        self._attached: dict[str, int] = {}  # the tokens of the texts that were attached last
        self._worker = Worker(self._work, "token-counter")
        self._was_closed = closed_at_exit(self)
        self._worker.start()

    def count(
        self,
        model: ModelConfig,
        messages: Sequence[Message],
        draft: str,
        attachments: Sequence[str] = (),
        drop: DropRule | None = None,
        about: int = 0,
    ) -> None:
        """Have `messages`, the `draft` of the next one and the texts attached to it counted; returns at once. With a
        rule by which older ones are left out, what that will leave out is found, too. The count comes back under the
        name `about`."""
        with self._changed:
            self._wish = _Wish(model, tuple(messages), draft, tuple(attachments), drop, about)
            self._changed.notify()

    def close(self) -> None:
        """Stop counting and free the vocabulary. Closing twice is fine."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._worker.wait()
        self._was_closed()

    def _work(self) -> None:
        while (wish := self._next_wish()) is not None:
            try:
                count = self._count(wish)
            except (InferenceError, RenderStopped):
                continue
            except Exception as error:  # noqa: BLE001 - the counter's loop: the next draft may be counted
                tell_fault(error)
                continue
            self._counted(count)
        self._free()

    def _next_wish(self) -> _Wish | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._wish is not None)
            wish, self._wish = self._wish, None
            return None if self._closing else wish

    def _count(self, wish: _Wish) -> TokenCount:
        builder = self._builder_for(wish.model)
        # Each by itself, and once: they may be long, and the draft changes with every key.
        self._attached = {text: self._attached.get(text) or builder.count(text) for text in wish.attachments}
        attached = tuple(self._attached[text] for text in wish.attachments)
        prompt = builder.build((*wish.messages, Message(Role.USER, wish.draft)))
        before = prompt.parts[-2].end if len(prompt.parts) > 1 else 0
        typed = len(prompt.tokens) - before if wish.draft or attached else 0
        left_out, fits = self._dropped(wish, builder, sum(attached)) if typed else ((), True)
        return TokenCount(wish.model, wish.draft, before, typed + sum(attached), attached, left_out, fits, wish.about)

    def _dropped(self, wish: _Wish, builder: PromptBuilder, attached: int) -> tuple[tuple[int, ...], bool]:
        """The messages that make room for the draft when they are left out, and whether that is room enough."""
        if wish.drop is None:
            return (), True
        messages = (*wish.messages, Message(Role.USER, wish.draft))
        request = GenerationRequest(
            wish.model, messages, window_policy=WindowPolicy.DROP_OLDEST, pinned=wish.drop.pinned
        )
        try:
            return fit(request, builder, wish.drop.context_size, attached).left_out, True
        except PromptTooLong:
            return (), False

    def _builder_for(self, model: ModelConfig) -> PromptBuilder:
        if self._builder is None or self._model != model:
            self._free()
            self._attached = {}
            self._reader = self._open_reader(model)
            self._builder = PromptBuilder(self._reader, lambda: self._closing, model.template)
            self._model = model
        return self._builder

    def _free(self) -> None:
        reader, self._reader, self._builder = self._reader, None, None
        if reader is not None:
            reader.close()


def _open_with_llama(model: ModelConfig) -> ClosableReader:
    from inference.llama import load_reader

    return load_reader(model.path)
