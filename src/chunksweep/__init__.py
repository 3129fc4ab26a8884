"""chunksweep measures how to split documents for retrieval, on one's own documents and questions.

`chunksweep.load(sweep_id)` gives a past sweep as a pandas DataFrame; all else is done on the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunksweep.loading import load

__all__ = ["__version__", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports `load` when it is first asked for: worker processes import this package and need no tracking store."""
    if name == "load":
        from chunksweep.loading import load  # noqa: PLC0415

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
