"""The engine against bare llama.cpp: decode, prefill, the wait before the first token, reuse, Python per token."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from inference.engine import LocalEngine
from inference.events import Event, GenerationFailed, GenerationFinished, ModelInfo, TextDelta
from inference.generation import Arrival, Generation
from inference.llama import load_model
from inference.messages import Message, Role
from inference.model import Model, Snapshot, StopFlag, Vocabulary
from inference.model_files import embedded_model
from inference.prefix_cache import PrefixCache
from inference.prompt import PromptBuilder
from inference.requests import GenerationRequest, ModelConfig, Sampling
from tests.bench.bare import BareLlama
from tests.bench.figures import Figure, at_least, at_most, median_figure

BLOCK = 32
BLOCKS = 24
GREEDY = Sampling(temperature=0.0, repeat_penalty=1.0)
STORY = "Write a long story about a river that bends, and about the people who live beside it."


def embedded() -> ModelConfig:
    path = embedded_model()
    if path is None:
        raise SystemExit("The benchmarks need the embedded model: run them by `make bench`.")
    return ModelConfig(path)


class AskedEngine:
    """A local engine one can wait for; every event is kept as the window would keep it, in a list."""

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        self.events: list[Event] = []
        self._ended = threading.Event()
        self._engine = LocalEngine(self._keep)

    def _keep(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, GenerationFinished | GenerationFailed):
            self._ended.set()

    def ask(self, *said: Message | str, sampling: Sampling = GREEDY, max_tokens: int = BLOCK + 1) -> GenerationFinished:
        messages = tuple(Message(Role.USER, text) if isinstance(text, str) else text for text in said)
        self._ended.clear()
        self._engine.generate(GenerationRequest(self.config, messages, sampling, max_tokens))
        self._ended.wait()
        last = self.events[-1]
        if isinstance(last, GenerationFailed):
            raise last.error
        assert isinstance(last, GenerationFinished)
        return last

    def close(self) -> None:
        self._engine.close()


def decode() -> list[Figure]:
    """Blocks of 32 tokens after the same prompt, the engine's and the bare loop's in turn."""
    config = embedded()
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
            rate = engine.ask(STORY, sampling=sampling).timings.decode_rate
            if rate is not None:
                samples[name].append(rate / bare_rate)
    bare.close()
    engine.close()
    how = f"engine decode rate / bare llama_decode + greedy loop, {info.threads} thread(s), blocks of {BLOCK}"
    return [
        median_figure("decode_ratio", samples["greedy"], "ratio", how, at_least(0.96)),
        median_figure(
            "decode_ratio_default_sampling", samples["default"], "ratio", f"{how}; the engine's default chain"
        ),
        median_figure("bare_decode_rate", rates, "tok/s", "the bare loop itself"),
    ]


def prefill() -> list[Figure]:
    """A prompt of about 1,000 tokens read by the engine and by bare 512-token batches in turn."""
    config = embedded()
    engine = AskedEngine(config)
    text = "The river bends because water on the outside of a curve runs faster than on the inside. " * 50
    tokens, info = _prompt_of(config, text)
    bare = BareLlama(config.path, context_size=info.context_size, threads=info.threads)
    ratios = []
    engine.ask(text, max_tokens=1)
    bare.prefill(tokens)
    for _ in range(6):
        bare_rate = len(tokens) / bare.prefill(tokens)
        engine.ask("x", max_tokens=1)
        timings = engine.ask(text, max_tokens=1).timings
        if timings.prefill_rate is not None:
            ratios.append(timings.prefill_rate / bare_rate)
    bare.close()
    engine.close()
    how = f"prefill rate of {len(tokens)} tokens / bare llama_decode in batches of 512"
    return [median_figure("prefill_ratio", ratios, "ratio", how)]


def overhead() -> list[Figure]:
    """What comes before the first token besides prefill, in the turns of one chat; and what each turn reads."""
    engine = AskedEngine(embedded())
    engine.ask("Hello", max_tokens=2)
    waits, read = [], []
    said: list[Message] = []
    held = 0
    for turn in range(20):
        said.append(Message(Role.USER, f"Tell me fact number {turn + 1} about rivers."))
        finished = engine.ask(*said, sampling=Sampling(temperature=0.8, seed=turn), max_tokens=24)
        if finished.timings.overhead is not None:
            waits.append(finished.timings.overhead * 1000)
        if turn:
            read.append(finished.timings.prefill_tokens / (finished.usage.input_tokens - held))
        # The token sampled last was never evaluated: it is new to the next turn.
        held = finished.usage.input_tokens + finished.usage.output_tokens - 1
        said.append(Message(Role.ASSISTANT, finished.text, finished.trace.kept_ids))
    engine.close()
    return [
        median_figure(
            "overhead", waits, "ms", "(t2 - t0 - load) + (t4 - t3), median of 20 turns of one chat", at_most(20)
        ),
        replace(
            median_figure("overhead_max", waits, "ms", "the slowest of those 20 turns", at_most(20)), value=max(waits)
        ),
        replace(
            median_figure("reread", read, "ratio", "worst of 19 turns: tokens prefilled / tokens new", at_most(1.1)),
            value=max(read),
        ),
    ]


def flatness() -> list[Figure]:
    """Python's own time per token, late in a reply against early: the model's part is played back."""
    config = embedded()
    stop_flag = StopFlag()
    model = load_model(config, stop_flag, lambda _: None)
    text = (STORY + " It ran from the hills 👍 to the sea, 12 miles.\n") * 120
    recorded = model.vocabulary.tokenize(text, special=False)[:2100]
    early, late = [], []
    for _ in range(20):
        costs = _python_per_token(PlayedBack(model, recorded), stop_flag)
        early.append(_median_near(costs, 100))
        late.append(_median_near(costs, 2000))
    model.close()
    ratios = [b / a for a, b in zip(early, late, strict=True)]
    how = "thread time per token of generation, text and hand-over, llama.cpp's evaluation played back"
    return [
        median_figure("python_per_token_ratio", ratios, "ratio", f"{how}: at token 2,000 / at token 100", at_most(1.2)),
        median_figure("python_per_token", [1e6 * cost for cost in late], "us", f"{how}, at token 2,000"),
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

    def mark(self) -> None:
        pass

    def keep_logits(self) -> None:
        pass

    def save(self) -> Snapshot:
        return Snapshot((), b"")

    def restore(self, snapshot: Snapshot) -> bool:
        return False

    def sampler(self, sampling: Sampling) -> PlayedBack:
        return self

    def sample(self) -> int:
        return next(self._recorded)

    def close(self) -> None:
        pass


def _python_per_token(model: PlayedBack, stop_flag: StopFlag) -> list[float]:
    """Thread seconds between one text delta and the next, in order."""
    request = GenerationRequest(model.info.config, (Message(Role.USER, "Go"),), max_tokens=2090)
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
    """llama-cpp-python's own streamed chat completion beside the engine: the same 400-token greedy reply."""
    import llama_cpp

    config = embedded()
    engine = AskedEngine(config)
    _, info = _prompt_of(config, STORY)
    other = llama_cpp.Llama(
        str(config.path), n_ctx=info.context_size, n_threads=info.threads, n_threads_batch=info.threads, verbose=False
    )
    length = 400
    engine.ask(STORY, max_tokens=2)
    ratios, ours, theirs = [], [], []
    for _ in range(3):
        other.reset()
        began = time.perf_counter()
        for _chunk in other.create_chat_completion(
            [{"role": "user", "content": STORY}], max_tokens=length, temperature=0.0, repeat_penalty=1.0, stream=True
        ):
            pass
        theirs.append(time.perf_counter() - began)
        engine.ask("x", max_tokens=1)
        began = time.perf_counter()
        engine.ask(STORY, max_tokens=length)
        ours.append(time.perf_counter() - began)
        ratios.append(ours[-1] / theirs[-1])
    other.close()
    engine.close()
    return [
        median_figure("beside_ratio", ratios, "ratio", f"time of a {length}-token reply / create_chat_completion's"),
        median_figure("beside_ours", ours, "s", "the engine's time for it"),
        median_figure(
            "beside_create_chat_completion", theirs, "s", "create_chat_completion(stream=True)'s time for it"
        ),
    ]


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
    "flatness": flatness,
    "beside": beside,
}
