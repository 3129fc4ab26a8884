import json

import pytest

from chunksweep.report.mlflow_view import search_filter, view_key, view_state, view_tag

METRICS = ["metrics.`retrieval/answerable_at_1`", "metrics.`cost/sent_tokens`", "metrics.`retrieval/ceiling`"]
PARAMS = ["params.`chunker`", "params.`size`", "params.`overlap`", "params.`prefix`"]


@pytest.mark.parametrize(
    ("telling", "further"),
    [
        pytest.param([], [], id="one cell: the columns that every view has"),
        pytest.param(["size", "chunker"], [], id="what has a column already gets no second one"),
        pytest.param(
            ["chunker.unit", "size", "embedder"],
            ["params.`chunker.unit`", "params.`embedder`"],
            id="whatever else tells the cells apart follows",
        ),
    ],
)
def test_columns(telling, further):
    state = json.loads(view_state("s1", telling, ["fixed 400"]))
    assert state["selectedColumns"] == METRICS + PARAMS + further
    assert state["columnOrder"] == [
        "attributes.`Run Name`",
        "runDateAndNestInfo",
        *METRICS,
        *PARAMS,
        *further,
        "duration",
    ]


def test_best_first_and_only_the_cells_of_the_sweep():
    state = json.loads(view_state("20261201-010240-085e35", [], ["fixed 400"]))
    assert (state["orderByKey"], state["orderByAsc"]) == ("metrics.`retrieval/answerable_at_1`", False)
    assert state["searchFilter"] == search_filter("20261201-010240-085e35")
    assert state["searchFilter"] == (
        "tags.`chunksweep.sweep_id` = '20261201-010240-085e35' and tags.`chunksweep.kind` = 'cell'"
    )


@pytest.mark.parametrize(
    ("names", "width"),
    [
        pytest.param([], 150, id="a sweep that was interrupted before its first cell"),
        pytest.param(["whole"], 150, id="short names leave the column as narrow as it may be"),
        pytest.param(["whole", "x" * 20], 180, id="the longest decides: 60 and 6 a character"),
        pytest.param(["x" * 100], 320, id="never so wide that nothing else is seen"),
    ],
)
def test_the_column_of_names_is_as_wide_as_the_longest(names, width):
    assert json.loads(view_state("s1", [], names))["columnWidths"]["attributes.`Run Name`"] == width


def test_every_column_in_the_order_has_a_width():
    state = json.loads(view_state("s1", ["embedder"], ["fixed 400"]))
    assert list(state["columnWidths"]) == state["columnOrder"]


def test_the_value_fits_into_an_experiment_tag_of_mlflow():
    assert len(view_state("20261201-010240-085e35", [f"chunker.option_number_{n}" for n in range(20)], ["x"])) <= 5000


def test_one_key_a_sweep():
    assert view_key("s1") != view_key("s2")
    assert view_tag("s1") == f"mlflow.sharedViewState.{view_key('s1')}"
