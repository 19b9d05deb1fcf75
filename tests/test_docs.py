"""What the pages say can be looked up: links lead somewhere, and what is quoted, named or typed is there."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from desktop.conversations import Conversation
from desktop.turns import Attachment, Turn
from inference import Message, RemoteModel, Timings, Usage
from inference.experiments import ExperimentName

ROOT = Path(__file__).parents[1]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))
TOLD = [page for page in PAGES if "decisions" not in page.parts]  # what speaks to people, and of the program as it is
LAUNCHER = ROOT / "resources" / "packaging" / "linux" / "launcher.sh"
SUFFIXES = "iss|md|plist|py|spec|toml|txt|yml"
KEPT = {"settings.toml"}  # files that only a running program makes


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """A page without what is code in it, on one line."""
    return " ".join(re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text("utf-8"), flags=re.DOTALL).split())


def anchors(page: Path) -> set[str]:
    """The names of its headings, as they are linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")) if "://" not in link]


def is_dead(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@cache
def files() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = listed.stdout.split("\n") if listed.returncode == 0 else (str(path) for path in ROOT.rglob("*"))
    return tuple("/" + path.removeprefix(f"{ROOT}/") for path in found)


@cache
def said() -> tuple[str, ...]:
    """All that the program can say, with an ellipsis where it fills something in."""
    texts = {re.sub(r"\$\w+", "…", line) for line in LAUNCHER.read_text("utf-8").splitlines()}
    for source in (*(ROOT / "desktop").rglob("*.py"), *(ROOT / "inference").rglob("*.py")):
        texts.update(said_in(ast.parse(source.read_text("utf-8"))))
    return tuple(texts)


def said_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield re.sub(r"\{\w*(?:![rs])?(?::[^{}]*)?\}", "…", text.replace("&", ""))
            case ast.JoinedStr(values=parts):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
            case _:
                pass


def is_said(words: str) -> bool:
    wanted = words.strip(". ")
    return any(wanted in text for text in said())


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if is_dead(page, link)] == []


def test_every_picture_is_shown_somewhere() -> None:
    shown = {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    assert set((ROOT / "docs" / "images").rglob("*.png")) - shown == set()


def test_decisions_are_numbered_without_a_gap_and_say_their_numbers() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [page.name[:5] for page in pages] == [f"{number:04}-" for number in range(1, len(pages) + 1)]
    for number, page in enumerate(pages, start=1):
        assert page.read_text("utf-8").startswith(f"# {number}. "), page.name
        assert all(int(other) <= len(pages) for other in re.findall(r"decision (\d+)", page.read_text("utf-8")))


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_what_a_page_quotes_the_program_says_so(page: Path) -> None:
    quoted = re.findall(r"[\s(|]\"([^\"]+)\"", prose(page))
    assert [words for words in quoted if not is_said(words)] == []


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_what_a_page_calls_by_name_is_called_so_in_the_window(page: Path) -> None:
    emphasised = re.findall(r"(?<![*\w])\*([^*|]+?)\*(?![*\w])", prose(page))
    names = [name for words in emphasised for name in words.split(" > ")]
    assert [name for name in names if not is_said(name)] == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    paths = re.findall(rf"`([\w./-]+\.(?:{SUFFIXES}))`", page.read_text("utf-8"))
    ends = {f"/{path.removeprefix('./')}" for path in paths if path not in KEPT}
    assert {end for end in ends if not any(file.endswith(end) for file in files())} == set()


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_every_command_of_make_is_one(page: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))
    assert set(re.findall(r"\bmake ((?:[a-z]+-)*[a-z]+)\b(?=[ `\n])", code_of(page))) - targets == set()


@pytest.mark.parametrize("page", TOLD, ids=named)
def test_every_option_that_a_page_names_is_taken(page: Path) -> None:
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", code_of(page)))
    assert {option for option in options - OTHERS if not takes(option)} == set()


def test_each_experiment_of_the_lab_is_told() -> None:
    page = (ROOT / "docs" / "inference.md").read_text("utf-8")
    assert re.findall(r"^\| `([\w-]+)` \| (?:what|does|is|why)", page, flags=re.MULTILINE) == list(ExperimentName)


def test_every_figure_is_defined_alike_wherever_it_is_defined() -> None:
    """The pages for readers may say more; the start-up is no figure of theirs."""
    definitions = definitions_in(ROOT / "ARCHITECTURE.md") - {"process start to first painted window"}
    told = definitions_in(ROOT / "docs" / "inference.md")
    assert definitions
    assert {one for one in definitions if not any(other.startswith(one) for other in told)} == set()


def definitions_in(page: Path) -> set[str]:
    table = page.read_text("utf-8").partition("| figure | definition |")[2].partition("\n\n")[0]
    return {line.split("|")[2].strip() for line in table.splitlines()[2:]}


@pytest.mark.parametrize("kind", [Conversation, Turn, Message, Attachment, Usage, Timings, RemoteModel])
def test_every_field_of_an_export_is_told(kind: type) -> None:
    told = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "export-format.md").read_text("utf-8")))
    not_exported = {"conversation", "temporary"}
    assert {field.name for field in fields(kind)} - told - not_exported == set()


# Of other programs
OTHERS = {"--help", "--install", "--no-deps", "--wait"}


def code_of(page: Path) -> str:
    """What is meant to be typed: blocks of code, and what stands between backticks."""
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", page.read_text("utf-8"), flags=re.DOTALL))


def takes(option: str) -> bool:
    sources = (
        *(ROOT / "desktop").glob("*.py"),
        *(ROOT / "inference").glob("*.py"),
        *(ROOT / "scripts").glob("*.py"),
        *(ROOT / "tests" / "bench").glob("*.py"),
    )
    return any(f'"{option}"' in source.read_text("utf-8") for source in sources)
