"""Text is whole characters, and nothing of a stop string."""

from __future__ import annotations

import codecs
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inference.events import DeltaKind
from inference.reasoning import THINK, Markup, Part
from inference.text_stream import TextStream, tokens_within


def shown(pieces: list[bytes], stop: tuple[str, ...] = ()) -> str:
    stream = TextStream(stop)
    return "".join([*(text_of(stream.feed(piece)) for piece in pieces), text_of(stream.flush())])


def text_of(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[begin:end] for begin, end in pairwise(edges)]


def whole(data: bytes) -> str:
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data)


def told(pieces: list[bytes], stop: tuple[str, ...], markup: Markup | None) -> tuple[str, str, int]:
    """The reasoning, the answer, and the length of what was shown."""
    stream = TextStream(stop, markup)
    parts = [part for piece in pieces for part in stream.feed(piece)] + stream.flush()
    of_kind = [[part for part in parts if part.kind is kind] for kind in (DeltaKind.REASONING, DeltaKind.ANSWER)]
    return text_of(of_kind[0]), text_of(of_kind[1]), stream.length


def test_a_character_cut_into_bytes_comes_out_whole_and_once() -> None:
    stream = TextStream()
    assert [text_of(stream.feed(bytes([byte]))) for byte in "👍".encode()] == ["", "", "", "👍"]


def test_a_character_that_never_ends_is_not_shown() -> None:
    assert shown([b"Hi ", "👍".encode()[:2]]) == "Hi "


def test_a_piece_of_any_length_is_kept_whole() -> None:
    assert shown([b"\n" + b" " * 80]) == "\n" + " " * 80


def test_an_emoji_that_only_begins_a_stop_string_is_shown_at_the_end() -> None:
    assert shown(["Hi 👍".encode()], ("👍👎",)) == "Hi 👍"


def test_the_stop_string_that_is_complete_first_wins_however_they_are_listed() -> None:
    assert shown([b"one two three"], ("three", "two")) == "one "


def test_a_stop_string_across_tokens_is_found_and_nothing_after_it_is_shown() -> None:
    stream = TextStream(("<end>",))
    assert [text_of(stream.feed(piece)) for piece in (b"yes<e", b"nd", b">no", b"more")] == ["yes", "", "", ""]
    assert stream.stopped
    assert stream.flush() == []


def test_text_that_only_looked_like_a_stop_string_is_released_at_once() -> None:
    stream = TextStream(("\nUser:",))
    assert text_of(stream.feed(b"a\nUs")) == "a"
    assert text_of(stream.feed(b"e it")) == "\nUse it"


@given(st.binary(max_size=60), st.lists(st.integers(0, 200), max_size=12))
def test_any_bytes_cut_anywhere_give_the_text_of_the_whole(data: bytes, places: list[int]) -> None:
    assert shown(cut(data, places)) == whole(data)


@given(
    st.text("ab👍é\n", max_size=40),
    st.lists(st.text("ab👍é\n", min_size=1, max_size=4), max_size=3),
    st.lists(st.integers(0, 400), max_size=20),
)
def test_any_stop_strings_cut_anywhere_end_the_text_where_the_first_is_complete(
    text: str, stops: list[str], places: list[int]
) -> None:
    found = [(at + len(stop), at) for stop in stops if (at := text.find(stop)) >= 0]
    _, expected = min(found, default=(0, len(text)))
    assert shown(cut(text.encode(), places), tuple(stops)) == text[:expected]


@given(st.text(max_size=30), st.lists(st.integers(0, 300), max_size=12), st.integers(0, 30))
def test_the_tokens_within_a_text_spell_a_beginning_of_it(text: str, places: list[int], length: int) -> None:
    pieces = cut(text.encode(), places)
    count = tokens_within(pieces, min(length, len(text)))
    spelled = b"".join(pieces[:count]).decode()
    assert text[:length].startswith(spelled)
    assert count == 0 or pieces[count - 1], "an empty piece at the end is none of the text"


def test_an_end_token_is_none_of_the_tokens_within_the_text() -> None:
    assert tokens_within([b"Hi", b"!", b""], 3) == 2


def test_stop_strings_are_looked_for_in_the_answer_only() -> None:
    reply = b"<think>one, stop, two</think>\nthree, stop, four"
    assert told([reply], ("stop",), THINK)[:2] == ("one, stop, two", "three, ")


def test_the_length_of_what_was_shown_counts_the_marks_before_it() -> None:
    reply = b"<think>Why?</think>\n\nSo. stop"
    assert told([reply], ("stop",), THINK) == ("Why?", "So. ", len("<think>Why?</think>\n\nSo. "))
    assert told([reply[:11]], (), THINK) == ("Why?", "", len("<think>Why?"))
    assert told([reply[:20]], (), THINK) == ("Why?", "", len("<think>Why?")), "marks at the end are not counted"


def test_the_length_of_what_was_shown_counts_what_only_looked_like_a_stop_string() -> None:
    reply = b"<think>Why?</think>\n\nst"
    assert told([reply], ("stop",), THINK) == ("Why?", "st", len(reply))


def test_an_outro_ends_the_answer_that_its_intro_began_and_no_other() -> None:
    granite = Markup(("<think>",), ("</think>",), ("<response>",), ("</response>",))
    assert told([b"<think>a</think><response>b</response>c"], (), granite)[:2] == ("a", "b")
    assert told([b"<think>a</think>b</response>c"], (), granite)[:2] == ("a", "b</response>c")


def test_words_that_mark_reasoning_are_wanted_until_the_answer_begins() -> None:
    stream = TextStream((), THINK)
    assert stream.wants_words
    stream.feed(b"<think>a</think>")
    assert (stream.wants_words, stream.reasoned, stream.answering) == (True, True, False)
    stream.feed(b"b")
    assert (stream.wants_words, stream.answering) == (False, True)
    assert not TextStream().wants_words


@given(
    st.lists(st.one_of(st.sampled_from(["<think>", "</think>", "stop"]), st.text("stop<>/👍é \n", max_size=5))).map(
        "".join
    ),
    st.lists(st.sampled_from(["stop", "op", "👍", "\n", "</"]), max_size=2),
    st.lists(st.integers(0, 400), max_size=20),
)
def test_reasoning_and_stop_strings_cut_anywhere_end_the_text_at_the_same_place(
    text: str, stops: list[str], places: list[int]
) -> None:
    data = text.encode()
    assert told(cut(data, places), tuple(stops), THINK) == told([data], tuple(stops), THINK)


@given(st.binary(max_size=60), st.lists(st.integers(0, 200), max_size=12), st.lists(st.text(min_size=1), max_size=2))
def test_any_bytes_cut_anywhere_are_told_apart_alike(data: bytes, places: list[int], stops: list[str]) -> None:
    marked = b"<think>" + data[:20] + b"</think>" + data[20:]
    assert told(cut(marked, places), tuple(stops), THINK) == told([marked], tuple(stops), THINK)
