"""What assistive technology is told when the transcript is another: its messages, the focus, a reply that has ended."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget

from desktop.widgets.accessible_transcript import AccessibleTranscript, install
from desktop.widgets.message_view import MessageView
from desktop.widgets.rows import Rows


class Telling:
    """Keeps the object that stands for the transcript, and says nothing where nobody listens."""

    def __init__(self, view: QWidget, rows: Rows) -> None:
        self._view = view
        self._rows = rows
        self._accessible: AccessibleTranscript | None = None
        install()

    def accessible(self) -> AccessibleTranscript:
        """Made when it is asked for."""
        if self._accessible is None:
            self._accessible = AccessibleTranscript(self._view)
        return self._accessible

    def messages_changed(self) -> None:
        if self._accessible is not None:
            self._accessible.forget_all_but(self._rows.messages)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(self._view, QAccessible.Event.ObjectReorder))

    def focus_moved(self, message: MessageView) -> None:
        if QAccessible.isActive():
            event = QAccessibleEvent(self._view, QAccessible.Event.Focus)
            event.setChild(self._rows.messages.index(message))
            QAccessible.updateAccessibility(event)

    def ended(self, message: MessageView) -> None:
        """Let a screen reader say a reply, if it is one that has ended."""
        if QAccessible.isActive() and message.turn.is_reply and not message.is_growing:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._view, message.whole_text()))
