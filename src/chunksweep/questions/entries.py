"""The fields of a question, checked by form alone; the corpus is not asked here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chunksweep.questions.files import Entry, Fields
from chunksweep.questions.normal import normal_form
from chunksweep.questions.problems import EntryError, quoted

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Quote:
    """A fact as it is given.

    text        not blank in normal form
    document    id of the document it stands in, or None: any
    start, end  characters of that document, half-open; both or neither
    """

    text: str
    document: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class RawQuestion:
    """A question as it is given, its facts not yet looked up."""

    id: str
    text: str
    quotes: tuple[Quote, ...]
    document: str | None = None
    section: str | None = None


def parse_entry(entry: Entry) -> RawQuestion:
    """The question of an entry; without an id it is called "q" and its number. Raises EntryError."""
    fields = entry.fields
    return RawQuestion(
        id=_id(fields) or f"q{entry.number}",
        text=_text(fields, "question"),
        quotes=_quotes(fields),
        document=_optional_text(fields, "document"),
        section=_optional_text(fields, "section"),
    )


def is_unfilled(fields: Fields) -> bool:
    """Whether the field for the question is there and blank, as in a file that is still to be filled in."""
    value = fields.get("question", "given")
    return value is None or (isinstance(value, str) and not normal_form(value))


def _quotes(fields: Fields) -> tuple[Quote, ...]:
    fact, facts = fields.get("fact"), fields.get("facts")
    if fact is not None and facts is not None:
        raise EntryError('both "fact" and "facts" are given', 'Give one string as "fact", or a list as "facts".')
    if fact is not None:
        return (_quote(fact, fields),)
    if facts is None:
        raise EntryError(
            f'the field "fact" is missing (given: {_names(fields)})',
            'Give a verbatim quote that answers the question as "fact", or several, all needed, as "facts".',
        )
    if not isinstance(facts, list) or not facts:
        raise EntryError(
            '"facts" is not a list of quotes' if facts else 'the question has no fact: "facts" is empty',
            "Give at least one verbatim quote, or leave the question out.",
        )
    if len(facts) > 1 and (fields.get("start") is not None or fields.get("end") is not None):
        raise EntryError(
            f'"start" and "end" are given once for {len(facts)} facts',
            'Give each fact its own: {"quote": …, "start": …, "end": …}.',
        )
    return tuple(_quote(item, fields) for item in facts)


def _quote(item: Any, question: Fields) -> Quote:
    """A fact: a string placed by the fields of its question, or an object whose own fields go before them."""
    given: Fields = item if isinstance(item, dict) else {"quote": item}
    where = given if {"start", "end"} & given.keys() else question
    start, end = _offset(where, "start"), _offset(where, "end")
    if (start is None) != (end is None):
        raise EntryError('one of "start" and "end" is missing', "Give both or none.")
    return Quote(
        text=_text(given, "quote", shown_as="fact"),
        document=_optional_text(given, "document") or _optional_text(question, "document"),
        start=start,
        end=end,
    )


def _id(fields: Fields) -> str | None:
    value = fields.get("id")
    return str(value) if isinstance(value, int) else _optional_text(fields, "id")


def _text(fields: Fields, name: str, shown_as: str | None = None) -> str:
    value, shown = fields.get(name), shown_as or name
    if value is None:
        raise EntryError(
            f'the field "{name}" is missing (given: {_names(fields)})',
            f'Give the {shown} as "{name}".',
        )
    if not isinstance(value, str):
        raise EntryError(f"the {shown} is not text: {quoted(str(value))}", "Write one text in quotation marks.")
    if _SURROGATE.search(value):
        raise EntryError(f"the {shown} holds half of a surrogate pair", "Write the character itself.")
    if not normal_form(value):
        raise EntryError(f"the {shown} is empty", f"Write the {shown}, or leave the question out.")
    return value


def _optional_text(fields: Fields, name: str) -> str | None:
    return None if fields.get(name) in (None, "") else _text(fields, name)


def _offset(fields: Fields, name: str) -> int | None:
    """A count of characters, as a number or, as YAML and CSV give it, in digits."""
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, str) and value.isdecimal())):
        raise EntryError(f'"{name}" is {quoted(str(value))}', "Give a whole number of characters, from 0.")
    return int(value)


def _names(fields: Fields) -> str:
    return ", ".join(str(name) for name in fields) or "nothing"
