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
    Matrix,
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


def _square_result(order: int, dtype: Any, beta: complex, out: Array | None) -> tuple[Array, Matrix]:
    """A matrix of which one triangle is computed; the other one is zero if it is new."""
    _check_beta(beta, out)
    result = np.zeros((order, order), dtype) if out is None else output(out, (order, order), dtype)
    return result, matrix(result, "out")


def _of_order(array: Array, name: str, row_major: bool) -> Matrix:
    """A matrix of that memory order, a copy if it has the other one."""
    found = matrix(array, name)
    if found.row_major == row_major:
        return found
    if array.size:
        return matrix(np.array(array, order="C" if row_major else "F"), name)
    return Matrix(array, row_major, max(array.shape[1] if row_major else array.shape[0], 1))


def _place_of(side: str, square: Array, other: Array) -> int:
    """The value of side, for a square matrix a beside b."""
    place = choice(side, {"left": _hpart.HPART_LEFT, "right": _hpart.HPART_RIGHT}, "side")
    order = other.shape[0] if side == "left" else other.shape[1]
    if square.shape != (order, order):
        raise InvalidArgumentError(f"a has the shape {square.shape}; it must have {(order, order)} for b of {other.shape}")
    return int(place)


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
        result, c = _square_result(order, of_a.dtype, beta, out)
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
    def syr2k(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        lower: bool = True,
        trans: str = "N",
        hermitian: bool = True,
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns one triangle of alpha op(a) op(b)^H + conj(alpha) op(b) op(a)^H + beta out, with real beta.

        lower, trans, hermitian, out: as for syrk; hermitian=False: plain transposes, and alpha twice. Arrays of the other memory order than
        `out` are copied.
        """
        of_a, of_b = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(of_a, "a", of_b, "b")
        if of_a.shape != of_b.shape:
            raise InvalidArgumentError(f"b has the shape {of_b.shape}; it must have {of_a.shape}, as a")
        conjugates = flag(hermitian, "hermitian") and letter in "cz"
        flipped = "C" if conjugates else "T"
        if trans not in ("N", flipped) and letter in "cz":
            raise InvalidArgumentError(f"trans is {trans!r}; it must be 'N' or {flipped!r}")
        order, depth = of_a.shape if trans == "N" else of_a.shape[::-1]
        result, c = _square_result(order, of_a.dtype, beta, out)
        first, second = _of_order(of_a, "a", c.row_major), _of_order(of_b, "b", c.row_major)
        self._call(
            getattr(_hpart, f"hpart_{letter}{'her2k' if conjugates else 'syr2k'}"), layout_of(c.row_major), uplo_of(lower),
            trans_value(trans, "trans"), order, depth, scalar(alpha, letter, "alpha"), first.array, first.ld, second.array,
            second.ld, scalar(beta, "d" if conjugates else letter, "beta"), c.array, c.ld, options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def gemmt(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        lower: bool = True,
        trans_a: str = "N",
        trans_b: str = "N",
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns one triangle of alpha op(a) op(b) + beta out, in out or in a new array whose other triangle is zero.

        lower: the lower triangle, else the upper one. trans_a, trans_b: as for gemm.
        """
        left, right = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(left, "a", right, "b")
        order, depth = left.shape if trans_a == "N" else left.shape[::-1]
        trans_value(trans_a, "trans_a"), trans_value(trans_b, "trans_b")
        other = right.shape if trans_b == "N" else right.shape[::-1]
        if other != (depth, order):
            raise InvalidArgumentError(f"op(b) has the shape {other}; it must have {(depth, order)}")
        result, c = _square_result(order, left.dtype, beta, out)
        first, op_a = read_matrix(left, "a", trans_a, c.row_major)
        second, op_b = read_matrix(right, "b", trans_b, c.row_major)
        self._call(
            getattr(_hpart, f"hpart_{letter}gemmt"), layout_of(c.row_major), uplo_of(lower), op_a, op_b, order, depth,
            scalar(alpha, letter, "alpha"), first.array, first.ld, second.array, second.ld, scalar(beta, letter, "beta"),
            c.array, c.ld, options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def gemm_batched(
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
        """Returns alpha op(a[i]) op(b[i]) + beta out[i] for each i, in out or in a new array. All have three dimensions.

        trans_a, trans_b: as for gemm. An array of one matrix is the same operand of each product. Arrays that are not contiguous are copied;
        out must be contiguous.
        """
        left, right = np.ascontiguousarray(array_of(a, "a", 3)), np.ascontiguousarray(array_of(b, "b", 3))
        letter = same_type(left, "a", right, "b")
        op_a, op_b = trans_value(trans_a, "trans_a"), trans_value(trans_b, "trans_b")
        rows, depth = left.shape[1:] if trans_a == "N" else left.shape[:0:-1]
        other_depth, columns = right.shape[1:] if trans_b == "N" else right.shape[:0:-1]
        if depth != other_depth:
            raise InvalidArgumentError(f"op(b) has {other_depth} rows; it must have {depth}, the columns of op(a)")
        batch = max(len(left), len(right)) if min(len(left), len(right)) > 0 else 0
        for array, name in ((left, "a"), (right, "b")):
            if len(array) not in (1, batch):
                raise InvalidArgumentError(f"{name} has {len(array)} matrices; it must have 1 or {batch}")
        _check_beta(beta, out)
        result = output(out, (batch, rows, columns), left.dtype)
        if not result.flags.c_contiguous:
            raise InvalidArgumentError("out is not contiguous; it must be, in C's order")
        strides = [0 if len(array) == 1 else array.shape[1] * array.shape[2] for array in (left, right)]
        self._call(
            getattr(_hpart, f"hpart_{letter}gemm_strided_batched"), layout_of(True), op_a, op_b, rows, columns, depth,
            scalar(alpha, letter, "alpha"), left, max(left.shape[2], 1), strides[0], right, max(right.shape[2], 1), strides[1],
            scalar(beta, letter, "beta"), result, max(columns, 1), rows * columns, batch, options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def symm(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        alpha: complex = 1.0,
        beta: complex = 0.0,
        out: Array | None = None,
        lower: bool = True,
        side: str = "left",
        hermitian: bool = True,
        **options: Unpack[GemmOptions],
    ) -> Array:
        """Returns alpha a b + beta out, or with side="right" alpha b a + beta out, a Hermitian. hermitian=False: a symmetric.

        lower: reads the lower triangle of a, else the upper one. Arrays of the other memory order than `out` are copied.
        """
        of_a, of_b = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(of_a, "a", of_b, "b")
        place = _place_of(side, of_a, of_b)
        _check_beta(beta, out)
        result = output(out, of_b.shape, of_b.dtype)
        c = matrix(result, "out")
        first, second = _of_order(of_a, "a", c.row_major), _of_order(of_b, "b", c.row_major)
        name = "hemm" if flag(hermitian, "hermitian") and letter in "cz" else "symm"
        self._call(
            getattr(_hpart, f"hpart_{letter}{name}"), layout_of(c.row_major), place, uplo_of(lower), *of_b.shape,
            scalar(alpha, letter, "alpha"), first.array, first.ld, second.array, second.ld, scalar(beta, letter, "beta"),
            c.array, c.ld, options=options,
        )  # fmt: skip
        return result

    @takes(GemmOptions)
    def multiply_triangular(
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
        """Returns alpha op(a) b, or with side="right" alpha b op(a).

        lower, trans, unit_diagonal: as for solve_triangular. overwrite_b: the product replaces b.
        """
        return self._by_triangle("trmm", a, b, alpha, lower, trans, unit_diagonal, side, overwrite_b, options)

    def _by_triangle(
        self,
        name: str,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        alpha: complex,
        lower: bool,
        trans: str,
        unit_diagonal: bool,
        side: str,
        overwrite_b: bool,
        options: Any,
    ) -> Array:
        of_a, of_b = array_of(a, "a", 2), array_of(b, "b", 2)
        letter = same_type(of_a, "a", of_b, "b")
        place = _place_of(side, of_a, of_b)
        diagonal = _hpart.HPART_UNIT if flag(unit_diagonal, "unit_diagonal") else _hpart.HPART_NON_UNIT
        result = output(of_b if flag(overwrite_b, "overwrite_b") else of_b.copy(), of_b.shape, of_b.dtype, "b")
        changed = matrix(result, "b")
        triangle = _of_order(of_a, "a", changed.row_major)
        self._call(
            getattr(_hpart, f"hpart_{letter}{name}"), layout_of(changed.row_major),
            place, uplo_of(lower), trans_value(trans, "trans"), diagonal, *of_b.shape, scalar(alpha, letter, "alpha"),
            triangle.array, triangle.ld, changed.array, changed.ld, options=options,
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
        return self._by_triangle("trsm", a, b, alpha, lower, trans, unit_diagonal, side, overwrite_b, options)
