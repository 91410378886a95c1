"""Values of Python for the library and back."""
from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError, check

Sizes = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]
Parts = npt.ArrayLike | Mapping[str, int]
Value = int | float | str | list[Any]
Report = dict[str, Value]
_HOST_MEMORY = (1, 3, 11)  # DLPack's numbers of the host's memory, also pinned by CUDA or ROCm
# Arrays of integers, which the library's reports hold as reals.
_COUNTS = frozenset(
    "distinguishable distribution order outlier_flags outliers package_first package_processor package_size packages rows "
    "energy_contaminated energy_repetitions energy_windows".split()
)
_T = TypeVar("_T")
_H = TypeVar("_H", bound="Handle")


class NotCopied:
    """An object that can be neither copied nor pickled."""

    def __copy__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied: it owns a handle of the library")

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: it owns a handle of the library")


class Handle(NotCopied):
    """A handle of the library, destroyed with its owner or at the end of the program, whichever comes first."""

    def _own(self, handle: Any, destroy: Callable[[Any], None]) -> None:
        self._owned = handle
        self._finalizer = weakref.finalize(self, destroy, handle)

    @property
    def _handle(self) -> Any:
        if self._owned is None:
            raise InvalidArgumentError(f"the {type(self).__name__.lower()} is closed")
        return self._owned

    def close(self) -> None:
        """Frees the memory; the object can no longer be used."""
        self._let_go()

    def __enter__(self: _H) -> _H:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _let_go(self) -> None:
        self._finalizer()
        self._owned = None


def shown(value: Any) -> str:
    """The value in a message: a line of 100 characters at most."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 100 else line[:97] + "..."


def whole(value: Any, name: str) -> int:
    """An integer of any type that is one, 64 bits wide at most."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {shown(value)}; it must be an integer") from None
    if not -(2**63) <= number < 2**63:
        raise InvalidArgumentError(f"{name} is {number}; it must fit in 64 bits")
    return number


def real(value: Any, name: str) -> float:
    """A number of any type that float takes; no text."""
    try:
        if isinstance(value, (bool, str, bytes, bytearray)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(value)}; it must be a real number") from None
    except OverflowError:
        raise InvalidArgumentError(f"{name} is {shown(value)}; it must fit in a double") from None


def flag(value: Any, name: str) -> bool:
    """True or false, or 1 or 0; other values are refused."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} is {shown(value)}; it must be True or False")


def choice(value: Any, choices: Mapping[str, _T], name: str) -> _T:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; it must be a string")
    if value not in choices:
        *others, last = map(repr, choices)
        raise InvalidArgumentError(f"{name} is {shown(value)}; it must be {', '.join(others)} or {last}")
    return choices[value]


def instance(value: Any, kind: type[_T], name: str) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {shown(value)}; it must be a {kind.__name__}")
    return value


def function(value: Any, name: str) -> Any:
    if not callable(value):
        raise TypeError(f"{name} is {shown(value)}; it must be callable")
    return value


def text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; it must be a string")
    if "\0" in value:
        raise InvalidArgumentError(f"{name} is {shown(value)}; it must have no zero in it")
    return value


def names_of(value: Any, name: str, otherwise: str = "") -> list[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is {shown(value)}; it must be a list of names{otherwise}")
    return [text(one, name) for one in value]


def host_array(value: Any, name: str) -> npt.NDArray[Any]:
    """An array of NumPy, which shares the memory of an array or of an object with __dlpack__. Masked elements are refused."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise InvalidArgumentError(f"{name} has masked elements; fill them or leave them out")
        return value.data
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack_device__"):
        try:
            return np.asarray(value)
        except ValueError:  # rows of different lengths
            raise TypeError(f"{name} is {shown(value)}; it must be an array of numbers") from None
    kind, number = map(int, value.__dlpack_device__())
    if kind not in _HOST_MEMORY:
        raise InvalidArgumentError(f"{name} is on a device (DLPack type {kind}, number {number}); copy it to the host, as x.cpu() does")
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{name} cannot become a NumPy array: {error}") from None


def without_masked(values: Any, *others: Any) -> tuple[Any, ...]:
    """values and the others without the entries that are masked in values: points without a value."""
    if not np.ma.is_masked(values):
        return (values, *others)
    known = ~np.ma.getmaskarray(values)
    return tuple(
        np.ma.asarray(array)[known] if array is not None and np.shape(array) == known.shape else array for array in (values, *others)
    )


def sizes_of(values: npt.ArrayLike, name: str) -> Sizes:
    """A contiguous array of int64: the caller's own if possible."""
    array = host_array(values, name)
    if array.ndim != 1:
        raise InvalidArgumentError(f"{name} has {array.ndim} dimensions; it must have one")
    if array.size == 0:
        return np.empty(0, np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} has elements of type {array.dtype}; they must be integers")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise InvalidArgumentError(f"{name} has the element {array.max()}; it must fit in 63 bits")
    return np.ascontiguousarray(array, np.int64)


