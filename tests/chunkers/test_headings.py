from __future__ import annotations

import pytest
from tests.chunkers.cutting import bounds, cut, md

GUIDE = md("Before.\n\n# Guide\n\n## Use\n\nOne two three.\n\nFour.\n\n## Empty\n")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, ["Before.", "One two three.\n\nFour."], id="one section a chunk, heading lines left out"),
        pytest.param(
            {"headings": "keep"},
            ["Before.", "# Guide", "## Use\n\nOne two three.\n\nFour.", "## Empty"],
            id="heading lines kept",
        ),
        pytest.param({"size": 8}, ["Before.", "One two", "three.", "Four."], id="split at a cap"),
        pytest.param(
            {"size": 10, "overlap": 4}, ["Before.", "One two", "two three.", "Four."], id="overlap inside a section"
        ),
        pytest.param({"overlap": 4}, ["Before.", "One two three.\n\nFour."], id="overlap without a cap is ignored"),
        pytest.param({"unit": "tokens", "size": 4}, ["Before.", "One two three.", "Four."], id="a cap in tokens"),
    ],
)
def test_sections(options: dict[str, object], expected: list[str]) -> None:
    assert cut("headings", GUIDE, **options) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# H\n\npara one\n\npara two\n", [(5, 23)], id="blank lines stay as they are"),
        pytest.param(
            "# Pump\n\nCheck the seal.\n\n# Valve\n\nCheck the seal.\n", [(8, 23), (34, 49)], id="equal texts"
        ),
        pytest.param(
            "# Guide\n\n## Limits\n\nAt most 12 jars per shelf.\n", [(20, 46)], id="text begins below its heading"
        ),
        pytest.param("Only text.\n\nMore.", [(0, 17)], id="no headings"),
        pytest.param("# Only\n\n## Headings\n", [], id="no text"),
    ],
)
def test_places(text: str, expected: list[tuple[int, int]]) -> None:
    assert bounds("headings", md(text)) == expected


def test_code_that_is_never_closed_is_kept() -> None:
    text = "# Setup\n\nRun this:\n\n```sh\nmake oven\n# still code\nmake bread\n"
    assert cut("headings", md(text)) == ["Run this:\n\n```sh\nmake oven\n# still code\nmake bread"]
