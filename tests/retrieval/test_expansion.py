"""What chunks are widened to: worked out by hand, and beside definitions in characters."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents import markdown
from chunksweep.errors import ConfigError
from chunksweep.records import Chunks, Corpus, Prefix, Span
from chunksweep.retrieval import Expanded, Expansion, as_they_stand, expand
from chunksweep.retrieval.expansion import expansion_of

TEXT = """\
# Bees

Bees buzz. They make wax.

Drones do not.

# Ants

Ants amble.
"""
CORPUS = Corpus((markdown.read(TEXT, "a.md"), markdown.read("# Cats\n\nCats creep. Dogs dig.\n", "b.md")))


def chunks_of(*quotes):
    """Chunks of the corpus by their text, each the first place of its document where it stands."""
    rows = []
    for quote in quotes:
        document = next(row for row, of in enumerate(CORPUS.documents) if quote in of.text)
        start = CORPUS.documents[document].text.index(quote)
        rows.append((document, start, start + len(quote)))
    return Chunks(*np.array(rows, dtype=np.int64).T)


SENTENCES = chunks_of("Bees buzz.", "They make wax.", "Drones do not.", "Ants amble.", "Cats creep.", "Dogs dig.")


def sent(expanded):
    """The text of what is sent for each chunk."""
    texts = expanded.passages.texts(CORPUS)
    return [texts[row] for row in expanded.of_chunk]


PARAGRAPH = "# Bees\n\nBees buzz. They make wax."
BEES = "# Bees\n\nBees buzz. They make wax.\n\nDrones do not."
CATS = "# Cats\n\nCats creep. Dogs dig."


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(
            {},
            ["Bees buzz.", "They make wax.", "Drones do not.", "Ants amble.", "Cats creep.", "Dogs dig."],
            id="none",
        ),
        pytest.param(
            {"expand": "window"},
            [
                "Bees buzz. They make wax.",
                "Bees buzz. They make wax.\n\nDrones do not.",
                "They make wax.\n\nDrones do not.\n\n# Ants\n\nAnts amble.",
                "Drones do not.\n\n# Ants\n\nAnts amble.",
                "Cats creep. Dogs dig.",
                "Cats creep. Dogs dig.",
            ],
            id="the chunks beside it, of its document",
        ),
        pytest.param(
            {"expand": "window", "window_unit": "sentences"},
            [
                PARAGRAPH,
                "Bees buzz. They make wax.\n\nDrones do not.",
                "They make wax.\n\nDrones do not.\n\n# Ants",
                "# Ants\n\nAnts amble.",
                CATS,
                "Cats creep. Dogs dig.",
            ],
            id="the sentences beside it, of which a heading is one",
        ),
        pytest.param(
            {"expand": "window", "window_unit": "characters", "window": 4},
            [
                "es\n\nBees buzz. The",
                "zz. They make wax.\n\nDr",
                "x.\n\nDrones do not.\n\n# ",
                "ts\n\nAnts amble.\n",
                "ts\n\nCats creep. Dog",
                "ep. Dogs dig.\n",
            ],
            id="characters, as far as there are",
        ),
        pytest.param(
            {"expand": "section"},
            [BEES, BEES, BEES, "# Ants\n\nAnts amble.", CATS, CATS],
            id="its section with heading",
        ),
        pytest.param(
            {"expand": "parent"},
            [PARAGRAPH, PARAGRAPH, "Drones do not.", "# Ants\n\nAnts amble.", CATS, CATS],
            id="its paragraph",
        ),
        pytest.param(
            {"expand": "parent", "parent_size": 2},
            [BEES, BEES, BEES, "# Ants\n\nAnts amble.", CATS, CATS],
            id="parents of a given size",
        ),
        pytest.param({"expand": "document"}, [TEXT.strip()] * 4 + [CATS] * 2, id="its document"),
    ],
)
def test_what_is_sent_for_sentences(options, expected):
    found = expand(Expansion(**options), CORPUS, SENTENCES)
    assert sent(found) == expected
    assert len(found.passages) == len(dict.fromkeys(expected))


@pytest.mark.parametrize(
    ("expand_to", "expected"),
    [
        pytest.param("parent", f"{BEES}\n\n# Ants\n\nAnts amble.", id="paragraphs"),
        pytest.param("section", f"{BEES}\n\n# Ants\n\nAnts amble.", id="sections"),
    ],
)
def test_a_chunk_in_several_brings_all_of_them(expand_to, expected):
    across = chunks_of("make wax.\n\nDrones do not.\n\n# Ants\n\nAnts")
    assert sent(expand(Expansion(expand=expand_to), CORPUS, across)) == [expected]


def test_what_no_parent_has_is_sent_as_it_stands():
    drops = Expansion(expand="parent", parent="headings")
    assert sent(expand(drops, CORPUS, chunks_of("# Bees\n", "Bees buzz."))) == [
        "# Bees\n",
        "Bees buzz. They make wax.\n\nDrones do not.",
    ]


HEADER = Prefix("Bees | ", (Span(2, 6),))


@pytest.mark.parametrize(
    ("window", "text"),
    [
        pytest.param(1, "Bees | \nBees buzz. ", id="it stands before what is sent"),
        pytest.param(8, "# Bees\n\nBees buzz. They ma", id="it is in what is sent"),
    ],
)
def test_added_words_are_not_sent_where_what_is_sent_has_them_in_place(window, text):
    bees = chunks_of("Bees buzz.")
    chunks = Chunks(bees.document, bees.start, bees.end, (HEADER,))
    around = Expansion(expand="window", window=window, window_unit="characters")
    assert sent(expand(around, CORPUS, chunks)) == [text]


def test_chunks_as_they_stand_are_not_copied():
    assert expand(Expansion(), CORPUS, SENTENCES).passages is SENTENCES
    assert as_they_stand(SENTENCES).of_chunk.tolist() == [0, 1, 2, 3, 4, 5]


words = st.sampled_from(["ab", "c", "def"])
some_texts = st.lists(st.tuples(words, st.sampled_from([" ", "\n\n", "\n"])), min_size=1, max_size=12).map(
    lambda parts: "".join(word + gap for word, gap in parts)
)


@st.composite
def some_splits(draw):
    """A text of paragraphs and chunks of it whose starts and ends strictly increase, none of them blank."""
    text = draw(some_texts)
    starts = sorted(draw(st.sets(st.integers(0, len(text) - 1), min_size=1, max_size=6)))
    ends = sorted(draw(st.sets(st.integers(1, len(text)), min_size=len(starts), max_size=len(starts))))
    spans = [(a, b) for a, b in zip(starts, ends, strict=True) if a < b and text[a:b].strip()]
    return text, Chunks(*np.array([(0, *span) for span in spans], dtype=np.int64).reshape(-1, 3).T)


@given(some_splits())
def test_paragraphs_as_parents_beside_a_comparison_of_characters(split):
    text, chunks = split
    corpus = Corpus((markdown.read(text, "a.md"),))
    paragraphs = [set(range(*match.span())) for match in re.finditer(r"\S(?:(?!\n\s*\n)[\s\S])*\S|\S", text)]
    found = expand(Expansion(expand="parent"), corpus, chunks)
    for (_, chunk), row in zip(chunks.rows(), found.of_chunk, strict=True):
        written = {position for position in range(chunk.start, chunk.end) if text[position].strip()}
        touched = set().union(*(paragraph for paragraph in paragraphs if paragraph & written))
        assert (found.passages.start[row], found.passages.end[row]) == (min(touched), max(touched) + 1)


@given(
    some_splits(),
    st.sampled_from(["none", "window", "section", "parent", "document"]),
    st.integers(1, 3),
    st.sampled_from(["chunks", "sentences", "characters"]),
)
def test_what_holds_for_every_expansion(split, kind, window, unit):
    text, chunks = split
    corpus = Corpus((markdown.read(text, "a.md"),))
    found = expand(Expansion(expand=kind, window=window, window_unit=unit), corpus, chunks)
    spans = [span for _, span in found.passages.rows()]
    assert len(set(spans)) == len(spans)
    assert set(found.of_chunk.tolist()) == set(range(len(spans)))
    for order in (found.passages.start, found.passages.end, found.of_chunk):
        assert np.all(np.diff(order) >= 0)
    for (_, chunk), row in zip(chunks.rows(), found.of_chunk, strict=True):
        outside = text[chunk.start : max(spans[row].start, chunk.start)] + text[spans[row].end : chunk.end]
        assert not outside.strip()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.randoms(), st.integers(1, 5))
def test_so_many_hits_always_reach_so_many_passages(passage_of, random, wanted):
    _, of_chunk = np.unique(passage_of, return_inverse=True)
    total = int(of_chunk.max()) + 1
    numbers = np.arange(total)
    expanded = Expanded(Chunks(numbers, numbers, numbers), of_chunk)
    needed = expanded.chunks_to_reach(wanted)
    order = list(range(len(passage_of)))
    random.shuffle(order)
    assert len(set(of_chunk[order[:needed]])) >= min(wanted, total)
    # The worst order: those of the passages with most chunks first.
    counts = np.bincount(of_chunk)
    order.sort(key=lambda row: (-counts[of_chunk[row]], of_chunk[row]))
    assert len(set(of_chunk[order[: needed - 1]])) < min(wanted, total)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"expand": "page"}, ["retriever.expand=page", "window, section"], id="unknown"),
        pytest.param({"expand": "window", "window": 0}, ["retriever.window=0", "at least 1 chunks"], id="no window"),
        pytest.param(
            {"expand": "window", "window_unit": "tokens"},
            ["retriever.window_unit=tokens", "sentences, characters"],
            id="unit",
        ),
        pytest.param({"expand": "parent", "parent": "x"}, ["retriever.parent=x", "paragraphs"], id="unknown parent"),
        pytest.param({"expand": "parent", "parent_size": 0}, ["size=0", "at least 1"], id="parents of nothing"),
        pytest.param({"expand": "parent", "parent": "custom"}, ["retriever.parent=custom"], id="code of the user's"),
        pytest.param(
            {"expand": "parent", "parent": "semantic"},
            ["retriever.parent=semantic", "vectors", "paragraphs"],
            id="parents by vectors",
        ),
        pytest.param(
            {"expand": "parent", "parent": "langchain_token"},
            ["retriever.parent=langchain_token", "tokens"],
            id="parents in tokens",
        ),
    ],
)
def test_options_that_cannot_be(options, words):
    with pytest.raises(ConfigError) as caught:
        Expansion(**options)
    assert [word for word in words if word not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param({}, {"window": 3, "window_unit": "sentences", "parent": "whole", "parent_size": 9}, id="ignored"),
        pytest.param({"expand": "window"}, {"expand": "window", "window": 1, "window_unit": "chunks"}, id="a window"),
        pytest.param(
            {"expand": "parent"}, {"expand": "parent", "parent": "paragraphs", "parent_size": 1}, id="paragraphs"
        ),
        pytest.param(
            {"expand": "parent", "parent": "recursive"},
            {"expand": "parent", "parent": "recursive", "parent_size": 400},
            id="a size",
        ),
        pytest.param(
            {"expand": "parent", "parent": "whole"},
            {"expand": "parent", "parent": "whole", "parent_size": 5},
            id="a size that the parent ignores",
        ),
    ],
)
def test_expansions_with_the_same_effect_are_equal(one, two):
    assert Expansion(**one) == Expansion(**two)


def test_the_expansion_among_other_options():
    assert expansion_of({"rrf": 60.0, "expand": "window", "window": 2}) == Expansion(expand="window", window=2)
