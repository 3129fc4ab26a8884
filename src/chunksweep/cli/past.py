"""Past runs as commands ask for them."""

from __future__ import annotations

from chunksweep.errors import ConfigError
from chunksweep.records import RunRecord
from chunksweep.tracking import Store


def finished_cell(store: Store, beginning: str) -> RunRecord:
    """The run whose id begins so, which has answered questions.

    Raises ConfigError where it is a sweep as a whole or did not finish, TrackingError where there is none.
    """
    record = store.find(beginning)
    if record.tags.get("chunksweep.kind") != "cell" or record.status != "FINISHED":
        kind = "run of a sweep as a whole" if record.tags.get("chunksweep.kind") == "sweep" else record.status
        raise ConfigError(
            f"{beginning} ({kind}) has no answers to compare. Choose a finished run of one configuration: "
            "`chunksweep compare --format csv` shows them."
        )
    return record
