"""A conversation as Markdown reads like the conversation, wherever it is opened."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import inference
from desktop.conversations import Conversation, TurnState
from desktop.exchange import file_name_of, to_markdown
from desktop.turns import Attachment, Turn
from inference import Message, Role

NOW = datetime(2026, 3, 4, 10, 22, tzinfo=UTC)
RIVERS = Conversation(1, "Why rivers bend", NOW, NOW)
ASKED = Turn(1, 1, None, Message(Role.USER, "Why do rivers bend?"), NOW)
ANSWERED = Turn(
    2,
    1,
    1,
    Message(Role.ASSISTANT, "They *erode*."),
    NOW,
    model_name="SmolLM2 135M",
    usage=inference.Usage(1_204, 1_000, 38),
    timings=inference.Timings(0.0, 0.0, 0.01, 1.0, 0.01, 0.5, prefill_tokens=204, output_tokens=38),
)


def headings(text: str) -> list[str]:
    tokens = MarkdownIt().parse(text)
    return [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]


def test_who_said_what_with_the_figures_of_each_reply():
    text = to_markdown(RIVERS, (ASKED, ANSWERED))
    assert headings(text) == ["Why rivers bend", "You", "SmolLM2 135M"]
    assert "They *erode*." in text
    figures = (
        "*1,204 tokens read (1,000 of them cached) · prefill 204 tok/s · 38 tokens written · decode 74.0 tok/s · "
        "first token 1.02 s*"
    )
    assert figures in text


def test_reasoning_is_quoted_and_timed():
    said = Message(Role.ASSISTANT, "42", reasoning="First.\n\nThen.")
    text = to_markdown(RIVERS, (replace(ANSWERED, message=said, thought_seconds=4.23),))
    assert "> *Thought for 4.2 s*\n>\n> First.\n>\n> Then." in text


def test_files_stand_before_what_was_typed_with_them():
    attached = replace(ASKED, attachments=(Attachment("a_b.csv", "csv", 4, "x,y\n"),))
    assert "**a\\_b.csv**\n\n```csv\nx,y\n```\n\nWhy do rivers bend?" in to_markdown(RIVERS, (attached,))


@pytest.mark.parametrize("half", ["```python\nprint(1)", "~~~~\nx\n~~~", "```a\n```\n````\n```"])
def test_code_that_was_cut_short_does_not_swallow_what_follows(half):
    cut = replace(ANSWERED, message=Message(Role.ASSISTANT, half), state=TurnState.INTERRUPTED)
    text = to_markdown(RIVERS, (ASKED, cut, ASKED))
    assert headings(text) == ["Why rivers bend", "You", "SmolLM2 135M", "You"]
    assert "not finished" in text


def test_a_failed_reply_says_why():
    failed = replace(ANSWERED, state=TurnState.FAILED, error="The server broke.", usage=None, timings=None)
    assert "*The server broke.*" in to_markdown(RIVERS, (failed,))


def test_the_system_prompt_and_odd_titles_stand_there_as_they_are():
    odd = replace(RIVERS, title="# *1* < 2\n[a](b)", system_prompt="Be short.")
    text = to_markdown(odd, ())
    assert headings(text)[1] == "System prompt"
    rendered = MarkdownIt().render(text)
    assert "<h1># *1* &lt; 2 [a](b)</h1>" in rendered


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Why rivers bend", "Why rivers bend.md"),
        ("", "Conversation.md"),
        ("../../etc/passwd", "etc passwd.md"),
        ('a<b>:"c"|d?*\\e\nf', "a b c d e f.md"),
        ("...", "Conversation.md"),
        ("CON", "Conversation CON.md"),
        ("nul.txt", "Conversation nul.txt.md"),
        ("x" * 300, "x" * 80 + ".md"),
    ],
)
def test_a_file_is_named_after_its_conversation(title, name):
    assert file_name_of(replace(RIVERS, title=title), ".md") == name


@given(title=st.text(max_size=100))
def test_no_title_names_a_file_elsewhere(tmp_path_factory, title):
    folder = tmp_path_factory.getbasetemp()
    path = folder / file_name_of(replace(RIVERS, title=title), ".json")
    assert path.parent == folder
    assert path.name not in ("", ".", "..")