def reals_of(values: npt.ArrayLike, name: str) -> Reals:
    """A contiguous array of float64: the caller's own if possible."""
    array = host_array(values, name)
    if array.dtype.kind not in "biufO":  # no complex numbers, time spans or texts
        raise TypeError(f"{name} has elements of type {array.dtype}; they must be real numbers")
    try:
        array = np.ascontiguousarray(array, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {shown(values)}; it must be an array of real numbers") from None
    if array.ndim != 1:
        raise InvalidArgumentError(f"{name} has {array.ndim} dimensions; it must have one")
    return array


def paired(sizes: npt.ArrayLike, values: npt.ArrayLike, name: str) -> tuple[Sizes, Reals]:
    """Sizes and as many values."""
    first, second = sizes_of(sizes, "sizes"), reals_of(values, name)
    if len(first) != len(second):
        raise InvalidArgumentError(f"{name} has {len(second)} elements; it must have as many as sizes: {len(first)}")
    return first, second


def entries(x: Any, processors: int) -> Sizes:
    """A distribution: one entry per processor."""
    array = sizes_of(x, "x")
    if len(array) != processors:
        raise InvalidArgumentError(f"x has {len(array)} elements; it must have one a processor: {processors}")
    return array


def named_entries(x: Any, names: Sequence[str]) -> Sizes:
    """The same, also by name: {"CPU": 4, "GPU": 8} or a Distribution; 0 for missing names."""
    is_named = isinstance(x, Mapping) or hasattr(x, "as_dict")
    return named_sizes(x, names, "x") if is_named else entries(x, len(names))


def named_sizes(x: Any, names: Sequence[str], argument: str) -> Sizes:
    """Sizes of any number, or by name as above."""
    parts = x.as_dict() if hasattr(x, "as_dict") else x
    if not isinstance(parts, Mapping):
        return sizes_of(parts, argument)
    for name in parts:
        if name not in names:
            raise InvalidArgumentError(f"{argument} has the processor {name!r}; there are {', '.join(names) or 'no names'}")
    return sizes_of([whole(parts.get(name, 0), f"{argument}[{name!r}]") for name in names], argument)


def same(first: Any, second: Any) -> bool:
    """True if two arrays or numbers are equal; NaN, a missing value, equals itself."""
    return bool(np.array_equal(first, second, equal_nan=True))


def fetch_text(call: Callable[..., int], *arguments: Any) -> str:
    """A text of a length that only the library knows."""
    needed = np.zeros(1, np.int64)
    check(call(*arguments, None, 0, needed))
    buffer = bytearray(int(needed[0]))
    check(call(*arguments, buffer, len(buffer), needed))
    return buffer[:-1].decode(errors="surrogateescape")


def _report_value(report: Any, key: str, number: Sizes, real: Reals) -> Value:
    """number, real: arrays of one element for the library to write to."""
    kind = _hpart.hpart_report_type(report, key)
    if kind == _hpart.HPART_REPORT_INT:
        check(_hpart.hpart_report_get_int(report, key, number))
        return int(number[0])
    if kind == _hpart.HPART_REPORT_DOUBLE:
        check(_hpart.hpart_report_get_double(report, key, real))
        return float(real[0])
    if kind == _hpart.HPART_REPORT_STRING:
        return fetch_text(_hpart.hpart_report_get_string, report, key)
    if kind == _hpart.HPART_REPORT_TABLE:
        check(_hpart.hpart_report_rows(report, key, number))
        return [_row(report, key, k) for k in range(int(number[0]))]
    check(_hpart.hpart_report_get_doubles(report, key, None, 0, number))
    values = np.empty(int(number[0]))
    check(_hpart.hpart_report_get_doubles(report, key, values, len(values), number))
    counts = key in _COUNTS and bool(np.all(np.abs(values) < 2.0**53))  # else a double is no exact count; NaN: unknown
    return list((values.astype(np.int64) if counts else values).tolist())  # as JSON takes them


def _row(report: Any, key: str, k: int) -> Report:
    status, row = _hpart.hpart_report_row(report, key, k)
    check(status)
    return take_report(row)


def take_report(report: Any) -> Report:
    """A report of the library as a dictionary; the library's own is destroyed."""
    if report is None:
        return {}
    try:
        keys = [_hpart.hpart_report_key(report, k) for k in range(_hpart.hpart_report_count(report))]
        number, real = np.zeros(1, np.int64), np.zeros(1)
        return {key: _report_value(report, key, number, real) for key in keys}
    finally:
        _hpart.hpart_report_destroy(report)
