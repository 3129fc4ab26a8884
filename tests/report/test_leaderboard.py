"""The leaderboard: its order, its columns, its width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from chunksweep.errors import ConfigError
from chunksweep.records import RunRecord
from chunksweep.report.leaderboard import (
    COLUMNS,
    CUT_SHORT,
    EVERYTHING_SENT,
    LEGEND,
    ON_FRONT,
    PRICED,
    WHOLE,
    Column,
    by_corpus,
    legend,
    marks,
    ordered,
    table,
)
from chunksweep.report.whole import whole_corpora

AT_1 = "retrieval/answerable_at_1"
COST = "cost/sent_tokens"


def record(name, status="FINISHED", everything_sent=False, params=(), **metrics):
    named = {key.replace("__", "/"): value for key, value in metrics.items()}
    return RunRecord(name, status, {"corpus": "own", "chunker": name} | dict(params), named, everything_sent)


def scored(name, at_1, tokens, **others):
    return record(name, retrieval__answerable_at_1=at_1, cost__sent_tokens=tokens, **others)


def lines(records, **options):
    """The table as it is printed; no line is wider than the terminal."""
    console = Console(width=80, markup=False, highlight=False, emoji=False, color_system=None)
    with console.capture() as capture:
        console.print(table(records, **options))
    printed = capture.get().splitlines()
    assert max(map(len, printed)) <= 80
    return [line.rstrip() for line in printed]


@pytest.mark.parametrize(
    ("records", "sort", "names"),
    [
        pytest.param([scored("a", 0.5, 10), scored("b", 0.9, 99)], AT_1, "ba", id="best first"),
        pytest.param([scored("a", 0.5, 20), scored("b", 0.5, 10)], AT_1, "ba", id="then what sends less"),
        pytest.param([scored("b", 0.5, 10), scored("a", 0.5, 10)], AT_1, "ba", id="then as given"),
        pytest.param([record("a", "FAILED"), scored("b", 0, 10)], AT_1, "ba", id="without the metric last"),
        pytest.param([scored("a", 0.9, 20), scored("b", 0.1, 10)], COST, "ba", id="a cost: lowest first"),
        pytest.param([record("a", time__rank_s=2), record("b", time__rank_s=1)], "time/rank_s", "ba", id="a time"),
        pytest.param(
            [record("a", chunks__cut_facts=2), record("b", chunks__cut_facts=0)], "chunks/cut_facts", "ba", id="a loss"
        ),
        pytest.param([record("a", chunks__count=2), record("b", chunks__count=9)], "chunks/count", "ba", id="a number"),
        pytest.param([record("a", "FAILED"), record("b", "FAILED")], AT_1, "ab", id="all failed"),
        pytest.param([], AT_1, "", id="none"),
    ],
)
def test_order(records, sort, names):
    assert "".join(each.run_id for each in ordered(records, sort)) == names


def test_a_metric_that_no_run_has_is_named_with_those_it_has():
    with pytest.raises(
        ConfigError, match=r"--sort mrr: no run has that metric\. Known: cost/sent_tokens, retrieval/an"
    ):
        ordered([scored("a", 1, 1)], "mrr")


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [
        pytest.param(Column("x", "m", share=True), 2 / 3, "67%", id="a share"),
        pytest.param(Column("x", "m"), 1234.5, "1,234", id="a number"),
        pytest.param(Column("x", "m"), None, "-", id="absent"),
        pytest.param(Column("x", "m"), 0, "0", id="nought is not absent"),
        pytest.param(Column("x", "m", money=True), 1234.567, "1,234.57", id="dollars"),
        pytest.param(Column("x", "m", money=True), 0.4, "0.40", id="cents"),
        pytest.param(Column("x", "m", money=True), 0.0123, "0.012", id="less than ten cents"),
        pytest.param(Column("x", "m", money=True), 0, "0.00", id="free"),
    ],
)
def test_cells(column, value, shown):
    metrics = {} if value is None else {"m": value}
    assert column.cell(RunRecord("r", "FINISHED", {}, metrics)) == shown


FULL = {
    "chunks__count": 1_234_567,
    "chunks__mean_chars": 123_456,
    "retrieval__recall_at_3": 1,
    "retrieval__answerable": 1,
    "retrieval__ceiling": 1,
    "cost__sent_chars": 1_234_567,
}


def test_a_row_holds_what_the_contract_names():
    (head, row) = lines([scored("fixed", 0.5, 12, **(FULL | {"chunks__count": 7, "chunks__mean_chars": 40}))])
    assert head.split() == ["configuration", *(column.head for column in COLUMNS)]
    assert row.split() == ["fixed", "7", "40", "50%", "100%", "100%", "100%", "12", "1,234,567"]


def test_long_names_are_wrapped_and_nothing_is_cut():
    names = ["a_strategy_with_a_very_long_name_indeed_" * 2 + end for end in ("one", "two")]
    printed = lines([scored(name, 1, 1_234_567, **FULL) for name in names], sort="retrieval/ceiling")
    text = "".join(line.split(" ")[0] for line in printed)
    assert all(name in text for name in names)
    assert sum("1,234,567" in line for line in printed) == 2


def test_another_metric_gets_a_column_of_its_own():
    printed = lines(
        [scored("a", 1, 1, retrieval__mrr=0.123456), record("b", cost__sent_tokens=1)], sort="retrieval/mrr"
    )
    assert printed[0].split()[-1] == "mrr"
    assert [line.split()[-1] for line in printed[1:]] == ["0.1235", "-"]


def test_the_widest_rows_sorted_by_the_longest_name_fit():
    wide = FULL | {"retrieval__answerable_in_1024_tokens": 0.123456}
    printed = lines([scored("recursive", 1, 1_234_567, **wide)], sort="retrieval/answerable_in_1024_tokens")
    assert "0.1235" in "".join(printed)


def test_the_widest_rows_with_money_fit():
    wide = FULL | {"retrieval__answerable_in_1024_tokens": 0.123456, "cost__usd_per_1k_questions": 1234.5}
    printed = lines([scored("recursive", 1, 1_234_567, **wide)], sort="retrieval/answerable_in_1024_tokens")
    assert "1,234.50" in "".join(printed)
    assert "0.1235" in "".join(printed)


def test_money_is_a_column_where_a_row_has_a_price():
    priced, free = scored("a", 1, 100, cost__usd_per_1k_questions=0.25), scored("b", 0, 10)
    printed = lines([priced, free])
    assert [line.split()[-1] for line in printed] == ["$/1k", "0.25", "-"]
    assert PRICED in legend([priced, free])
    assert PRICED not in legend([free])


def test_rows_on_the_front_are_marked_and_explained():
    rows = [
        record(name, retrieval__answerable=quality, cost__sent_tokens=tokens)
        for name, quality, tokens in (("good", 0.9, 200), ("cheap", 0.5, 100), ("neither", 0.4, 150))
    ]
    printed = lines(rows, sort="retrieval/answerable")
    assert [line.split("  ")[0] for line in printed[1:]] == ["good ^", "cheap ^", "neither"]
    assert legend(rows) == [LEGEND, ON_FRONT]
    assert "^" not in "".join(lines(rows[:1], sort="retrieval/answerable"))


def test_each_corpus_has_a_front_of_its_own():
    rows = [
        record(name, params={"corpus": name}, retrieval__answerable=quality, cost__sent_tokens=100)
        for name, quality in (("x", 0.9), ("y", 0.5))
    ]
    assert legend(rows) == [LEGEND]
    assert legend([*rows, *rows]) == [LEGEND, ON_FRONT]


def test_what_tells_rows_apart_is_shown():
    printed = lines([scored("fixed", 1, 1, params={"overlap": overlap}) for overlap in (0.1, 0.2)])
    assert ["0.1" in " ".join(printed), "0.2" in " ".join(printed)] == [True, True]


def test_brackets_are_text_and_not_markup():
    text = "".join(lines([scored("x[red]y[/]", 1, 1), scored("[bold]", 1, 1), scored(":bee:", 1, 1)]))
    assert all(name in text for name in ("x[red]y[/]", "[bold]", ":bee:"))


def test_failed_cells_and_cells_that_send_everything_are_marked():
    printed = lines([scored("whole", 1, 1, everything_sent=True), record("fixed", "FAILED")])
    assert printed[1].startswith("whole *")
    assert printed[2].split() == ["fixed", "FAILED", *["-"] * len(COLUMNS)]


def test_a_limit_keeps_the_best():
    printed = lines([scored("a", 0.1, 1), scored("b", 0.9, 1), scored("c", 0.5, 1)], limit=2)
    assert [line.split()[0] for line in printed[1:]] == ["b", "c"]


def test_runs_by_corpus_in_order():
    records = [record(name, params={"corpus": corpus}) for name, corpus in (("a", "x"), ("b", "y"), ("c", "x"))]
    groups = {corpus: [each.run_id for each in group] for corpus, group in by_corpus(records).items()}
    assert groups == {"x": ["a", "c"], "y": ["b"]}


def test_the_legend_explains_the_star_where_there_is_one():
    assert legend([record("a")]) == [LEGEND]
    assert legend([record("a"), record("b", everything_sent=True)]) == [LEGEND, EVERYTHING_SENT]
    assert all(column.head in LEGEND for column in COLUMNS[1:])


def test_chunks_that_the_model_cuts_are_marked_and_explained():
    cut = record("whole", everything_sent=True, **{"chunks/truncated": 3})
    whole = record("fixed", **{"chunks/truncated": 0})
    assert [marks(cut), marks(whole)] == [" *~", ""]
    assert legend([whole, cut]) == [LEGEND, EVERYTHING_SENT, CUT_SHORT]


def of_corpus(tokens, window, **params):
    named = {"corpus/tokens": tokens, "corpus/chars": 5 * tokens}
    return scored("fixed", 0.5, 10, **named, params={"context_window": window, **params})


@pytest.mark.parametrize(
    ("record", "row"),
    [
        pytest.param(of_corpus(1200, 1200), "no retrieval - - - - 100% - 1,200 6,000", id="it fits"),
        pytest.param(
            of_corpus(1200, 1199),
            "no retrieval: over 1,199 tokens, - - - - - - 1,200 6,000",
            id="it does not fit, so answers nothing",
        ),
    ],
)
def test_the_whole_corpus_is_a_row_below_the_others(record, row):
    printed = lines([record, scored("whole", 0.1, 5)])
    assert " ".join(next(line for line in printed if line.startswith("no retrieval")).split()) == row
    first_words = [line.split()[0] for line in printed if line.split()]
    assert first_words.index("no") > first_words.index("whole")
    assert WHOLE in legend([record])
    assert WHOLE not in legend([scored("whole", 0.1, 5)])


def test_the_price_of_the_whole_corpus():
    priced = of_corpus(1200, 9999, **{"prices.input": 2.5})
    priced = replace(priced, metrics=priced.metrics | {"cost/usd_per_1k_questions": 0.025})
    assert next(line for line in lines([priced]) if line.startswith("no retrieval")).endswith(" 6,000  3.00")


def test_the_whole_corpus_as_json():
    assert whole_corpora([of_corpus(1200, 1000), record("b", "FAILED"), record("c", params={"corpus": "other"})]) == [
        {
            "corpus": "own",
            "tokens": 1200,
            "chars": 6000,
            "window": 1000,
            "usd_per_1k_questions": None,
            "fits": False,
            "answerable": None,
        }
    ]
