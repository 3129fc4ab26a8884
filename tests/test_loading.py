"""A past sweep as a DataFrame."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.cli.program import invoke, working_folder

import chunksweep
from chunksweep.errors import TrackingError


def test_a_sweep_is_a_frame_of_typed_params_and_metrics(tmp_path: Path) -> None:
    with working_folder(tmp_path):
        swept = invoke("sweep", "--format", "json", "embedder=test", "chunker=whole,fixed", "size=200", "send=1").json
        frame = chunksweep.load(swept["sweep_id"][:-2])
        latest = chunksweep.load()
    pd.testing.assert_frame_equal(frame, latest)
    assert set(frame.index) == {run["run_id"] for run in swept["runs"]}
    by_chunker = frame.set_index("chunker")
    assert by_chunker.loc["fixed", "size"] == 200
    assert pd.isna(by_chunker.loc["whole", "size"])
    assert pd.api.types.is_integer_dtype(frame["size"])
    assert by_chunker.loc["whole", "retrieval/answerable"] == 1.0
    assert by_chunker["everything_sent"].to_dict() == {"whole": True, "fixed": False}


def test_no_store_is_one_line(tmp_path: Path) -> None:
    with working_folder(tmp_path), pytest.raises(TrackingError, match="no sweep is in"):
        chunksweep.load()


def test_nothing_else_is_public() -> None:
    assert set(chunksweep.__all__) == {"__version__", "load"}
    with pytest.raises(AttributeError):
        _ = chunksweep.nothing
