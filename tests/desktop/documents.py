"""PDF and Word files as tests need them: whole, locked, empty, and made to do harm."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from docx import Document
from pypdf import PdfReader, PdfWriter


def pdf(path: Path, *pages: str, password: str = "") -> Path:
    """A PDF with a line of text on each page; locked where a password is given."""
    content = raw_pdf(*(f"BT /F1 12 Tf 72 700 Td ({page}) Tj ET".encode() for page in pages))
    if not password:
        path.write_bytes(content)
        return path
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


def raw_pdf(*streams: bytes) -> bytes:
    """A PDF of pages with these content streams, compressed."""
    count = len(streams)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, stream in enumerate(streams):
        packed = zlib.compress(stream, 9)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + packed + b"\nendstream")
    text, places = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    text += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{text.rfind(b'xref')}\n%%EOF\n".encode()
    return bytes(text)


def word(path: Path) -> Path:
    """A Word file with a heading, paragraphs, a list and a table."""
    document = Document()
    document.add_heading("Rivers", level=1)
    document.add_paragraph("Why do they bend?")
    document.add_paragraph("Water is fast.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("x", "y", "1", "2|3"), strict=True):
        cell.text = text
    document.save(str(path))
    return path


def with_part(path: Path, name: str, content: bytes) -> Path:
    """The archive with another content for one of its parts, or with one more."""
    with zipfile.ZipFile(path) as archive:
        parts = {entry: archive.read(entry) for entry in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, text in {**parts, name: content}.items():
            archive.writestr(entry, text)
    return path
