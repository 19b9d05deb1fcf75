from __future__ import annotations

from dataclasses import fields
from importlib import resources
from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage
from PySide6.QtWidgets import QLabel, QMenu, QStyleFactory

from desktop.settings import ColourScheme
from desktop.theme import (
    Theme,
    ThemeSource,
    code_font,
    control_font,
    figure_font,
    icon,
    load_theme,
    message_font,
    palette_of,
    with_high_contrast,
)

SURFACES = ("background", "surface", "bubble", "code")
TEXTS = ("text", "muted", "accent", "prefill", "decode", "warning", "error")
SYNTAX = tuple(field.name for field in fields(Theme) if field.name.startswith("syntax_"))
GRAPHICS = ("field_edge", "cached", "accent", "prefill", "decode")


@pytest.fixture(params=["light", "dark"])
def theme(request, qapp):
    return load_theme(request.param)


def luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else float(((c + 0.055) / 1.055) ** 2.4) for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_the_guidelines_define_it():
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("ink", "surface"), tuple(product(TEXTS, SURFACES)))
def test_text_can_be_read_on_every_surface_it_stands_on(theme, ink, surface):
    assert contrast(getattr(theme, ink), getattr(theme, surface)) >= 4.5


@pytest.mark.parametrize(("ink", "surface"), tuple(product(SYNTAX, SURFACES)))
def test_code_can_be_read_in_all_its_colours(theme, ink, surface):
    assert contrast(getattr(theme, ink), getattr(theme, surface)) >= 4.5


@pytest.mark.parametrize("behind", ["selection", "find_hit"])
def test_marked_text_can_be_read(theme, behind):
    assert contrast(theme.text, getattr(theme, behind)) >= 4.5


def test_text_on_the_accent_can_be_read(theme):
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@pytest.mark.parametrize(("ink", "surface"), tuple(product(GRAPHICS, SURFACES)))
def test_graphics_and_field_edges_stand_out(theme, ink, surface):
    assert contrast(getattr(theme, ink), getattr(theme, surface)) >= 3


def test_every_token_is_a_valid_colour(theme):
    assert all(getattr(theme, field.name).isValid() for field in fields(Theme) if field.name not in {"name", "is_dark"})


def test_the_two_themes_share_no_surface(qapp):
    light, dark = load_theme("light"), load_theme("dark")
    assert dark.is_dark
    assert not light.is_dark
    assert luminance(light.surface) > 0.5 > luminance(dark.surface)


def test_the_palette_carries_the_theme(theme):
    palette = palette_of(theme)
    assert palette.window().color() == theme.background
    assert palette.base().color() == theme.surface
    assert palette.text().color() == theme.text


def test_an_empty_box_in_a_menu_can_be_seen(theme, qapp, source):
    source.set_scheme(ColourScheme.DARK if theme.is_dark else ColourScheme.LIGHT)
    menu = QMenu()
    fusion = QStyleFactory.create("fusion")
    menu.setStyle(fusion)
    menu.addAction("Streaming").setCheckable(True)
    menu.addAction("Quit")
    menu.resize(menu.sizeHint())
    image = menu.grab().toImage()
    box, beside = menu.actionGeometry(menu.actions()[0]), menu.actionGeometry(menu.actions()[1])
    ground = image.pixelColor(beside.left() + 4, beside.center().y())
    inked = [contrast(image.pixelColor(x, box.center().y()), ground) for x in range(box.left() + 2, box.left() + 24)]
    assert max(inked) >= 3


def test_figures_use_digits_of_one_width(qapp):
    metrics = QFontMetricsF(figure_font())
    assert len({metrics.horizontalAdvance(digit * 4) for digit in "0123456789"}) == 1
    assert figure_font().featureValue(QFont.Tag("tnum")) == 1


def test_messages_are_larger_than_controls_and_figures_smaller(qapp):
    assert figure_font().pointSizeF() < control_font().pointSizeF() < message_font().pointSizeF()
    assert code_font().pointSizeF() == control_font().pointSizeF()


