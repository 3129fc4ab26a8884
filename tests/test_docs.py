"""What README, help texts and the comments of configuration files say can be done is done here."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.program import Outcome, invoke, plug_in, working_folder
from tests.embedders import tiny_models

from chunksweep.cli import COMMANDS, main
from chunksweep.cli.cells import settings_of
from chunksweep.paths import CORPORA, shipped

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
PAGES = [path.read_text(encoding="utf-8") for path in sorted((REPOSITORY / "docs").glob("*.md"))]
# Commands that take overrides: the vectors made by hand stand in for the model, which is not the point here.
COMPOSING = ("run", "sweep", "check", "chunks")
# Models that the examples name, and have to be fetched or made.
MODELS = ("bge-small", "own")
# Left out: it serves until it is interrupted, and is started in tests/test_offline.py.
SERVING = "ui"
GROUPS = [path.name for path in shipped("conf").iterdir() if path.is_dir() and path.name != "hydra"]


def code_blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def commands_in(text: str) -> list[str]:
    """The lines of a text that are commands of ours, comment marks before and remarks behind them aside."""
    found = re.findall(r"^[ #]*(chunksweep [a-z].*?)(?:\s+#.*)?$", text, re.MULTILINE)
    return [command for command in found if command.split()[1] in COMMANDS]


def documented() -> list[str]:
    """Every command line of blocks and running text of the README and of docs/, and of the help texts, once."""
    lines = [line for block in code_blocks("yaml") for line in commands_in(block)]
    for page in (README, *PAGES):
        lines += [line for block in code_blocks("sh", page) for line in commands_in(block)]
        lines += [line for line in re.findall(r"`(chunksweep [^`]+)`", page) if line.split()[1] in COMMANDS]
    for command in COMMANDS:
        lines += commands_in(help_of(command))
    return [line for line in dict.fromkeys(lines) if line.split()[1] != SERVING]


def help_of(command: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return out.getvalue()


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working folder with the documents and questions that the examples name, and the README's chunker."""
    parent = tmp_path_factory.mktemp("docs")
    (source,) = code_blocks("python")
    (config,) = code_blocks("yaml")
    plug_in(parent, "lines", source, config)
    with working_folder(parent) as folder, pytest.MonkeyPatch.context() as patch:
        (folder / "lines.py").write_text(source, encoding="utf-8")
        patch.syspath_prepend(str(parent / "plugins"))
        for name in ("docs", "my documents"):
            shutil.copytree(CORPORA / "runbooks" / "docs", folder / name)
        for seed, name in enumerate(MODELS):
            tiny_models.bert(folder / "models" / name, seed=seed)
        write_questions(folder)
        yield folder


def write_questions(folder: Path) -> None:
    """The files that `check --init` begins and a person fills in, in the two formats of the examples."""
    lines = (CORPORA / "runbooks" / "questions.jsonl").read_text(encoding="utf-8")
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    entries = [json.loads(line) for line in lines.splitlines()]
    (folder / "questions.yaml").write_text(yaml.safe_dump(entries), encoding="utf-8")


@pytest.fixture(scope="module")
def ids(workshop: Path) -> list[str]:
    """The run ids of a sweep of two cells."""
    sweep = invoke("sweep", "chunker=fixed,whole", "embedder=test", "hydra.launcher.n_jobs=1", "--format", "json")
    return [run["run_id"] for run in sweep.json["runs"]]


def run_documented(line: str, ids: list[str]) -> Outcome:
    """Runs a command line, with what it leaves open filled in."""
    if line.startswith("chunksweep diff "):
        return invoke("diff", *ids)  # whichever way the two ids come about: there is no shell here
    if line.startswith("chunksweep gate "):
        rest = shlex.split(line.partition("--max-drop")[2])
        faked = [] if "--run" in rest else ["embedder=test", "hydra.launcher.n_jobs=1"]
        return invoke("gate", "--baseline", ids[1], "--max-drop", *rest, *faked)
    if line.startswith("chunksweep reproduce "):
        return invoke("reproduce", ids[0], *shlex.split(line)[3:])  # the run of the example is someone else's
    _, command, *arguments = shlex.split(line)
    if "--init" in arguments:
        Path("questions.yaml").unlink()  # it writes none over another
    elif command in COMPOSING and arguments:
        named = any(argument.startswith("embedder=") for argument in arguments)
        arguments += ["hydra.launcher.n_jobs=1", *([] if named else ["embedder=test"])]
    if "chunker=lines" in line:
        arguments += ["--config-dir", "../conf"]
    return invoke(command, *arguments)


