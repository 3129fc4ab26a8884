"""`chunksweep gate`: eight documents, each of which answers a question of its own letter.

The `test` embedder counts words by their first letter, so that a question finds the document of its letter. Whole
documents answer all eight; cut every five characters they answer none, since each fact is longer.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.program import Outcome, invoke, plug_in, working_folder, write

LETTERS = "abcdefgh"


def fact(letter: str) -> str:
    return f"{letter}ne {letter}wo {letter}hree"


def questions(letters: str, **changed: str) -> str:
    entries = [{"id": letter, "question": f"Which {letter}?", "fact": fact(letter)} | changed for letter in letters]
    return "\n".join(map(json.dumps, entries))


FILES = {
    **{f"docs/{letter}.txt": f"{fact(letter)} {letter}our." for letter in LETTERS},
    **{f"newer/{letter}.txt": f"{fact(letter)} {letter}our {letter}ive." for letter in LETTERS},
    "questions.jsonl": questions(LETTERS),
    "few.jsonl": questions("abcd"),
    "shorter_facts.jsonl": questions(LETTERS[1:]) + "\n" + questions("a", fact="ane awo"),
    "reworded.jsonl": questions(LETTERS[1:]) + "\n" + questions("a", question="What is a?"),
    "turned.jsonl": questions(LETTERS[::-1]),
}
COMMON = ("embedder=test", "send=1", "hydra.launcher.n_jobs=1")


def own(docs: str = "docs", asked: str = "questions", chunker: str = "whole") -> list[str]:
    return [f"corpus.path={docs}", f"corpus.questions={asked}.jsonl", f"chunker={chunker}", *COMMON]


def run(*arguments: str) -> str:
    outcome = invoke("run", *arguments, "--format", "json")
    assert outcome.code == 0, outcome.err
    run_id: str = outcome.json["run_id"]
    return run_id


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The ids of runs in the working folder, oldest first."""
    with working_folder(tmp_path_factory.mktemp("gate")) as folder:
        write(folder, FILES)
        yield {
            "few": run(*own(asked="few")),
            "baseline": run(*own()),
            "reworded": run(*own(asked="reworded")),
            "cut": run(*own(chunker="fixed"), "size=5"),
            "shorter facts": run(*own(asked="shorter_facts")),
            "turned": run(*own(docs="newer", asked="turned")),
        }


def gate(baseline: str, *arguments: str, max_drop: str = "0.05") -> Outcome:
    return invoke("gate", "--baseline", baseline, "--max-drop", max_drop, *arguments)


def test_a_fall_closes(runs: dict[str, str]) -> None:
    outcome = gate(runs["baseline"], "--run", runs["cut"], "--format", "json")
    assert outcome.code == 1
    shape = outcome.json
    assert (shape["closed"], shape["metric"], shape["n"]) == (True, "retrieval/answerable", 8)
    assert (shape["baseline"]["mean"], shape["candidate"]["mean"], shape["drop"]) == (1, 0, 1)
    # All eight were lost: of 2^8 sets of questions the empty one alone has a mean of at most what is allowed. The
    # bound is the drop that loses all eight in 5 of 100 cases.
    assert shape["p"] == pytest.approx(1 / 256)
    assert shape["low"] == pytest.approx(0.05 ** (1 / 8))
    assert (shape["lost"], shape["won"]) == (list(LETTERS), [])
    assert shape["changes"] == [
        "chunker whole -> fixed",
        "size None -> 5",
        "overlap None -> 0",
        "chunker.unit None -> characters",
        "chunker.whole_words None -> False",
    ]


def test_newer_documents_that_answer_as_well_leave_it_open(runs: dict[str, str]) -> None:
    outcome = gate(runs["baseline"], "--format", "json")  # the latest run; its questions come in another order
    assert outcome.code == 0
    shape = outcome.json
    assert shape["candidate"]["run_id"] == runs["turned"]
    assert (shape["closed"], shape["drop"], shape["p"], shape["changes"]) == (False, 0, 1, ["documents"])
    assert shape["high"] > 0.2


def test_values_are_matched_by_question(runs: dict[str, str]) -> None:
    mrr = gate(runs["turned"], "--run", runs["cut"], "--metric", "retrieval/ceiling", "--format", "json").json
    assert (mrr["drop"], mrr["lost"]) == (1, list(LETTERS[::-1]))


