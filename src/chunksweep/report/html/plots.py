"""Figures as SVG inside a page: text stays text, no colour carries meaning alone, the ink is that of the page.

matplotlib is imported when a figure is drawn: it takes about a second.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from chunksweep.records import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: at this width text has its natural size on a narrow screen, and the page enlarges the figure on a wide one.
WIDTH = 5.4
# Stands for the page's own colour of text, so that a figure is readable on light and dark alike.
INK = "#010203"
FAINT = "#8a8f98"
# Okabe and Ito 2008: apart from each other for every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#B8A200")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
# Of lines only: matplotlib writes a pattern of dots as thousands of curves.
HATCHES = ("", "////", "\\\\\\\\", "----", "xxxx", "||||", "++++")
# A range of sent tokens wider than this is read on a logarithmic axis.
LOGARITHMIC_FROM = 8
STYLE: Mapping[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may hold a dollar sign
    "svg.hashsalt": "chunksweep",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": FAINT,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
}


@dataclass(frozen=True, slots=True)
class Point:
    """A cell in the plane of quality against price.

    tokens  sent a question, mean
    share   the metric, in [0, 1]
    kind    what its marker shows: the strategy
    number  of its entry in the list below the figure; None off the front
    """

    tokens: float
    share: float
    kind: str
    number: int | None = None
    recommended: bool = False
    everything_sent: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with a range, both in points of 100; the range is None where it is not known. `note` stands beside it."""

    name: str
    value: float
    low: float | None
    high: float | None
    note: str = ""


