"""The report of a sweep: what stands in it, that it loads nothing, and how large it is."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest
from lxml import html
from tests.report.html.sweeps import SWEEP, part, pets, record, row, verdict

from chunksweep.logged import Row, SentPassage
from chunksweep.records import Span
from chunksweep.report.html.content import SweepReport
from chunksweep.report.html.page import sweep_page

EVIL = "</script><script>alert('x')</script> \"quoted\" & <b>bold</b>"


@pytest.fixture(scope="module")
def page():
    return html.fromstring(sweep_page(pets()))


def text_of(element):
    return " ".join(element.text_content().split())


def test_headings_name_what_a_reader_looks_for(page):
    assert [text_of(each) for each in page.iter("h1", "h2", "h3")] == [
        "How should these documents be split?",
        "Verdict",
        "Quality against price",
        "What a single choice changes",
        "Size and overlap",
        "Where questions were lost",
        "Leaderboard",
        "Questions",
        "What was run",
        "Failed",
        "How to run it again",
    ]


def test_the_verdict_comes_first_and_in_words(page):
    assert text_of(page.cssselect(".status")[0]) == "Provisional: fixed 200"
    assert [text_of(each) for each in page.cssselect(".numbers dd")] == ["100 %", "200", "2 of 3", "10"]
    assert text_of(page.cssselect(".lead")[0]) == "Start with it."


def test_the_front_leaves_out_what_is_dearer_and_no_better(page):
    rows = [[text_of(cell) for cell in each] for each in page.cssselect(".front tbody tr")]
    assert rows == [["1. fixed 200", "100 %", "200"]]


def test_leaderboard(page):
    rows = [[text_of(cell) for cell in each] for each in page.cssselect("table.board tbody tr")]
    assert [each[:3] + each[-2:] for each in rows] == [
        ["fixed 200", "start here", "7", "200", "1,000"],
        ["fixed 400", "possible", "7", "400", "2,000"],
        ["fixed 200 overlap 0.2", "ruled out by fixed 200 (50 points)", "7", "250", "1,250"],
    ]
    assert page.cssselect("table.board tbody tr")[0].get("class") == "recommended"


def test_questions_that_fewest_answer_come_first(page):
    assert [text_of(each.find("summary")) for each in page.cssselect(".questions details")] == [
        "Do dogs dig? 2 of 3 answer",
        "Do dogs dig? 3 of 3 answer",
    ]
    assert text_of(page.cssselect(".questions dl")[0]) == "idoneneedsdig deep dens"


def test_drill_down(page):
    (script,) = page.cssselect("script[type='application/json']")
    data = json.loads(script.text)
    assert data["cells"] == ["fixed 200", "fixed 400", "fixed 200 overlap 0.2"]
    # answered, not first, cut, thin, not found are 0 to 4.
    assert data["outcomes"] == ["00", "01", "30"]
    # Spans 0-17, 0-26, 0-37 and 18-37, as distance from the start before, length, section.
    assert data["passages"] == [[0, 17, 0, 0, 26, 0, 0, 37, 0, 18, 19, 0]]
    assert data["sent"] == [[[3], [0]], [[2], [2]], [[1], [0]]]
    assert data["texts"] == [[[0, "Cats creep close. Dogs dig deep dens."]]]


def test_counts_and_failures(page):
    table = {text_of(each[0]): text_of(each[1]) for each in page.cssselect("section:nth-last-of-type(2) tr")}
    assert table == {
        "planned": "4",
        "finished": "3",
        "failed": "1",
        "never begun": "0",
        "duplicates, run once": "1",
        "impossible, dropped": "2",
    }
    assert "fixed 800: the disk is full" in text_of(page)


def test_how_to_run_it_again(page):
    assert page.cssselect("pre code")[0].text.split("\n")[:2] == [
        f"chunksweep compare --sweep {SWEEP['sweep_id']}",
        "chunksweep reproduce b",
    ]


def test_nothing_is_loaded(page):
    source = sweep_page(pets())
    assert not re.search(r"@import|url\(\s*[\"']?(?!#)", source)
    addresses = {
        value
        for element in page.iter()
        for name, value in element.attrib.items()
        if name in ("src", "href", "data", "action", "poster", "srcset") or name.endswith("}href")
    }
    assert {each for each in addresses if not each.startswith(("#", "data:,"))} == set()


def test_the_same_sweep_gives_the_same_page():
    assert sweep_page(pets()) == sweep_page(pets())


def test_only_our_own_script_runs(page):
    (policy,) = page.cssselect("meta[http-equiv='Content-Security-Policy']")
    script = page.cssselect("script:not([type])")[-1].text
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy.get("content")


def test_a_dollar_sign_and_any_script_in_a_name_are_text():
    records = [record(name, 0.5, 10 + at, chunker=name) for at, name in enumerate(("$x^2$", "分割", "a&b"))]
    report = SweepReport(SWEEP, tuple(records), (part(records, {}),))
    figure = html.fromstring(sweep_page(report)).cssselect("figure")[0]
    assert {"$x^2$", "分割", "a&b"} <= {text_of(each) for each in figure.iter("text")}


@pytest.mark.parametrize("where", ["question", "fact", "reason"])
def test_markup_of_documents_stays_text(where):
    source = sweep_page(pets(**{where: EVIL}))
    found = html.fromstring(source)
    assert EVIL in found.text_content()
    assert "alert('x')</script>" not in source


def test_markup_in_a_passage_stays_text():
    report = pets()
    answers = report.parts[0].answers
    evil = SweepReport(report.sweep, report.records, (part(report.records, answers),))
    object.__setattr__(evil.parts[0], "texts", {"pets.md": EVIL})
    source = sweep_page(evil)
    (script,) = html.fromstring(source).cssselect("script[type='application/json']")
    assert json.loads(script.text)["texts"] == [[[0, EVIL[:37]]]]
    assert "</script><script>" not in script.text


def test_text_that_cannot_be_read_any_more_is_said():
    report = pets()
    gone = part(report.records, report.parts[0].answers, missing=("2 documents have changed.",))
    source = sweep_page(SweepReport(report.sweep, report.records, (gone,)))
    assert "2 documents have changed." in source


def test_a_sweep_of_one_cell_has_no_verdict():
    records = [record("a", 1.0, 400)]
    report = SweepReport(SWEEP, tuple(records), (part(records, {"a": [row("one", "answered", (0, 5))]}),))
    assert "No verdict: it takes two configurations that finished." in sweep_page(report)


def test_a_sweep_in_which_all_failed():
    records = [record("a", 0, 0, status="FAILED", error="no memory")]
    source = sweep_page(SweepReport(SWEEP, tuple(records), (part(records, {}),)))
    assert "no memory" in source


def test_strategies_side_by_side_where_there_are_several_corpora():
    parts, records = [], []
    for corpus in ("cats", "dogs"):
        of_part = [
            record(f"{corpus}{chunker}", 0.5, 10, corpus=corpus, chunker=chunker) for chunker in ("fixed", "whole")
        ]
        records += of_part
        parts.append(part(of_part, {}, corpus=corpus))
    found = html.fromstring(sweep_page(SweepReport(SWEEP, tuple(records), tuple(parts))))
    figure = found.cssselect("section:first-of-type figure")[0]
    assert {"cats", "dogs", "fixed", "whole"} <= {text_of(each) for each in figure.iter("{*}text", "text")}


def test_200_cells_with_100_questions_stay_below_2_mb():
    """Every cell sends other passages of a text of 2 MB, so that nothing is shared but what overlaps by chance."""
    text = "word " * 400_000
    records, answers = [], {}
    for cell in range(200):
        name = f"{cell:032x}"
        records.append(record(name, cell / 200, 100 + cell, size=100 + cell))
        answers[name] = [
            Row(
                f"question-{number}",
                f"What is said about subject number {number} of all those there are?",
                ("a fact of an ordinary length, some fifty characters",),
                "not found",
                None,
                tuple(
                    SentPassage("long.md", Span(start, start + 800), ("Title", "Section"), 0.5)
                    for start in ((7919 * (cell * 300 + number * 3 + place)) % 1_900_000 for place in range(3))
                ),
            )
            for number in range(100)
        ]
    judged = verdict(recommended=records[-1].run_id, contenders=[each.run_id for each in records])
    of_part = part(records, answers, judged)
    object.__setattr__(of_part, "texts", {"long.md": text})
    assert len(sweep_page(SweepReport(SWEEP, tuple(records), (of_part,))).encode()) < 2_000_000
