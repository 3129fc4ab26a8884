"""Path patterns: `*` and `?` stay within a folder, `**` crosses folders, `[...]` is a set of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PARTS = re.compile(
    r"(?P<folders>(?:(?<=/)|^)\*\*/)|(?P<any>\*\*)|(?P<run>\*)|(?P<one>\?)|\[(?P<not>!?)(?P<set>[^]]+)\]"
)
_MEMBERS = re.compile(r"(.)-(.)|(.)", re.DOTALL)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns matches the whole relative path, written with forward slashes."""
    return any(re.fullmatch(_translate(pattern), path, re.DOTALL) for pattern in patterns)


def _translate(pattern: str) -> str:
    """The regular expression of a pattern; what is no wildcard stands for itself."""
    parts: list[str] = []
    position = 0
    for wildcard in _PARTS.finditer(pattern):
        parts += re.escape(pattern[position : wildcard.start()]), _expression(wildcard)
        position = wildcard.end()
    return "".join((*parts, re.escape(pattern[position:])))


def _expression(wildcard: re.Match[str]) -> str:
    if wildcard["folders"]:
        return "(?:[^/]+/)*"
    if wildcard["any"]:
        return ".*"
    if wildcard["run"]:
        return "[^/]*"
    if wildcard["one"]:
        return "[^/]"
    members = "".join(_members(*member) for member in _MEMBERS.findall(wildcard["set"]))
    if wildcard["not"]:
        return f"[^/{members}]"
    return f"(?!/)[{members}]" if members else "(?!)"


def _members(first: str, last: str, single: str) -> str:
    """A range or a character of a set; a range that runs backwards holds nothing."""
    if single:
        return re.escape(single)
    return f"{re.escape(first)}-{re.escape(last)}" if first <= last else ""
