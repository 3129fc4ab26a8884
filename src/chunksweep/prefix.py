"""Prefixes: words that place a chunk, put before its text when it is embedded."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

from chunksweep.chunkers.boundaries import trimmed
from chunksweep.errors import ConfigError
from chunksweep.records import Document, Prefix, Section, Span
from chunksweep.template import OF_EVERY_DOCUMENT, Template, front_matter, front_matter_source, path_fields

TEMPLATE = "template"

_BLANK = re.compile(r"\s*")
_HEADING_MARKS = re.compile(r"[\s#]*")


def prefix_for(kind: str, document: Document, chunk_span: Span, template: str | None = None) -> Prefix | None:
    """What is put before a chunk; None where there is nothing to put or the chunk already begins with it.

    kind  "none"; "heading": the last heading of the section in which the chunk begins; "path": all of its headings
          from the outermost down, joined with " > "; "title": the title of the document; "template": fields of the
          document between words

    A chunk begins with a heading where its first non-blank character begins the heading's line, or where its text
    does, heading marks aside, and does not go on within a word. Of a path only the last heading counts. A template is
    put before every chunk, unless none of its fields has a value.

    template  the words and fields of kind "template", as Template.of reads them

    Raises ConfigError for another kind.
    """
    if kind == "none":
        return None
    if kind == TEMPLATE:
        return _from_template(_parsed(template or ""), document, _end_of(_BLANK, document, chunk_span))
    if kind not in _SOURCES:
        raise ConfigError(
            f"prefix={kind} is not known. Known: none, {', '.join(_SOURCES)}, {TEMPLATE}. Choose one of them."
        )
    start = _end_of(_BLANK, document, chunk_span)
    words, sources = _SOURCES[kind](document, start)
    if not words or (sources and sources[-1].start == start):
        return None
    if _begins_with(words[-1], document, Span(start, chunk_span.end)):
        return None
    return Prefix(" > ".join(words), sources)


def embedded_text(prefix: Prefix | None, separator: str, text: str) -> str:
    """The text that is embedded for a chunk: prefix, separator and chunk text, or the chunk text alone."""
    return f"{prefix.text}{separator}{text}" if prefix else text


Words = tuple[tuple[str, ...], tuple[Span, ...]]


def _heading(document: Document, start: int) -> Words:
    section = document.section_at(start)
    headed = islice(_lineage(document, section), 1) if section else ()
    return (section.path[-1:] if section else ()), tuple(_line(document, nearest) for nearest in headed)


def _path(document: Document, start: int) -> Words:
    section = document.section_at(start)
    headed = reversed(list(_lineage(document, section))) if section else ()
    return (section.path if section else ()), tuple(_line(document, above) for above in headed)


def _title(document: Document, start: int) -> Words:  # noqa: ARG001  the same for every chunk
    source = _title_source(document)
    return (document.title,), (source,) if source else ()


def _from_template(template: Template, document: Document, start: int) -> Prefix | None:
    headings, path, title = (words(document, start) for words in (_heading, _path, _title))
    placed = {"section": headings, "sections": path, "title": title}
    values = dict(front_matter(document)) | path_fields(document)
    values |= {name: " > ".join(words) for name, (words, _) in placed.items()}
    text = template.filled(values)
    if not text:
        return None
    sources: list[Span] = []
    for name in template.fields:
        if name in placed:
            sources += placed[name][1]
        elif name not in OF_EVERY_DOCUMENT and values.get(name):
            sources += filter(None, [front_matter_source(document, name, values[name])])
    return Prefix(text, tuple(dict.fromkeys(sources)))


@lru_cache(maxsize=64)
def _parsed(template: str) -> Template:
    return Template.of(template)


_SOURCES: dict[str, Callable[[Document, int], Words]] = {"heading": _heading, "path": _path, "title": _title}


def _lineage(document: Document, section: Section) -> Iterator[Section]:
    """The sections whose headings make up the path of `section`, from the innermost up."""
    depth = len(section.path)
    index = bisect_right(document.sections, section.span.start, key=lambda other: other.span.start)
    while depth:
        index -= 1
        # What stands between a section and the one above it is deeper; an empty heading is in no path.
        if document.sections[index].heading and len(document.sections[index].path) == depth:
            yield document.sections[index]
            depth -= 1


def _title_source(document: Document) -> Span | None:
    """Where the title stands: in the front matter, else in the first level-1 heading; None for a file name."""
    if "title" in front_matter(document):
        return front_matter_source(document, "title", document.title)
    first = next((section for section in document.sections if section.level == 1 and section.heading), None)
    return _line(document, first) if first and first.heading == document.title else None


def _line(document: Document, section: Section) -> Span:
    return trimmed(document.text, section.heading_span)


def _begins_with(heading: str, document: Document, chunk: Span) -> bool:
    start = _end_of(_HEADING_MARKS, document, chunk)
    end = start + len(heading)
    if end > chunk.end or not document.text.startswith(heading, start):
        return False
    return end == chunk.end or not re.match(r"\w", document.text[end])


def _end_of(pattern: re.Pattern[str], document: Document, span: Span) -> int:
    """Where a run at the start of `span` ends; the pattern may be empty, so it always matches."""
    match = pattern.match(document.text, span.start, span.end)
    return match.end() if match else span.start
