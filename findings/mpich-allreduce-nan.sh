#!/usr/bin/env bash
# MPICH: MPI_Allreduce of a maximum or minimum gives the ranks different results if one value is NaN, or if zeros differ in sign.
#
# Library    MPICH 5.0.2, by the PyPI package mpich 5.0.2; called by mpi4py 4.1.2
# Input      MPI_Allreduce of one MPI_DOUBLE on 2 ranks: MPI_MAX of 1 and NaN, MPI_MAX of -0 and 0; MPI_MINLOC of (1, 0) and (NaN, 1). On 4
#            ranks: MPI_MIN of NaN, 2, 3 and 4.
# Expected   Any of the values, but the same one on all ranks: the standard requires identical results. Open MPI 5.0.11 and Intel MPI
#            2021.18.1 give all ranks the same.
# Seen       MPI_MAX is NaN on one rank and 1 on the other; 0 and -0; the place of the minimum is 0 and 1. On 4 ranks MPI_MIN has three
#            results: 2, 3, 2 and NaN.
# For users  A loop that ends by the slowest time or the largest residual ends on some ranks only, and the others wait for them. Let each
#            rank look for NaN first and reduce an integer, or reduce to one rank and broadcast.
#
# Usage: findings/mpich-allreduce-nan.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q install --disable-pip-version-check mpich==5.0.2 mpi4py==4.1.2 numpy
cat >"$folder/agree.py" <<'PROGRAM'
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
located = numpy.dtype([("value", "f8"), ("place", "i4")], align=True)


def results(operation, values, dtype=numpy.dtype("f8"), mpi_type=MPI.DOUBLE):
    """The results of all ranks, whose rank i contributes values[i], as text on rank 0."""
    mine, result = numpy.array([values[world.rank]], dtype=dtype), numpy.empty(1, dtype=dtype)
    world.Allreduce([mine, 1, mpi_type], [result, 1, mpi_type], op=operation)
    return " and ".join(world.gather(str(result[0].item())) or [])


nan = numpy.nan
if world.size == 2:
    lines = [
        ("maximum of 1 and NaN", results(MPI.MAX, [1, nan])),
        ("maximum of -0 and 0", results(MPI.MAX, [-0.0, 0])),
        ("place of the minimum of 1 and NaN", results(MPI.MINLOC, [(1, 0), (nan, 1)], located, MPI.DOUBLE_INT)),
    ]
else:
    lines = [("minimum of NaN, 2, 3 and 4", results(MPI.MIN, [nan, 2, 3, 4]))]
if world.rank == 0:
    for what, found in lines:
        print(f"{what}: {found}")
PROGRAM
on_ranks() {
    LD_LIBRARY_PATH=$folder/python/lib MPI4PY_MPIABI=mpich "$folder/python/bin/mpiexec" -launcher fork -n "$1" \
        "$folder/python/bin/python" "$folder/agree.py"
}
found=$(on_ranks 2 && on_ranks 4)
echo "$found"
if [ "$found" = "maximum of 1 and NaN: nan and 1.0
maximum of -0 and 0: 0.0 and -0.0
place of the minimum of 1 and NaN: (1.0, 0) and (nan, 1)
minimum of NaN, 2, 3 and 4: 2.0 and 3.0 and 2.0 and nan" ]; then
    echo "as seen"
else
    echo "the behaviour has changed"
    exit 1
fi
