"""Questions and replies as a store keeps them: asked, growing, ended."""

from __future__ import annotations

from dataclasses import replace

from desktop.changes import Exchange, NewConversation
from desktop.conversations import TurnState
from desktop.store import Store
from desktop.turns import ReplyOrigin, Turn
from inference import FinishReason, Message, ModelConfig, Role, Timings, Usage
from tests.desktop.fakes import MODEL

SMALL = ReplyOrigin(ModelConfig(MODEL), "small", streamed=True)
TIMINGS = Timings(0.001, 0.0, 0.002, 0.5, 0.001, 2.0, 0.003, prefill_tokens=100, output_tokens=21)


def ask(store: Store, question: str = "Why?", after: Exchange | None = None) -> Exchange:
    """In a new conversation of that title, or after another exchange."""
    if after is None:
        return store.begin_exchange(question, SMALL, conversation=NewConversation(question))
    return store.begin_exchange(question, SMALL, conversation=after.conversation.id, parent=after.reply.id)


def saying(reply: Turn, text: str, reasoning: str = "") -> Turn:
    return replace(reply, message=Message(Role.ASSISTANT, text, reasoning=reasoning))


def ended(reply: Turn, text: str) -> Turn:
    return replace(
        reply,
        message=Message(Role.ASSISTANT, text, (5, 70_000)),
        state=TurnState.COMPLETE,
        finish_reason=FinishReason.STOP,
        usage=Usage(120, 20, 21),
        timings=TIMINGS,
    )


def answered(store: Store, question: str, answer: str, after: Exchange | None = None) -> Exchange:
    exchange = ask(store, question, after)
    store.finish(ended(exchange.reply, answer), None)
    return exchange
