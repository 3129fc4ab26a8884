"""Whatever a user can get wrong ends in exit code 2 and one line, before anything is embedded or logged."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.program import Outcome, invoke, working_folder, write

from chunksweep.embedders.test import WordInitials

SWEEP = "defaults: [config, _self_]\nhydra:\n  mode: MULTIRUN\n  sweeper: {params: {size: [10, 20]}}\n"
FILES = {
    "docs/guide.md": "# Nodes\n\nCordon the node first. Then drain it.\n",
    "questions.jsonl": '{"question": "What comes first?", "fact": "Cordon the node first"}\n',
    "none.jsonl": "\n",
    "no_fact.jsonl": '{"question": "What comes first?"}\n',
    "misquoted.jsonl": '{"question": "What comes first?", "fact": "Cordon the noode first"}\n',
    "damaged/guide.md": "# Nodes\n\nCordon the node first.\n",
    "damaged/old.txt": "Stra\xdfe".encode("latin-1"),
    "damaged.jsonl": '{"question": "Which road?", "fact": "Straße", "document": "old.txt"}\n',
    "pictures/a.png": b"\x89PNG",
    "heads/guide.md": "# Nodes\n\n## Draining\n",
    "heads.jsonl": '{"question": "What is it about?", "fact": "Draining"}\n',
    "mine/small.yaml": SWEEP,
    "mine/runbooks.yaml": SWEEP,
    "file": "in the way",
}
OWN = "corpus.path=docs corpus.questions=questions.jsonl embedder=test"


@pytest.fixture
def bench(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(place, FILES)
    (place / "empty").mkdir()
    monkeypatch.setattr(WordInitials, "embed", lambda *_, **__: pytest.fail("something was embedded"))
    return place


def assert_refused(outcome: Outcome, *words: str) -> None:
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("chunksweep: ")
    assert outcome.err.count("\n") == 1
    assert [word for word in words if word not in outcome.err] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        # documents
        pytest.param(
            "run corpus.path=empty corpus.questions=questions.jsonl embedder=test",
            ["empty", "no document can be read", "Markdown"],
            id="an empty folder",
        ),
        pytest.param(
            "run corpus.path=pictures corpus.questions=questions.jsonl embedder=test",
            ["pictures", "1 unread", "a.png", "Markdown"],
            id="no readable file",
        ),
        pytest.param(
            "run corpus.path=gone corpus.questions=questions.jsonl embedder=test",
            ["corpus.path=", "gone", "No such file", "Markdown"],
            id="a missing folder",
        ),
        pytest.param(
            f"run {OWN} 'corpus.include=[\"*.rst\"]'", ["*.rst", "no file is considered"], id="a glob that fits nothing"
        ),
        pytest.param(f"run {OWN} corpus.encoding=utf-9", ["corpus.encoding", "utf-9", "cp1252"], id="unknown encoding"),
        pytest.param(
            "run corpus.path=heads corpus.questions=heads.jsonl embedder=test chunker=headings",
            ["chunker=headings", "no chunk", "another chunker"],
            id="a chunking that leaves no chunk",
        ),
        # questions
        pytest.param(
            "run corpus.path=damaged corpus.questions=damaged.jsonl embedder=test",
            ["damaged.jsonl line 1", "old.txt", "could not be read", "Mend the file"],
            id="a question names a file that cannot be read",
        ),
        pytest.param(
            "run corpus.path=docs corpus.questions=no_fact.jsonl embedder=test",
            ["no_fact.jsonl line 1", "What comes first?", '"fact" is missing', '"facts"'],
            id="a question without a fact",
        ),
        pytest.param(
            "run corpus.path=docs corpus.questions=none.jsonl embedder=test",
            ["none.jsonl", "holds no questions", "at least one"],
            id="no questions",
        ),
        pytest.param(
            "run corpus.path=docs corpus.questions=gone.jsonl embedder=test",
            ["gone.jsonl", "No such file", "*.jsonl"],
            id="a missing questions file",
        ),
        pytest.param("run corpus.path=docs embedder=test", ["docs", "corpus.questions=FILE"], id="questions not given"),
        pytest.param(
            "run corpus.path=docs corpus.questions=misquoted.jsonl embedder=test",
            ["misquoted.jsonl line 1", "noode", 'Nearest: "Cordon the node first" in guide.md, section "Nodes"'],
            id="a fact that is nowhere",
        ),
        # values
        pytest.param(f"run {OWN} size=0", ["size=0", "at least 1"], id="size 0"),
        pytest.param(f"run {OWN} size=-1", ["size=-1", "at least 1"], id="negative size"),
        pytest.param(f"run {OWN} size=abc", ["size=abc", "whole number"], id="a size that is no number"),
        pytest.param(f"sweep {OWN} size=10,abc", ["size=abc", "whole number"], id="one such size in a grid"),
        pytest.param(
            f"run {OWN} size=20 overlap=20", ["overlap=20", "size=20", "overlap=0.2"], id="overlap equal to size"
        ),
        pytest.param(f"run {OWN} size=20 overlap=30", ["overlap=30", "size=20"], id="overlap greater than size"),
        pytest.param(f"sweep {OWN} size=20 overlap=20,30", ["overlap=20", "size=20"], id="no possible cell in a grid"),
        pytest.param(f"run {OWN} overlap=-1", ["overlap=-1", "at least 0"], id="negative overlap"),
        pytest.param(f"run {OWN} overlap=1.5", ["overlap=1.5", "whole number"], id="neither share nor count"),
        pytest.param(f"run {OWN} send=0", ["send=0", "at least 1"], id="send 0"),
        pytest.param(f"run {OWN} k=3", ["k=3", "k=[1,3,5,10]"], id="k is no list"),
        pytest.param(f"sweep {OWN} k=[1,3],[1,3,5]", ["k is one list", "k=[1,3,5,10]"], id="k as an axis"),
        pytest.param(f"sweep {OWN} 'size=interval(1,9)'", ["size=interval(1,9)", "size=200,400"], id="an interval"),
        pytest.param(f"run {OWN} prices.input=-1", ["prices.input=-1", "or null"], id="negative price"),
        # keys and choices
        pytest.param(f"run {OWN} chunker=nope", ["chunker=nope", "fixed, headings"], id="unknown chunker"),
        pytest.param(f"run {OWN} nope=1", ["nope is not a key", "--cfg job"], id="unknown key"),
        pytest.param(f"run {OWN} chunkr=fixed", ["chunkr", "Did you mean chunker="], id="a mistyped key"),
        pytest.param(f"run {OWN} +nope=1", ["nope is not a key", "Known: ", "overlap"], id="an added key"),
        pytest.param(
            f"run {OWN} chunker=fixed chunker.within=section",
            ["chunker.within", "chunker=fixed", "chunker.unit"],
            id="an option of another chunker",
        ),
        pytest.param(f"run {OWN} chunker.nope=1", ["chunker.nope", "--cfg job"], id="an option of the usual chunker"),
        pytest.param(
            f"sweep {OWN} chunker=fixed,whole chunker.unit=tokens",
            ["chunker.unit", "chunker=whole"],
            id="an option that one chunker of the grid lacks",
        ),
        pytest.param("run embedder=nope", ["embedder=nope", "minilm, "], id="unknown embedder"),
        pytest.param("run corpus=nope", ["corpus=nope", "runbooks"], id="unknown corpus"),
        pytest.param(
            "run corpus=runbooks corpus.path=docs embedder=test",
            ["corpus=runbooks", "corpus.path", "Leave out"],
            id="a bundled corpus and a path",
        ),
        pytest.param(
            f"run {OWN} prefix=nope", ["prefix=nope", "heading, none, path, template, title"], id="unknown prefix"
        ),
        pytest.param(f"run {OWN} retriever=nope", ["retriever=nope", "dense"], id="unknown retriever"),
        pytest.param(f"run {OWN} tokenizer=nope", ["tokenizer=nope", "o200k"], id="unknown tokenizer"),
        pytest.param(
            f"run {OWN} tokenizer.path=gone.json", ["tokenizer.path=gone.json", "no such file"], id="missing tokenizer"
        ),
        # how it is written
        pytest.param(
            "run corpus.path=büro embedder=test",
            ["corpus.path=büro", "other than ASCII", """'corpus.path="VALUE"'"""],
            id="not ASCII, not quoted",
        ),
        pytest.param(f"run {OWN} extra", ["extra", "KEY=VALUE"], id="a word alone"),
        pytest.param(f"run {OWN} size=10,20", ["2 configurations", "chunksweep sweep"], id="a comma list given to run"),
        pytest.param(f"run {OWN} size=10 size=20", ["size is given twice", "size=A,B"], id="a key twice, run"),
        pytest.param(f"sweep {OWN} size=10,20 size=30", ["size is given twice", "size=A,B"], id="a key twice, sweep"),
        # flags
        pytest.param(f"run {OWN} --nope", ["--nope", "run --help"], id="unknown flag of run"),
        pytest.param(f"sweep {OWN} --dry", ["--dry", "sweep --help"], id="an abbreviated flag"),
        pytest.param("list --nope", ["--nope", "list --help"], id="unknown flag of list"),
        pytest.param("compare extra", ["extra", "compare --help"], id="an argument too many"),
        pytest.param(f"run {OWN} --format csv", ["csv", "table", "json"], id="a format that run lacks"),
        pytest.param(f"run {OWN} --cfg nope", ["--cfg nope", "job, hydra, all"], id="nothing to show"),
        pytest.param(f"run {OWN} --cfg", ["--cfg needs a value"], id="a flag without its value"),
        pytest.param(f"run {OWN} --config-dir gone", ["gone", "not found"], id="missing configuration folder"),
        pytest.param("nope", ["nope is not a command", "run, sweep"], id="unknown command"),
        pytest.param(
            f"sweep {OWN} size=10,20 hydra.launcher.n_jobs=0", ["n_jobs=0", "at least 1"], id="no worker process"
        ),
        pytest.param(
            f"sweep {OWN} size=10,20 hydra.launcher.n_jobs=two", ["n_jobs=two", "at least 1"], id="n_jobs no number"
        ),
        pytest.param(f"run {OWN} hydra.launcher.nope=1", ["hydra.launcher.nope", "not a key"], id="launcher's key"),
        # names of sweeps
        pytest.param("sweep nope", ["no sweep is called nope", "first_look", "runbooks"], id="unknown sweep"),
        pytest.param(
            "sweep nope --config-dir mine", ["no sweep is called nope", "first_look", "small"], id="unknown in both"
        ),
        pytest.param("sweep runbooks --config-dir mine", ["runbooks", "mine", "Rename"], id="a name in both places"),
        pytest.param("sweep small --config-dir gone", ["--config-dir gone", "no such folder"], id="its folder missing"),
        # stores
        pytest.param(f"run {OWN} --tracking-uri runs", ["runs is a folder", "sqlite:///"], id="store is a folder"),
        pytest.param(f"run {OWN} tracking.uri=file:runs", ["is a folder", "sqlite:///"], id="store is a folder's URI"),
        pytest.param(
            f"run {OWN} --tracking-uri sqlite:///file/mlflow.db",
            ["file/mlflow.db", "cannot be used", "--tracking-uri"],
            id="store below a file",
        ),
        pytest.param(
            f"run {OWN} cache.dir=file/cache",
            ["file/cache", "cannot be used", "cache.dir=FOLDER"],
            id="cache below a file",
        ),
        pytest.param("compare", ["no sweep", "chunksweep sweep runbooks"], id="nothing to compare"),
        pytest.param("ui", ["no sweep", "chunksweep sweep runbooks"], id="nothing to look at"),
        pytest.param("compare --limit 0", ["--limit", "0", "at least 1"], id="limit 0"),
        pytest.param("compare --limit few", ["--limit", "few", "at least 1"], id="a limit that is no number"),
        pytest.param("ui --port 99999", ["99999", "65535"], id="no such port"),
    ],
)
def test_bad_input_is_refused_in_one_line(bench: Path, arguments: str, words: list[str]) -> None:
    assert_refused(invoke(*shlex.split(arguments)), *words)
    assert not {"mlruns", "outputs", "multirun", "runs"} & {path.name for path in bench.iterdir()}


def test_a_port_in_use_is_refused(place: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert_refused(invoke("ui", "--port", str(port)), f"--port {port}", "taken", "Give another")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with working_folder(tmp_path_factory.mktemp("swept")) as folder:
        assert invoke("run", "embedder=test").code == 0
        yield folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--sweep", "1999"], ["1999", "0 sweeps begin so", "chunksweep list"], id="unknown id"),
        pytest.param(
            ["--sort", "retrieval/nope"],
            ["--sort retrieval/nope", "retrieval/answerable", "cost/sent_tokens"],
            id="unknown metric",
        ),
    ],
)
def test_what_no_sweep_has_is_refused(swept: Path, arguments: list[str], words: list[str]) -> None:
    assert_refused(invoke("compare", *arguments), *words)


def test_files_that_cannot_be_read_are_named_and_counted_and_the_others_used(place: Path) -> None:
    write(place, FILES | {"damaged/a.png": b"\x89PNG"})
    outcome = invoke("run", "corpus.path=damaged", "corpus.questions=questions.jsonl", "embedder=test", "--format=json")
    assert outcome.code == 0
    assert outcome.json["metrics"]["corpus/unread"] == 2
    assert outcome.json["metrics"]["retrieval/answerable"] == 1
    assert [line.split(" was not read: ")[0] for line in outcome.err.splitlines()] == [
        "chunksweep: own: a.png",
        "chunksweep: own: old.txt",
    ]
