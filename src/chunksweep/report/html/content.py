"""What a report shows, as plain data."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chunksweep.frontier import pareto_front
from chunksweep.logged import Row as AnswerRow
from chunksweep.measures.outcomes import ANSWERED, NOT_FIRST, OUTCOMES
from chunksweep.records import RunRecord
from chunksweep.report import leaderboard
from chunksweep.report.html import plots
from chunksweep.report.html.drill import Drill
from chunksweep.report.labels import label, telling
from chunksweep.report.verdict import Judged
from chunksweep.report.whole import whole_corpus
from chunksweep.verdict.words import AXIS_WORDS, percent

TOKENS = "cost/sent_tokens"
HEADLINE = "retrieval/answerable"
# Bars of which a figure stays readable; the cells beyond stand in the leaderboard and the drill-down.
MOST_BARS = 20
STATUS_WORDS = {"winner": "Winner", "shown_equivalent": "Shown equivalent", "provisional": "Provisional"}


@dataclass(frozen=True, slots=True)
class CellRow:
    """A cell in the leaderboard.

    number  of its entry in the list of the front; None off the front
    state   what the verdict says of it
    """

    record: RunRecord
    name: str
    marks: str
    state: str = ""
    number: int | None = None
    recommended: bool = False

    @property
    def strategy(self) -> str:
        """The name of the chunker."""
        return str(self.record.params["chunker"])

    def value(self, metric: str) -> float | None:
        """A metric; None where the run has none of that name."""
        return self.record.metrics.get(metric)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with how many of the cells answer it."""

    position: int
    id: str
    text: str
    facts: tuple[str, ...]
    answered: int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The cells with the same corpus and questions.

    rows     finished cells, best first as in the terminal
    answers  run id -> rows of its questions, in the order of the questions file; {} where no run has any
    texts    document id -> text, of those that are still what they were
    missing  what cannot be shown, a line each
    costs    what is best at equal budget, and what indexing takes, a sentence each
    """

    corpus: str
    judged: Judged | None
    rows: tuple[CellRow, ...]
    answers: Mapping[str, Sequence[AnswerRow]]
    texts: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()

    @property
    def metric(self) -> str:
        """What the verdict compares."""
        return str(self.judged.shape["metric"]) if self.judged else HEADLINE

    @property
    def status(self) -> str | None:
        """The verdict in a word or two; None without one."""
        return STATUS_WORDS[self.judged.shape["status"]] if self.judged else None

    @property
    def unretrieved(self) -> list[str] | None:
        """The name and the columns of the row that sends the whole corpus; None where no run says what that takes."""
        whole = whole_corpus([row.record for row in self.rows])
        if whole is None:
            return None
        return [leaderboard.unretrieved(whole), *leaderboard.unretrieved_cells(whole, leaderboard.COLUMNS)]

    @property
    def recommended(self) -> CellRow | None:
        """The cell to start with."""
        return next((row for row in self.rows if row.recommended), None)

    @property
    def front(self) -> list[CellRow]:
        """The cells that no other beats in both quality and tokens, cheapest first."""
        return sorted((row for row in self.rows if row.number is not None), key=lambda row: row.number or 0)

    @property
    def questions(self) -> list[Question]:
        """Those that the fewest cells answer come first."""
        columns = list(zip(*self.answers.values(), strict=True))
        found = [
            Question(
                position,
                column[0].id,
                column[0].question,
                column[0].facts,
                sum(row.outcome in (ANSWERED, NOT_FIRST) for row in column),
            )
            for position, column in enumerate(columns)
        ]
        return sorted(found, key=lambda question: question.answered)

    @property
    def drill(self) -> Drill:
        """All that the drill-down needs."""
        shown = [row for row in self.rows if row.record.run_id in self.answers]
        return Drill([row.name for row in shown], [self.answers[row.record.run_id] for row in shown], self.texts)

    def frontier_figure(self) -> str:
        """Quality against tokens."""
        points = [
            plots.Point(
                row.record.metrics[TOKENS],
                row.record.metrics[self.metric],
                row.strategy,
                row.number,
                row.recommended,
                row.record.everything_sent,
            )
            for row in self.rows
        ]
        return plots.frontier(points, self.metric.rpartition("/")[2])

    def effects_figure(self) -> str | None:
        """Main effects; None where no two cells differ in one axis alone."""
        bars = [
            plots.Bar(
                f"{AXIS_WORDS.get(effect['axis'], effect['axis'])} {effect['a']} against {effect['b']}",
                100 * effect["difference"],
                None if effect["low"] is None else 100 * effect["low"],
                None if effect["high"] is None else 100 * effect["high"],
                _strength(effect),
            )
            for effect in (self.judged.shape["effects"] if self.judged else ())
        ]
        metric = self.metric.rpartition("/")[2]
        return plots.contrasts(bars[:MOST_BARS], f"difference in {metric} (points)") if bars else None

    def heat_maps(self) -> Iterator[tuple[str, str]]:
        """Strategy and figure of the metric over size and overlap, where there are several of either."""
        for strategy in dict.fromkeys(row.strategy for row in self.rows):
            grid: dict[tuple[Any, Any], list[float]] = {}
            for row in self.rows:
                params = row.record.params
                if row.strategy == strategy and params.get("size") is not None:
                    at = params["size"], params.get("overlap") or 0
                    grid.setdefault(at, []).append(row.record.metrics[self.metric])
            if len(grid) > 1:
                yield strategy, _heat_map(grid, strategy, self.metric.rpartition("/")[2])

    def lost_figure(self) -> str | None:
        """Where questions were lost, of the first cells of the leaderboard; None where no run says."""
        shown = [row for row in self.rows if row.record.run_id in self.answers][:MOST_BARS]
        counts = {
            row.name: [sum(answer.outcome == part for answer in self.answers[row.record.run_id]) for part in OUTCOMES]
            for row in shown
        }
        return plots.stacked_bars(counts, OUTCOMES, "questions") if counts else None

    @property
    def not_in_lost_figure(self) -> int:
        """Cells that the figure has no room for."""
        return max(len(self.answers) - MOST_BARS, 0)


def _strength(effect: Mapping[str, Any]) -> str:
    pairs = f"{effect['pairs']} pair{'' if effect['pairs'] == 1 else 's'}"
    if effect["p"] is None:
        return pairs
    return f"p {'< 0.01' if effect['p'] < 0.01 else format(effect['p'], '.2f')}, {pairs}"


def _heat_map(grid: Mapping[tuple[Any, Any], Sequence[float]], strategy: str, metric: str) -> str:
    """The mean of the cells that share size and overlap."""
    sizes = sorted({size for size, _ in grid})
    overlaps = sorted({overlap for _, overlap in grid})
    shares = np.array(
        [
            [np.mean(grid[size, overlap]) if (size, overlap) in grid else np.nan for overlap in overlaps]
            for size in sizes
        ]
    )
    title = f"{metric} of {strategy} by size and overlap (% of questions)"
    return plots.heat_map(
        shares, [str(size) for size in sizes], [str(overlap) for overlap in overlaps], title, ("size", "overlap")
    )


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A sweep as it is reported; `sweep` as Store.sweep() gives it."""

    sweep: Mapping[str, Any]
    records: tuple[RunRecord, ...]
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Sweep {self.sweep['sweep_name'] or self.sweep['sweep_id']}"

    @property
    def began(self) -> str:
        """When, in UTC."""
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self.sweep["started_ms"] / 1000))

    @property
    def counts(self) -> dict[str, Any]:
        """What was planned, and what became of it."""
        params = self.sweep["params"]
        finished = sum(record.status == "FINISHED" for record in self.records)
        failed = sum(record.status == "FAILED" for record in self.records)
        planned = params.get("plan.distinct_cells", finished + failed)
        return {
            "planned": planned,
            "finished": finished,
            "failed": failed,
            "never begun": max(planned - finished - failed, 0),
            "duplicates, run once": params.get("skipped.duplicate", 0),
            "impossible, dropped": params.get("skipped.impossible", 0),
        }

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Name and reason of the cells that failed."""
        keys = telling([record.params for record in self.records])
        return [
            (label(record.params, keys), record.error or "no reason was logged")
            for record in self.records
            if record.status == "FAILED"
        ]

    def strategies_figure(self) -> str | None:
        """The strategies on each corpus: mean of their cells, and from the worst to the best; None for one corpus."""
        if len(self.parts) < 2:
            return None
        strategies = dict.fromkeys(row.strategy for part in self.parts for row in part.rows)
        bars = {strategy: [_bar(strategy, part) for part in self.parts] for strategy in strategies}
        metric = self.parts[0].metric.rpartition("/")[2]
        return plots.grouped_bars(bars, [part.corpus for part in self.parts], f"{metric} (% of questions)")


def _bar(strategy: str, part: Part) -> plots.Bar | None:
    values = [100 * row.record.metrics[part.metric] for row in part.rows if row.strategy == strategy]
    return plots.Bar(strategy, float(np.mean(values)), min(values), max(values)) if values else None


def cell_rows(records: Sequence[RunRecord], judged: Judged | None) -> tuple[CellRow, ...]:
    """The finished cells of one corpus, best first, with what the verdict says of each."""
    finished = [record for record in leaderboard.ordered(records) if record.status == "FINISHED"]
    keys = telling([record.params for record in records])
    metric = judged.shape["metric"] if judged else HEADLINE
    numbers = {record.run_id: number for number, record in enumerate(pareto_front(finished, metric), 1)}
    names = {record.run_id: label(record.params, keys) for record in finished}
    return tuple(
        CellRow(
            record,
            names[record.run_id],
            leaderboard.marks(record).strip(),
            _state(record, judged, names),
            numbers.get(record.run_id),
            judged is not None and record.run_id == judged.shape["recommended"],
        )
        for record in finished
    )


def _state(record: RunRecord, judged: Judged | None, names: Mapping[str, str]) -> str:
    if judged is None:
        return ""
    for out in judged.shape["ruled_out"]:
        if out["run_id"] == record.run_id:
            by = names.get(out["beaten_by"], out["beaten_by"][:8])
            return f"ruled out by {by} ({percent(out['difference'])} points)"
    return "start here" if record.run_id == judged.shape["recommended"] else "possible"
