"""Questions against a corpus: places, narrowing, and one line for all that is wrong."""

import json
import pickle

import pytest

from chunksweep.documents import markdown, plain
from chunksweep.errors import QuestionsError
from chunksweep.questions import Problem, examine, load_questions
from chunksweep.records import Corpus, Fact, Place, Span, Unread

GUIDE = "# Kiln\n\nHold 40 minutes.\n\n## Firing\n\nHold 40 minutes. Then wait.\n\n# Wheel\n\nThe code is 4417.\n"
NOTE = "the code is\n4417.\n"
CORPUS = Corpus(
    (markdown.read(GUIDE, "guide.md"), plain.read(NOTE, "old/note.txt")),
    (Unread("scan.pdf", "is of a kind that is not read"),),
)

IN_KILN = Place("guide.md", Span(8, 24))
IN_FIRING = Place("guide.md", Span(37, 53))


@pytest.fixture
def file(tmp_path):
    def write(*questions):
        path = tmp_path / "q.jsonl"
        path.write_text("".join(json.dumps(question) + "\n" for question in questions), encoding="utf-8")
        return path

    return write


def ask(**fields):
    return {"question": "How long?", **fields}


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        pytest.param({"fact": "Hold 40 minutes."}, [IN_KILN, IN_FIRING], id="wherever it stands"),
        pytest.param({"fact": "hold  40 MINUTES."}, [IN_KILN, IN_FIRING], id="in normal form"),
        pytest.param({"fact": "Hold 40 minutes.", "section": "Firing"}, [IN_FIRING], id="in a section"),
        pytest.param({"fact": "Hold 40 minutes.", "section": "Kiln"}, [IN_KILN, IN_FIRING], id="or below it"),
        pytest.param({"fact": "Hold 40 minutes.", "section": "Kiln > Firing"}, [IN_FIRING], id="in a section by path"),
        pytest.param(
            {"fact": "Hold 40 minutes.", "document": "guide.md", "start": 37, "end": 53}, [IN_FIRING], id="at offsets"
        ),
        pytest.param(
            {"fact": "hold 40 minutes. ", "document": "guide.md", "start": 36, "end": 54},
            [IN_FIRING],
            id="at offsets with the white space around it",
        ),
        pytest.param(
            {"fact": "The code is 4417.", "document": "old/note.txt"},
            [Place("old/note.txt", Span(0, 17))],
            id="in a document, over a line end",
        ),
        pytest.param(
            {"fact": "The code is 4417."},
            [Place("guide.md", Span(75, 92)), Place("old/note.txt", Span(0, 17))],
            id="in two documents",
        ),
    ],
)
def test_places(file, fields, places):
    for place in places:  # the positions of this table hold the fact
        text = {"guide.md": GUIDE, "old/note.txt": NOTE}[place.document_id][place.span.start : place.span.end]
        assert text.lower().split() == fields["fact"].lower().split()
    (question,) = load_questions(file(ask(**fields)), CORPUS)
    assert question.facts == (Fact(fields["fact"], tuple(places)),)


def test_the_section_of_a_question(file):
    first, second = load_questions(
        file(ask(fact="Hold 40 minutes.", section="Kiln"), ask(fact="4417", document="guide.md")), CORPUS
    )
    assert (first.section, first.section_spans) == ("Kiln", (Place("guide.md", Span(0, 66)),))
    assert GUIDE[66:].startswith("# Wheel")
    assert (second.section, second.section_spans) == (None, ())


def test_offsets_need_no_document_where_there_is_but_one(file):
    corpus = Corpus(CORPUS.documents[:1])
    (question,) = load_questions(file(ask(fact="Hold 40 minutes.", start=8, end=24)), corpus)
    assert question.facts[0].places == (IN_KILN,)


def test_a_place_may_begin_in_a_section_and_end_below_it(file):
    (question,) = load_questions(file(ask(fact="40 minutes. ## Firing", section="Kiln")), CORPUS)
    assert question.facts[0].places == (Place("guide.md", Span(13, 35)),)


