"""Takes the pictures in docs anew: the real window, the real model, off the screen.

python -m scripts.screenshots [--of inference] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QWidget

from desktop.app import App
from desktop.settings import ColourScheme
from inference import Sampling
from scripts import inference_tour
from scripts.driving import Condition, after, drive, is_quiet, is_ready, send

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
FOLDERS = {"guide": IMAGES / "guide", "inference": IMAGES}
EXPERIMENT_SECONDS = 1800.0  # that one may take
SIZE = (1080, 720)
LIKELIEST = Sampling(temperature=0.0)  # so that a picture changes only when the program does
MOMENT = 0.4  # seconds until a window has laid out and painted all of it
ENOUGH = 60  # tokens

QUESTIONS = ("Why do rivers bend?", "Write a short table of three rivers and their lengths.", "What is a KV cache?")


Shoot = Callable[[str], None]


def main(arguments: Sequence[str]) -> int:
    """Take them all; returns the exit status."""
    parser = argparse.ArgumentParser(prog="screenshots", description="Take the pictures of the pages anew.")
    parser.add_argument("--of", choices=list(FOLDERS), default="guide", help="the page that shows them")
    parser.add_argument("--folder", type=Path, help="where they are put (default: where the page has them)")
    options = parser.parse_args(arguments)
    folder: Path = options.folder or FOLDERS[options.of]
    folder.mkdir(parents=True, exist_ok=True)

    def shoot(name: str, widget: QWidget) -> None:
        widget.grab().save(str(folder / f"{name}.png"))
        print(folder / f"{name}.png", flush=True)

    if options.of == "guide":
        return drive(lambda app: tour(app, lambda name: shoot(name, app.window)))
    return drive(lambda app: inference_tour.tour(app, shoot), patience=EXPERIMENT_SECONDS)


def tour(app: App, shoot: Shoot) -> Iterator[Condition]:
    """Through the whole window, one picture after another."""
    window = app.window
    app.settings.save(replace(app.settings.current, colour_scheme=ColourScheme.LIGHT))
    window.resize(*SIZE)
    yield is_ready(app)
    yield after(MOMENT)
    shoot("start")
    yield from talk(app)
    yield from reply_being_written(app, shoot)
    window.conversation_list.search_field.setText("river")
    yield after(2 * MOMENT)
    shoot("search")
    window.conversation_list.search_field.setText("")
    yield from tour_of_views(app, shoot)


def talk(app: App) -> Iterator[Condition]:
    """A few conversations, so that there is a list."""
    for question in QUESTIONS[:2]:
        app.library.new()
        yield from ask(app, question, stop_at=120)


def reply_being_written(app: App, shoot: Shoot) -> Iterator[Condition]:
    """One picture in the middle of a reply, one at its end."""
    app.library.new()
    app.window.session.set_prompt_and_sampling("", LIKELIEST)
    send(app, QUESTIONS[2])
    yield lambda: app.window.session.activity.output_tokens >= ENOUGH
    shoot("streaming")
    app.window.session.stop()
    yield is_quiet(app)
    yield after(MOMENT)
    shoot("reply")


def tour_of_views(app: App, shoot: Shoot) -> Iterator[Condition]:
    """What stands in the conversation's place or beside it."""
    window, views = app.window, app.window.views
    assert views is not None  # noqa: S101 - the program always has them
    for name, show in (
        ("inspector", app.insights.toggle_inspector),
        ("chat-settings", views.toggle_chat_settings),
    ):
        show()
        yield after(2 * MOMENT)
        shoot(name)
        show()
    app.insights.compare(QUESTIONS[0])
    yield after(MOMENT)
    yield app.insights.is_at_rest
    yield after(MOMENT)
    shoot("comparison")
    app.insights.open_lab()
    yield after(MOMENT)
    shoot("lab")
    app.model_views.open()
    yield after(2 * MOMENT)
    shoot("models")
    for name, show in (("preferences", views.open_preferences), ("shortcuts", views.open_shortcuts)):
        show()
        yield after(MOMENT)
        shoot(name)
    window.about_action.trigger()
    yield after(MOMENT)
    shoot("about")
    window.close_view()
    app.settings.save(replace(app.settings.current, colour_scheme=ColourScheme.DARK))
    yield after(MOMENT)
    shoot("dark")


def ask(app: App, question: str, stop_at: int) -> Iterator[Condition]:
    """One question and its answer, cut short where it becomes long."""
    app.window.session.set_prompt_and_sampling("", LIKELIEST)
    send(app, question)
    yield lambda: not app.window.session.is_busy or app.window.session.activity.output_tokens >= stop_at
    app.window.session.stop()
    yield is_quiet(app)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
