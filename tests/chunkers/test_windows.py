from __future__ import annotations

import pytest

from chunksweep.chunkers.windows import merged, windows
from chunksweep.records import Span


@pytest.mark.parametrize(
    ("count", "size", "overlap", "groups"),
    [
        pytest.param(4, 2, 0, [(0, 2), (2, 4)], id="without rest"),
        pytest.param(5, 2, 0, [(0, 2), (2, 4), (4, 5)], id="a shorter last window"),
        pytest.param(7, 3, 1, [(0, 3), (2, 5), (4, 7)], id="the end is reached once"),
        pytest.param(8, 3, 1, [(0, 3), (2, 5), (4, 7), (6, 8)], id="one new unit at the end"),
        pytest.param(3, 2, 1, [(0, 2), (1, 3)], id="step of one"),
        pytest.param(2, 4, 3, [(0, 2)], id="fewer units than the overlap"),
        pytest.param(0, 3, 1, [], id="no units"),
    ],
)
def test_windows(count: int, size: int, overlap: int, groups: list[tuple[int, int]]) -> None:
    assert list(windows(count, size, overlap)) == groups


@pytest.mark.parametrize("overlap", [3, 4, -1])
def test_windows_that_would_not_move_are_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        list(windows(9, 3, overlap))


def test_merged_runs_from_first_to_last() -> None:
    units = [Span(0, 2), Span(3, 5), Span(9, 10)]
    assert list(merged(units, 2, 1)) == [Span(0, 5), Span(3, 10)]
