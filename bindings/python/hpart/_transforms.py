"""Fourier transforms over the last axes, normalised as those of NumPy."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._device_handle import DeviceHandle
from ._errors import InvalidArgumentError
from ._operands import Array, dimensions_of, output
from ._option_types import FftOptions
from ._options import takes
from ._values import flag, host_array, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

_COMPLEX: dict[np.dtype[Any], np.dtype[Any]] = {np.dtype(np.float32): np.dtype(np.complex64), np.dtype(np.float64): np.dtype(np.complex128)}
_REAL: dict[np.dtype[Any], np.dtype[Any]] = {number: real for real, number in _COMPLEX.items()}
_TYPES = {*_COMPLEX, *_REAL}
_FORWARD, _BACKWARD = -1, 1


def _input(x: npt.ArrayLike, types: dict[np.dtype[Any], np.dtype[Any]], other: str) -> Array:
    """x as it is; `other` is the call for numbers of the other kind, real or complex."""
    array = host_array(x, "x")
    if array.dtype not in types or not array.dtype.isnative:
        names = " or ".join(str(kind) for kind in types)
        hint = f"; {other} is for {'real' if types is _REAL else 'complex'} numbers" if array.dtype in _TYPES else ""
        raise TypeError(f"x has elements of type {array.dtype}; they must be {names}{hint}")
    if array.ndim == 0:
        raise InvalidArgumentError("x has no dimensions; it must have one at least")
    return array


def _check_order(array: Array) -> None:
    if not array.flags.c_contiguous:
        raise InvalidArgumentError("x is not contiguous in C order; make a copy: np.ascontiguousarray(x)")


def _output(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    result = output(out, shape, dtype)
    if not result.flags.c_contiguous:
        raise InvalidArgumentError("out is not contiguous in C order; it must be")
    return result


def _reals(array: Array) -> Array:
    """Complex numbers as pairs of reals."""
    return array.reshape(-1).view(_REAL[array.dtype])


class Transforms(DeviceHandle):
    """The FFT. rank is the number of last axes that are transformed; those before are batches."""

    @takes(FftOptions)
    def fft(self, x: npt.ArrayLike, *, rank: int = 1, out: Array | None = None, **options: Unpack[FftOptions]) -> Array:
        """Returns the forward transform of x over the last `rank` axes; out may be x."""
        return self._transform(_input(x, _REAL, "rfft"), rank, _FORWARD, out, options)

    @takes(FftOptions)
    def ifft(
        self, x: npt.ArrayLike, *, rank: int = 1, out: Array | None = None, normalise: bool = True, **options: Unpack[FftOptions]
    ) -> Array:
        """Returns the backward transform of x over the last `rank` axes, divided by its points unless normalise is False; out may be x."""
        array, scaled = _input(x, _REAL, "rfft"), flag(normalise, "normalise")
        result = self._transform(array, rank, _BACKWARD, out, options)
        if scaled:
            result /= _points(array, rank)
        return result

    @takes(FftOptions)
    def rfft(self, x: npt.ArrayLike, *, rank: int = 1, out: Array | None = None, **options: Unpack[FftOptions]) -> Array:
        """Returns the forward transform of real x over the last `rank` axes, in out or a new array: the half spectrum of the last axis."""
        array = _input(x, _COMPLEX, "fft")
        _check_order(array)
        count, dims, batch = dimensions_of(array, rank)
        result = _output(out, (*array.shape[:-1], array.shape[-1] // 2 + 1), _COMPLEX[array.dtype])
        letter = "s" if array.dtype == np.float32 else "d"
        self._call(getattr(_hpart, f"hpart_{letter}fft_r2c"), count, dims, batch, array, _reals(result), options=options)
        return result

    @takes(FftOptions)
    def irfft(
        self,
        x: npt.ArrayLike,
        n: int | None = None,
        *,
        rank: int = 1,
        out: Array | None = None,
        normalise: bool = True,
        **options: Unpack[FftOptions],
    ) -> Array:
        """Returns the backward transform of x to real numbers, over the last `rank` axes, in out or a new array.

        n: length of the last axis; default: even. normalise: divides by the number of points.
        """
        array, scaled = _input(x, _REAL, "rfft"), flag(normalise, "normalise")
        _check_order(array)
        last = 2 * (array.shape[-1] - 1) if n is None else whole(n, "n")
        if last // 2 + 1 != array.shape[-1]:
            raise InvalidArgumentError(f"n is {last}; for {array.shape[-1]} numbers in the last axis of x it must be "
                                       f"{max(2 * array.shape[-1] - 2, 1)} or {2 * array.shape[-1] - 1}")  # fmt: skip
        result = _output(out, (*array.shape[:-1], last), _REAL[array.dtype])
        count, dims, batch = dimensions_of(result, rank)
        letter = "s" if array.dtype == np.complex64 else "d"
        self._call(getattr(_hpart, f"hpart_{letter}fft_c2r"), count, dims, batch, _reals(array), result, options=options)
        if scaled:
            result /= _points(result, rank)
        return result

    def _transform(self, x: Array, rank: int, sign: int, out: Array | None, options: Mapping[str, Any]) -> Array:
        count, dims, batch = dimensions_of(x, rank)
        if count == x.ndim and not x.flags.c_contiguous and x.flags.f_contiguous:
            # Over all axes the order of the axes makes no difference.
            flipped = self._transform(x.T, rank, sign, None if out is None else out.T, options).T
            return flipped if out is None else out
        _check_order(x)
        result = _output(out, x.shape, x.dtype)
        letter = "c" if x.dtype == np.complex64 else "z"
        self._call(getattr(_hpart, f"hpart_{letter}fft"), count, dims, batch, sign, _reals(x), _reals(result), options=options)
        return result


def _points(array: Array, rank: int) -> int:
    return int(np.prod(array.shape[array.ndim - rank :], dtype=np.int64))
