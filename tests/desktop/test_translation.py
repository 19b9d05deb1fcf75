"""Every text has its translation, with the same places in it, and the windows bear its length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from string import Formatter

import pytest
from PySide6.QtCore import Qt, QTranslator
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

import inference
from desktop import wording
from desktop.theme import load_theme
from desktop.translation import LANGUAGES, Translator, language_for, read_translations
from desktop.widgets.fields import Number
from desktop.widgets.painting import text_width
from desktop.widgets.plot import PlotView
from desktop.widgets.switch import Switch
from scripts.translations import TRANSLATIONS, Text, read, texts_in, texts_of_the_program, write
from tests.desktop.test_inspector import TIMINGS, TRACE, USAGE
from tests.desktop.test_lab import outcome_of

OTHERS = [language for language in LANGUAGES if language != "en"]


def places_in(text: str) -> Counter[str]:
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.fixture
def german(qapp):
    translator = Translator(read_translations("de"), qapp)
    qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_has_its_translation_and_no_other_is_kept(language):
    kept = read(TRANSLATIONS / f"{language}.ts")
    texts = texts_of_the_program()
    assert [text for text in texts if not kept.get(text)] == [], "run python -m scripts.translations and fill them in"
    assert set(kept) - set(texts) == set(), "run python -m scripts.translations"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_places_marks_and_ends_of_its_text(language):
    for (_, source), translation in read_translations(language).items():
        assert places_in(source) == places_in(translation), source
        assert ("&" in source) == ("&" in translation), source
        assert source.endswith("…") == translation.endswith("…"), source
        for edge in (r"^\s*", r"\s*$"):
            assert re.findall(edge, source) == re.findall(edge, translation), source


SWAPPED = str.maketrans(".,", ",.")


def numbers_in(text: str) -> list[str]:
    """Those in it that languages write differently; addresses are none."""
    return sorted(re.findall(r"(?<![\w./:])\d+[.,]\d+(?![\w/:]|\.\d)", text))


def test_numbers_in_german_texts_are_those_of_the_english_ones_as_germans_write_them():
    for (_, source), translation in read_translations("de").items():
        assert numbers_in(source.translate(SWAPPED)) == numbers_in(translation), source


def test_several_tokens_are_called_so_in_german():
    several = re.compile(r"(?:\{\w+\}|\b(?:[02-9]|\d\d+|N|viele[nr]?|die|gesendeten)) Token\b")
    assert [text for text in read_translations("de").values() if several.search(text)] == []


def test_nobody_is_called_du_in_german():
    called = re.compile(r"(?<!-)\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein\w*|Nimm|Verwende|Öffne|Wähle|Gib|Lade|Starte)\b")
    assert [text for text in read_translations("de").values() if called.search(text)] == []


def test_there_is_a_file_for_every_language_and_a_language_for_every_file():
    assert sorted(path.stem for path in TRANSLATIONS.glob("*.ts")) == OTHERS


@pytest.mark.parametrize(
    ("chosen", "preferred", "language"),
    [
        ("", ["de-CH", "fr"], "de"),
        ("", ["fr-FR", "de_DE"], "de"),
        ("", ["fr"], "en"),
        ("", [], "en"),
        ("en", ["de"], "en"),
        ("de", ["en"], "de"),
        ("klingon", ["de"], "de"),
    ],
)
def test_the_language_is_the_chosen_one_else_the_first_there_is_of_the_systems(chosen, preferred, language):
    assert language_for(chosen, preferred) == language


def test_a_text_is_known_by_its_context_and_elsewhere_where_all_agree():
    translator = Translator({("A", "None"): "Keine", ("B", "None"): "Keiner", ("A", "Open"): "Öffnen"})
    assert translator.translate("A", "None") == "Keine"
    assert translator.translate("B", "None") == "Keiner"
    assert translator.translate("C", "None") is None
    assert translator.translate("C", "Open") == "Öffnen"
    assert translator.translate("A", "unknown") is None


@pytest.mark.usefixtures("german_program")
def test_the_program_speaks_german_with_what_qt_says_itself():
    widget = QWidget()
    assert widget.tr("Choose a folder") == "Ordner wählen"
    assert widget.tr("not translated at all") == "not translated at all"


@pytest.mark.usefixtures("german_program")
def test_number_fields_are_filled_and_read_in_the_language_that_is_spoken(qtbot):
    field = Number(load_theme("light"), "Freedom", 0, 9999, decimals=2)
    qtbot.addWidget(field)
    field.show_number(1234.5)
    assert field.text() == wording.decimals(1234.5, 2) == "1.234,50"
    assert field.valueFromText("0,25") == 0.25


@pytest.mark.usefixtures("german_program")
def test_no_number_beside_the_conversation_is_written_as_in_english(desk, qtbot):
    window = desk.open()
    desk.send("Hi")
    desk.engine.say("Hello.")
    desk.engine.finish(trace=TRACE, timings=TIMINGS, usage=USAGE)
    window.views.toggle_chat_settings()
    panel = window.views.chat_settings
    panel.sampling_form.more_button.click()
    desk.insights.inspector_action.trigger()
    inspector = desk.insights.inspector
    inspector.plot.setFocus()
    qtbot.keyClick(inspector.plot, Qt.Key.Key_Right)
    shown = [label.text() for view in (panel, inspector) for label in view.findChildren(QLabel)]
    shown += [field.text() for view in (panel, inspector) for field in view.findChildren(Number)]
    shown += [field.specialValueText() for field in panel.findChildren(Number)]
    shown += [inspector.plot.pointed, inspector.as_text()]
    numbers = [number for text in shown for number in re.findall(r"\d+[.,]\d+", text)]
    assert numbers
    assert [number for number in numbers if not re.fullmatch(r"\d{1,3}(\.\d{3})+|\d+,\d+", number)] == []


@pytest.mark.usefixtures("german_program")
def test_a_plot_says_words_and_numbers_in_german(qtbot):
    lab, said = inference.experiments, inference.Sentence
    series = lab.Series(said("reading a prompt"), ((1204.0, 0.25),), lab.Ink.DECODE)
    view = PlotView(load_theme("light"))
    qtbot.addWidget(view)
    view.show_plot(lab.Plot(said("Time for one token"), said("tokens"), said("tokens"), said("time"), "ms", (series,)))
    assert view.accessibleDescription() == "Zeit für ein Token: Zeit (ms) über Tokens; Prompt lesen."
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.pointed == "Prompt lesen: Zeit 0,25 ms bei Tokens 1.204"
    assert view.text() == "Tokens\tZeit\t\n1.204 Tokens\t0,25 ms\tPrompt lesen"


def test_texts_are_found_wherever_they_are_said():
    source = """
