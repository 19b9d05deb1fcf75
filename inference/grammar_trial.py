"""Reads a grammar as llama.cpp does, in a process of its own that may die of it.

Started as a file, without this package: `python -I -S grammar_trial.py LIBRARY`; in a frozen program, which has no
interpreter to start, as `headwater --try-grammar LIBRARY`. The grammar comes on standard input. Ends with status 0 for
a grammar that can be used and 1 for one that is refused; what llama.cpp says of it goes to standard error. Some it dies
of: nested too deep, or without an end.
"""

import ctypes
import os
import re
import sys
import threading
from typing import NoReturn

GRAMMAR_OPTION = "--try-grammar"
REFUSED = 1
NO_LIBRARY = 2

_SECONDS = 5
_MEMORY = 256 << 20  # bytes
_STACK = 256 << 10  # bytes; no thread of any system has less
_RULE = re.compile(rb"([A-Za-z0-9-]+)[ \t\r\n]*::=")


def run(library: str) -> NoReturn:
    """Try the grammar on standard input with llama.cpp's `library`, and end the process."""
    status = _answer(library)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # what was made is not worth freeing


def _answer(path: str) -> int:
    library = _library(path)
    if library is None:
        return NO_LIBRARY
    _limit()
    grammar = sys.stdin.buffer.read()
    threading.stack_size(_STACK)
    statuses: list[int] = []
    trial = threading.Thread(target=lambda: statuses.append(_try(library, grammar)))
    trial.start()
    trial.join()
    return statuses[0]


def _library(path: str) -> ctypes.CDLL | None:
    os.environ["GGML_NO_BACKTRACE"] = "1"  # else an abort starts a debugger
    if sys.platform == "win32":
        os.add_dll_directory(os.path.dirname(path))  # noqa: PTH120 - pathlib would take longer than the trial
    try:
        return ctypes.CDLL(path)
    except OSError:
        return None


def _limit() -> None:
    """Let the system end this process before it takes too much. Where it cannot, the parent's patience ends."""
    if sys.platform == "win32":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, _SECONDS),
        (resource.RLIMIT_DATA, _MEMORY),
    ):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _try(library: ctypes.CDLL, grammar: bytes) -> int:
    library.llama_sampler_init_grammar.restype = ctypes.c_void_p
    library.llama_sampler_init_grammar.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    if not library.llama_sampler_init_grammar(None, grammar, b"root"):
        return REFUSED
    # Rules that call themselves through others that may be empty are taken apart without an end, but only once a reply
    # comes to them. So begin with each.
    rules = sorted(set(_RULE.findall(grammar)))
    start = b"x-" + b"-".join(rules)[:64]
    while start in rules:
        start += b"x"
    library.llama_sampler_init_grammar(None, grammar + b"\n" + start + b" ::= " + b" | ".join(rules) + b"\n", start)
    return 0


if __name__ == "__main__":
    run(sys.argv[1])
