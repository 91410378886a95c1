"""Distributions, fronts, schedules, and their options."""
import importlib.util
import os
import tempfile
import unittest

import numpy as np

import hpart

DATA = os.environ["HPART_TEST_DATA"]


def small() -> hpart.Platform:
    """Figure 5.1's problem in small: two processors with time and energy."""
    platform = hpart.Platform(["fast", "thrifty"])
    platform.set_time("fast", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0])
    platform.set_energy("fast", [1, 2, 3, 4], [10.0, 20.0, 30.0, 40.0])
    platform.set_time("thrifty", [1, 2, 3, 4], [3.0, 6.0, 9.0, 12.0])
    platform.set_energy("thrifty", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0])
    return platform


class Partition(unittest.TestCase):
    def test_worked_example(self):
        platform = hpart.Platform.read(os.path.join(DATA, "hpopta-fig-3.10.csv"))
        best = platform.partition_time(31, method="exact")
        self.assertEqual(best.time, 3.0)
        self.assertEqual(best.x.dtype, np.int64)
        self.assertEqual(best.x.sum(), 31)
        self.assertEqual(best["2"], best.x[2])
        self.assertEqual(best[3], best.x[3])
        self.assertEqual(list(best), best.x.tolist())
        self.assertEqual(best.as_dict()["0"], best[0])
        with self.assertRaisesRegex(KeyError, "there is no processor 'TPU'; there are 0, 1, 2"):
            best["TPU"]
        with self.assertRaisesRegex(IndexError, "processor is 99; it must be from 0 to"):
            best[99]
        self.assertEqual(best.report["optimal"], 1)
        self.assertEqual(best.report["method"], "exact")

    def test_few_sizes_of_a_search_prove_nothing(self):
        rows = "processor,size,time\na,1,1\na,2,2\nb,1,1\nb,2,2\n"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "few.csv")
            for head, proved in (("", 1), ("# sizes = those that a search measured\n", 0)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(head + rows)
                platform = hpart.Platform.read(path)
                report = platform.partition_time(3).report
                self.assertEqual((report["optimal"], "lower_bound" in report, "gap" in report), (proved, bool(proved), bool(proved)))
                self.assertEqual(platform.schedule(3).report["optimal"], proved)

    def test_a_truth_is_no_size(self):
        platform = small()
        for refused in (lambda: platform.partition_time(True), lambda: platform.pareto(False), lambda: hpart.Platform(True)):
            with self.assertRaisesRegex(TypeError, "(True|False); it must be an integer"):
                refused()

    def test_objectives(self):
        platform = small()
        self.assertEqual(platform.partition_time(4).as_dict(), {"fast": 3, "thrifty": 1})
        best = platform.partition_energy(4)
        self.assertEqual((best.as_dict(), best.energy, best.time), ({"fast": 0, "thrifty": 4}, 4.0, 12.0))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "base power"):
            platform.partition_total_energy(4)
        platform.base_power = 100.0
        self.assertEqual(platform.partition_total_energy(4).energy, 331.0)
        self.assertEqual(platform.partition(4, objective="energy").energy, 4.0)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "speed"):
            platform.partition(4, objective="speed")

    def test_previous(self):
        platform = small()
        best = platform.partition_time(4, previous=[1, 3], max_moved=1)
        self.assertEqual((best.as_dict(), best.report["moved"]), ({"fast": 2, "thrifty": 2}, 1))
        named = platform.partition_time(4, previous={"fast": 1, "thrifty": 3}, max_moved=1)
        self.assertEqual((named.as_dict(), named.report["moved"]), (best.as_dict(), 1))
        self.assertEqual(platform.partition_time(4, previous=best, max_moved=0).as_dict(), best.as_dict())
        self.assertEqual(platform.pareto(4, previous={"thrifty": 4}, max_moved=0)[0].x.tolist(), [0, 4])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "previous has the processor 'slow'; there are fast, thrifty"):
            platform.partition_time(4, previous={"slow": 4})
        with self.assertRaises(TypeError):
            platform.partition_time(4, previous=[1.5, 2.5])

    def test_infeasible(self):
        with self.assertRaises(hpart.InfeasibleError) as caught:
            small().partition_time(9)
        self.assertEqual(caught.exception.status, -3)
        self.assertIn("8", str(caught.exception))

    def test_advice_names_the_option(self):
        platform = hpart.Platform(["A"])
        platform.set_time("A", [100, 200], [1.0, 2.0])
        with self.assertRaisesRegex(hpart.InfeasibleError, '; option interpolate=linear allows size 150$'):
            platform.partition_time(150)
        self.assertEqual(platform.partition_time(150, interpolate="linear").time, 1.5)


class Front(unittest.TestCase):
    def test_points(self):
        front = small().pareto(2)
        self.assertEqual([point[:2] for point in front], [(2.0, 20.0), (3.0, 11.0), (6.0, 2.0)])
        self.assertEqual(front[-1].x.tolist(), [0, 2])
        self.assertEqual(len(front[1:]), 2)
        self.assertEqual(front.processors, ("fast", "thrifty"))
        with self.assertRaises(IndexError):
            front[3]

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not here")
    def test_dataframe(self):
        frame = small().pareto(2).to_dataframe()
        self.assertEqual(list(frame.columns), ["time", "energy", "fast", "thrifty"])
        self.assertEqual(frame["thrifty"].tolist(), [0, 1, 2])
