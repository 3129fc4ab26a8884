"""Sections by name."""

import pytest

from chunksweep.documents import markdown, plain
from chunksweep.questions.sections import SectionIndex
from chunksweep.records import Corpus

GUIDE = "intro\n# Kiln\nk\n## Firing\nf\n### Slow\ns\n## Cooling\nc\n# Wheel\n## Firing\nw\n"
HELP = "# Help\n## A > B\nx\n### C\ny\n## ‘Big’  *jobs*\nz\n"
NOTE = "Firing\nplain.\n\nOther\nmore.\n"


@pytest.fixture(scope="module")
def corpus():
    return Corpus((markdown.read(GUIDE, "guide.md"), markdown.read(HELP, "help.md"), plain.read(NOTE, "note.txt")))


@pytest.mark.parametrize(
    ("name", "document", "texts"),
    [
        pytest.param(
            "Kiln", None, ["# Kiln\nk\n## Firing\nf\n### Slow\ns\n## Cooling\nc\n"], id="with those below, as one"
        ),
        pytest.param("Slow", None, ["### Slow\ns\n"], id="the innermost"),
        pytest.param(
            "Firing",
            None,
            ["## Firing\nf\n### Slow\ns\n", "## Firing\nw\n", "Firing\nplain.\n\n"],
            id="all of that name",
        ),
        pytest.param("Firing", "note.txt", ["Firing\nplain.\n\n"], id="in one document"),
        pytest.param("Wheel > Firing", None, ["## Firing\nw\n"], id="a path"),
        pytest.param("A > B", None, ["## A > B\nx\n### C\ny\n"], id="a heading that looks like a path"),
        pytest.param("Help > A > B > C", None, ["### C\ny\n"], id="a path through it"),
        pytest.param("'big' JOBS", None, ["## ‘Big’  *jobs*\nz\n"], id="in normal form, without markup"),
        pytest.param("Kil", None, [], id="no part of a heading"),
        pytest.param("Cooling", "help.md", [], id="not in that document"),
        pytest.param("", None, [], id="text before the first heading has no name"),
    ],
)
def test_spans(corpus, name, document, texts):
    sources = {document.id: document.text for document in corpus.documents}
    places = SectionIndex(corpus).spans(name, document)
    assert [sources[place.document_id][place.span.start : place.span.end] for place in places] == texts


def test_headings_each_once(corpus):
    index = SectionIndex(corpus)
    assert index.headings("note.txt") == ["Firing", "Other"]
    assert index.headings().count("Firing") == 1
