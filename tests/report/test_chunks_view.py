"""How a split corpus is shown: every boundary by a character, nothing of a document but its text."""

from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

from chunksweep.records import Document, Place, Section, Span, Unread
from chunksweep.report.chunks import ShownChunk, SplitCorpus, SplitDocument, shape, view
from chunksweep.report.cuts import Cut, CutFact
from chunksweep.report.source import Gutter, Ruled, marked, visible, with_cuts

#       0         1         2         3
#       0123456789012345678901234567890123456
TEXT = "Cats creep close. Dogs dig deep dens."
DIG = Span(23, 36)


def rendered(renderable: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(width=width, file=out, markup=False, highlight=False, emoji=False).print(renderable)
    return out.getvalue()


def document(text: str = TEXT, name: str = "pets.txt") -> Document:
    return Document(name, text, "pets", (Section(Span(0, len(text)), Span(0, len(text)), "", 0, ()),))


def chunk(start: int, end: int, before: str = "", path: tuple[str, ...] = (), tokens: int = 4) -> ShownChunk:
    return ShownChunk(Span(start, end), path, tokens, before)


def cut_fact(span: Span = DIG, *boundaries: int) -> CutFact:
    return CutFact("dogs", "dig deep dens", (Cut(Place("pets.txt", span), boundaries),))


def split(*chunks: ShownChunk, text: str = TEXT, **changes) -> SplitCorpus:
    given = {
        "name": "fixed 20",
        "documents": (SplitDocument(document(text), chunks),),
        "chunks": len(chunks),
        "characters": 20.0,
        "left_out": 0,
        "unread": (),
        "facts": 2,
        "cut": (),
        "sent": False,
    }
    return SplitCorpus(**given | changes)


@pytest.mark.parametrize(
    ("shown", "within", "spans", "expected"),
    [
        pytest.param((0, 17), (0, 17), [], "Cats creep close.", id="nothing marked"),
        pytest.param((18, 37), (18, 37), [(23, 36)], "Dogs ⟦dig deep dens⟧.", id="the whole span"),
        pytest.param((18, 30), (18, 30), [(23, 36)], "Dogs ⟦dig dee ✂", id="its end is cut off"),
        pytest.param((30, 37), (30, 37), [(23, 36)], "✂ p dens⟧.", id="its start is cut off"),
        pytest.param((25, 30), (25, 30), [(23, 36)], "✂ g dee ✂", id="both are cut off"),
        pytest.param((18, 30), (18, 37), [(23, 36)], "Dogs ⟦dig dee", id="it goes on in the same chunk"),
        pytest.param((18, 27), (18, 27), [(23, 36)], "Dogs ⟦dig ✂", id="a blank before the boundary"),
        pytest.param((0, 17), (0, 17), [(23, 36)], "Cats creep close.", id="a span elsewhere"),
        pytest.param((0, 17), (0, 17), [(0, 10), (5, 16)], "⟦Cats ⟦creep⟧ close⟧.", id="spans that overlap"),
        pytest.param((0, 17), (0, 17), [(0, 4), (5, 10)], "⟦Cats⟧ ⟦creep⟧ close.", id="spans side by side"),
        pytest.param((0, 17), (0, 17), [(0, 4), (0, 4)], "⟦Cats⟧ creep close.", id="one span twice"),
    ],
)
def test_marked(shown, within, spans, expected) -> None:
    assert marked(TEXT, Span(*shown), Span(*within), [Span(*span) for span in spans], "red").plain == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "\n\n  - one\n  - two\n\n", "  - one\n  - two", id="indentation stays, blank lines at the ends go"
        ),
        pytest.param(" one", " one", id="a blank within a line stays"),
        pytest.param(" \n", "", id="blank"),
    ],
)
def test_blank_lines_at_the_ends_are_not_shown(text, expected) -> None:
    whole = Span(0, len(text))
    assert marked(text, whole, whole, [], "").plain == expected


def test_control_characters_are_pictures_of_the_same_length() -> None:
    assert visible("a\x1b[31m\x07\x7f\x9b\tb\nc") == "a␛[31m␇␡\ufffd\tb\nc"


def test_cuts_in_one_line() -> None:
    assert with_cuts(TEXT, Span(18, 36), [23, 30]) == "Dogs ✂ dig dee ✂ p dens"


def test_gutter_stands_before_folded_lines() -> None:
    assert rendered(Gutter("│", marked(TEXT, Span(0, 17), Span(0, 17), [], "")), 12) == ("│ Cats creep\n│ close.\n")


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        pytest.param(20, "── one  Pets ───────\n", id="room for both"),
        pytest.param(12, "── one  Pets\n", id="just room for both"),
        pytest.param(11, "── one ────\n   Pets\n", id="no room for the second"),
    ],
)
def test_ruled(width, expected) -> None:
    one, pets = (marked(text, Span(0, len(text)), Span(0, len(text)), [], "") for text in ("one", "Pets"))
    assert rendered(Ruled(one, pets), width) == expected


