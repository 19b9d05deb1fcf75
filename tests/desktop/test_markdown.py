"""Markdown to blocks: what is read, and that reading it as it comes gives the same."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop.markdown import (
    CODE_LINES,
    TABLE_ROWS,
    Block,
    Fence,
    Heading,
    MarkdownReader,
    Paragraph,
    Place,
    Rule,
    Run,
    Table,
    cut,
    read_markdown,
    read_plain,
)

EVERYTHING = """\
# Title with `code`

A paragraph with *one*, **two**, ~~three~~ and
a second line, [a link](https://example.org/a?b=c "title").

- first
- second

  goes on
  - inner
1. one
1. two

   ```python
   print("in a list")
   ```

> said
> - by somebody

| left | middle | right |
|:-----|:------:|------:|
| `a`  | **b**  | c     |

---

```rust
fn main() {}
```
The end.
"""

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "a", "word ", "two words", "1. ", "2) ", "10. ", "- ", "* ", "+ ", "  ", "    ", "\n", "\n\n", "# ", "### ",
            "> ", ">", "```", "```py\n", "~~~\n", "`", "*", "**", "_", "__", "~~", "[", "](", ")", "https://a.b/c",
            "|", "| a | b |\n", "|---|:-:|\n", "---\n", "===\n", "\\", "&amp;", "&", ";", "<", "!", "!\n",
            "\t", "\r", "\r\n", "é", "漢字。", "😀", "العربية", "=", "x\n", "code line\n", ". ",
            "$", "$$", "$$\n", "$x_1$", "\\(", "\\)", "\\[", "\\]\n", "\\frac{a}{b}", "$5 ", "[ ] ", "[x] ",
        ]
    ),
    max_size=60,
).map("".join)  # fmt: skip


def streamed(text: str, cuts: list[int], block_length: int = 3000) -> MarkdownReader:
    reader = MarkdownReader(block_length)
    places = sorted({min(place, len(text)) for place in cuts})
    for begin, end in zip([0, *places], [*places, len(text)], strict=True):
        reader.append(text[begin:end])
    return reader


def tight(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without what only the whole text can say of the first one."""
    return tuple(replace(block, place=replace(block.place, loose=False)) for block in blocks[:1]) + blocks[1:]


def test_every_kind_of_block_is_read():
    blocks = read_markdown(EVERYTHING)
    assert [type(block) for block in blocks] == [
        Heading, Paragraph, Paragraph, Paragraph, Paragraph, Paragraph, Paragraph, Paragraph, Fence, Paragraph,
        Paragraph, Table, Rule, Fence, Paragraph,
    ]  # fmt: skip
    assert blocks[0] == Heading(1, (Run("Title with "), Run("code", code=True)))
    assert [block.place.marker for block in blocks[2:8]] == ["•", "•", "", "•", "1.", "2."]
    assert [block.place.depth for block in blocks[2:11]] == [1, 1, 1, 2, 1, 1, 1, 0, 1]
    assert [block.place.quotes for block in blocks[9:11]] == [1, 1]
    assert blocks[13] == Fence("rust", "fn main() {}\n", closed=True, place=Place(loose=True))


def test_inline_styles_become_runs():
    (paragraph,) = read_markdown("a *b* **c *d*** ~~e~~ `f` [g](mailto:h@i.j)")
    assert isinstance(paragraph, Paragraph)
    assert paragraph.runs == (
        Run("a "),
        Run("b", italic=True),
        Run(" "),
        Run("c ", bold=True),
        Run("d", bold=True, italic=True),
        Run(" "),
        Run("e", strike=True),
        Run(" "),
        Run("f", code=True),
        Run(" "),
        Run("g", link="mailto:h@i.j"),
    )


def test_a_table_keeps_its_alignments_and_the_styles_in_its_cells():
    (table,) = read_markdown("| a | b |\n|:--|--:|\n| *c* | |\n")
    assert table == Table(("left", "right"), ((Run("a"),), (Run("b"),)), (((Run("c", italic=True),), ()),))


def test_html_stays_text_and_only_web_and_mail_addresses_are_links():
    blocks = read_markdown(
        "<b>x</b> [f](file:///etc/passwd) [j](javascript:alert(1)) [r](relative) ![i](http://a.b/c.png)"
    )
    runs = [run for block in blocks if isinstance(block, Paragraph) for run in block.runs]
    assert "<b>x</b>" in "".join(run.text for run in runs)
    assert [run.link for run in runs if run.link] == ["http://a.b/c.png"]


def test_the_words_of_an_image_have_no_marks_in_them():
    (paragraph,) = read_markdown("![a *b* ![c](http://d.e)](http://f.g/h.png)")
    assert paragraph == Paragraph((Run("a b c", link="http://f.g/h.png"),))


def test_a_bare_web_address_is_a_link_without_the_full_stop_after_it():
    (paragraph,) = read_markdown("See https://example.org/a_b, then `http://no.link`.")
    assert isinstance(paragraph, Paragraph)
    assert [run.text for run in paragraph.runs if run.link] == ["https://example.org/a_b"]


def test_a_line_break_stays_one():
    (paragraph,) = read_markdown("roses are red  \nviolets are blue\nand so on")
    assert paragraph == Paragraph((Run("roses are red\nviolets are blue\nand so on"),))


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("so $x^2$, and $a_b$.", ["x^2", "a_b"]),
        (r"so \(a+b\) and \[c\] too", ["a+b", "c"]),
        ("a $$d$$ b", ["d"]),
        ("**bold $x*y*z$**", ["x*y*z"]),
        ("$5x+3$, $2 \\cdot 3$ and $3 x$", ["5x+3", "2 \\cdot 3", "3 x"]),
        (r"\$5 and $x$ and $a\$b$", ["x", r"a\$b"]),
        ("# A $h$", ["h"]),
        ("text:\n$$\nx\n=\n+ y\n$$\nmore", ["x\n=\n+ y"]),
        ("- $$x$$\n- \\[\n  y\n  \\]", ["x", "y"]),
        ("> $$\n> x\n> $$\nafter", ["x"]),
        ("$5 and $10, or $20 or 15$", []),
        ("US$5, A$6$ and $HOME/$PATH", []),
        ("`$x$` and $a `b$ c`", []),
        ("```\n$x$\n```", []),
        ("$ x $ and $$ $$ and $", []),
        ("$$\nnever closed\n\nafter $", []),
    ],
)
def test_formulas_are_told_from_prices_and_code(text: str, formulas: list[str]):
    runs = [run for block in read_markdown(text) for run in getattr(block, "runs", ())]
    assert [run.formula for run in runs if run.formula] == formulas
    assert all(run.formula in run.text for run in runs)


