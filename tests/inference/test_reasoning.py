"""Reasoning is told from the answer, whatever a model marks it with, and however its text comes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inference.errors import TemplateFailed
from inference.events import DeltaKind
from inference.messages import Message, Role
from inference.reasoning import THINK, Markup, Part, ReasoningParser, find_markup
from inference.template import ChatTemplate
from tests.templates import NAMES, source_of

GPT_OSS = source_of("openai-gpt-oss-120b")


def knows_nothing(word: str) -> bool:
    return False


def markup_of(name: str) -> Markup | None:
    return find_markup(source_of(name), knows_nothing)


def read(pieces: list[str], markup: Markup | None, lead: str = "") -> tuple[str, str]:
    """The reasoning and the answer."""
    parser = ReasoningParser(markup, lead)
    parts = [part for piece in pieces for part in parser.feed(piece)] + parser.flush()
    return text_of(parts, DeltaKind.REASONING), text_of(parts, DeltaKind.ANSWER)


def text_of(parts: list[Part], kind: DeltaKind) -> str:
    return "".join(part.text for part in parts if part.kind is kind)


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[begin:end] for begin, end in pairwise(edges)]


@pytest.mark.parametrize(
    ("name", "lead", "reply"),
    [
        ("Qwen-Qwen3-0.6B", "<|im_start|>assistant\n", "<think>\nWhy?\n</think>\n\nSo."),
        ("Qwen3.5-4B", "<|im_start|>assistant\n<think>\n", "Why?\n</think>\n\nSo."),
        ("GLM-4.6", "<|assistant|>", "\n<think>Why?</think>\nSo."),
        ("deepseek-ai-DeepSeek-V3.1", "<Assistant><think>", "Why?</think>So."),
        ("ByteDance-Seed-OSS", "<seed:bos>assistant\n", "<seed:think>Why?</seed:think>So."),
        ("MiniMax-M3", "]~b]ai\n", "<mm:think>Why?</mm:think>So."),
        ("mistralai-Ministral-3-14B-Reasoning-2512", "[/INST]", "[THINK]Why?[/THINK]So."),
        (
            "openai-gpt-oss-120b",
            "<|start|>assistant",
            "<|channel|>analysis<|message|>Why?<|end|><|start|>assistant<|channel|>final<|message|>So.",
        ),
        ("google-gemma-4-31B-it", "<|turn>model\n", "<|channel>thought\nWhy?<channel|>So."),
        ("Cohere2MoE", "<|CHATBOT_TOKEN|><|START_THINKING|>", "Why?<|END_THINKING|><|START_TEXT|>So."),
        (
            "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
            "<|CHATBOT_TOKEN|>",
            "<|START_THINKING|>Why?<|END_THINKING|><|START_RESPONSE|>So.",
        ),
        ("Kimi-K3", "<|open|>think<|sep|>", "Why?<|close|>think<|sep|><|open|>response<|sep|>So."),
        (
            "upstage-Solar-Open-100B",
            "<|begin|>assistant",
            "<|think|>Why?<|end|><|begin|>assistant<|content|>So.",
        ),
        (
            "muse-glimmer",
            "<|start|>assistant",
            " to=self<|message|>Why?<|eom|><|start|>assistant to=user<|message|>So.",
        ),
        ("Apriel-1.6-15b-Thinker-fixed", "Here are my reasoning steps:\n", "Why?\n[BEGIN FINAL RESPONSE]\nSo."),
        ("ibm-granite-granite-3.3-2B-Instruct", "<|end_of_role|>", "<think>Why?</think>\n<response>So."),
        ("unsloth-Apriel-1.5", "<|assistant|>\n", "<thinking>Why?</thinking>\nSo."),
    ],
)
def test_every_family_marks_its_reasoning_and_nothing_of_the_marks_is_shown(name: str, lead: str, reply: str) -> None:
    assert read([reply], markup_of(name), lead) == ("Why?", "So.")
    assert read(list(reply), markup_of(name), lead) == ("Why?", "So.")


def history_of(name: str) -> str:
    """What a template makes of a reply with reasoning that is followed by a question; "" where it refuses."""
    template = ChatTemplate(source_of(name), {"bos_token": "", "eos_token": "</s>"})
    said = [Message(Role.USER, "One"), Message(Role.ASSISTANT, "Three", reasoning="Two"), Message(Role.USER, "Four")]
    try:
        return template.text(said)
    except TemplateFailed:
        return ""


def test_what_a_template_writes_of_reasoning_in_history_is_what_the_parser_reads() -> None:
    """A model writes as its template does: that is what it was trained on."""
    keeping = {name: history for name in NAMES if "Two" in (history := history_of(name))}
    assert len(keeping) == 11
    for name, history in keeping.items():
        markup = find_markup(source_of(name) + history, knows_nothing)
        assert markup is not None
        reply = history[history.index("One") + 3 : history.index("Three") + 5]
        begin = min(reply.index(mark) for mark in (*markup.opens, *markup.intros) if mark in reply)
        assert read([reply[begin:]], markup) == ("Two", "Three"), name


def test_a_template_that_says_nothing_of_reasoning_leaves_it_to_the_vocabulary() -> None:
    assert find_markup("{{ messages[0].content }}", knows_nothing) is None
    assert find_markup("{{ messages[0].content }}", lambda word: word in ("<think>", "</think>")) == THINK
    assert find_markup("{{ messages[0].content }}", lambda word: word == "<think>") is None
    harmony = {"<|channel|>", "<|message|>", "<|end|>", "<|start|>"}
    assert find_markup("", lambda word: word in harmony) == find_markup(GPT_OSS, knows_nothing)


@pytest.mark.parametrize(
    ("reply", "lead", "expected"),
    [
        ("So.", "", ("", "So.")),
        (" So.", "", ("", " So.")),
        ("So. <think> is a mark.</think>", "", ("", "So. <think> is a mark.</think>")),
        ("<think></think>So.", "", ("", "So.")),
        ("<think>\n\n</think>\n\nSo.", "", ("", "So.")),
        ("<think>Why", "", ("Why", "")),
        ("<think>Why </thi", "", ("Why </thi", "")),
        ("<think>1</think>\n<think>2</think>So.", "", ("1\n\n2", "So.")),
        ("<think>a <think> b</think>So.</think>", "", ("a <think> b", "So.</think>")),
        ("<thin", "", ("", "<thin")),
        ("<b>bold</b>", "", ("", "<b>bold</b>")),
        ("", "", ("", "")),
        ("So.", "<think>\n\n</think>\n\n", ("", "So.")),
        ("Why</think>So.", "... <think>\n", ("Why", "So.")),
        ("<think>Why</think>So.\n", "", ("Why", "So.\n")),
    ],
)
def test_what_is_reasoning_and_what_only_looks_like_it(reply: str, lead: str, expected: tuple[str, str]) -> None:
    assert read([reply], THINK, lead) == expected
    assert read(list(reply), THINK, lead) == expected


def test_a_reply_cut_off_within_a_channels_name_shows_nothing_of_it() -> None:
    cut_off = "<|channel|>analysis<|message|>Why?<|end|><|start|>assistant<|channel|>fin"
    assert read([cut_off], markup_of("openai-gpt-oss-120b")) == ("Why?", "")


def test_reasoning_is_shown_while_it_comes_and_not_only_at_its_end() -> None:
    parser = ReasoningParser(THINK)
    shown = [
        text_of(parser.feed(piece), DeltaKind.REASONING) for piece in ("<think>\n", "one ", "two", " </", "b>", "\n")
    ]
    assert shown == ["", "one", " two", "", " </b>", ""]


def test_without_marks_everything_is_answer_at_once() -> None:
    parser = ReasoningParser(None)
    assert parser.feed("<think>") == [Part(DeltaKind.ANSWER, "<think>", 7)]


MARKS = ("<think>", "</think>", "<a>", "<a>b", "</a>", "aa", "aba", "<r>")  # one begins with another
markups = st.builds(
    Markup,
    opens=st.lists(st.sampled_from(MARKS), min_size=1, max_size=2).map(tuple),
    closes=st.lists(st.sampled_from(MARKS), min_size=1, max_size=2).map(tuple),
    intros=st.lists(st.sampled_from(MARKS), max_size=2).map(tuple),
)
texts = st.lists(st.one_of(st.sampled_from(MARKS), st.text("ab<>/ \nthink👍", max_size=5)), max_size=12).map("".join)


@example("<a>bc</a>d", Markup(("<a>",), ("</a>",), ("<a>b",)), [], "")
@given(texts, markups, st.lists(st.integers(0, 500), max_size=20), st.sampled_from(["", "<think>", "x<a>\n"]))
def test_any_marks_cut_anywhere_are_read_as_the_whole_is(
    text: str, markup: Markup, places: list[int], lead: str
) -> None:
    assert read(cut(text, places), markup, lead) == read([text], markup, lead)
    assert read(list(text), markup, lead) == read([text], markup, lead)


@given(texts, markups)
def test_what_is_told_apart_stands_in_the_text_in_that_order(text: str, markup: Markup) -> None:
    parser = ReasoningParser(markup)
    parts = [part for character in text for part in parser.feed(character)] + parser.flush()
    reached = 0
    for part in parts:
        said = part.text.removeprefix("\n\n") if part.kind is DeltaKind.REASONING else part.text
        begin = part.end - len(said)
        assert text[begin : part.end] == said
        assert begin >= reached
        reached = part.end


@given(st.text("ab <>\n/", min_size=1, max_size=20), st.text("ab <>\n/", min_size=1, max_size=20))
def test_reasoning_and_answer_come_back_as_they_were_written(thought: str, answer: str) -> None:
    expected = thought.strip(), answer.lstrip()
    assert read([f"<think>{thought}</think>{answer}"], THINK) == expected
