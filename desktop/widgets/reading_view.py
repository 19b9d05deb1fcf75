"""A view of messages for somebody who reads: drawn, selected, copied, gone through by mouse and by key, made larger.

What a token, a scroll or a resize costs depends on what is visible, not on how long the conversation is: messages are
rows of segments that are read and laid out when they are seen. Which messages there are is decided by who builds on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from desktop.formula_process import FormulaProcess
from desktop.theme import Theme
from desktop.widgets.accessible_transcript import AccessibleTranscript
from desktop.widgets.action_button import MessageAction
from desktop.widgets.controls_on_screen import ControlsOnScreen
from desktop.widgets.finding import Finding
from desktop.widgets.formula_drawing import Formulas, Setter
from desktop.widgets.keyboard import Keyboard
from desktop.widgets.message_menus import MessageMenus
from desktop.widgets.message_view import MessageView
from desktop.widgets.mouse import Mouse
from desktop.widgets.pill import LatestPill
from desktop.widgets.rows_view import STEP, RowsView
from desktop.widgets.segments import NO_MARKS, Marks, Segment
from desktop.widgets.selection import Selection, Spot
from desktop.widgets.sideways import Sideways, turned_sideways
from desktop.widgets.telling import Telling
from desktop.widgets.tips import as_tip
from desktop.widgets.typesetting import Look
from desktop.widgets.zoom import Notches, stepped, within_bounds

_REVEALED = 48  # pixels above and below what was brought into view; the find bar lies over the upper ones


class ReadingView(RowsView):
    """It asks for nothing but links to be opened, and says what is to be done with a message."""

    offer_taken = Signal(int)  # which of the things that were offered for the last message
    action_wanted = Signal(int, object)  # turn id, MessageAction: something is to be done with a message
    link_activated = Signal(str)  # a link was clicked; whoever listens shows the address and asks
    zoom_changed = Signal(float)

    def __init__(self, theme: Theme, setter: Setter | None = None, parent: QWidget | None = None) -> None:
        super().__init__(Look(theme), parent)
        self._look.formulas = Formulas(setter or FormulaProcess(self), self)
        self._look.formulas.came.connect(self._write_formulas)
        self._selection = Selection(self._rows.messages)
        self._keyboard = Keyboard(self._rows, self._selection, self)
        self._mouse = Mouse(self._rows, self._selection, self.viewport(), self)
        self._controls = ControlsOnScreen(self._rows, self, self.viewport())
        self._sideways = Sideways(self._rows, self.repaint_text)
        self._zooming = Notches()
        self._telling = Telling(self, self._rows)
        self.menus = MessageMenus(self._rows, self._selection, self, self)
        self._latest = LatestPill(theme, self)
        self._latest.clicked.connect(self.scroll_to_end)
        self.finding = Finding(theme, self._rows, self._selection, self, self)
        self._set_up()

    def set_theme(self, theme: Theme) -> None:
        """Draw everything anew in other colours, and in the fonts of now."""
        self._set_look(Look(theme, self._look.zoom, self._look.formulas))
        self._latest.set_theme(theme)
        self.finding.set_theme(theme)
        self._controls.set_theme(theme)

    @property
    def zoom(self) -> float:
        """How much larger than usual text and code are."""
        return self._look.zoom

    def set_zoom(self, factor: float) -> None:
        """Draw text and code larger or smaller; the reader's place stays."""
        factor = within_bounds(factor)
        if factor != self._look.zoom:
            self._set_look(Look(self._look.theme, factor, self._look.formulas))
            self.zoom_changed.emit(factor)

    def zoom_by(self, steps: int) -> None:
        """Larger, or smaller, by so many of the usual steps."""
        self.set_zoom(stepped(self._look.zoom, steps))

    def accessible(self) -> AccessibleTranscript:
        """What assistive technology is told of it."""
        return self._telling.accessible()

    def messages(self) -> Sequence[MessageView]:
        self.bring_all()
        return self._rows.messages

    def place_of(self, message: MessageView) -> QRect:
        """Where a message is, on the screen."""
        index = self._rows.messages.index(message)
        corner = self.viewport().mapToGlobal(QPoint(0, self._rows.tops[index] - self._value))
        return QRect(corner, QSize(self.viewport().width(), message.height))

    def plain_text(self) -> str:
        """Everything that is shown, as text."""
        self._flush()
        self.bring_all()
        return "\n\n".join(message.whole_text() for message in self._rows.messages)

    def selected_text(self) -> str:
        return self._selection.text(self._look)

    def copy(self) -> None:
        """Copy what is selected."""
        text = self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def copy_as_markdown(self) -> None:
        """Copy the source of what is selected."""
        text = self._selection.markdown()
        if text:
            QGuiApplication.clipboard().setText(text)

    def select_all(self) -> None:
        """Select everything, without reading or laying out what nobody has seen."""
        self.bring_all()
        self._selection.take_all()
        self.viewport().update()

    # Qt's virtual methods

    def paintEvent(self, event: QPaintEvent) -> None:
        clip = event.rect()
        painter = QPainter(self.viewport())
        painter.fillRect(clip, self._look.theme.surface)
        cover = self._selection.covers()
        for index in self._rows.between(clip.top() + self._value, clip.bottom() + self._value):
            message = self._rows.messages[index]
            left, top = self._left, self._rows.tops[index] - self._value

            def marks(segment: Segment, index: int = index, message: MessageView = message) -> Marks:
                selected = cover.part_of(index, message.segments.index(segment)) if cover else None
                hits = self.finding.marks(segment)
                if not selected and not hits:
                    return NO_MARKS
                return Marks(selected, hits, self.finding.current_mark(segment))

            painter.save()
            painter.translate(left, top)
            message.paint(
                painter, self._setting, self._look, clip.translated(-left, -top), marks, self._rows.shelf.touch
            )
            painter.restore()
        if self.hasFocus():
            self._keyboard.paint(painter, QPoint(self._left, -self._value))
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and (link := self._focused_link()):
            self.link_activated.emit(link)
        elif self._keyboard.press(event) or self._scroll_sideways(event):
            pass
        elif not self._scroll_by_key(event):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}:
            self._keyboard.focus_first_seen()
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._keyboard.clear()
        self.viewport().update()

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002, FBT001 - Qt's virtual
        if self.hasFocus() and self._keyboard.step_link(forward=next):
            return True
        self._controls.order_tabs()  # which of a message's actions is a stop may have changed
        return super().focusNextPrevChild(next)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if notches := self._zooming.take(event.angleDelta().y()):
                self.zoom_by(notches)
            event.accept()
            return
        sideways = turned_sideways(event)
        point = self.in_text(event.position().toPoint())
        if sideways is not None and self._sideways.scroll_at(point.y(), -sideways):
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._mouse.press(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._mouse.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._mouse.release(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        message = self.focused_message()
        if event.reason() is QContextMenuEvent.Reason.Keyboard and message is not None:
            self._open_menu(message)
            return
        self.menus.at(self.in_text(self.viewport().mapFromGlobal(event.globalPos()))).popup(event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            link = self._rows.link_at(self.in_text(event.pos()))
            QToolTip.showText(event.globalPos(), as_tip(link), self.viewport())
            return True
        if event.type() is QEvent.Type.Leave:
            self._mouse.leave()
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationFontChange:
            self.set_theme(self._look.theme)

    # What is asked of it by those who help it

    def top_spot(self) -> Spot | None:
        """The first place in the text that is seen."""
        return self._rows.spot_near(QPoint(0, self._value + _REVEALED if self._value else 0))

    def reveal(self, spot: Spot) -> None:
        """Bring a place in the text into view; what stands in view already does not move."""
        self._flush()
        anchor = self._anchor()
        self._follow(following=False)
        self._rows.measure_segment(spot.message, spot.segment)
        self._settle(anchor)
        self._approach(lambda: self._height_to_show(self._keyboard.place_of(spot)))
        self._sideways.reveal(spot, self._keyboard.place_of(spot).x())
        self._follow(following=self._value >= self._last_value and not spot.message.is_growing)

    def reveal_message(self, message: MessageView) -> None:
        """Bring a message to the top of the view."""
        self._follow(following=False)
        self._approach(lambda: self._rows.top_of(message))
        self._follow(following=self._value >= self._last_value)
        self._telling.focus_moved(message)

    def open_thought(self, message: MessageView) -> None:
        if not message.is_open:
            self._turn_fold(message)

    def in_text(self, point: QPoint) -> QPoint:
        """A point of the viewport as seen from the left edge of the text and the top of the conversation."""
        return point - QPoint(self._left, -self._value)

    def scroll_by(self, pixels: int) -> None:
        self.verticalScrollBar().setValue(self._value + pixels)

    def repaint_text(self) -> None:
        self.viewport().update()

    def focused_message(self) -> MessageView | None:
        """The message that the keyboard is on."""
        return self._keyboard.message if self.hasFocus() else None

    # What it does of itself

    def _set_up(self) -> None:
        self._mouse.link_clicked.connect(self.link_activated)
        self._mouse.moved_over.connect(self._controls.hover)
        self._controls.offer_taken.connect(self.offer_taken)
        self._controls.fold_turned.connect(self._turn_fold)
        self._controls.acted.connect(self._act)
        self._controls.scrolled.connect(self.repaint_text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def _set_look(self, look: Look) -> None:
        before, self._look = self._look, look
        self._rows.look = look
        self._rows.shelf.clear()
        if look.message_font != before.message_font or look.code_font != before.code_font:
            self._measure_anew()
        self.viewport().update()

    def _write_formulas(self) -> None:
        """Pictures of formulas have come: they stand where their source stood, and what is read keeps its place."""
        anchor = self._anchor()
        line = self._rows.line_seen(anchor) if anchor is not None else None
        if self._rows.write_formulas():
            self._settle(self._rows.held_by(anchor, line) if anchor is not None and line is not None else anchor)

    def _on_replaced(self, old: Segment, new: Sequence[Segment]) -> None:
        self._selection.replace(old, new)

    def _on_all_there(self) -> None:
        self.finding.messages_changed()
        self._telling.messages_changed()

    def _on_gone_far(self) -> None:
        self._keyboard.go_along()

    def _place_floating(self) -> None:
        """The pill and the find bar."""
        self._latest.setVisible(not self._following and self._value < self._last_value)
        size = self._latest.sizeHint()
        area = self.viewport().geometry()
        self._latest.move((self.width() - size.width()) // 2, area.bottom() - size.height() - 8)
        self.finding.place()

    def _place_controls(self) -> None:
        self._controls.place(self._value, self.viewport().height(), self._left)

    def _scroll_sideways(self, event: QKeyEvent) -> bool:
        steps: dict[int, int] = {Qt.Key.Key_Left: -4 * STEP, Qt.Key.Key_Right: 4 * STEP}
        by = steps.get(event.key())
        if by is not None:
            self._sideways.scroll_all(*self.seen(), by)
        return by is not None

    def _height_to_show(self, place: QRect) -> int | None:
        """Where the view must begin for it to be seen; `None` where it is."""
        top, bottom = self.seen()
        if place.top() >= top + _REVEALED and place.bottom() <= bottom - _REVEALED:
            return None
        return place.top() - self.viewport().height() // 3

    def _focused_link(self) -> str:
        return self._keyboard.link.address if self._keyboard.link else self._keyboard.link_at_caret()

    def _act(self, message: MessageView, action: MessageAction) -> None:
        match action:
            case MessageAction.COPY:
                self.menus.copy(message)
            case MessageAction.MORE:
                self._open_menu(message)
            case _:
                self.action_wanted.emit(message.turn.id, action)

    def _open_menu(self, message: MessageView) -> None:
        controls = self._controls.of(message)
        button = None if controls is None else controls.action(MessageAction.MORE)
        if button is not None:
            self.menus.open_below(button, message)

    def _turn_fold(self, message: object) -> None:
        """Open or close the reasoning of a message; the line that was clicked stays where it is."""
        if not isinstance(message, MessageView) or message not in self._rows.messages:
            return
        self._flush()
        self._follow(following=False)
        message.set_open(self._look, is_open=not message.is_open)
        self._lay_out_below_head(message)
        self._follow(following=self._value >= self._last_value)
