"""Platforms: functions, properties, files, and what wrong arguments give."""
import gc
import math
import pathlib
import tempfile
import unittest
import weakref

import numpy as np

import hpart


def two() -> hpart.Platform:
    platform = hpart.Platform(["CPU", "GPU"])
    platform.set_time("CPU", [3, 1, 2], [30.0, 10.0, 20.0])
    platform.set_time(1, np.array([1, 2], np.int32), np.array([0.5, 0.25], np.float32))
    platform.set_energy("GPU", [1], [7.0])
    return platform


class Making(unittest.TestCase):
    def test_names_or_a_count(self):
        self.assertEqual(hpart.Platform(["CPU", "GPU"]).processors, ["CPU", "GPU"])
        self.assertEqual(len(hpart.Platform(3)), 3)
        self.assertEqual(len(hpart.Platform(np.int64(2))), 2)

    def test_no_processors(self):
        for processors in (0, -1, []):
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "processors"):
                hpart.Platform(processors)

    def test_bad_names(self):
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "name"):
            hpart.Platform(["a", "a"])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "zero"):
            hpart.Platform(["a\0b"])
        with self.assertRaises(TypeError):
            hpart.Platform([1, 2])

    def test_a_name_in_any_script(self):
        self.assertEqual(hpart.Platform(["процессор", "処理装置"]).processors, ["процессор", "処理装置"])


