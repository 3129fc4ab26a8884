"""Other libraries' splitters: their chunks, and what they leave of the text."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from semchunk.semchunk import chunk
from tests.chunkers.cutting import bounds, cut, md

from chunksweep.chunkers import cut_document, find, known, library, split_document
from chunksweep.errors import ChunkingError, ConfigError
from chunksweep.paths import CORPORA
from chunksweep.tokens import load_tokenizer

RUNBOOKS = md((CORPORA / "runbooks" / "docs" / "runbooks.md").read_text(encoding="utf-8"))
SECTIONS = "# Pump\n\nFirst line.\nSecond  line.\n\n## Seal\n\nThird line.\n"


@pytest.mark.parametrize(
    ("name", "text", "options", "expected"),
    [
        pytest.param(
            "langchain_recursive", "aa bb\n\ncc dd", {"size": 7}, ["aa bb", "cc dd"], id="langchain, blank lines first"
        ),
        pytest.param(
            "langchain_recursive",
            "def f():\n    pass\n\ndef g():\n    pass",
            {"size": 20, "language": "python"},
            ["def f():\n    pass", "def g():\n    pass"],
            id="langchain, a language",
        ),
        pytest.param(
            "langchain_recursive",
            "a|b|c",
            {"size": 1, "separators": ("|",), "keep_separator": "none"},
            ["a", "b", "c"],
            id="langchain, separators of one's own",
        ),
        pytest.param(
            "langchain_markdown", SECTIONS, {}, ["First line.\nSecond  line.", "Third line."], id="langchain, sections"
        ),
        pytest.param("langchain_token", "one two three", {"size": 2}, ["one two", " three"], id="langchain, tokens"),
        pytest.param("semchunk", "aa bb\n\ncc dd", {"size": 7}, ["aa bb", "cc dd"], id="semchunk"),
        pytest.param(
            "semantic_text_splitter", "aa bb\n\ncc dd", {"size": 7}, ["aa bb", "cc dd"], id="semantic-text-splitter"
        ),
        pytest.param(
            "semantic_text_splitter",
            "# A\n\nb\n\n# C\n\nd",
            {"size": 8, "markdown": True},
            ["# A\n\nb", "# C\n\nd"],
            id="semantic-text-splitter, Markdown",
        ),
        pytest.param("chonkie_token", "one two three", {"size": 2}, ["one two", " three"], id="chonkie, tokens"),
        pytest.param(
            "chonkie_sentence",
            "The seal is old. Order a new one.",
            {"size": 18},
            ["The seal is old. ", "Order a new one."],
            id="chonkie, sentences",
        ),
        pytest.param(
            "chonkie_recursive",
            "The first seal is very old.\n\nThe second seal is quite new.",
            {"size": 32},
            ["The first seal is very old.\n\n", "The second seal is quite new."],
            id="chonkie, recursive",
        ),
        pytest.param(
            "llama_index_sentence",
            "The seal is old. Order one.",
            {"size": 17},
            ["The seal is old.", "Order one."],
            id="llama-index, sentences",
        ),
        pytest.param(
            "llama_index_window",
            "The seal is old. Order one.",
            {},
            ["The seal is old. ", "Order one."],
            id="llama-index, one sentence",
        ),
        pytest.param(
            "llama_index_markdown",
            SECTIONS,
            {},
            ["# Pump\n\nFirst line.\nSecond  line.", "## Seal\n\nThird line."],
            id="llama-index, sections",
        ),
    ],
)
def test_chunks(name: str, text: str, options: dict[str, Any], expected: list[str]) -> None:
    assert cut(name, md(text), **options) == expected


def counted(name: str, text: str, **options: Any) -> dict[str, int]:
    return dict(cut_document(find(name)(**options), md(text), load_tokenizer("o200k")).counts)


def test_changed_white_space_is_counted() -> None:
    # The library puts two blanks before the line break that joins two blocks.
    assert counted("langchain_markdown", "# A\n\none\n\ntwo\n") == {"altered": 1, "left_out": 0}


def test_a_character_between_two_windows_is_damaged() -> None:
    # The emoji has three tokens: no window of one token has all of it.
    assert counted("langchain_token", "🧰", size=1) == {"altered": 0, "left_out": 3}


def test_joined_sections_are_an_error_that_names_them() -> None:
    with pytest.raises(
        ChunkingError, match=r'^a\.md: chunk 1 of langchain_text_splitters \("one two"\) stands nowhere'
    ):
        bounds("langchain_markdown", md("## A\none\n## A\ntwo\n"))


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as caught:
        find("chonkie_token")()
    assert str(caught.value) == "chonkie is not installed. Install it: pip install 'chunksweep[chonkie]'."
    assert importlib.util.find_spec("chonkie")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        pytest.param("langchain_recursive", {"language": "klingon"}, "chunker.language=klingon is not", id="language"),
        pytest.param(
            "langchain_recursive",
            {"language": "python", "separators": ("|",)},
            "chunker.language=python brings its own separators",
            id="language and separators",
        ),
        pytest.param("langchain_recursive", {"keep_separator": "both"}, "chunker.keep_separator=both", id="separator"),
        pytest.param("langchain_markdown", {"levels": 7}, "chunker.levels=7", id="levels"),
        pytest.param("semantic_text_splitter", {"size": 9, "minimum": 10}, "chunker.minimum=10", id="minimum"),
        pytest.param("chonkie_sentence", {"min_sentences_per_chunk": 0}, "chunker.min_sentences_per_chunk=0", id="0"),
    ],
)
def test_options_that_cannot_be(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(name)(**options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["langchain_recursive", "semchunk", "semantic_text_splitter", "chonkie_recursive"])
def test_a_real_text_is_neither_changed_nor_lost(name: str) -> None:
    cuts = cut_document(find(name)(size=300), RUNBOOKS, None)
    assert cuts.counts == {"altered": 0, "left_out": 0}
    covered = {place for span in cuts.spans for place in range(span.start, span.end)}
    assert all(char.isspace() or place in covered for place, char in enumerate(RUNBOOKS.text))


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.sampled_from(["x" * 20, "x", "\n\n", " ", ". ", "xx xx"]), min_size=1, max_size=25),
    size=st.integers(2, 30),
    data=st.data(),
)
def test_chunks_of_text_that_repeats_are_placed_as_they_stand(parts: list[str], size: int, data: st.DataObject) -> None:
    """The overlaps of semchunk leave white space uncounted, and so reach back further than was asked for."""
    text, overlap = "".join(parts), data.draw(st.integers(0, size - 1))
    try:
        given_out = chunk(text, size, len, overlap=overlap or None, memoize=False)
    except RecursionError:
        reject()
    spans = split_document(find("semchunk")(size=size, overlap=overlap), md(text), None)
    assert [text[span.start : span.end] for span in spans] == [part for part in given_out if part.strip()]
    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(spans))


def test_docs_list_what_libraries_do_not_keep() -> None:
    page = (Path(__file__).parents[2] / "docs" / "chunkers.md").read_text(encoding="utf-8")
    listed = [line for line in page.splitlines() if line.startswith("| `")]
    declared = [f"| `{name}` | {what} | {why} |" for name in known() for what, why in find(name).exempt.items()]
    assert listed == declared
