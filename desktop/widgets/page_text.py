"""A page of the Hub to be read: Markdown set like messages, nothing in it is ever loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPalette
from PySide6.QtWidgets import QFrame, QTextEdit

from desktop.theme import Theme, scroll_bar_style
from desktop.widgets.painting import recolour

if TYPE_CHECKING:
    from desktop.markdown import Block, Run


class PageText(QTextEdit):
    """Text to be read and copied. Code and tables stand in it as lines."""

    link_activated = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._text = ""
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.set_theme(theme)

    @property
    def text(self) -> str:
        """What is shown, as it was written."""
        return self._text

    def show_text(self, text: str) -> None:
        """Show this Markdown."""
        self._text = text
        from desktop.markdown import read_markdown
        from desktop.widgets.typesetting import Look, new_document, write_text

        look = Look(self._theme)
        document = new_document(look, wraps=True)
        document.setParent(self)
        write_text(document, tuple(_as_lines(read_markdown(text))), 0, look)
        document.setDocumentMargin(8)
        self.setDocument(document)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # it takes what room there is, and asks for none

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        recolour(self, QPalette.ColorRole.Base, theme.surface)
        self.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        if self._text:
            self.show_text(self._text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        address = self.anchorAt(event.position().toPoint())
        if address and not self.textCursor().hasSelection():
            self.link_activated.emit(address)


def _as_lines(blocks: Sequence[Block]) -> Iterator[Block]:
    """Code and tables as paragraphs: whoever looks for a model reads them, and runs nothing."""
    from desktop.markdown import Fence, Paragraph, Rule, Run, Table

    for block in blocks:
        match block:
            case Fence():
                yield Paragraph((Run(block.text.rstrip("\n"), code=True),), block.place)
            case Table():
                for row in block.rows if block.place.resumes else (block.header, *block.rows):
                    yield Paragraph(tuple(_with_gaps(row)))
            case Rule():
                continue
            case Paragraph() if block.place.marker and not block.place.resumes:
                yield replace(block, runs=(Run(f"{block.place.marker} "), *block.runs))
            case _:
                yield block


def _with_gaps(row: Sequence[Sequence[Run]]) -> Iterator[Run]:
    from desktop.markdown import Run

    for number, cell in enumerate(row):
        if number:
            yield Run("  ·  ")
        yield from cell
