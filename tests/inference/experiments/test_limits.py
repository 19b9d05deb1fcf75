"""The share of what the memory allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inference.configuration import ModelConfig
from inference.errors import InvalidRequest
from inference.events import MemoryUse
from inference.experiments.limits import Bandwidth, BandwidthJob, bytes_per_token, share_of_limit
from inference.experiments.samples import Statistic
from tests.desktop.fakes import model_info
from tests.fakes import config
from tests.inference.experiments.lending import Lent, timed

INFO = replace(model_info(ModelConfig(Path("a.gguf"))), memory=MemoryUse(90_000_000, 40_960_000, 1), context_size=4096)


def test_a_token_moves_the_weights_and_what_is_held() -> None:
    assert bytes_per_token(INFO, 0) == 90_000_000
    assert bytes_per_token(INFO, 2048) == 90_000_000 + 20_480_000
    assert bytes_per_token(INFO, 9999) == 90_000_000 + 40_960_000


def test_without_a_measured_size_the_file_stands_for_the_weights() -> None:
    assert bytes_per_token(replace(INFO, memory=None), 100) == INFO.file_size


def test_a_gpus_memory_is_not_measured() -> None:
    with pytest.raises(InvalidRequest):
        bytes_per_token(replace(INFO, gpu_layers=3, layers=3), 0)


def test_the_share_is_what_a_rate_takes_of_the_best_round() -> None:
    assert share_of_limit(50, 100_000_000, Bandwidth(Statistic((8e9, 1e10)), 1)) == pytest.approx(0.5)


def test_memory_is_really_read() -> None:
    found = Lent(timed(threads=2)).result(BandwidthJob(config()))
    assert isinstance(found, Bandwidth)
    assert found.threads == 2
    assert 1e8 < found.best < 1e13


def test_a_measurement_that_was_stopped_has_no_result() -> None:
    lent = Lent(timed())
    lent.stop_flag.set()
    assert lent.result(BandwidthJob(config())) is None
