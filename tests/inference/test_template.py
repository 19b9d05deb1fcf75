"""Templates render what was said, in a sandbox, with foreign text apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import TemplateFailed
from inference.messages import Message, Role, message_from
from inference.template import CHATML, GEMMA, PLAIN, ChatTemplate, RenderStopped, Segment, Torn
from tests.templates import NAMES, source_of

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


def test_what_a_template_does_not_refuse_is_neither_merged_nor_folded() -> None:
    source = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    assert text_of(source, SYSTEM, HELLO, HELLO) == "[system]Be short.[user]Hello[user]Hello"


def test_merged_replies_keep_the_reasoning_of_both() -> None:
    strict = (
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('no') }}{% endif %}{{ m.reasoning_content }}|{{ m.content }} {% endfor %}"
    )
    thought = Message(Role.ASSISTANT, "So", reasoning="Why")
    assert text_of(strict, HELLO, ANSWER, thought) == "|Hello Why|Hi!\n\nSo "


def test_a_refusal_is_told_in_the_templates_own_words() -> None:
    with pytest.raises(TemplateFailed, match="never on Mondays"):
        text_of("{{ raise_exception('never on Mondays') }}", HELLO)


def test_a_source_that_is_no_jinja_is_refused_when_it_is_made() -> None:
    with pytest.raises(TemplateFailed):
        ChatTemplate("{% if %}", TOKENS)


def test_a_rendering_that_is_interrupted_ends_at_once() -> None:
    endless = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    asked = iter(range(1000))
    template = ChatTemplate(endless, TOKENS, interrupted=lambda: next(asked) == 999)
    with pytest.raises(RenderStopped):
        template.segments([HELLO])


def test_what_is_not_known_is_undefined_and_not_none() -> None:
    names = ("tools", "documents", "enable_thinking", "thinking", "custom_tools")
    source = "".join(f"{{{{ {name} is defined }}}}" for name in names) + "{{ messages[0].tool_calls is defined }}"
    assert text_of(source, HELLO) == "False" * 6


def test_templates_learn_the_date() -> None:
    assert text_of("{{ date_string }}", HELLO) == text_of("{{ strftime_now('%d %b %Y') }}", HELLO)
    assert text_of("{{ datetime }}", HELLO)


def test_a_choice_of_thinking_reaches_the_template_under_both_names_it_has() -> None:
    template = ChatTemplate("{{ enable_thinking }}/{{ thinking }}", TOKENS)
    assert template.text([HELLO], thinking=True) == "True/True"
    assert template.text([HELLO], thinking=False) == "False/False"


def test_reasoning_is_handed_over_beside_the_content_and_stands_in_a_segment_of_its_own() -> None:
    source = "{% for m in messages %}<t>{{ m.reasoning_content | trim }}</t>{{ m.content }}{% endfor %}"
    thought = Message(Role.ASSISTANT, "So.", reasoning="\nWhy?\n")
    assert ChatTemplate(source, TOKENS).segments([thought]) == [
        Segment("<t>", None),
        Segment("Why?", 0, reasoning=True),
        Segment("</t>", None),
        Segment("So.", 0),
    ]


def test_a_template_sees_whether_there_is_text_although_it_is_marked() -> None:
    source = "{% for m in messages %}[{{ 'some' if m.content else 'none' }}{{ m.content | trim | upper }}]{% endfor %}"
    assert text_of(source, Message(Role.USER, ""), Message(Role.USER, " \n a ")) == "[none][someA]"


def test_white_space_stands_with_the_word_behind_it_as_tokens_have_it() -> None:
    template = ChatTemplate("{% for m in messages %}[{{ m.role }}]: {{ m.content }}[end]{% endfor %}", TOKENS)
    assert template.segments([Message(Role.USER, "\n a "), Message(Role.ASSISTANT, "b", token_ids=(1,))]) == [
        Segment("[user]:", None),
        Segment(" \n a ", 0),
        Segment("[end][assistant]: ", None),
        Segment("b", 1),
        Segment("[end]", None),
    ]


def test_what_was_sampled_keeps_its_white_space_where_a_template_trims() -> None:
    sampled = Message(Role.ASSISTANT, " Hi!\n", token_ids=(1,))
    assert text_of("{% for m in messages %}[{{ m.content | trim }}]{% endfor %}", ANSWER, sampled) == "[Hi!][ Hi!\n]"


def test_generation_tags_and_loop_controls_are_understood() -> None:
    source = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}"
    assert text_of(source, HELLO, ANSWER, HELLO) == "Hello"


def test_a_message_torn_apart_by_the_template_is_reported_and_rendered_from_its_neutral_text() -> None:
    template = ChatTemplate("{% for m in messages %}{{ m.content.split('|')[-1] }}{% endfor %}", TOKENS)
    said = [Message(Role.USER, "thought|answer")]
    with pytest.raises(Torn) as torn:
        template.segments([*said, HELLO, *said])
    assert torn.value.indices == {0, 2}
    assert template.segments(said, {0: Message(Role.USER, "thought|neutral")}) == [Segment("neutral", None)]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_whatever_is_said_comes_back_in_its_own_segment(contents: list[str]) -> None:
    messages = [Message(Role.USER, content) for content in contents]
    segments = ChatTemplate(CHATML, TOKENS).segments(messages)
    said = {segment.message: segment.text for segment in segments if segment.message is not None}
    assert said == {index: content for index, content in enumerate(contents) if content.strip()}


PARTS = {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]}

CONVERSATIONS = {
    "one turn": [HELLO],
    "system and user": [SYSTEM, HELLO],
    "three turns": [HELLO, ANSWER, Message(Role.USER, "And?")],
    "two user turns in a row": [HELLO, Message(Role.USER, "And?")],
    "text parts": [message_from(PARTS)],
}

# It insists on being given tools.
REFUSING = {"fireworks-ai-llama-3-firefunction-v2"}


def test_there_are_seventy_templates_of_the_field() -> None:
    assert len(NAMES) == 70


@pytest.mark.parametrize("messages", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_all_but_one_template_of_the_field_render_every_conversation(messages: list[Message]) -> None:
    refusing = set()
    for name in NAMES:
        try:
            rendered = ChatTemplate(source_of(name), TOKENS).text(messages)
        except TemplateFailed:
            refusing.add(name)
        else:
            assert all(message.content in rendered for message in messages), name
    assert refusing == REFUSING


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSING])
def test_a_template_of_the_field_renders_the_same_with_marks_and_without(name: str) -> None:
    template = ChatTemplate(source_of(name), TOKENS)
    thought = Message(Role.ASSISTANT, "So\nit is.", reasoning="Why?\nBecause.")
    long = [
        SYSTEM,
        Message(Role.USER, " {{ Hello }} <b>\"'&\\\n"),
        thought,
        Message(Role.USER, "And?\n\n"),
        ANSWER,
        HELLO,
    ]
    for messages in (*CONVERSATIONS.values(), long):
        for thinking in (None, True, False):
            segments = template.segments(messages, thinking=thinking)
            assert "".join(segment.text for segment in segments) == template.text(messages, thinking=thinking)
            foreign = [
                (segment.message, segment.text.strip())
                for segment in segments
                if segment.message is not None and not segment.reasoning
            ]
            # Mistral Nemo moves the system prompt to the last question.
            assert sorted(foreign) == [(index, message.content.strip()) for index, message in enumerate(messages)]
