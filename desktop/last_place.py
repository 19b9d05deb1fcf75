"""Where somebody was reading when the program was left, and the way back there at the next start."""

from __future__ import annotations

from dataclasses import replace

from desktop.library import Library
from desktop.settings import SettingsFile
from desktop.window import Window


class LastPlace:
    """Known once it is made, which is when the window can show it: until then, what is kept is where somebody was."""

    def __init__(self, settings: SettingsFile, library: Library, window: Window) -> None:
        self._settings = settings
        self._library = library
        self._window = window

    def go_back(self, crashed_over: int | None) -> None:
        """Open the conversation that was read last, unless somebody has begun something else meanwhile, or the program
        crashed over it."""
        settings, session = self._settings.current, self._library.current
        last = settings.last_conversation
        begun = session.conversation is not None or session.is_busy or bool(self._window.composer.text.strip())
        if not settings.restore_place or last is None or begun or last == crashed_over:
            return
        if any(conversation.id == last for conversation in self._library.conversations()):
            self._window.page.remember(last, settings.last_place)
            self._library.open(last)

    def keep(self) -> None:
        """Where somebody is now. Of a temporary conversation nothing is kept."""
        conversation = self._library.current.conversation
        now = replace(self._settings.current, last_conversation=None, last_place="")
        if conversation is not None and not conversation.temporary:
            now = replace(now, last_conversation=conversation.id, last_place=self._window.page.place_words)
        if now != self._settings.current:
            self._settings.save(now)
