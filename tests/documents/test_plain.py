"""Plain text: which lines are headings."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents.plain import read


def outline(text):
    return [
        (section.level, section.path, text[section.body.start : section.body.end])
        for section in read(text, "a.txt").sections
    ]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        pytest.param("Draining a node", True, id="short and without a stop"),
        pytest.param("w" * 60, True, id="sixty characters"),
        pytest.param("w" * 61, False, id="sixty-one"),
        pytest.param("one two three four five six seven eight", True, id="eight words"),
        pytest.param("1 2 3 4 5 6 7 8 9", False, id="nine words"),
        pytest.param("  Draining a node \t", True, id="blanks around it do not count"),
        *(pytest.param(f"Wait{mark}", False, id=f"ends in {mark}") for mark in ".,:;!?"),
        pytest.param("Wait (now)", True, id="ends in a bracket"),
        pytest.param("Wait…", True, id="ends in an ellipsis"),
    ],
)
def test_what_a_heading_is(line, is_heading):
    text = f"{line}\nThe body.\n"
    expected = (1, (line.strip(),), "The body.\n") if is_heading else (0, (), text)
    assert outline(text) == [expected]


def test_only_the_first_line_of_a_block_is_a_heading():
    text = "Shopping\nmilk\nbread\n\nIt was late.\nTools\n\n\nTools\n"
    assert outline(text) == [(1, ("Shopping",), "milk\nbread\n\nIt was late.\nTools\n\n\n"), (1, ("Tools",), "")]


def test_a_line_of_blanks_ends_a_block():
    assert [path for _, path, _ in outline("One.\n \t\u00a0\x0c\nTwo\n")] == [(), ("Two",)]


def test_form_feed_and_line_separator_do_not_end_a_line():
    text = "Page one.\x0cTwo\u2028Three.\n"
    assert outline(text) == [(0, (), text)]


@pytest.mark.parametrize(
    ("text", "title"),
    [pytest.param("Kiln log\nHot.\n", "Kiln log", id="heading"), pytest.param("Hot.\n", "a", id="file name")],
)
def test_title(text, title):
    assert read(text, "a.txt").title == title


@given(st.text(st.sampled_from("ab .\n\x0c\u2028"), max_size=60))
def test_sections_cover_all_that_is_not_blank(text):
    sections = read(text, "a.txt").sections
    position = 0
    for section in sections:
        assert not text[position : section.span.start].strip()
        assert "".join(text[section.heading_span.start : section.heading_span.end].split()) == "".join(
            section.heading.split()
        )
        position = section.span.end
    assert not text[position:].strip()


@pytest.mark.parametrize(
    "text",
    [pytest.param("word " * 100_000, id="one line"), pytest.param("Head\nbody.\n\n" * 40_000, id="many sections")],
)
def test_half_a_megabyte_is_read_in_time_that_grows_with_length(text):
    began = time.process_time()
    read(text, "a.txt")
    assert time.process_time() - began < 10
