"""Somebody who does with a window whatever can be done with it, in any order, while the engine does as it likes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TypeVar, cast

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import isValid

from desktop.conversations import TurnState
from desktop.file_choosers import FileChoosers
from desktop.settings import ColourScheme
from desktop.widgets.action_button import ActionButton, MessageAction
from desktop.widgets.offers import words_for
from desktop.widgets.result_export import ExportButton
from inference import (
    EngineFault,
    FinishReason,
    GenerationBroke,
    InferenceError,
    KeyRefused,
    MemoryShort,
    ModelCrashed,
    ModelUnreadable,
    OutOfMemory,
    PromptTooLong,
    RequestId,
    ServerBroke,
    TemplateFailed,
)
from inference.experiments import Comparison, Subject
from tests.desktop.desk import SERVER, Desk
from tests.desktop.fakes import MODEL, OTHER_MODEL

WORDS = ("Why?", "And how?", "rivers", "Because of **water**.", "\n```py\nx = 1\n```\n", "[here](https://example.org)")
KEYS = (
    *("Return", "Escape", "Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "Home", "End", "Delete", "Backspace"),
    *("Space", "PgUp", "PgDown", "F2", "F7", "Ctrl+Up", "Ctrl+Down", "Shift+Down", "Ctrl+A", "Ctrl+Z", "Shift+Return"),
)
WIDTHS = (420, 560, 700, 900, 1200, 2400)
HEIGHTS = (380, 520, 700, 1400)
# What asks the platform, or measures this machine.
NOT_PRESSED = ("Open the data folder", "Choose the folder of model files", "Attach files", "Measure the memory")
NOT_CHOSEN = ("Quit", "Attach files")
QUIET = ("engine", "look")  # what comes by itself leaves the draft alone

_Widget = TypeVar("_Widget", bound=QWidget)


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be done now."""

    kind: str
    name: str
    do: Callable[[], object]


