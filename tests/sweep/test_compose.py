"""The launcher composes every cell as Hydra would, and seldom asks Hydra to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hydra import initialize_config_dir
from hydra.core.config_loader import ConfigLoader
from hydra.core.global_hydra import GlobalHydra
from hydra.core.utils import JobStatus
from hydra.types import HydraContext, RunMode
from omegaconf import DictConfig, OmegaConf, open_dict

from chunksweep.errors import ConfigError
from chunksweep.paths import shipped
from chunksweep.sweep.launcher import compose, launch
from chunksweep.sweep.sweeper import expand

# A sweep file of a user: its overlap is computed, one of its groups comes with a member of another.
MIXED = """\
defaults:
  - config
  - _self_
overlap: ${tenth:${size}}
size: 200
shown: ${chunker.name} of ${.size} for ${embedder.name}
"""
# One in which nothing refers to another key, as most.
PLAIN = """\
defaults:
  - config
  - _self_
size: 200
"""
NESTED = """\
defaults:
  - /detail@_global_.detail: fine
name: recursive
unit: characters
tokenizer: null
steps: [1, 2]
depth: ${detail.depth}
"""


class Counting:
    """A loader that counts how often it composes a cell."""

    def __init__(self, loader: ConfigLoader) -> None:
        self.loader = loader
        self.calls = 0

    def __getattr__(self, name):
        return getattr(self.loader, name)

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
        self.calls += 1
        return self.loader.load_sweep_config(master_config, sweep_overrides)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a user's configuration, such as --config-dir names."""
    folder = tmp_path_factory.mktemp("conf")
    files = {
        "mixed.yaml": MIXED,
        "plain.yaml": PLAIN,
        "chunker/nested.yaml": NESTED,
        "detail/fine.yaml": "depth: 9\n",
        "detail/coarse.yaml": "depth: 1\nextra: true\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def loader(folder: Path) -> Iterator[Counting]:
    OmegaConf.register_new_resolver("tenth", lambda size: size / 10, replace=True)
    with initialize_config_dir(str(folder), version_base="1.3"):
        yield Counting(GlobalHydra.instance().config_loader())
    OmegaConf.clear_resolver("tenth")


def master_of(loader: ConfigLoader, name: str = "mixed") -> DictConfig:
    overrides = [f"hydra.searchpath=['file://{shipped('conf')}']"]
    return loader.load_configuration(name, overrides, run_mode=RunMode.MULTIRUN)


def plain(config: DictConfig | dict, *, resolve: bool = False):
    return OmegaConf.to_container(config, resolve=resolve) if isinstance(config, DictConfig) else config


def composed_by_hydra(loader: Counting, master: DictConfig, overrides: Sequence[str]) -> DictConfig:
    config = loader.loader.load_sweep_config(master, list(overrides))
    with open_dict(config):
        del config["hydra"]
    return config


CHOICES = {"chunker": "fixed,sentences,whole"}
CASES = [
    pytest.param([CHOICES], [], 3, id="choices of one group"),
    pytest.param([{"size": "10,20,30", "send": [1, 2]}], [], 1, id="values alone"),
    pytest.param([CHOICES | {"size": [10, 20], "prefix": "none,path"}], [], 6, id="choices and values"),
    pytest.param(
        [{"chunker": "fixed", "chunker.unit": ["characters", "tokens"]}, {"chunker": "sentences"}], [], 2, id="options"
    ),
    pytest.param([{"size": [10, None], "overlap": [0.2, "${tenth:50}"]}], [], 1, id="interpolations as values"),
    pytest.param([{"prices": [{"input": 1.5}, {"input": 2, "embedding": 3}]}], [], 1, id="maps are merged"),
    pytest.param([{"prices.input": [1, None]}], ["prices.embedding=0.02"], 1, id="keys below another"),
    pytest.param([{"corpus.exclude": [["a", "b"], []]}], ["k=[1,7]"], 1, id="lists replace lists"),
    pytest.param([{"corpus": "own", "corpus.path": ["a b", "c,d", "é"]}], [], 1, id="quoted texts"),
    pytest.param([CHOICES], ["chunker.name=x,y"], 3, id="a value inside the chosen group"),
    pytest.param([{"chunker": [{"unit": "tokens"}, {"unit": "characters"}]}], [], 1, id="a map for a group"),
    pytest.param(
        [{"chunker.unit": "characters", "chunker": [{"unit": "tokens"}]}], [], 1, id="a map after a value, in order"
    ),
    pytest.param([{"+note": ["a", "b"], "size": [1, 2]}], [], 4, id="added keys are Hydra's own work"),
    pytest.param([{"size": [1, 2]}], ["~send"], 2, id="so are keys taken away"),
    pytest.param([{"++size": [1, 2]}], [], 2, id="and forced ones"),
    pytest.param([{"hydra.launcher.n_jobs": [1, 2]}], [], 2, id="and those of Hydra itself"),
    pytest.param([{"+detail": "fine,coarse"}], [], 2, id="and groups added"),
    pytest.param([{"chunker": "nested", "detail": "fine,coarse", "size": [1, 2]}], [], 2, id="a group brought in"),
    pytest.param([{"chunker": "glob(*)"}], [], 1, id="a glob over the user's own choices"),
]


@pytest.mark.parametrize("name", ["mixed", "plain"])
@pytest.mark.parametrize(("grids", "arguments", "compositions"), CASES)
def test_every_cell_equals_hydras_own(loader, name, grids, arguments, compositions):
    master = master_of(loader, name)
    cells = expand(grids, {}, arguments, loader)
    configs = compose(loader, master, cells)
    assert len(configs) == len(cells) > 0
    for config, overrides in zip(configs, cells, strict=True):
        expected = composed_by_hydra(loader, master, overrides)
        assert repr(plain(config)) == repr(OmegaConf.to_container(expected)), overrides
        assert plain(config, resolve=True) == OmegaConf.to_container(expected, resolve=True), overrides
        assert isinstance(config, dict) or OmegaConf.is_struct(config) == OmegaConf.is_struct(expected)
    assert loader.calls == compositions


@pytest.mark.parametrize(("name", "kind"), [("mixed", DictConfig), ("plain", dict)])
def test_cells_share_nothing_that_one_could_change(loader, name, kind):
    one, two = compose(loader, master_of(loader, name), [["size=1"], ["size=2"]])
    assert isinstance(one, kind)
    one["prices"]["input"] = 5
    assert two["prices"]["input"] is None


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        pytest.param(
            ["chunker=fixed", "chunker.within=section"],
            ["chunker.within is not an option of chunker=fixed", "chunker.unit, chunker.tokenizer"],
            id="an option of another",
        ),
        pytest.param(["colour=red"], ["colour is not a key", "corpus", "send"], id="no such key"),
        pytest.param(["prices.output=1"], ["prices.output is not a key", "prices.embedding, prices.input"], id="below"),
        pytest.param(["size.max=1"], ["size.max is not a key"], id="below a value"),
        pytest.param(["chunker=whole", "chunker.unit=tokens"], ["chunker=whole", "Known: none"], id="no options"),
    ],
)
def test_an_unknown_key_is_named_with_those_beside_it(loader, overrides, words):
    with pytest.raises(ConfigError) as caught:
        compose(loader, master_of(loader), [overrides])
    assert "\n" not in str(caught.value)
    assert [word for word in words if word not in str(caught.value)] == []


def test_launch_hands_all_cells_over_at_once(loader):
    handed = []

    def task(config):
        raise AssertionError("a cell is not run on its own")

    task.cells = lambda configs, n_jobs: handed.append((configs, n_jobs))
    context = HydraContext(config_loader=loader, callbacks=None)
    jobs = [["size=1"], ["size=2"]]
    returned = launch(context, task, master_of(loader), jobs, 2)
    ((configs, n_jobs),) = handed
    assert ([config.size for config in configs], n_jobs) == ([1, 2], 2)
    assert [job.overrides for job in returned] == jobs
    assert {job.status for job in returned} == {JobStatus.COMPLETED}


def test_launch_refuses_the_task_of_another_application(loader):
    context = HydraContext(config_loader=loader, callbacks=None)
    with pytest.raises(ConfigError, match="hydra/launcher=basic"):
        launch(context, lambda config: None, master_of(loader), [[]], 1)
