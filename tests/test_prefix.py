from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents import markdown, plain
from chunksweep.errors import ConfigError
from chunksweep.paths import shipped
from chunksweep.prefix import embedded_text, prefix_for
from chunksweep.records import Document, Prefix, Span
from chunksweep.template import Template, require_known

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
    with pytest.raises(ConfigError, match=r"prefix=summary is not known\. Known: none, heading, path, title, template"):
        prefix_for("summary", PUMP, Span(0, 1))


@pytest.mark.parametrize("name", ["none", "heading", "path", "title"])
def test_file_of_every_kind(name: str) -> None:
    text = (shipped("conf") / "prefix" / f"{name}.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == {"name": name, "separator": ". ", "send": False}


def test_file_of_the_template() -> None:
    text = (shipped("conf") / "prefix" / "template.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == {"name": "template", "template": None, "separator": ". ", "send": False}


MANUAL = markdown.read(
    """---
title: Pump care
product: X-200
version: 1.10
tags: [oil, seals]
nested: {a: b}
empty:
---

Before.

# Seals

They wear.

## Spare  `parts`

Order two.
""",
    "v2/guides/pump.care.md",
)


@pytest.mark.parametrize(
    ("template", "chunk", "expected"),
    [
        pytest.param("{path}", "They", "v2/guides/pump.care.md", id="path"),
        pytest.param("{folder} | {file}", "They", "v2/guides | pump.care", id="folder and file"),
        pytest.param("{title}: {section}", "They", "Pump care: Seals", id="title and section"),
        pytest.param("{sections}", "Order", "Seals > Spare parts", id="all headings"),
        pytest.param("{product} {version}", "They", "X-200 1.10", id="front matter, a number as it is written"),
        pytest.param("{tags}", "They", "oil, seals", id="a list"),
        pytest.param("{{{product}}}", "They", "{X-200}", id="braces"),
        pytest.param("{product} {section} {version}", "Before.", "X-200 1.10", id="a field without a value, one blank"),
        pytest.param("{nested}{empty}", "They", None, id="neither text nor list, and nothing"),
        pytest.param("Section: {section}", "Before.", None, id="words alone are none"),
        pytest.param("{section}", "# Seals\n\nThey", "Seals", id="also where the chunk begins with it"),
        pytest.param("{title}\n{section}", "They", "Pump care\nSeals", id="a line break"),
    ],
)
def test_template(template: str, chunk: str, expected: str | None) -> None:
    found = prefix_for("template", MANUAL, span_of(MANUAL.text, chunk), template)
    assert (found.text if found else None) == expected


def test_template_of_a_document_without_front_matter() -> None:
    found = prefix_for("template", NOTITLE, Span(0, 3), "{product} {title}")
    assert found == Prefix("wear", ())


def test_sources_of_a_template() -> None:
    template = "{product} {tags} {path} {title} {sections} {product}"
    found = prefix_for("template", MANUAL, span_of(MANUAL.text, "Order"), template)
    assert found is not None
    copied = [MANUAL.text[span.start : span.end] for span in found.sources]
    # A path stands nowhere in the text.
    assert copied == ["X-200", "oil, seals", "Pump care", "# Seals", "## Spare  `parts`"]


@pytest.mark.parametrize(
    ("template", "words"),
    [
        pytest.param("{title", "expected '}'", id="an open brace"),
        pytest.param("title}", "Single '}'", id="a brace too many"),
        pytest.param("title", "names no field", id="no field"),
        pytest.param("", "names no field", id="nothing"),
        pytest.param("{}", "only a name can stand in braces", id="no name"),
        pytest.param("{a\nb}", "prefix.template={a b}: only a name", id="a line break in a name"),
        pytest.param("{title.__class__}", "only a name can stand in braces", id="an attribute"),
        pytest.param("{title[0]}", "only a name can stand in braces", id="an index"),
        pytest.param("{title!r}", "only a name can stand in braces", id="a conversion"),
        pytest.param("{title:>99999999}", "only a name can stand in braces", id="a format"),
        pytest.param("{__import__('os')}", "only a name can stand in braces", id="a call"),
    ],
)
def test_what_is_no_template_is_refused(template: str, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Template.of(template)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_field_that_no_document_has_is_refused_with_those_there_are() -> None:
    require_known(Template.of("{product} {path}"), [NOTITLE, MANUAL])
    with pytest.raises(ConfigError, match=r"names \{prodct\}, .* product, section, sections, tags, title, version"):
        require_known(Template.of("{prodct}"), [NOTITLE, MANUAL])


@given(st.text(max_size=30))
def test_a_template_is_read_or_refused(text: str) -> None:
    try:
        template = Template.of(text)
    except ConfigError:
        return
    # Filled with its own names it is the text again, but for braces, blanks and line ends.
    filled = template.filled({name: f"{{{name}}}" for name in template.fields})
    assert "".join(filled.split()) == "".join(text.replace("{{", "{").replace("}}", "}").split())