class Functions(unittest.TestCase):
    def test_points_come_back_sorted(self):
        function = two().function("CPU")
        self.assertEqual(function.sizes.tolist(), [1, 2, 3])
        self.assertEqual(function.sizes.dtype, np.int64)
        self.assertEqual(function.seconds.tolist(), [10.0, 20.0, 30.0])
        self.assertTrue(np.isnan(function.joules).all())

    def test_empty_function(self):
        platform = two()
        platform.set_time("CPU", [], [])
        self.assertEqual(len(platform.function("CPU").sizes), 0)

    def test_array_with_a_stride(self):
        platform = two()
        platform.set_time("CPU", np.arange(1, 9)[::2], np.arange(8.0)[::2])
        self.assertEqual(platform.function("CPU").sizes.tolist(), [1, 3, 5, 7])
        self.assertEqual(platform.function("CPU").seconds.tolist(), [0, 2, 4, 6])

    def test_speed(self):
        platform = two()
        platform.set_speed("CPU", [4], [2.0])
        self.assertEqual(platform.function("CPU").seconds.tolist(), [2.0])
        platform.set_speed("CPU", [4], [2.0], lambda size: 3 * size**2)
        self.assertEqual(platform.function("CPU").seconds.tolist(), [24.0])

    def test_complexity_that_raises(self):
        platform = two()
        with self.assertRaises(ZeroDivisionError):
            platform.set_speed("CPU", [4], [2.0], lambda size: 1 / 0)
        for wrong, kind, message in (
            ("many", TypeError, "the complexity of size 4 is 'many'; it must be a real number"),
            (None, TypeError, "the complexity of size 4 is None; it must be a real number"),
            (10**400, hpart.InvalidArgumentError, "the complexity of size 4 is 10+...; it must fit in a double"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                platform.set_speed("CPU", [4], [2.0], lambda size: wrong)
            with self.subTest(message), self.assertRaisesRegex(kind, message.replace("size 4", r"size \d+")):
                platform.shape("CPU", lambda size: wrong)
        self.assertEqual(platform.function("CPU").seconds.tolist(), [10.0, 20.0, 30.0])

    def test_wrong_arrays(self):
        platform = two()
        for sizes, seconds, kind, words in (
            ([1, 2], [1.0], hpart.InvalidArgumentError, "as many as sizes: 2"),
            ([0], [1.0], hpart.InvalidArgumentError, "sizes"),
            ([[1]], [[1.0]], hpart.InvalidArgumentError, "dimensions"),
            ([1.5], [1.0], TypeError, "integers"),
            (np.array([2**63], np.uint64), [1.0], hpart.InvalidArgumentError, "63 bits"),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(kind, words):
                platform.set_time("CPU", sizes, seconds)
        self.assertEqual(platform.function("CPU").sizes.tolist(), [1, 2, 3])

    def test_unknown_processor(self):
        for processor in ("TPU", 2, -1):
            with self.assertRaises(hpart.InvalidArgumentError):
                two().function(processor)
        with self.assertRaises(TypeError):
            two().function(0.5)


class Properties(unittest.TestCase):
    def test_evaluate(self):
        self.assertEqual(two().evaluate([3, 2]).time, 30.0)
        self.assertTrue(math.isnan(two().evaluate([3, 2]).energy))
        self.assertEqual(two().evaluate(np.array([0, 1])), (0.5, 7.0))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "one a processor: 2"):
            two().evaluate([1])

    def test_names(self):
        platform = two()
        platform.set_name("GPU", "card")
        self.assertEqual(platform.processors, ["CPU", "card"])
        self.assertEqual(platform.replicate(3).processors[3], "1/card")

    def test_aggregate(self):
        platform = two()
        node = platform.aggregate(4)
        self.assertEqual(node.function(0).sizes.tolist(), [1, 2, 3, 4])
        self.assertEqual(node.function(0).seconds.tolist(), [platform.partition_time(n).time for n in range(1, 5)])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "objective is 2"):
            platform.aggregate(4, "total-energy")

    def test_file(self):
        platform = two()
        platform.set_energy("CPU", [1, 2, 3], [1.0, 2.0, 3.0])
        platform.set_energy("GPU", [1, 2], [1.0, 2.0])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "плат форма.csv"
            platform.write(path)
            again = hpart.Platform.read(path)
            self.assertEqual(again.evaluate([2, 1]), platform.evaluate([2, 1]))
            path.write_text("processor,size,time\nCPU,1,soon\n")
            with self.assertRaisesRegex(hpart.FormatError, ":2:.*soon"):
                hpart.Platform.read(path)

    def test_facts_of_a_measurement(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "functions.csv"
            path.write_text("# statistic = median\n# chosen time 3 = 1,2 ran 0.5 not certified\n"
                            "# precision not reached: A size 1 is known to 12 % after 4 repetitions\n"
                            "processor,size,time\nA,1,1\nB,2,1\n")
            self.assertEqual(hpart.Platform.read(path).facts(), {
                "statistic": "median",
                "chosen": [{"objective": "time", "size": 3, "distribution": [1, 2], "value": 0.5, "measured": 1}],
                "notes": [{"kind": "precision not reached", "processor": "A", "size": 1,
                           "text": "is known to 12 % after 4 repetitions", "relative_half_width": 0.12, "samples": 4,
                           "energy": 0, "by_budget": 0}]})
        self.assertEqual(two().facts(), {})

    def test_no_such_file(self):
        with self.assertRaises(hpart.IoError) as caught:
            hpart.Platform.read("no/such/file.csv")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("no/such/file.csv", str(caught.exception))


class Lifetime(unittest.TestCase):
    def test_destroyed_with_its_owner(self):
        platform = two()
        gone = weakref.ref(platform)
        finalizer = platform._finalizer
        del platform
        gc.collect()
        self.assertIsNone(gone())
        self.assertFalse(finalizer.alive)

    def test_exceptions(self):
        for name in hpart.__all__:
            if name.endswith("Error"):
                self.assertTrue(issubclass(getattr(hpart, name), hpart.Error))
        self.assertTrue(issubclass(hpart.InvalidArgumentError, ValueError))


class Information(unittest.TestCase):
    def test_info(self):
        about = hpart.info()
        self.assertEqual(about["version"], hpart.__version__)
        self.assertIn("library.openblas", about)
        *accelerators, host = (device.split()[0] for device in hpart.devices())
        self.assertTrue(all(device.startswith("opencl:") for device in accelerators))
        hpart.Device(host).close()
