"""The text of PDF and Word files, read in a process of its own that may run out of time or memory.

`text_of` is the parent's side, `main` the child's: `python -m desktop.documents FILE`, and in a frozen program
`headwater --read-document FILE`. A small file can expand to any size and take any time; nobody else has to wait for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from zipfile import BadZipFile, ZipFile

from inference import Sentence

if TYPE_CHECKING:
    from docx.table import Table

MOST_TEXT = 2_000_000  # characters: more than any model reads at once
READ_OPTION = "--read-document"
MOST_SECONDS = 60.0
MOST_PAGES = 2_000
MOST_EXPANDED = 256 << 20  # bytes, of all that lies in a Word file
MOST_MEMORY = 2 << 30  # bytes, where the system can hold a process to that

_GLANCE_SECONDS = 0.1
_MOST_PARTS = 10_000
_WORD = "word/document.xml"


class Fault(StrEnum):
    """What the child finds wrong with a document; the sentence for it is the parent's."""

    LOCKED = "locked"
    PAGES = "pages"
    PARTS = "parts"
    ARCHIVE = "archive"
    EXPANDS = "expands"
    EMPTY = "empty"
    # Archives of another kind
    EXCEL = "excel"
    POWERPOINT = "powerpoint"
    OPEN_DOCUMENT = "open document"
    E_BOOK = "e-book"
    NOT_WORD = "not word"
    OTHER = "other"


_OTHERS = {
    "xl/workbook.xml": Fault.EXCEL,
    "ppt/presentation.xml": Fault.POWERPOINT,
    "content.xml": Fault.OPEN_DOCUMENT,
    "META-INF/container.xml": Fault.E_BOOK,
}
_KINDS = {
    Fault.EXCEL: Sentence("an Excel file; save the sheet as .csv"),
    Fault.POWERPOINT: Sentence("a PowerPoint file; save it as .pdf"),
    Fault.OPEN_DOCUMENT: Sentence("an OpenDocument file; save it as .docx or .pdf"),
    Fault.E_BOOK: Sentence("an e-book; save it as .pdf or plain text"),
    Fault.ARCHIVE: Sentence("a damaged archive. Get or save it again"),
    Fault.NOT_WORD: Sentence("called a Word file, but is an archive without a document in it; get or save it again"),
    Fault.OTHER: Sentence("an archive; unpack it"),
}


class DocumentRefused(Exception):
    """A file has no text that can be read; `str()` of it is a sentence for the person."""


def text_of(
    path: Path, stopped: Callable[[], bool], command: Sequence[str] | None = None, patience: float = MOST_SECONDS
) -> str:
    """The text of the document in this file.

    Raises:
        DocumentRefused: there is none, or it took too long, or too much.
    """
    command = _command() if command is None else command
    # Nothing is ever written there: it tells the child that this process is still here.
    their_end, our_end = os.pipe()
    child = subprocess.Popen(  # noqa: S603 - this very program, with a path as its argument
        [*command, str(path.absolute())],
        stdin=their_end,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    os.close(their_end)
    try:
        answer = _answer_of(child, time.monotonic() + patience, stopped)
    finally:
        os.close(our_end)
        child.kill()
        with child:
            pass
    if answer is None:
        said = {"name": path.name, "seconds": patience}
        raise DocumentRefused(Sentence("{name} was not read within {seconds:,.0f} seconds.", **said))
    try:
        found = json.loads(answer)
    except ValueError:
        # It died. What a parser stumbles over is as manifold as what can be wrong with a document.
        raise DocumentRefused(
            Sentence(
                "{name} is damaged, or takes more memory than a document should. Get or save it again.", name=path.name
            )
        ) from None
    if "text" not in found:
        raise DocumentRefused(refusal_of(path.name, found))
    return str(found["text"])


def refusal_of(name: str, found: Mapping[str, Any]) -> Sentence:
    """The sentence for what the child found in the file of that name."""
    match fault := Fault(found["refused"]):
        case Fault.LOCKED:
            return Sentence("{name} has a password. Save a copy without one.", name=name)
        case Fault.PAGES:
            pages = {"name": name, "pages": int(found["count"]), "most": MOST_PAGES}
            return Sentence("{name} has {pages:,} pages; up to {most:,} can be read. Take a part of it.", **pages)
        case Fault.PARTS:
            parts = {"name": name, "parts": int(found["count"]), "most": _MOST_PARTS}
            return Sentence("{name} is made of {parts:,} parts; up to {most:,} can be read.", **parts)
        case Fault.EXPANDS:
            return Sentence("{name} expands to more than {megabytes} MB.", name=name, megabytes=MOST_EXPANDED >> 20)
        case Fault.EMPTY:
            return Sentence("{name} has no text: its pages may be pictures.", name=name)
        case _:
            return Sentence("{name} is {kind}.", name=name, kind=_KINDS[fault])


def main(path: Path) -> dict[str, str | int]:
    """The child's answer: a text, or the fault for which there is none."""
    try:
        text = _text_in(path)
    except _Refused as refusal:
        return {"refused": refusal.fault, "count": refusal.count}
    return {"text": text} if text.strip() else {"refused": Fault.EMPTY}


def run(name: str) -> NoReturn:
    """Be the child."""
    threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    _limit_memory()
    answer = json.dumps(main(Path(name)))
    with suppress(OSError), os.fdopen(1, "wb", closefd=False) as out:
        out.write(answer.encode())
    os._exit(0)


class _Refused(Exception):
    """There is a fault; of too many pages or parts, a `count`."""

    def __init__(self, fault: Fault, count: int = 0) -> None:
        super().__init__(fault, count)
        self.fault = fault
        self.count = count


def _answer_of(child: subprocess.Popen[bytes], deadline: float, stopped: Callable[[], bool]) -> bytes | None:
    while time.monotonic() < deadline and not stopped():
        with suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_GLANCE_SECONDS)[0]
    return None


