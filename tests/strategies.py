"""Hypothesis strategies: documents with all that chunkers stumble over."""

from __future__ import annotations

from hypothesis import strategies as st

from chunksweep.contract import texts as parts
from chunksweep.documents import markdown, plain
from chunksweep.records import Document

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=40)


@st.composite
def prose(draw: st.DrawFn) -> str:
    """A paragraph of sentences, or one of odd words."""
    word = st.tuples(*map(st.sampled_from, (parts.WORDS, parts.ENDS, parts.BLANKS)))
    return "".join(map("".join, draw(st.lists(word, max_size=parts.MOST_WORDS))))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Markdown, or what looks like it."""
    odd = map(st.sampled_from, (parts.HEADINGS, parts.CODE, parts.TABLES, parts.QUESTIONS))
    blocks = st.one_of(prose(), prose(), *odd, ANY_TEXT)
    block = st.tuples(blocks, st.sampled_from(parts.SEPARATORS))
    body = "".join(map("".join, draw(st.lists(block, max_size=parts.MOST_BLOCKS))))
    return draw(st.sampled_from(parts.FRONT_MATTER)) + body


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document of any kind that is made from text, read as the program reads it."""
    readers = (markdown.read, markdown.read, plain.read, parts.html_of, parts.csv_of)
    return draw(st.sampled_from(readers))(draw(texts()), "docs/a.md")
