"""The comparison, the Inspector and the Lab in the window; all of them once by keyboard alone."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from desktop.app import App
from desktop.places import Places
from inference import LocalEngine
from inference.experiments import ExperimentName
from tests.fakes import Script, ScriptedLoader

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_each_is_made_when_it_is_first_wanted(desk):
    desk.open()
    insights = desk.insights
    assert (insights.comparison, insights.inspector, insights.lab) == (None, None, None)
    insights.lab_button.click()
    assert desk.window.view is insights.lab
    insights.inspector_button.click()
    assert desk.window.view is None
    assert desk.window.panel is insights.inspector


def test_they_stand_in_a_menu_of_their_own_before_help(desk):
    window = desk.open()
    names = [action.text() for action in window.menuBar().actions()]
    assert names.index("&Inference") == names.index("&Help") - 1


def test_what_is_typed_is_compared_and_stays_where_it_is(desk):
    window = desk.open()
    desk.type("Why do rivers bend?")
    desk.insights.compare_button.click()
    assert desk.engine.jobs[-1].request.messages[-1].content == "Why do rivers bend?"
    assert desk.engine.requests == []
    assert window.composer.text == "Why do rivers bend?"


def test_without_a_draft_the_prompt_is_typed_there(desk):
    desk.open()
    desk.insights.compare_action.trigger()
    assert desk.engine.jobs == []
    assert desk.window.view is desk.insights.comparison
    assert desk.insights.comparison.prompt.hasFocus()


def test_the_last_example_of_the_empty_state_compares(desk):
    window = desk.open()
    last = window.page.empty_state.prompt_buttons[-1]
    assert last.text() == "Compare streaming on and off"
    last.click()
    asked = desk.engine.jobs[-1].request.messages[-1].content
    assert asked == window.page.empty_state._examples["embedded"].prompts[-1]
    assert desk.window.view is desk.insights.comparison


def test_a_message_sent_meanwhile_waits_says_so_and_can_be_withdrawn(desk):
    window = desk.open()
    desk.insights.compare("Why do rivers bend?")
    window.close_view()
    desk.send("And lakes?")
    (waiting,) = [m for m in window.page.transcript.messages() if m.turn.is_reply]
    assert waiting.progress is not None
    assert "Waiting for the comparison to end" in waiting.progress.text
    window.stop_action.trigger()
    assert desk.engine.cancelled == [desk.engine.requests[-1].id]


def test_another_conversation_takes_all_of_them_along(desk):
    desk.open()
    desk.talk("Why?", "Because.")
    desk.insights.toggle_inspector()
    assert desk.insights.inspector.found is not None
    desk.library.new()
    assert desk.insights.inspector.found is None


@pytest.fixture
def app(qtbot, tmp_path, qapp):
    font, palette = qapp.font(), qapp.palette()
    script = Script(
        replies=((*(f"word{n} " for n in range(12)), "."),), during_evaluate=lambda _token: time.sleep(0.0002)
    )
    model = tmp_path / "scripted.gguf"
    model.write_bytes(b"GGUF")
    app = App(
        qapp,
        Places(tmp_path / "conversations.sqlite3", tmp_path / "settings.toml"),
        lambda emit, states: LocalEngine(emit, states, loader=ScriptedLoader(script)),
        model,
    )
    with qtbot.waitSignal(app.begun, timeout=10_000):
        app.show()
    yield app
    app.leave()
    app.window.deleteLater()
    qapp.setFont(font)
    qapp.setPalette(palette)


class Keyboard:
    """Presses keys wherever the focus is."""

    def __init__(self, qtbot, window: QWidget) -> None:
        self._qtbot = qtbot
        self._window = window

    @property
    def focus(self) -> QWidget:
        QApplication.processEvents()
        return QApplication.focusWidget() or self._window

    def press(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        self._qtbot.keyClick(self.focus, key, held)

    def type(self, text: str) -> None:
        self._qtbot.keyClicks(self.focus, text)

    def tab_to(self, goal: QWidget) -> None:
        """Press Tab until the focus is there."""
        for _ in range(60):
            if self.focus is goal:
                return
            self.press(Qt.Key.Key_Tab)
        raise AssertionError(f"the keyboard does not reach {goal.accessibleName()!r}; it is on {self.focus}")


def test_all_of_it_is_driven_by_keyboard_alone(qtbot, app, tmp_path):
    window, insights = app.window, app.insights
    window.activateWindow()
    keys = Keyboard(qtbot, window)
    qtbot.waitUntil(lambda: app.models.state.info is not None, timeout=10_000)
    # A first reply, so that there is something to look into.
    keys.type("Why do rivers bend?")
    keys.press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.session.is_busy and len(window.session.turns) == 2, timeout=10_000)
    held = window.session.turns[-1].usage

    # A comparison of what is typed, to its end, and its table and plot.
    keys.type("And lakes?")
    keys.press(Qt.Key.Key_Return, CTRL, SHIFT)
    view = insights.comparison
    qtbot.waitUntil(lambda: view is not None and view.findings.result is not None, timeout=20_000)
    assert view.findings.result.of(view.findings.result.runs[0].mode)
    assert len(view.findings.result.runs) == 6
    assert view.findings.result.runs[0].paint is not None
    keys.tab_to(view.findings.plot)
    keys.press(Qt.Key.Key_Right)
    assert view.findings.plot.pointed.startswith("streaming on: text 0 tokens at time 0 s")
    keys.tab_to(view.findings.table)
    keys.press(Qt.Key.Key_C, CTRL)
    assert "First paint" in QApplication.clipboard().text()
    keys.press(Qt.Key.Key_Escape)
    assert window.view is None

    # The conversation's next turn reads only what is new.
    assert window.composer.text == "And lakes?"
    keys.press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.session.is_busy and len(window.session.turns) == 4, timeout=10_000)
    usage = window.session.turns[-1].usage
    assert usage.cached_tokens >= held.input_tokens + held.output_tokens - 1

    # The Inspector: every token of the reply, and all of it as text.
    keys.press(Qt.Key.Key_I, CTRL)
    inspector = insights.inspector
    assert inspector is not None
    assert window.panel is inspector
    keys.tab_to(inspector.tokens_button)
    keys.press(Qt.Key.Key_Space)
    assert "word3" in inspector.tokens_table.as_text()
    keys.tab_to(inspector.price_fields[0])
    keys.type("2")
    keys.press(Qt.Key.Key_Tab)
    assert "an estimate" in inspector.cost_text.text()
    keys.tab_to(inspector.copy_button)
    keys.press(Qt.Key.Key_Space)
    assert "Decode" in QApplication.clipboard().text()
    keys.press(Qt.Key.Key_Escape)
    assert window.panel is None

    # The Lab: another experiment chosen, its short form, to its verdict.
    keys.press(Qt.Key.Key_L, CTRL, SHIFT)
    lab = insights.lab
    assert lab is not None
    keys.tab_to(lab.choice)
    keys.press(Qt.Key.Key_End)
    assert lab.experiment is ExperimentName.COST
    keys.tab_to(lab.quick_switch)
    keys.press(Qt.Key.Key_Space)
    keys.tab_to(lab.run_button)
    keys.press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: lab.findings.result is not None, timeout=20_000)
    assert "turns" in lab.findings.verdict.text()
    keys.tab_to(lab.findings.export)
    lab.findings.export._choose_place = lambda _parent, name: tmp_path / name
    lab.findings.export.export(".md")
    assert (tmp_path / "cost.md").read_text().startswith("# What it costs")
    keys.press(Qt.Key.Key_Escape)
    assert window.view is None
