"""An open device, and the calls of the library on it."""
from __future__ import annotations

import contextlib
import ctypes
import math
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import InvalidArgumentError, check, failure
from ._operands import Array
from ._option_types import DeviceOptions
from ._options import Options, takes
from ._values import NotCopied, Report, choice, take_report, text, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Self = TypeVar("_Self", bound="DeviceHandle")


class _Opened:
    """The library's handle, closed when the device and all arrays in its pinned memory have gone."""

    def __init__(self, handle: Any):
        self.handle = handle
        self._finalizer = weakref.finalize(self, _hpart.hpart_device_close, handle)


def _free_pinned(opened: _Opened, address: int) -> None:
    _hpart.hpart_free_pinned(opened.handle, address)


class DeviceHandle(NotCopied):
    """The common part of all operations of a Device."""

    @takes(DeviceOptions)
    def __init__(self, spec: str, **options: Unpack[DeviceOptions]) -> None:
        with Options(options) as settings:
            status, handle = _hpart.hpart_device_open(text(spec, "spec"), settings.handle)
            settings.check(status)
        self._opened: _Opened | None = _Opened(handle)
        self._running = 0
        self.spec = spec
        self.report: Report = {}

    def close(self) -> None:
        """Closes the device. Raises InvalidArgumentError while it runs."""
        if self._running:
            raise InvalidArgumentError("the device is running; it can be closed when the call is over")
        self._opened = None

    def __enter__(self: _Self) -> _Self:
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<hpart.Device {self.spec!r}{'' if self._opened else ', closed'}>"

    def _open(self) -> _Opened:
        if self._opened is None:
            raise InvalidArgumentError("the device is closed")
        return self._opened

    @contextlib.contextmanager
    def _busy(self) -> Iterator[Any]:
        opened = self._open()
        self._running += 1
        try:
            yield opened.handle
        finally:
            self._running -= 1

    def _call(self, function: Callable[..., Any], *arguments: Any, options: Mapping[str, Any]) -> None:
        with Options(options) as settings, self._busy() as handle:
            status, report = function(handle, *arguments, settings.handle)
            if report is not None:
                self.report = take_report(report)
            settings.check(status)

    def native(self, what: str, k: int = 0) -> int:
        """Returns a native handle as an integer. what: "cl_context", "cl_device_id" or "CUcontext". k: the device of the list, from 0."""
        with self._busy() as handle:
            status, found = _hpart.hpart_device_native(handle, whole(k, "k"), text(what, "what"))
        check(status)
        return int(found)

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.float64, order: Any = "C") -> Array:
        """Returns a new array of shape, dtype and order ("C" or "F") in pinned memory, for the device's fastest transfers."""
        opened = self._open()
        kind = np.dtype(dtype)
        if kind.hasobject:
            raise TypeError(f"dtype is {kind}; its elements must be numbers")
        orders: dict[str, Literal["C", "F"]] = {"C": "C", "F": "F"}
        kept = choice(order, orders, "order")
        lengths = [whole(length, "shape") for length in (shape if isinstance(shape, (tuple, list)) else (shape,))]
        if any(length < 0 for length in lengths):
            raise InvalidArgumentError(f"shape is {shape}; it must not be negative")
        count = math.prod(lengths)
        address = _hpart.hpart_alloc_pinned(opened.handle, whole(count * kind.itemsize, "the size in bytes"))
        if not address:
            raise failure(_hpart.HPART_ERR_OUT_OF_MEMORY)
        memory = (ctypes.c_char * max(count * kind.itemsize, 1)).from_address(address)
        weakref.finalize(memory, _free_pinned, opened, address)
        return np.frombuffer(memoryview(memory), kind, count).reshape(shape, order=kept)

    @contextlib.contextmanager
    def pin(self, *arrays: Array) -> Iterator[None]:
        """Pins arrays for the device while a with block runs, and only then: CUDA devices copy them without staging, others as before.

        arrays: NumPy arrays of numbers, contiguous (C or F), of which no two share memory. Pin once for several operations: pinning
        takes time for each page. Arrays of empty() are pinned already. Raises InvalidArgumentError if some of the memory is pinned.
        """
        for k, array in enumerate(arrays):
            if not isinstance(array, np.ndarray) or array.dtype.hasobject or not (array.flags.c_contiguous or array.flags.f_contiguous):
                raise TypeError(f"arrays[{k}] is no contiguous NumPy array of numbers; pin the whole array that it is a part of")
        opened = self._open()
        with contextlib.ExitStack() as pinned:
            for array in arrays:
                if array.nbytes:
                    check(_hpart.hpart_pin(opened.handle, array.ctypes.data, array.nbytes))
                    pinned.callback(_hpart.hpart_unpin, opened.handle, array.ctypes.data)
            yield
