from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices


class Browser(QObject):
    """Where links would be opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser():
    browser = Browser()
    for scheme in ("https", "file"):
        QDesktopServices.setUrlHandler(scheme, browser, "open")  # type: ignore[arg-type]  # the stubs ask for bytes, Qt refuses them
    yield browser
    QDesktopServices.unsetUrlHandler("https")
    QDesktopServices.unsetUrlHandler("file")


def test_a_link_shows_where_it_leads_before_it_is_opened(desk, browser):
    window = desk.open()
    window.page.transcript.link_activated.emit("https://example.org/a?b=c")
    (notice,) = window.board.notices
    assert "https://example.org/a?b=c" in notice.text
    assert browser.opened == []
    desk.qtbot.mouseClick(notice.action_button, Qt.MouseButton.LeftButton)
    assert browser.opened == ["https://example.org/a?b=c"]


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "smb://host/share", "x"])
def test_a_link_to_anything_but_a_page_or_an_address_is_never_opened(desk, browser, address):
    window = desk.open()
    window.page.transcript.link_activated.emit(address)
    (notice,) = window.board.notices
    assert not notice.action_button.isVisible()
    assert browser.opened == []


def test_of_one_link_at_a_time_is_asked(desk):
    window = desk.open()
    desk.talk("Why?", "See [one](https://one.example) and [two](https://two.example).")
    for address in ("https://one.example", "https://two.example", "https://two.example"):
        window.page.link_activated.emit(address)
    assert [notice.text for notice in window.board.notices] == ["The link leads to https://two.example"]
