"""Teams of Python callables: who runs when, what a callback raises, interrupts, and the interpreter's lock."""
import gc
import math
import os
import signal
import sys
import threading
import time
import traceback
import unittest
import weakref

import numpy as np

import hpart

QUICK = {"min_repetitions": 2, "max_repetitions": 4, "warmup": 0}


class Oops(Exception):
    pass


class Kernel:
    """Remembers the sizes it ran, and the threads."""

    def __init__(self):
        self.sizes = []
        self.threads = set()

    def __call__(self, size):
        self.sizes.append(size)
        self.threads.add(threading.get_ident())
        time.sleep(0.001)


class Running(unittest.TestCase):
    def test_execute(self):
        first, second = Kernel(), Kernel()
        with hpart.Team() as team:
            team.add("first", first, cores="0")
            team.add("second", second)
            self.assertEqual(team.processors, ["first", "second"])
            self.assertEqual(len(team), 2)
            result = team.execute([3, 5], warmup=0)
        self.assertEqual((first.sizes, second.sizes), ([3], [5]))
        self.assertGreater(result["first"], 0.0)
        self.assertNotIn(threading.get_ident(), first.threads)

    def test_schedules(self):
        platform = hpart.Platform(["a", "b"])
        platform.set_time("a", [2, 4, 8], [2.0, 3.0, 4.0])
        platform.set_time("b", [2, 4, 8], [3.0, 4.0, 6.0])
        schedule = platform.schedule(16)
        first, second = Kernel(), Kernel()
        once = {"min_repetitions": 2, "max_repetitions": 2, "warmup": 0}
        with hpart.Team() as team:
            team.add("a", first, releases_gil=True)
            team.add("b", second, releases_gil=True)
            run = team.run_schedule(schedule, **once)
            self.assertEqual(sum(first.sizes) + sum(second.sizes), 32)
            self.assertEqual(len(run.report["busy_seconds"]), 2)
            self.assertEqual(sum(run.report["rows"]), 16)
            for key in ("rows", "packages", "package_size"):
                self.assertEqual({type(count) for count in run.report[key]}, {int}, key)
            self.assertGreater(run.makespan, 0)
            self.assertGreater(team.self_schedule("guided", 20, **once).makespan, 0)
            self.assertEqual(sum(first.sizes) + sum(second.sizes), 72)
            with self.assertRaisesRegex(hpart.InfeasibleError, "1 of 17"):
                team.self_schedule("fixed", 17, platform, **once)
            with self.assertRaisesRegex(TypeError, "it must be a Schedule"):
                team.run_schedule(5)
        with hpart.Team() as team:
            team.add("a", first)
            team.add("b", second)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "releases_gil"):
                team.run_schedule(schedule)

    def test_compare(self):
        kernel = Kernel()
        with hpart.Team() as team:
            team.add("a", kernel)
            team.add("b", lambda size: time.sleep(1e-4 * size), releases_gil=True)
            found = team.compare([[0, 4], [0, 40], [1, 0]], **QUICK)
            self.assertEqual(len(found.seconds), 3)
            self.assertEqual({type(one) for one in found.report["distinguishable"]}, {int})
            self.assertEqual((found.ratios[0], found.ratio_low[0], found.ratio_high[0]), (1, 1, 1))
            self.assertIn(found.best, (0, 1, 2))
            self.assertFalse(found.distinguishable[0])
            self.assertEqual(len(found.report["samples"]), 3 * found.report["repetitions"])
            self.assertIn("ratios to the first", repr(found))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "x has 1 elements"):
                team.compare([[1]])
            team.add("c", lambda size: None)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "releases_gil"):
                team.compare([[1, 0, 1]])
            self.assertEqual(len(team.compare([[1, 0, 1]], simultaneous=0, **QUICK).seconds), 1)

    def test_sum_time_needs_no_lock(self):
        def kernel(size):
            time.sleep(2e-4 * size)

        with hpart.Team() as team:
            team.add("a", kernel)
            team.add("b", lambda size: time.sleep(1e-4 * size))
            found = team.optimize(8, [2, 4, 6, 8], "sum_time", max_total_seconds=5, min_repetitions=2)
            self.assertEqual(found.x.tolist(), [0, 8])
            self.assertGreater(found.time, 8e-4)
            self.assertRegex(repr(found), r"^<hpart.Optimum \[0, 8\]: \S+ [mun]?s, ")
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "releases_gil"):
                team.optimize(8, [2, 4, 6, 8])

    def test_links(self):
        platform = hpart.Platform(["a", "b"])
        with hpart.Team() as team:
            team.add("a", Kernel())
            team.add("b", Kernel())
            team.measure_links(platform)
            with self.assertRaisesRegex(TypeError, "it must be a Platform"):
                team.measure_links(None)
        self.assertGreater(platform.link("a", "b").latency, 0)
        self.assertLess(platform.link("b", "a").bandwidth, 1e15)

    def test_programs(self):
        with hpart.Team() as team:
            team.add_program("slow", "sh -c 'while read n; do echo 0.$n; done'", protocol="lines", timeout=60)
            team.add_program("fast", "echo 0.1{size}", time_from="stdout")
            self.assertEqual(team.processors, ["slow", "fast"])
            self.assertEqual(team.kernel, "programs slow=sh -c 'while read n; do echo 0.$n; done' (protocol lines) | "
                                          "fast=echo 0.1{size} (time from stdout)")
            self.assertEqual(team.measure([3, 5], **QUICK).seconds.tolist(), [0.3, 0.15])
            self.assertEqual(team.profile([1, 2], **QUICK).function("fast").seconds.tolist(), [0.11, 0.12])
        with hpart.Team() as team:
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "dims.*add_program"):
                team.add_program("x", "true", dims="n=1")

    def test_optimize_energy(self):
        joules = [0.0]

        def burner(rate):
            def run(size):
                joules[0] += rate * size

            return run

        with hpart.Meter.of(lambda: (joules[0], time.monotonic()), "joules", 1e-6, name="bench") as meter, hpart.Team() as team:
            team.add("dear", burner(3))
            team.set_meter(meter)
            found = team.optimize(
                4, [1, 2, 4], "energy", sizes="all", base_power=0, min_repetitions=2, max_total_seconds=5, confirm=0
            )
            self.assertEqual(found.x.tolist(), [4])
            self.assertAlmostEqual(found.energy, 12)
            self.assertNotEqual(found.time, found.time)
            self.assertIn("12 J", repr(found))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "total-energy"):
                team.optimize(4, [1, 2, 4], "joules")
            found = team.optimize_front(4, [1, 2, 4], sizes="all", base_power=0, min_repetitions=2, max_total_seconds=5)
            self.assertEqual(found.front[-1].x.tolist(), [4])
            self.assertAlmostEqual(found.front[-1].energy, 12)
            self.assertEqual(found.report["points"], len(found.front))
            self.assertEqual(len(found.platform), 1)
            self.assertIn("certified", repr(found))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "energy is"):
                team.optimize_front(4, [1, 2, 4], "joules")

    def test_a_running_team_is_not_closed(self):
        with hpart.Team() as team:
            team.add("a", lambda size: team.close())
            with self.assertRaises(hpart.InvalidArgumentError):
                team.execute([1])
            self.assertEqual(len(team), 1)

    def test_in_turn_unless_the_lock_is_released(self):
        for released in (False, True):
            inside, most = [], []
            together = threading.Barrier(2)

            def kernel(size):
                inside.append(size)
                most.append(len(inside))
                if released:
                    together.wait(60)
                inside.remove(size)

            with self.subTest(released=released), hpart.Team() as team:
                team.add("first", kernel, releases_gil=released)
                team.add("second", kernel, releases_gil=released)
                result = team.measure([1, 2], **QUICK)
                self.assertEqual(result.report["simultaneous"], int(released))
                self.assertEqual(max(most), 2 if released else 1)
                self.assertTrue(min(result.report["interval_high"]) > 0)
                self.assertEqual(team.execute([1, 2], warmup=0).report["simultaneous"], int(released))

    def test_a_budget_that_ends_first(self):
        with hpart.Team() as team:
            team.add("first", Kernel())
            with self.assertRaisesRegex(hpart.LimitError, "2 of 3 sizes") as caught:
                team.profile([1, 2, 3], max_total_seconds=1e-6, **QUICK)
        self.assertEqual(len(caught.exception.platform.function("first").sizes), 1)

    def test_profile(self):
        with hpart.Team() as team:
            team.add("first", Kernel())
            team.add("second", Kernel())
            team.set_kernel("sleep 1.0")
            platform = team.profile([4, 2], **QUICK)
            self.assertEqual(platform.kernel, "sleep 1.0")
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "releases_gil"):
                team.profile([4, 2], simultaneous=1)
        self.assertEqual(platform.report["simultaneous"], 0)
        self.assertEqual(platform.processors, ["first", "second"])
        self.assertEqual(platform.function("second").sizes.tolist(), [2, 4])
        self.assertTrue((platform.function("second").seconds >= 0.001).all())

    def test_builtin(self):
        with hpart.Team() as team:
            team.add_builtin("dgemm", "cpu:0", dims="n=16,k=16")
            self.assertEqual(team.processors, ["cpu:0"])
            self.assertGreater(team.execute([8])["cpu:0"], 0.0)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "no_such"):
                team.add_builtin("no_such", "cpu:0")

    def test_wrong_arguments(self):
        with hpart.Team() as team:
            with self.assertRaises(TypeError):
                team.add("first", 42)
            team.add("first", Kernel())
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "first"):
                team.add("first", Kernel())
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "cores"):
                team.add("second", Kernel(), cores="none")
            self.assertEqual(team.processors, ["first"])
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "one a processor: 1"):
                team.execute([1, 2])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "team"):
            team.add("first", Kernel())


