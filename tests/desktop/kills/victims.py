"""What processes do until they are killed: each thing that is done with what is kept, again and again, said as it is
done."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QTimer

from desktop.activity import Activity, Phase
from desktop.chat_session import ChatSession
from desktop.deletion import delete_files
from desktop.engine_bridge import EngineBridge
from desktop.engines import Engines
from desktop.import_reader import ConversationReader
from desktop.imports import Imports
from desktop.library import FileFormat, Library
from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.store import Store, open_store
from desktop.wishes import ReplyChoices
from inference import EngineFiles, LocalEngine, StateBudget
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.killing import bring_up, die_before, doing, say

LINE = "All the water that runs here came from somewhere else. "
LONG = 30  # lines of a question that takes a while to be read


def send(path: str, name: str) -> None:
    """Types, sends, is answered; in the same conversation, and in a new one now and then."""
    store = Store(Path(path))
    session, engine = _session(store)
    for number in itertools.count():
        if number % 4 == 3:
            session, engine = _session(store)
        words = f"{name} {number}: {LINE * (number % 7)}"
        with doing("typing") as kept:
            store.set_draft(None if session.conversation is None else session.conversation.id, words)
            kept.append(words)
        with doing("sending") as kept:
            assert session.send(words, ReplyChoices(streaming=True))
            kept.append(words)
        engine.say(f"{name} answers {number}. {LINE * 9}")
        with doing("ending") as kept:
            engine.finish()
            reply = session.turns[-1]
            kept += [reply.id, reply.message.content]


def checkpoint(path: str, name: str) -> None:
    """One reply that grows, and is kept with each piece."""
    store = Store(Path(path))
    session, engine = _session(store)
    session.send(f"{name}?", ReplyChoices(streaming=True))
    reply = session.turns[-1].id
    for _ in itertools.count():
        engine.say(LINE * 8)
        with doing("checkpoint") as kept:
            session.flush()
            kept += [reply, len(session.turns[-1].message.content)]


def prefill(path: str, model: str, name: str) -> None:
    """A model of this machine reads one long question after another, each in a new conversation."""
    application = QCoreApplication([])
    folder = Path(path).parent
    files = EngineFiles(folder / "machine.json", folder / "llama.log")
    bridge = EngineBridge()
    engine = LocalEngine(bridge.post, StateBudget(1 << 20, 1 << 24, folder / "states"), files=files)
    models = ModelChoice(Engines(lambda: engine, lambda: engine), SettingsFile(folder / "settings.toml"), Path(model))
    bridge.event_arrived.connect(models.on_event)
    models.load()
    asker = Asker(Store(Path(path)), engine, models, bridge, name)
    asker.ask()
    application.exec()


class Asker(QObject):
    """Asks again as soon as the question before was read."""

    def __init__(self, store: Store, engine: LocalEngine, models: ModelChoice, bridge: EngineBridge, name: str) -> None:
        super().__init__()
        self._store, self._engine, self._models, self._bridge = store, engine, models, bridge
        self._name, self._count = name, 0
        self._phase = Phase.IDLE

    def ask(self) -> None:
        session = ChatSession(self._store, self._engine, self._models, parent=self)
        self._bridge.event_arrived.connect(session.on_event)
        session.activity_changed.connect(partial(self._follow, session))
        self._words = f"{self._name} {self._count}: {LINE * LONG}"
        self._count += 1
        assert session.send(self._words, ReplyChoices(streaming=True))

    def _follow(self, session: ChatSession, activity: Activity) -> None:
        before, self._phase = self._phase, activity.phase
        if Phase.PREFILL in (before, self._phase) and before is not self._phase:
            say("began" if self._phase is Phase.PREFILL else "ended", "prefill", self._words)
        if self._phase is Phase.DECODE:
            session.stop()
        if self._phase is Phase.IDLE:
            assert before is Phase.DECODE, session.turns[-1]
            QTimer.singleShot(0, self.ask)


def until(step: int, work: str, *arguments: str) -> None:
    """Does something else, and is killed before the step of that number that is done to a file."""
    die_before(step)
    WORKS[work](*arguments)


def start_anew(path: str) -> None:
    """Opens the conversations where there are none yet."""
    with doing("first start"):
        store, _ = open_store(Path(path))
    store.set_draft(None, "typed")
    store.close()


def migrate(path: str) -> None:
    """Opens a file of an earlier version."""
    with doing("migration"):
        store, _ = open_store(Path(path))
    store.close()


def index(path: str) -> None:
    """Indexes what somebody said in some months."""
    store = Store(Path(path))
    with doing("indexing"):
        while store.tidy():
            pass
    store.close()


def salvage(path: str) -> None:
    """Opens a damaged file."""
    with doing("salvage") as kept:
        store, outcome = open_store(Path(path))
        kept.append(str(outcome))
    store.close()


def export(path: str, file: str) -> None:
    """Writes all conversations into a file, each time one more."""
    _, library = _library(Path(path))
    kinds = itertools.cycle(((FileFormat.JSON, ".json"), (FileFormat.MARKDOWN, ".md")))
    conversations = [conversation.id for conversation in library.conversations()]
    for number in itertools.count(1):
        kind, suffix = next(kinds)
        some = conversations[: number % len(conversations) + 1]
        with doing("export") as kept:
            assert library.export(some, Path(file).with_suffix(suffix), kind)
            kept += [suffix, len(some)]


def take_in(path: str, file: str) -> None:
    """Imports a file."""
    application = QCoreApplication([])
    imports = Imports(Store(Path(path)))
    imports.kept.connect(partial(say, "kept"))
    imports.ended.connect(application.quit)
    imports.failed.connect(application.quit)
    with doing("import"):
        ConversationReader(imports.take, in_background=False).read(Path(file))
        application.exec()


def back_up(path: str, day: int) -> None:
    """Makes a copy each day, of more conversations each time."""
    now = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    store = Store(Path(path), clock=lambda: now)
    session, engine = _session(store)
    assert store.backups is not None
    for number in itertools.count(1):
        words = f"day {day}.{number}"
        session.send(words, ReplyChoices(streaming=True))
        engine.finish()
        now += timedelta(minutes=1)
        with doing("backup") as kept:
            store.backups.make()
            kept.append(words)


def delete(path: str) -> None:
    """Deletes conversations for good, one after the other, and some messages of those that stay."""
    store = Store(Path(path))
    conversations = sorted(conversation.id for conversation in store.conversations())
    for doomed, other in zip(conversations[::2], conversations[1::2], strict=False):
        with doing("deleting") as kept:
            store.delete([doomed])
            kept.append(doomed)
        with doing("purging") as kept:
            store.purge([doomed])
            kept.append(doomed)
        head = store.conversation(other).head
        last = store.turns(head)[-1]
        with doing("purging messages") as kept:
            store.delete_turns(other, [last.id], head=last.parent)
            store.purge_turns()
            kept.append(last.id)
        with doing("tidying"):
            for _ in range(3):
                store.tidy()


def delete_everything(data: str) -> None:
    """Deletes the whole folder, as the program does in the end."""
    folder = Path(data)
    with doing("deleting everything"):
        delete_files(
            [folder / "settings.toml", folder / "conversations.sqlite3"], [folder / "states", folder / "backups"]
        )


def _session(store: Store) -> tuple[ChatSession, ScriptedEngine]:
    """A new conversation, with a model that is ready."""
    engine = ScriptedEngine()
    QCoreApplication.instance() or QCoreApplication([])
    models = ModelChoice(engine, SettingsFile(Path("nowhere/settings.toml")), MODEL)
    session = ChatSession(store, engine, models)
    engine.listeners += [models.on_event, session.on_event]
    models.load()
    engine.ready()
    _held.append((models, session))
    return session, engine


def _library(path: Path) -> tuple[QCoreApplication, Library]:
    application = QCoreApplication([])
    engine = ScriptedEngine()
    models = ModelChoice(engine, SettingsFile(path.with_name("settings.toml")), MODEL)
    library = Library(Store(path), engine, models)
    _held.append((models, library))
    return application, library


_held: list[object] = []  # Qt's objects live as long as somebody holds them

WORKS: dict[str, Callable[..., None]] = {
    work.__name__: work
    for work in (
        until,
        start_anew,
        send,
        prefill,
        checkpoint,
        migrate,
        index,
        salvage,
        export,
        take_in,
        back_up,
        delete,
        delete_everything,
    )
}

if __name__ == "__main__":
    import inference.llama  # noqa: F401 - once for all of them

    bring_up(WORKS)
