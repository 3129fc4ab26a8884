"""What is doubtful in questions that can be used: they are kept, and the numbers they give may mislead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chunksweep.questions.load import Asked
from chunksweep.questions.normal import normal_form
from chunksweep.questions.problems import Problem, quoted
from chunksweep.records import Corpus, Document, Fact, Place

SHORT = 12
"""Characters of a fact in normal form; one with fewer is short."""
FEW = 10
"""With fewer questions hardly anything can be concluded."""
SIGNIFICANCE = 0.05
PLACES_SHOWN = 3

_WORD = re.compile(r"\w+")
_LETTERS_OF_CONTENT = 4

Facts = Sequence[tuple[Asked, Fact]]


def review(asked: Sequence[Asked], corpus: Corpus, file: str) -> Iterator[Problem]:
    """Warnings about questions, by kind, each kind in the order of the file.

    file  the name of the questions file, for what concerns all questions
    """
    yield from _few(asked, file)
    yield from _one_document(asked, corpus, file)
    yield from _asked_twice(asked)
    facts = [(item, fact) for item in asked for fact in item.question.facts]
    yield from _in_several_places(facts, corpus)
    yield from _short(facts)
    yield from _answered_by_themselves(facts)


def in_several_places(asked: Sequence[Asked]) -> int:
    """For how many questions some fact stands in several places, any of which will do."""
    return sum(any(len(fact.places) > 1 for fact in item.question.facts) for item in asked)


def least_wins() -> int:
    """How many questions one configuration has to win, losing none, before the sign test tells it from chance.

    The two-sided p-value of m wins and no loss is 2 / 2**m.
    """
    wins = 1
    while 2 / 2**wins > SIGNIFICANCE:
        wins += 1
    return wins


def _few(asked: Sequence[Asked], file: str) -> Iterator[Problem]:
    count = len(asked)
    if not 0 < count < FEW:
        return
    wins = least_wins()
    can = (
        f"a configuration has to win {wins} of them and lose none to be told from chance"
        if count >= wins
        else "no difference between configurations can be told from chance"
    )
    yield Problem(
        "warning",
        file,
        f"with {count} question{'s' if count > 1 else ''} {can}",
        f"Write at least {FEW}; `chunksweep check --init FOLDER` suggests passages to ask about.",
    )


def _one_document(asked: Sequence[Asked], corpus: Corpus, file: str) -> Iterator[Problem]:
    documents = {place.document_id for item in asked for fact in item.question.facts for place in fact.places}
    if len(asked) > 1 and len(documents) == 1 and len(corpus.documents) > 1:
        yield Problem(
            "warning",
            file,
            f"all {len(asked)} questions are about {documents.pop()}, one of {len(corpus.documents)} documents",
            "What is measured holds for that document. Ask about others too.",
        )


def _asked_twice(asked: Sequence[Asked]) -> Iterator[Problem]:
    first: dict[str, Asked] = {}
    for item in asked:
        before = first.setdefault(normal_form(item.question.text), item)
        if before is not item:
            yield Problem(
                "warning",
                item.where,
                f"the same question as {before.entry}",
                'It counts twice. Leave one out, or give the facts of both as "facts".',
            )


def _in_several_places(facts: Facts, corpus: Corpus) -> Iterator[Problem]:
    documents = {document.id: document for document in corpus.documents}
    for item, fact in facts:
        if len(fact.places) > 1:
            yield Problem(
                "warning",
                item.where,
                f"the fact {quoted(fact.quote)} stands in {len(fact.places)} places: {_listed(fact.places, documents)}",
                'Any of them will do. If one is meant, narrow it by "document", "section", or "start" and "end".',
            )


def _short(facts: Facts) -> Iterator[Problem]:
    for item, fact in facts:
        words = normal_form(fact.quote)
        if len(words) < SHORT or " " not in words:
            yield Problem(
                "warning",
                item.where,
                f"the fact {quoted(fact.quote)} is short",
                "A chunk may hold so few words without what makes them an answer. Quote the clause they stand in.",
            )


def _answered_by_themselves(facts: Facts) -> Iterator[Problem]:
    for item, fact in facts:
        content = _content(fact.quote)
        if content and content <= set(_WORD.findall(normal_form(item.question.text))):
            yield Problem(
                "warning",
                item.where,
                f"the question already has the words of its fact {quoted(fact.quote)}",
                "Its words alone find it. Ask as someone who has not read the document, or quote what answers it.",
            )


def _content(text: str) -> set[str]:
    """The words that say something: with a digit, or of four letters at least, whatever the language."""
    return {
        word
        for word in _WORD.findall(normal_form(text))
        if len(word) >= _LETTERS_OF_CONTENT or any(map(str.isdigit, word))
    }


def _listed(places: Sequence[Place], documents: Mapping[str, Document]) -> str:
    shown = [_described(place, documents[place.document_id]) for place in places[:PLACES_SHOWN]]
    more = [f"{len(places) - PLACES_SHOWN} more"] if len(places) > PLACES_SHOWN else []
    return "; ".join([*shown, *more])


def _described(place: Place, document: Document) -> str:
    section = document.section_at(place.span.start)
    heading = f", section {quoted(section.heading)}" if section and section.heading else ""
    return f"{document.id}{heading}, {place.span.start} to {place.span.end}"