class Walker:
    """Each step is told by a number alone, so that a walk can be gone again, and without some of its steps."""

    def __init__(self, qtbot, folder: Path, application: QApplication) -> None:
        self.qtbot, self.folder, self.application = qtbot, folder, application
        self.done: list[str] = []
        self.drafts: dict[tuple[bool, int | None], str] = {}
        self._shown: tuple[bool, int | None]
        self._session: object
        self._said: dict[int, tuple[object, object]] = {}
        self._open()

    def walk(self, steps: Sequence[int]) -> Iterator[str]:
        """Go these steps; what was done is told after each, when all that must hold was found to."""
        self.check("look")
        for number in steps:
            choice = self._choice(Random(number))  # noqa: S311 - the same step each time
            self.done.append(f"{choice.kind}: {choice.name}")
            choice.do()
            self._settle()
            self.check(choice.kind)
            yield self.done[-1]

    def close(self) -> None:
        self._put_menus_away()
        self.desk.close()

    # What can be done

    def _choice(self, random: Random) -> Choice:
        if isinstance(menu := QApplication.activePopupWidget(), QMenu):
            ways: list[tuple[int, Callable[[Random], Choice | None]]] = [
                (6, lambda random: self._action(random, [menu])),
                (2, lambda _: Choice("key", "leave the menu", menu.close)),
                (3, self._engine),
            ]
        else:
            ways = [
                (8, self._send),
                (20, self._engine),
                (22, self._button),
                (10, self._menu),
                (7, self._key),
                (5, self._row),
                (5, self._message_menu),
                (4, self._type),
                (2, self._combo),
                (4, self._look),
                (2, self._attach),
                (3, self._view),
                (1, self._again),
            ]
        while True:
            (way,) = random.choices([way for _, way in ways], [weight for weight, _ in ways])
            if (choice := way(random)) is not None:
                return choice

    def _send(self, random: Random) -> Choice:
        words = random.choice(WORDS[:3])

        def send() -> None:
            self.desk.window.composer.field.insertPlainText(words)
            self.qtbot.keyClick(self.desk.window.composer.field, Qt.Key.Key_Return)

        return Choice("send", repr(words), send)

    def _type(self, random: Random) -> Choice | None:
        fields = [field for field in self._seen(QLineEdit) + self._seen(QPlainTextEdit) if not field.isReadOnly()]
        if not fields:
            return None
        field, words = random.choice(fields), random.choice(WORDS)

        def write() -> None:
            field.setFocus(Qt.FocusReason.MouseFocusReason)
            if isinstance(field, QLineEdit):
                field.insert(words.strip())
            else:
                field.insertPlainText(words)

        return Choice("type", f"{words!r} into {_name(field)}", write)

    def _engine(self, random: Random) -> Choice | None:
        engine = self.desk.engine
        ways: list[Choice] = []
        for request in engine._pieces:
            ways += self._of_request(random, request) * 2
        if engine.loads and isinstance(self.desk.models.config, type(engine.last_load)):
            ready = Choice("engine", "ready", engine.ready)
            unready = Choice("engine", "cannot be loaded", lambda: engine.fail_to_load(random.choice(_LOAD_FAILURES)))
            thinks = Choice("engine", "ready, it thinks", lambda: engine.ready(has_thinking_switch=True))
            ways += [ready, ready, thinks, unready, Choice("engine", "unloaded", engine.unloaded)]
            ways.append(Choice("engine", "loading", lambda: engine.loading(0.5)))
        else:
            ways.append(Choice("engine", "server is there", lambda: engine.offer(SERVER, context_size=8192)))
            ways.append(
                Choice(
                    "engine",
                    "server is away",
                    lambda: engine.fail_to_reach(SERVER, ServerBroke(SERVER.base_url, 500, "busy")),
                )
            )
        if engine.jobs and self.jobs_done < len(engine.jobs):
            ways += self._of_job(random)
        return random.choice(ways) if ways else None

    def _of_request(self, random: Random, request: RequestId) -> list[Choice]:
        engine, words = self.desk.engine, random.choice(WORDS)
        error, reason = random.choice(_FAILURES), random.choice(list(FinishReason))
        return [
            Choice("engine", f"says {words!r}", lambda: engine.say(words, request=request)),
            Choice("engine", f"thinks {words!r}", lambda: engine.think(words, request=request)),
            Choice("engine", "ends", lambda: engine.finish(request=request)),
            Choice("engine", f"ends with {reason}", lambda: engine.finish(reason, request=request)),
            Choice("engine", f"fails: {error!r}", lambda: engine.fail(error, request=request)),
        ]

    def _of_job(self, random: Random) -> list[Choice]:
        engine = self.desk.engine

        def fail() -> None:
            self.jobs_done = len(engine.jobs)
            engine.fail_job(random.choice(_FAILURES))

        def cancel() -> None:
            self.jobs_done = len(engine.jobs)
            nothing = Comparison("Why?", Subject("small"), 1, (), "2026-01-01T00:00:00+00:00")
            engine.finish_job(nothing if self.desk.comparisons.is_running else None, cancelled=True)

        return [Choice("engine", "job fails", fail), Choice("engine", "job is over", cancel)]

    def _button(self, random: Random) -> Choice | None:
        buttons = [
            button
            for button in self._seen(QAbstractButton)
            if button.accessibleName() not in NOT_PRESSED
            and button.text() not in NOT_PRESSED
            and not isinstance(button, ExportButton)
            and not isinstance(button.parentWidget(), QMenuBar)  # which waits for its menu in a loop of its own
        ]
        if not buttons:
            return None
        by_kind: dict[str, list[QAbstractButton]] = {}
        for button in buttons:  # many of one kind are not pressed more often
            place = _place(button)
            by_kind.setdefault(place, []).append(button)
        button = random.choice(by_kind[random.choice(sorted(by_kind))])

        def press() -> None:
            if button.focusPolicy() & Qt.FocusPolicy.ClickFocus:
                button.setFocus(Qt.FocusReason.MouseFocusReason)
            button.click()

        return Choice("click", f"{_name(button)} in {_place(button)}", press)

    def _menu(self, random: Random) -> Choice | None:
        menus = [action.menu() for action in self.desk.window.menuBar().actions()]
        return self._action(random, [menu for menu in menus if isinstance(menu, QMenu)])

    def _action(self, random: Random, menus: Sequence[QMenu]) -> Choice | None:
        menu = random.choice(menus)
        menu.aboutToShow.emit()
        actions = [
            action
            for action in _actions_in(menu)
            if not any(name in action.text().replace("&", "") for name in NOT_CHOSEN)
        ]
        if not actions:
            return Choice("key", "leave the menu", menu.close) if menu.isVisible() else None
        action = random.choice(actions)

        def choose() -> None:
            is_popup = menu.isVisible()
            action.trigger()
            if is_popup and isValid(menu):
                menu.close()

        return Choice("action", action.text(), choose)

    def _key(self, random: Random) -> Choice | None:
        name = random.choice(KEYS)
        key = QKeySequence(name)[0]  # type: ignore[index]  # its stubs do not know that it can be
        widget = cast("QWidget | None", self.desk.window.focusWidget())
        if widget is None:
            return None
        return Choice(
            "key",
            f"{name} in {_name(widget)}",
            lambda: self.qtbot.keyClick(widget, key.key(), key.keyboardModifiers()),
        )

    def _row(self, random: Random) -> Choice | None:
        view = self.desk.window.conversation_list.view
        model = view.model()
        if not view.isVisible() or not model.rowCount():
            return None
        index = model.index(random.randrange(model.rowCount()), 0)
        held, with_menu = (
            random.choice((Qt.KeyboardModifier.NoModifier,) * 4 + (Qt.KeyboardModifier.ControlModifier,)),
            (random.random() < 0.3),
        )

        def press() -> None:
            view.scrollTo(index)
            place = view.visualRect(index).center()
            if with_menu:
                _want_menu(view.viewport(), place)
            else:
                self.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, place)

        return Choice("row", f"{index.data()!r}{' menu' if with_menu else ''}{' held' if held.value else ''}", press)

    def _message_menu(self, random: Random) -> Choice | None:
        page = self.desk.window.page
        if not page.shows_transcript or not page.transcript.isVisible():
            return None
        viewport = page.transcript.viewport()
        place = QPoint(viewport.width() // 2, random.randrange(max(1, viewport.height())))
        if random.random() < 0.3:
            return Choice(
                "click", "text", lambda: self.qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
            )
        return Choice("click", "menu of the transcript", lambda: _want_menu(viewport, place))

    def _combo(self, random: Random) -> Choice | None:
        combos = [combo for combo in self._seen(QComboBox) if combo.count()]
        if not combos:
            return None
        combo = random.choice(combos)
        place = random.randrange(combo.count())

        def choose() -> None:
            combo.setCurrentIndex(place)
            combo.activated.emit(place)

        return Choice("click", f"{combo.itemText(place)!r} of {_name(combo)}", choose)

    def _look(self, random: Random) -> Choice:
        window, settings = self.desk.window, self.desk.settings
        size = random.choice(WIDTHS), random.choice(HEIGHTS)
        points, scheme = random.choice((8, 10, 16)), random.choice(list(ColourScheme))

        def letter() -> None:
            font = self.application.font()
            font.setPointSize(points)
            self.application.setFont(font)

        return random.choice(
            (
                *(Choice("look", f"size {size}", lambda: window.resize(*size)),) * 3,
                Choice("look", f"font {points}", letter),
                Choice(
                    "look", f"colours {scheme}", lambda: settings.save(replace(settings.current, colour_scheme=scheme))
                ),
            )
        )

    def _attach(self, random: Random) -> Choice:
        path = self.folder / random.choice(("notes.txt", "more.md"))
        return Choice("look", f"attach {path.name}", lambda: self.desk.window.attaching.take([path]))

    def _view(self, random: Random) -> Choice:
        insights, opening = self.desk.insights, self.desk.window.opening
        return random.choice(
            (
                Choice("click", "compare the draft", insights.compare_draft),
                Choice("click", "open another model", lambda: opening.open(OTHER_MODEL)),
                Choice("click", "open the model", lambda: opening.open(MODEL)),
            )
        )

    def _again(self, _random: Random) -> Choice:
        def again() -> None:
            self._put_menus_away()
            self.desk.close()
            kept = {key: text for key, text in self.drafts.items() if not key[0]}
            self._open()
            self.drafts = kept

        return Choice("again", "close the window, and start again", again)

    # How it stands

    def check(self, kind: str) -> None:
        """What must hold after anything."""
        window, session = self.desk.window, self.desk.window.session
        assert session is self.desk.library.current
        self._check_composer(kind)
        self._check_messages()
        self._check_kept()
        self._check_notices()
        self._check_focus()
        title = "" if session.conversation is None else session.conversation.title
        assert window.windowTitle().startswith(" ".join(title.split())[:60])

    def _check_composer(self, kind: str) -> None:
        window, session = self.desk.window, self.desk.window.session
        composer = window.composer
        assert composer.button.text() == ("Stop" if session.is_busy else "Send")
        assert window.stop_action.isEnabled() == (session.is_busy or window.view is not None), "Stop in the menu"
        assert session.draft.text == composer.text, "the draft is what is typed"
        key = session.is_temporary, None if session.conversation is None else session.conversation.id
        if (key != self._shown and session is not self._session) or (key == self._shown and kind in QUIET):
            assert composer.text == self.drafts.get(key, composer.text), "a draft is lost"
        if key != self._shown and session is self._session:
            self.drafts[self._shown] = ""
        self._shown, self._session = key, session
        self.drafts[key] = composer.text

    def _check_messages(self) -> None:
        page, session = self.desk.window.page, self.desk.window.session
        turns = session.turns
        assert page.shows_transcript == bool(turns)
        assert not (session.is_busy and session.remedies), "nothing is offered about a reply that is being made"
        if not turns:
            return
        transcript = page.transcript
        transcript.bring_all()
        transcript._flush()
        messages = transcript._rows.messages
        assert [message.turn.id for message in messages] == [turn.id for turn in turns]
        for message, turn in zip(messages, turns, strict=True):
            assert message.text == turn.message.content
            assert message.turn.state is turn.state
            assert message.turn.pinned == turn.pinned
            assert message.turn.attachments == turn.attachments
        assert [message.turn.id for message in messages if message.is_growing] == (
            [turns[-1].id] if session.is_busy else []
        )
        assert [message.offers for message in messages[:-1] if message.offers] == []
        assert list(messages[-1].offers) == [words_for(remedy) for remedy in session.remedies]
        forks = session.forks()
        controls = transcript._controls._controls
        known: set[QWidget] = set()
        for message, those in controls.items():
            assert message in messages, "controls of a message that is not shown"
            assert tuple(button.text().replace("\n", " ") for button in those.offers) == message.offers
            assert those._branch == forks.get(message.turn.id)
            for button in those.actions:
                always = button.action_kind in (MessageAction.COPY, MessageAction.MORE)
                assert button.isEnabled() == (always or not session.is_busy), button.action_kind
            known.update(those.widgets)
        for button in transcript.viewport().findChildren(ActionButton):
            assert button in known or button.isHidden(), "a control that belongs to no message"
        edited = transcript._editing.message
        assert edited is None or edited in messages, "a message is written over that is not shown"

    def _check_kept(self) -> None:
        window, library = self.desk.window, self.desk.library
        session = window.session
        sessions = [each for each in library._sessions if each.conversation is not None]
        of_conversations = [each.conversation.id for each in sessions if each.is_busy and each.conversation is not None]
        assert len(of_conversations) == len(set(of_conversations)), "two replies in one conversation"
        assert library.busy == set(of_conversations)
        followed = {each.request_id for each in library._sessions}
        assert set(self.desk.engine._pieces) <= followed, "a reply that nobody waits for"
        for conversation in library.conversations():
            writing = [
                turn
                for turn in library._store_of(conversation.id).tree(conversation.id)
                if turn.state is TurnState.WRITING
            ]
            assert len(writing) == of_conversations.count(conversation.id)
        if session.conversation is None:
            return
        store = library._store_of(session.conversation.id)
        kept = store.conversation(session.conversation.id)
        assert kept.draft == session.draft.text
        assert kept.title == session.conversation.title
        assert kept.system_prompt == session.system_prompt
        turns = store.turns(kept.head)
        assert [turn.id for turn in turns] == [turn.id for turn in session.turns]
        if not session.is_busy:
            assert turns == session.turns

    def _check_notices(self) -> None:
        window = self.desk.window
        for notice in window.board.notices:
            if notice.is_of_conversation:
                key = id(notice)
                assert self._said.setdefault(key, (notice, window.session))[1] is window.session, notice.text
        undo = window.turn_actions._undo_notice
        if undo is not None and undo in window.board.notices:
            assert window.session.can_undo, undo.text

    def _check_focus(self) -> None:
        window = self.desk.window
        if QApplication.activePopupWidget() is not None:
            return
        focus = cast("QWidget | None", window.focusWidget())
        if focus is None:  # what had it is gone, as in a header that became narrow: the next key finds another
            return
        assert focus.isVisibleTo(window), f"the keyboard is in what is hidden: {_name(focus)}"
        assert focus.isEnabled(), f"the keyboard is in what is disabled: {_name(focus)}"

    # The window

    def _open(self) -> None:
        self.desk = Desk(self.qtbot, self.folder, self.application)
        self.desk.file_choosers = FileChoosers(lambda _: None, lambda _, name: self.folder / f"{name}")
        self.jobs_done = 0
        self.desk.open()
        self._shown = (False, None)
        self._session = None
        self._said.clear()
        self._settle()

    def _settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _put_menus_away(self) -> None:
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
            self._settle()

    def _seen(self, kind: type[_Widget]) -> list[_Widget]:
        return [
            widget
            for widget in self.desk.window.findChildren(kind)
            if widget.isVisible() and widget.isEnabled() and widget.window() is self.desk.window
        ]


_FAILURES: tuple[InferenceError, ...] = (
    MemoryShort(),
    OutOfMemory(MODEL, 4096),
    TemplateFailed("it wants tools"),
    ModelCrashed(MODEL, "it was killed"),
    GenerationBroke("the figures are no numbers"),
    PromptTooLong(5000, 4096, 2),
    PromptTooLong(9000, 4096),
    EngineFault("KeyError: 3", "a report"),
    ServerBroke(SERVER.base_url, 500, "busy"),
    KeyRefused(SERVER.base_url, 401, False),
)
_LOAD_FAILURES: tuple[InferenceError, ...] = (ModelUnreadable(MODEL, "it ends too early."), OutOfMemory(MODEL, 4096))


def _actions_in(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu) and action.isEnabled():
            yield from _actions_in(inner)
        elif action.isEnabled() and action.isVisible() and not action.isSeparator():
            yield action


def _want_menu(widget: QWidget, place: QPoint) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QCoreApplication.sendEvent(widget, event)


def _name(widget: QWidget) -> str:
    words = widget.text() if isinstance(widget, QAbstractButton) else ""
    return f"{type(widget).__name__} {widget.accessibleName() or words!r}"


def _place(widget: QWidget) -> str:
    parent = widget.parentWidget()
    while parent is not None and type(parent).__name__ in ("QWidget", "QFrame", "QStackedWidget", "Flow"):
        parent = parent.parentWidget()
    return "nothing" if parent is None else type(parent).__name__
