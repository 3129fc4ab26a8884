"""The tracking store: the only package that imports MLflow."""

from __future__ import annotations

from chunksweep.tracking.runs import CellRun, PastSweep, now_ms
from chunksweep.tracking.store import LEADERBOARD, PLAN, REPORT, VERDICT, Store
from chunksweep.tracking.uri import resolve_uri

__all__ = ["LEADERBOARD", "PLAN", "REPORT", "VERDICT", "CellRun", "PastSweep", "Store", "now_ms", "resolve_uri"]
