"""From a questions file and a corpus to questions, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chunksweep.errors import QuestionsError
from chunksweep.questions.entries import parse_entry
from chunksweep.questions.files import Entry, read_entries
from chunksweep.questions.normal import normal_form
from chunksweep.questions.places import FactFinder
from chunksweep.questions.problems import EntryError, Problem, quoted
from chunksweep.records import Corpus, Fact, Place, Question


def load_questions(path: Path, corpus: Corpus) -> tuple[Question, ...]:
    """The questions of a file in order, every fact with its places in the corpus, each fact once.

    path  JSON Lines, JSON, YAML or CSV, told by .jsonl, .json, .yaml, .yml, .csv

    Raises QuestionsError with the first problem that keeps a question from being used.
    """
    questions = []
    for item in _read(path, corpus):
        if isinstance(item, Question):
            questions.append(item)
        elif item.level == "error":
            raise QuestionsError(str(item))
    return tuple(questions)


def examine(path: Path, corpus: Corpus) -> tuple[tuple[Question, ...], tuple[Problem, ...]]:
    """The questions that can be used and everything that is wrong with the file, both in its order."""
    items = tuple(_read(path, corpus))
    return (
        tuple(item for item in items if isinstance(item, Question)),
        tuple(item for item in items if isinstance(item, Problem)),
    )


def _read(path: Path, corpus: Corpus) -> Iterator[Question | Problem]:
    finder = FactFinder(corpus)
    taken: dict[str, str] = {}
    for entry in read_entries(path):
        if isinstance(entry, Problem):
            yield entry
        else:
            yield from _question(entry, finder, taken)


def _question(entry: Entry, finder: FactFinder, taken: dict[str, str]) -> Iterator[Question | Problem]:
    """The question of an entry and warnings, or only what is wrong with it.

    taken  id -> where it was given, of the entries before; this one's is added
    """
    where = _where(entry)
    try:
        raw = parse_entry(entry)
        _take_id(raw.id, entry.where, taken)
        section_spans = finder.section_spans(raw)
    except EntryError as error:
        yield Problem("error", where, error.message, error.hint)
        return
    facts: dict[tuple[str, tuple[Place, ...]], Fact] = {}
    usable = True
    for quote in raw.quotes:
        try:
            fact = finder.fact(quote, section_spans)
        except EntryError as error:
            usable = False
            yield Problem("error", where, error.message, error.hint)
            continue
        if facts.setdefault((normal_form(fact.quote), fact.places), fact) is not fact:
            yield Problem("warning", where, f"the fact {quoted(fact.quote)} is given twice", "It counts once.")
    if usable:
        yield Question(raw.id, raw.text, tuple(facts.values()), raw.section, section_spans)


def _where(entry: Entry) -> str:
    text = entry.fields.get("question")
    return f"{entry.where}, question {quoted(text)}" if isinstance(text, str) and text.strip() else entry.where


def _take_id(question_id: str, where: str, taken: dict[str, str]) -> None:
    if question_id in taken:
        raise EntryError(f"the id {quoted(question_id)} is that of {taken[question_id]}", "Give each question its own.")
    taken[question_id] = where
