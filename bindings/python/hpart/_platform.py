"""Platforms: processors with functions of time and energy, and optimal distributions."""
from __future__ import annotations

import copy
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._display import html_table, title_of
from ._errors import InvalidArgumentError, check
from ._frames import fill, frame_of
from ._functions import Evaluation, Function, Intervals, Limits, Link, Node, interval_of, span
from ._option_types import EvaluateOptions, FrontOptions, PartitionOptions, ScheduleOptions, SliceOptions
from ._options import ComplexityCallback, Options, takes
from ._plots import plot_distribution, plot_functions
from ._results import Distribution, Front, Schedule, best_distribution, find, item, take_front
from ._values import (
    Handle,
    Parts,
    Reals,
    Report,
    Sizes,
    choice,
    fetch_text,
    function,
    named_entries,
    names_of,
    paired,
    real,
    sizes_of,
    take_report,
    text,
    whole,
    without_masked,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PREFIX = "HPART_OBJECTIVE_"
# As the command spells them, and as Python does: HPART_OBJECTIVE_SUM_TIME is "sum-time" and "sum_time".
_OBJECTIVES = {
    name: getattr(_hpart, constant)
    for constant in sorted((each for each in dir(_hpart) if each.startswith(_PREFIX)), key=lambda each: getattr(_hpart, each))
    for name in dict.fromkeys((constant.removeprefix(_PREFIX).lower().replace("_", "-"), constant.removeprefix(_PREFIX).lower()))
}
_ENERGIES = {"dynamic": _hpart.HPART_ENERGY_DYNAMIC, "total": _hpart.HPART_ENERGY_TOTAL}
_FREE = (0.0, math.inf)  # a link until it is set


class Platform(Handle):
    """Processors with discrete functions of time and dynamic energy over the size of their part.

    processors: a list of names, or a number. Their functions are empty until they are set. Sizes are integers in your own unit, times are
    in seconds, energies in joules. A processor is given by its name or its number from 0.

    >>> platform = hpart.Platform(["CPU", "GPU"])
    >>> platform.set_time("CPU", [2, 4, 8, 10], [1.0, 2.0, 5.0, 7.0])
    >>> platform.set_time("GPU", [2, 4, 8, 10], [2.0, 2.1, 2.5, 6.0])
    >>> platform.partition_time(12)
    <hpart.Distribution CPU: 4, GPU: 8; 2.5 s>
    """

    report: Report
    """The report of Team.profile; empty for other platforms."""

    def __init__(self, processors: int | Iterable[str]):
        is_count = isinstance(processors, (int, np.integer))
        names = [] if is_count else names_of(processors, "processors", " or their number")
        status, handle = _hpart.hpart_platform_create(whole(processors, "processors") if is_count else len(names))
        check(status)
        self._adopt(handle)
        for k, name in enumerate(names):
            check(_hpart.hpart_platform_set_name(self._handle, k, name))

    def _adopt(self, handle: Any) -> None:
        self._own(handle, _hpart.hpart_platform_destroy)
        self._known_names: dict[str, int] | None = None
        self.report = {}

    @classmethod
    def _of(cls, handle: Any) -> Platform:
        platform = cls.__new__(cls)
        platform._adopt(handle)
        return platform

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Platform:
        """Reads the CSV file path. Raises IoError, or FormatError with line and column."""
        status, handle = _hpart.hpart_platform_read(text(os.fspath(path), "path"))
        check(status)
        return cls._of(handle)

    @classmethod
    @takes(SliceOptions)
    def read_slice(cls, path: str | os.PathLike[str], parameter: int, **options: Unpack[SliceOptions]) -> Platform:
        """Returns the platform of one parameter from the family file path: CSV with a column parameter.

        With interpolate="linear" the parameter may lie between two of the file. Raises InvalidArgumentError with the nearest parameters;
        IoError, FormatError.
        """
        with Options(options) as settings:
            status, handle = _hpart.hpart_platform_read_slice(text(os.fspath(path), "path"), whole(parameter, "parameter"), settings.handle)
            settings.check(status)
        return cls._of(handle)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the CSV file path atomically. Raises IoError."""
        check(_hpart.hpart_platform_write(self._handle, text(os.fspath(path), "path")))

    def replicate(self, copies: int) -> Platform:
        """Returns a cluster of that many copies of this node."""
        status, handle = _hpart.hpart_platform_replicate(self._handle, whole(copies, "copies"))
        check(status)
        return self._of(handle)

    # ---- copies ----

    def _state(self) -> dict[str, Any]:
        """The platform without the comments of its file."""
        names = self.processors
        latency, bandwidth, joules = np.zeros(1), np.zeros(1), np.zeros(1)
        links, link_energies = {}, {}
        for i, j in itertools.permutations(range(len(names)), 2):
            check(_hpart.hpart_platform_get_link(self._handle, i, j, latency, bandwidth))
            if (latency[0], bandwidth[0]) != _FREE:
                links[i, j] = Link(float(latency[0]), float(bandwidth[0]))
            check(_hpart.hpart_platform_get_link_energy(self._handle, i, j, joules))
            if joules[0]:
                link_energies[i, j] = float(joules[0])
        return {
            "processors": names,
            "functions": [self.function(name) for name in names],
            "intervals": [self.intervals(name) for name in names],
            "limits": [self.limits(name) for name in names],
            "host_links": [self.host_link(name) for name in names],
            "host_link_energies": [self.host_link_energy(name) for name in names],
            "links": links,
            "link_energies": link_energies,
            "nodes": sorted({self.node(name) for name in names}),
            "base_power": self.base_power,
            "border_bytes": self.border_bytes,
            "kernel": self.kernel,
        }

    @classmethod
    def _of_state(cls, state: dict[str, Any], report: Report) -> Platform:
        platform = cls(state["processors"])
        for k, points in enumerate(state["functions"]):
            for setter, values in ((platform.set_time, points.seconds), (platform.set_energy, points.joules)):
                known = ~np.isnan(values)
                setter(k, points.sizes[known], values[known])
            intervals = state["intervals"][k]
            for interval_setter, low, high in (
                (platform.set_time_interval, intervals.time_low, intervals.time_high),
                (platform.set_energy_interval, intervals.energy_low, intervals.energy_high),
            ):
                known = ~np.isnan(low) & ~np.isnan(high)
                if known.any():
                    interval_setter(k, points.sizes[known], low[known], high[known], intervals.repetitions[known])
            platform.set_limits(k, *state["limits"][k])
            platform.set_host_link(k, *state["host_links"][k])
            platform.set_host_link_energy(k, state["host_link_energies"][k])
        for (i, j), link in state["links"].items():
            platform.set_link(i, j, *link)
        for (i, j), joules in state["link_energies"].items():
            platform.set_link_energy(i, j, joules)
        for node in state["nodes"]:
            platform.set_node(*node)
        if state["base_power"] is not None:
            platform.base_power = state["base_power"]
        platform.set_border_bytes(state["border_bytes"])
        platform.kernel = state["kernel"]
        platform.report = report
        return platform

    def __reduce__(self) -> Any:
        return type(self)._of_state, (self._state(), self.report)

    def __copy__(self) -> Platform:
        platform = self.replicate(1)
        platform.report = dict(self.report)
        return platform

    def __deepcopy__(self, memo: Any) -> Platform:
        platform = self.replicate(1)
        platform.report = copy.deepcopy(self.report, memo)
        return platform

    def __eq__(self, other: object) -> bool:
        """True if all but the reports and the comments of files is equal."""
        if not isinstance(other, Platform):
            return NotImplemented
        return self is other or (self.processors == other.processors and self._state() == other._state())

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __len__(self) -> int:
        return int(_hpart.hpart_platform_processors(self._handle))

    def __iter__(self) -> Iterator[str]:
        return iter(self.processors)

    def __getitem__(self, processor: int | str) -> Function:
        return self.function(item(processor, self.processors))

    def __repr__(self) -> str:
        return f"<hpart.Platform of {', '.join(self.processors)}>" if self._owned is not None else "<hpart.Platform, closed>"

    def _repr_html_(self) -> str:
        return html_table(("processor", "points", "sizes", "time", "energy"), map(self._about, self))

    def _about(self, name: str) -> tuple[object, ...]:
        points = self.function(name)
        return title_of(name), len(points.sizes), span(points.sizes), span(points.seconds, "s"), span(points.joules, "J")

    @property
    def _numbers_of_names(self) -> dict[str, int]:
        """Each processor's number by its name, in order; names cost two calls each."""
        if self._known_names is None or self._owned is None:
            names = [fetch_text(_hpart.hpart_platform_get_name, self._handle, k) for k in range(len(self))]
            self._known_names = {name: k for k, name in enumerate(names)}
        return self._known_names

    @property
    def processors(self) -> list[str]:
        """The processors' names."""
        return list(self._numbers_of_names)

    def set_name(self, processor: int | str, name: str) -> None:
        """Gives a processor a name. No two have the same."""
        check(_hpart.hpart_platform_set_name(self._handle, self._find(processor), text(name, "name")))
        self._known_names = None

    def _find(self, processor: int | str) -> int:
        if isinstance(processor, str) and processor in self._numbers_of_names:
            return self._numbers_of_names[processor]
        return find(processor, self.processors if isinstance(processor, str) else range(len(self)))

    def _numbers(self, call: Callable[..., int], *processors: int | str, kinds: str) -> list[Any]:
        """The numbers that a getter of the library writes: integers for i, reals for d."""
        found = [np.zeros(1, np.int64 if kind == "i" else np.float64) for kind in kinds]
        check(call(self._handle, *map(self._find, processors), *found))
        return [array.item() for array in found]

    # ---- functions ----

    def set_time(
        self,
        processor: int | str,
        sizes: npt.ArrayLike,
        seconds: npt.ArrayLike,
        *,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
        repetitions: npt.ArrayLike | None = None,
    ) -> None:
        """Replaces a processor's function of time, and all its intervals.

        sizes, seconds: its points, sizes >= 1, each once. A point that is masked in seconds is left out. low, high: confidence
        intervals, low <= seconds <= high. repetitions: their numbers of measurements.
        """
        seconds, sizes, low, high, repetitions = without_masked(seconds, sizes, low, high, repetitions)
        values = paired(sizes, seconds, "seconds")
        interval = interval_of(sizes, low, high, repetitions)
        self._set_function("time", self._find(processor), values, interval)

    def set_energy(
        self,
        processor: int | str,
        sizes: npt.ArrayLike,
        joules: npt.ArrayLike,
        *,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
        repetitions: npt.ArrayLike | None = None,
    ) -> None:
        """Replaces a processor's function of dynamic energy, and its intervals.

        sizes, joules: its points. A point that is masked in joules is left out. low, high: confidence intervals, low <= joules <= high.
        repetitions: their numbers of measurements.
        """
        joules, sizes, low, high, repetitions = without_masked(joules, sizes, low, high, repetitions)
        values = paired(sizes, joules, "joules")
        interval = interval_of(sizes, low, high, repetitions)
        self._set_function("energy", self._find(processor), values, interval)

    def _set_function(self, kind: str, k: int, values: tuple[Sizes, Reals], interval: tuple[Reals, Reals, Sizes | None] | None) -> None:
        set_function = getattr(_hpart, f"hpart_platform_set_{kind}_function")
        # First on a platform that nobody sees: a setter that fails changes nothing.
        for platform, at in ((Platform(1), 0), (self, k)) if interval is not None else ((self, k),):
            check(set_function(platform._handle, at, len(values[0]), *values))
            if interval is not None:
                platform._set_interval(kind, at, values[0], interval)

    def set_time_interval(
        self,
        processor: int | str,
        sizes: npt.ArrayLike,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        repetitions: npt.ArrayLike | None = None,
    ) -> None:
        """Sets confidence intervals of a processor's times at these sizes: low <= seconds <= high; repetitions: of the measurement."""
        self._set_interval("time", self._find(processor), sizes_of(sizes, "sizes"), interval_of(sizes, low, high, repetitions))

    def set_energy_interval(
        self,
        processor: int | str,
        sizes: npt.ArrayLike,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        repetitions: npt.ArrayLike | None = None,
    ) -> None:
        """Sets confidence intervals of a processor's energies at these sizes: low <= joules <= high; repetitions: of the measurement."""
        self._set_interval("energy", self._find(processor), sizes_of(sizes, "sizes"), interval_of(sizes, low, high, repetitions))

    def _set_interval(self, kind: str, k: int, sizes: Sizes, interval: tuple[Reals, Reals, Sizes | None] | None) -> None:
        if interval is None:
            raise InvalidArgumentError("low and high are None; an interval needs both")
        check(getattr(_hpart, f"hpart_platform_set_{kind}_interval")(self._handle, k, len(sizes), sizes, *interval))

    def intervals(self, processor: int | str) -> Intervals:
        """Returns the confidence intervals of a processor's points."""
        k = self._find(processor)
        needed = np.zeros(1, np.int64)
        check(_hpart.hpart_platform_get_function(self._handle, k, None, None, None, 0, needed))
        points = int(needed[0])
        found = Intervals(np.empty(points), np.empty(points), np.empty(points), np.empty(points), np.empty(points, np.int64))
        if points > 0:
            check(_hpart.hpart_platform_get_intervals(self._handle, k, *found, points, None))
        return found

    def set_speed(
        self,
        processor: int | str,
        sizes: npt.ArrayLike,
        speeds: npt.ArrayLike,
        complexity: Callable[[int], float] | None = None,
    ) -> None:
        """Sets a processor's function of time from its speeds at these sizes, in operations per second.

        complexity(size) returns the operations of a size; default: the size. A point that is masked in speeds is left out.
        """
        speeds, sizes = without_masked(speeds, sizes)
        x, s = paired(sizes, speeds, "speeds")
        callback = None if complexity is None else ComplexityCallback(function(complexity, "complexity"))
        status = _hpart.hpart_platform_set_speed_function(self._handle, self._find(processor), len(x), x, s, callback)
        if callback is not None:
            callback.raise_error()
        check(status)

    def function(self, processor: int | str) -> Function:
        """Returns a processor's points."""
        k = self._find(processor)
        needed = np.zeros(1, np.int64)
        check(_hpart.hpart_platform_get_function(self._handle, k, None, None, None, 0, needed))
        points = int(needed[0])
        found = Function(np.empty(points, np.int64), np.empty(points), np.empty(points))
        if points > 0:
            check(_hpart.hpart_platform_get_function(self._handle, k, *found, points, needed))
        return found

    def facts(self) -> Report:
        """Returns how the platform was measured, and what its points lack: the keys of hpart_platform_report in hpart.h."""
        status, report = _hpart.hpart_platform_report(self._handle)
        check(status)
        return take_report(report)

    def shape(self, processor: int | str, complexity: Callable[[int], float] | None = None) -> Report:
        """Returns the shape of a processor's functions: the keys of hpart_platform_report_shape in hpart.h.

        complexity(size) returns the operations of a size; default: the size.
        """
        callback = None if complexity is None else ComplexityCallback(function(complexity, "complexity"))
        status, report = _hpart.hpart_platform_report_shape(self._handle, self._find(processor), callback)
        if callback is not None:
            callback.raise_error()
        check(status)
        return take_report(report)

    # ---- tables and plots ----

    def to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame of the points, with the columns of platform files: processor, size, time, energy.

        NaN is no value. time_low, time_high, energy_low, energy_high and repetitions (0: unknown) are there if any of them is known.
        """
        return frame_of(self)

    @classmethod
    def from_dataframe(cls, frame: Any) -> Platform:
        """Returns a platform of the points of frame, a pandas.DataFrame or a dictionary with the columns of to_dataframe.

        Processors are numbered by their first appearance. A NaN or a masked element is no value.
        """
        return fill(cls, frame)

    def plot(self, ax: Any = None, *, quantity: Literal["time", "energy"] = "time") -> Any:
        """Draws each processor's quantity, "time" or "energy", over size, with bands for the confidence intervals.

        Draws in the matplotlib axes ax or in a new figure; returns the axes.
        """
        return plot_functions(self, quantity, ax)

    def plot_distribution(self, x: Parts, ax: Any = None, *, quantity: Literal["time", "energy"] = "time") -> Any:
        """Draws bars of each processor's quantity, "time" or "energy", at its size of x.

        Draws in the matplotlib axes ax or in a new figure; returns the axes.
        """
        return plot_distribution(self, x, quantity, ax)

    # ---- limits, power, links ----

    def set_limits(self, processor: int | str, smallest: int, largest: int) -> None:
        """Limits a processor to no work or a size from smallest to largest."""
        k = self._find(processor)
        check(_hpart.hpart_platform_set_limits(self._handle, k, whole(smallest, "smallest"), whole(largest, "largest")))

    def limits(self, processor: int | str) -> Limits:
        """Returns the limits of the sizes that a processor may get."""
        return Limits(*self._numbers(_hpart.hpart_platform_get_limits, processor, kinds="ii"))

    @property
    def base_power(self) -> float | None:
        """Static power of the whole node in watts; None until it is set."""
        (watts,) = self._numbers(_hpart.hpart_platform_get_base_power, kinds="d")
        return None if math.isnan(watts) else float(watts)

    @base_power.setter
    def base_power(self, watts: float) -> None:
        check(_hpart.hpart_platform_set_base_power(self._handle, real(watts, "base_power")))

    def set_link(self, source: int | str, target: int | str, latency: float, bandwidth: float) -> None:
        """Sets the link from source to target: latency in seconds, bandwidth in bytes per second."""
        i, j = self._find(source), self._find(target)
        check(_hpart.hpart_platform_set_link(self._handle, i, j, real(latency, "latency"), real(bandwidth, "bandwidth")))

    def link(self, source: int | str, target: int | str) -> Link:
        """Returns the link from source to target; default: no cost."""
        return Link(*self._numbers(_hpart.hpart_platform_get_link, source, target, kinds="dd"))

    def set_host_link(self, processor: int | str, latency: float, bandwidth: float) -> None:
        """Sets the link of a processor, an accelerator, to its host: latency in seconds, bandwidth in bytes per second."""
        k = self._find(processor)
        check(_hpart.hpart_platform_set_host_link(self._handle, k, real(latency, "latency"), real(bandwidth, "bandwidth")))

    def host_link(self, processor: int | str) -> Link:
        """Returns the link of a processor to its host; default: no cost."""
        return Link(*self._numbers(_hpart.hpart_platform_get_host_link, processor, kinds="dd"))

    def set_link_energy(self, source: int | str, target: int | str, joules_per_byte: float) -> None:
        """Sets the energy of a byte from source to target, joules_per_byte."""
        i, j = self._find(source), self._find(target)
        check(_hpart.hpart_platform_set_link_energy(self._handle, i, j, real(joules_per_byte, "joules_per_byte")))

    def link_energy(self, source: int | str, target: int | str) -> float:
        """Returns the joules per byte from source to target; default: 0."""
        return float(*self._numbers(_hpart.hpart_platform_get_link_energy, source, target, kinds="d"))

    def set_host_link_energy(self, processor: int | str, joules_per_byte: float) -> None:
        """Sets the energy of a byte over a processor's link to its host, joules_per_byte."""
        k = self._find(processor)
        check(_hpart.hpart_platform_set_host_link_energy(self._handle, k, real(joules_per_byte, "joules_per_byte")))

    def host_link_energy(self, processor: int | str) -> float:
        """Returns the joules per byte over a processor's link to its host; default: 0."""
        return float(*self._numbers(_hpart.hpart_platform_get_host_link_energy, processor, kinds="d"))

    def set_node(self, first: int | str, last: int | str, watts: float) -> None:
        """Sets the watts that the processors first to last need while one of them works; 0: they are no node."""
        check(_hpart.hpart_platform_set_node(self._handle, self._find(first), self._find(last), real(watts, "watts")))

    def node(self, processor: int | str) -> Node:
        """Returns the node of a processor; 0 watts: it has none."""
        return Node(*self._numbers(_hpart.hpart_platform_get_node, processor, kinds="iid"))

    def set_border_bytes(self, count: float) -> None:
        """Sets the count of bytes that neighbours exchange."""
        check(_hpart.hpart_platform_set_border_bytes(self._handle, real(count, "count")))

    @property
    def border_bytes(self) -> float:
        """Bytes that neighbours exchange; default: 0."""
        return float(*self._numbers(_hpart.hpart_platform_get_border_bytes, kinds="d"))

    @border_bytes.setter
    def border_bytes(self, count: float) -> None:
        self.set_border_bytes(count)

    @property
    def kernel(self) -> str:
        """The kernel that the functions were measured with; "" if unknown."""
        return fetch_text(_hpart.hpart_platform_get_kernel, self._handle)

    @kernel.setter
    def kernel(self, kernel: str) -> None:
        check(_hpart.hpart_platform_set_kernel(self._handle, text(kernel, "kernel")))

    # ---- optimal distributions ----

    @takes(EvaluateOptions)
    def evaluate(self, x: Parts, **options: Unpack[EvaluateOptions]) -> Evaluation:
        """Returns the time and the dynamic energy of a distribution.

        x: an array, a Distribution, or sizes by name, {"CPU": 4, "GPU": 8}. Raises InvalidArgumentError if a function lacks its size.
        """
        parts = named_entries(x, self.processors)
        seconds, joules = np.full(1, math.nan), np.full(1, math.nan)
        with Options(options, self.processors) as settings:
            status, _ = _hpart.hpart_platform_evaluate_with(self._handle, parts, settings.handle, seconds, joules)
            if status != _hpart.HPART_SUCCESS:
                status, _ = _hpart.hpart_platform_evaluate_with(self._handle, parts, settings.handle, seconds, None)
            settings.check(status)
        return Evaluation(float(seconds[0]), float(joules[0]))

    @takes(EvaluateOptions)
    def costs(self, x: Parts, **options: Unpack[EvaluateOptions]) -> Report:
        """Returns the parts of the costs of a distribution x, as for evaluate: the keys of hpart_platform_evaluate_with in hpart.h."""
        parts = named_entries(x, self.processors)
        with Options(options, self.processors) as settings:
            status, report = _hpart.hpart_platform_evaluate_with(self._handle, parts, settings.handle, None, None)
            settings.check(status)
        return take_report(report)

    @takes(PartitionOptions)
    def partition(self, size: int, objective: str = "time", **options: Unpack[PartitionOptions]) -> Distribution:
        """Returns the distribution of size that minimises the objective: "time", "energy", "total_energy" or "sum_time".

        energy is dynamic energy; sum_time adds the times of processors that run one after another. Raises InfeasibleError if no
        distribution exists, LimitError with the best `distribution` found if a limit came first.
        """
        goal = choice(objective, _OBJECTIVES, "objective")
        n = whole(size, "size")
        return best_distribution(
            tuple(self.processors), options, lambda handle, *found: _hpart.hpart_partition(self._handle, goal, n, handle, *found)
        )

    @takes(PartitionOptions)
    def partition_time(self, size: int, **options: Unpack[PartitionOptions]) -> Distribution:
        """Returns the distribution of size with the least time. Errors as for partition."""
        return self.partition(size, "time", **options)

    @takes(PartitionOptions)
    def partition_energy(self, size: int, **options: Unpack[PartitionOptions]) -> Distribution:
        """Returns the distribution of size with the least dynamic energy. Errors as for partition."""
        return self.partition(size, "energy", **options)

    @takes(PartitionOptions)
    def partition_total_energy(self, size: int, **options: Unpack[PartitionOptions]) -> Distribution:
        """Returns the distribution of size with the least total energy, base power x time + dynamic energy. Errors as for partition."""
        return self.partition(size, "total-energy", **options)

    @takes(PartitionOptions)
    def aggregate(self, size: int, objective: str = "time", **options: Unpack[PartitionOptions]) -> Platform:
        """Returns a platform of one processor that stands for all.

        Its time and energy of each size up to `size` are those of the best distribution by the objective, as for partition.
        """
        goal = choice(objective, _OBJECTIVES, "objective")
        with Options(options, self.processors) as settings:
            status, handle = _hpart.hpart_platform_aggregate(self._handle, goal, whole(size, "size"), settings.handle)
            settings.check(status)
        return self._of(handle)

    @takes(FrontOptions)
    def pareto(self, size: int, energy: str = "dynamic", **options: Unpack[FrontOptions]) -> Front:
        """Returns all Pareto-optimal points of time and energy of size, or fewer with the options max_points and eps.

        energy: "dynamic" or "total". Raises InfeasibleError, LimitError.
        """
        kind = choice(energy, _ENERGIES, "energy")
        with Options(options, self.processors) as settings:
            status, handle = _hpart.hpart_front_compute(self._handle, whole(size, "size"), kind, settings.handle)
            settings.check(status)
        return take_front(handle, tuple(self.processors))

    @takes(ScheduleOptions)
    def schedule(self, size: int, **options: Unpack[ScheduleOptions]) -> Schedule:
        """Returns the schedule of size with the least makespan, any number of packages a processor. Raises InfeasibleError, LimitError."""
        with Options(options) as settings:
            status, handle = _hpart.hpart_schedule_compute(self._handle, whole(size, "size"), settings.handle)
            settings.check(status)
        return Schedule._take(handle, self.processors)

    def read_schedule(self, path: str | os.PathLike[str], application: str, size: int) -> Schedule:
        """Returns the schedule of an application and a size from the table in the file path.

        Raises InfeasibleError if there is none, or if it was made for other functions; IoError, FormatError.
        """
        status, handle = _hpart.hpart_schedule_read(os.fspath(path), text(application, "application"), whole(size, "size"), self._handle)
        check(status)
        return Schedule._take(handle, self.processors)
