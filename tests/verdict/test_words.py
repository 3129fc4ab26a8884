"""What a verdict says in words."""

from __future__ import annotations

import pytest
from tests.verdict.grids import Row, judge

from chunksweep.verdict.words import percent, sentences

ALL, NONE = "1" * 20, "0" * 20


def words(rows, **rules):
    verdict = judge(rows, **rules)
    return "\n".join(sentences(verdict, {name: name for name in rows}))


@pytest.mark.parametrize(
    ("rows", "rules", "said"),
    [
        pytest.param(
            {"a": Row("1110000000"), "b": Row("1111110110")},
            {},
            [
                "tiny, answerable: 10 questions, 2 cells",
                "Highest observed: b, 8/10 (95 %: 44 to 97 %; picked from 2, so flattered",
                "All 2 cells remain possible.",
                "Start with b, provisional",
                "To show a difference of 5 points takes roughly",
            ],
            id="few questions",
        ),
        pytest.param(
            {"a": Row(ALL), "b": Row(NONE)},
            {},
            [
                "Highest observed: a, 20/20 (95 %: 83 to 100 %",
                "1 of 2 cells remains possible.",
                "a is the winner: every other cell that retrieves is ruled out.",
            ],
            id="a winner",
        ),
        pytest.param(
            {"a": Row(ALL), "b": Row(NONE), "c": Row(ALL), "all": Row(ALL, 900, everything=True)},
            {},
            [
                "3 of 4 cells remain possible, 1 of which sends everything.",
                "a is the winner: every other cell that retrieves is ruled out but 1 with the same results.",
            ],
            id="a winner with its like beside the whole corpus",
        ),
        pytest.param(
            {"a": Row("1" * 60), "b": Row("1" * 60, 20)},
            {},
            ["no question tells the recommended cell from another", "Take b, shown equivalent"],
            id="equivalent",
        ),
        pytest.param(
            {"a": Row("1111"), "b": Row("0110")},
            {},
            ["4 questions, 2 cells: so few cannot show any difference"],
            id="none",
        ),
        pytest.param(
            {"a": Row(ALL), "b": Row(NONE)},
            {"cluster": "document"},
            ["20 questions in 20 groups by document, 2 cells"],
            id="clusters",
        ),
        pytest.param(
            # All of ten questions: 2 of 2^10 flips reach it, so p = 0.002, though no difference up to 1 has 80 % power.
            {
                "a": Row("1" * 10),
                "b": Row("0" * 10),
                **{f"c{at}": Row("1" * at + "0" * (10 - at)) for at in range(1, 10)},
            },
            {},
            ["10 questions, 11 cells: so few show the largest differences only."],
            id="few that show something all the same",
        ),
        pytest.param({"a": Row(ALL), "b": Row(NONE)}, {"holdout": 0.25}, ["On 5 questions held out"], id="holdout"),
        pytest.param(
            {"a": Row(ALL, params={"size": 2}), "b": Row(NONE[:-1] + "1", params={"size": 1})},
            {"baseline": "size=1"},
            [
                "Against the baseline, b: 1 better, 0 worse, 0 not told apart",
                "size 2 against 1 +95 points (+85 to +100)",
            ],
            id="baseline and effects",
        ),
    ],
)
def test_sentences(rows, rules, said):
    text = words(rows, **rules)
    for each in said:
        assert each in text


def test_a_range_without_width_is_one_number():
    (line,) = [
        line for line in words({"a": Row("1110000000"), "b": Row("1111110110")}).split("\n") if "roughly" in line
    ]
    assert " to " not in line.partition("roughly")[2]


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.5, "50"), (0.997, "99.7"), (1.0, "100"), (0.0, "0"), (0.004, "0.4"), (0.05, "5"), (0.995, "99.5")],
)
def test_percent(share, shown):
    assert percent(share) == shown
