"""What runs in a worker process, without one."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import pytest
from tests.tiny_corpus import UNITS, settings

from chunksweep import stages
from chunksweep.sweep.worker import Failure, Split, SplitTask, run_split

HEAVY = ("hydra", "omegaconf", "mlflow", "torch", "transformers", "sentence_transformers", "pandas", "rich")


def test_importing_the_worker_loads_nothing_heavy():
    code = "import json, sys, chunksweep.sweep.worker; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in HEAVY if name in json.loads(done.stdout)] == []


@pytest.fixture
def inputs_file(tiny):
    path = tiny / "inputs.pickle"
    path.write_bytes(pickle.dumps(stages.read_inputs(settings(tiny).corpus)))
    return path


def test_split_counts_with_every_tokenizer_asked_for(tiny, inputs_file):
    cell, other = settings(tiny), settings(tiny, tokenizer="cl100k")
    counted = tuple((each.tokenizer, each.embedder) for each in (cell, other))
    split = run_split(SplitTask(inputs_file, cell, counted))
    assert isinstance(split, Split)
    assert len(split.chunks) == 4
    assert set(split.tokens) == set(counted)
    for key in counted:
        assert split.tokens[key].tolist() == stages.tokenizer_of(*key).count(UNITS).tolist()
    assert split.seconds >= 0


def test_a_fault_is_kept_with_its_trace(tmp_path):
    failure = run_split(SplitTask(tmp_path / "gone.pickle", settings(), ()))
    assert isinstance(failure, Failure)
    assert failure.reason.startswith("FileNotFoundError: ")
    assert "Traceback" in failure.trace


def test_tasks_and_results_can_be_sent_to_another_process(tiny, inputs_file):
    task = SplitTask(inputs_file, settings(tiny), ())
    again = pickle.loads(pickle.dumps(task))  # noqa: S301
    assert again == task
    split = pickle.loads(pickle.dumps(run_split(again)))  # noqa: S301
    assert split.chunks.start.tolist() == run_split(task).chunks.start.tolist()
