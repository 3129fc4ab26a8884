"""Grids and the command line become the overrides of every cell."""

from __future__ import annotations

import math

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from omegaconf import OmegaConf

from chunksweep.errors import ConfigError
from chunksweep.sweep.sweeper import expand, literal

SIZES = [["size=1"], ["size=2"]]


@pytest.mark.parametrize(
    ("grids", "params", "arguments", "cells"),
    [
        pytest.param([], {}, [], [[]], id="nothing is one cell as it stands"),
        pytest.param([{"size": 1}], {}, [], [["size=1"]], id="a scalar"),
        pytest.param([{"size": [1, 2]}], {}, [], SIZES, id="a list"),
        pytest.param([{"size": "1,2"}], {}, [], SIZES, id="a sweep string"),
        pytest.param([{"size": "range(1,3)"}], {}, [], SIZES, id="a range"),
        pytest.param([{"size": "choice(1,2)"}], {}, [], SIZES, id="a choice"),
        pytest.param([], {"size": [1, 2]}, [], SIZES, id="params are a grid"),
        pytest.param([], {}, ["size=1,2"], SIZES, id="the command line alone is a grid"),
        pytest.param([{"size": 1}, {"size": 2}], {}, [], SIZES, id="a union, in order"),
        pytest.param([{"size": 1}], {"size": 2}, [], SIZES, id="params come after grids"),
        pytest.param(
            [{"chunker": ["a", "b"], "size": [1, 2]}],
            {},
            [],
            [["chunker=a", "size=1"], ["chunker=a", "size=2"], ["chunker=b", "size=1"], ["chunker=b", "size=2"]],
            id="a product, the last axis fastest",
        ),
        pytest.param(
            [{"chunker": "a"}, {"chunker": "b", "size": [1, 2]}],
            {},
            [],
            [["chunker=a"], ["chunker=b", "size=1"], ["chunker=b", "size=2"]],
            id="grids need not have the same axes",
        ),
        pytest.param([{"size": [7, 8]}, {"size": 9}], {}, ["size=1"], [["size=1"]] * 2, id="it replaces every axis"),
        pytest.param([{"size": [7, 8]}], {}, ["size=1,2"], SIZES, id="an axis replaces an axis"),
        pytest.param([{"size": 7}], {}, ["++size=1,2"], [["++size=1"], ["++size=2"]], id="forced, it is the same key"),
        pytest.param([{"+x": 7}], {}, ["+x=1"], [["+x=1"]], id="an added key is replaced"),
        pytest.param(
            [{"chunker": "a"}, {"chunker": "b"}],
            {},
            ["size=1,2"],
            [["chunker=a", "size=1"], ["chunker=a", "size=2"], ["chunker=b", "size=1"], ["chunker=b", "size=2"]],
            id="a new axis is added to every grid",
        ),
        pytest.param([{"size": 7, "send": 3}], {}, ["size=1"], [["size=1", "send=3"]], id="where it stood"),
        pytest.param([{"k": [1, 5]}], {}, [], [["k=[1,5]"]], id="a list for k is one value"),
        pytest.param([], {}, ["k=[1,5]"], [["k=[1,5]"]], id="k on the command line"),
        pytest.param(
            [{"corpus.exclude": [["a", "b"], []]}],
            {},
            [],
            [["corpus.exclude=[a,b]"], ["corpus.exclude=[]"]],
            id="a list of lists",
        ),
        pytest.param(
            [{"size": [None, 2], "prefix.send": [True, False]}],
            {},
            [],
            [
                ["size=null", "prefix.send=true"],
                ["size=null", "prefix.send=false"],
                ["size=2", "prefix.send=true"],
                ["size=2", "prefix.send=false"],
            ],
            id="null and truth values",
        ),
        pytest.param(
            [{"corpus.path": ["a b", "c,d", "e"]}],
            {},
            [],
            [["corpus.path='a b'"], ["corpus.path='c,d'"], ["corpus.path=e"]],
            id="texts of a list are quoted where they have to be",
        ),
        pytest.param([], {}, ["corpus.path='a,b'"], [["corpus.path='a,b'"]], id="a quoted comma makes no axis"),
        pytest.param(
            [], {}, ["corpus.path='a,b','c d'"], [["corpus.path='a,b'"], ["corpus.path='c d'"]], id="an axis of quotes"
        ),
        pytest.param([], {}, ["~prefix", "size=1"], [["~prefix", "size=1"]], id="a key taken away"),
        pytest.param([], {}, ["size=${send}"], [["size=${send}"]], id="an interpolation"),
        pytest.param([{"prices": {"input": 2}}], {}, [], [["prices={input:2}"]], id="a map is one value"),
    ],
)
def test_expand(grids, params, arguments, cells):
    assert expand(grids, params, arguments) == cells


