"""Plain data as text reads back as the same data."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from chunksweep.plain_text import param_text, param_value, table, yaml_text

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@examples(deadline=None)
@given(SCALARS | st.lists(SCALARS, max_size=5))
@example("1e3")
@example("2020-01-01")
@example("yes")
@example("~")
@example(" padded\u00a0")
@example("line\u2028separated\x85")
@example("naïve")
@example("a: b # c")
@example("x" * 200 + " " + "y" * 200)
def test_a_parameter_reads_back_as_it_was(value):
    again = param_value(param_text(value))
    assert (again, type(again)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("fixed", "fixed", id="a word is bare"),
        pytest.param("naïve", "naïve", id="in any script"),
        pytest.param(0.2, "0.2", id="a number is plain"),
        pytest.param(None, "null", id="null"),
        pytest.param(True, "true", id="a truth value"),
        pytest.param([1, 3], "[1, 3]", id="a list on one line"),
        pytest.param("400", "'400'", id="digits that are text"),
    ],
)
def test_how_a_parameter_looks(value, text):
    assert param_text(value) == text


def test_a_parameter_of_another_program_is_text():
    assert param_value("{not: yaml") == "{not: yaml"
    assert param_value(param_text(["x" * 9000])) != ""


@given(st.dictionaries(st.text(), SCALARS | st.lists(SCALARS, max_size=3), max_size=4))
def test_yaml_text_reads_back(value):
    assert param_value(yaml_text(value)) == value


def test_table():
    assert json.loads(table(("a", "b"), [(1, "é"), (2, None)])) == {
        "columns": ["a", "b"],
        "data": [[1, "é"], [2, None]],
    }
