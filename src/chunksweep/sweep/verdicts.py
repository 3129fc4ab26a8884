"""From the results of a sweep to its verdicts: one for each set of cells with the same corpus and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from chunksweep import stages
from chunksweep.errors import ConfigError
from chunksweep.records import CellResult, FloatArray, Question, RunRecord
from chunksweep.report.whole import whole_corpus
from chunksweep.settings import CorpusSettings, Settings
from chunksweep.sweep.values import documents_of
from chunksweep.verdict.conclude import Verdict, conclude, matches
from chunksweep.verdict.evidence import Cell, Evidence


def values_of(cell: Settings, result: CellResult) -> FloatArray:
    """float64 (questions,): what the verdict compares."""
    return np.array([question.values[cell.verdict.metric] for question in result.questions])


def require_baseline(cells: Sequence[Settings]) -> None:
    """Raises ConfigError unless the baseline that is named, if any, is exactly one cell of each corpus."""
    wanted = cells[0].verdict.baseline_params
    if not wanted:
        return
    for corpus in dict.fromkeys(cell.corpus for cell in cells):
        fitting = sum(matches(cell.params(), wanted) for cell in cells if cell.corpus == corpus)
        if fitting != 1:
            raise ConfigError(
                f"verdict.baseline={cells[0].verdict.baseline}: {fitting} cells of {corpus.name} are such, and one is "
                "needed. Give keys and values that fit a single cell of the grid."
            )


def verdicts_of(
    inputs: Mapping[CorpusSettings, stages.Inputs],
    records: Mapping[Settings, RunRecord],
    values: Mapping[Settings, FloatArray],
    names: Mapping[str, str],
    earlier: Mapping[str, int],
) -> Iterator[Verdict]:
    """The verdicts, in the order of the cells; none on a set of which fewer than two cells finished.

    values   of the cells that finished, as values_of gives them
    names    run id -> what the leaderboard calls the cell
    earlier  digest of a questions file -> sweeps on it before this one
    """
    sets: dict[tuple[str, str], list[Settings]] = {}
    for cell in records:
        of_cell = inputs[cell.corpus]
        sets.setdefault((of_cell.corpus_sha256, of_cell.questions_sha256), []).append(cell)
    for (_, questions_sha256), cells in sets.items():
        finished = [cell for cell in cells if cell in values]
        if len(finished) < 2:
            continue
        of_set = inputs[cells[0].corpus]
        whole = whole_corpus([records[cell] for cell in finished])
        evidence = Evidence(
            corpus=cells[0].corpus.name,
            metric=cells[0].verdict.metric,
            cells=tuple(_cell(records[cell], values[cell], names) for cell in finished),
            documents=tuple(documents_of(question) for question in of_set.questions),
            failed=len(cells) - len(finished),
            ambiguous=sum(_ambiguous(question) for question in of_set.questions),
            corpus_tokens=whole.tokens if whole else None,
            context_window=cells[0].context_window,
            earlier=earlier.get(questions_sha256, 0),
        )
        yield conclude(evidence, cells[0].verdict)


def _cell(record: RunRecord, values: FloatArray, names: Mapping[str, str]) -> Cell:
    return Cell(
        record.run_id,
        names[record.run_id],
        record.params,
        values,
        record.metrics["cost/sent_tokens"],
        record.everything_sent,
    )


def _ambiguous(question: Question) -> bool:
    return any(len(fact.places) > 1 for fact in question.facts)