def test_grids_of_a_composed_configuration_are_read_as_plain_ones():
    grids = OmegaConf.create([{"size": [1, 2], "overlap": "${half}"}])
    assert expand(grids, OmegaConf.create({}), []) == [["size=1", "overlap=${half}"], ["size=2", "overlap=${half}"]]


@pytest.mark.parametrize(
    ("grids", "arguments", "words"),
    [
        pytest.param([], ["size=1", "size=2"], ["size is given twice", "size=2", "size=A,B"], id="twice"),
        pytest.param([], ["size=1", "++size=2"], ["size is given twice"], id="twice, once forced"),
        pytest.param([], ["k=1,3"], ["k is one list", "k=[1,3,5,10]"], id="k as an axis"),
        pytest.param([], ["k=[1],[3]"], ["k is one list"], id="k as an axis of lists"),
        pytest.param([{"k": "1,3"}], [], ["k is one list"], id="k as an axis in a grid"),
        pytest.param([], ["verdict.margin=0.1,0.2"], ["judged in one way", "one value"], id="the verdict as an axis"),
        pytest.param([], ["size=interval(1,9)"], ["interval(1,9)", "size=200,400"], id="an interval"),
        pytest.param(
            [{"size": [object()]}], [], ["object", "numbers, texts, lists and maps"], id="what YAML never gives"
        ),
    ],
)
def test_expand_refuses_in_one_line(grids, arguments, words):
    with pytest.raises(ConfigError) as caught:
        expand(grids, {}, arguments)
    assert "\n" not in str(caught.value)
    assert [word for word in words if word not in str(caught.value)] == []


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.text(r"""\'"${}()[],:=~+ ab""", max_size=8),
    st.sampled_from(
        ["true", "NULL", "inf", "Nan", "null/x", "truest", "1", "1e3", "-1", "naïve", "glob(*)", "_", "x-"]
    ),
)
VALUES = SCALARS | st.lists(SCALARS, max_size=4) | st.dictionaries(st.sampled_from(["a", "b_c"]), SCALARS)


def same(one, two):
    """Equal in value and type; not-a-number is itself."""
    if isinstance(one, list):
        return isinstance(two, list) and len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return isinstance(two, dict) and one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    return type(one) is type(two) and (one == two or (isinstance(one, float) and math.isnan(one) and math.isnan(two)))


@examples(deadline=None)
@given(VALUES)
@example("\\")
@example("a\\'b\\\\")
@example({"a": "x,y", "b_c": "}"})
def test_hydra_reads_a_literal_as_the_value_it_stands_for(value):
    override = OverridesParser.create().parse_override(f"key={literal(value)}")
    assert not override.is_sweep_override()
    assert same(override.value(), value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a/b-c.md", "a/b-c.md", id="bare where that will do"),
        pytest.param("it's", r"'it\'s'", id="a quote"),
        pytest.param("tail\\", r"'tail\\'", id="a backslash at the end"),
        pytest.param(0.1, "0.1", id="a number"),
        pytest.param(("a", 1), "[a,1]", id="a list"),
    ],
)
def test_literal(value, text):
    assert literal(value) == text
