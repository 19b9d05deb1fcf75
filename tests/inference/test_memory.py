import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.configuration import KvType, ModelConfig
from inference.errors import ModelNotFound
from inference.events import MemoryUse
from inference.gguf_header import GgufFacts, Part, Weights
from inference.machine import Device, DeviceKind, available_memory
from inference.measurements import FileRecord, Measurements, Run, Threads, file_key
from inference.memory import best_threads, corrected, forecast, plan_load, plans_to_try, run_of
from inference.sizes import sizes_of
from tests.gguf_files import facts_of, real_model, sliding_window_model, write_tiny_model
from tests.llama_models import loaded

GIB = 1 << 30
MIB = 1 << 20
LAYERS = 32
LAYER = 200 * MIB


def large(tmp_path) -> GgufFacts:
    """A model like one of eight billion weights: 32 layers, each with a KV cache of 16 KiB a token."""
    facts = facts_of(
        tmp_path,
        block_count=2,
        embedding_length=4096,
        feed_forward_length=14336,
        attention__head_count=32,
        attention__head_count_kv=8,
        attention__key_length=128,
        attention__value_length=128,
        context_length=32768,
    )
    weights = Weights(300 * MIB, (LAYER,) * LAYERS, 400 * MIB)
    return replace(
        facts,
        metadata={**facts.metadata, "llama.block_count": LAYERS},
        parts=(Part(facts.path, weights.total, weights.total),),
        weights=weights,
    )


def gpu(free: float, total: float = 8, name: str = "CUDA0", kind: DeviceKind = DeviceKind.GPU) -> Device:
    return Device(name, "A GPU", kind, int(free * GIB), int(total * GIB))


def config_of(facts: GgufFacts, **wishes: object) -> ModelConfig:
    return ModelConfig(facts.path, **wishes)  # type: ignore[arg-type]  # what a test wishes


def test_a_larger_window_takes_more_and_a_forecast_says_whether_it_fits(tmp_path):
    path = large(tmp_path).path
    small, wide = forecast(path, 4096), forecast(path, 32768)
    assert small.weights == wide.weights
    assert small.kv < wide.kv
    assert small.compute < wide.compute
    assert small.total == small.weights + small.kv + small.compute
    little = Device("CUDA0", "", DeviceKind.GPU, wide.total, wide.total)
    assert not forecast(path, 32768, device=little).fits
    assert forecast(path, 32768, device=little, freed=2 * GIB).fits
    assert forecast(path, 4096).available == pytest.approx(available_memory(), rel=0.2)


def test_a_forecast_of_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ModelNotFound):
        forecast(tmp_path / "none.gguf", 4096)


