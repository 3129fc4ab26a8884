"""`chunksweep reproduce`: a past configuration, run again and compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from chunksweep.cli.arguments import Parser, add_store
from chunksweep.cli.console import Bars, note, show, show_json
from chunksweep.errors import ReproduceError
from chunksweep.reproduction import (
    Comparison,
    InputChanges,
    compare_inputs,
    compare_metrics,
    config_file,
    moved,
    read_run,
)
from chunksweep.tracking import Store, resolve_uri

WHAT = "Runs a past configuration again and compares its inputs and every metric with what was logged. Logs no run."
EXAMPLE = """\
exit codes: 0 identical, 1 a metric differs, 2 the inputs differ (nothing is computed then)

example, where 4f2a91 is how a run id begins:
  chunksweep reproduce 4f2a91
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code."""
    parser = Parser("reproduce", WHAT, EXAMPLE)
    add_store(parser)
    parser.add_argument("run_id", metavar="RUN_ID", help="a unique beginning will do")
    parser.add_argument("--corpus", metavar="PATH", help="where the documents lie now")
    parser.add_argument("--questions", metavar="FILE", help="where the questions lie now")
    parser.add_argument("--write-config", metavar="FILE", help="write the configuration to a new file, and do no more")
    parser.add_argument(
        "--trust-code", action="store_true", help="run a chunker that is not of this package, and code of a model"
    )
    own = parser.parse_args(arguments)
    store = Store(resolve_uri(own.tracking_uri, None))
    run = moved(read_run(store, own.run_id, trust_code=own.trust_code), own.corpus, own.questions)
    if own.write_config:
        write_new(own.write_config, config_file(run.settings, own.write_config))
        note(f"wrote {own.write_config}; its first line says how to run it.")
        return 0
    inputs = compare_inputs(run)
    with Bars() as bars:
        metrics = compare_metrics(run, bars) if inputs.same else {}
    identical = inputs.same and all(item.identical for item in metrics.values())
    if own.format == "json":
        show_json(shape(identical, inputs, metrics))
    else:
        tell(run.record.run_id, identical, inputs, metrics)
    if not inputs.same:
        return 2
    return 0 if identical else 1


def write_new(path: str, text: str) -> None:
    """Writes a file that is not there yet; raises ReproduceError where it is, or cannot be written."""
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ReproduceError(f"--write-config {path}: {error.strerror}. Give a new file ending in .yaml.") from error


def shape(identical: bool, inputs: InputChanges, metrics: dict[str, Comparison]) -> dict[str, Any]:
    """The JSON of the command."""
    return {
        "identical": identical,
        "inputs": {
            "changed": list(inputs.changed),
            "missing": list(inputs.missing),
            "new": list(inputs.new),
            "questions": "changed" if inputs.questions_changed else "same",
            "model": "changed" if inputs.model_changed else "same",
            **({"code": "changed"} if inputs.code_changed else {}),
            "versions": {name: {"logged": then, "now": now} for name, (then, now) in inputs.versions.items()},
        },
        "metrics": {
            name: {"logged": item.logged, "now": item.now} | ({"tied": True} if item.tied else {})
            for name, item in metrics.items()
        },
    }


def tell(run_id: str, identical: bool, inputs: InputChanges, metrics: dict[str, Comparison]) -> None:
    """Prints what differs, and what was found identical."""
    for what, names in (("changed", inputs.changed), ("missing", inputs.missing), ("new", inputs.new)):
        for name in names:
            print(f"document {what}: {name}")
    if inputs.questions_changed:
        print("questions changed")
    if inputs.model_changed:
        print("the model's weights are others")
    if inputs.code_changed:
        print("the file with the chunker changed")
    for name, (then, now) in inputs.versions.items():
        print(f"version of {name}: {then} then, {now} now")
    if not inputs.same:
        print(f"\nrun {run_id}: its inputs differ, so nothing was computed.")
        return
    differing = {name: item for name, item in metrics.items() if not item.identical}
    if differing:
        table = Table(box=None, pad_edge=False)
        for head in ("metric", "logged", "now"):
            table.add_column(head)
        for name, item in differing.items():
            table.add_row(name, str(item.logged), str(item.now))
        show(table)
    for name in (name for name, item in metrics.items() if item.tied):
        print(f"{name} differs only because hits within 2e-6 of each other changed places")
    verdict = "identical" if identical else f"{len(differing)} differ"
    print(f"run {run_id}: {len(metrics)} metrics compared, {verdict}.")
