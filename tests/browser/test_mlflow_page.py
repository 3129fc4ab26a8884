"""What people see who open the address that `chunksweep ui` prints."""

import json
from urllib.parse import quote, urlsplit

import pytest

from chunksweep.report.mlflow_view import search_filter

pytestmark = pytest.mark.browser

HEADS = [
    "Run Name",
    "Created",
    "retrieval/answerable_at_1",
    "cost/sent_tokens",
    "retrieval/ceiling",
    "chunker",
    "size",
    "overlap",
    "prefix",
    "Duration",
]
PARAMS = HEADS[5:9]
NAMES = ".ag-pinned-left-cols-container .ag-row"
CELL = ".ag-center-cols-container .ag-row[row-index='{row}'] .ag-cell[col-id='{column}']"


def wait(browser):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 60)


def texts(browser, selector):
    """The texts of all elements that a CSS selector finds, read at one moment."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map(element => element.innerText.trim())", selector
    )


def cell(browser, row, column):
    (text,) = texts(browser, CELL.format(row=row, column=column))
    return text


def heads(browser):
    """The column heads from left to right, which is not their order in the page."""
    return browser.execute_script(
        """
        const left = element => element.getBoundingClientRect().left;
        const heads = [...document.querySelectorAll("[data-testid^='sort-header-']")];
        return heads.sort((one, other) => left(one) - left(other)).map(head => head.innerText.trim());
        """
    )


def open_page(browser, address, selector, count):
    """Opens an address afresh and waits until so many elements are drawn."""
    browser.get("about:blank")  # what follows # alone would not load the page again
    browser.get(address)
    wait(browser).until(lambda _: len(texts(browser, selector)) == count, f"{count} of {selector}")


@pytest.fixture
def opened(browser, page):
    """The printed address, opened."""
    open_page(browser, page.address, NAMES, len(page.runs))
    return browser


def test_the_columns_say_what_was_chosen_and_what_came_of_it(opened):
    assert heads(opened) == HEADS


def test_the_rows_are_this_sweep_alone_best_first(opened, page):
    shown = [
        (
            tuple(cell(opened, row, f"params.`{name}`") for name in PARAMS),
            float(cell(opened, row, f"metrics.`{HEADS[2]}`")),
            float(cell(opened, row, f"metrics.`{HEADS[3]}`")),
        )
        for row in range(9)
    ]
    expected = {
        tuple("null" if run["params"][name] is None else str(run["params"][name]) for name in PARAMS): run["metrics"]
        for run in page.runs
    }
    assert len(expected) == 9
    assert {params for params, _, _ in shown} == set(expected)
    for params, answerable, tokens in shown:
        assert answerable == expected[params][HEADS[2]]
        assert tokens == pytest.approx(expected[params][HEADS[3]], abs=0.01)
    qualities = [answerable for _, answerable, _ in shown]
    assert qualities == sorted(qualities, reverse=True)


def test_the_browser_asks_nobody_but_this_server(opened):
    asked = opened.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert {urlsplit(address).hostname for address in asked if address.startswith("http")} == {"127.0.0.1"}


def test_an_address_without_a_view_shows_the_same_runs(browser, page):
    plain = f"{page.address.partition('viewStateShareKey')[0]}searchFilter={quote(search_filter(page.sweep_id))}"
    open_page(browser, plain, NAMES, len(page.runs))
    assert HEADS[2] not in heads(browser)


def test_four_runs_side_by_side_are_told_apart_by_their_names(browser, page):
    four = [run for run in page.runs if run["params"]["chunker"] == "fixed"]
    assert len(four) == 4
    host = page.address.partition("#")[0]
    ids = quote(json.dumps([run["run_id"] for run in four]))
    open_page(browser, f"{host}#/compare-runs?runs={ids}&experiments={quote(json.dumps(['1']))}", "h1, h2", 1)
    expected = {"fixed 200", "fixed 400", "fixed 800", "fixed 400 overlap 0.2"}
    wait(browser).until(lambda _: expected <= set(texts(browser, "th, td, [role=cell]")), "names of runs")
    wait(browser).until(lambda _: "chunks/count" in texts(browser, "a"), "the first metric")
