"""Every value of a sampling has a range that the engine takes, in steps that can be read."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from desktop.widgets.sampling_knobs import Knob, unusual_knobs, usual_knobs
from inference import Sampling

NOT_NUMBERS = {"dry_sequence_breakers", "logit_bias"}
KNOBS = (*usual_knobs(), *unusual_knobs())


def test_there_is_one_for_every_number():
    assert sorted(knob.field for knob in KNOBS) == sorted({field.name for field in fields(Sampling)} - NOT_NUMBERS)


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.field)
def test_the_engine_takes_both_ends(knob: Knob):
    for end in (knob.range.least, knob.range.most):
        chosen: dict[str, Any] = {knob.field: end}
        assert getattr(replace(Sampling(), **chosen), knob.field) == end


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.field)
def test_each_step_is_another_number_to_read(knob: Knob):
    assert round(knob.range.step, knob.range.decimals) == knob.range.step
    assert knob.range.least < knob.range.least + knob.range.step <= knob.range.most


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.field)
def test_each_is_named_and_explained(knob: Knob):
    assert knob.words
    assert knob.explained.endswith(".")
