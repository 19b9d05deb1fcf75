"""Files to text that goes along with a prompt.

A file is what its first bytes say, not what it is called. Nothing is believed of it: how large it is, how far it
expands, how long it takes. It is read off Qt's thread, PDF and Word files in a process of their own (see
`desktop.documents`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from desktop.documents import MOST_TEXT, DocumentRefused, text_of
from desktop.turns import Attachment
from inference import Sentence

MOST_BYTES = 64 << 20  # of a file

_HEAD = 4_096
_SAMPLE = 64 << 10  # enough to tell how a text is encoded
_MOST_CONTROLS = 0.02  # of what is a text
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")

_PDF = b"%PDF-"
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06")  # the second holds nothing
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # also what new ones with a password are wrapped in
_RTF = b"{\\rtf"
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_PICTURE = Sentence("a picture; only text can be read")
_SOUND = Sentence("a sound or video file; only text can be read")
_BOXED = {b"ftypavif": _PICTURE, b"ftypheic": _PICTURE, b"ftypmif1": _PICTURE, b"ftyp": _SOUND}
_CALLED = {
    _PICTURE: ("png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "avif", "heic", "ico"),
    _SOUND: ("mp3", "wav", "ogg", "oga", "opus", "flac", "m4a", "mp4", "mkv", "webm", "avi", "mov"),
}
_DOCUMENTS = {
    Sentence("a PDF"): ("pdf",),
    Sentence("a Word file"): ("docx", "docm", "doc"),
    Sentence("an Excel file"): ("xlsx", "xlsm", "xls"),
    Sentence("a PowerPoint file"): ("pptx", "pptm", "ppt"),
    Sentence("an OpenDocument file"): ("odt", "ods", "odp"),
}
_WEB_PAGE = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_WESTERN = "cp1252"
_WESTERN_SIGNS = frozenset(
    "àâäáãåæçèéêëìíîïñòóôõöøùúûüýÿßœÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝŒ€£§©®°«»¡¿·ªº\u00a0"
    "\u2018\u2019\u201a\u201c\u201d\u201e\u2013\u2014\u2022\u2026"  # quotation marks, dashes, bullet, ellipsis
)
_MOST_BEYOND = 0.7  # of the letters of words that have any
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class AttachmentRefused(Exception):
    """A file has no text that can go along; `str()` of it is a sentence for the person."""


def never() -> bool:
    """Nobody stops it."""
    return False


def read(path: Path, stopped: Callable[[], bool] = never) -> Attachment:
    """The text of a file: text of any kind and encoding, PDF, Word (.docx). It may take a minute; it ends soon after
    `stopped` says so.

    Raises:
        AttachmentRefused: there is none that can be read.
    """
    try:
        if not path.is_file():
            raise AttachmentRefused(Sentence("{name} is not a file.", name=path.name))
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise AttachmentRefused(
                Sentence(
                    "{name} is too large: files of up to {megabytes} MB can be attached.",
                    name=path.name,
                    megabytes=MOST_BYTES >> 20,
                )
            )
        text = _text_of(path, stopped)
    except DocumentRefused as refusal:
        raise AttachmentRefused(str(refusal)) from refusal
    except OSError as error:
        reason = error.strerror or str(error)
        raise AttachmentRefused(Sentence("{name} cannot be read: {reason}.", name=path.name, reason=reason)) from error
    return Attachment(path.name, _suffix(path), size, _checked(text, path.name))


def pasted(text: str, name: str) -> Attachment:
    """Text from the clipboard as an attachment."""
    return Attachment(name, "", len(text.encode("utf-8", "replace")), text)


def _text_of(path: Path, stopped: Callable[[], bool]) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        if _is_document(head, path):
            return text_of(path, stopped)
        if kind := _kind_that_is_no_text(head, path):
            raise AttachmentRefused(Sentence("{name} is {kind}.", name=path.name, kind=kind))
        text = decoded(head + file.read(MOST_BYTES - len(head)), path.name)
    if text.strip():
        _check_its_name(path, text)
    return text


def _is_document(head: bytes, path: Path) -> bool:
    """Whether it is a PDF or an archive. Some PDFs have a few words of a mail or a printer before them; a text may
    speak of PDFs."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((_PDF, *_ZIPS)) or (_PDF in head[:1024] and _suffix(path) in ("", "pdf"))


