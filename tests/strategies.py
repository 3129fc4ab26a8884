"""Hypothesis strategies: documents with all that chunkers stumble over."""

from __future__ import annotations

import csv
import io
from html import escape

from hypothesis import strategies as st

from chunksweep.documents import delimited, html, markdown, plain
from chunksweep.records import Document

WORDS = st.sampled_from(
    [
        "alpha",
        "I",
        "Dr.",
        "e.g.",
        "U.S.",
        "3.15",
        "don't",
        "`code`",
        "naïve",
        "cé̂d",
        "漢字",
        "雨停了。",
        "他走了……",
        "🧰🔩🪛",
        "👨‍👩‍👧‍👦",
        "🇪🇺",
        "<|endoftext|>",
        "x" * 60,
        "山" * 40,
    ]
)
BLANKS = st.sampled_from([" ", " ", " ", "  ", "\t", "\f", "\u00a0", "\n", ""])
ENDS = st.sampled_from(["", ".", ".", "!", "?”", "。"])
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=40)
HEADINGS = st.sampled_from(["# Pump", "## Check the seal", "### `a` b ###", "##", "Valve\n=====", "Parts\n---"])
CODE = st.sampled_from(["```\none\n\ntwo. Three.\n```", "```sh\nnever\n\nclosed", "    indented\n\n    code"])
QUESTIONS = st.sampled_from(["Why?", "**Who?**", "Q: which\nA: that", "## When?", "### Where？"])
TABLES = st.sampled_from(
    ["| a | b |\n|---|---|\n| 1 | x. Y |\n| 2 |\n| 3 | 雨。 |", "a | b\n-|-", "Sizes:\n| a |\n|---|\n| 1 |\n| 2 |"]
)
SEPARATORS = st.sampled_from(["\n\n", "\n\n", "\n", "\n \t\n\n", "\n\f\n"])
FRONT_MATTER = st.sampled_from(["", "", "---\ntitle: Pumps\n\nowner: Vale\n---\n", "\n \n"])


@st.composite
def prose(draw: st.DrawFn) -> str:
    """A paragraph of sentences, or one of odd words."""
    words = draw(st.lists(st.tuples(WORDS, ENDS, BLANKS), max_size=12))
    return "".join(word + end + blank for word, end, blank in words)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Markdown, or what looks like it."""
    blocks = st.one_of(prose(), prose(), HEADINGS, CODE, TABLES, QUESTIONS, ANY_TEXT)
    parts = draw(st.lists(st.tuples(blocks, SEPARATORS), max_size=8))
    return draw(FRONT_MATTER) + "".join(block + separator for block, separator in parts)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document of any kind that is made from text, read as the program reads it."""
    text = draw(texts())
    return draw(st.sampled_from([markdown.read, markdown.read, plain.read, html_of, csv_of]))(text, "docs/a.md")


def html_of(text: str, document_id: str) -> Document:
    """The blocks of a text as elements, with a table of its lines."""
    blocks = "".join(f"<h2>{escape(block[:20])}</h2><p>{escape(block)}</p>" for block in text.split("\n\n"))
    rows = "".join(f"<tr><td>{escape(line)}</td><td>x</td></tr>" for line in text.split("\n"))
    return html.read(f"{blocks}<table>{rows}</table>{blocks}", document_id)


def csv_of(text: str, document_id: str) -> Document:
    """The blocks of a text as rows, in which a block may have several lines."""
    out = io.StringIO()
    csv.writer(out).writerows([("name", "block"), *((block[:5], block) for block in text.split("\n\n"))])
    return delimited.read(out.getvalue().replace("\r\n", "\n"), document_id)
