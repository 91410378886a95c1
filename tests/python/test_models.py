"""Shapes, slices, shares and matrices, nodes and the costs of links."""
import math
import pathlib
import tempfile
import unittest

import numpy as np

import hpart


def jagged() -> hpart.Platform:
    platform = hpart.Platform(["CPU"])
    platform.set_time("CPU", [1, 2, 3, 4], [1.0, 4.0, 2.0, 8.0])
    return platform


class Shapes(unittest.TestCase):
    def test_keys(self):
        shape = jagged().shape("CPU")
        self.assertEqual((shape["points"], shape["fpm"], shape["time_falls"]), (4, 0, 1))
        self.assertEqual(shape["time_variation"], 100.0)
        self.assertIsInstance(shape["time_falls"], int)
        self.assertIsInstance(shape["time_variation"], float)
        self.assertNotIn("energy_falls", shape)

    def test_complexity(self):
        self.assertEqual(jagged().shape(0, lambda size: size**3)["speed_falls"], 1)
        with self.assertRaises(ZeroDivisionError):
            jagged().shape(0, lambda size: 1 / 0)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "complexity"):
            jagged().shape(0, lambda size: 0)


class Slices(unittest.TestCase):
    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "family.csv"
            path.write_text("parameter,processor,size,time\n300,CPU,1,2\n300,CPU,2,8\n100,CPU,1,1\n100,CPU,2,4\n")
            self.assertEqual(hpart.Platform.read_slice(path, 100).function(0).seconds.tolist(), [1, 4])
            self.assertEqual(hpart.Platform.read_slice(path, 200, interpolate="linear").function(0).seconds.tolist(), [1.5, 6])
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "100 below and 300 above"):
                hpart.Platform.read_slice(path, 200)


class Matrices(unittest.TestCase):
    def test_shares(self):
        self.assertEqual(hpart.shares([2, 0, 4, 2]).tolist(), [0.25, 0, 0.5, 0.25])
        with self.assertRaises(hpart.InvalidArgumentError):
            hpart.shares([0, 0])

    def test_rectangles_tile(self):
        found = hpart.matrix_partition([3, 0, 2, 1], 60, 60)
        filled = np.zeros((60, 60))
        for rectangle in found.rectangles:
            filled[rectangle.slices] += 1
        self.assertTrue((filled == 1).all())
        self.assertEqual(found.rectangles[1], (0, 0, 0, 0))
        self.assertGreaterEqual(found.report["ratio"], 1.0)
        self.assertEqual(found.report["columns"], 2)

    def test_refused(self):
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "areas"):
            hpart.matrix_partition([1, math.nan], 5, 5)
        with self.assertRaises(TypeError):
            hpart.matrix_partition([1], 5.5, 5)


class Costs(unittest.TestCase):
    def test_nodes_and_costs_of_links(self):
        platform = hpart.Platform(["CPU", "GPU"])
        for name in platform:
            platform.set_time(name, [1, 2, 3], [1, 2, 3])
            platform.set_energy(name, [1, 2, 3], [2, 4, 6])
        platform.set_link("CPU", "GPU", 1, 4)
        platform.set_link_energy("CPU", "GPU", 0.5)
        self.assertEqual((platform.link_energy("CPU", "GPU"), platform.link_energy("GPU", "CPU")), (0.5, 0))
        platform.border_bytes = 8
        platform.base_power = 10
        platform.set_node("GPU", "GPU", 5)
        self.assertEqual((platform.node("GPU"), platform.node("CPU")), ((1, 1, 5.0), (0, 0, 0.0)))
        self.assertEqual(platform.evaluate([2, 3]), (3, 10))
        self.assertEqual(platform.evaluate([2, 3], communication="chain"), (6, 14))
        costs = platform.costs({"CPU": 2, "GPU": 3}, communication="chain")
        self.assertEqual((costs["communication_joules"], costs["total_energy"]), (4, 14 + 15 * 6))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "are a node already"):
            platform.set_node("CPU", "GPU", 3)
