"""How Headwater looks: its colours, fonts and icons, read from `resources/`.

A theme is a value. It knows nothing of widgets: they are handed one and paint with it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from importlib import resources
from typing import Literal

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

ThemeName = Literal["light", "dark"]

_CONTROL_POINTS = 10
_ICON_SIZES = (16, 18, 20, 24, 32, 36, 40, 48, 64, 128, 256)  # those used, at one and two device pixels


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
    read = tomllib.loads((resources.files("resources") / "themes" / f"{name}.toml").read_text(encoding="utf-8"))
    colours = {**read["colours"], **{f"syntax_{kind}": value for kind, value in read["syntax"].items()}}
    wanted = [field.name for field in fields(Theme) if field.name not in {"name", "is_dark"}]
    return Theme(name=read["name"], is_dark=read["is_dark"], **{field: QColor(colours[field]) for field in wanted})


def palette_of(theme: Theme) -> QPalette:
    """Qt's own palette in the theme's colours, for everything that a style paints."""
    palette = QPalette()
    for role, colour in _palette_roles(theme):
        palette.setColor(role, colour)
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.field_edge)
    return palette


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
    font.setPointSizeF(_control_points())
    return font


def icon(name: str, colour: QColor) -> QIcon:
    """The icon of that name in that colour, from `resources/icons`."""
    source = (resources.files("resources") / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", colour.name()).encode()))
    result = QIcon()
    for size in _ICON_SIZES:
        result.addPixmap(_drawn(renderer, size))
    return result


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


def _interface_font(step: int) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPointSizeF(_control_points() + step)
    return font


def _control_points() -> float:
    # Somebody who asked the system for larger letters gets them here too.
    return max(_CONTROL_POINTS, QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF())


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
