"""A session, and everything it says: what the tests of sessions share."""

from __future__ import annotations

from desktop.activity import Activity
from desktop.chat_session import ChatSession
from desktop.figures import Figures
from desktop.model_choice import ModelChoice
from desktop.remedies import Remedy
from desktop.store import Store
from desktop.turns import Turn
from desktop.wishes import ReplyChoices
from inference import RemoteModelFailed, RemoteModelReady
from tests.desktop.fakes import ScriptedEngine
from tests.fakes import ManualClock

STREAMED = ReplyChoices(streaming=True)


class Watched:
    """A session, and everything it said."""

    def __init__(self, store: Store, engine: ScriptedEngine, models: ModelChoice, **options: object) -> None:
        self.clock = ManualClock()
        self.session = ChatSession(store, engine, models, clock=self.clock, **options)  # type: ignore[arg-type]  # any of its own
        self.models = models
        self.engine = engine
        engine.listeners.append(self.on_event)
        engine.remote_listeners.append(self.on_event)
        self.added: list[Turn] = []
        self.text = ""
        self.thoughts = ""
        self.replaced: list[tuple[int, ...]] = []
        self.left_out: list[Turn] = []
        self.remedies: list[tuple[Remedy, ...]] = []
        self.changed: list[Turn] = []
        self.activities: list[Activity] = []
        self.figures: list[Figures] = []
        self.titles: list[str] = []
        self.sentences: list[str] = []
        self.session.turn_added.connect(self.added.append)
        self.session.reply_grew.connect(self.grow)
        self.session.thought_grew.connect(self.think)
        self.session.turns_replaced.connect(self.take_turns)
        self.session.turns_left_out.connect(self.left_out.append)
        self.session.remedies_changed.connect(self.remedies.append)
        self.session.turn_changed.connect(self.changed.append)
        self.session.activity_changed.connect(self.activities.append)
        self.session.figures_changed.connect(self.figures.append)
        self.session.title_changed.connect(self.titles.append)
        self.session.failed.connect(self.sentences.append)
        self.session.outdated.connect(self.sentences.append)

    def on_event(self, event: object) -> None:
        """As a library does."""
        self.session.on_model(self.models.state)
        if not isinstance(event, RemoteModelReady | RemoteModelFailed):
            self.session.on_event(event)  # type: ignore[arg-type]  # an Event, as no other comes

    def grow(self, turn_id: int, text: str) -> None:
        assert turn_id == self.session.turns[-1].id
        self.text += text

    def think(self, turn_id: int, text: str) -> None:
        assert turn_id == self.session.turns[-1].id
        self.thoughts += text

    def take_turns(self) -> None:
        self.replaced.append(tuple(turn.id for turn in self.session.turns))

    def ask(self, question: str = "Why do rivers bend?", *, streaming: bool = True) -> None:
        assert self.session.send(question, ReplyChoices(streaming=streaming))

    def talk(self, question: str, *answer: str) -> None:
        """A whole exchange."""
        self.ask(question)
        for piece in answer:
            self.engine.say(piece)
        self.engine.finish()


def said(session: ChatSession) -> list[str]:
    """What is shown."""
    return [turn.message.content for turn in session.turns]


def stored(store: Store) -> tuple[Turn, ...]:
    (conversation,) = store.conversations()
    return store.turns(conversation.head)


def kept(store: Store) -> list[str]:
    return [turn.message.content for turn in stored(store)]
