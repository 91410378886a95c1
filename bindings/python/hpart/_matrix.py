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
    """Each part's fraction of a distribution; the fractions sum to exactly 1."""
    parts = sizes_of(x, "x")
    fractions = np.empty(len(parts))
    check(_hpart.hpart_shares_compute(len(parts), parts, fractions))
    return fractions


class Rectangle(NamedTuple):
    """A processor's part of a matrix; height and width are 0 if it has none."""

    first_row: int
    first_column: int
    height: int
    width: int

    @property
    def slices(self) -> tuple[builtins.slice, builtins.slice]:
        """For a NumPy array: matrix[rectangle.slices]."""
        return (
            slice(self.first_row, self.first_row + self.height),
            slice(self.first_column, self.first_column + self.width),
        )


@dataclass(frozen=True)
class MatrixPartition:
    """One rectangle per processor; together they tile the matrix."""

    rectangles: list[Rectangle]
    report: Report


def matrix_partition(areas: npt.ArrayLike, rows: int, columns: int) -> MatrixPartition:
    """Tiles a matrix with rectangles of areas in proportion to `areas`, in columns, with a small sum of half-perimeters."""
    parts = reals_of(areas, "areas")
    places = np.zeros((4, len(parts)), np.int64)
    status, handle = _hpart.hpart_matrix_partition(
        len(parts), parts, whole(rows, "rows"), whole(columns, "columns"), *places
    )
    check(status)
    rectangles = [Rectangle(*(int(value) for value in place)) for place in places.T]
    return MatrixPartition(rectangles, take_report(handle))
