"""What MLflow's page of runs shows when it is opened on a sweep: which runs, which columns, in which order.

MLflow keeps such views as experiment tags and opens one with `viewStateShareKey=KEY` in the address. That is nowhere
documented; the names were read from its source (useSharedExperimentViewState), where a view is a JSON object of the
page's own state. MLflow 3.17 also wraps it in an envelope with a name, but what has one counts among the 40 views that
a team may save by hand; the plain object does not, and every version since 2.5 reads it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

SORTED_BY = "retrieval/answerable_at_1"
# Quality, its price and its limit stand where no scrolling is needed: a run's name tells its parameters already.
METRICS = (SORTED_BY, "cost/sent_tokens", "retrieval/ceiling")
PARAMS = ("chunker", "size", "overlap", "prefix")

# Columns that MLflow always shows. The first two never scroll; the second holds the mark of a failed run.
NAME = "attributes.`Run Name`"
CREATED = "runDateAndNestInfo"
DURATION = "duration"
CREATED_WIDTH = 76
DURATION_WIDTH = 90
NAME_WIDTHS = (150, 320)
LEAST_WIDTH = 88


def view_key(sweep_id: str) -> str:
    """What the address calls the view of a sweep."""
    return f"chunksweep-{sweep_id}"


def view_tag(sweep_id: str) -> str:
    """The experiment tag that holds the view of a sweep."""
    return f"mlflow.sharedViewState.{view_key(sweep_id)}"


def search_filter(sweep_id: str) -> str:
    """MLflow's search for exactly the cells of a sweep."""
    return f"tags.`chunksweep.sweep_id` = '{sweep_id}' and tags.`chunksweep.kind` = 'cell'"


def view_state(sweep_id: str, telling: Sequence[str], names: Iterable[str]) -> str:
    """The value of the tag: the cells of the sweep, best first.

    telling  the parameters that tell the cells apart; those not in PARAMS become columns after them
    names    the cells' run names, for the width of their column
    """
    params = dict.fromkeys([*PARAMS, *telling])
    chosen = {
        **{f"metrics.`{metric}`": _width(metric) for metric in METRICS},
        **{f"params.`{param}`": _width(param) for param in params},
    }
    widths = {NAME: _name_width(names), CREATED: CREATED_WIDTH, **chosen, DURATION: DURATION_WIDTH}
    return json.dumps(
        {
            "searchFilter": search_filter(sweep_id),
            "orderByKey": f"metrics.`{SORTED_BY}`",
            "orderByAsc": False,
            "selectedColumns": list(chosen),
            "columnOrder": list(widths),
            "columnWidths": widths,
            # The charts beside the table would otherwise hide all but the first ten runs.
            "runsHiddenMode": "SHOW_ALL",
        }
    )


def _width(head: str) -> int:
    """Pixels for a column head with the mark of the order beside it."""
    return max(LEAST_WIDTH, 34 + 6 * len(head))


def _name_width(names: Iterable[str]) -> int:
    """Pixels for the longest run name, within limits."""
    least, most = NAME_WIDTHS
    return min(most, max([least, *(60 + 6 * len(name) for name in names)]))
