"""The widgets that stand on a message while it is seen: what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from desktop.theme import Theme
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.message_actions import CopyButton, FoldButton
from desktop.widgets.message_view import MessageView


class MessageControls:
    """The widgets that belong to a message that is seen."""

    def __init__(self, theme: Theme, message: MessageView, parent: QWidget) -> None:
        name = parent.tr("Copy the message of {name}").format(name=message.caption.name)
        self.copy = CopyButton(theme, message, name, parent)
        self.fold = FoldButton(theme, message, parent) if message.has_thought else None
        self.offers = tuple(
            Button(theme, text=words, kind=ButtonKind.OUTLINED, parent=parent) for words in message.offers
        )

    @property
    def widgets(self) -> tuple[CopyButton | FoldButton | Button, ...]:
        """From top to bottom."""
        return (*((self.fold,) if self.fold else ()), *self.offers, self.copy)

    @property
    def has_focus(self) -> bool:
        return any(widget.hasFocus() for widget in self.widgets)

    def fit(self, message: MessageView) -> bool:
        """Whether they are those that the message needs now."""
        return (self.fold is not None) == message.has_thought and len(self.offers) == len(message.offers)

    def place(self, message: MessageView, corner: QPoint) -> None:
        """Put them where they belong while the corner of the message's text is there."""
        self.show_words(message)
        if self.fold is not None:
            self.fold.move(corner + QPoint(-8, message.fold_top))
            self.fold.show()
        for button, place in zip(self.offers, message.offer_places, strict=True):
            button.setGeometry(place.translated(corner))
            button.show()
        self.copy.move(corner + QPoint(-8, message.foot_top))
        self.copy.setVisible(bool(message.text) and not message.is_growing)

    def show_words(self, message: MessageView) -> None:
        if self.fold is not None:
            self.fold.show_words(message.fold_words, is_open=message.is_open)

    def set_theme(self, theme: Theme) -> None:
        for widget in self.widgets:
            widget.set_theme(theme)

    def drop(self) -> None:
        for widget in self.widgets:
            widget.hide()
            widget.deleteLater()