def frontier(points: Sequence[Point], metric: str) -> str:
    """Quality against sent tokens: filled markers are on the front, the large ring is the recommended cell."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter  # noqa: PLC0415 - see _figure

    tokens = [point.tokens for point in points]
    with _figure(3.6) as (figure, axes):
        kinds = list(dict.fromkeys(point.kind for point in points))
        for index, kind in enumerate(kinds):
            _markers(axes, [point for point in points if point.kind == kind], kind, index)
        front = sorted((point for point in points if point.number is not None), key=lambda point: point.tokens)
        axes.step(
            [point.tokens for point in front],
            [100 * point.share for point in front],
            where="post",
            color=INK,
            linewidth=0.8,
            zorder=1,
        )
        for (x, share), numbers in _numbers(front).items():
            axes.annotate(numbers, (x, 100 * share), xytext=(5, -11), textcoords="offset points")
        if min(tokens) > 0 and max(tokens) / min(tokens) > LOGARITHMIC_FROM:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_minor_formatter("")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.set_xlabel("sent tokens a question (mean)")
        axes.set_ylabel(f"{metric} (% of questions)")
        axes.set_ylim(*_limits([100 * point.share for point in points]))
        axes.grid(visible=True)
        figure.legend(loc="outside lower center", ncols=min(4, len(kinds)), fontsize=8)
        return _svg(figure, f"{metric} of each configuration against the tokens it sends")


def contrasts(bars: Sequence[Bar], label: str) -> str:
    """Differences with their intervals, one a line, beside the line of no difference."""
    with _figure(0.9 + 0.26 * len(bars)) as (figure, axes):
        for row, bar in enumerate(bars):
            if bar.low is not None and bar.high is not None:
                axes.plot([bar.low, bar.high], [row, row], color=INK, linewidth=1.4)
            filled = INK if bar.low is not None else "none"
            axes.plot([bar.value], [row], "o", color=INK, markerfacecolor=filled, markersize=5)
            axes.annotate(
                bar.note, (1.02, row), xycoords=axes.get_yaxis_transform(), va="center", fontsize=7.5, color=FAINT
            )
        axes.axvline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(visible=True, axis="x")
        return _svg(figure, "Main effects with their intervals")


def heat_map(
    shares: FloatArray, rows: Sequence[str], columns: Sequence[str], title: str, axes_names: tuple[str, str]
) -> str:
    """A share for each pair of values, written in its cell; NaN is left blank. float64 (rows, columns)."""
    with _figure(1.1 + 0.32 * len(rows), grid=False) as (figure, axes):
        axes.imshow(100 * shares, cmap="Greys", vmin=0, vmax=100, aspect="auto")
        for (row, column), share in np.ndenumerate(shares):
            if not np.isnan(share):
                colour = "#ffffff" if share > 0.55 else "#000000"
                axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour)
        axes.set_xticks(range(len(columns)), columns)
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylabel(axes_names[0])
        axes.set_xlabel(axes_names[1])
        axes.spines[:].set_visible(False)
        axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
        axes.tick_params(which="both", length=0)
        return _svg(figure, title)


def grouped_bars(bars: Mapping[str, Sequence[Bar | None]], groups: Sequence[str], label: str) -> str:
    """For each name a bar in every group, with its range as a whisker; None where a group has none of that name."""
    with _figure(3.4) as (figure, axes):
        width = 0.84 / len(bars)
        for index, (name, of_groups) in enumerate(bars.items()):
            found = [(group, bar) for group, bar in enumerate(of_groups) if bar is not None]
            at = [group - 0.42 + (index + 0.5) * width for group, _ in found]
            axes.bar(at, [bar.value for _, bar in found], width, label=name, **_fill(index))
            for place, (_, bar) in zip(at, found, strict=True):
                if bar.low is not None and bar.high is not None:
                    axes.plot([place, place], [bar.low, bar.high], color=INK, linewidth=1)
        axes.set_xticks(range(len(groups)), groups)
        axes.set_ylim(0, 105)
        axes.set_ylabel(label)
        axes.grid(visible=True, axis="y")
        figure.legend(loc="outside lower center", ncols=3, fontsize=8)
        return _svg(figure, f"{label} of each strategy on each corpus")


def stacked_bars(counts: Mapping[str, Sequence[int]], parts: Sequence[str], label: str) -> str:
    """For each name a horizontal bar, made of its counts of each part."""
    with _figure(1.2 + 0.27 * len(counts)) as (figure, axes):
        left = np.zeros(len(counts))
        for index, part in enumerate(parts):
            widths = np.array([of_name[index] for of_name in counts.values()], dtype=np.float64)
            axes.barh(range(len(counts)), widths, 0.78, left, label=part, **_fill(index))
            left += widths
        axes.set_yticks(range(len(counts)), list(counts))
        axes.set_ylim(len(counts) - 0.5, -0.5)
        axes.set_xlim(0, float(left.max()))
        axes.set_xlabel(label)
        axes.tick_params(axis="y", length=0)
        figure.legend(loc="outside lower center", ncols=len(parts), fontsize=8, columnspacing=1)
        return _svg(figure, "What became of the questions under each configuration")


def _fill(index: int) -> dict[str, Any]:
    return {
        "facecolor": COLOURS[index % len(COLOURS)],
        "hatch": HATCHES[index % len(HATCHES)],
        "edgecolor": "#ffffff",
        "linewidth": 0.5,
    }


def _markers(axes: Axes, points: Sequence[Point], kind: str, index: int) -> None:
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    for point in points:
        at = [point.tokens], [100 * point.share]
        filled = colour if point.number is not None else "none"
        axes.plot(*at, marker, color=colour, markerfacecolor=filled, markersize=6.5, zorder=3)
        if point.recommended:
            axes.plot(*at, "o", color=INK, markerfacecolor="none", markersize=14, zorder=2)
        if point.everything_sent:
            axes.annotate("*", (point.tokens, 100 * point.share), xytext=(4, 3), textcoords="offset points")
    axes.plot([], [], marker, color=colour, markersize=6.5, label=kind, linestyle="none")


def _numbers(front: Sequence[Point]) -> dict[tuple[float, float], str]:
    """What stands beside each place of the front; cells that lie in the same one share it."""
    found: dict[tuple[float, float], list[str]] = {}
    for point in front:
        found.setdefault((round(point.tokens), point.share), []).append(str(point.number))
    return {place: ", ".join(numbers) for place, numbers in found.items()}


def _limits(percent: Sequence[float]) -> tuple[float, float]:
    """The whole scale unless the values use only a small part of it."""
    low = min(percent)
    return (-3.0, 104.0) if low < 40 else (10 * (low // 10) - 10, 103.0)


@contextmanager
def _figure(height: float, *, grid: bool = True) -> Iterator[tuple[Figure, Axes]]:
    """A figure of one pair of axes, drawn without a display, in our style whatever the user's is."""
    from matplotlib import rc_context, rcParamsDefault  # noqa: PLC0415 - slow, and only needed for a report
    from matplotlib.figure import Figure  # noqa: PLC0415

    defaults: dict[Any, Any] = {
        key: value for key, value in rcParamsDefault.items() if not key.startswith(("backend", "date"))
    }
    with rc_context(defaults | dict(STYLE)):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set_axisbelow(grid)
        yield figure, axes


def _svg(figure: Figure, title: str) -> str:
    """The figure as an element that fills the width it is given."""
    file = io.StringIO()
    with warnings.catch_warnings():
        # Text is drawn by the reader's fonts; matplotlib's own need not have the characters of a name.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    body = text[text.index("<svg") :]
    head, _, rest = body.partition(">")
    (box,) = re.findall(r'viewBox="[^"]*"', head)
    # Its style would hold for the whole page.
    rest = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", rest, flags=re.DOTALL).replace(INK, "currentColor")
    attributes = f'xmlns:xlink="http://www.w3.org/1999/xlink" {box} role="img" aria-label="{escape(title)}"'
    return f"<svg {attributes}>{_compact(rest)}"


def _compact(svg: str) -> str:
    """Without the names and line ends that a drawing program would need."""
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    return re.sub(r"\n\s*", " ", svg)
