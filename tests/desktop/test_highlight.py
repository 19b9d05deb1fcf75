"""Colours for code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop.widgets.highlight import Kind, exact_lines, rough_line


def words(line: str, spans: tuple[tuple[int, int, Kind], ...]) -> list[tuple[str, Kind]]:
    units = line.encode("utf-16-le")
    return [(units[2 * begin : 2 * (begin + length)].decode("utf-16-le"), kind) for begin, length, kind in spans]


def test_a_line_is_coloured_by_itself():
    line = 'def name(x): return "a" + 12  # why'
    assert words(line, rough_line(line, "python")) == [
        ("def", Kind.KEYWORD),
        ("name", Kind.FUNCTION),
        ("return", Kind.KEYWORD),
        ('"a"', Kind.STRING),
        ("12", Kind.NUMBER),
        ("# why", Kind.COMMENT),
    ]


def test_each_language_has_its_own_comments():
    assert rough_line("x // y", "rust")[-1] == (2, 4, Kind.COMMENT)
    assert rough_line("x // y", "python") == ()
    assert rough_line("#include <a>", "c") == ()


def test_plain_text_has_no_colours():
    assert rough_line("return 12 for 'it'", "text") == ()
    assert rough_line("return 12 for 'it'", "") == ()


def test_whole_code_is_coloured_across_its_lines():
    lines = list(exact_lines('x = """\nreturn\n"""\nreturn 1', "python"))
    assert lines[1] == ((0, 6, Kind.STRING),)
    assert (0, 6, Kind.KEYWORD) in lines[3]


def test_there_are_as_many_lines_as_in_the_code():
    assert len(list(exact_lines("a\n\nb\n", "python"))) == 4


def test_an_unknown_language_has_no_lines():
    assert list(exact_lines("x", "nosuchlanguage")) == []


def test_places_are_counted_in_utf_16_units():
    line = 's = "😀"  # 😀'
    assert words(line, rough_line(line, "python")) == [('"😀"', Kind.STRING), ("# 😀", Kind.COMMENT)]
    assert (4, 4, Kind.STRING) in [*next(iter(exact_lines(line, "javascript")))] or words(
        line, next(iter(exact_lines(line, "python")))
    )[-1] == ("# 😀", Kind.COMMENT)


@given(st.text(max_size=60), st.sampled_from(["python", "rust", "bash", "sql"]))
def test_spans_lie_within_their_line(line: str, language: str):
    line = line.replace("\n", " ").replace("\r", " ")
    length = len(line.encode("utf-16-le", "surrogatepass")) // 2
    end = 0
    for begin, span, _ in rough_line(line, language):
        assert end <= begin
        end = begin + span
        assert end <= length