def test_other_facts_are_said(runs: dict[str, str]) -> None:
    outcome = gate(runs["baseline"], "--run", runs["shorter facts"], "--format", "json")
    assert outcome.json["changes"] == ["the facts of 1 questions"]


def test_a_store_that_was_moved_serves(runs: dict[str, str]) -> None:
    moved = Path("elsewhere").absolute()
    shutil.copytree("mlruns", moved)
    outcome = gate(runs["baseline"], "--run", runs["cut"], "--tracking-uri", f"sqlite:///{moved}/mlflow.db")
    assert outcome.code == 1, outcome.err


def test_what_is_printed(runs: dict[str, str]) -> None:
    printed = gate(runs["baseline"], "--run", runs["cut"])
    assert printed.out.startswith("Closed: a drop of more than 5 points is shown.\n")
    assert "On 8 questions it fell by 100 points (p = 0.0039 where 5 is the true drop)." in printed.out
    assert max(map(len, printed.out.splitlines())) <= 80
    assert printed.err == ""


def test_a_gate_that_can_hardly_close_says_so_twice(runs: dict[str, str]) -> None:
    outcome = gate(runs["baseline"], "--run", runs["turned"], max_drop="0.3")
    assert outcome.code == 0
    assert "This gate hardly ever closes: with 8 questions" in outcome.out
    assert "This gate hardly ever closes" in outcome.err


@pytest.mark.parametrize(
    ("baseline", "arguments", "said"),
    [
        pytest.param(
            "few",
            ("--run", "few"),
            "this gate could never close: with 4 questions in 4 separate groups",
            id="four questions",
        ),
        pytest.param(
            "baseline", ("--run", "reworded"), "1 differ by id or text, a for one", id="a question in other words"
        ),
        pytest.param("baseline", ("--run", "few"), "4 differ by id or text, e for one", id="fewer questions"),
        pytest.param("turned", (), "no finished run after the baseline", id="no later run"),
        pytest.param("baseline", ("--run", "cut", "size=3"), "or overrides (size=3), not both", id="run and overrides"),
        pytest.param("baseline", ("--run", "cut", "--metric", "cost/sent_tokens"), "no such measure", id="a cost"),
        pytest.param("baseline", ("--run", "cut", "--max-drop", "5"), "from 0 to below 0.5 is needed", id="per cents"),
        pytest.param("baseline", ("--run", "cut", "--max-drop", "some"), "from 0 to below 0.5", id="no number"),
        pytest.param("baseline", ("--runs", "cut"), "--runs is not a flag of chunksweep gate", id="an unknown flag"),
    ],
)
def test_what_cannot_be_is_one_line(runs: dict[str, str], baseline: str, arguments: tuple[str, ...], said: str) -> None:
    outcome = gate(runs[baseline], *(runs.get(word, word) for word in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


def test_one_of_many_cells_has_to_be_named(place: Path) -> None:
    write(place, FILES)
    baseline = run(*own())
    swept = invoke("sweep", *own(chunker="fixed"), "size=5,6", "--format", "json").json
    outcome = gate(baseline)
    assert outcome.code == 2
    assert f"the latest runs are the 2 cells of sweep {swept['sweep_id']}" in outcome.err
    assert gate(baseline, "--run", swept["runs"][1]["run_id"]).code == 1


def test_the_candidate_is_run_where_overrides_are_given(place: Path) -> None:
    write(place, FILES)
    baseline = run(*own())
    outcome = gate(baseline, *own(chunker="fixed"), "size=5", "--format", "json")
    assert (outcome.code, outcome.json["candidate"]["name"]) == (1, "fixed 5")
    assert outcome.json["candidate"]["run_id"] != baseline


BROKEN = """\
from dataclasses import dataclass

from chunksweep.chunkers.base import Chunker, Sizing


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Chunker):
    def sizing(self):
        return Sizing("characters", 400)

    def split(self, document, ruler):
        raise RuntimeError("no knife")
"""


def test_a_candidate_that_fails_closes(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(tmp_path, "broken", BROKEN, "name: broken\n")
    monkeypatch.syspath_prepend(str(tmp_path / "plugins"))
    write(place, FILES)
    outcome = gate(run(*own()), *own(chunker="broken"), "--config-dir", "../conf")
    assert (outcome.code, outcome.out) == (1, "")
    assert "the candidate failed, so that nothing can be said of it: RuntimeError: no knife" in outcome.err
