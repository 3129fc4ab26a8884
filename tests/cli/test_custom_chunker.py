"""`chunker=custom`: a class in a user's file is run where it is asked for, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli import custom_chunkers
from tests.cli.program import Outcome, invoke, write

from chunksweep import rules
from chunksweep.settings import file_sha256
from chunksweep.tracking import Store, resolve_uri

SOURCE = Path(custom_chunkers.__file__).read_text(encoding="utf-8")
FILES = {
    "docs/birds.md": "A heron hunts at dawn.\nA kestrel hovers.\n",
    "questions.jsonl": json.dumps({"question": "When does a heron hunt?", "fact": "A heron hunts at dawn"}),
    "mine.py": SOURCE,
    "breaks.py": "import os\n\nos.no_such_thing\n",
    "leaves.py": "raise SystemExit(3)\n",
    "typo.py": "class Lines(:\n",
    "empty.py": "",
}
OWN = ("corpus.path=docs", "corpus.questions=questions.jsonl", "embedder=test")
LINES = ("chunker=custom", "chunker.path=mine.py", "chunker.class=Lines")


@pytest.fixture(autouse=True)
def files(place: Path) -> None:
    write(place, FILES)


def failure(done: Outcome) -> str:
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    return done.err


def test_a_run_cuts_as_the_class_says() -> None:
    shown = invoke("chunks", *OWN[:2], *LINES, "--format", "json")
    assert [(chunk["start"], chunk["end"]) for chunk in shown.json["chunks"]] == [(0, 22), (23, 40)]
    # 22 characters are too few, so the second line comes too: up to the end of the text.
    joined = invoke("chunks", *OWN[:2], *LINES, "+chunker.least=30", "--format", "json")
    assert [(chunk["start"], chunk["end"]) for chunk in joined.json["chunks"]] == [(0, 40)]


def test_worker_processes_load_the_class() -> None:
    axes = ("+chunker.least=0,1000", "hydra.launcher.n_jobs=2")
    done = invoke("sweep", *OWN, *LINES, *axes, "--format", "json")
    assert done.code == 0, done.err
    assert {run["metrics"]["chunks/count"] for run in done.json["runs"]} == {2, 1}
    params = done.json["runs"][0]["params"]
    assert (params["chunker"], params["chunker.class"]) == ("custom", "Lines")


def test_the_file_names_the_configuration() -> None:
    def hash_of() -> str:
        node = {"name": "custom", "path": "mine.py", "class": "Lines"}
        made = rules.from_tree(tree | {"chunker": node})
        assert made.code_sha256 == file_sha256(Path("mine.py"))
        return made.config_hash("corpus", "questions")

    groups = ("prefix", "embedder", "retriever", "tokenizer")
    names = ("none", "test", "dense", "o200k")
    tree = {group: {"name": name} for group, name in zip(groups, names, strict=True)} | {"corpus": {"name": "runbooks"}}
    before = hash_of()
    Path("mine.py").rename("moved.py")
    Path("moved.py").rename("mine.py")
    assert hash_of() == before
    Path("mine.py").write_text(SOURCE + "\n", encoding="utf-8")
    assert hash_of() != before


def test_a_file_that_was_edited_is_loaded_anew() -> None:
    rows = [len(invoke("chunks", *OWN[:2], *LINES, "--format", "json").json["chunks"])]
    Path("mine.py").write_text(SOURCE.replace("least: int = 0", "least: int = 99"), encoding="utf-8")
    rows.append(len(invoke("chunks", *OWN[:2], *LINES, "--format", "json").json["chunks"]))
    assert rows == [2, 1]
    assert not Path("__pycache__").exists()


def test_reproduce_runs_it_only_where_it_is_trusted_and_unchanged() -> None:
    run_id = invoke("run", *OWN, *LINES, "--format", "json").json["run_id"]
    assert Store(resolve_uri(None, None)).find(run_id).tags["chunksweep.code_sha256"] == file_sha256(Path("mine.py"))
    Path("mine.py").write_text(SOURCE + "\nopen('was-run', 'w').close()\n", encoding="utf-8")
    refused = failure(invoke("reproduce", run_id))
    assert "--trust-code" in refused
    assert "mine.py" in refused
    for command in (("compare",), ("list",), ("report",), ("diff", run_id, run_id)):
        assert invoke(*command).code == 0
    assert not Path("was-run").exists()
    changed = invoke("reproduce", run_id, "--trust-code")
    assert (changed.code, "chunker changed" in changed.out) == (2, True)
    Path("mine.py").write_text(SOURCE, encoding="utf-8")
    assert invoke("reproduce", run_id, "--trust-code").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param("chunker.class=Lines", ["chunker.path=None", "FILE.py"], id="no file named"),
        pytest.param("chunker.path=mine.py", ["chunker.class=None", "NAME"], id="no class named"),
        pytest.param("chunker.path=none.py chunker.class=Lines", ["none.py: no such file"], id="no such file"),
        pytest.param("chunker.path=mine.py chunker.class=Liens", ["Liens", "It has Lines, Loses"], id="no such class"),
        pytest.param("chunker.path=mine.py chunker.class=Chunker", ["no such chunker"], id="a class it imported"),
        pytest.param("chunker.path=mine.py chunker.class=NoChunker", ["no such chunker"], id="no chunker"),
        pytest.param("chunker.path=empty.py chunker.class=Lines", ["no class derived from"], id="an empty file"),
        pytest.param("chunker.path=breaks.py chunker.class=A", ["breaks.py: line 3: AttributeError"], id="it breaks"),
        pytest.param("chunker.path=leaves.py chunker.class=A", ["leaves.py: line 1: SystemExit: 3"], id="it leaves"),
        pytest.param("chunker.path=typo.py chunker.class=A", ["typo.py: line 1: SyntaxError"], id="it is no Python"),
        pytest.param("chunker.path=mine.py chunker.class=Picky", ["KeyError: 'mood'"], id="it cannot be made"),
        pytest.param("chunker.path=mine.py chunker.class=Unfinished", ["no sizing and no split()"], id="unfinished"),
        pytest.param(
            "chunker.path=mine.py chunker.class=Lines +chunker.most=3", ["chunker.most", "chunker.least"], id="option"
        ),
        pytest.param(
            "chunker.path=mine.py chunker.class=Lines +chunker.least=few", ["chunker.least=few"], id="type of an option"
        ),
    ],
)
def test_what_cannot_be_loaded_is_said_in_one_line(arguments: str, said: list[str]) -> None:
    message = failure(invoke("run", *OWN, "chunker=custom", *arguments.split()))
    assert [words for words in said if words not in message] == []


@pytest.mark.parametrize("name", ["Beyond", "Pairs"])
def test_what_is_no_span_of_the_text_fails_the_cell(name: str) -> None:
    done = invoke("run", *OWN, "chunker=custom", "chunker.path=mine.py", f"chunker.class={name}")
    assert done.code != 0
    assert f"chunk 1 of {name}" in done.err


def test_contract_kept() -> None:
    done = invoke("check", "--contract", *OWN[:2], *LINES, "--format", "json")
    assert done.code == 0
    assert done.json["kept"] is True
    (trial,) = done.json["trials"]
    assert {row["name"]: row["kept"] for row in trial["promises"]} == dict.fromkeys(
        ("failure", "order", "nesting", "coverage", "size", "overlap", "repetition", "process"), True
    )
    # 300 made up, four bundled handbooks and runbooks, one in docs/; without a size each is cut once.
    assert (trial["documents"], trial["cuts"]) == (305, 305)


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        pytest.param("Loses", {"coverage"}, id="text lost"),
        pytest.param("Fails", {"failure"}, id="an exception"),
        pytest.param("Hashes", {"process"}, id="other in a fresh process"),
        pytest.param("Remembers", {"repetition"}, id="other the second time"),
        pytest.param("Long", {"size"}, id="too long"),
        pytest.param("Within", {"nesting"}, id="one inside another"),
        pytest.param("Endless", {"order"}, id="no end"),
        pytest.param("Pairs", {"failure"}, id="no spans"),
    ],
)
def test_contract_broken(name: str, broken: set[str]) -> None:
    arguments = ("chunker=custom", "chunker.path=mine.py", f"chunker.class={name}")
    done = invoke("check", "--contract", *arguments, "--format", "json")
    assert done.code == 1
    promises = {row["name"]: row for row in done.json["trials"][0]["promises"]}
    assert {promise for promise, row in promises.items() if row["kept"] is False} == broken
    assert all(promises[promise]["first"] and promises[promise]["broken"] for promise in broken)


def test_contract_says_in_words_what_was_broken() -> None:
    done = invoke("check", "--contract", "chunker=custom", "chunker.path=mine.py", "chunker.class=Loses")
    words = " ".join(done.out.split())
    assert "BROKEN coverage" in words
    assert "first in runbooks.md, size=null overlap=0: '#" in words
    assert "kept nesting no chunk lies inside another" in words


def test_contract_and_questions_are_two_things() -> None:
    assert "Give one of them" in failure(invoke("check", "--contract", "--init", "docs"))
