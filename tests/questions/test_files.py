"""Questions files by format: entries, and where what is wrong with them."""

import json

import pytest

from chunksweep.questions.files import Entry, read_entries
from chunksweep.questions.problems import Problem

FIRST = {"question": "Who?", "facts": ["Kim, 308", "No"], "id": "a"}
SECOND = {"question": "When?", "fact": "1.10"}


def entries(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_entries(file))


def lines(tmp_path, name, content):
    return [str(item) for item in entries(tmp_path, name, content) if isinstance(item, Problem)]


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [
        pytest.param(
            "q.jsonl", f"{json.dumps(FIRST)}\r\n\n{json.dumps(SECOND)}\n", ["line 1", "line 3"], id="JSON Lines"
        ),
        pytest.param("q.json", json.dumps([FIRST, SECOND]), ["entry 1", "entry 2"], id="a JSON list"),
        pytest.param("q.JSON", json.dumps({"questions": [FIRST, SECOND]}), ["entry 1", "entry 2"], id="a JSON object"),
        pytest.param(
            "q.yaml",
            "- question: Who?\n  facts: ['Kim, 308', No]\n  id: a\n- question: When?\n  fact: 1.10\n",
            ["entry 1", "entry 2"],
            id="a YAML list, its scalars as they are written",
        ),
        pytest.param(
            "q.yml",
            "questions:\n- {question: 'Who?', facts: ['Kim, 308', No], id: a}\n- {question: 'When?', fact: 1.10}\n",
            ["entry 1", "entry 2"],
            id="a YAML mapping",
        ),
        pytest.param(
            "q.csv",
            'question,fact,facts,id\nWho?,,"[""Kim, 308"", ""No""]",a\n\nWhen?,1.10,,\n',
            ["line 2", "line 4"],
            id="CSV",
        ),
        pytest.param(
            "q.csv",
            '\ufeffquestion,fact,facts,id,\r\nWho?,,"[""Kim, 308"", ""No""]",a,\r\nWhen?,1.10\r\n',
            ["line 2", "line 3"],
            id="CSV as spreadsheets write it",
        ),
    ],
)
def test_entries(tmp_path, name, content, places):
    where = [f"{name} {place}" for place in places]
    assert entries(tmp_path, name, content) == [Entry(where[0], 1, FIRST), Entry(where[1], 2, SECOND)]


def test_a_csv_entry_stands_where_its_row_begins(tmp_path):
    found = entries(tmp_path, "q.csv", 'question,fact\n"Two\nlines?",a\nOne?,"b ""c"""\n')
    assert found == [
        Entry("q.csv line 2", 1, {"question": "Two\nlines?", "fact": "a"}),
        Entry("q.csv line 4", 2, {"question": "One?", "fact": 'b "c"'}),
    ]


def test_null_in_yaml_is_a_field_that_is_not_given(tmp_path):
    found = entries(tmp_path, "q.yaml", "- question: Who?\n  section: ~\n  document: null\n  id:\n  fact: '~'\n")
    assert found[0].fields == {"question": "Who?", "section": None, "document": None, "id": None, "fact": "~"}


def test_what_follows_a_wrong_line_is_read(tmp_path):
    first, second = entries(tmp_path, "q.jsonl", f'{{"question": }}\n{json.dumps(SECOND)}\n')
    assert isinstance(first, Problem)
    assert second == Entry("q.jsonl line 2", 2, SECOND)


@pytest.mark.parametrize(
    ("name", "content", "beginning"),
    [
        pytest.param("q.jsonl", "", "q.jsonl: holds no questions", id="an empty file"),
        pytest.param("q.jsonl", " \n\n", "q.jsonl: holds no questions", id="blank lines"),
        pytest.param("q.json", "[]", "q.json: holds no questions", id="an empty list"),
        pytest.param("q.json", "", "q.json: holds no questions", id="empty JSON"),
        pytest.param("q.yaml", "# nothing\n", "q.yaml: holds no questions", id="empty YAML"),
        pytest.param("q.csv", "question,fact\n", "q.csv: holds no questions", id="a header alone"),
        pytest.param("q.csv", "", "q.csv: holds no questions", id="empty CSV"),
        pytest.param("q.jsonl", "{}\n{'a': 1}\n", "q.jsonl line 2: is not JSON: ", id="not JSON"),
        pytest.param("q.jsonl", "[1, 2]\n", 'q.jsonl line 1: "[1, 2]" is no question', id="a line that is no object"),
        pytest.param(
            "q.json", "[{},\n7 8]", "q.json: is not JSON: Expecting ',' delimiter at line 2, column 3", id="JSON"
        ),
        pytest.param("q.json", '[{}, "Who?"]', 'q.json entry 2: ""Who?"" is no question', id="an entry that is text"),
        pytest.param("q.json", '{"items": []}', "q.json: is not a list of questions", id="an object without questions"),
        pytest.param("q.json", "[" * 100_000, "q.json: cannot be read: ", id="nested without end"),
        pytest.param("q.json", '[{"fact": "a", "fact": "b"}]', 'q.json: "fact" is given twice', id="a key twice"),
        pytest.param("q.yaml", "- a: [1\n- b", "q.yaml: is not YAML: ", id="not YAML"),
        pytest.param("q.yaml", "a: \x07", "q.yaml: is not YAML: ", id="YAML with a bell"),
        pytest.param("q.yaml", "just words", "q.yaml: is not a list of questions", id="YAML that is text"),
        pytest.param("q.csv", "question,fact,fact\n", 'q.csv: "fact" is given twice', id="a column twice"),
        pytest.param(
            "q.csv", "question,fact\nWho?,Kim,308\n", "q.csv line 2: 3 cells under 2 columns", id="a comma too many"
        ),
        pytest.param("q.csv", 'question,fact\n"a"b,c\n', "q.csv: is not CSV: ", id="text after a closing quote"),
        pytest.param(
            "q.csv",
            "question,facts\nWho?,Kim\n",
            'q.csv line 2: the column "facts" is not JSON: ',
            id="facts are no JSON",
        ),
        pytest.param("q.jsonl", b'{"question": "Gr\xf6"}', "q.jsonl: is not utf-8 at byte 16", id="wrong bytes"),
    ],
)
def test_problems_of_form(tmp_path, name, content, beginning):
    found = lines(tmp_path, name, content)[-1]
    assert found.replace(f"{tmp_path}/", "").startswith(beginning)
    assert "\n" not in found


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("gone.jsonl", "cannot be opened (No such file or directory). Give a file named", id="missing"),
        pytest.param("q.txt", "is not a questions file by its name. Name it *.jsonl, *.json,", id="unknown ending"),
    ],
)
def test_problems_of_the_file(tmp_path, name, said):
    (problem,) = read_entries(tmp_path / name)
    assert f"{tmp_path / name}: {said}" in str(problem)
