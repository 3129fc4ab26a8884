"""FAQ: what is a question, where its answer ends, and what belongs to none."""

import pytest
from tests.chunkers.cutting import cut, md

from chunksweep.documents import delimited, html, json_lines


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        pytest.param(
            "Q: Is tab\tallowed?\nA: Yes: always.\nSecond line of the answer.\n\nQ: Next?\nA: No.\n",
            ["Q: Is tab\tallowed?\nA: Yes: always.\nSecond line of the answer.", "Q: Next?\nA: No."],
            id="labels",
        ),
        pytest.param(
            "**Q1:** Why?\n\nSo.\n\n- Question 2) Who?\n  He.",
            ["**Q1:** Why?\n\nSo.", "- Question 2) Who?\n  He."],
            id="marked up",
        ),
        pytest.param(
            "# FAQ\n\n###### **What is a crate?**\n\nA box.\n\n**Can I ship two?**\n\nYes.\n\n"
            "### Returns\n\nWithin 9 days.\n",
            [
                "# FAQ\n\n###### **What is a crate?**\n\nA box.",
                "**Can I ship two?**\n\nYes.",
                "### Returns\n\nWithin 9 days.",
            ],
            id="headings of any level, bold lines, and a section that asks nothing",
        ),
        pytest.param(
            "Welcome.\n\nRead on.\n\n## Why?\n\nSo.\n\nAnd so.\n\n## Contact\n\nCall us.",
            ["Welcome.", "Read on.", "## Why?\n\nSo.\n\nAnd so.", "## Contact\n\nCall us."],
            id="text around",
        ),
        pytest.param(
            "## How to install?\n\nSee:\n\n### Linux\n\na\n\n### Mac\n\nb\n\n## Else\n\nc",
            ["## How to install?\n\nSee:\n\n### Linux\n\na\n\n### Mac\n\nb", "## Else\n\nc"],
            id="headings below a question belong to its answer",
        ),
        pytest.param(
            "## Really?\n\n### Why?\n\nSo.\n\n### Who?\n\nHe.",
            ["## Really?\n\n### Why?\n\nSo.", "### Who?\n\nHe."],
            id="a question without an answer of its own",
        ),
        pytest.param("Why?\nSo.\n\nWho? He.", ["Why?\nSo.\n\nWho? He."], id="a question inside a line is none"),
        pytest.param(
            "## Why?\n\n```\nQ: no\n\nNo?\n```\n\nSo.", ["## Why?\n\n```\nQ: no\n\nNo?\n```\n\nSo."], id="not in code"
        ),
        pytest.param("No question.\n\nAt all.", ["No question.", "At all."], id="none"),
        pytest.param("为什么？\n\n因为。\n\n谁？\n他。", ["为什么？\n\n因为。", "谁？\n他。"], id="full-width marks"),
        pytest.param("x" * 200 + "?\n\na", ["x" * 200 + "?", "a"], id="too long for a question"),
    ],
)
def test_questions(text, chunks):
    assert cut("faq", md(text)) == chunks


@pytest.mark.parametrize(
    ("document", "chunks"),
    [
        pytest.param(
            delimited.read('question,answer\n"Why ""so"" late?",Trains\nHow far?,"12 km, ""about"""\n', "a.csv"),
            ['question | answer\nWhy "so" late? | Trains', 'How far? | 12 km, "about"'],
            id="CSV with a column of questions",
        ),
        pytest.param(
            delimited.read("part,note\nbolt,a\nnut,b\n", "a.csv"), ["part | note\nbolt | a", "nut | b"], id="other CSV"
        ),
        pytest.param(
            json_lines.read('{"question": "Why?", "answer": "So."}\n{"question": "Who", "answer": "He."}', "a.jsonl"),
            ["question: Why?\nanswer: So.", "question: Who\nanswer: He."],
            id="JSON Lines",
        ),
        pytest.param(
            html.read("<h1>Help</h1><dl><dt>Oil?<dd>Weekly.<dt>Salt?<dd>Never.<dd>Or so.</dl>", "a.html"),
            ["Help\n\nOil?\nWeekly.", "Salt?\nNever.\nOr so."],
            id="definitions",
        ),
    ],
)
def test_other_files(document, chunks):
    assert cut("faq", document) == chunks


@pytest.mark.parametrize(
    ("options", "chunks"),
    [
        pytest.param(
            {"size": 2}, ["A?\n\n1\n\nB?\n\n2", "C?\n\n3", "# X\n\nno", "D?\n\n4"], id="not over what asks nothing"
        ),
        pytest.param(
            {"size": 2, "overlap": 1},
            ["A?\n\n1\n\nB?\n\n2", "B?\n\n2\n\nC?\n\n3", "# X\n\nno", "D?\n\n4"],
            id="overlap",
        ),
    ],
)
def test_several_questions_a_chunk(options, chunks):
    text = "A?\n\n1\n\nB?\n\n2\n\nC?\n\n3\n\n# X\n\nno\n\nD?\n\n4"
    assert cut("faq", md(text), **options) == chunks
