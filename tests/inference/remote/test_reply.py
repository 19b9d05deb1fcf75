"""A server's reply: figures by our definitions, where they come from said, and blank where nobody said them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.configuration import RemoteModel
from inference.events import (
    DeltaKind,
    FinishReason,
    GenerationEvent,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    TextDelta,
    Timings,
    Usage,
)
from inference.messages import Message, Role
from inference.remote.reply import Reply
from inference.remote.wire import Chunk, chunk_from
from inference.requests import GenerationRequest
from inference.server_errors import ReplyBroken
from tests.fakes import ManualClock
from tests.scripted_server import LlamaServer, said, timings, usage

SERVER = "http://127.0.0.1:8080/v1"


class Bench:
    """A reply, and a clock that moves by hand."""

    def __init__(self, max_tokens: int | None = None) -> None:
        self.clock = ManualClock()
        submitted = self.clock.now
        self.clock.advance(0.5)
        request = GenerationRequest(
            RemoteModel(SERVER), (Message(Role.USER, "Hi"),), max_tokens=max_tokens, submitted_at=submitted
        )
        self.reply = Reply(request, "llama", self.clock)
        self.events: list[GenerationEvent] = []

    def hear(self, *chunks: object) -> None:
        for chunk in chunks:
            read = chunk_from(json.dumps(chunk))
            assert isinstance(read, Chunk)
            self.events += self.reply.feed(read)

    def finish(self, *, cancelled: bool = False) -> GenerationFinished:
        self.events += self.reply.finish(cancelled=cancelled)
        last = self.events[-1]
        assert isinstance(last, GenerationFinished)
        return last

    def texts(self, kind: DeltaKind = DeltaKind.ANSWER) -> list[str]:
        return [event.text for event in self.events if isinstance(event, TextDelta) and event.kind is kind]


def counted(prompt: int, completion: int, **details: int) -> dict[str, Any]:
    return said() | {"choices": [], "usage": usage(prompt, completion, **details)}


def test_llama_servers_own_figures_are_taken_by_our_definitions() -> None:
    bench = Bench()
    bench.clock.advance(0.25)
    chunks = list(LlamaServer(cached=100, read=40, prefill_ms=200.0, token_ms=10.0).chunks())
    bench.hear(*chunks[:4])
    bench.clock.advance(0.0625)
    bench.hear(*chunks[4:])
    finished = bench.finish()
    assert finished.usage == Usage(input_tokens=140, cached_tokens=100, output_tokens=4)
    timed = finished.timings
    assert (timed.prefill, timed.prefill_tokens, timed.prefill_rate) == (0.2, 40, 200.0)
    assert timed.decode == pytest.approx(0.03)
    assert timed.output_tokens == 4
    # The server's own rate counts the steps between tokens as ours does.
    assert timed.decode_rate == pytest.approx(chunks[-1]["timings"]["predicted_per_second"])
    assert timed.ttft == 0.5 + 0.25 + 0.0625
    assert timed.overhead == pytest.approx(0.5 + 0.3125 - 0.2)
    assert not timed.measured_at_client


def test_a_prompt_being_read_is_told_without_its_cached_tokens() -> None:
    bench = Bench()
    bench.hear(*LlamaServer(cached=100, read=40, batch=16, prefill_ms=200.0).chunks())
    told = [event for event in bench.events if isinstance(event, PrefillProgress)]
    assert [event.evaluated for event in told] == [0, 16, 32, 40]
    assert {(event.cached_tokens, event.new_tokens) for event in told} == {(100, 40)}
    assert [event.seconds for event in told] == [0.0, 0.08, 0.16, 0.2]
    assert all(event.batch_end == event.evaluated for event in told), "a server does not say where its batches end"


def test_without_a_servers_figures_the_wait_and_the_decode_are_measured_here_and_labelled() -> None:
    bench = Bench()
    bench.clock.advance(2.0)
    bench.hear(said(role="assistant"), said("a"))
    for text in "bcde":
        bench.clock.advance(0.25)
        bench.hear(said(text))
    bench.clock.advance(0.125)
    bench.hear(said(finish_reason="stop"), counted(30, 5))
    finished = bench.finish()
    assert finished.usage == Usage(input_tokens=30, cached_tokens=None, output_tokens=5)
    timed = finished.timings
    assert timed == Timings(
        queued=0.5, load=0.0, wait=2.0, decode=1.0, finish=0.125, output_tokens=5, measured_at_client=True
    )
    assert (timed.ttft, timed.decode_rate, timed.prefill_rate, timed.overhead) == (2.5, 4.0, None, None)


def test_what_no_one_said_is_blank() -> None:
    bench = Bench()
    bench.hear(said("a"))
    bench.clock.advance(1.0)
    bench.hear(said("b", "stop"))
    finished = bench.finish()
    assert finished.usage == Usage(0, None, 0)
    assert finished.timings.decode_rate is None
    assert finished.timings.decode == 1.0


def test_tokens_that_a_server_thought_in_secret_make_no_rate_of_those_that_were_seen() -> None:
    bench = Bench()
    bench.clock.advance(5.0)
    bench.hear(said("a"))
    bench.clock.advance(1.0)
    bench.hear(said("b", "stop"), counted(10, 502, reasoning=500))
    finished = bench.finish()
    assert finished.usage.reasoning_tokens == 500
    assert finished.timings.decode_rate is None


def test_figures_that_contradict_each_other_are_left_out() -> None:
    """A server that counts cached tokens as read would show a rate that nothing ever ran at."""
    bench = Bench()
    bench.clock.advance(1.0)
    bench.hear(said("a") | {"timings": timings(100, 140, 200.0, 1, 0.0)}, said(finish_reason="stop"))
    bench.hear(counted(140, 1, cached=100))
    assert bench.finish().timings.prefill_rate is None


def test_a_server_that_says_it_read_for_longer_than_was_waited_is_not_believed() -> None:
    bench = Bench()
    bench.clock.advance(0.1)
    bench.hear(said("a") | {"timings": timings(0, 140, 200.0, 1, 0.0)}, said(finish_reason="stop"))
    finished = bench.finish()
    assert finished.timings.measured_at_client
    assert finished.timings.prefill_rate is None


def test_a_reply_cut_off_here_keeps_the_figures_that_came_until_then() -> None:
    bench = Bench()
    bench.clock.advance(1.0)
    bench.hear(*list(LlamaServer(texts=("a", "b", "c"), cached=100, read=40).chunks())[:-3])
    finished = bench.finish(cancelled=True)
    assert finished.finish_reason is FinishReason.CANCELLED
    assert finished.text == "ab"
    assert finished.usage == Usage(140, 100, 2)


def test_a_reply_stopped_before_its_first_text_has_no_figures() -> None:
    bench = Bench()
    bench.clock.advance(3.0)
    finished = bench.finish(cancelled=True)
    assert finished.usage == Usage(0, None, 0)
    assert finished.timings.total == 3.5
    assert finished.timings.ttft is None
    assert finished.model_name == "llama"


def test_a_reply_that_was_whole_when_it_was_stopped_ended_by_itself() -> None:
    bench = Bench()
    bench.hear(said("a", "stop"))
    assert bench.finish(cancelled=True).finish_reason is FinishReason.STOP


@pytest.mark.parametrize(
    ("said_reason", "max_tokens", "written", "reason"),
    [
        ("stop", None, 5, FinishReason.STOP),
        ("tool_calls", None, 5, FinishReason.STOP),
        ("length", 5, 5, FinishReason.LENGTH),
        ("length", 100, 5, FinishReason.WINDOW),
        ("length", None, 5, FinishReason.WINDOW),
        ("length", 100, None, FinishReason.LENGTH),
    ],
)
def test_why_it_ended_is_told_in_our_words(
    said_reason: str, max_tokens: int | None, written: int | None, reason: FinishReason
) -> None:
    bench = Bench(max_tokens)
    bench.hear(said("a", said_reason))
    if written is not None:
        bench.hear(counted(10, written))
    assert bench.finish().finish_reason is reason


def test_reasoning_is_told_apart_and_is_no_part_of_the_answer() -> None:
    bench = Bench()
    bench.hear(said(reasoning="I "), said(reasoning_content="think"), said("Hi"), said(finish_reason="stop"))
    assert bench.texts(DeltaKind.REASONING) == ["I ", "think"]
    finished = bench.finish()
    assert (finished.text, finished.reasoning) == ("Hi", "I think")


def test_reasoning_that_a_server_leaves_in_the_text_is_told_apart_here() -> None:
    bench = Bench()
    bench.hear(
        said("<thi"), said("nk>hm</th"), said("ink>\n\nHi"), said(finish_reason="stop"), counted(9, 9, reasoning=3)
    )
    finished = bench.finish()
    assert (finished.text, finished.reasoning) == ("Hi", "hm")
    assert finished.timings.output_tokens == 9, "its tokens were all seen"


def test_the_name_is_the_servers_own() -> None:
    bench = Bench()
    bench.hear(said("a", "stop") | {"model": "llama-8b-2024"})
    assert bench.finish().model_name == "llama-8b-2024"


def test_tokens_are_counted_by_the_server_or_by_what_was_received() -> None:
    bench = Bench()
    bench.hear(
        said("ab") | {"timings": timings(0, 1, 1.0, 2, 1.0)}, said("cd") | {"timings": timings(0, 1, 1.0, 4, 2.0)}
    )
    assert [event.output_tokens for event in bench.events if isinstance(event, TextDelta)] == [2, 4]
    other = Bench()
    other.hear(said("ab"), said("cd"))
    assert [event.output_tokens for event in other.events if isinstance(event, TextDelta)] == [1, 2]


def test_a_failed_reply_keeps_what_was_written() -> None:
    bench = Bench()
    bench.hear(said("a"), said("b"))
    bench.hear(said(reasoning="hm"))
    *_, failed = bench.reply.fail(ReplyBroken(SERVER, "cut."))
    assert isinstance(failed, GenerationFailed)
    assert (failed.text, failed.reasoning) == ("ab", "hm")
    begun = Bench()
    begun.hear(said("<th"))
    delta, failed = begun.reply.fail(ReplyBroken(SERVER, "cut."))
    assert isinstance(delta, TextDelta)
    assert isinstance(failed, GenerationFailed)
    assert delta.text == failed.text == "<th"


@given(st.text(), st.lists(st.integers(0, 40)))
def test_no_character_is_lost_however_a_server_cuts_its_text(text: str, cuts: Iterable[int]) -> None:
    """Some servers cut by UTF-16 units, so that half an emoji comes alone."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    units = text.encode("utf-16-le")
    borders = sorted({0, len(units), *(2 * cut for cut in cuts if 2 * cut < len(units))})
    bench = Bench()
    for begin, end in pairwise(borders):
        bench.hear(said(units[begin:end].decode("utf-16-le", "surrogatepass")))
    bench.hear(said(finish_reason="stop"))
    finished = bench.finish()
    assert finished.text == text == "".join(bench.texts())
    assert all(piece.encode() for piece in bench.texts())


def test_half_a_character_at_the_very_end_is_shown_as_such() -> None:
    bench = Bench()
    bench.hear(said("a\ud83d"), said(finish_reason="stop"))
    assert bench.finish().text == "a\N{REPLACEMENT CHARACTER}"


texts = st.text(max_size=3)
chunks = st.lists(st.builds(Chunk, text=texts, reasoning=texts, finish_reason=st.sampled_from(["", "", "stop"])))


@given(chunks, st.booleans())
def test_the_text_of_a_reply_is_what_its_deltas_were(heard: list[Chunk], cancelled: bool) -> None:
    bench = Bench()
    for chunk in heard:
        bench.events += bench.reply.feed(chunk)
    assert bench.finish(cancelled=cancelled).text == "".join(bench.texts())
