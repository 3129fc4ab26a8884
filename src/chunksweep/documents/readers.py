"""Which reader reads which kind of file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from chunksweep.documents import delimited, docx, html, json_lines, markdown, pdf, plain, restructured, source_code
from chunksweep.documents.decoding import text_of
from chunksweep.records import Document

Reader = Callable[[bytes, str, str], Document]
TextReader = Callable[[str, str], Document]


def of_text(read: TextReader) -> Reader:
    """A reader of files from a reader of texts; the file is decoded first."""

    def read_file(data: bytes, document_id: str, encoding: str) -> Document:
        return read(text_of(data, encoding), document_id)

    return read_file


def of_bytes(read: Callable[[bytes, str], Document]) -> Reader:
    """A reader of files from one that decodes by itself."""

    def read_file(data: bytes, document_id: str, encoding: str) -> Document:  # noqa: ARG001  it has its own
        return read(data, document_id)

    return read_file


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its name in messages, the endings of its files' names, and what reads them."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader


KINDS = (
    Kind("Markdown", markdown.SUFFIXES, of_text(markdown.read)),
    Kind("text", plain.SUFFIXES, of_text(plain.read)),
    Kind("HTML", html.SUFFIXES, of_text(html.read)),
    Kind("CSV", delimited.SUFFIXES, of_text(delimited.read)),
    Kind("PDF", pdf.SUFFIXES, of_bytes(pdf.read)),
    Kind("DOCX", docx.SUFFIXES, of_bytes(docx.read)),
    Kind("reStructuredText", restructured.SUFFIXES, of_text(restructured.read)),
    Kind("JSON Lines", json_lines.SUFFIXES, of_text(json_lines.read)),
    Kind("source", source_code.SUFFIXES, of_text(source_code.read)),
)
READERS = {suffix: kind.read for kind in KINDS for suffix in kind.suffixes}


def reader_for(document_id: str) -> Reader | None:
    """The reader for the ending of the file's name, in any case; None where no reader takes it.

    It is given the bytes of a file, the id of the document and the encoding of text without a byte order mark, and
    raises UnreadableError where it can make no document of them.
    """
    return READERS.get(PurePosixPath(document_id).suffix.lower())


def kinds() -> str:
    """What is read, for messages: "Markdown, text and HTML"."""
    *rest, last = (kind.name for kind in KINDS)
    return f"{', '.join(rest)} and {last}"
