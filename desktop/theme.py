"""How Headwater looks: its colours, fonts and icons, read from `resources/`.

A theme is a value. It knows nothing of widgets: they are handed one and paint with it.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPainter, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from desktop.settings import ColourScheme
from resources import text_of

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

ThemeName = Literal["light", "dark"]

_CONTROL_POINTS = 10
_ICON_SIZES = (16, 24, 32, 48, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one look. On `selection` and `find_hit` all text is drawn in `text`."""

    name: str
    is_dark: bool
    background: QColor
    surface: QColor
    bubble: QColor
    code: QColor
    border: QColor
    text: QColor
    muted: QColor
    accent: QColor
    on_accent: QColor
    selection: QColor
    find_hit: QColor
    field_edge: QColor
    prefill: QColor
    decode: QColor
    cached: QColor
    warning: QColor
    error: QColor
    syntax_keyword: QColor
    syntax_string: QColor
    syntax_number: QColor
    syntax_comment: QColor
    syntax_function: QColor
    syntax_operator: QColor


def load_theme(name: ThemeName) -> Theme:
    """The theme of that name, from `resources/themes`."""
    read = tomllib.loads(text_of("themes", f"{name}.toml"))
    colours = {**read["colours"], **{f"syntax_{kind}": value for kind, value in read["syntax"].items()}}
    wanted = [field.name for field in fields(Theme) if field.name not in {"name", "is_dark"}]
    return Theme(name=read["name"], is_dark=read["is_dark"], **{field: QColor(colours[field]) for field in wanted})


def with_high_contrast(theme: Theme) -> Theme:
    """The theme for somebody who asked the system for more contrast: nothing is said in a quiet colour."""
    return replace(theme, border=theme.field_edge, field_edge=theme.text, muted=theme.text)


class Themed(Protocol):
    """What is drawn in a theme's colours, and in another one's when it is handed that."""

    def set_theme(self, theme: Theme) -> None: ...


class ThemeSource(QObject):
    """The theme that applies now: the one chosen, or the one the system shows; with it, in which font, and whether
    anything moves.

    The application's palette follows it, so that menus and what else a style paints match on platforms that do
    not know of light and dark. Every font is made from the application's.
    """

    changed = Signal(object)  # Theme

    def __init__(
        self, application: QApplication, scheme: ColourScheme = ColourScheme.SYSTEM, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._application = application
        self._hints = application.styleHints()
        self._scheme = scheme
        self._still = False
        self._flash_time: int | None = None  # of a caret, as the system wishes it
        # Asked before our own palette covers it: where the platform names no scheme, its colours still show one.
        self._started_dark = _is_dark(application.palette())
        application.setFont(_chosen_font("", None))
        self._ask_platform()
        self._current = self._theme()
        self._dress()
        self._hints.colorSchemeChanged.connect(self._follow)
        self._hints.accessibility().contrastPreferenceChanged.connect(self._follow)

    @property
    def current(self) -> Theme:
        return self._current

    @property
    def scheme(self) -> ColourScheme:
        return self._scheme

    def set_scheme(self, scheme: ColourScheme) -> None:
        """Light, dark, or whatever the system shows."""
        self._scheme = scheme
        self._ask_platform()
        self._follow()

    def set_font(self, family: str, size: int | None) -> None:
        """The font of all that is written, at this many points; without either it is the system's."""
        before, after = QFont(QApplication.font()), _chosen_font(family, size)
        if after == before:
            return
        self._application.setFont(after)
        for widget in self._application.allWidgets():
            if widget.testAttribute(Qt.WidgetAttribute.WA_SetFont):
                widget.setFont(_moved(widget.font(), before, after))
        self.changed.emit(self._current)

    def set_reduced_motion(self, *, reduced: bool) -> None:
        """Have nothing move by itself, a caret neither, where somebody wishes so here or in the system."""
        still = reduced or self._system_wants_stillness()
        if still == self._still:
            return
        self._still = still
        if self._flash_time is None:
            self._flash_time = self._hints.cursorFlashTime()
        self._hints.setCursorFlashTime(0 if still else self._flash_time)
        for effect in Qt.UIEffect:
            if effect is not Qt.UIEffect.UI_General:
                self._application.setEffectEnabled(effect, not still)

    def _system_wants_stillness(self) -> bool:
        # Qt says so from 6.12 on.
        ask = getattr(self._hints.accessibility(), "motionPreference", None)
        return ask is not None and ask().name == "ReducedMotion"

    def _ask_platform(self) -> None:
        """Tell Qt too: where the platform can, title bars and file choosers come along."""
        asked = {ColourScheme.LIGHT: Qt.ColorScheme.Light, ColourScheme.DARK: Qt.ColorScheme.Dark}
        self._hints.setColorScheme(asked.get(self._scheme, Qt.ColorScheme.Unknown))

    def _follow(self) -> None:
        theme = self._theme()
        if theme == self._current:
            return
        self._current = theme
        self._dress()
        self.changed.emit(theme)

    def _dress(self) -> None:
        self._application.setPalette(palette_of(self._current))
        menus = menu_palette_of(self._current)
        self._application.setPalette(menus, "QMenu")  # type: ignore[arg-type]  # its stubs ask for bytes, it takes text alone

    def _theme(self) -> Theme:
        theme = load_theme("dark" if self._wants_dark() else "light")
        wants_contrast = self._hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast
        return with_high_contrast(theme) if wants_contrast else theme

    def _wants_dark(self) -> bool:
        if self._scheme is not ColourScheme.SYSTEM:
            return self._scheme is ColourScheme.DARK
        shown = self._hints.colorScheme()
        return self._started_dark if shown is Qt.ColorScheme.Unknown else shown is Qt.ColorScheme.Dark


def style_arguments() -> list[str]:
    """What to hand to a QApplication so that it paints in a style that follows our palette: Fusion, but where the
    platform has one of its own.

    To ask or set the style later would need Python's half of QStyle, which takes as long as a whole part of the window.
    """
    return [] if sys.platform in {"darwin", "win32"} else ["-style", "fusion"]


def palette_of(theme: Theme) -> QPalette:
    """Qt's own palette in the theme's colours, for everything that a style paints."""
    palette = QPalette()
    for role, colour in _palette_roles(theme):
        palette.setColor(role, colour)
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.field_edge)
    return palette


