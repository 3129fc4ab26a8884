"""What a run keeps of each question for comparisons to come: `values.json`, beside the passages of `questions.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunksweep.records import Question, QuestionResult

VALUES = "values.json"


@dataclass(frozen=True, slots=True)
class QuestionValues:
    """Columns in the order of the questions file.

    documents  of each question the ids of all documents in which a place of a fact of it lies
    values     metric name -> its value for each question, None where it is undefined
    """

    documents: tuple[frozenset[str], ...]
    values: Mapping[str, tuple[float | None, ...]]


def values_json(results: Sequence[QuestionResult]) -> str:
    """The columns as JSON: documents sorted, metrics in the order in which they were measured."""
    names = dict.fromkeys(name for result in results for name in result.values)
    columns = {
        "documents": [sorted(documents_of(result.question)) for result in results],
        "values": {name: [result.values.get(name) for result in results] for name in names},
    }
    return json.dumps(columns, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read_values(text: str) -> QuestionValues:
    """What values_json wrote."""
    columns = json.loads(text)
    return QuestionValues(
        tuple(frozenset(documents) for documents in columns["documents"]),
        {name: tuple(values) for name, values in columns["values"].items()},
    )


def documents_of(question: Question) -> frozenset[str]:
    """The ids of all documents in which a place of a fact of the question lies."""
    return frozenset(place.document_id for fact in question.facts for place in fact.places)
