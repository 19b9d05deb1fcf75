"""Every value of a sampling can be chosen, within what the engine takes."""

from __future__ import annotations

from dataclasses import fields

import pytest

from desktop.theme import load_theme
from desktop.widgets.sampling_form import SamplingForm
from inference import DEFAULT_SAMPLING, Sampling

NOT_NUMBERS = {"dry_sequence_breakers", "logit_bias"}


@pytest.fixture
def form(qtbot):
    form = SamplingForm(load_theme("light"))
    qtbot.addWidget(form)
    form.show()
    return form


def test_there_is_a_control_for_every_number(form):
    assert set(form.numbers) == {field.name for field in fields(Sampling)} - NOT_NUMBERS


@pytest.mark.parametrize("name", sorted({field.name for field in fields(Sampling)} - NOT_NUMBERS))
@pytest.mark.parametrize("end", ["least", "most"])
def test_both_ends_of_a_control_are_what_the_engine_takes(form, name, end):
    number = form.numbers[name]
    chosen: list[Sampling | None] = []
    form.chosen.connect(chosen.append)
    number.setValue(number.minimum() + number.singleStep() if end == "least" else number.maximum())
    number.editingFinished.emit()
    assert chosen[-1] is not None
    assert getattr(chosen[-1], name) == number.number
    number.setValue(number.minimum())
    number.editingFinished.emit()
    assert chosen[-1] is None


def test_each_is_explained_with_its_term(form):
    for name, number in form.numbers.items():
        assert f"({name})" in number.accessibleName()
        assert number.accessibleDescription().startswith(f"{name}: ")


def test_what_the_engine_does_not_take_is_put_back(form):
    chosen: list[Sampling | None] = []
    form.chosen.connect(chosen.append)
    form.numbers["mirostat"].setValue(1)
    form.numbers["mirostat"].editingFinished.emit()
    assert chosen == []
    assert form.numbers["mirostat"].text() == "off"


def test_what_is_rare_is_folded_away_until_it_is_chosen(form):
    assert not form.numbers["xtc_probability"].isVisible()
    form.more_button.click()
    assert form.numbers["xtc_probability"].isVisible()
    form.more_button.click()
    form.show_sampling(Sampling(xtc_probability=0.5), DEFAULT_SAMPLING)
    assert form.numbers["xtc_probability"].isVisible()


def test_what_has_no_control_is_kept(form):
    kept = Sampling(dry_sequence_breakers=("\n",), logit_bias=((5, 1.0),))
    form.show_sampling(kept, DEFAULT_SAMPLING)
    form.numbers["top_k"].setValue(7)
    form.numbers["top_k"].editingFinished.emit()
    assert form.sampling == Sampling(top_k=7, dry_sequence_breakers=("\n",), logit_bias=((5, 1.0),))
