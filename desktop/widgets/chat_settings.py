"""What one conversation tells its model, and how its replies are sampled: a panel beside it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy

from desktop.chat_session import ChatSession
from desktop.keepsakes import Preset
from desktop.model_choice import ModelChoice, ModelState
from desktop.presets import Presets
from desktop.theme import Theme, control_font, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.fields import Choice
from desktop.widgets.form import Page, Side
from desktop.widgets.line_field import LineField
from desktop.widgets.painting import paint_box, paint_focus_ring, recolour
from desktop.widgets.sampling_form import SamplingForm
from inference import DEFAULT_SAMPLING, Sampling

_WIDTH = 560
_PAUSE_MILLISECONDS = 400  # of typing, before what was typed holds
_PROMPT_HEIGHT = 140


class ChatSettings(Page):
    """Follows the session that is shown. What is chosen holds from the next reply on."""

    def __init__(self, theme: Theme, models: ModelChoice, presets: Presets) -> None:
        super().__init__(theme, _WIDTH)
        self._models = models
        self._presets = presets
        self._session: ChatSession | None = None
        self.set_title(self.tr("This conversation"), self.tr("Close the settings of this conversation"))
        self.column.setContentsMargins(16, 12, 16, 24)
        self._typing = QTimer(self, singleShot=True, interval=_PAUSE_MILLISECONDS)
        self._typing.timeout.connect(self.keep)
        self._add_presets()
        self._add_prompt()
        self._add_sampling()
        self.column.addStretch(1)
        self.set_theme(theme)
        self._show_presets()
        self._show_whose_defaults()
        presets.changed.connect(self._show_presets)
        models.changed.connect(self._on_model)

    def follow(self, session: ChatSession) -> None:
        """Show this session from now on, and no longer the one before."""
        self.keep()
        if self._session is not None:
            self._session.prompt_changed.disconnect(self._show)
        self._session = session
        session.prompt_changed.connect(self._show)
        self._show()

    def keep(self) -> None:
        """Let what was typed hold now."""
        self._typing.stop()
        if self._session is not None:
            self._session.set_prompt_and_sampling(self.prompt_field.toPlainText(), self.sampling_form.sampling)

    def _add_presets(self) -> None:
        self.presets = Choice(self._theme, self.tr("Preset"))
        self.presets.picked.connect(self._take_preset)
        self.add_row(self.tr("Preset"), self.presets, self.tr("A system prompt and a sampling under a name."))
        self.name_field = LineField(self._theme, self.tr("Name of the preset"), self.tr("Name"))
        self.name_field.setMinimumWidth(120)
        self.save_button = Button(self._theme, text=self.tr("Save"), kind=ButtonKind.OUTLINED)
        self.delete_button = Button(self._theme, text=self.tr("Delete"))
        self.save_button.clicked.connect(self._save_preset)
        self.name_field.returnPressed.connect(self._save_preset)
        self.name_field.textChanged.connect(self._on_name)
        self.delete_button.clicked.connect(self._delete_preset)
        self.add(Side(self.name_field, self.save_button, self.delete_button))
        self._on_name("")

    def _add_prompt(self) -> None:
        self.add_heading(self.tr("System prompt"))
        self.add_words(
            self.tr("What the model reads before everything else: who it is, how it answers. Another one is read anew.")
        )
        self.prompt_field = _PromptField(self._theme, self.tr("System prompt"), self.tr("No system prompt"))
        self.prompt_field.textChanged.connect(self._typing.start)
        self.prompt_field.left.connect(self.keep)
        self.add(self.prompt_field)

    def _add_sampling(self) -> None:
        self.add_heading(self.tr("Sampling"))
        self._sampling_words = self.add_words("")
        self.sampling_form = SamplingForm(self._theme)
        self.sampling_form.chosen.connect(self.keep)
        self.add(self.sampling_form)
        self.reset_button = Button(self._theme, text=self.tr("Leave all of it to the model"), kind=ButtonKind.OUTLINED)
        self.reset_button.clicked.connect(self._reset)
        self.add(self.reset_button)

    def _show(self) -> None:
        if self._session is None:
            return
        if self.prompt_field.toPlainText() != self._session.system_prompt:
            self.prompt_field.show_text(self._session.system_prompt)
        self._typing.stop()
        self.sampling_form.show_sampling(self._session.sampling, self._defaults())
        self.reset_button.setEnabled(self._session.sampling is not None)
        self._show_preset()

    def _on_model(self, _state: ModelState) -> None:
        self._show_whose_defaults()
        if self._session is not None:
            self.sampling_form.show_sampling(self.sampling_form.sampling, self._defaults())

    def _show_whose_defaults(self) -> None:
        words = self.tr("How the next token is chosen. What is left open is as the model's file says, else as usual.")
        if self._models.state.server:
            words = self.tr("How the next token is chosen. What is left open is up to the server.")
        self._sampling_words.setText(words)

    def _defaults(self) -> Sampling | None:
        if self._models.state.server:
            return None
        info = self._models.state.file_info
        return DEFAULT_SAMPLING if info is None else info.default_sampling

    def _reset(self) -> None:
        self.sampling_form.show_sampling(None, self._defaults())
        self.keep()

    # Presets

    def _show_presets(self) -> None:
        presets = self._presets.all()
        self.presets.offer(((self.tr("None"), None), *((preset.name, preset) for preset in presets)))
        self.presets.setEnabled(bool(presets))
        self._show_preset()

    def _show_preset(self) -> None:
        """The one that this conversation is set as, if there is one."""
        matching = None
        if self._session is not None:
            own = self._session.system_prompt, self._session.sampling
            same = (one for one in self._presets.all() if (one.system_prompt, one.sampling) == own)
            matching = next(same, None)
        self.presets.show_value(matching)
        self.delete_button.setVisible(matching is not None)

    def _take_preset(self, preset: object) -> None:
        match preset:
            case Preset(_, system_prompt, sampling):
                pass
            case _:
                system_prompt, sampling = "", None
        self.prompt_field.show_text(system_prompt)
        self.sampling_form.show_sampling(sampling, self._defaults())
        self.keep()

    def _on_name(self, name: str) -> None:
        self.save_button.setEnabled(bool(name.strip()))

    def _save_preset(self) -> None:
        name = " ".join(self.name_field.text().split())
        if not name or self._session is None:
            return
        self.keep()
        self.name_field.clear()
        self._presets.save(Preset(name, self._session.system_prompt, self._session.sampling))

    def _delete_preset(self) -> None:
        if isinstance(preset := self.presets.value, Preset):
            self._presets.delete(preset)


class _PromptField(QPlainTextEdit):
    """Where a system prompt is typed."""

    left = Signal()  # the keyboard went elsewhere

    def __init__(self, theme: Theme, name: str, hint: str) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(control_font())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setFixedHeight(_PROMPT_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(8)
        self.set_theme(theme)

    def show_text(self, text: str) -> None:
        """Show another prompt."""
        with QSignalBlocker(self):
            self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Base, theme.surface)
        recolour(self, QPalette.ColorRole.Text, theme.text)
        recolour(self, QPalette.ColorRole.PlaceholderText, theme.muted)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
        self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        box = self.viewport().rect()
        if self.hasFocus():
            paint_focus_ring(painter, box, self._theme.accent)
        else:
            paint_box(painter, box, edge=self._theme.field_edge)
        painter.end()
