"""Passages to ask about: which are chosen, and a file that becomes questions once it is filled in."""

import pytest
import yaml

from chunksweep.documents import markdown, plain
from chunksweep.errors import QuestionsError
from chunksweep.questions import load_questions
from chunksweep.questions.suggest import Suggestion, file_text, suggest
from chunksweep.records import Corpus

# 43, 46 and 44 characters without number or name; 43 with a name.
PLAIN = "A kiln cools down slowly and without a cry."
LONGER = "The shelves are coated with thin layers of it."
OTHER = "Every glaze wants its own time and its heat."
NAMED = "It is for Anna alone to open it in the end."


def facts(text, name="a.md", **limits):
    read = markdown.read if name.endswith(".md") else plain.read
    return [suggestion.fact for suggestion in suggest(Corpus((read(text, name),)), **limits)]


def test_the_lengths_that_this_file_counts_on():
    assert [len(PLAIN), len(LONGER), len(OTHER), len(NAMED)] == [43, 46, 44, 43]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        pytest.param(f"{PLAIN} {LONGER}", LONGER, id="nearest to 100 characters"),
        pytest.param(f"{LONGER} {NAMED}", NAMED, id="a name is better"),
        pytest.param(
            f"{NAMED} {LONGER} It is opened when it is below 90 degrees or so.",
            NAMED,
            id="what points elsewhere is none",
        ),
        pytest.param(
            f"{NAMED} {LONGER} It is opened when it has 90 degrees or less.",
            "It is opened when it has 90 degrees or less.",
            id="a number is best",
        ),
        pytest.param(f"{LONGER} {PLAIN} {LONGER}", PLAIN, id="what stands twice is none"),
        pytest.param("A kiln\ncools down slowly\n  and without a cry.\n", PLAIN, id="lines are joined"),
    ],
)
def test_the_best_sentence_of_a_section(text, fact):
    assert facts(text, enough=1) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("It cools down slowly, for 9 full hours.", id="39 characters"),
        pytest.param(f"A kiln {'cools and ' * 19}rests.", id="more than 200"),
        pytest.param("and then it cools down slowly for nine more hours.", id="no beginning"),
        pytest.param("It cools down slowly for nine more hours:", id="no end"),
        pytest.param("Es dauerte mit Unterbrechungen bis zum frühen 18.", id="an ordinal where it ends"),
        pytest.param("- It cools down slowly for nine more hours.\n", id="a list"),
        pytest.param("| It cools down slowly for nine more hours. |\n", id="a table"),
        pytest.param("> It cools down slowly for nine more hours.\n", id="a quotation"),
        pytest.param("It cools, see [the table](table.md), for nine more hours.", id="a link"),
        pytest.param("```\nIt cools down slowly for nine more hours.\n```\n", id="code"),
        pytest.param("---\ntitle: It cools down slowly for nine more hours.\n---\n", id="front matter"),
        pytest.param("# It cools down slowly for nine more hours.\n", id="a heading"),
    ],
)
def test_what_is_no_passage(text):
    assert 40 <= len("It cools down slowly for nine more hours.") <= 200
    assert facts(text) == []


def test_one_passage_a_section_longest_sections_first_in_the_order_of_the_corpus():
    long = markdown.read(f"# A\n\n{PLAIN}\n\n# B\n\n{OTHER} Tiny.\n\n# C\n\nNothing.\n", "long.md")
    short = markdown.read(f"# D\n\n{LONGER}\n", "short.md")
    all_three = [
        Suggestion("long.md", "A", PLAIN),
        Suggestion("long.md", "B", OTHER),
        Suggestion("short.md", "D", LONGER),
    ]
    corpus = Corpus((long, short))
    assert list(suggest(corpus)) == all_three
    # B is the longest section of its document, D that of the other: A is asked after both.
    assert list(suggest(corpus, most=2, enough=1)) == all_three[1:]
    assert list(suggest(corpus, most=1, enough=1)) == all_three[1:2]


def test_few_sections_give_several_passages():
    text = f"{PLAIN} {LONGER} {OTHER}"
    assert facts(text, "a.txt", enough=1) == [LONGER]
    assert facts(text, "a.txt", enough=2) == [LONGER, OTHER]
    assert facts(text, "a.txt") == [PLAIN, LONGER, OTHER]


def test_a_section_is_named_by_its_path_or_not_at_all():
    text = f"{PLAIN}\n\n# Guide\n\n## Limits: C#\n\n{LONGER}\n\n##\n\n{OTHER}\n"
    assert [item.section for item in suggest(Corpus((markdown.read(text, "a.md"),)))] == [
        None,
        "Guide > Limits: C#",
        None,
    ]


def test_the_file_becomes_questions_once_it_is_filled_in(tmp_path):
    awkward = "He said: \"It is #1 \\ of 'all' kilns, isn’t it - or {not}, at 1.10?\" Nobody knew: no."
    corpus = Corpus((markdown.read(f"# Kiln: 'old' > new\n\n{awkward}\n\n# No\n\n{PLAIN}\n", "a: b #c.md"),))
    suggestions = suggest(corpus, enough=9)
    text = file_text(suggestions, "Fill in:\n\n  chunksweep check")
    assert text.startswith("# Fill in:\n#\n#   chunksweep check\n\n- document: ")
    assert all(entry["question"] is None for entry in yaml.safe_load(text))

    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QuestionsError, match="no entry has a question yet"):
        load_questions(path, corpus)
    path.write_text(text.replace("question:", "question: How so?"), encoding="utf-8")
    questions = load_questions(path, corpus)
    assert [question.facts[0].quote for question in questions] == [suggestion.fact for suggestion in suggestions]
    assert [question.section for question in questions] == [suggestion.section for suggestion in suggestions]
    assert {suggestion.fact for suggestion in suggestions} >= {PLAIN}
