"""What is shown of a text in which something was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.store.excerpts import excerpt_of, words_only
from desktop.store.grams import folded

TABLE = "Three rivers:\n\n| River | Length |\n|:------|-------:|\n| **Rhine** | 1,230 km |\n| Elbe | 1,094 km |\n"


def test_of_a_table_only_the_words_are_shown():
    excerpt, marks = excerpt_of(TABLE, ("elbe",))
    assert excerpt == "…River · Length Rhine · 1,230 km Elbe · 1,094 km"
    assert [excerpt[begin:end] for begin, end in marks] == ["Elbe"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Some\n\n## Rivers\n\n> bend **much**", "Some Rivers bend much"),
        ("Call `run()`:\n```python\nrun(**options)\n```", "Call run(): run(options)"),
        ("See [the page](https://example.org/a) and ![a river](b.png).", "See the page and a river."),
        ("One\n\n---\n\ntwo", "One two"),
        ("2 * 3 * 4 and a_b_c and file__name", "2 * 3 * 4 and a_b_c and file__name"),
        ("a || b | c", "a || b | c"),
        ("#include <stdio.h> and -3", "#include <stdio.h> and -3"),
    ],
)
def test_marks_go_and_what_may_be_meant_stays(text, words):
    assert " ".join(words_only(text).split()) == words


@pytest.mark.parametrize("term", ["**options", "example.org", "| elbe"])
def test_a_mark_that_was_asked_for_is_shown(term):
    text = "See [it](https://example.org/a):\n\n| Elbe | 1 |\n\nrun(**options)"
    excerpt, marks = excerpt_of(text, (term,))
    assert [folded(excerpt[begin:end]) for begin, end in marks] == [term]


def test_far_into_a_long_text_both_sides_are_seen_to_go_on():
    text = "before " * 500 + "\n| needle | hay |\n" + "after " * 500
    excerpt, marks = excerpt_of(text, ("needle",))
    assert excerpt.startswith("…before ")
    assert " needle · hay after " in excerpt
    assert excerpt.endswith("…")
    assert [excerpt[begin:end] for begin, end in marks] == ["needle"]


@given(st.text(alphabet="ab İß|*_`#>-[]()!\n:", max_size=60), st.text(alphabet="abß|*_`", min_size=1, max_size=3))
def test_what_is_in_a_text_is_marked_in_its_excerpt(text, term):
    wanted = folded(term)
    if wanted and wanted in folded(text):
        excerpt, marks = excerpt_of(text, (wanted,))
        assert marks
        assert all(wanted in folded(excerpt[begin:end]) for begin, end in marks)
