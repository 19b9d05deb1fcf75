"""Grammars: what a reply may look like, token by token.

llama.cpp ends the process over some grammars, and over every token that a grammar forbids. So each grammar is tried in
a process of its own first, and each token is asked about before it is taken.
"""

from __future__ import annotations

import ctypes
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from inference import grammar_trial
from inference.errors import GenerationBroke, GrammarRefused
from inference.llama.library import llama, sampler_accept, sampler_apply
from inference.model import Vocabulary
from inference.sentences import Sentence

_PATIENCE_SECONDS = 15.0  # a trial ends itself before that where the system helps
_STEP_SECONDS = 2.0  # what one token may take; a grammar that can be read in ever more ways doubles it each time
_LONGEST_REASON = 200
_REMEMBERED = 64
_TOKEN_ID = re.compile(r"<\[(\d{1,9})\]>")
# What stands for a token, and what else a "<" may stand in.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|#[^\r\n]*|<(?!\[)(?P<text>[^>]*)>', re.DOTALL)


class Grammar:
    """Where in a grammar a reply is. Only tokens that it `allows` may be accepted."""

    def __init__(self, text: str, vocabulary: Vocabulary, pointer: int, patience: float = _STEP_SECONDS) -> None:
        """`pointer` is llama.cpp's vocabulary; `patience` are the seconds that a token may take.

        Raises:
            GrammarRefused: llama.cpp cannot read it, in its own words, or would die of it.
        """
        self._patience = patience
        source = _with_token_ids(text, vocabulary)
        _try_in_child(source, trial_command())
        self._sampler = llama.llama_sampler_init_grammar(pointer, source.encode(), b"root")
        if not self._sampler:
            raise GrammarRefused(Sentence("llama.cpp cannot read it."))
        self._vocabulary = vocabulary
        self._named = frozenset(int(token) for token in _TOKEN_ID.findall(source))
        self._one = llama.llama_token_data()
        self._only = llama.llama_token_data_array(data=ctypes.pointer(self._one), size=1, selected=-1, sorted=False)

    def allows(self, token: int) -> bool:
        """Whether the reply may go on with `token`."""
        if not self.counts(token):
            return False
        self._one.id, self._one.logit = token, 0.0
        sampler_apply(self._sampler, ctypes.byref(self._only))
        return bool(self._one.logit == 0.0)

    def counts(self, token: int) -> bool:
        """Whether `token` can be a part of the reply: llama.cpp takes a control token for the text it is written as,
        which is never shown."""
        vocabulary = self._vocabulary
        return bool(vocabulary.piece(token)) or vocabulary.is_end(token) or token in self._named

    def forbid(self, candidates: Any) -> None:  # noqa: ANN401 - llama.cpp's array
        """Take every chance from the candidates that the reply may not go on with."""
        began = time.perf_counter()
        # A large vocabulary takes a while: others may run meanwhile.
        llama.llama_sampler_apply(self._sampler, ctypes.byref(candidates))
        self._check_time(began)

    def accept(self, token: int) -> None:
        """Go on with `token`, which is allowed."""
        began = time.perf_counter()
        sampler_accept(self._sampler, token)
        self._check_time(began)

    def close(self) -> None:
        if self._sampler:
            llama.llama_sampler_free(self._sampler)
            self._sampler = None

    def _check_time(self, began: float) -> None:
        if time.perf_counter() - began > self._patience:
            raise GenerationBroke(Sentence("its text can be read in too many ways by this grammar."))


def trial_command(*, frozen: bool | None = None) -> tuple[str, ...]:
    """What starts a trial: this interpreter, and where there is none, in a frozen program, that program."""
    library = str(Path(llama._lib._name))  # noqa: SLF001 - the very library that will read the grammar
    if getattr(sys, "frozen", False) if frozen is None else frozen:
        return (sys.executable, grammar_trial.GRAMMAR_OPTION, library)
    return (sys.executable, "-I", "-S", grammar_trial.__file__, library)


def _with_token_ids(text: str, vocabulary: Vocabulary) -> str:
    """The grammar with its tokens by their ids, so that it can be read without the vocabulary."""
    if "\0" in text or not text.strip():
        raise GrammarRefused(
            Sentence("it is empty.") if not text.strip() else Sentence("there is a NUL character in it.")
        )
    if not text.isascii() and text.encode("utf-8", "replace").decode() != text:
        raise GrammarRefused(Sentence("there is half a character in it."))

    def with_id(match: re.Match[str]) -> str:
        name = match["text"]
        if name is None:
            return match[0]
        ids = vocabulary.tokenize(f"<{name}>", special=True)
        if len(ids) != 1:
            raise GrammarRefused(Sentence("“<{name}>” is not one token of this model.", name=_line(name)))
        return f"<[{ids[0]}]>"

    return _TOKEN.sub(with_id, text)


@lru_cache(_REMEMBERED)
def _try_in_child(source: str, command: Sequence[str]) -> None:
    """Have a short-lived process read the grammar; returns when that went well.

    Raises:
        GrammarRefused: it is refused, or the process died of it.
    """
    try:
        trial = subprocess.run(  # noqa: S603 - this interpreter, on a file of this package
            command, input=source.encode(), capture_output=True, timeout=_PATIENCE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise GrammarRefused(Sentence("llama.cpp takes too long over it.")) from None
    match trial.returncode:
        case 0 | grammar_trial.NO_LIBRARY:
            return
        case grammar_trial.REFUSED:
            raise GrammarRefused(_words(trial.stderr.decode("utf-8", "replace")))
        case status if status == -getattr(signal, "SIGXCPU", 0):
            raise GrammarRefused(Sentence("llama.cpp takes too long over it."))
        case status if status == -signal.SIGSEGV:
            raise GrammarRefused(Sentence("it is nested too deeply for llama.cpp."))
        case _:
            raise GrammarRefused(
                Sentence("llama.cpp would not live through it: a rule may begin with itself, by way of others.")
            )


def _words(written: str) -> str:
    """What the parser says is wrong, in one line."""
    _, _, reason = written.partition("error parsing grammar: ")
    return _line(reason or written).rstrip(".") + "."


def _line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= _LONGEST_REASON else line[:_LONGEST_REASON] + "…"
