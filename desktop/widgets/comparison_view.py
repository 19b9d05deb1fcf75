"""The two columns of a comparison: streaming on and off, side by side."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

import inference
from desktop import wording
from desktop.chat_session import ChatSession
from desktop.comparison import ComparisonPhase, Comparisons
from desktop.conversations import TurnState
from desktop.spoken import spoken
from desktop.theme import Theme, control_font, figure_font, message_font, scroll_bar_style
from desktop.turns import Turn
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.fields import Choice, Number
from desktop.widgets.findings import Findings
from desktop.widgets.form import Page, Quiet, Side, label
from desktop.widgets.painting import paint_box, paint_focus_ring, recolour
from desktop.widgets.progress import Progress, ProgressKind
from desktop.widgets.result_export import PlaceChooser, ask_for_place
from desktop.widgets.transcript import Transcript
from inference import Message, Role

if TYPE_CHECKING:
    from inference.experiments import Comparison, Mode, Run, RunBegan

_WIDTH = 1040
_NARROW = 560  # below it the columns stand one below the other
_COLUMN_HEIGHT = 240
_RUNS, _TOKENS = 3, 200
_MOST_TOKENS = 32_768
_TICK_MS = 100
_PROMPT_LINES = 3
_REPLY = 1  # the turn that a column shows


class ReplyColumn(Transcript):
    """One reply, drawn as the conversation would draw it; nothing can be done with it but to read it."""

    shown = Signal()  # text of it was painted just now

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme)
        self.setAccessibleName(name)
        self.setMinimumHeight(_COLUMN_HEIGHT)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def begin(self, mode: Mode) -> None:
        """Wait for a reply."""
        self._turn = _turn("", TurnState.WRITING, streamed=mode is inference.experiments.Mode.ON)
        self.show_turns((self._turn,))

    def wait(self, words: str) -> None:
        """Say quietly how far it is while its text is withheld."""
        self.set_progress(Progress(words, None, ProgressKind.DECODE))

    def end(self, text: str) -> None:
        """Show all of it, and paint it now: the clock runs."""
        self.set_progress(None)
        self.change_turn(_turn(text, TurnState.COMPLETE, streamed=bool(self._turn.streamed)))
        self.viewport().repaint()

    def add(self, text: str) -> None:
        """It goes on."""
        self.grow(_REPLY, text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if any(message.segments for message in self.messages()):
            self.shown.emit()

    def _place_controls(self) -> None:
        """There are none: what is compared is neither edited nor asked again."""


class _Column(QWidget):
    """A heading, two clocks, the reply."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.heading = label(name, control_font())
        self.clocks = label("", figure_font())
        self.reply = ReplyColumn(theme, name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (self.heading, self.clocks, self.reply):
            column.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.set_theme(theme)

    def show_clocks(self, first: str, whole: str) -> None:
        words = self.tr("First words {first} · whole {whole}").format(first=first or "–", whole=whole or "–")  # noqa: RUF001 - a dash for what is not known
        self.clocks.setText(words)
        self.clocks.setAccessibleName(words)

    def set_theme(self, theme: Theme) -> None:
        recolour(self.heading, QPalette.ColorRole.WindowText, theme.text)
        recolour(self.clocks, QPalette.ColorRole.WindowText, theme.muted)
        self.reply.set_theme(theme)
        self.reply.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))


