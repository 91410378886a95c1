"""Arrays that are no plain ones of NumPy: objects with __dlpack__, and masked arrays."""
import unittest

import numpy as np

import hpart
from hpart._values import host_array


class Tensor:
    """An array that is seen by DLPack alone, in the memory of some kind of device."""

    def __init__(self, values, device=(1, 0)):
        self.values = np.array(values)
        self.device = device
        self.exported = 0

    def __dlpack__(self, **options):
        self.exported += 1
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.device


class Locked(Tensor):
    def __dlpack__(self, **options):
        raise BufferError("it needs a gradient")


def two():
    platform = hpart.Platform(["a", "b"])
    platform.set_time("a", [1, 2, 3], [1.0, 2.0, 4.0])
    platform.set_time("b", [1, 2, 3], [2.0, 4.0, 5.0])
    return platform


class DLPack(unittest.TestCase):
    def test_points_and_distributions(self):
        for device in ((1, 0), (3, 0), (11, 1)):
            platform = hpart.Platform(["a", "b"])
            platform.set_time("a", Tensor([1, 2, 3], device), Tensor(np.array([1, 2, 4], np.float32), device))
            platform.set_time("b", Tensor([1, 2, 3], device), [2, 4, 5], low=Tensor([1.5, 4, 5], device), high=[2, 4, 6])
            self.assertEqual(platform["a"], two()["a"])
            self.assertEqual(platform.intervals("b").time_low.tolist(), [1.5, 4, 5])
            self.assertEqual(platform.evaluate(Tensor([3, 1], device)).time, 4)
            self.assertEqual(platform.partition_time(4, previous=Tensor([2, 2])).report["moved"], 0)
        self.assertEqual(hpart.shares(Tensor([1, 3])).tolist(), [0.25, 0.75])

    def test_teams(self):
        with hpart.Team() as team:
            team.add("a", lambda size: None)
            once = {"min_repetitions": 2, "max_repetitions": 2, "warmup": 0}
            self.assertEqual(team.execute(Tensor([3]), warmup=0).x.tolist(), [3])
            self.assertEqual(team.profile(Tensor([4, 2]), **once)["a"].sizes.tolist(), [2, 4])
            for rows in (Tensor([[2], [3]]), [Tensor([2]), {"a": 3}], np.ma.array([[2], [3]])):
                self.assertEqual(len(team.compare(rows, **once).ratios), 2)

    def test_matrices_share_memory(self):
        a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
        left, right = Tensor(a), Tensor(b)
        with hpart.Device("host") as device:
            np.testing.assert_array_equal(device.gemm(left, right), a @ b)
            np.testing.assert_allclose(device.solve(Tensor(np.eye(3)), Tensor(b)), b)
            np.testing.assert_allclose(device.fft(Tensor(a + 0j)), np.fft.fft(a))
            with self.assertRaisesRegex(TypeError, "out is Tensor; it must be a NumPy array"):
                device.gemm(left, right, out=Tensor(np.zeros((2, 4))))
        self.assertTrue(np.shares_memory(host_array(left, "a"), left.values))

    def test_memory_of_devices_is_refused(self):
        gpu = Tensor([1, 2], (2, 1))
        for call in (
            lambda: two().set_time("a", gpu, [1, 2]),
            lambda: two().set_time("a", [1, 2], gpu),
            lambda: two().evaluate(gpu),
            lambda: hpart.shares(gpu),
            lambda: hpart.Device("host").gemv(np.eye(2), Tensor([1.0, 2.0], (2, 1))),
        ):
            with self.assertRaisesRegex(hpart.InvalidArgumentError, r"is on a device \(DLPack type 2, number 1\); copy it to the host"):
                call()
        self.assertEqual(gpu.exported, 0)

    def test_tensors_that_numpy_cannot_take(self):
        with self.assertRaisesRegex(TypeError, "x cannot become a NumPy array: it needs a gradient"):
            hpart.shares(Locked([1, 2]))


class Masked(unittest.TestCase):
    def test_masked_values_are_no_points(self):
        holes = np.ma.array([1.0, 9.0, 2.0, 4.0], mask=[0, 1, 0, 0])
        ends = {"low": [1, 9, 2, 3.0], "high": np.ma.array([1, 9, 2, 5.0]), "repetitions": [5, 9, 6, 7]}
        platform = hpart.Platform(["a", "b"])
        platform.set_time("a", [1, 7, 2, 3], holes, **ends)
        self.assertEqual(platform["a"], two()["a"])
        self.assertEqual(platform.intervals("a").time_high.tolist(), [1, 2, 5])
        self.assertEqual(platform.intervals("a").repetitions.tolist(), [5, 6, 7])
        platform.set_energy("a", np.array([1, 7, 2, 3]), holes)
        self.assertEqual(platform["a"].joules.tolist(), [1, 2, 4])
        platform.set_speed("b", [1, 7, 2, 3], holes)
        self.assertEqual(platform["b"].seconds.tolist(), [1, 1, 0.75])
        frame = {"processor": ["a"] * 4, "size": [1, 7, 2, 3], "time": holes}
        self.assertEqual(hpart.Platform.from_dataframe(frame)["a"], two()["a"])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "seconds has 3 elements; it must have as many as sizes: 2"):
            platform.set_time("a", [1, 2], holes)

    def test_other_masked_elements_are_refused(self):
        holes = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]])
        sizes = np.ma.array([1, 2], mask=[1, 0])
        with hpart.Device("host") as device:
            for call in (
                lambda: two().set_time("a", sizes, [1, 2]),
                lambda: two().set_time("a", [1, 2], [1, 2], low=holes[0], high=[1, 2]),
                lambda: two().evaluate(sizes),
                lambda: hpart.shares(sizes),
                lambda: device.gemm(holes, np.eye(2)),
                lambda: device.solve(np.eye(2), holes),
                lambda: device.fft(holes.astype(complex)),
            ):
                with self.assertRaisesRegex(hpart.InvalidArgumentError, "has masked elements; fill them or leave them out"):
                    call()
            with self.assertRaisesRegex(TypeError, "out is MaskedArray; it must be a NumPy array"):
                device.gemm(np.eye(2), np.eye(2), out=holes)

    def test_without_masked_elements(self):
        whole = np.ma.array([[1.0, 2.0], [3.0, 4.0]])
        with hpart.Device("host") as device:
            self.assertIs(type(device.gemm(whole, whole)), np.ndarray)
        self.assertEqual(two().evaluate(np.ma.array([3, 1])).time, 4)


class Elements(unittest.TestCase):
    def test_only_real_numbers_are_seconds(self):
        platform = hpart.Platform(1)
        for wrong in ([1 + 2j], np.array([1], "m8[s]"), ["2.5"], np.array(["2.5"])):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                platform.set_time(0, [1], wrong)
        platform.set_time(0, [1], np.array([2], np.float32))
        self.assertEqual(platform.function(0).seconds.tolist(), [2.0])
