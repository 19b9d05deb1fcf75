"""A session as somebody may have it: asks, compares, searches, looks around, exports, and leaves.

    python -m scripts.session FOLDER [--without-comparison]

For tests that watch the whole program from outside: what it opens, what it connects to, what it leaves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from desktop.app import App
from desktop.library import FileFormat
from scripts.driving import Condition, after, drive, is_quiet, is_ready, send

MOMENT = 0.2
ENOUGH = 24  # tokens


def main(arguments: Sequence[str]) -> int:
    """Have the session in that folder; returns the exit status."""
    folder = Path(arguments[0])
    compares = "--without-comparison" not in arguments
    return drive(lambda app: session(app, folder, compares=compares), folder=folder / "data")


def session(app: App, folder: Path, *, compares: bool) -> Iterator[Condition]:
    """What is done, one thing after the other."""
    yield is_ready(app)
    for words in (
        "Why do rivers bend? See https://example.org/a.png",
        "![a lake](https://example.org/b.png) And lakes?",
    ):
        yield from ask(app, words)
    conversation = app.library.current.conversation
    assert conversation is not None  # noqa: S101 - something was asked
    app.library.new()
    yield from ask(app, "Write the formula $a^2 + b^2$ and a line of Python.")
    if compares:
        app.insights.compare("What is a river?")
        yield app.insights.is_at_rest
        app.window.close_view()
    app.window.conversation_list.search_field.setText("rivers")
    yield after(2 * MOMENT)
    app.window.conversation_list.search_field.setText("")
    yield from look_around(app)
    app.library.export([conversation.id], folder / "exported.md", FileFormat.MARKDOWN)
    app.library.export([conversation.id], folder / "exported.json", FileFormat.JSON)
    app.library.delete([conversation.id])
    app.library.undo_delete()
    yield after(MOMENT)


def look_around(app: App) -> Iterator[Condition]:
    """Every view there is."""
    views = app.window.views
    assert views is not None  # noqa: S101 - the program always has them
    for show in (
        views.open_preferences,
        views.open_shortcuts,
        views.open_about,
        app.insights.open_lab,
        app.model_views.open,
        app.insights.toggle_inspector,
        app.insights.toggle_inspector,
        views.toggle_chat_settings,
        views.toggle_chat_settings,
    ):
        show()
        yield after(MOMENT)
    app.window.close_view()


def ask(app: App, words: str) -> Iterator[Condition]:
    """A question, and as much of the answer as is enough."""
    send(app, words)
    yield lambda: not app.window.session.is_busy or app.window.session.activity.output_tokens >= ENOUGH
    app.window.session.stop()
    yield is_quiet(app)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
