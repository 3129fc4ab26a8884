"""The store itself: what is logged, found and marked.

Names: parameters and metrics are logged under the names of the configuration and of measures/; tags of ours begin
with `chunksweep.`. Runs are flat: a cell is a run of kind `cell`, a sweep is a run of kind `sweep` that its cells name
by their tag `chunksweep.sweep_id`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from getpass import getuser
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from filelock import FileLock

from chunksweep.errors import TrackingError
from chunksweep.living import Living
from chunksweep.paths import cache_folder
from chunksweep.plain_text import param_text, param_value
from chunksweep.records import RunRecord
from chunksweep.report.mlflow_view import search_filter, view_key, view_tag
from chunksweep.report.verdict import Judged, read_verdicts
from chunksweep.tracking.logbook import Logbook
from chunksweep.tracking.runs import CellRun, PastSweep, now_ms, record_of
from chunksweep.tracking.sqlite import insert, make_sqlite_fast, require_database, rows_of
from chunksweep.tracking.uri import SQLITE

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Experiment, Run
    from sqlalchemy import Engine

PAGE = 1000
VERDICT = "verdict.json"
REPORT = "report.html"
LEADERBOARD = "leaderboard.json"
# Tags of a sweep's run: what it is made of, and how many cells were taken over when it was resumed.
PLAN = "chunksweep.plan_sha256"
RESUMED = "chunksweep.resumed"


class Store:
    """A tracking store and one experiment in it.

    Nothing is opened before it is needed. Raises TrackingError where the store cannot be reached or written.
    """

    def __init__(self, uri: str, experiment: str = "chunksweep") -> None:
        self.uri = uri
        self.experiment_name = experiment
        self._client: MlflowClient | None = None
        self._experiment: Experiment | None = None
        self._opened: int | None = None
        # The last artifact of each name in a local store.
        self._written: dict[str, tuple[str, Path]] = {}

    @property
    def folder(self) -> Path | None:
        """The folder of a local store."""
        return Path(self.uri.removeprefix(SQLITE)).parent if self.uri.startswith(SQLITE) else None

    def prepare(self) -> None:
        """Imports MLflow in the background, which takes longer than all else of a small sweep."""
        _quiet_mlflow()
        modules = ["mlflow", *(["mlflow.store.tracking.sqlalchemy_store"] if self.folder is not None else [])]
        Thread(target=lambda: [import_module(module) for module in modules], daemon=True).start()

    def open(self) -> None:
        """Creates the store and the experiment where they are missing; workers must never be the first to."""
        with self._errors():
            if self.folder is None:
                self._experiment = self._existing() or self._create()
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self.folder, os.W_OK):
                raise PermissionError(f"the folder {self.folder} cannot be written")
            # Two processes that create MLflow's tables at once leave a database that neither can use.
            with FileLock(self.folder / "creating.lock"):
                self._experiment = self._existing() or self._create()
            self._opened = self._database.stat().st_ino

    @property
    def living(self) -> Living:
        """The sweeps of this store that run on this machine."""
        if self.folder is not None:
            return Living(self.folder / "running")
        # Machines share the store but not this folder: a sweep of another machine is not judged from here.
        return Living(cache_folder(None) / "running" / hashlib.sha256(self.uri.encode()).hexdigest()[:16])

    def end_dead_sweeps(self) -> None:
        """Marks runs as KILLED that are RUNNING though the process of their sweep is dead."""
        for sweep_id in self.living.dead():
            of_sweep = f"tags.`chunksweep.sweep_id` = '{_quoted(sweep_id)}' and attributes.status = 'RUNNING'"
            for run in list(self._search(of_sweep)):
                with self._errors():
                    self._connected().set_terminated(run.info.run_id, "KILLED")

    def begin_sweep(
        self,
        sweep_id: str,
        name: str | None,
        params: Mapping[str, Any],
        tags: Mapping[str, str],
        began_ms: int | None = None,
    ) -> str:
        """The run of the sweep itself, RUNNING until `end_sweep`; gives its run id."""
        with self._errors():
            return self._begin(
                f"sweep {name or sweep_id}",
                {
                    "chunksweep.kind": "sweep",
                    "chunksweep.sweep_id": sweep_id,
                    "chunksweep.sweep_name": name or "",
                    **_tables(LEADERBOARD),
                    **tags,
                },
                params,
                {},
                now_ms() if began_ms is None else began_ms,
            )

    def continue_sweep(self, run_id: str, resumed: int) -> None:
        """Sets the run of a sweep that ended to RUNNING again.

        resumed  cells that are taken over
        """
        with self._errors():
            self._connected().set_tag(run_id, RESUMED, str(resumed))
            self._connected().update_run(run_id, status="RUNNING")

    def replace_runs(self, run_ids: Iterable[str]) -> None:
        """Takes runs out of their sweep, since their cell is run again: they are kept as runs of kind `replaced`."""
        with self._errors():
            for run_id in run_ids:
                self._connected().set_tag(run_id, "chunksweep.kind", "replaced")

    def end_sweep(self, run_id: str, status: str, files: Mapping[str, str]) -> None:
        """Writes the sweep's artifacts and closes its run as FINISHED, FAILED or KILLED."""
        with self._errors():
            self._write_files(run_id, files)
            self._connected().set_terminated(run_id, status)

    def save_view(self, sweep_id: str, state: str) -> None:
        """Keeps what MLflow's page of runs shows of a sweep, see report/mlflow_view.py; one experiment tag a sweep.

        Where MLflow does not take it nothing is raised: address_of_sweep then shows the same runs in MLflow's columns,
        and a sweep that was carried out must not fail for the looks of a page.
        """
        with suppress(TrackingError), self._errors():
            experiment = self._existing()
            if experiment is not None:
                self._connected().set_experiment_tag(experiment.experiment_id, view_tag(sweep_id), state)

    @contextmanager
    def logging_cells(self) -> Iterator[Callable[[CellRun], str]]:
        """What logs a cell as `log_cell` does, for many: a local store is written beside the caller's work.

        When the context is left all are written, also when it is left by an error. What goes wrong in writing is raised
        at a later cell, or on leaving.
        """
        if self._artifacts is None:
            yield self.log_cell
            return
        with Logbook(self._write_runs) as logbook:
            yield logbook.add

    def log_cell(self, cell: CellRun) -> str:
        """Logs one cell as a finished or failed run; gives its run id."""
        with self._errors():
            self._connected()
            if self._artifacts is not None:
                run_id = uuid.uuid4().hex
                self._write_runs([(run_id, cell)])
                return run_id
            run_id = self._begin(cell.name, {**_OF_CELLS, **cell.tags}, cell.params, cell.metrics, cell.began_ms)
            with self._killed_unless_done(run_id):
                self._write_files(run_id, cell.files)
            self._connected().set_terminated(run_id, cell.status)
            return run_id

    def _write_runs(self, runs: Sequence[tuple[str, CellRun]]) -> None:
        """Writes runs into a local store; where one cannot be written, those before it are."""
        with self._errors():
            tags, written = {**_made_by(), **_OF_CELLS}, []
            try:
                for run_id, cell in runs:
                    self._write_files(run_id, cell.files)
                    place = {
                        "experiment_id": self._known().experiment_id,
                        "artifact_uri": self._artifact_folder(run_id).as_uri(),
                    }
                    written.append(rows_of(run_id, cell, tags, place))
            finally:
                insert(self._engine, written)

    def sweeps(self) -> list[dict[str, Any]]:
        """Past sweeps, newest first: id, name, status, start in milliseconds, cells taken over, and parameters."""
        return [
            {
                "sweep_id": run.data.tags["chunksweep.sweep_id"],
                "sweep_name": run.data.tags.get("chunksweep.sweep_name") or None,
                "status": run.info.status,
                "started_ms": run.info.start_time,
                "resumed": int(run.data.tags.get(RESUMED, 0)),
                "params": {key: param_value(text) for key, text in run.data.params.items()},
            }
            for run in self._search("tags.`chunksweep.kind` = 'sweep'")
        ]

    def sweep(self, beginning: str | None = None) -> dict[str, Any]:
        """The sweep whose id begins so, or the latest; as `sweeps` gives it.

        Raises TrackingError where there is none or more than one.
        """
        sweeps = self.sweeps()
        if not sweeps:
            raise TrackingError(f"no sweep is in {self.uri}. Run one with `chunksweep sweep runbooks`.")
        if beginning is None:
            return sweeps[0]
        fitting = [sweep for sweep in sweeps if sweep["sweep_id"].startswith(beginning)]
        exact = [sweep for sweep in fitting if sweep["sweep_id"] == beginning]
        if len(exact or fitting) != 1:
            raise TrackingError(f"{beginning}: {len(fitting)} sweeps begin so. `chunksweep list` shows their ids.")
        return (exact or fitting)[0]

    def latest_of_plan(self, plan_sha256: str) -> PastSweep | None:
        """The latest sweep of this experiment that has this digest as tag `chunksweep.plan_sha256`."""
        experiment = self._existing()
        if experiment is None:
            return None
        condition = f"tags.`chunksweep.kind` = 'sweep' and tags.`{PLAN}` = '{_quoted(plan_sha256)}'"
        of_plan = (run for run in self._search(condition) if run.info.experiment_id == experiment.experiment_id)
        return next(
            (
                PastSweep(run.info.run_id, run.data.tags["chunksweep.sweep_id"], run.info.status, run.info.start_time)
                for run in of_plan
            ),
            None,
        )

    def count_sweeps_on(self, questions_sha256: str, before_ms: int) -> int:
        """How many sweeps and runs alone, finished or not, began before on the questions file of this digest."""
        condition = (
            f"tags.`chunksweep.questions_sha256` LIKE '%{_quoted(questions_sha256)}%' "
            f"and attributes.start_time < {before_ms}"
        )
        return sum(1 for _ in self._search(f"tags.`chunksweep.kind` = 'sweep' and {condition}"))

    def judged(self, sweep_id: str) -> tuple[Judged, ...]:
        """The verdicts of a sweep; () where it ended before one could be drawn, or has a single cell."""
        run = self._run_of_sweep(sweep_id)
        if run is None or not self.has(run.info.run_id, VERDICT):
            return ()
        return read_verdicts(self.artifact(run.info.run_id, VERDICT))

    def attach(self, sweep_id: str, files: Mapping[str, str]) -> None:
        """Adds artifacts to the run of a sweep that has ended, or replaces them."""
        run = self._run_of_sweep(sweep_id)
        if run is None:
            return
        with self._errors():
            known = self._beside(run.info.run_id, LEADERBOARD)
            if known is None:
                self._write_files(run.info.run_id, files)
                return
            for name, content in files.items():
                known.with_name(name).write_text(content, encoding="utf-8", newline="\n")

    def cells(self, sweep_id: str) -> list[RunRecord]:
        """The cells of a sweep, oldest first; runs that never ended are left out."""
        runs = self._search(f"tags.`chunksweep.kind` = 'cell' and tags.`chunksweep.sweep_id` = '{_quoted(sweep_id)}'")
        return [record_of(run) for run in reversed(list(runs)) if run.info.status in ("FINISHED", "FAILED")]

    def finished(self) -> Iterator[RunRecord]:
        """The finished runs of one configuration, of all sweeps, newest first."""
        for run in self._search("tags.`chunksweep.kind` = 'cell' and attributes.status = 'FINISHED'"):
            yield record_of(run)

    def find(self, beginning: str) -> RunRecord:
        """The run whose id begins so.

        Raises TrackingError where there is none or more than one.
        """
        if not beginning.isalnum():
            raise TrackingError(f"{beginning} is no run id. `chunksweep compare --format csv` shows them.")
        found = list(self._search(f"attributes.run_id LIKE '{beginning}%'"))
        if len(found) != 1:
            raise TrackingError(
                f"{beginning}: {len(found)} runs of {self.uri} begin so. "
                "`chunksweep compare --format csv` shows their ids."
            )
        return record_of(found[0])

    def artifact(self, run_id: str, name: str) -> str:
        """The text of an artifact of a run.

        Raises TrackingError where the run has none of that name.
        """
        beside = self._beside(run_id, name)
        if beside is not None:
            return beside.read_text(encoding="utf-8")
        with self._errors(), tempfile.TemporaryDirectory(prefix="chunksweep-") as folder:
            if not self.has(run_id, name):
                raise TrackingError(f"run {run_id} has no artifact {name}: it failed, or another program logged it.")
            return Path(self._connected().download_artifacts(run_id, name, folder)).read_text(encoding="utf-8")

    def artifact_if_any(self, run_id: str, name: str) -> str | None:
        """The text of an artifact; None where the run has none of that name, as runs of an earlier version."""
        return self.artifact(run_id, name) if self.has(run_id, name) else None

    def _beside(self, run_id: str, name: str) -> Path | None:
        """The file of an artifact in the folder of a local store.

        MLflow keeps absolute paths, which a project folder that was moved leaves behind.
        """
        if self.folder is None:
            return None
        file = self.folder / "artifacts" / run_id / "artifacts" / name
        return file if file.is_file() else None

    def address_of_sweep(self, sweep_id: str) -> str:
        """The part of the MLflow UI's address after the host that shows exactly the cells of a sweep.

        It names the view that save_view kept, else the filter: MLflow ignores a view beside a filter, and turns a
        view that it does not find into an error on the page.
        """
        run = next(self._search(f"tags.`chunksweep.sweep_id` = '{_quoted(sweep_id)}'"), None)
        number = run.info.experiment_id if run else "0"
        with self._errors():
            kept = run is not None and view_tag(sweep_id) in self._connected().get_experiment(number).tags
        shown = f"viewStateShareKey={view_key(sweep_id)}" if kept else f"searchFilter={quote(search_filter(sweep_id))}"
        return f"/#/experiments/{number}/runs?workflowType=machine_learning&{shown}"

    def _run_of_sweep(self, sweep_id: str) -> Run | None:
        condition = f"tags.`chunksweep.kind` = 'sweep' and tags.`chunksweep.sweep_id` = '{_quoted(sweep_id)}'"
        return next(self._search(condition), None)

    def has(self, run_id: str, name: str) -> bool:
        """Whether the run has an artifact of this name."""
        if self._beside(run_id, name) is not None:
            return True
        with self._errors():
            return name in {file.path for file in self._connected().list_artifacts(run_id)}

    def _require_same_database(self) -> None:
        """Raises FileNotFoundError where the database is no longer the file that was opened.

        SQLite would go on writing into the file that was deleted, and nobody would ever read it.
        """
        if self._opened is not None and (not self._database_exists() or self._database.stat().st_ino != self._opened):
            raise FileNotFoundError(f"{self._database} was deleted or replaced while it was in use")

    def _connected(self) -> MlflowClient:
        self._require_same_database()
        if self._client is None:
            _quiet_mlflow()
            from mlflow import MlflowClient  # noqa: PLC0415 - 1.4 s, and only needed once a store is touched

            # It prints the trace of every fault of the database, which reaches us as an exception as well.
            logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
            if self.folder is not None:
                require_database(self._database)
                make_sqlite_fast()
            self._client = MlflowClient(tracking_uri=self.uri, registry_uri=self.uri)
        return self._client

    def _existing(self) -> Experiment | None:
        if self._experiment is None and not (self.folder is not None and not self._database_exists()):
            self._experiment = self._connected().get_experiment_by_name(self.experiment_name)
        return self._experiment

    def _known(self) -> Experiment:
        experiment = self._existing()
        if experiment is None:
            raise TrackingError(f"the experiment {self.experiment_name} is not in {self.uri}.")
        return experiment

    @cached_property
    def _engine(self) -> Engine:
        """The database of a local store; its connection stays open, as the last to close rewrites the database."""
        from sqlalchemy import create_engine  # noqa: PLC0415 - comes with MLflow

        return create_engine(self.uri, pool_size=1)

    @property
    def _database(self) -> Path:
        """The file of a local store."""
        return Path(self.uri.removeprefix(SQLITE))

    def _database_exists(self) -> bool:
        return self._database.is_file()

    def _create(self) -> Experiment:
        client = self._connected()
        place = (self.folder / "artifacts").as_uri() if self.folder is not None else None
        return client.get_experiment(client.create_experiment(self.experiment_name, artifact_location=place))

    def _begin(
        self,
        name: str,
        tags: Mapping[str, str],
        params: Mapping[str, Any],
        metrics: Mapping[str, float],
        began_ms: int,
    ) -> str:
        from mlflow.entities import Metric, Param  # noqa: PLC0415 - see _connected

        run = self._connected().create_run(
            self._known().experiment_id, start_time=began_ms, tags={**_made_by(), **tags}, run_name=name
        )
        run_id: str = run.info.run_id
        at = now_ms()
        with self._killed_unless_done(run_id):
            self._connected().log_batch(
                run_id,
                metrics=[Metric(key, float(value), at, 0) for key, value in metrics.items()],
                params=[Param(key, param_text(value)) for key, value in params.items()],
                synchronous=True,
            )
        return run_id

    @contextmanager
    def _killed_unless_done(self, run_id: str) -> Iterator[None]:
        """Closes a run that is only half written, by an interruption for instance: none stays RUNNING for ever."""
        try:
            yield
        except BaseException:
            self._connected().set_terminated(run_id, "KILLED")
            raise

    def _write_files(self, run_id: str, files: Mapping[str, str]) -> None:
        if self._artifacts is not None:
            self._require_same_database()
            place = self._artifact_folder(run_id)
            place.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                self._write_file(place / name, content)
            return
        with tempfile.TemporaryDirectory(prefix="chunksweep-") as folder:
            for name, content in files.items():
                Path(folder, name).write_text(content, encoding="utf-8", newline="\n")
            self._connected().log_artifacts(run_id, folder)

    def _write_file(self, path: Path, content: str) -> None:
        """Writes an artifact; one that the run before has too is a second name of the same file.

        To make a file costs more than all else that is logged, and cells that share a stage share its artifacts.
        """
        written, earlier = self._written.get(path.name, ("", None))
        if earlier is not None and written == content:
            with suppress(OSError):  # a file system without such names, or the file is gone: then it is written
                path.hardlink_to(earlier)
                return
        path.write_text(content, encoding="utf-8", newline="\n")
        self._written[path.name] = content, path

    @property
    def _artifacts(self) -> Path | None:
        """Where MLflow keeps the artifacts of a local store; None where that is for MLflow to know.

        It would look each run up and copy each file; this takes a tenth of the time.
        """
        experiment = self._existing()
        if self.folder is None or experiment is None:
            return None
        ours = self.folder / "artifacts"
        return ours if experiment.artifact_location == ours.as_uri() else None

    def _artifact_folder(self, run_id: str) -> Path:
        """Where those of a run are, in a local store."""
        return Path(self.uri.removeprefix(SQLITE)).parent / "artifacts" / run_id / "artifacts"

    def _search(self, condition: str) -> Iterator[Run]:
        """Runs of all experiments of the store, newest first, page by page."""
        if self.folder is not None and not self._database_exists():
            return
        with self._errors():
            client = self._connected()
            experiments = [experiment.experiment_id for experiment in client.search_experiments()]
            token: str | None = None
            while True:
                page = client.search_runs(
                    experiments,
                    condition,
                    max_results=PAGE,
                    order_by=["attributes.start_time DESC"],
                    page_token=token,
                )
                yield from page
                token = page.token
                if not token:
                    return

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns what MLflow and its database raise into one line."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise TrackingError(self._cannot(error)) from error
        except Exception as error:
            # MLflow wraps most faults, but lets SQLAlchemy's through; neither can be imported before it is needed.
            if type(error).__module__.split(".")[0] not in ("mlflow", "sqlalchemy", "alembic", "requests"):
                raise
            raise TrackingError(self._cannot(error)) from error

    def _cannot(self, error: Exception) -> str:
        reason = " ".join(str(error).partition("(Background on")[0].split())[:300]
        return (
            f"the tracking store {self.uri} cannot be used: {reason}. "
            "Give another with --tracking-uri, or work in a folder that can be written."
        )


def _quiet_mlflow() -> None:
    """Before MLflow is imported: nobody asked for usage reports or progress bars; whoever did has set these."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    logging.getLogger("alembic").setLevel(logging.WARNING)


def _tables(name: str) -> dict[str, str]:
    """The tag that tells MLflow's UI to show an artifact as a table."""
    return {"mlflow.loggedArtifacts": json.dumps([{"path": name, "type": "table"}])}


_OF_CELLS = {"chunksweep.kind": "cell", **_tables("questions.json")}


def _quoted(text: str) -> str:
    if "'" in text or "\\" in text:
        raise TrackingError(f"{text} is no sweep id. `chunksweep list` shows them.")
    return text


def _made_by() -> dict[str, str]:
    return {"mlflow.source.name": "chunksweep", "mlflow.source.type": "LOCAL", "mlflow.user": _user()}


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return "unknown"
