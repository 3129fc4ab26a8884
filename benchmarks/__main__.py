"""Runs all contenders side by side and prints what they cost as tables of Markdown, ratios first.

    python -m benchmarks --size small --out docs/benchmarks.md

The contenders of a table take turns, and ratios are of CPU seconds, so that they say something on a machine that does
other work too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.limit import operations
from benchmarks.measured import Cost, measured
from benchmarks.text import write_corpus

QUESTIONS = 10
RANKED_QUESTIONS = 50
RANKED_CHUNKS = (1_000, 100_000, 1_000_000)
# name -> characters of the text, rounds
SIZES = {"small": (4_000, 1), "medium": (40_000, 1), "full": (1_000_000, 1)}
GRIDS = {16: ("overlap=0", "prefix=none"), 64: (), 256: ("send=1,2,3,4",)}
PYTHON = [sys.executable, "-m"]


@dataclass(frozen=True, slots=True)
class Bench:
    """Runs processes and measures them; all that they write lies below `folder`."""

    folder: Path

    def contender(self, name: str, corpus: Path, *arguments: str) -> Cost:
        """One of contenders.py."""
        print(f"{corpus.name}: {name} {' '.join(arguments)}", file=sys.stderr)
        return measured([*PYTHON, "benchmarks.contenders", name, str(corpus), *arguments])

    def engine(self, corpus: Path, *overrides: str) -> Cost:
        """A sweep without MLflow, its cache empty."""
        return self.contender("engine", corpus, f"cache.dir={self.new_folder()}", *overrides)

    def sweep(self, name: str, corpus: Path, cache: Path) -> Cost:
        """The command itself, with a tracking store that is new."""
        print(f"{corpus.name}: sweep {name}", file=sys.stderr)
        return measured(
            [
                Path(sys.executable).with_name("chunksweep"),
                "sweep",
                name,
                f"--config-dir={Path(__file__).parent / 'conf'}",
                f"--tracking-uri=sqlite:///{self.new_folder()}/mlflow.db",
                f"corpus.path={corpus / 'docs'}",
                f"corpus.questions={corpus / 'questions.jsonl'}",
                f"cache.dir={cache}",
            ]
        )

    def corpus(self, characters: int) -> Path:
        """A corpus of this length."""
        folder = self.folder / f"{characters}-characters"
        if not folder.exists():
            write_corpus(folder, characters, QUESTIONS)
        return folder

    def new_folder(self) -> Path:
        """An empty folder."""
        return Path(tempfile.mkdtemp(dir=self.folder))


def side_by_side(bench: Bench, corpus: Path, rounds: int) -> tuple[dict[str, Any], dict[str, list[Cost]], list[Any]]:
    """The plan's counts, the costs of every contender by round, and the machine's rates by round."""
    plan = bench.contender("prepare", corpus, f"cache.dir={bench.new_folder()}").said
    costs: dict[str, list[Cost]] = defaultdict(list)
    rates = []
    for _ in range(rounds):
        rates.append(measured([*PYTHON, "benchmarks.limit"]).said)
        cache = bench.new_folder()
        costs["engine"].append(bench.engine(corpus))
        costs["naive"].append(bench.contender("naive", corpus))
        costs["encode"].append(bench.contender("encode", corpus))
        costs["langchain"].append(bench.contender("langchain", corpus))
        costs["cold"].append(bench.sweep("bench", corpus, cache))
        costs["warm"].append(bench.sweep("bench", corpus, cache))
        costs["send"].append(bench.engine(corpus, *GRIDS[256]))
        costs["many"].append(bench.sweep("many", corpus, bench.new_folder()))
        costs["context-grid"].append(bench.contender("context_grid", corpus))
        costs["bf16"].append(bench.engine(corpus, "embedder.precision=bf16"))
        rates.append(measured([*PYTHON, "benchmarks.limit"]).said)
    plan["operations"] = operations(plan["lengths"])
    return plan, costs, rates


def growth(bench: Bench, characters: int) -> list[tuple[str, Cost, Cost]]:
    """(name, cold, warm) of three lengths of text, then of three grids over the shortest."""
    quarter = characters // 4
    settings = [(f"64 cells, text x{times}", times * quarter, GRIDS[64]) for times in (1, 2, 4)]
    settings += [(f"{cells} cells, text x1", quarter, GRIDS[cells]) for cells in (16, 256)]
    found = []
    for name, length, overrides in settings:
        corpus, cache = bench.corpus(length), f"cache.dir={bench.new_folder()}"
        cold = bench.contender("engine", corpus, cache, *overrides)
        found.append((name, cold, bench.contender("engine", corpus, cache, *overrides)))
    return found


def ranked(bench: Bench) -> list[tuple[int, Cost]]:
    """Ranking at each of RANKED_CHUNKS, the vectors in a file."""
    found = []
    for chunks, number in zip(RANKED_CHUNKS, count()):
        file = bench.folder / f"vectors-{number}.npy"
        measured([*PYTHON, "benchmarks.ranking", "write", file, str(chunks)])
        print(f"ranking {chunks:,} chunks", file=sys.stderr)
        found.append((chunks, measured([*PYTHON, "benchmarks.ranking", "rank", file, str(RANKED_QUESTIONS)])))
        file.unlink()
    return found


def main() -> None:
    """Runs everything; the tables go to standard output, and to --out as well."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="full", help="of the text; small takes minutes, full hours")
    parser.add_argument("--out", type=Path, help="a file for the tables")
    parser.add_argument("--threads", type=int, default=1, help="of each process; more than 1 spins on a busy machine")
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(asked.threads)
    characters, rounds = SIZES[asked.size]
    with tempfile.TemporaryDirectory(prefix="chunksweep-bench-") as folder:
        bench = Bench(Path(folder))
        corpus = bench.corpus(characters)
        plan, costs, rates = side_by_side(bench, corpus, rounds)
        text = report.document(
            size=asked.size,
            threads=asked.threads,
            plan=plan,
            costs=costs,
            rates=rates,
            deviation=bench.contender("deviation", corpus).said,
            growth=growth(bench, characters),
            ranked=ranked(bench),
            ranked_questions=RANKED_QUESTIONS,
        )
    print(text)
    if asked.out:
        asked.out.parent.mkdir(exist_ok=True)
        asked.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
