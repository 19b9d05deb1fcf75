"""The status bar: device, context, prefill, decode, first token; each figure always in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QWidget

from desktop import wording
from desktop.figures import Figures
from desktop.theme import Theme, figure_font
from desktop.widgets.painting import along, cached_brush, fill, paint_focus_ring, text_width
from desktop.widgets.reuse_words import why_reading_began
from desktop.widgets.tips import as_tip

NARROW = 700  # below it only context, prefill and decode are shown, the rest on hover and focus
HEIGHT = 30
_GAP = 6
_PADDING = 5  # within a figure, left and right: room for the focus ring
_METER = QSize(56, 6)
_NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Reading:
    """What one figure shows: a number that changes, and what follows it."""

    number: str = ""
    tail: str = ""


class SpeedBar(QWidget):
    """Shows `Figures`. One stop for the keyboard; the arrow keys go from figure to figure, each explains itself."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures = Figures()
        self._device_notes: tuple[str, ...] = ()
        self.device = Figure(theme, self.tr("Device"), label="", number="", tail="")
        self.context = _Context(theme, self.tr("Context"), self.tr("context"), "000,000", " / 000,000")
        self.prefill = Figure(
            theme, self.tr("Prefill"), self.tr("prefill"), "0,000", self.tr(" tok/s"), self._detail(99_999, 99_999)
        )
        self.decode = Figure(theme, self.tr("Decode"), self.tr("decode"), "000.0", self.tr(" tok/s"))
        self.first_token = Figure(theme, self.tr("First token"), self.tr("first token"), "000.0", self.tr(" s"))
        self._all = (self.device, self.context, self.prefill, self.decode, self.first_token)
        self.setAccessibleName(self.tr("Speed"))
        self._lay_out()
        self._make_one_tab_stop()
        self.set_theme(theme)
        self.show_figures(Figures())

    @property
    def figures(self) -> Figures:
        return self._figures

    def show_figures(self, figures: Figures) -> None:
        """Show these; what is not known is blank."""
        self._figures = figures
        self.device.show_reading(Reading(tail=self._device_words(figures)))
        self.context.show_reading(self._context_reading(figures))
        self.context.show_parts(figures)
        self.prefill.show_reading(_rate(figures.prefill_rate, self.tr(" tok/s")), self._detail_of(figures))
        self.decode.show_reading(_rate(figures.decode_rate, self.tr(" tok/s")))
        self.first_token.show_reading(_seconds(figures.ttft, self.tr(" s")))
        self._explain()

    def show_device_notes(self, notes: Sequence[str]) -> None:
        """Say beside the device why the model runs there, and so."""
        self._device_notes = tuple(note for note in notes if note)
        self._explain()

    def summary(self) -> str:
        """Every figure in words, a line each."""
        return "\n".join(figure.sentence() for figure in self._all)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for figure in self._all:
            figure.set_theme(theme)
        self.prefill.set_ink(theme.prefill)
        self.decode.set_ink(theme.decode)
        self.context.show_parts(self._figures)
        self._choose_figures()  # the font may be another one
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.background)
        fill(painter, QRect(0, 0, self.width(), 1), self._theme.border)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose_figures()

    def _lay_out(self) -> None:
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(320)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12 - _PADDING, 1, 12 - _PADDING, 0)
        self._row.setSpacing(16 - 2 * _PADDING)
        self._row.addWidget(self.device, 1)
        for figure in (self.context, self.prefill, self.decode, self.first_token):
            self._row.addWidget(figure)

    def _make_one_tab_stop(self) -> None:
        for figure in self._all:
            figure.moved.connect(self._move_focus)
        self._stop_tab_at(self.context)

    def _move_focus(self, step: int) -> None:
        shown = [figure for figure in self._all if not figure.isHidden()]
        at = next((n for n, figure in enumerate(shown) if figure.hasFocus()), 0)
        goal = shown[(at + step) % len(shown)]
        self._stop_tab_at(goal)
        goal.setFocus(Qt.FocusReason.TabFocusReason)

    def _stop_tab_at(self, goal: Figure) -> None:
        for figure in self._all:
            figure.setFocusPolicy(Qt.FocusPolicy.TabFocus if figure is goal else Qt.FocusPolicy.NoFocus)

    def _choose_figures(self) -> None:
        """As many as there is room for; those that stay never change their order."""
        narrow = self.width() < max(NARROW, self._width_of_all())
        for figure in (self.context, self.prefill):
            figure.setHidden(False)
        self.device.setHidden(narrow)
        self.first_token.setHidden(narrow)
        self.context.set_compact(compact=narrow)
        self.prefill.set_compact(compact=True)
        if narrow:
            self._leave_out_what_has_no_room()
        else:
            # The detail of the prefill is the first to go: it is said on hover too.
            spare = self.width() - self._row.minimumSize().width() - self.device.sizeHint().width()
            self.prefill.set_compact(compact=spare < self.prefill.detail_width())
        if any(figure.isHidden() and figure.focusPolicy() for figure in self._all):
            self._stop_tab_at(self.decode if self.context.isHidden() else self.context)
        self._explain()

    def _leave_out_what_has_no_room(self) -> None:
        """In a large font not even three figures may have it; half a number is none."""
        kept = [self.context, self.prefill, self.decode]
        for figure in (self.prefill, self.context):
            if self._width_of(kept) > self.width():
                kept.remove(figure)
                figure.hide()

    def _width_of_all(self) -> int:
        """What all figures need beside each other, which in a large font is more than usual."""
        self.context.set_compact(compact=False)
        return self._width_of(self._all)

    def _width_of(self, figures: Sequence[Figure]) -> int:
        margins, gaps = self._row.contentsMargins(), self._row.spacing() * (len(figures) - 1)
        return margins.left() + margins.right() + gaps + sum(figure.minimumSizeHint().width() for figure in figures)

    def _explain(self) -> None:
        self.setToolTip(as_tip(self.summary()))
        self.setAccessibleDescription(self.summary())
        hidden = "\n".join(figure.sentence() for figure in self._all if figure.isHidden())
        for figure, meaning, reason in zip(self._all, self._meanings(), self._reasons(), strict=True):
            parts = (figure.sentence(), reason, meaning, hidden)
            figure.explain("\n\n".join(part for part in parts if part))

    def _meanings(self) -> tuple[str, ...]:
        return (
            self.tr("The server that answers.")
            if self._figures.is_remote
            else self.tr("Where the model runs, and on how many threads."),
            self.tr(
                "Tokens held, the growing reply included, of those the context window can hold.\n"
                "Hatched: taken from the KV cache. Violet: read anew. Teal: written."
            ),
            self.tr(
                "How fast the prompt was read: its new tokens divided by the time they took.\n"
                "Cached tokens were read before; they are shown beside it and never counted in it."
            ),
            self.tr(
                "How fast the reply is written, token by token: for N tokens, (N - 1) divided by\n"
                "the time from the first to the last."
            ),
            self.tr("From sending to the first token of the reply. Loading a model is not counted in it."),
        )

    def _reasons(self) -> tuple[str, ...]:
        """What there is to say of each figure as it is now, beside what it means."""
        figures = self._figures
        end = "" if figures.reuse_end is None else why_reading_began(figures.reuse_end)
        by_client = self.tr("Measured here, from text to text: the server does not say.")
        waited = self.tr("Measured here: the way to the server and its queue are part of it.")
        return (
            "\n".join(self._device_notes),
            "",
            end,
            by_client if figures.measured_at_client and figures.decode_rate is not None else "",
            waited if figures.is_remote and figures.ttft is not None else "",
        )

    def _device_words(self, figures: Figures) -> str:
        if not figures.device or figures.threads is None:
            return figures.device
        if figures.threads == 1:
            return self.tr("{device}, 1 thread").format(device=figures.device)
        return self.tr("{device}, {count} threads").format(device=figures.device, count=figures.threads)

    def _context_reading(self, figures: Figures) -> Reading:
        used = "" if figures.context_used is None else wording.whole(figures.context_used)
        size = "" if figures.context_size is None else self.tr(" / {size}")
        return Reading(used, size.format(size=wording.whole(figures.context_size or 0)))

    def _detail_of(self, figures: Figures) -> str:
        if figures.new_tokens is None or figures.cached_tokens is None:
            return ""
        return self._detail(figures.new_tokens, figures.cached_tokens)

    def _detail(self, new: int, cached: int) -> str:
        return self.tr(" ({new} new, {cached} cached)").format(new=wording.whole(new), cached=wording.whole(cached))


