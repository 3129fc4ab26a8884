from __future__ import annotations

import pytest
from tests.chunkers.cutting import bounds, cut, md

from chunksweep.chunkers.sentences import Sentences
from chunksweep.errors import ConfigError

PUMP = md("Before. All.\n\n# Pump\n\nOne. Two.\n\nThree.\n\n## Empty\n\n# Valve\n\nFour.\n")
CODE = md("See this. Then:\n```\na. B.\n\nc\n```\nDone. Well.\n")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(
            {},
            ["Before.", "All.", "# Pump\n\nOne.", "Two.", "Three.", "## Empty", "# Valve\n\nFour."],
            id="a heading belongs to what follows and is not counted",
        ),
        pytest.param({"headings": "drop"}, ["Before.", "All.", "One.", "Two.", "Three.", "Four."], id="or is left out"),
        pytest.param(
            {"size": 2, "overlap": 1},
            ["Before. All.", "# Pump\n\nOne. Two.", "Two.\n\nThree.", "## Empty", "# Valve\n\nFour."],
            id="no window crosses a section",
        ),
        pytest.param(
            {"size": 3, "within": "paragraph"},
            ["Before. All.", "# Pump\n\nOne. Two.", "Three.", "## Empty", "# Valve\n\nFour."],
            id="nor a paragraph",
        ),
        pytest.param(
            {"size": 4, "within": "document"},
            ["Before. All.\n\n# Pump\n\nOne.", "Two.\n\nThree.\n\n## Empty\n\n# Valve", "Four."],
            id="in the document a heading line is a unit",
        ),
    ],
)
def test_windows_of_sentences(options: dict[str, object], expected: list[str]) -> None:
    assert cut("sentences", PUMP, **options) == expected


def test_code_is_one_unit() -> None:
    assert cut("sentences", CODE) == ["See this.", "Then:", "```\na. B.\n\nc\n```", "Done.", "Well."]


def test_front_matter_is_one_unit() -> None:
    assert cut("sentences", md("---\ntitle: A. B.\n\nby: C\n---\nText. More.\n")) == [
        "---\ntitle: A. B.\n\nby: C\n---",
        "Text.",
        "More.",
    ]


def test_paragraph_end_is_a_sentence_end() -> None:
    assert cut("sentences", "and so on,\nwithout a stop,\n\nand then more.") == [
        "and so on,\nwithout a stop,",
        "and then more.",
    ]


def test_equal_sentences_have_their_own_places() -> None:
    text = "# Pump\n\nCheck the seal.\n\n# Valve\n\nCheck the seal.\n"
    assert bounds("sentences", md(text), headings="drop") == [(8, 23), (34, 49)]


def test_sentences_are_slices_of_the_source() -> None:
    assert cut("sentences", md("朝は晴れ．昼は雨．夜は雪．"), size=2, language="ja") == [
        "朝は晴れ．昼は雨．",
        "夜は雪．",
    ]


def test_every_sentence_comes_once_and_in_order() -> None:
    weather = "气温上升。水面下降。风向转北。船只回港。"
    assert cut("sentences", weather * 10, language="zh") == [part + "。" for part in (weather * 10).split("。")[:-1]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            {"within": "page"}, "chunker.within=page is not possible. Allowed: section, document", id="within"
        ),
        pytest.param({"headings": "hide"}, "chunker.headings=hide is not possible. Allowed: keep, drop", id="headings"),
        pytest.param(
            {"within": "document", "headings": "keep"},
            "chunker.headings=keep is not an option with chunker.within=document",
            id="headings in the document",
        ),
        pytest.param({"language": "english"}, "chunker.language=english is no language code", id="language"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Sentences(**options)
    assert str(caught.value).startswith(message)


def test_default_for_headings_is_keep_where_it_matters() -> None:
    assert Sentences() == Sentences(headings="keep")
    assert Sentences(within="document").headings is None
