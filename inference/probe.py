"""A first load in a child process that may die: over some files llama.cpp ends the process, and only trying tells.

`try_in_child` is the parent's side, `main` the child's: `python -m inference.probe FILE`, and in a frozen program,
which has no interpreter to start, `headwater --probe-model FILE`.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from inference.configuration import KvType, ModelConfig
from inference.errors import InferenceError, ModelCrashed
from inference.gguf_header import GgufFacts
from inference.model import LoadStopped, Sampler, StopFlag
from inference.requests import DEFAULT_SAMPLING
from inference.sentences import Sentence
from inference.sizes import context_for

PROBE_OPTION = "--probe-model"

_GLANCE_SECONDS = 0.02  # between two looks at the stop flag
_PATIENCE_SECONDS = 60.0
_SLOWEST_DISK = 20e6  # bytes a second
_LAST_SECONDS = 2.0  # for a child that has said its last word
_KEPT_LINES = 20
_LONGEST_LINE = 500
_REFUSED = 20  # the child lives, and says no
_ABORTED_ON_WINDOWS = 3
_FIRST_NTSTATUS = 0xC0000000
_LEAST_CONTEXT = 512
_LOADED = 0.6  # of the whole trial; the rest is the first token
_TELL = "@headwater "  # what the child says of itself; everything else is llama.cpp's
_SOURCE_FOLDER = re.compile(r"\S*[/\\](?=[\w.-]+\.(?:cpp|c|h|cu|m|mm):\d)")  # of whoever built the library
_SPEAKS_OF_MEMORY = re.compile(
    r"out of memory|bad_alloc|not enough (?:memory|space)|insufficient memory"
    r"|(?:cannot|can't|could not|failed to|unable to) (?:re)?(?:alloc|reserve|map)|alloc\w* (?:of \S+ \w+ )?failed",
    re.IGNORECASE,
)
_TOLD_LAST = 5  # lines in which a process says why it ends
_DIED_OF_MEMORY = (
    *(-getattr(signal, name) for name in ("SIGKILL", "SIGSEGV") if hasattr(signal, name)),
    0xC0000005,  # access violation
    0xC0000017,  # no memory
    0xC000012D,  # commitment limit
)
_SIGNALS = {
    "SIGKILL": Sentence("the system ended it (SIGKILL), as it does when memory runs out"),
    "SIGABRT": Sentence("it gave up (SIGABRT)"),
    "SIGSEGV": Sentence("it crashed (SIGSEGV)"),
    "SIGBUS": Sentence("it crashed (SIGBUS), as it does when a file changes or a disk fails while it is read"),
    "SIGILL": Sentence("it used an instruction this processor does not have (SIGILL)"),
    "SIGFPE": Sentence("it crashed (SIGFPE)"),
}


def try_in_child(
    config: ModelConfig,
    facts: GgufFacts,
    stop_flag: StopFlag,
    progress: Callable[[float], None],
    command: Sequence[str] | None = None,
    patience: float | None = None,
) -> None:
    """Load the file and decode a token in a process of its own. Returns when that process lived through it, also where
    it refused: then a load here refuses as well, and says why.

    `progress` is called all the time, also where nothing moved. `patience` is in seconds.

    Raises:
        ModelCrashed: the child died, or never answered.
        LoadStopped: the stop flag was raised meanwhile.
    """
    command = probe_command() if command is None else command
    if not command:
        return
    seconds = _PATIENCE_SECONDS + facts.file_size / _SLOWEST_DISK if patience is None else patience
    child = _Child([*command, *_arguments(config)])
    try:
        deadline = time.monotonic() + seconds
        while not child.ended.wait(_GLANCE_SECONDS):
            if stop_flag.is_set():
                raise LoadStopped
            if time.monotonic() > deadline:
                late = Sentence("it did not answer within {seconds:,.0f} seconds", seconds=seconds)
                raise _crashed(config, facts, child, late)
            progress(child.fraction)
        progress(child.fraction)
        status = child.status()
        if outcome := _how_it_died(status):
            raise _crashed(config, facts, child, outcome, maybe_memory=status in _DIED_OF_MEMORY)
    finally:
        child.kill()


def probe_command() -> tuple[str, ...]:
    """How this program starts a child that probes; empty where it cannot."""
    if not sys.executable:
        return ()
    if getattr(sys, "frozen", False):
        return (sys.executable, PROBE_OPTION)
    return (sys.executable, "-m", "inference.probe")


def main(arguments: Sequence[str]) -> int:
    """The child: load, decode one token, say how it went; returns the exit status."""
    _die_quietly()
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    options = _parser().parse_args(arguments)
    config = ModelConfig(
        options.file,
        context_size=options.context_size,
        threads=options.threads,
        gpu_layers=options.gpu_layers,
        device=options.device,
        kv_type=KvType(options.kv_type),
    )
    try:
        _load_and_decode(config)
    except InferenceError as error:
        _tell(f"refused {error}")
        return _REFUSED
    return 0


class _Child:
    """The child process as the parent sees it. A thread reads what it says, and waits for its end."""

    def __init__(self, command: Sequence[str]) -> None:
        self.fraction = 0.0
        self.gpus: int | None = None  # as far as it came to say so
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.ended = threading.Event()
        self._process = subprocess.Popen(  # noqa: S603 - this very program, with a path as its argument
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        threading.Thread(target=self._listen, name="probe", daemon=True).start()

    def status(self) -> int:
        """How it ended, once `ended` is set."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_LAST_SECONDS)
        return 0  # it lives, and has nothing more to say

    def kill(self) -> None:
        """End it, whatever it does; the thread takes its leave. One that has ended is left alone."""
        self._process.kill()
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def _listen(self) -> None:
        with self._process:
            for line in iter(self._read_line, b""):
                self._take(line.decode("utf-8", "replace").strip())
            self.ended.set()

    def _read_line(self) -> bytes:
        # No line is longer than this, however much is written without an end.
        return self._process.stdout.readline(_LONGEST_LINE) if self._process.stdout is not None else b""

    def _take(self, line: str) -> None:
        if not line.startswith(_TELL):
            if line:
                self.lines.append(line)
            return
        what, _, value = line.removeprefix(_TELL).partition(" ")
        with suppress(ValueError):
            match what:
                case "loading":
                    self.fraction = _LOADED * min(max(float(value), 0.0), 1.0)
                case "gpus":
                    self.gpus = int(value)
                case _:
                    pass


