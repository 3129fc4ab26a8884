"""`chunksweep check`: what is wrong with documents and questions, before anything is embedded."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from chunksweep import stages
from chunksweep.checking import check
from chunksweep.cli.arguments import QUOTING, Parser, add_store
from chunksweep.cli.cells import settings_of, tell_some
from chunksweep.cli.console import Bars, show, show_json
from chunksweep.contract.trial import Trial, documents_for, try_out
from chunksweep.errors import ConfigError, CorpusError
from chunksweep.questions.suggest import LONGEST, SHORTEST, Suggestion, file_text, suggest
from chunksweep.records import Corpus
from chunksweep.report import contract, problems
from chunksweep.report.labels import label, telling
from chunksweep.sweep.sweeper import literal

WHAT = (
    "Reads documents and questions and says what is wrong with them, and with sizes, before anything is embedded. "
    "Exits 2 where there is an error, 0 where there are warnings only. With --contract it tries the chunker instead, "
    "and exits 1 where that breaks a promise."
)
EXAMPLE = f"""\
Every other argument goes to Hydra, as for `run` and `sweep`: a comma list such as size=200,400 checks all these sizes.

{QUOTING}
examples:
  chunksweep check
  chunksweep check corpus=runbooks chunker=fixed,recursive size=400,4000
  chunksweep check --init docs
  chunksweep check --contract chunker=sentences
"""
USAGE = "[--contract | --init FOLDER_OR_FILE [--out FILE]] [--format table|json] [--tracking-uri URI] [OVERRIDE ...]"
OUT = "questions.yaml"
HEADER = """\
Questions to measure with. Write one below as many passages as you like; ten are
a start, and half an hour's work. Then:

  {check}
  {sweep}

question  as someone asks who has not read the document, in words of their own;
          in double quotes where it holds a colon or a #
fact      what answers it, word for word. Shorten it to what the answer needs, or
          paste another passage of the document
section   the section it stands in. Adjust it or leave it out with another fact

An entry without a question is left out. An entry may have several facts, all of
them needed:  facts: ["first", "second"]
"""
# What Hydra takes as it stands, and so does a shell.
BARE_PATH = re.compile(r"[A-Za-z0-9_./-]+")


def main(arguments: Sequence[str]) -> int:
    """Runs the command; gives its exit code: 2 where there is an error."""
    parser = Parser("check", WHAT, EXAMPLE, USAGE)
    add_store(parser)
    parser.add_argument(
        "--init", metavar="FOLDER_OR_FILE", help="write a questions file to fill in, with passages of these documents"
    )
    parser.add_argument("--out", metavar="FILE", help=f"its name, ending in .yaml (default: {OUT})")
    parser.add_argument(
        "--contract", action="store_true", help="cut hard documents and see whether the chunker keeps what all keep"
    )
    own, overrides = parser.parse_known_args(arguments)
    if own.contract and (own.init or own.out):
        raise ConfigError("--contract tries a chunker, --init writes questions. Give one of them.")
    if own.contract:
        return try_chunkers(own, overrides)
    if own.init is not None:
        return initialise(own, overrides)
    if own.out is not None:
        raise ConfigError("--out names the file that --init writes. Give --init FOLDER_OR_FILE with it.")
    cells = settings_of(overrides, "check")
    if cells is None:
        return 0
    checked = check(cells)
    if own.format == "json":
        show_json(problems.shape(checked))
    else:
        print(problems.text(checked))
    return 2 if checked.with_level("error") else 0


def try_chunkers(own: argparse.Namespace, overrides: Sequence[str]) -> int:
    """Tries the chunker of every cell; gives the exit code, 1 where one breaks a promise."""
    cells = settings_of(overrides, "check")
    if cells is None:
        return 0
    keys = telling([cell.params() for cell in cells])
    trials: list[tuple[str, Trial]] = []
    with Bars() as bars:
        for cell in cells:
            documents = documents_for(cell.corpus)
            bars.step("cutting", len(documents))
            trials.append((label(cell.params(), keys), try_out(cell, documents, bars.advance)))
    if own.format == "json":
        show_json(contract.shape(trials))
    else:
        show(contract.view(trials))
    return 1 if any(trial.broken for _, trial in trials) else 0


def initialise(own: argparse.Namespace, overrides: Sequence[str]) -> int:
    """Writes a questions file to fill in; gives the exit code.

    Raises CorpusError where the documents have no passage to suggest, ConfigError where the file cannot be written.
    """
    out = Path(own.out or OUT)
    require_new(out)
    cells = settings_of([f"corpus.path={literal(own.init)}", *overrides], "check")
    if cells is None:
        return 0
    if cells[0].corpus.questions is not None:
        raise ConfigError("--init writes the questions file: leave corpus.questions out and name the file with --out.")
    corpus = stages.read_documents(cells[0].corpus)
    tell_some([f"{file.document} was not read: it {file.reason}" for file in corpus.unread])
    suggestions = suggest(corpus)
    if not suggestions:
        raise CorpusError(nothing_to_suggest(own.init, corpus))
    steps = next_steps(own.init, out)
    write_new(out, file_text(suggestions, HEADER.format(**steps)))
    if own.format == "json":
        show_json({"file": str(out), "passages": len(suggestions)})
    else:
        print(written(out, suggestions, steps))
    return 0


def require_new(path: Path) -> None:
    """Raises ConfigError unless the path may become a YAML file: an answer before the documents are read."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise ConfigError(f"--out {path}: a name that ends in .yaml is needed, since the file is YAML.")
    if path.exists():
        raise already_there(path)


def already_there(path: Path) -> ConfigError:
    """The error for a file that is not overwritten."""
    return ConfigError(f"{path} exists and is not overwritten. Name another with --out FILE, or move it away.")


def write_new(path: Path, text: str) -> None:
    """Writes a file that is not there yet.

    Raises ConfigError where it is there, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise already_there(path) from error
    except OSError as error:
        raise ConfigError(f"--out {path} cannot be written ({error.strerror}). Name another file.") from error


def next_steps(documents: str, questions: Path) -> dict[str, str]:
    """The commands that follow, as they are typed."""
    own = f"{override('corpus.path', documents)} {override('corpus.questions', str(questions))}"
    return {"check": f"chunksweep check {own}", "sweep": f"chunksweep sweep first_look {own}"}


def override(key: str, path: str) -> str:
    """`key=path`, quoted for Hydra and for the shell where that is needed."""
    return f"{key}={path}" if BARE_PATH.fullmatch(path) else shlex.quote(f"{key}={literal(path)}")


def written(path: Path, suggestions: Sequence[Suggestion], steps: dict[str, str]) -> str:
    """What was written, and what comes next."""
    documents = len({suggestion.document for suggestion in suggestions})
    return (
        f"{path}: {len(suggestions)} passages of {documents} documents. Write a question below as many as\n"
        f"you like, ten are a start; what has none is left out. Then:\n\n  {steps['check']}\n  {steps['sweep']}"
    )


def nothing_to_suggest(path: str, corpus: Corpus) -> str:
    """The line for documents without a sentence that can be asked about."""
    return (
        f"{path}: no sentence of {SHORTEST} to {LONGEST} characters of running text that stands in one place only, in "
        f"{len(corpus.documents)} documents. Write the questions file by hand: a question and its fact an entry."
    )
