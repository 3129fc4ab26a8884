"""Small corpora, questions and a tokenizer for the tests of the measures."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st

from chunksweep.records import Chunks, Corpus, Document, Fact, Passage, Place, Prefix, Question, Span

LENGTH = 30


class Words:
    """A tokenizer: a token is a run of anything but white space."""

    fingerprint = "words"

    def count(self, texts):
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def offsets(self, text):
        spans = [match.span() for match in re.finditer(r"\S+", text)]
        starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        return starts, ends


def document(id, text, sections=()):
    return Document(id, text, id, tuple(sections))


def corpus(**texts):
    """Documents by id."""
    return Corpus(tuple(document(id, text) for id, text in texts.items()))


def chunks(*rows):
    """Rows of (document, start, end)."""
    document, start, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Chunks(document, start, end)


def fact(*places):
    """Places as (document id, start, end)."""
    return Fact("quote", tuple(place(*where) for where in places))


def place(document_id, start, end):
    return Place(document_id, Span(start, end))


def question(*facts, section=None, section_spans=()):
    return Question("q", "?", tuple(facts), section, tuple(section_spans))


def passage(document_id, *spans, text="", score=1.0):
    """Spans as (start, end)."""
    return Passage(document_id, text, tuple(Span(*span) for span in spans), (), score)


@st.composite
def some_chunks(draw) -> Chunks:
    """Chunks of two documents whose starts and ends strictly increase."""
    rows = []
    for index in range(2):
        starts = sorted(draw(st.sets(st.integers(0, LENGTH - 1), max_size=8)))
        ends = sorted(draw(st.sets(st.integers(1, LENGTH), min_size=len(starts), max_size=len(starts))))
        rows += [(index, start, end) for start, end in zip(starts, ends, strict=True) if start < end]
    return chunks(*rows)


@st.composite
def some_nested_chunks(draw) -> Chunks:
    """Chunks of two documents of which some may lie inside others, as splitters of libraries make them."""
    bounds = st.tuples(st.integers(0, 1), st.integers(0, LENGTH - 1), st.integers(1, LENGTH))
    return chunks(*sorted(row for row in draw(st.sets(bounds, max_size=8)) if row[1] < row[2]))


@st.composite
def some_spans(draw) -> Span:
    start = draw(st.integers(0, LENGTH - 1))
    return Span(start, draw(st.integers(start + 1, LENGTH)))


some_prefixes = st.none() | st.builds(Prefix, st.just("p"), st.lists(some_spans(), max_size=2).map(tuple))
