"""What changed between two runs on the same questions: which are answered now, which no longer, and by what.

A run is A, another B; a question is won where B answers it and A does not, lost where A does and B does not. Answered:
the passages that were sent hold all of its facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from chunksweep.logged import Row, SentPassage, Sources
from chunksweep.measures.holding import holds
from chunksweep.measures.outcomes import ANSWERED, CUT, NOT_FIRST, NOT_FOUND, THIN
from chunksweep.prefix import embedded_text, prefix_for
from chunksweep.records import Document, Passage, Question, Span
from chunksweep.report.chunks import CUT_STYLE, cut_by
from chunksweep.report.cuts import CutFact
from chunksweep.report.source import CLOSES, OPENS, Clipped, Gutter, Ruled, marked, one_line, with_cuts
from chunksweep.report.source import CUT as MARK_CUT
from chunksweep.settings import PrefixSettings

HELD_STYLE = "bold green"
HOLDS = "✓"
# What became of a question, said to people.
MEANING = {
    ANSWERED: "the best passage holds all it needs",
    NOT_FIRST: "the best {rank} passages hold all it needs",
    CUT: "no passage holds it",
    THIN: "what was sent touches the fact or its section only",
    NOT_FOUND: "what was sent lies elsewhere",
}


@dataclass(frozen=True, slots=True)
class Changes:
    """Pairs of rows of A and B, and in how many questions they agree."""

    won: tuple[tuple[Row, Row], ...]
    lost: tuple[tuple[Row, Row], ...]
    same: int


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage with what can still be read of it.

    source  text of its document; None where that is gone or has changed
    prefix  the words that were sent before it, with their separator; "" where none were; None where not known
    places  of the question's facts that it touches
    holds   the facts that it holds; None where their places are not known
    """

    sent: SentPassage
    source: str | None = None
    prefix: str | None = None
    places: tuple[Span, ...] = ()
    holds: tuple[str, ...] | None = None

    @property
    def text(self) -> str | None:
        """The passage as it was sent; None where that is not known."""
        if self.source is None or self.prefix is None:
            return None
        return self.prefix + self.source[self.sent.span.start : self.sent.span.end]


