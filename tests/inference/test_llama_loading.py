import locale
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

import psutil
import pytest

from inference.configuration import KvType, ModelConfig
from inference.errors import ModelNotFound, ModelUnreadable, ModelUnsupported, OutOfMemory
from inference.llama import _first_that_fits, _Loading, load_model
from inference.llama.buffers import buffers_in
from inference.machine import Device, DeviceKind
from inference.memory import LoadPlan, plans_to_try
from inference.model import Loader, LoadStopped, Model, StopFlag
from inference.model_files import check_file
from inference.requests import DEFAULT_SAMPLING, Sampling
from inference.sizes import kv_by_layer
from tests.gguf_files import CHAT_TEMPLATE, real_model, sliding_window_model, write_tiny_model
from tests.llama_models import load, loaded, read, write


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "Tiny.Q8.gguf")


def test_it_is_a_loader_of_models(tiny):
    loader: Loader = load_model
    model: Model = loader(ModelConfig(tiny), StopFlag(), lambda _fraction: None)
    model.close()


def test_a_loaded_model_says_what_it_is_and_how_it_was_loaded(tiny):
    with loaded(tiny) as model:
        info = model.info
        assert info.config == ModelConfig(tiny, threads=1)
        assert (info.name, info.architecture, info.quantisation) == ("Tiny.Q8", "llama", "F32")
        assert info.parameters == check_file(tiny).parameters
        assert info.file_size == tiny.stat().st_size
        assert (info.training_context, info.context_size, info.batch_size) == (1024, 1024, 512)
        assert (info.threads, info.device) == (1, "CPU")
        assert info.has_own_template
        assert info.load_seconds > 0
        assert info.default_sampling == DEFAULT_SAMPLING
        assert model.chat_template == CHAT_TEMPLATE
        assert model.template_tokens == {"bos_token": "<s>", "eos_token": "<|im_end|>"}
        assert list(model.tokens) == []


def test_a_model_without_a_template_says_so(tmp_path):
    with loaded(write_tiny_model(tmp_path / "x.gguf", template=None)) as model:
        assert model.chat_template is None
        assert not model.info.has_own_template


@pytest.mark.parametrize(
    ("wanted", "trained", "given"),
    [(None, 1024, 1024), (None, 8192, 4096), (300, 8192, 300), (2000, 1000, 1000), (1, 8192, 1)],
)
def test_the_window_is_what_was_asked_for_but_no_more_than_the_model_learned(tmp_path, wanted, trained, given):
    with loaded(write_tiny_model(tmp_path / "x.gguf", context_length=trained), context_size=wanted) as model:
        assert model.info.context_size == given
        assert model.info.batch_size == min(512, given)
        if given <= 1000:
            read(model, [5] * given)
            assert len(model.tokens) == given


def test_progress_goes_from_nothing_to_all(tiny):
    fractions: list[float] = []
    load_model(ModelConfig(tiny), StopFlag(), fractions.append).close()
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert all(0 <= fraction <= 1 for fraction in fractions)


def test_a_raised_stop_flag_ends_a_load(tiny):
    flag = StopFlag()

    def stop(_fraction: float) -> None:
        flag.set()

    with pytest.raises(LoadStopped):
        load_model(ModelConfig(tiny), flag, stop)


def test_what_goes_wrong_in_reporting_the_progress_comes_out_again(tiny):
    def break_down(_fraction: float) -> None:
        raise KeyError("progress")

    with pytest.raises(KeyError, match="progress"):
        load_model(ModelConfig(tiny), StopFlag(), break_down)


def test_a_model_that_is_not_there_or_damaged_is_refused_before_llama_cpp_sees_it(tmp_path, tiny):
    with pytest.raises(ModelNotFound):
        load(tmp_path / "none.gguf")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny.read_bytes()[:-1000])
    with pytest.raises(ModelUnreadable, match="ends before its last tensor"):
        load(cut)


def test_what_llama_cpp_refuses_is_said_in_its_words(tmp_path):
    with pytest.raises(ModelUnsupported, match="does not know its architecture, unheard-of"):
        load(write_tiny_model(tmp_path / "x.gguf", architecture="unheard-of"))
    with pytest.raises(ModelUnreadable, match=r"llama.cpp says: .*wrong shape"):
        load(write_tiny_model(tmp_path / "y.gguf", metadata={"llama.feed_forward_length": 65}))
    with pytest.raises(ModelUnreadable, match=r"llama.cpp says: .*context_length"):
        load(write_tiny_model(tmp_path / "z.gguf", metadata={"llama.context_length": "long"}))


