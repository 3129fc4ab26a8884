from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.chunker_contract import STRATEGIES, check, option_sets
from tests.strategies import documents

from chunksweep.chunkers import find, known, make
from chunksweep.chunkers.library import LibraryChunker
from chunksweep.contract.fresh import Case, cut_afresh
from chunksweep.contract.promises import split
from chunksweep.documents import markdown, plain
from chunksweep.paths import shipped
from chunksweep.records import Document
from chunksweep.settings import Choice, TokenizerSettings
from chunksweep.tokens import load_tokenizer

TOKENIZER = load_tokenizer("o200k")
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(FEW, max_examples=1000)
every_strategy = pytest.mark.parametrize("name", STRATEGIES)


def configured(name: str) -> st.SearchStrategy[dict[str, Any]]:
    sizes = st.one_of(st.integers(1, 12), st.integers(1, 90)).flatmap(
        lambda size: st.fixed_dictionaries({"size": st.just(size), "overlap": st.integers(0, size - 1)})
    )
    return st.tuples(sizes | st.just({}), st.sampled_from(option_sets(name))).map(lambda both: both[0] | both[1])


def check_drawn(name: str, data: st.DataObject) -> None:
    first, other = data.draw(documents()), data.draw(documents())
    chunker = find(name)(**data.draw(configured(name)))
    spans = check(chunker, first, TOKENIZER)
    check(chunker, other, TOKENIZER)
    assert check(chunker, first, TOKENIZER) == spans


@every_strategy
@FEW
@given(data=st.data())
def test_contract(name: str, data: st.DataObject) -> None:
    check_drawn(name, data)


@pytest.mark.long
@every_strategy
@MANY
@given(data=st.data())
def test_contract_with_many_examples(name: str, data: st.DataObject) -> None:
    check_drawn(name, data)


def test_every_strategy_has_a_file() -> None:
    assert tuple(STRATEGIES) == known()


@every_strategy
def test_file_states_the_defaults_of_the_class(name: str) -> None:
    with (shipped("conf") / "chunker" / f"{name}.yaml").open(encoding="utf-8") as file:
        configuration = yaml.safe_load(file)
    options = {field.name: field.default for field in fields(find(name)) if field.name not in ("size", "overlap")}
    listed = {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()}
    assert configuration == {"name": name, **listed}


@every_strategy
def test_only_code_of_others_is_exempt(name: str) -> None:
    strategy = find(name)
    assert issubclass(strategy, LibraryChunker) or not strategy.exempt
    assert set(strategy.exempt) <= {"coverage", "nesting", "size", "overlap", "failure"}


SAMPLE = "# Pump\n\nDr. Vale met Ms. Orr. 雨停了。Rain fell 🧰.\n\n```\na\n\nb\n```\n\n## Valve\n\n" + "山" * 300


def test_fresh_process_cuts_alike() -> None:
    document = markdown.read(SAMPLE, "a.md")
    names = [name for name in STRATEGIES if "failure" not in find(name).exempt]
    cases = [
        Case(document, name, options, 7, 2, TokenizerSettings(), Choice("test"))
        for name in names
        for options in option_sets(name)
    ]
    here = [split(make(case.name, case.options, 7, 2), document, TOKENIZER) for case in cases]
    assert cut_afresh(cases) == here


OURS = [name for name in STRATEGIES if not issubclass(find(name), LibraryChunker)]


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 200_000, id="one word"),
        pytest.param("ab " * 60_000, id="one line of words"),
        pytest.param("雨。" * 60_000, id="one line of sentences"),
        pytest.param(" " * 200_000 + "x", id="a run of blanks"),
        pytest.param("\n " * 100_000 + "x", id="a run of blank lines"),
        pytest.param("# a\n\n```\nb\n\n```\n\n" * 4_000, id="many sections and code blocks"),
    ],
)
def test_time_grows_with_the_text_alone(name: str, text: str) -> None:
    document: Document = (markdown if text.startswith("#") else plain).read(text, "a.md")
    begun = time.perf_counter()
    split(find(name)(size=40, overlap=20), document, TOKENIZER)
    # Takes a tenth of this; anything quadratic takes minutes.
    assert time.perf_counter() - begun < 20
