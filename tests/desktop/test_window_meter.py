"""How full the window will be, in figures that stay quiet until they have to speak up."""

from __future__ import annotations

import pytest

from desktop.theme import load_theme
from desktop.widgets.painting import text_width
from desktop.widgets.window_meter import WindowMeter
from desktop.window_use import WindowUse
from inference import WindowPolicy


@pytest.fixture
def meter(qtbot):
    meter = WindowMeter(load_theme("light"))
    qtbot.addWidget(meter)
    return meter


def test_what_is_not_known_takes_no_room(meter):
    assert meter.words == ""
    assert meter.isHidden()


def test_the_conversation_and_the_draft_are_set_against_the_window(meter):
    meter.show_use(WindowUse(212, 38, 4096))
    assert meter.words == "212 + 38 of 4,096"
    meter.show_use(WindowUse(1212, 0, 4096))
    assert meter.words == "1,212 of 4,096"


def test_what_will_not_fit_warns(meter):
    theme = load_theme("light")
    meter.show_use(WindowUse(212, 38, 4096))
    assert meter._ink() != theme.warning
    meter.show_use(WindowUse(4000, 96, 4096))
    assert meter._ink() == theme.warning
    assert "does not fit" in meter.toolTip()


def test_where_the_oldest_are_left_out_it_says_so_and_does_not_warn(meter):
    meter.show_policy(WindowPolicy.DROP_OLDEST)
    meter.show_use(WindowUse(4000, 96, 4096))
    assert meter.words == "Oldest left out · 4,000 + 96 of 4,096"
    assert meter._ink() != load_theme("light").warning
    assert "oldest turns will not be read" in meter.toolTip()


def test_an_active_policy_is_seen_without_figures(meter):
    meter.show_policy(WindowPolicy.DROP_OLDEST)
    assert not meter.isHidden()


def test_with_little_room_the_policy_and_the_figures_are_still_told(meter):
    meter.show_policy(WindowPolicy.DROP_OLDEST)
    meter.show_use(WindowUse(4000, 96, 4096))
    whole = text_width(meter.font(), meter.words)
    assert meter._words_for(whole) == "Oldest left out · 4,000 + 96 of 4,096"
    assert meter._words_for(whole - 1) == "Oldest out · 4,000 + 96 of 4,096"
    short = text_width(meter.font(), "Oldest out · 4,000 + 96 of 4,096")
    assert meter._words_for(short - 1) == "Oldest out · 4,000 + 96"


def test_the_policy_is_chosen_in_its_menu(meter, qtbot):
    stop, drop = [action for action in meter.menu().actions() if action.isCheckable()]
    assert stop.isChecked()
    with qtbot.waitSignal(meter.policy_chosen) as chosen:
        drop.trigger()
    assert chosen.args == [WindowPolicy.DROP_OLDEST]


def lines(meter: WindowMeter) -> list[str]:
    return [action.text() for action in meter.menu().actions() if action.isVisible() and "tokens" in action.text()]


def test_a_click_tells_the_figures_one_by_one(meter):
    meter.show_use(WindowUse(212, 1_242, 4096, (1_000, 204)))
    assert lines(meter) == [
        "The conversation: 212 tokens",
        "What you typed: 38 tokens",
        "Attached files: 1,204 tokens",
        "Left for the reply: 2,642 tokens",
    ]
    meter.show_use(WindowUse(212, 0, 4096))
    assert lines(meter) == ["The conversation: 212 tokens", "Left for the reply: 3,884 tokens"]
    meter.show_use(None)
    assert lines(meter) == []


def test_what_the_policy_will_leave_out_is_said_before_it_is_sent(meter):
    meter.show_policy(WindowPolicy.DROP_OLDEST)
    meter.show_use(WindowUse(3800, 96, 4096, left_out=6))
    assert meter.words == "6 messages left out · 3,800 + 96 of 4,096"
    assert "Will not be read: 6 of the oldest messages" in meter.toolTip()
    assert "Left for the reply" not in meter.toolTip()
    assert meter._words_for(1) == "6 out"
    meter.show_use(WindowUse(3800, 96, 4096, left_out=1))
    assert meter.words.startswith("1 message left out")


def test_what_is_too_much_even_without_them_warns(meter):
    meter.show_policy(WindowPolicy.DROP_OLDEST)
    meter.show_use(WindowUse(100, 5_000, 4096, enough=False))
    assert meter._ink() == load_theme("light").warning
    assert "sending it will offer what can be done" in meter.toolTip()


def test_the_bar_shows_what_was_said_and_what_will_be_read(meter, qtbot):
    theme = load_theme("light")
    meter.show_use(WindowUse(1024, 1024, 4096))
    meter.resize(meter.sizeHint())
    meter.show()
    image = meter.grab().toImage()
    row = meter.height() - 4
    width = meter.width() - 16
    colours = [image.pixelColor(8 + width * share // 8, row) for share in (3, 6)]
    assert colours == [theme.prefill, theme.border]
