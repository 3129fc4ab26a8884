"""Headings to sections: spans, paths, title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents.outline import Heading, line_starts, sections_of, title_of
from chunksweep.records import Span


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        pytest.param("", [0, 0], id="no text is one empty line"),
        pytest.param("a", [0, 1], id="no line end"),
        pytest.param("a\n", [0, 2, 2], id="an empty line after the last line end"),
        pytest.param("a\n\nbc", [0, 2, 3, 5], id="a blank line"),
        pytest.param("a\x0cb\u2028c\n", [0, 6, 6], id="form feed and line separator do not end a line"),
    ],
)
def test_line_starts(text, starts):
    assert line_starts(text) == starts


def headings(*levels_and_words):
    """One heading of two characters every ten characters."""
    return [
        Heading(Span(10 * number, 10 * number + 2), words, level)
        for number, (level, words) in enumerate(levels_and_words)
    ]


@pytest.mark.parametrize(
    ("given_headings", "paths"),
    [
        pytest.param(
            [(1, "Catalog"), (3, "Arrays"), (3, "Links"), (2, "Other")],
            [("Catalog",), ("Catalog", "Arrays"), ("Catalog", "Links"), ("Catalog", "Other")],
            id="siblings after a jump from level 1 to 3",
        ),
        pytest.param([(2, "a"), (1, "b"), (2, "c")], [("a",), ("b",), ("b", "c")], id="the outermost comes later"),
        pytest.param([(1, "a"), (1, "b")], [("a",), ("b",)], id="a heading ends one of its level"),
        pytest.param(
            [(1, "a"), (2, ""), (3, "c"), (2, "d")],
            [("a",), ("a",), ("a", "c"), ("a", "d")],
            id="an empty heading is no part of a path",
        ),
        pytest.param([(1, "A > B"), (2, "AC/DC")], [("A > B",), ("A > B", "AC/DC")], id="a path is no joined string"),
    ],
)
def test_paths(given_headings, paths):
    sections = sections_of("x" * 100, headings(*given_headings))
    assert [section.path for section in sections] == paths


def test_spans_run_to_the_next_heading():
    first, second = sections_of("x" * 25, headings((1, "a"), (2, "b")))
    assert (first.span, first.body) == (Span(0, 10), Span(2, 10))
    assert (second.span, second.body) == (Span(10, 25), Span(12, 25))


@pytest.mark.parametrize(
    ("before", "sections"),
    [
        pytest.param("Welcome.\n", [(0, "", ()), (1, "a", ("a",))], id="text before the first heading"),
        pytest.param(" \n\n", [(1, "a", ("a",))], id="blank text before it is no section"),
    ],
)
def test_preamble(before, sections):
    heading = Heading(Span(len(before), len(before) + 2), "a", 1)
    found = sections_of(before + "# body", [heading])
    assert [(section.level, section.heading, section.path) for section in found] == sections


@pytest.mark.parametrize(
    ("given_headings", "title"),
    [
        pytest.param([(2, "low"), (1, "high"), (1, "later")], "high", id="the first of level 1"),
        pytest.param([(1, ""), (1, "said")], "said", id="an empty heading names nothing"),
        pytest.param([(2, "low")], "node.v2", id="else the file name without ending and folders"),
    ],
)
def test_title(given_headings, title):
    assert title_of(headings(*given_headings), "guides/node.v2.md") == title


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["", "a", "b"])), max_size=12), st.integers(0, 9))
def test_sections_tile_the_text_and_paths_are_of_outer_headings(levels_and_words, tail):
    text = "x" * (10 * len(levels_and_words) + tail)
    sections = sections_of(text, headings(*levels_and_words))
    assert "".join(text[section.span.start : section.span.end] for section in sections) == text
    for section in sections:
        assert section.body.end == section.span.end
        assert len(section.path) <= section.level
        assert not section.heading or section.path[-1] == section.heading
