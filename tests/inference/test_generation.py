"""One generation: its events, its figures, its end, and what is left in the KV cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import GenerationBroke, PromptTooLong, TemplateFailed
from inference.events import (
    DeltaKind,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    ReuseEnd,
    TextDelta,
)
from inference.generation import Arrival, Generation
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest
from tests.fakes import END, ManualClock, Script, ScriptedModel, config


class Bench:
    """A scripted model and the generations it is asked for."""

    def __init__(self, script: Script | None = None) -> None:
        self.stop_flag = StopFlag()
        self.clock = ManualClock()
        self.script = replace(script or Script(), clock=self.clock)
        self.model = ScriptedModel(self.script, config(), self.stop_flag)
        self.prompts = PromptBuilder(self.model, self.stop_flag.is_set)
        self.cache = PrefixCache(1 << 20)

    def run(self, *said: Message | str, **wishes: object) -> list[GenerationEvent]:
        messages = tuple(Message(Role.USER, text) if isinstance(text, str) else text for text in said)
        request = GenerationRequest(config(), messages, **wishes)  # type: ignore[arg-type]  # a test's wishes
        arrival = Arrival(self.clock(), 0.0, 0.0)
        return list(
            Generation(request, self.model, self.prompts, self.cache, self.stop_flag, arrival, self.clock).events()
        )

    def finish(self, *said: Message | str, **wishes: object) -> GenerationFinished:
        last = self.run(*said, **wishes)[-1]
        assert isinstance(last, GenerationFinished)
        return last


_MOST_READ_AGAIN = 64  # tokens: what is not worth a call of its own, and the beginning of a turn


def text_of(events: Sequence[GenerationEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def cached_in(finished: GenerationFinished) -> int:
    assert finished.usage.cached_tokens is not None
    return finished.usage.cached_tokens


def reply_of(finished: GenerationFinished) -> Message:
    return Message(Role.ASSISTANT, finished.text, finished.trace.kept_ids, finished.reasoning)


def test_a_reply_comes_as_deltas_and_ends_with_the_same_text() -> None:
    events = Bench().run("Hi")
    last = events[-1]
    assert isinstance(last, GenerationFinished)
    assert text_of(events) == last.text == "Hello there."
    assert last.finish_reason is FinishReason.STOP
    assert last.usage.output_tokens == 4, "the end token was sampled too"
    assert last.trace.token_ids[-1] == END
    assert len(last.trace.kept_ids) == 3, "the end token is none of the text"


def test_every_figure_follows_its_definition() -> None:
    bench = Bench(Script(replies=(("a", "b", "c"),), seconds_per_prompt_token=0.01, seconds_per_token=0.5))
    request = GenerationRequest(config(), (Message(Role.USER, "Hi"),))
    generation = Generation(
        request,
        bench.model,
        bench.prompts,
        bench.cache,
        bench.stop_flag,
        Arrival(bench.clock() - 3.0, 1.0, 2.0),
        bench.clock,
    )
    last = list(generation.events())[-1]
    assert isinstance(last, GenerationFinished)
    timings, read = last.timings, last.usage.input_tokens
    assert timings.queued == 1.0
    assert timings.load == 2.0
    assert timings.prepare == 0.0
    assert timings.prefill == pytest.approx(0.01 * read)
    assert timings.prefill_rate == pytest.approx(100)
    assert timings.first_sample == 0.0
    assert timings.decode == pytest.approx(1.5), "four tokens sampled, the end token among them: three steps"
    assert timings.decode_rate == pytest.approx(3 / 1.5)
    assert timings.ttft == pytest.approx(1.0 + 0.01 * read), "load is no part of it"
    assert timings.total == pytest.approx(3.0 + 0.01 * read + 1.5)
    assert last.trace.token_times[0] == pytest.approx(3.0 + 0.01 * read)


def test_one_sampled_token_has_no_decode_rate() -> None:
    finished = Bench(Script(seconds_per_token=0.5)).finish("Hi", max_tokens=1)
    assert finished.finish_reason is FinishReason.LENGTH
    assert finished.usage.output_tokens == 1
    assert finished.timings.decode_rate is None


def test_prefill_tells_true_counts_at_batch_borders_and_ends_complete() -> None:
    bench = Bench(Script(batch_size=16))
    progress = [event for event in bench.run("x" * 65) if isinstance(event, PrefillProgress)]
    new = progress[0].new_tokens
    assert [event.evaluated for event in progress] == [*range(0, new, 16), new]
    assert all(event.batch_end == min(event.evaluated + 16, new) for event in progress)
    assert [len(batch) for batch in bench.model.read if len(batch) > 1] == [16] * (new // 16) + [new % 16]


def test_the_next_turn_reads_only_what_is_new() -> None:
    bench = Bench()
    first = bench.finish("Hi")
    held = len(bench.model.tokens)
    second = bench.finish("Hi", reply_of(first), "And?")
    assert second.usage.cached_tokens == held
    assert second.timings.prefill_tokens == second.usage.input_tokens - held
    assert second.trace.reuse_end is ReuseEnd.NEW_TEXT
    assert first.trace.reuse_end is ReuseEnd.FIRST_TURN
    assert [block.cached == block.tokens for block in second.trace.blocks] == [True, True, False]
    assert sum(block.tokens for block in second.trace.blocks) == second.usage.input_tokens
    assert sum(block.cached for block in second.trace.blocks) == held


def test_an_edited_turn_reuses_only_what_comes_before_it() -> None:
    bench = Bench()
    first = bench.finish("Hello")
    edited = bench.finish("Help", reply_of(first), "And?")
    assert edited.trace.reuse_end is ReuseEnd.TURN_CHANGED
    assert 0 < (cached_in(edited) or 0) < first.usage.input_tokens


def test_why_reuse_ended_is_told_in_terms_of_the_conversation() -> None:
    bench = Bench()
    system, other = Message(Role.SYSTEM, "Be short."), Message(Role.SYSTEM, "Be kind.")
    first = bench.finish(system, "Hello")
    assert first.trace.reuse_end is ReuseEnd.FIRST_TURN
    changed = bench.finish(other, "Hello", reply_of(first), "And?")
    assert changed.trace.reuse_end is ReuseEnd.SYSTEM_CHANGED
    assert changed.trace.reuse_ended_in == 0
    edited = bench.finish(other, "Help", reply_of(first), "And?")
    assert edited.trace.reuse_end is ReuseEnd.TURN_CHANGED
    assert edited.trace.reuse_ended_in == 1
    reloaded = Bench().finish(system, "Hello", reply_of(first), "And?")
    assert reloaded.trace.reuse_end is ReuseEnd.MODEL_RELOADED


def test_a_template_whose_own_text_changes_is_named_as_the_reason() -> None:
    counting = "{{ bos_token }}[{{ messages | length }}]{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}"
    bench = Bench(Script(template=counting))
    first = bench.finish("Hello")
    second = bench.finish("Hello", reply_of(first), "And?")
    assert second.trace.reuse_end is ReuseEnd.TEMPLATE_CHANGED


def test_the_same_prompt_again_reads_nothing_and_says_the_same() -> None:
    bench = Bench()
    first = bench.finish("Hi")
    again = bench.finish("Hi")
    assert again.timings.prefill_tokens == 0
    assert again.timings.prefill_rate is None
    assert again.timings.ttft == 0.0
    assert again.usage.cached_tokens == again.usage.input_tokens
    assert again.trace.reuse_end is ReuseEnd.WHOLE_PROMPT
    assert again.text == first.text


def test_a_prompt_that_is_a_beginning_of_what_is_held_reads_its_last_token_for_its_logits() -> None:
    bench = Bench(Script(template="{% for m in messages %}{{ m.content }}{% endfor %}"))
    bench.finish("Hello world")
    shorter = bench.finish("Hello")
    assert shorter.timings.prefill_tokens == 1
    assert shorter.trace.reuse_end is ReuseEnd.LAST_TOKEN


def test_a_memory_that_cannot_be_cut_goes_back_to_its_last_mark_and_says_why() -> None:
    bench = Bench(Script(rewindable=False))
    first = bench.finish("Hi")
    other = bench.finish("Hi", reply_of(first), "Ho")
    edited = bench.finish("Hi", reply_of(first), "He")
    assert other.trace.reuse_end is ReuseEnd.NEW_TEXT
    assert edited.trace.reuse_end is ReuseEnd.NOT_REWINDABLE
    assert first.usage.input_tokens <= cached_in(edited) < edited.usage.input_tokens


def test_batches_end_at_the_borders_of_turns_only_where_places_are_marked() -> None:
    said = ("x" * 100, Message(Role.ASSISTANT, "y" * 50), "z" * 10)
    plain, marking = Bench(), Bench(Script(rewindable=False))
    plain.finish(*said)
    marking.finish(*said)
    assert len([batch for batch in plain.model.read if len(batch) > 1]) == 1
    assert len([batch for batch in marking.model.read if len(batch) > 1]) > 2


def test_a_short_question_is_read_in_one_call_and_another_in_its_place_reads_no_more() -> None:
    bench = Bench(Script(rewindable=False))
    first = bench.finish("x" * 100)
    read = len(bench.model.read)
    asked = bench.finish("x" * 100, reply_of(first), "Why?")
    assert [len(batch) for batch in bench.model.read[read:] if len(batch) > 1] == [asked.timings.prefill_tokens]
    instead = bench.finish("x" * 100, reply_of(first), "How?")
    assert cached_in(instead) == cached_in(asked)


@given(st.lists(st.integers(0, 120), min_size=1, max_size=8))
def test_wherever_a_prompt_is_gone_back_to_few_tokens_are_read_again(lengths: list[int]) -> None:
    turns = [Message(Role.ASSISTANT if at % 2 else Role.USER, "x" * length) for at, length in enumerate(lengths)]
    between = [Message(Role.ASSISTANT, "y")] if len(turns) % 2 else []
    said = [*turns, *between, Message(Role.USER, "z")]
    bench = Bench(Script(rewindable=False))
    whole = bench.finish(*said)
    for kept in range(0, len(said) - 1, 2):
        again = bench.finish(*said[:kept], "another")
        shared = sum(block.tokens for block in whole.trace.blocks[:kept])
        assert cached_in(again) > shared - _MOST_READ_AGAIN
        bench.finish(*said)


def test_a_conversation_that_was_left_is_restored_when_it_comes_back() -> None:
    bench = Bench()
    first = bench.finish("x" * 200)
    bench.finish("y" * 200)
    back = bench.finish("x" * 200, reply_of(first), "And?")
    assert cached_in(back) >= first.usage.input_tokens
    assert back.trace.reuse_end is ReuseEnd.NEW_TEXT


def test_a_stop_string_ends_the_reply_and_its_tokens_are_not_reused() -> None:
    bench = Bench(Script(replies=(("one ", "two", " three"),)))
    finished = bench.finish("count", stop=("two",))
    assert finished.text == "one "
    assert finished.finish_reason is FinishReason.STOP
    assert len(finished.trace.token_ids) == 2
    assert finished.trace.kept_tokens == 1


STOPPED = (("one ", "tw", "ice ", "t", "t", "t", "w", "o", " three"), ("Yes.",))


@pytest.mark.parametrize("rewindable", [True, False])
@pytest.mark.parametrize("stop", ["two", "o thr", "ttwo"])
def test_the_turn_after_a_stop_string_reads_nothing_again_of_the_reply(rewindable: bool, stop: str) -> None:
    bench = Bench(Script(replies=STOPPED, rewindable=rewindable))
    first = bench.finish("count", stop=(stop,))
    assert "".join(STOPPED[0]).startswith(first.text + stop)
    second = bench.finish("count", reply_of(first), "Go on")
    assert second.text == "Yes."
    assert cached_in(second) == first.usage.input_tokens + first.trace.kept_tokens


def test_a_full_window_ends_the_reply_and_says_so() -> None:
    bench = Bench(Script(context_size=48, endless=True, replies=(("a",),)))
    finished = bench.finish("Hi")
    assert finished.finish_reason is FinishReason.WINDOW
    assert len(bench.model.tokens) == 48


def test_a_prompt_that_fills_the_window_is_refused_with_both_numbers() -> None:
    last = Bench(Script(context_size=32)).run("x" * 100)[-1]
    assert isinstance(last, GenerationFailed)
    assert isinstance(last.error, PromptTooLong)
    assert last.error.context_size == 32
    assert last.error.needed > 100


def test_a_template_that_refuses_fails_the_request() -> None:
    picky = "{% if 'Hi' in messages[0].content %}{{ raise_exception('no') }}{% endif %}"
    last = Bench(Script(template=picky)).run("Hi")[-1]
    assert isinstance(last, GenerationFailed)
    assert isinstance(last.error, TemplateFailed)


def test_a_break_in_decode_keeps_the_text_written_before() -> None:
    last = Bench(Script(fails_at=2)).run("Hi")[-1]
    assert isinstance(last, GenerationFailed)
    assert isinstance(last.error, GenerationBroke)
    assert last.text == "Hello there"


def test_stopping_in_prefill_leaves_what_was_read_and_samples_nothing() -> None:
    bench = Bench()
    read = iter(range(1000))
    bench.script.during_evaluate = lambda _: bench.stop_flag.set() if next(read) == 9 else None
    finished = bench.finish("x" * 60)
    assert finished.finish_reason is FinishReason.CANCELLED
    assert finished.usage.output_tokens == 0
    assert finished.timings.ttft is None
    assert finished.timings.prefill_tokens == len(bench.model.tokens) == 10
    bench.stop_flag.clear()
    assert bench.finish("x" * 60).usage.cached_tokens == 10


def test_stopping_in_decode_keeps_what_was_written() -> None:
    bench = Bench(Script(endless=True, replies=(("a", "b"),)))
    singles = iter(range(1000))

    def stop_at_the_fifth_token(tokens: Sequence[int]) -> None:
        if len(tokens) == 1 and next(singles) == 4:
            bench.stop_flag.set()

    bench.script.before_evaluate = stop_at_the_fifth_token
    finished = bench.finish("Hi")
    assert finished.finish_reason is FinishReason.CANCELLED
    assert finished.text == "ababa"
    bench.stop_flag.clear()
    bench.script.before_evaluate = None
    following = bench.finish("Hi", reply_of(finished), "go on", max_tokens=2)
    assert following.usage.cached_tokens == finished.usage.input_tokens + 4, "the fifth token never reached the cache"


STRIPPING = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}{% if enable_thinking is false %}<think></think>{% endif %}"
)
KEEPING = STRIPPING.replace(
    "{{ m.content }}", "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}"
)
THINKING = ("<thi", "nk>", "Why?", " stop", "</th", "ink>", "\n\n", "So", " it", " is.")


def thoughts_of(events: Sequence[GenerationEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta) and e.kind is DeltaKind.REASONING)


def test_reasoning_comes_apart_from_the_answer_and_is_counted() -> None:
    events = Bench(Script(replies=(THINKING,), template=STRIPPING)).run("Hi", stop=("stop",))
    last = events[-1]
    assert isinstance(last, GenerationFinished)
    assert thoughts_of(events) == last.reasoning == "Why? stop", "stop strings are for the answer"
    assert last.text == "So it is."
    assert last.finish_reason is FinishReason.STOP
    assert last.usage.reasoning_tokens == 7
    assert last.usage.output_tokens == 11
    assert len(last.trace.kept_ids) == 10


def test_marks_that_are_control_tokens_are_read_and_none_of_the_text() -> None:
    controls = {"<bos>": 256, "<end>": 257, "<|im_start|>": 258, "<|im_end|>": 259, "<think>": 290, "</think>": 291}
    reply = (290, "Why?", 291, "So", 290, ".")
    finished = Bench(Script(replies=(reply,), template=STRIPPING, controls=controls)).finish("Hi")
    assert (finished.reasoning, finished.text) == ("Why?", "So.")
    assert finished.usage.reasoning_tokens == 3


def test_a_reply_cut_within_its_reasoning_has_no_answer() -> None:
    finished = Bench(Script(replies=(THINKING,), template=STRIPPING)).finish("Hi", max_tokens=3)
    assert (finished.reasoning, finished.text) == ("Why?", "")
    assert finished.usage.reasoning_tokens == finished.trace.kept_tokens == 3


def test_thinking_is_switched_off_where_the_template_knows_how() -> None:
    bench = Bench(Script(replies=(("So.",),), template=STRIPPING))
    finished = bench.finish("Hi", thinking=False)
    assert (finished.reasoning, finished.text, finished.usage.reasoning_tokens) == ("", "So.", 0)
    assert bytes(token for token in bench.model.read[0] if token < 256).endswith(b"<think></think>")


def test_where_reasoning_stays_in_history_the_next_turn_reads_only_what_is_new() -> None:
    bench = Bench(Script(replies=(THINKING,), template=KEEPING))
    first = bench.finish("Hi")
    held = len(bench.model.tokens)
    second = bench.finish("Hi", reply_of(first), "And?")
    assert second.usage.cached_tokens == held
    assert second.trace.reuse_end is ReuseEnd.NEW_TEXT


def test_where_reasoning_is_stripped_from_history_all_before_the_reply_is_reused() -> None:
    bench = Bench(Script(replies=(THINKING,), template=STRIPPING))
    first = bench.finish("Hi")
    second = bench.finish("Hi", reply_of(first), "And?")
    assert second.usage.cached_tokens == first.usage.input_tokens
    assert second.trace.blocks[0].cached == second.trace.blocks[0].tokens


def test_a_rendering_that_is_stopped_ends_the_request_as_cancelled() -> None:
    endless = (
        "{% if 'for ever' in messages[0].content %}{% for i in range(99999) %}{% for j in range(99999) %}"
        "{% endfor %}{% endfor %}{% endif %}"
    )
    bench = Bench(Script(template=endless))
    bench.stop_flag.set()
    finished = bench.finish("for ever")
    assert finished.finish_reason is FinishReason.CANCELLED
    assert finished.usage.output_tokens == 0


def test_a_reply_that_was_cut_short_goes_on_where_it_ended_and_reads_nothing_twice() -> None:
    bench = Bench(Script(replies=(("one ", "two ", "three "), ("four ", "five"))))
    first = bench.finish("count", max_tokens=3)
    held = len(bench.model.tokens)
    more = bench.finish("count", reply_of(first), continues=True)
    assert first.text + more.text == "one two three four five"
    assert cached_in(more) == held
    assert more.timings.prefill_tokens == 1, "the token sampled last was never read"
    assert more.begun_ids == first.trace.kept_ids
    whole = Message(Role.ASSISTANT, first.text + more.text, more.begun_ids + more.trace.kept_ids)
    after = bench.finish("count", whole, "and?")
    assert cached_in(after) >= more.usage.input_tokens


def test_an_edited_reply_goes_on_after_its_new_words() -> None:
    bench = Bench(Script(replies=(("one ", "two "), ("four",))))
    first = bench.finish("count", max_tokens=2)
    edited = Message(Role.ASSISTANT, "one 2 three ", first.trace.kept_ids)
    more = bench.finish("count", edited, continues=True)
    assert more.text == "four"
    whole = Message(Role.ASSISTANT, "one 2 three four", more.begun_ids + more.trace.kept_ids)
    assert cached_in(bench.finish("count", whole, "and?")) >= more.usage.input_tokens


@pytest.mark.parametrize("cut", [3, 4, 5, 8, 9])  # within the reasoning, within the answer
def test_a_reply_cut_while_it_thought_goes_on_thinking_and_says_nothing_twice(cut: int) -> None:
    bench = Bench(Script(replies=(THINKING[:cut], THINKING[cut:]), template=KEEPING))
    first = bench.finish("Hi", max_tokens=cut)
    more = bench.finish("Hi", reply_of(first), continues=True)
    assert first.text + more.text == "So it is."
    # What looked like the beginning of a mark was shown when the reply was cut, and cannot be taken back.
    assert (first.reasoning + more.reasoning).removesuffix("</th") == "Why? stop"


def test_what_a_reply_held_back_when_it_was_cut_is_not_written_twice() -> None:
    bench = Bench(Script(replies=(("a", "b\n", "EN"), ("T", "!"))))
    first = bench.finish("go", max_tokens=3, stop=("END",))
    assert first.text == "ab\nEN"
    more = bench.finish("go", reply_of(first), continues=True, stop=("END",))
    assert first.text + more.text == "ab\nENT!"


@given(st.lists(st.text("ab👍EN", min_size=1, max_size=3), min_size=2, max_size=8), st.data())
def test_a_reply_cut_anywhere_and_gone_on_with_is_the_same_text(pieces: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(pieces) - 1))
    whole = Bench(Script(replies=(tuple(pieces),))).finish("go", stop=("END",))
    bench = Bench(Script(replies=(tuple(pieces[:cut]), tuple(pieces[cut:]))))
    first = bench.finish("go", max_tokens=cut, stop=("END",))
    if first.finish_reason is FinishReason.LENGTH:
        more = bench.finish("go", reply_of(first), continues=True, stop=("END",))
        assert first.text + more.text == whole.text or "END" in first.text + more.text


def test_a_generation_abandoned_half_way_frees_its_sampler() -> None:
    bench = Bench()
    request = GenerationRequest(config(), (Message(Role.USER, "Hi"),))
    arrival = Arrival(bench.clock(), 0.0, 0.0)
    events = Generation(
        request, bench.model, bench.prompts, bench.cache, bench.stop_flag, arrival, bench.clock
    ).events()
    next(events)
    events.close()
    assert bench.model.samplers[-1].closed


@given(
    st.lists(st.text("ab👍 <|im_end|>", max_size=12), min_size=1, max_size=4),
    st.lists(st.integers(1, 6), min_size=4, max_size=4),
)
def test_the_cache_always_holds_a_beginning_of_the_next_prompt(said: list[str], limits: list[int]) -> None:
    bench = Bench(Script(replies=(("x", "👍".encode()[:2], "👍".encode()[2:], "y"), ("z",))))
    messages: list[Message | str] = []
    for text, limit in zip(said, limits, strict=False):
        messages.append(Message(Role.USER, text))
        held = len(bench.model.tokens)
        finished = bench.finish(*messages, max_tokens=limit)
        cut = len(finished.trace.token_ids) - finished.trace.kept_tokens
        assert (cached_in(finished) or 0) >= held - cut or held == 0
        messages.append(reply_of(finished))


def test_the_bytes_of_each_token_are_kept_beside_its_id() -> None:
    trace = Bench(Script(replies=(("Grüße".encode()[:3], "Grüße".encode()[3:], "."),))).finish("Hi").trace
    assert b"".join(trace.pieces).decode() == "Grüße."
    assert len(trace.pieces) == len(trace.token_ids)
    assert trace.pieces[-1] == b""  # the end token
    assert trace.candidates == ()


def test_the_likeliest_tokens_at_each_place_are_recorded_where_that_is_wanted() -> None:
    finished = Bench().finish("Hi", record_probabilities=3)
    trace = finished.trace
    assert finished.text == "Hello there."
    assert len(trace.candidates) == len(trace.token_ids)
    for token, piece, candidates in zip(trace.token_ids, trace.pieces, trace.candidates, strict=True):
        (own,) = [candidate for candidate in candidates if candidate.token == token]
        assert own.piece == piece
        assert len(candidates) == (4 if piece == b"." else 3)  # what was chosen stands behind the likeliest
        assert sum(candidate.probability for candidate in candidates) <= 1


def test_nothing_is_speculated_while_probabilities_are_recorded() -> None:
    words = ("a ", "b ", "c ", "d ", "e ", "f ") * 8
    bench = Bench(Script(replies=(words,), seconds_per_token=0.1))
    trace = bench.finish("Hi", record_probabilities=1, speculation=True).trace
    assert trace.drafted_tokens == 0
    assert len(trace.candidates) == len(trace.token_ids)
