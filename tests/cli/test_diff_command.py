"""`chunksweep diff`: two runs on a corpus so small that what each sends can be worked out by hand.

The `test` embedder counts words by their first letter; one passage is sent.

    A  fixed 30    [0, 30) "Cats creep close. Dogs dig dee" c 3, d 3
                   [30, 60) "p dens. Bees buzz by blossoms." p 1, d 1, b 4
    B  sentences   [0, 17) c 3, [18, 37) d 4, [38, 60) b 4

    dogs  d 3       A: its fact, [23, 36), is cut at 30; what is sent is [0, 30)     B: answered by [18, 37)
    bees  b 2       A and B: answered
    both  c 2, d 1  A: [0, 30) holds both facts     B: [0, 17) holds the first, [18, 37) comes second: thin, rank 2
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html
from tests.cli.program import Outcome, invoke, working_folder, write

from chunksweep import rules
from chunksweep.tracking import Store

PETS = "Cats creep close. Dogs dig deep dens. Bees buzz by blossoms.\n"
QUESTIONS = [
    {"id": "dogs", "question": "Do dogs dig?", "fact": "dig deep dens"},
    {"id": "bees", "question": "Buzzing bees?", "fact": "buzz by blossoms"},
    {"id": "both", "question": "Cats creep, dogs?", "facts": ["creep close", "Dogs dig"]},
]
FILES = {
    "docs/pets.txt": PETS,
    "docs/empty.txt": " ",
    "questions.jsonl": "\n".join(map(json.dumps, QUESTIONS)),
    "others.jsonl": json.dumps(QUESTIONS[0]),
    "more/pets.txt": PETS + "Ants amble.\n",
}


def run(*arguments: str) -> str:
    outcome = invoke("run", "embedder=test", "send=1", *arguments, "--format", "json")
    assert outcome.code == 0, outcome.err
    run_id: str = outcome.json["run_id"]
    return run_id


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """The folder in which the runs were made, and their ids."""
    own = ("corpus.path=docs", "corpus.questions=questions.jsonl")
    with working_folder(tmp_path_factory.mktemp("diff")) as folder:
        write(folder, FILES)
        ids = {
            "A": run(*own, "chunker=fixed", "size=30"),
            "B": run(*own, "chunker=sentences"),
            "other questions": run("corpus.path=docs", "corpus.questions=others.jsonl", "chunker=sentences"),
            "other documents": run("corpus.path=more", "corpus.questions=questions.jsonl", "chunker=sentences"),
        }
        yield folder, ids


@pytest.fixture
def runs(made: tuple[Path, dict[str, str]]) -> Iterator[dict[str, str]]:
    """The ids; documents and questions are as they were, whatever the test before did to them."""
    folder, ids = made
    yield ids
    shutil.rmtree(folder / "docs")
    write(folder, FILES)


def difference(runs: dict[str, str], *flags: str, a: str = "A", b: str = "B") -> Outcome:
    return invoke("diff", runs[a], runs[b], *flags)


def test_json(runs: dict[str, str]) -> None:
    outcome = difference(runs, "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    shape = outcome.json
    assert ([item["id"] for item in shape["won"]], [item["id"] for item in shape["lost"]]) == (["dogs"], ["both"])
    assert (shape["same"], shape["missing"]) == (1, [])


def test_question_that_was_won(runs: dict[str, str]) -> None:
    (won,) = difference(runs, "--format", "json").json["won"]
    assert (won["question"], won["facts"]) == ("Do dogs dig?", ["dig deep dens"])
    a, b = won["a"], won["b"]
    assert (a["outcome"], a["rank"], b["outcome"], b["rank"]) == ("cut", None, "answered", 1)
    assert a["cut_facts"] == [
        {"fact": "dig deep dens", "document": "pets.txt", "start": 23, "end": 36, "boundaries": [30]}
    ]
    assert b["cut_facts"] == []
    assert [(p["start"], p["end"], p["text"], p["holds"]) for p in a["passages"]] == [
        (0, 30, "Cats creep close. Dogs dig dee", [])
    ]
    assert [(p["start"], p["end"], p["text"], p["holds"]) for p in b["passages"]] == [
        (18, 37, "Dogs dig deep dens.", ["dig deep dens"])
    ]
    assert b["passages"][0]["document"] == "pets.txt"
    assert b["passages"][0]["score"] == 1.0  # both point along d


def test_question_that_was_lost(runs: dict[str, str]) -> None:
    (lost,) = difference(runs, "--format", "json").json["lost"]
    a, b = lost["a"], lost["b"]
    assert (a["outcome"], a["rank"], b["outcome"], b["rank"]) == ("answered", 1, "thin", 2)
    assert [p["holds"] for p in a["passages"]] == [["creep close", "Dogs dig"]]
    assert [(p["start"], p["end"], p["holds"]) for p in b["passages"]] == [(0, 17, ["creep close"])]
    assert (a["cut_facts"], b["cut_facts"]) == ([], [])


def test_the_other_way_round_won_is_lost(runs: dict[str, str]) -> None:
    shape = difference(runs, "--format", "json", a="B", b="A").json
    assert ([item["id"] for item in shape["won"]], [item["id"] for item in shape["lost"]]) == (["both"], ["dogs"])
    assert shape["lost"][0]["b"]["cut_facts"][0]["boundaries"] == [30]


def test_a_run_does_not_differ_from_itself(runs: dict[str, str]) -> None:
    shape = difference(runs, "--format", "json", b="A").json
    assert (shape["won"], shape["lost"], shape["same"]) == ([], [], 3)


def test_table(runs: dict[str, str]) -> None:
    outcome = difference(runs)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].startswith(f"A  {runs['A'][:8]}  answers 2 of 3  fixed 30")
    assert lines[2].startswith("1 won, 1 lost, 1 the same")
    assert "     cut at 30: dig dee ✂ p dens" in lines
    assert "     │ Dogs ⟦dig deep dens⟧." in lines
    assert "B  thin: what was sent touches the fact or its section only; 2 passages would do" in lines
    assert max(map(len, lines)) <= 80


def test_ids_may_be_shortened(runs: dict[str, str]) -> None:
    shortened = {name: run_id[:12] for name, run_id in runs.items()}
    assert difference(shortened, "--format", "json").json["same"] == 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda folder: shutil.rmtree(folder / "docs"), id="gone"),
        pytest.param(lambda folder: write(folder, {"docs/pets.txt": PETS.upper()}), id="changed"),
    ],
)
def test_offsets_only_where_the_documents_are_not_what_they_were(made, runs: dict[str, str], change) -> None:
    change(made[0])
    if not (made[0] / "docs").exists():
        (made[0] / "docs").mkdir()  # what the fixture clears away
    shape = difference(runs, "--format", "json").json
    (won,) = shape["won"]
    assert [(p["start"], p["end"], p["text"], p["holds"]) for p in won["b"]["passages"]] == [(18, 37, None, None)]
    assert won["a"]["cut_facts"] == []
    assert "without" in shape["missing"][0]
    assert "without" in difference(runs).out.replace("\n", " ")


def test_a_new_document_changes_nothing(made, runs: dict[str, str]) -> None:
    write(made[0], {"docs/new.txt": "Dogs dig deep dens.\n"})
    shape = difference(runs, "--format", "json").json
    assert shape["missing"] == []
    assert len(shape["won"][0]["a"]["cut_facts"]) == 1


def test_facts_are_not_marked_where_the_questions_changed(made, runs: dict[str, str]) -> None:
    write(made[0], {"questions.jsonl": json.dumps(QUESTIONS[0])})
    shape = difference(runs, "--format", "json").json
    (passage,) = shape["won"][0]["b"]["passages"]
    assert (passage["text"], passage["holds"]) == ("Dogs dig deep dens.", None)
    assert "questions.jsonl has changed or is gone" in shape["missing"][0]


@pytest.mark.parametrize(
    ("b", "words"),
    [
        pytest.param("other questions", ["different questions"], id="other questions"),
        pytest.param("other documents", ["different documents"], id="other documents"),
    ],
)
def test_runs_on_other_inputs_are_refused(runs: dict[str, str], b: str, words: list[str]) -> None:
    outcome = difference(runs, b=b)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert [word for word in words if word not in outcome.err] == []


def test_the_run_of_a_sweep_is_refused(runs: dict[str, str]) -> None:
    store = Store(f"sqlite:///{Path('mlruns', 'mlflow.db').absolute()}")
    sweep = store.begin_sweep("s", None, {}, {})
    store.end_sweep(sweep, "FINISHED", {"leaderboard.json": "{}"})
    outcome = invoke("diff", runs["A"], sweep)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "no answers to compare" in outcome.err


@pytest.mark.parametrize("arguments", [["abc"], ["zzz", "zzz"], ["A", "B", "C"]], ids=["one", "unknown", "three"])
def test_wrong_usage(runs: dict[str, str], arguments: list[str]) -> None:
    outcome = invoke("diff", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)


def test_a_past_run_is_read_without_the_strategies_that_it_names(
    runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chunksweep.chunkers.find", lambda name: pytest.fail(f"{name} was imported"))
    monkeypatch.setattr("chunksweep.embedders.find", lambda name: pytest.fail(f"{name} was imported"))
    monkeypatch.setattr(rules, "from_tree", lambda _tree: pytest.fail("the configuration was rebuilt"))
    assert difference(runs).code == 0


def test_html(made: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    _, ids = made
    file = tmp_path / "diff.html"
    outcome = invoke("diff", ids["A"], ids["B"], "--html", str(file))
    assert (outcome.code, outcome.out) == (0, f"{file}: 1 won, 1 lost, 1 the same\n")
    page = html.fromstring(file.read_text(encoding="utf-8"))
    assert [" ".join(each.text_content().split()) for each in page.iter("h2", "h3")] == [
        "Won (1)",
        "Do dogs dig? dogs",
        "Lost (1)",
        "Cats creep, dogs? both",
    ]
    # A was sent half of the fact, which is marked as far as it goes; B all of it.
    assert [each.text_content() for each in page.cssselect("section:first-of-type mark")] == [
        "dig dee",
        "dig deep dens",
    ]
    assert [each.text_content() for each in page.cssselect("section:first-of-type .holds pre")] == [
        "Dogs dig deep dens."
    ]


def test_html_where_no_file_can_be(made: tuple[Path, dict[str, str]]) -> None:
    _, ids = made
    outcome = invoke("diff", ids["A"], ids["B"], "--html", "nowhere/diff.html")
    assert outcome.code == 2
    assert "--html nowhere/diff.html: a file in a folder that exists" in outcome.err
