"""`chunksweep chunks`: how one configuration splits the corpus."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from lxml import html
from tests.cli.program import PATIENCE, invoke, spawn, write
from tests.documents.pdf_files import pdf

from chunksweep.tokens import load_tokenizer

#       0         1         2         3         4         5         6
#       0123456789012345678901234567890123456789012345678901234567890
PETS = "Cats creep close. Dogs dig deep dens. Bees buzz by blossoms.\n"
FILES = {
    "docs/pets.txt": PETS,
    "docs/sub/pets.md": "# Fish\n\nFish float.\n",
    "docs/photo.png": b"\x89PNG",
    "questions.jsonl": (
        '{"id": "dogs", "question": "Do dogs dig?", "fact": "dig deep dens"}\n'
        '{"id": "cats", "question": "Do cats creep?", "facts": ["creep close", "Fish float"]}\n'
    ),
}
OWN = ("corpus.path=docs", "corpus.questions=questions.jsonl")
FIXED = ("chunker=fixed", "size=30")


@pytest.fixture
def pets(place: Path) -> Path:
    write(place, FILES)
    return place


def spans(shape) -> list[tuple[str, int, int]]:
    return [(chunk["document"], chunk["start"], chunk["end"]) for chunk in shape["chunks"]]


def test_json(pets: Path) -> None:
    outcome = invoke("chunks", *OWN, *FIXED, "prefix=heading", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    assert spans(outcome.json) == [
        ("pets.txt", 0, 30),
        ("pets.txt", 30, 60),
        ("sub/pets.md", 0, 20),
    ]
    assert outcome.json["chunks"][0]["text"] == "Cats creep close. Dogs dig dee"
    assert outcome.json["chunks"][2]["embedded_text"] == "# Fish\n\nFish float.\n"
    assert [file["document"] for file in outcome.json["unread"]] == ["photo.png"]
    assert outcome.json["facts"] == 3
    assert outcome.json["cut_facts"] == [
        {
            "question": "dogs",
            "fact": "dig deep dens",
            "document": "pets.txt",
            "start": 23,
            "end": 36,
            "boundaries": [30],
        }
    ]


def test_embedded_text_is_prefix_and_text(pets: Path) -> None:
    shape = invoke("chunks", *OWN, "chunker=headings", "prefix=heading", "--document", "pets.md", "--format=json").json
    (chunk,) = shape["chunks"]
    assert (chunk["section_path"], chunk["text"]) == (["Fish"], "Fish float.")
    # The chunk begins with the words of its heading, which therefore do not stand before it once more.
    assert chunk["embedded_text"] == "Fish float."
    write(pets, {"docs/sub/pets.md": "# Fish\n\nThey say: Fish float.\n"})
    shape = invoke("chunks", *OWN, "chunker=headings", "prefix=heading", "--document", "pets.md", "--format=json").json
    assert shape["chunks"][0]["embedded_text"] == "Fish. They say: Fish float."


@pytest.mark.parametrize(
    ("send", "cut"),
    [pytest.param("true", [], id="sent"), pytest.param("false", ["name"], id="only embedded")],
)
def test_fact_in_a_heading_is_held_by_a_prefix_that_is_sent(place: Path, send: str, cut: list[str]) -> None:
    write(
        place,
        {
            "docs/a.md": "# Fish\n\nThey float.\n",
            "questions.jsonl": '{"id": "name", "question": "Who?", "fact": "Fish"}\n',
        },
    )
    shape = invoke("chunks", *OWN, "chunker=headings", "prefix=heading", f"prefix.send={send}", "--format", "json").json
    assert [fact["question"] for fact in shape["cut_facts"]] == cut


def test_table_shows_boundaries_without_colour(pets: Path) -> None:
    outcome = invoke("chunks", *OWN, *FIXED, "overlap=5")
    assert (outcome.code, outcome.err) == (0, "")
    assert "\x1b" not in outcome.out
    lines = outcome.out.splitlines()
    assert lines[0].startswith("own, fixed 30 overlap 5: ")
    assert [line for line in lines if line.startswith("── 2  25-55  30 chars")]
    assert "╎ ✂ g dee" in lines
    assert "not read: photo.png" in outcome.out
    assert "1 of 3 facts are in no chunk as a whole" in lines
    assert max(map(len, lines)) <= 80


def test_without_questions_facts_are_not_looked_at(pets: Path) -> None:
    assert "no questions were given" in invoke("chunks", "corpus.path=docs", *FIXED).out
    shape = invoke("chunks", "corpus.path=docs", *FIXED, "--format", "json").json
    assert (shape["facts"], shape["cut_facts"], len(shape["chunks"])) == (None, [], 3)


@pytest.mark.parametrize(
    ("flags", "documents"),
    [
        pytest.param([], ["pets.txt", "sub/pets.md"], id="all"),
        pytest.param(["--limit", "1"], ["pets.txt"], id="the first"),
        pytest.param(["--document", "sub/pets.md"], ["sub/pets.md"], id="by id"),
        pytest.param(["--document", "b/pets.md"], ["sub/pets.md"], id="by a unique end"),
        pytest.param(["--document=pets.txt"], ["pets.txt"], id="an id that is given whole"),
    ],
)
def test_documents_shown(pets: Path, flags: list[str], documents: list[str]) -> None:
    shape = invoke("chunks", *OWN, *FIXED, *flags, "--format", "json").json
    assert list(dict.fromkeys(chunk["document"] for chunk in shape["chunks"])) == documents


def test_cut_facts_are_those_of_the_documents_asked_for(pets: Path) -> None:
    shape = invoke("chunks", *OWN, *FIXED, "--document", "sub/pets.md", "--format", "json").json
    assert (shape["facts"], shape["cut_facts"]) == (3, [])


def test_a_table_shows_the_first_documents_and_says_so(place: Path) -> None:
    write(place, {f"docs/{name}.txt": "Text.\n" for name in "abcde"})
    out = invoke("chunks", "corpus.path=docs").out
    assert ("c.txt  6 characters" in out, "d.txt" in out) == (True, False)
    assert "2 more documents are not shown: --limit 5 shows all, --document ID one." in out.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["prefix=none,path"], ["2 configurations", "one value"], id="two cells"),
        pytest.param(["--document", "pets"], ["--document pets", "0 documents", "pets.txt, sub/pets.md"], id="no such"),
        pytest.param(["--document", "s.md", "--limit", "0"], ["--limit", "0", "at least 1"], id="a limit of nothing"),
        pytest.param(["--documents", "x"], ["--documents"], id="an unknown flag"),
        pytest.param(["overlap=30"], ["overlap=30", "not smaller"], id="a cell that cannot exist"),
        pytest.param(["corpus.include=['*.rst']"], ["no document"], id="nothing to read"),
    ],
)
def test_refused(pets: Path, arguments: list[str], words: list[str]) -> None:
    outcome = invoke("chunks", *OWN, *FIXED, *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert [word for word in words if word not in outcome.err] == []


def test_an_end_of_several_documents_is_refused(place: Path) -> None:
    write(place, {"docs/a/x.txt": "One.\n", "docs/b/x.txt": "Two.\n"})
    outcome = invoke("chunks", "corpus.path=docs", "--document", "x.txt")
    assert (outcome.code, outcome.out) == (2, "")
    assert "2 documents end so" in outcome.err
    assert "a/x.txt, b/x.txt" in outcome.err


def test_configuration_is_shown_as_hydra_shows_it(place: Path) -> None:
    outcome = invoke("chunks", "chunker=fixed", "--cfg", "job")
    assert outcome.code == 0
    assert "name: fixed" in outcome.out
    assert "──" not in outcome.out


def test_nothing_heavy_is_imported_and_nothing_is_left_behind(pets: Path) -> None:
    source = (
        "import sys; from chunksweep.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'torch', 'mlflow', 'sentence_transformers'};"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr);"
        "sys.exit(code)"
    )
    before = sorted(pets.rglob("*"))
    process = spawn(["chunks", *OWN, *FIXED], pets, {}, (sys.executable, "-c", source))
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "[]\n")
    assert sorted(pets.rglob("*")) == before


STOCK = "part,place\nbolt,shelf 1\nnut,shelf 2\n"


def test_a_header_that_is_added_stands_apart_from_the_text(place: Path) -> None:
    write(place, {"docs/stock.csv": STOCK})
    outcome = invoke("chunks", "corpus.path=docs", "chunker=tables", "prefix=title", "--format", "json")
    first, second = outcome.json["chunks"]
    assert (first["text"], first["embedded_text"]) == (
        "part | place\nbolt | shelf 1",
        "stock. part | place\nbolt | shelf 1",
    )
    assert (second["text"], second["embedded_text"]) == ("nut | shelf 2", "stock. part | place\nnut | shelf 2")
    assert "page" not in first
    shown = invoke("chunks", "corpus.path=docs", "chunker=tables", "prefix=title").out
    assert "# added, embedded and sent" in shown
    lines = [line.rstrip() for line in shown.splitlines()]
    row = lines.index("│ nut | shelf 2")
    assert lines[row - 2 : row] == ["+ stock.", "# part | place"]


def test_a_chunk_of_a_document_with_pages_has_its_page(place: Path) -> None:
    write(place, {"docs/a.pdf": pdf(["One."], ["Two."])})
    outcome = invoke("chunks", "corpus.path=docs", "chunker=pages", "--format", "json")
    assert [(chunk["text"], chunk["page"]) for chunk in outcome.json["chunks"]] == [("One.", 1), ("Two.", 2)]
    assert "2  page 2  6-10" in invoke("chunks", "corpus.path=docs", "chunker=pages").out


def test_html_has_two_configurations_beside_each_other(pets: Path) -> None:
    outcome = invoke("chunks", *OWN, "chunker=fixed", "size=30,60", "overlap=5", "--html", "cuts.html")
    assert outcome.code == 0
    assert outcome.out == "cuts.html: own, fixed 30: 4 chunks; own, fixed 60: 3 chunks\n"
    page = html.fromstring(Path("cuts.html").read_text(encoding="utf-8"))
    assert [each.get("href") for each in page.cssselect("nav a")] == ["#d1", "#d2"]
    assert [(each.get("id"), each.find("h2").text) for each in page.cssselect("main > section")] == [
        ("d1", "pets.txt"),
        ("d2", "sub/pets.md"),
    ]
    a, b = page.cssselect("#d1 .pair > div")
    assert texts(a, "h3, h4") == [
        "A: own, fixed 30, 3 chunks here",
        f"1. 0–30 30 characters, {tokens(PETS[:30])} tokens",
        f"2. 25–55 30 characters, {tokens(PETS[25:55])} tokens",
        f"3. 50–61 11 characters, {tokens(PETS[50:])} tokens",
    ]
    # The fact [23, 36) is cut at 30 and at 25. Pale is what the chunk before has too.
    assert [each.text_content() for each in a.cssselect("pre")] == [
        "Cats creep close. Dogs dig dee✂",
        "✂g deep dens. Bees buzz by blos",
        " blossoms.\n",
    ]
    assert [each.text_content() for each in a.cssselect("mark")] == ["dig dee✂", "✂g dee", "p dens"]
    assert [each.text_content() for each in a.cssselect(".shared")] == ["✂g dee", " blos"]
    assert [each.text_content() for each in b.cssselect("pre")] == [PETS[:60], PETS[55:]]
    assert "not read: photo.png" in page.text_content()
    assert "1 of 3 facts in no chunk as a whole" in page.text_content()


def test_html_shows_what_is_in_no_chunk_and_what_is_put_before(place: Path) -> None:
    write(place, {"docs/a.md": "# Fish\n\nThey float.\n\n## Eels\n\nThey swim.\n"})
    assert invoke("chunks", "corpus.path=docs", "chunker=headings", "prefix=path", "--html", "cuts.html").code == 0
    page = html.fromstring(Path("cuts.html").read_text(encoding="utf-8"))
    assert texts(page, ".gap pre") == ["# Fish", "## Eels"]
    assert texts(page, ".block:not(.gap) pre") == ["Fish. They float.", "Fish > Eels. They swim."]
    assert [each.text_content() for each in page.cssselect("ins")][1:] == ["Fish. ", "Fish > Eels. "]
    assert texts(page, "h4 .note") == ["Fish", "Fish > Eels"]


def test_html_holds_the_text_of_documents_and_nothing_that_they_say_to_browsers(place: Path) -> None:
    write(place, {"docs/<b>.txt": "<script>alert(1)</script> \x1b[2J & so on.\n"})
    assert invoke("chunks", "corpus.path=docs", "chunker=whole", "--html", "cuts.html").code == 0
    source = Path("cuts.html").read_text(encoding="utf-8")
    page = html.fromstring(source)
    assert texts(page, "pre") == ["<script>alert(1)</script> ␛[2J & so on."]
    assert texts(page, "h2") == ["<b>.txt"]
    assert page.cssselect("script, b, img, link[rel=stylesheet]") == []
    assert "://" not in source


def tokens(text: str) -> int:
    return len(load_tokenizer("o200k").encode(text))


def texts(page: html.HtmlElement, selector: str) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(selector)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["size=10,20"], "one, or two beside each other with --html FILE", id="two without a page"),
        pytest.param(["size=10,20,30", "--html", "a.html"], "shows two with --html", id="three"),
        pytest.param(["size=10,20", "--html", "a.html", "--format", "json"], "shows one", id="two as JSON"),
        pytest.param(["--html", "nowhere/a.html"], "a folder that exists", id="no such folder"),
    ],
)
def test_what_no_page_can_show(pets: Path, arguments: list[str], said: str) -> None:
    outcome = invoke("chunks", *OWN, "chunker=fixed", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert said in outcome.err
    assert not Path("a.html").exists()


def test_two_corpora_do_not_stand_beside_each_other() -> None:
    outcome = invoke("chunks", "corpus=runbooks,handbook_headed", "--html", "a.html")
    assert (outcome.code, "on the same documents" in outcome.err) == (2, True)
