"""Tables: rows with the names of their columns."""

import pytest
from tests.chunkers.cutting import bounds, cut, md, spans

from chunksweep.chunkers import find
from chunksweep.documents import delimited, html, json_lines

STOCK = """# Stock

What we have.

## Parts

| part | place |
|---|---|
| bolt | shelf 1 |
| nut | shelf 2 |
| pin | shelf 3 |

The end.
"""
ROWS = ["| bolt | shelf 1 |", "| nut | shelf 2 |", "| pin | shelf 3 |"]
HEAD = "## Parts\n\n| part | place |\n|---|---|\n"


@pytest.mark.parametrize(
    ("options", "chunks"),
    [
        pytest.param({}, [HEAD + ROWS[0], ROWS[1], ROWS[2]], id="a row a chunk"),
        pytest.param({"size": 2}, [HEAD + "\n".join(ROWS[:2]), ROWS[2]], id="blocks of rows"),
        pytest.param(
            {"size": 2, "overlap": 1}, [HEAD + "\n".join(ROWS[:2]), "\n".join(ROWS[1:])], id="rows in two blocks"
        ),
        pytest.param({"size": 9}, [HEAD + "\n".join(ROWS)], id="the whole table"),
    ],
)
def test_rows_and_what_stands_around_them(options, chunks):
    assert cut("tables", md(STOCK), **options) == ["# Stock\n\nWhat we have.", *chunks, "The end."]


def added(document, **options):
    strategy = find("tables")(**options)
    return [strategy.added(document, span) for span in spans("tables", document, **options)]


def test_the_header_is_added_where_it_is_not_in_place():
    document = md(STOCK)
    place = STOCK.index("part | place")
    before, first, second, third, after = added(document)
    assert (before, first, after) == (None, None, None)
    assert second == third
    assert second.text == "part | place\n"
    assert [(source.start, source.end) for source in second.sources] == [(place, place + len("part | place"))]


@pytest.mark.parametrize(
    ("document", "chunks", "header"),
    [
        pytest.param(
            delimited.read("id,note\n1,a\n2,b\n", "a.csv"), ["id | note\n1 | a", "2 | b"], "id | note\n", id="CSV"
        ),
        pytest.param(json_lines.read('{"a": 1}\n{"a": 2}', "a.jsonl"), ["a: 1", "a: 2"], None, id="no header"),
        pytest.param(
            html.read(
                "<p>x<table><caption>Sizes</caption><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>", "a.html"
            ),
            ["x", "Sizes\na | b\n1 | 2", "3 | 4"],
            "a | b\n",
            id="HTML with a caption",
        ),
    ],
)
def test_tables_of_other_files(document, chunks, header):
    assert cut("tables", document) == chunks
    last = added(document)[-1]
    assert (last.text if last else None) == header


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        pytest.param("| a | b |\n|---|---|", ["| a | b |\n|---|---|"], id="a header alone"),
        pytest.param("no table\n\nat all", ["no table", "at all"], id="no table"),
        pytest.param("Sizes:\n| a |\n|---|\n| 1 |", ["Sizes:\n| a |\n|---|\n| 1 |"], id="a line straight above it"),
        pytest.param(
            "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |",
            ["| a |\n|---|\n| 1 |", "| b |\n|---|\n| 2 |"],
            id="two tables",
        ),
    ],
)
def test_markdown(text, chunks):
    assert cut("tables", md(text)) == chunks


def test_a_table_of_two_dozen_rows():
    rows = [f"| part-{n:02} | {7 * n} mm | shelf {n % 4} |" for n in range(1, 25)]
    document = md("# Stock\n\n" + "\n".join(["| part | width | place |", "|---|---|---|", *rows]) + "\n")
    assert len(bounds("tables", document)) == 24
    row = cut("tables", document)[18]
    assert added(document)[18].text + row == "part | width | place\n| part-19 | 133 mm | shelf 3 |"


def test_a_header_of_sixty_columns_is_kept():
    names = [f"column_{n:02}" for n in range(60)]
    lines = [" | ".join(cells) for cells in (names, ["---"] * 60, ["a"] * 60, [str(n) for n in range(60)])]
    document = md("\n".join(f"| {line} |" for line in lines))
    assert added(document)[1].text == " | ".join(names) + "\n"
