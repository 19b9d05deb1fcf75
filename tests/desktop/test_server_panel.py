"""The panel in which a server is named and one of its models is chosen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.secrets import KeyPlace, KeysKept
from desktop.theme import load_theme
from desktop.widgets.server_panel import ServerPanel
from inference import KeyRefused, RemoteModel
from tests.desktop.test_server_choice import HERE, Asking

MANY = tuple(f"model-{number}" for number in range(40))


class Shown(Asking):
    def __init__(self, qtbot) -> None:
        super().__init__()
        self.panel = ServerPanel(load_theme("light"), self.servers)
        qtbot.addWidget(self.panel)
        self.panel.show()
        self.panel.begin()
        self.chosen: list[RemoteModel] = []
        self.panel.chosen.connect(self.chosen.append)

    def connect(self, *names: str) -> None:
        self.panel.address_field.setText(HERE)
        self.panel.connect_button.click()
        self.engine.offer(RemoteModel(HERE, names[0]), *names)


@pytest.fixture
def shown(qtbot):
    return Shown(qtbot)


def test_enter_asks_the_server_that_was_typed(shown, qtbot):
    qtbot.keyClicks(shown.panel.address_field, "localhost:8080")
    qtbot.keyClick(shown.panel.address_field, Qt.Key.Key_Return)
    assert shown.engine.loads == [RemoteModel("http://localhost:8080/v1")]
    assert not shown.panel.connect_button.isEnabled()


def test_the_models_of_the_server_are_chosen_from_by_keyboard(shown, qtbot):
    shown.connect("a", "b", "c")
    assert shown.panel.models.isVisible()
    assert not shown.panel.filter_field.isVisible()
    qtbot.keyClick(shown.panel.models, Qt.Key.Key_Down)
    shown.panel.use_button.click()
    assert shown.chosen == [RemoteModel(HERE, "b")]


def test_the_only_model_is_taken_at_once(shown):
    shown.connect("a")
    assert shown.chosen == [RemoteModel(HERE, "a")]


def test_among_many_one_is_found_by_its_name(shown, qtbot):
    shown.connect(*MANY)
    qtbot.keyClicks(shown.panel.filter_field, "L-37")
    qtbot.keyClick(shown.panel.filter_field, Qt.Key.Key_Return)
    assert shown.chosen == [RemoteModel(HERE, "model-37")]
    shown.panel.filter_field.setText("no such")
    qtbot.keyClick(shown.panel.filter_field, Qt.Key.Key_Return)
    assert len(shown.chosen) == 1


def test_a_key_is_not_shown_and_gone_once_it_was_taken(shown):
    assert shown.panel.key_field.echoMode() is QLineEdit.EchoMode.Password
    shown.panel.key_field.setText("secret")
    shown.connect("a", "b")
    assert shown.panel.key_field.text() == ""
    assert shown.keys.key_of(HERE) == "secret"


def test_a_refused_key_is_said_and_can_be_typed_anew(shown):
    shown.panel.address_field.setText(HERE)
    shown.panel.connect_button.click()
    error = KeyRefused(HERE, 401, False)
    shown.engine.fail_to_reach(RemoteModel(HERE), error)
    assert str(error) in shown.panel.words
    assert QApplication.focusWidget() in (shown.panel.key_field, None)
    assert not shown.panel.models.isVisible()


@pytest.mark.parametrize(("place", "words"), [(KeyPlace.KEYRING, "system's keyring"), (KeyPlace.SESSION, "until")])
def test_where_a_key_is_kept_is_said(shown, place, words):
    shown.servers.on_keys_kept(KeysKept(place))
    assert any(words in said for said in shown.panel.words)


def test_escape_puts_it_away(shown, qtbot):
    with qtbot.waitSignal(shown.panel.closed):
        qtbot.keyClick(shown.panel.address_field, Qt.Key.Key_Escape)


def test_with_another_theme_nothing_is_lost(shown):
    shown.connect("a", "b")
    shown.panel.set_theme(load_theme("dark"))
    assert shown.panel.models.current_name == "a"


@pytest.fixture
def set_points(qapp):
    before = QFont(qapp.font())
    yield lambda points: qapp.setFont(QFont(before.family(), points))
    qapp.setFont(before)


@pytest.mark.parametrize("points", [10, 18])
@pytest.mark.parametrize("width", [360, 700])
def test_the_fields_have_room_to_type_in_and_the_button_all_its_words(set_points, qtbot, points, width):
    set_points(points)
    shown = Shown(qtbot)
    shown.panel.resize(width, 400)
    QApplication.sendPostedEvents()
    assert min(field.width() for field in (shown.panel.address_field, shown.panel.key_field)) >= 150
    assert shown.panel.connect_button.width() >= shown.panel.connect_button.sizeHint().width()
