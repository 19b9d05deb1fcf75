"""PDF and Word files give their text, in a process that no harm can come from."""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from desktop import documents
from desktop.documents import MOST_TEXT, DocumentRefused, main, refusal_of, text_of
from tests.desktop.documents import pdf, raw_pdf, with_part, word


def never() -> bool:
    return False


def read(path: Path) -> str:
    return text_of(path, never)


def test_a_pdf_is_the_text_of_its_pages(tmp_path):
    assert read(pdf(tmp_path / "a.pdf", "Why do rivers bend?", "They erode.")) == "Why do rivers bend?\n\nThey erode."


def test_a_word_file_is_markdown_in_its_own_order(tmp_path):
    assert read(word(tmp_path / "a.docx")).split("\n\n") == [
        "# Rivers",
        "Why do they bend?",
        "- Water is fast.",
        "| x | y |\n| --- | --- |\n| 1 | 2\\|3 |",
    ]


def refusal(path: Path) -> str:
    """Why the child refuses: the same as `read`, without its start."""
    return refusal_of(path.name, main(path))


def test_what_is_locked_says_so(tmp_path):
    assert "has a password" in refusal(pdf(tmp_path / "a.pdf", "secret", password="x"))


def test_a_pdf_that_asks_for_no_password_is_read(tmp_path):
    path = pdf(tmp_path / "a.pdf", "open", password="owner only")
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(path, password="owner only"))
    writer.encrypt("", "owner only", algorithm="RC4-128")
    writer.write(path)
    assert main(path) == {"text": "open"}


def test_pages_without_text_may_be_pictures(tmp_path):
    path = tmp_path / "scan.pdf"
    path.write_bytes(raw_pdf(b"", b"q Q"))
    assert "its pages may be pictures" in refusal(path)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("xl/workbook.xml", "is an Excel file"),
        ("ppt/presentation.xml", "is a PowerPoint file"),
        ("content.xml", "is an OpenDocument file"),
        ("META-INF/container.xml", "is an e-book"),
        ("a.txt", "is called a Word file, but is an archive without a document in it"),
    ],
)
def test_other_archives_are_named(tmp_path, part, words):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(part, "x")
    assert words in refusal(path)


# What is made to do harm


def test_an_archive_that_expands_beyond_measure_is_not_expanded(tmp_path):
    path = with_part(word(tmp_path / "a.docx"), "word/media/bomb.png", b"\0" * (300 << 20))
    assert path.stat().st_size < 1 << 20
    assert "expands to more than 256 MB" in refusal(path)


def test_an_archive_of_more_parts_than_a_document_has_is_not_opened(tmp_path):
    path = word(tmp_path / "a.docx")
    with zipfile.ZipFile(path, "a") as archive:
        for number in range(10_001):
            archive.writestr(f"word/media/{number}", "")
    assert "parts; up to 10,000 can be read" in refusal(path)


def test_an_archive_that_lies_about_how_long_its_parts_are_is_read_no_further_than_it_says(tmp_path):
    path = with_part(word(tmp_path / "a.docx"), "word/document.xml", b" " * (300 << 20))
    whole = path.read_bytes()
    said, lie = (300 << 20).to_bytes(4, "little"), (1 << 20).to_bytes(4, "little")
    assert said in whole
    path.write_bytes(whole.replace(said, lie))
    with pytest.raises(DocumentRefused, match="damaged, or takes more memory"):
        read(path)


def test_an_archive_within_an_archive_is_not_opened(tmp_path):
    inner = word(tmp_path / "inner.docx")
    path = with_part(word(tmp_path / "a.docx"), "word/embeddings/inner.docx", inner.read_bytes())
    assert read(path) == read(inner)


def test_entities_are_not_expanded(tmp_path):
    levels = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(12))
    xml = f'<!DOCTYPE x [<!ENTITY l0 "bend">{levels}]><w:document>&l12;</w:document>'
    path = with_part(word(tmp_path / "a.docx"), "word/document.xml", xml.encode())
    with pytest.raises(DocumentRefused, match="damaged, or takes more memory"):
        read(path)


def test_a_page_that_expands_beyond_measure_ends_with_a_sentence(tmp_path):
    path = tmp_path / "bomb.pdf"
    path.write_bytes(raw_pdf(b" " * (200 << 20)))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(DocumentRefused):
        read(path)


def test_pages_that_lead_to_themselves_end_with_a_sentence(tmp_path):
    path = tmp_path / "ring.pdf"
    path.write_bytes(raw_pdf(b"").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"))
    with pytest.raises(DocumentRefused):
        read(path)


def test_more_text_than_can_be_read_is_not_read_to_its_end(tmp_path):
    line = "(" + "bend " * 2_000 + ") Tj "
    path = tmp_path / "long.pdf"
    path.write_bytes(raw_pdf(*[b"BT /F1 12 Tf 72 700 Td " + line.encode() * 25 + b"ET"] * 12))
    assert MOST_TEXT < len(str(main(path)["text"])) < MOST_TEXT + 100


@pytest.mark.parametrize("name", ["a.pdf", "a.docx"])
@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_a_damaged_document_gets_a_sentence_or_what_is_left_of_it(tmp_path, name, at):
    path = (pdf if name == "a.pdf" else word)(tmp_path / name)
    content = path.read_bytes()
    path.write_bytes(content[: int(at * len(content))])
    with pytest.raises(DocumentRefused, match=name):
        read(path)


def child(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_one_that_takes_too_long_is_given_up(tmp_path):
    with pytest.raises(DocumentRefused, match="was not read within 0 seconds"):
        text_of(tmp_path / "a.pdf", never, child("import time; time.sleep(60)"), patience=0.2)


def test_one_that_dies_gets_a_sentence(tmp_path):
    with pytest.raises(DocumentRefused, match=r"a\.pdf is damaged, or takes more memory"):
        text_of(tmp_path / "a.pdf", never, child("import os; os.abort()"))


def test_whoever_no_longer_wants_it_does_not_wait(tmp_path):
    began = time.monotonic()
    with pytest.raises(DocumentRefused):
        text_of(tmp_path / "a.pdf", lambda: True, child("import time; time.sleep(60)"))
    assert time.monotonic() - began < 10


def test_the_child_ends_with_its_parent(tmp_path):
    program = (
        "import desktop.documents as documents, pathlib, sys\n"
        "documents._text_in = lambda path: sys.stdout.write('begun') and sys.stdout.flush() or open(0).read()\n"
        "documents.run('a.pdf')"
    )
    process = subprocess.Popen(
        child(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=documents._environment()
    )
    with process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.read(5)
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process is held to an amount of memory")
def test_the_child_is_held_to_an_amount_of_memory():
    program = (
        "import desktop.documents as documents\n"
        "documents._text_in = lambda path: bytearray(3 << 30) and 'much'\n"
        "documents.run('a.pdf')"
    )
    with subprocess.Popen(
        child(program), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=documents._environment()
    ) as process:
        assert process.stderr is not None
        assert "MemoryError" in process.stderr.read()
    assert process.returncode == 1
