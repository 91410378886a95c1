#!/usr/bin/env bash
# perun: the energy of a run is not the difference of the energy counter; the last step's energy counts half, the first one's one and a half.
#
# Library    perun 1.0.0 of PyPI, which measures the energy of MPI and Python programs; its default step is 1 s
# Input      A RAPL counter in microjoules as perun's own backend reads it, at 0, 1, ..., 5 s: 10 W for 4 s and 200 W in the last second; the
#            other way round; 50 W throughout. Then the region from 4 s to 5 s of the first run, as a monitored function would be.
# Expected   The counter's differences: 240, 240, 250 and 200 J. A counter of energy needs no integration.
# Seen       145, 335, 250 and 105 J. perun makes a power for each step, repeats the first one, and integrates them by the trapezoidal rule.
#            The powers then stand half a step late.
# For users  An error of up to half a step times the difference of the powers: large for short runs, and for functions of a few steps. Start
#            and end in the same state, or take the difference of the counter's values, which the result keeps (alt_values).
#
# Usage: findings/perun-counter-energy.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q install --disable-pip-version-check perun==1.0.0
cd "$folder"
python/bin/python - <<'PROGRAM'
import sys
from importlib.metadata import version

import numpy
from perun.data_model.data import RawData
from perun.data_model.measurement_type import Magnitude, MetricMetaData, Unit
from perun.processing import processEnergyData


def joules(watts, start=None, end=None):
    """Energy that perun finds for a counter that grows by watts[i] J in second i, over all or from start to end."""
    counter = numpy.concatenate([[0], numpy.cumsum(watts)]).astype("uint64") * numpy.uint64(10**6)
    seconds = numpy.arange(len(counter), dtype="float32")
    largest = numpy.uint64(262143328850)
    time_facts = MetricMetaData(Unit.SECOND, Magnitude.ONE, seconds.dtype, numpy.float32(0), numpy.finfo("float32").max, numpy.float32(-1))
    counter_facts = MetricMetaData(Unit.JOULE, Magnitude.MICRO, counter.dtype, numpy.uint64(0), largest, largest)
    energy, _ = processEnergyData(RawData(seconds, counter, time_facts, counter_facts), start, end)
    return round(float(energy), 1)


print("perun", version("perun"))
late, early = [10, 10, 10, 10, 200], [200, 10, 10, 10, 10]
found = [joules(late), joules(early), joules([50] * 5), joules(late, 4, 5)]
for what, true, one in zip(("10 W, then 200 W", "200 W, then 10 W", "50 W", "the second with 200 W"), (240, 240, 250, 200), found):
    print(f"{what}: {one:g} J; the counter grows by {true} J")
as_seen = found == [145, 335, 250, 105]
print("as seen" if as_seen else "the behaviour has changed")
sys.exit(0 if as_seen else 1)
PROGRAM
