"""Distributions, fronts and schedules."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from ._errors import InvalidArgumentError
from ._values import Report, Sizes, whole


def find(processor: int | str, names: Sequence[str]) -> int:
    """The number of a processor that is given by name or by number."""
    if isinstance(processor, str):
        if processor not in names:
            raise InvalidArgumentError(f"there is no processor {processor!r}; there are {', '.join(names)}")
        return names.index(processor)
    number = whole(processor, "processor")
    if not 0 <= number < len(names):
        raise InvalidArgumentError(f"processor is {number}; it must be from 0 to {len(names) - 1}")
    return number


def item(processor: int | str, names: Sequence[str]) -> int:
    """The same for what stands in brackets, which fails as Python's own containers do."""
    try:
        return find(processor, names)
    except InvalidArgumentError as error:
        raise (KeyError if isinstance(processor, str) else IndexError)(str(error)) from None


@dataclass(frozen=True, eq=False)
class Distribution:
    """Who gets how much: x has one entry a processor, and distribution["CPU"] or distribution[0] is one of them."""

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

    def as_dict(self) -> dict[str, int]:
        return dict(zip(self.processors, self.x.tolist()))


class FrontPoint(NamedTuple):
    """One compromise of time and energy, and a distribution that has it."""

    time: float
    energy: float
    x: Sizes


class Front(Sequence[FrontPoint]):
    """All Pareto-optimal points, in increasing time and decreasing energy."""

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

    def __repr__(self) -> str:
        return f"<hpart.Front of {len(self)} points>"

    def to_dataframe(self) -> Any:
        """A pandas.DataFrame: time, energy, and a column a processor."""
        import pandas

        columns: dict[str, Any] = {"time": [point.time for point in self], "energy": [point.energy for point in self]}
        for i, name in enumerate(self.processors):
            columns[name] = [int(point.x[i]) for point in self]
        return pandas.DataFrame(columns)

    def plot(self, axes: Any = None) -> Any:
        """Draws energy over time with matplotlib and gives the axes back."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.figure().add_subplot()
        axes.plot([point.time for point in self], [point.energy for point in self], "o-")
        axes.set_xlabel("time, s")
        axes.set_ylabel("energy, J")
        return axes


class Task(NamedTuple):
    """A processor, the size of a package, and how many times it runs it."""

    processor: str
    size: int
    repeats: int


@dataclass(frozen=True)
class Schedule:
    """Several packages a processor; the makespan is the largest sum of times."""

    makespan: float
    tasks: list[Task]
    report: Report
