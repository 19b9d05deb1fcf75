from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inference
from desktop.sizing import Sizing
from desktop.theme import load_theme
from desktop.widgets.fit_panel import FitPanel, window_sizes

NAMES = ("context_length", "embedding_length", "block_count", "attention.head_count", "feed_forward_length")


@pytest.fixture
def panel(desk, qtbot):
    panel = FitPanel(load_theme("light"), Sizing(desk.settings, desk.models, None))
    qtbot.addWidget(panel)
    return panel


def test_windows_are_powers_of_two_the_wanted_one_and_all_that_was_learned():
    assert window_sizes(4096, 4096) == (512, 1024, 2048, 4096)
    assert window_sizes(6000, 3000) == (512, 1024, 2048, 3000, 4096, 6000)
    assert window_sizes(0, 4096) == (512, 1024, 2048, 4096)
    assert window_sizes(256, 4096) == (512,)


ANY = st.sampled_from([0, 1, 64, 512, 4096, 2**31, 2**63, 2**64 - 1])


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(NAMES), ANY), ANY.filter(bool))
def test_whatever_a_header_says_what_it_will_need_is_shown(panel, numbers, wanted):
    metadata = {f"llama.{name}": number for name, number in numbers.items()}
    facts = inference.GgufFacts(Path("/m/a.gguf"), "llama", metadata, {}, 1, 1, (), 100)
    panel.show_model(facts.path, facts, wanted)
    assert panel.grab().width() > 0
    assert panel.context_size <= 2**31
    assert len(panel.words) == 3


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_windows_rise_and_never_exceed_what_was_learned(training, wanted):
    sizes = window_sizes(training, wanted)
    assert list(sizes) == sorted(set(sizes))
    assert sizes[-1] == max(512, training or 4096)
