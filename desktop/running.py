"""Runs the program to its end: its event loop, a demonstration, interrupts, conversations that cannot be opened."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

import inference
from desktop.app import App
from desktop.application import Application
from desktop.places import Places
from desktop.single_instance import Entrance
from desktop.spoken import spoken
from desktop.store import StoreDamaged, StoreError
from desktop.theme import style_arguments
from desktop.window import Window
from inference import EngineFiles, RemoteModel

if TYPE_CHECKING:
    from desktop.app import EngineMaker
    from desktop.demo import Demo
    from desktop.interrupts import Interrupts
    from inference import StateBudget

_AGAIN = "Ask again to end it at once and lose that."


def run(
    arguments: list[str],
    places: Places,
    *,
    model: Path | RemoteModel | None = None,
    picture: Path | None = None,
    say: Callable[[str], None],
    complain: Callable[[str], None],
    prepare: Callable[[App], object] | None = None,
    make_engine: EngineMaker | None = None,
    safe: bool = False,
    entrance: Entrance | None = None,
    ask_again: Callable[[str], bool] | None = None,
) -> int:
    """Run the program to its end; returns the exit status. With `picture` it runs the demonstration instead. `prepare`
    is handed the program before its window is shown; without `make_engine` it is the one for this machine; for `safe`
    and `entrance` see `App`. Where the conversations cannot be opened, `ask_again` is told why and says whether to try
    it again; without it a person is asked. For a demonstration nobody is."""
    application = _application(arguments)
    engine = make_engine or partial(_local_engine, places.engine)
    embedded = inference.embedded_model()
    begin = partial(App, application, places, engine, embedded, model, safe=safe, entrance=entrance, watches=True)
    asked = _nobody if picture is not None else ask_again or partial(_ask_again, application)
    app = _begun_at_last(begin, complain, asked)
    if app is None:
        return 1
    app.left.connect(application.exit)
    app.install_crash_hook()
    heeded: list[Interrupts] = []
    app.begun.connect(partial(_heed_interrupts, app.window, complain, heeded))
    app.begun.connect(partial(application.have_files_opened, partial(_open, app)))
    demo = None if picture is None else _demonstration(app, picture, say, complain)
    if prepare is not None:
        prepare(app)
    app.begun.connect(_collect_garbage)
    app.show()
    status = application.exec()
    app.leave(status)
    for interrupts in heeded:
        interrupts.close()
    status = status if demo is None or demo.has_answered else status or 1
    if app.departure.is_stuck:
        from desktop.departure import end_at_once

        end_at_once(status)
    return status


def _application(arguments: list[str]) -> Application:
    # Where it gets no thread for them, as with too little memory, Qt waits for ever for those that help it paint.
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
    application = Application([*arguments, *style_arguments()])
    application.setApplicationName("headwater")
    application.setApplicationDisplayName("Headwater")
    application.setDesktopFileName("headwater")
    return application


def _begun_at_last(
    begin: Callable[[], App], complain: Callable[[str], None], ask_again: Callable[[str], bool]
) -> App | None:
    """Tried until the conversations can be opened, or nobody wants it tried again."""
    while True:
        try:
            return _begun(begin)
        except StoreError as error:
            complain(str(error))
            if not ask_again(spoken(error)):
                return None


def _begun(begin: Callable[[], App]) -> App:
    try:
        return begin()
    except StoreDamaged:
        return begin()  # damage that was met while the list was read is mended by whoever opens it the next time


def _demonstration(app: App, picture: Path, say: Callable[[str], None], complain: Callable[[str], None]) -> Demo:
    from desktop.demo import Demo

    demo = Demo(app.window, picture, say, complain, app)
    demo.ended.connect(app.leave)
    app.begun.connect(demo.begin)
    app.broke.connect(demo.give_up)
    return demo


def _local_engine(
    files: EngineFiles | None, emit: Callable[[inference.Event], None], states: StateBudget
) -> inference.Engine:
    return inference.LocalEngine(emit, states, files=files)


def _open(app: App, path: Path) -> None:
    """A file that the desktop named is opened as one that a second start hands over."""
    from desktop.calls import Call

    app.answer(Call(str(path)))


def _heed_interrupts(window: Window, complain: Callable[[str], None], heeded: list[Interrupts]) -> None:
    """From now on the window closes when it is asked to; before it stood, the program ended at once. Where it stays
    because something cannot be kept yet, that is said where it may have been asked, and the next time it ends."""
    from desktop.interrupts import Interrupts

    interrupts = Interrupts()
    interrupts.happened.connect(window.parting.insist)
    window.parting.stays.connect(lambda sentence: complain(f"{sentence} {_AGAIN}"))
    heeded.append(interrupts)


def _collect_garbage() -> None:
    """From now on: what was made until here stays as long as the program does. See `desktop.__main__`."""
    gc.freeze()
    gc.enable()


def _nobody(_sentence: str) -> bool:
    """Asked by a demonstration, which nobody attends."""
    return False


def _ask_again(application: QApplication, sentence: str) -> bool:
    """There is no window to say it in; where nobody sees a screen, the terminal has said it."""
    if application.platformName() in ("offscreen", "minimal"):
        return False
    from PySide6.QtWidgets import QMessageBox

    again, close = QMessageBox.StandardButton.Retry, QMessageBox.StandardButton.Close
    return QMessageBox.critical(None, "Headwater", sentence, again | close, again) == again