class A:
    def f(self, x, parent):
        tr = self.tr
        return tr("one"), self.tr("two " "three"), parent.tr("four" if x else "five"), self.tr(x)

def g():
    return _tr("six")

def _tr(text):
    return QCoreApplication.translate("Offers", text)
"""
    found = {(text.context, text.source) for text in texts_in(source)}
    assert found == {("A", "one"), ("A", "two three"), ("A", "four"), ("A", "five"), ("Offers", "six")}


def test_what_is_written_is_what_is_read(tmp_path):
    translations = {Text("A", "Say “<&>”\n{name}"): "Sag „<&>“\n{name}", Text("B", " s"): " s", Text("B", "new"): ""}
    write(tmp_path / "xx.ts", "xx", translations)
    assert read(tmp_path / "xx.ts") == translations


def shown_by(desk) -> tuple[Callable[[], object], ...]:
    """What opens each view and each panel."""
    views = desk.window.views
    return (
        views.open_preferences,
        views.open_shortcuts,
        views.open_about,
        desk.insights.open_lab,
        desk.insights.compare_draft,
        desk.model_views.open,
        desk.model_views.find_larger,
        desk.model_views.search,
        views.toggle_chat_settings,
        desk.insights.toggle_inspector,
    )


def cut_off(widget: QWidget) -> list[str]:
    """The words of buttons, choices and single lines that have no room for them, scrolled out of sight or not."""
    found = []
    for child in widget.findChildren(QWidget):
        if not child.isVisible():
            continue
        if isinstance(child, QLabel):
            room = child.width() + 1 if not child.wordWrap() and "\n" not in child.text() else None
            if room is not None and text_width(child.font(), child.text()) > room:
                found.append(child.text())
        elif isinstance(child, QAbstractButton) and child.text():
            needed = child.sizeHint().width() if isinstance(child, Switch) else text_width(child.font(), child.text())
            if needed > child.width() + 1:
                found.append(child.text())
        elif isinstance(child, QComboBox) and child.sizeHint().width() > child.width():
            found.append(child.currentText())
    return found


@pytest.mark.parametrize("width", [360, 700, 1100])
def test_no_word_is_cut_off_in_german(desk, german, width):
    window = desk.open()
    window.resize(width, 700)
    # What may be cut: a model's name, what a tooltip shows whole, a hint and a switch where it is narrow.
    own = {window.opening.picker.text(), *(button.text() for button in window.page.empty_state.prompt_buttons)}
    own |= {window.choices.streaming_switch.text(), "Umschalt+Enter für eine neue Zeile"}
    assert set(cut_off(window)) - own == set()
    desk.furnish()
    window.opening.server_action.trigger()
    assert set(cut_off(window.server_area.panel)) == set()
    for show in shown_by(desk):
        show()
        QApplication.processEvents()
        where = (window.panel or window.view) if window.panel is not None and window.panel.isVisible() else window.view
        assert where is not None
        assert set(cut_off(where)) == set(), type(where).__name__


def cut_in_half(widget: QWidget) -> list[str]:
    """The words of labels and buttons that are lower than their lines need, scrolled out of sight or not."""
    found = []
    for child in widget.findChildren(QWidget):
        if not child.isVisible() or not isinstance(child, QLabel | QAbstractButton) or not child.text():
            continue
        wraps = child.hasHeightForWidth()
        if child.height() < (child.heightForWidth(child.width()) if wraps else child.sizeHint().height()):
            found.append(child.text())
    return found


@pytest.mark.parametrize("size", [(360, 360), (640, 480), (800, 600)])
@pytest.mark.parametrize("points", [11, 18])
def test_no_line_is_cut_in_half_in_a_small_window(desk, german, qtbot, size, points):
    window = desk.open()
    desk.furnish()
    desk.settings.save(replace(desk.settings.current, font_size=points))
    window.resize(*size)
    for show in shown_by(desk):
        show()
        for _ in range(4):  # a line that wraps moves those below it, and a scroll bar wraps others
            QApplication.processEvents()
        where = (window.panel or window.view) if window.panel is not None and window.panel.isVisible() else window.view
        assert where is not None
        qtbot.waitUntil(partial(assert_nothing_is_cut_in_half, where))


def assert_nothing_is_cut_in_half(where: QWidget) -> None:
    assert cut_in_half(where) == [], type(where).__name__


def out_of_sight(widget: QWidget) -> list[str]:
    """What no scrolling brings into sight: pages that are wider than their room, words wider than their lines."""
    found = []
    areas = [widget] if isinstance(widget, QScrollArea) else []
    for area in (*areas, *widget.findChildren(QScrollArea)):
        page = area.widget()
        if area.isVisible() and page is not None and not area.horizontalScrollBar().isVisible():
            left = area.viewport().width() - page.width()
            found += [f"{type(area).__name__}: {left}"] if left < 0 else []
    for label in widget.findChildren(QLabel):
        # A line breaks at blanks, and after a stroke.
        words = () if label.text().startswith("/") else re.split(r"\s|(?<=[-/])", label.text())  # no path of this run's
        if label.isVisible() and label.wordWrap() and label.text():
            found += [word for word in words if text_width(label.font(), word) > label.width() + 1]
    return found


@pytest.mark.parametrize(("width", "points"), [(360, 10), (360, 13), (400, 18), (1080, 10), (1080, 13), (1080, 18)])
def test_nothing_is_out_of_sight_sideways(desk, german, qtbot, width, points):
    window = desk.open()
    desk.furnish()
    desk.settings.save(replace(desk.settings.current, font_size=points))
    window.resize(width, 700)
    desk.talk("Why?", "Because.")
    for show in (*shown_by(desk), desk.window.turn_actions.show_totals):
        show()
        for _ in range(4):
            QApplication.processEvents()
        where = (window.panel or window.view) if window.panel is not None and window.panel.isVisible() else window.view
        assert where is not None
        qtbot.waitUntil(partial(assert_nothing_is_out_of_sight, where))


def assert_nothing_is_out_of_sight(where: QWidget) -> None:
    assert out_of_sight(where) == [], type(where).__name__


def test_no_two_actions_of_a_menu_share_a_letter_in_german(desk, german):
    window = desk.open()
    for action in window.menuBar().actions():
        menu = action.menu()
        assert isinstance(menu, QMenu)
        letters = Counter(letter for entry in menu.actions() for letter in re.findall(r"&(\w)", entry.text().lower()))
        assert [letter for letter, count in letters.items() if count > 1] == [], action.text()


class Marking(QTranslator):
    """Marks every text that is translated, and changes nothing else of it."""

    def translate(self, context: str, source: str, _disambiguation: str | None = None, _number: int = -1) -> str:
        return source if context == "Numbers" else "\n".join(f"¤{line}" for line in source.split("\n"))

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's virtual
        return False


@pytest.fixture
def marking(qapp):
    translator = Marking(qapp)
    qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)


def words_of(widget: QWidget) -> set[str]:
    """All that a widget and those in it say, to the eye and to assistive technology."""
    said: set[str] = set()
    for child in (widget, *widget.findChildren(QWidget)):
        said |= {child.accessibleName(), child.accessibleDescription(), child.toolTip()}
        if isinstance(child, QAbstractButton | QLabel):
            said.add(child.text())
        if isinstance(child, QComboBox):
            said |= {child.itemText(index) for index in range(child.count())}
        if isinstance(child, QLineEdit | QPlainTextEdit):
            said.add(child.placeholderText())
        said |= {action.text() for action in child.actions()}
    return {line for words in said for line in words.splitlines() if re.search(r"[a-z]{2}", line)}


# Names, which are the same in every language.
NAMES = re.compile(
    r"Small(, llama, Q4_1)?|SmolLM2[-\w. ]*|Headwater|Python|PySide6|llama-cpp-python|unknown|Linux.*"
    r"|English|Deutsch|Enter|Ctrl\+Enter|hf_…|EUR|/.*|https?://.*"
)


def test_no_word_in_the_window_is_said_past_its_translation(desk, marking):
    window = desk.open()
    desk.furnish()
    said = words_of(window)
    window.opening.server_action.trigger()
    for show in shown_by(desk):
        show()
        QApplication.processEvents()
        said |= words_of(window)
    families = set(QFontDatabase.families())
    assert sorted({words for words in said if "¤" not in words and not NAMES.fullmatch(words)} - families) == []


@pytest.mark.parametrize("name", list(inference.experiments.ExperimentName))
def test_no_word_of_the_lab_is_said_past_its_translation(desk, marking, name):
    desk.open()
    desk.insights.lab_action.trigger()
    lab = desk.insights.lab
    lab.show_experiment(name)
    lab.run_button.click()
    desk.engine.progress(0.5, inference.Sentence("Reading memory"))
    said = {lab.status.text()}
    desk.engine.finish_job(outcome_of(name))
    findings = lab.findings
    for number in range(findings.table_choice.count()):
        findings.table_choice.picked.emit(number)
        cells = findings.table.as_text().splitlines()
        said |= {cell for line in cells for cell in line.split("\t") if re.search(r"[a-z]{2}", cell)}
    for number in range(findings.plot_choice.count()):
        findings.plot_choice.picked.emit(number)
        said |= {series.name for series in findings.plot.plot.series}
        said |= {findings.plot.accessibleName(), findings.plot.accessibleDescription()}
    said |= words_of(lab) - {findings.export.text()}
    assert sorted(words for words in said if words and "¤" not in words and not NAMES.fullmatch(words)) == []


@pytest.mark.usefixtures("german_program")
def test_a_result_is_german_where_people_read_it_and_english_where_programs_do(desk):
    desk.open()
    desk.insights.lab_action.trigger()
    lab = desk.insights.lab
    lab.run_button.click()
    desk.engine.finish_job(outcome_of(inference.experiments.ExperimentName.PHASES))
    lab.findings.export.copy_action.trigger()
    markdown = QApplication.clipboard().text()
    assert "**Ein Token mehr im Prompt kostet 10 ms, ein Token mehr in der Antwort 0,10 s: das 10-Fache" in markdown
    assert "| Antwort (Decode) | 0,1 | 0,1 | 0,1 |" in markdown
    assert lab.findings.verdict.text().startswith("Ein Token mehr im Prompt kostet 10\u00a0ms")
    assert lab.findings.export._text(".csv").startswith('Two phases,"One more token of the prompt costs 10 ms')
