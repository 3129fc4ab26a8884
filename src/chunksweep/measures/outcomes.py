"""Why a question was answered or not, in one word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chunksweep.measures.holding import Rows, touches
from chunksweep.records import Passage, Question

ANSWERED = "answered"
NOT_FIRST = "not first"
CUT = "cut"
THIN = "thin"
NOT_FOUND = "not found"
OUTCOMES = (ANSWERED, NOT_FIRST, CUT, THIN, NOT_FOUND)


def outcome(question: Question, answer_rank: int | None, holders: Iterable[Rows], sent: Sequence[Passage]) -> str:
    """The first of these that is true.

    answered   the best passage alone holds all facts, and is sent
    not first  the passages sent hold them together
    cut        some fact is held by no passage at all: a boundary cuts it
    thin       what was sent touches a fact or the section named, but does not suffice
    not found  it touches neither

    answer_rank  the fewest passages that hold all facts together, None where those ranked do not
    holders      of each fact
    sent         the passages sent, best first
    """
    if answer_rank == 1 and sent:
        return ANSWERED
    if answer_rank is not None and answer_rank <= len(sent):
        return NOT_FIRST
    if not all(holders):
        return CUT
    wanted = [*question.section_spans, *(place for fact in question.facts for place in fact.places)]
    return THIN if any(touches(passage, wanted) for passage in sent) else NOT_FOUND
