"""A user's typed program that touches the whole interface: it runs, and mypy --strict has nothing against it. test_types.py"""
from __future__ import annotations

import contextlib
import copy
import pathlib
import pickle
import tempfile
import time
from typing import Any

import numpy as np
import numpy.typing as npt

import hpart
import hpart.__main__

Reals = npt.NDArray[np.float64]
ONCE: dict[str, Any] = {"min_repetitions": 2, "max_repetitions": 3, "warmup": 0}


def platforms(folder: pathlib.Path) -> hpart.Platform:
    platform = hpart.Platform(["A", "B"])
    platform.set_time("A", [1, 2, 3], [1.0, 2.0, 3.0], low=[1, 2, 3], high=[1, 2, 3], repetitions=[5, 5, 5])
    platform.set_energy("A", np.array([1, 2, 3]), (3.0, 5.0, 8.0))
    platform.set_speed(1, [1, 2, 3], [2.0, 2.0, 2.0], complexity=lambda size: float(size * size))
    platform.set_energy("B", [1, 2, 3], [1.0, 2.0, 9.0], repetitions=None)
    platform.set_time_interval("A", [1], [0.5], [1.5], repetitions=[7])
    platform.set_energy_interval("B", [1], [0.5], [1.5])
    platform.set_name("B", "GPU")
    platform.set_limits("A", 1, 3)
    platform.base_power = 3.0
    platform.set_link("A", "GPU", 1e-6, 1e9)
    platform.set_link_energy("A", "GPU", 1e-9)
    platform.set_host_link("GPU", latency=1e-6, bandwidth=1e9)
    platform.set_host_link_energy("GPU", 1e-9)
    platform.set_node("A", "GPU", 2.0)
    platform.set_border_bytes(8)
    platform.border_bytes += 8.0
    platform.kernel = "typed 1.0"
    limits, link, host_link, node = platform.limits("A"), platform.link(0, 1), platform.host_link("GPU"), platform.node(0)
    assert limits.smallest < limits.largest and link.bandwidth == host_link.bandwidth and link.latency and node.first < node.last
    assert node.watts == 2 and platform.link_energy(0, 1) == platform.host_link_energy(1) and platform.border_bytes == 16
    points, intervals = platform.function("A"), platform.intervals("A")
    sums: list[float] = [float(array.sum()) for array in (points.sizes, points.seconds, points.joules, intervals.repetitions)]
    assert sums[0] == 6 and intervals.time_low[0] < intervals.time_high[0]
    assert np.isnan(intervals.energy_low[0]) and np.isnan(intervals.energy_high[0])
    assert platform["GPU"] == platform.function("GPU") and platform.shape("A")["points"] == 3 and platform.facts() == {}
    platform.write(folder / "a.csv")
    with hpart.Platform.read(folder / "a.csv") as read:
        assert read == copy.deepcopy(platform) == pickle.loads(pickle.dumps(platform))
    read.close()
    assert len(platform.replicate(2).processors) == 4 and platform.aggregate(4, "energy").kernel is not None
    frame = {"processor": ["A"], "size": [1], "time": [2.0]}
    assert hpart.Platform.from_dataframe(frame).function("A").seconds.tolist() == [2]
    return platform


def distributions(platform: hpart.Platform, folder: pathlib.Path) -> hpart.Schedule:
    best = platform.partition_time(4, interpolate="linear", previous=[1, 1], threads=2, memory_limit=1e9)
    others = [platform.partition(4, "energy"), platform.partition_energy(4, deadline=90.0), platform.partition_total_energy(4)]
    assert others[0] == others[1] and dict(best.items()) == best.as_dict() and best.keys() == best.processors and best.energy > 0
    cost = platform.evaluate(best, communication="host")
    assert cost.time >= best.time and cost.energy and platform.costs({"A": 1, "GPU": 3})["total_energy"]
    front: hpart.Front = platform.pareto(4, energy="total", max_points=3)
    point: hpart.FrontPoint = front[0]
    assert point.time > 0 and point.energy > 0 and sum(point.x) == 4 and front.count(point) == 1 and front.report["points"]
    schedule = platform.schedule(7, progress=lambda fraction, what: False)
    task: hpart.Task = schedule.tasks[0]
    assert task.processor in platform.processors and task.size * task.repeats <= 7
    schedule.write(folder / "schedules.csv", "typed")
    assert platform.read_schedule(folder / "schedules.csv", "typed", 7).makespan == schedule.makespan
    try:
        platform.partition_time(100)
    except hpart.InfeasibleError as error:
        assert error.status < 0
    try:
        platform.partition_time(4, time_limit=1e-9)
    except hpart.LimitError as error:
        assert error.distribution is None or error.platform is None
    return schedule