def test_ids_are_given_or_made_of_the_position(file):
    questions = load_questions(file(ask(fact="wait"), ask(fact="wait", id="own"), ask(fact="wait")), CORPUS)
    assert [question.id for question in questions] == ["q1", "own", "q3"]


def test_a_fact_given_twice_counts_once(file):
    path = file(ask(facts=["Then wait", "then  wait", "4417"]))
    asked, problems = examine(path, CORPUS)
    assert [fact.quote for fact in asked[0].question.facts] == ["Then wait", "4417"]
    assert [(problem.level, problem.message) for problem in problems] == [
        ("warning", 'the fact "then wait" is given twice')
    ]
    assert load_questions(path, CORPUS) == tuple(item.question for item in asked)


def test_the_same_words_in_two_places_are_two_facts(file):
    first = {"quote": "Hold 40 minutes.", "document": "guide.md", "start": 8, "end": 24}
    (question,) = load_questions(file(ask(facts=[first, {**first, "start": 37, "end": 53}])), CORPUS)
    assert [fact.places for fact in question.facts] == [(IN_KILN,), (IN_FIRING,)]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        pytest.param(
            {"fact": "Hold for 40 minutes."},
            'the fact "Hold for 40 minutes." is nowhere in the corpus. '
            'Nearest: "Hold 40 minutes" in guide.md, section "Kiln". Paste that, or leave the question out.',
            id="nowhere, with the nearest text",
        ),
        pytest.param(
            {"fact": "xylophone"},
            'the fact "xylophone" is nowhere in the corpus. Quote a document word for word, or leave the question out.',
            id="nowhere, and nothing near",
        ),
        pytest.param(
            {"fact": "Then wait", "document": "old/note.txt"},
            'the fact "Then wait" is not in old/note.txt. '
            'It stands in guide.md, section "Firing": name that document, or none.',
            id="in another document",
        ),
        pytest.param(
            {"fact": "Then wait", "section": "Wheel"},
            'the fact "Then wait" is not in the section that the question names. '
            'It stands in guide.md, section "Firing": name that section, or none.',
            id="in another section",
        ),
        pytest.param(
            {"fact": "wait", "section": "Wheels"},
            'no section "Wheels" in the corpus. Nearest: "Wheel". '
            'Give the words of a heading, or a path such as "Guide > Limits".',
            id="no such section",
        ),
        pytest.param(
            {"fact": "wait", "section": "Wheel", "document": "old/note.txt"},
            'no section "Wheel" in old/note.txt. Give the words of a heading, or a path such as "Guide > Limits".',
            id="no such section in that document",
        ),
        pytest.param(
            {"fact": "wait", "document": "guide.txt"},
            'no document "guide.txt" in the corpus. Give its path below corpus.path, such as "guide.md".',
            id="no such document",
        ),
        pytest.param(
            {"facts": [{"quote": "wait", "document": "scan.pdf"}]},
            'the document "scan.pdf" could not be read: it is of a kind that is not read. '
            "Mend the file, or leave the question out.",
            id="an unread document",
        ),
        pytest.param(
            {"fact": "Then wait", "document": "guide.md", "start": 8, "end": 17},
            'the fact "Then wait" is not at 8 to 17 of guide.md, where "Hold 40 m" stands. It stands at 54 to 63.',
            id="offsets of something else",
        ),
        pytest.param(
            {"fact": "Then weight", "document": "guide.md", "start": 54, "end": 63},
            'the fact "Then weight" is not at 54 to 63 of guide.md, where "Then wait" stands. '
            'Nearest: "Then wait" in guide.md, section "Firing". Paste that, or leave the question out.',
            id="offsets of other words",
        ),
        *(
            pytest.param(
                {"fact": "the", "document": "old/note.txt", "start": start, "end": end},
                f"start={start} and end={end} are no part of old/note.txt with its 18 characters. "
                "Count characters from 0, the end is one past the last.",
                id=f"offsets {start} to {end}",
            )
            for start, end in [(16, 19), (3, 3), (5, 2), (-1, 2)]
        ),
        pytest.param(
            {"fact": "wait", "start": 8, "end": 12},
            '"start" and "end" are given without "document". Name the document they count in.',
            id="offsets without a document",
        ),
        pytest.param(
            {"fact": "wait", "facts": ["wait"]},
            'both "fact" and "facts" are given. Give one string as "fact", or a list as "facts".',
            id="fields of the wrong form",
        ),
        pytest.param(
            {"fact": "wait", "id": "first"},
            'the id "first" is that of q.jsonl line 1. Give each question its own.',
            id="an id twice",
        ),
    ],
)
def test_one_line_says_what_is_wrong(file, fields, line):
    with pytest.raises(QuestionsError) as caught:
        load_questions(file(ask(fact="wait", id="first"), ask(**fields)), CORPUS)
    assert str(caught.value) == f'q.jsonl line 2, question "How long?": {line}'
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301


