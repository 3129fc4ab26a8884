"""JSON Lines: a record a line, written out as its fields with their names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from chunksweep.documents.decoding import REPLACEMENT, storable
from chunksweep.documents.outline import sections_of, title_of
from chunksweep.documents.words import some_of
from chunksweep.documents.writing import BLANK_LINE, LINE_END, Writer, table_of
from chunksweep.records import Document, Span, TableRow

SUFFIXES = (".jsonl", ".ndjson")


def read(text: str, document_id: str) -> Document:
    """A document of one section whose records are paragraphs, and the rows of a table without header.

    A field is a line "name: value"; of one inside another the names are joined with a dot, entries of a list that are
    not single values are numbered from 1. Fields that are null or blank are left out. Numbers stand as they are
    written there. Lines that hold no JSON are reported in `unread`.
    """
    writer, records, faulty = Writer(), [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, object_pairs_hook=tuple, parse_float=str, parse_int=str)
            fields = list(_fields("", value))
        except (ValueError, RecursionError):
            faulty.append(number)
            continue
        if fields:
            records.append(_record(writer, fields))
            writer.apart(BLANK_LINE)
    replaced = writer.text.count(REPLACEMENT)
    return Document(
        id=document_id,
        text=writer.text,
        title=title_of((), document_id),
        sections=sections_of(writer.text, ()),
        media_type="application/jsonl",
        tables=(table_of(records, headed=False),) if records else (),
        written=True,
        unread=(f"holds no JSON on {some_of('line', faulty)}",) if faulty else (),
        warnings=(f"has {replaced} U+FFFD where a character could not be kept",) if replaced else (),
    )


def _fields(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Name and text of all single values below `value`. An object is a tuple of pairs, a number a text."""
    if isinstance(value, tuple):
        for key, inner in value:
            yield from _fields(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list) and any(isinstance(inner, tuple | list) for inner in value):
        for number, inner in enumerate(value, 1):
            yield from _fields(f"{name}.{number}" if name else str(number), inner)
    else:
        text = ", ".join(_text(inner) for inner in value) if isinstance(value, list) else _text(value)
        if text:
            yield storable(name).strip(), text


def _text(value: Any) -> str:
    if isinstance(value, str):
        return storable(value).strip()
    return "" if value is None else json.dumps(value)


def _record(writer: Writer, fields: list[tuple[str, str]]) -> TableRow:
    values = []
    start: int | None = None
    for name, value in fields:
        line = writer.write(f"{name}: {value}" if name else value)
        writer.apart(LINE_END)
        start = line.start if start is None else start
        values.append(Span(line.end - len(value), line.end))
    return TableRow(Span(start or 0, writer.end), tuple(values))
