"""Throughput of every strategy, beside the library that it wraps: MB of text a second on one core.

python -m benchmarks.splitting --characters 40000 --out docs/throughput.md
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.machine import described
from benchmarks.text import write_corpus
from chunksweep.chunkers import known, make, ruler_of, split_document
from chunksweep.chunkers.base import Chunker, VectorChunker
from chunksweep.chunkers.library import LibraryChunker
from chunksweep.documents import load_corpus, plain
from chunksweep.embedders.test import WordInitials
from chunksweep.errors import ChunkingError, ChunksweepError
from chunksweep.paths import PACKAGE
from chunksweep.records import Document, Vectors
from chunksweep.tokens import load_tokenizer

CHARACTERS = 40_000
# The same size for all that take one in characters or tokens.
UNITS: Mapping[str, int] = {"characters": 400, "tokens": 128}
LEAST_SECONDS = 0.5


HEAD = """\
# Throughput of splitting

Written by `python -m benchmarks.splitting` in a clone: MB of UTF-8 a second of CPU on one core, of {characters:,}
characters of made-up Markdown, for `code` as much of chunksweep's own source. {machine}

Chunks of 400 characters or 128 tokens (o200k) without overlap. A library alone is called as a sweep calls it, without
its chunks being placed in the document: that is what the rest of the time goes to. Strategies that cut by vectors have
these given, since embedding the sentences costs far more than all that stands here.

| strategy | unit | MB/s | the library alone, MB/s | of its speed |
|---|---|---|---|---|
"""


def main() -> int:
    """Prints the table, or writes it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    page = HEAD.format(characters=given.characters, machine=described())
    page += "".join(
        f"| {' | '.join(cells)} |\n" for name in known() for cells in rows(name, texts(name, given.characters))
    )
    if given.out:
        given.out.write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)
    return 0


def texts(name: str, characters: int) -> Sequence[Document]:
    """What a strategy is given to cut."""
    if name == "code":
        files = sorted(PACKAGE.rglob("*.py"))
        lengths = accumulate(path.stat().st_size for path in files)
        chosen = [path for path, length in zip(files, lengths, strict=True) if length <= characters]
        return [plain.read(path.read_text(encoding="utf-8"), path.name) for path in chosen]
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), characters, 1)
        return load_corpus(Path(folder) / "docs", (), (), "utf-8", None).documents


def rows(name: str, documents: Sequence[Document]) -> list[list[str]]:
    """The rows of a strategy: one for each unit that it is measured in."""
    found = []
    for unit, size in UNITS.items():
        try:
            found.append(row(name, make(name, {"unit": unit}, size), documents))
        except TypeError:  # sizes of another kind, or none
            return [row(name, make(name, {}), documents)]
        except ChunksweepError as error:
            reason = "cannot cut this text" if isinstance(error, ChunkingError) else str(error)
            found.append([f"`{name}`", unit, reason, "", ""])
    return found


def row(name: str, chunker: Chunker, documents: Sequence[Document]) -> list[str]:
    """One line of the table."""
    sizing = chunker.sizing()
    vectors = [vectors_of(chunker, document) for document in documents]
    ours = rate(lambda: cut_all(chunker, documents, vectors), documents)
    cells = [f"`{name}`", sizing.unit if sizing else "", f"{ours:.2f}"]
    if not isinstance(chunker, LibraryChunker) or isinstance(chunker, VectorChunker):
        return [*cells, "", ""]
    library = rate(lambda: call_all(chunker, documents), documents)
    return [*cells, f"{library:.2f}", f"{ours / library:.0%}"]


def cut_all(chunker: Chunker, documents: Sequence[Document], vectors: Sequence[Vectors | None]) -> None:
    """All that a sweep does to split."""
    tokenizer = load_tokenizer("o200k")
    for document, of_document in zip(documents, vectors, strict=True):
        split_document(chunker, document, tokenizer, of_document)


def call_all(chunker: LibraryChunker, documents: Sequence[Document]) -> None:
    """The library alone."""
    tokenizer = load_tokenizer("o200k")
    for document in documents:
        list(chunker.texts(document, ruler_of(chunker, document, tokenizer)))


def vectors_of(chunker: Chunker, document: Document) -> Vectors | None:
    """What the strategy cuts by, if anything."""
    return WordInitials().embed(chunker.reads(document), "passage") if isinstance(chunker, VectorChunker) else None


def rate(work: Callable[[], Any], documents: Sequence[Document]) -> float:
    """MB of UTF-8 a second of CPU, the first call, which imports what is needed, left out."""
    work()
    rounds, began = 0, time.process_time()
    while (seconds := time.process_time() - began) < LEAST_SECONDS or rounds == 0:
        work()
        rounds += 1
    return rounds * sum(len(document.text.encode()) for document in documents) / 1e6 / seconds


if __name__ == "__main__":
    sys.exit(main())
