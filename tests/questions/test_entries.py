"""The fields of a question by form."""

import pytest

from chunksweep.questions.entries import Quote, RawQuestion, parse_entry
from chunksweep.questions.files import Entry
from chunksweep.questions.problems import EntryError


def parse(**fields):
    return parse_entry(Entry("q.jsonl line 4", 3, fields))


@pytest.mark.parametrize(
    ("fields", "question"),
    [
        pytest.param(
            {"fact": "Kim"}, RawQuestion("q3", "Who?", (Quote("Kim"),)), id="the id is the number of the entry"
        ),
        pytest.param(
            {"fact": "Kim", "id": 7, "answer": ["more"], "document": None, "section": ""},
            RawQuestion("7", "Who?", (Quote("Kim"),)),
            id="a number as id, fields of others, fields left empty",
        ),
        pytest.param(
            {"facts": ["Kim", "Lee"], "document": "a.md", "section": "Staff", "id": "x"},
            RawQuestion("x", "Who?", (Quote("Kim", "a.md"), Quote("Lee", "a.md")), "a.md", "Staff"),
            id="a document for all facts",
        ),
        pytest.param(
            {"fact": "Kim", "document": "a.md", "start": 0, "end": "3"},
            RawQuestion("q3", "Who?", (Quote("Kim", "a.md", 0, 3),), "a.md"),
            id="offsets, as number or in digits",
        ),
        pytest.param(
            {"facts": [{"quote": "Kim", "document": "b.md", "start": 4, "end": 7}, "Lee"], "document": "a.md"},
            RawQuestion("q3", "Who?", (Quote("Kim", "b.md", 4, 7), Quote("Lee", "a.md")), "a.md"),
            id="a fact with a place of its own",
        ),
    ],
)
def test_question(fields, question):
    assert parse(question="Who?", **fields) == question


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"fact": "Kim"}, 'the field "question" is missing (given: fact)', id="no question"),
        pytest.param({}, 'the field "question" is missing (given: nothing)', id="nothing"),
        pytest.param({"question": " \n", "fact": "Kim"}, "the question is empty", id="a blank question"),
        pytest.param({"question": "Who?"}, 'the field "fact" is missing (given: question)', id="no fact"),
        pytest.param({"question": "Who?", "facts": []}, 'the question has no fact: "facts" is empty', id="no facts"),
        pytest.param({"question": "Who?", "fact": "\u00a0"}, "the fact is empty", id="a blank fact"),
        pytest.param({"question": "Who?", "facts": ["Kim", ""]}, "the fact is empty", id="a blank one of several"),
        pytest.param({"question": "Who?", "fact": 308}, 'the fact is not text: "308"', id="a number"),
        pytest.param({"question": "Who?", "facts": "Kim"}, '"facts" is not a list of quotes', id="facts as text"),
        pytest.param(
            {"question": "Who?", "facts": [{"text": "Kim"}]},
            'the field "quote" is missing (given: text)',
            id="no quote",
        ),
        pytest.param(
            {"question": "Who?", "fact": "Kim", "facts": ["Kim"]}, 'both "fact" and "facts" are given', id="both"
        ),
        pytest.param(
            {"question": "Who?", "fact": "Kim", "start": 3}, 'one of "start" and "end" is missing', id="start alone"
        ),
        pytest.param(
            {"question": "Who?", "facts": [{"quote": "Kim", "end": 3}], "start": 0, "end": 3},
            'one of "start" and "end" is missing',
            id="end alone, in a fact",
        ),
        pytest.param(
            {"question": "Who?", "facts": ["Kim", "Lee"], "start": 0, "end": 3},
            '"start" and "end" are given once for 2 facts',
            id="offsets for several facts",
        ),
        pytest.param({"question": "Who?", "fact": "Kim", "start": "x", "end": 3}, '"start" is "x"', id="no number"),
        pytest.param({"question": "Who?", "fact": "Kim", "start": 0, "end": 3.5}, '"end" is "3.5"', id="a fraction"),
        pytest.param({"question": "Who?", "fact": "Kim", "start": False, "end": 3}, '"start" is "False"', id="a truth"),
        pytest.param(
            {"question": "Who?", "fact": "a\ud83d"}, "the fact holds half of a surrogate pair", id="surrogate"
        ),
        pytest.param({"question": "Who?", "fact": "a", "section": ["b"]}, "the section is not text", id="a section"),
    ],
)
def test_malformed(fields, message):
    with pytest.raises(EntryError) as caught:
        parse(**fields)
    assert caught.value.message.startswith(message)
    assert caught.value.hint.endswith(".")
