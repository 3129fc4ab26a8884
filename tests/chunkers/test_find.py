from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest
from tests.chunkers.cutting import cut, md

from chunksweep import chunkers
from chunksweep.chunkers import find, known, split_document
from chunksweep.chunkers.base import Chunker, Sizing
from chunksweep.chunkers.fixed import Fixed
from chunksweep.chunkers.headings import Headings
from chunksweep.chunkers.recursive import Recursive
from chunksweep.documents import plain
from chunksweep.errors import ConfigError
from chunksweep.paths import group_options
from chunksweep.records import Document, IntArray

# By their configuration, so that a strategy which is added needs no change here.
CHOICE = tuple(group_options("chunker"))
BUILT_IN = tuple(name for name in CHOICE if name != "custom")


def plug_in(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    entry = EntryPoint(name="logbook", value=value, group=chunkers.ENTRY_POINTS)
    monkeypatch.setattr(chunkers, "entry_points", lambda group: [entry] if group == "chunksweep.chunkers" else [])


def test_known() -> None:
    assert known() == BUILT_IN
    assert {"fixed", "headings", "paragraphs", "recursive", "sentences", "whole"} <= set(known())
    assert find("fixed") is Fixed


@pytest.mark.parametrize("name", ["late", "base", "windows", "", "fixed.Fixed"])
def test_unknown_name(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(name)
    assert str(caught.value) == f"chunker={name} is not known. Known: {', '.join(CHOICE)}. Choose one of them."


def test_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "chunksweep.chunkers.whole:Whole")
    assert find("logbook") is find("whole")
    assert known() == tuple(sorted((*BUILT_IN, "logbook")))


def test_entry_point_of_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, "chunksweep.chunkers.windows:windows")
    with pytest.raises(ConfigError, match=r"chunker=logbook is chunksweep\.chunkers\.windows:windows"):
        find("logbook")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        pytest.param(
            "fixed",
            {"unit": "rows"},
            "chunker.unit=rows is not possible. Allowed: characters, words, tok",
            id="unit",
        ),
        pytest.param(
            "semchunk",
            {"unit": "words"},
            "chunker.unit=words is not possible. Allowed: characters, tok",
            id="library",
        ),
        pytest.param(
            "fixed", {"unit": "tokens", "tokenizer": "gpt2"}, "chunker.tokenizer=gpt2 is not possible", id="tokens"
        ),
        pytest.param("headings", {"headings": "hide"}, "chunker.headings=hide is not possible", id="headings"),
        pytest.param("paragraphs", {"headings": "hide"}, "chunker.headings=hide is not possible", id="paragraphs"),
        pytest.param("fixed", {"size": 0}, "size=0: at least 1 of characters", id="size"),
        pytest.param(
            "fixed", {"size": 256, "overlap": 256}, "overlap=256 with size=256", id="overlap as large as size"
        ),
        pytest.param("recursive", {"overlap": 400}, "overlap=400 with size=400", id="overlap and the default size"),
        pytest.param("sentences", {"overlap": 1}, "overlap=1 with size=1", id="overlap of sentences"),
        pytest.param("paragraphs", {"size": 2, "overlap": -1}, "overlap=-1 with size=2", id="overlap below 0"),
        pytest.param("headings", {"size": 9, "overlap": 9}, "overlap=9 with size=9", id="overlap and a cap"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(name)(**options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("chunker", "sizing"),
    [
        pytest.param(Fixed(), Sizing("characters", 400), id="characters"),
        pytest.param(Recursive(unit="tokens"), Sizing("tokens", 128), id="tokens"),
        pytest.param(find("sentences")(), Sizing("sentences", 1), id="sentences"),
        pytest.param(find("paragraphs")(), Sizing("paragraphs", 1), id="paragraphs"),
        pytest.param(Headings(), Sizing("characters", None, overlap=False), id="no cap, no overlap"),
        pytest.param(Headings(size=9), Sizing("characters", None), id="a cap and an overlap"),
        pytest.param(find("whole")(size=3), None, id="no size"),
    ],
)
def test_sizing(chunker: Chunker, sizing: Sizing | None) -> None:
    assert chunker.sizing() == sizing


def test_tokenizer_beside_characters_is_ignored() -> None:
    assert Fixed(tokenizer="cl100k") == Fixed()
    assert Fixed(unit="tokens", tokenizer="models/tokenizer.json").tokenizer == "models/tokenizer.json"


TEXT = md(
    " ".join(f"w{number:03}" for number in range(300)) + "\n\n# Two\n\nOne. Two. Three.\n\n2 是。3．Am 3. Mai. So.\n"
)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        pytest.param("fixed", {}, {"overlap": 40}, id="fixed overlap"),
        pytest.param("fixed", {"size": 100}, {"size": 100, "unit": "tokens"}, id="fixed unit"),
        pytest.param("recursive", {}, {"overlap": 40}, id="recursive overlap"),
        pytest.param("recursive", {"size": 100}, {"size": 100, "unit": "tokens"}, id="recursive unit"),
        pytest.param("headings", {"size": 400}, {"size": 400, "overlap": 40}, id="headings overlap"),
        pytest.param("headings", {"size": 100}, {"size": 100, "unit": "tokens"}, id="headings unit"),
        pytest.param("headings", {}, {"headings": "keep"}, id="headings headings"),
        pytest.param("sentences", {"size": 2}, {"size": 2, "overlap": 1}, id="sentences overlap"),
        pytest.param("sentences", {"size": 2}, {"size": 2, "within": "paragraph"}, id="sentences within a paragraph"),
        pytest.param("sentences", {"size": 2}, {"size": 2, "within": "document"}, id="sentences within the document"),
        pytest.param("sentences", {}, {"headings": "drop"}, id="sentences headings"),
        pytest.param("sentences", {}, {"language": "de"}, id="sentences language"),
        pytest.param("paragraphs", {"size": 2}, {"size": 2, "overlap": 1}, id="paragraphs overlap"),
        pytest.param("paragraphs", {}, {"headings": "drop"}, id="paragraphs headings"),
    ],
)
def test_every_option_does_something(name: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert cut(name, TEXT, **one) != cut(name, TEXT, **other)


class Counting:
    """A tokenizer of single characters that counts how often it is asked."""

    fingerprint = "characters"

    def __init__(self) -> None:
        self.asked = 0

    def count(self, texts: Any) -> IntArray:
        raise NotImplementedError

    def offsets(self, text: str) -> tuple[IntArray, IntArray]:
        import numpy as np

        self.asked += 1
        return np.arange(len(text)), np.arange(1, len(text) + 1)


@pytest.mark.parametrize(
    ("name", "options", "times"),
    [
        pytest.param("fixed", {"unit": "tokens", "size": 5, "overlap": 2}, 1, id="once a document"),
        pytest.param("recursive", {"unit": "tokens", "size": 5, "overlap": 2}, 1, id="once a document, recursive"),
        pytest.param("recursive", {"size": 5}, 0, id="not for characters"),
        pytest.param("headings", {"unit": "tokens"}, 0, id="not without a cap"),
        pytest.param("sentences", {}, 0, id="not for sentences"),
    ],
)
def test_a_document_is_tokenised_once(name: str, options: dict[str, Any], times: int) -> None:
    tokenizer, document = Counting(), plain.read("Some words to cut. " * 40, "a.txt")
    split_document(find(name)(**options), document, tokenizer)
    assert tokenizer.asked == times


def test_tokens_need_a_tokenizer() -> None:
    document = Document("a.txt", "a", "a", ())
    assert len(split_document(Fixed(), document, None)) == 1
    with pytest.raises(ValueError, match="needs a tokenizer"):
        split_document(Fixed(unit="tokens"), document, None)
