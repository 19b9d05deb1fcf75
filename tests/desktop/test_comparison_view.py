"""The two columns of a comparison."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from desktop.theme import load_theme
from desktop.widgets.action_button import ActionButton
from inference import DeltaKind, FinishReason, GenerationFinished, RequestId, TextDelta, Timings, Trace, Usage
from inference.experiments import Comparison, Mode, Run, RunBegan, RunEnded, Subject

TIMINGS = Timings(0.0, 0.0, 0.1, 0.4, 0.0, 2.0, 0.0, 10, 8)


@pytest.fixture
def view(desk):
    desk.open()
    desk.insights.compare("Why do rivers bend?")
    return desk.insights.comparison


def run_of(number: int, mode: Mode, text: str = "They bend.") -> Run:
    return Run(number, mode, text, FinishReason.STOP, Usage(10, 0, 8), TIMINGS, 0.5 if mode is Mode.ON else 2.5)


def act_out(desk, number: int, mode: Mode) -> Run:
    request, run = RequestId(f"run {number}"), run_of(number, mode)
    desk.engine.progress(0.0, RunBegan(number, 2, mode, request))
    desk.engine.emit(TextDelta(request, "They", DeltaKind.ANSWER, 1, 100.5, 100.5))
    QApplication.processEvents()
    finished = GenerationFinished(request, run.text, FinishReason.STOP, "small", run.usage, TIMINGS, Trace())
    desk.engine.emit(finished)
    desk.engine.progress(0.5, RunEnded(run))
    return run


def finish(desk) -> None:
    runs = act_out(desk, 1, Mode.ON), act_out(desk, 2, Mode.OFF)
    desk.engine.finish_job(Comparison("Why do rivers bend?", Subject("small"), 1, runs, "2026-01-01T00:00:00+00:00"))


def test_a_prompt_is_compared_at_once_and_the_button_stops_it(desk, qtbot, view):
    assert desk.window.view is view
    assert desk.engine.jobs[-1].request.messages[-1].content == "Why do rivers bend?"
    assert view.start_button.text() == "Stop"
    assert view.status.text() == "Waiting for its turn"
    view.start_button.setFocus()
    qtbot.keyClick(view.start_button, Qt.Key.Key_Space)
    assert desk.engine.cancelled == [desk.engine.jobs[-1].id]


def test_streaming_shows_words_as_they_come_and_the_other_column_counts_them(desk, qtbot, view):
    request = RequestId("run 1")
    desk.engine.progress(0.0, RunBegan(1, 2, Mode.ON, request))
    desk.engine.emit(TextDelta(request, "They bend", DeltaKind.ANSWER, 2, 100.5, 100.5))
    on, off = (view.columns[mode].reply for mode in Mode)
    qtbot.waitUntil(lambda: "They bend" in on.plain_text())
    other = RequestId("run 2")
    desk.engine.progress(0.5, RunBegan(2, 2, Mode.OFF, other))
    desk.engine.emit(TextDelta(other, "They bend", DeltaKind.ANSWER, 2, 110.5, 110.5))
    QApplication.processEvents()
    assert "They bend" not in off.plain_text()
    assert view.status.text() == "Run 2 of 2, streaming off"


def test_looking_again_keeps_saying_which_run_it_is(desk, view):
    desk.engine.progress(0.0, RunBegan(1, 2, Mode.ON, RequestId("run 1")))
    desk.window.close_view()
    desk.insights.compare_draft()
    assert desk.window.view is view
    assert view.status.text() == "Run 1 of 2, streaming on"


def test_what_came_out_is_shown_with_its_sentence_its_table_and_its_timeline(desk, view):
    finish(desk)
    assert not view.findings.isHidden()
    assert view.findings.verdict.text().startswith("Streaming showed the first words 2.00\u00a0s sooner;")
    assert view.findings.verdict.accessibleName().startswith("Streaming showed the first words 2.00 s sooner;")
    assert view.findings.plot.plot.title == "When how much could be read"
    assert "First paint (s)" in view.findings.table.as_text()
    assert "warm-up" in view.findings.notes.text()
    assert view.start_button.text() == "Compare"
    for mode in Mode:
        assert "They bend." in view.columns[mode].reply.plain_text()
    assert view.columns[Mode.ON].clocks.text() == "First words 0.50 s · whole 2.50 s"


def test_the_answer_stands_above_the_replies_and_is_seen_without_scrolling(desk, view):
    assert view.findings.verdict.isHidden()
    desk.window.resize(1080, 720)
    finish(desk)
    QApplication.processEvents()
    verdict = view.findings.verdict
    assert verdict.mapTo(view, QPoint(0, 0)).y() < view.columns[Mode.ON].mapTo(view, QPoint(0, 0)).y()
    assert not verdict.visibleRegion().isEmpty()
    assert verdict.visibleRegion().boundingRect().height() == verdict.height()


def test_words_on_the_screen_have_paint_times(desk, view):
    finish(desk)
    first = view.findings.result.runs[0].paint
    assert first is not None
    assert first.last >= first.first


def test_earlier_ones_are_offered_opened_and_deleted(desk, qtbot, view):
    finish(desk)
    assert view.kept.count() == 2
    desk.insights.compare("")
    view.findings.show_result(None, "")
    view.kept.setCurrentIndex(1)
    view.kept.picked.emit(view.kept.value)
    assert view.findings.result.prompt == "Why do rivers bend?"
    view.delete_button.click()
    assert desk.store.comparisons() == ()
    assert view.findings.isHidden()


def test_runs_and_tokens_are_chosen_here(desk, view):
    finish(desk)
    view.runs.show_number(9)
    view.tokens.show_number(500)
    view.start_button.click()
    job = desk.engine.jobs[-1]
    assert (job.runs, job.request.max_tokens) == (9, 500)


def test_without_a_prompt_it_asks_for_one(desk, view):
    finish(desk)
    view.prompt.setPlainText("  ")
    view.start_button.click()
    assert len(desk.engine.jobs) == 1
    assert view.status.text() == "Type a prompt, then compare."


def test_columns_stand_below_each_other_where_it_is_narrow(desk, qtbot, view):
    finish(desk)
    on, off = (view.columns[mode] for mode in Mode)
    desk.window.resize(1000, 700)
    qtbot.waitUntil(lambda: on.y() == off.y())
    desk.window.resize(420, 700)
    qtbot.waitUntil(lambda: off.y() > on.y())
    assert off.width() > 300


def test_a_reply_in_a_column_is_only_read(desk, view):
    finish(desk)
    view.columns[Mode.ON].reply.set_theme(load_theme("dark"))
    assert view.columns[Mode.ON].reply.viewport().findChildren(ActionButton) == []


def test_the_first_words_of_a_failure_are_said_in_place(desk, view):
    from inference import GenerationBroke

    desk.engine.fail_job(GenerationBroke("it was told to"))
    assert "it was told to" in view.status.text()
    assert view.start_button.text() == "Compare"
