"""Distributions, fronts and schedules."""
from __future__ import annotations

import math
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np

from . import _hpart
from ._display import amount, html_table, need, title_of
from ._errors import InvalidArgumentError, LimitError, check, failure
from ._options import Options
from ._plots import plot_bars, plot_front
from ._values import Handle, Reals, Report, Sizes, same, take_report, text, whole


def find(processor: int | str, names: Sequence[object]) -> int:
    """The number of a processor, from its name or number."""
    if isinstance(processor, str):
        if processor not in names:
            raise InvalidArgumentError(f"there is no processor {processor!r}; there are {', '.join(map(str, names))}")
        return names.index(processor)
    number = whole(processor, "processor")
    if not 0 <= number < len(names):
        raise InvalidArgumentError(f"processor is {number}; it must be from 0 to {len(names) - 1}")
    return number


def item(processor: int | str, names: Sequence[str]) -> int:
    """The same for an index in brackets; fails as Python's own containers do."""
    try:
        return find(processor, names)
    except InvalidArgumentError as error:
        raise (KeyError if isinstance(processor, str) else IndexError)(str(error)) from None


@dataclass(frozen=True, eq=False, repr=False)
class Distribution:
    """A distribution: x has the size of each processor, distribution["CPU"] or distribution[0] is one of them.

    processors are the names. time: seconds. energy: joules, NaN if unknown. report: see hpart_partition in hpart.h. Calls that take a
    distribution find its processors by name. Two are equal if all but their reports is.
    """

    processors: tuple[str, ...]
    x: Sizes
    time: float
    energy: float
    report: Report

    def __getitem__(self, processor: int | str) -> int:
        return int(self.x[item(processor, self.processors)])

    def __len__(self) -> int:
        return len(self.processors)

    def __iter__(self) -> Iterator[int]:
        return iter(self.x.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.x, dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return (
            self.processors == other.processors
            and same(self.x, other.x)
            and same([self.time, self.energy], [other.time, other.energy])
        )

    def __hash__(self) -> int:
        return hash((self.processors, self.x.tobytes()))

    def __repr__(self) -> str:
        parts = ", ".join(f"{title_of(name)}: {n}" for name, n in self.items())
        return f"<hpart.Distribution {parts}; {self._cost()}>"

    def _repr_html_(self) -> str:
        return html_table(("processor", "size"), [(title_of(name), n) for name, n in self.items()], self._cost())

    def _cost(self) -> str:
        energy = "" if math.isnan(self.energy) else f", {amount(self.energy, 'J')}"
        return f"{amount(self.time, 's')}{energy}"

    def keys(self) -> tuple[str, ...]:
        """Returns the processors' names."""
        return self.processors

    def items(self) -> list[tuple[str, int]]:
        """Returns each processor's name and size."""
        return list(zip(self.processors, self.x.tolist()))

    def as_dict(self) -> dict[str, int]:
        """Returns each processor's size by its name."""
        return dict(zip(self.processors, self.x.tolist()))

    def plot(self, ax: Any = None) -> Any:
        """Draws bars of the sizes in the matplotlib axes ax or a new figure; returns the axes."""
        return plot_bars(self.processors, {"size": self.x}, "size", "", ax, title=f"size {self.x.sum()}, {amount(self.time, 's')}")


def best_distribution(
    processors: tuple[str, ...], options: Mapping[str, Any], call: Callable[[Any, Sizes, Reals, Reals], tuple[int, Any]]
) -> Distribution:
    """The distribution that the library's call(options, x, seconds, joules) finds; its status HPART_ERR_LIMIT may leave one, too."""
    x, seconds, joules = np.zeros(len(processors), np.int64), np.full(1, -1.0), np.zeros(1)
    with Options(options, processors) as settings:
        status, handle = call(settings.handle, x, seconds, joules)
        limit = failure(status) if status == _hpart.HPART_ERR_LIMIT else None
        report = take_report(handle)
        if limit is None:
            settings.check(status)
    found = Distribution(processors, x, float(seconds[0]), float(joules[0]), report)
    if isinstance(limit, LimitError):
        limit.distribution = found if seconds[0] >= 0 else None
        raise limit
    return found


class FrontPoint(NamedTuple):
    """A point of a front: its time in seconds, energy in joules, and distribution x."""

    time: float
    energy: float
    x: Sizes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrontPoint) and all(map(same, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.time, self.energy))


