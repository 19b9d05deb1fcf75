"""One reply under the glass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QLabel

import inference
from desktop import wording
from desktop.chat_session import ChatSession
from desktop.conversations import TurnState
from desktop.inspection import Inspection, inspect
from desktop.lab_runs import LabRuns
from desktop.live_reply import LiveReply
from desktop.model_choice import ModelChoice
from desktop.settings import MOST_PRICE, SettingsFile
from desktop.theme import Theme
from desktop.turns import Turn
from desktop.widgets import inspector_words as words
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.data_table import DataTable
from desktop.widgets.fields import Choice, Number
from desktop.widgets.form import Page, Quiet, Side
from desktop.widgets.line_field import LineField
from desktop.widgets.plot import PlotView
from desktop.widgets.stacked_bar import BarPart, PartInk, StackedBar
from desktop.widgets.switch import Switch

if TYPE_CHECKING:
    from inference.experiments import Plot

_WIDTH = 720
_PLOT_HEIGHT = 180
_REPAINT_MS = 150  # while tokens come
_LATEST = -1


class Inspector(Page):
    """Shows the reply that is chosen, or the newest one, also while it is written. All of it is text as well."""

    def __init__(
        self,
        theme: Theme,
        live: LiveReply,
        runs: LabRuns,
        models: ModelChoice,
        settings: SettingsFile,
    ) -> None:
        super().__init__(theme, _WIDTH)
        self._live = live
        self._runs = runs
        self._models = models
        self._settings = settings
        self._session: ChatSession | None = None
        self._chosen = _LATEST
        self._found: Inspection | None = None
        self._live_gaps: list[tuple[float, float]] = []
        self._is_measuring = False
        self._not_measured = ""  # why, where it was asked for here
        self._live_timer = QTimer(self, interval=_REPAINT_MS, singleShot=True)
        self._live_timer.timeout.connect(self._show_live)
        self.set_title(self.tr("Inspector"), self.tr("Close the Inspector (Ctrl+I)"))
        self._make_parts(theme)
        self._add_parts()
        self._connect()
        self.begins_at = self.choice
        self.set_theme(theme)
        self._show_prices()

    @property
    def found(self) -> Inspection | None:
        """What is shown; `None` while the reply is being written, or where there is none."""
        return self._found

    def follow(self, session: ChatSession) -> None:
        """Look at the replies of this conversation from now on."""
        if self._session is not None and self._session is not session:
            self._session.turn_changed.disconnect(self._on_turns)
            self._session.turn_added.disconnect(self._on_turns)
            self._session.turns_replaced.disconnect(self._on_turns)
        if self._session is not session:
            self._live_gaps = []
            session.turn_changed.connect(self._on_turns)
            session.turn_added.connect(self._on_turns)
            session.turns_replaced.connect(self._on_turns)
        self._session = session
        self._chosen = _LATEST
        self._not_measured = ""
        self._on_turns()

    def as_text(self) -> str:
        """All that is said, to be copied or read aloud."""
        parts = [
            self.tr("Phases"),
            *(part.words for part in self.phases_bar.parts),
            self.tr("Token by token"),
            self.tokens_text.text(),
            self.tr("Prompt"),
            self.prompt_text.text(),
            self.tr("Usage"),
            self.usage_text.text(),
            self.cost_text.text(),
            self.share_text.text(),
        ]
        return "\n".join(part for part in parts if part)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_live()  # its clock stands still while nobody looks

    # Building

    def _make_parts(self, theme: Theme) -> None:
        self.choice = Choice(theme, self.tr("Reply"))
        self.copy_button = Button(theme, text=self.tr("Copy all"), kind=ButtonKind.OUTLINED)
        self.phases_bar = StackedBar(theme, self.tr("Phases"))
        self.phases_text = Quiet(theme)
        self.plot = PlotView(theme)
        self.plot.setMinimumHeight(_PLOT_HEIGHT)
        self.tokens_text = Quiet(theme)
        self.tokens_button = Button(theme, text=self.tr("Show every token"), kind=ButtonKind.OUTLINED)
        self.tokens_table = DataTable(theme, self.tr("Every token"))
        self.record_switch = Switch(theme, self.tr("Record probabilities"))
        self.record_switch.setToolTip(
            self.tr("Of the replies to come, what else each token might have been. Takes a while for each token.")
        )
        self.prompt_bar = StackedBar(theme, self.tr("Prompt"))
        self.prompt_text = Quiet(theme)
        self.usage_text = Quiet(theme)
        self.cost_text = Quiet(theme)
        self.price_fields = tuple(
            Number(theme, name, 0, MOST_PRICE, decimals=3, step=0.1)
            for name in (self.tr("Input"), self.tr("Cached input"), self.tr("Output"))
        )
        self.currency = LineField(theme, self.tr("Currency"), self.tr("EUR"))
        self.share_text = Quiet(theme)
        self.share_button = Button(theme, text=self.tr("Measure the memory"), kind=ButtonKind.OUTLINED)
        for text in (self.phases_text, self.tokens_text, self.prompt_text, self.usage_text, self.share_text):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _add_parts(self) -> None:
        self.add(Side(self.choice, self.copy_button, wide=self.choice))
        self._empty = self.add_words(self.tr("No reply yet. Its phases will be seen here while it is written."))
        self._sections = [
            self._section(self.tr("Phases"), self.phases_bar, self.phases_text),
            self._section(self.tr("Token by token"), self.plot, self.tokens_text),
        ]
        self.add(Side(self.tokens_button))
        self.add(self.tokens_table)
        self.add(self.record_switch)
        self._sections.append(self._section(self.tr("Prompt"), self.prompt_bar, self.prompt_text))
        self._sections.append(self._section(self.tr("Usage"), self.usage_text))
        self.add_words(self.tr("What the same tokens would cost, at prices per million tokens that you enter:"))
        for field in self.price_fields:
            self.add_row(field.accessibleName(), field)
        self.add_row(self.tr("Currency"), self.currency)
        self.add(self.cost_text)
        self._sections.append(self._section(self.tr("Share of this machine's limit"), self.share_text))
        self.add(Side(self.share_button))
        self.column.addStretch(1)
        self.tokens_table.hide()
        self.tokens_button.setEnabled(False)

    def _section(self, title: str, *parts: StackedBar | Quiet | PlotView) -> QLabel:
        heading = self.add_heading(title)
        for part in parts:
            self.add(part)
        return heading

    def _connect(self) -> None:
        self.choice.picked.connect(self._on_chosen)
        self.copy_button.clicked.connect(self._copy)
        self.tokens_button.clicked.connect(self._turn_tokens)
        self.record_switch.toggled.connect(self._record)
        self.share_button.clicked.connect(self._measure)
        self._runs.failed.connect(self._on_not_measured)
        self._runs.bandwidth_measured.connect(self._on_measured)
        self._runs.running_changed.connect(self._show_whether_measuring)
        self._models.changed.connect(self._show_share)
        self._live.began.connect(self._on_live_began)
        self._live.changed.connect(self._show_soon)
        self._live.wrote.connect(self._on_token)
        for field in self.price_fields:
            field.picked.connect(self._keep_prices)
        self.currency.editingFinished.connect(self._keep_prices)

    # Which reply

    def _on_turns(self, _turn: Turn | None = None) -> None:
        self._offer_replies()
        self._show_reply()

    def _replies(self) -> list[Turn]:
        return [] if self._session is None else [turn for turn in self._session.turns if turn.is_reply]

    def _offer_replies(self) -> None:
        replies = self._replies()
        newest = [(self.tr("Newest reply"), _LATEST)]
        older = [
            (self.tr("Reply {number}: {words}").format(number=number, words=_begin(turn.message.content)), turn.id)
            for number, turn in enumerate(replies, start=1)
        ]
        self.choice.offer([*newest, *reversed(older)])
        if self._chosen not in (_LATEST, *(turn.id for turn in replies)):
            self._chosen = _LATEST
        self.choice.show_value(self._chosen)

    def _on_chosen(self, turn_id: object) -> None:
        if isinstance(turn_id, int):
            self._chosen = turn_id
            self._not_measured = ""
            self._show_reply()

    def _reply(self) -> Turn | None:
        replies = self._replies()
        if self._chosen == _LATEST:
            return replies[-1] if replies else None
        return next((turn for turn in replies if turn.id == self._chosen), None)

    # What is shown

    def _show_reply(self) -> None:
        reply = self._reply()
        self._empty.setVisible(reply is None)
        if reply is None or self._session is None:
            self._found = None
            self._show_nothing()
            return
        if reply.state is TurnState.WRITING:
            if self._found is not None:
                self._found = None
                self._show_nothing()  # what stood there was another reply's
            self._show_live()
            return
        self._live_gaps = []
        trace = self._session.trace_of(reply.id)
        self._found = found = inspect(self._session.turns, reply, trace, self._session.system_prompt)
        self._show_phases([words.phase_part(part, found.total) for part in found.phases])
        self.plot.show_plot(self._plot_of(self.tr("Time for each token"), _numbered(found.gaps)))
        self.plot.setVisible(bool(found.gaps))
        self.tokens_text.setText(words.tokens_words(found))
        self.prompt_bar.show_parts([part for block in found.blocks for part in words.block_parts(block)])
        self.prompt_text.setText(words.prompt_words(found))
        self._show_usage(reply.usage)
        self._show_share()
        self._show_tokens()

    def _show_nothing(self) -> None:
        self._show_phases([])
        self.plot.hide()
        for text in (self.tokens_text, self.prompt_text):
            text.setText("")
        self.prompt_bar.show_parts([])
        self._show_usage(None)
        self._show_share()
        self._show_tokens()

    def _show_live(self) -> None:
        """The reply that is being written, as far as it is."""
        reply = self._reply()
        if reply is None or reply.state is not TurnState.WRITING:
            return
        phases = self._live.phases
        total = sum(part.seconds for part in phases)
        self._show_phases([words.phase_part(part, total) for part in phases])
        self.plot.show_plot(self._plot_of(self.tr("Time for each token, as it comes"), tuple(self._live_gaps)))
        self.plot.setVisible(bool(self._live_gaps))
        prefill = self._live.prefill
        if prefill is not None:
            cached = self.tr("{count} tokens cached").format(count=wording.whole(prefill.cached_tokens))
            read = self.tr("{count} tokens read").format(count=wording.whole(prefill.evaluated))
            parts = [
                BarPart(cached, prefill.cached_tokens, PartInk.CACHED),
                BarPart(read, prefill.evaluated, PartInk.PREFILL),
                BarPart(self.tr("to be read"), prefill.new_tokens - prefill.evaluated, PartInk.QUIET),
            ]
            self.prompt_bar.show_parts([part for part in parts if part.amount])
            self.prompt_text.setText(f"{cached}, {read}")
        being_written = self.tr("Being written: {count} tokens").format(count=wording.whole(self._live.written))
        self.tokens_text.setText(being_written if self._live.written else "")
        if self._live.is_waiting:
            self._show_soon()  # nothing comes that would move the clock

    def _on_live_began(self) -> None:
        self._live_gaps, self._not_measured = [], ""
        self._show_soon()

    def _on_token(self, number: int, gap: float) -> None:
        self._live_gaps.append((float(number), 1000 * gap))

    def _show_soon(self) -> None:
        if self.isVisible() and not self._live_timer.isActive():
            self._live_timer.start()

    def _show_phases(self, parts: list[BarPart]) -> None:
        self.phases_bar.show_parts(parts)
        self.phases_text.setText("\n".join(part.words for part in parts))

    def _show_usage(self, usage: inference.Usage | None) -> None:
        self.usage_text.setText(words.usage_words(usage))
        self.cost_text.setText(words.cost_words(usage, self._runs.prices))

    def _show_share(self, _now: object = None) -> None:
        if self._not_measured or self._found is None:
            self.share_text.setText(self._not_measured)
            return
        info = self._models.state.file_info
        self.share_text.setText(words.share_words(self._found, info, self._runs.bandwidth))

    def _measure(self) -> None:
        self._is_measuring, self._not_measured = True, ""
        if not self._runs.measure_bandwidth():
            self._is_measuring = False

    def _on_measured(self, _bandwidth: object) -> None:
        self._is_measuring, self._not_measured = False, ""
        self._show_share()

    def _on_not_measured(self, sentence: str) -> None:
        """Something of the Lab failed; it is said here where it was asked for here."""
        if self._is_measuring:
            self._is_measuring, self._not_measured = False, sentence
            self._show_share()

    def _show_whether_measuring(self, _name: object = None) -> None:
        self.share_button.setEnabled(not self._runs.is_busy)

    # Tokens on demand

    def _turn_tokens(self) -> None:
        self.tokens_table.setVisible(self.tokens_table.isHidden())
        self._show_tokens()

    def _show_tokens(self) -> None:
        shown = not self.tokens_table.isHidden()
        self.tokens_button.setText(self.tr("Hide the tokens") if shown else self.tr("Show every token"))
        has_tokens = self._found is not None and self._found.trace is not None and bool(self._found.trace.token_ids)
        self.tokens_button.setEnabled(has_tokens)
        if not shown:
            return
        columns = (self.tr("No."), self.tr("Text"), self.tr("Id"), self.tr("Time"), self.tr("Probability"), "")
        rows = [
            (
                wording.whole(token.number),
                _visible(token.text),
                str(token.token),
                words.seconds(token.seconds),
                "" if token.probability is None else f"{wording.decimals(100 * token.probability, 1)} %",
                "  ".join(f"{_visible(text)} {wording.decimals(100 * share, 1)} %" for text, share in token.others),
            )
            for token in (() if self._found is None else self._found.tokens())
        ]
        self.tokens_table.show_rows((*columns[:5], self.tr("Instead of it")), rows)

    def _record(self, on: bool) -> None:  # noqa: FBT001 - a slot gets what Qt's signal carries
        self._models.records_probabilities = on

    # Prices

    def _show_prices(self) -> None:
        prices = self._runs.prices
        for field, price in zip(self.price_fields, (prices.input, prices.cached, prices.output), strict=True):
            field.show_number(price)
        self.currency.setText(prices.currency)

    def _keep_prices(self, _price: object = None) -> None:
        read, cached, written = (float(field.number or 0.0) for field in self.price_fields)
        changed = replace(
            self._settings.current,
            price_input=read,
            price_cached=cached,
            price_output=written,
            price_currency=self.currency.text().strip(),
        )
        if changed != self._settings.current:
            self._settings.save(changed)
        self._show_usage(None if self._found is None else self._found.turn.usage)

    def _plot_of(self, title: str, points: tuple[tuple[float, float], ...]) -> Plot:
        lab = inference.experiments
        series = lab.Series("", points, lab.Ink.DECODE, lab.Shape.LINE)
        return lab.Plot(title, self.tr("token"), "", self.tr("time"), "ms", (series,))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())


def _numbered(gaps: tuple[float, ...]) -> tuple[tuple[float, float], ...]:
    """The first gap leads to the second token."""
    return tuple((float(number), 1000 * gap) for number, gap in enumerate(gaps, start=2))


def _begin(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 32 else f"{line[:31]}…"


def _visible(text: str) -> str:
    """A token whose spaces and line ends can be seen."""
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")
