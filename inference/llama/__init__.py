"""llama.cpp behind the Model protocol: the only importer of `llama_cpp`."""

from __future__ import annotations

import ctypes
import hashlib
import locale
import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from inference.configuration import KvType, ModelConfig
from inference.errors import DeviceNotFound, InvalidRequest, ModelError, ModelUnreadable, ModelUnsupported, OutOfMemory
from inference.events import ModelInfo
from inference.gguf_header import GgufFacts, Scalar
from inference.llama.buffers import Buffers, buffers_in
from inference.llama.devices import gpus_for, list_devices, pointers_to
from inference.llama.library import abort_callback, llama, version
from inference.llama.log import EngineLog, engine_log
from inference.llama.model import LlamaModel
from inference.llama.reader import LlamaReader
from inference.machine import Device, available_memory, default_threads
from inference.measurements import FileRecord, Measurements, file_key
from inference.memory import CPU, LoadPlan, best_threads, plans_to_try, run_of
from inference.model import LoadStopped, StopFlag
from inference.model_files import check_file
from inference.model_names import display_name
from inference.requests import DEFAULT_SAMPLING, WHOLE_NUMBERS, Sampling
from inference.sentences import Sentence
from inference.shortage import can_reserve
from inference.sizes import CONTEXT_STEP, MOST_OUTPUTS, FlashAttention

_PROGRESS_STEP = 0.01
_FLASH = {FlashAttention.AUTO: -1, FlashAttention.OFF: 0}
_KV_TYPES = {KvType.F16: llama.GGML_TYPE_F16, KvType.Q8_0: llama.GGML_TYPE_Q8_0}
_RESERVE = 96 << 20  # bytes that llama.cpp needs for more than the plan knows: graphs, threads
_HASHED = 1 << 18  # bytes at both ends of a file: the header with its names, and the last weights
_SAMPLING_KEYS = {
    "temperature": "general.sampling.temp",
    "top_k": "general.sampling.top_k",
    "top_p": "general.sampling.top_p",
    "min_p": "general.sampling.min_p",
    "xtc_probability": "general.sampling.xtc_probability",
    "xtc_threshold": "general.sampling.xtc_threshold",
    "repeat_penalty": "general.sampling.penalty_repeat",
    "repeat_last_n": "general.sampling.penalty_last_n",
    "mirostat": "general.sampling.mirostat",
    "mirostat_tau": "general.sampling.mirostat_tau",
    "mirostat_eta": "general.sampling.mirostat_eta",
}

__all__ = ["LlamaModel", "LlamaReader", "load_model", "load_reader"]


def load_model(
    config: ModelConfig,
    stop_flag: StopFlag,
    progress: Callable[[float], None],
    measurements: Measurements | None = None,
) -> LlamaModel:
    """Load the file that `config` names; `progress` is called with the fraction done. What earlier loads took is read
    from `measurements`, and what this one took is added to them.

    Raises:
        ModelError: the file is not there, is damaged, is no chat model, or does not fit into memory; or it was to run
            on a device that is not here.
        LoadStopped: the stop flag was raised meanwhile.
    """
    began = time.perf_counter()
    facts = check_file(config.path)
    log = _log()
    # Qt takes the person's locale, and llama.cpp then writes decimal commas into what it reads back.
    locale.setlocale(locale.LC_NUMERIC, "C")
    key = file_key(config.path)
    record = measurements.of(key) if measurements is not None else FileRecord()
    plans = plans_to_try(config, facts, _gpus(config, facts), record)
    loading = _first_that_fits(plans, partial(_attempt, config, facts, record, stop_flag, progress, log))
    if measurements is not None:
        measurements.add_run(key, run_of(loading.plan, loading.buffers.use))
    info = _info(config, facts, loading, time.perf_counter() - began)
    state_key = _state_key(facts, loading.plan)
    loaded = LlamaModel(loading.model, loading.context, info, facts.chat_template, state_key, stop_flag, log)
    if stop_flag.is_set():
        loaded.close()
        raise LoadStopped
    return loaded


def load_reader(path: Path) -> LlamaReader:
    """Load only what reads prompts: the vocabulary and the chat template of the file at `path`.

    Raises:
        ModelError: the file is not there, is damaged, or is no chat model.
    """
    facts = check_file(path)
    log = _log()
    log.forget()
    params = llama.llama_model_default_params()
    params.vocab_only = True
    model = llama.llama_model_load_from_file(_file_name(path), params)
    if not model:
        raise _refusal(facts, log)
    return LlamaReader(int(model), facts.chat_template)


def _log() -> EngineLog:
    log = engine_log()  # before anything that writes
    _begin()
    return log


@cache
def _begin() -> None:
    llama.llama_backend_init()


@dataclass(frozen=True, slots=True)
class _Loading:
    """What llama.cpp loaded, how, and what it took."""

    model: int
    context: int
    plan: LoadPlan
    threads: int
    buffers: Buffers


