"""A comparison being run for the window: the paint times, and what is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.comparison import ComparisonPhase, Comparisons
from desktop.wishes import ReplyChoices
from inference import (
    DeltaKind,
    FinishReason,
    GenerationBroke,
    GenerationFinished,
    Message,
    RemoteModel,
    RequestId,
    Role,
    TextDelta,
    Timings,
    Trace,
    Usage,
)
from inference.experiments import Comparison, Mode, Run, RunBegan, RunEnded, Subject
from tests.inference.experiments.test_comparison import of

TIMINGS = Timings(0.0, 0.0, 0.1, 0.4, 0.0, 2.0, 0.0, 10, 8)  # the first token after half a second
SUBJECT = Subject("Small", "Q4_1", "CPU", 1, 4096)


class Clocks:
    """The moment, and the work of the window's thread, as a test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.work = 5.0


class Scripted:
    """Acts out the runs of a comparison, event by event."""

    def __init__(self, desk) -> None:
        self.desk = desk
        self.clocks = Clocks()
        self.comparisons = Comparisons(
            desk.store, desk.engine, desk.models, clock=lambda: self.clocks.now, worked=lambda: self.clocks.work
        )
        desk.engine.listeners.append(self.comparisons.on_event)
        self.runs: list[Run] = []

    def start(self, prompt: str = "Why?") -> bool:
        return self.comparisons.start(self.desk.library.current, prompt, runs=1, max_tokens=20)

    def begin(self, number: int, mode: Mode) -> RequestId:
        request = RequestId(f"run {number}")
        self.desk.engine.progress(0.0, RunBegan(number, 2, mode, request))
        return request

    def say(self, request: RequestId, text: str, first_token_at: float) -> None:
        self.desk.engine.emit(TextDelta(request, text, DeltaKind.ANSWER, 1, first_token_at, first_token_at))

    def end(self, number: int, mode: Mode, text: str = "They bend.", painted_at: tuple[float, ...] = ()) -> None:
        usage = Usage(10, 0, 8)
        run = Run(number, mode, text, FinishReason.STOP, usage, TIMINGS, 0.5)
        self.desk.engine.emit(
            GenerationFinished(RequestId(f"run {number}"), text, FinishReason.STOP, "small", usage, TIMINGS, Trace())
        )
        for moment in painted_at:
            self.clocks.now = moment
            self.comparisons.painted(mode)
        self.clocks.work += 0.016
        self.desk.engine.progress(0.5, RunEnded(run))
        self.runs.append(run)

    def finish(self) -> Comparison:
        made = Comparison("Why?", SUBJECT, 1, tuple(self.runs), "2026-01-01T00:00:00+00:00")
        ended: list[Comparison] = []
        self.comparisons.ended.connect(ended.append)
        self.desk.engine.finish_job(made)
        return ended[0]


@pytest.fixture
def script(desk):
    desk.open()
    return Scripted(desk)


def test_it_is_one_job_of_the_conversation_with_what_is_asked_at_its_end(desk, script):
    desk.talk("Why do rivers bend?", "Water.")
    assert script.start("And then?")
    job = desk.engine.jobs[-1]
    assert [message.content for message in job.request.messages] == ["Why do rivers bend?", "Water.", "And then?"]
    assert (job.runs, job.request.max_tokens) == (1, 20)
    assert script.comparisons.phase is ComparisonPhase.WAITING
    assert desk.engine.requests[-1].messages[-1].content != "And then?"  # nothing of it is sent


def test_paint_times_count_from_t0_and_work_is_this_threads(script):
    script.start()
    script.begin(0, Mode.ON)
    request = script.begin(1, Mode.ON)
    script.say(request, "They", first_token_at=100.5)  # so t0 was 100.0
    script.clocks.now = 100.54
    script.comparisons.painted(Mode.ON)
    script.end(1, Mode.ON, painted_at=(102.6,))
    off = script.begin(2, Mode.OFF)
    script.say(off, "They", first_token_at=110.5)
    script.end(2, Mode.OFF, painted_at=(112.6, 112.7))  # the same picture once more
    on, withheld = (run.paint for run in script.finish().runs)
    assert (on.first, on.last) == pytest.approx((0.54, 2.6))
    assert on.rate == pytest.approx(8 / 2.06)
    assert on.work_per_token == pytest.approx(0.016 / 8)
    assert withheld.first == withheld.last == pytest.approx(2.6)
    assert withheld.rate is None


