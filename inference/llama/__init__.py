"""llama.cpp behind the Model protocol: the only importer of `llama_cpp`."""

from __future__ import annotations

import hashlib
import locale
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import llama_cpp

from inference.errors import InvalidRequest, ModelUnreadable, OutOfMemory
from inference.events import ModelInfo
from inference.llama.library import abort_callback, device_text, llama
from inference.llama.log import EngineLog
from inference.llama.model import LlamaModel
from inference.llama.reader import LlamaReader
from inference.machine import available_memory, default_threads
from inference.model import LoadStopped, StopFlag
from inference.model_files import GgufFacts, Scalar, check_file, display_name
from inference.requests import DEFAULT_SAMPLING, ModelConfig, Sampling

_DEFAULT_CONTEXT = 4096
_CONTEXT_STEP = 256  # llama.cpp rounds up to it
_BATCH = 512
_HASHED = 1 << 18  # bytes at both ends of a file: the header with its names, and the last weights
_SAMPLING_KEYS = {
    "temperature": "general.sampling.temp",
    "top_k": "general.sampling.top_k",
    "top_p": "general.sampling.top_p",
    "min_p": "general.sampling.min_p",
    "repeat_penalty": "general.sampling.penalty_repeat",
}

__all__ = ["LlamaModel", "LlamaReader", "load_model", "load_reader"]


def load_model(config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> LlamaModel:
    """Load the file that `config` names; `progress` is called with the fraction done.

    Raises:
        ModelError: the file is not there, is damaged, is no chat model, or does not fit into memory.
        LoadStopped: the stop flag was raised meanwhile.
    """
    began = time.perf_counter()
    facts = check_file(config.path)
    log = _log()
    # Qt takes the person's locale, and llama.cpp then writes decimal commas into what it reads back.
    locale.setlocale(locale.LC_NUMERIC, "C")
    context_size = _context_size(config, facts)
    _check_memory(facts, context_size)
    log.forget()
    model = _model_of(config, stop_flag, progress, log)
    context = _context_of(model, config, context_size, stop_flag)
    if not context:
        llama.llama_model_free(model)
        raise OutOfMemory(config.path, context_size)
    info = _info(config, facts, context_size, time.perf_counter() - began, model)
    return LlamaModel(model, context, info, facts.chat_template, _state_key(facts, info), stop_flag, log)


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
    model = llama.llama_model_load_from_file(str(path).encode(), params)
    if not model:
        raise _refusal(path, log)
    return LlamaReader(int(model), facts.chat_template)


@cache
def _log() -> EngineLog:
    log = EngineLog()
    llama.llama_backend_init()
    return log


def _model_of(config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None], log: EngineLog) -> int:
    params = llama.llama_model_default_params()
    params.n_gpu_layers = -1 if config.gpu_layers is None else config.gpu_layers
    caught: list[BaseException] = []

    def on_progress(fraction: float, _data: int | None) -> bool:
        try:
            progress(fraction)
        except BaseException as error:  # noqa: BLE001 - it must not pass through C; it is raised again below
            caught.append(error)
            return False
        return not stop_flag.is_set()

    callback = llama.llama_progress_callback(on_progress)
    params.progress_callback = callback
    model = llama.llama_model_load_from_file(str(config.path).encode(), params)
    if caught:
        if model:
            llama.llama_model_free(model)
        raise caught[0]
    if stop_flag.is_set():
        if model:
            llama.llama_model_free(model)
        raise LoadStopped
    if not model:
        raise _refusal(config.path, log)
    return int(model)


def _refusal(path: Path, log: EngineLog) -> ModelUnreadable:
    errors = [line.partition(": ")[2] or line for line in log.errors()]
    reason = errors[0] if errors else "llama.cpp does not say why"
    return ModelUnreadable(path, reason.rstrip(".") + ".")


