"""Where the prompt is typed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop import wording
from desktop.settings import SendingKey
from desktop.theme import Theme, control_font, figure_font, scroll_bar_style
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.notice import Notice
from desktop.widgets.painting import paint_field, recolour, text_width
from desktop.widgets.prompt_field import PromptField, enter_words
from desktop.widgets.switch import Switch
from desktop.widgets.tab_order import put_after
from desktop.widgets.window_meter import WindowMeter

if TYPE_CHECKING:
    from desktop.draft_file import DraftFile
    from desktop.widgets.attachment_row import AttachmentRow, Fit
    from desktop.window_use import WindowUse


_HEIGHT_FOR_A_ROW = 180  # of a conversation, for each row of files
_SHARE = 40  # per cent of that height, at most, for all of it


class Composer(QWidget):
    """The field; above it the files that go along, below it what one may choose for the next reply, what the window
    will hold, and the button that sends or, while a reply is written, stops it.

    It never drops what was typed: after `submitted` the text stays until `accept` says that it was sent.
    """

    submitted = Signal(str)
    stop_wanted = Signal()
    draft_changed = Signal(str)
    attach_wanted = Signal()
    files_given = Signal(object)  # list[Path]: pasted
    text_given = Signal(str)  # to go along as a file
    file_removed = Signal(int)  # its key
    picture_given = Signal()  # pasted

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._busy = False
        self._can_send = True
        self._files: tuple[DraftFile, ...] = ()
        self._room = 0  # the height of what it stands in; 0 where that is not known
        self._attachment_row: AttachmentRow | None = None  # made when something is attached
        self._warning = _Warning()
        self.field = PromptField()
        self.paste_offer: Notice | None = None  # made when something long is pasted
        self._pasted = QTextCursor()
        self.attach_button = Button(theme, name=self.tr("Attach files"), icon_name="attach")
        self.button = Button(theme, text=self.tr("Send"), icon_name="send", kind=ButtonKind.PRIMARY)
        self.thinking_switch = Switch(theme, self.tr("Thinking"))
        self.thinking_switch.setToolTip(
            self.tr("On: the model thinks before it answers, which takes longer.\nOff: it answers at once.")
        )
        self.thinking_switch.hide()
        self.window_meter = WindowMeter(theme)
        self._hint = _Hint()
        self._given = ""  # what others know to stand in the field
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.set_busy(busy=False)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    @property
    def attachment_row(self) -> AttachmentRow:
        """The files that go along. Whoever asks for it has it made."""
        return self._attachment_row or self._make_attachment_row()

    @property
    def is_composing(self) -> bool:
        """Whether an input method holds characters that are not yet text."""
        return self.field.is_composing

    def set_text(self, text: str) -> None:
        """Show another draft."""
        self._put_offer_away()
        self._given = text
        self.field.set_text(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    def accept(self) -> None:
        """What was submitted was sent: empty the field. Undo brings it back."""
        self._put_offer_away()
        cursor = self.field.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()

    def set_room(self, height: int) -> None:
        """Let the field be no higher than a conversation of this height bears."""
        self._room = height
        self._fit_field()

    def watch_room(self, place: QWidget) -> None:
        """Let it be no higher than this place bears, as high as that is from now on."""
        place.installEventFilter(self)

    def set_busy(self, *, busy: bool) -> None:
        """While a reply is written the button stops it; one may go on typing."""
        self._busy = busy
        self.button.setText(self.tr("Stop") if busy else self.tr("Send"))
        self.button.set_icon_name("stop" if busy else "send")
        self.button.setAccessibleName(self.button.text())
        self._update_button()

    def set_sending_key(self, key: SendingKey) -> None:
        """Which key sends; the other one begins a new line."""
        self.field.set_sending_key(key)
        self.set_busy(busy=self._busy)

    def set_can_send(self, *, can_send: bool) -> None:
        """Without a model there is nobody to send to; one may type all the same."""
        self._can_send = can_send
        self._update_button()

    def offer_attaching(self, *, offered: bool) -> None:
        """Whether there is somebody who takes files."""
        self.attach_button.setVisible(offered)

    def show_files(self, files: Sequence[DraftFile]) -> None:
        """Show the files that go along, those that are still being read included."""
        self._files = tuple(files)
        if files or self._attachment_row is not None:
            self.attachment_row.show_files(files)
            self._order_tabs()
        self._warning.hide()  # it spoke of others
        self._update_button()

    def show_use(self, use: WindowUse | None) -> None:
        """Show the tokens of all this; `None` where they are not known."""
        self.window_meter.show_use(use)
        known = use is not None and len(use.attachments) == sum(file.attachment is not None for file in self._files)
        if self._attachment_row is not None:
            self._attachment_row.show_fit(_fit_of(use) if use is not None and known else None)
        self._warning.setVisible(known and bool(self._files) and use is not None and _is_too_much(use))
        if use is not None:
            self._warning.setText(self._too_much(use))

    def set_recipient(self, name: str) -> None:
        """Whom one writes to."""
        self.field.set_recipient(name)

    def offer_thinking(self, *, offered: bool) -> None:
        """Whether the model that answers has a switch for thinking."""
        self.thinking_switch.setVisible(offered)

    def focus_field(self) -> None:
        """Have the keyboard in the field, where that is seen."""
        if self.isVisibleTo(self.window()):
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self.button, self.attach_button, self.thinking_switch, self.window_meter):
            widget.set_theme(theme)
        if self._attachment_row is not None:
            self._attachment_row.set_theme(theme)
        if self.paste_offer is not None:
            self.paste_offer.set_theme(theme)
        recolour(self._warning, QPalette.ColorRole.WindowText, theme.warning)
        self.button.setFixedWidth(self._button_width())  # the font may be another one
        self.field.verticalScrollBar().setStyleSheet(scroll_bar_style(theme))
        quiet = self._hint.palette()
        quiet.setColor(QPalette.ColorRole.WindowText, theme.muted)
        self._hint.setPalette(quiet)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent) and isinstance(watched, QWidget):
            self.set_room(watched.height())
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit_field()  # a part of it came, went or is of another height
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_field(painter, self.rect(), self._theme, focused=self.field.hasFocus())
        painter.end()

    def _lay_out(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        foot = QHBoxLayout()
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(4)
        foot.addWidget(self.attach_button)
        foot.addWidget(self.thinking_switch)
        foot.addWidget(self._hint, 1)  # all the room there is: its place does not hang on its words
        foot.addWidget(self.window_meter)
        self.beside_button = QHBoxLayout()  # what else can be done with what is typed
        foot.addLayout(self.beside_button)
        foot.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)  # at the right without a hint beside it, too
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 8, 8, 8)
        self._column.setSpacing(4)
        self._column.addWidget(self._warning)
        self._column.addWidget(self.field)
        self._column.addLayout(foot)
        self.button.setFixedWidth(self._button_width())

    def _fit_field(self) -> None:
        if self._room:
            if self._attachment_row is not None:
                self._attachment_row.set_most_rows(self._room // _HEIGHT_FOR_A_ROW)
            others = max(self.minimumSizeHint().height(), self.heightForWidth(self.width())) - self.field.height()
            room = self._room * _SHARE // 100 - others
            self.field.set_most_lines(room // self.field.fontMetrics().lineSpacing())

    def _make_attachment_row(self) -> AttachmentRow:
        from desktop.widgets.attachment_row import AttachmentRow

        row = AttachmentRow(self._theme)
        row.removed.connect(self.file_removed)
        row.left.connect(self.focus_field)
        self._column.insertWidget(self._column.indexOf(self._warning), row)
        self._attachment_row = row
        return row

    def _order_tabs(self) -> None:
        """The files come before the field, as they stand."""
        crosses = [chip.cross for chip in self.attachment_row.chips]
        for before, after in pairwise((self.field, *crosses, self.field)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        self.field.enter_pressed.connect(self._submit)
        self.field.focus_changed.connect(self.update)
        self.field.textChanged.connect(self._on_text)
        self.field.files_given.connect(self.files_given)
        self.field.picture_given.connect(self.picture_given)
        self.field.long_text_pasted.connect(self._offer_to_attach)
        self.field.endless_text_given.connect(self.text_given)
        self.attach_button.clicked.connect(self.attach_wanted)
        self.button.clicked.connect(self._on_button)

    def _button_width(self) -> int:
        """Wide enough for both of its words, so that it stays where it is when they change."""
        font = self.button.font()
        widest = max(text_width(font, word) for word in (self.tr("Send"), self.tr("Stop")))
        return self.button.sizeHint().width() - text_width(font, self.button.text()) + widest

    def _on_text(self) -> None:
        self._update_button()
        if self.paste_offer is not None and not self._pasted.hasSelection():
            self._put_offer_away()
        if self.text != self._given:
            self._given = self.text
            self.draft_changed.emit(self._given)

    def _on_button(self) -> None:
        if self._busy:
            self.stop_wanted.emit()
        else:
            self._submit()

    def _submit(self) -> None:
        if self._is_ready:
            self.submitted.emit(self.text)

    @property
    def _is_ready(self) -> bool:
        """Whether there is something to send, and all of it."""
        return bool(self.text.strip() or self._files) and all(file.attachment is not None for file in self._files)

    def _update_button(self) -> None:
        self.button.setEnabled(self._busy or (self._can_send and self._is_ready))
        if self._busy:
            tip, hint = self.tr("Stop the reply (Esc)"), self.tr("Esc stops the reply")
        elif self._can_send:
            tip = self.tr("Send ({key})").format(key=enter_words(self.field.sending_key))
            hint = self.tr("Shift+Enter for a new line")
        else:
            tip, hint = self.tr("No model is open that could answer"), self.tr("No model is open")
        self.button.setToolTip(tip)
        self._hint.setText(hint)

    # Long texts

    def _offer_to_attach(self, begin: int, end: int) -> None:
        """What was just pasted from `begin` to `end` may become a file."""
        self._put_offer_away()
        if self.attach_button.isHidden():
            return
        self._pasted = self.field.textCursor()
        self._pasted.setKeepPositionOnInsert(True)  # what is typed after it is no part of it
        self._pasted.setPosition(begin)
        self._pasted.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        pasted = self._pasted.selection().toPlainText()
        words = self.tr("Pasted {characters} characters, {lines} lines.").format(
            characters=wording.whole(len(pasted)), lines=wording.whole(pasted.count("\n") + 1)
        )
        self.paste_offer = Notice(self._theme, words, action=self.tr("Attach it instead"))
        self.paste_offer.action_chosen.connect(self._attach_pasted)
        self.paste_offer.closed.connect(self._leave_offer)
        self._column.insertWidget(0, self.paste_offer)
        put_after(self.field, (self.paste_offer,))
        self.paste_offer.announce()

    def _attach_pasted(self) -> None:
        text = self._pasted.selection().toPlainText()
        self._pasted.removeSelectedText()
        self._leave_offer()
        if text:
            self.text_given.emit(text)

    def _leave_offer(self) -> None:
        self._put_offer_away()
        self.focus_field()

    def _put_offer_away(self) -> None:
        offer, self.paste_offer = self.paste_offer, None
        if offer is not None:
            offer.hide()
            offer.deleteLater()

    def _too_much(self, use: WindowUse) -> str:
        needed, size = wording.whole(use.conversation + use.draft), wording.whole(use.context_size)
        return self.tr(
            "{needed} tokens with these files; the window holds {size}. Remove some, or take a part."
        ).format(needed=needed, size=size)


def _is_too_much(use: WindowUse) -> bool:
    """Whether not even what may be left out makes room."""
    return not use.enough or (not use.fits and not use.left_out)


def _fit_of(use: WindowUse) -> Fit:
    """How many files fit, the first ones first."""
    from desktop.widgets.attachment_row import Fit

    if not _is_too_much(use):
        return Fit(use.attachments, len(use.attachments))
    room = use.context_size - (use.conversation + use.draft - sum(use.attachments))
    fitting = 0
    for tokens in use.attachments:
        room -= tokens
        if room <= 0:
            break
        fitting += 1
    return Fit(use.attachments, fitting)


class _Warning(QLabel):
    """A sentence on what will not fit."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(control_font())
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setContentsMargins(6, 0, 6, 0)
        self.setMinimumWidth(80)
        self.hide()


class _Hint(QLabel):
    """Words that are shown where there is room for all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFont(figure_font())
        self.setContentsMargins(6, 0, 0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def fits(self) -> bool:
        return self.sizeHint().width() <= self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.fits:
            super().paintEvent(event)
