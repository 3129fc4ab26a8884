"""Where a quote stands in the corpus, narrowed by what the question says of it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from chunksweep.questions.entries import Quote, RawQuestion
from chunksweep.questions.nearest import NearestText
from chunksweep.questions.normal import NormalText, normal_form
from chunksweep.questions.problems import EntryError, quoted
from chunksweep.questions.sections import SectionIndex
from chunksweep.records import Corpus, Document, Fact, Place, Span

SHOWN_PLACES = 3


class FactFinder:
    """Looks quotes and sections up in a corpus that is normalised once. Every method raises EntryError."""

    def __init__(self, corpus: Corpus) -> None:
        self._documents = {document.id: document for document in corpus.documents}
        self._unread = {unread.document: unread.reason for unread in corpus.unread}
        self._texts = {document.id: NormalText.of(document.text) for document in corpus.documents}
        self._sections = SectionIndex(corpus)
        self._nearest = NearestText(self._texts)

    def section_spans(self, question: RawQuestion) -> tuple[Place, ...]:
        """The sections that the question names, with those below; () where it names none."""
        self._check_document(question.document)
        if question.section is None:
            return ()
        spans = self._sections.spans(question.section, question.document)
        if not spans:
            where = question.document or "the corpus"
            close = get_close_matches(question.section, self._sections.headings(question.document), n=SHOWN_PLACES)
            suggestion = f"Nearest: {', '.join(map(quoted, close))}. " if close else ""
            raise EntryError(
                f"no section {quoted(question.section)} in {where}",
                f'{suggestion}Give the words of a heading, or a path such as "Guide > Limits".',
            )
        return spans

    def fact(self, quote: Quote, within: Sequence[Place]) -> Fact:
        """The fact with its places: those inside one of the spans `within`, if there are any such spans."""
        self._check_document(quote.document)
        places = self._at_offsets(quote) if quote.start is not None else self._matches(quote.text, quote.document)
        if not places:
            raise self._nowhere(quote)
        narrowed = tuple(place for place in places if not within or any(_holds(span, place) for span in within))
        if not narrowed:
            raise EntryError(
                f"the fact {quoted(quote.text)} is not in the section that the question names",
                f"It stands in {self._listed(places)}: name that section, or none.",
            )
        return Fact(quote.text, narrowed)

    def _check_document(self, document_id: str | None) -> None:
        if document_id is None or document_id in self._documents:
            return
        if document_id in self._unread:
            raise EntryError(
                f"the document {quoted(document_id)} could not be read: it {self._unread[document_id]}",
                "Mend the file, or leave the question out.",
            )
        close = get_close_matches(document_id, self._documents, n=1)
        raise EntryError(
            f"no document {quoted(document_id)} in the corpus",
            f"Give its path below corpus.path, such as {quoted(close[0] if close else next(iter(self._documents)))}.",
        )

    def _matches(self, text: str, document_id: str | None) -> tuple[Place, ...]:
        quote = normal_form(text)
        searched = self._texts if document_id is None else {document_id: self._texts[document_id]}
        return tuple(Place(found_in, span) for found_in, normal in searched.items() for span in normal.find(quote))

    def _at_offsets(self, quote: Quote) -> tuple[Place, ...]:
        document, span = self._document_of(quote), Span(quote.start or 0, quote.end or 0)
        text = document.text[span.start : span.end]
        if normal_form(text) != normal_form(quote.text):
            matches = self._matches(quote.text, document.id)
            hint = f"It stands at {_offsets(matches)}." if matches else self._nearest_hint(quote.text, document.id)
            raise EntryError(
                f"the fact {quoted(quote.text)} is not at {span.start} to {span.end} of {document.id}, "
                f"where {quoted(text)} stands",
                hint,
            )
        start = span.start + len(text) - len(text.lstrip())
        return (Place(document.id, Span(start, start + len(text.strip()))),)

    def _document_of(self, quote: Quote) -> Document:
        """The document that the offsets of a quote count in; they lie inside it."""
        if quote.document is None and len(self._documents) > 1:
            raise EntryError('"start" and "end" are given without "document"', "Name the document they count in.")
        document = self._documents[quote.document or next(iter(self._documents))]
        start, end = quote.start or 0, quote.end or 0
        if not 0 <= start < end <= len(document.text):
            raise EntryError(
                f"start={start} and end={end} are no part of {document.id} with its {len(document.text)} characters",
                "Count characters from 0, the end is one past the last.",
            )
        return document

    def _nowhere(self, quote: Quote) -> EntryError:
        elsewhere = self._matches(quote.text, None)
        if elsewhere:
            return EntryError(
                f"the fact {quoted(quote.text)} is not in {quote.document}",
                f"It stands in {self._listed(elsewhere)}: name that document, or none.",
            )
        return EntryError(
            f"the fact {quoted(quote.text)} is nowhere in the corpus", self._nearest_hint(quote.text, quote.document)
        )

    def _nearest_hint(self, text: str, document_id: str | None) -> str:
        place = self._nearest.find(normal_form(text), document_id)
        if place is None:
            return "Quote a document word for word, or leave the question out."
        found = self._documents[place.document_id].text[place.span.start : place.span.end]
        return (
            f"Nearest: {quoted(found, limit=None)} in {self._described(place)}. Paste that, or leave the question out."
        )

    def _listed(self, places: Sequence[Place]) -> str:
        described = list(dict.fromkeys(self._described(place) for place in places))
        more = [f"{len(described) - SHOWN_PLACES} more"] if len(described) > SHOWN_PLACES else []
        return " and ".join((*described[:SHOWN_PLACES], *more))

    def _described(self, place: Place) -> str:
        section = self._documents[place.document_id].section_at(place.span.start)
        heading = f", section {quoted(section.heading)}" if section and section.heading else ""
        return f"{place.document_id}{heading}"


def _holds(outer: Place, inner: Place) -> bool:
    return outer.document_id == inner.document_id and outer.span.contains(inner.span)


def _offsets(places: Sequence[Place]) -> str:
    return " and ".join(f"{place.span.start} to {place.span.end}" for place in places[:SHOWN_PLACES])