class _Columns(QWidget):
    """Beside each other, or one below the other where it is narrow."""

    def __init__(self, *columns: _Column) -> None:
        super().__init__()
        self._columns = columns
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(16)
        for column in columns:
            self._box.addWidget(column, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _NARROW
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    def set_theme(self, theme: Theme) -> None:
        for column in self._columns:
            column.set_theme(theme)


class PromptField(QPlainTextEdit):
    """What is compared; Tab leaves it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setPlaceholderText(name)
        self.setFont(message_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(6)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        return QSize(320, _PROMPT_LINES * self.fontMetrics().lineSpacing() + 16)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Base, theme.surface)
        recolour(self, QPalette.ColorRole.Text, theme.text)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if self.hasFocus():
            paint_focus_ring(painter, self.viewport().rect(), self._theme.accent)
        else:
            paint_box(painter, self.viewport().rect(), edge=self._theme.field_edge)
        painter.end()


class ComparisonView(Page):
    """Asks for a prompt, shows the runs live and then what came out, and opens what was kept."""

    def __init__(self, theme: Theme, comparisons: Comparisons, choose_place: PlaceChooser = ask_for_place) -> None:
        super().__init__(theme, _WIDTH)
        self._comparisons = comparisons
        self._session: ChatSession | None = None
        self._first: dict[Mode, float] = {}
        self._live: RunBegan | None = None
        self.set_title(self.tr("Streaming on and off"), self.tr("Close the comparison (Esc)"))
        self._make_parts(theme, choose_place)
        self._add_parts()
        self._connect()
        self.begins_at = self.start_button
        self.set_theme(theme)
        self._show_phase(comparisons.phase)
        self._show_kept()

    def follow(self, session: ChatSession) -> None:
        """Ask at the end of this conversation from now on."""
        self._session = session
        self._show_phase(self._comparisons.phase)

    def begin(self, prompt: str) -> bool:
        """Compare this prompt now. False where that cannot be begun."""
        if prompt.strip() and not self._comparisons.is_running:
            self.prompt.setPlainText(prompt)
        return self._start()

    def _make_parts(self, theme: Theme, choose_place: PlaceChooser) -> None:
        modes = inference.experiments.Mode
        self.prompt = PromptField(theme, self.tr("Prompt"))
        self.runs = Number(theme, self.tr("Runs of each"), 1, inference.experiments.MOST_RUNS)
        self.runs.show_number(_RUNS)
        self.tokens = Number(theme, self.tr("Tokens at most"), 1, _MOST_TOKENS, step=50)
        self.tokens.show_number(_TOKENS)
        self.start_button = Button(theme, text=self.tr("Compare"), kind=ButtonKind.PRIMARY)
        self.past_button = Button(theme, text=self.tr("Compare past replies"), kind=ButtonKind.OUTLINED)
        self.past_button.setToolTip(
            self.tr("Replies of this conversation that were made with the switch on and off, by their kept figures")
        )
        self.kept = Choice(theme, self.tr("Earlier comparisons"))
        self.delete_button = Button(theme, text=self.tr("Delete"), name=self.tr("Delete this comparison"))
        self.status = Quiet(theme)
        self.columns = {
            modes.ON: _Column(theme, self.tr("Streaming on")),
            modes.OFF: _Column(theme, self.tr("Streaming off")),
        }
        self.findings = Findings(theme, choose_place)
        self._tick = QTimer(self, interval=_TICK_MS)

    def _add_parts(self) -> None:
        self.add_words(
            self.tr(
                "The same question is really asked both ways in turn, by the same model, with the same seed and from "
                "the same KV cache. Other requests wait meanwhile."
            )
        )
        self.add(self.prompt)
        self.add_row(self.tr("Runs of each kind"), self.runs)
        self.add_row(self.tr("Tokens of each answer, at most"), self.tokens)
        self.add(Side(self.start_button, self.past_button))
        self._kept_side = Side(self.kept, self.delete_button)
        self.add(self._kept_side)
        self.add(self.status)
        self._columns = _Columns(*self.columns.values())
        self.add(self.findings.verdict)  # the answer before what it is drawn from, so that it is seen without scrolling
        self.add(self._columns)
        self.add(self.findings)
        self.column.addStretch(1)
        self._columns.hide()

    def _connect(self) -> None:
        comparisons = self._comparisons
        self.start_button.clicked.connect(self._start_or_stop)
        self.past_button.clicked.connect(self._compare_past)
        self.kept.picked.connect(self._open_kept)
        self.delete_button.clicked.connect(self._delete_kept)
        self._tick.timeout.connect(self._show_clocks)
        comparisons.phase_changed.connect(self._show_phase)
        comparisons.run_began.connect(self._on_run_began)
        comparisons.text_grew.connect(self._on_text)
        comparisons.wrote.connect(self._on_wrote)
        comparisons.run_finished.connect(self._on_finished)
        comparisons.run_ended.connect(self._on_run_ended)
        comparisons.ended.connect(self._on_ended)
        comparisons.failed.connect(self._on_failed)
        comparisons.kept_changed.connect(self._show_kept)
        for mode, column in self.columns.items():
            column.reply.shown.connect(partial(comparisons.painted, mode))

    # Beginning and ending

    def _start_or_stop(self) -> None:
        if self._comparisons.is_running:
            self._comparisons.stop()
        else:
            self._start()

    def _start(self) -> bool:
        if self._session is None:
            return False
        prompt = self.prompt.toPlainText()
        if not prompt.strip():
            self.status.setText(self.tr("Type a prompt, then compare."))
            self.prompt.setFocus(Qt.FocusReason.OtherFocusReason)
            return False
        runs, tokens = int(self.runs.number or _RUNS), int(self.tokens.number or _TOKENS)
        begun = self._comparisons.start(self._session, prompt, runs=runs, max_tokens=tokens)
        if begun:
            self.findings.show_result(None, "")
            self._first.clear()
            self._columns.show()
            for mode, column in self.columns.items():
                column.reply.begin(mode)
                column.reply.end("")  # no caret: nothing is written there yet
                column.show_clocks("", "")
        return begun

    def _compare_past(self) -> None:
        if self._session is not None:
            self._comparisons.of_replies(self._session)

    def _show_phase(self, phase: ComparisonPhase) -> None:
        runs = self._comparisons.is_running
        self.start_button.setText(self.tr("Stop") if runs else self.tr("Compare"))
        self.start_button.setAccessibleName(self.start_button.text())
        for part in (self.past_button, self.kept, self.delete_button, self.runs, self.tokens, self.prompt):
            part.setEnabled(not runs)
        match phase:
            case ComparisonPhase.WAITING:
                self.status.setText(self.tr("Waiting for its turn"))
            case ComparisonPhase.WARM_UP:
                self.status.setText(self.tr("Warming up; this run is not counted"))
            case ComparisonPhase.RUNNING:
                pass  # which run it is was said when it began, and still holds
            case ComparisonPhase.IDLE:
                self.status.setText("")
        if runs:
            self._tick.start()
        else:
            self._tick.stop()
            self._live = None

    # What comes

    def _on_run_began(self, began: RunBegan) -> None:
        if began.is_warm_up:
            return
        self._live = began
        self._first.pop(began.mode, None)
        self.columns[began.mode].reply.begin(began.mode)
        words = self.tr("Run {number} of {count}, streaming {mode}")
        self.status.setText(words.format(number=began.number, count=began.of, mode=self._name(began.mode)))
        self._show_clocks()

    def _on_text(self, mode: Mode, text: str) -> None:
        self._note_first(mode)
        self.columns[mode].reply.add(text)

    def _on_wrote(self, mode: Mode, tokens: int) -> None:
        self.columns[mode].reply.wait(self.tr("{tokens} tokens").format(tokens=wording.whole(tokens)))

    def _on_finished(self, mode: Mode, text: str) -> None:
        self._note_first(mode)
        self.columns[mode].reply.end(text)

    def _on_run_ended(self, run: Run) -> None:
        first = run.paint.first if run.paint is not None else run.first_text
        self.columns[run.mode].show_clocks(self._seconds(first), self._seconds(run.timings.total))
        self._live = None

    def _on_ended(self, comparison: Comparison) -> None:
        self._columns.show()
        if not self.prompt.toPlainText().strip() or not comparison.kept:
            self.prompt.setPlainText(comparison.prompt)
        for mode, column in self.columns.items():
            runs = comparison.of(mode)
            column.reply.begin(mode)
            column.reply.end(runs[-1].text if runs else "")
            first, total = (comparison.statistic(key, mode) for key in ("first_text", "total"))
            column.show_clocks(
                self._seconds(None if first is None else first.median),
                self._seconds(None if total is None else total.median),
            )
        self.status.setText("")
        self.findings.show_result(comparison, "streaming-on-and-off")

    def _on_failed(self, sentence: str) -> None:
        self.status.setText(sentence)

    def _note_first(self, mode: Mode) -> None:
        elapsed = self._comparisons.seconds_of_run()
        if elapsed is not None:
            self._first.setdefault(mode, elapsed)

    def _show_clocks(self) -> None:
        elapsed = self._comparisons.seconds_of_run()
        if self._live is None or elapsed is None:
            return
        mode = self._live.mode
        first = self._first.get(mode)
        running = self.tr("{seconds} s…").format(seconds=wording.running(elapsed))
        self.columns[mode].show_clocks(running if first is None else self._seconds(first), running)

    # What was kept

    def _show_kept(self) -> None:
        kept = self._comparisons.kept()
        shown = [(self.tr("Earlier comparisons ({count})").format(count=len(kept)), None)]
        self.kept.offer([*shown, *((f"{each.title} · {each.created.astimezone():%x %H:%M}", each.id) for each in kept)])
        self._kept_side.setVisible(bool(kept))
        self.delete_button.setVisible(self.kept.value is not None)

    def _open_kept(self, number: object) -> None:
        self.delete_button.setVisible(number is not None)
        if isinstance(number, int):
            self._comparisons.open(number)

    def _delete_kept(self) -> None:
        if isinstance(self.kept.value, int):
            self._comparisons.delete(self.kept.value)
            self.findings.show_result(None, "")

    def _name(self, mode: Mode) -> str:
        return self.tr("on") if mode is inference.experiments.Mode.ON else self.tr("off")

    def _seconds(self, seconds: float | None) -> str:
        return "" if seconds is None else spoken(inference.experiments.seconds_text(seconds))


def _turn(text: str, state: TurnState, *, streamed: bool) -> Turn:
    """A reply that belongs to no conversation."""
    return Turn(
        _REPLY, 0, None, Message(Role.ASSISTANT, text), datetime.now(UTC), state, streamed=streamed, model_name=""
    )
