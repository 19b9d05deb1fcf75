"""Streaming on and off: the known answer of a model whose every second is known, and the real one's."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import ModelConfig, RemoteModel
from inference.errors import InvalidRequest, PromptTooLong
from inference.events import FinishReason, GenerationFinished, JobFinished, JobProgress, Timings, Usage
from inference.experiments.comparison import (
    METRICS,
    CompareJob,
    Comparison,
    Mode,
    Paint,
    Run,
    RunBegan,
    RunEnded,
    comparison_from,
    comparison_of_replies,
    kept_comparison,
)
from inference.experiments.results import Subject
from inference.experiments.samples import Statistic
from inference.experiments.surroundings import Surroundings
from inference.messages import Message, Role
from inference.model_names import embedded_model
from inference.requests import GenerationRequest, Sampling
from tests.deep_types import assert_of_its_types
from tests.fakes import config
from tests.inference.experiments.lending import READ, WRITE, Lent, timed
from tests.odd_values import damaged

SUBJECT = Subject("small", "Q4_1", "CPU", 1, 4096)
THREE = (("Hello", " there", "."),)


def figure(found: Comparison, key: str, mode: Mode) -> Statistic:
    known = found.statistic(key, mode)
    assert known is not None
    return known


def request(text: str = "Hi", **facts: object) -> GenerationRequest:
    asked = GenerationRequest(config(), (Message(Role.USER, text),))
    return replace(asked, **facts)  # type: ignore[arg-type]  # a test names the facts it needs


def compared(lent: Lent, job: CompareJob) -> Comparison:
    result = lent.result(job)
    assert isinstance(result, Comparison)
    return result


def run(mode: Mode, first: float, total: float, number: int = 1, text: str = "Yes.") -> Run:
    timings = Timings(0.0, 0.0, 0.0, first if mode is Mode.ON else 0.5, 0.0, total - first, 0.0, 10, 8)
    timings = replace(timings, finish=total - timings.queued - 0.0 - (timings.prefill or 0) - (timings.decode or 0))
    return Run(number, mode, text, FinishReason.STOP, Usage(10, 0, 8), timings, first)


def of(on: list[tuple[float, float]], off: list[tuple[float, float]], **facts: object) -> Comparison:
    runs = [
        *(run(Mode.ON, *times, number=2 * n + 1) for n, times in enumerate(on)),
        *(run(Mode.OFF, *times, number=2 * n + 2) for n, times in enumerate(off)),
    ]
    made = Comparison("Why?", SUBJECT, len(on), tuple(runs), "2026-01-01T00:00:00+00:00")
    return replace(made, **facts)  # type: ignore[arg-type]  # as above


def test_with_a_model_of_known_timing_the_answer_is_the_known_one() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = compared(lent, CompareJob(request(), runs=3))
    read = found.runs[0].usage.input_tokens * READ
    for mode, first in ((Mode.ON, read), (Mode.OFF, read + 3 * WRITE)):
        assert figure(found, "first_text", mode).samples == pytest.approx([first] * 3)
        assert figure(found, "total", mode).samples == pytest.approx([read + 3 * WRITE] * 3)
        assert figure(found, "ttft", mode).samples == pytest.approx([read] * 3)
        assert figure(found, "decode_rate", mode).samples == pytest.approx([1 / WRITE] * 3)
    assert found.sentence == (
        "Streaming showed the first words 0.30 s sooner; the whole answer took the same time: "
        f"{read + 0.3:.2f} s and {read + 0.3:.2f} s, n = 3."
    )
    assert found.shown is True
    assert found.is_whole
    assert {each.text for each in found.runs} == {"Hello there."}


def test_the_order_alternates_and_the_warm_up_is_not_counted() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = compared(lent, CompareJob(request(), runs=3))
    assert [str(each.mode) for each in found.runs] == ["on", "off", "off", "on", "on", "off"]
    assert [each.number for each in found.runs] == [1, 2, 3, 4, 5, 6]
    began = [e.step for e in lent.said if isinstance(e, JobProgress) and isinstance(e.step, RunBegan)]
    assert began[0].is_warm_up
    assert [step.is_warm_up for step in began[1:]] == [False] * 6
    assert "warm-up" in found.notes[0]
    assert "on 1, off 2, off 3, on 4, on 5, off 6" in found.notes[0]


def test_every_run_begins_with_the_same_kv_cache() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    before = lent.loan.answer(request("A question of another day"))
    held = [event for event in before if isinstance(event, GenerationFinished)]
    assert held
    found = compared(lent, CompareJob(request("A question of today"), runs=2))
    cached = {each.usage.cached_tokens for each in found.runs}
    assert len(cached) == 1
    assert cached != {0}  # the beginning of the template and of the question was there
    assert cached != {found.runs[0].usage.input_tokens}


def test_each_run_announces_itself_and_its_end() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    compared(lent, CompareJob(request(), runs=1))
    began = [e.step for e in lent.said if isinstance(e, JobProgress) and isinstance(e.step, RunBegan)]
    ended = [e.step for e in lent.said if isinstance(e, JobProgress) and isinstance(e.step, RunEnded)]
    finished = [e.request for e in lent.said if isinstance(e, GenerationFinished)]
    assert [step.request for step in began] == finished
    assert [step.run.number for step in ended] == [1, 2]
    assert lent.fractions == sorted(lent.fractions)
    assert lent.fractions[-1] == 1.0


def test_a_comparison_without_a_seed_gets_one_and_keeps_one_that_was_chosen() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    assert compared(lent, CompareJob(request(), runs=1)).seed == 1
    chosen = request(sampling=Sampling(seed=42))
    assert compared(lent, CompareJob(chosen, runs=1)).seed == 42


def test_a_stopped_comparison_keeps_the_runs_that_were_whole() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = lent.result(CompareJob(request(), runs=3), lent.stop_after(5))
    assert isinstance(found, Comparison)
    assert 0 < len(found.runs) < 6
    assert not found.is_whole
    assert "stopped early" in " ".join(found.notes)


def test_a_comparison_stopped_before_both_ways_were_run_says_so() -> None:
    found = of([(0.5, 7.0)], [], wanted=3)
    assert found.shown is None
    assert found.sentence == "Nothing can be compared: no answer was made both ways."


def test_a_prompt_that_does_not_fit_fails_the_job() -> None:
    lent = Lent(timed(context_size=64))
    with pytest.raises(PromptTooLong):
        lent.result(CompareJob(request("long " * 100)))


@pytest.mark.parametrize("runs", [0, 10, -1])
def test_one_to_nine_runs_are_made(runs: int) -> None:
    with pytest.raises(InvalidRequest):
        CompareJob(request(), runs)


def test_a_servers_model_is_not_compared() -> None:
    with pytest.raises(InvalidRequest):
        CompareJob(request(model=RemoteModel("http://127.0.0.1/v1")))


def test_the_sentence_says_what_streaming_did() -> None:
    sooner = of([(0.7, 7.0), (0.71, 7.1), (0.72, 7.2)], [(7.0, 7.0), (7.1, 7.1), (7.05, 7.05)])
    assert sooner.sentence == (
        "Streaming showed the first words 6.34 s sooner; the whole answer took the same time: 7.10 s and 7.05 s, n = 3."
    )
    assert sooner.shown is True


def test_a_display_that_costs_speed_is_seen() -> None:
    slower = of([(0.7, 9.0), (0.71, 9.1), (0.72, 9.2)], [(7.0, 7.0), (7.1, 7.1), (7.05, 7.05)])
    assert "the whole answer took 2.05 s longer with streaming: 9.10 s and 7.05 s" in slower.sentence
    assert slower.shown is False


def test_a_difference_that_other_programs_may_have_made_is_not_laid_to_streaming() -> None:
    less = of([(0.7, 9.0), (0.71, 9.1), (0.72, 9.2)], [(12.0, 12.0), (12.1, 12.1), (12.05, 12.05)])
    busy = replace(less, runs=(replace(less.runs[0], surroundings=Surroundings(others=0.9)), *less.runs[1:]))
    doubt = " Other programs took a share of the processors, so that may be their doing: compare again without them."
    assert busy.sentence == less.sentence + doubt
    same = of([(0.7, 7.0)], [(7.0, 7.0)])
    all_the_same = replace(same, runs=(replace(same.runs[0], surroundings=Surroundings(others=0.9)), same.runs[1]))
    assert all_the_same.sentence == same.sentence


def test_words_that_come_no_sooner_are_said_to() -> None:
    alike = of([(7.0, 7.0), (7.1, 7.1)], [(7.0, 7.0), (7.1, 7.1)])
    assert alike.sentence.startswith("Streaming showed the first words no sooner (7.05 s and 7.05 s);")
    assert alike.shown is False


def test_one_run_each_is_said_to_have_no_spread() -> None:
    assert "one run each, so no spread is known." in of([(0.5, 7.0)], [(7.1, 7.1)]).sentence


def test_texts_that_differ_are_pointed_out() -> None:
    same = of([(0.5, 7.0)], [(7.0, 7.0)])
    assert same.difference == ""
    other = replace(same, runs=(same.runs[0], replace(same.runs[1], text="Yet.")))
    assert other.difference.startswith(
        "The texts differ: run 2 (streaming off) goes another way than run 1 from character 3"
    )
    longer = replace(same, runs=(same.runs[0], replace(same.runs[1], text="Yes. And more.")))
    assert "from character 5 on" in longer.difference
    assert other.difference in other.notes


def test_what_a_window_saw_is_added_by_the_numbers_of_the_runs() -> None:
    found = of([(0.5, 7.0)], [(7.0, 7.0)]).with_paints(
        {1: Paint(0.52, 6.9, 100, 0.05), 2: Paint(7.02, 7.02, 100, 0.01)}
    )
    assert figure(found, "first_paint", Mode.ON).median == 0.52
    assert figure(found, "painted_rate", Mode.ON).median == pytest.approx(100 / 6.38)
    assert found.statistic("painted_rate", Mode.OFF) is None  # one paint has no rate
    assert figure(found, "gui_per_token", Mode.ON).median == pytest.approx(0.0005)
    assert [row[0] for row in found.table().rows if "Painted" in str(row[0])] == ["Painted (tok/s)"]


def test_the_timeline_shows_words_as_they_come_and_all_at_once() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    on, off = compared(lent, CompareJob(request(), runs=1)).timeline().series
    assert [count for _, count in on.points[:2]] == [0.0, 0.0]
    assert [count for _, count in on.points] == sorted(count for _, count in on.points)
    assert {count for _, count in off.points} == {0.0, 4.0}
    assert on.points[-1][1] == off.points[-1][1] == 4.0


def test_no_line_of_the_timeline_goes_back_in_time() -> None:
    found = of([(0.5, 7.0)], [(7.0001, 7.0)])  # handed over a moment after the last event's own clock
    for series in found.timeline().series:
        assert [at for at, _ in series.points] == sorted(at for at, _ in series.points)


def test_the_timeline_draws_nothing_where_it_is_not_known_when_tokens_came() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = compared(lent, CompareJob(request(), runs=1))
    unknown = replace(found, runs=tuple(replace(run, token_times=()) for run in found.runs))
    assert [series.name for series in unknown.timeline().series] == ["streaming off"]


def test_a_token_can_be_read_from_its_own_moment_on() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = compared(lent, CompareJob(request(), runs=1))
    on = found.timeline().series[0]
    times = next(run.token_times for run in found.runs if run.mode is Mode.ON)
    assert set(zip(times, (1.0, 2.0, 3.0, 4.0), strict=True)) <= set(on.points)


def test_a_comparison_that_was_kept_comes_back_as_it_was() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    found = compared(lent, CompareJob(request(), runs=2)).with_paints({1: Paint(0.1, 0.2, 4, 0.001)})
    assert comparison_from(json.loads(json.dumps(kept_comparison(found)))) == found


@pytest.mark.parametrize("content", [{}, {"runs": [{}]}, {"runs": None}])
def test_what_is_no_comparison_is_refused(content: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="comparison"):
        comparison_from(content)


@given(st.data())
def test_a_kept_comparison_that_was_damaged_is_refused_or_can_be_told(data: st.DataObject) -> None:
    made = [replace(run(Mode.ON, 0.5, 7.0), paint=Paint(0.1, 0.2, 4, 0.001)), run(Mode.OFF, 7.1, 7.1)]
    sound = kept_comparison(comparison_of_replies("Why?", SUBJECT, made))
    try:
        found = comparison_from(data.draw(damaged(sound)))
    except ValueError:
        return
    assert_of_its_types(found)
    told: list[object] = [found.sentence, found.shown, found.difference, found.notes, found.subject.words]
    told += [found.statistic(metric.key, mode) for metric in METRICS for mode in Mode]
    assert all(each is None or repr(each) for each in told)


def test_replies_that_were_made_before_are_compared_by_their_kept_figures() -> None:
    made = [run(Mode.ON, 0.5, 7.0), run(Mode.OFF, 7.1, 7.1)]
    found = comparison_of_replies("Why?", SUBJECT, made)
    assert [each.number for each in found.runs] == [1, 2]
    assert found.shown is True
    assert found.notes[0].startswith("Put together from replies that were made before")


def test_figures_have_one_key_each() -> None:
    assert len({metric.key for metric in METRICS}) == len(METRICS)


@pytest.mark.model
def test_with_a_real_model_the_totals_are_the_same_over_alternating_blocks() -> None:
    from inference.client import connect

    path = embedded_model()
    assert path is not None
    differences: list[float] = []
    comparisons: list[Comparison] = []
    with connect(ModelConfig(path, threads=1)) as client:
        asked = client.request("Tell me about rivers.", max_tokens=16, temperature=0.0)
        # A difference that streaming makes is there each time; one that the machine makes is not.
        while len(differences) < 5 and min(differences, default=1.0) >= 0.10:
            (end,) = [event for event in client.run(CompareJob(asked, runs=5)) if isinstance(event, JobFinished)]
            assert isinstance(end.result, Comparison)
            comparisons.append(end.result)
            on, off = (figure(end.result, "total", mode) for mode in Mode)
            differences.append(abs(on.low / off.low - 1))
    found = comparisons[-1]
    assert min(differences) < 0.10, differences
    assert figure(found, "first_text", Mode.ON).low < 0.7 * figure(found, "first_text", Mode.OFF).low
    assert not found.difference
    for mode in Mode:  # the least of each: a machine that stands still in between makes others late
        runs = [each for each in found.runs if each.mode is mode]
        times = [(each.first_text, each.timings.ttft if mode is Mode.ON else each.timings.total) for each in runs]
        later = [text - ended for text, ended in times if text is not None and ended is not None]
        assert len(later) == len(runs)
        assert min(later) == pytest.approx(0, abs=0.02)


def test_times_that_are_the_same_by_their_spread_alone_say_the_spread() -> None:
    noisy = of([(0.5, 3.2), (0.5, 4.7)], [(3.5, 3.5), (3.7, 3.7)])
    assert (
        "took the same time within the spread: 3.95 s (3.20 s to 4.70 s) and 3.60 s (3.50 s to 3.70 s)"
        in noisy.sentence
    )


def test_what_a_person_typed_stands_for_the_last_message() -> None:
    lent = Lent(timed(replies=THREE, endless=False))
    assert compared(lent, CompareJob(request("Why?\n\nAnd how?"), 1, "And how?")).prompt == "And how?"
