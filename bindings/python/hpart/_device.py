"""Devices, and operations on arrays that may be larger than their memory."""
from __future__ import annotations

from ._products import Products
from ._solvers import Solvers
from ._transforms import Transforms


class Device(Products, Solvers, Transforms):
    """A device, or several, that computes on arrays of the host, which may be larger than the device's memory.

    spec: "host", "opencl:P:D", "opencl:P:D:S", "cuda:N", or a list with commas. Options: memory_limit, and defaults for
    all operations. Arrays are float32, float64, complex64 or complex128. `report` is that of the last operation. Operations raise
    DeviceError, OutOfMemoryError or UnsupportedError.

    >>> a = np.eye(3)
    >>> with hpart.Device("host") as device:
    ...     c = device.gemm(a, 2 * a)
    >>> float(c.trace())
    6.0
    """