def test_an_entry_without_a_question_is_named_by_its_line(file):
    with pytest.raises(QuestionsError, match=r'^q\.jsonl line 1: the field "question" is missing \(given: fact\)\. '):
        load_questions(file({"fact": "wait"}), CORPUS)


def test_questions_and_facts_in_messages_are_short_and_on_one_line(file):
    with pytest.raises(QuestionsError) as caught:
        load_questions(file(ask(question="How\nlong " + "and why " * 40, fact="zzz " * 100)), CORPUS)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("gone.jsonl", "gone.jsonl: cannot be opened", id="missing"),
        pytest.param("q.jsonl", "q.jsonl: holds no questions", id="no questions"),
    ],
)
def test_a_file_without_questions_stops_the_load(tmp_path, name, said):
    (tmp_path / "q.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(QuestionsError, match=said):
        load_questions(tmp_path / name, CORPUS)


def test_examine_collects_everything(file):
    path = file(
        ask(fact="wait"),
        {"fact": "wait"},
        ask(facts=["nowhere to be seen", "4417", "xylophone"]),
        ask(facts=[]),
        ask(fact="4417", id="q1"),
        ask(fact="4417"),
    )
    asked, problems = examine(path, CORPUS)
    assert [(item.entry, item.question.id) for item in asked] == [("q.jsonl line 1", "q1"), ("q.jsonl line 6", "q6")]
    assert asked[0].where == 'q.jsonl line 1, question "How long?"'
    assert all(isinstance(problem, Problem) and problem.level == "error" for problem in problems)
    assert [problem.where.split(",")[0] for problem in problems] == [
        "q.jsonl line 2",
        "q.jsonl line 3",
        "q.jsonl line 3",
        "q.jsonl line 4",
        "q.jsonl line 5",
    ]


@pytest.mark.parametrize("blank", [pytest.param(value, id=repr(value)) for value in ("", " \n", None)])
def test_entries_without_a_question_are_left_out_and_counted(file, blank):
    path = file(ask(fact="wait"), *(ask(question=blank, fact="nowhere to be seen") for _ in range(5)), ask(fact="4417"))
    said = []
    questions = load_questions(path, CORPUS, said.append)
    assert [question.id for question in questions] == ["q1", "q7"]
    (problem,) = said
    assert (problem.level, str(problem)) == (
        "warning",
        "q.jsonl: 5 of 7 entries have no question and are left out (line 2, line 3, line 4, 2 more). "
        "Write the question, or delete the entry.",
    )
    assert examine(path, CORPUS)[1] == (problem,)


def test_a_file_to_fill_in_in_which_nothing_is_filled_in(file):
    with pytest.raises(QuestionsError, match=r"^q\.jsonl: no entry has a question yet, of 2\. Write questions "):
        load_questions(file(ask(question="", fact="wait"), ask(question="", fact="4417")), CORPUS)
