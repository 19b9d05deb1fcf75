"""The wire into a program that runs in a process of its own: see `tests.desktop.guided_window`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier

from desktop.app import App
from desktop.conversations import TurnState
from desktop.library import FileFormat
from desktop.model_choice import ModelPhase, ModelState
from desktop.model_ways import WayKind
from desktop.turns import Turn
from desktop.wishes import ReplyChoices
from inference import Sampling

# A model of random weights may end its reply with its first token, and then nothing grows. This seed draws more.
SAMPLING = Sampling(seed=7)


class Wire(QObject):
    """The program's end: does what comes in, one line each, and says what happens."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._app = app
        self._followed: set[object] = set()
        app.begun.connect(lambda: _say("begun"))
        app.window.parting.stays.connect(lambda sentence: _say("stays", sentence))
        app.models.changed.connect(self._on_model)
        app.library.opened.connect(self._follow)
        self._follow(app.library.current)
        self._notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_line)

    def _follow(self, session: Any) -> None:
        if session not in self._followed:
            self._followed.add(session)
            session.turn_changed.connect(self._on_turn)
            session.reply_grew.connect(lambda *_: _say("grew"))

    def _on_model(self, state: ModelState) -> None:
        if state.phase in (ModelPhase.READY, ModelPhase.FAILED):
            smaller = [way.context_size for way in state.ways if way.kind is WayKind.SMALLER_WINDOW]
            _say("model", state.phase, state.error, smaller)

    def _on_turn(self, turn: Turn) -> None:
        if turn.state is not TurnState.WRITING:
            _say("turn", turn.state, turn.message.content, turn.error)

    def _on_line(self) -> None:
        line = sys.stdin.readline()
        if not line:
            self._notifier.setEnabled(False)
            return
        app, session = self._app, self._app.library.current
        match json.loads(line):
            case ["send", words]:
                if session.sampling is None:
                    session.set_prompt_and_sampling("", SAMPLING)
                _say("sent", session.send(words, ReplyChoices(streaming=True)))
            case ["choose", path, context_size]:
                app.models.choose(Path(path), context_size)
            case ["go"]:
                app.models.go(app.models.state.ways[0])
            case ["export", path]:
                number = session.conversation.id if session.conversation is not None else 0
                _say("exported", app.library.export([number], Path(path), FileFormat.JSON))
            case ["notices"]:
                _say("notices", *(notice.text for notice in app.window.board.notices))
            case ["turns"]:
                _say("turns", *([turn.message.content, turn.state] for turn in session.turns))
            case ["close"]:
                app.window.close()


def _say(*what: object) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201 - the wire
