"""Plots with matplotlib: each draws in the axes given, or in a new figure, and returns the axes."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ._display import need
from ._errors import InvalidArgumentError
from ._values import Parts, choice, named_entries

if TYPE_CHECKING:
    from ._platform import Platform
    from ._results import Front

_UNITS = {"time": "s", "energy": "J"}


def _axes(ax: Any) -> Any:
    return need("matplotlib.pyplot", "plot").figure().add_subplot() if ax is None else ax


def plot_functions(platform: Platform, quantity: Literal["time", "energy"], ax: Any, x: Sequence[int] | None = None) -> Any:
    """Values over size with a band for the intervals, and a circle at each processor's size of x."""
    unit = choice(quantity, _UNITS, "quantity")
    ax = _axes(ax)
    for i, name in enumerate(platform):
        points, intervals = platform.function(name), platform.intervals(name)
        values = points.seconds if quantity == "time" else points.joules
        low, high = (intervals[:2] if quantity == "time" else intervals[2:4])
        known = ~np.isnan(values)
        (line,) = ax.plot(points.sizes[known], values[known], ".-", label=name)
        bounded = ~np.isnan(low) & ~np.isnan(high)
        if bounded.any():
            ax.fill_between(points.sizes[bounded], low[bounded], high[bounded], color=line.get_color(), alpha=0.2, linewidth=0)
        chosen = points.sizes == (0 if x is None else x[i])
        if chosen.any():
            ax.plot(points.sizes[chosen], values[chosen], "o", color=line.get_color(), markersize=10, fillstyle="none")
    ax.set_xlabel("size")
    ax.set_ylabel(f"{quantity}, {unit}")
    ax.legend()
    return ax


def plot_front(front: Front, ax: Any) -> Any:
    """Energy over time: between two points no distribution is better than the left one."""
    ax = _axes(ax)
    ax.plot([point.time for point in front], [point.energy for point in front], "o-", drawstyle="steps-post")
    ax.set_xlabel("time, s")
    ax.set_ylabel("energy, J")
    return ax


def plot_bars(
    processors: Sequence[str],
    series: Mapping[str, npt.ArrayLike],
    unit: str,
    ax: Any,
    intervals: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> Any:
    """A group of bars for each processor, with the intervals of the first series; "no value" stands for NaN."""
    ax = _axes(ax)
    width = 0.8 / len(series)
    places = np.arange(len(processors))
    for k, (label, values) in enumerate(series.items()):
        heights = np.nan_to_num(np.asarray(values, float))
        errors = None
        if k == 0 and intervals is not None:
            low, high = (np.asarray(end, float) for end in intervals)
            errors = np.nan_to_num([np.maximum(heights - low, 0), np.maximum(high - heights, 0)])
        own = places + (k - (len(series) - 1) / 2) * width
        ax.bar(own, heights, width, yerr=errors, capsize=3, label=label)
        for place in own[np.isnan(np.asarray(values, float))]:
            ax.annotate("no value", (place, 0), rotation=90, ha="center", va="bottom")
    ax.set_xticks(places, processors)
    ax.set_ylabel(unit)
    if len(series) > 1:
        ax.legend()
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
    return plot_bars(list(values), {quantity: list(values.values())}, f"{quantity}, {_UNITS[quantity]}", ax)
