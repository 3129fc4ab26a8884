"""Cuts documents in a process of its own, where no hash, no cache and no earlier document can help."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunksweep import stages
from chunksweep.chunkers import make
from chunksweep.contract.promises import split
from chunksweep.errors import ChunkingError
from chunksweep.records import Document, Span
from chunksweep.settings import Choice, TokenizerSettings

_COMMAND = "from chunksweep.contract.fresh import answer; answer()"


@dataclass(frozen=True, slots=True)
class Case:
    """A document and how it is cut; plain data.

    tokenizer, embedder  what counts sizes in tokens, as stages.tokenizer_of takes them
    """

    document: Document
    name: str
    options: Mapping[str, Any]
    size: int | None
    overlap: int
    tokenizer: TokenizerSettings
    embedder: Choice


def cut_afresh(cases: Sequence[Case]) -> list[list[Span]]:
    """The chunks of every case.

    Raises ChunkingError where the process ends otherwise than by giving them.
    """
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _COMMAND],
        input=pickle.dumps(cases),
        env=os.environ | {"PYTHONHASHSEED": "7"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[-1]
        raise ChunkingError(f"a fresh process could not cut: {last}")
    # Written by the process that was just started here.
    found: list[list[Span]] = pickle.loads(done.stdout)  # noqa: S301
    return found


def answer() -> None:
    """In the process: reads cases from standard input and writes their chunks to standard output."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # what a strategy prints must not get in between
    cases: list[Case] = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - written by the parent
    out.write(pickle.dumps([_cut(case) for case in cases]))


def _cut(case: Case) -> list[Span]:
    chunker = make(case.name, case.options, case.size, case.overlap)
    return split(chunker, case.document, stages.tokenizer_of(case.tokenizer, case.embedder))
