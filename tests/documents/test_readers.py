"""Which reader reads what."""

import pytest

from chunksweep.documents import markdown, plain
from chunksweep.documents.readers import kinds, reader_for


@pytest.mark.parametrize(
    ("document_id", "reader"),
    [
        pytest.param("a.md", markdown.read, id="md"),
        pytest.param("x.y/a.MARKDOWN", markdown.read, id="in any case"),
        pytest.param("a.md.txt", plain.read, id="the last ending"),
        pytest.param("a.rst", None, id="unknown"),
        pytest.param("x.md/notes", None, id="a folder's ending"),
    ],
)
def test_reader_for(document_id, reader):
    assert reader_for(document_id) is reader


def test_kinds_for_messages():
    assert kinds() == ".md, .markdown and .txt"
