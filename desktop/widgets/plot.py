"""The one plot widget: series over two axes, in the theme's colours.

Long lines are drawn one pixel wide and by their outline, so that a repaint costs the same however long they are.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QSizePolicy, QWidget

import inference
from desktop.spoken import spoken
from desktop.theme import Theme, figure_font
from desktop.widgets.axes import Axis, number_text
from desktop.widgets.outline import Outline
from desktop.widgets.painting import paint_box, paint_focus_ring
from desktop.wording import written

_SIZE = QSize(420, 240)
_LEAST = QSize(180, 140)
_EXPORT = QSize(960, 540)
_DOT = 4.0
_FINE = 700  # points from which on a line is drawn without smoothing


class PlotView(QWidget):
    """Shows one `inference.experiments.Plot`, in the language of the program. What is under the pointer, or chosen with
    the arrow keys, is written into it and told to assistive technology."""

    value_changed = Signal(str)  # what is pointed at, in words

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._plot = _nothing()
        self._outlines: list[Outline] = []
        self._points: list[list[tuple[float, float]]] = []
        self._pointed: tuple[int, int] | None = None  # a series, and a point of it
        self._picture: QPixmap | None = None  # all but what is pointed at
        self.setFont(figure_font())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()

    @property
    def plot(self) -> inference.experiments.Plot:
        return self._plot

    @property
    def pointed(self) -> str:
        """What is pointed at, in words; empty where nothing is."""
        if self._pointed is None:
            return ""
        series, place = self._pointed
        x, y = self._points[series][place]
        plot = self._plot
        return self.tr("{series}: {y_name} {y} at {x_name} {x}").format(
            series=plot.series[series].name,
            y_name=plot.y_name,
            y=self._with_unit(y, plot.y_unit),
            x_name=plot.x_name,
            x=self._with_unit(x, plot.x_unit if plot.x_unit != plot.x_name else ""),
        )

    def show_plot(self, plot: inference.experiments.Plot) -> None:
        """Show another one."""
        self._plot = _told(plot)
        self._points = [list(series.points) for series in plot.series]
        self._outlines = [Outline(series.points) for series in plot.series]
        self._pointed = None
        self._describe()
        self._repaint()

    def add_point(self, series: int, x: float, y: float) -> None:
        """One more point at the right end of a series."""
        self._points[series].append((x, y))
        self._outlines[series].add((x, y))
        self._repaint()

    def text(self) -> str:
        """Every point as a table, a line each."""
        plot = self._plot
        lines = [f"{plot.x_name}\t{plot.y_name}\t"]
        lines += [
            f"{written(number_text(x))} {plot.x_unit}\t{written(number_text(y))} {plot.y_unit}\t{series.name}"
            for series, points in zip(plot.series, self._points, strict=True)
            for x, y in points
        ]
        return "\n".join(lines)

    def save(self, path: Path) -> bool:
        """Write the plot as a picture: SVG where the name ends so, else PNG. Whether that was possible."""
        if path.suffix.lower() == ".svg":
            return self._save_svg(path)
        return self.image().save(str(path))

    def image(self, size: QSize = _EXPORT, scale: float = 2.0) -> QImage:
        """The plot as a picture."""
        image = QImage(size * scale, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(self._theme.surface)
        painter = QPainter(image)
        self._paint(painter, QRect(0, 0, size.width(), size.height()))
        painter.end()
        return image

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._repaint()

    # Qt's virtual methods

    def sizeHint(self) -> QSize:
        return _SIZE

    def minimumSizeHint(self) -> QSize:
        return _LEAST

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.size() != (self.size() * ratio):
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(self._theme.surface)
            drawing = QPainter(self._picture)
            self._paint(drawing, self.rect())
            drawing.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        self._paint_pointed(painter)
        if self.hasFocus():
            paint_focus_ring(painter, self.rect(), self._theme.accent)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._nearest(event.position()))

    def leaveEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's virtual
        if not self.hasFocus():
            self._point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_PageUp | Qt.Key.Key_PageDown:
                self._step(steps[Qt.Key(event.key())])
            case Qt.Key.Key_Up:
                self._change_series(-1)
            case Qt.Key.Key_Down:
                self._change_series(1)
            case Qt.Key.Key_Home:
                self._step(-(10**9))
            case Qt.Key.Key_End:
                self._step(10**9)
            case _:
                super().keyPressEvent(event)

    # What is pointed at

    def _step(self, by: int) -> None:
        if self._pointed is None:
            self._change_series(0)
            return
        series, place = self._pointed
        self._point_at((series, max(0, min(len(self._points[series]) - 1, place + by))))

    def _change_series(self, by: int) -> None:
        """Go to the next series that has points, near the same place."""
        there = [number for number, points in enumerate(self._points) if points]
        if not there:
            return
        if self._pointed is None:
            self._point_at((there[0], 0))
            return
        series, place = self._pointed
        goal = there[(there.index(series) + by) % len(there)]
        self._point_at((goal, self._place_near(goal, self._points[series][place][0])))

    def _place_near(self, series: int, x: float) -> int:
        points = self._points[series]
        after = min(len(points) - 1, bisect_left(points, x, key=lambda point: point[0]))
        before = max(0, after - 1)
        return min((before, after), key=lambda place: abs(points[place][0] - x))

    def _nearest(self, at: QPointF) -> tuple[int, int] | None:
        frame, across, up = self._frame_and_axes(self.rect())
        if not frame.adjusted(-8, -8, 8, 8).contains(at.toPoint()) or frame.width() <= 0:
            return None
        x = across.low + (at.x() - frame.left()) / frame.width() * (across.high - across.low)
        found = [(series, self._place_near(series, x)) for series, points in enumerate(self._points) if points]

        def distance(candidate: tuple[int, int]) -> float:
            place = _on_screen(self._points[candidate[0]][candidate[1]], frame, across, up)
            return (place.x() - at.x()) ** 2 + (place.y() - at.y()) ** 2

        return min(found, key=distance, default=None)

    def _point_at(self, pointed: tuple[int, int] | None) -> None:
        if pointed != self._pointed:
            self._pointed = pointed
            self._describe()
            self.value_changed.emit(self.pointed)
            self.update()

    # Painting

    def _paint(self, painter: QPainter, area: QRect) -> None:
        painter.setFont(self.font())
        frame, across, up = self._frame_and_axes(area)
        self._paint_axes(painter, frame, across, up)
        self._paint_legend(painter, area)
        painter.save()
        painter.setClipRect(frame.adjusted(-4, -4, 4, 4))
        for series, outline in zip(self._plot.series, self._outlines, strict=True):
            self._paint_series(painter, series, outline, frame, across, up)
        painter.restore()

    def _frame_and_axes(self, area: QRect) -> tuple[QRect, Axis, Axis]:
        metrics = QFontMetrics(self.font())
        line = metrics.height()
        top = 8 + line * len(self._legend_rows(area.width())) + line + 6
        bottom = 2 * line + 14
        low = min((outline.low for outline in self._outlines if outline.count), default=0.0)
        high = max((outline.high for outline in self._outlines if outline.count), default=1.0)
        height = max(20, area.height() - top - bottom)
        up = Axis.over(low, high, max(2, min(6, height // (2 * line))))
        left = 14 + max(metrics.horizontalAdvance(written(up.text(tick))) for tick in up.ticks)
        firsts = [points[0][0] for points in self._points if points]
        lasts = [points[-1][0] for points in self._points if points]
        width = max(40, area.width() - left - 18)
        across = Axis.over(min(firsts, default=0.0), max(lasts, default=1.0), max(2, min(8, width // 70)))
        return QRect(area.left() + left, area.top() + top, width, height), across, up

    def _paint_axes(self, painter: QPainter, frame: QRect, across: Axis, up: Axis) -> None:
        line, theme = painter.fontMetrics().height(), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        for tick in up.ticks:
            y = round(frame.bottom() - up.place(tick) * frame.height())
            painter.setPen(QPen(theme.border, 1))
            painter.drawLine(frame.left(), y, frame.right(), y)
            painter.setPen(theme.muted)
            place = QRect(frame.left() - 108, y - line, 100, 2 * line)
            alignment = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(place, alignment, written(up.text(tick)))
        for tick in across.ticks:
            x = round(frame.left() + across.place(tick) * frame.width())
            painter.setPen(QPen(theme.field_edge, 1))
            painter.drawLine(x, frame.bottom() + 1, x, frame.bottom() + 4)
            painter.setPen(theme.muted)
            place = QRect(x - 60, frame.bottom() + 6, 120, line)
            alignment = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter
            painter.drawText(place, alignment, written(across.text(tick)))
        painter.setPen(QPen(theme.field_edge, 1))
        painter.drawLine(frame.left(), frame.bottom(), frame.right(), frame.bottom())
        painter.setPen(theme.text)
        axis = inference.experiments.axis_text
        above = QRect(8, frame.top() - line - 6, frame.right() - 8, line)
        painter.drawText(above, Qt.AlignmentFlag.AlignLeft, spoken(axis(self._plot.y_name, self._plot.y_unit)))
        below = QRect(frame.left(), frame.bottom() + line + 8, frame.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, spoken(axis(self._plot.x_name, self._plot.x_unit)))

    def _with_unit(self, value: float, unit: str) -> str:
        return f"{written(number_text(value))} {unit}".strip()

    def _legend_rows(self, width: int) -> list[list[int]]:
        """Which names stand beside each other, row by row; those of lines drawn through dots are left out."""
        metrics, rows, left = QFontMetrics(self.font()), list[list[int]](), 0
        for number, series in enumerate(self._plot.series):
            if not series.name or not self._outlines[number].count:
                continue
            needed = 34 + metrics.horizontalAdvance(series.name)
            if not rows or left + needed > width - 16:
                rows.append([])
                left = 0
            rows[-1].append(number)
            left += needed
        return rows

    def _paint_legend(self, painter: QPainter, area: QRect) -> None:
        metrics, top = painter.fontMetrics(), area.top() + 6
        for row in self._legend_rows(area.width()):
            left = area.left() + 8
            for number in row:
                series = self._plot.series[number]
                painter.setPen(self._pen(series))
                middle = top + metrics.height() // 2
                if series.shape is not inference.experiments.Shape.DOTS:
                    painter.drawLine(left, middle, left + 16, middle)
                if series.shape is not inference.experiments.Shape.LINE:
                    self._paint_dots(painter, [QPointF(left + 8, middle)], series)
                painter.setPen(self._theme.text)
                painter.drawText(left + 22, top + metrics.ascent(), series.name)
                left += 34 + metrics.horizontalAdvance(series.name)
            top += metrics.height()

    def _paint_series(
        self,
        painter: QPainter,
        series: inference.experiments.Series,
        outline: Outline,
        frame: QRect,
        across: Axis,
        up: Axis,
    ) -> None:
        shapes = inference.experiments.Shape
        drawn = [_on_screen(point, frame, across, up) for point in outline.points]
        few = len(drawn) < _FINE
        if series.shape is not shapes.DOTS and len(drawn) > 1:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=few)
            painter.setPen(self._pen(series))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(drawn))
        if series.shape is not shapes.LINE and ((few and len(drawn) <= 64) or series.shape is shapes.DOTS):
            self._paint_dots(painter, drawn, series)

    def _paint_dots(self, painter: QPainter, places: list[QPointF], series: inference.experiments.Series) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ink(series))
        for place in places:
            painter.drawEllipse(place, _DOT / 2 + 0.5, _DOT / 2 + 0.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_pointed(self, painter: QPainter) -> None:
        if self._pointed is None:
            return
        frame, across, up = self._frame_and_axes(self.rect())
        series, place = self._pointed
        at = _on_screen(self._points[series][place], frame, across, up)
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.muted, 1))
        painter.drawLine(QPointF(at.x(), frame.top()), QPointF(at.x(), frame.bottom()))
        painter.setPen(QPen(self._theme.surface, 2))
        painter.setBrush(self._ink(self._plot.series[series]))
        painter.drawEllipse(at, _DOT + 1, _DOT + 1)
        self._paint_value(painter, at)

    def _paint_value(self, painter: QPainter, at: QPointF) -> None:
        metrics, words = painter.fontMetrics(), self.pointed
        room = self.width() - 24
        lines = words.split(": ", 1) if metrics.horizontalAdvance(words) > room else [words]
        width = min(room, max(metrics.horizontalAdvance(line) for line in lines)) + 16
        height = metrics.height() * len(lines) + 8
        left = min(max(4, round(at.x()) + 10), self.width() - width - 4)
        top = round(at.y()) - height - 10
        top = top if top > 2 else round(at.y()) + 12
        box = QRect(left, min(top, self.height() - height - 2), width, height)
        paint_box(painter, box, fill=self._theme.background, edge=self._theme.field_edge, corner=6)
        painter.setPen(self._theme.text)
        for number, line in enumerate(lines):
            row = QRect(box.left() + 8, box.top() + 4 + number * metrics.height(), width - 16, metrics.height())
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, row.width())
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    def _pen(self, series: inference.experiments.Series) -> QPen:
        """One pixel wide: a wider line costs ten times as much. What was cached is dashed; elsewhere it is hatched."""
        pen = QPen(self._ink(series), 1)
        if series.ink is inference.experiments.Ink.CACHED:
            pen.setStyle(Qt.PenStyle.DashLine)
        return pen

    def _ink(self, series: inference.experiments.Series) -> QColor:
        inks = inference.experiments.Ink
        match series.ink:
            case inks.PREFILL:
                return self._theme.prefill
            case inks.DECODE:
                return self._theme.decode
            case inks.CACHED:
                return self._theme.cached
            case _:
                return self._theme.text

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(self._plot.title)
        self.setAccessibleDescription(self.pointed or (spoken(self._plot.summary) if self._plot.series else ""))

    def _save_svg(self, path: Path) -> bool:
        drawn = QBuffer()  # of a file that cannot be written to its end, Qt says nothing
        generator = QSvgGenerator()
        generator.setOutputDevice(drawn)
        generator.setSize(_EXPORT)
        generator.setViewBox(QRect(0, 0, _EXPORT.width(), _EXPORT.height()))
        generator.setTitle(self._plot.title)
        generator.setDescription(spoken(self._plot.summary))
        painter = QPainter(generator)
        painter.fillRect(QRectF(0, 0, _EXPORT.width(), _EXPORT.height()), self._theme.surface)
        self._paint(painter, QRect(0, 0, _EXPORT.width(), _EXPORT.height()))
        painter.end()
        try:
            path.write_bytes(drawn.data().data())
        except OSError:
            return False
        return True


def _told(plot: inference.experiments.Plot) -> inference.experiments.Plot:
    """The same, its words in the language of the program."""
    return replace(
        plot,
        title=spoken(plot.title),
        x_name=spoken(plot.x_name),
        x_unit=spoken(plot.x_unit),
        y_name=spoken(plot.y_name),
        y_unit=spoken(plot.y_unit),
        series=tuple(replace(series, name=spoken(series.name)) for series in plot.series),
    )


def _nothing() -> inference.experiments.Plot:
    return inference.experiments.Plot("", "", "", "", "", ())


def _on_screen(point: tuple[float, float], frame: QRect, across: Axis, up: Axis) -> QPointF:
    return QPointF(
        frame.left() + across.place(point[0]) * frame.width(), frame.bottom() - up.place(point[1]) * frame.height()
    )