def teams(platform: hpart.Platform, schedule: hpart.Schedule) -> None:
    joules = [0.0]

    def kernel(size: int) -> None:
        joules[0] += size
        time.sleep(1e-5 * size)

    meter = hpart.Meter.of(lambda: (joules[0], time.monotonic()), "joules", interval=1e-6, wrap=0, name="typed")
    with hpart.Team() as team, meter:
        team.add("A", kernel, cores="0", releases_gil=True)
        team.add("GPU", kernel, releases_gil=True)
        team.set_kernel("typed 1.0")
        team.set_meter(meter, None)
        profiled: hpart.Platform = team.profile([2, 3], simultaneous=False, base_power=0, energy_precision=0.5, **ONCE)
        measured: hpart.Measurement = team.measure({"A": 2}, base_power=0, **ONCE)
        assert measured.joules is not None and team.kernel == profiled.kernel and team.processors == profiled.processors
        executed: hpart.Execution = team.execute(platform.partition_time(4))
        assert executed["A"] >= 0
        run: hpart.ScheduleRun = team.run_schedule(schedule, **ONCE)
        assert run.makespan > 0 and team.self_schedule("guided", 9, **ONCE).report["rows"]
        comparison: hpart.Comparison = team.compare([{"A": 1, "GPU": 2}, {"A": 3}], **ONCE)
        assert comparison.best in (0, 1) and comparison.ratios[0] == 1
        team.measure_links(platform)
        sums: hpart.Additivity = team.additivity([[2, 3]], alone=profiled, base_power=0, **ONCE)
        assert sums.least <= sums.mean <= sums.largest
        found = team.optimize(5, [1, 2, 3, 4], "energy", base_power=0, max_total_seconds=2, confirm=0)
        assert found.energy > 0 and found.certified in (True, False)
        front = team.optimize_front(5, [1, 2, 3, 4], base_power=0, max_total_seconds=2)
        assert len(front.front) > 0
    optimum: hpart.Optimum = hpart.tune({"A": kernel}, 4, candidates=[2, 4], max_total_seconds=2)
    assert optimum.distribution.x.tolist() == [4] and optimum.bounds[0] <= optimum.bounds[1] and optimum.as_dict() == {"A": 4}
    of_all = hpart.tune(lambda sizes: [0.5 * sizes[0], 0.1 * sizes[1]], 8, processors=["A", "B"], candidates=range(1, 9))
    baselines: list[hpart.Baseline] = of_all.baselines
    one = baselines[0]
    assert one.name and one.x.sum() == 8 and one.low <= one.ratio <= one.high and one.value == of_all.time
    with hpart.Team() as other:
        other.set_application(["A"], lambda sizes: 0.5)
        assert other.measure([1], **ONCE).seconds[0] == 0.5
    with hpart.Team() as other:
        other.add_program("echo", "echo 0.5", time_from="stdout")
        other.add_builtin("dgemm", "cpu:0", dims="n=16,k=16")


def meters() -> None:
    with hpart.Meter("estimate:12") as meter:
        with meter.window() as energy:
            sum(range(10**5))
        assert energy.joules >= 0 and energy.seconds > 0 and energy.watts >= 0 and meter.is_open
        meter.start()
        window: hpart.EnergyWindow = meter.stop()
        base: hpart.BasePower = meter.base_power(0.05)
        assert window.seconds >= 0 and base.watts >= 0 and base.standard_error >= 0 and meter.report["method"]
    kinds: list[hpart.MeterKind] = hpart.meters()
    assert any(kind.works for kind in kinds) and all(kind.form and kind.reason is not None for kind in kinds)