def test_formulas_may_stand_in_cells():
    (table,) = read_markdown("| $a$ | b |\n|--|--|\n| c | \\(d\\) |")
    assert isinstance(table, Table)
    cells = (*table.header, *(cell for row in table.rows for cell in row))
    assert [run.formula for cell in cells for run in cell] == ["a", "", "", "d"]


def test_nothing_of_markdown_is_read_between_the_marks_of_a_formula_on_lines_of_its_own():
    before, formula, after = read_markdown("so\n\\[\na &= b \\\\\n- c\n\\]\nafter")
    assert formula == Paragraph((Run("\\[\na &= b \\\\\n- c\n\\]", formula="a &= b \\\\\n- c"),))
    assert (before, after) == (Paragraph((Run("so"),)), Paragraph((Run("after"),)))


def test_items_that_begin_with_a_box_are_tasks():
    blocks = read_markdown("- [ ] open\n- [x] *done*\n- [link](http://a.b)\n1. [ ] no task\n\n[ ] nor this")
    assert [block.place.marker for block in blocks] == ["☐", "☑", "•", "1.", ""]
    assert blocks[1] == Paragraph((Run("done", italic=True),), Place(depth=1, marker="☑"))


def test_list_numbers_are_counted_as_commonmark_says():
    blocks = read_markdown("3. a\n3. b\n\n   more\n9. c\n\n   1. x\n   1. y\n1. d\n")
    assert [block.place.marker for block in blocks] == ["3.", "4.", "", "5.", "1.", "2.", "6."]


def test_text_of_a_person_is_taken_as_it_was_typed():
    text = "# not a title\n\n- *not* a list\nhttps://a.b"
    (paragraph,) = read_plain(text)
    assert isinstance(paragraph, Paragraph)
    assert "".join(run.text for run in paragraph.runs) == text


@given(st.text(alphabet="ab \n", max_size=9000))
def test_long_typed_text_loses_nothing_but_the_line_ends_it_is_cut_at(text: str):
    pieces = ["".join(run.text for run in block.runs) for block in read_plain(text) if isinstance(block, Paragraph)]
    assert "".join("".join(pieces).split()) == "".join(text.split())


