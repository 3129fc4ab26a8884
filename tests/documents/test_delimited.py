"""CSV and TSV."""

import pytest

from chunksweep.documents import delimited


def cells(document):
    (table,) = document.tables
    texts = [[document.text[cell.start : cell.end] for cell in row.cells] for row in table.rows]
    return [document.text[name.start : name.end] for name in table.header], texts


@pytest.mark.parametrize(
    ("source", "header", "rows"),
    [
        pytest.param(
            'id,note\n1,"first line\nsecond line"\n2,"a\u2028b, c"\n3,plain\n',
            ["id", "note"],
            [["1", "first line\nsecond line"], ["2", "a\u2028b, c"], ["3", "plain"]],
            id="line ends in cells, and what is none",
        ),
        pytest.param(
            'question,answer\n"Why ""so"" late?",Trains\nHow far?,"12 km, ""about"""\n',
            ["question", "answer"],
            [['Why "so" late?', "Trains"], ["How far?", '12 km, "about"']],
            id="doubled quotation marks",
        ),
        pytest.param(
            '"a","b\nc"\n"1","5\' 10\\""\n"2","6\' 1\\""\n',
            ["a", "b\nc"],
            [["1", "5' 10\""], ["2", "6' 1\""]],
            id="quotation marks with a backslash",
        ),
        pytest.param("a;b\n1;2,5\n3;4,5\n", ["a", "b"], [["1", "2,5"], ["3", "4,5"]], id="semicolons"),
        pytest.param("a\tb\n1, 2\t3\n", ["a", "b"], [["1, 2", "3"]], id="tabs"),
        pytest.param("a|b\n1|2\n", ["a", "b"], [["1", "2"]], id="pipes"),
        pytest.param("a\n1\n2\n", ["a"], [["1"], ["2"]], id="one column"),
        pytest.param("\n a , b\n\n,\n 1 ,2\n", ["a", "b"], [["1", "2"]], id="blank rows, blanks around cells"),
        pytest.param("a,b,c\n,,3\n1,,\n", ["a", "b", "c"], [["", "", "3"], ["1", "", ""]], id="empty cells"),
        pytest.param("a,b\n", ["a", "b"], [], id="a header alone"),
    ],
)
def test_cells(source, header, rows):
    assert cells(delimited.read(source, "a.csv")) == (header, rows)


def test_text():
    document = delimited.read("a,b,c\n1,,3\n,5,\n", "x/parts.csv")
    assert document.text == "a | b | c\n1 |  | 3\n\n| 5 |"
    assert (document.title, document.media_type) == ("parts", "text/csv")
    assert [section.path for section in document.sections] == [()]


def test_tsv():
    assert delimited.read("a\tb\n", "x.TSV").media_type == "text/tab-separated-values"


@pytest.mark.parametrize(
    ("source", "warnings"),
    [
        pytest.param("a,b\n1,2\n", (), id="none"),
        pytest.param(
            "a,b\n1,2\n3\n\n5,6,7\n8,9\n0,1\n",
            (
                "has 2 of 6 rows with more or fewer cells than the 2 of its header (rows 3 and 5): "
                "they are kept as they are",
            ),
            id="rows are counted as the file has them",
        ),
    ],
)
def test_ragged_rows_are_kept_and_reported(source, warnings):
    document = delimited.read(source, "a.csv")
    assert document.warnings == warnings
    assert document.unread == ()
    assert sorted(document.text.replace("|", " ").split()) == sorted(source.replace(",", " ").split())


def test_a_cell_of_half_a_megabyte():
    long = "word " * 100_000
    _, rows = cells(delimited.read(f"a,b\n1,{long}\n", "a.csv"))
    assert rows == [["1", long.strip()]]