def _context_of(model: int, config: ModelConfig, context_size: int, stop_flag: StopFlag) -> int:
    params = llama.llama_context_default_params()
    params.n_ctx = -(-context_size // _CONTEXT_STEP) * _CONTEXT_STEP
    params.n_batch = params.n_ubatch = min(_BATCH, context_size)
    # Only the last token of a batch is sampled from: room for more outputs is half a gigabyte on a large vocabulary.
    params.n_outputs_max = 1
    # A sliding window's cache holds only the window; marks bring back what it has dropped.
    params.swa_full = False
    params.n_threads = params.n_threads_batch = config.threads or default_threads()
    params.abort_callback = abort_callback()
    params.abort_callback_data = stop_flag.address
    context = llama.llama_init_from_model(model, params)
    return int(context) if context else 0


def _state_key(facts: GgufFacts, info: ModelInfo) -> str:
    """Everything that makes a KV state fit: the very file, the context's shape, the devices, the library's build."""
    with facts.path.open("rb") as file:
        head = hashlib.blake2b(file.read(_HASHED), digest_size=16)
        file.seek(-min(_HASHED, facts.file_size), os.SEEK_END)
        head.update(file.read())
    build = f"{llama_cpp.__version__} {llama.llama_print_system_info().decode()}"
    stamp = f"{facts.file_size} {facts.path.stat().st_mtime_ns} {head.hexdigest()}"
    return f"{stamp} {info.context_size} {info.batch_size} {info.device} {build}"


def _context_size(config: ModelConfig, facts: GgufFacts) -> int:
    trained = facts.training_context or _DEFAULT_CONTEXT
    return min(trained, config.context_size or _DEFAULT_CONTEXT)


def _check_memory(facts: GgufFacts, context_size: int) -> None:
    # The weights are mapped, not copied: the system can drop and read them again. The KV cache must really fit.
    needed = kv_bytes(facts, context_size)
    if needed > available_memory():
        raise OutOfMemory(facts.path, context_size, needed)


def kv_bytes(facts: GgufFacts, context_size: int) -> int:
    """What the KV cache of `context_size` tokens takes in f16; 0 where the file does not say its shape."""
    heads = facts.number("attention.head_count")
    if not heads:
        return 0
    kv_heads = facts.number("attention.head_count_kv") or heads
    width = facts.number("embedding_length") // heads
    keys = facts.number("attention.key_length") or width
    values = facts.number("attention.value_length") or width
    return facts.number("block_count") * context_size * kv_heads * (keys + values) * 2


def _info(config: ModelConfig, facts: GgufFacts, context_size: int, seconds: float, model: int) -> ModelInfo:
    return ModelInfo(
        config=config,
        name=display_name(config.path),
        architecture=facts.architecture,
        quantisation=facts.quantisation,
        parameters=int(llama.llama_model_n_params(model)),
        file_size=facts.file_size,
        training_context=facts.training_context,
        context_size=context_size,
        batch_size=min(_BATCH, context_size),
        threads=config.threads or default_threads(),
        device=device_text(config.gpu_layers, facts.number("block_count")),
        template_name="the model's own" if facts.chat_template is not None else "",
        has_own_template=facts.chat_template is not None,
        default_sampling=_sampling_of(facts.metadata).over(DEFAULT_SAMPLING),
        load_seconds=seconds,
    )


def _sampling_of(metadata: Mapping[str, Scalar]) -> Sampling:
    """What the file recommends; a value that makes no sense is left out."""
    sampling = Sampling()
    for name, key in _SAMPLING_KEYS.items():
        value = metadata.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            with suppress(InvalidRequest):
                sampling = _with(sampling, name, value)
    return sampling


def _with(sampling: Sampling, name: str, value: float) -> Sampling:
    match name:
        case "top_k":
            return replace(sampling, top_k=int(value))
        case "temperature":
            return replace(sampling, temperature=value)
        case "top_p":
            return replace(sampling, top_p=value)
        case "min_p":
            return replace(sampling, min_p=value)
        case _:
            return replace(sampling, repeat_penalty=value)