@settings(max_examples=400, deadline=None)
@given(MARKDOWN, st.lists(st.integers(0, 300), max_size=40))
@example("para\n#tag", [6])
@example("a\n\n1. b\n1. c\n   - d\n   - e\n1. f", list(range(40)))
@example("- \n  | a | b |\n---\n", [15])
def test_however_it_is_cut_the_blocks_are_those_of_the_whole(text: str, cuts: list[int]):
    reader = streamed(text, cuts)
    reader.finish()
    assert tuple(reader.finished) == read_markdown(text)


@settings(max_examples=400, deadline=None)
@given(MARKDOWN, st.lists(st.integers(0, 300), max_size=40))
@example("*_https://a.b/c* two words", [18])
@example("a\n```\nx\n     ```\n a", [18])
@example("```py\n ", [6])
def test_however_it_is_cut_it_looks_the_same_half_way(text: str, cuts: list[int]):
    whole, pieces = streamed(text, []), streamed(text, cuts)
    assert (*pieces.finished, *pieces.open_blocks) == (*whole.finished, *whole.open_blocks)


@settings(max_examples=200, deadline=None)
@given(st.lists(MARKDOWN, min_size=1, max_size=6).map("".join), st.lists(st.integers(0, 900), max_size=60))
def test_blocks_cut_for_length_are_cut_at_the_same_places(text: str, cuts: list[int]):
    reader, whole = streamed(text, cuts, block_length=40), streamed(text, [], block_length=40)
    reader.finish()
    whole.finish()
    assert reader.finished == whole.finished


@settings(max_examples=300, deadline=None)
@given(MARKDOWN, st.lists(st.integers(0, 300), max_size=30))
def test_finished_blocks_are_never_touched_again(text: str, cuts: list[int]):
    reader = MarkdownReader()
    before: list[Block] = []
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(text)], strict=True):
        reader.append(text[begin:end])
        assert [id(block) for block in reader.finished[: len(before)]] == [id(block) for block in before]
        before = list(reader.finished)


@settings(max_examples=300, deadline=None)
@given(MARKDOWN)
def test_reading_block_by_block_agrees_with_reading_it_in_one_parse(text: str):
    """The scaffolds that the reader reads the rest with change nothing: a reader that never lets go agrees."""
    patient = _PatientReader()
    patient.append(text)
    patient.finish()
    assert read_markdown(text) == tuple(patient.finished)


class _PatientReader(MarkdownReader):
    """Reads the whole text at its end, in one parse."""

    def append(self, text: str) -> None:
        self._rest += text.replace("\r\n", "\n").replace("\r", "\n")

    def finish(self) -> None:
        page = self._read(self._rest)
        self._keep(page.leaves, page, cut_last=False)


PIECE = st.sampled_from(
    [
        "A paragraph of some words, " * 30, "# Title", "- a\n- b\n\n  more\n  ```\n  code\n\n  x\n  ```",
        "```py\nx = 1\n\ny = 2\n- no list\n```", "1. one\n\n   two\n2. three", "> quote\n> more",
        "| a | b |\n|--|--|\n| 1 | 2 |", "***", "Plain", "    indented", "~~~\n```\n\nfoo\n~~~",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECE, max_size=30))
def test_a_long_text_can_be_read_piece_by_piece(pieces: list[str]):
    text = "\n\n".join(pieces)
    parts = cut(text)
    assert "".join(parts) == text
    read = [tight(read_markdown(part)) for part in parts]
    whole = read_markdown(text)
    position = 0
    for blocks in read:
        assert blocks == tight(whole[position : position + len(blocks)])
        position += len(blocks)
    assert position == len(whole)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("so **bo", (Run("so "), Run("bo", bold=True))),
        ("so **bold*", (Run("so "), Run("bold", bold=True))),
        ("so **", (Run("so"),)),
        ("so *it", (Run("so "), Run("it", italic=True))),
        ("so ~~gone", (Run("so "), Run("gone", strike=True))),
        ("so `co", (Run("so "), Run("co", code=True))),
        ("so `", (Run("so"),)),
        ("so **a `b", (Run("so "), Run("a ", bold=True), Run("b", bold=True, code=True))),
        ("so [text](http://exa", (Run("so text"),)),
        ("2 * 3 * 4", (Run("2 * 3 * 4"),)),
        ("5*3 and snake_case", (Run("5*3 and snake_case"),)),
        ("so $x_1 * y_2 * z", (Run("so $x_1 * y_2 * z"),)),
        (r"so \(a_b *c", (Run(r"so \(a_b *c"),)),
        ("$5 and **bo", (Run("$5 and "), Run("bo", bold=True))),
        ("$x_1$ and *it", (Run("$x_1$", formula="x_1"), Run(" and "), Run("it", italic=True))),
        ("*so $x^2", (Run("so $x^2", italic=True),)),
        ("$$\nx_1 * y", (Run("$$\nx_1 * y"),)),
        ("so\n$", (Run("so"),)),
        ("so\n-", (Run("so"),)),
        ("so\n=", (Run("so"),)),
        ("so\n1", (Run("so"),)),
    ],
)
def test_half_written_text_looks_as_it_will(written: str, shown: tuple[Run, ...]):
    assert streamed(written, []).open_blocks == (Paragraph(shown),)