class Figure(QWidget):
    """One figure: its label, its number right-aligned in a place of fixed width, its unit, perhaps a detail."""

    moved = Signal(int)  # an arrow key: +1 or -1

    def __init__(
        self,
        theme: Theme,
        name: str,
        label: str,
        number: str,
        tail: str,
        detail: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._ink = theme.text
        self._label = label
        self._reading = Reading()
        self._detail = ""
        self._widest = Reading(number, tail)
        self._widest_detail = detail
        self._compact = False
        self.setFont(figure_font())
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed if label else QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def words(self) -> str:
        """The figure as it stands there; empty where it is not known."""
        return f"{self._reading.number}{self._reading.tail}{self._detail}".strip()

    def show_reading(self, reading: Reading, detail: str = "") -> None:
        if (reading, detail) != (self._reading, self._detail):
            self._reading, self._detail = reading, detail
            self.update()

    def sentence(self) -> str:
        """Name and figure, for a tooltip or a screen reader."""
        if not self.words:
            return self.tr("{name}: not known yet").format(name=self.accessibleName())
        return self.tr("{name}: {figure}").format(name=self.accessibleName(), figure=self.words)

    def explain(self, text: str) -> None:
        self.setToolTip(as_tip(text))
        self.setAccessibleDescription(text)

    def set_ink(self, ink: QColor) -> None:
        self._ink = ink
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._ink = theme.text
        self.update()

    def set_compact(self, *, compact: bool) -> None:
        """Leave out what can be left out."""
        if compact != self._compact:
            self._compact = compact
            self.updateGeometry()
            self.update()

    def detail_width(self) -> int:
        return self._width_of(self._widest_detail)

    def sizeHint(self) -> QSize:
        if not self._label:
            return QSize(self._width_of(self._reading.tail) + 2 * _PADDING, HEIGHT - 4)
        return QSize(self._words_width() + (0 if self._compact else self.detail_width()), HEIGHT - 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint() if self._label else QSize(0, HEIGHT - 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())
        self._paint_words(painter)
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent, 4)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Right:
                self.moved.emit(+1)
            case Qt.Key.Key_Left:
                self.moved.emit(-1)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # Not at once: Qt puts every tooltip away while the focus moves.
        QTimer.singleShot(0, self._show_explanation)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        QToolTip.hideText()
        self.update()

    def _show_explanation(self) -> None:
        if self.hasFocus():
            QToolTip.showText(self.mapToGlobal(QPoint(0, 0)), self.toolTip(), self)

    def _paint_words(self, painter: QPainter) -> None:
        left = self._paint_left(painter, _PADDING, self._label, self._theme.muted) + (_GAP if self._label else 0)
        place = QRect(left, 0, self._width_of(self._widest.number), self.height())
        painter.setPen(self._ink)
        right_aligned = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(along(self, place), right_aligned | Qt.TextFlag.TextDontClip, self._reading.number)
        left = self._paint_left(painter, left + place.width(), self._tail(), self._theme.muted)
        if not self._compact:
            self._paint_left(painter, left, self._detail, self._theme.muted)

    def _tail(self) -> str:
        if self._label:
            return self._reading.tail
        return self.fontMetrics().elidedText(
            self._reading.tail, Qt.TextElideMode.ElideRight, self.width() - 2 * _PADDING
        )

    def _paint_left(self, painter: QPainter, left: int, text: str, ink: QColor) -> int:
        """Draw `text` from `left` on; returns where it ends. From right to left all of it is mirrored, and Qt has the
        text begin at the right."""
        painter.setPen(ink)
        painter.drawText(along(self, QRect(left, 0, self.width(), self.height())), Qt.AlignmentFlag.AlignVCenter, text)
        return left + self._width_of(text)

    def _words_width(self) -> int:
        """Of label, number and unit at their widest, with the padding."""
        words = self._label_width() + self._width_of(self._widest.number) + self._width_of(self._widest.tail)
        return words + 2 * _PADDING

    def _label_width(self) -> int:
        return self._width_of(self._label) + _GAP if self._label else 0

    def _width_of(self, text: str) -> int:
        return text_width(self.font(), text) if text else 0


class _Context(Figure):
    """The context, with a meter of what it holds; without its label where there is little room."""

    def __init__(self, theme: Theme, name: str, label: str, number: str, tail: str) -> None:
        super().__init__(theme, name, label, number, tail)
        self._figures = Figures()
        self._full_label = label

    def show_parts(self, figures: Figures) -> None:
        size = wording.whole(figures.context_size or 4096)
        places = "".join("0" if letter.isdigit() else letter for letter in size)
        if places != self._widest.number:  # another model: as wide as its window needs, and no wider
            self._widest = Reading(places, self.tr(" / {size}").format(size=places))
            self.updateGeometry()
        self._figures = figures
        used, size_of = figures.context_used, figures.context_size
        full = used is not None and size_of is not None and used >= _NEARLY_FULL * size_of
        self.set_ink(self._theme.warning if full else self._theme.text)

    def set_compact(self, *, compact: bool) -> None:
        super().set_compact(compact=compact)
        self._label = "" if compact else self._full_label
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        width = self._words_width()
        return QSize(width if self._compact else width + 2 * _GAP + _METER.width(), HEIGHT - 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _tail(self) -> str:
        return self._reading.tail

    def _paint_words(self, painter: QPainter) -> None:
        super()._paint_words(painter)
        if not self._compact:
            place = QPoint(self.width() - _PADDING - _METER.width(), (self.height() - _METER.height()) // 2)
            self._paint_meter(painter, QRect(place, _METER))

    def _paint_meter(self, painter: QPainter, rail: QRect) -> None:
        fill(painter, along(self, rail), self._theme.border)
        used, size = self._figures.context_used, self._figures.context_size
        if not used or not size:
            return
        cached = min(self._figures.cached_tokens or 0, used)
        new = min(self._figures.new_tokens or 0, used - cached)
        left = 0
        parts = (
            (cached, cached_brush(self._theme)),
            (new, self._theme.prefill),
            (used - cached - new, self._theme.decode),
        )
        done = 0
        for tokens, ink in parts:
            done += tokens
            right = round(rail.width() * min(1.0, max(0.0, done / size)))
            painter.fillRect(along(self, QRect(rail.left() + left, rail.top(), right - left, rail.height())), ink)
            left = right


def _rate(per_second: float | None, unit: str) -> Reading:
    return Reading() if per_second is None else Reading(wording.rate(per_second), unit)


def _seconds(seconds: float | None, unit: str) -> Reading:
    return Reading() if seconds is None else Reading(wording.duration(seconds), unit)
