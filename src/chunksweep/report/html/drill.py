"""What became of each question under each cell, small enough to travel in a page.

A passage is a span of a document. The texts of all spans that any cell sent overlap each other, so each document
carries the characters that are needed once, and passages point into them. Where that is still too much, the ends of
long passages are left out, the same length for all.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from chunksweep.logged import Row, SentPassage
from chunksweep.measures.outcomes import OUTCOMES

Key = TypeVar("Key", bound=Hashable)

# Most characters of a passage that are shown, tried from the first on until the page is small enough.
LENGTHS = (4_000, 2_000, 1_000, 500, 250, 120, 0)


@dataclass(frozen=True, slots=True)
class Drill:
    """The questions of one corpus, and of each cell its rows in the order of the questions.

    names      of the cells, best first
    rows       by cell, then question
    documents  id -> text, of those that can still be read
    """

    names: Sequence[str]
    rows: Sequence[Sequence[Row]]
    documents: Mapping[str, str]

    def json(self, most: int) -> str:
        """JSON that may stand in a script element, of at most so many bytes where leaving passages out allows it.

        First the ends of long passages are left out, then the passages of the last cells. Outcomes always stand in it.

        cells      names
        documents  ids
        sections   paths, joined
        passages   of each document its passages in order, three numbers each: characters from the start of the one
                   before (of the document) to its own start, its length, its section's position
        outcomes   a digit for each question, the position in OUTCOMES; a string for each cell
        ranks      of each cell the rank of the first answer of each question, or null
        sent       of each cell the passages of each question, numbered over all documents; fewer cells than `cells`
                   where there is no room
        texts      [start, text] pieces of each document
        length     the most characters of a passage that are there
        """
        for cells, length in self._attempts():
            text = _script_json(self._shape(cells, length))
            if len(text.encode()) <= most:
                break
        return text

    def _attempts(self) -> Iterator[tuple[int, int]]:
        for length in LENGTHS:
            yield len(self.rows), length
        cells = len(self.rows) // 2
        while cells:
            yield cells, 0
            cells //= 2
        yield 0, 0

    def _shape(self, cells: int, length: int) -> dict[str, Any]:
        sent = [passage for of_cell in self.rows[:cells] for row in of_cell for passage in row.passages]
        documents = _numbered(sorted({passage.document_id for passage in sent}))
        sections = _numbered(_path(passage) for passage in sent)
        passages = _numbered(
            sorted(
                {(documents[each.document_id], each.span.start, each.span.end, sections[_path(each)]) for each in sent}
            )
        )
        spans: list[list[tuple[int, int, int]]] = [[] for _ in documents]
        for document, start, end, section in passages:
            spans[document].append((start, end, section))

        def number(each: SentPassage) -> int:
            span = each.span
            return passages[documents[each.document_id], span.start, span.end, sections[_path(each)]]

        return {
            "cells": list(self.names),
            "documents": list(documents),
            "sections": list(sections),
            "passages": [_deltas(of_document) for of_document in spans],
            "outcomes": ["".join(str(OUTCOMES.index(row.outcome)) for row in of_cell) for of_cell in self.rows],
            "ranks": [[row.rank for row in of_cell] for of_cell in self.rows],
            "sent": [[[number(each) for each in row.passages] for row in of_cell] for of_cell in self.rows[:cells]],
            "texts": [
                _pieces(self.documents.get(name), of_document, length)
                for name, of_document in zip(documents, spans, strict=True)
            ],
            "length": length,
        }


def _path(passage: SentPassage) -> str:
    return " > ".join(passage.section_path)


def _numbered(items: Iterable[Key]) -> dict[Key, int]:
    """Each distinct item with its number, in order of appearance."""
    return {item: number for number, item in enumerate(dict.fromkeys(items))}


def _deltas(spans: Sequence[tuple[int, int, int]]) -> list[int]:
    before, flat = 0, []
    for start, end, section in spans:
        flat += [start - before, end - start, section]
        before = start
    return flat


def _pieces(text: str | None, spans: Sequence[tuple[int, int, int]], length: int) -> list[tuple[int, str]]:
    """The characters of a document that some passage shows, as [start, text]; none where it cannot be read."""
    if text is None:
        return []
    shown = union([(start, min(end, start + length)) for start, end, _ in spans])
    return [(start, text[start:end]) for start, end in shown]


def union(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Half-open spans that cover the same characters, in order, none touching another; empty ones are dropped."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end:
            found.append((start, end))
    return found


def _script_json(shape: Mapping[str, Any]) -> str:
    """JSON in which no markup can begin."""
    text = json.dumps(shape, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
