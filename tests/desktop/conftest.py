"""What the tests of the desktop share."""

from __future__ import annotations

import pytest

from tests.desktop.desk import Desk


@pytest.fixture
def desk(qtbot, tmp_path, qapp):
    font, palette = qapp.font(), qapp.palette()
    desk = Desk(qtbot, tmp_path, qapp)
    yield desk
    desk.close()
    qapp.setFont(font)
    qapp.setPalette(palette)
