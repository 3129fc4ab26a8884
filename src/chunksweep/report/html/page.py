"""Templates filled in. Everything that is put into a page is escaped by jinja2, but what this package drew itself."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chunksweep import __version__
from chunksweep.measures.outcomes import OUTCOMES
from chunksweep.report.chunks import SplitCorpus, cut_by
from chunksweep.report.diff import Difference, ShownPassage, meaning
from chunksweep.report.html.content import SweepReport
from chunksweep.report.html.cutting import pages
from chunksweep.report.html.drill import union
from chunksweep.report.leaderboard import COLUMNS

if TYPE_CHECKING:
    from jinja2 import Environment

# A report stays below 2 MB, which every mail server and browser takes; what is drawn and listed needs some of it.
MOST_FOR_DRILL_DOWN = 1_300_000
# What a colour and a pattern in the figures, and a word everywhere else, says of a question.
OUTCOME_WORDS = {
    "answered": "the best passage alone holds all facts",
    "not first": "the passages sent hold all facts, the best alone does not",
    "cut": "a fact lies whole in no chunk: a boundary goes through it",
    "thin": "what was sent touches a fact or its section, and does not hold the answer",
    "not found": "what was sent lies elsewhere",
}


def sweep_page(report: SweepReport) -> str:
    """The report of a sweep as one HTML document that loads nothing."""
    each = MOST_FOR_DRILL_DOWN // max(len(report.parts), 1)
    return _render(
        "sweep.html",
        report=report,
        columns=COLUMNS,
        outcomes=[(name, OUTCOME_WORDS[name]) for name in OUTCOMES],
        drills=[_safe(part.drill.json(each)) for part in report.parts],
    )


def diff_page(found: Difference) -> str:
    """What changed between two runs as one HTML document that loads nothing."""
    total = len(found.won) + len(found.lost) + found.same
    return _render("diff.html", found=found, total=total, meaning=meaning, cut_by=cut_by, pieces=pieces)


def chunks_page(splits: Sequence[SplitCorpus]) -> str:
    """How one or two configurations split the same documents, as one HTML document that loads nothing."""
    return _render("chunks.html", splits=splits, pages=pages(splits))


def pieces(passage: ShownPassage) -> Iterator[tuple[str, bool]]:
    """The text of a passage in pieces, each with whether it is part of a fact; none where it cannot be read."""
    if passage.source is None:
        return
    span = passage.sent.span
    facts = [(max(place.start, span.start), min(place.end, span.end)) for place in passage.places]
    at = span.start
    for start, end in union(facts):
        yield from (((passage.source[at:start], False),) if at < start else ())
        yield passage.source[start:end], True
        at = end
    if at < span.end:
        yield passage.source[at : span.end], False


def _render(template: str, **values: Any) -> str:
    environment = _environment()
    script = _file("script.js")
    return environment.get_template(template).render(
        version=__version__, style=_safe(_file("style.css")), script=_safe(script), script_hash=_hash(script), **values
    )


def _hash(script: str) -> str:
    """What the page's policy lets run, and nothing else: what stands between the tags of the script element."""
    return base64.b64encode(sha256(script.encode()).digest()).decode()


def _file(name: str) -> str:
    """A file of templates/ as it stands."""
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - only needed for a page
    from markupsafe import Markup  # noqa: PLC0415

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["drawn"] = Markup
    return environment


def _safe(text: str) -> Any:
    """Text that this package wrote itself and that is not to be escaped."""
    from markupsafe import Markup  # noqa: PLC0415 - see _environment

    return Markup(text)  # noqa: S704 - never what a user wrote
