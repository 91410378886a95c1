"""Plots with matplotlib: each draws in the axes given, or in a new figure, and returns the axes."""
from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ._display import need, scale, title_of
from ._errors import InvalidArgumentError
from ._values import Parts, choice, named_entries

if TYPE_CHECKING:
    from ._platform import Platform
    from ._results import Front

_UNITS = {"time": "s", "energy": "J"}
# As `hpart plot` draws: Okabe and Ito's colours, which remain distinct for colour-blind readers.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_LIGHT = _COLOURS[5]
_MARKS = "osD^vPX"
_DASHES = ("-", "--", "-.", ":")
_MOST_MARKS, _MOST_LABELS = 60, 8


def _axes(ax: Any, title: str = "") -> Any:
    """The axes given, or those of a new figure, which get the title."""
    if ax is None:
        ax = need("matplotlib.pyplot", "plot").figure(layout="constrained").add_subplot()
        ax.set_title("\n".join(textwrap.wrap(title, 62)), fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#cccccc", linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def _name_axis(axis: Any, quantity: str, unit: str) -> None:
    """The axis shows its values, which are in the unit, with the prefix that fits."""
    factor, prefix = scale(max(map(abs, axis.get_data_interval())))
    axis.set_major_formatter(lambda value, _: f"{value * factor:g}")
    axis.set_label_text(f"{quantity} [{prefix}{unit}]")


def plot_functions(
    platform: Platform, quantity: Literal["time", "energy"], ax: Any, x: Sequence[int] | None = None, title: str = ""
) -> Any:
    """Values over size with a band for the intervals, and a circle at each processor's size of x."""
    unit = choice(quantity, _UNITS, "quantity")
    ax = _axes(ax, title or (f"{quantity.capitalize()} of {platform.kernel}" if platform.kernel else f"{quantity.capitalize()} by size"))
    for i, name in enumerate(platform):
        points, intervals = platform.function(name), platform.intervals(name)
        values = points.seconds if quantity == "time" else points.joules
        low, high = (intervals[:2] if quantity == "time" else intervals[2:4])
        known = ~np.isnan(values)
        colour = _COLOURS[i % len(_COLOURS)]
        mark = _MARKS[i % len(_MARKS)] if known.sum() <= _MOST_MARKS else ""
        dash = _DASHES[i // len(_COLOURS) % len(_DASHES)]
        ax.plot(points.sizes[known], values[known], dash, color=colour, marker=mark, markersize=4, label=title_of(name))
        bounded = ~np.isnan(low) & ~np.isnan(high)
        if bounded.any():
            ax.fill_between(points.sizes[bounded], low[bounded], high[bounded], color=colour, alpha=0.2, linewidth=0)
        chosen = points.sizes == (0 if x is None else x[i])
        if chosen.any():
            ax.plot(points.sizes[chosen], values[chosen], "o", color=colour, markersize=10, fillstyle="none")
    ax.set_xlabel("size")
    _name_axis(ax.yaxis, quantity if quantity == "time" else "dynamic energy", unit)
    # A band of few repetitions may reach far beyond the points.
    highest = max((line.get_ydata().max() for line in ax.lines if len(line.get_ydata())), default=0)
    ax.set_ylim(0, 1.06 * highest if highest > 0 else 1)
    ax.legend(frameon=False)
    return ax


def _parts(x: Sequence[int], widest: int = 24) -> str:
    """"64 | 128", in lines."""
    return "\n".join(textwrap.wrap(" | ".join(map(str, x)), widest))


def plot_front(front: Front, ax: Any) -> Any:
    """Energy over time: between two points no distribution is better than the left one."""
    points = f"{len(front)} point{'s' * (len(front) != 1)}"
    labelled = 0 < len(front) <= _MOST_LABELS
    sizes = "; at the points the sizes of " + " | ".join(map(title_of, front.processors)) if labelled else ""
    ax = _axes(ax, f"Pareto front of size {sum(front[0].x)}, {points}{sizes}" if len(front) else "")
    times, energies = [point.time for point in front], [point.energy for point in front]
    ax.plot(times, energies, "o-", color=_LIGHT, markerfacecolor=_COLOURS[0], markeredgecolor=_COLOURS[0], drawstyle="steps-post")
    if labelled:  # right above a point the line of the front does not go
        for point in front:
            ax.annotate(_parts(point.x.tolist()), (point.time, point.energy), (5, 4), textcoords="offset points", fontsize="small")
        ax.margins(x=0.15, y=0.1)
    _name_axis(ax.xaxis, "execution time", "s")
    _name_axis(ax.yaxis, "energy", "J")
    return ax


def plot_bars(
    processors: Sequence[str],
    series: Mapping[str, npt.ArrayLike],
    quantity: str,
    unit: str,
    ax: Any,
    intervals: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    title: str = "",
) -> Any:
    """A group of bars for each processor, with the intervals of the last series, the dark one; "no value" stands for NaN.

    The numbers stand on the bars, and the intervals beside them: a number at an interval's end would be read as that end.
    """
    ax = _axes(ax, title)
    width = 0.8 / len(series)
    places = np.arange(len(processors))
    largest = max((np.nan_to_num(np.asarray(values, float)).max() for values in series.values()), default=0.0)
    factor, prefix = scale(largest, unit) if unit else (1.0, "")
    for k, (label, values) in enumerate(series.items()):
        heights = np.nan_to_num(np.asarray(values, float))
        is_last = k == len(series) - 1
        own = places + (k - (len(series) - 1) / 2) * width
        ax.bar(own, heights, width, label=label, color=_COLOURS[0] if is_last else _LIGHT)
        shift = 0.0
        if is_last and intervals is not None:
            low, high = (np.asarray(end, float) for end in intervals)
            errors = np.nan_to_num([np.maximum(heights - low, 0), np.maximum(high - heights, 0)], posinf=0)
            if errors.any():
                ax.errorbar(own + 0.38 * width, heights, errors, fmt="none", ecolor="black", capsize=3)
                shift = 0.12 * width
        digits = 4 if unit else 15
        for at, height, value in zip(own, heights, np.asarray(values, float)):
            number = "no value" if np.isnan(value) else f"{value * factor:.{digits}g}"
            ax.annotate(number, (at - shift, height), (0, 2), textcoords="offset points", ha="center", va="bottom")
    ax.grid(visible=False, axis="x")
    ax.set_xticks(places, list(map(title_of, processors)))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value * factor:g}")
    ax.set_ylabel(f"{quantity} [{prefix}{unit}]" if unit else quantity)
    ax.margins(y=0.1)
    if len(series) > 1:
        ax.legend(frameon=False)
    return ax


def values_of(platform: Platform, x: Parts, quantity: Literal["time", "energy"]) -> dict[str, float]:
    """The value of each processor's size; 0 if it is idle, NaN if its function has no such size."""
    choice(quantity, _UNITS, "quantity")
    found = {}
    for name, size in zip(platform, named_entries(x, platform.processors)):
        points = platform.function(name)
        values = (points.seconds if quantity == "time" else points.joules)[points.sizes == size]
        found[name] = 0.0 if size == 0 else float(values[0]) if len(values) else float("nan")
    return found


def plot_distribution(platform: Platform, x: Parts, quantity: Literal["time", "energy"], ax: Any) -> Any:
    """Bars of each processor's time or energy."""
    values = values_of(platform, x, quantity)
    missing = [name for name, value in values.items() if np.isnan(value)]
    if missing:
        raise InvalidArgumentError(f"the function of {quantity} of {', '.join(missing)} has no point at its size of x")
    title = f"{quantity.capitalize()} of size {sum(named_entries(x, platform.processors))}, per processor"
    return plot_bars(list(values), {quantity: list(values.values())}, quantity, _UNITS[quantity], ax, title=title)