@dataclass(frozen=True, slots=True)
class Side:
    """A question in one of the runs; `cut` are the facts that a boundary cuts, of the run that lost it."""

    row: Row
    passages: tuple[ShownPassage, ...]
    cut: tuple[CutFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it is named: its id, what it is configured to do, and how many questions it answers."""

    run_id: str
    name: str
    answered: int


@dataclass(frozen=True, slots=True)
class Difference:
    """All that is shown of two runs.

    same       questions that both answer, or neither
    documents  texts by document id, of those that are still what they were
    """

    a: Run
    b: Run
    won: tuple[tuple[Side, Side], ...]
    lost: tuple[tuple[Side, Side], ...]
    same: int
    documents: Mapping[str, str]
    missing: tuple[str, ...] = ()


def changes(a: Mapping[str, Row], b: Mapping[str, Row]) -> Changes:
    """The questions that the runs do not agree in. Both have the same questions, in A's order.

    Raises ValueError where they have not.
    """
    if a.keys() != b.keys():
        raise ValueError(f"the runs have other questions: {sorted(a.keys() ^ b.keys())}")
    pairs = [(a[name], b[name]) for name in a]
    won = tuple((before, after) for before, after in pairs if after.answered and not before.answered)
    lost = tuple((before, after) for before, after in pairs if before.answered and not after.answered)
    return Changes(won, lost, len(pairs) - len(won) - len(lost))


def side(row: Row, sources: Sources, prefix: PrefixSettings, cut: tuple[CutFact, ...] = ()) -> Side:
    """A question of a run with the texts of its passages, as far as they are known.

    prefix  what that run put before a chunk
    """
    question = sources.questions.get(row.id)
    documents = sources.documents
    return Side(row, tuple(_shown(sent, documents, prefix, question) for sent in row.passages), cut)


def _shown(
    sent: SentPassage, documents: Mapping[str, Document], settings: PrefixSettings, question: Question | None
) -> ShownPassage:
    document = documents.get(sent.document_id)
    if document is None:
        return ShownPassage(sent)
    prefix = prefix_for(settings.name, document, sent.span, settings.template) if settings.send else None
    before = embedded_text(prefix, settings.separator or "", "")
    if question is None:
        return ShownPassage(sent, document.text, before)
    spans = (sent.span, *prefix.sources) if prefix else (sent.span,)
    passage = Passage(document.id, "", spans, sent.section_path, sent.score)
    places = (
        place.span
        for fact in question.facts
        for place in fact.places
        if place.document_id == document.id and place.span.overlaps(sent.span)
    )
    held = tuple(fact.quote for fact in question.facts if holds(passage, fact))
    return ShownPassage(sent, document.text, before, tuple(places), held)


def shape(difference: Difference) -> dict[str, Any]:
    """The JSON of the command."""
    return {
        "won": [_entry_shape(*pair) for pair in difference.won],
        "lost": [_entry_shape(*pair) for pair in difference.lost],
        "same": difference.same,
        "missing": list(difference.missing),
    }


def _entry_shape(a: Side, b: Side) -> dict[str, Any]:
    return {
        "id": a.row.id,
        "question": a.row.question,
        "facts": list(a.row.facts),
        "a": _side_shape(a),
        "b": _side_shape(b),
    }


def _side_shape(of: Side) -> dict[str, Any]:
    return {
        "outcome": of.row.outcome,
        "rank": of.row.rank,
        "passages": [_passage_shape(passage) for passage in of.passages],
        "cut_facts": [
            {
                "fact": fact.quote,
                "document": cut.place.document_id,
                "start": cut.place.span.start,
                "end": cut.place.span.end,
                "boundaries": list(cut.boundaries),
            }
            for fact in of.cut
            for cut in fact.cuts
        ],
    }


def _passage_shape(passage: ShownPassage) -> dict[str, Any]:
    return {
        "document": passage.sent.document_id,
        "start": passage.sent.span.start,
        "end": passage.sent.span.end,
        "section_path": list(passage.sent.section_path),
        "score": passage.sent.score,
        "text": passage.text,
        "holds": None if passage.holds is None else list(passage.holds),
    }


def view(difference: Difference, *, full: bool = False) -> RenderableType:
    """The questions won, then those lost, each with what was sent for it in both runs.

    full  whole texts of all passages; else only of those that have some of a fact, of the others the beginning
    """
    parts: list[RenderableType] = [*_head(difference)]
    for word, style, pairs in (("won", "green", difference.won), ("lost", "red", difference.lost)):
        for a, b in pairs:
            parts += [Text(), *_question(a, word, style)]
            for name, of in (("A", a), ("B", b)):
                parts += _side(name, of, difference.documents, full)
    return Group(*parts)


def _head(difference: Difference) -> Iterator[RenderableType]:
    total = len(difference.won) + len(difference.lost) + difference.same
    for name, run in (("A", difference.a), ("B", difference.b)):
        answers = f"answers {run.answered} of {total}"
        yield Gutter("  ", Text(f"{run.run_id[:8]}  {answers}  {one_line(run.name)}"), "bold", first=f"{name} ")
    yield Text.assemble(
        (f"{len(difference.won)} won", "bold green"),
        ", ",
        (f"{len(difference.lost)} lost", "bold red"),
        f", {difference.same} the same",
        (f"  {OPENS}fact{CLOSES}  {MARK_CUT} cut  {HOLDS} holds a fact", "dim"),
    )
    for line in difference.missing:
        yield Text(one_line(line), style="yellow")


def _question(of: Side, word: str, style: str) -> Iterator[RenderableType]:
    yield Ruled(Text.assemble((word, f"bold {style}"), f"  {one_line(of.row.id)}"), Text(), style)
    yield Text(one_line(of.row.question), style="bold")
    for fact in of.row.facts:
        yield Gutter("needs", Text(one_line(fact)), "dim")


def _side(name: str, of: Side, documents: Mapping[str, str], full: bool) -> Iterator[RenderableType]:
    style = HELD_STYLE if of.row.answered else CUT_STYLE
    yield Gutter("  ", Text.assemble((of.row.outcome, style), f": {meaning(of.row)}"), "bold", first=f"{name} ")
    for fact in of.cut:
        for cut in fact.cuts:
            source = documents.get(cut.place.document_id)
            words = "" if source is None else f": {with_cuts(source, cut.place.span, cut.boundaries)}"
            yield Gutter("    ", Text(f"{cut_by(cut.boundaries)}{words}", style="red"))
    for number, passage in enumerate(of.passages, 1):
        yield from _passage(number, passage, full)


def meaning(row: Row) -> str:
    """What became of a question, said to people."""
    said = MEANING[row.outcome].format(rank=row.rank)
    more = f"; {row.rank} passages would do" if row.rank is not None and not row.answered else ""
    return f"{said}{more}"


def _passage(number: int, passage: ShownPassage, full: bool) -> Iterator[RenderableType]:
    sent = passage.sent
    path = "  " + " > ".join(map(one_line, sent.section_path)) if sent.section_path else ""
    where = Text.assemble(f"{one_line(sent.document_id)} {sent.span.start}-{sent.span.end}", (path, "italic"))
    mark = f"{number:4} {HOLDS if passage.holds else ' '}"
    yield Gutter(" " * len(mark), where, HELD_STYLE if passage.holds else "bold", first=mark)
    if passage.source is None:
        return
    style = HELD_STYLE if passage.holds else CUT_STYLE
    text = marked(passage.source, sent.span, sent.span, passage.places, style)
    if passage.prefix:
        yield Gutter("     +", Text(one_line(passage.prefix)), "green")
    if full or passage.holds or passage.places:
        yield Gutter("     │", text, "green" if passage.holds else "red")
    else:
        yield Clipped("     │", Text(one_line(text.plain), style="dim"), "dim")
