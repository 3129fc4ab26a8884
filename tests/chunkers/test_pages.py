"""Pages of documents that have them."""

import pytest
from tests.chunkers.cutting import cut
from tests.documents.pdf_files import PICTURE
from tests.documents.pdf_files import pdf as file

from chunksweep.documents import pdf

DOCUMENT = pdf.read(file(["One."], PICTURE, ["Two", "lines"], [], ["goes on."]), "a.pdf")


@pytest.mark.parametrize(
    ("options", "chunks"),
    [
        pytest.param({}, ["One.", "Two\nlines", "goes on."], id="a page a chunk"),
        pytest.param({"size": 2}, ["One.\n\nTwo\nlines", "goes on."], id="two pages"),
        pytest.param({"size": 2, "overlap": 1}, ["One.\n\nTwo\nlines", "Two\nlines\ngoes on."], id="a shared page"),
    ],
)
def test_pages(options, chunks):
    assert cut("pages", DOCUMENT, **options) == chunks


def test_a_document_without_pages_is_one():
    assert cut("pages", " a\n\fb ") == ["a\n\fb"]
