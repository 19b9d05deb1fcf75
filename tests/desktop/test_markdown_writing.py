"""Blocks back to Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.markdown import Block, Fence, Heading, Paragraph, Place, Run, Table, read_markdown
from desktop.markdown_writing import clipped, to_markdown


def placed(block: Block) -> Block:
    """The block without what a source can say in several ways."""
    loose = replace(block.place, loose=False)
    return replace(block, place=loose)


def again(text: str) -> tuple[list[Block], list[Block]]:
    blocks = read_markdown(text)
    return [placed(block) for block in blocks], [placed(block) for block in read_markdown(to_markdown(blocks))]


@pytest.mark.parametrize(
    "text",
    [
        "# A *head*\n\nSome *text* with ``co`de`` and **bold**, ~~gone~~, [a link](https://x.org/a) https://y.org",
        "- one\n- two\n  - three\n    more\n\n  loose\n- four",
        "1. a\n2. b\n\n   c\n\n   ```py\n   x = 1\n   ```",
        "> said\n> more\n>\n> > deeper",
        "- > quoted\n  > more\n- b\n\n  > c\n  >\n  > d\n  > - e",
        "> - in\n>   - deeper\n> - it",
        "````\n```\ncode\n```\n````",
        "| a | b |\n|:--|--:|\n| 1 | 2 |\n| `x` | **y** |",
        "---\n\nA line\nand another",
        r"\# no head, \- no item, 1\. no number, \> no quote, \*no\* emphasis, \`no code\`, \[no\](link)",
        "2 * 3 * 4 and snake_case and a_b_ and _x",
        "- [ ] a task\n- [x] done\n\n  and more",
        "a $x_1 * y_2$ and \\(z\\), $$d$$\n\n$$\nx\n+ y\n$$",
        "- \\[x\\]\n\n| $a$ |\n| --- |\n| $b$ |",
        "costs $5 and $10",
    ],
)
def test_what_is_written_reads_the_same(text: str):
    before, after = again(text)
    assert after == before


@given(st.text("abx*_`~[]()<>#-+.1|\\&$ \n", min_size=1, max_size=30))
def test_text_is_never_taken_for_marks(text: str):
    core = " ".join(text.split())
    if not core:
        return
    paragraph = Paragraph((Run(core),))
    assert [placed(block) for block in read_markdown(to_markdown([paragraph]))] == [paragraph]


def test_a_long_list_code_and_table_come_out_whole():
    text = "```py\n" + "x = 1\n" * 200 + "```\n\n| a |\n| --- |\n" + "| b |\n" * 40
    assert to_markdown(read_markdown(text)) == text.strip()


def test_part_of_a_block_keeps_its_styles():
    (paragraph,) = read_markdown("one **two three** four")
    part = clipped(paragraph, 6, 17)
    assert part is not None
    assert to_markdown([part]) == "**o three** fou"


def test_nothing_of_a_block_is_nothing():
    assert clipped(Paragraph((Run("one"),)), 3, 3) is None
    assert clipped(Fence("", "one", closed=True), 0, 0) is None


def test_part_of_code_is_code():
    assert to_markdown([clipped(Fence("py", "a\nb\nc\n", closed=True), 2, 4) or Heading(1, ())]) == "```py\nb\n```"


def test_an_item_alone_stands_at_the_edge():
    inner = Paragraph((Run("x"),), Place(depth=2, marker="•"))
    assert to_markdown([inner]).strip() == "- x"


def test_a_table_is_never_cut_within_a_row():
    table = Table(("",), ((Run("a"),),), (((Run("b"),),),))
    assert clipped(table, 1, 2) is table
