"""Markdown: headings, their words, front matter, code."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents.markdown import read
from chunksweep.records import Span


def outline(text):
    """(path, own text) of every section."""
    return [(section.path, text[section.body.start : section.body.end]) for section in read(text, "a.md").sections]


def heading(line):
    return read(f"{line}\n\nbody\n", "a.md").sections[0].heading


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        pytest.param(
            "# Paint\n\n```sh\n# stir well\nmix red\n```\n\n# Dry\nwait\n",
            [(("Paint",), "\n```sh\n# stir well\nmix red\n```\n\n"), (("Dry",), "wait\n")],
            id="a comment in a fence",
        ),
        pytest.param(
            "# Outer\n`````md\n```\n# no\n```\n`````\n   ~~~\n# no\n   ~~~~~\n# Inner\n```\n# never closed\n",
            [
                (("Outer",), "`````md\n```\n# no\n```\n`````\n   ~~~\n# no\n   ~~~~~\n"),
                (("Inner",), "```\n# never closed\n"),
            ],
            id="long, indented and unclosed fences",
        ),
        pytest.param(
            "# Trees\n### Oak\no\n### Elm\ne\n## Care\nc\n",
            [(("Trees",), ""), (("Trees", "Oak"), "o\n"), (("Trees", "Elm"), "e\n"), (("Trees", "Care"), "c\n")],
            id="a jump of levels",
        ),
        pytest.param(
            "# Desk\n## Left/right\na\n## A > B\nb\n",
            [(("Desk",), ""), (("Desk", "Left/right"), "a\n"), (("Desk", "A > B"), "b\n")],
            id="a heading that holds the joint of paths",
        ),
        pytest.param(
            "# Pump\n## Valve\nturn\n",
            [(("Pump",), ""), (("Pump", "Valve"), "turn\n")],
            id="a heading right after another",
        ),
        pytest.param("# Alone\n", [(("Alone",), "")], id="nothing but a heading"),
        pytest.param("# Alone", [(("Alone",), "")], id="nor a line end"),
        pytest.param(
            "tick\x0c```\n# Real\n\nmore\u2028# not a line\n",
            [((), "tick\x0c```\n"), (("Real",), "\nmore\u2028# not a line\n")],
            id="form feed and line separator",
        ),
        pytest.param(
            "Two\nlines\n===\na\n\nLow\n---\nb\n",
            [(("Two lines",), "a\n\n"), (("Two lines", "Low"), "b\n")],
            id="setext",
        ),
        pytest.param("- # in a list\n\n> # quoted\n", [((), "- # in a list\n\n> # quoted\n")], id="top level only"),
        pytest.param(
            "<!--\n# hidden\n-->\n# Shown\n", [((), "<!--\n# hidden\n-->\n"), (("Shown",), "")], id="a comment"
        ),
        pytest.param("    # code\n\n#no blank\n", [((), "    # code\n\n#no blank\n")], id="what only looks like one"),
        pytest.param("|a|b|\n|-|-|\n|# x|y|\n\n# T\n", [((), "|a|b|\n|-|-|\n|# x|y|\n\n"), (("T",), "")], id="a table"),
        pytest.param("\n\n# First\nx", [(("First",), "x")], id="blank text before the first is no section"),
        pytest.param(
            "# A\n##\nx\n### C\ny\n", [(("A",), ""), (("A",), "x\n"), (("A", "C"), "y\n")], id="an empty heading"
        ),
        pytest.param("no heading\n", [((), "no heading\n")], id="none"),
    ],
)
def test_sections(text, sections):
    assert outline(text) == sections


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(
            "## Set `depth` as in [the guide](http://x.invalid)", "Set depth as in the guide", id="code and link"
        ),
        pytest.param('# Title<a name="x"></a>', "Title", id="an anchor in HTML"),
        pytest.param("# Title <!-- note -->", "Title", id="a comment"),
        pytest.param(r"# Use \*.md \\ \_all\_", r"Use *.md \ _all_", id="backslash escapes"),
        pytest.param("# R&amp;D &copy;", "R&D ©", id="entities"),
        pytest.param("# *Very* **bold** __x__ text ##", "Very bold x text", id="emphasis and closing marks"),
        pytest.param("# ![Logo](l.png) Kit", "Logo Kit", id="the text of an image"),
        pytest.param("# <https://x.invalid>", "https://x.invalid", id="autolink"),
        pytest.param("# See [it][ref]\n\n[ref]: /there", "See it", id="a reference defined elsewhere"),
        pytest.param("# a \t  b\u00a0c", "a b c", id="white space runs"),
        pytest.param("##", "", id="empty"),
        pytest.param("over\ntwo `lines`\n---", "over two lines", id="setext over two lines"),
    ],
)
def test_heading_words(line, words):
    assert heading(line) == words


def test_heading_span_is_its_lines_with_the_line_end():
    text = "pre\n\nLong\nhead\n====\nbody\n"
    section = read(text, "a.md").sections[1]
    assert text[section.heading_span.start : section.heading_span.end] == "Long\nhead\n====\n"


def test_front_matter_stays_in_the_text_and_offsets_count_it():
    text = "---\ntitle: Oven book\nby: kim\n---\n\n# Heat\n\nWait 7 minutes.\n"
    document = read(text, "log.md")
    front, heat = document.sections
    assert (front.path, front.span) == ((), Span(0, 34))
    assert (heat.path, heat.body.start) == (("Heat",), 41)
    assert text.index("Wait") == 42
    assert document.text == text
    assert document.verbatim == (Span(0, 33),)
    assert document.title == "Oven book"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("---\ntitle: 1.10\n---\n# Head\n", "1.10", id="as it is written"),
        pytest.param("---\ntitle: 'a:  b'\n---\n# Head\n", "a: b", id="quoted"),
        pytest.param("---\nby: kim\n---\n# Head\n", "Head", id="front matter without a title"),
        pytest.param("---\ntitle: [a\n---\n# Head\n", "Head", id="broken front matter"),
        pytest.param("---\ntitle: [a, b]\n---\n# Head\n", "Head", id="a title that is no text"),
        pytest.param("---\ntitle:\n---\n# Head\n", "Head", id="an empty title"),
        pytest.param("---\njust words\n---\n# Head\n", "Head", id="front matter that holds no fields"),
        pytest.param("---\n---\n# Head\n", "Head", id="empty front matter"),
        pytest.param("---\n" + "[" * 2_000 + "\n---\n# Head\n", "Head", id="front matter nested without end"),
        pytest.param("---\ntitle: open\n\n# Head\n", "Head", id="front matter never closed is none"),
        pytest.param("## Low\n# High\n", "High", id="the first heading of level 1"),
        pytest.param("## Low\n", "a.b", id="the file name"),
    ],
)
def test_title(text, title):
    assert read(text, "folder/a.b.md").title == title


def test_a_rule_above_a_title_is_no_front_matter():
    assert outline("-------\nTitle\n-------\nbody\n") == [((), "-------\n"), (("Title",), "body\n")]


def test_code_is_verbatim():
    text = "a\n\n```\nx\n\ny\n```\n\n    indented\n\n    more\n\n- item\n\n      in a list\n"
    verbatim = [text[span.start : span.end] for span in read(text, "a.md").verbatim]
    assert verbatim == ["```\nx\n\ny\n```\n", "    indented\n\n    more\n", "      in a list\n"]


HEADINGS = ["# A", "## *B*", "##", "# [x][r]", "Title", "===", "---"]
OTHER_LINES = ["```", "~~~~", "", "    code", "- item", "> quote", "<div>", "<!--", "-->", "...", "[r]: /u", "\ttab"]
TABLE_LINES = ["| a | b |", "|---|---|", "text\x0cmore\u2028"]
LINES = st.sampled_from(HEADINGS + OTHER_LINES + TABLE_LINES)


@given(st.lists(LINES, max_size=14).map("\n".join), st.sampled_from(["", "\n", " ", "\n\n"]))
def test_sections_tile_the_text_at_line_starts(lines, tail):
    text = lines + tail
    document = read(text, "a.md")
    position = document.sections[0].span.start if document.sections else len(text)
    assert not text[:position].strip()
    for section in document.sections:
        assert section.span.start == position
        assert position == 0 or text[position - 1] == "\n"
        assert section.level == 0 or text[section.heading_span.start : section.heading_span.end].strip()
        position = section.span.end
    assert position == len(text)
    ends = [0, *(edge for span in document.verbatim for edge in (span.start, span.end)), len(text)]
    assert ends == sorted(ends)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 100_000, id="one line"),
        pytest.param("# " + "*a" * 100_000, id="one heading full of marks"),
        pytest.param("# H\n\nword word\n\n" * 15_000, id="many sections"),
        pytest.param("```\n" + "x\n" * 150_000, id="one fence"),
        pytest.param(">" * 300_000, id="nested quotations"),
    ],
)
def test_a_large_text_is_read_in_time_that_grows_with_length(text):
    began = time.process_time()
    read(text, "a.md")
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        pytest.param("| a | b |\n|---|:-:|\n| 1 | 2 |\n", ["a", "b"], [["1", "2"]], id="borders"),
        pytest.param("a | b\n--- | ---\n1 | 2", ["a", "b"], [["1", "2"]], id="no borders"),
        pytest.param("| a | b |\n|---|---|\n| x \\| y | `z` |", ["a", "b"], [["x \\| y", "`z`"]], id="escaped pipes"),
        pytest.param("| a | b |\n|---|---|\n| 1 |\n| | 2 | 3 |", ["a", "b"], [["1"], ["", "2", "3"]], id="ragged"),
        pytest.param("x\n| a |\n|---|\n| 1 |\n\ny", ["a"], [["1"]], id="below a line of text"),
    ],
)
def test_tables(text, header, rows):
    document = read(text, "a.md")
    (table,) = document.tables
    texts = [[document.text[cell.start : cell.end] for cell in row.cells] for row in table.rows]
    assert [document.text[name.start : name.end] for name in table.header] == header
    assert texts == rows


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```\n| a |\n|---|\n| 1 |\n```", id="code"),
        pytest.param("> | a |\n> |---|\n> | 1 |", id="a quotation"),
        pytest.param("| a | b |\n|---|", id="columns that do not fit"),
    ],
)
def test_no_table(text):
    assert read(text, "a.md").tables == ()
