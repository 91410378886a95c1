"""Values of a platform: a processor's points and their intervals, limits, links."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._display import amount
from ._errors import InvalidArgumentError
from ._values import Reals, Sizes, paired, same, sizes_of


class Function(NamedTuple):
    """A processor's points: sizes in increasing order, their seconds and joules; NaN if a size has no value."""

    sizes: Sizes
    seconds: Reals
    joules: Reals

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and all(map(same, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other


class Intervals(NamedTuple):
    """Confidence intervals of a processor's points, in the order of Function.

    time_low and time_high are seconds, energy_low and energy_high joules; NaN if unknown. repetitions are counts; 0 if unknown.
    """

    time_low: Reals
    time_high: Reals
    energy_low: Reals
    energy_high: Reals
    repetitions: Sizes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Intervals) and all(map(same, self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other


def interval_of(
    sizes: npt.ArrayLike, low: npt.ArrayLike | None, high: npt.ArrayLike | None, repetitions: npt.ArrayLike | None
) -> tuple[Reals, Reals, Sizes | None] | None:
    """Intervals and repetitions of as many sizes; None if there are none."""
    if low is None and high is None and repetitions is None:
        return None
    if low is None or high is None:
        raise InvalidArgumentError(f"{'low' if low is None else 'high'} is None; an interval needs low and high")
    counts = None
    if repetitions is not None:
        counts = sizes_of(repetitions, "repetitions")
        if len(counts) != len(sizes_of(sizes, "sizes")):
            raise InvalidArgumentError(f"repetitions has {len(counts)} elements; it must have as many as sizes")
    return paired(sizes, low, "low")[1], paired(sizes, high, "high")[1], counts


def span(values: npt.NDArray[Any], unit: str = "") -> str:
    """The least and the largest of the known values: sizes, or values in the unit."""
    known = values[~np.isnan(values)]
    if not len(known):
        return "none"
    low, high = known.min(), known.max()
    return f"{amount(float(low), unit)} to {amount(float(high), unit)}" if unit else f"{low:d} to {high:d}"


class Limits(NamedTuple):
    """The smallest and the largest size that a processor may get."""

    smallest: int
    largest: int


class Link(NamedTuple):
    """A link: latency, the seconds before the first byte, and bandwidth in bytes per second."""

    latency: float
    bandwidth: float


class Node(NamedTuple):
    """Processors first to last, from 0, and the watts that they need while one of them works."""

    first: int
    last: int
    watts: float


class Evaluation(NamedTuple):
    """The time of a distribution in seconds, and its dynamic energy in joules, NaN if a size has none."""

    time: float
    energy: float
