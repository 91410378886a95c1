"""hpart over the ranks of an MPI program: import hpart.mpi, with communicators of mpi4py.

    from mpi4py import MPI
    best = hpart.mpi.partition(MPI.COMM_WORLD, platform, 31)   # platform: this rank's processors, or None

Every rank makes the same calls. The processors of all ranks form one platform; each rank gets its own part of a distribution. The options
of rank 0 count. If one rank fails, each raises the same error. An argument of a wrong type is an exception of its own rank alone, for
which the others wait. docs/reference/mpi.md
"""
from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _hpart
from ._errors import LimitError, failure
from ._interpreter import loading_swig
from ._option_types import FrontOptions, LinksOptions, OptimizeOptions, PartitionOptions, ProfileOptions
from ._options import Options, takes
from ._platform import _ENERGIES, _OBJECTIVES, Platform
from ._results import Distribution, Front, best_distribution, take_front
from ._team import Team
from ._values import Report, Sizes, choice, instance, sizes_of, take_report, whole

try:
    with loading_swig():
        from . import _hpart_mpi
except ImportError as error:
    raise ImportError("this hpart has no hpart.mpi: it was built without MPI (Debian: libopenmpi-dev)") from error
try:
    from mpi4py import MPI
except ImportError as error:
    raise ImportError("hpart.mpi needs mpi4py (Debian: python3-mpi4py)") from error

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Optimum", "Redistribution", "measure_links", "optimize", "pareto", "partition", "profile", "redistribution"]

_ORDERS = {"in-order": _hpart_mpi.HPART_MPI_IN_ORDER, "fewest": _hpart_mpi.HPART_MPI_FEWEST}


class Redistribution(NamedTuple):
    """Rows that move between ranks, one entry per rank, for Alltoallv.

    send_counts, send_displacements, receive_counts and receive_displacements are in rows.
    """

    send_counts: npt.NDArray[np.intc]
    send_displacements: npt.NDArray[np.intc]
    receive_counts: npt.NDArray[np.intc]
    receive_displacements: npt.NDArray[np.intc]


@dataclass(frozen=True, eq=False)
class Optimum:
    """This rank's part x of the distribution with the least time, and the time of the whole in seconds.

    certified: True if the time is within the option `precision` of the least, with the option `confidence`. platform: all measured
    points, on rank 0. The report is that of hpart.Team.optimize, with the distributions of all ranks.
    """

    x: Sizes
    time: float
    certified: bool
    platform: Platform | None
    report: Report


def _comm(comm: Any) -> int:
    return int(instance(comm, MPI.Comm, "comm").py2f())


def _processors(platform: Platform | None) -> tuple[str, ...]:
    return () if platform is None else tuple(instance(platform, Platform, "platform").processors)


def _handle(of: Any) -> Any:
    return None if of is None else of._handle


@takes(PartitionOptions)
def partition(
    comm: Any, platform: Platform | None, size: int, objective: str = "time", **options: Unpack[PartitionOptions]
) -> Distribution:
    """Returns this rank's part of the distribution of size over the processors of all ranks of comm.

    platform: this rank's processors, or None. objective: "time", "energy", "total_energy" or "sum_time". The result has the time and
    energy of the whole. previous: this rank's part. Errors as for Platform.partition, the same on all ranks.

    >>> platform = hpart.Platform(["CPU"])
    >>> platform.set_time("CPU", [1, 2], [1.0, 2.0])
    >>> hpart.mpi.partition(comm, platform, 2).x.tolist()  # comm = MPI.COMM_WORLD of one rank
    [2]
    """
    ranks, names = _comm(comm), _processors(platform)
    goal, n = choice(objective, _OBJECTIVES, "objective"), whole(size, "size")
    own = _handle(platform)
    return best_distribution(names, options, lambda handle, *found: _hpart_mpi.hpart_mpi_partition(ranks, own, goal, n, handle, *found))


