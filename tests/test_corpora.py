"""The bundled corpora hold what their questions ask, where the questions say it stands."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

import chunksweep

CORPORA = Path(chunksweep.__file__).parent / "corpora"
CONF = Path(__file__).parents[1] / "conf" / "corpus"
DOCUMENTS = {
    "runbooks": "runbooks.md",
    "handbook_explicit": "handbook.txt",
    "handbook_natural": "handbook.txt",
    "handbook_headed": "handbook.md",
}
HANDBOOKS = [name for name in DOCUMENTS if name.startswith("handbook_")]
PLAIN_HANDBOOKS = ["handbook_explicit", "handbook_natural"]
RUNBOOK_SECTIONS = [
    "Out-of-memory kills",
    "Certificates at the edge",
    "Rotating the database password",
    "A pod that keeps restarting",
    "Draining a node",
    "Reading a failed pipeline",
]


@dataclass(frozen=True, slots=True)
class Team:
    """What the handbook says of one team."""

    name: str
    floor: str
    lead: str
    day: str
    channel: str

    @property
    def sentences(self) -> list[str]:
        """Its four facts, each as the end of a sentence."""
        return [
            f"sits on the {self.floor} floor.",
            f"is led by {self.lead}.",
            f"meets on {self.day}.",
            f"answers questions in {self.channel}.",
        ]

    @property
    def answers(self) -> dict[str, str]:
        """Id of each question -> the fact that answers it."""
        return {
            f"{self.name.lower()}-lead": f"led by {self.lead}",
            f"{self.name.lower()}-day": f"meets on {self.day}",
            f"{self.name.lower()}-channel": f"answers questions in {self.channel}",
        }


TEAMS = [
    Team("Payments", "third", "Mara Ellison", "Tuesday", "#copper"),
    Team("Search", "fifth", "Tomas Lindgren", "Monday", "#harbour"),
    Team("Platform", "first", "Priya Raman", "Thursday", "#lantern"),
    Team("Mobile", "seventh", "Zoë Hartmann", "Wednesday", "#juniper"),
    Team("Security", "second", "Daniel Okafor", "Friday", "#granite"),
    Team("Data", "eighth", "Ines Carvalho", "Tuesday", "#willow"),
    Team("Design", "fourth", "Henrik Solberg", "Thursday", "#pelican"),
    Team("Support", "sixth", "Aiko Morita", "Wednesday", "#orchard"),
]


def document_of(corpus: str) -> str:
    data = (CORPORA / corpus / "docs" / DOCUMENTS[corpus]).read_bytes()
    return data.decode("utf-8")


def questions_of(corpus: str) -> list[dict[str, Any]]:
    text = (CORPORA / corpus / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def headings_of(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def section_of(text: str, heading: str) -> str:
    """The text between a `##` heading and the next."""
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def paragraphs_of(handbook: str) -> list[str]:
    """The paragraphs of a handbook, headings aside."""
    return [block for block in document_of(handbook).strip().split("\n\n") if not block.startswith("#")]


def sentences_of(paragraph: str) -> list[str]:
    return re.split(r"(?<=\.) ", paragraph)


@pytest.mark.parametrize(
    ("corpus", "questions", "shortest", "longest"),
    [
        pytest.param("runbooks", 10, 2_200, 2_400, id="runbooks"),
        pytest.param("handbook_explicit", 24, 2_600, 3_000, id="explicit names more, so it is longer"),
        pytest.param("handbook_natural", 24, 2_400, 2_600, id="natural"),
        pytest.param("handbook_headed", 24, 2_500, 2_800, id="natural and headings"),
    ],
)
def test_corpora_have_their_size(corpus: str, questions: int, shortest: int, longest: int) -> None:
    assert shortest <= len(document_of(corpus)) <= longest
    assert len(questions_of(corpus)) == questions


@pytest.mark.parametrize("corpus", DOCUMENTS)
def test_a_corpus_is_one_document_with_plain_line_ends(corpus: str) -> None:
    assert [path.name for path in (CORPORA / corpus / "docs").iterdir()] == [DOCUMENTS[corpus]]
    text = document_of(corpus)
    assert "\r" not in text
    assert not text.startswith("\ufeff")
    assert text.endswith(".\n")


@pytest.mark.parametrize("corpus", DOCUMENTS)
def test_ids_and_questions_are_distinct(corpus: str) -> None:
    questions = questions_of(corpus)
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({question["question"] for question in questions}) == len(questions)
    assert all(question["question"].endswith("?") for question in questions)


@pytest.mark.parametrize("corpus", ["runbooks", "handbook_headed"])
def test_named_sections_hold_their_facts(corpus: str) -> None:
    text = document_of(corpus)
    for question in questions_of(corpus):
        assert question["section"] in headings_of(text)
        assert question["fact"] in section_of(text, question["section"])


def test_runbooks_ask_every_section_and_some_from_two_sides() -> None:
    assert headings_of(document_of("runbooks")) == RUNBOOK_SECTIONS
    asked = Counter(question["section"] for question in questions_of("runbooks"))
    assert set(asked) == set(RUNBOOK_SECTIONS)
    assert sum(count >= 2 for count in asked.values()) >= 3


def test_runbooks_facts_are_one_line_in_one_place() -> None:
    text = document_of("runbooks")
    for question in questions_of("runbooks"):
        assert "\n" not in question["fact"]
        assert text.count(question["fact"]) == 1


@pytest.mark.parametrize("corpus", HANDBOOKS)
def test_offsets_point_at_the_fact_in_its_own_paragraph(corpus: str) -> None:
    text = document_of(corpus)
    expected = {id: (fact, team.name) for team in TEAMS for id, fact in team.answers.items()}
    questions = questions_of(corpus)
    assert [question["id"] for question in questions] == list(expected)
    for question in questions:
        fact, team = expected[question["id"]]
        assert question["fact"] == fact
        assert question["document"] == DOCUMENTS[corpus]
        assert text[question["start"] : question["end"]] == fact
        before = text[: question["start"]].rsplit("\n\n", 1)[-1]
        assert before.startswith(f"The {team} team sits on")


@pytest.mark.parametrize("corpus", HANDBOOKS)
def test_a_paragraph_is_one_line_of_four_facts_and_three_general_sentences(corpus: str) -> None:
    paragraphs = [sentences_of(paragraph) for paragraph in paragraphs_of(corpus)]
    assert [len(paragraph) for paragraph in paragraphs] == [7] * 8
    general = [sentence for sentence in paragraphs[0] if all(sentence in paragraph for paragraph in paragraphs)]
    assert len(general) == 3
    for team, paragraph in zip(TEAMS, paragraphs, strict=True):
        facts = [sentence for sentence in paragraph if sentence not in general]
        assert all(fact.endswith(end) for fact, end in zip(facts, team.sentences, strict=True))


@pytest.mark.parametrize(
    ("corpus", "times"),
    [
        pytest.param("handbook_explicit", 4, id="explicit: in every sentence that states a fact"),
        pytest.param("handbook_natural", 1, id="natural: once a paragraph"),
        pytest.param("handbook_headed", 1, id="headed: once below the heading"),
    ],
)
def test_how_often_a_paragraph_names_its_team(corpus: str, times: int) -> None:
    for team, paragraph in zip(TEAMS, paragraphs_of(corpus), strict=True):
        assert paragraph.startswith(f"The {team.name} team ")
        assert paragraph.lower().count(team.name.lower()) == times


def test_headed_is_natural_under_headings() -> None:
    text = document_of("handbook_headed")
    assert text.startswith("# Team handbook\n")
    assert headings_of(text) == [f"{team.name} team" for team in TEAMS]
    assert paragraphs_of("handbook_headed") == paragraphs_of("handbook_natural")


def test_the_handbooks_ask_the_same_questions() -> None:
    asked = [[(question["id"], question["question"]) for question in questions_of(name)] for name in HANDBOOKS]
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("corpus", PLAIN_HANDBOOKS)
def test_no_line_of_a_plain_handbook_is_a_heading(corpus: str) -> None:
    for line in document_of(corpus).split("\n"):
        assert not line or len(line) > 60 or line.endswith((".", ",", ":", ";", "!", "?"))


@pytest.mark.parametrize("name", [*DOCUMENTS, "own"])
def test_a_corpus_can_be_composed(name: str) -> None:
    text = (CONF / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "#   chunksweep " in text
    assert yaml.safe_load(text) == {
        "name": name,
        "path": None,
        "questions": None,
        "include": [],
        "exclude": [],
        "encoding": "utf-8",
    }


def test_every_bundled_corpus_is_tested() -> None:
    assert {path.parent.name for path in CORPORA.glob("*/questions.jsonl")} == set(DOCUMENTS)
    assert {path.stem for path in CONF.glob("*.yaml")} == {*DOCUMENTS, "own"}
