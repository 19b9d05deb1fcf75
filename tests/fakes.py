"""ScriptedModel: says what it is told to, a piece at a time, and takes the time it is told to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inference.configuration import ModelConfig
from inference.errors import GenerationBroke, ModelError
from inference.events import ModelInfo
from inference.model import LoadStopped, Mark, Model, Snapshot, StopFlag
from inference.requests import DEFAULT_SAMPLING, Sampling

BEGINNING = 256
END = 257
_CONTROLS = {"<bos>": BEGINNING, "<end>": END, "<|im_start|>": 258, "<|im_end|>": 259}
_FIRST_PIECE = 300

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class ManualClock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class ScriptedVocabulary:
    """Every byte is a token; scripts add tokens of their own for longer pieces."""

    def __init__(self, controls: dict[str, int] | None = None, beginning: int | None = BEGINNING) -> None:
        self.controls = _CONTROLS if controls is None else controls
        self._pieces: list[bytes] = []
        self._beginning = beginning

    @property
    def size(self) -> int:
        return _FIRST_PIECE + len(self._pieces)

    @property
    def beginning(self) -> int | None:
        return self._beginning

    def add(self, piece: bytes) -> int:
        self._pieces.append(piece)
        return _FIRST_PIECE + len(self._pieces) - 1

    def token_of(self, piece: str | bytes | int) -> int:
        if isinstance(piece, int):
            return piece
        return self.add(piece.encode() if isinstance(piece, str) else piece)

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        if special:
            for control, token in self.controls.items():
                if control in text:
                    before, after = text.split(control, 1)
                    return [*self.tokenize(before, special=True), token, *self.tokenize(after, special=True)]
        return list(text.encode())

    def piece(self, token: int) -> bytes:
        if token >= _FIRST_PIECE:
            return self._pieces[token - _FIRST_PIECE]
        return bytes([token]) if token < 256 else b""

    def is_end(self, token: int) -> bool:
        return token in (END, self.controls.get("<|im_end|>"))

    def control_texts(self) -> frozenset[str]:
        return frozenset(self.controls)


@dataclass(slots=True)
class Script:
    """What a scripted model does: the pieces of each reply in turn (the last one again and again), each ended by the
    end token unless `endless`; and what each evaluation costs or breaks. A piece given as a number is that token."""

    replies: Sequence[Sequence[str | bytes | int]] = (("Hello", " there", "."),)
    endless: bool = False
    context_size: int = 4096
    batch_size: int = 512
    template: str | None = TEMPLATE
    rewindable: bool = True
    longest_draft: int = 15
    controls: dict[str, int] | None = None
    beginning: int | None = BEGINNING
    before_load: Callable[[], object] | None = None
    load_steps: int = 4
    load_error: ModelError | None = None
    before_evaluate: Callable[[Sequence[int]], None] | None = None
    during_evaluate: Callable[[int], None] | None = None  # after each token read
    clock: ManualClock | None = None
    seconds_per_prompt_token: float = 0.0
    seconds_per_token: float = 0.0
    threads: int = 1
    seconds_with: Callable[[int], float] | None = (
        None  # what a token by itself takes, by the threads it is decoded with
    )
    fails_at: int | None = None  # the evaluation (counted from 0) that breaks
    log: list[str] = field(default_factory=list)


class ScriptedModel:
    """A Model that follows a `Script`. It keeps its tokens as the protocol says and checks that it is used well."""

    def __init__(self, script: Script, config: ModelConfig, stop_flag: StopFlag) -> None:
        self._script = script
        self._stop_flag = stop_flag
        self._vocabulary = ScriptedVocabulary(script.controls, script.beginning)
        self._held: list[int] = []
        self._evaluations = 0
        self._replies = 0
        self._logits_ready = False
        self._draft_size = 0
        self._marks: list[int] = []
        self.logits_at = -1
        self.closed = False
        self.threads = (config.threads or script.threads, config.threads or script.threads)
        self.step_times: list[float] = []
        self.read: list[tuple[int, ...]] = []  # every batch that was evaluated, whole or in part
        self.samplers: list[ScriptedSampler] = []
        self.info = ModelInfo(
            config=config,
            name=config.path.stem,
            architecture="scripted",
            quantisation="F32",
            parameters=1,
            file_size=1,
            training_context=script.context_size,
            context_size=min(script.context_size, config.context_size or script.context_size),
            batch_size=script.batch_size,
            threads=config.threads or script.threads,
            device="CPU",
            template_name="the model's own",
            has_own_template=script.template is not None,
            default_sampling=DEFAULT_SAMPLING,
            load_seconds=0.0,
        )

    @property
    def vocabulary(self) -> ScriptedVocabulary:
        return self._vocabulary

    def use(self, vocabulary: ScriptedVocabulary) -> None:
        """Take another vocabulary from here on."""
        self._vocabulary = vocabulary

    @property
    def chat_template(self) -> str | None:
        return self._script.template

    @property
    def template_tokens(self) -> dict[str, str]:
        return {"bos_token": "<bos>", "eos_token": "<end>"}

    @property
    def tokens(self) -> Sequence[int]:
        return self._held

    def evaluate(self, tokens: Sequence[int]) -> int:
        assert not self.closed
        assert 0 < len(tokens) <= self.info.batch_size
        script = self._script
        if script.before_evaluate is not None:
            script.before_evaluate(tokens)
        if script.fails_at == self._evaluations:
            raise GenerationBroke("it was told to")
        self._evaluations += 1
        if len(self._held) + len(tokens) > self.info.context_size:
            raise GenerationBroke("no room")
        return self._read(tokens)

    def _read(self, tokens: Sequence[int]) -> int:
        script = self._script
        seconds = script.seconds_per_token if len(tokens) == 1 else script.seconds_per_prompt_token
        self._logits_ready, self._draft_size = False, 0
        self.read.append(tuple(tokens))
        for count, token in enumerate(tokens):
            if self._stop_flag.is_set():
                return count
            self._held.append(token)
            if script.clock is not None:
                script.clock.advance(seconds)
            if script.during_evaluate is not None:
                script.during_evaluate(token)
        self._logits_ready = True
        if len(tokens) == 1:
            with_threads = script.seconds_with
            self.step_times.append(with_threads(self.threads[0]) if with_threads else script.seconds_per_token)
        return len(tokens)

    @property
    def longest_draft(self) -> int:
        return self._script.longest_draft if self._script.rewindable else 0

    def evaluate_draft(self, tokens: Sequence[int]) -> int:
        assert len(tokens) <= self.longest_draft + 1
        read = self.evaluate(tokens)
        self._draft_size = len(tokens) if self._logits_ready else 0
        return read

    def rewind(self, length: int) -> int:
        assert 0 <= length <= len(self._held)
        if length < len(self._held):
            kept = length if self._script.rewindable else max((m for m in self._marks if m <= length), default=0)
            self._hold(self._held[:kept])
        return len(self._held)

    @property
    def wants_marks(self) -> bool:
        return not self._script.rewindable

    def mark(self, *, near: bool = False) -> None:
        self._marks.append(len(self._held))

    def keep_logits(self) -> None:
        if self._logits_ready:
            self.logits_at = len(self._held)

    @property
    def state_key(self) -> str:
        return self.info.name

    @property
    def state_size(self) -> int:
        return 8 * len(self._held)

    def save(self) -> Snapshot:
        self._script.log.append(f"saved {len(self._held)}")
        marks = tuple(Mark(length, b"mark") for length in self._marks)
        return Snapshot(tuple(self._held), bytes(8 * len(self._held)), marks, b"logits", self.logits_at)

    def restore(self, snapshot: Snapshot) -> bool:
        self._script.log.append(f"restored {len(snapshot.tokens)}")
        self._hold(list(snapshot.tokens))
        self._marks = [mark.length for mark in snapshot.marks]
        self.logits_at = snapshot.logits_at
        return True

    def _hold(self, tokens: list[int]) -> None:
        self._held = tokens
        self._logits_ready, self._draft_size = False, 0
        self._marks = [mark for mark in self._marks if mark <= len(tokens)]
        if self.logits_at > len(tokens):
            self.logits_at = -1

    def sampler(
        self, sampling: Sampling, grammar: str | None = None, json_schema: str | None = None
    ) -> ScriptedSampler:
        replies = self._script.replies
        reply = replies[min(self._replies, len(replies) - 1)]
        self._replies += 1
        pieces = [self._vocabulary.token_of(piece) for piece in reply]
        self.samplers.append(ScriptedSampler(self, pieces, endless=self._script.endless))
        self.samplers[-1].held_to = grammar or json_schema
        return self.samplers[-1]

    def use_threads(self, decode: int, prefill: int) -> None:
        assert not self.closed
        self.threads = (decode, prefill)

    def take_step_times(self) -> list[float]:
        times, self.step_times = self.step_times, []
        return times

    def take_logits(self, at: int) -> None:
        if at >= 0:
            assert at < self._draft_size, "sampled without logits"
            return
        assert self._logits_ready or self.logits_at == len(self._held), "sampled without logits"
        self._logits_ready = False

    def close(self) -> None:
        if not self.closed:
            self._script.log.append(f"closed {self.info.name}")
        self.closed = True


class ScriptedSampler:
    def __init__(self, model: ScriptedModel, pieces: Sequence[int], *, endless: bool) -> None:
        self._model = model
        self._pieces = list(pieces)
        self._endless = endless
        self._at = 0
        self.closed = False
        self.held_to: str | None = None
        self.free: list[bool] = []  # for each token, whether the grammar was to let it pass
        self.followed: list[int] = []

    def sample(self, at: int = -1, *, free: bool = False) -> int:
        assert not self.closed
        self._model.take_logits(at)
        self.free.append(free)
        self._at += 1
        if self._endless and self._pieces:
            return self._pieces[(self._at - 1) % len(self._pieces)]
        return self._pieces[self._at - 1] if self._at <= len(self._pieces) else END

    def likeliest(self, count: int, chosen: int) -> tuple[tuple[int, float], ...]:
        """The chosen one, then letters from A on; a full stop is always chosen against all odds."""
        letters = [token for token in range(ord("A"), ord("A") + count) if token != chosen]
        found = [(chosen, 0.5), *((token, 0.5 / (count + 1)) for token in letters)][:count]
        if self._model.vocabulary.piece(chosen) == b".":
            return (*((token, 0.5 / (count + 1)) for token in letters[:count]), (chosen, 0.001))
        return tuple(found)

    def follow(self, token: int) -> None:
        self.followed.append(token)

    def close(self) -> None:
        self.closed = True


class ScriptedLoader:
    """Loads scripted models; `models` are those it loaded, in order."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.models: list[ScriptedModel] = []

    def __call__(self, config: ModelConfig, stop_flag: StopFlag, progress: Callable[[float], None]) -> Model:
        if self.script.before_load is not None:
            self.script.before_load()
        if self.script.load_error is not None:
            raise self.script.load_error
        for step in range(self.script.load_steps):
            if stop_flag.is_set():
                raise LoadStopped
            progress((step + 1) / self.script.load_steps)
        model = ScriptedModel(self.script, config, stop_flag)
        self.models.append(model)
        return model


def config(name: str = "scripted") -> ModelConfig:
    return ModelConfig(Path(f"{name}.gguf"))
