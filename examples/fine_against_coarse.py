"""Fine against coarse: what a time function measured at every k-th size costs.

    fine_against_coarse.py FILE.csv [STEPS]

For many workloads the best distribution by the coarse functions (their points alone, or straight lines between them) is executed
by the fine ones, and its time compared with the optimum. Processors get multiples of the first step of the file's sizes.
"""
import sys

import numpy as np

import hpart


def thinned(fine: hpart.Platform, step: int, lines: bool) -> hpart.Platform:
    """Every step-th point, or straight lines between those points at all sizes."""
    coarse = hpart.Platform(fine.processors)
    for name in fine.processors:
        sizes, seconds, _ = fine.function(name)
        keep = np.arange(step - 1, len(sizes), step)
        if lines:
            inside = sizes[: keep[-1] + 1]
            values = np.interp(inside, sizes[keep], seconds[keep])
            first = inside < sizes[keep[0]]  # in proportion before the first point
            values[first] = seconds[keep[0]] * inside[first] / sizes[keep[0]]
            coarse.set_time(name, inside, values)
        else:
            coarse.set_time(name, sizes[keep], seconds[keep])
    return coarse


def losses(fine: hpart.Platform, step: int, lines: bool, workloads: range) -> np.ndarray:
    """Per cent by which the coarse functions' choice is slower than the optimum, for each workload that has one."""
    coarse = thinned(fine, step, lines)
    found = []
    for size in workloads:
        try:
            x = coarse.partition_time(size).x
        except hpart.InfeasibleError:
            continue
        best = fine.partition_time(size).time
        found.append(100 * (fine.evaluate(x).time / best - 1))
    return np.array(found)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: fine_against_coarse.py FILE.csv [STEPS]")
    fine = hpart.Platform.read(sys.argv[1])
    steps = [int(step) for step in (sys.argv[2] if len(sys.argv) > 2 else "2,4,8,16,32,64").split(",")]
    unit = int(fine.function(0).sizes[0])
    total = sum(int(fine.function(name).sizes[-1]) for name in fine.processors)
    # Workloads that every coarse table can make: multiples of the coarsest step.
    coarsest = unit * max(steps)
    workloads = range(coarsest, total // 2 + 1, coarsest)
    print("| points kept | coarse points only: mean loss | largest | lines between them: mean loss | largest |")
    print("|---|---:|---:|---:|---:|")
    for step in steps:
        row = []
        for lines in (False, True):
            loss = losses(fine, step, lines, workloads)
            row += [f"{loss.mean():.1f} %", f"{loss.max():.1f} %"]
        print(f"| 1 of {step} | " + " | ".join(row) + " |")
    print(f"\n{len(workloads)} workloads, {workloads[0]} to {workloads[-1]}")


if __name__ == "__main__":
    main()
