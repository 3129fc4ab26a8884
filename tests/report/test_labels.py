"""How configurations are called: short, and no two alike."""

from __future__ import annotations

from itertools import product

import pytest
from tests.tiny_corpus import tree

from chunksweep import rules
from chunksweep.errors import ConfigError
from chunksweep.report.labels import label, telling
from chunksweep.sweep.plan import grid_of


def params_of(*changes):
    return [rules.from_tree(tree(each)).params() for each in changes]


def labels(all_params):
    keys = telling(all_params)
    return [label(params, keys) for params in all_params]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"chunker": "whole"}, "whole", id="no size"),
        pytest.param({"chunker": "fixed"}, "fixed 400", id="the default size stands in it"),
        pytest.param({"chunker": "fixed", "overlap": 0.2}, "fixed 400 overlap 0.2", id="a share as it was given"),
        pytest.param({"chunker": "fixed", "chunker.unit": "tokens"}, "fixed 128 tokens", id="the unit after the size"),
        pytest.param({"chunker": "headings", "prefix": "path"}, "headings +path", id="a prefix"),
        pytest.param({"send": 1, "tokenizer": "cl100k"}, "paragraphs 1", id="what one alone needs not say"),
    ],
)
def test_one_configuration(changes, expected):
    assert labels(params_of(changes)) == [expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param(
            [{"send": 1}, {"send": 2}], ["paragraphs 1 send 1", "paragraphs 1 send 2"], id="a key that differs"
        ),
        pytest.param(
            [{"prefix": "none"}, {"prefix": "heading"}],
            ["paragraphs 1", "paragraphs 1 +heading"],
            id="none is not said",
        ),
        pytest.param(
            [{"chunker.headings": "keep"}, {"chunker.headings": "drop"}],
            ["paragraphs 1 headings keep", "paragraphs 1 headings drop"],
            id="an option without its group",
        ),
        pytest.param(
            [{"retriever": "dense"}, {"retriever": "bm25"}, {"retriever": "bm25", "retriever.b": 0.5}],
            ["paragraphs 1 dense", "paragraphs 1 bm25 b 0.75", "paragraphs 1 bm25 b 0.5"],
            id="the retriever by its name; that it needs no embedder goes without saying",
        ),
        pytest.param(
            [{}, {"retriever.expand": "section"}, {"retriever.expand": "window"}, {"retriever.expand": "parent"}],
            ["paragraphs 1", *(f"paragraphs 1 expand {kind}" for kind in ("section", "window", "parent"))],
            id="what is sent for a hit, without the options that do not differ",
        ),
        pytest.param(
            [{"retriever.expand": "parent", "retriever.parent_size": size} for size in (2, 3)],
            ["paragraphs 1 parent_size 2", "paragraphs 1 parent_size 3"],
            id="options of an expansion",
        ),
        pytest.param(
            [{"embedder": "test"}, {"embedder": "minilm"}, {"retriever": "bm25"}],
            ["paragraphs 1 embedder test dense", "paragraphs 1 embedder minilm dense", "paragraphs 1 bm25"],
            id="embedders where they differ",
        ),
        pytest.param(
            [{"chunker": "whole"}, {"chunker": "sentences"}, {"chunker": "headings"}],
            ["whole", "sentences 1", "headings"],
            id="an option that only one strategy has tells nothing",
        ),
        pytest.param(
            [{"prefix": "heading"}, {"prefix": "none"}],
            ["paragraphs 1 +heading", "paragraphs 1"],
            id="what goes with a prefix tells nothing",
        ),
        pytest.param(
            [{"prices.input": None}, {"prices.input": 2}], ["paragraphs 1", "paragraphs 1 prices.input 2.0"], id="null"
        ),
        pytest.param(
            [{"corpus": "runbooks"}, {"corpus": "handbook_natural"}],
            ["runbooks paragraphs 1", "handbook_natural paragraphs 1"],
            id="the corpus comes first",
        ),
        pytest.param(
            [{"chunker": "fixed", "size": 64, "chunker.unit": unit} for unit in ("characters", "tokens")],
            ["fixed 64", "fixed 64 tokens"],
            id="characters are not said",
        ),
    ],
)
def test_several_configurations(changes, expected):
    assert labels(params_of(*changes)) == expected


AXES = [
    {"chunker": ["fixed", "recursive", "headings"], "size": [None, 50, 60], "overlap": [0, 0.1], "send": [1, 2]},
    {"chunker": ["fixed"], "chunker.unit": ["characters", "tokens"], "chunker.tokenizer": [None, "cl100k", "o200k"]},
    {"chunker": ["sentences"], "chunker.within": ["section", "document"], "chunker.headings": [None, "drop"]},
    {"prefix": ["none", "heading", "path"], "prefix.send": [False, True], "prefix.separator": [". ", ": "]},
    {"prices.input": [None, 0, 1], "tokenizer": ["o200k", "cl100k"], "corpus": ["runbooks", "handbook_headed"]},
]


@pytest.mark.parametrize("axes", AXES)
def test_no_two_cells_of_a_grid_are_called_alike(axes):
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    cells = grid_of([tree(changes) for changes in combinations if possible(changes)], rules.from_tree).cells
    names = labels([cell.params() for cell in cells])
    assert len(set(names)) == len(names) >= 3


def possible(changes):
    try:
        rules.from_tree(tree(changes))
    except ConfigError:
        return False
    return True
