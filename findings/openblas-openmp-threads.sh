#!/usr/bin/env bash
# OpenBLAS built with OpenMP: openblas_set_num_threads(1) holds for the calling thread alone, and a product on another thread undoes it.
#
# Library    OpenBLAS 0.3.21 of Debian's package libopenblas0-openmp 0.3.21+ds-4 (amd64), with libgomp1 12.2.0-14+deb12u1
# Input      OMP_NUM_THREADS=4; the first thread calls openblas_set_num_threads(1); a second thread calls cblas_dgemm, n = 400
# Expected   As with OpenBLAS's own threads, where the number is the process's: the second thread computes alone, and
#            openblas_get_num_threads() says 1 on both threads to the end.
# Seen       On the second thread openblas_get_num_threads() says 1; its dgemm then starts three more threads; and now
#            openblas_get_num_threads() says 4 on both threads.
# For users  A program with a pool of its own must set the number on each thread that computes (omp_set_num_threads(1) there). Else p
#            threads on p cores run p * p, though each was told to be one: seven times slower on two cores.
#
# Usage: findings/openblas-openmp-threads.sh     Status 0: as seen; 1: the behaviour has changed. On Debian 12, x86-64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && apt-get -qq download libopenblas0-openmp=0.3.21+ds-4 {libgomp1,libgfortran5,libquadmath0}=12.2.0-14+deb12u1 2>/dev/null)
for package in "$folder"/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
lib=$folder/usr/lib/x86_64-linux-gnu
LD_LIBRARY_PATH=$lib OMP_NUM_THREADS=4 python3 - "$lib/openblas-openmp/libopenblas.so.0" <<'PROGRAM'
import ctypes
import os
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
library.openblas_get_config.restype = ctypes.c_char_p
row_major, plain, n = 101, 111, 400
matrix = (ctypes.c_double * (n * n))(*([1.0] * (n * n)))
result = (ctypes.c_double * (n * n))()


def dgemm():
    library.cblas_dgemm(row_major, plain, plain, n, n, n, ctypes.c_double(1), matrix, n, matrix, n, ctypes.c_double(0), result, n)


def threads():
    return len(os.listdir("/proc/self/task"))


says = library.openblas_get_num_threads
seen = {}


def second():
    seen["says"], before = says(), threads()
    dgemm()
    seen["started"], seen["says then"] = threads() - before, says()


print(library.openblas_get_config().decode())
library.openblas_set_num_threads(1)
dgemm()
seen["first says"] = says()
thread = threading.Thread(target=second)
thread.start()
thread.join()
seen["first says then"] = says()
print(seen, "result", result[0])
as_seen = seen == {"first says": 1, "says": 1, "started": 3, "says then": 4, "first says then": 4}
print("as seen" if as_seen else "the behaviour has changed")
sys.exit(0 if as_seen else 1)
PROGRAM