class Front(Sequence[FrontPoint]):
    """A Pareto front: a sequence of points, in increasing time and decreasing energy.

    processors are the names, points the FrontPoints. report: see hpart_front_compute in hpart.h.
    """

    def __init__(self, processors: tuple[str, ...], points: list[FrontPoint], report: Report):
        self.processors = processors
        self.report = report
        self._points = points

    @overload
    def __getitem__(self, k: int) -> FrontPoint: ...
    @overload
    def __getitem__(self, k: slice) -> list[FrontPoint]: ...
    def __getitem__(self, k: int | slice) -> FrontPoint | list[FrontPoint]:
        return self._points[k]

    def __len__(self) -> int:
        return len(self._points)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Front):
            return NotImplemented
        return self.processors == other.processors and self._points == other._points

    def __hash__(self) -> int:
        return hash((self.processors, tuple(self._points)))

    def __repr__(self) -> str:
        return f"<hpart.Front of {len(self)} points>"

    def _repr_html_(self) -> str:
        rows = [(amount(point.time, "s"), amount(point.energy, "J"), *point.x.tolist()) for point in self]
        return html_table(("time", "energy", *map(title_of, self.processors)), rows)

    def to_dataframe(self) -> Any:
        """Returns a pandas.DataFrame: time, energy, and one column per processor."""
        pandas = need("pandas", "to_dataframe")
        columns: dict[str, Any] = {"time": [point.time for point in self], "energy": [point.energy for point in self]}
        for i, name in enumerate(self.processors):
            columns[name] = [int(point.x[i]) for point in self]
        return pandas.DataFrame(columns)

    def plot(self, ax: Any = None) -> Any:
        """Draws energy over time in the matplotlib axes ax or a new figure; returns the axes."""
        return plot_front(self, ax)


def take_front(handle: Any, processors: tuple[str, ...]) -> Front:
    """The front of a handle, which it destroys."""
    points = []
    try:
        status, report = _hpart.hpart_front_report(handle)
        check(status)
        about = take_report(report)
        for k in range(_hpart.hpart_front_count(handle)):
            seconds, joules, x = np.zeros(1), np.zeros(1), np.zeros(len(processors), np.int64)
            check(_hpart.hpart_front_point(handle, k, seconds, joules, x))
            points.append(FrontPoint(float(seconds[0]), float(joules[0]), x))
    finally:
        _hpart.hpart_front_destroy(handle)
    return Front(processors, points, about)


class Task(NamedTuple):
    """A package of a schedule: its processor, its size, and the number of its repeats."""

    processor: str
    size: int
    repeats: int


@dataclass(frozen=True, repr=False)
class Schedule:
    """Several packages for each processor. makespan: the largest sum of seconds of a processor. tasks: a list of Task.

    report: see hpart_schedule_compute in hpart.h. The packages run in the order of tasks.
    """

    makespan: float
    tasks: list[Task]
    report: Report = field(compare=False)
    _owner: Handle = field(compare=False)

    @classmethod
    def _take(cls, handle: Any, names: Sequence[str]) -> Schedule:
        owner = Handle()
        owner._own(handle, _hpart.hpart_schedule_destroy)
        status, report = _hpart.hpart_schedule_report(handle)
        check(status)
        tasks = []
        for k in range(_hpart.hpart_schedule_tasks(handle)):
            task = np.zeros((3, 1), np.int64)
            check(_hpart.hpart_schedule_task(handle, k, *task))
            tasks.append(Task(names[task[0, 0]], int(task[1, 0]), int(task[2, 0])))
        return cls(float(_hpart.hpart_schedule_makespan(handle)), tasks, take_report(report), owner)

    @classmethod
    def _of_table(cls, table: bytes, size: int, tasks: list[Task], report: Report) -> Schedule:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "table.csv")
            path.write_bytes(table)
            status, handle = _hpart.hpart_schedule_read(str(path), "pickle", size, None)
        check(status)
        owner = Handle()
        owner._own(handle, _hpart.hpart_schedule_destroy)
        return cls(float(_hpart.hpart_schedule_makespan(handle)), tasks, report, owner)

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "table.csv")
            self.write(path, "pickle")
            table = path.read_bytes()
        size = sum(task.size * task.repeats for task in self.tasks)
        return self._of_table, (table, size, self.tasks, self.report)

    def write(self, path: str | os.PathLike[str], application: str) -> None:
        """Adds the schedule to the table in the file path, or replaces the one of the same application and size. Raises IoError."""
        check(_hpart.hpart_schedule_write(self._owner._handle, os.fspath(path), text(application, "application")))

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __repr__(self) -> str:
        return f"<hpart.Schedule of {len(self)} tasks: {amount(self.makespan, 's')}>"

    def _repr_html_(self) -> str:
        rows = [(title_of(task.processor), task.size, task.repeats) for task in self.tasks]
        return html_table(Task._fields, rows, amount(self.makespan, "s"))