def test_text_is_handed_on_with_streaming_on_and_withheld_without(qtbot, script):
    script.start()
    shown, counted, whole = [], [], []
    script.comparisons.text_grew.connect(lambda mode, text: shown.append((mode, text)))
    script.comparisons.wrote.connect(lambda mode, tokens: counted.append((mode, tokens)))
    script.comparisons.run_finished.connect(lambda mode, text: whole.append((mode, text)))
    for number, mode in ((1, Mode.ON), (2, Mode.OFF)):
        script.say(script.begin(number, mode), "They", first_token_at=100.5)
        script.end(number, mode)
    assert shown == [(Mode.ON, "They")]
    assert counted == [(Mode.OFF, 1)]
    assert whole == [(Mode.ON, "They bend."), (Mode.OFF, "They bend.")]


def test_a_run_that_nobody_saw_has_no_paint_times(script):
    script.start()
    script.say(script.begin(1, Mode.ON), "They", first_token_at=100.5)
    script.end(1, Mode.ON)
    assert script.finish().runs[0].paint is None


def test_a_run_that_somebody_saw_the_beginning_of_only_has_no_paint_times(script):
    script.start()
    script.say(script.begin(1, Mode.ON), "They", first_token_at=100.5)
    script.clocks.now = 100.54
    script.comparisons.painted(Mode.ON)
    script.end(1, Mode.ON)  # the view was left meanwhile
    assert script.finish().runs[0].paint is None


def test_a_comparison_is_kept_with_its_conversation_and_opened_again(desk, qtbot, script):
    desk.talk("Why do rivers bend?", "Water.")
    script.start()
    for number, mode in ((1, Mode.ON), (2, Mode.OFF)):
        script.begin(number, mode)
        script.end(number, mode)
    made = script.finish()
    (kept,) = script.comparisons.kept()
    assert (kept.title, kept.conversation) == ("Why?", desk.library.current.conversation.id)
    with qtbot.waitSignal(script.comparisons.ended) as opened:
        assert script.comparisons.open(kept.id)
    assert opened.args == [made]
    script.comparisons.delete(kept.id)
    assert script.comparisons.kept() == ()


def test_of_a_temporary_conversation_nothing_is_kept(desk, script):
    desk.library.new(temporary=True)
    script.start()
    assert desk.engine.jobs[-1].request.is_private
    for number, mode in ((1, Mode.ON), (2, Mode.OFF)):
        script.begin(number, mode)
        script.end(number, mode)
    script.finish()
    assert script.comparisons.kept() == ()


def test_one_that_was_stopped_before_both_ways_were_run_is_shown_and_not_kept(script):
    script.start()
    script.begin(1, Mode.ON)
    script.end(1, Mode.ON)
    assert script.finish().shown is None
    assert script.comparisons.kept() == ()


def test_stopping_cancels_the_job_and_a_failure_is_said(desk, qtbot, script):
    script.start()
    script.comparisons.stop()
    assert desk.engine.cancelled[-1] == desk.engine.jobs[-1].id
    with qtbot.waitSignal(script.comparisons.failed) as said:
        desk.engine.fail_job(GenerationBroke("it was told to"))
    assert "it was told to" in said.args[0]
    assert not script.comparisons.is_running


def test_without_a_model_of_this_machine_it_says_what_to_do(desk, qtbot, script):
    desk.models.choose(RemoteModel("http://127.0.0.1/v1", "m"))
    with qtbot.waitSignal(script.comparisons.failed) as said:
        assert not script.start()
    assert "a model of this machine" in said.args[0]
    assert desk.engine.jobs == []


