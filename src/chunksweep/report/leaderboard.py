"""The leaderboard: which configurations answer, and what they send for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from chunksweep.errors import ConfigError
from chunksweep.records import RunRecord
from chunksweep.report.labels import label, telling

BEST_FIRST = "retrieval/answerable_at_1"
COST = "cost/sent_tokens"
# Lower is better for what is paid, lost or spread thin.
LOWER_IS_BETTER = ("cost/", "time/", "chunks/truncated", "chunks/cut_facts", "chunks/effective_overlap")


@dataclass(frozen=True, slots=True)
class Column:
    """A metric under a short head; shares are shown in per cent."""

    head: str
    metric: str
    share: bool = False

    def cell(self, record: RunRecord) -> str:
        """The value as shown; "-" where it is absent."""
        value = record.metrics.get(self.metric)
        if value is None:
            return "-"
        return f"{100 * value:.0f}%" if self.share else f"{value:,.0f}"


LEGEND = (
    "mean: characters a chunk. ans@1: the best passage alone answers. rec@3: facts in the best 3 chunks. "
    "answ: the passages sent answer. ceil: no ranking can do better. tokens, chars: sent a question."
)
EVERYTHING_SENT = "* everything sent: there was no more than that, so nothing was retrieved."
TRUNCATED = "chunks/truncated"
CUT_SHORT = "~ some chunks are longer than the embedding model reads: what stands beyond was not searched."
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
    for column in COLUMNS:
        shown.add_column(column.head, justify="right", no_wrap=True)
    extra = None if any(column.metric == sort for column in COLUMNS) else Column(sort.rpartition("/")[2], sort)
    if extra:
        shown.add_column(extra.head, justify="right", overflow="fold", max_width=9)
    keys = telling([record.params for record in records])
    for record in ordered(records, sort)[:limit]:
        name = label(record.params, keys) + marks(record)
        if record.status == "FAILED":
            shown.add_row(f"{name} FAILED", *["-"] * (len(COLUMNS) + bool(extra)), style="red")
            continue
        value = [f"{record.metrics[sort]:.4g}" if sort in record.metrics else "-"] if extra else []
        shown.add_row(name, *(column.cell(record) for column in COLUMNS), *value)
    return shown


def by_corpus(records: Sequence[RunRecord]) -> dict[str, list[RunRecord]]:
    """The runs of each corpus, under its name, in order: only those can be compared with each other."""
    groups: dict[str, list[RunRecord]] = {}
    for record in records:
        groups.setdefault(str(record.params["corpus"]), []).append(record)
    return groups


def legend(records: Sequence[RunRecord]) -> list[str]:
    """What the columns and marks mean."""
    shown = "".join(map(marks, records))
    return [LEGEND, *(text for text in (EVERYTHING_SENT, CUT_SHORT) if text[0] in shown)]


def marks(record: RunRecord) -> str:
    """What has to be known before a row is compared: " *" everything was sent, " ~" chunks were cut for the model."""
    found = ("*" if record.everything_sent else "") + ("~" if record.metrics.get(TRUNCATED) else "")
    return f" {found}" if found else ""
