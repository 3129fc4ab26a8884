"""`chunksweep chunks`: how one configuration splits the corpus."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from chunksweep import stages
from chunksweep.cli.arguments import QUOTING, Parser, add_store
from chunksweep.cli.cells import settings_of
from chunksweep.cli.console import show, show_json
from chunksweep.cli.files import writable, write
from chunksweep.errors import ConfigError
from chunksweep.measures.holding import Holders
from chunksweep.records import Chunks, Corpus, Question
from chunksweep.report import chunks as report
from chunksweep.report.cuts import cut_facts
from chunksweep.report.html.page import chunks_page
from chunksweep.report.labels import label, telling
from chunksweep.settings import Settings

WHAT = "Shows how one configuration splits the corpus: boundaries, sizes, prefix, facts that a boundary cuts."
EXAMPLE = f"""\
Every other argument goes to Hydra: KEY=VALUE sets a key. Nothing is embedded, but for the sentences that
chunker=semantic cuts by, and questions are not needed.

{QUOTING}
examples:
  chunksweep chunks chunker=fixed size=200 overlap=0.2
  chunksweep chunks corpus=handbook_headed prefix=path --format json
  chunksweep chunks chunker=fixed,recursive size=300 --html chunks.html
"""
LIMIT = 3
LISTED = 10


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser(
        "chunks",
        WHAT,
        EXAMPLE,
        "[--document ID] [--limit N] [--html FILE] [--format table|json] [--tracking-uri URI] [OVERRIDE ...]",
    )
    add_store(parser)
    parser.add_argument("--document", metavar="ID", help="this document alone; a unique end of its path will do")
    parser.add_argument(
        "--limit", metavar="N", type=_count, help=f"how many documents (default: {LIMIT} in a table, else all)"
    )
    parser.add_argument(
        "--html", metavar="FILE", help="write a page with a document at a time; two configurations stand side by side"
    )
    own, overrides = parser.parse_known_args(arguments)
    path = None if own.html is None else writable(own.html, "--html")
    cells = settings_of(overrides, "chunks")
    if cells is None:
        return 0
    require_few(cells, own)
    keys = telling([cell.params() for cell in cells])
    splits = [split_corpus(cell, own, label(cell.params(), keys)) for cell in cells]
    if path:
        write(path, chunks_page(splits))
    if own.format == "json":
        show_json(report.shape(splits[0]))
    elif path:
        print(f"{path}: " + "; ".join(f"{split.name}: {split.chunks:,} chunks" for split in splits))
    else:
        show(report.view(splits[0]))
    return 0


def require_few(cells: Sequence[Settings], own: argparse.Namespace) -> None:
    """Raises ConfigError for more configurations than can be shown together."""
    beside = own.html is not None and own.format == "table"
    if len(cells) > 1 + beside:
        shown = "two with --html" if beside else "one, or two beside each other with --html FILE"
        values = "two of one key" if beside else "each key one value"
        raise ConfigError(
            f"{len(cells)} configurations were given to chunks, which shows {shown}. Give {values}, or quote a comma "
            "that belongs to a value."
        )
    if len({cell.corpus for cell in cells}) > 1:
        raise ConfigError("two configurations stand beside each other on the same documents only. Give one corpus.")


def split_corpus(settings: Settings, own: argparse.Namespace, name: str) -> report.SplitCorpus:
    """Splits the corpus and finds the facts that are cut; only what is shown is tokenised.

    name  what the configuration is called

    Raises ChunksweepError for whatever is wrong with documents, questions or arguments.
    """
    corpus, questions = read(settings)
    asked = documents_of(corpus, own.document)
    limit = own.limit or (LIMIT if own.format == "table" and own.html is None else None)
    shown = asked[:limit]
    chunks = stages.split(settings, corpus, stages.part_vectors(settings, corpus))
    cut = cut_facts(corpus, chunks, holders_of(settings, corpus, chunks), questions or ())
    wanted = {corpus.documents[row].id for row in asked}
    return report.SplitCorpus(
        name=f"{settings.corpus.name}, {name}",
        documents=split_documents(settings, corpus, chunks, shown),
        chunks=len(chunks),
        characters=float((chunks.end - chunks.start).mean()),
        left_out=len(asked) - len(shown),
        unread=corpus.unread,
        facts=None if questions is None else sum(len(question.facts) for question in questions),
        cut=tuple(fact for fact in cut if any(item.place.document_id in wanted for item in fact.cuts)),
        sent=bool(settings.prefix.send),
    )


def read(settings: Settings) -> tuple[Corpus, tuple[Question, ...] | None]:
    """Documents, and questions where there are any."""
    if settings.corpus.questions_path is None:
        return stages.read_documents(settings.corpus), None
    inputs = stages.read_inputs(settings.corpus)
    return inputs.corpus, inputs.questions


def documents_of(corpus: Corpus, asked: str | None) -> list[int]:
    """The rows of the documents that were asked for: all, or the one with this id or the only one that ends so.

    Raises ConfigError where there is none or more than one.
    """
    ids = [document.id for document in corpus.documents]
    if asked is None:
        return list(range(len(ids)))
    if asked in ids:
        return [ids.index(asked)]
    fitting = [row for row, name in enumerate(ids) if name.endswith(asked)]
    if len(fitting) != 1:
        choice = [ids[row] for row in fitting] or ids
        more = f" and {len(choice) - LISTED} more" if len(choice) > LISTED else ""
        raise ConfigError(
            f"--document {asked}: {len(fitting)} documents end so. Choose one of {', '.join(choice[:LISTED])}{more}."
        )
    return fitting


def holders_of(settings: Settings, corpus: Corpus, chunks: Chunks) -> Holders:
    """Finds which chunks hold a fact, in their text or in a prefix that is sent."""
    return Holders(corpus, chunks, stages.prefixes(settings, corpus, chunks) if settings.prefix.send else None)


def split_documents(
    settings: Settings, corpus: Corpus, chunks: Chunks, rows: Sequence[int]
) -> tuple[report.SplitDocument, ...]:
    """The documents of these rows with their chunks."""
    kept = np.isin(chunks.document, rows)
    chunks = chunks.where(kept)
    texts = chunks.texts(corpus)
    embedded = stages.embedded_texts(settings, corpus, chunks, stages.prefixes(settings, corpus, chunks))
    tokens = stages.tokenizer_of(settings.tokenizer, settings.embedder).count(texts).tolist()
    of_document: dict[int, list[report.ShownChunk]] = {row: [] for row in rows}
    for index, (row, span) in enumerate(chunks.rows()):
        path = corpus.documents[row].section_path(span)
        before = embedded[index].removesuffix(texts[index])
        added = chunks.added_to(index)
        of_document[row].append(report.ShownChunk(span, path, tokens[index], before, added.text if added else ""))
    return tuple(report.SplitDocument(corpus.documents[row], tuple(shown)) for row, shown in of_document.items())


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: a whole number of at least 1 is needed")
    return int(text)
