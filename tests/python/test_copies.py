"""Copies, equality, iteration and what stands in brackets; reports and representations."""
import copy
import json
import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import hpart


def full() -> hpart.Platform:
    """A platform in which nothing has its default."""
    platform = hpart.Platform(["CPU", "GPU", "idle"])
    platform.set_time("CPU", [1, 2, 3], [1 / 3, 2.0, 3.0], low=[0.3, 2.0, 2.5], high=[0.4, 2.0, 3.5], repetitions=[5, 6, 7])
    platform.set_energy("CPU", [1, 3], [1e-300, 7.0])
    platform.set_energy_interval("CPU", [3], [6.5], [7.5])
    platform.set_time("GPU", [2**62], [0.25])
    platform.set_limits("CPU", 1, 2)
    platform.base_power = 58.5
    platform.set_link("CPU", "GPU", 1e-6, 1e9)
    platform.set_host_link("GPU", 2e-6, 2e9)
    platform.set_host_link_energy("GPU", 2e-10)
    platform.set_link_energy("GPU", "CPU", 3e-10)
    platform.set_node("CPU", "GPU", 30)
    platform.set_border_bytes(800)
    platform.kernel = "dgemm n=512"
    platform.report = {"simultaneous": 0}
    return platform


class Copies(unittest.TestCase):
    def assert_same(self, copied: hpart.Platform) -> None:
        self.assertEqual(copied.processors, ["CPU", "GPU", "idle"])
        self.assertEqual(copied.function("CPU").seconds.tolist(), [1 / 3, 2.0, 3.0])
        np.testing.assert_array_equal(copied.function("CPU").joules, [1e-300, np.nan, 7.0])
        intervals = copied.intervals("CPU")
        self.assertEqual((intervals.time_low.tolist(), intervals.time_high.tolist()), ([0.3, 2.0, 2.5], [0.4, 2.0, 3.5]))
        np.testing.assert_array_equal(intervals.energy_high, [np.nan, np.nan, 7.5])
        self.assertEqual(intervals.repetitions.tolist(), [5, 6, 7])
        self.assertEqual(copied.function("GPU").sizes.tolist(), [2**62])
        self.assertEqual(copied.limits("CPU"), (1, 2))
        self.assertEqual((copied.base_power, copied.border_bytes, copied.kernel), (58.5, 800, "dgemm n=512"))
        self.assertEqual((copied.link("CPU", "GPU"), copied.link("GPU", "CPU")[0]), ((1e-6, 1e9), 0))
        self.assertEqual(copied.host_link("GPU"), (2e-6, 2e9))
        self.assertEqual((copied.host_link_energy("GPU"), copied.link_energy("GPU", "CPU")), (2e-10, 3e-10))
        self.assertEqual(copied.node("GPU"), (0, 1, 30))
        self.assertEqual(copied.report, {"simultaneous": 0})

    def test_copies_and_pickles(self):
        platform = full()
        for copied in (copy.copy(platform), copy.deepcopy(platform), pickle.loads(pickle.dumps(platform))):
            self.assert_same(copied)
            self.assertEqual(copied, platform)
            copied.set_time("CPU", [1], [5.0])
            copied.report["simultaneous"] = 1
            self.assertNotEqual(copied, platform)
        self.assert_same(platform)

    def test_names_and_paths_that_are_not_utf8(self):
        name = "caf\udce9"  # Latin 1, as os.listdir gives it too
        platform = hpart.Platform([name])
        platform.set_time(name, [1], [2.0])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + ".csv")
            platform.write(path)
            self.assertIn(b"caf\xe9,1,2", pathlib.Path(path).read_bytes())
            read = hpart.Platform.read(path)
        self.assertEqual(read.processors, [name])
        for copied in (copy.copy(read), pickle.loads(pickle.dumps(read))):
            self.assertEqual(copied, platform)

    def test_any_processes_of_a_pool_take_a_platform(self):
        import concurrent.futures
        import multiprocessing

        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            self.assertEqual(pool.submit(hpart.Platform.partition_time, full(), 2).result().as_dict(), {"CPU": 2, "GPU": 0, "idle": 0})

    def test_what_is_no_data_is_not_copied(self):
        with hpart.Team() as team:
            for call in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "Team"):
                    call(team)

    def test_schedules(self):
        platform = full()
        platform.set_limits("CPU", 1, 3)
        schedule = platform.schedule(7)
        with tempfile.TemporaryDirectory() as folder, hpart.Team() as team:
            for name in ("one", "two"):
                (pickle.loads(pickle.dumps(schedule)) if name == "two" else schedule).write(os.path.join(folder, name), "app")
            self.assertEqual(*(pathlib.Path(folder, name).read_text() for name in ("one", "two")))
            ran = []
            team.add("CPU", ran.append)
            team.add("GPU", ran.append, releases_gil=True)
            team.add("idle", ran.append, releases_gil=True)
            for copied in (pickle.loads(pickle.dumps(schedule)), copy.copy(schedule), copy.deepcopy(schedule)):
                self.assertEqual((copied, copied.report), (schedule, schedule.report))
                ran.clear()
                team.run_schedule(copied, min_repetitions=2, max_repetitions=2, warmup=0)
                self.assertEqual(sum(ran), 14)
        self.assertEqual(pickle.loads(pickle.dumps(platform.schedule(0))).tasks, [])

    def test_closed_platforms(self):
        with full() as platform:
            self.assertEqual(len(platform), 3)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "closed"):
            platform.partition_time(2)
        self.assertIn("closed", repr(platform))
        platform.close()