def test_half_the_box_of_a_task_is_not_shown():
    for written in ("- [", "- [x", "- [x]"):
        assert streamed(written, []).open_blocks == (Paragraph((), Place(depth=1, marker="•")),)
    reader = streamed("- [x", [])
    reader.finish()
    assert reader.finished == [Paragraph((Run("[x"),), Place(depth=1, marker="•"))]


def test_what_is_half_written_is_shown_whole_once_it_ends():
    reader = streamed("so **bold\n-", [])
    reader.finish()
    assert reader.finished == [Heading(2, (Run("so **bold"),))]


def test_a_half_written_fence_is_code_without_half_of_its_marks():
    assert streamed("```py", []).open_blocks == (Fence("", "", closed=False),)
    assert streamed("```py\nx = 1\n``", []).open_blocks == (Fence("py", "x = 1\n", closed=False),)
    assert streamed("```py\nx = 1\n```", []).open_blocks == (Fence("py", "x = 1\n", closed=True),)


def test_the_first_row_of_a_table_is_a_table_at_once():
    (table,) = streamed("| a | b |", []).open_blocks
    assert table == Table(("", ""), ((Run("a"),), (Run("b"),)), ())
    assert streamed("| a | b |\n|--", []).open_blocks == (table,)


def test_a_long_fence_comes_in_stretches_that_make_up_its_code():
    lines = [f"line {number}\n" for number in range(3 * CODE_LINES + 5)]
    blocks = read_markdown("```py\n" + "".join(lines) + "```\nafter")
    fences = [block for block in blocks if isinstance(block, Fence)]
    assert "".join(fence.text for fence in fences) == "".join(lines)
    assert [fence.place.resumes for fence in fences] == [False, True, True, True]
    assert [fence.closed for fence in fences] == [False, False, False, True]
    assert {fence.language for fence in fences} == {"py"}
    assert isinstance(blocks[-1], Paragraph)


def test_a_long_table_comes_in_stretches_with_the_same_header():
    rows = "".join(f"| {number} | x |\n" for number in range(2 * TABLE_ROWS + 3))
    tables = [block for block in read_markdown("| a | b |\n|--|--|\n" + rows) if isinstance(block, Table)]
    assert [len(table.rows) for table in tables] == [TABLE_ROWS, TABLE_ROWS, 3]
    assert {table.header for table in tables} == {((Run("a"),), (Run("b"),))}


@pytest.mark.parametrize(
    "unit",
    [
        "word ",
        "A sentence of words. ",
        "- item\n",
        "1. item\n   - inner\n",
        "| a | b |\n",
        "code = 1\n",
        "x",
        "漢字。",
        "**b** `c` ",
    ],
)
@pytest.mark.parametrize("opening", ["", "```py\n", "| a | b |\n|--|--|\n", "- ", "> "])
def test_an_open_block_never_grows_long(opening: str, unit: str):
    reader = MarkdownReader()
    reader.append(opening)
    longest = 0
    some = unit * max(1, 40 // len(unit))
    for _ in range(9_000 // len(some)):
        reader.append(some)
        longest = max(longest, len(reader._rest))
    assert longest < 4_200


def test_a_token_costs_the_same_late_in_a_long_paragraph_as_early():
    def cost(length: int) -> float:
        reader = MarkdownReader()
        reader.append("Some *words* in a row, and more. " * (length // 32))
        best = float("inf")
        for _ in range(5):
            began = time.thread_time()
            for _ in range(50):
                reader.append(" a `b`")
            best = min(best, time.thread_time() - began)
        return best

    assert cost(100_000) < 4 * cost(3_000)


def test_markdown_is_parsed_without_qt_and_loaded_only_with_the_first_text():
    code = """
import sys, desktop.markdown
assert "markdown_it" not in sys.modules
desktop.markdown.read_markdown("x")
assert "markdown_it" in sys.modules
assert not [name for name in sys.modules if name.startswith("PySide6")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
