"""Main effects: which cells form a contrast, and Holm's correction."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from tests.verdict.grids import Row, evidence, of_size

from chunksweep.verdict.effects import effects, holm

ALPHA = 0.05


def found(rows, documents=None):
    cells = evidence({f"{number}": row for number, row in enumerate(rows)}).cells
    return effects(cells, of_size(1, len(cells[0].values)), ALPHA)


def contrasts(*params):
    scores = ["10", "01", "11", "00", "10", "01"]
    rows = [Row(at, params=each) for at, each in zip(scores, params, strict=False)]
    return [(effect.axis, effect.a, effect.b, effect.pairs) for effect in found(rows)]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        pytest.param([{"size": 200}, {"size": 400}], [("size", 400, 200, 1)], id="larger minus smaller"),
        pytest.param([{"size": 200, "send": 1}, {"size": 400, "send": 3}], [], id="another axis differs too"),
        pytest.param(
            [{"size": size, "overlap": overlap} for size in (200, 400) for overlap in (0, 0.2)],
            [("size", 400, 200, 2), ("overlap", 0.2, 0, 2)],
            id="pairs of both axes",
        ),
        pytest.param([{"size": None}, {"size": 400}], [], id="no size is no size to compare"),
        pytest.param(
            [{"prefix": "none", "prefix.send": None}, {"prefix": "path", "prefix.send": False}],
            [("prefix", "none", "path", 1)],
            id="a prefix brings its options",
        ),
        pytest.param(
            [{"embedder": "test", "embedder.seed": 1}, {"embedder": "minilm"}],
            [("embedder", "minilm", "test", 1)],
            id="a model brings its options",
        ),
        pytest.param(
            [
                {"retriever": "dense", "embedder": "test", "retriever.expand": "none"},
                {"retriever": "bm25", "embedder": "none", "retriever.k1": 1, "retriever.expand": "none"},
                {"retriever": "hybrid", "embedder": "minilm", "retriever.k1": 1, "retriever.expand": "none"},
            ],
            [("retriever", "bm25", "dense", 1), ("retriever", "bm25", "hybrid", 1)],
            id="a retriever brings its options, but no other model",
        ),
        pytest.param(
            [{"retriever.expand": "none"}, {"retriever.expand": "parent", "retriever.parent_size": 1}],
            [("retriever.expand", "none", "parent", 1)],
            id="an expansion brings its options",
        ),
        pytest.param([{"chunker": "a"}, {"chunker": "b"}], [], id="the strategy is no main effect"),
    ],
)
def test_contrasts(params, expected):
    assert contrasts(*params) == expected


def test_an_effect_is_averaged_over_pairs_per_question():
    rows = [
        Row("1110", params={"size": 2, "send": 1}),
        Row("0110", params={"size": 1, "send": 1}),
        Row("1111", params={"size": 2, "send": 3}),
        Row("0011", params={"size": 1, "send": 3}),
    ]
    (effect,) = found(rows)
    averaged = np.array([1.0, 0.5, 0.0, 0.0])
    expected = stats.ttest_1samp(averaged, 0)
    bounds = expected.confidence_interval(0.95)
    assert effect.difference == pytest.approx(0.375)
    assert bounds.high > 1  # which no difference of shares can be
    assert (effect.low, effect.high, effect.p) == pytest.approx((bounds.low, 1.0, expected.pvalue))


def test_holm_over_the_contrasts():
    rows = [
        Row("11111111", params={"size": 3}),
        Row("11110000", params={"size": 2}),
        Row("11000000", params={"size": 1}),
    ]
    made = {(effect.a, effect.b): effect.p for effect in found(rows)}
    scores = {size: np.array([float(at) for at in row.scores]) for size, row in zip((3, 2, 1), rows, strict=True)}
    raw = {pair: float(stats.ttest_rel(scores[pair[0]], scores[pair[1]]).pvalue) for pair in made}
    # Step down by hand: the smallest times three, the next times two, the last as it is, never falling.
    first, second, third = sorted(raw, key=raw.__getitem__)
    expected = [3 * raw[first]]
    expected.append(max(expected[-1], 2 * raw[second]))
    expected.append(max(expected[-1], raw[third]))
    assert [made[first], made[second], made[third]] == pytest.approx(expected)


def test_an_effect_on_no_question_has_no_bounds():
    (effect,) = found([Row("10", params={"size": 1}), Row("10", params={"size": 2})])
    assert (effect.difference, effect.low, effect.high, effect.p) == (0, None, None, None)


@pytest.fixture(scope="module")
def little_to_collect():
    """statsmodels collects garbage at every call, which takes seconds where other tests have left much in memory."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("little_to_collect")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_beside_statsmodels(raw):
    assert holm(raw) == pytest.approx(multipletests(raw, method="holm")[1].tolist(), abs=1e-15)
