"""What the tests of the desktop share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.theme import Theme, load_theme
from desktop.widgets.transcript import Transcript
from tests.desktop.desk import Desk
from tests.desktop.talk import Conversation


@pytest.fixture
def desk(qtbot, tmp_path, qapp):
    font, palette = qapp.font(), qapp.palette()
    desk = Desk(qtbot, tmp_path, qapp)
    yield desk
    desk.close()
    qapp.setFont(font)
    qapp.setPalette(palette)


@pytest.fixture
def said() -> Conversation:
    return Conversation()


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def transcript(qtbot: QtBot, theme: Theme) -> Iterator[Transcript]:
    view = Transcript(theme)
    qtbot.addWidget(view)
    view.resize(700, 500)
    with qtbot.waitExposed(view):
        view.show()
    yield view
    QApplication.sendPostedEvents(None, 0)
