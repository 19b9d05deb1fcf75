"""A draft is counted with the model's own template, the newest wish first."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from inference.counting import TokenCount, TokenCounter
from inference.errors import ModelNotFound
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.prompt import PromptBuilder
from inference.requests import ModelConfig
from tests.fakes import Script, ScriptedModel, config

PATIENCE = 10.0
SAID = (Message(Role.USER, "Hello"), Message(Role.ASSISTANT, "Hi there"))


class Listener:
    def __init__(self) -> None:
        self.counts: list[TokenCount] = []
        self._came = threading.Condition()

    def __call__(self, count: TokenCount) -> None:
        with self._came:
            self.counts.append(count)
            self._came.notify_all()

    def of(self, draft: str) -> TokenCount:
        with self._came:
            assert self._came.wait_for(lambda: any(count.draft_text == draft for count in self.counts), PATIENCE)
            return next(count for count in self.counts if count.draft_text == draft)


@contextmanager
def counter(
    open_reader: Callable[[ModelConfig], ScriptedModel] | None = None,
) -> Iterator[tuple[TokenCounter, Listener, list[ScriptedModel]]]:
    opened: list[ScriptedModel] = []

    def open_scripted(model: ModelConfig) -> ScriptedModel:
        opened.append(ScriptedModel(Script(), model, StopFlag()))
        return opened[-1]

    listener = Listener()
    counting = TokenCounter(listener, open_reader or open_scripted)
    try:
        yield counting, listener, opened
    finally:
        counting.close()


def test_conversation_and_draft_together_are_the_prompt_that_would_be_sent() -> None:
    with counter() as (counting, listener, opened):
        counting.count(config(), SAID, "And you?")
        count = listener.of("And you?")
    prompt = PromptBuilder(opened[0]).build((*SAID, Message(Role.USER, "And you?")))
    assert count.conversation + count.draft == len(prompt.tokens)
    assert count.draft > len("And you?")
    assert count.conversation > len("HelloHi there")


def test_nothing_typed_is_no_draft() -> None:
    with counter() as (counting, listener, _):
        counting.count(config(), SAID, "")
        assert listener.of("").draft == 0


def test_the_vocabulary_is_opened_once_for_a_model_and_freed_for_another() -> None:
    with counter() as (counting, listener, opened):
        for model, draft in (("one", "a"), ("one", "b"), ("two", "c")):
            counting.count(config(model), SAID, draft)
            listener.of(draft)
        assert [each.info.name for each in opened] == ["one", "two"]
        assert [each.closed for each in opened] == [True, False]
    assert all(each.closed for each in opened)


def test_only_the_newest_wish_is_counted() -> None:
    reached, may_go_on = threading.Event(), threading.Event()

    def slow(model: ModelConfig) -> ScriptedModel:
        reached.set()
        assert may_go_on.wait(PATIENCE)
        return ScriptedModel(Script(), model, StopFlag())

    with counter(slow) as (counting, listener, _):
        counting.count(config(), SAID, "first")
        assert reached.wait(PATIENCE)
        for draft in ("second", "third", "fourth"):
            counting.count(config(), SAID, draft)
        may_go_on.set()
        listener.of("fourth")
    assert [count.draft_text for count in listener.counts] == ["first", "fourth"]


@pytest.mark.parametrize("template", [None, "{{ raise_exception('no') }}"], ids=["no file", "template refuses"])
def test_what_cannot_be_counted_is_not_and_the_next_is(template: str | None) -> None:
    def opening(model: ModelConfig) -> ScriptedModel:
        if model == config("broken"):
            if template is None:
                raise ModelNotFound(model.path)
            return ScriptedModel(Script(template=template), model, StopFlag())
        return ScriptedModel(Script(), model, StopFlag())

    with counter(opening) as (counting, listener, _):
        counting.count(config("broken"), SAID, "lost")
        counting.count(config(), SAID, "found")
        listener.of("found")
    assert [count.draft_text for count in listener.counts] == ["found"]


def test_a_counter_never_closed_lets_the_interpreter_exit() -> None:
    script = "from inference.counting import TokenCounter; TokenCounter(print)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.model
def test_a_real_vocabulary_counts_what_the_engine_reads() -> None:
    import inference

    path = inference.embedded_model()
    assert path is not None
    listener = Listener()
    counting = TokenCounter(listener)
    counting.count(ModelConfig(path), (), "What is a river?")
    count = listener.of("What is a river?")
    counting.close()
    with inference.connect() as client:
        assert client.generate("What is a river?", max_tokens=1).usage.input_tokens == count.conversation + count.draft