def test_past_replies_are_compared_by_their_kept_figures(desk, qtbot, script):
    desk.talk("Why?", "They", " bend")
    desk.window.choices.streaming_switch.setChecked(False)
    desk.talk("Why not?", "They", " do")
    with qtbot.waitSignal(script.comparisons.ended) as ended:
        assert script.comparisons.of_replies(desk.library.current)
    (made,) = ended.args
    assert made.kept
    assert [run.mode for run in made.runs] == [Mode.ON, Mode.OFF]
    assert made.runs[0].first_text == made.runs[0].timings.ttft
    assert made.runs[1].first_text == made.runs[1].timings.total
    assert made.difference
    assert script.comparisons.kept() == ()  # its replies are kept already


def test_of_past_replies_the_first_text_is_the_answers_not_the_thoughts(desk, qtbot, script):
    desk.send("Why?")
    for number in range(5):
        desk.engine.think(f"Hm {number}.")
    desk.engine.say("They bend.")
    desk.engine.finish()
    desk.window.choices.streaming_switch.setChecked(False)
    desk.send("Why not?")
    desk.engine.think("Only thoughts.")
    desk.engine.finish()
    with qtbot.waitSignal(script.comparisons.ended) as ended:
        script.comparisons.of_replies(desk.library.current)
    on, off = ended.args[0].runs
    assert on.first_text == pytest.approx(on.timings.ttft + 0.4)
    assert off.first_text is None  # there was no answer


def test_the_replies_to_one_question_go_before_all_others(desk, qtbot, script):
    desk.talk("Why?", "One")
    desk.window.choices.streaming_switch.setChecked(False)
    desk.talk("Why not?", "Two")
    session = desk.library.current
    session.regenerate(session.turns[-1].id, ReplyChoices(streaming=True))
    desk.engine.say("Three")
    desk.engine.finish()
    with qtbot.waitSignal(script.comparisons.ended) as ended:
        script.comparisons.of_replies(session)
    assert [run.text for run in ended.args[0].runs] == ["Two", "Three"]
    assert ended.args[0].prompt == "Why not?"


def test_replies_whose_figures_are_not_of_their_whole_text_are_not_compared(desk, qtbot, script):
    session = desk.library.current
    desk.talk("Why?", "They", " bend")
    desk.window.choices.streaming_switch.setChecked(False)
    desk.send("Why not?")
    desk.engine.say("They")
    desk.engine.finish(FinishReason.LENGTH)
    assert session.continue_reply(session.turns[-1].id, ReplyChoices(streaming=False))
    desk.engine.say(" do.")
    desk.engine.finish(begun_ids=(1,))
    assert session.edit_reply(session.turns[-1].id, "They do not.")
    with qtbot.waitSignal(script.comparisons.ended) as ended:
        script.comparisons.of_replies(session)
    assert [run.text for run in ended.args[0].runs] == ["They bend", "They"]  # both stand on as they were made


def test_replies_made_one_way_only_are_not_compared(desk, qtbot, script):
    desk.talk("Why?", "They", " bend")
    with qtbot.waitSignal(script.comparisons.failed) as said:
        assert not script.comparisons.of_replies(desk.library.current)
    assert "nothing to compare yet" in said.args[0]


def test_a_kept_one_that_cannot_be_read_is_said(desk, qtbot, script):
    kept = desk.store.keep_comparison("Why?", {"runs": 3})
    with qtbot.waitSignal(script.comparisons.failed):
        assert not script.comparisons.open(kept.id)


def test_the_system_prompt_and_sampling_of_the_conversation_go_along(desk, script):
    from inference import Sampling

    session = desk.library.current
    session.set_prompt_and_sampling("Be brief.", Sampling(temperature=0.5))
    script.start()
    request = desk.engine.jobs[-1].request
    assert request.messages[0] == Message(Role.SYSTEM, "Be brief.")
    assert request.sampling.temperature == 0.5


def test_a_comparison_of_what_is_known_is_shown_as_it_is():
    assert replace(of([(0.5, 7.0)], [(7.0, 7.0)]), kept=True).notes[0].startswith("Put together")
