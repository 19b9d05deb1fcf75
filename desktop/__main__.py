"""python -m desktop: arguments, logging, and off it goes; `cli ...` hands over to the engine's own terminal program.

Nothing heavy is imported here: what the arguments say decides what is needed.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from errno import EISDIR
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

if TYPE_CHECKING:
    from desktop.app import App
    from desktop.calls import Call
    from inference import RemoteModel

NAME = "headwater"
# Bytes to ask the system for: with less Qt fails, in ways of its own and not always in words.
_WINDOW_MEMORY = 256 << 20
_FILE_ADDRESS = "file://"  # what some programs hand over in place of a path
_TOO_LITTLE = "There is too little memory to start. Close other programs, then try again."


def main(arguments: Sequence[str] | None = None, prepare: Callable[[App], object] | None = None) -> int:
    """Run the program; returns the exit status. `prepare` is handed the program before its window is shown."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an answer holds letters that some terminals lack
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["cli"]:
        return _answer_in_the_terminal(words[1:])
    _be_a_child(words)
    options = _parser().parse_args(words)
    if options.version:
        _say(f"Headwater {_version()}")
        return 0
    logging.basicConfig(format=f"{NAME}: %(message)s")
    before = signal.signal(signal.SIGINT, _leave_at_once)
    try:
        return _run(options, prepare)
    except ImportError as error:
        if _is_short(error) or not (error.name or "").startswith(("PySide6", "shiboken6")):
            return _show(error)
        # A library of Qt's that the system lacks, or no Qt at all.
        _complain(f"Qt cannot be loaded: {error}")
        return 1
    except Exception as error:  # noqa: BLE001 - the crash hook, where no window is there to take it
        return _show(error)
    finally:
        gc.enable()  # whoever called goes on
        signal.signal(signal.SIGINT, before)


def _answer_in_the_terminal(words: Sequence[str]) -> int:
    from inference.__main__ import main as answer

    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return answer(words)
    except KeyboardInterrupt:  # before it could mind it, or after
        return 128 + signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)