def _text_in(path: Path) -> str:
    with path.open("rb") as file:
        is_archive = file.read(2) == b"PK"
    return "\n\n".join(_bounded(_parts_of_word(path) if is_archive else _pages_of_pdf(path)))


def _bounded(parts: Iterator[str]) -> Iterator[str]:
    """As much as tells that it is too much."""
    room = MOST_TEXT
    for part in parts:
        if part.strip():
            yield part[: room + 1]
            room -= len(part)
            if room < 0:
                return


def _pages_of_pdf(path: Path) -> Iterator[str]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = PdfReader(path, strict=False)
        # Many need no password, only to be asked for none.
        if reader.is_encrypted and not reader.decrypt(""):
            raise _Refused(Fault.LOCKED)
        if len(reader.pages) > MOST_PAGES:
            raise _Refused(Fault.PAGES, len(reader.pages))
        for page in reader.pages:
            yield page.extract_text()
    except (FileNotDecryptedError, DependencyError) as error:
        raise _Refused(Fault.LOCKED) from error


def _parts_of_word(path: Path) -> Iterator[str]:
    from docx import Document
    from docx.table import Table

    _check_archive(path)
    for block in Document(str(path)).iter_inner_content():
        yield _table(block) if isinstance(block, Table) else _paragraph(block.text, _style_of(block))


def _check_archive(path: Path) -> None:
    try:
        with ZipFile(path) as archive:
            parts = archive.infolist()
    except (BadZipFile, ValueError, NotImplementedError) as error:
        raise _Refused(Fault.ARCHIVE) from error
    names = {part.filename for part in parts}
    if _WORD not in names:
        raise _Refused(next((kind for name, kind in _OTHERS.items() if name in names), _of_no_kind(path)))
    # An archive is read no further than it says that its parts are long.
    if len(parts) > _MOST_PARTS:
        raise _Refused(Fault.PARTS, len(parts))
    if sum(part.file_size for part in parts) > MOST_EXPANDED:
        raise _Refused(Fault.EXPANDS)


def _of_no_kind(path: Path) -> Fault:
    return Fault.NOT_WORD if path.suffix.lower() in (".docx", ".docm") else Fault.OTHER


def _style_of(paragraph: object) -> str:
    style = getattr(paragraph, "style", None)
    return str(getattr(style, "name", "") or "")


def _paragraph(text: str, style: str) -> str:
    """A paragraph as Markdown."""
    if style == "Title":
        return f"# {text}"
    level = style.removeprefix("Heading ")
    if style.startswith("Heading ") and level.isdecimal():
        return f"{'#' * min(6, int(level))} {text}"
    return f"- {text}" if style.startswith("List ") and text else text


def _table(table: Table) -> str:
    rows = [[" ".join(cell.text.split()).replace("|", "\\|") for cell in row.cells] for row in table.rows]
    if not rows:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def _command() -> tuple[str, ...]:
    if getattr(sys, "frozen", False):
        return (sys.executable, READ_OPTION)
    return (sys.executable, "-m", "desktop.documents")


def _environment() -> dict[str, str]:
    """This process's, with the folder where this package lies, wherever the program was started."""
    here = str(Path(__file__).resolve().parent.parent)
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{before}" if before else here}


def _limit_memory() -> None:
    """On Linux a process can be held to an amount; elsewhere the time it has is the bound."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent() -> None:
    """When nobody holds the other end of standard input any more, this ends too."""
    with suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(0)


if __name__ == "__main__":
    run(sys.argv[1])
