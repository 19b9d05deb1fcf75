"""A whole window with a model that is real, which asks all the time until it is killed, and says what it kept and what
it shows when it starts."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import inference
from desktop.app import App
from desktop.chat_session import ChatSession
from desktop.conversations import TurnState
from desktop.places import Places
from desktop.secrets import Keys
from desktop.turns import Turn
from desktop.wishes import ReplyChoices
from inference import LocalEngine
from tests.killing import bring_up, say

LINE = "All the water that runs here came from somewhere else. "
ASK_AGAIN_MILLISECONDS = 5
MOST_TURNS = 4  # of a conversation that is gone on with: what was said in it is all read again
_LOADED_BEFORE = ("inference.llama", "desktop.widgets.transcript", "desktop.widgets.message_view", "desktop.supply")


class Asker:
    """Asks a question after another, the first two in the conversation that the window went on with."""

    def __init__(self, app: App, model: Path, name: str, lines: int, most: int | None) -> None:
        self.app, self.model, self.name, self.lines, self.most = app, model, name, lines, most
        self.count = 0
        self.is_reading = False
        self.followed: set[ChatSession] = set()
        say("began", "start")
        app.library.opened.connect(self.follow)
        app.begun.connect(self.begin)
        app.show()

    def begin(self) -> None:
        """The window stands. Where it offers to go on with what was open, do."""
        say("ended", "start")
        window = self.app.window
        texts = [notice.text for notice in window.board.notices]
        for notice in window.board.notices:
            if "was ended while" in notice.text:
                notice.action_chosen.emit()
        conversation = self.app.library.current.conversation
        shown = window.page.transcript.plain_text() if conversation is not None else ""
        say("shows", None if conversation is None else conversation.id, shown, texts)
        self.follow(self.app.library.current)
        if len(self.app.library.current.turns) > MOST_TURNS:
            self._turn_to_a_new_one()
        self.ask()

    def ask(self) -> None:
        if self.count == self.most:
            self.app.leave()
            QApplication.exit()
            return
        if self.app.models.config is None:  # it died over this one twice in a row, and waits for somebody to want it
            self.app.models.choose(self.model)
        if self.count % 3 == 2:
            self._turn_to_a_new_one()
        words = f"Question {self.name}.{self.count}. {LINE * self.lines}"
        session = self.app.library.current
        if session.is_busy or not self._send(session, words):
            QTimer.singleShot(ASK_AGAIN_MILLISECONDS, self.ask)

    def _send(self, session: ChatSession, words: str) -> bool:
        self.is_reading = True
        say("began", "sending")
        is_sent = session.send(words, ReplyChoices(streaming=True))
        conversation = session.conversation
        say("ended", "sending", *((conversation.id, words) if is_sent and conversation is not None else ()))
        if is_sent:
            self.count += 1
            say("began", "prefill")
        elif conversation is not None:  # there is no room for more in its window
            self._turn_to_a_new_one()
        return is_sent

    def _turn_to_a_new_one(self) -> None:
        say("left")  # nothing is open until something is sent
        self.app.library.new()

    def follow(self, session: ChatSession) -> None:
        if session not in self.followed:
            self.followed.add(session)
            session.reply_grew.connect(self.grew)
            session.turn_changed.connect(self.ended)

    def grew(self, _turn: int, _text: str) -> None:
        if self.is_reading:
            self.is_reading = False
            say("ended", "prefill")
            say("began", "streaming")

    def ended(self, turn: Turn) -> None:
        if turn.state is TurnState.WRITING:
            return
        complete = (turn.id, turn.message.content) if turn.state is TurnState.COMPLETE else ()
        say("ended", "prefill" if self.is_reading else "streaming", *complete)
        self.is_reading = False
        QTimer.singleShot(0, self.ask)


def open_window(folder: str, model: str, name: str, lines: int, most: int | None) -> None:
    """`most` questions of so many lines; without that, it goes on until somebody ends it."""
    application = QApplication(sys.argv[:1])
    places = Places(Path(folder) / "conversations.sqlite3", Path(folder) / "settings.toml")
    keys = partial(Keys, environment={}, open_keyring=lambda: None)
    app = App(application, places, LocalEngine, Path(model), None, keys)
    asker = Asker(app, Path(model), name, lines, most)
    application.exec()
    asker.app.leave()


if __name__ == "__main__":
    for module in _LOADED_BEFORE:
        import_module(module)
    inference.LocalEngine  # noqa: B018 - loaded by being named
    bring_up({"open_window": open_window})
