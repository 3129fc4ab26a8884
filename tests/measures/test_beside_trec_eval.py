"""The measures of ranking beside those of trec_eval, through ir_measures.

trec_eval knows relevant documents; a fact held by one chunk alone, and no two by the same, is such a document. A fact
that a boundary cuts is a relevant document that is nowhere in the index.
"""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, Qrel, R, ScoredDoc, Success, nDCG
from tests.measures.builders import chunks, corpus, fact, question
from tests.measures.cells import CELL, ranking

from chunksweep.measures import evaluate

CUT_OFFS = (1, 3, 5, 10)
WORD = 4  # "w07 "


@pytest.mark.parametrize("seed", range(20))
def test_hit_recall_mrr_and_ndcg_are_those_of_trec_eval(seed):
    random = Random(seed)  # noqa: S311
    count = random.randint(1, 30)
    text = " ".join(f"w{row:02}" for row in range(count + 1))
    held = [random.sample(range(count), random.randint(0, min(4, count))) for _ in range(10)]
    cut = [random.randint(0 if rows else 1, 2) for rows in held]
    orders = [random.sample(range(count), count) for _ in held]
    measured = evaluate(
        replace(
            CELL,
            corpus=corpus(a=text),
            questions=tuple(
                question(
                    *(fact(("a", WORD * row, WORD * row + 3)) for row in rows),
                    *(fact(("a", WORD * count - 2, WORD * count + 2)) for _ in range(missing)),
                )
                for rows, missing in zip(held, cut, strict=True)
            ),
            chunks=chunks(*((0, WORD * row, WORD * row + 3) for row in range(count))),
            ranking=ranking(*orders),
            k=CUT_OFFS,
            chunk_tokens=np.ones(count, dtype=np.int64),
            passage_tokens=np.ones(count, dtype=np.int64),
            model_tokens=np.ones(count, dtype=np.int64),
        )
    )
    expected = by_trec_eval(held, cut, orders)
    for index, one in enumerate(measured.questions):
        facts = len(held[index]) + cut[index]
        assert one.values["retrieval/mrr"] == pytest.approx(expected[index, RR @ 10])
        for k in CUT_OFFS:
            assert one.values[f"retrieval/hit_at_{k}"] == expected[index, Success @ k]
            assert one.values[f"retrieval/recall_at_{k}"] == pytest.approx(expected[index, R @ k])
            # trec_eval divides by the best gain that k chunks can give, chunksweep by the number of facts.
            best = sum(1 / math.log2(1 + rank) for rank in range(1, min(facts, k) + 1))
            assert one.values[f"retrieval/ndcg_at_{k}"] == pytest.approx(expected[index, nDCG @ k] * best / facts)


def by_trec_eval(held, cut, orders):
    """(question, measure) -> value."""
    relevant = [
        Qrel(str(index), name, 1)
        for index, (rows, missing) in enumerate(zip(held, cut, strict=True))
        for name in [*map(str, rows), *(f"cut {number}" for number in range(missing))]
    ]
    retrieved = [
        ScoredDoc(str(index), str(row), float(len(order) - place))
        for index, order in enumerate(orders)
        for place, row in enumerate(order)
    ]
    measures = [RR @ 10, *(measure @ k for measure in (Success, R, nDCG) for k in CUT_OFFS)]
    found = ir_measures.iter_calc(measures, relevant, retrieved)
    return {(int(metric.query_id), metric.measure): metric.value for metric in found}
