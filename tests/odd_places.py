"""What may lie in the place of a file: whatever a file system has names for."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from pathlib import Path

ODD = ("pipe", "folder", "device", "socket", "link to itself")


def put(kind: str, path: Path) -> None:
    """Put something of that kind there, or a file, with the folder for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
            (path / "something").write_text("in it")
        case "device":
            path.symlink_to("/dev/zero")  # which has no end
        case "socket":
            _put_socket(path)
        case "link to itself":
            path.symlink_to(path.name)
        case _:
            path.write_text("a file")


def _put_socket(path: Path) -> None:
    # Made where its name is short: an address has no room for a long one.
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as made:
        made.bind(f"{folder}/socket")
        shutil.move(f"{folder}/socket", path)
