"""Passages to ask about: what a questions file begins with, so that only the questions are to be written.

A passage is a whole sentence of running text, 40 to 200 characters, that stands in one place of the corpus only and
does not point to something else on its page. Of a section's sentences the best is one with a number, then one with a
name (a capital within the sentence), then the one nearest to 100 characters, then the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import yaml

from chunksweep.chunkers.boundaries import paragraphs, sentences
from chunksweep.questions.normal import NormalText, normal_form
from chunksweep.questions.sections import JOINT
from chunksweep.records import Corpus, Document, Section, Span

MOST = 30
"""Passages suggested at most; more would be a day's work."""
ENOUGH = 10
"""Passages to reach if the text allows: where there are fewer sections, a section gives several."""
SHORTEST, LONGEST, BEST = 40, 200, 100
"""Characters of a passage, runs of white space counted as one."""

_OPENING, _CLOSING = "\"'“„«(「", "\"'”“’»)」』"
_ENDS = tuple(".!?。！？")
# An ordinal number, after which English rules of sentences see an end where German goes on.
_ORDINAL = re.compile(r"\b\d{1,2}\.$")
_DIGIT = re.compile(r"\d")
_POINTS_ELSEWHERE = re.compile(r"\b(?:following|below|above|this example)\b", re.IGNORECASE)
# Marks of lists, tables, quotations and headings at the start of a line, links, images, HTML, templates.
_MARKUP = re.compile(r"^\s*(?:[-*+|>#]|\d+[.)]\s)|\]\(|\]\[|</?\w|\{[{%]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A passage to ask about.

    section  the path of its section as a questions file names it, None where it has none
    fact     the passage, each run of white space one blank
    """

    document: str
    section: str | None
    fact: str


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence of the section that is number `section` of the document that is number `document`."""

    document: int
    section: int
    span: Span


def suggest(corpus: Corpus, most: int = MOST, enough: int = ENOUGH) -> tuple[Suggestion, ...]:
    """One passage of each of the longest sections, in the order of the corpus.

    Every document's longest section comes before any document's second; among those the longer comes first. Where all
    sections together give fewer than `enough`, the longest give a second passage, and so on.
    """
    texts = [NormalText.of(document.text) for document in corpus.documents]
    sections = [_passages(corpus, number, row, texts) for number, row in _by_weight(corpus)]
    found = list(islice(_one_of_each(sections), most))
    while len(found) < enough and (more := list(islice(_one_of_each(sections), enough - len(found)))):
        found += more
    found.sort(key=lambda item: (item.document, item.span))
    return tuple(_suggestion(corpus.documents[item.document], item) for item in found)


def _one_of_each(sections: Sequence[Iterator[_Found]]) -> Iterator[_Found]:
    """The next passage of every section that has one left."""
    return (passage for section in sections if (passage := next(section, None)) is not None)


def file_text(suggestions: Sequence[Suggestion], header: str) -> str:
    """A questions file in YAML with an empty question for each passage.

    header  lines for the person who fills it in; they become comments
    """
    comment = "".join(f"# {line}".rstrip() + "\n" for line in header.splitlines())
    return comment + "".join(f"\n{_entry(suggestion)}" for suggestion in suggestions)


def _entry(suggestion: Suggestion) -> str:
    fields = {"document": suggestion.document, "section": suggestion.section, "fact": suggestion.fact}
    given = {name: value for name, value in fields.items() if value is not None}
    entry: str = yaml.safe_dump([given], sort_keys=False, allow_unicode=True, width=100)
    # Nothing after the colon: there a person goes on writing without minding quotation marks.
    return f"{entry}  question:\n"


def _by_weight(corpus: Corpus) -> list[tuple[int, int]]:
    """(number of the document, number of its section), in the order in which they are asked for a passage."""
    ranked = []
    for number, document in enumerate(corpus.documents):
        lengths = [len(section.body) for section in document.sections]
        longest_first = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
        ranked += [(turn, -lengths[row], number, row) for turn, row in enumerate(longest_first)]
    return [(number, row) for _, _, number, row in sorted(ranked)]


def _passages(corpus: Corpus, number: int, row: int, texts: Sequence[NormalText]) -> Iterator[_Found]:
    """The passages of a section, the best first."""
    document = corpus.documents[number]
    candidates = [span for span in _sentences(document, document.sections[row]) if _is_running_text(document, span)]
    for span in sorted(candidates, key=lambda span: _rank(_line(document, span))):
        if _stands_once(_line(document, span), texts):
            yield _Found(number, row, span)


def _sentences(document: Document, section: Section) -> Iterator[Span]:
    for paragraph in paragraphs(document.text, section.body, document.verbatim):
        if not any(span.overlaps(paragraph) for span in document.verbatim):
            yield from sentences(document.text, paragraph)


def _is_running_text(document: Document, span: Span) -> bool:
    line = _line(document, span)
    first = line.lstrip(_OPENING)[:1]
    return (
        SHORTEST <= len(line) <= LONGEST
        and first.isalnum()
        and not first.islower()
        and line.rstrip(_CLOSING).endswith(_ENDS)
        and not _ORDINAL.search(line)
        and not _POINTS_ELSEWHERE.search(line)
        and not _MARKUP.search(document.text[span.start : span.end])
    )


def _rank(line: str) -> tuple[bool, bool, int]:
    named = any(word[0].isupper() for word in line.split()[1:])
    return not _DIGIT.search(line), not named, abs(len(line) - BEST)


def _stands_once(line: str, texts: Sequence[NormalText]) -> bool:
    quote = normal_form(line)
    places = (span for text in texts for span in text.find(quote))
    return len(list(islice(places, 2))) == 1


def _line(document: Document, span: Span) -> str:
    return " ".join(document.text[span.start : span.end].split())


def _suggestion(document: Document, found: _Found) -> Suggestion:
    section = document.sections[found.section]
    # A heading without words is in no path, so its section has no name of its own.
    name = JOINT.join(section.path) if section.heading else None
    return Suggestion(document.id, name, _line(document, found.span))
