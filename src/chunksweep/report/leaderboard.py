"""The leaderboard: which configurations answer, and what they send for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.table import Table

from chunksweep.errors import ConfigError
from chunksweep.frontier import COST
from chunksweep.records import RunRecord
from chunksweep.report.frontier import front_ids
from chunksweep.report.labels import label, telling
from chunksweep.report.whole import WholeCorpus, whole_corpus

BEST_FIRST = "retrieval/answerable_at_1"
# Lower is better for what is paid, lost or spread thin.
LOWER_IS_BETTER = ("cost/", "time/", "chunks/truncated", "chunks/cut_facts", "chunks/effective_overlap")


@dataclass(frozen=True, slots=True)
class Column:
    """A metric under a short head; shares are shown in per cent, money with two decimals or more."""

    head: str
    metric: str
    share: bool = False
    money: bool = False

    def cell(self, record: RunRecord) -> str:
        """The value as shown; "-" where it is absent."""
        return self.written(record.metrics.get(self.metric))

    def written(self, value: float | None) -> str:
        """A value of this column as shown."""
        if value is None:
            return "-"
        if self.money:
            return f"{value:,.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"
        return f"{100 * value:.0f}%" if self.share else f"{value:,.0f}"


LEGEND = (
    "mean: characters a chunk. ans@1: the best passage alone answers. rec@3: facts in the best 3 chunks. "
    "answ: the passages sent answer. ceil: no ranking can do better. tokens, chars: sent a question."
)
EVERYTHING_SENT = "* everything sent: there was no more than that, so nothing was retrieved."
TRUNCATED = "chunks/truncated"
CUT_SHORT = "~ some chunks are longer than the embedding model reads: what stands beyond was not searched."
ON_FRONT = "^ on the front: no row that answers as much sends less, and none that sends as little answers more."
WHOLE = "no retrieval: the whole corpus sent for every question."
PRICED = "$/1k: US dollars for what 1,000 questions send."
COLUMNS = (
    Column("chunks", "chunks/count"),
    Column("mean", "chunks/mean_chars"),
    Column("ans@1", "retrieval/answerable_at_1", share=True),
    Column("rec@3", "retrieval/recall_at_3", share=True),
    Column("answ", "retrieval/answerable", share=True),
    Column("ceil", "retrieval/ceiling", share=True),
    Column("tokens", "cost/sent_tokens"),
    Column("chars", "cost/sent_chars"),
)
PRICE = Column("$/1k", "cost/usd_per_1k_questions", money=True)


def ordered(records: Sequence[RunRecord], sort: str = BEST_FIRST) -> list[RunRecord]:
    """Best first by a metric, then fewest sent tokens, then as given; rows without the metric last.

    Raises ConfigError for a metric that no row has.
    """
    names = sorted({name for record in records for name in record.metrics})
    if names and sort not in names:
        raise ConfigError(f"--sort {sort}: no run has that metric. Known: {', '.join(names)}.")
    sign = 1 if sort.startswith(LOWER_IS_BETTER) else -1
    endless = float("inf")
    return sorted(
        records,
        key=lambda record: (
            sign * record.metrics[sort] if sort in record.metrics else endless,
            record.metrics.get(COST, endless),
        ),
    )


def table(records: Sequence[RunRecord], sort: str = BEST_FIRST, limit: int | None = None) -> Table:
    """The leaderboard at 80 columns; names of configurations are wrapped, never cut."""
    shown = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), width=80, header_style="bold")
    shown.add_column("configuration", overflow="fold", ratio=1)
    columns = columns_of(records)
    for column in columns:
        shown.add_column(column.head, justify="right", no_wrap=True)
    extra = None if any(column.metric == sort for column in columns) else Column(sort.rpartition("/")[2], sort)
    if extra:
        shown.add_column(extra.head, justify="right", overflow="fold", max_width=9)
    keys = telling([record.params for record in records])
    front = front_ids(records)
    for record in ordered(records, sort)[:limit]:
        name = label(record.params, keys) + marks(record, front)
        if record.status == "FAILED":
            shown.add_row(f"{name} FAILED", *["-"] * (len(columns) + bool(extra)), style="red")
            continue
        value = [f"{record.metrics[sort]:.4g}" if sort in record.metrics else "-"] if extra else []
        shown.add_row(name, *(column.cell(record) for column in columns), *value)
    whole = whole_corpus(records)
    if whole:
        shown.add_row(unretrieved(whole), *unretrieved_cells(whole, columns), *["-"] * bool(extra), style="italic")
    return shown


def unretrieved(whole: WholeCorpus) -> str:
    """How the row is called that sends the whole corpus for every question."""
    return "no retrieval" if whole.fits else f"no retrieval: over {whole.window:,} tokens, cannot be sent"


def unretrieved_cells(whole: WholeCorpus, columns: Sequence[Column]) -> list[str]:
    """Its columns: it answers all where it fits the language model's window; nothing is ranked."""
    known = {
        "retrieval/answerable": 1.0 if whole.fits else None,
        "cost/sent_tokens": whole.tokens,
        "cost/sent_chars": whole.chars,
        PRICE.metric: whole.usd_per_1k_questions,
    }
    return [column.written(known.get(column.metric)) for column in columns]


def by_corpus(records: Sequence[RunRecord]) -> dict[str, list[RunRecord]]:
    """The runs of each corpus, under its name, in order: only those can be compared with each other."""
    groups: dict[str, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(str(record.params["corpus"]), []).append(record)
    return groups


def columns_of(records: Sequence[RunRecord]) -> tuple[Column, ...]:
    """The columns, with that of money where some row has a price."""
    return (*COLUMNS, PRICE) if any(PRICE.metric in record.metrics for record in records) else COLUMNS


def legend(records: Sequence[RunRecord]) -> list[str]:
    """What the columns and marks mean."""
    fronts = frozenset().union(*(front_ids(group) for group in by_corpus(records).values()))
    shown = "".join(marks(record, fronts) for record in records)
    priced = [PRICED] if PRICE in columns_of(records) else []
    whole = [WHOLE] if whole_corpus(records) else []
    return [LEGEND, *priced, *whole, *(text for text in (ON_FRONT, EVERYTHING_SENT, CUT_SHORT) if text[0] in shown)]


def marks(record: RunRecord, front: Collection[str] = ()) -> str:
    """What has to be known before a row is compared, after a blank.

    "^" it stands on the front, "*" everything was sent, "~" chunks were cut for the model

    front  run ids
    """
    found = "^" if record.run_id in front else ""
    found += ("*" if record.everything_sent else "") + ("~" if record.metrics.get(TRUNCATED) else "")
    return f" {found}" if found else ""