def _crashed(
    config: ModelConfig, facts: GgufFacts, child: _Child, outcome: str, *, maybe_memory: bool = False
) -> ModelCrashed:
    """A smaller window takes less memory: it helps where that was short, and against nothing that llama.cpp refuses."""
    lines = tuple(_SOURCE_FOLDER.sub("", line) for line in child.lines)
    maybe_memory = maybe_memory or any(map(_SPEAKS_OF_MEMORY.search, lines[-_TOLD_LAST:]))
    half = context_for(facts, config.context_size) // 2
    reached_the_model = child.gpus is not None
    smaller = half if maybe_memory and reached_the_model and half >= _LEAST_CONTEXT else None
    return ModelCrashed(config.path, outcome, lines, smaller, bool(child.gpus))


def _how_it_died(status: int) -> str:
    """In words for a person; "" where it did not, or was ended by somebody."""
    if -status in (signal.SIGINT, signal.SIGTERM):
        return ""
    if status < 0:
        with suppress(ValueError):
            name = signal.Signals(-status).name
            return _SIGNALS.get(name, Sentence("it ended with {name}", name=name))
        return Sentence("it ended with signal {number}", number=-status)
    if status == _ABORTED_ON_WINDOWS:
        return Sentence("it gave up")
    return Sentence("it crashed (0x{status:08X})", status=status) if status >= _FIRST_NTSTATUS else ""


def _environment() -> dict[str, str]:
    """This process's, with the folder where this package lies, wherever the program was started."""
    here = str(Path(__file__).resolve().parent.parent)
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{before}" if before else here}


def _arguments(config: ModelConfig) -> list[str]:
    wishes = {
        "--context-size": config.context_size,
        "--threads": config.threads,
        "--gpu-layers": config.gpu_layers,
        "--device": config.device,
        "--kv-type": config.kv_type.value,
    }
    chosen = [f"{name}={value}" for name, value in wishes.items() if value is not None]
    return [*chosen, "--", str(config.path)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="inference.probe", description="Load a model, decode one token, and end.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--context-size", type=int)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--gpu-layers", type=int)
    parser.add_argument("--device")
    parser.add_argument("--kv-type", default=KvType.F16.value, choices=[kind.value for kind in KvType])
    return parser


def _load_and_decode(config: ModelConfig) -> None:
    from inference.llama import load_model
    from inference.llama.devices import count_gpus
    from inference.llama.log import engine_log

    engine_log().listen(lambda _level, text: _write(text))
    _tell(f"gpus {count_gpus(config)}")
    model = load_model(config, StopFlag(), lambda fraction: _tell(f"loading {fraction:.3f}"))
    try:
        first = model.vocabulary.beginning or 0
        model.evaluate([first, first][: model.info.batch_size])
        sampler: Sampler = model.sampler(DEFAULT_SAMPLING)
        token = sampler.sample()
        sampler.close()
        if len(model.tokens) < model.info.context_size:
            model.evaluate([token])
    finally:
        model.close()


def _tell(words: str) -> None:
    _write(f"\n{_TELL}{words}\n")


def _write(text: str) -> None:
    # A frozen program without a terminal has no sys.stdout; the pipe is there all the same. A parent that listens no
    # more is about to end this process.
    with suppress(OSError):
        os.write(1, text.encode("utf-8", "replace"))


def _die_quietly() -> None:
    """No core file, no dialogue: dying is what this process is for."""
    if sys.platform == "win32":
        import ctypes

        no_fault_box = 0x0002
        ctypes.windll.kernel32.SetErrorMode(no_fault_box)
    else:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent() -> None:
    """The parent holds the other end of standard input, and writes nothing: when it is gone, so is this."""
    with suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(0)


def run(arguments: Sequence[str]) -> NoReturn:
    """Be the child, and end at once: what an orderly exit would still take down may crash, and says nothing."""
    os._exit(main(arguments))


if __name__ == "__main__":
    run(sys.argv[1:])