def _gpus(config: ModelConfig, facts: GgufFacts) -> tuple[Device, ...]:
    if config.device == CPU or (config.device is None and not llama.llama_supports_gpu_offload()):
        return ()
    devices = list_devices()
    try:
        return gpus_for(config.device, devices)
    except LookupError:
        raise DeviceNotFound(facts.path, config.device or "", tuple(each.name for each in devices)) from None


def _first_that_fits(plans: Iterable[LoadPlan], attempt: Callable[[LoadPlan], _Loading]) -> _Loading:
    failure = None
    for plan in plans:
        try:
            return attempt(plan)
        except OutOfMemory as error:
            failure = failure or error
    raise failure or RuntimeError("no way to load it was planned")


def _attempt(
    config: ModelConfig,
    facts: GgufFacts,
    record: FileRecord,
    stop_flag: StopFlag,
    progress: Callable[[float], None],
    log: EngineLog,
    plan: LoadPlan,
) -> _Loading:
    """Load it just as planned."""
    _check_memory(facts, plan)
    threads = config.threads or best_threads(record, plan, default_threads())
    log.forget()
    model = _model_of(facts, plan, stop_flag, progress, log)
    try:
        # Reading a prompt is bound by the cores, decoding by the memory: fewer threads may decode faster.
        _check_reserve(facts, plan)
        context = _context_of(model, facts, plan, (threads, config.threads or default_threads()), stop_flag, log)
    except ModelError:
        llama.llama_model_free(model)
        raise
    return _Loading(model, context, plan, threads, buffers_in(log.lines()))


def _check_memory(facts: GgufFacts, plan: LoadPlan) -> None:
    # The weights are mapped, not copied: the system can drop and read them again. What is written must really fit:
    # Linux promises more than there is, and ends the process later.
    if plan.in_memory > available_memory():
        raise OutOfMemory(facts.path, plan.context_size, plan.in_memory)


def _check_reserve(facts: GgufFacts, plan: LoadPlan) -> None:
    # Where the KV cache was to be had and its graphs are not, llama.cpp ends the process.
    if not can_reserve(plan.in_memory + _RESERVE):
        raise OutOfMemory(facts.path, plan.context_size, plan.in_memory)


def _model_of(
    facts: GgufFacts, plan: LoadPlan, stop_flag: StopFlag, progress: Callable[[float], None], log: EngineLog
) -> int:
    reporter = _Reporter(stop_flag, progress)
    callback = llama.llama_progress_callback(reporter.report)
    # An empty list keeps a GPU from being set up all the same, and given the largest products.
    devices = pointers_to(plan.devices)
    params = llama.llama_model_default_params()
    params.progress_callback = callback
    params.n_gpu_layers = plan.gpu_layers
    params.devices = ctypes.addressof(devices)
    model = llama.llama_model_load_from_file(_file_name(facts.path), params)
    if model and reporter.failure is None:
        return int(model)
    if model:
        llama.llama_model_free(model)
    if reporter.failure is not None:
        raise reporter.failure
    raise LoadStopped if stop_flag.is_set() else _refusal(facts, log)


class _Reporter:
    """Hands the progress of a load on, a hundred times at most, and ends the load when the stop flag is raised."""

    def __init__(self, stop_flag: StopFlag, progress: Callable[[float], None]) -> None:
        self._stop_flag = stop_flag
        self._progress = progress
        self._next = 0.0
        self.failure: BaseException | None = None

    def report(self, fraction: float, _data: int | None) -> bool:
        if fraction >= min(self._next, 1.0):
            self._next = fraction + _PROGRESS_STEP
            try:
                self._progress(fraction)
            except BaseException as failure:  # noqa: BLE001 - it must not pass through C; the load raises it again
                self.failure = failure
                return False
        return not self._stop_flag.is_set()


def _file_name(path: Path) -> bytes:
    return str(path).encode("utf-8", "surrogateescape")


def _refusal(facts: GgufFacts, log: EngineLog, context_size: int | None = None) -> ModelError:
    """What llama.cpp's error lines mean. The first says most; it begins with the name of a function."""
    errors = [line.partition(": ")[2] or line for line in log.errors()]
    if any("alloc" in line or "out of memory" in line for line in errors):
        return OutOfMemory(facts.path, context_size)
    if any("unknown model architecture" in line for line in errors):
        words = Sentence(
            "The installed llama.cpp does not know its architecture, {architecture}.", architecture=facts.architecture
        )
        return ModelUnsupported(facts.path, words)
    reason = (errors[0] if errors else "").removeprefix("error loading model: ").strip(" .")
    why = Sentence("llama.cpp says: {reason}.", reason=reason) if reason else Sentence("llama.cpp does not say why.")
    return ModelUnreadable(facts.path, Sentence("{why} Download it again, or choose another model.", why=why))


