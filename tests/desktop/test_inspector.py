"""The Inspector: any reply, live and later, as pictures and as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from desktop.settings import SettingsFile
from desktop.theme import load_theme
from inference import (
    BlockKind,
    Candidate,
    GenerationBroke,
    MemoryUse,
    PromptBlock,
    RemoteModel,
    ReuseEnd,
    Timings,
    Trace,
    Usage,
)
from inference.experiments import Bandwidth, ExperimentName, Statistic
from tests.desktop.fakes import MODEL

TRACE = Trace(
    token_ids=(7, 8, 9, 10),
    token_times=(0.5, 0.6, 0.7, 1.7),
    kept_tokens=4,
    blocks=(PromptBlock(BlockKind.TURN, 0, 20, 12), PromptBlock(BlockKind.NEW_MESSAGE, 0, 10, 0)),
    reuse_end=ReuseEnd.NEW_TEXT,
    pieces=(b"They", b" be", b"nd", b"."),
    candidates=((Candidate(7, b"They", 0.75), Candidate(1, b"It\n", 0.125)), (), (), ()),
)
TIMINGS = Timings(0.0, 0.0, 0.02, 0.46, 0.02, 1.2, 0.0, 18, 4)
USAGE = Usage(1_000_000, 400_000, 100_000)


@pytest.fixture
def inspector(desk):
    desk.open()
    desk.send("Why do rivers bend?")
    desk.engine.say("They bend.")
    desk.engine.finish(trace=TRACE, timings=TIMINGS, usage=USAGE)
    desk.insights.inspector_action.trigger()
    return desk.insights.inspector


WHOLE = st.sampled_from([-(2**53), -1, 0, 1, 7, 2**31, 2**53])
TOKENS = st.sampled_from([-(2**31), 0, 7, 2**31 - 1])  # what an engine may write
SECONDS = st.sampled_from([-(2.0**53), -1.0, 0.0, 5e-324, 0.02, 1.0, 2.0**53])
PIECES = st.sampled_from([b"", b"a", b"\xe2", b"\0", b"x" * 300])
BLOCKS = st.builds(PromptBlock, st.sampled_from(BlockKind), WHOLE, WHOLE, WHOLE)
CANDIDATES = st.lists(st.builds(Candidate, TOKENS, PIECES, st.floats(0, 1)), max_size=2).map(tuple)
ODD_TRACES = st.builds(
    Trace,
    token_ids=st.lists(TOKENS, max_size=5).map(tuple),
    token_times=st.lists(SECONDS, max_size=5).map(tuple),
    kept_tokens=WHOLE,
    blocks=st.lists(BLOCKS, max_size=3).map(tuple),
    reuse_end=st.sampled_from(ReuseEnd),
    drafted_tokens=WHOLE,
    accepted_tokens=WHOLE,
    pieces=st.lists(PIECES, max_size=5).map(tuple),
    candidates=st.lists(CANDIDATES, max_size=5).map(tuple),
)
PHASE = st.none() | SECONDS
ODD_TIMINGS = st.builds(
    Timings, SECONDS, SECONDS, PHASE, PHASE, PHASE, PHASE, PHASE, WHOLE, WHOLE, PHASE, st.booleans()
)
ODD_USAGES = st.builds(Usage, WHOLE, st.none() | WHOLE, WHOLE, WHOLE)


@given(ODD_TRACES, ODD_TIMINGS, ODD_USAGES)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_numbers_a_reply_is_kept_with_it_can_be_looked_at(inspector, desk, trace, timings, usage):
    desk.send("Why?")
    desk.engine.say("So.")
    desk.engine.finish(trace=trace, timings=timings, usage=usage)
    if inspector.tokens_table.isHidden():
        inspector.tokens_button.click()
    assert desk.window.grab().width() > 0
    assert inspector.as_text()


def test_it_stands_beside_the_conversation_and_goes_again(desk, inspector):
    assert desk.window.panel is inspector
    assert inspector.isVisible()
    desk.insights.inspector_action.trigger()
    assert desk.window.panel is None


def test_the_phases_are_a_bar_to_scale_and_text(inspector):
    widths = {
        part.words.split(":")[0]: place.width()
        for part, place in zip(inspector.phases_bar.parts, inspector.phases_bar.places(), strict=True)
    }
    assert widths["Decode"] > 2 * widths["Prefill"] > 2 * widths["Preparing"]
    assert "Prefill: 0.46 s, 27.1 %" in inspector.phases_text.text()


def test_the_times_of_the_tokens_are_plotted_with_median_percentile_and_outliers(inspector):
    points = inspector.plot.plot.series[0].points
    assert [number for number, _ in points] == [2, 3, 4]
    assert [time for _, time in points] == pytest.approx([100, 100, 1000])
    words = inspector.tokens_text.text()
    assert "median 0.10 s, 95th percentile 1.00 s, 3 gaps" in words
    assert "Token 4 '.' took 1.00 s, 10.0 times the median." in words


def test_the_prompt_is_blocks_cached_or_read_and_says_why_reuse_ended(inspector):
    assert [(part.amount, part.ink.value) for part in inspector.prompt_bar.parts] == [
        (12, "cached"),
        (8, "prefill"),
        (10, "prefill"),
    ]
    assert "12 cached, 8 read" in inspector.prompt_text.text()
    assert "All that was kept was reused; only new text was read." in inspector.prompt_text.text()


def test_tokens_are_shown_on_demand_with_what_they_might_have_been(qtbot, inspector):
    assert inspector.tokens_table.isHidden()
    inspector.tokens_button.setFocus()
    qtbot.keyClick(inspector.tokens_button, Qt.Key.Key_Space)
    rows = inspector.tokens_table.as_text().splitlines()
    assert rows[1].split("\t") == ["1", "They", "7", "0.50 s", "75.0 %", "It⏎ 12.5 %"]
    assert rows[2].split("\t")[:4] == ["2", "␣be", "8", "0.10 s"]
    assert inspector.tokens_button.text() == "Hide the tokens"


def test_usage_and_an_estimate_at_the_readers_own_prices(qtbot, desk, inspector):
    assert "Input 1,000,000 tokens, of which cached 400,000; output 100,000" in inspector.usage_text.text()
    assert "Enter prices" in inspector.cost_text.text()
    for field, price in zip(inspector.price_fields, (2.0, 0.5, 8.0), strict=True):
        field.setValue(price)
        field.editingFinished.emit()
    inspector.currency.setText("EUR")
    inspector.currency.editingFinished.emit()
    assert inspector.cost_text.text() == "About 2.20 EUR: an estimate at the prices above, which you entered."
    kept = SettingsFile(desk.settings.path)
    assert (kept.load().price_output, kept.current.price_currency) == (8.0, "EUR")


def test_the_share_of_the_limit_is_measured_when_asked_for_and_says_how(desk, qtbot, inspector):
    memory = MemoryUse(90_000_000, 40_960_000, 1)
    desk.engine.ready(name="Small", memory=memory)
    assert inspector.share_text.text().startswith("One token moves 131 MB.")
    inspector.share_button.click()
    assert not inspector.share_button.isEnabled()
    desk.engine.finish_job(Bandwidth(Statistic((1e10,)), 1))
    assert "% of the limit" in inspector.share_text.text()
    assert "best of 7 rounds" in inspector.share_text.text()
    assert inspector.share_button.isEnabled()


def test_of_another_models_reply_no_share_is_said(desk, inspector):
    desk.models.choose(Path("models/another.gguf").absolute())
    desk.engine.ready()
    assert inspector.share_text.text() == "Known for replies of the model that is loaded now."


def test_all_of_it_can_be_copied_as_text(inspector):
    inspector.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    for words in ("Prefill: 0.46 s", "median 0.10 s", "12 cached, 8 read", "Input 1,000,000 tokens"):
        assert words in copied
    assert copied == inspector.as_text()


def test_any_reply_can_be_chosen(desk, qtbot, inspector):
    desk.talk("And then?", "Nothing.")
    assert inspector.found.turn.message.content == "Nothing."
    first = next(turn for turn in desk.library.current.turns if turn.is_reply)
    inspector.choice.show_value(first.id)
    inspector.choice.picked.emit(first.id)
    assert inspector.found.turn.message.content == "They bend."
    desk.library.new()
    assert inspector.found is None
    assert "No reply yet" in " ".join(inspector.words)


def test_a_reply_is_looked_into_while_it_is_written(desk, qtbot, inspector):
    desk.send("And then?")
    desk.engine.read(16, 32, batch_end=32, seconds=0.25, cached=8)
    desk.engine.say("One", at=100.0)
    desk.engine.say(" two", at=100.5)
    qtbot.waitUntil(lambda: inspector.plot.plot.series[0].points == ((2.0, 500.0),))
    assert "Decode: 0.50 s" in inspector.phases_text.text()
    assert [part.amount for part in inspector.prompt_bar.parts] == [8, 16, 16]
    assert inspector.found is None
    desk.engine.finish()
    assert inspector.found is not None


def test_of_a_reply_that_begins_nothing_is_shown_of_the_one_before(desk, inspector):
    inspector.tokens_button.click()
    desk.send("And then?")
    assert (inspector.usage_text.text(), inspector.prompt_text.text(), inspector.share_text.text()) == ("", "", "")
    assert inspector.prompt_bar.parts == ()
    assert [part.words.split(":")[0] for part in inspector.phases_bar.parts] == ["Waiting"]
    assert len(inspector.tokens_table.as_text().splitlines()) == 1  # the columns' names
    assert not inspector.tokens_button.isEnabled()


@pytest.mark.parametrize("opened_later", [False, True])
def test_how_long_a_reply_has_waited_is_shown_while_nothing_comes(desk, qtbot, inspector, opened_later):
    if opened_later:
        desk.insights.inspector_action.trigger()
    desk.send("And then?")
    if opened_later:
        desk.insights.inspector_action.trigger()
    before = inspector.phases_text.text()
    qtbot.waitUntil(lambda: inspector.phases_text.text() != before)
    assert inspector.phases_text.text().startswith("Waiting: ")
    assert inspector.tokens_text.text() == ""
    assert inspector.plot.isHidden()


def test_all_tokens_count_also_those_from_before_it_was_opened(desk, qtbot):
    desk.open()
    desk.send("Why do rivers bend?")
    for text in ("They", " bend", "."):
        desk.engine.say(text)
    desk.insights.inspector_action.trigger()
    assert desk.insights.inspector.tokens_text.text() == "Being written: 3 tokens"


def test_the_tokens_of_another_conversations_reply_are_not_plotted(desk, inspector):
    desk.send("And then?")
    desk.engine.say("One", at=100.0)
    desk.engine.say(" two", at=100.5)
    desk.library.new()
    desk.send("Why?")
    inspector.follow(desk.window.session)
    assert inspector.plot.plot.series[0].points == ()


def test_why_the_memory_cannot_be_measured_is_said_where_it_was_asked_for(desk, inspector):
    desk.models.choose(RemoteModel("http://127.0.0.1/v1", "m"))
    inspector.share_button.click()
    assert "a model of this machine" in inspector.share_text.text()
    assert inspector.share_button.isEnabled()
    desk.models.eject()
    assert "a model of this machine" in inspector.share_text.text(), "a model that goes takes no failure with it"


def test_a_failed_experiment_is_not_said_of_a_reply(desk, inspector):
    before = inspector.share_text.text()
    desk.lab_runs.start(ExperimentName.PHASES, quick=True)
    desk.engine.fail_job(GenerationBroke("It broke."))
    assert inspector.share_text.text() == before


def test_probabilities_are_recorded_of_the_replies_to_come(desk, inspector):
    inspector.record_switch.click()
    desk.send("And then?")
    assert desk.engine.requests[-1].record_probabilities == 5
    desk.engine.finish()
    inspector.record_switch.click()
    desk.send("And then?")
    assert desk.engine.requests[-1].record_probabilities == 0


def test_escape_puts_it_away(desk, qtbot, inspector):
    qtbot.keyClick(inspector, Qt.Key.Key_Escape)
    assert desk.window.panel is None


def test_it_is_painted_dark_and_narrow(desk, inspector):
    desk.window.resize(400, 700)
    inspector.set_theme(load_theme("dark"))
    assert not inspector.grab().isNull()


def test_a_reply_whose_figures_are_not_known_shows_none(desk, inspector):
    desk.send("And then?")
    desk.engine.say("Half")
    unknown = replace(TIMINGS, prepare=None, prefill=None, first_sample=None, decode=None, finish=None)
    desk.engine.finish(trace=Trace(), timings=unknown, usage=Usage(0, None, 0))
    assert inspector.tokens_text.text() == ""
    assert inspector.usage_text.text() == ""
    assert inspector.share_text.text() == "Not known for this reply."
    assert desk.models.config.path == MODEL
