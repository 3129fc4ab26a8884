"""From a questions file and a corpus to questions, or to what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunksweep.errors import QuestionsError
from chunksweep.questions.entries import is_unfilled, parse_entry
from chunksweep.questions.files import Entry, read_entries
from chunksweep.questions.normal import normal_form
from chunksweep.questions.places import FactFinder
from chunksweep.questions.problems import EntryError, Problem, quoted
from chunksweep.records import Corpus, Fact, Place, Question

UNFILLED_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that can be used, and where it was given.

    entry  file and line, or file and number of the entry
    where  the same with the words of the question, as problems name it
    """

    entry: str
    where: str
    question: Question


def load_questions(path: Path, corpus: Corpus, warn: Callable[[Problem], None] | None = None) -> tuple[Question, ...]:
    """The questions of a file in order, every fact with its places in the corpus, each fact once.

    path  JSON Lines, JSON, YAML or CSV, told by .jsonl, .json, .yaml, .yml, .csv
    warn  called with each warning: entries without a question, which are left out, and facts given twice

    Raises QuestionsError with the first problem that keeps a question from being used.
    """
    questions = []
    for item in _read(path, corpus):
        if isinstance(item, Asked):
            questions.append(item.question)
        elif item.level == "error":
            raise QuestionsError(str(item))
        elif warn is not None:
            warn(item)
    return tuple(questions)


def examine(path: Path, corpus: Corpus) -> tuple[tuple[Asked, ...], tuple[Problem, ...]]:
    """The questions that can be used and everything that keeps others from it, both in the order of the file."""
    items = tuple(_read(path, corpus))
    return (
        tuple(item for item in items if isinstance(item, Asked)),
        tuple(item for item in items if isinstance(item, Problem)),
    )


def _read(path: Path, corpus: Corpus) -> Iterator[Asked | Problem]:
    finder = FactFinder(corpus)
    taken: dict[str, str] = {}
    unfilled: list[Entry] = []
    others = 0
    for entry in read_entries(path):
        if isinstance(entry, Entry) and is_unfilled(entry.fields):
            unfilled.append(entry)
            continue
        others += 1
        if isinstance(entry, Problem):
            yield entry
        else:
            yield from _question(entry, finder, taken)
    if unfilled:
        yield _unfilled(path.name, unfilled, others)


def _unfilled(file: str, entries: Sequence[Entry], others: int) -> Problem:
    """One problem for all entries without a question: an error where there is nothing else."""
    if not others:
        return Problem(
            "error",
            file,
            f"no entry has a question yet, of {len(entries)}",
            "Write questions whose answers are the facts given there; ten are a start.",
        )
    places = [entry.where.removeprefix(f"{file} ") for entry in entries[:UNFILLED_SHOWN]]
    more = [f"{len(entries) - UNFILLED_SHOWN} more"] if len(entries) > UNFILLED_SHOWN else []
    return Problem(
        "warning",
        file,
        f"{len(entries)} of {len(entries) + others} entries have no question and are left out "
        f"({', '.join([*places, *more])})",
        "Write the question, or delete the entry.",
    )


def _question(entry: Entry, finder: FactFinder, taken: dict[str, str]) -> Iterator[Asked | Problem]:
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
        question = Question(raw.id, raw.text, tuple(facts.values()), raw.section, section_spans)
        yield Asked(entry.where, where, question)


def _where(entry: Entry) -> str:
    text = entry.fields.get("question")
    return f"{entry.where}, question {quoted(text)}" if isinstance(text, str) and text.strip() else entry.where


def _take_id(question_id: str, where: str, taken: dict[str, str]) -> None:
    if question_id in taken:
        raise EntryError(f"the id {quoted(question_id)} is that of {taken[question_id]}", "Give each question its own.")
    taken[question_id] = where