class Equality(unittest.TestCase):
    def test_platforms(self):
        self.assertEqual(full(), full())
        other = full()
        other.base_power = 58
        self.assertNotEqual(full(), other)
        self.assertNotEqual(full(), "CPU")
        with self.assertRaises(TypeError):
            hash(full())

    def test_results(self):
        platform = full()
        best = platform.partition_time(2)
        self.assertEqual(best, platform.partition_time(2))  # though the search took another time
        self.assertEqual(hash(best), hash(platform.partition_time(2)))
        self.assertNotEqual(best, platform.partition_time(1))
        self.assertNotEqual(best, best.as_dict())
        self.assertEqual(platform.function("CPU"), full().function("CPU"))
        self.assertNotEqual(platform.function("CPU"), platform.function("GPU"))
        platform.set_energy("CPU", [1, 2], [2.0, 1.0])
        self.assertEqual(platform.pareto(2), platform.pareto(2))
        self.assertNotEqual(platform.pareto(2), platform.pareto(1))
        self.assertEqual(platform.schedule(4), platform.schedule(4))


class Containers(unittest.TestCase):
    def test_platform(self):
        platform = full()
        self.assertEqual(list(platform), platform.processors)
        self.assertIn("GPU", platform)
        self.assertNotIn("TPU", platform)
        self.assertEqual(platform["CPU"], platform.function(0))
        with self.assertRaises(KeyError):
            platform["TPU"]
        with self.assertRaises(IndexError):
            platform[3]

    def test_distribution_is_a_mapping(self):
        best = full().partition_time(2)
        self.assertEqual(dict(best), {"CPU": 2, "GPU": 0, "idle": 0})
        self.assertEqual(list(best), [2, 0, 0])
        np.testing.assert_array_equal(np.asarray(best), [2, 0, 0])

    def test_schedule_is_a_sequence(self):
        schedule = full().schedule(4)
        self.assertEqual(list(schedule), schedule.tasks)
        self.assertEqual(len(schedule), len(schedule.tasks))

    def test_evaluate_takes_names(self):
        platform = full()
        for x in (platform.partition_time(2), {"CPU": 2}, {"idle": 0, "CPU": np.int64(2)}, [2, 0, 0]):
            self.assertEqual(platform.evaluate(x).time, 2.0)
        # A distribution's processors are found by name, wherever they stand.
        other = hpart.Platform(["GPU", "CPU"])
        other.set_time("CPU", [2], [9.0])
        other.set_time("GPU", [7], [1.0])
        self.assertEqual(platform.evaluate(other.partition_time(2)).time, 2.0)
        for wrong, message in (({"TPU": 2}, "TPU"), ([2], "one a processor")):
            with self.assertRaisesRegex(hpart.InvalidArgumentError, message):
                platform.evaluate(wrong)
        for wrong in ({"CPU": 2.0}, {"CPU": "2"}):
            with self.assertRaisesRegex(TypeError, "CPU"):
                platform.evaluate(wrong)

    def test_execute_takes_names(self):
        ran = []
        with hpart.Team() as team:
            team.add("CPU", ran.append)
            team.add("GPU", ran.append)
            team.execute({"GPU": 3}, warmup=0)
            self.assertEqual(ran, [3])
            best = hpart.Platform(["CPU"])
            best.set_time("CPU", [5], [1.0])
            team.execute(best.partition_time(5), warmup=0)
        self.assertEqual(ran, [3, 5])


class Representations(unittest.TestCase):
    def test_reports_are_json(self):
        best = full().partition_time(2)
        self.assertEqual(json.loads(json.dumps(best.report)), best.report)
        with hpart.Team() as team:
            team.add("a", lambda size: None)
            team.add("b", lambda size: None)
            measured = team.measure([1, 2], max_repetitions=20, min_repetitions=10)
        report = json.loads(json.dumps(measured.report))
        self.assertEqual(len(report["interval_high"]), 2)
        self.assertEqual(report, measured.report)

    def test_short(self):
        with hpart.Team() as team:
            team.add("a", lambda size: None)
            measured = team.measure([1], max_repetitions=500, min_repetitions=400)
            self.assertIn("a", repr(team))
        self.assertRegex(repr(measured), r"^<hpart.Measurement of a 1: .* [mun]?s>$")
        self.assertRegex(repr(full().partition_time(2)), "^<hpart.Distribution CPU: 2, GPU: 0, idle: 0; 2 s>$")
