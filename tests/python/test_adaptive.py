"""Self-adaptable applications."""
import unittest

import numpy as np

import hpart
from refusals import RefusalTest


class SelfAdaptable(RefusalTest):
    def iterate(self, adaptive, speeds, iterations):
        for _ in range(iterations):
            x = adaptive.distribution
            self.assertEqual(x.sum(), 1000)
            adaptive.update(x / np.array(speeds))

    def test_speeds_are_found(self):
        adaptive = hpart.Adaptive(3, 1000)
        self.assertEqual(len(adaptive), 3)
        self.assertFalse(adaptive.converged)
        self.iterate(adaptive, [1, 2, 7], 3)
        self.assertTrue(adaptive.converged)
        self.assertAlmostEqual(adaptive.distribution[0], 100, delta=10)
        self.assertEqual(adaptive.report["iterations"], 3)
        functions = adaptive.functions
        self.assertEqual(len(functions), 3)
        self.assertAlmostEqual(functions.function(1).seconds[0] * 2, functions.function(1).sizes[0])

    def test_repr_says_where_it_is(self):
        adaptive = hpart.Adaptive(2, 1000)
        self.assertEqual(repr(adaptive), "<hpart.Adaptive of 2 processors, searching after 0 iterations: [500, 500]>")
        self.iterate(adaptive, [1, 3], 3)
        self.assertEqual(repr(adaptive), f"<hpart.Adaptive of 2 processors, converged after 3 iterations: {adaptive.distribution.tolist()}>")

    def test_limits_and_stops(self):
        adaptive = hpart.Adaptive(3, 1000, tolerance=0.1, previous=[200, 300, 500])
        self.assertEqual(list(adaptive.distribution), [200, 300, 500])
        adaptive.set_limits(2, 0, 400)
        self.assertEqual(adaptive.distribution[2], 400)
        adaptive.update([1, np.inf, 1])
        self.assertEqual(list(adaptive.distribution), [600, 0, 400])
        adaptive.update([1, 0, 1], x=[700, 0, 300])
        with self.assertRaises(hpart.InfeasibleError):
            adaptive.update([np.inf, 0, 1])

    def test_another_size(self):
        adaptive = hpart.Adaptive(3, 1000)
        adaptive.set_size(50000)
        self.assertEqual(adaptive.distribution.sum(), 50000)

    def test_warm_start(self):
        platform = hpart.Platform(2)
        adaptive = hpart.Adaptive(2, 10)
        for i in range(2):
            platform.set_time(i, [3, 5, 7], [[1, 4, 6], [8, 9, 2]][i])
        adaptive.start_from(platform)
        self.assertEqual(list(adaptive.distribution), [3, 7])
        with self.assertRaises(TypeError):
            adaptive.start_from("platform.csv")
        with self.assertRaises(hpart.InvalidArgumentError):
            hpart.Adaptive(3, 10).start_from(platform)

    def test_wrong_calls(self):
        adaptive = hpart.Adaptive(2, 10)
        self.assert_refused(TypeError, [(lambda: hpart.Adaptive(2, 5.5), "")])
        self.assert_refused(hpart.InvalidArgumentError, [
            (lambda: hpart.Adaptive(0, 5), "processors"),
            (lambda: hpart.Adaptive(2, 5, deadline=1.0), "deadline"),
            (lambda: adaptive.set_limits(2, 0, 5), "processor"),
        ])
        for seconds in (["a", 1], [{}, 1], "ab"):
            with self.assertRaisesRegex(TypeError, "seconds .*must be .*real numbers"):
                adaptive.update(seconds)
        for seconds, x in (([1], None), ([1, -1], None), ([1, 1], [5, 6]), ([1, 1], [10])):
            with self.assertRaises(hpart.InvalidArgumentError):
                adaptive.update(seconds, x)


class Groupings(unittest.TestCase):
    def test_this_machine_and_another(self):
        self.assertEqual(next(iter(hpart.groupings())), "node")
        try:
            other = hpart.groupings("package:2 core:2 pu:1")
        except hpart.UnsupportedError:
            self.skipTest("no hwloc")
        self.assertEqual(other, {"node": ["0-3"], "socket": ["0-1", "2-3"], "core": ["0", "1", "2", "3"]})
        with self.assertRaises(hpart.InvalidArgumentError):
            hpart.groupings("nonsense")
