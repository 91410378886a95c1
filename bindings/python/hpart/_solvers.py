"""Factorisations and solvers, in LAPACK's storage."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._device_handle import DeviceHandle
from ._errors import InvalidArgumentError
from ._operands import LETTERS, Array, Matrix, array_of, layout_of, matrix, output, same_type, trans_value, uplo_of
from ._option_types import FactorOptions
from ._options import takes
from ._values import Sizes, choice, flag, host_array

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Lu(NamedTuple):
    """The matrix lu, L below its unit diagonal and U, and pivots: row k was exchanged with row pivots[k], from 0."""

    lu: Array
    pivots: Sizes


class Qr(NamedTuple):
    """The matrix qr, R in the upper triangle and the reflectors below it, and their factors tau."""

    qr: Array
    tau: Array


def _square(array: Array, name: str) -> None:
    if array.shape[0] != array.shape[1]:
        raise InvalidArgumentError(f"{name} has the shape {array.shape}; it must be square")


def _written(array: Array, name: str, overwrite: bool) -> Matrix:
    """The caller's own array, or a copy in the same order."""
    return matrix(output(array if flag(overwrite, f"overwrite_{name}") else array.copy(order="K"), array.shape, array.dtype, name), name)


def _adjoint_value(trans: str, a: Array) -> int:
    """As trans_value, without the plain transpose of complex matrices, which LAPACK lacks there."""
    if trans == "T" and np.iscomplexobj(a):
        raise InvalidArgumentError("trans is 'T'; it must be 'N' or 'C', since a is complex")
    return trans_value(trans, "trans")


def _right_hand_sides(b: npt.ArrayLike, like: Array, rows: int) -> Array:
    """One column, or several, of that many rows."""
    sides = host_array(b, "b")
    if sides.ndim not in (1, 2):
        raise InvalidArgumentError(f"b has {sides.ndim} dimensions; it must have 1, or 2 for several columns")
    array_of(sides, "b", sides.ndim)
    same_type(like, "a", sides, "b")
    if sides.shape[0] != rows:
        raise InvalidArgumentError(f"b has {sides.shape[0]} rows; it must have {rows}")
    return sides


def _distance(array: Array, row_major: bool) -> int:
    """Leading dimension of a contiguous array of that order."""
    return max(int(array.shape[1] if row_major else array.shape[0]), 1)


def _pivots_of(factors: Lu, rows: int) -> Sizes:
    """Counted from 1."""
    pivots = host_array(factors.pivots, "pivots")
    if pivots.shape != (rows,):
        raise InvalidArgumentError(f"pivots has the shape {pivots.shape}; it must be ({rows},)")
    return np.ascontiguousarray(pivots + 1, np.int64)


def _reflectors_of(factors: Qr) -> tuple[Array, Array]:
    """The matrix, and tau."""
    of_a, tau = array_of(factors.qr, "a", 2), array_of(factors.tau, "tau", 1)
    same_type(of_a, "a", tau, "tau")
    if len(tau) > min(of_a.shape):
        raise InvalidArgumentError(f"tau has {len(tau)} elements; it must have at most {min(of_a.shape)}")
    return of_a, np.ascontiguousarray(tau)


def _letters_of_q(array: Array) -> str:
    """LAPACK's names begin with or for real types, un for complex ones."""
    return LETTERS[array.dtype] + ("un" if np.iscomplexobj(array) else "or")


