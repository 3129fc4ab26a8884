"""JSON Lines."""

import pytest

from chunksweep.documents import json_lines


@pytest.mark.parametrize(
    ("source", "text"),
    [
        pytest.param(
            '{"q": "How far?", "a": "12 km"}\n{"q": "Why?"}\n', "q: How far?\na: 12 km\n\nq: Why?", id="fields"
        ),
        pytest.param('{"a": {"b": {"c": 1}}, "d": [1, "x"]}', "a.b.c: 1\nd: 1, x", id="objects and lists inside"),
        pytest.param('{"a": [{"b": "x"}, {"b": "y"}]}', "a.1.b: x\na.2.b: y", id="lists of objects"),
        pytest.param('{"a": 1.10, "b": 1e5, "c": true}', "a: 1.10\nb: 1e5\nc: true", id="numbers as they are written"),
        pytest.param('{"a": null, "b": " ", "c": []}\n{"d": "x"}', "d: x", id="nothing to say"),
        pytest.param('"one"\n[2, 3]\n', "one\n\n2, 3", id="no objects"),
        pytest.param('{"a": "x\\r\\ny\u2028z"}', "a: x\ny\u2028z", id="line ends"),
        pytest.param('{"a": 1, "a": 2}', "a: 1\na: 2", id="a name given twice"),
        pytest.param("", "", id="empty"),
    ],
)
def test_text(source, text):
    assert json_lines.read(source, "a.jsonl").text == text


def test_records_are_rows():
    document = json_lines.read('{"q": "How far?", "a": "12 km"}\n\n{"q": "Why?"}\n', "a.jsonl")
    (table,) = document.tables
    assert table.header == ()
    assert [document.text[row.span.start : row.span.end] for row in table.rows] == ["q: How far?\na: 12 km", "q: Why?"]
    assert [[document.text[cell.start : cell.end] for cell in row.cells] for row in table.rows] == [
        ["How far?", "12 km"],
        ["Why?"],
    ]


def test_lines_that_are_no_json_are_reported_and_the_others_read():
    document = json_lines.read('{"a": 1}\n\n{"a": \n"b"\n' + "[" * 100_000 + "\n", "a.jsonl")
    assert document.text == "a: 1\n\nb"
    assert document.unread == ("holds no JSON on lines 3 and 5",)


def test_characters_that_no_store_keeps():
    document = json_lines.read(r'{"a": "x\u0000y\ud800z", "b": "\ud83d\ude00"}', "a.jsonl")
    assert document.text == "a: x\ufffdy\ufffdz\nb: 😀"
    assert document.warnings == ("has 2 U+FFFD where a character could not be kept",)