class Raising(unittest.TestCase):
    def test_kernel(self):
        def kernel(size):
            raise Oops(f"size {size}")

        with hpart.Team() as team:
            team.add("first", Kernel())
            team.add("second", kernel)
            for call in (team.execute, team.measure):
                with self.assertRaisesRegex(Oops, "size 5"):
                    call([1, 5])
            try:
                team.execute([1, 5])
            except Oops as oops:
                self.assertEqual(traceback.extract_tb(oops.__traceback__)[-1].name, "kernel")
            with self.assertRaisesRegex(Oops, "size 7"):
                team.profile([7])
            # The team is as good as before.
            self.assertGreater(team.execute([1, 0])["first"], 0.0)

    def test_progress(self):
        def progress(fraction, what):
            raise Oops(what)

        with hpart.Team() as team:
            team.add("first", Kernel())
            with self.assertRaises(Oops):
                team.profile([1, 2, 3], progress=progress)

    def test_interrupt_of_the_keyboard(self):
        with hpart.Team() as team:
            team.add("first", lambda size: os.kill(os.getpid(), signal.SIGINT))
            with self.assertRaises(KeyboardInterrupt):
                team.measure([1], precision=1e-6, min_repetitions=10**9, max_repetitions=10**9, max_seconds=1e6)


