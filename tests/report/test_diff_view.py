"""What two runs do not agree in, and how it is shown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from chunksweep.documents import markdown
from chunksweep.logged import Row, SentPassage, Sources, rows_of
from chunksweep.records import Corpus, Fact, Place, Question, Span
from chunksweep.report.cuts import Cut, CutFact
from chunksweep.report.diff import (
    Difference,
    Run,
    changes,
    shape,
    side,
    view,
)
from chunksweep.settings import PrefixSettings

#       0       8         18
TEXT = "# Pets\n\nCats creep close. Dogs dig deep dens.\n"
DOCUMENT = markdown.read(TEXT, "pets.md")
DIG = Span(TEXT.index("dig"), TEXT.index("dens") + 4)
NONE = PrefixSettings("none", None, None)
HEADING = PrefixSettings("heading", ". ", True)


def row(name: str = "dogs", outcome: str = "answered", rank: int | None = 1, *passages: SentPassage) -> Row:
    return Row(name, "Do dogs dig?", ("dig deep dens",), outcome, rank, passages)


def sent(start: int, end: int) -> SentPassage:
    return SentPassage("pets.md", Span(start, end), ("Pets",), 0.5)


def question(*facts: tuple[str, Span]) -> Question:
    given = facts or (("dig deep dens", DIG),)
    return Question("dogs", "?", tuple(Fact(quote, (Place("pets.md", span),)) for quote, span in given))


def sources(*facts: tuple[str, Span]) -> Sources:
    return Sources(Corpus((DOCUMENT,)), {"dogs": question(*facts)})


def rendered(difference: Difference, *, full: bool = False) -> list[str]:
    out = io.StringIO()
    console = Console(width=80, file=out, markup=False, highlight=False, emoji=False)
    console.print(view(difference, full=full))
    return out.getvalue().splitlines()


def test_rows_are_read_by_the_names_of_their_columns() -> None:
    passage = {"document": "pets.md", "start": 8, "end": 25, "section_path": ["Pets"], "score": 0.5}
    table = {
        "columns": ["question", "id", "facts", "outcome", "rank", "sent_tokens", "passages"],
        "data": [["Do dogs dig?", "dogs", ["dig deep dens"], "cut", None, 4.0, [passage]]],
    }
    assert rows_of(table) == {"dogs": row("dogs", "cut", None, sent(8, 25))}


@pytest.mark.parametrize(
    ("before", "after", "won", "lost"),
    [
        pytest.param("cut", "answered", 1, 0, id="won"),
        pytest.param("not found", "not first", 1, 0, id="won by several passages"),
        pytest.param("answered", "thin", 0, 1, id="lost"),
        pytest.param("answered", "not first", 0, 0, id="answered by both"),
        pytest.param("cut", "not found", 0, 0, id="answered by neither"),
    ],
)
def test_changes(before, after, won, lost) -> None:
    found = changes({"dogs": row("dogs", before)}, {"dogs": row("dogs", after)})
    assert (len(found.won), len(found.lost), found.same) == (won, lost, 1 - won - lost)


def test_runs_with_other_questions_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="cats"):
        changes({"dogs": row()}, {"dogs": row(), "cats": row("cats")})


IN_HEADING = ("Pets", Span(2, 6))


@pytest.mark.parametrize(
    ("known", "prefix", "passage", "expected"),
    [
        pytest.param(
            sources(), NONE, (26, 45), ("Dogs dig deep dens.", ("dig deep dens",), (DIG,)), id="it holds the fact"
        ),
        pytest.param(sources(), NONE, (26, 40), ("Dogs dig deep ", (), (DIG,)), id="it has some of the fact"),
        pytest.param(sources(), NONE, (8, 25), ("Cats creep close.", (), ()), id="it has nothing of it"),
        pytest.param(
            sources(IN_HEADING),
            HEADING,
            (8, 25),
            ("Pets. Cats creep close.", ("Pets",), ()),
            id="the prefix that was sent holds it",
        ),
        pytest.param(
            sources(IN_HEADING),
            PrefixSettings("heading"),
            (8, 25),
            ("Cats creep close.", (), ()),
            id="a prefix that was only embedded does not",
        ),
        pytest.param(
            Sources(Corpus((DOCUMENT,))), NONE, (8, 25), ("Cats creep close.", None, ()), id="questions are not known"
        ),
        pytest.param(Sources(), NONE, (8, 25), (None, None, ()), id="documents are not known"),
    ],
)
def test_passages_with_what_is_known_of_them(known, prefix, passage, expected) -> None:
    (shown,) = side(row("dogs", "answered", 1, sent(*passage)), known, prefix).passages
    assert (shown.text, shown.holds, shown.places) == expected


def difference(**given) -> Difference:
    cut = CutFact("dogs", "dig deep dens", (Cut(Place("pets.md", DIG), (40,)),))
    lost_by = side(row("dogs", "cut", None, sent(8, 25), sent(26, 40)), sources(), NONE, (cut,))
    won_by = side(row("dogs", "answered", 1, sent(26, 45)), sources(), NONE)
    made = {
        "a": Run("a" * 32, "fixed 40", 0),
        "b": Run("b" * 32, "sentences", 1),
        "won": ((lost_by, won_by),),
        "lost": (),
        "same": 2,
        "documents": {"pets.md": TEXT},
    }
    return Difference(**made | given)


def test_shape() -> None:
    assert shape(difference()) == {
        "won": [
            {
                "id": "dogs",
                "question": "Do dogs dig?",
                "facts": ["dig deep dens"],
                "a": {
                    "outcome": "cut",
                    "rank": None,
                    "passages": [
                        {
                            "document": "pets.md",
                            "start": start,
                            "end": end,
                            "section_path": ["Pets"],
                            "score": 0.5,
                            "text": text,
                            "holds": [],
                        }
                        for start, end, text in [(8, 25, "Cats creep close."), (26, 40, "Dogs dig deep ")]
                    ],
                    "cut_facts": [
                        {"fact": "dig deep dens", "document": "pets.md", "start": 31, "end": 44, "boundaries": [40]}
                    ],
                },
                "b": {
                    "outcome": "answered",
                    "rank": 1,
                    "passages": [
                        {
                            "document": "pets.md",
                            "start": 26,
                            "end": 45,
                            "section_path": ["Pets"],
                            "score": 0.5,
                            "text": "Dogs dig deep dens.",
                            "holds": ["dig deep dens"],
                        }
                    ],
                    "cut_facts": [],
                },
            }
        ],
        "lost": [],
        "same": 2,
        "missing": [],
    }


def test_view() -> None:
    assert rendered(difference(missing=("something is gone",))) == [
        "A  aaaaaaaa  answers 0 of 3  fixed 40",
        "B  bbbbbbbb  answers 1 of 3  sentences",
        "1 won, 0 lost, 2 the same  ⟦fact⟧  ✂ cut  ✓ holds a fact",
        "something is gone",
        "",
        "── won  dogs ───────────────────────────────────────────────────────────────────",
        "Do dogs dig?",
        "needs dig deep dens",
        "A  cut: no passage holds it",
        "     cut at 40: dig deep ✂ dens",
        "   1   pets.md 8-25  Pets",
        "     │ Cats creep close.",
        "   2   pets.md 26-40  Pets",
        "     │ Dogs ⟦dig deep ✂",
        "B  answered: the best passage holds all it needs",
        "   1 ✓ pets.md 26-45  Pets",
        "     │ Dogs ⟦dig deep dens⟧.",
    ]


def test_passages_that_have_nothing_of_the_fact_are_one_line_unless_asked() -> None:
    text = "Cats creep close. " * 10 + "Dogs dig deep dens.\n"
    known = Sources(Corpus((markdown.read(text, "pets.md"),)), {"dogs": question(("dig deep dens", Span(185, 198)))})
    before = side(row("dogs", "not found", 4, sent(0, 180)), known, NONE)
    shown = difference(won=((before, before),))
    assert sum(line.startswith("     │") for line in rendered(shown)) == 2
    assert next(line for line in rendered(shown) if "Cats" in line).endswith("…")
    assert sum(line.startswith("     │") for line in rendered(shown, full=True)) == 6
    assert "A  not found: what was sent lies elsewhere; 4 passages would do" in rendered(shown)


def test_offsets_only_where_the_text_is_not_known() -> None:
    unknown = side(row("dogs", "not first", 2, sent(8, 25)), Sources(), NONE)
    shown = rendered(difference(won=(), lost=((unknown, unknown),), documents={}))
    assert "   1   pets.md 8-25  Pets" in shown
    assert "A  not first: the best 2 passages hold all it needs" in shown
    assert not [line for line in shown if "│" in line]
