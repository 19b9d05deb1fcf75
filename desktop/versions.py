"""Which versions of what the program is made of: for reports, and for whoever looks them up."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PARTS = (("Headwater", "headwater"), ("llama-cpp-python", "llama_cpp_python"), ("PySide6", "PySide6_Essentials"))
PACKAGES = tuple(package for _, package in _PARTS)


def versions() -> tuple[tuple[str, str], ...]:
    """The program's, Python's, and those of the two parts that are compiled code."""
    found = tuple((name, version_of(package)) for name, package in _PARTS)
    return (*found[:1], ("Python", platform.python_version()), *found[1:])


@cache
def version_of(package: str) -> str:
    """Of an installed package; "unknown" where none of that name is."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
