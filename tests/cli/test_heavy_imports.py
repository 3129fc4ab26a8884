"""What is slow to import is imported when it is needed: torch to embed, and transformers not even then."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.cli.program import PATIENCE, spawn

HEAVY = ("torch", "transformers", "sentence_transformers", "sklearn", "sympy")
NAMED = (
    sys.executable,
    "-c",
    "import json, sys; from chunksweep.cli import main; code = main(sys.argv[1:]); "
    f"print(json.dumps(sorted(set({HEAVY}) & sys.modules.keys())), file=sys.stderr); sys.exit(code)",
)


def imported(folder: Path) -> list[str]:
    """Those of HEAVY that a sweep imports, the model in use."""
    arguments = ["sweep", "chunker=whole", "size=1,2", f"cache.dir={folder / 'cache'}", "hydra.launcher.n_jobs=1"]
    process = spawn(arguments, folder, {}, NAMED)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return json.loads(errors.splitlines()[-1])


def test_the_first_sweep_imports_torch_alone_and_the_next_not_even_that(tmp_path):
    assert imported(tmp_path) == ["torch"]
    assert imported(tmp_path) == []
