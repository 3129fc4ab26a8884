"""The nearest text to a quote that stands nowhere."""

import random
import time

import pytest

from chunksweep.questions.nearest import NearestText
from chunksweep.questions.normal import NormalText, normal_form

SOURCES = {
    "drain.md": (
        "# Draining a node\n\nCordon the node first, then evict its\n**pods** one by one. "
        "Wait for 30 minutes. Then look again.\n"
    ),
    "other.md": "The pods of a node are moved. Nothing is first. Kubernetes decides.\n",
}


def nearest(quote, document=None):
    texts = {name: NormalText.of(source) for name, source in SOURCES.items()}
    place = NearestText(texts).find(normal_form(quote), document)
    return place and (place.document_id, SOURCES[place.document_id][place.span.start : place.span.end])


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        pytest.param("cordon that node first", ("drain.md", "Cordon the node first"), id="a wrong word inside"),
        pytest.param("then evict its pods", ("drain.md", "then evict its\n**pods"), id="markup between"),
        pytest.param("Wait for 30 hours", ("drain.md", "Wait for 30 minutes"), id="a wrong word at the end"),
        pytest.param("Stay for 30 minutes.", ("drain.md", "Wait for 30 minutes"), id="a wrong word at the beginning"),
        pytest.param("wait at least 30 minutes", ("drain.md", "Wait for 30 minutes"), id="a word too many"),
        pytest.param("Kubernets", ("other.md", "Kubernetes"), id="no word right, one misspelt"),
        pytest.param("quantum chromodynamics", None, id="nothing alike"),
        pytest.param("?!", None, id="no word at all"),
    ],
)
def test_nearest(quote, expected):
    assert nearest(quote) == expected


@pytest.mark.parametrize(
    ("document", "expected"),
    [("drain.md", ("drain.md", "pods one")), ("other.md", ("other.md", "pods of"))],
)
def test_in_one_document(document, expected):
    texts = {name: NormalText.of(source.replace("*", "")) for name, source in SOURCES.items()}
    place = NearestText(texts).find("pods xx", document)
    assert place.document_id == expected[0]
    source = SOURCES[document].replace("*", "")
    assert source[place.span.start : place.span.end] == expected[1]


def test_a_large_corpus_is_searched_within_two_seconds():
    randomly = random.Random(7)  # noqa: S311
    vocabulary = ["".join(randomly.choices("abcdefghij", k=randomly.randint(2, 9))) for _ in range(8_000)]
    words = randomly.choices(vocabulary + ["the", "of"] * 2_000, k=250_000)
    quote = [*words[200_000:200_010], "nonsense", *words[200_011:200_020]]
    source = " ".join(words)
    texts = {"large.txt": NormalText.of(source)}
    began = time.process_time()
    place = NearestText(texts).find(" ".join(quote))
    assert time.process_time() - began < 2
    assert source[place.span.start : place.span.end].split() == words[200_000:200_020]
