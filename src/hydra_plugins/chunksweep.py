"""Makes chunksweep's sweeper and launcher known to Hydra.

Hydra 1.3 finds plug-ins only in this namespace package and executes the module at the start of every Hydra
application of the environment, so nothing is imported at its top but Hydra's interfaces.
"""
# ruff: noqa: PLC0415

from collections.abc import Sequence
from typing import Any

from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


class SharedStagesLauncher(Launcher):
    """Runs all cells of a sweep as one plan; see chunksweep.sweep.launcher."""

    def __init__(self, n_jobs: int = -1) -> None:
        self.n_jobs = n_jobs

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keeps what Hydra gives for `launch`."""
        self.context = hydra_context
        self.task_function = task_function
        self.config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:  # noqa: ARG002
        """Runs all jobs of the sweep; one result a job."""
        from chunksweep.sweep.launcher import launch

        return launch(self.context, self.task_function, self.config, job_overrides, self.n_jobs)


class GridsSweeper(Sweeper):
    """The union of grids; see chunksweep.sweep.sweeper."""

    def __init__(self, grids: Sequence[dict[str, Any]] = (), params: dict[str, Any] | None = None) -> None:
        self.grids = grids
        self.params = params

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Makes the launcher that the configuration names."""
        from hydra.core.plugins import Plugins

        self.context = hydra_context
        self.runs_by: Launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> Any:
        """Hands every cell of the grids, under the overrides of the command line, to the launcher at once."""
        from chunksweep.sweep.sweeper import expand

        cells = expand(self.grids, self.params or {}, arguments, self.context.config_loader)
        return self.runs_by.launch(cells, initial_job_idx=0)
