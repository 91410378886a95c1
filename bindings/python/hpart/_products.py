"""Products of matrices and vectors, and solutions with triangular matrices."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._device_handle import DeviceHandle
from ._errors import InvalidArgumentError
from ._operands import (
    LETTERS,
    Array,
    array_of,
    increment,
    layout_of,
    lowest,
    matrix,
    output,
    read_matrix,
    same_type,
    scalar,
    trans_value,
    uplo_of,
)
from ._option_types import GemmOptions, GemvOptions
from ._options import takes
from ._values import choice, flag

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _check_beta(beta: complex, out: Array | None) -> None:
    if out is None and beta != 0:
        raise InvalidArgumentError(f"beta is {beta}; without out there is nothing to add to, and it must be 0")


class Products(DeviceHandle):
    """The BLAS."""

    @takes(GemmOptions)
    def gemm(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        trans_a: str = "N",
        trans_b: str = "N",
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns alpha op(a) op(b) + beta out, in out or in a new array.

        trans_a, trans_b: op is "N" the matrix, "T" its transpose or "C" its conjugate transpose.
        """
        left, right = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(left, "a", right, "b")
        rows, depth = left.shape if trans_a == "N" else left.shape[::-1]
        other_depth, columns = right.shape if trans_b == "N" else right.shape[::-1]
        trans_value(trans_a, "trans_a"), trans_value(trans_b, "trans_b")
        if depth != other_depth:
            raise InvalidArgumentError(f"op(b) has {other_depth} rows; it must have {depth}, the columns of op(a)")
        _check_beta(beta, out)
        result = output(out, (rows, columns), left.dtype)
        c = matrix(result, "out")
        first, op_a = read_matrix(left, "a", trans_a, c.row_major)
        second, op_b = read_matrix(right, "b", trans_b, c.row_major)
        self._call(
            getattr(_hpart, f"hpart_{letter}gemm"), layout_of(c.row_major), op_a, op_b, rows, columns, depth,
            scalar(alpha, letter, "alpha"), first.array, first.ld, second.array, second.ld, scalar(beta, letter, "beta"),
            c.array, c.ld, options=options,
        )  # fmt: skip
        return result

    @takes(GemvOptions)
    def gemv(
        self,
        a: npt.ArrayLike,
        x: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        trans: str = "N",
        **options: Unpack[GemvOptions],
    ) -> Array:
        """Returns alpha op(a) x + beta out, in out or in a new array. trans: op, as for gemm."""
        of_a, vector = array_of(a, "a", 2), array_of(x, "x", 1)
        letter = same_type(of_a, "a", vector, "x")
        value = trans_value(trans, "trans")
        length, depth = of_a.shape if trans == "N" else of_a.shape[::-1]
        if len(vector) != depth:
            raise InvalidArgumentError(f"x has {len(vector)} elements; it must have {depth}, the columns of op(a)")
        _check_beta(beta, out)
        result = output(out, (length,), of_a.dtype)
        found = matrix(of_a, "a")
        step_x, step_y = increment(vector, "x"), increment(result, "out")
        self._call(
            getattr(_hpart, f"hpart_{letter}gemv"), layout_of(found.row_major), value, *of_a.shape,
            scalar(alpha, letter, "alpha"), found.array, found.ld, lowest(vector, step_x), step_x,
            scalar(beta, letter, "beta"), lowest(result, step_y), step_y, options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def syrk(
        self,
        a: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        lower: bool = True,
        trans: str = "N",
        hermitian: bool = True,
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns one triangle of alpha op(a) op(a)^H + beta out, with real alpha and beta.

        lower: the lower triangle, else the upper one.
        hermitian=False: the plain transpose. trans "N": op(a) is a; "T" or "C": the other factor is. Without out the other triangle is zero.
        A complex `a` of the other memory order than `out` is copied if the product is Hermitian.
        """
        of_a = array_of(a, "a", 2)
        letter = LETTERS[of_a.dtype]
        conjugates = flag(hermitian, "hermitian") and letter in "cz"
        trans_value(trans, "trans")
        flipped = "C" if conjugates else "T"
        if trans not in ("N", flipped) and letter in "cz":
            raise InvalidArgumentError(f"trans is {trans!r}; it must be 'N' or {flipped!r}")
        order, depth = of_a.shape if trans == "N" else of_a.shape[::-1]
        _check_beta(beta, out)
        result = np.zeros((order, order), of_a.dtype) if out is None else output(out, (order, order), of_a.dtype)
        c = matrix(result, "out")
        if conjugates and matrix(of_a, "a").row_major != c.row_major:
            of_a = np.array(of_a, order="C" if c.row_major else "F")
        factor, op = read_matrix(of_a, "a", flipped if trans != "N" else "N", c.row_major)
        kind = "d" if conjugates else letter
        self._call(
            getattr(_hpart, f"hpart_{letter}{'herk' if conjugates else 'syrk'}"), layout_of(c.row_major), uplo_of(lower), op,
            order, depth, scalar(alpha, kind, "alpha"), factor.array, factor.ld, scalar(beta, kind, "beta"), c.array, c.ld,
            options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def solve_triangular(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        lower: bool = False,
        trans: str = "N",
        unit_diagonal: bool = False,
        side: str = "left",
        overwrite_b: bool = False,
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns x of op(a) x = alpha b, or with side="right" of x op(a) = alpha b.

        lower: a is lower triangular, else upper; the other triangle is not read. unit_diagonal: its diagonal counts as 1. trans: op, as for
        gemm. overwrite_b: x replaces b.
        """
        of_a, of_b = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(of_a, "a", of_b, "b")
        place = choice(side, {"left": _hpart.HPART_LEFT, "right": _hpart.HPART_RIGHT}, "side")
        diagonal = _hpart.HPART_UNIT if flag(unit_diagonal, "unit_diagonal") else _hpart.HPART_NON_UNIT
        order = of_b.shape[0] if side == "left" else of_b.shape[1]
        if of_a.shape != (order, order):
            raise InvalidArgumentError(f"a has the shape {of_a.shape}; it must have {(order, order)} for b of {of_b.shape}")
        result = output(of_b if flag(overwrite_b, "overwrite_b") else of_b.copy(), of_b.shape, of_b.dtype, "b")
        solved = matrix(result, "b")
        value = trans_value(trans, "trans")
        triangle = matrix(of_a, "a")
        if triangle.row_major != solved.row_major and of_a.size:
            triangle = matrix(np.array(of_a, order="C" if solved.row_major else "F"), "a")
        self._call(
            getattr(_hpart, f"hpart_{letter}trsm"), layout_of(solved.row_major),
            place, uplo_of(lower), value, diagonal, *of_b.shape, scalar(alpha, letter, "alpha"),
            triangle.array, triangle.ld, solved.array, solved.ld, options=options,
        )  # fmt: skip
        return result
