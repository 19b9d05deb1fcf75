"""Formulas in text: an object in a document as large as its picture, and the picture drawn where the object stands.

In a document a formula takes as many positions as its source has, so that nothing that counts them has to know whether
its picture is there yet: the object, and behind it characters that are not seen.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Protocol

from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSizeF, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetrics,
    QImage,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from desktop.formulas import INK, Formula, Picture
from desktop.markdown import Run

HIDDEN = "\u034f"  # is drawn as nothing, and goes with the character before it, under a caret too

_OBJECT = "\ufffc"
_KIND = QTextFormat.ObjectTypes.UserObject.value + 1
_TEX, _DISPLAY, _EM, _ALONE = (QTextFormat.Property.UserProperty.value + number for number in (10, 11, 12, 13))
_SIZE = 1.15  # of the letters of formulas beside those of text: their lower case is smaller
_MOST_PICTURES = 2_000
_MOST_PIXELS = 8_000_000  # of images that are kept: 32 MB


class Setter(Protocol):
    """Who makes pictures, elsewhere and later."""

    @property
    def answered(self) -> SignalInstance:
        """Tells a Formula and its Picture, or None where there is none."""

    def ask(self, formula: Formula) -> None: ...


def formula_of(run: Run) -> Formula | None:
    """The formula that a run is."""
    return Formula(run.formula, run.is_display) if run.formula else None


class Formulas(QObject):
    """The pictures there are, and those that are awaited."""

    came = Signal()  # some that were awaited are there, or never will be

    def __init__(self, setter: Setter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._setter = setter
        self._pictures: OrderedDict[Formula, Picture | None] = OrderedDict()
        self._awaited: set[Formula] = set()
        self._images = _Images()
        self._object = _FormulaObject(self)
        self._telling = QTimer(self)
        self._telling.setSingleShot(True)
        self._telling.timeout.connect(self.came)
        setter.answered.connect(self._on_answered)

    def picture(self, formula: Formula) -> Picture | None:
        """The picture of a formula; where it is not known yet, it is asked for."""
        if formula in self._pictures:
            self._pictures.move_to_end(formula)
            return self._pictures[formula]
        if formula not in self._awaited:
            self._awaited.add(formula)
            self._setter.ask(formula)
        return None

    def is_awaited(self, run: Run) -> bool:
        return Formula(run.formula, run.is_display) in self._awaited

    def prepare(self, document: QTextDocument) -> None:
        """Let a document have formulas in it."""
        layout = document.documentLayout()
        if layout.handlerForObject(_KIND) is None:
            layout.registerHandler(_KIND, self._object)

    def paint(self, painter: QPainter) -> None:
        """Paint the formulas of a document that has just been painted."""
        for place, ink in self._object.take_places():
            picture = self.picture(place.formula)
            if picture is not None:
                ratio = painter.device().devicePixelRatio()
                image = self._images.image(place, picture, ink, ratio)
                corner = QPointF(
                    round(place.left * ratio) / ratio, round((place.baseline - place.ascent) * ratio) / ratio
                )
                painter.drawImage(corner, image)

    def _on_answered(self, formula: Formula, picture: Picture | None) -> None:
        self._awaited.discard(formula)
        self._pictures[formula] = picture
        if len(self._pictures) > _MOST_PICTURES:
            self._pictures.popitem(last=False)
        self._telling.start()


def placeholder(source: str) -> str:
    """What stands in a document for the source of a formula: as many positions."""
    units = len(source.encode("utf-16-le", "surrogatepass")) // 2
    return _OBJECT + HIDDEN * (units - 1)


def em_of(font: QFont) -> float:
    """How large formulas are beside text in a font, in pixels."""
    return QFontInfo(font).pixelSize() * _SIZE


def formula_format(
    formula: Formula, picture: Picture, text: QTextCharFormat, room: float, *, is_alone: bool
) -> QTextCharFormat:
    """How the placeholder of a formula is written into text; `room` is what a line has below its baseline. One that is
    alone in its line has no baseline to keep."""
    em = em_of(text.font())
    result = QTextCharFormat(text)
    result.setObjectType(_KIND)
    result.setProperty(_TEX, formula.tex)
    result.setProperty(_DISPLAY, formula.is_display)
    result.setProperty(_EM, em)
    # On the baseline Qt leaves no room below it. One that is lower than the line stands around the middle instead.
    result.setProperty(_ALONE, is_alone)
    if picture.descent * em > room and not is_alone:
        result.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    return result


class _Place:
    """A formula where it is drawn: its corner and sizes in pixels."""

    __slots__ = ("ascent", "baseline", "descent", "formula", "left", "width")

    def __init__(self, formula: Formula, left: float, baseline: float, sizes: tuple[float, float, float]) -> None:
        self.formula = formula
        self.left = left
        self.baseline = baseline
        self.width, self.ascent, self.descent = sizes


class _FormulaObject(QPyTextObject):
    """Tells Qt how large formulas are, and remembers where it wanted them drawn.

    It does not draw them there and then: over what is selected Qt lays a veil afterwards.
    """

    def __init__(self, formulas: Formulas) -> None:
        super().__init__(formulas)
        self._formulas = formulas
        self._places: dict[int, list[tuple[_Place, QColor]]] = {}

    def take_places(self) -> list[tuple[_Place, QColor]]:
        """Where the formulas of the last painting belong, and their ink."""
        # What is selected is painted first, each selection over the one before, and at last what is not.
        drawn = [places[-2] if len(places) > 1 else places[-1] for places in self._places.values()]
        self._places.clear()
        return drawn

    def intrinsicSize(self, document: QTextDocument, position: int, text_format: QTextFormat) -> QSizeF:  # noqa: N802 - Qt's
        width, ascent, descent = self._sizes(document, position, text_format)
        if text_format.property(_ALONE):
            return QSizeF(width, ascent + descent)
        if not _is_around_middle(text_format):
            return QSizeF(width, ascent)
        half = _half_height(text_format)
        return QSizeF(width, math.ceil(max(2 * ascent - half, 2 * descent + half)))

    def drawObject(  # noqa: N802 - Qt's
        self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, position: int, text_format: QTextFormat
    ) -> None:
        del painter
        sizes = self._sizes(document, position, text_format)
        baseline = rect.bottom() - (sizes[2] if text_format.property(_ALONE) else 0)
        if _is_around_middle(text_format):
            baseline = rect.top() + (rect.height() + _half_height(text_format)) / 2
        place = _Place(_formula_in(text_format), rect.left(), baseline, sizes)
        self._places.setdefault(position, []).append((place, text_format.foreground().color()))

    def _sizes(self, document: QTextDocument, position: int, text_format: QTextFormat) -> tuple[float, float, float]:
        """Width, ascent and descent in pixels: smaller than wanted where the text is narrower."""
        picture = self._formulas.picture(_formula_in(text_format))
        if picture is None:
            return 0, 0, 0
        em = float(text_format.property(_EM))
        room = document.textWidth()
        if room > 0:
            room -= document.findBlock(position).blockFormat().indent() * document.indentWidth()
            em = min(em, max(1.0, room) / picture.width)
        return picture.width * em, picture.ascent * em, picture.descent * em


class _Images:
    """Pictures as pixels, the last ones that were drawn."""

    def __init__(self) -> None:
        self._images: OrderedDict[tuple[Formula, int, int, int, float], QImage] = OrderedDict()
        self._pixels = 0

    def image(self, place: _Place, picture: Picture, ink: QColor, ratio: float) -> QImage:
        width, height = math.ceil(place.width * ratio), math.ceil((place.ascent + place.descent) * ratio)
        key = place.formula, width, height, ink.rgba(), ratio
        image = self._images.get(key)
        if image is None:
            image = self._images[key] = _rendered(picture, width, height, ink)
            image.setDevicePixelRatio(ratio)
            self._pixels += width * height
            while self._pixels > _MOST_PIXELS and len(self._images) > 1:
                _, oldest = self._images.popitem(last=False)
                self._pixels -= oldest.width() * oldest.height()
        self._images.move_to_end(key)
        return image


def _rendered(picture: Picture, width: int, height: int, ink: QColor) -> QImage:
    image = QImage(max(1, width), max(1, height), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(picture.svg.replace(INK, ink.name()).encode()))
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def _formula_in(text_format: QTextFormat) -> Formula:
    return Formula(str(text_format.property(_TEX)), bool(text_format.property(_DISPLAY)))


def _is_around_middle(text_format: QTextFormat) -> bool:
    return text_format.toCharFormat().verticalAlignment() is QTextCharFormat.VerticalAlignment.AlignMiddle


def _half_height(text_format: QTextFormat) -> float:
    """How far above the baseline Qt takes the middle to be, twice."""
    return QFontMetrics(text_format.toCharFormat().font()).xHeight() / 2
