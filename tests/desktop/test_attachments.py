"""A file gives its text, in whatever encoding, or a sentence that says why it has none."""

from __future__ import annotations

import io
import os
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.attachments import MOST_BYTES, AttachmentRefused, decoded, pasted, read
from desktop.documents import MOST_TEXT
from desktop.turns import Attachment
from tests.desktop.documents import pdf, word


def write(folder, name: str, content: bytes):
    path = folder / name
    path.write_bytes(content)
    return path


def test_a_file_of_text_is_its_text(tmp_path):
    path = write(tmp_path, "Bends.CSV", b"x,y\r\n1,2\r\n")
    assert read(path) == Attachment("Bends.CSV", "csv", 10, "x,y\n1,2\n")


@pytest.mark.parametrize("name", ["a.py", "README.md", "Makefile", ".bashrc", "a.odd-suffix"])
def test_whatever_it_is_called(tmp_path, name):
    assert read(write(tmp_path, name, b"text")).text == "text"


GERMAN = "Die Größe des Flusses ändert sich über die Jahre.\nÜbung macht den Meister."
FRENCH = "Voilà, l'été où le garçon a mangé à la maison."
ENCODED = [
    (GERMAN, "utf-8"),
    (GERMAN, "utf-8-sig"),
    (GERMAN, "utf-16"),
    (GERMAN, "utf-16-le"),
    (GERMAN, "utf-16-be"),
    (GERMAN, "utf-32"),
    (GERMAN, "latin-1"),
    ("Größe;Wert\n1;2\n", "cp1252"),
    (FRENCH, "cp1252"),
    ("“quotes” \u2013 dash…", "cp1252"),
    ("Zażółć gęślą jaźń, rzeka płynie.", "cp1250"),
    ("Привет, как дела? Река течёт.", "cp1251"),
    ("こんにちは、川はなぜ曲がるのですか。", "shift_jis"),
    ("河流为什么会弯曲。因为水在外侧流得更快。", "gb18030"),
]


@pytest.mark.parametrize(("text", "encoding"), ENCODED, ids=range(len(ENCODED)))
def test_its_encoding_is_found(tmp_path, text, encoding):
    assert read(write(tmp_path, "a.txt", text.encode(encoding))).text == text


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1))
def test_utf_8_is_never_taken_for_anything_else(text):
    assert decoded(text.encode(), "a.txt") == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.txt", b"", "a.txt is empty."),
        ("a.txt", b" \n\t\n", "a.txt is empty."),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.png is a picture"),
        ("photo", b"\xff\xd8\xff\xe0\0\x10JFIF", "photo is a picture"),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "a.webp is a picture"),
        ("a.mp3", b"ID3\x03\0\0\0\0", "a.mp3 is a sound or video file"),
        ("clip", b"\0\0\0\x20ftypisom\0\0\2\0", "clip is a sound or video file"),
        ("a.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0" * 40, "a.exe is not text"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "password; save it as"),
        ("a.rtf", b"{\\rtf1\\ansi Hello}", r"Rich Text"),
        ("a.txt", b"x" * (MOST_TEXT + 1), "a.txt is too long: 2,000,001 characters"),
        ("a.zip", b"PK\x03\x04 nothing", "a.zip is a damaged archive"),
    ],
)
def test_what_has_no_text_gets_a_sentence(tmp_path, name, content, words):
    with pytest.raises(AttachmentRefused) as refused:
        read(write(tmp_path, name, content))
    assert words in str(refused.value)


def archive(*names: str) -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w") as made:
        for name in names:
            made.writestr(name, "words " * 20)
    return content.getvalue()


