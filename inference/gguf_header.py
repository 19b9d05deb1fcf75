"""What a GGUF file says of itself, read from its header alone.

Nothing of llama.cpp is needed, and nothing is believed: never is more read than the file holds.
"""

from __future__ import annotations

import io
import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from inference.errors import ModelNotFound, ModelUnreadable
from inference.sentences import Sentence

Scalar = int | float | bool | str
Numbers = tuple[int | float | bool, ...]

MOST_LAYERS = 512  # llama.cpp aborts beyond

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_ALIGNMENT = 32
_MOST_DIMENSIONS = 4
_MOST_ENTRIES = 1 << 24  # more metadata or tensors than any file has
_KEPT_ARRAY = 1024  # numbers; those that go by layer are kept, those that go by token are not
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TOKENS = "tokenizer.ggml.tokens"
_QUANTISATION = "general.file_type"
_GLANCED_AT = 1 << 14  # bytes; what stands before the vocabulary is seldom more
_FIRST_PART = re.compile(r"-00001-of-(\d{5})\.gguf$")
_LAYER = re.compile(r"blk\.(\d{1,3})\.")

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


@dataclass(frozen=True, slots=True)
class Weights:
    """Where a model's bytes are: what turns tokens into numbers, each layer, and what comes after the last one."""

    input: int = 0
    layers: tuple[int, ...] = ()
    output: int = 0

    @property
    def total(self) -> int:
        return self.input + sum(self.layers) + self.output


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a model: its size, and where its last tensor ends (`None` where one is of a kind not known here)."""

    path: Path
    size: int
    expected_size: int | None


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """What a GGUF file says of itself. Of its lists, `by_layer` has the short ones of numbers; sizes are in bytes,
    `parameters` counts weights. A model in several files has several `parts`, the first of them at `path`."""

    path: Path
    architecture: str
    metadata: Mapping[str, Scalar]
    by_layer: Mapping[str, Numbers]
    tensor_count: int
    parameters: int
    parts: tuple[Part, ...]
    vocabulary_size: int
    repeated_token: str | None = None  # a token that the vocabulary lists twice
    weights: Weights = field(default=Weights(), repr=False)

    @property
    def file_size(self) -> int:
        """Bytes of all parts."""
        return sum(part.size for part in self.parts)

    @property
    def title(self) -> str:
        """The file's own name for it, often that of a training run; "" where it has none."""
        return self.text("general.name")

    @property
    def size_label(self) -> str:
        """How large its maker calls it: "135M", "8x7B"."""
        return self.text("general.size_label")

    @property
    def licence(self) -> str:
        """As the file names it: "apache-2.0"."""
        return self.text("general.license")

    @property
    def quantisation(self) -> str:
        """As llama.cpp names it; "" where the file does not say, or a name is not known here."""
        return _QUANTISATIONS.get(_whole(self.metadata.get(_QUANTISATION), -1), "")

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
        heads = max(self.numbers("attention.head_count"), default=0)
        return self.number("attention.key_length") or (self.number("embedding_length") // heads if heads else 0)

    @property
    def most_heads(self) -> int:
        """The attention heads of the layer that has most of them."""
        return max(self.numbers("attention.head_count"), default=0)

    def number(self, name: str) -> int:
        """A whole number among the architecture's own facts, such as "block_count"; 0 where there is none, or it is
        negative."""
        return max(0, _whole(self.metadata.get(f"{self.architecture}.{name}"), 0))

    def numbers(self, name: str) -> tuple[int, ...]:
        """One whole number for each layer, also where the file has one for all; empty where it has none."""
        key = f"{self.architecture}.{name}"
        if key in self.by_layer:
            return tuple(max(0, _whole(each, 0)) for each in self.by_layer[key])
        value = self.metadata.get(key)
        return (self.number(name),) * min(self.number("block_count"), MOST_LAYERS) if value is not None else ()

    def text(self, key: str) -> str:
        """A text among the metadata; "" where there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""


def read_facts(path: Path) -> GgufFacts:
    """What the header of the file at `path` says; of a model in several parts, it is the first one's path.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, its header is damaged, or a part of it is missing.
    """
    facts = _read(path)
    count = _whole(facts.metadata.get("split.count"), 0)
    if _whole(facts.metadata.get("split.no"), 0):
        return facts
    if not facts.architecture:
        raise ModelUnreadable(path, Sentence("It does not say what architecture it has. Choose another."))
    for number in range(2, count + 1):  # none, where the file is whole
        part = _part_path(path, number, count)
        if not part.is_file():
            raise ModelUnreadable(
                path,
                Sentence(
                    "Part {number} of {count} is missing: {name}. Put it into the same folder.",
                    number=number,
                    count=count,
                    name=part.name,
                ),
            )
        facts = _joined(facts, _read(part))
    return facts


def glance(path: Path) -> GgufFacts:
    """What the header says before its vocabulary: names, sizes, shapes; a millisecond, whatever the vocabulary. Tensors
    are not looked at, nor the chat template behind it. Where the quantisation is named behind it, it is passed over. Of
    a model in parts, only the first is opened.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or its header is damaged.
    """
    facts = _read(path, glance=True)
    return replace(facts, parts=(*facts.parts, *_unopened(files_of(path)[1:])))


def files_of(path: Path) -> tuple[Path, ...]:
    """The files of the model at `path`, by their names alone: one, or the parts of which it is the first."""
    parts = _FIRST_PART.search(path.name)
    if parts is None:
        return (path,)
    count = int(parts[1])
    others = (path.with_name(part_name(path, number, count)) for number in range(2, count + 1))
    return (path, *(other for other in others if other.is_file()))


def part_name(path: Path, number: int, count: int) -> str:
    """How part `number` (counted from 1) of the model is called of which `path` is any part; "" where the file's name
    does not end as llama.cpp wants it."""
    stem = re.fullmatch(rf"(.+)-\d{{5}}-of-{count:05d}\.gguf", path.name)
    return f"{stem[1]}-{number:05d}-of-{count:05d}.gguf" if stem else ""


def _unopened(paths: Iterable[Path]) -> Iterator[Part]:
    for path in paths:
        with suppress(OSError):  # it went away just now
            yield Part(path, path.stat().st_size, None)


def _part_path(path: Path, number: int, count: int) -> Path:
    name = part_name(path, number, count)
    if not name or path.name != part_name(path, 1, count):
        end = f"-00001-of-{count:05d}.gguf"
        raise ModelUnreadable(
            path, Sentence("It is the first of {count} parts, so its name must end in {end}.", count=count, end=end)
        )
    return path.with_name(name)


def _read(path: Path, *, glance: bool = False) -> GgufFacts:
    try:
        if path.is_dir():
            raise ModelUnreadable(path, Sentence("This is a folder. Choose a file in it."))
        if path.exists() and not path.is_file():
            raise ModelUnreadable(
                path, Sentence("This is no file. Choose another.")
            )  # a pipe would be waited for, for ever
        if not _is_text(str(path)):  # it could be loaded, but in no settings and no conversation be named
            raise ModelUnreadable(
                path, Sentence("Its name, or that of a folder above it, is not written in UTF-8. Rename it.")
            )
        with path.open("rb", buffering=_GLANCED_AT if glance else 1 << 20) as file:
            return _Header(path, file).glance() if glance else _Header(path, file).facts()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelNotFound(path) from error
    except PermissionError as error:
        raise ModelUnreadable(
            path, Sentence("You may not read this file. Have its permissions changed, or choose another.")
        ) from error
    except OSError as error:
        raise ModelUnreadable(
            path, Sentence("The system says: {strerror}.", strerror=error.strerror or error)
        ) from error
    except ValueError as error:  # a name with a NUL in it
        raise ModelNotFound(path) from error


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _joined(first: GgufFacts, part: GgufFacts) -> GgufFacts:
    one, other = first.weights, part.weights
    return replace(
        first,
        tensor_count=first.tensor_count + part.tensor_count,
        parameters=first.parameters + part.parameters,
        parts=first.parts + part.parts,
        weights=Weights(
            one.input + other.input,
            tuple(map(sum, zip_longest(one.layers, other.layers, fillvalue=0))),
            one.output + other.output,
        ),
    )


@dataclass(slots=True)
class _Tensors:
    """What a header says of its tensors, added up."""

    parameters: int = 0
    end: int = 0  # of the last one, in the data
    all_known: bool = True
    input: int = 0
    layers: dict[int, int] = field(default_factory=dict)
    output: int = 0

    def add(self, name: str, shape: tuple[int, ...], kind: int, offset: int) -> None:
        weights = math.prod(shape)
        weights_per_block, block_size = _BLOCKS.get(kind, (1, 0))
        size = weights // weights_per_block * block_size
        self.parameters += weights
        self.all_known = self.all_known and block_size > 0
        self.end = max(self.end, offset + size)
        if (layer := _LAYER.match(name)) is not None:
            self.layers[int(layer[1])] = self.layers.get(int(layer[1]), 0) + size
        elif name.startswith(("token_embd", "per_layer_token_embd")):
            self.input += size
        else:
            self.output += size

    def weights(self) -> Weights:
        layers = tuple(self.layers.get(layer, 0) for layer in range(max(self.layers, default=-1) + 1))
        return Weights(self.input, layers, self.output)


class _Header:
    """Reads the header of one GGUF file, never beyond the file's end."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        file.seek(0)

    def glance(self) -> GgufFacts:
        """What is said before the vocabulary."""
        tensor_count, entry_count = self._counts()
        metadata, by_layer, _, vocabulary_size = self._metadata(entry_count, until_vocabulary=True)
        architecture = metadata.get("general.architecture")
        return GgufFacts(
            path=self._path,
            architecture=architecture if isinstance(architecture, str) else "",
            metadata=metadata,
            by_layer=by_layer,
            tensor_count=tensor_count,
            parameters=0,
            parts=(Part(self._path, self._size, None),),
            vocabulary_size=vocabulary_size,
        )

    def facts(self) -> GgufFacts:
        """All that is said. A part that is not the first says nothing of the model but its tensors."""
        tensor_count, entry_count = self._counts()
        metadata, by_layer, repeated, vocabulary_size = self._metadata(entry_count)
        architecture = metadata.get("general.architecture")
        tensors = self._tensors(tensor_count)
        begin = self._aligned(_whole(metadata.get("general.alignment"), _ALIGNMENT))
        return GgufFacts(
            path=self._path,
            architecture=architecture if isinstance(architecture, str) else "",
            metadata=metadata,
            by_layer=by_layer,
            tensor_count=tensor_count,
            parameters=tensors.parameters,
            parts=(Part(self._path, self._size, begin + tensors.end if tensors.all_known else None),),
            vocabulary_size=vocabulary_size,
            repeated_token=repeated,
            weights=tensors.weights(),
        )

    def _counts(self) -> tuple[int, int]:
        """How many tensors and how many entries of metadata there are."""
        self._check_beginning()
        version = self._number("I")
        if version not in _VERSIONS:
            raise ModelUnreadable(
                self._path,
                Sentence(
                    "It is written in version {version} of GGUF, which is not known. Choose another.", version=version
                ),
            )
        return self._count(), self._count()

    def _check_beginning(self) -> None:
        beginning = self._file.read(64)
        self._file.seek(len(_MAGIC))
        if not beginning:
            raise ModelUnreadable(self._path, Sentence("The file is empty. Download it again."))
        if beginning.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
            raise ModelUnreadable(self._path, Sentence("This is a web page, not a model. Download it again."))
        if beginning.startswith(b"version https://git-lfs"):
            raise ModelUnreadable(self._path, Sentence("It only points to the model's file (Git LFS). Download that."))
        if beginning.startswith(_MAGIC[::-1]):
            raise ModelUnreadable(
                self._path, Sentence("It was written for machines of the other byte order. Choose another.")
            )
        if not beginning.startswith(_MAGIC):
            raise ModelUnreadable(self._path, Sentence("This is no GGUF file. Choose another."))

    def _metadata(
        self, count: int, *, until_vocabulary: bool = False
    ) -> tuple[dict[str, Scalar], dict[str, Numbers], str | None, int]:
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
            if until_vocabulary and key == _TOKENS and _QUANTISATION in metadata:
                return metadata, by_layer, None, length
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

    def _tensors(self, count: int) -> _Tensors:
        tensors = _Tensors()
        for _ in range(count):
            name, dimensions = self._text(), self._number("I")
            if dimensions > _MOST_DIMENSIONS:
                raise self._damaged()
            shape = tuple(self._number("Q") for _ in range(dimensions))
            tensors.add(name, shape, self._number("I"), self._number("Q"))
        return tensors

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
        return ModelUnreadable(self._path, Sentence("Its header is damaged or cut short. Download it again."))


def _whole(value: Scalar | None, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
