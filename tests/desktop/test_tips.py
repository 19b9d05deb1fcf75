"""Nothing that others write is taken for HTML where Qt would guess: in tool tips and labels."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget

from desktop.widgets.tips import as_tip
from inference import RemoteModel

PICTURE = '<img src="file:///nowhere/a.png">'


@pytest.mark.parametrize("words", ["a river", "1 > 0 & 2 > 1", "", "line\nline"])
def test_words_are_left_as_they_are(words):
    assert as_tip(words) == words


def test_what_qt_would_take_for_html_is_escaped():
    assert as_tip(f"a\n{PICTURE}") == "<qt>a<br>&lt;img src=&quot;file:///nowhere/a.png&quot;&gt;</qt>"
    assert as_tip("&lt;b&gt;") == "<qt>&amp;lt;b&amp;gt;</qt>"


def cells(model: QAbstractItemModel) -> list[QModelIndex]:
    top = QModelIndex()
    return [model.index(row, 0, top) for row in range(model.rowCount(top))]


def taken_for_html(window: QWidget) -> list[str]:
    """Where the window would look for the picture."""
    found = [f"tip of {type(widget).__name__}" for widget in window.findChildren(QWidget) if "<img" in widget.toolTip()]
    found += [
        f"tip in {type(view).__name__}"
        for view in window.findChildren(QAbstractItemView)
        if view.model() is not None
        for index in cells(view.model())
        if "<img" in str(index.data(Qt.ItemDataRole.ToolTipRole))
    ]
    found += [
        f"label {label.text()}"
        for label in window.findChildren(QLabel)
        if "<img" in label.text() and label.textFormat() is not Qt.TextFormat.PlainText
    ]
    return found


def test_names_that_look_like_html_are_shown_letter_by_letter_everywhere(desk, tmp_path):
    window = desk.open()
    desk.engine.ready(name=PICTURE)
    desk.talk(f"{PICTURE} and [a link]({PICTURE})", f"{PICTURE}\n\n[b](<{PICTURE}>)")
    window.conversation_list.search_field.setText("img")
    named = tmp_path / f"{PICTURE.replace('/', '_')}.txt"
    named.write_text("text")
    window.composer.files_given.emit([named])
    desk.models.choose(RemoteModel("http://127.0.0.1:9/v1", PICTURE))
    assert PICTURE in desk.library.current.conversation.title
    assert taken_for_html(window) == []
