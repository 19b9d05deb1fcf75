"""Chat templates of the field, by the names of their files."""

from __future__ import annotations

from pathlib import Path

FILES = tuple(sorted(Path(__file__).parent.glob("*.jinja")))
NAMES = tuple(file.stem for file in FILES)


def source_of(name: str) -> str:
    return Path(__file__).with_name(f"{name}.jinja").read_text(encoding="utf-8")
