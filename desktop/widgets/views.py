"""What takes the conversation's place or stands beside it of the program's own, each made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from desktop.chat_session import ChatSession
from desktop.model_choice import ModelChoice
from desktop.settings import SendingKey, SettingsFile
from desktop.theme import ThemeSource
from desktop.widgets.actions import make_action
from desktop.widgets.place import Place
from desktop.widgets.prompt_field import enter_words

if TYPE_CHECKING:
    from desktop.keepsakes import Preset
    from desktop.widgets.about import About
    from desktop.widgets.behind import Behind
    from desktop.widgets.chat_settings import ChatSettings
    from desktop.widgets.preferences import Preferences
    from desktop.widgets.shortcuts import Group, ShortcutOverview


class Views(QObject):
    """Opens preferences, the settings of a conversation, the overview of shortcuts and what the program is made of."""

    server_wanted = Signal(str)  # its address; empty for a new one

    def __init__(
        self,
        make_behind: Callable[[], Behind],
        settings: SettingsFile,
        models: ModelChoice,
        themes: ThemeSource,
        place: Place,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_behind = make_behind
        self._settings = settings
        self._models = models
        self._themes = themes
        self._place = place
        self.preferences: Preferences | None = None
        self.chat_settings: ChatSettings | None = None
        self.shortcuts: ShortcutOverview | None = None
        self.about: About | None = None

    @cached_property
    def _behind(self) -> Behind:
        behind = self._make_behind()
        behind.presets.deleted.connect(self._on_preset_deleted)
        behind.presets.failed.connect(self._say)
        return behind

    def actions(self) -> tuple[QAction, QAction, QAction]:
        """What opens them: preferences, the settings of the conversation, the overview."""
        make = partial(make_action, self)
        preferences = make(self.tr("&Preferences…"), self.open_preferences, "Ctrl+,")
        preferences.setMenuRole(QAction.MenuRole.PreferencesRole)
        conversation = make(self.tr("System prompt and &sampling"), self.toggle_chat_settings, "Ctrl+Shift+P")
        shortcuts = make(self.tr("&Keyboard shortcuts"), self.open_shortcuts, "F1", "?")
        return preferences, conversation, shortcuts

    def open_preferences(self) -> None:
        if self.preferences is None:
            from desktop.widgets.preferences import Preferences

            self.preferences = Preferences(self._themes.current, self._settings, self._models, self._behind.upkeep)
            self.preferences.server_wanted.connect(self._on_server_wanted)
            self.preferences.said.connect(self._say)
        self.preferences.look()
        self._place.open_view(self.preferences)

    def toggle_chat_settings(self) -> None:
        """Beside the conversation; the second time it is put away."""
        if self.chat_settings is not None and self._place.panel is self.chat_settings:
            self.chat_settings.keep()
            self._place.close_panel()
            return
        if self.chat_settings is None:
            from desktop.widgets.chat_settings import ChatSettings

            self.chat_settings = ChatSettings(self._themes.current, self._models, self._behind.presets)
            self.chat_settings.follow(self._place.session)
        self._place.close_view()
        self._place.open_panel(self.chat_settings)

    def open_about(self) -> None:
        if self.about is None:
            from desktop.widgets.about import About

            self.about = About(self._themes.current, self._models)
        self.about.look()
        self._place.open_view(self.about)

    def follow(self, session: ChatSession) -> None:
        """Another conversation is shown."""
        if self.chat_settings is not None:
            self.chat_settings.follow(session)

    def keep(self) -> None:
        """Let what is still being typed hold: the window closes."""
        if self.chat_settings is not None:
            self.chat_settings.keep()

    def open_shortcuts(self) -> None:
        """Made anew each time: actions come and go."""
        from desktop.widgets.shortcuts import ShortcutOverview, groups_of

        menus = [menu for action in self._place.menuBar().actions() if isinstance(menu := action.menu(), QMenu)]
        if self.shortcuts is not None:
            self.shortcuts.deleteLater()
        groups = (*groups_of(menus), self._reading_keys(), self._composer_keys())
        self.shortcuts = ShortcutOverview(self._themes.current, groups)
        self._place.open_view(self.shortcuts)

    def _reading_keys(self) -> Group:
        from desktop.widgets.shortcuts import Group, Shortcut, native

        told = (
            (self.tr("From message to message"), ("Ctrl+Up", "Ctrl+Down")),
            (self.tr("Select"), ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down")),
            (self.tr("Move a caret through the text"), ("F7",)),
            (self.tr("To links and to what can be done with a message"), ("Tab", "Shift+Tab")),
        )
        keys = (Shortcut(words, ", ".join(native(QKeySequence(key)) for key in those)) for words, those in told)
        return Group(self.tr("While reading"), tuple(keys))

    def _composer_keys(self) -> Group:
        from desktop.widgets.shortcuts import Group, Shortcut, native

        sends = self._settings.current.send_with
        other = next(key for key in SendingKey if key is not sends)
        lines = f"{enter_words(other)}, {native(QKeySequence('Shift+Return'))}"
        keys = (Shortcut(self.tr("Send"), enter_words(sends)), Shortcut(self.tr("New line"), lines))
        return Group(self.tr("While writing"), keys)

    def _on_server_wanted(self, address: str) -> None:
        self._place.close_view()
        self.server_wanted.emit(address)

    def _on_preset_deleted(self, preset: Preset) -> None:
        words = self.tr("Deleted the preset “{name}”.").format(name=preset.name)
        bring_back = partial(self._behind.presets.save, preset)
        self._place.board.show_notice(words, action=self.tr("Undo"), on_action=bring_back).takes_back = True

    def _say(self, sentence: str) -> None:
        self._place.board.show_notice(sentence)
