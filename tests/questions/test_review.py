"""What is doubtful in questions that can be used: each kind is found, once, where it is, with what to do."""

import pytest

from chunksweep.documents import markdown, plain
from chunksweep.questions.load import Asked
from chunksweep.questions.review import in_several_places, least_wins, review
from chunksweep.records import Corpus, Fact, Place, Question, Span

CORPUS = Corpus(
    (
        markdown.read("# Kiln\n\nHold 40 minutes.\n\n## Firing\n\nHold 40 minutes.\n", "guide.md"),
        plain.read("The code is 4417.\n", "note.txt"),
    )
)
KILN, FIRING, NOTE = Place("guide.md", Span(8, 24)), Place("guide.md", Span(37, 53)), Place("note.txt", Span(0, 17))
SOUND = Fact("The code is 4417.", (NOTE,))


def asked(number, text, *facts):
    entry = f"q.jsonl line {number}"
    return Asked(entry, f'{entry}, question "{text}"', Question(f"q{number}", text, facts))


def sound(count):
    """Questions about both documents with nothing to say against them, from line 101 on."""
    facts = [SOUND, Fact("Hold 40 minutes", (KILN,))]
    return [asked(101 + number, f"Number {number}?", facts[number % 2]) for number in range(count)]


def found(*items):
    """What is said beside what ten sound questions would be."""
    return [str(problem) for problem in review([*items, *sound(10)], CORPUS, "q.jsonl")]


def test_sound_questions():
    assert found() == []


@pytest.mark.parametrize(
    ("items", "lines"),
    [
        pytest.param(
            [asked(1, "How long?", Fact("Hold 40 minutes.", (KILN, FIRING)))],
            [
                'q.jsonl line 1, question "How long?": the fact "Hold 40 minutes." stands in 2 places: '
                'guide.md, section "Kiln", 8 to 24; guide.md, section "Firing", 37 to 53. '
                'Any of them will do. If one is meant, narrow it by "document", "section", or "start" and "end".'
            ],
            id="a fact in several places",
        ),
        pytest.param(
            [asked(1, "How long?", Fact("Hold 40 minutes.", (KILN, FIRING, NOTE, NOTE, NOTE)))],
            [
                'q.jsonl line 1, question "How long?": the fact "Hold 40 minutes." stands in 5 places: '
                'guide.md, section "Kiln", 8 to 24; guide.md, section "Firing", 37 to 53; note.txt, 0 to 17; 2 more. '
                'Any of them will do. If one is meant, narrow it by "document", "section", or "start" and "end".'
            ],
            id="and in more than are listed",
        ),
        *(
            pytest.param(
                [asked(1, "How long?", Fact(quote, (KILN,)))],
                [
                    f'q.jsonl line 1, question "How long?": the fact "{quote}" is short. A chunk may hold so few '
                    "words without what makes them an answer. Quote the clause they stand in."
                ],
                id=name,
            )
            for quote, name in [("Hold 40 min", "eleven characters"), ("minutesminutes", "one word")]
        ),
        pytest.param([asked(1, "How long?", Fact("Hold 40 minu", (KILN,)))], [], id="twelve characters are enough"),
        pytest.param(
            [asked(1, "Is it so that you HOLD it for 40 minutes?", Fact("Hold 40 minutes.", (KILN,)))],
            [
                'q.jsonl line 1, question "Is it so that you HOLD it for 40 minutes?": the question already has the '
                'words of its fact "Hold 40 minutes.". '
                "Its words alone find it. Ask as someone who has not read the document, or quote what answers it."
            ],
            id="a question with the words of its fact",
        ),
        pytest.param(
            [asked(1, "Hold it 30 minutes?", Fact("Hold 40 minutes.", (KILN,)))], [], id="a number is a word that says"
        ),
        pytest.param(
            [asked(1, "Why so?", Fact("it is so as it was", (KILN,)))], [], id="a fact of small words is not judged"
        ),
        pytest.param(
            [asked(1, "How  LONG?", SOUND), asked(2, "How long?", SOUND), asked(3, "how long?", SOUND)],
            [
                f'q.jsonl line {line}, question "{text}": the same question as q.jsonl line 1. '
                'It counts twice. Leave one out, or give the facts of both as "facts".'
                for line, text in [(2, "How long?"), (3, "how long?")]
            ],
            id="a question asked again",
        ),
    ],
)
def test_what_is_said_of_one_question(items, lines):
    assert found(*items) == lines


@pytest.mark.parametrize(
    ("count", "message"),
    [
        pytest.param(0, None, id="no question: another problem says so"),
        pytest.param(
            1, "with 1 question no difference between configurations can be told from chance", id="a single one"
        ),
        pytest.param(5, "with 5 questions no difference between configurations can be told from chance", id="five"),
        pytest.param(
            6,
            "with 6 questions a configuration has to win 6 of them and lose none to be told from chance",
            id="six can",
        ),
        pytest.param(
            9,
            "with 9 questions a configuration has to win 6 of them and lose none to be told from chance",
            id="nine are few",
        ),
        pytest.param(10, None, id="ten are enough to begin"),
    ],
)
def test_few_questions(count, message):
    problems = [item for item in review(sound(count), CORPUS, "q.jsonl") if "chance" in item.message]
    assert [(item.level, item.where, item.message) for item in problems] == (
        [("warning", "q.jsonl", message)] if message else []
    )


def test_six_wins_without_a_loss_are_the_least_that_tells():
    # Two-sided: five heads, or five tails, of five throws have probability 2/32 > 0.05; six of six 2/64 < 0.05.
    assert least_wins() == 6


def test_all_questions_on_one_of_several_documents():
    items = [asked(line, f"Number {line}?", SOUND) for line in range(1, 11)]
    (problem,) = review(items, CORPUS, "q.jsonl")
    assert str(problem) == (
        "q.jsonl: all 10 questions are about note.txt, one of 2 documents. "
        "What is measured holds for that document. Ask about others too."
    )
    alone = Corpus(CORPUS.documents[1:])
    assert list(review(items, alone, "q.jsonl")) == []


def test_questions_with_a_fact_in_several_places_are_counted_once_each():
    twice = Fact("Hold 40 minutes.", (KILN, FIRING))
    other = Fact("Hold", (KILN, FIRING))
    assert in_several_places([asked(1, "How long?", twice, other), asked(2, "What code?", SOUND)]) == 1
