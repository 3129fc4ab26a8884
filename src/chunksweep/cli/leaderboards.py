"""Leaderboards, verdicts and the bill of indexing as `run`, `sweep` and `compare` print them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from chunksweep.cli.console import WIDTH, show
from chunksweep.indexing import INDEXING, read_bill
from chunksweep.records import RunRecord
from chunksweep.report import frontier, leaderboard
from chunksweep.report.indexing import sentence
from chunksweep.report.labels import label, telling
from chunksweep.report.verdict import Judged
from chunksweep.tracking import Store


def show_leaderboards(
    records: Sequence[RunRecord], sort: str = leaderboard.BEST_FIRST, limit: int | None = None
) -> None:
    """Prints a leaderboard for each corpus, and what its columns mean."""
    groups = leaderboard.by_corpus(records)
    for corpus, of_corpus in groups.items():
        if len(groups) > 1:
            print(f"{corpus}:")
        show(leaderboard.table(of_corpus, sort, limit))
        print()
        show_front(of_corpus)
    for text in leaderboard.legend(records):
        print(textwrap.fill(text, WIDTH))
    print()


def show_front(records: Sequence[RunRecord]) -> None:
    """Prints which cells of a corpus are worth their tokens."""
    keys = telling([record.params for record in records])
    names = {record.run_id: label(record.params, keys) for record in records}
    for text in frontier.sentences(records, names):
        print(textwrap.fill(text, WIDTH) + "\n")


def show_verdicts(judged: Sequence[Judged]) -> None:
    """Prints the verdicts in words."""
    for one in judged:
        print("Verdict. " + textwrap.fill(one.words[0], WIDTH, initial_indent=" " * len("Verdict. ")).lstrip())
        for text in one.words[1:]:
            print(textwrap.fill(text, WIDTH, initial_indent="- ", subsequent_indent="  "))
        print()


def show_bills(records: Sequence[RunRecord], judged: Sequence[Judged], store: Store) -> None:
    """Prints what indexing takes with each recommended cell, or with the cell that is alone."""
    chosen = {one.shape["recommended"] for one in judged}
    for record in records:
        if record.run_id in chosen or len(records) == 1:
            show_bill(record, label(record.params, telling([each.params for each in records])), store)


def show_bill(record: RunRecord, name: str, store: Store) -> None:
    """Prints what indexing takes with a cell, where its run says so: one that failed need not, nor one of old."""
    text = bill_of(record, name, store)
    if text is not None:
        print(textwrap.fill(text, WIDTH) + "\n")


def bill_of(record: RunRecord, name: str, store: Store) -> str | None:
    """What indexing takes with a cell, in a sentence; None where its run does not say."""
    text = store.artifact_if_any(record.run_id, INDEXING)
    return None if text is None else sentence(read_bill(text), name, record.metrics.get("cost/embedding_usd"))
