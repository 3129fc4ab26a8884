from __future__ import annotations

import pytest
from tests.chunkers.cutting import bounds, cut, md

GUIDE = md("# Guide\n\n## Use\n\nOne,\ntwo.\n\nThree.\n\n# Care\n\nFour.\n\n# End\n")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(
            {},
            ["# Guide\n\n## Use\n\nOne,\ntwo.", "Three.", "# Care\n\nFour.", "# End"],
            id="heading lines belong to the paragraph that follows",
        ),
        pytest.param({"headings": "drop"}, ["One,\ntwo.", "Three.", "Four."], id="or are left out"),
        pytest.param(
            {"size": 2, "overlap": 1, "headings": "drop"},
            ["One,\ntwo.\n\nThree.", "Three.\n\n# Care\n\nFour."],
            id="a window may cross sections",
        ),
    ],
)
def test_windows_of_paragraphs(options: dict[str, object], expected: list[str]) -> None:
    assert cut("paragraphs", GUIDE, **options) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n```\nb\n\nc\n```\nd\n\ne\n", ["a\n```\nb\n\nc\n```\nd", "e"], id="code is not cut"),
        pytest.param("---\na: 1\n\nb: 2\n---\n\nc\n", ["---\na: 1\n\nb: 2\n---", "c"], id="nor is front matter"),
        pytest.param("a\n \t\n\n b\n", ["a", "b"], id="a line of blanks is blank"),
        pytest.param("a\n```\nb\n\nc\n", ["a\n```\nb\n\nc"], id="code that is never closed"),
        pytest.param(" \n", [], id="blank"),
    ],
)
def test_paragraphs(text: str, expected: list[str]) -> None:
    assert cut("paragraphs", md(text)) == expected


def test_paragraphs_of_a_section() -> None:
    assert bounds("paragraphs", md("# H\n\npara one\n\npara two\n"), headings="drop") == [(5, 13), (15, 23)]
