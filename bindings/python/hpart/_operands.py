"""Arrays of NumPy as the BLAS, LAPACK and FFTW see them: the caller's own memory, by its leading dimension."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError
from ._values import choice, flag, host_array, shown, whole

Array = npt.NDArray[Any]

LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d", np.dtype(np.complex64): "c", np.dtype(np.complex128): "z"}
_TYPES = "float32, float64, complex64 or complex128"
_TRANSPOSES = {
    "N": _hpart.HPART_NO_TRANSPOSE,
    "T": _hpart.HPART_TRANSPOSE,
    "C": _hpart.HPART_CONJUGATE_TRANSPOSE,
}


def array_of(value: Any, name: str, dimensions: int) -> Array:
    """An array of one of the four types, without conversion."""
    array = host_array(value, name)
    if array.dtype not in LETTERS or not array.dtype.isnative:
        raise TypeError(f"{name} has elements of type {array.dtype}; they must be {_TYPES}")
    if array.ndim != dimensions:
        raise InvalidArgumentError(f"{name} has {array.ndim} dimensions; it must have {dimensions}")
    return array


def same_type(first: Array, name: str, second: Array, second_name: str) -> str:
    """The letter of both arrays' type."""
    if first.dtype != second.dtype:
        raise TypeError(f"{second_name} has elements of type {second.dtype}; they must be {first.dtype} as those of {name}")
    return LETTERS[first.dtype]


def output(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], name: str = "out") -> Array:
    """An output array: a new one, or the caller's after checks."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{name} is {type(out).__name__}; it must be a NumPy array")
    if out.dtype != dtype:
        raise TypeError(f"{name} has elements of type {out.dtype}; they must be {dtype}")
    if out.shape != shape:
        raise InvalidArgumentError(f"{name} has the shape {out.shape}; it must have {shape}")
    if not out.flags.writeable:
        raise InvalidArgumentError(f"{name} is read-only; it must be writeable")
    return out


class Matrix(NamedTuple):
    """A matrix whose rows, or columns, are contiguous."""

    array: Array
    row_major: bool
    ld: int


def matrix(array: Array, name: str) -> Matrix:
    """The memory layout of an array of two dimensions, without a copy."""
    rows, columns = array.shape
    size = array.itemsize
    down, right = array.strides
    if array.size == 0:
        return Matrix(array, True, max(columns, 1))
    # A distance that is not used may be anything.
    if (right == size or columns == 1) and (rows == 1 or (down % size == 0 and down >= columns * size)):
        return Matrix(array, True, max(columns, 1) if rows == 1 else down // size)
    if (down == size or rows == 1) and (columns == 1 or (right % size == 0 and right >= rows * size)):
        return Matrix(array, False, max(rows, 1) if columns == 1 else right // size)
    raise InvalidArgumentError(
        f"{name} has the strides {array.strides}; its rows, or its columns, must be contiguous and stand one after another in "
        f"memory{'' if name == 'out' else f'; make a copy: {name}.copy()'}"
    )


def layout_of(row_major: bool) -> int:
    return int(_hpart.HPART_ROW_MAJOR if row_major else _hpart.HPART_COLUMN_MAJOR)


def uplo_of(lower: bool) -> int:
    return int(_hpart.HPART_LOWER if flag(lower, "lower") else _hpart.HPART_UPPER)


def trans_value(trans: str, name: str) -> int:
    return int(choice(trans, _TRANSPOSES, name))


def read_matrix(array: Array, name: str, trans: str, row_major: bool) -> tuple[Matrix, int]:
    """An input operand for a call of that layout; an array of the other layout becomes its transpose."""
    value = trans_value(trans, name="trans_" + name)
    found = matrix(array, name)
    if found.row_major == row_major or array.size == 0:
        if found.row_major != row_major:
            found = Matrix(array, row_major, max(array.shape[1] if row_major else array.shape[0], 1))
        return found, value
    if trans == "N":
        return found, int(_hpart.HPART_TRANSPOSE)
    if trans == "T" or not np.iscomplexobj(array):
        return found, int(_hpart.HPART_NO_TRANSPOSE)
    # The conjugate without a transpose is nothing that the BLAS has.
    return matrix(np.conj(array.T, order="C" if row_major else "F"), name), int(_hpart.HPART_NO_TRANSPOSE)


def increment(array: Array, name: str) -> int:
    """Increment of a vector, in elements; the library gets the address of its lowest element."""
    stride = array.strides[0] if array.size > 1 else array.itemsize
    if stride % array.itemsize or stride == 0:
        raise InvalidArgumentError(f"{name} has a stride of {stride} bytes; it must be a multiple of {array.itemsize}, not 0")
    return stride // array.itemsize


def lowest(array: Array, step: int) -> Array:
    """The same elements from the lowest address on."""
    return array[::-1] if step < 0 else array


def scalar(value: Any, letter: str, name: str) -> Any:
    """alpha or beta for a type."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        number = complex(value)
    except TypeError:
        raise TypeError(f"{name} is {shown(value)}; it must be a number") from None
    if letter in "cz":
        return number
    if number.imag != 0:
        raise TypeError(f"{name} is {shown(value)}; for real matrices it must be real")
    return number.real


def dimensions_of(array: Array, rank: Any) -> tuple[int, Array, int]:
    """rank, dims and batch of a transform over the last `rank` axes."""
    count = whole(rank, "rank")
    if not 1 <= count <= array.ndim:
        raise InvalidArgumentError(f"rank is {count}; it must be from 1 to {array.ndim}, the dimensions of x")
    dims = np.array(array.shape[array.ndim - count :], np.int64)
    return count, dims, int(np.prod(array.shape[: array.ndim - count], dtype=np.int64))
