"""What the Inspector says, in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.inspection import Block, PhaseKind, PhasePart, inspect
from desktop.widgets import inspector_words as words
from desktop.widgets.stacked_bar import PartInk
from inference import BlockKind, ModelConfig, Usage
from inference.experiments import NO_PRICES, Bandwidth, Prices, Statistic
from tests.desktop.fakes import model_info
from tests.desktop.test_inspection import TIMINGS, TRACE, TURNS, reply


def test_every_phase_has_a_name_and_keeps_its_colour():
    names = [words.phase_name(kind) for kind in PhaseKind]
    assert len(set(names)) == len(names)
    assert words.phase_part(PhasePart(PhaseKind.PREFILL, 1.0), 4.0).ink is PartInk.PREFILL
    assert words.phase_part(PhasePart(PhaseKind.DECODE, 1.0), 4.0).ink is PartInk.DECODE
    assert words.phase_part(PhasePart(PhaseKind.DECODE, 1.0), 4.0).words == "Decode: 1.00 s, 25.0 %"


@pytest.mark.parametrize(("cached", "inks"), [(0, ["prefill"]), (4, ["cached", "prefill"]), (10, ["cached"])])
def test_a_block_is_cached_or_read_or_both(cached, inks):
    block = Block(BlockKind.SYSTEM, "Be brief.", ("notes.txt",), 10, cached)
    parts = words.block_parts(block)
    assert [part.ink.value for part in parts] == inks
    assert sum(part.amount for part in parts) == 10
    assert parts[0].words.startswith("System prompt “Be brief.” with notes.txt: ")


def test_what_a_server_measures_here_is_said_to_be():
    found = inspect(TURNS, reply(timings=replace(TIMINGS, measured_at_client=True)), TRACE)
    assert "Measured here" in words.tokens_words(found)


def test_cost_is_blank_without_usage_and_an_estimate_with_prices():
    assert words.cost_words(None, NO_PRICES) == ""
    assert "estimate" in words.cost_words(Usage(10, 0, 5), Prices(input=1.0))


def test_the_share_is_not_said_where_it_cannot_be_known():
    found = inspect(TURNS, reply(), TRACE)
    own = model_info(ModelConfig(Path("small.gguf")))
    assert words.share_words(found, None, None) == "Known for replies of the model that is loaded now."
    on_gpu = replace(own, gpu_layers=4, layers=4)
    assert words.share_words(found, on_gpu, None).startswith("Computed for models on the CPU")
    assert words.share_words(found, own, None).endswith("Measure the memory to see the share.")
    assert "% of the limit" in words.share_words(found, own, Bandwidth(Statistic((1e10,)), 1))
