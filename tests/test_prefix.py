from __future__ import annotations

import pytest
import yaml

from chunksweep.documents import markdown, plain
from chunksweep.errors import ConfigError
from chunksweep.paths import shipped
from chunksweep.prefix import embedded_text, prefix_for
from chunksweep.records import Document, Prefix, Span

TEXT = """Before.

# Pump `A`

Oil it.

### Seals

Seals wear. Seal early.

##

Unnamed.

## Stand

Stands are heavy. Stand: firm.
"""
PUMP = markdown.read(TEXT, "guides/pump.md")
NOTITLE = plain.read("all of this is a sentence.", "notes/wear.txt")
FRONT = markdown.read("---\nowner: Vale\ntitle: Pump care\n---\n\n# Seals\n\nThey wear.\n", "a.md")


def span_of(text: str, part: str) -> Span:
    return Span(text.index(part), text.index(part) + len(part))


def prefix(kind: str, chunk: str, document: Document = PUMP) -> str | None:
    found = prefix_for(kind, document, span_of(document.text, chunk))
    return found.text if found else None


@pytest.mark.parametrize(
    ("kind", "chunk", "expected"),
    [
        pytest.param("none", "Oil it.", None, id="none"),
        pytest.param("heading", "Oil it.", "Pump A", id="heading without marks"),
        pytest.param("heading", "Before.", None, id="no section"),
        pytest.param("path", "Before.", None, id="no path"),
        pytest.param("path", "wear.", "Pump A > Seals", id="path over a level that is missing"),
        pytest.param("heading", "Unnamed.", "Pump A", id="an empty heading is none"),
        pytest.param("path", "Unnamed.", "Pump A", id="nor in the path"),
        pytest.param("heading", "##\n\nUnnamed.", "Pump A", id="nor where the chunk begins with it"),
        pytest.param("path", "are heavy.", "Pump A > Stand", id="a sibling of the level above"),
        pytest.param("heading", "# Pump `A`\n\nOil", None, id="left out: begins with the heading's line"),
        pytest.param("path", "\n\n### Seals\n\nSeals", None, id="left out: white space before it"),
        pytest.param("heading", "Seals wear.", None, id="left out: the text begins with its words"),
        pytest.param("heading", "Seal early.", "Seals", id="not left out: other words"),
        pytest.param("heading", "Stands are", "Stand", id="not left out: a longer word"),
        pytest.param("heading", "Stand: firm", None, id="left out: then no word character"),
        pytest.param("path", "Stand: firm", None, id="left out of the path as a whole"),
        pytest.param("heading", "\n\nOil it.\n\n### Seals", "Pump A", id="section of the first non-blank character"),
        pytest.param("title", "are heavy.", "Pump A", id="title"),
        pytest.param("title", "Before.", "Pump A", id="title before the first heading"),
        pytest.param("title", "# Pump `A`", None, id="left out: the chunk begins with the title"),
    ],
)
def test_prefix(kind: str, chunk: str, expected: str | None) -> None:
    assert prefix(kind, chunk) == expected


def test_chunk_that_ends_with_the_heading_begins_with_it() -> None:
    assert prefix_for("heading", PUMP, span_of(TEXT, "Seals wear")) is None
    assert prefix_for("heading", PUMP, Span(TEXT.index("Seals wear"), TEXT.index("Seals wear") + 4)) is not None


@pytest.mark.parametrize(
    ("kind", "document", "chunk", "sources"),
    [
        pytest.param("heading", PUMP, "wear. Seal", ["### Seals"], id="the heading's line"),
        pytest.param("path", PUMP, "are heavy.", ["# Pump `A`", "## Stand"], id="a line for each heading of the path"),
        pytest.param("path", PUMP, "Unnamed.", ["# Pump `A`"], id="none for an empty heading"),
        pytest.param("title", PUMP, "Oil", ["# Pump `A`"], id="title from a heading"),
        pytest.param("title", FRONT, "They", ["Pump care"], id="title from front matter"),
        pytest.param("title", NOTITLE, "this", [], id="title from the file name"),
    ],
)
def test_sources(kind: str, document: Document, chunk: str, sources: list[str]) -> None:
    found = prefix_for(kind, document, span_of(document.text, chunk))
    assert found is not None
    assert [document.text[span.start : span.end] for span in found.sources] == sources


def test_title_from_the_file_name() -> None:
    assert prefix("title", "this is", NOTITLE) == "wear"
    assert prefix("heading", "this is", NOTITLE) is None


def test_prefix_and_text_are_apart() -> None:
    text = "# Guide\n\n## Limits\n\nAt most 12 jars per shelf.\n"
    body = span_of(text, "At most 12 jars per shelf.")
    found = prefix_for("path", markdown.read(text, "a.md"), body)
    assert found == Prefix("Guide > Limits", (Span(0, 7), Span(9, 18)))
    assert embedded_text(found, ". ", text[body.start : body.end]) == "Guide > Limits. At most 12 jars per shelf."


def test_no_prefix_no_separator() -> None:
    assert embedded_text(None, ". ", "text") == "text"


def test_unknown_kind() -> None:
    with pytest.raises(ConfigError, match=r"prefix=summary is not known\. Known: none, heading, path, title"):
        prefix_for("summary", PUMP, Span(0, 1))


@pytest.mark.parametrize("name", ["none", "heading", "path", "title"])
def test_file_of_every_kind(name: str) -> None:
    text = (shipped("conf") / "prefix" / f"{name}.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == {"name": name, "separator": ". ", "send": False}
