"""Which reader reads which kind of file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from chunksweep.documents import markdown, plain
from chunksweep.records import Document

Reader = Callable[[str, str], Document]

READERS: dict[str, Reader] = {suffix: module.read for module in (markdown, plain) for suffix in module.SUFFIXES}


def reader_for(document_id: str) -> Reader | None:
    """The reader for the ending of the file's name, in any case; None where no reader takes it."""
    return READERS.get(PurePosixPath(document_id).suffix.lower())


def kinds() -> str:
    """The endings that are read, for messages: ".md, .markdown and .txt"."""
    *rest, last = READERS
    return f"{', '.join(rest)} and {last}"
