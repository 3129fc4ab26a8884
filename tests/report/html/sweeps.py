"""Sweeps made by hand, as a report is given them."""

from __future__ import annotations

from chunksweep.logged import Row, SentPassage
from chunksweep.records import RunRecord, Span
from chunksweep.report.html.content import Part, SweepReport, cell_rows
from chunksweep.report.verdict import Judged

TEXT = "Cats creep close. Dogs dig deep dens.\n"
SWEEP = {
    "sweep_id": "20260102-030405-abcdef",
    "sweep_name": "pets",
    "status": "FINISHED",
    "started_ms": 1_767_323_045_000,
    "params": {"plan.distinct_cells": 4, "skipped.duplicate": 1, "skipped.impossible": 2},
}


def record(run_id, share, tokens, *, status="FINISHED", error=None, everything=False, **params):
    metrics = {
        "retrieval/answerable": share,
        "retrieval/answerable_at_1": share,
        "retrieval/recall_at_3": share,
        "retrieval/ceiling": 1.0,
        "cost/sent_tokens": tokens,
        "cost/sent_chars": 5 * tokens,
        "chunks/count": 7,
        "chunks/mean_chars": 40,
    }
    configured = {"corpus": "pets", "chunker": "fixed", "size": 100, "overlap": 0, "prefix": "none", **params}
    return RunRecord(run_id, status, configured, metrics if status == "FINISHED" else {}, everything, error)


def row(name, outcome, *spans, question="Do dogs dig?", fact="dig deep dens"):
    passages = tuple(SentPassage("pets.md", Span(*span), ("Pets",), 0.5) for span in spans)
    return Row(name, question, (fact,), outcome, 1 if outcome == "answered" else None, passages)


def verdict(*, recommended, contenders, ruled_out=(), effects=(), words=("Start with it.", "A warning.")):
    shape = {
        "corpus": "pets",
        "metric": "retrieval/answerable",
        "status": "provisional",
        "n": 10,
        "contenders": list(contenders),
        "recommended": recommended,
        "ruled_out": [{"run_id": out, "beaten_by": by, "difference": 0.5} for out, by in ruled_out],
        "effects": list(effects),
    }
    return Judged(shape, tuple(words))


def part(records, answers, judged=None, corpus="pets", **more):
    return Part(corpus, judged, cell_rows(records, judged), answers, {"pets.md": TEXT}, **more)


def pets(question="Do dogs dig?", fact="dig deep dens", reason="the disk is full"):
    """Three cells that finished and one that failed: b is as good as a for half the tokens, c is ruled out."""
    records = [
        record("a", 1.0, 400, size=400),
        record("b", 1.0, 200, size=200),
        record("c", 0.5, 250, size=200, overlap=0.2),
        record("d", 0, 0, status="FAILED", error=reason, size=800),
    ]
    answers = {
        "a": [row("one", "answered", (0, 37), question=question, fact=fact), row("two", "not first", (0, 37))],
        "b": [row("one", "answered", (18, 37), question=question, fact=fact), row("two", "answered", (0, 17))],
        "c": [row("one", "thin", (0, 26), question=question, fact=fact), row("two", "answered", (0, 17))],
    }
    effect = {"axis": "size", "a": 400, "b": 200, "pairs": 1, "difference": 0.0, "low": None, "high": None, "p": None}
    judged = verdict(recommended="b", contenders="ab", ruled_out=[("c", "b")], effects=[effect])
    return SweepReport(SWEEP, tuple(records), (part(records, answers, judged),))
