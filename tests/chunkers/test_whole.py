from __future__ import annotations

import pytest
from tests.chunkers.cutting import cut


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        pytest.param("\n # a\n\nb \n", ["# a\n\nb"], id="white space around is left out"),
        pytest.param(" \n", [], id="blank"),
    ],
)
def test_whole(text: str, chunks: list[str]) -> None:
    assert cut("whole", text) == chunks
    assert cut("whole", text, size=1, overlap=7) == chunks
