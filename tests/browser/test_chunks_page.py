"""Two configurations side by side, as people see them who open the file."""

from __future__ import annotations

import subprocess

import pytest
from tests.browser.test_report_page import resize
from tests.cli.program import COMMAND, PATIENCE

pytestmark = pytest.mark.browser

DOCUMENTS = {"a.md": "# Fish\n\n" + "They float. " * 60, "b.md": "x" * 900, "c.md": "# Eels\n\nThey swim.\n"}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chunks")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    arguments = ["chunks", "corpus.path=.", "chunker=fixed,headings", "size=200", "--html", "chunks.html"]
    subprocess.run([*COMMAND, *arguments], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return folder / "chunks.html"


@pytest.mark.parametrize(("width", "side_by_side"), [(1280, True), (400, False)])
def test_one_document_at_a_time_and_nothing_wider_than_the_screen(browser, file, width, side_by_side):
    resize(browser, width)
    for address, shown in (("", "d1"), ("#d2", "d2"), ("#d3", "d3")):
        browser.get(file.as_uri() + address)
        visible, wide, tops = browser.execute_script(
            "const shown = [...document.querySelectorAll('main > section')].filter(each => each.checkVisibility());"
            "return [shown.map(each => each.id), document.documentElement.scrollWidth,"
            " [...shown[0].querySelectorAll('.pair > div')].map(each => each.getBoundingClientRect().top)]"
        )
        assert visible == [shown]
        assert wide <= width
        assert (tops[0] == tops[1]) is side_by_side
    assert browser.get_log("browser") == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