def _open_streams() -> None:
    """Whoever started the program may have closed its standard streams. The next files would take their places, and get
    what compiled code writes there."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # which takes the first place that is free


def unsafe_pair(python: tuple[int, int], pyside: str) -> str:
    """Why this PySide6 must not run on this Python; empty where it may."""
    # Each call drops a reference to None, and Python 3.11 ends the process when the last one is gone. Python 3.12
    # counts no references to None.
    if python < (3, 12) and pyside.partition("+")[0] == "6.12.0":
        return (
            "PySide6 6.12.0 crashes on Python below 3.12. "
            "Install another one: pip install 'PySide6-Essentials!=6.12.0', or use Python 3.12 or newer."
        )
    return ""


def _leave_at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    """Ctrl-C before the window takes it. An exception could come up inside any import, and not every one lets it pass;
    nothing is open yet that would mind."""
    os._exit(128 + signal.SIGINT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Chat with a language model on your own machine, and see inference happen.",
        epilog=f"{NAME} cli ... is the engine without a window; {NAME} cli --help says more.",
    )
    parser.add_argument(
        "model",
        nargs="?",
        metavar="FILE.gguf|URL",
        help="the model that answers, or a server's address such as http://127.0.0.1:8080/v1 (its key is read from the"
        " environment: HEADWATER_API_KEY)",
    )
    parser.add_argument(
        "--demo",
        type=_path,
        metavar="SHOT.png",
        help="send one prompt, print the answer and the figures, save a picture of the window, and end",
    )
    parser.add_argument("--data-dir", type=_path, metavar="DIR", help="keep conversations and settings there")
    parser.add_argument(
        "--safe-mode",
        action="store_true",
        help="run models on the CPU, with everything as at first; what was chosen does not apply, and is left as it is",
    )
    parser.add_argument(
        "--new-window", action="store_true", help="open another window, also where one of the program is open"
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    return parser


def _path(words: str) -> Path:
    if not words:
        raise argparse.ArgumentTypeError("an empty text names no place")
    return Path(words)


def _be_a_child(words: Sequence[str]) -> None:
    """Where there is no Python to start a child with, it is this program: no window, no second instance."""
    if words[:1] == ["--probe-model"]:
        from inference.probe import run

        run(words[1:])
    if words[:1] == ["--read-document"] and len(words) > 1:
        from desktop import documents

        documents.run(words[1])
    if words[:1] == ["--set-formulas"]:
        from desktop import formulas

        formulas.run()
    if words[:1] == ["--try-grammar"] and len(words) > 1:
        from inference import grammar_trial

        grammar_trial.run(words[1])


def _run(options: argparse.Namespace, prepare: Callable[[App], object] | None) -> int:
    # Until the window stands nothing becomes garbage, and to look for it again and again takes a twentieth of the time.
    # `running.run` has it looked for again.
    gc.disable()
    if why := _why_impossible():
        _complain(why)
        return 1
    _spare_the_sources()
    from desktop.places import Places
    from inference import InvalidRequest

    places = Places.usual() if options.data_dir is None else Places.within(options.data_dir)
    picture = _picture(options.demo, places.data)
    try:
        model = None if options.model is None else _model(options.model)
    except InvalidRequest as error:
        _complain(str(error))
        return 2
    if options.safe_mode:
        from dataclasses import replace

        places = replace(places, states=None)
    with ExitStack() as stack:
        entrance = None
        if picture is not None:
            if not (_made_room_for(picture) and _can_be_demonstrated(model)):
                return 1
            if options.data_dir is None:
                # A demonstration is no conversation of anybody's.
                from desktop.passing_folder import PassingFolder

                places = Places.passing(stack.enter_context(PassingFolder()) / "data")
        elif not options.safe_mode and not options.new_window:
            from desktop.single_instance import enter

            named = str(model) if isinstance(model, Path) else options.model
            entrance = enter(places.locks, partial(_call_for, named))
            if entrance is None:
                return 0
            stack.callback(entrance.close)
        from desktop.running import run

        return run(
            [NAME],
            places,
            model=model,
            picture=picture,
            say=_say,
            complain=_complain,
            prepare=prepare,
            safe=options.safe_mode,
            entrance=entrance,
        )


def _why_impossible() -> str:
    """Why the program cannot start; empty where it can."""
    from inference import can_reserve

    if not can_reserve(_WINDOW_MEMORY):
        return _TOO_LITTLE
    from PySide6 import __version__ as pyside

    return unsafe_pair(sys.version_info[:2], pyside)


def _picture(wanted: Path | None, data: Path) -> Path | None:
    """Where the demonstration's picture goes; `None` where a person gets a window. Where none can be shown, it is a
    demonstration."""
    from desktop.display import why_unusable

    why = why_unusable()
    if not why:
        return wanted
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _say(f"No window can be shown here: {why}. So the same window answers one prompt unseen.\n")
    return wanted or data / "demo.png"


def _show(error: Exception) -> int:
    """The program ends of a fault of its own, before there is a window or when there is none any more."""
    if _is_short(error):
        _complain(_TOO_LITTLE)
        return 1
    from desktop.crash import show_at_once

    show_at_once(error)
    return 1


def _is_short(error: Exception) -> bool:
    """Whether there was too little memory, also for the module that knows what tells of it."""
    try:
        from inference import is_shortage
    except (ImportError, MemoryError, OSError):
        return True
    return is_shortage(error)


def _spare_the_sources() -> None:
    """PySide6 reads the source of every module that is imported, and keeps it, to see whether its `__feature__` is used
    there. Nobody uses it here, and a fifteenth of the start would go by with it."""
    with suppress(ImportError):
        feature: Any = import_module("shibokensupport.feature")
        if hasattr(feature, "_mod_uses_pyside"):
            feature._mod_uses_pyside = lambda _module: False  # noqa: SLF001 - there is no other way


def _made_room_for(picture: Path) -> bool:
    """Before a minute is spent on it: whether a picture can be saved there."""
    try:
        picture.parent.mkdir(parents=True, exist_ok=True)
        if picture.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    except OSError as error:
        _complain(f"The screenshot cannot be saved as {picture}: {error.strerror}.")
        return False
    return True


def _can_be_demonstrated(model: Path | RemoteModel | None) -> bool:
    """In a window somebody sees that a file is refused and another one answers; here nobody would."""
    from inference import looks_like_model

    if isinstance(model, Path) and not looks_like_model(model):
        _complain(f"{model.name} is not a model file. Headwater opens files that end in .gguf.")
        return False
    return True


def _model(words: str) -> Path | RemoteModel:
    """The model that was named: a file, or what a server offers first."""
    from inference import InvalidRequest, RemoteModel, base_url_of, is_address

    if not words:
        raise InvalidRequest("An empty text names no model.")
    if is_address(words):
        return RemoteModel(base_url_of(words))
    if words.lower().startswith(_FILE_ADDRESS):
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        words = url2pathname(urlsplit(words).path)
    try:
        return Path(words).absolute()
    except OSError as error:
        raise InvalidRequest("The folder that this was started in is gone. Name the file by its whole path.") from error


def _call_for(model: str | None) -> Call:
    from desktop.calls import Call  # most starts are the first

    return Call.for_model(model)


def _say(words: str) -> None:
    try:
        print(words, flush=True)
    except OSError:  # nobody reads any more, or the disk that it goes to is full
        _speak_to_nobody(sys.stdout)


def _complain(sentence: str) -> None:
    try:
        print(f"{NAME}: {sentence}", file=sys.stderr, flush=True)
    except OSError:
        _speak_to_nobody(sys.stderr)


def _speak_to_nobody(stream: TextIO) -> None:
    """Python would complain once more when it leaves, and change the exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes long, and only one question needs it

    try:
        return version(NAME)
    except PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    sys.exit(main())
