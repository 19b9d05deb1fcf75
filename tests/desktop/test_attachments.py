"""A file gives its text, in whatever encoding, or a sentence that says why it has none."""

from __future__ import annotations

import os

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