def test_a_window_that_does_not_fit_into_memory_is_refused_with_what_it_needs(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf", context_length=2**31 - 1)
    with pytest.raises(OutOfMemory) as raised:
        load(path, context_size=2**31 - 1)
    assert raised.value.context_size == 2**31 - 256
    assert raised.value.needed is not None
    assert raised.value.needed >= sum(kv_by_layer(check_file(path), 2**31 - 256))


def test_fewer_layers_are_tried_only_where_memory_was_missing(tiny):
    gpu = Device("CUDA0", "", DeviceKind.GPU, 8 << 30, 8 << 30)
    plans = list(plans_to_try(ModelConfig(tiny), check_file(tiny), (gpu,)))
    tried: list[int] = []

    def attempt(plan: LoadPlan) -> _Loading:
        tried.append(plan.gpu_layers)
        if plan.gpu_layers > 1:
            raise OutOfMemory(tiny)
        return _Loading(1, 2, plan, 1, buffers_in([]))

    assert _first_that_fits(plans, attempt).plan.gpu_layers == 1
    assert tried == [3, 2, 1]
    with pytest.raises(OutOfMemory):
        _first_that_fits(plans[:1], attempt)

    def refuse(_plan: LoadPlan) -> _Loading:
        tried.append(-1)
        raise ModelUnreadable(tiny, "It is broken.")

    with pytest.raises(ModelUnreadable):
        _first_that_fits(plans, refuse)
    assert tried.count(-1) == 1


def test_the_cpu_can_be_chosen_by_name(tiny):
    model = load_model(ModelConfig(tiny, threads=1, device="CPU"), StopFlag(), lambda _fraction: None)
    assert (model.info.device, model.info.gpu_layers, model.info.layers) == ("CPU", 0, 3)
    model.close()


def test_a_kv_cache_that_cannot_be_quantised_is_kept_as_usual_and_said_to_be(tiny):
    with loaded(tiny, kv_type=KvType.Q8_0) as model:
        assert model.info.kv_type is KvType.F16


@pytest.mark.model
def test_the_real_model_answers_from_a_quantised_kv_cache_of_half_the_size():
    with loaded(real_model(), context_size=1024, kv_type=KvType.Q8_0) as model:
        assert model.info.kv_type is KvType.Q8_0
        assert model.info.memory is not None
        assert model.info.memory.kv < 13e6, "as f16 it takes 23.6 MB"
        read(model, model.vocabulary.tokenize(QUESTION, special=True))
        text = b"".join(map(model.vocabulary.piece, reply(model))).decode("utf-8", "replace")
        assert "river" in text.lower()


def test_the_files_own_sampling_goes_before_the_default(tmp_path):
    recommended: dict[str, int | float | bool | str | Sequence[int]] = {
        "general.sampling.temp": 0.2,
        "general.sampling.top_k": 7,
        "general.sampling.min_p": 3.0,  # no such share
        "general.sampling.penalty_repeat": float("nan"),
        "general.sampling.top_p": "much",
    }
    path = write_tiny_model(tmp_path / "x.gguf", metadata=recommended)
    with loaded(path) as model:
        sampling = model.info.default_sampling
        assert sampling == Sampling(temperature=0.2, top_k=7).over(DEFAULT_SAMPLING)


def test_numbers_are_written_with_a_point_after_a_load(tiny):
    load(tiny).close()
    assert locale.localeconv()["decimal_point"] == "."


def test_importing_the_engine_does_not_import_llama_cpp():
    program = "import sys, inference, inference.model_files, inference.machine; print('llama_cpp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_model_can_be_loaded_and_freed_again_and_again(tiny):
    def cycle() -> list[int]:
        with loaded(tiny) as model:
            read(model, list(range(20)))
            return write(model, 5)

    assert cycle() == cycle()
    before = psutil.Process().memory_info().rss
    for _ in range(20):
        cycle()
    assert psutil.Process().memory_info().rss - before < 4_000_000


# The real models.


@pytest.fixture(scope="module")
def real():
    flag = StopFlag()
    with loaded(real_model(), context_size=2048, stop_flag=flag) as model:
        yield model, flag


QUESTION = "<|im_start|>user\nWhy do rivers bend?<|im_end|>\n<|im_start|>assistant\n"


def reply(model, count: int = 24) -> list[int]:
    return write(model, count)


@pytest.mark.model
def test_the_real_model_answers_the_same_after_its_memory_was_cut_back(real):
    model, _ = real
    model.rewind(0)
    question = model.vocabulary.tokenize(QUESTION, special=True)
    read(model, question)
    first = reply(model)
    text = b"".join(map(model.vocabulary.piece, first)).decode("utf-8", "replace")
    assert "river" in text.lower()
    assert model.rewind(len(question) - 1) == len(question) - 1
    read(model, question[-1:])
    assert reply(model) != []
    model.rewind(0)
    read(model, question)
    assert reply(model) == first


@pytest.mark.model
def test_a_stop_within_a_batch_takes_effect_at_once_and_the_memory_stays_good(real):
    model, flag = real
    model.rewind(0)
    tokens = model.vocabulary.tokenize("The river bends because its water is slower inside. " * 60, special=False)[:612]
    read(model, tokens[:100])
    delays = [stopped_after(model, flag, tokens[100:]) for _ in range(3)]
    assert min(delays) < 0.05
    assert 100 <= len(model.tokens) < 612
    assert list(model.tokens) == tokens[: len(model.tokens)]
    model.rewind(100)
    read(model, tokens[100:164])
    stopped = reply(model, 16)
    model.rewind(0)
    read(model, tokens[:100])
    read(model, tokens[100:164])
    assert reply(model, 16) == stopped


def stopped_after(model, flag: StopFlag, tokens: list[int]) -> float:
    """Seconds from raising the flag in the middle of a batch to the end of the call."""
    raised: list[float] = []

    def stop() -> None:
        raised.append(time.perf_counter())
        flag.set()

    model.rewind(100)
    timer = threading.Timer(0.2, stop)
    timer.start()
    count = model.evaluate(tokens)
    ended = time.perf_counter()
    timer.join()
    flag.clear()
    assert count < len(tokens)
    return ended - raised[0]


@pytest.mark.model
def test_a_real_load_can_be_stopped_half_way_and_done_again():
    flag = StopFlag()
    seen: list[float] = []

    def stop_half_way(fraction: float) -> None:
        seen.append(fraction)
        if fraction > 0.5:
            flag.set()

    with pytest.raises(LoadStopped):
        load_model(ModelConfig(real_model(), threads=1), flag, stop_half_way)
    assert 0.5 < seen[-1] < 1
    for _ in range(2):
        with loaded(real_model(), context_size=256) as model:
            read(model, [1, 2, 3])


@pytest.mark.model
def test_a_sliding_window_goes_back_to_a_mark_and_replies_as_before():
    path = sliding_window_model()
    if path is None:
        pytest.skip("Gemma 3 270M is not installed: sliding-window attention was NOT tested")
    with loaded(path, context_size=2048) as model:
        assert model.vocabulary.beginning == 2
        assert model.wants_marks
        tokens = [2, *model.vocabulary.tokenize("The river bends, and the water goes on. " * 200, special=False)][:1400]
        read(model, tokens[:600])
        model.mark()
        read(model, tokens[600:700])
        first = write(model, 16)
        assert model.rewind(700) == 700  # the window still holds what is needed there
        read(model, tokens[700:])  # further than the window of 512 looks back
        assert model.rewind(600) == 600
        read(model, tokens[600:700])
        assert write(model, 16) == first


@pytest.mark.model
@pytest.mark.parametrize("length", [400, 700, 1000])
def test_a_sliding_window_whose_conversation_was_left_goes_on_to_the_last_bit_as_one_that_stayed(length):
    path = sliding_window_model()
    if path is None:
        pytest.skip("Gemma 3 270M is not installed: sliding-window attention was NOT tested")
    with loaded(path, context_size=2048) as model:
        tokens = [2, *model.vocabulary.tokenize("The river bends, and the water goes on. " * 200, special=False)]
        read(model, tokens[: length - 20])
        write(model, 20)
        left = model.save()
        chosen_by = []
        for came_back in (False, True):
            if came_back:
                model.rewind(0)
                read(model, tokens[500:800])
                assert model.restore(left)
            assert model.rewind(length - 5) == length - 5
            read(model, tokens[:50])
            write(model, 8)
            model.keep_logits()
            chosen_by.append(model.save().logits)
        assert chosen_by[0] == chosen_by[1]
