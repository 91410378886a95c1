"""The library itself and this machine."""
from __future__ import annotations

import pathlib

import numpy as np

from . import _hpart
from ._errors import UnsupportedError, check
from ._values import Report, fetch_text, take_report, text


def _version() -> str:
    numbers = [np.zeros(1, np.int32) for _ in range(3)]
    _hpart.hpart_version(*numbers)
    return ".".join(str(number[0]) for number in numbers)


__version__: str = _version()


def info() -> Report:
    """Returns the build of the library, and the libraries found on this machine.

    >>> hpart.info()["version"] == hpart.__version__
    True
    """
    status, report = _hpart.hpart_info()
    check(status)
    return take_report(report)


def devices() -> list[str]:
    """Returns the devices of this machine, one text each, whose first word is the spec for Device: accelerators, and the host last.

    Team.add_builtin takes the specs of accelerators; the host's processors are its cores, "cpu:0-3".
    """
    accelerators = [fetch_text(_hpart.hpart_device_describe, k) for k in range(_hpart.hpart_device_count())]
    return [*accelerators, "host the cores and the memory of this machine"]


def groupings(topology: str | None = None) -> dict[str, list[str]]:
    """Returns ways to group the cores of this machine into processors, from coarse to fine, as lists for Team.add and "cpu:...".

    topology: another machine, in hwloc's synthetic form.

    >>> hpart.groupings("package:2 core:4 pu:1")["socket"]
    ['0-3', '4-7']
    """
    machine = None if topology is None else text(topology, "topology")
    count = np.zeros(1, np.int64)
    check(_hpart.hpart_grouping_count(machine, count))
    lines = (fetch_text(_hpart.hpart_grouping_describe, machine, k).split() for k in range(int(count[0])))
    return {name: groups for name, *groups in lines}


def blas_library() -> str:
    """Returns the path of libhpart_blas, the drop-in BLAS, which runs the large BLAS and LAPACK calls of a program on accelerators.

    Set it for the program that is started: LD_PRELOAD=$(python -c "import hpart; print(hpart.blas_library())") python program.py.

    Raises UnsupportedError if this installation does not have it.
    """
    library = pathlib.Path(__file__).with_name("libhpart_blas.so")
    if library.exists():
        return str(library.resolve())
    remedy = "install the package libhpart-blas" if library.is_symlink() else "it was built without OpenBLAS's LAPACK"
    raise UnsupportedError(f"this installation has no libhpart_blas: {remedy}")
