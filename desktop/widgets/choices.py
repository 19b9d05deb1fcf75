"""What is chosen in the window itself and holds everywhere: streaming, thinking and the colours."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QWidget

from desktop.settings import ColourScheme, Settings, SettingsFile
from desktop.theme import Theme, ThemeSource
from desktop.widgets.actions import make_action
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard
from desktop.widgets.switch import Switch
from desktop.wishes import ReplyChoices


class Choices(QObject):
    """Holds the switches and actions for it. Whoever chose it, here or in the preferences, it is shown and holds."""

    def __init__(
        self, settings: SettingsFile, themes: ThemeSource, thinking: Switch, board: NoticeBoard, window: QWidget
    ) -> None:
        super().__init__(window)
        self._settings = settings
        self._themes = themes
        self._board = board
        self.thinking_switch = thinking
        self.streaming_switch = Switch(themes.current, self.tr("Streaming"))
        self.streaming_switch.setToolTip(
            self.tr(
                "On: the reply appears while it is written.\n"
                "Off: it appears whole at its end. The model works the same way, at the same speed."
            )
        )
        streaming = self.tr("S&treaming")
        self.streaming_action = make_action(window, streaming, self._set_streaming, "Ctrl+Shift+S", checkable=True)
        self.scheme_actions = self._make_scheme_actions()
        self._set_streaming(on=settings.current.streaming)
        self._set_thinking(on=settings.current.thinking)
        self.streaming_switch.toggled.connect(self._set_streaming)
        thinking.toggled.connect(self._set_thinking)
        settings.listen(self._on_settings)

    @property
    def for_reply(self) -> ReplyChoices:
        """What they come to for the next reply."""
        return ReplyChoices(self.streaming_switch.isChecked(), self.thinking_switch.isChecked())

    def set_theme(self, theme: Theme) -> None:
        self.streaming_switch.set_theme(theme)

    def _make_scheme_actions(self) -> dict[ColourScheme, QAction]:
        names = {
            ColourScheme.SYSTEM: self.tr("As the s&ystem"),
            ColourScheme.LIGHT: self.tr("&Light"),
            ColourScheme.DARK: self.tr("&Dark"),
        }
        group = QActionGroup(self)
        actions = {scheme: QAction(group, text=name) for scheme, name in names.items()}
        for scheme, action in actions.items():
            action.setData(scheme.value)
            action.setCheckable(True)
            action.setChecked(scheme is self._themes.scheme)
        group.triggered.connect(self._on_scheme_chosen)
        return actions

    def _set_streaming(self, on: bool) -> None:  # noqa: FBT001 - a slot gets what Qt's signal carries
        self.streaming_switch.setChecked(on)
        self.streaming_action.setChecked(on)
        self._keep(replace(self._settings.current, streaming=on))

    def _set_thinking(self, on: bool) -> None:  # noqa: FBT001 - as above
        """One choice for all conversations, like streaming: who has no time for thinking has none anywhere."""
        self.thinking_switch.setChecked(on)
        self._keep(replace(self._settings.current, thinking=on))

    def _on_scheme_chosen(self, action: QAction) -> None:
        self._keep(replace(self._settings.current, colour_scheme=ColourScheme(action.data())))

    def _on_settings(self, before: Settings, after: Settings) -> None:
        self._set_streaming(on=after.streaming)
        self._set_thinking(on=after.thinking)
        if after.colour_scheme is not before.colour_scheme:
            self._themes.set_scheme(after.colour_scheme)
            self.scheme_actions[after.colour_scheme].setChecked(True)
        if (after.font_family, after.font_size) != (before.font_family, before.font_size):
            self._themes.set_font(after.font_family, after.font_size)

    def _keep(self, settings: Settings) -> None:
        if settings == self._settings.current:
            return
        self._settings.save(settings)
        if self._settings.notice:  # it holds until the program ends
            self._board.show_notice(self._settings.notice, NoticeKind.WARNING)
