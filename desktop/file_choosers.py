"""How somebody is asked for a file, a model or one with conversations: with the platform's own choosers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget


def ask_for_model(parent: QWidget) -> Path | None:
    """The platform's file chooser; `None` when it was put away."""
    from PySide6.QtWidgets import QFileDialog

    title = parent.tr("Open a model file")
    name, _ = QFileDialog.getOpenFileName(parent, title, str(Path.home()), parent.tr("Models (*.gguf);;All files (*)"))
    return Path(name) if name else None


def ask_for_conversations(parent: QWidget) -> Path | None:
    """The same for a file with conversations."""
    from PySide6.QtWidgets import QFileDialog

    kinds = parent.tr("Conversations (*.json *.zip);;All files (*)")
    name, _ = QFileDialog.getOpenFileName(parent, parent.tr("Import conversations"), str(Path.home()), kinds)
    return Path(name) if name else None


def ask_where_to_save(parent: QWidget, name: str) -> Path | None:
    """The same for a file to be written, which is called `name` unless somebody wants it otherwise."""
    from PySide6.QtWidgets import QFileDialog

    chosen, _ = QFileDialog.getSaveFileName(parent, parent.tr("Export"), str(Path.home() / name))
    return Path(chosen) if chosen else None


@dataclass(frozen=True, slots=True)
class FileChoosers:
    """How somebody is asked for a file; `None` where they would rather not."""

    to_read: Callable[[QWidget], Path | None] = ask_for_conversations
    to_write: Callable[[QWidget, str], Path | None] = ask_where_to_save
