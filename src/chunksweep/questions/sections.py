"""Sections by the name that a question gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from chunksweep.questions.normal import normal_form
from chunksweep.records import Corpus, Document, Place, Section, Span

JOINT = " > "


class SectionIndex:
    """Finds sections by heading, or by path joined with " > "; compared in normal form."""

    def __init__(self, corpus: Corpus) -> None:
        self._documents = {document.id: document for document in corpus.documents}
        self._named: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for document in corpus.documents:
            for number, section in enumerate(document.sections):
                for name in _names(section):
                    self._named[name].append((document.id, number))

    def spans(self, name: str, document_id: str | None = None) -> tuple[Place, ...]:
        """The sections so named and those below them, in one document or all; spans that touch are joined.

        () where no section has the name.
        """
        found: dict[str, set[int]] = defaultdict(set)
        for found_in, number in self._named.get(normal_form(name), ()):
            if document_id in (None, found_in):
                found[found_in].update(_subtree(self._documents[found_in], number))
        return tuple(
            Place(found_in, span)
            for found_in, numbers in found.items()
            for span in _joined(self._documents[found_in], sorted(numbers))
        )

    def headings(self, document_id: str | None = None) -> list[str]:
        """All headings, each once, in one document or all."""
        documents = self._documents.values() if document_id is None else [self._documents[document_id]]
        return list(
            dict.fromkeys(section.heading for document in documents for section in document.sections if section.heading)
        )


def _names(section: Section) -> set[str]:
    return {normal_form(section.heading), normal_form(JOINT.join(section.path))} - {""} if section.heading else set()


def _subtree(document: Document, number: int) -> Iterator[int]:
    """A section and those that follow it with a path that goes on from its own."""
    path = document.sections[number].path
    yield number
    for below in range(number + 1, len(document.sections)):
        section = document.sections[below]
        if section.level <= document.sections[number].level or section.path[: len(path)] != path:
            return
        yield below


def _joined(document: Document, numbers: list[int]) -> list[Span]:
    spans: list[Span] = []
    for number in numbers:
        span = document.sections[number].span
        if spans and spans[-1].end == span.start:
            span = Span(spans.pop().start, span.end)
        spans.append(span)
    return spans
