"""A draft is counted with the model's own template, the newest wish first."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from inference.configuration import ModelConfig, WindowPolicy
from inference.counting import DropRule, TokenCount, TokenCounter
from inference.errors import ModelNotFound
from inference.fit import fit
from inference.messages import Message, Role
from inference.model import StopFlag
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest
from tests.fakes import Script, ScriptedModel, ScriptedVocabulary, config
from tests.inference.listening import PATIENCE

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
        counting.count(config(), SAID, "And you?", about=7)
        count = listener.of("And you?")
    prompt = PromptBuilder(opened[0]).build((*SAID, Message(Role.USER, "And you?")))
    assert count.conversation + count.draft == len(prompt.tokens)
    assert count.draft > len("And you?")
    assert count.conversation > len("HelloHi there")
    assert count.about == 7


def test_nothing_typed_is_no_draft() -> None:
    with counter() as (counting, listener, _):
        counting.count(config(), SAID, "")
        assert listener.of("").draft == 0


def test_attached_texts_are_counted_each_and_with_the_draft() -> None:
    with counter() as (counting, listener, opened):
        counting.count(config(), SAID, "Why?", ("x,y\n1,2", "a longer text"))
        count = listener.of("Why?")
        counting.count(config(), SAID, "And why?", ())
        bare = listener.of("And why?")
        counting.count(config(), SAID, "", ("x,y\n1,2",))
        alone = listener.of("")
    builder = PromptBuilder(opened[0])
    assert count.attachments == (builder.count("x,y\n1,2"), builder.count("a longer text"))
    typed = len(builder.build((*SAID, Message(Role.USER, "Why?"))).tokens) - count.conversation
    assert count.draft == typed + sum(count.attachments)
    assert bare.attachments == ()
    assert alone.draft > alone.attachments[0]


class Watched(ScriptedVocabulary):
    """Remembers what it was given to cut."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        self.texts.append(text)
        return super().tokenize(text, special=special)


def test_an_attached_text_is_cut_into_tokens_once_however_much_is_typed() -> None:
    text, vocabulary = "a file " * 100, Watched()

    def opening(model: ModelConfig) -> ScriptedModel:
        reader = ScriptedModel(Script(), model, StopFlag())
        reader._vocabulary = vocabulary
        return reader

    with counter(opening) as (counting, listener, _):
        for draft in ("a", "b", "c"):
            counting.count(config(), SAID, draft, (text,))
            listener.of(draft)
    assert vocabulary.texts.count(text) == 1


@pytest.mark.parametrize("pinned", [(), (0,)])
def test_what_would_be_left_out_is_what_the_engine_leaves_out(pinned: tuple[int, ...]) -> None:
    said = SAID * 5
    attached = "x" * 40
    with counter() as (counting, listener, opened):
        counting.count(config(), said, "And you?", (attached,), DropRule(230, pinned))
        count = listener.of("And you?")
    question = Message(Role.USER, f"And you?{attached}")  # a token for each letter
    request = GenerationRequest(config(), (*said, question), window_policy=WindowPolicy.DROP_OLDEST, pinned=pinned)
    assert count.left_out == fit(request, PromptBuilder(opened[0]), 230).left_out
    assert count.left_out
    assert count.fits


def test_what_is_too_long_by_itself_does_not_fit_whatever_is_left_out() -> None:
    with counter() as (counting, listener, _):
        counting.count(config(), SAID, "And you?", ("x" * 300,), DropRule(230))
        count = listener.of("And you?")
        counting.count(config(), SAID, "", (), DropRule(10))
        nothing = listener.of("")
    assert (count.left_out, count.fits) == ((), False)
    assert (nothing.left_out, nothing.fits) == ((), True)


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


def test_a_fault_of_our_own_is_told_and_the_next_draft_is_counted(faults: list[BaseException | None]) -> None:
    reached = threading.Event()

    def opening(model: ModelConfig) -> ScriptedModel:
        if model == config("broken"):
            reached.set()
            raise RuntimeError("nobody foresaw this")
        return ScriptedModel(Script(), model, StopFlag())

    with counter(opening) as (counting, listener, _):
        counting.count(config("broken"), SAID, "lost")
        assert reached.wait(PATIENCE)
        counting.count(config(), SAID, "found")
        listener.of("found")
    assert [count.draft_text for count in listener.counts] == ["found"]
    assert [str(fault) for fault in faults] == ["nobody foresaw this"]


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
