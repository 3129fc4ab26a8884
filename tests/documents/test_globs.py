"""Path patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunksweep.documents.globs import matches_any


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        pytest.param("*.md", "a.md", True, id="a star"),
        pytest.param("*.md", "x/a.md", False, id="a star stays in its folder"),
        pytest.param("**/*.md", "a.md", True, id="no folder at all"),
        pytest.param("**/*.md", "x/y/a.md", True, id="two folders"),
        pytest.param("**/a.md", "xa.md", False, id="whole folder names only"),
        pytest.param("x/**", "x/y/a.md", True, id="all below"),
        pytest.param("x/**", "xy/a.md", False, id="not a folder that begins alike"),
        pytest.param("x/**/a.md", "x/a.md", True, id="nothing between"),
        pytest.param("x/**/a.md", "x/y/z/a.md", True, id="folders between"),
        pytest.param("?.md", "a.md", True, id="one character"),
        pytest.param("a?b", "a/b", False, id="which is no slash"),
        pytest.param("[ab]-[!0-9].md", "b-x.md", True, id="sets"),
        pytest.param("[ab]-[!0-9].md", "b-7.md", False, id="a set turned round"),
        pytest.param("a[!x]b", "a/b", False, id="which holds no slash"),
        pytest.param("a[!-~]b", "a/b", False, id="nor does a range across it"),
        pytest.param("[z-a]", "m", False, id="a range that runs backwards"),
        pytest.param("[--9&&]", "&", True, id="no operations on sets"),
        pytest.param("a.md", "a-md", False, id="a dot is a dot"),
        pytest.param("a+(b).md", "a+(b).md", True, id="signs of regular expressions mean themselves"),
        pytest.param("a[1.md", "a[1.md", True, id="an open bracket alone"),
        pytest.param("*", "a\nb", True, id="a line end in a name"),
        pytest.param("A.md", "a.md", False, id="case counts"),
    ],
)
def test_pattern(pattern, path, matches):
    assert matches_any(path, [pattern]) is matches


def test_any_of_several():
    assert matches_any("b", ["a", "b"])
    assert not matches_any("b", [])


SIGNS = st.text(st.sampled_from("[]!^*?-/az\\\\&~|.({"), max_size=12)


@given(SIGNS, SIGNS)
def test_no_pattern_is_malformed(pattern, path):
    matches_any(path, [pattern])
