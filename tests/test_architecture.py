"""The list of modules in ARCHITECTURE.md is the list of modules there are; exceptions from rules have their reasons."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("desktop", "desktop/widgets", "inference")
EXCEPTION = re.compile(r"#\s*(?:noqa\b(?:: [A-Z]+\d+(?:, [A-Z]+\d+)*)?|type: ignore(?:\[[a-z, -]+\])?)(.*)")


def named() -> dict[str, set[str]]:
    """The names in the first block of ARCHITECTURE.md, by the folder they stand under."""
    block = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("```")[1]
    names: dict[str, set[str]] = {}
    path: list[str] = []
    for line in block.splitlines():
        if found := re.match(r"( *)(\w+(?:\.py|/))(?= )", line):
            depth, name = len(found[1]) // 4, found[2]
            names.setdefault("/".join(path[:depth]), set()).add(name.rstrip("/"))
            path[depth:] = [name.rstrip("/")]
    return names


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_module_is_named_and_every_name_is_a_module(folder: str) -> None:
    there = {path.name for path in (ROOT / folder).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert named()[folder] - {"__init__.py"} == there - {"__init__.py"}


def test_every_exception_from_a_rule_says_why_on_its_line() -> None:
    folders = ("desktop", "inference", "resources", "scripts", "tests")
    lines = [
        (path.relative_to(ROOT), number, line)
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    excepted = [(path, number, found) for path, number, line in lines if (found := EXCEPTION.search(line))]
    assert len(excepted) > 100
    assert [(path, number) for path, number, found in excepted if not re.search(r"[A-Za-z]{2}", found[1])] == []