@pytest.mark.parametrize("line", documented())
def test_documented_commands_run(workshop: Path, ids: list[str], line: str) -> None:
    try:
        outcome = run_documented(line, ids)
    finally:
        write_questions(workshop)
    # A gate that closes has worked as well as one that stays open.
    assert outcome.code in ((0, 1) if line.startswith("chunksweep gate ") else (0,)), outcome.err
    assert outcome.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_text_shows_an_example(command: str) -> None:
    assert commands_in(help_of(command))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for examples, which are to be copied as they stand."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line for line in help_of(command).splitlines() if not line.startswith("  chunksweep ")]
    assert [line for line in lines if len(line) > 80] == []


def configuration_comments() -> list[str]:
    files = [*shipped("conf").rglob("*.yaml"), *shipped("sweeps").glob("*.yaml")]
    lines = [line for file in sorted(files) for line in commands_in(file.read_text(encoding="utf-8"))]
    return list(dict.fromkeys(lines))


@pytest.mark.parametrize("line", configuration_comments())
def test_the_examples_of_configuration_files_compose(workshop: Path, line: str) -> None:
    Path("tokenizer.json").touch()
    _, command, *arguments = shlex.split(line)
    if command == "sweep" and "=" not in arguments[0]:
        assert invoke(command, *arguments, "embedder=test", "--dry-run").code == 0
    else:
        assert settings_of(arguments, command)


@pytest.fixture(scope="module")
def composed() -> dict[str, Any]:
    configuration: dict[str, Any] = yaml.safe_load(invoke("run", "--cfg", "job").out)
    return configuration


def rows_under(head: str) -> list[list[str]]:
    """The cells of the README's table under this first cell of its head."""
    table = re.search(rf"^\| {re.escape(head)} \|.*\n\|[-|]+\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert table, head
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table[1].splitlines()]


def exists(key: str) -> bool:
    """Whether a key is in conf/: in config.yaml, as a group, or as an option of some member of a group."""
    top = yaml.safe_load((shipped("conf") / "config.yaml").read_text(encoding="utf-8"))
    group, _, option = key.partition(".")
    if not option:
        return group in GROUPS or group in top
    members = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (shipped("conf") / group).glob("*.yaml")]
    return any(option in member for member in (*members, top.get(group) or {}))


def test_every_key_of_the_readme_exists() -> None:
    listed = {key for row in rows_under("key") for key in re.findall(r"`([a-z._]+)`", row[0])}
    mentioned = {
        key for key in re.findall(r"`([a-z]+\.[a-z_]+)(?:=[^`]*)?`", README) if key.split(".")[0] in {*GROUPS, "prices"}
    }
    files = {"tokenizer.json"}
    assert [key for key in sorted(listed | mentioned - files) if not exists(key)] == []


def test_every_key_of_the_configuration_is_in_the_readme(composed: dict[str, Any]) -> None:
    listed = " ".join(row[0] for row in rows_under("key"))
    assert [key for key in composed if f"`{key}`" not in listed and f"`{key}." not in listed] == []


def test_the_defaults_of_the_readme_are_those_of_the_configuration(composed: dict[str, Any]) -> None:
    said = {row[0].strip("`"): yaml.safe_load(row[1].strip("`")) for row in rows_under("key") if row[1].count("`") == 2}
    actual = {
        key: value["name"] if isinstance(value, dict) and "name" in value else value for key, value in composed.items()
    }
    plain = {key: value for key, value in said.items() if key in actual}
    assert plain == {key: actual[key] for key in plain}
    assert {"chunker", "size", "overlap", "send", "k"} <= plain.keys()


def test_every_chunker_is_in_the_readme() -> None:
    listed = {row[0].strip("`") for row in rows_under("`chunker`")}
    assert listed == {path.stem for path in (shipped("conf") / "chunker").glob("*.yaml")}


def test_every_metric_of_the_readme_is_measured(ids: list[str]) -> None:
    named = set(re.findall(r"`((?:retrieval|spans|cost|chunks|time|corpus)/[a-z0-9_]+)`", README))
    measured = {name for run in invoke("compare", "--format", "json").json["runs"] for name in run["metrics"]}
    of_strategies = {"chunks/altered", "chunks/left_out", "chunks/unparsed"}  # only where a strategy counts them
    assert named
    assert named <= measured | of_strategies
