"""What stands where a conversation will be: which model answers and what it is good for, or that there is none yet."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

import inference
from desktop import wording
from desktop.model_choice import ModelPhase, ModelState
from desktop.theme import Theme, control_font, figure_font, message_font, scroll_bar_style
from desktop.widgets.buttons import GAP, HEIGHT, PADDING, Button, ButtonKind
from desktop.widgets.painting import Emblem, recolour
from inference import ModelConfig, RemoteModel
from resources import text_of

_WIDTH = 560
_EMBLEM = 64
_TALL = 430
_LONGEST_TITLE = 60  # letters: two lines, three in a narrow window


@dataclass(frozen=True, slots=True)
class Examples:
    """What a model is good for, and prompts to try it with."""

    about: str
    prompts: tuple[str, ...]


def load_examples() -> dict[str, Examples]:
    """Those for the "embedded" model, one of a "server" and any "other", from `resources/texts`."""
    read = tomllib.loads(text_of("texts", "examples.toml"))
    return {name: Examples(each["about"], tuple(each["prompts"])) for name, each in read.items()}


class EmptyState(QScrollArea):
    """A page in the middle of the window. It scrolls where the window is small."""

    prompt_chosen = Signal(str)
    open_wanted = Signal()
    larger_wanted = Signal()
    compare_wanted = Signal(str)  # this prompt, with streaming on and off
    examples_changed = Signal()  # there are other `prompt_buttons`

    def __init__(self, theme: Theme, embedded: Path | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._embedded = embedded
        self._state = ModelState()
        self._examples = load_examples()
        self._emblem = Emblem(_EMBLEM)
        self._title = _line(_title_font())
        self._about = _line(message_font())
        self._facts = _line(figure_font())
        self.open_button = Button(theme, text=self.tr("Open a model file…"), icon_name="open", kind=ButtonKind.PRIMARY)
        self.open_button.clicked.connect(self.open_wanted)
        self.larger_button = Button(theme, text=self.tr("Get a larger model"), kind=ButtonKind.OUTLINED)
        self.larger_button.clicked.connect(self.larger_wanted)
        self.larger_button.hide()
        self._offers_larger = False
        self.prompt_buttons: tuple[_PromptButton, ...] = ()
        self._compares = False
        self._lay_out()
        self.set_theme(theme)
        self.show_state(ModelState())

    @property
    def words(self) -> tuple[str, ...]:
        """What is said, from top to bottom."""
        return tuple(label.text() for label in (self._title, self._about, self._facts) if label.text())

    def offer_comparison(self) -> None:
        """Let the last of the prompts be compared, not sent, where a model of this machine answers."""
        self._compares = True
        self.show_state(self._state)

    def offer_larger(self) -> None:
        """Whoever has no model, or the embedded one alone, can get another from now on."""
        self._offers_larger = True
        self.show_state(self._state)

    def show_state(self, state: ModelState) -> None:
        """Show the page for the model as it is now."""
        self._state = state
        if state.config is None:
            self._show_nothing_yet()
        else:
            self._show_model(state)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for label in (self._about, self._facts):
            recolour(label, QPalette.ColorRole.WindowText, theme.muted)
        for button in (self.open_button, self.larger_button, *self.prompt_buttons):
            button.set_theme(theme)
        recolour(self, QPalette.ColorRole.Window, theme.surface)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._emblem.setVisible(self.height() >= _TALL)  # words and prompts come first

    def _show_nothing_yet(self) -> None:
        self._title.setText(self.tr("No model yet"))
        self._about.setText(
            self.tr("Headwater runs language models on your own machine. Open a model file (.gguf), or drop one here.")
        )
        self._show_facts("")
        self._offer(())
        self.open_button.show()
        self.larger_button.setText(self.tr("Find a model"))
        self.larger_button.setVisible(self._offers_larger)

    def _show_model(self, state: ModelState) -> None:
        examples = self._examples_for(state)
        self._title.setText(_shortened(state.name))
        failed = state.phase is ModelPhase.FAILED
        # Why it failed is said by a notice, with what can be done about it.
        self._about.setText(self.tr("It cannot answer now.") if failed else self.tr(examples.about))
        self._show_facts(self._facts_of(state))
        self._offer(() if failed else examples.prompts)
        self.open_button.setVisible(failed)
        self.larger_button.setText(self.tr("Get a larger model"))
        self.larger_button.setVisible(self._offers_larger and not failed and self._comes_along(state))

    def _show_facts(self, facts: str) -> None:
        # The line keeps its place while a model loads, so that the page does not jump when it is ready.
        self._facts.setText(facts)
        self._facts.setVisible(self._state.config is not None)

    def _facts_of(self, state: ModelState) -> str:
        match state.info:
            case None:
                return ""
            case inference.ModelInfo() as info:
                return self._facts_of_file(info)
            case inference.RemoteModelInfo(context_size=None):
                return self.tr("Answers from {server}").format(server=state.server)
            case inference.RemoteModelInfo(context_size=size):
                words = self.tr("Answers from {server}, a window of {context} tokens")
                return words.format(server=state.server, context=wording.whole(size or 0))

    def _facts_of_file(self, info: inference.ModelInfo) -> str:
        return self.tr("{parameters} parameters, {quantisation}, a window of {context} tokens").format(
            parameters=wording.parameters(info.parameters),
            quantisation=info.quantisation,
            context=wording.whole(info.context_size),
        )

    def _examples_for(self, state: ModelState) -> Examples:
        if isinstance(state.config, RemoteModel):
            return self._examples["server"]
        return self._examples["embedded" if self._comes_along(state) else "other"]

    def _comes_along(self, state: ModelState) -> bool:
        return isinstance(state.config, ModelConfig) and state.config.path == self._embedded

    def _offer(self, prompts: Sequence[str]) -> None:
        texts = [self.tr(prompt) for prompt in prompts]
        compares = self._compares and bool(texts) and isinstance(self._state.config, ModelConfig)
        if compares:
            texts[-1] = self.tr("Compare streaming on and off")
        if texts == [button.text() for button in self.prompt_buttons]:
            return
        for button in self.prompt_buttons:
            button.hide()
            button.deleteLater()
        self.prompt_buttons = tuple(_PromptButton(self._theme, text) for text in texts)
        for button in self.prompt_buttons:
            button.chosen.connect(self.prompt_chosen)
            self._prompts.addWidget(button)
        if compares:
            last, prompt = self.prompt_buttons[-1], self.tr(prompts[-1])
            last.chosen.disconnect(self.prompt_chosen)
            last.chosen.connect(partial(self._compare, prompt))
            last.explain(self.tr("Asks both ways in turn: {prompt}").format(prompt=prompt))
        self.examples_changed.emit()

    def _compare(self, prompt: str, _shown: str) -> None:
        self.compare_wanted.emit(prompt)

    def _lay_out(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._prompts = QVBoxLayout()
        self._prompts.setSpacing(8)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._emblem, 0, Qt.AlignmentFlag.AlignHCenter)
        for widget, above in ((self._title, 16), (self._about, 8), (self._facts, 8)):
            column.addSpacing(above)
            column.addWidget(widget)
        column.addSpacing(24)
        column.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(self._prompts)
        column.addSpacing(12)
        column.addWidget(self.larger_button, 0, Qt.AlignmentFlag.AlignHCenter)
        page = _centred(column)
        self.setWidget(page)


class _PromptButton(Button):
    """An example prompt: as wide as the page, its text from the left."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, text: str) -> None:
        super().__init__(theme, text=text, kind=ButtonKind.OUTLINED)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleDescription(self.tr("Sends this prompt"))
        self.setToolTip(self.tr("Send: {prompt}").format(prompt=text))
        self.clicked.connect(self._choose)

    def explain(self, words: str) -> None:
        """Say what it does where it does not send its own text."""
        self.setAccessibleDescription(words)
        self.setToolTip(words)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEIGHT + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, HEIGHT + 8)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        box = QRect(0, 0, max(1, width - 2 * PADDING), 10_000)
        words = self.fontMetrics().boundingRect(box, Qt.TextFlag.TextWordWrap, self.text())
        return max(HEIGHT + 8, words.height() + 2 * GAP)

    def _choose(self) -> None:
        self.chosen.emit(self.text())

    def _paint_content(self, painter: QPainter) -> None:
        box = self.rect().adjusted(PADDING, 0, -PADDING, 0)
        painter.setPen(self._ink())
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, middle | Qt.TextFlag.TextWordWrap, self.text())


def _centred(column: QVBoxLayout) -> QWidget:
    """A page whose column stands in the middle, a little above it, and is no wider than is good to read."""
    inner = QWidget()
    inner.setMaximumWidth(_WIDTH)
    inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    inner.setLayout(column)
    column.setContentsMargins(24, 24, 24, 24)
    page = QWidget()
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(inner, 1000)
    row.addStretch(1)
    outer = QVBoxLayout(page)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.addStretch(2)
    outer.addLayout(row)
    outer.addStretch(3)
    return page


def _line(font: QFont) -> QLabel:
    label = QLabel()
    label.setFont(font)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
    return label


def _shortened(name: str) -> str:
    """A name that leaves room for what is said below it; its end tells most models apart."""
    if len(name) <= _LONGEST_TITLE:
        return name
    half = _LONGEST_TITLE // 2
    return f"{name[:half]}…{name[-half:]}"


def _title_font() -> QFont:
    font = control_font()
    font.setPointSizeF(1.8 * font.pointSizeF())
    font.setWeight(QFont.Weight.DemiBold)
    return font