def _context_of(
    model: int, facts: GgufFacts, plan: LoadPlan, threads: tuple[int, int], stop_flag: StopFlag, log: EngineLog
) -> int:
    if llama.llama_model_has_encoder(model):
        raise ModelUnsupported(facts.path, Sentence("It has an encoder of its own, which this engine does not run."))
    context = llama.llama_init_from_model(model, _context_params(plan, threads, stop_flag))
    if not context:
        raise _refusal(facts, log, plan.context_size)
    if not llama.llama_get_memory(context):
        llama.llama_free(context)
        raise ModelUnsupported(facts.path, Sentence("It does not write one token after another."))
    _warm_up(context)
    return int(context)


def _context_params(plan: LoadPlan, threads: tuple[int, int], stop_flag: StopFlag) -> Any:  # noqa: ANN401 - a ctypes structure
    params = llama.llama_context_default_params()
    params.n_ctx = -(-plan.context_size // CONTEXT_STEP) * CONTEXT_STEP
    params.n_batch, params.n_ubatch = plan.batch_size, plan.micro_batch_size
    # A few tokens of a batch are sampled from at the most: room for more outputs is half a gigabyte on a large
    # vocabulary.
    params.n_outputs_max = min(MOST_OUTPUTS, params.n_batch)
    # A sliding window's cache holds only the window; marks bring back what it has dropped.
    params.swa_full = False
    params.no_perf = False  # its own counters, to check ours against; they cost two looks at a clock
    params.n_threads, params.n_threads_batch = threads
    params.type_k = params.type_v = _KV_TYPES[plan.kv_type]
    params.flash_attn_type = _FLASH[plan.flash_attention]
    if not plan.gpu_layers:
        params.offload_kqv = params.op_offload = False
    params.abort_callback = abort_callback()
    params.abort_callback_data = stop_flag.address
    return params


def _warm_up(context: int) -> None:
    """Evaluate one token and forget it: the first one takes longer, and that belongs to loading."""
    llama.llama_decode(context, llama.llama_batch_get_one((llama.llama_token * 1)(0), 1))
    llama.llama_synchronize(context)
    llama.llama_memory_clear(llama.llama_get_memory(context), True)


def _state_key(facts: GgufFacts, plan: LoadPlan) -> str:
    """Everything that makes a KV state fit: the very file, the context's shape, the devices, the library's build."""
    head = hashlib.blake2b(digest_size=16)
    try:
        for part in facts.parts:
            head.update(f"{part.path.stat().st_mtime_ns}".encode())
            with part.path.open("rb") as file:
                head.update(file.read(_HASHED))
                file.seek(-min(_HASHED, part.size), os.SEEK_END)
                head.update(file.read())
    except OSError:
        # Deleted meanwhile: it answers from memory, and its states fit nothing that is loaded later.
        head.update(secrets.token_bytes(16))
    build = f"{version} {llama.llama_print_system_info().decode()}"
    stamp = f"{facts.file_size} {head.hexdigest()}"
    batches = f"{plan.batch_size} {plan.micro_batch_size}"
    return f"{stamp} {plan.context_size} {batches} {plan.device} {plan.kv_type} {plan.flash_attention} {build}"


def _info(config: ModelConfig, facts: GgufFacts, loading: _Loading, seconds: float) -> ModelInfo:
    plan = loading.plan
    return ModelInfo(
        config=config,
        name=display_name(config.path),
        architecture=facts.architecture,
        quantisation=facts.quantisation,
        parameters=facts.parameters,
        file_size=facts.file_size,
        training_context=facts.training_context,
        context_size=plan.context_size,
        batch_size=plan.batch_size,
        threads=loading.threads,
        device=plan.device_with(loading.buffers.on([device.name for device in plan.devices])),
        template_name=Sentence("the model's own") if facts.chat_template is not None else "",
        has_own_template=facts.chat_template is not None,
        default_sampling=_sampling_of(facts.metadata).over(DEFAULT_SAMPLING),
        load_seconds=seconds,
        kv_type=plan.kv_type,
        memory=loading.buffers.use,
        layers=plan.layers,
        gpu_layers=plan.gpu_layers,
        device_note=plan.note,
    )


def _sampling_of(metadata: Mapping[str, Scalar]) -> Sampling:
    """What the file recommends; a value that makes no sense is left out."""
    sampling = Sampling()
    for name, key in _SAMPLING_KEYS.items():
        value = metadata.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # The file holds single precision: 0.2 comes out of it as 0.20000000298.
            with suppress(InvalidRequest, OverflowError, ValueError):
                sampling = _with(sampling, name, float(f"{value:.6g}"))
    return sampling


def _with(sampling: Sampling, name: str, value: float) -> Sampling:
    values: dict[str, Any] = {name: int(value) if name in WHOLE_NUMBERS else value}
    return replace(sampling, **values)
