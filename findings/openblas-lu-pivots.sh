#!/usr/bin/env bash
# OpenBLAS: LU with partial pivoting does not divide a column by a pivot that is NaN or subnormal, and reports success.
#
# Library    OpenBLAS 0.3.34, by the PyPI package scipy-openblas32 0.3.34.481.3 (the same since 0.3.28, its oldest one tried)
# Input      dgesv of a matrix with one NaN on its diagonal, and of s [1 1; 1 2] x = s [2; 3] with s = 1e-309, whose x is [1; 1]
# Expected   As reference LAPACK: a NaN pivot divides its column, so that NaN spreads to each x behind it; a pivot below the smallest
#            number with a finite reciprocal divides element by element, so that x = [1; 1]. Else info != 0.
# Seen       info = 0 in both. With the NaN, 9 of 10 elements of x are finite, and wrong. With s = 1e-309 the factor L keeps 1e-309 where
#            it must have 1, and x = [0.5; 1.5].
# For users  A check of info is not enough: look at the diagonal of U for NaN and for numbers below 2.2e-308.
#
# Usage: findings/openblas-lu-pivots.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q install --disable-pip-version-check scipy-openblas32==0.3.34.481.3 numpy
"$folder/python/bin/python" - <<'PROGRAM'
import ctypes
import sys

import numpy
import scipy_openblas32

library = ctypes.CDLL(f"{scipy_openblas32.get_lib_dir()}/libscipy_openblas.so")


def solve(matrix, right):
    """info and x of dgesv."""
    n, one, info = ctypes.c_int(len(right)), ctypes.c_int(1), ctypes.c_int(-1)
    a, x, pivots = numpy.asfortranarray(matrix), right.copy(), numpy.zeros(len(right), dtype=numpy.int32)
    address = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    library.scipy_dgesv_(ctypes.byref(n), ctypes.byref(one), address(a), ctypes.byref(n), address(pivots), address(x), ctypes.byref(n),
                         ctypes.byref(info))
    return info.value, x


print("scipy-openblas32", scipy_openblas32.__version__)
matrix = numpy.random.default_rng(1).standard_normal((10, 10))
matrix[0, 0] = numpy.nan
info, x = solve(matrix, numpy.ones(10))
finite = int(numpy.isfinite(x).sum())
print(f"NaN at (1, 1): info = {info}, {finite} of 10 elements of x are finite")
small_info, small_x = solve(1e-309 * numpy.array([[1.0, 1.0], [1.0, 2.0]]), 1e-309 * numpy.array([2.0, 3.0]))
print(f"1e-309 [1 1; 1 2] x = 1e-309 [2; 3]: info = {small_info}, x = {small_x}; right is [1 1]")
as_seen = info == 0 and finite == 9 and small_info == 0 and numpy.allclose(small_x, [0.5, 1.5])
print("as seen" if as_seen else "the behaviour has changed")
sys.exit(0 if as_seen else 1)
PROGRAM
