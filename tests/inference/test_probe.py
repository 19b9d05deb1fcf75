import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from inference.configuration import KvType, ModelConfig
from inference.errors import ModelCrashed
from inference.gguf_header import read_facts
from inference.model import LoadStopped, StopFlag
from inference.probe import PROBE_OPTION, probe_command, try_in_child
from tests.gguf_files import real_model, write_tiny_model

PATIENCE = 30.0


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def ignore(_fraction: float) -> None:
    pass


def probe(path: Path, program: str | None = None, **wishes) -> None:
    """Try the file, in the real child or in one that runs `program`."""
    config = ModelConfig(path, threads=1, **wishes)
    command = None if program is None else (sys.executable, "-c", program)
    try_in_child(config, read_facts(path), StopFlag(), ignore, command, PATIENCE)


def crash_of(path: Path, program: str, **wishes) -> ModelCrashed:
    with pytest.raises(ModelCrashed) as raised:
        probe(path, program, **wishes)
    return raised.value


# The real child.


def test_a_sound_file_is_loaded_and_decodes_a_token(tiny):
    fractions: list[float] = []
    config = ModelConfig(tiny, context_size=256, threads=1, gpu_layers=0, device="CPU", kv_type=KvType.Q8_0)
    try_in_child(config, read_facts(tiny), StopFlag(), fractions.append)
    assert fractions == sorted(fractions)
    assert all(0 <= fraction < 1 for fraction in fractions)


def run_child(*command: str) -> tuple[int, str]:
    """The status and the words of a child whose parent lives until it has ended."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        return child.wait(PATIENCE), said


def test_the_child_says_how_it_went(tiny, tmp_path):
    status, said = run_child(*probe_command(), str(tiny))
    assert status == 0
    assert "@headwater loading 1.000" in said
    assert "CPU compute buffer size" in said
    status, said = run_child(*probe_command(), str(write_tiny_model(tmp_path / "x.gguf", architecture="unheard-of")))
    assert status == 20
    assert "does not know its architecture" in said


def test_a_file_that_is_refused_kills_nobody_and_is_left_to_the_load_to_complain_of(tmp_path):
    probe(write_tiny_model(tmp_path / "x.gguf", metadata={"llama.feed_forward_length": 65}))


@pytest.mark.parametrize("words", [["--probe-model"], ["--probe-model", "--kv-type=q8_0", "--"]])
def test_the_program_itself_is_such_a_child_and_loads_no_window(tiny, words):
    status, said = run_child(sys.executable, "-X", "importtime", "-m", "desktop", *words, str(tiny))
    assert status == 0
    assert "@headwater loading 1.000" in said
    assert "inference.llama" in said
    assert "PySide6" not in said


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="it does not count what children compute")
def test_trying_the_real_model_computes_no_more_than_a_few_seconds():
    began = seconds_of_children()
    probe(real_model())
    assert 0 < seconds_of_children() - began < 5


def seconds_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


# Children that come to harm.


@pytest.mark.skipif(sys.platform == "win32", reason="signals end no process here")
@pytest.mark.parametrize(
    ("signal_name", "words", "smaller"),
    [
        ("SIGABRT", "it gave up (SIGABRT)", None),
        ("SIGSEGV", "it crashed (SIGSEGV)", 512),
        ("SIGILL", "it used an instruction this processor does not have (SIGILL)", None),
        ("SIGKILL", "the system ended it (SIGKILL), as it does when memory runs out", 512),
    ],
)
def test_a_child_that_dies_is_reported_with_its_last_words(tiny, signal_name, words, smaller):
    program = f"""
import os, signal, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for number in range(100):
    print("line", number)
