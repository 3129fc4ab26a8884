"""The report of a sweep of 60 cells, as people see it who open the file."""

from __future__ import annotations

import base64

import pytest
from tests.browser.conftest import chunksweep

pytestmark = pytest.mark.browser

GRID = ["chunker=fixed,recursive", "size=100,200,300,400,600", "overlap=0,0.1,0.2", "prefix=none,heading"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    sweep = chunksweep(folder, "sweep", *GRID, "embedder=test", f"cache.dir={folder / 'cache'}")
    assert sweep["planned"] == sweep["finished"] == 60
    chunksweep(folder, "report", "--out", "report.html")
    return folder / "report.html"


@pytest.fixture
def page(browser, report):
    """The page at 1280 pixels, freshly opened; nothing may be complained about while it is used."""
    resize(browser, 1280)
    browser.get("about:blank")
    browser.get_log("browser")  # Reading empties it: what the pages before complained about is theirs.
    browser.get(report.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def resize(browser, width):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )


def texts(page, selector):
    return page.execute_script(
        "return [...document.querySelectorAll(arguments[0])]"
        ".filter(each => each.checkVisibility()).map(each => each.innerText.trim())",
        selector,
    )


@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_the_screen(page, report, width):
    resize(page, width)
    page.refresh()
    measured = page.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert measured[0] <= width
    picture = page.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": measured[1], "scale": 1}},
    )
    (report.parent / f"report-{width}.png").write_bytes(base64.b64decode(picture["data"]))
    figures = page.execute_script(
        "return [...document.querySelectorAll('figure svg')].map(each => each.getBoundingClientRect())"
        ".map(box => [box.width, box.height])"
    )
    assert len(figures) >= 5
    assert all(100 < wide <= width and high > 50 for wide, high in figures)


def test_the_leaderboard_sorts(page):
    def column(number):
        return texts(page, f"table.board tbody td:nth-child({number})")

    head = page.find_element("css selector", "table.board thead th:nth-child(9) button")  # tokens
    before = column(9)
    head.click()
    falling = [int(each.replace(",", "")) for each in column(9)]
    head.click()
    rising = [int(each.replace(",", "")) for each in column(9)]
    assert sorted(before) == sorted(column(9))
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
    assert len(rising) == 60
    page.find_element("css selector", "table.board thead th:nth-child(1) button").click()
    names = texts(page, "table.board tbody th")
    assert names[0].startswith("fixed 100")  # and not "fixed 100" after "fixed 1000": numbers count as numbers
    assert names[-1].startswith("recursive 600")


def test_the_leaderboard_filters(page):
    page.find_element("css selector", "[data-filter]").send_keys("recursive +heading")
    names = texts(page, "table.board tbody th")
    assert len(names) == 15
    assert all("recursive" in name and "+heading" in name for name in names)
    assert texts(page, "[data-count]") == ["15 of 60"]


def test_the_questions_open(page):
    from selenium.webdriver.support.ui import Select

    cell, outcome = map(Select, page.find_elements("css selector", "[data-drill] select"))
    assert len(cell.options) == 60
    badges = texts(page, ".badge")
    assert len(badges) == 10
    wanted = badges[0]
    outcome.select_by_visible_text(wanted)
    assert texts(page, ".badge") == [wanted] * badges.count(wanted)
    page.find_element("css selector", ".questions details:not([hidden]) summary").click()
    passages = texts(page, ".passage")
    assert len(passages) == 3
    assert passages[0].startswith("1. ")
    first = texts(page, ".passages p")[0]
    cell.select_by_index(59)
    outcome.select_by_visible_text("any")
    assert texts(page, ".passages p")[0] != first
    assert len(texts(page, ".passage pre")) == 3


def test_the_questions_are_reached_by_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    summary = page.find_element("css selector", ".questions summary")
    page.execute_script("arguments[0].focus()", summary)
    summary.send_keys(Keys.ENTER)
    assert texts(page, ".passage")
