"""The whole program in a process of its own, guided by lines: what it is told to do, and what it says of itself.

As a program it is `python -m desktop` with a wire to it; `GuidedWindow` is the other end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.__main__ import main

if TYPE_CHECKING:
    from desktop.app import App


class GuidedWindow:
    """The test's end. What it waits for fails where the program ends first."""

    def __init__(self, process: subprocess.Popen[str], errors: Path) -> None:
        self.process = process
        self._errors = errors

    def do(self, *words: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def until(self, kind: str) -> list[Any]:
        """What comes with the next line of this kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            what = json.loads(line)
            if what[0] == kind:
                return list(what[1:])
        raise AssertionError(f"it ended with {self.process.wait()} before it said {kind}: {self.errors}")

    def ask(self, *words: object, kind: str) -> list[Any]:
        self.do(*words)
        return self.until(kind)

    def answer_to(self, question: str) -> str:
        """Ask the model, and wait for the whole reply."""
        assert self.ask("send", question, kind="sent") == [True]
        state, text, error = self.until("turn")
        assert state == "complete", error
        return str(text)

    def close(self) -> int:
        self.do("close")
        return self.process.wait(30)

    @property
    def errors(self) -> str:
        """What it said on standard error."""
        return self._errors.read_text()


@contextmanager
def guided_window(folder: Path, *words: str | Path, before: Sequence[str] = ()) -> Iterator[GuidedWindow]:
    """The program, keeping everything in `folder`; `before` is a command that starts it."""
    errors = folder / "stderr"
    folder.mkdir(parents=True, exist_ok=True)
    own = {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [*before, sys.executable, "-m", "tests.desktop.guided_window", *map(str, words)]
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            [*command, "--data-dir", str(folder / "data")],
            env=os.environ | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    try:
        yield GuidedWindow(process, errors)
    finally:
        process.kill()
        process.communicate()


def _prepare(app: App) -> None:
    from tests.desktop.wire import Wire  # Qt, which the program itself loads when it is sure to run

    Wire(app)


if __name__ == "__main__":
    sys.exit(main(prepare=_prepare))
