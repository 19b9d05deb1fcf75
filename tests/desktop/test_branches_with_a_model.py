"""A session, a store and the real small model: what one does with messages reads nothing twice."""

from __future__ import annotations

import pytest

from desktop.chat_session import ChatSession
from desktop.engine_bridge import EngineBridge
from desktop.engines import Engines
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store
from desktop.turns import Turn
from desktop.wishes import ReplyChoices
from inference import EngineFiles, FinishReason, LocalEngine, RemoteEngine, Sampling, StateBudget, embedded_model

GREEDY = Sampling(temperature=0.0, seed=1)
QUESTIONS = ("Why do rivers bend? Answer in one sentence.", "What is an oxbow lake?", "And a delta?")

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(embedded_model() is None, reason="the embedded model is not installed"),
]


class Talk:
    """A conversation with the real model."""

    def __init__(self, qtbot, tmp_path) -> None:
        self._qtbot = qtbot
        self.bridge = EngineBridge()
        post = self.bridge.post
        self.engine = Engines(
            lambda: LocalEngine(post, StateBudget(), files=EngineFiles()), lambda: RemoteEngine(post, lambda _: None)
        )
        self.models = ModelChoice(self.engine, SettingsFile(tmp_path / "settings.toml"), embedded_model())
        self.store = Store(tmp_path / "conversations.sqlite3")
        self.session = ChatSession(self.store, self.engine, self.models)
        self.session.set_prompt_and_sampling("You are short.", GREEDY)
        self.bridge.event_arrived.connect(self.models.on_event)
        self.bridge.event_arrived.connect(self.session.on_event)
        self.models.load()

    def close(self) -> None:
        self.engine.close()
        self.bridge.drain()
        self.store.close()

    def wait(self) -> Turn:
        self._qtbot.waitUntil(lambda: not self.session.is_busy, timeout=100_000)
        return self.session.turns[-1]

    def ask(self, question: str, *, words: int | None = None) -> Turn:
        assert self.session.send(question, ReplyChoices(streaming=True))
        return self.after(words)

    def after(self, words: int | None) -> Turn:
        """Stop the reply once it has so many words more, so that the test is short."""
        before = len(self.session.turns[-1].message.content.split())
        if words is not None:
            self._qtbot.waitUntil(
                lambda: (
                    not self.session.is_busy or len(self.session.turns[-1].message.content.split()) >= before + words
                ),
                timeout=100_000,
            )
            self.session.stop()
        return self.wait()


@pytest.fixture
def talk(qapp, qtbot, tmp_path):
    talk = Talk(qtbot, tmp_path)
    yield talk
    talk.close()


def read(turn: Turn) -> int:
    """The tokens that were not in the KV cache."""
    assert turn.usage is not None
    assert turn.usage.cached_tokens is not None
    return turn.usage.input_tokens - turn.usage.cached_tokens


def test_regenerating_repeats_editing_and_going_on_read_nothing_twice(talk):
    session = talk.session
    # Again, at temperature 0: the same words.
    first = talk.ask(QUESTIONS[0], words=12)
    assert session.regenerate(first.id, ReplyChoices(streaming=True))
    second = talk.after(words=12)
    begin = min(len(first.message.content), len(second.message.content))
    assert begin > 20
    assert second.message.content[:begin] == first.message.content[:begin]
    assert read(second) <= 1

    # Further: only the token that was sampled last is read, which no reply reads of itself.
    assert second.finish_reason is FinishReason.CANCELLED
    assert session.continue_reply(second.id, ReplyChoices(streaming=True))
    further = talk.after(words=6)
    assert further.message.content.startswith(second.message.content)
    assert len(further.message.content) > len(second.message.content)
    assert read(further) <= 1
    assert further.message.token_ids[: len(second.message.token_ids)] == second.message.token_ids

    # Otherwise: what comes before the edited question is not read again, however often it was gone on with.
    talk.ask(QUESTIONS[1], words=30)
    last = talk.ask(QUESTIONS[2], words=30)
    before = further.usage.input_tokens + further.usage.output_tokens
    question = session.turns[2]
    assert session.edit_and_send(question.id, "What is a meander?", ReplyChoices(streaming=True))
    edited = talk.after(words=6)
    assert edited.usage.cached_tokens >= before - 1
    assert read(edited) < 40

    # Back on the branch that was left, its state is still there.
    assert session.show_branch(question.id)
    assert session.turns[-1].id == last.id
    again = talk.ask("Thanks.", words=3)
    assert again.usage.cached_tokens >= last.usage.input_tokens
