"""Shares of a distribution, and matrices cut into rectangles."""
from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import check
from ._values import Reals, Report, reals_of, sizes_of, take_report, whole


def shares(x: npt.ArrayLike) -> Reals:
    """Returns each part's fraction of the distribution x. The fractions sum to exactly 1.

    >>> hpart.shares([1, 3]).tolist()
    [0.25, 0.75]
    """
    parts = sizes_of(x, "x")
    fractions = np.empty(len(parts))
    check(_hpart.hpart_shares_compute(len(parts), parts, fractions))
    return fractions


class Rectangle(NamedTuple):
    """A processor's part of a matrix: first_row, first_column, height and width; height and width are 0 if it has none."""

    first_row: int
    first_column: int
    height: int
    width: int

    @property
    def slices(self) -> tuple[builtins.slice, builtins.slice]:
        """The index of the part in a NumPy array: matrix[rectangle.slices]."""
        return (
            slice(self.first_row, self.first_row + self.height),
            slice(self.first_column, self.first_column + self.width),
        )


@dataclass(frozen=True)
class MatrixPartition:
    """The rectangles that tile a matrix, one for each processor, and the report of hpart_matrix_partition."""

    rectangles: list[Rectangle]
    report: Report


def matrix_partition(areas: npt.ArrayLike, rows: int, columns: int) -> MatrixPartition:
    """Tiles a matrix of rows x columns with one rectangle for each processor, in columns, with a small sum of half-perimeters.

    areas: their areas in proportion, >= 0.

    >>> hpart.matrix_partition([1, 1, 2], 4, 4).rectangles[2].slices
    (slice(0, 4, None), slice(0, 2, None))
    """
    parts = reals_of(areas, "areas")
    places = np.zeros((4, len(parts)), np.int64)
    status, handle = _hpart.hpart_matrix_partition(
        len(parts), parts, whole(rows, "rows"), whole(columns, "columns"), *places
    )
    check(status)
    rectangles = [Rectangle(*(int(value) for value in place)) for place in places.T]
    return MatrixPartition(rectangles, take_report(handle))