@takes(FrontOptions)
def pareto(
    comm: Any, platform: Platform | None, size: int, energy: str = "dynamic", **options: Unpack[FrontOptions]
) -> Front:
    """Returns the Pareto front of size over the processors of all ranks of comm, with this rank's parts.

    platform: this rank's processors, or None. energy: "dynamic" or "total".
    """
    ranks, names = _comm(comm), _processors(platform)
    kind, n = choice(energy, _ENERGIES, "energy"), whole(size, "size")
    with Options(options, names) as settings:
        status, handle = _hpart_mpi.hpart_mpi_front_compute(ranks, _handle(platform), n, kind, settings.handle)
        settings.check(status)
    return take_front(handle, names)


@takes(ProfileOptions)
def profile(
    comm: Any, team: Team | None, sizes: npt.ArrayLike, alike: str | None = None, **options: Unpack[ProfileOptions]
) -> Platform | None:
    """Measures the teams of all ranks of comm at these sizes, on all ranks at once. Returns the platform of all on rank 0, None elsewhere.

    team: this rank's, or None. alike: the name of this rank's kind of node; ranks of one kind share the sizes, and each gets the points of
    all. Options are each rank's own. Raises LimitError if max_total_seconds ends first; its `platform` has the measured points.
    """
    ranks, points = _comm(comm), _candidates(team, sizes, "sizes")
    with Options({**options, "alike": alike}) as settings, _busy(team):
        status, handle = _hpart_mpi.hpart_mpi_profile(ranks, _handle(team), len(points), points, settings.handle)
        platform = None if handle is None else Platform._of(handle)
        if status == _hpart.HPART_ERR_LIMIT:
            limit = failure(status)
            if isinstance(limit, LimitError):
                limit.platform = platform
            raise limit
        _check(team, settings, status)
    return platform


@takes(LinksOptions)
def measure_links(comm: Any, platform: Platform | None, **options: Unpack[LinksOptions]) -> None:
    """Measures the links between the ranks of comm and sets them in the platform of all, which rank 0 passes; None elsewhere."""
    ranks = _comm(comm)
    with Options(options) as settings:
        settings.check(_hpart_mpi.hpart_mpi_measure_links(ranks, settings.handle, _handle(platform)))


def redistribution(comm: Any, old_rows: int, new_rows: int, order: str = "in-order") -> Redistribution:
    """Returns the rows that move between the ranks of comm when this rank's number of rows changes from old_rows to new_rows.

    order: "in-order" or "fewest" moves.

    >>> hpart.mpi.redistribution(comm, 3, 3).send_counts.tolist()
    [3]
    """
    ranks = _comm(comm)
    found = Redistribution(*np.zeros((4, comm.Get_size()), np.intc))
    status = _hpart_mpi.hpart_mpi_redistribution_compute(
        ranks, choice(order, _ORDERS, "order"), whole(old_rows, "old_rows"), whole(new_rows, "new_rows"), *found
    )
    if status != _hpart.HPART_SUCCESS:
        raise failure(status)
    return found


@takes(OptimizeOptions)
def optimize(
    comm: Any, team: Team | None, size: int, candidates: npt.ArrayLike, **options: Unpack[OptimizeOptions]
) -> Optimum:
    """Finds the distribution of size over the teams of all ranks of comm with the least time, with a certificate.

    team: this rank's, or None. candidates: the sizes that a processor may get. Errors as for Team.optimize.
    """
    ranks, points, n = _comm(comm), _candidates(team, candidates, "candidates"), whole(size, "size")
    x, seconds = np.zeros(0 if team is None else len(team), np.int64), np.zeros(1)
    with Options(options) as settings, _busy(team):
        status, measured, report = _hpart_mpi.hpart_mpi_optimize(
            ranks, _handle(team), n, len(points), points, settings.handle, x, seconds
        )
        _check(team, settings, status)
    about = take_report(report)
    return Optimum(x, float(seconds[0]), about["certified"] == 1, None if measured is None else Platform._of(measured), about)


def _candidates(team: Team | None, sizes: npt.ArrayLike, name: str) -> Sizes:
    """The sizes, after the check that the team's kernels can run at once."""
    if team is not None:
        instance(team, Team, "team")._candidates(sizes)
    return sizes_of(sizes, name)


def _busy(team: Team | None) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext() if team is None else team._busy()


def _check(team: Team | None, settings: Options, status: int) -> None:
    settings.check(status) if team is None else team._check(settings, status)
