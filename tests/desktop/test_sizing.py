from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.model_choice import ModelChoice
from desktop.settings import SettingsFile
from desktop.sizing import Sizing
from inference import Device, DeviceKind, KvType, MemoryUse, ModelConfig, glance
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.gguf_files import write_tiny_model

GPU = Device("CUDA0", "a GPU", DeviceKind.GPU, 1 << 50, 1 << 50)


class Scale:
    def __init__(self, tmp_path) -> None:
        self.settings = SettingsFile(tmp_path / "settings.toml")
        self.engine = ScriptedEngine()
        self.models = ModelChoice(self.engine, self.settings, MODEL)
        self.engine.listeners.append(self.models.on_event)
        self.now = 0.0
        self.sizing = Sizing(self.settings, self.models, None, clock=lambda: self.now)


@pytest.fixture
def scale(tmp_path):
    return Scale(tmp_path)


def test_what_is_loaded_now_counts_as_room_for_the_next(scale):
    free = scale.sizing.machine().free
    scale.models.choose(MODEL)
    scale.engine.ready(ModelConfig(MODEL), memory=MemoryUse(1 << 40, 0, 0))
    assert scale.sizing.machine().free == free, "what was asked of the machine holds for a moment"
    scale.now = 10.0
    assert scale.sizing.machine().free > free + (1 << 39)


def test_the_gpu_counts_unless_somebody_wants_the_cpu(scale):
    scale.sizing.on_devices_listed((GPU,))
    assert scale.sizing.machine().device == "CUDA0"
    scale.settings.save(replace(scale.settings.current, device="CPU"))
    scale.now = 10.0
    assert scale.sizing.machine().device == ""


def test_a_forecast_follows_the_window_and_the_type_of_the_kv_cache(scale, tmp_path):
    path = write_tiny_model(
        tmp_path / "a.gguf",
        context_length=65536,
        metadata={"llama.attention.key_length": 32, "llama.attention.value_length": 32},
    )
    facts = glance(path)
    small, large = (scale.sizing.forecast(path, facts, size) for size in (1024, 65536))
    assert large.kv == 64 * small.kv
    scale.settings.save(replace(scale.settings.current, kv_type=KvType.Q8_0))
    assert scale.sizing.forecast(path, facts, 65536).kv < 0.6 * large.kv
