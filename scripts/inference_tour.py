"""The way through the comparison, the Inspector and the Lab along which docs/inference.md is illustrated.

Every figure in these pictures is measured while they are taken: on a machine that does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from desktop.app import App
from desktop.settings import ColourScheme
from inference import Sampling
from inference.experiments import ExperimentName
from scripts.driving import Condition, after, is_quiet, is_ready, send

Shoot = Callable[[str, QWidget], None]

QUESTIONS = ("Explain KV caching in one sentence.", "And in one more?")
STORY = "Tell me a long story about a lighthouse keeper and a lost boat."
LIKELIEST = Sampling(temperature=0.0)  # so that a picture changes only when the program does
WIDTH = 1180
MOMENT = 0.8  # seconds until a window has laid out and painted all of it
A_WHILE = 3.0  # seconds, after which there is something to see of what runs


def tour(app: App, shoot: Shoot) -> Iterator[Condition]:
    """One picture after another, in light colours and then some of them in dark ones."""
    choose_colours(app, ColourScheme.LIGHT)
    yield is_ready(app)
    yield from inspected(app, shoot)
    yield from compared(app, shoot)
    yield from measured(app, shoot)


def inspected(app: App, shoot: Shoot) -> Iterator[Condition]:
    """Two replies, and the second of them under the glass."""
    window = app.window
    window.resize(WIDTH, 800)
    app.insights.toggle_inspector()
    inspector = app.insights.inspector
    assert inspector is not None  # noqa: S101 - it was just opened
    inspector.record_switch.click()
    for question in QUESTIONS:
        window.session.set_prompt_and_sampling("", LIKELIEST)
        send(app, question)
        yield is_quiet(app)
    inspector.share_button.click()
    yield lambda: app.insights.laboratory.runs.bandwidth is not None
    yield after(MOMENT)
    shoot("inspector", window)
    inspector.tokens_button.click()
    yield after(MOMENT)
    whole = inspector.widget()
    assert whole is not None  # noqa: S101 - a page scrolls over one
    shoot("inspector-whole", whole)
    inspector.tokens_button.click()
    choose_colours(app, ColourScheme.DARK)
    yield after(MOMENT)
    shoot("inspector-dark", window)
    choose_colours(app, ColourScheme.LIGHT)
    app.insights.toggle_inspector()


def compared(app: App, shoot: Shoot) -> Iterator[Condition]:
    """Streaming on and off, while it is compared and when it is."""
    app.library.new()
    app.insights.compare(STORY)
    comparisons = app.insights.laboratory.comparisons
    yield after(A_WHILE)
    shoot("comparison-live", app.window)
    yield lambda: not comparisons.is_running
    app.window.resize(WIDTH, 1560)
    yield after(MOMENT)
    shoot("comparison", app.window)
    app.window.close_view()


def measured(app: App, shoot: Shoot) -> Iterator[Condition]:
    """Each experiment of the Lab, in its long form."""
    app.insights.open_lab()
    lab, runs = app.insights.lab, app.insights.laboratory.runs
    assert lab is not None  # noqa: S101 - it was just opened
    app.window.resize(WIDTH, 1050)
    for name in ExperimentName:
        lab.show_experiment(name)
        lab.run_button.click()
        yield lambda: not runs.is_busy
        yield after(MOMENT)
        lab.verticalScrollBar().setValue(0)
        shoot(f"lab-{name}", app.window)
    lab.show_experiment(ExperimentName.PHASES)
    choose_colours(app, ColourScheme.DARK)
    yield after(MOMENT)
    shoot("lab-dark", app.window)


def choose_colours(app: App, scheme: ColourScheme) -> None:
    """As the preferences do."""
    app.settings.save(replace(app.settings.current, colour_scheme=scheme))