def test_chunks_side_by_side() -> None:
    assert rendered(view(split(chunk(0, 18, path=("Pets", "Cats")), chunk(18, 37, tokens=5)))) == (
        "fixed 20: 2 chunks, 20 characters on average\n"
        "│ chunk\n"
        "\n"
        "pets.txt  37 characters, 2 chunks\n"
        "── 1  0-18  18 chars  4 tokens  Pets > Cats ────────────────────────────────────\n"
        "│ Cats creep close.\n"
        "── 2  18-37  19 chars  5 tokens ────────────────────────────────────────────────\n"
        "│ Dogs dig deep dens.\n"
        "\n"
        "2 facts, none of them cut\n"
    )


def test_overlap_prefix_and_a_fact_that_is_cut() -> None:
    shown = rendered(
        view(split(chunk(0, 28), chunk(25, 37, before="Pets. "), cut=(cut_fact(DIG, 25, 28),))),
    )
    assert shown.splitlines() == [
        "fixed 20: 2 chunks, 20 characters on average",
        "│ chunk  ╎ also in the one before  + embedded before it  ✂ fact cut",
        "",
        "pets.txt  37 characters, 2 chunks",
        "── 1  0-28  28 chars  4 tokens ─────────────────────────────────────────────────",
        "│ Cats creep close. Dogs ⟦dig d ✂",
        "── 2  25-37  12 chars  4 tokens ────────────────────────────────────────────────",
        "+ Pets.",
        "╎ ✂ g d",
        "│ eep dens⟧.",
        "",
        "1 of 2 facts are in no chunk as a whole",
        "  dogs  pets.txt 23-36  cut at 25 and 28",
        "    di ✂ g d ✂ eep dens",
    ]


def test_what_lies_in_no_chunk() -> None:
    text = "# Pets\n\nCats creep.\n\n# End\n"
    shown = rendered(view(split(chunk(8, 19), text=text, sent=True))).splitlines()
    assert shown[1] == "│ chunk  · in no chunk"
    assert shown[4:8] == [
        "· # Pets",
        "── 1  8-19  11 chars  4 tokens ─────────────────────────────────────────────────",
        "│ Cats creep.",
        "· # End",
    ]


def test_fact_that_no_chunk_has_any_of() -> None:
    shown = rendered(view(split(chunk(18, 37), cut=(cut_fact(Span(5, 16)),))))
    assert "· Cats ⟦creep close⟧.\n" in shown
    assert "  dogs  pets.txt 5-16  left out by the chunker\n    creep close\n" in shown


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        pytest.param({"facts": None}, "no questions were given, so facts were not looked at", id="no questions"),
        pytest.param({"unread": (Unread("a.pdf", "is not read"),)}, "not read: a.pdf is not read", id="unread"),
        pytest.param(
            {"left_out": 2},
            "2 more documents are not shown: --limit 3 shows all, --document ID one.",
            id="more documents",
        ),
        pytest.param({"sent": True}, "│ chunk  + embedded and sent before it", id="a prefix that is sent"),
    ],
)
def test_what_cannot_be_seen_in_the_text_is_said(changes, line) -> None:
    assert line in rendered(view(split(chunk(0, 37, before="Pets. "), **changes))).splitlines()


def test_brackets_and_escapes_of_a_document_are_text() -> None:
    text = "[red]no[/red] \x1b[31mmarkup :smile:"
    assert "│ [red]no[/red] ␛[31mmarkup :smile:\n" in rendered(view(split(chunk(0, len(text)), text=text)))


def test_everything_fits_80_columns() -> None:
    words = "word " * 60
    path = ("A heading of a good many words", "Another that is just as long as that", "x" * 90)
    shown = rendered(view(split(chunk(0, len(words), before=words, path=path), text=words)))
    assert max(map(len, shown.splitlines())) <= 80
    assert "x" * 77 in shown


def test_shape() -> None:
    made = shape(
        split(
            chunk(0, 18, path=("Pets",)),
            chunk(18, 37, before="Pets. ", tokens=5),
            cut=(cut_fact(DIG, 30),),
            unread=(Unread("a.pdf", "is not read"),),
        )
    )
    assert made == {
        "chunks": [
            {
                "document": "pets.txt",
                "start": 0,
                "end": 18,
                "section_path": ["Pets"],
                "text": "Cats creep close. ",
                "embedded_text": "Cats creep close. ",
                "tokens": 4,
            },
            {
                "document": "pets.txt",
                "start": 18,
                "end": 37,
                "section_path": [],
                "text": "Dogs dig deep dens.",
                "embedded_text": "Pets. Dogs dig deep dens.",
                "tokens": 5,
            },
        ],
        "unread": [{"document": "a.pdf", "reason": "is not read"}],
        "facts": 2,
        "cut_facts": [
            {
                "question": "dogs",
                "fact": "dig deep dens",
                "document": "pets.txt",
                "start": 23,
                "end": 36,
                "boundaries": [30],
            }
        ],
    }