def test_no_window_is_larger_than_the_model_learned(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf", context_length=1024)
    assert forecast(path).context_size == forecast(path, 1_000_000).context_size == 1024


def test_a_slider_can_ask_as_it_moves(tmp_path):
    path = large(tmp_path).path
    forecast(path, 4096)
    began = time.process_time()
    for step in range(50):
        forecast(path, 256 * (step + 1))
    assert (time.process_time() - began) / 50 < 0.005


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf")
    before = forecast(path, 256)
    write_tiny_model(path, block_count=5)
    assert forecast(path, 256).kv > before.kv


def test_what_a_load_really_took_corrects_the_next_forecast(tmp_path):
    facts = large(tmp_path)
    plain = sizes_of(facts, 4096)
    run = Run("CPU", 0, 0, 4096, "f16", plain.weights * 2, plain.kv // 2, plain.compute * 3)
    record = FileRecord(runs=(run,))
    assert corrected(facts, record, 4096, KvType.F16, "CPU") == MemoryUse(run.weights, run.kv, run.compute)
    doubled = corrected(facts, record, 8192, KvType.F16, "CPU")
    assert doubled.kv == pytest.approx(sizes_of(facts, 8192).kv / 2, rel=0.01)
    assert doubled.weights == run.weights
    other = corrected(facts, record, 4096, KvType.F16, "CUDA0")
    assert other == sizes_of(facts, 4096, on_gpu=True), "another device is another matter"
    nonsense = FileRecord(runs=(replace(run, kv=plain.kv * 1000),))
    assert corrected(facts, nonsense, 8192, KvType.F16, "CPU").kv <= 10 * sizes_of(facts, 8192).kv


def test_a_forecast_says_that_it_was_measured(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf")
    measurements = Measurements()
    assert not forecast(path, 512, measurements=measurements).is_measured
    measurements.add_run(file_key(path), Run("CPU", 0, 0, 512, "f16", 1000, 200, 30))
    measured = forecast(path, 512, measurements=measurements)
    assert measured.is_measured
    assert not forecast(path, 256, measurements=measurements).is_measured


# Layers on a GPU.


def test_without_a_gpu_the_cpu_computes_all_and_nothing_is_said(tmp_path):
    plan = plan_load(config_of(large(tmp_path)), large(tmp_path), ())
    assert (plan.device, plan.gpu_layers, plan.layers, plan.note) == ("CPU", 0, LAYERS + 1, "")
    assert plan.in_memory > 4096 * 16 * 1024 * 8


def test_all_layers_go_to_a_gpu_that_has_room(tmp_path):
    facts = large(tmp_path)
    plan = plan_load(config_of(facts), facts, (gpu(22, 24),))
    assert (plan.gpu_layers, plan.layers, plan.note) == (33, 33, "")
    assert plan.in_memory == 0
    assert plan.device == "CUDA0: 33 of 33 layers"
    assert plan.device_with(int(7.1e9)) == "CUDA0: 33 of 33 layers, 7.1 of 25.8 GB"


def test_as_many_layers_as_fit_go_to_a_smaller_gpu_and_the_reason_is_kept(tmp_path):
    facts = large(tmp_path)
    plan = plan_load(config_of(facts), facts, (gpu(5),))
    assert 0 < plan.gpu_layers < 33
    assert plan.on_devices <= 4 * GIB, "a margin is left"
    assert plan.on_devices + LAYER + 4096 * 16 * 1024 > 4 * GIB, "one more would not fit"
    left = 33 - plan.gpu_layers
    assert plan.note == f"{left} of 33 layers stay on the CPU: CUDA0 has 5.4 of 8.6 GB free."
    assert plan.in_memory > 0


def test_two_gpus_share_the_layers(tmp_path):
    facts = large(tmp_path)
    one = plan_load(config_of(facts), facts, (gpu(4),))
    two = plan_load(config_of(facts), facts, (gpu(4), gpu(4, name="CUDA1")))
    assert two.gpu_layers > one.gpu_layers
    assert two.device.startswith("CUDA0 + CUDA1: ")


def test_a_gpu_that_shares_the_systems_memory_gets_no_more_than_there_is(tmp_path):
    facts = large(tmp_path)
    huge = replace(facts, weights=replace(facts.weights, layers=(available_memory() // 8,) * LAYERS))
    shared = gpu(10_000, 10_000, kind=DeviceKind.INTEGRATED)
    assert plan_load(config_of(huge), huge, (shared,)).gpu_layers < 10


def test_a_full_gpu_gets_nothing(tmp_path):
    facts = large(tmp_path)
    plan = plan_load(config_of(facts), facts, (gpu(0.5),))
    assert (plan.device, plan.devices) == ("CPU", ())
    assert plan.note == "33 of 33 layers stay on the CPU: CUDA0 has 0.5 of 8.6 GB free."


def test_the_cpu_can_be_chosen_and_so_can_a_number_of_layers(tmp_path):
    facts = large(tmp_path)
    assert plan_load(config_of(facts, device="CPU"), facts, (gpu(22),)).gpu_layers == 0
    assert plan_load(config_of(facts, gpu_layers=0), facts, (gpu(22),)).gpu_layers == 0
    chosen = plan_load(config_of(facts, gpu_layers=20), facts, (gpu(0.5),))
    assert (chosen.gpu_layers, chosen.note) == (20, ""), "a person's wish is tried as it is"
    assert plan_load(config_of(facts, gpu_layers=99), facts, (gpu(22),)).gpu_layers == 33
    assert [plan.gpu_layers for plan in plans_to_try(config_of(facts, gpu_layers=20), facts, (gpu(22),))] == [20]


def test_where_a_load_finds_no_memory_fewer_layers_are_tried_and_at_last_none(tmp_path):
    facts = large(tmp_path)
    plans = list(plans_to_try(config_of(facts), facts, (gpu(22, 24),)))
    assert [plan.gpu_layers for plan in plans] == [33, 29, 25, 21, 17, 13, 9, 5, 1, 0]
    assert [plan.note for plan in plans[:3]] == [
        "",
        "CUDA0 had no room for 33 of 33 layers.",
        "CUDA0 had no room for 29 of 33 layers.",
    ]
    assert {plan.layers_wanted for plan in plans} == {33}
    assert plans[-1].device == "CPU"


def test_layers_that_did_not_fit_are_not_tried_again_while_there_is_no_more_room(tmp_path):
    facts = large(tmp_path)
    plans = list(plans_to_try(config_of(facts), facts, (gpu(22, 24),)))
    record = FileRecord(runs=(run_of(plans[2], MemoryUse(1, 1, 1)),))
    record = FileRecord(runs=(replace(record.runs[0], weights=0, kv=0, compute=0),))
    assert plan_load(config_of(facts), facts, (gpu(22, 24),), record).gpu_layers == 25
    assert plan_load(config_of(facts), facts, (gpu(23, 24),), record).gpu_layers == 33, "now there is more room"
    assert plan_load(config_of(facts, context_size=2048), facts, (gpu(22, 24),), record).gpu_layers == 33


def test_a_larger_window_leaves_room_for_fewer_layers(tmp_path):
    facts = large(tmp_path)
    small, wide = (plan_load(config_of(facts, context_size=size), facts, (gpu(6),)) for size in (4096, 32768))
    assert small.gpu_layers > wide.gpu_layers
    quantised = plan_load(config_of(facts, context_size=32768, kv_type=KvType.Q8_0), facts, (gpu(6),))
    assert quantised.gpu_layers > wide.gpu_layers


def test_weights_of_a_kind_not_known_are_taken_to_be_spread_evenly(tmp_path):
    facts = large(tmp_path)
    unknown = replace(facts, parts=(Part(facts.path, 8 * GIB, None),), weights=Weights())
    assert sizes_of(unknown, 4096).weights == 8 * GIB
    assert 10 < plan_load(config_of(unknown), unknown, (gpu(6),)).gpu_layers < 25


def test_the_measured_number_of_threads_is_used_within_the_bound(tmp_path):
    facts = large(tmp_path)
    plan = plan_load(config_of(facts), facts, ())
    record = FileRecord(threads=(Threads("CPU", 7, 5), Threads("CPU", 3, 9), Threads("CUDA0", 7, 2)))
    assert best_threads(record, plan, 7) == 5
    assert best_threads(record, plan, 3) == 3, "never above it"
    assert best_threads(record, plan, 4) == 4, "measured under another bound"
    assert best_threads(FileRecord(), plan, 7) == 7


@settings(max_examples=300, deadline=None)
@given(
    numbers=st.dictionaries(
        st.sampled_from(
            [
                "block_count", "embedding_length", "feed_forward_length", "context_length", "attention.head_count",
                "attention.head_count_kv", "attention.key_length", "attention.value_length", "attention.sliding_window",
                "attention.sliding_window_pattern", "attention.shared_kv_layers", "attention.kv_lora_rank",
                "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.group_count", "wkv.head_size",
                "shortconv.l_cache", "kda.head_dim", "full_attention_interval", "expert_used_count",
            ]
        ),
        st.integers(-(2**63), 2**64) | st.integers(0, 64),
    ),
    lists=st.dictionaries(
        st.sampled_from(
            ["attention.head_count_kv", "attention.sliding_window_pattern", "attention.recurrent_layers"]
        ),
        st.lists(st.integers(-5, 2**32), max_size=4).map(tuple),
    ),
    architecture=st.sampled_from(["llama", "gemma3", "gemma3n", "mamba", "falcon-h1", "smallthinker"]),
    context=st.integers(1, 2**31),
    free=st.integers(0, 2**40),
)  # fmt: skip
def test_whatever_a_header_says_a_plan_comes_of_it(tmp_path_factory, numbers, lists, architecture, context, free):
    path = tmp_path_factory.getbasetemp() / "any.gguf"
    metadata = {f"{architecture}.{key}": value for key, value in numbers.items()}
    by_layer = {f"{architecture}.{key}": value for key, value in lists.items()}
    weights = Weights(10, (5, 5), 3)
    facts = GgufFacts(path, architecture, metadata, by_layer, 4, 23, (Part(path, 23, 23),), 100, None, weights)
    device = Device("CUDA0", "", DeviceKind.GPU, free, free)
    for plan in plans_to_try(ModelConfig(path, context_size=context), facts, (device,)):
        assert 0 <= plan.gpu_layers <= max(plan.layers, 1)
        assert plan.in_memory >= 0
        assert plan.context_size >= 1
    sizes = sizes_of(facts, context)
    assert min(sizes.weights, sizes.kv, sizes.compute) >= 0


# What llama.cpp really takes.


@pytest.mark.parametrize("architecture", ["llama", "jamba", "mamba"])
@pytest.mark.parametrize("size", [300, 1024])
def test_the_forecast_of_a_small_file_is_what_llama_cpp_takes(tmp_path, architecture, size):
    path = write_tiny_model(tmp_path / "x.gguf", architecture=architecture, block_count=3)
    with loaded(path, context_size=size) as model:
        assert_alike(forecast(path, size), model.info.memory)


@pytest.mark.model
@pytest.mark.parametrize("size", [512, 4096, 8192])
@pytest.mark.parametrize("kv_type", KvType)
def test_the_forecast_of_the_real_model_is_what_llama_cpp_takes(size, kv_type):
    with loaded(real_model(), context_size=size, kv_type=kv_type) as model:
        assert model.info.kv_type is kv_type
        assert_alike(forecast(real_model(), size, kv_type=kv_type), model.info.memory)


@pytest.mark.model
@pytest.mark.parametrize("size", [512, 8192])
def test_the_forecast_of_a_model_with_a_sliding_window_is_what_llama_cpp_takes(size):
    path = sliding_window_model()
    if path is None:
        pytest.skip("Gemma 3 270M is not installed: its forecast was NOT tested")
    with loaded(path, context_size=size) as model:
        assert_alike(forecast(path, size), model.info.memory)


def assert_alike(said, real: MemoryUse | None) -> None:
    """The log rounds to hundredths of a MiB; some weights are kept a second time, laid out for the processor."""
    assert real is not None
    assert said.weights == pytest.approx(real.weights, rel=0.06, abs=0.02 * MIB)
    assert said.kv == pytest.approx(real.kv, rel=0.01, abs=0.02 * MIB)
    assert said.compute == pytest.approx(real.compute, rel=0.12, abs=0.5 * MIB)
