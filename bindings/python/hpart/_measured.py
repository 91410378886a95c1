"""Results of teams: runs, measurements, comparisons and certified optima."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._display import amount, html_table, interval, part, ratio_interval, title_of
from ._plots import plot_bars, plot_front, plot_functions, values_of
from ._results import Distribution, Front, item
from ._values import Reals, Report, Sizes

if TYPE_CHECKING:
    from ._platform import Platform


@dataclass(frozen=True, eq=False, repr=False)
class Execution:
    """The seconds of each processor of a run, 0 if it was idle: execution["CPU"] or execution[0].

    processors are the names, x the sizes, report is the library's.
    """

    processors: tuple[str, ...]
    x: Sizes
    seconds: Reals
    report: Report

    def __getitem__(self, processor: int | str) -> float:
        return float(self.seconds[item(processor, self.processors)])

    def __repr__(self) -> str:
        parts = ", ".join(f"{part(name, n)}: {amount(t, 's')}" for name, n, t in zip(self.processors, self.x, self.seconds))
        return f"<hpart.{type(self).__name__} of {parts}>"

    def plot(self, ax: Any = None, *, predicted: Platform | None = None) -> Any:
        """Draws bars of the measured seconds, with their intervals, in the matplotlib axes ax or a new figure; returns the axes.

        predicted adds bars of that platform's times at the same sizes.
        """
        series: dict[str, npt.ArrayLike] = {}
        if predicted is not None:
            values = values_of(predicted, dict(zip(self.processors, self.x.tolist())), "time")
            series["predicted"] = [values[name] for name in self.processors]
        series["measured"] = self.seconds
        ends = [self.report.get(key) for key in ("interval_low", "interval_high")]
        bounds = None if None in ends else (np.asarray(ends[0]), np.asarray(ends[1]))
        return plot_bars(self.processors, series, "time", "s", ax, bounds, f"Time of size {self.x.sum()}, per processor")


@dataclass(frozen=True, eq=False, repr=False)
class Measurement(Execution):
    """The mean seconds of each processor, 0 if it was idle. The report has their intervals.

    processors are the names, x the sizes. joules: dynamic energy of a repetition: a number with a meter of the node, an array if each
    processor has its own meter, None without meters.
    """

    joules: float | Reals | None = None

    def __repr__(self) -> str:
        energy = "" if self.joules is None else f", {amount(float(np.sum(self.joules)), 'J')}"
        return f"{super().__repr__()[:-1]}{energy}>"


@dataclass(frozen=True)
class ScheduleRun:
    """The mean makespan, in seconds, of queues of packages. The report has the busy seconds and the utilisation of each processor."""

    makespan: float
    report: Report


@dataclass(frozen=True)
class Additivity:
    """The difference between the energy of all processors together and the sum of each alone, in per cent, unsigned.

    least, mean and largest are over the distributions. The report has the energies, the signed differences, their errors, and a
    warning if the mean is above the bound.
    """

    least: float
    mean: float
    largest: float
    report: Report


class Baseline(NamedTuple):
    """A distribution that ran against a certified one.

    name is that of its method, x has the sizes, value the mean seconds or joules. ratio is that to the certified distribution, from
    low to high with the option `confidence`.
    """

    name: str
    x: Sizes
    value: float
    ratio: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """The best distribution of a size: optimum["CPU"] or optimum[0] is a processor's size, x has all. print() shows the whole.

    objective: that of Team.optimize. value: seconds or joules. certified: True if value is within the option `precision`
    of the least, with the option `confidence`. platform: all measured points. report: see hpart_team_optimize in hpart.h.
    """

    x: Sizes
    objective: str
    value: float
    certified: bool
    platform: Platform
    report: Report

    def __getitem__(self, processor: int | str) -> int:
        return int(self.x[item(processor, list(self.platform))])

    def __repr__(self) -> str:
        return f"<hpart.Optimum {self.x.tolist()}: {self._cost()}, {'' if self.certified else 'not '}certified>"

    def __str__(self) -> str:
        lines = [", ".join(part(name, n) for name, n in self.as_dict().items()) + f": {self._measured_cost()}", self._certificate()]
        others = self.baselines[1:]
        if others:
            lines.append(f"{'method':10} {'ratio':>6}  {self._confidence() + ' interval':16} sizes")
        for one in others:
            lines.append(f"{one.name:10} {one.ratio:6.3f}  {ratio_interval(one.low, one.high):16} {', '.join(map(str, one.x))}")
        if failed := self.report.get("failed"):
            lines.append(f"failed: {failed}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        caption = f"{self._measured_cost()}; {self._certificate()}"
        tables = html_table(("processor", "size"), [(title_of(name), n) for name, n in self.as_dict().items()], caption)
        rows = [(one.name, f"{one.ratio:.3f}", ratio_interval(one.low, one.high), *one.x.tolist()) for one in self.baselines[1:]]
        return tables + (html_table(("method", "ratio", f"{self._confidence()} interval", *map(title_of, self.platform)), rows) if rows else "")

    @property
    def _unit(self) -> str:
        return "s" if self.objective.endswith("time") else "J"

    def _cost(self) -> str:
        return amount(self.value, self._unit)

    def _measured_cost(self) -> str:
        """The certificate has times of single processors, beside which the mean of whole runs may be larger."""
        return f"{self._cost()} in whole runs" if self.baselines else self._cost()

    def _confidence(self) -> str:
        return f"{100 * float(str(self.report['confidence'])):g} %"

    def _certificate(self) -> str:
        low, high = self.bounds
        if self.certified:
            known = f"certified: by single processors the least is {interval(low, high, self._unit)}, with {self._confidence()} confidence"
        elif low == low:
            known = f"not certified ({self.report['stop_reason']}): by single processors the least is {interval(low, high, self._unit)}"
        else:
            known = f"not certified: {self.report['note']}"
        winner = str(self.report.get("winner", ""))
        return known if winner in ("", "optimal", "chosen", "best") else f"{known}; the runs were won by {winner}"

    def as_dict(self) -> dict[str, int]:
        """Returns each processor's size by its name."""
        return dict(zip(self.platform, self.x.tolist()))

    @property
    def distribution(self) -> Distribution:
        """The sizes as a Distribution, with the time or the energy."""
        return Distribution(tuple(self.platform), self.x, self.time, self.energy, self.report)

    @property
    def bounds(self) -> tuple[float, float]:
        """The seconds or joules between which the least value lies; NaN for an application of one time."""
        low, high = (float(str(self.report.get(key, "nan"))) for key in ("lower_bound", "upper_bound"))
        return low, high

    @property
    def baselines(self) -> list[Baseline]:
        """The distributions that ran against each other; the first is the certified one. Empty with the option confirm=0."""
        rows = [row for row in self.report.get("baselines", []) if "ratio" in row]
        values = ("seconds" if self._unit == "s" else "joules", "ratio", "ratio_low", "ratio_high")
        return [Baseline(row["method"], np.asarray(row["distribution"], np.int64), *(row[key] for key in values)) for row in rows]

    @property
    def time(self) -> float:
        """Seconds, of sum_time the sum; NaN if the objective is energy."""
        return self.value if self._unit == "s" else float("nan")

    @property
    def energy(self) -> float:
        """Joules, dynamic or total; NaN if the objective is time."""
        return self.value if self._unit == "J" else float("nan")

    def plot(self, ax: Any = None) -> Any:
        """Draws the measured functions and circles the optimum's sizes, in the matplotlib axes ax or a new figure; returns the axes."""
        quantity: Literal["time", "energy"] = "time" if self._unit == "s" else "energy"
        parts = " | ".join(map(str, self.x.tolist()))
        title = f"Measured functions; ringed: the optimal distribution of size {self.x.sum()}, {parts}"
        return plot_functions(self.platform, quantity, ax, self.x.tolist(), title)