print("\\n@headwater gpus 0\\n/home/builder/llama.cpp/src/model.cpp:1328: GGML_ASSERT(n_layer) failed", flush=True)
os.kill(os.getpid(), signal.{signal_name})
"""
    error = crash_of(tiny, program, context_size=1024)
    assert error.path == tiny
    assert error.outcome == words
    assert error.lines[-2:] == ("line 99", "model.cpp:1328: GGML_ASSERT(n_layer) failed")
    assert len(error.lines) == 20
    assert (error.smaller_context, error.was_on_gpu) == (smaller, False)
    assert str(error) == (
        f"llama.cpp cannot run tiny.gguf: tried in a process of its own, {words}. Its last line: "
        f"model.cpp:1328: GGML_ASSERT(n_layer) failed. {'Try a window of 512' if smaller else 'Choose another model'}"
        f"{' tokens' if smaller else ''}."
    )


@pytest.mark.parametrize(
    ("line", "smaller"),
    [
        ("ggml_aligned_malloc: insufficient memory (attempted to allocate 96.00 MB)", 512),
        ("ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 1024", 512),
        ("alloc_tensor_range: failed to allocate CPU buffer of size 1024", 512),
        ("terminate called after throwing an instance of 'std::bad_alloc'", 512),
        ("CUDA error: out of memory", 512),
        ("mmap failed: Cannot allocate memory", 512),
        ("llama-model.cpp:1328: GGML_ASSERT(n_layer) failed", None),
        ("llama_kv_cache: size = 22.50 MiB", None),
        ("sched_reserve: CPU compute buffer size = 97.50 MiB", None),
    ],
)
def test_a_smaller_window_is_named_where_the_last_words_speak_of_memory(tiny, line, smaller):
    program = f"print({line!r}); print('@headwater gpus 0', flush=True); import os; os.abort()"
    assert crash_of(tiny, program, context_size=1024).smaller_context == smaller


def test_what_was_said_long_before_the_end_is_not_why_it_ended(tiny):
    line = "failed to allocate buffer of size 1024"
    program = f"print({line!r}, *'abcdef', sep=chr(10)); print('@headwater gpus 0', flush=True); import os; os.abort()"
    assert crash_of(tiny, program, context_size=1024).smaller_context is None


def test_a_child_that_died_on_a_gpu_leads_to_the_cpu(tiny):
    error = crash_of(tiny, "print('@headwater gpus 1', flush=True); import os; os.abort()", context_size=256)
    assert (error.smaller_context, error.was_on_gpu) == (None, True)
    assert str(error).endswith("Try the CPU.")


def test_a_child_that_died_before_it_came_to_the_model_leads_nowhere(tiny):
    error = crash_of(tiny, "import os; os.abort()")
    assert (error.smaller_context, error.was_on_gpu, error.lines) == (None, False, ())


def test_a_child_that_never_answers_is_ended(tiny):
    began = time.monotonic()
    program = "import threading; print('thinking', flush=True); threading.Event().wait()"
    config = ModelConfig(tiny)
    with pytest.raises(ModelCrashed, match=r"did not answer within 5 seconds\. Its last line: thinking\. Choose"):
        try_in_child(config, read_facts(tiny), StopFlag(), ignore, (sys.executable, "-IS", "-c", program), 5.0)
    assert time.monotonic() - began < 500
    no_children_are_left()


def test_a_flood_of_words_is_read_within_bounds(tiny):
    program = """
import sys
for _ in range(200):
    sys.stdout.write("x" * 100_000)
sys.stdout.flush()
import os
os.abort()
"""
    error = crash_of(tiny, program)
    assert error.outcome == "it gave up (SIGABRT)"
    assert 0 < sum(map(len, error.lines)) <= 20 * 500


@pytest.mark.parametrize(
    "program", ["import sys; sys.exit(1)", "raise RuntimeError", "import os; os.kill(os.getpid(), 2)"]
)
def test_what_is_no_crash_of_llama_cpp_does_not_keep_a_file_from_being_loaded(tiny, program):
    probe(tiny, program)


def test_a_child_that_talks_nonsense_of_itself_is_heard_out(tiny):
    probe(tiny, "print('@headwater loading much\\n@headwater gpus\\n@headwater\\n@headwater loading 7', flush=True)")


# Stopping.


@pytest.mark.parametrize("at_once", [True, False])
def test_a_trial_is_stopped_within_fifty_milliseconds(tiny, at_once):
    took = min(
        seconds_to_stop(tiny, at_once=at_once) for _ in range(5)
    )  # on a busy machine not every one is that quick
    assert took < 0.05 + (0.05 if at_once else 0)  # a start takes a few milliseconds


def seconds_to_stop(tiny: Path, *, at_once: bool) -> float:
    flag = StopFlag()
    stopped: list[float] = []

    def stop() -> None:
        stopped.append(time.perf_counter())
        flag.set()

    def progress(fraction: float) -> None:
        if fraction > 0 and not stopped:
            stop()

    program = "import threading; print('@headwater loading 0.5', flush=True); threading.Event().wait()"
    if at_once:
        stop()
    with pytest.raises(LoadStopped):
        try_in_child(ModelConfig(tiny), read_facts(tiny), flag, progress, (sys.executable, "-c", program), PATIENCE)
    took = time.perf_counter() - stopped[0]
    no_children_are_left()
    return took


def no_children_are_left() -> None:
    deadline = time.monotonic() + 60
    while any(thread.name == "probe" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    assert psutil.Process().children() == []


def test_a_child_ends_with_its_parent():
    program = """
import subprocess, sys
from inference.probe import probe_command
child = (
    "import inference.probe as p, threading\\n"
    "threading.Thread(target=p._end_with_parent).start()\\n"
    "print(1, flush=True)"
)
process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
process.stdout.readline()
print(process.pid, flush=True)
import os, signal
os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
"""
    parent = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    child = int(parent.stdout)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(child).wait(PATIENCE)


# How it is started.


def test_python_starts_itself_and_a_frozen_program_its_own_file(monkeypatch):
    assert probe_command() == (sys.executable, "-m", "inference.probe")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert probe_command() == (sys.executable, PROBE_OPTION)
    monkeypatch.setattr(sys, "executable", "")
    assert probe_command() == ()


def test_a_program_that_cannot_start_children_tries_nothing(tiny):
    try_in_child(ModelConfig(tiny), read_facts(tiny), StopFlag(), ignore, ())


def test_a_file_with_a_strange_name_is_tried_too(tmp_path):
    probe(write_tiny_model(tmp_path / "--kv-type=q8_0 ü ' .gguf"))


def test_the_child_is_found_wherever_the_program_was_started(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fractions: list[float] = []
    try_in_child(ModelConfig(tiny), read_facts(tiny), StopFlag(), fractions.append)
    assert max(fractions) > 0