def every_icon() -> list[str]:
    return sorted(f.name.removesuffix(".svg") for f in (resources.files("resources") / "icons").iterdir())


@pytest.mark.parametrize("name", [name for name in every_icon() if name != "headwater"])
def test_an_icon_is_drawn_in_the_colour_asked_for(qapp, name):
    image = icon(name, QColor("#B3261E")).pixmap(40, 40).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    solid = {
        image.pixelColor(x, y).name() for x, y in product(range(40), range(40)) if image.pixelColor(x, y).alpha() == 255
    }
    assert solid == {"#b3261e"}


@pytest.fixture
def source(qapp):
    font, palette = qapp.font(), qapp.palette()
    yield ThemeSource(qapp)
    qapp.setFont(font)
    qapp.setPalette(palette)


def test_a_platform_that_names_no_scheme_gets_our_own_palette(qapp, source):
    assert source.current == load_theme("light")
    assert qapp.palette().window().color() == source.current.background


def test_choosing_dark_turns_everything_dark_and_says_so(qapp, source, qtbot):
    with qtbot.waitSignal(source.changed) as said:
        source.set_scheme(ColourScheme.DARK)
    assert said.args == [load_theme("dark")]
    assert source.current.is_dark
    assert qapp.palette().base().color() == load_theme("dark").surface


def test_going_back_to_the_system_forgets_the_choice(source):
    source.set_scheme(ColourScheme.DARK)
    source.set_scheme(ColourScheme.SYSTEM)
    assert source.current == load_theme("light")


def test_choosing_what_is_shown_already_changes_nothing(source, qtbot):
    with qtbot.assertNotEmitted(source.changed):
        source.set_scheme(ColourScheme.LIGHT)


def test_a_platform_in_dark_colours_is_followed_although_it_names_no_scheme(qapp):
    palette = qapp.palette()
    qapp.setPalette(palette_of(load_theme("dark")))
    assert ThemeSource(qapp).current.is_dark
    qapp.setPalette(palette)


def test_another_font_is_that_of_every_widget_and_of_those_made_later(source, qtbot):
    button, figure, title = QLabel("a"), QLabel("b"), QLabel("c")
    button.setFont(control_font())
    figure.setFont(figure_font())
    title.setFont(QFont("Noto Sans Mono", 20))
    for label in (button, figure, title):
        qtbot.addWidget(label)
    with qtbot.waitSignal(source.changed):
        source.set_font("Noto Serif", 15)
    assert (button.font().family(), button.font().pointSizeF()) == ("Noto Serif", 15)
    assert (figure.font().pointSizeF(), figure.font().featureValue(QFont.Tag("tnum"))) == (14, 1)
    assert (title.font().family(), title.font().pointSizeF()) == ("Noto Sans Mono", 30)
    assert (message_font().family(), message_font().pointSizeF()) == ("Noto Serif", 16)
    assert code_font().pointSizeF() == 15
    with qtbot.assertNotEmitted(source.changed):
        source.set_font("Noto Serif", 15)
    source.set_font("", None)
    assert control_font().pointSizeF() == button.font().pointSizeF() == 10


def test_with_reduced_motion_no_caret_blinks_and_no_menu_fades_in(qapp, source):
    before = qapp.styleHints().cursorFlashTime()
    fades = qapp.isEffectEnabled(Qt.UIEffect.UI_FadeMenu)
    source.set_reduced_motion(reduced=True)
    assert qapp.styleHints().cursorFlashTime() == 0
    assert not qapp.isEffectEnabled(Qt.UIEffect.UI_FadeMenu)
    source.set_reduced_motion(reduced=False)
    assert qapp.styleHints().cursorFlashTime() == before > 0
    qapp.setEffectEnabled(Qt.UIEffect.UI_FadeMenu, fades)


def test_high_contrast_leaves_no_quiet_colour(theme):
    strong = with_high_contrast(theme)
    assert strong.muted == theme.text
    assert contrast(strong.border, strong.surface) >= 3
