#!/usr/bin/env bash
# Intel's OpenCL for CPUs: a cancelled command has the status CL_COMPLETE, and a command of the same queue that waits for it runs.
#
# Library    Intel OpenCL runtime for CPUs 2026.22.10, by the PyPI package intel-opencl-rt 2026.2.0; the host's calls by pyopencl 2026.1.4
# Input      A user event gets the status -5. A kernel (x = 2 x + 1, x is 1) has it in its wait list. A second kernel has the first one's
#            event in its wait list: both in one in-order queue, in one out-of-order queue, or in two queues.
# Expected   No kernel runs: a command starts when all events of its wait list are CL_COMPLETE. CL_EVENT_COMMAND_EXECUTION_STATUS of both
#            events is below 0, as with PoCL 3.1. x remains 1.
# Seen       The status of both events is 0, CL_COMPLETE. clWaitForEvents returns -14 for the first. In one in-order queue the second kernel
#            runs (x becomes 3), and clWaitForEvents returns success for it; else it does not run, and its wait returns -14.
# For users  The status alone does not find a failure: call clWaitForEvents for each event, complete or not. A chain of events in an
#            in-order queue does not stop at a failure. OpenCL leaves open how a queue behaves after one, but not when a command starts.
#
# Usage: findings/intel-opencl-failed-events.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q install --disable-pip-version-check {intel-opencl-rt,intel-cmplr-lib-rt}==2026.2.0 tbb==2023.2.0 \
    pyopencl==2026.1.4 numpy
mkdir "$folder/vendors"
echo "$folder/python/lib/libintelocl.so" >"$folder/vendors/intel.icd"
LD_LIBRARY_PATH=$folder/python/lib OCL_ICD_VENDORS=$folder/vendors PYOPENCL_NO_CACHE=1 XDG_CACHE_HOME=$folder \
    "$folder/python/bin/python" -W ignore - <<'PROGRAM'
import sys

import numpy
import pyopencl

device = pyopencl.get_platforms()[0].get_devices()[0]
context = pyopencl.Context([device])
source = "kernel void step(global float *x) { *x = 2 * *x + 1; }"
step = pyopencl.Kernel(pyopencl.Program(context, source).build(), "step")


def status_of(event):
    return event.get_info(pyopencl.event_info.COMMAND_EXECUTION_STATUS)


def waited(event):
    """The status that clWaitForEvents returns."""
    try:
        event.wait()
    except pyopencl.Error as error:
        return error.code
    return 0


def queue(properties=0):
    return pyopencl.CommandQueue(context, properties=properties)


def cancel(first_queue, second_queue):
    """Statuses and waits of two kernels behind a user event that fails, and x."""
    x = numpy.ones(1, dtype=numpy.float32)
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
    buffer = pyopencl.Buffer(context, flags, hostbuf=x)
    start = pyopencl.UserEvent(context)
    first = step(first_queue, (1,), None, buffer, wait_for=[start])
    second = step(second_queue, (1,), None, buffer, wait_for=[first])
    first_queue.flush()
    second_queue.flush()
    start.set_status(-5)
    first_queue.finish()
    second_queue.finish()
    pyopencl.enqueue_copy(queue(), x, buffer)
    return [status_of(first), status_of(second)], [waited(first), waited(second)], float(x[0])


print(device.platform.name, device.driver_version)
one, free = queue(), queue(pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
seen = {"in order": cancel(one, one), "out of order": cancel(free, free), "two queues": cancel(queue(), queue())}
for name, (statuses, waits, x) in seen.items():
    print(f"{name}: status {statuses}, clWaitForEvents {waits}, x = {x:g}")
recorded = {"in order": ([0, 0], [-14, 0], 3), "out of order": ([0, 0], [-14, -14], 1), "two queues": ([0, 0], [-14, -14], 1)}
as_seen = seen == recorded
print("as seen" if as_seen else "the behaviour has changed")
sys.exit(0 if as_seen else 1)
PROGRAM
