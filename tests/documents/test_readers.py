"""Which reader reads what."""

import pytest

from chunksweep.documents.readers import KINDS, kinds, reader_for


@pytest.mark.parametrize(
    ("document_id", "media_type"),
    [
        pytest.param("a.md", "text/markdown", id="md"),
        pytest.param("x.y/a.MARKDOWN", "text/markdown", id="in any case"),
        pytest.param("a.md.txt", "text/plain", id="the last ending"),
        pytest.param("a.htm", "text/html", id="html"),
    ],
)
def test_reader_for(document_id, media_type):
    reader = reader_for(document_id)
    assert reader is not None
    document = reader(b"x", document_id, "utf-8")
    assert (document.id, document.media_type, document.text) == (document_id, media_type, "x")


@pytest.mark.parametrize("document_id", ["a.png", "x.md/notes", "README"])
def test_no_reader_for(document_id):
    assert reader_for(document_id) is None


def test_kinds_for_messages():
    assert kinds().startswith("Markdown, text")
    assert kinds().endswith(f" and {KINDS[-1].name}")


def test_an_ending_belongs_to_one_kind():
    endings = [suffix for kind in KINDS for suffix in kind.suffixes]
    assert len(set(endings)) == len(endings)
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in endings)