def menu_palette_of(theme: Theme) -> QPalette:
    """That of menus. The style draws their boxes and edges so much darker than the window that in a dark theme an
    empty box could not be seen: it gets a colour that is about the fields' edge by then."""
    palette = palette_of(theme)
    palette.setColor(QPalette.ColorRole.Window, theme.field_edge.lighter(150 if theme.is_dark else 125))
    return palette


def scroll_bar_style(theme: Theme) -> str:
    """A style sheet for a scroll bar: a slim handle and no rail. Empty where the platform's own is that."""
    if sys.platform == "darwin":
        return ""
    return f"""
        QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; border: none; }}
        QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; border: none; }}
        QScrollBar::handle {{ background: {theme.field_edge.name()}; border-radius: 2px; margin: 4px; }}
        QScrollBar::handle:vertical {{ min-height: 32px; }}
        QScrollBar::handle:horizontal {{ min-width: 32px; }}
        QScrollBar::handle:hover {{ background: {theme.muted.name()}; }}
        QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; border: none; background: none; }}
        QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
    """


def control_font() -> QFont:
    """For buttons, menus, lists: the platform's interface font."""
    return _interface_font(0)


def message_font() -> QFont:
    """For what was said; lines stand 1.5 apart."""
    return _interface_font(+1)


def figure_font() -> QFont:
    """For figures: digits all of one width, so that a changing number moves nothing."""
    font = _interface_font(-1)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font() -> QFont:
    """For code: the platform's monospace."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(control_font().pointSizeF())
    return font


def icon(name: str, colour: QColor) -> QIcon:
    """The icon of that name in that colour, for what wants a QIcon; a widget paints its own with `paint_icon`."""
    from PySide6.QtGui import QIcon, QPixmap  # the first paint needs neither

    result = QIcon()
    for size in _ICON_SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        paint_icon(painter, name, colour, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
    return result


def paint_icon(painter: QPainter, name: str, colour: QColor, place: QRectF) -> None:
    """Draw the icon of that name there: sharp at any scale."""
    renderer = QSvgRenderer(QByteArray(_icon_source(name).replace("currentColor", colour.name()).encode()))
    renderer.render(painter, place)


@lru_cache(maxsize=64)
def _icon_source(name: str) -> str:
    return text_of("icons", f"{name}.svg")


def _is_dark(palette: QPalette) -> bool:
    return palette.windowText().color().lightness() > palette.window().color().lightness()


def _interface_font(step: int) -> QFont:
    font = QFont(QApplication.font())
    font.setPointSizeF(max(_CONTROL_POINTS, font.pointSizeF()) + step)
    return font


def _chosen_font(family: str, size: int | None) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if family:
        font.setFamily(family)
    # Somebody who asked the system for larger letters gets them here too.
    font.setPointSizeF(max(_CONTROL_POINTS, font.pointSizeF()) if size is None else size)
    return font


def _moved(font: QFont, before: QFont, after: QFont) -> QFont:
    """A widget's font after the application's has become another one: a step larger or smaller than it as before, else
    in proportion to it."""
    moved = QFont(font)
    if font.family() == before.family():
        moved.setFamily(after.family())
    step = font.pointSizeF() - before.pointSizeF()
    in_proportion = font.pointSizeF() * after.pointSizeF() / before.pointSizeF()
    moved.setPointSizeF(after.pointSizeF() + step if abs(step) <= 1 else in_proportion)
    return moved


def _palette_roles(theme: Theme) -> tuple[tuple[QPalette.ColorRole, QColor], ...]:
    role = QPalette.ColorRole
    return (
        (role.Window, theme.background),
        (role.WindowText, theme.text),
        (role.Base, theme.surface),
        (role.AlternateBase, theme.code),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Button, theme.surface),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.on_accent),
        (role.ToolTipBase, theme.surface),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.Accent, theme.accent),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.Light, theme.surface),
        (role.Midlight, theme.border),
        (role.Mid, theme.border),
        (role.Dark, theme.field_edge),
        (role.Shadow, theme.border),
    )
