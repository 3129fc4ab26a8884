"""What may be concluded: which cells are out, which one to start with, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunksweep.records import FloatArray, IntArray
from chunksweep.settings import VerdictSettings
from chunksweep.verdict import power, warn
from chunksweep.verdict.clusters import Clusters, clusters_of, held_out
from chunksweep.verdict.comparisons import FLIPS, Comparisons, compare, identical
from chunksweep.verdict.effects import Effect, effects
from chunksweep.verdict.evidence import Cell, Evidence
from chunksweep.verdict.intervals import Interval, mean_interval
from chunksweep.verdict.stability import Stability, stability

ENOUGH_FOR_A_WINNER = 20
# Means that are equal in exact arithmetic may differ in the last digits.
EQUAL_WITHIN = 1e-9


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A cell that another beats: difference is the beater's mean minus its own, low and high hold for all pairs."""

    run_id: str
    beaten_by: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class AgainstBaseline:
    """A cell minus the baseline; low and high hold for all cells at once, None where there can be none."""

    run_id: str
    difference: float
    low: float | None
    high: float | None
    p: float


@dataclass(frozen=True, slots=True)
class Baseline:
    """Every other cell against the one that was named before the sweep."""

    run_id: str
    cells: tuple[AgainstBaseline, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A cell's mean with its own interval, None where there can be none; over so many questions and clusters."""

    run_id: str
    mean: float
    interval: Interval | None
    n: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on cells with the same corpus and questions.

    n             questions that were compared, those held out aside
    contenders    run ids of the cells that no cell beats, in the order of the grid
    recommended   the cheapest contender by sent tokens whose mean is within margin of the best
    status        "winner", "shown_equivalent" or "provisional"
    detectable    the difference that is shown with 80 % power; None where there is none or nothing is discordant
    more_questions  from how many to how many questions it takes beyond these to show a difference of margin
    optimism      by how much the best observed mean flatters, see Stability
    stability     run id -> share of the resamples in which its scores are best, see Stability
    cells, best, margin, alpha  what the words need besides
    """

    corpus: str
    metric: str
    n: int
    clusters: int
    cluster_unit: str
    contenders: tuple[str, ...]
    recommended: str | None
    status: str
    ruled_out: tuple[RuledOut, ...]
    detectable: float | None
    more_questions: tuple[int, int] | None
    optimism: float
    baseline: Baseline | None
    effects: tuple[Effect, ...]
    stability: Mapping[str, float]
    holdout: Score | None
    warnings: tuple[str, ...]
    cells: int
    best: Score
    margin: float
    alpha: float


def conclude(evidence: Evidence, rules: VerdictSettings, flips: int = FLIPS) -> Verdict:
    """The verdict on two cells or more.

    A cell that sends everything there is retrieved nothing. While another one exists it is compared, but it rules none
    out, since sending everything always wins by score alone; it is not recommended and stands in no winner's way.
    """
    clusters = clusters_of(evidence.documents, rules.cluster)
    split = held_out(clusters, rules.holdout, rules.seed)
    compared = evidence if split is None else evidence.only(split[0])
    grid = _Grid(compared, clusters if split is None else clusters.only(split[0]), rules, flips)
    recommended = grid.recommended
    baseline = grid.baseline(rules.baseline_params) if rules.baseline_params else None
    return Verdict(
        corpus=evidence.corpus,
        metric=evidence.metric,
        n=grid.n,
        clusters=grid.clusters.count,
        cluster_unit=grid.clusters.unit,
        contenders=tuple(grid.cells[row].run_id for row in grid.contenders),
        recommended=grid.cells[recommended].run_id,
        status=grid.status,
        ruled_out=grid.ruled_out,
        detectable=grid.detectable,
        more_questions=grid.more_questions,
        optimism=grid.stability.optimism,
        baseline=baseline,
        effects=effects(grid.cells, grid.clusters, rules.alpha),
        stability=grid.shares,
        holdout=None if split is None else _kept_for_last(evidence, clusters, split[1], recommended, rules),
        warnings=tuple(warn.warnings(evidence, grid.clusters, rules, split is not None, baseline is not None)),
        cells=len(grid.cells),
        best=_score(grid.cells[grid.best], grid.clusters, rules),
        margin=rules.margin,
        alpha=rules.alpha,
    )


def matches(cell: Mapping[str, object], wanted: Mapping[str, object]) -> bool:
    """Whether a cell's parameters are those that name a baseline."""
    return all(key in cell and cell[key] == value for key, value in wanted.items())


def _kept_for_last(
    evidence: Evidence, clusters: Clusters, questions: IntArray, row: int, rules: VerdictSettings
) -> Score:
    """The score of the recommended cell on the questions that took no part in choosing it."""
    return _score(evidence.only(questions).cells[row], clusters.only(questions), rules)


def _score(cell: Cell, clusters: Clusters, rules: VerdictSettings) -> Score:
    interval = mean_interval(cell.values, clusters, rules.alpha, rules.seed)
    return Score(cell.run_id, float(cell.values.mean()), interval, len(cell.values), clusters.count)


class _Grid:
    """The cells of a verdict and what follows from them; cells are meant by their row, groups by their number."""

    def __init__(self, evidence: Evidence, clusters: Clusters, rules: VerdictSettings, flips: int) -> None:
        self.cells = evidence.cells
        self.clusters = clusters
        self.rules = rules
        self.flips = flips
        self.n = len(evidence.documents)
        self.group = identical(evidence.scores)
        self.first_rows = np.unique(self.group, return_index=True)[1]
        self.sums = clusters.sums(evidence.scores[self.first_rows])
        self.means: FloatArray = self.sums.sum(axis=1) / self.n
        only_everything = all(cell.everything_sent for cell in self.cells)
        self.retrieving = [row for row, cell in enumerate(self.cells) if only_everything or not cell.everything_sent]

    @cached_property
    def compared(self) -> Comparisons:
        return compare(self.sums, self.n, self.rules.alpha, self.rules.seed, flips=self.flips)

    @cached_property
    def retrieving_groups(self) -> IntArray:
        return np.unique(self.group[self.retrieving])

    @cached_property
    def beater(self) -> dict[int, int]:
        """Group -> the group that beats it most clearly."""
        found = {}
        for loser in range(len(self.sums)):
            winners = [
                group
                for group in self.retrieving_groups.tolist()
                if self.compared.p[group, loser] <= self.rules.alpha and self.compared.difference[group, loser] > 0
            ]
            if winners:
                z = self.compared.difference[winners, loser] / self.compared.error[winners, loser]
                found[loser] = winners[int(z.argmax())]
        return found

    @cached_property
    def contenders(self) -> list[int]:
        return [row for row in range(len(self.cells)) if int(self.group[row]) not in self.beater]

    @cached_property
    def best(self) -> int:
        """The retrieving cell with the highest mean, the cheapest of them."""
        top = max(self._mean(row) for row in self.retrieving)
        return self._cheapest([row for row in self.retrieving if self._mean(row) >= top - EQUAL_WITHIN])

    @cached_property
    def recommended(self) -> int:
        least = self._mean(self.best) - self.rules.margin - EQUAL_WITHIN
        possible = set(self.contenders) & set(self.retrieving)
        return self._cheapest([row for row in sorted(possible) if self._mean(row) >= least])

    @property
    def status(self) -> str:
        remaining = {int(self.group[row]) for row in set(self.contenders) & set(self.retrieving)}
        if len(remaining) == 1 and self.beater and self.n >= ENOUGH_FOR_A_WINNER:
            return "winner"
        return "shown_equivalent" if self._equivalent() else "provisional"

    @property
    def ruled_out(self) -> tuple[RuledOut, ...]:
        return tuple(
            self._ruled_out(row, self.beater[group])
            for row, group in enumerate(self.group.tolist())
            if group in self.beater
        )

    @property
    def detectable(self) -> float | None:
        found = self._variances()
        return power.detectable_difference(float(np.median(found)), self.n, self._quantile()) if len(found) else None

    @property
    def more_questions(self) -> tuple[int, int] | None:
        found = self._variances()
        if not len(found):
            return None
        low, high = power.questions_range(self.rules.margin, found, self._quantile())
        return max(low - self.n, 0), max(high - self.n, 0)

    @cached_property
    def stability(self) -> Stability:
        return stability(self.sums[self.retrieving_groups], self.clusters.sizes, self.rules.seed)

    @property
    def shares(self) -> dict[str, float]:
        of_group = dict(zip(self.retrieving_groups.tolist(), self.stability.share.tolist(), strict=True))
        return {self.cells[row].run_id: of_group[int(self.group[row])] for row in self.retrieving}

    def baseline(self, wanted: Mapping[str, object]) -> Baseline | None:
        """The others against the cell with these parameters, None where it is not among those that finished."""
        row = next((row for row, cell in enumerate(self.cells) if matches(cell.params, wanted)), None)
        if row is None:
            return None
        group = int(self.group[row])
        compared = compare(self.sums, self.n, self.rules.alpha, self.rules.seed, against=group, flips=self.flips)
        others = [other for other in range(len(self.cells)) if other != row]
        return Baseline(
            self.cells[row].run_id,
            tuple(_against(self.cells[other].run_id, compared, int(self.group[other]), group) for other in others),
        )

    def _mean(self, row: int) -> float:
        return float(self.means[self.group[row]])

    def _cheapest(self, rows: Sequence[int]) -> int:
        """By sent tokens, then by score, then as given."""
        return min(rows, key=lambda row: (self.cells[row].sent_tokens, -self._mean(row)))

    def _ruled_out(self, row: int, beater: int) -> RuledOut:
        loser = int(self.group[row])
        difference = float(self.compared.difference[beater, loser])
        reach = self.compared.quantile * float(self.compared.error[beater, loser])
        by = self._cheapest([other for other in self.retrieving if self.group[other] == beater])
        return RuledOut(
            self.cells[row].run_id,
            self.cells[by].run_id,
            difference,
            difference - reach,
            difference + reach,
            float(self.compared.p[beater, loser]),
        )

    def _equivalent(self) -> bool:
        """Whether the simultaneous upper bound of every other cell minus the recommended one is within margin.

        Agreement on every question does not show that two cells are equal: c^2 / 2 clusters of the usual size are
        taken as discordant besides those that were, as Agresti and Coull 1998 add to a share. Of nothing discordant in
        n questions this leaves a bound of about 2.7 / n for a single pair, near the "rule of three".
        """
        quantile = max(self.compared.quantile, power.usual_quantile(self.rules.alpha, 1))
        unseen = quantile**2 / 2 * float((self.clusters.sizes**2).mean())
        mine = int(self.group[self.recommended])
        error = np.sqrt((self.n * self.compared.error[:, mine]) ** 2 + unseen) / self.n
        bounds = self.compared.difference[:, mine] + quantile * error
        return bool((bounds <= self.rules.margin).all())

    def _variances(self) -> FloatArray:
        return power.variances(self.compared.error, self.n, int(self.group[self.recommended]))

    def _quantile(self) -> float:
        if self.compared.bounded:
            return self.compared.quantile
        return power.usual_quantile(self.rules.alpha, self.compared.pairs)


def _against(run_id: str, compared: Comparisons, group: int, baseline: int) -> AgainstBaseline:
    difference, error = float(compared.difference[group, baseline]), float(compared.error[group, baseline])
    p = float(compared.p[group, baseline])
    if not compared.bounded or error == 0:
        return AgainstBaseline(run_id, difference, None, None, p)
    reach = compared.quantile * error
    return AgainstBaseline(run_id, difference, difference - reach, difference + reach, p)
