"""Small file systems of their own, where this process may mount."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def run(*command: str | Path) -> bool:
    return subprocess.run([str(word) for word in command], check=False, capture_output=True).returncode == 0


def mount_small(folder: Path, size: str) -> None:
    """One in memory, of so many bytes ("400k"). The test that asks is skipped where that may not be."""
    folder.mkdir(parents=True, exist_ok=True)
    if not sys.platform.startswith("linux") or not run(
        "mount", "-t", "tmpfs", "-o", f"size={size}", "headwater-test", folder
    ):
        pytest.skip("needs the right to mount a file system")


@contextmanager
def disk_of(folder: Path, size: str) -> Iterator[Path]:
    """One that is there until the end of the block."""
    mount_small(folder, size)
    try:
        yield folder
    finally:
        assert run("umount", "--lazy", folder)