AGAIN_AS_TEXT = "Get the file again, or rename it to end in .txt to attach it as it is."
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
NOT_OFFERED = (
    "is an Office file of the old kind, or one with a password; save it as .docx, .csv or .pdf, without a password."
)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.docx", b"plain words\n", f"is called a Word file but holds plain text. {AGAIN_AS_TEXT}"),
        ("a.DOC", b"plain words\n", f"is called a Word file but holds plain text. {AGAIN_AS_TEXT}"),
        ("a.pdf", "Größe\n".encode("utf-16"), f"is called a PDF but holds plain text. {AGAIN_AS_TEXT}"),
        ("a.xlsx", b"x,y\n1,2\n", f"is called an Excel file but holds plain text. {AGAIN_AS_TEXT}"),
        ("a.docx", b"<html><p>Sign in</html>", "is called a Word file but holds a web page. Get the file again"),
        (
            "a.pdf",
            b"\n<!DOCTYPE html><p>Sign in",
            "is called a PDF but holds a web page. Get the file again, or rename it to end in .html",
        ),
        ("a.docx", archive("notes.txt"), "is called a Word file, but is an archive without a document in it; get or"),
        (
            "a.docx",
            archive(),
            "is called a Word file, but is an archive without a document in it; get or save it again.",
        ),
        ("a.pdf", archive("notes.txt"), "is an archive; unpack it."),
        ("a.docx", OLD_OFFICE, NOT_OFFERED),
        ("a.pdf", OLD_OFFICE, NOT_OFFERED),
        ("a.doc", OLD_OFFICE, NOT_OFFERED),
        ("a.docx", archive("word/document.xml")[:90], "is a damaged archive. Get or save it again."),
        (
            "a.pdf",
            b"%PDF-1.7\n1 0 obj",
            "is damaged, or takes more memory than a document should. Get or save it again.",
        ),
        ("a.docx", b"", "is empty."),
        ("a.pdf", b"", "is empty."),
    ],
)
def test_what_is_called_a_document_and_is_none_gets_a_sentence(tmp_path, name, content, words):
    with pytest.raises(AttachmentRefused) as refused:
        read(write(tmp_path, name, content))
    assert str(refused.value).startswith(f"{name} {words}")


def test_a_locked_pdf_says_how_it_can_be_read(tmp_path):
    with pytest.raises(AttachmentRefused, match=r"a\.pdf has a password\. Save a copy without one\."):
        read(pdf(tmp_path / "a.pdf", "secret", password="word"))


def test_a_text_that_speaks_of_pdf_is_text(tmp_path):
    words = "A PDF begins with %PDF-1.7, an archive with PK."
    assert read(write(tmp_path, "a.md", words.encode())).text == words


def test_a_pdf_behind_a_few_words_of_a_printer_is_read(tmp_path):
    path = pdf(tmp_path / "a.pdf", "Why do rivers bend?")
    path.write_bytes(b"@PJL JOB\n" + path.read_bytes())
    assert read(path).text == "Why do rivers bend?"


def test_a_picture_that_only_begins_like_one_is_text(tmp_path):
    assert read(write(tmp_path, "a.txt", b"BMX riders bend")).text == "BMX riders bend"


def test_random_bytes_are_no_text(tmp_path):
    with pytest.raises(AttachmentRefused, match="is not text"):
        read(write(tmp_path, "noise.bin", bytes(range(256)) * 64))


def test_a_file_too_large_is_not_begun(tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(AttachmentRefused, match="too large: files of up to 64 MB"):
        read(path)


def test_a_folder_and_a_file_that_is_not_there_get_a_sentence(tmp_path):
    for path in (tmp_path, tmp_path / "gone.txt"):
        with pytest.raises(AttachmentRefused, match="is not a file"):
            read(path)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may read everything is refused nothing"
)
def test_a_file_that_may_not_be_read_gets_a_sentence(tmp_path):
    path = write(tmp_path, "a.txt", b"text")
    path.chmod(0)
    with pytest.raises(AttachmentRefused, match="cannot be read"):
        read(path)


def test_documents_are_read_by_what_they_are_not_by_what_they_are_called(tmp_path):
    assert read(pdf(tmp_path / "a.txt", "Why do rivers bend?")).text == "Why do rivers bend?"
    assert read(word(tmp_path / "b.docx")).kind == "docx"


def test_pasted_text_has_a_name_and_no_kind():
    assert pasted("Größe", "Pasted text") == Attachment("Pasted text", "", 7, "Größe")
