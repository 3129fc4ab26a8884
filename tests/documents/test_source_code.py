"""Source code as documents."""

import pytest

from chunksweep.documents import source_code


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        pytest.param("pkg/models.py", "text/x-python", id="Python"),
        pytest.param("a.TS", "text/x-typescript", id="in any case"),
        pytest.param("a.hpp", "text/x-c++", id="C++ header"),
        pytest.param("a.h", "text/x-c", id="C header"),
    ],
)
def test_the_ending_says_the_language(name, media_type):
    assert source_code.read("x = 1\n", name).media_type == media_type


def test_text_stands_as_it_is_and_a_comment_is_no_heading():
    text = "# Pumps\n\nclass Pump:\n    pass\n"
    document = source_code.read(text, "pkg/models.py")
    assert (document.text, document.title) == (text, "models")
    assert [section.path for section in document.sections] == [()]
