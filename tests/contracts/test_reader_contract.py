"""What every reader keeps, and that every strategy keeps its contract on what readers make."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.contracts.chunker_contract import STRATEGIES, check, option_sets
from tests.contracts.samples import SAMPLES

from chunksweep.chunkers import find
from chunksweep.documents.readers import KINDS, reader_for
from chunksweep.records import Document, Span
from chunksweep.tokens import load_tokenizer

TOKENIZER = load_tokenizer("o200k")
every_sample = pytest.mark.parametrize("name", SAMPLES)


def document_of(name: str) -> Document:
    reader = reader_for(name)
    assert reader is not None
    return reader(SAMPLES[name], name, "utf-8")


def test_every_kind_of_file_has_a_sample() -> None:
    assert {reader_for(name) for name in SAMPLES} == {kind.read for kind in KINDS}


@every_sample
def test_text_is_one_that_can_be_kept(name: str) -> None:
    text = document_of(name).text
    assert text.strip()
    assert not set(text) & {"\r", "\0", "\ufeff"}
    assert text.encode("utf-8").decode("utf-8") == text


@every_sample
def test_same_bytes_same_document(name: str) -> None:
    assert document_of(name) == document_of(name)
    assert document_of(name).digest == document_of(name).digest


@every_sample
def test_title_is_one_line(name: str) -> None:
    title = document_of(name).title
    assert title.strip() == title != ""
    assert "\n" not in title


@every_sample
def test_sections_hold_all_text(name: str) -> None:
    document = document_of(name)
    spans = [section.span for section in document.sections]
    check_order(spans, document)
    outside = "".join(
        document.text[start:end]
        for start, end in zip([0, *(span.end for span in spans)], [*(span.start for span in spans), None], strict=True)
    )
    assert not outside.strip()
    for section in document.sections:
        assert section.span.contains(section.body)
        assert section.path[-1:] == ((section.heading,) if section.heading else section.path[-1:])


@every_sample
def test_tables_and_verbatim_text_are_in_place(name: str) -> None:
    document = document_of(name)
    check_order(list(document.verbatim), document)
    check_order([table.span for table in document.tables], document)
    for table in document.tables:
        assert table.header_span is None or table.span.contains(table.header_span)
        check_order([row.span for row in table.rows], document)
        for row in table.rows:
            assert table.span.contains(row.span)
            assert all(row.span.contains(cell) for cell in row.cells)
            assert all(one.end <= two.start for one, two in pairwise(row.cells))


@every_sample
def test_pages_hold_all_text(name: str) -> None:
    document = document_of(name)
    check_order(list(document.pages), document)
    gaps = [document.text[one.end : two.start] for one, two in pairwise(document.pages)]
    assert not "".join(gaps).strip()
    if document.pages:
        assert (document.pages[0].start, document.pages[-1].end) == (0, len(document.text))


def check_order(spans: list[Span], document: Document) -> None:
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert all(span.end <= len(document.text) for span in spans)


@every_sample
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_keeps_its_contract(name: str, strategy: str) -> None:
    document = document_of(name)
    for options in option_sets(strategy):
        for size in ({}, {"size": 3, "overlap": 1}, {"size": 40, "overlap": 7}):
            check(find(strategy)(**options, **size), document, TOKENIZER)