class Lifetime(unittest.TestCase):
    def test_kernels_live_as_long_as_their_team(self):
        kernel = Kernel()
        gone = weakref.ref(kernel)
        team = hpart.Team()
        team.add("first", kernel)
        del kernel
        gc.collect()
        self.assertIsNotNone(gone())
        team.execute([1])
        team.close()
        team.close()
        gc.collect()
        self.assertIsNone(gone())

    def test_dropped_without_close(self):
        kernel = Kernel()
        gone = weakref.ref(kernel)
        team = hpart.Team()
        team.add("first", kernel)
        team.execute([1])
        del kernel, team
        gc.collect()
        self.assertIsNone(gone())

    def test_references_of_callbacks(self):
        def progress(fraction, what):
            return False

        platform = hpart.Platform(["one"])
        before = sys.getrefcount(progress)
        for _ in range(100):
            with hpart.Team() as team:
                team.add("one", progress)
                with self.assertRaises(hpart.InvalidArgumentError):
                    team.add("one", progress)
                with self.assertRaises(hpart.InvalidArgumentError):
                    platform.partition_time(-1, progress=progress)
        gc.collect()
        self.assertEqual(sys.getrefcount(progress), before)

    def test_other_threads_run_meanwhile(self):
        started, done = threading.Event(), threading.Event()

        def kernel(size):
            started.set()
            self.assertTrue(done.wait(60))

        other = threading.Thread(target=lambda: started.wait(60) and done.set())
        other.start()
        with hpart.Team() as team:
            team.add("first", kernel)
            team.execute([1], warmup=0)
        other.join()