@dataclass(frozen=True, eq=False, repr=False)
class OptimalFront:
    """The Pareto front of a size. A point's time and energy are the upper ends of their intervals.

    front: the points. certified: True if for each point of the true front one of these is within the option `precision`, with the
    option `confidence`. platform: all measured points. report: the medians, the lower front, and the keys of Optimum.
    """

    front: Front
    certified: bool
    platform: Platform
    report: Report

    def __repr__(self) -> str:
        return f"<hpart.OptimalFront of {len(self.front)} points, {'' if self.certified else 'not '}certified>"

    def _repr_html_(self) -> str:
        return self.front._repr_html_()

    def plot(self, ax: Any = None) -> Any:
        """Draws energy over time in the matplotlib axes ax or a new figure; returns the axes."""
        return plot_front(self.front, ax)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several distributions that ran in turns.

    best: the row with the least mean. seconds: the means. ratios: of the means to the first, from ratio_low to ratio_high with the
    option `confidence`. distinguishable: True where this interval excludes 1. report: see hpart_team_compare in hpart.h.
    """

    best: int
    seconds: Reals
    ratios: Reals
    ratio_low: Reals
    ratio_high: Reals
    distinguishable: npt.NDArray[np.bool_]
    report: Report

    def __repr__(self) -> str:
        others = zip(self.ratios, self.ratio_low, self.ratio_high, self.distinguishable)
        told = [f"{r:.3g} ({ratio_interval(a, b)}{'' if differs else ', cannot be told apart'})" for r, a, b, differs in others][1:]
        return f"<hpart.Comparison: {self.best} is best; ratios to the first: {'; '.join(told) or 'none'}>"
