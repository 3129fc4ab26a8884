"""Texts on which splitters of other tools are known to lose, repeat or mix up what they cut, with the right chunks.

What is wrong in one strategy alone stands in that strategy's file.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.chunkers.cutting import cut, md, spans

from chunksweep.documents import markdown, plain
from chunksweep.errors import ConfigError
from chunksweep.prefix import prefix_for

RUNS = "a" * 90 + "\n\n" + "b" * 80 + "\n\n" + "c" * 2_500


@pytest.mark.parametrize(
    "strategy",
    ["recursive", "paragraphs", "headings", "sentences", "semantic", "tables", "faq", "pages", "code", "fixed"],
)
def test_the_piece_that_fills_a_chunk_is_kept(strategy: str) -> None:
    limited = {} if strategy in ("paragraphs", "sentences", "tables", "faq", "pages") else {"size": 120}
    joined = "".join(cut(strategy, RUNS, **limited))
    assert [joined.count(letter) for letter in "abc"] == [90, 80, 2_500]


def test_a_last_sentence_without_a_full_stop_is_kept() -> None:
    text = "Bees sleep. Wasps sting. Iron rusts. Zinc does not. Final note without a full stop"
    for options in ({}, {"threshold": "deviation"}, {"threshold": "absolute"}):
        found = cut("semantic", text, **options)
        assert sum("Final note without a full stop" in chunk for chunk in found) == 1


@pytest.mark.parametrize("threshold", ["percentile", "deviation", "absolute"])
@pytest.mark.parametrize(
    "text",
    [pytest.param("Only one sentence here.", id="one sentence"), pytest.param("First one. Second one.", id="two")],
)
def test_too_few_sentences_for_a_statistic(text: str, threshold: str) -> None:
    assert " ".join(cut("semantic", text, threshold=threshold)) == text


def test_a_long_line_of_code_is_kept() -> None:
    text = f'banner = "{"Z" * 900}"\n\ncount = 3\n'
    document = plain.read(text, "oven.py")
    found = cut("code", document, size=200)
    assert "".join(found).count("Z") == 900
    assert any("count = 3" in chunk for chunk in found)
    assert all(len(chunk) <= 200 for chunk in found)


def test_a_heading_longer_than_the_size_leaves_its_text() -> None:
    heading = "very long heading " * 21
    document = md(f"# {heading}\n\nThe code is 4417.")
    for headings in ("drop", "keep"):
        found = spans("headings", document, size=32, unit="tokens", headings=headings)
        assert "The code is 4417." in document.text[found[-1].start : found[-1].end]
    # The prefix is not part of the size: it is embedded whole, and what the model cannot read is counted.
    prefix = prefix_for("heading", document, found[-1])
    assert prefix is not None
    assert prefix.text == heading.strip()


def test_a_document_of_a_heading_alone_keeps_it() -> None:
    document = md("# Only heading\n")
    assert [section.path for section in document.sections] == [("Only heading",)]
    assert cut("headings", document, headings="keep", size=50) == ["# Only heading"]
    assert cut("sentences", document) == ["# Only heading"]
    assert cut("paragraphs", document) == ["# Only heading"]


def test_a_heading_straight_after_an_empty_one() -> None:
    document = md("# Lamp\n## Bulb\nuse 5 W\n")
    (span,) = spans("headings", document)
    assert document.section_path(span) == ("Lamp", "Bulb")


@pytest.mark.parametrize("unit", ["words", "characters"])
def test_runs_of_white_space_are_no_words(unit: str) -> None:
    text = "a  \t b \f\f c   d e"
    found = (
        cut("fixed", text, unit="words", size=2) if unit == "words" else cut("recursive", text, unit="words", size=2)
    )
    assert [chunk.split() for chunk in found] == [["a", "b"], ["c", "d"], ["e"]]


@pytest.mark.parametrize(("overlap", "said"), [(256, "overlap=256 with size=256"), (300, "overlap=300 with size=256")])
@pytest.mark.parametrize("strategy", ["fixed", "recursive", "langchain_recursive", "semchunk", "chonkie_token"])
def test_an_overlap_that_would_never_end_is_refused(strategy: str, overlap: int, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        cut(strategy, "z" * 3_000, size=256, overlap=overlap)


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        pytest.param("sentences", {}, id="sentences have no size in characters"),
        pytest.param("recursive", {"size": 100}, id="recursive"),
        pytest.param("semantic", {"size": 100}, id="semantic"),
        pytest.param("headings", {"size": 100}, id="headings"),
        pytest.param("fixed", {"size": 100, "unit": "words"}, id="words"),
    ],
)
def test_a_text_without_blanks_or_punctuation(strategy: str, options: dict[str, Any]) -> None:
    expected = ["山" * 1_000] if strategy == "sentences" else ["山" * 100] * 10
    assert cut(strategy, "山" * 1_000, **options) == expected


def test_equal_passages_of_two_documents_are_cited_apart() -> None:
    documents = [markdown.read("# S\nsame passage", name) for name in ("x.md", "y.md")]
    places = [(document.id, spans("headings", document)) for document in documents]
    assert places[0][1] == places[1][1]
    assert [name for name, _ in places] == ["x.md", "y.md"]


def test_a_separator_inside_a_question_parts_nothing() -> None:
    text = "Q: Is tab\tallowed?\nA: Yes: always.\nSecond line of the answer.\n\nQ: Next?\nA: No.\n"
    assert cut("faq", text) == [
        "Q: Is tab\tallowed?\nA: Yes: always.\nSecond line of the answer.",
        "Q: Next?\nA: No.",
    ]
