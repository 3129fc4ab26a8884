"""What embedding will take, worked out by hand on the tiny corpus.

4 passages of 17 tokens, a sentence around a fact that is none of them of 4, 3 questions of 8.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.sweep.carrying_out import carried_out, planned
from tests.tiny_corpus import settings

from chunksweep.cli import main
from chunksweep.cli.sweep import duration
from chunksweep.embedders import rates
from chunksweep.sweep.estimate import Estimate, estimate, name_of

CACHE = "cache"  # below the tiny corpus


def test_nothing_is_known_at_first(tiny):
    assert estimate(planned([settings(tiny)], tiny)) == Estimate(None, None)


def test_time_is_tokens_by_the_rate_of_last_time(tiny):
    (tiny / CACHE).mkdir()
    rates.remember(tiny / CACHE, "test", 20_000, 4_000.0)  # 5 tokens a second
    assert estimate(planned([settings(tiny)], tiny)).seconds == 29 / 5


def test_money_is_tokens_by_the_price(tiny):
    cells = [settings(tiny, send=send, prices={"embedding": 2.0}) for send in (1, 2)]
    assert estimate(planned(cells, tiny)).usd == pytest.approx(29 * 2.0 / 1e6)


def test_two_prices_are_none(tiny):
    cells = [settings(tiny, prices={"embedding": price}) for price in (1.0, 2.0)]
    assert estimate(planned(cells, tiny)).usd is None


def test_what_the_cache_holds_takes_nothing(tiny, tmp_path):
    carried_out([settings(tiny)], tmp_path)
    assert estimate(planned([settings(tiny)], tmp_path)) == Estimate(0, 0)


def test_a_rate_is_of_all_options_of_the_embedder():
    names = [
        name_of(settings(embedder={"name": "minilm", "precision": precision}).embedder)
        for precision in ("fp32", "bf16")
    ]
    assert names == ["minilm device=cpu precision=fp32", "minilm device=cpu precision=bf16"]


def test_an_embedder_is_timed_where_it_embeds_enough(tiny, tmp_path, monkeypatch):
    carried_out([settings(tiny)], tmp_path)
    assert rates.recall(tiny / CACHE, "test") is None  # 29 tokens say nothing
    monkeypatch.setattr(rates, "TOKENS_NEEDED", 5)
    carried_out([settings(tiny, chunker="whole")], tmp_path)
    assert rates.recall(tiny / CACHE, "test") > 0


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("[1]", id="no names"),
        pytest.param('{"test": "fast"}', id="no number"),
        pytest.param('{"test": 0.0}', id="zero"),
        pytest.param('{"test": NaN}', id="not a number"),
    ],
)
def test_a_file_that_says_no_rate_is_begun_anew(tmp_path: Path, content):
    (tmp_path / rates.FILE).write_text(content)
    assert rates.recall(tmp_path, "test") is None
    rates.remember(tmp_path, "test", 40_000, 10.0)
    assert rates.recall(tmp_path, "test") == 4_000


def test_rates_are_kept_beside_each_other_and_replaced(tmp_path):
    for name, tokens in (("one", 20_000), ("two", 30_000), ("one", 40_000)):
        rates.remember(tmp_path, name, tokens, 1.0)
    assert (rates.recall(tmp_path, "one"), rates.recall(tmp_path, "two")) == (40_000, 30_000)


def test_where_no_rate_can_be_written_there_is_none(tmp_path):
    rates.remember(tmp_path / "no such folder", "test", 40_000, 10.0)
    assert rates.recall(tmp_path / "no such folder", "test") is None


def test_what_is_known_is_printed_and_in_the_json(tiny, monkeypatch, capsys):
    monkeypatch.chdir(tiny)
    (tiny / CACHE).mkdir()
    rates.remember(tiny / CACHE, "test", 20_000, 4_000.0)
    overrides = ["corpus.path=docs", "corpus.questions=questions.jsonl", "embedder=test", f"cache.dir={CACHE}"]
    overrides += ["chunker=paragraphs", "prices.embedding=2"]
    assert main(["sweep", "--dry-run", *overrides]) == 0
    assert "Embedding them: about 6 seconds at the rate of last time, 5.8e-05 US dollars." in capsys.readouterr().out
    assert main(["sweep", "--dry-run", "--format", "json", *overrides]) == 0
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert (plan["estimated_seconds"], plan["estimated_usd"]) == (5.8, pytest.approx(5.8e-5))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7_199, "120 minutes"), (7_200, "2 hours")],
)
def test_durations(seconds, words):
    assert duration(seconds) == words
