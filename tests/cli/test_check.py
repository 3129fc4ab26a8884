"""`chunksweep check`: everything that is wrong, found before anything is embedded; and a file to begin with."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
import yaml
from tests.cli.program import PATIENCE, Outcome, invoke, spawn, write

from chunksweep.cli import main

#       0         1         2         3         4
#       01234567890123456789012345678901234567890123456789
PETS = "# Cats\n\nCats creep close.\n\n# Dogs\n\nDogs dig deep.\n"
FILES: dict[str, str | bytes] = {
    "docs/pets.md": PETS,
    "docs/more.txt": "Cats creep close. Bees buzz by blossoms.\n",
    "docs/photo.png": b"\x89PNG",
}
OWN = ("corpus.path=docs", "corpus.questions=q.jsonl", "embedder=test")
FAULTY = [
    {"question": "Do dogs dig?", "fact": "Dogs dig too deep."},
    {"question": "What do cats do?", "fact": "Cats creep close."},
    {"question": "Which bees?", "fact": "blossoms"},
    {"question": "Do dogs really dig deep?", "fact": "Dogs dig deep."},
    {"question": "which  bees?", "fact": "buzz by blossoms"},
    {"question": "", "fact": "Dogs dig deep."},
    {"question": "Where?", "fact": "Dogs dig deep.", "document": "pet.md"},
    {"question": "Where?", "fact": "Dogs dig deep.", "section": "Hounds"},
]


def jsonl(entries: list[dict[str, str]]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def sound_questions(count: int) -> list[dict[str, str]]:
    facts = ["Dogs dig deep.", "Bees buzz by"]
    return [{"question": f"Number {number}?", "fact": facts[number % 2]} for number in range(count)]


@pytest.fixture
def pets(place: Path) -> Path:
    """Two documents, a file that cannot be read, and a questions file with a fault of each kind."""
    write(place, FILES | {"q.jsonl": jsonl(FAULTY)})
    return place


@pytest.fixture
def tidy(place: Path) -> Path:
    """The same two documents and ten questions without fault."""
    write(place, FILES | {"q.jsonl": jsonl(sound_questions(10))})
    (place / "docs" / "photo.png").unlink()
    return place


def told(outcome: Outcome) -> list[tuple[str, str, str]]:
    """Level, place without the words of the question, and message of each problem."""
    return [
        (problem["level"], problem["where"].partition(", question")[0], problem["message"])
        for problem in outcome.json["problems"]
    ]


def test_each_fault_is_found(pets: Path) -> None:
    outcome = invoke("check", *OWN, "size=4000", "--format", "json")
    assert (outcome.code, outcome.err) == (2, "")
    assert outcome.json.keys() == {"documents", "characters", "questions", "unread", "problems"}
    assert {key: outcome.json[key] for key in ("documents", "characters", "questions")} == {
        "documents": 2,
        "characters": len(PETS) + 41,
        "questions": 4,
    }
    assert [file["document"] for file in outcome.json["unread"]] == ["photo.png"]
    assert told(outcome) == [
        ("error", "q.jsonl line 1", 'the fact "Dogs dig too deep." is nowhere in the corpus'),
        ("error", "q.jsonl line 7", 'no document "pet.md" in the corpus'),
        ("error", "q.jsonl line 8", 'no section "Hounds" in the corpus'),
        ("warning", "photo.png", f"not read: it {outcome.json['unread'][0]['reason']}"),
        ("warning", "q.jsonl", "1 of 8 entries have no question and are left out (line 6)"),
        ("warning", "q.jsonl", "with 4 questions no difference between configurations can be told from chance"),
        ("warning", "q.jsonl line 5", "the same question as q.jsonl line 3"),
        (
            "warning",
            "q.jsonl line 2",
            'the fact "Cats creep close." stands in 2 places: more.txt, 0 to 17; pets.md, section "Cats", 8 to 25',
        ),
        ("warning", "q.jsonl line 3", 'the fact "blossoms" is short'),
        ("warning", "q.jsonl line 4", 'the question already has the words of its fact "Dogs dig deep."'),
        ("warning", "recursive 4000", "every document fits into one chunk, 2 in all"),
    ]
    assert 'Nearest: "Dogs dig deep" in pets.md, section "Dogs".' in outcome.json["problems"][0]["hint"]
    assert all(problem.keys() == {"level", "where", "message", "hint"} for problem in outcome.json["problems"])
    assert all(problem["hint"].endswith(".") for problem in outcome.json["problems"])


def test_the_table_shows_errors_then_warnings_then_one_line(pets: Path) -> None:
    outcome = invoke("check", *OWN, "size=4000")
    assert (outcome.code, outcome.err) == (2, "")
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "3 ERRORS"
    assert lines.index("8 WARNINGS") > lines.index('  no section "Hounds" in the corpus.')
    assert outcome.out.endswith(
        "\n\n2 documents, 91 characters, 4 questions (1 with a fact in several places): 3\nerrors, 8 warnings.\n"
    )


def test_many_problems_of_a_kind_are_cut_in_the_table_and_counted(place: Path) -> None:
    asked = [{"question": f"Number {number}?", "fact": "Dogs dig"} for number in range(12)]
    write(place, {"docs/pets.md": PETS, "q.jsonl": jsonl(asked)})
    outcome = invoke("check", *OWN, "size=20")
    assert outcome.code == 0
    assert outcome.out.count('the fact "Dogs dig" is short') == 5
    assert "... and 7 more of this kind: --format json lists them all" in outcome.out
    assert outcome.out.count("clause they stand in.") == 1
    assert len(invoke("check", *OWN, "size=20", "--format", "json").json["problems"]) == 12


def test_nothing_wrong(tidy: Path) -> None:
    outcome = invoke("check", *OWN, "size=20")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "2 documents, 91 characters, 10 questions: nothing wrong.\n"
    assert invoke("check", *OWN, "size=20", "--format", "json").json["problems"] == []


def test_the_bundled_corpora_are_sound(place: Path) -> None:
    corpora = "corpus=runbooks,handbook_explicit,handbook_natural,handbook_headed"
    outcome = invoke("check", corpora, "embedder=test", "--format", "json")
    assert (outcome.code, told(outcome)) == (0, [])
    assert outcome.json["documents"] == 4


def test_warnings_alone_exit_0_and_name_the_corpus_where_there_are_several(tidy: Path) -> None:
    outcome = invoke("check", "corpus=runbooks,handbook_headed", "embedder=test", "size=400,9000", "--format", "json")
    assert outcome.code == 0
    assert told(outcome) == [
        ("warning", "runbooks: recursive 9000", "every document fits into one chunk, 1 in all"),
        (
            "warning",
            "handbook_headed: recursive 9000",
            "every document fits into one chunk, 1 in all",
        ),
    ]


@pytest.mark.parametrize(
    ("overrides", "uncut"),
    [
        pytest.param(("chunker=fixed", "size=50,51"), ["fixed 50", "fixed 51"], id="as long as the longest document"),
        pytest.param(("chunker=fixed", "size=49"), [], id="one document is cut"),
        pytest.param(("chunker=whole",), [], id="whole takes no size"),
        pytest.param(("chunker=headings",), [], id="nor do sections without a cap"),
        pytest.param(("chunker=sentences", "size=1,9"), ["sentences 9"], id="sentences"),
        pytest.param(
            ("chunker=fixed", "size=50", "prefix=none,heading"), ["fixed 50", "fixed 50 +heading"], id="prefix"
        ),
    ],
)
def test_sizes_that_cut_nothing(place: Path, overrides: tuple[str, ...], uncut: list[str]) -> None:
    assert len(PETS) == 50
    # Without headings, so that a section ends no chunk of sentences.
    flat = "Cats creep close. Dogs dig deep. Bees buzz by now.\n"
    assert len(flat) == 51
    write(place, {"docs/a.txt": flat[:-1], "docs/b.txt": "Bees.", "q.jsonl": jsonl(sound_questions(2)[:1])})
    outcome = invoke("check", *OWN, *overrides, "--format", "json")
    assert [where for _, where, message in told(outcome) if message.startswith("every document fits")] == uncut


def test_chunks_longer_than_the_model_reads(place: Path) -> None:
    # "cat" is one word piece and a special token stands at each end: 254 words are read whole, 255 are not.
    write(
        place,
        {
            "docs/long.txt": " ".join(["cat"] * 255),
            "docs/read.txt": " ".join(["cat"] * 254),
            "q.jsonl": '{"question": "Which one is it?", "fact": "cat cat cat cat", "document": "read.txt"}\n',
        },
    )
    outcome = invoke("check", *OWN[:2], "embedder=minilm", "chunker=whole", "--format", "json")
    assert outcome.code == 0
    assert told(outcome)[-1] == (
        "warning",
        "whole",
        "1 of 2 chunks are longer than the 256 tokens that minilm reads, the longest has 257",
    )
    assert not any(message.endswith("reads") for _, _, message in told(invoke("check", *OWN, "--format", "json")))


def test_nothing_heavy_is_imported(tidy: Path) -> None:
    script = (
        "import sys; from chunksweep.cli import main; code = main(sys.argv[1:]); "
        "print(*{'torch', 'sentence_transformers', 'mlflow'} & sys.modules.keys(), file=sys.stderr, end=''); "
        "sys.exit(code)"
    )
    process = spawn(["check", *OWN[:2], "embedder=minilm"], tidy, {}, (sys.executable, "-c", script))
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert sorted(path.name for path in tidy.iterdir()) == ["docs", "q.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("corpus.path=nowhere", "corpus.questions=q.jsonl"), "corpus.path=", id="no documents"),
        pytest.param(("corpus.path=docs",), "comes without questions", id="no questions named"),
        pytest.param(("corpus.path=docs", "corpus.questions=none.jsonl"), "cannot be opened", id="no questions file"),
    ],
)
def test_an_input_that_is_missing_is_an_error_among_the_problems(
    tidy: Path, arguments: tuple[str, ...], message: str
) -> None:
    outcome = invoke("check", *arguments, "embedder=test", "--format", "json")
    assert (outcome.code, outcome.err) == (2, "")
    assert [problem["level"] for problem in outcome.json["problems"]][:1] == ["error"]
    assert message in outcome.json["problems"][0]["message"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param(("--formal",), "--formal is not a flag of chunksweep check.", id="an unknown flag"),
        pytest.param(("size=0",), "size=0: a whole number of at least 1 is needed.", id="a value that cannot be"),
        pytest.param(("--out", "a.yaml"), "--out names the file that --init writes.", id="--out alone"),
        pytest.param(("--init", "docs", "--out", "a.csv"), "--out a.csv: a name that ends in .yaml", id="not YAML"),
        pytest.param(("--init", "docs", "--out", "x/a.yaml"), "--out x/a.yaml cannot be written", id="no such folder"),
        pytest.param(("--init", "nowhere"), "corpus.path=", id="no documents to begin with"),
        pytest.param(("--init", "docs/tiny.txt"), "docs/tiny.txt: no sentence of 40 to 200", id="nothing to suggest"),
        pytest.param(
            ("--init", "docs", "corpus.questions=q.jsonl"), "--init writes the questions file", id="questions are there"
        ),
        pytest.param(("--init", "docs", "corpus.path=docs"), "corpus.path is given twice", id="two corpora"),
    ],
)
def test_wrong_usage(tidy: Path, arguments: tuple[str, ...], line: str) -> None:
    write(
        tidy,
        {
            "docs/tiny.txt": "Too little.",
            "docs/enough.txt": "This is a sentence that would do for a first passage.",
        },
    )
    outcome = invoke("check", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"chunksweep: {line}")
    assert outcome.err.count("\n") == 1


def test_a_question_about_hydra_is_answered_by_hydra(tidy: Path) -> None:
    outcome = invoke("check", *OWN, "--cfg", "job")
    assert (outcome.code, yaml.safe_load(outcome.out)["corpus"]["path"]) == (0, "docs")


DOCUMENT = (
    "# Kilns\n\nThe kiln is fired to 1240 degrees over twelve hours.\n\n"
    "# Glazes\n\nA glaze: 'Celadon' gets its green from 2 percent of iron.\n"
)


def test_from_documents_to_a_sweep(place: Path) -> None:
    write(place, {"my docs/pots.md": DOCUMENT, "my docs/photo.png": b"\x89PNG"})
    began = invoke("check", "--init", "my docs")
    assert began.code == 0
    assert began.err.startswith("chunksweep: photo.png was not read: it is of a kind")
    assert began.out.startswith("questions.yaml: 2 passages of 1 documents.")
    text = Path("questions.yaml").read_text(encoding="utf-8")
    assert [(entry["section"], entry["question"]) for entry in yaml.safe_load(text)] == [
        ("Kilns", None),
        ("Glazes", None),
    ]

    check, sweep = (shlex.split(line)[1:] for line in began.out.splitlines()[-2:])
    assert [f"#   {line.strip()}" in text for line in began.out.splitlines()[-2:]] == [True, True]
    empty = invoke(*check, "embedder=test", "--format", "json")
    assert (empty.code, told(empty)[0]) == (2, ("error", "questions.yaml", "no entry has a question yet, of 2"))
    assert invoke(*sweep, "embedder=test").code == 2

    Path("questions.yaml").write_text(text.replace("question:\n", "question: Hot?\n", 1), encoding="utf-8")
    filled = invoke(*check, "embedder=test", "--format", "json")
    assert (filled.code, filled.json["questions"]) == (0, 1)
    swept = invoke(*sweep, "embedder=test", "hydra.launcher.n_jobs=1", "--format", "json")
    assert (swept.code, swept.json["failed"]) == (0, 0)
    left_out = "chunksweep: own: questions.yaml: 1 of 2 entries have no question and are left out (entry 2)."
    assert left_out in swept.err


def test_a_questions_file_is_never_overwritten(tidy: Path) -> None:
    write(tidy, {"docs/pots.md": DOCUMENT, "questions.yaml": "mine"})
    outcome = invoke("check", "--init", "docs")
    assert outcome.code == 2
    assert outcome.err == (
        "chunksweep: questions.yaml exists and is not overwritten. Name another with --out FILE, or move it away.\n"
    )
    assert Path("questions.yaml").read_text(encoding="utf-8") == "mine"
    named = invoke("check", "--init", "docs", "--out", "other.yml", "corpus.include=[pots.md]", "--format", "json")
    assert (named.code, named.json) == (0, {"file": "other.yml", "passages": 2})


def test_the_examples_of_the_help_run(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"docs/pots.md": DOCUMENT})
    with pytest.raises(SystemExit) as ended:
        main(["check", "--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    examples = [line.split()[1:] for line in shown.partition("examples:")[2].splitlines() if line.strip()]
    assert [example[0] for example in examples] == ["check"] * 4
    assert [invoke(*example).code for example in examples] == [0, 0, 0, 0]


def test_what_is_odd_about_a_document_is_a_warning(tidy: Path) -> None:
    write(tidy, {"docs/stock.csv": "part,place\nbolt\n"})
    outcome = invoke("check", *OWN, "--format", "json")
    message = "it has 1 of 2 rows with more or fewer cells than the 2 of its header (row 2): they are kept as they are"
    assert ("warning", "stock.csv", message) in told(outcome)
    assert outcome.code == 0
