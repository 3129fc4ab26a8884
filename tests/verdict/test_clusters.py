"""Questions joined by shared documents."""

from __future__ import annotations

import numpy as np
import pytest

from chunksweep.verdict.clusters import Clusters, clusters_of, held_out, joined_by_documents


def documents(*names: str) -> list[frozenset[str]]:
    return [frozenset(each.split()) for each in names]


@pytest.mark.parametrize(
    ("of", "labels"),
    [
        pytest.param(["a", "b", "a"], [0, 1, 0], id="the same document"),
        pytest.param(["a", "b c", "c"], [0, 1, 1], id="one document of several"),
        pytest.param(["a", "b", "c", "a c"], [0, 1, 0, 0], id="through another question"),
        pytest.param(["d", "c", "b", "a", "c d", "a b", "b c"], [0] * 7, id="through a chain"),
        pytest.param(["a"], [0], id="one question"),
    ],
)
def test_joined_by_documents(of, labels):
    assert joined_by_documents(documents(*of)).tolist() == labels


TEN = [f"{number}" for number in range(10)]


@pytest.mark.parametrize(
    ("of", "wanted", "unit", "count", "said"),
    [
        pytest.param([*TEN, "0"], "auto", "document", 10, None, id="ten groups are enough"),
        pytest.param([*TEN[:9], "0", "0"], "auto", "question", 11, "only 9 separate groups", id="nine are not"),
        pytest.param(["a", "a"], "auto", "question", 2, "only 1 separate group of", id="one document"),
        pytest.param(["a", "a"], "document", "document", 1, None, id="documents asked for"),
        pytest.param([*TEN, "0"], "question", "question", 11, "only 10 separate groups", id="questions asked for"),
        pytest.param(["a", "b"], "auto", "question", 2, None, id="a document a question needs no words"),
    ],
)
def test_choice(of, wanted, unit, count, said):
    clusters = clusters_of(documents(*of), wanted)
    assert (clusters.unit, clusters.count) == (unit, count)
    assert (said in clusters.words) if said else clusters.words is None


def test_sums_and_sizes():
    clusters = Clusters("document", np.array([0, 1, 0]))
    assert clusters.sums(np.array([[1.0, 0.5, 0.25], [0.0, 1.0, 1.0]])).tolist() == [[1.25, 0.5], [1.0, 1.0]]
    assert clusters.sizes.tolist() == [2, 1]
    assert clusters.joins
    assert not Clusters("question", np.arange(3)).joins


@pytest.mark.parametrize(
    ("share", "clusters"),
    [
        pytest.param(0.5, 2, id="half"),
        pytest.param(0.3, 1, id="rounded down"),
        pytest.param(0.2, None, id="less than one"),
        pytest.param(0.0, None, id="none"),
    ],
)
def test_held_out_takes_whole_clusters(share, clusters):
    of = Clusters("document", np.array([0, 1, 2, 3, 3, 2, 1, 0]))
    split = held_out(of, share, seed=3)
    if clusters is None:
        assert split is None
        return
    kept, out = split
    assert sorted([*kept, *out]) == list(range(8))
    assert not set(of.labels[kept]) & set(of.labels[out])
    assert len(set(of.labels[out])) == clusters
    assert of.only(kept).count == 4 - clusters
