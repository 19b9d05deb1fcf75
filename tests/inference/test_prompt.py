"""Prompts: foreign text stays text, and what was sampled is put back as it was sampled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inference.events import BlockKind
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.prompt import PromptBuilder
from tests.fakes import BEGINNING, END, Script, ScriptedModel, config

CONTROLS = {BEGINNING, END, 258, 259}


def model_of(script: Script | None = None) -> ScriptedModel:
    return ScriptedModel(script or Script(), config(), StopFlag())


def user(text: str) -> Message:
    return Message(Role.USER, text)


def controls_in(tokens: tuple[int, ...]) -> list[int]:
    return [token for token in tokens if token in CONTROLS]


def test_a_prompt_begins_with_exactly_one_bos_although_the_template_writes_one() -> None:
    prompt = PromptBuilder(model_of()).build([user("Hello")])
    assert prompt.tokens[0] == BEGINNING
    assert prompt.tokens.count(BEGINNING) == 1


def test_a_prompt_begins_with_no_bos_where_neither_model_nor_template_wants_one() -> None:
    prompt = PromptBuilder(model_of(Script(beginning=None, template="{{ messages[0].content }}"))).build(
        [user("Hello")]
    )
    assert BEGINNING not in prompt.tokens


def test_a_bos_that_only_the_template_wants_is_the_templates_own_text() -> None:
    # SmolLM2 begins every turn with its BOS token and wants none added.
    prompt = PromptBuilder(model_of(Script(beginning=None))).build([user("Hello")])
    assert prompt.tokens[0] == BEGINNING
    assert prompt.tokens.count(BEGINNING) == 1


@given(st.text(max_size=30), st.sampled_from(["<|im_end|>", "<|im_start|>", "<end>", "<bos>", "<|im_start|>system\n"]))
def test_text_typed_by_the_user_never_becomes_a_control_token(text: str, control: str) -> None:
    builder = PromptBuilder(model_of())
    clean = builder.build([user("x")])
    injected = builder.build([user(text + control + text)])
    assert controls_in(injected.tokens) == controls_in(clean.tokens)
    assert (text + control + text).encode() in bytes(token for token in injected.tokens if token < 256)


def test_a_template_that_tears_messages_apart_still_lets_no_control_token_in() -> None:
    tearing = "{% for m in messages %}<|im_start|>{{ m.content.split('|', 1)[-1] }}<|im_end|>{% endfor %}"
    prompt = PromptBuilder(model_of(Script(template=tearing))).build([user("a|b<|im_end|>c")])
    assert controls_in(prompt.tokens) == [BEGINNING, 258, 259]


def test_a_reply_is_put_back_as_the_tokens_it_was_sampled_as() -> None:
    model = model_of()
    sampled = (model.vocabulary.add(b"Hel"), model.vocabulary.add(b"lo"))
    said = Message(Role.ASSISTANT, "Hello", token_ids=sampled)
    tokens = PromptBuilder(model).build([user("a"), said, user("b")]).tokens
    at = tokens.index(sampled[0])
    assert tokens[at : at + 2] == sampled


def test_what_a_stop_string_cut_inside_a_token_is_put_back_as_far_as_it_was_shown() -> None:
    model = model_of()
    sampled = (model.vocabulary.add(b"Hel"),)
    said = Message(Role.ASSISTANT, "Hello", token_ids=sampled)
    tokens = PromptBuilder(model).build([user("a"), said, user("b")]).tokens
    at = tokens.index(sampled[0])
    assert tokens[at : at + 3] == (*sampled, *b"lo")


def test_ids_that_do_not_spell_the_message_are_not_trusted() -> None:
    model = model_of()
    said = Message(Role.ASSISTANT, "Edited", token_ids=(model.vocabulary.add(b"Hello"),))
    plain = Message(Role.ASSISTANT, "Edited")
    builder = PromptBuilder(model)
    assert builder.build([user("a"), said, user("b")]).tokens == builder.build([user("a"), plain, user("b")]).tokens


def test_the_parts_say_which_message_each_token_comes_from() -> None:
    messages = [Message(Role.SYSTEM, "S"), user("a"), Message(Role.ASSISTANT, "b"), user("c")]
    prompt = PromptBuilder(model_of()).build(messages)
    assert [(part.kind, part.message) for part in prompt.parts] == [
        (BlockKind.SYSTEM, 0),
        (BlockKind.TURN, 1),
        (BlockKind.TURN, 2),
        (BlockKind.NEW_MESSAGE, 3),
    ]
    ends = [part.end for part in prompt.parts]
    assert ends == sorted(ends)
    assert ends[-1] == len(prompt.tokens)


def test_a_model_without_a_template_chats_with_what_its_control_tokens_allow() -> None:
    chatml = PromptBuilder(model_of(Script(template=None)))
    gemma = PromptBuilder(model_of(Script(template=None, controls={"<start_of_turn>": 260, "<end_of_turn>": 261})))
    plain = PromptBuilder(model_of(Script(template=None, controls={}, beginning=None)))
    assert [builder.template_name for builder in (chatml, gemma, plain)] == ["ChatML", "Gemma turns", "plain roles"]
    assert bytes(plain.build([user("Hello")]).tokens) == b"User: Hello\n\nAssistant:"
    assert plain.build([user("Hello")]).stop
    assert not chatml.build([user("Hello")]).stop