def devices() -> None:
    a: Reals = np.eye(4) + 1.0
    z = a + 1j * a
    with hpart.Device("host", memory_limit=2**22) as device:
        products: list[Any] = [device.gemm(a, a, trans_b="T"), device.gemv(a, a[0]), device.syrk(a), device.solve_triangular(a, a)]
        lu, qr = device.lu(a), device.qr(a)
        assert len(products) == 4 and lu.lu.shape == qr.qr.shape and len(lu.pivots) == len(qr.tau) and device.cholesky(a)[0, 1] == 0
        assert np.allclose(device.solve(a, a[0], positive=True), device.lstsq(a, a[0]))
        assert np.allclose(device.cholesky_solve(device.cholesky(a), a[0]), device.lu_solve(lu, a[0]))
        triangles: list[Any] = [device.syr2k(a, a), device.gemmt(a, a), device.multiply_triangular(a, a)]
        assert len(triangles) == 3 and np.allclose(device.symm(a, a), device.gemm_batched(a[None], a[None])[0])
        assert np.allclose(device.cholesky_inverse(device.cholesky(a)), device.lu_inverse(lu))
        assert np.allclose(device.form_q(qr), device.multiply_q(qr, np.eye(len(a))))
        assert np.allclose(device.ifft(device.fft(z, rank=2), rank=2), z) and np.allclose(device.irfft(device.rfft(a)), a)
        pinned = device.empty((4, 4))
        pinned[:] = 1
        with device.pin(a):
            assert np.allclose(device.gemm(a, a), a @ a)
        pipeline = hpart.Pipeline(device)
        array = pipeline.add_array(128)
        for block in (pinned[:2], pinned[2:]):
            pipeline.update(array, block)
            pipeline.end_step()

        def kernel(step: hpart.Step) -> None:
            assert step.index in (0, 1) and step.queue == 0 and step.memory
            step.arrays[0][:] *= 2

        pipeline.run(kernel)
        assert pinned.sum() == 32
        pipeline.read(array, pinned[:2])
        pipeline.write(array, pinned[2:])
        pipeline.close()
        try:
            device.native("cl_context")
        except hpart.UnsupportedError:
            pass
        except hpart.Error:
            pass


def others(platform: hpart.Platform, folder: pathlib.Path) -> None:
    adaptive = hpart.Adaptive(2, 10, tolerance=0.1)
    adaptive.set_limits(0, 0, 10)
    adaptive.start_from(platform)
    adaptive.set_size(12)
    adaptive.update([1.0, 2.0], x=adaptive.distribution)
    assert adaptive.report["iterations"] == 1 and adaptive.converged in (True, False) and len(adaptive.functions) == 2
    (folder / "family.csv").write_text("parameter,processor,size,time\n4,CPU,1,1\n6,CPU,1,2\n")
    assert len(hpart.Platform.read_slice(folder / "family.csv", 5, interpolate="linear")) == 1
    partition: hpart.MatrixPartition = hpart.matrix_partition(hpart.shares([1, 3]), 4, 4)
    part: hpart.Rectangle = partition.rectangles[1]
    assert part.height * part.width == 12 and part.first_row + part.first_column >= 0 and part.slices
    assert hpart.groupings("package:1 core:2 pu:1") and hpart.info()["version"] == hpart.__version__
    with contextlib.suppress(hpart.UnsupportedError):  # of a build without LAPACK
        library: str = hpart.blas_library()
        assert library.endswith(".so")
    descriptions: list[str] = hpart.devices()
    assert descriptions is not None


def plots(platform: hpart.Platform) -> None:
    """The tables and drawings; only checked, since their packages may be missing."""
    platform.plot(quantity="energy"), platform.plot_distribution({"A": 1}), platform.to_dataframe()
    front = platform.pareto(4)
    front.plot(), front.to_dataframe()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        mine = platforms(place)
        teams(mine, distributions(mine, place))
        others(mine, place)
    meters()
    devices()