class Solvers(DeviceHandle):
    """LAPACK."""

    @takes(FactorOptions)
    def lu(self, a: npt.ArrayLike, *, overwrite_a: bool = False, **options: Unpack[FactorOptions]) -> Lu:
        """Factors p a = l u with partial pivoting. overwrite_a: works in a. Raises NumericalError if a is singular."""
        of_a = array_of(a, "a", 2)
        factors = _written(of_a, "a", overwrite_a)
        pivots = np.zeros(min(of_a.shape), np.int64)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}getrf"), layout_of(factors.row_major), *of_a.shape, factors.array,
            factors.ld, pivots, options=options,
        )  # fmt: skip
        return Lu(factors.array, pivots - 1)

    @takes(FactorOptions)
    def cholesky(self, a: npt.ArrayLike, *, lower: bool = True, overwrite_a: bool = False, **options: Unpack[FactorOptions]) -> Array:
        """Returns the triangular factor of a Hermitian positive definite matrix. Raises NumericalError if a is not positive definite.

        lower: reads the lower triangle and returns a lower factor, else upper. The other triangle of the result is zero. overwrite_a: works
        in a, and leaves the other triangle.
        """
        of_a = array_of(a, "a", 2)
        _square(of_a, "a")
        factor = _written(of_a, "a", overwrite_a)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}potrf"), layout_of(factor.row_major), uplo_of(lower), len(of_a),
            factor.array, factor.ld, options=options,
        )  # fmt: skip
        if overwrite_a:
            return factor.array
        return np.tril(factor.array) if lower else np.triu(factor.array)

    @takes(FactorOptions)
    def qr(self, a: npt.ArrayLike, *, overwrite_a: bool = False, **options: Unpack[FactorOptions]) -> Qr:
        """Factors a = q r. overwrite_a: works in a."""
        of_a = array_of(a, "a", 2)
        factors = _written(of_a, "a", overwrite_a)
        tau = np.zeros(min(of_a.shape), of_a.dtype)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}geqrf"), layout_of(factors.row_major), *of_a.shape, factors.array,
            factors.ld, tau, options=options,
        )  # fmt: skip
        return Qr(factors.array, tau)

    @takes(FactorOptions)
    def solve(
        self,
        a: npt.ArrayLike,
        b: npt.ArrayLike,
        *,
        positive: bool = False,
        lower: bool = True,
        overwrite_a: bool = False,
        **options: Unpack[FactorOptions],
    ) -> Array:
        """Returns x of a x = b, b one column or several. Raises NumericalError if a is singular.

        positive: a is Hermitian positive definite; reads its lower triangle, or with lower=False the upper one. overwrite_a: works in a.
        """
        of_a = array_of(a, "a", 2)
        _square(of_a, "a")
        sides = _right_hand_sides(b, of_a, len(of_a))
        factors = _written(of_a, "a", overwrite_a)
        count = 1 if sides.ndim == 1 else sides.shape[1]
        x = np.array(sides.reshape(len(of_a), count), order="C" if factors.row_major else "F")
        letter, layout = LETTERS[of_a.dtype], layout_of(factors.row_major)
        ld = _distance(x, factors.row_major)
        if flag(positive, "positive"):
            self._call(
                getattr(_hpart, f"hpart_{letter}posv"), layout, uplo_of(lower), len(of_a), count, factors.array, factors.ld, x,
                ld, options=options,
            )  # fmt: skip
        else:
            pivots = np.zeros(len(of_a), np.int64)
            self._call(
                getattr(_hpart, f"hpart_{letter}gesv"), layout, len(of_a), count, factors.array, factors.ld, pivots, x, ld,
                options=options,
            )  # fmt: skip
        return x.reshape(sides.shape)

    @takes(FactorOptions)
    def lu_solve(self, factors: Lu, b: npt.ArrayLike, *, trans: str = "N", **options: Unpack[FactorOptions]) -> Array:
        """Returns x of op(a) x = b by factors = lu(a), b one column or several. Raises NumericalError if a is singular.

        trans: op, as for gemm.
        """
        value = trans_value(trans, "trans")
        return self._solve_by("getrs", value, factors.lu, b, options, pivots=_pivots_of(factors, len(array_of(factors.lu, "a", 2))))

    @takes(FactorOptions)
    def cholesky_solve(
        self, factor: npt.ArrayLike, b: npt.ArrayLike, *, lower: bool = True, **options: Unpack[FactorOptions]
    ) -> Array:
        """Returns x of a x = b by factor = cholesky(a), b one column or several. lower: as it was factored."""
        return self._solve_by("potrs", uplo_of(lower), factor, b, options)

    def _solve_by(
        self, name: str, how: int, factors: npt.ArrayLike, b: npt.ArrayLike, options: Any, pivots: Sizes | None = None
    ) -> Array:
        of_a = array_of(factors, "a", 2)
        _square(of_a, "a")
        sides = _right_hand_sides(b, of_a, len(of_a))
        read = matrix(of_a, "a")
        count = 1 if sides.ndim == 1 else sides.shape[1]
        x = np.array(sides.reshape(len(of_a), count), order="C" if read.row_major else "F")
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}{name}"), layout_of(read.row_major), how, len(of_a), count, read.array,
            read.ld, *([] if pivots is None else [pivots]), x, _distance(x, read.row_major), options=options,
        )  # fmt: skip
        return x.reshape(sides.shape)

    @takes(FactorOptions)
    def lu_inverse(self, factors: Lu, *, overwrite_a: bool = False, **options: Unpack[FactorOptions]) -> Array:
        """Returns the inverse of a by factors = lu(a). overwrite_a: works in factors.lu. Raises NumericalError if a is singular."""
        of_a = array_of(factors.lu, "a", 2)
        _square(of_a, "a")
        pivots = _pivots_of(factors, len(of_a))
        inverse = _written(of_a, "a", overwrite_a)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}getri"), layout_of(inverse.row_major), len(of_a), inverse.array,
            inverse.ld, pivots, options=options,
        )  # fmt: skip
        return inverse.array

    @takes(FactorOptions)
    def cholesky_inverse(
        self, factor: npt.ArrayLike, *, lower: bool = True, overwrite_a: bool = False, **options: Unpack[FactorOptions]
    ) -> Array:
        """Returns the inverse of a by factor = cholesky(a). lower: as it was factored.

        overwrite_a: works in factor, and leaves the inverse in that triangle alone.
        """
        of_a = array_of(factor, "a", 2)
        _square(of_a, "a")
        inverse = _written(of_a, "a", overwrite_a)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}potri"), layout_of(inverse.row_major), uplo_of(lower), len(of_a),
            inverse.array, inverse.ld, options=options,
        )  # fmt: skip
        if overwrite_a:
            return inverse.array
        half = np.tril(inverse.array, -1) if lower else np.triu(inverse.array, 1)
        return half + half.conj().T + np.diag(np.diag(inverse.array))

    @takes(FactorOptions)
    def multiply_q(
        self, factors: Qr, c: npt.ArrayLike, *, side: str = "left", trans: str = "N", **options: Unpack[FactorOptions]
    ) -> Array:
        """Returns op(q) c by factors = qr(a), or with side="right" c op(q); q is square. trans: op, "N", or "T" (real) or "C"."""
        of_a, tau = _reflectors_of(factors)
        of_c = array_of(c, "c", 2)
        same_type(of_a, "a", of_c, "c")
        place = choice(side, {"left": _hpart.HPART_LEFT, "right": _hpart.HPART_RIGHT}, "side")
        order = of_c.shape[0] if side == "left" else of_c.shape[1]
        if len(of_a) != order:
            raise InvalidArgumentError(f"a has {len(of_a)} rows; it must have {order}")
        read = matrix(of_a, "a")
        product = np.array(of_c, order="C" if read.row_major else "F")
        self._call(
            getattr(_hpart, f"hpart_{_letters_of_q(of_a)}mqr"), layout_of(read.row_major), place, _adjoint_value(trans, of_a),
            *of_c.shape, len(tau), read.array, read.ld, tau, product, _distance(product, read.row_major), options=options,
        )  # fmt: skip
        return product

    @takes(FactorOptions)
    def form_q(self, factors: Qr, **options: Unpack[FactorOptions]) -> Array:
        """Returns the first columns of q by factors = qr(a), as many as a has rows or columns, whichever are fewer."""
        of_a, tau = _reflectors_of(factors)
        q = matrix(of_a[:, : len(tau)].copy(order="K"), "a")
        self._call(
            getattr(_hpart, f"hpart_{_letters_of_q(of_a)}gqr"), layout_of(q.row_major), *q.array.shape, len(tau), q.array, q.ld,
            tau, options=options,
        )  # fmt: skip
        return q.array

    @takes(FactorOptions)
    def lstsq(
        self, a: npt.ArrayLike, b: npt.ArrayLike, *, trans: str = "N", overwrite_a: bool = False, **options: Unpack[FactorOptions]
    ) -> Array:
        """Returns x of least |op(a) x - b|, or of least |x| if there are many. a has full rank.

        b: one column or several. trans: op, as for gemm. overwrite_a: works in a.
        """
        of_a = array_of(a, "a", 2)
        value = _adjoint_value(trans, of_a)
        rows, columns = of_a.shape if trans == "N" else of_a.shape[::-1]
        sides = _right_hand_sides(b, of_a, rows)
        factors = _written(of_a, "a", overwrite_a)
        count = 1 if sides.ndim == 1 else sides.shape[1]
        x = np.zeros((max(of_a.shape), count), of_a.dtype, order="C" if factors.row_major else "F")
        x[:rows] = sides.reshape(rows, count)
        self._call(
            getattr(_hpart, f"hpart_{LETTERS[of_a.dtype]}gels"), layout_of(factors.row_major), value, *of_a.shape, count,
            factors.array, factors.ld, x, _distance(x, factors.row_major), options=options,
        )  # fmt: skip
        return x[:columns, 0] if sides.ndim == 1 else x[:columns]
