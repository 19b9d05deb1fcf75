"""Formulas as pictures."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from desktop.formulas import INK, SET_OPTION, Formula, FormulaRefused, command, folder, picture_in, request, set_formula

# ziamath finds its fonts in a way that Python 3.11 and 3.12 advise against.
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated:DeprecationWarning")


@pytest.mark.parametrize(
    "tex",
    [
        r"E = mc^2",
        r"\frac{a}{b} \cdot \sqrt[3]{x}",
        r"\int_0^\infty e^{-x^2}\,dx",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\begin{cases} x & x < 0 \\ y & \text{else} \end{cases}",
        r"\begin{align} a &= b \\ &= c \end{align}",
        r"\operatorname{softmax}(\mathbf z)_i \in \mathbb{R}",
        r"\lim_{n \to \infty} \left( 1 + \frac1n \right)^n",
        "λ ≤ μ",
    ],
)
def test_what_models_write_becomes_a_picture_in_the_colour_of_the_text(tex: str):
    picture = set_formula(Formula(tex))
    assert picture.svg.startswith("<svg")
    assert f'fill="{INK}"' in picture.svg
    assert picture.width > 0
    assert picture.ascent > 0


def test_a_formula_stands_on_the_baseline():
    letter, fraction = set_formula(Formula("x")), set_formula(Formula(r"\frac{a}{b}"))
    assert abs(letter.descent) < 0.1
    assert 0.4 < letter.ascent < 0.6
    assert fraction.descent > 0.3
    assert fraction.ascent > letter.ascent


def test_on_a_line_of_its_own_it_is_larger():
    inline, display = set_formula(Formula(r"\frac{a}{b}")), set_formula(Formula(r"\frac{a}{b}", is_display=True))
    assert display.ascent + display.descent > inline.ascent + inline.descent


def test_equations_are_not_numbered():
    numbered, starred = (set_formula(Formula(rf"\begin{{{name}}} a \end{{{name}}}")) for name in ("align", "align*"))
    assert numbered == starred


@pytest.mark.parametrize(
    "tex",
    [
        "",
        r"\frac{a",
        r"\left( x",
        r"\begin{matrix} a",
        r"\newcommand{\x}{\x\x}\x",
        "{" * 60 + "x" + "}" * 60,
        r"\left(" * 60 + "x" + r"\right)" * 60,
        "x" * 3000,
        "x" * 1900,
        r"\hspace{5000em}",
        "日本",
    ],
)
def test_what_is_malformed_or_too_large_or_has_no_glyphs_is_refused(tex: str):
    with pytest.raises(FormulaRefused):
        set_formula(Formula(tex))


def test_nothing_but_outlines_gets_into_a_picture():
    for tex in (
        r"\href{file:///etc/passwd}{x}",
        r"\includegraphics{/etc/passwd}",
        r'\color{"/><image x="}{x}',
        r"\input{x}",
    ):
        try:
            svg = set_formula(Formula(tex)).svg
        except FormulaRefused:
            continue
        assert "image" not in svg
        assert "file:" not in svg
        assert "href=" not in svg


@pytest.mark.parametrize("command", [command(), (sys.executable, "-m", "desktop", SET_OPTION)])
def test_the_process_answers_line_by_line_and_ends_with_its_input(command: tuple[str, ...]):
    asked = [Formula("x"), Formula(r"\frac{a"), Formula(r"\frac{a}{b}", is_display=True)]
    answers = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": folder()}, cwd="/"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for formula in asked:
            process.stdin.write(request(formula))
            process.stdin.flush()
            answers.append(picture_in(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(60) == 0
    assert answers == [set_formula(asked[0]), None, set_formula(asked[2])]


def test_neither_ziamath_nor_qt_is_loaded_before_the_first_formula():
    code = """
import json, sys, desktop.formulas
print(json.dumps([name for name in ("ziamath", "latex2mathml", "PySide6") if name in sys.modules]))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert json.loads(done.stdout) == []
