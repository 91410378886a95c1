"""Devices, and operations on arrays that may be larger than their memory."""
from __future__ import annotations

from ._products import Products
from ._solvers import Solvers
from ._transforms import Transforms


class Device(Products, Solvers, Transforms):
    """A device, or several in one list with commas, that computes on arrays of the host.

        with hpart.Device("opencl:0:0", memory_limit=2**30) as device:
            c = device.gemm(a, b)

    "host", "opencl:P:D", "opencl:P:D:S" or "cuda:N". Options: memory_limit and profile_file of the device, and any option of the
    operations as their default. Arrays of float32, float64, complex64 and complex128, in C or Fortran order and slices of
    such, are used where they are. `report` is what the last operation had to say.
    """
