"""Costs as tables of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.machine import described
from benchmarks.measured import Cost

NAMES = {
    "naive": "naive loop: sentence-transformers loaded once, every cell embedded anew",
    "langchain": "LangChain's CacheBackedEmbeddings over LocalFileStore, query cache on",
    "engine": "chunksweep, cold, without MLflow",
    "cold": "chunksweep, cold, with MLflow",
    "warm": "chunksweep, warm, with MLflow",
    "send": "chunksweep, cold, without MLflow, `send=1,2,3,4`: 256 cells",
    "many": "chunksweep, 480 chunkings, with MLflow, embedder=test",
    "context-grid": "context-grid, 480 chunkings, TF-IDF, tracks nothing",
    "bf16": "chunksweep, cold, without MLflow, bf16",
    "encode": "the model alone on the distinct texts, fp32",
}


def document(
    *,
    size: str,
    threads: int,
    plan: Mapping[str, Any],
    costs: Mapping[str, Sequence[Cost]],
    rates: Sequence[Mapping[str, float]],
    deviation: Mapping[str, float],
    growth: Sequence[tuple[str, Cost, Cost]],
    ranked: Sequence[tuple[int, Cost]],
    ranked_questions: int,
) -> str:
    """The whole of docs/benchmarks.md."""
    rate = {dtype: mean(each[dtype] for each in rates) for dtype in ("float32", "bfloat16")}
    limit = plan["operations"] / rate["float32"]
    cpu = {name: median(cost.cpu for cost in of) for name, of in costs.items()}
    wall = {name: median(cost.wall for cost in of) for name, of in costs.items()}
    ratios = [
        ("cold without MLflow / fp32 limit", f"{cpu['engine'] / limit:.2f}"),
        ("the model alone / fp32 limit", f"{cpu['encode'] / limit:.2f}"),
        ("all but encoding, share of cold without MLflow", f"{1 - cpu['encode'] / cpu['engine']:.0%}"),
        ("naive / cold without MLflow", f"{cpu['naive'] / cpu['engine']:.1f}"),
        ("LangChain / cold without MLflow", f"{cpu['langchain'] / cpu['engine']:.1f}"),
        ("4 x naive / cold with a `send` axis of four", f"{4 * cpu['naive'] / cpu['send']:.1f}"),
        ("naive / bf16 cold without MLflow", f"{cpu['naive'] / cpu['bf16']:.1f}"),
        ("warm, cells a minute on the clock", f"{60 * plan['distinct_cells'] / wall['warm']:,.0f}"),
        ("warm, cells a minute of CPU", f"{60 * plan['distinct_cells'] / cpu['warm']:,.0f}"),
        ("context-grid / chunksweep, 480 chunkings", f"{cpu['context-grid'] / cpu['many']:.2f}"),
        ("the same on the clock", f"{wall['context-grid'] / wall['many']:.2f}"),
    ]
    contenders = [
        (
            NAMES[name],
            f"{cpu[name] / limit:.2f}",
            f"{cpu[name]:.1f}",
            f"{wall[name]:.1f}",
            f"{max(cost.peak for cost in of):,.0f}",
        )
        for name, of in costs.items()
    ]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            f"Written by `make bench SIZE={size}`. Machine: {described()}; float32 matrices at the model's shapes "
            f"{rate['float32'] / 1e9:,.0f} GFLOP/s a core, bfloat16 {rate['bfloat16'] / 1e9:,.0f}. It did other work "
            "at the same time, so seconds mean little here; ratios are of CPU seconds, of processes that took turns, "
            f"rounds: {len(costs['naive'])}, medians; OMP_NUM_THREADS={threads}. Each process is counted from start to "
            "exit, with imports, loading of the model and worker processes.",
            "",
            f"The grid: {plan['distinct_cells']} cells (4 strategies, 4 sizes, 2 overlaps, 2 prefixes) over a "
            f"generated text; {plan['texts']:,} texts, {plan['distinct_texts']:,} that the model reads differently, "
            f"{plan['embedded_tokens']:,} tokens of these. The limit: the {plan['operations'] / 1e9:,.0f} GFLOP that "
            f"they take at the rate at which one core multiplies float32 matrices, {limit:.1f} CPU seconds.",
            "",
            f"Starting takes {growth[0][2].cpu:.1f} CPU seconds however long the text is (a warm sweep of the shortest "
            "one): on a small text that is much of the whole.",
            "",
            *table(["ratio", ""], ratios),
            "",
            *table(["", "/ limit", "CPU s", "seconds", "peak MB, largest process"], contenders),
            "",
            "## bf16",
            "",
            f"Against fp32 on the same texts a vector moves by at most {deviation['largest']:.1e} in cosine, and the "
            f"best chunk changes for {deviation['changed']:,} of {deviation['asked']:,} questions and cells.",
            "",
            "## Growth",
            "",
            *table(
                ["", "cold CPU s", "cold peak MB", "warm CPU s", "warm peak MB"],
                [
                    (name, f"{cold.cpu:.1f}", f"{cold.peak:,.0f}", f"{warm.cpu:.1f}", f"{warm.peak:,.0f}")
                    for name, cold, warm in growth
                ],
            ),
            "",
            "Without MLflow. Peak memory is that of the largest process.",
            "",
            "## Ranking",
            "",
            f"{ranked_questions} questions, the best ten chunks of each, vectors of 384 dimensions mapped into memory "
            "from a file whose pages count in the peak.",
            "",
            *table(
                ["chunks", "CPU s", "CPU ns a chunk and question", "peak MB"],
                [
                    (
                        f"{chunks:,}",
                        f"{cost.said['cpu']:.2f}",
                        f"{cost.said['cpu'] / chunks / ranked_questions * 1e9:.0f}",
                        f"{cost.peak:,.0f}",
                    )
                    for chunks, cost in ranked
                ],
            ),
            "",
        ]
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
