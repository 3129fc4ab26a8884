"""reStructuredText: sections and literal blocks by docutils, text as it stands."""

import pytest

from chunksweep.documents.restructured import read


def headings(document):
    return [
        (section.path, document.text[section.heading_span.start : section.heading_span.end])
        for section in document.sections
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "=====\nTitle\n=====\n\nSub\n===\n\na\n\nOne\n---\nb\n",
            [
                (("Title",), "=====\nTitle\n=====\n"),
                (("Title", "Sub"), "Sub\n===\n"),
                (("Title", "Sub", "One"), "One\n---\n"),
            ],
            id="levels by their adornment, with and without a line above",
        ),
        pytest.param(
            "One\n---\na\n\nTwo *em*\n--------\n",
            [(("One",), "One\n---\n"), (("Two em",), "Two *em*\n--------\n")],
            id="markup",
        ),
        pytest.param("text\n\nOne\n===\n", [((), ""), (("One",), "One\n===\n")], id="text before"),
        pytest.param("Code::\n\n  One\n  ===\n", [((), "")], id="in a literal block"),
        pytest.param("a\n\n----\n\nb\n", [((), "")], id="a rule"),
        pytest.param(
            ".. toctree::\n   :maxdepth: 2\n\n   x\n\nOne\n===\n", [((), ""), (("One",), "One\n===\n")], id="Sphinx"
        ),
    ],
)
def test_sections(text, found):
    document = read(text, "docs/a.rst")
    assert headings(document) == found
    assert document.text == text


@pytest.mark.parametrize(
    ("text", "verbatim"),
    [
        pytest.param("See::\n\n  a\n\n  b\n\nend\n", ["  a\n\n  b\n"], id="literal block"),
        pytest.param(
            "x\n\n.. code-block:: python\n\n   a\n\n   b\n\nend\n",
            [".. code-block:: python\n\n   a\n\n   b\n"],
            id="directive",
        ),
        pytest.param(".. code:: sh\n\n   a\n", [".. code:: sh\n\n   a\n"], id="at the end"),
        pytest.param("* item::\n\n    a\n\n  more\n", ["    a\n"], id="in a list"),
        pytest.param("plain\n", [], id="none"),
    ],
)
def test_verbatim(text, verbatim):
    document = read(text, "a.rst")
    assert [text[span.start : span.end] for span in document.verbatim] == verbatim


def test_title():
    assert read("Pumps\n=====\n", "a.rst").title == "Pumps"
    assert read("text\n", "docs/notes.rst").title == "notes"


def test_nothing_that_a_file_names_is_opened(tmp_path, capfd):
    secret = tmp_path / "secret.txt"
    secret.write_text("Secret\n======\n", encoding="utf-8")
    text = f".. include:: {secret}\n\n.. raw:: html\n   :file: {secret}\n\nOne\n===\n"
    assert [section.path for section in read(text, "a.rst").sections] == [(), ("One",)]
    assert capfd.readouterr() == ("", "")
