"""The library itself and this machine."""
from __future__ import annotations

import numpy as np

from . import _hpart
from ._errors import check
from ._values import Report, fetch_text, take_report, text


def _version() -> str:
    numbers = [np.zeros(1, np.int32) for _ in range(3)]
    _hpart.hpart_version(*numbers)
    return ".".join(str(number[0]) for number in numbers)


__version__: str = _version()


def info() -> Report:
    """The build of the library, and the libraries found on this machine."""
    status, report = _hpart.hpart_info()
    check(status)
    return take_report(report)


def devices() -> list[str]:
    """The accelerator devices of this machine; the first word of each is its spec for Team.add_builtin."""
    return [fetch_text(_hpart.hpart_device_describe, k) for k in range(_hpart.hpart_device_count())]


def groupings(topology: str | None = None) -> dict[str, list[str]]:
    """Ways to group cores into abstract processors, from coarse to fine: {"node": ["0-7"], "socket": ["0-3", "4-7"], ...}.

    topology: another machine in hwloc's synthetic form, "package:2 core:4 pu:1". The lists are what Team.add and "cpu:..." take.
    """
    machine = None if topology is None else text(topology, "topology")
    count = np.zeros(1, np.int64)
    check(_hpart.hpart_grouping_count(machine, count))
    lines = (fetch_text(_hpart.hpart_grouping_describe, machine, k).split() for k in range(int(count[0])))
    return {name: groups for name, *groups in lines}
