"""The problem of all languages, in Python: rank r has one processor, of one of two kinds (worked_test.cpp)."""
import numpy as np
from mpi4py import MPI

import hpart
import hpart.mpi

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
parts = [8 if ranks == 1 or r % 2 else 4 for r in range(ranks)]
size, least = sum(parts), 5.0 if ranks == 1 else 2.5
joules = sum(part * (2 if r % 2 else 1) for r, part in enumerate(parts))
sizes = [2, 4, 8, 10]
times = dict(zip(sizes, [2, 2.1, 2.5, 6] if rank % 2 else [1, 2, 5, 7]))
mine = hpart.Platform(["P"])
mine.set_time("P", sizes, list(times.values()))
mine.set_energy("P", sizes, [k * (2 if rank % 2 else 1) for k in sizes])

best = hpart.mpi.partition(comm, mine, size)
assert best["P"] == parts[rank] and best.time == least and best.energy == joules and best.report["optimal"] == 1
front = hpart.mpi.pareto(comm, mine, size)
assert front[0].time == least and front[0].energy == joules and front[0].x.tolist() == [parts[rank]]
for order in ("in-order", "fewest"):
    moved = hpart.mpi.redistribution(comm, size if rank == 0 else 0, parts[rank], order)
    assert moved.receive_counts[0] == parts[rank]
rows = np.arange(size, dtype=np.int32) if rank == 0 else np.zeros(0, np.int32)
got = np.zeros(parts[rank], np.int32)
moved = hpart.mpi.redistribution(comm, len(rows), len(got))
comm.Alltoallv([rows, (moved.send_counts, moved.send_displacements)], [got, (moved.receive_counts, moved.receive_displacements)])
assert got.tolist() == list(range(sum(parts[:rank]), sum(parts[: rank + 1])))

# A rank without processors, and an error of all ranks.
others = hpart.mpi.partition(comm, mine if rank == 0 else None, 8)
assert others.time == 5.0 and len(others) == (rank == 0)
try:
    hpart.mpi.partition(comm, mine, 3)
    raise AssertionError
except hpart.InfeasibleError:
    pass
try:
    hpart.mpi.partition("world", mine, 8)
    raise AssertionError
except TypeError as error:
    assert "comm is 'world'" in str(error)

team = hpart.Team()
team.add("P", lambda n: None)
platform = hpart.mpi.profile(comm, team, [2, 4], alike="node", min_repetitions=3, max_repetitions=3)
assert (platform is None) == (rank != 0)
hpart.mpi.measure_links(comm, platform)
if platform is not None:
    assert platform.processors == (["P"] if ranks == 1 else [f"{r}/P" for r in range(ranks)])
    assert all(list(platform[name].sizes) == [2, 4] for name in platform.processors)

DIGITS = 1 + 1e-9  # of a clock: rounded times would certify nothing
application = hpart.Team()
application.set_application(["P"], lambda x: [times[x[0]] * DIGITS if x[0] else 0])
optimum = hpart.mpi.optimize(comm, application, size, sizes, sizes="all", confirm=0)
assert optimum.x.tolist() == [parts[rank]] and optimum.time == least * DIGITS and optimum.certified
assert (optimum.platform is None) == (rank != 0)


class Broken(Exception):
    pass


def fail(n: int) -> None:
    if rank == ranks - 1:
        raise Broken


team = hpart.Team()
team.add("P", fail)
try:
    hpart.mpi.optimize(comm, team, size, sizes)
    raise AssertionError
except Broken:
    assert rank == ranks - 1
except hpart.CallbackError as error:
    assert rank < ranks - 1 and f"rank {ranks - 1}" in str(error)
