"""Cells for the tests of the measures: one that can be worked out by hand, and random ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from tests.measures.builders import (
    LENGTH,
    Words,
    chunks,
    corpus,
    fact,
    place,
    question,
    some_chunks,
    some_prefixes,
    some_spans,
)

from chunksweep.measures import CellInput
from chunksweep.records import Fact, Place, Ranking
from chunksweep.retrieval import Expanded

#        0        9         19
TEXT = "red fox. blue owl. tan bee."
FOX, BEE = fact(("a", 4, 7)), fact(("a", 23, 26))
QUESTIONS = (
    question(FOX),
    question(FOX, BEE),
    question(fact(("a", 4, 13)), section="owls", section_spans=[place("a", 9, 18)]),
)


def ranking(*rows):
    order = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    return Ranking(order, np.linspace(1, 0, order.size).reshape(order.shape))


CELL = CellInput(
    corpus=corpus(a=TEXT),
    questions=QUESTIONS,
    chunks=chunks((0, 0, 8), (0, 9, 18), (0, 19, 27)),
    prefixes=None,
    separator="",
    send_prefix=False,
    ranking=ranking([1, 0, 2], [0, 2, 1], [1, 0, 2]),
    send=2,
    k=(1, 3),
    tokenizer=Words(),
    chunk_tokens=np.array([2, 2, 2]),
    passage_tokens=np.array([2, 2, 2]),
    part_tokens=np.zeros(0, dtype=np.int64),
    model_tokens=np.array([4, 5, 300]),
    window=256,
    dimension=2,
    embedding_price=1.0,
    input_price=3.0,
)


some_places = st.builds(Place, st.sampled_from("ab"), some_spans())
some_facts = st.lists(some_places, min_size=1, max_size=2).map(lambda places: Fact("quote", tuple(places)))


@st.composite
def some_questions(draw):
    """One to three facts of one or two places each, and in some a section."""
    facts = draw(st.lists(some_facts, min_size=1, max_size=3))
    sections = draw(st.lists(some_places, max_size=1))
    return question(*facts, section="S" if sections else None, section_spans=sections)


@st.composite
def some_cells(draw):
    """A random split of two documents, in a random order for each question.

    With prefixes that are sent, and with expansions, a passage holds more than its chunk.
    """
    split = draw(some_chunks())
    rows = st.permutations(range(len(split)))
    asked = draw(st.lists(some_questions(), min_size=1, max_size=4))
    prefixes = draw(st.none() | st.lists(some_prefixes, min_size=len(split), max_size=len(split)).map(tuple))
    wider = draw(st.none() | some_expansions(split))
    send = draw(st.none() | st.integers(1, 12))
    words = "ab c " * (LENGTH // 5)
    passages = len(wider.passages) if wider else len(split)
    tokens = st.lists(st.sampled_from([1, 90, 256, 600, 1500]), min_size=passages, max_size=passages)
    passage_prefixes = st.lists(some_prefixes, min_size=passages, max_size=passages).map(tuple)
    return replace(
        CELL,
        corpus=corpus(a=words, b=words),
        questions=tuple(asked),
        chunks=split,
        prefixes=prefixes,
        separator=". ",
        send_prefix=prefixes is not None and draw(st.booleans()),
        ranking=Ranking(
            np.array([draw(rows) for _ in asked], dtype=np.int64).reshape(len(asked), len(split)),
            np.zeros((len(asked), len(split))),
        ),
        send=send,
        send_tokens=None if send else draw(st.sampled_from([1, 100, 700, 5000])),
        k=(1, 3, 5),
        chunk_tokens=np.ones(len(split), dtype=np.int64),
        passage_tokens=np.array(draw(tokens), dtype=np.int64),
        model_tokens=np.ones(len(split), dtype=np.int64),
        expanded=wider,
        passage_prefixes=draw(passage_prefixes) if prefixes and wider else None,
    )


@st.composite
def some_expansions(draw, split):
    """Runs of neighbouring chunks, each sent with some characters around them."""
    spans, of_chunk, last = [], [], None
    for document, span in split.rows():
        if last != document or draw(st.booleans()):
            spans.append([document, max(span.start - draw(st.integers(0, 3)), 0), span.end])
        spans[-1][2] = span.end
        of_chunk.append(len(spans) - 1)
        last = document
    wider = [(document, start, min(end + draw(st.integers(0, 3)), LENGTH)) for document, start, end in spans]
    ordered = sorted(set(wider))
    assume(all(one[2] <= two[2] for one, two in pairwise(ordered) if one[0] == two[0]))
    rows = [ordered.index(wider[row]) for row in of_chunk]
    return Expanded(chunks(*ordered), np.array(rows, dtype=np.int64))
