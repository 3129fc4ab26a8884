"""docs/metrics.md names every metric of a run, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.sweep.carrying_out import swept
from tests.tiny_corpus import settings

from chunksweep.measures.budget import BUDGETS

REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs" / "metrics.md").read_text(encoding="utf-8")
CUT_OFFS = (1, 3, 7)


def documented() -> set[str]:
    """The names in the first cells of the page's tables, K and N filled in."""
    cells = re.findall(r"^\| (`[a-z]+/.*?`) \|", PAGE, re.MULTILINE)
    names = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    filled = {name.replace("_K", f"_{k}") for name in names for k in CUT_OFFS}
    return {name.replace("_N_", f"_{budget}_") for name in filled for budget in BUDGETS}


def test_every_metric_is_documented_and_every_documented_one_is_measured(tiny, store):
    questions = tiny / "questions.jsonl"
    named = questions.read_text(encoding="utf-8").replace('"fact": "buzz', '"section": "Bees", "fact": "buzz')
    questions.write_text(named, encoding="utf-8")
    cell = settings(tiny, k=list(CUT_OFFS), prices__input=2.5, prices__embedding=0.1)
    (record,) = swept([cell], store).records
    assert set(record.metrics) == documented()


def test_every_source_is_cited_and_every_citation_has_a_source():
    body, sources = PAGE.split("## Sources")
    cited = set(re.findall(r"\[(\d)\]", body))
    assert cited == set(re.findall(r"^(\d)\. ", sources, re.MULTILINE))


@pytest.mark.parametrize("page", ["metrics.md", "dilution.md"])
def test_the_readme_links_the_guides(page):
    assert f"(docs/{page})" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