def _check_its_name(path: Path, text: str) -> None:
    """A text that is called a document is mostly what a download left instead of it: whoever attaches it means another.

    Raises:
        AttachmentRefused: it is called one.
    """
    kind = next((kind for kind, suffixes in _DOCUMENTS.items() if _suffix(path) in suffixes), None)
    if kind is None:
        return
    is_page = _WEB_PAGE.match(text)
    raise AttachmentRefused(
        Sentence(
            "{name} is called {kind} but holds {what}. Get the file again, or rename it to end in .{suffix} to attach "
            "it as it is.",
            name=path.name,
            kind=kind,
            what=Sentence("a web page") if is_page else Sentence("plain text"),
            suffix="html" if is_page else "txt",
        )
    )


def _suffix(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _kind_that_is_no_text(head: bytes, path: Path) -> Sentence | None:
    """What a file is that people take for text, or try all the same; nothing where it may be one."""
    if head.startswith(_OLD_OFFICE):
        return Sentence(
            "an Office file of the old kind, or one with a password; save it as .docx, .csv or .pdf, without a password"
        )
    if head.startswith(_RTF):
        return Sentence("Rich Text (.rtf); save it as .docx or as plain text")
    for mark, kind in _BOXED.items():
        if head[4:].startswith(mark):
            return kind
    if not _CONTROLS.search(head):
        return None
    called = next((kind for kind, suffixes in _CALLED.items() if _suffix(path) in suffixes), None)
    return called or (_PICTURE if head.startswith(_PICTURES) else None)


def decoded(content: bytes, name: str) -> str:
    """A file's content as text, in the encoding it most likely has.

    Raises:
        AttachmentRefused: it is no text.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content.decode(_guessed_encoding(content, name), "replace")
    if _share_of_controls(content[:_SAMPLE]) <= _MOST_CONTROLS:
        return text
    return content.decode(_guessed_encoding(content, name), "replace")


def _guessed_encoding(content: bytes, name: str) -> str:
    if wide := _wide_encoding(content[:_SAMPLE]):
        return wide
    sample = content[:_SAMPLE]
    if _share_of_controls(sample) <= _MOST_CONTROLS:
        if _is_western(sample):
            return _WESTERN
        from charset_normalizer import from_bytes  # takes a while, and most files are UTF-8

        # To the end of a line: no character is cut in two there.
        best = from_bytes(sample[: sample.rfind(b"\n") + 1] or sample).best()
        if best is not None:
            return best.encoding
    raise AttachmentRefused(Sentence("{name} is not text, or in an encoding that is not known.", name=name))


def _is_western(sample: bytes) -> bool:
    """Whether it is in letters of western Europe, few of them beyond ASCII: of those, statistics say little."""
    try:
        text = sample.decode(_WESTERN)
    except UnicodeDecodeError:
        return False
    marked = "".join(word for word in re.findall(r"\w+", text) if not word.isascii())
    beyond = [letter for letter in marked if not letter.isascii()]
    return set(re.sub(r"[\x00-\x7f]", "", text)) <= _WESTERN_SIGNS and len(beyond) <= _MOST_BEYOND * len(marked)


def _wide_encoding(sample: bytes) -> str:
    """UTF-16 without a mark: of mostly Latin text, every other byte is zero."""
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = max(1, len(sample) // 2)
    if odd > half // 2 and even <= half // 20:
        return "utf-16-le"
    return "utf-16-be" if even > half // 2 and odd <= half // 20 else ""


def _share_of_controls(sample: bytes) -> float:
    return len(_CONTROLS.findall(sample)) / max(1, len(sample))


def _checked(text: str, name: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise AttachmentRefused(Sentence("{name} is empty.", name=name))
    if len(text) > MOST_TEXT:
        raise AttachmentRefused(
            Sentence(
                "{name} is too long: {length:,} characters. Up to {most:,} can be attached; take a part of it.",
                name=name,
                length=len(text),
                most=MOST_TEXT,
            )
        )
    return text