class Applications(unittest.TestCase):
    def test_wrong_results(self):
        masked = np.ma.MaskedArray([1.0, 2.0], [False, True])
        for result, error, message in (
            ([3.0, math.nan], hpart.Error, "time of processor 'B' is nan s; it must be a finite number"),
            (np.array([math.nan, 4.0]), hpart.Error, "time of processor 'A' is nan s"),
            (math.nan, hpart.Error, "time of processor 'A' is nan s"),
            ([math.nan, math.nan], hpart.Error, "time of processor 'A' is nan s"),
            (masked, hpart.InvalidArgumentError, "masked elements"),
            ([1.0, 2.0, 3.0], ValueError, "the application's times are 3; it must return 2, or one number"),
            ("11", TypeError, "the application's time is '11'; it must be a real number"),
            (b"12", TypeError, "the application's time is b'12'"),
            (["1", "1"], TypeError, "an element of the application's times is '1'"),
            (None, TypeError, "the application's time is None"),
            ({"A": 1}, TypeError, "the application's time is {'A': 1}"),
            ((time for time in (1, 2)), TypeError, "the application's time is <generator"),
            (10**400, hpart.InvalidArgumentError, "must fit in a double"),
        ):
            with self.subTest(result), hpart.Team() as team:
                team.set_application(["A", "B"], lambda sizes: result)
                with self.assertRaisesRegex(error, message):
                    team.execute([6, 4])
        with hpart.Team() as team:
            team.set_application(["A", "B"], lambda sizes: 1 / 0)
            with self.assertRaises(ZeroDivisionError):
                team.execute([6, 4])

    def test_function_of_all_sizes(self):
        seen = []

        def application(sizes):
            seen.append(sizes)
            return [size / speed for size, speed in zip(sizes, (1, 2, 3))]

        with hpart.Team() as team:
            team.set_application(["A", "B", "C"], application)
            self.assertEqual(team.processors, ["A", "B", "C"])
            self.assertEqual(team.execute([6, 0, 6], warmup=0).seconds.tolist(), [6, 0, 2])
            self.assertEqual(seen, [[6, 0, 6]])

    def test_one_time_for_all_and_errors(self):
        with hpart.Team() as team:
            team.set_application(["A", "B"], lambda sizes: sum(sizes) / 10)
            measured = team.measure([6, 4], **QUICK)
            self.assertEqual((measured.seconds.tolist(), measured.report["one_time"]), ([1, 1], 1))
            with self.assertRaisesRegex(hpart.UnsupportedError, "time of each"):
                team.profile([1, 2], **QUICK)
            found = team.optimize(10, range(1, 11), max_runs=6, min_repetitions=2)
            self.assertEqual((found.certified, found.value, found.report["one_time"]), (False, 1, 1))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "cores"):
                team.set_application(["A", "B"], "true {x}", cores="0")
        self.assertNotIn("cores", hpart.Team.set_application.__doc__.split("Options:")[1])
        with hpart.Team() as team:
            team.set_application(["A", "B"], lambda sizes: [1])
            self.assertEqual(team.execute([6, 4]).seconds.tolist(), [1, 1])
            self.assertEqual(team.execute([0, 4]).seconds.tolist(), [0, 1])
        with hpart.Team() as team:
            team.set_application(["A"], lambda sizes: 1 / (sizes[0] < 3))
            team.profile([1, 3], **QUICK)
            with self.assertRaises(hpart.InvalidArgumentError):  # not the division by zero of size 3, which was left out
                team.execute([-1])
        with hpart.Team() as team:
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "comma"):
                team.set_application(["A,B"], "true {x}")
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "timeout"):
                team.set_application(["A"], lambda sizes: 1, timeout=3)
            team.set_application(["A", "B"], "echo '{x: }'", time_from="stdout")
            self.assertEqual(team.execute([6, 4]).seconds.tolist(), [6, 4])
