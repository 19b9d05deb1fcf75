"""Templates render what was said, in a sandbox, with foreign text apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import TemplateFailed
from inference.messages import Message, Role
from inference.template import CHATML, GEMMA, PLAIN, ChatTemplate, Segment, Torn

SYSTEM = Message(Role.SYSTEM, "Be short.")
HELLO = Message(Role.USER, "Hello")
ANSWER = Message(Role.ASSISTANT, "Hi!")
TOKENS = {"bos_token": "<bos>", "eos_token": "<eos>"}


def text_of(source: str, *messages: Message) -> str:
    return "".join(segment.text for segment in ChatTemplate(source, TOKENS).segments(messages))


def test_the_templates_own_text_and_what_was_said_stand_in_segments_of_their_own() -> None:
    assert ChatTemplate(CHATML, TOKENS).segments([HELLO]) == [
        Segment("<|im_start|>user\n", None),
        Segment("Hello", 0),
        Segment("<|im_end|>\n<|im_start|>assistant\n", None),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (PLAIN, "User: Hello\n\nAssistant: Hi!\n\nUser: Hello\n\nAssistant:"),
        (
            GEMMA,
            (
                "<bos><start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\nHi!<end_of_turn>\n"
                "<start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\n"
            ),
        ),
    ],
    ids=["plain", "gemma"],
)
def test_a_fallback_writes_the_turns_one_after_another(source: str, expected: str) -> None:
    assert text_of(source, HELLO, ANSWER, HELLO) == expected


def test_a_template_that_wants_alternating_roles_gets_consecutive_messages_as_one() -> None:
    strict = (
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('roles must alternate') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    )
    assert text_of(strict, HELLO, HELLO) == "[user]Hello\n\nHello"


def test_a_template_without_a_system_role_gets_it_folded_into_the_users_first_message() -> None:
    strict = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "[{{ m.role }}]{{ m.content }}{% endfor %}"
    )
    assert text_of(strict, SYSTEM, HELLO) == "[user]Be short.\n\nHello"


def test_a_refusal_is_told_in_the_templates_own_words() -> None:
    with pytest.raises(TemplateFailed, match="never on Mondays"):
        text_of("{{ raise_exception('never on Mondays') }}", HELLO)


@pytest.mark.parametrize(
    "hostile",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ 1 // 0 }}",
        "{{ messages[99].content.x.y }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ range(10**9) | list }}",
    ],
)
def test_a_hostile_or_broken_template_fails_with_a_sentence(hostile: str) -> None:
    with pytest.raises(TemplateFailed):
        text_of(hostile, HELLO)


def test_a_source_that_is_no_jinja_is_refused_when_it_is_made() -> None:
    with pytest.raises(TemplateFailed):
        ChatTemplate("{% if %}", TOKENS)


def test_generation_tags_and_loop_controls_are_understood() -> None:
    source = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}"
    assert text_of(source, HELLO, ANSWER, HELLO) == "Hello"


def test_a_message_torn_apart_by_the_template_is_reported_and_rendered_from_its_neutral_text() -> None:
    template = ChatTemplate("{% for m in messages %}{{ m.content.split('|')[-1] }}{% endfor %}", TOKENS)
    said = [Message(Role.USER, "thought|answer")]
    with pytest.raises(Torn):
        template.segments(said)
    assert template.segments(said, {0: Message(Role.USER, "thought|neutral")}) == [Segment("neutral", None)]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_whatever_is_said_comes_back_in_its_own_segment(contents: list[str]) -> None:
    messages = [Message(Role.USER, content) for content in contents]
    segments = ChatTemplate(CHATML, TOKENS).segments(messages)
    said = {segment.message: segment.text for segment in segments if segment.message is not None}
    assert said == {index: content.strip() for index, content in enumerate(contents) if content.strip()}
