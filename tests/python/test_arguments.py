"""Arguments of a wrong kind: each is refused by its name, and what only looks right is not taken for it."""
import os
import pathlib
import tempfile

import hpart
import numpy as np
from refusals import RefusalTest


class Arguments(RefusalTest):
    def setUp(self):
        self.device = hpart.Device("host")
        self.addCleanup(self.device.close)
        self.platform = hpart.Platform(["a", "b"])
        self.team = hpart.Team()
        self.addCleanup(self.team.close)

    def test_whole_floats_are_integers(self):
        for value in (1e9, np.float32(2**30), np.float64(4096)):
            hpart.Device("host", memory_limit=value).close()
        for name in ("a", "b"):
            self.platform.set_time(name, [1, 2], [1.0, 2.0])
        self.assertEqual(self.platform.partition_time(4, threads=1.0, time_limit=5.0).x.tolist(), [2, 2])
        for value, message in ((1000.5, "takes an integer, not the real 1000.5"), (1e30, "takes an integer"), (-1.0, "-1; it must be"),
                               (0.0, "0; it must be"), (float("nan"), "integer"), (float("inf"), "integer")):
            with self.subTest(value), self.assertRaisesRegex(hpart.InvalidArgumentError, f"^memory_limit .*{message}"):
                hpart.Device("host", memory_limit=value)

    def test_an_error_knows_its_option(self):
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "^deadline is -1; it must be") as caught:
            self.platform.partition_energy(4, deadline=-1)
        self.assertEqual(caught.exception.option, "deadline")
        with tempfile.TemporaryDirectory() as folder:
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(folder)
            pathlib.Path("option 'deadline'").write_text("processor,size,time\na,1,nan\n")
            with self.assertRaisesRegex(hpart.FormatError, "^option 'deadline':2:5: ") as caught:
                hpart.Platform.read("option 'deadline'")
        self.assertEqual(caught.exception.option, "")

    def test_options_of_no_kind(self):
        for value in ({"n": 4}, (1, 2), b"1", 1j):
            with self.subTest(value), self.assertRaisesRegex(TypeError, "memory_limit is .*; it must be a number or a string"):
                hpart.Device("host", memory_limit=value)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "samples.csv"
            self.team.add("a", lambda size: None)
            self.team.measure([3], samples_file=path, max_repetitions=3, min_repetitions=np.int8(3), warmup=np.bool_(False))
            self.assertTrue(path.exists())

    def test_matrices_in_no_order_of_the_blas(self):
        a = np.arange(12.0).reshape(3, 4)
        for wrong in (a[::-1], a[:, ::-1], a[::-1, ::-1], np.broadcast_to(a[0], (3, 4)), a[:, ::2]):
            message = rf"a has the strides \({wrong.strides[0]}, {wrong.strides[1]}\); .*make a copy: a.copy\(\)"
            with self.subTest(wrong.strides), self.assertRaisesRegex(hpart.InvalidArgumentError, message):
                self.device.gemm(wrong, wrong.T.copy())
            np.testing.assert_allclose(self.device.gemm(wrong.copy(), wrong.T.copy()), wrong @ wrong.T)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, r"out has the strides \(-24, 8\); .* in memory$"):
            self.device.gemm(a, a.T, out=np.zeros((3, 3))[::-1])
        np.testing.assert_allclose(self.device.gemv(a, a[0, ::-1]), a @ a[0, ::-1])

    def test_flags(self):
        a, z = np.eye(3), np.ones(4, complex)
        for name, call in (
            ("lower", lambda: self.device.cholesky(a, lower="upper")),
            ("lower", lambda: self.device.solve_triangular(a, a, lower="U")),
            ("lower", lambda: self.device.syrk(a, lower=None)),
            ("hermitian", lambda: self.device.syrk(a, hermitian="no")),
            ("unit_diagonal", lambda: self.device.solve_triangular(a, a, unit_diagonal="N")),
            ("overwrite_b", lambda: self.device.solve_triangular(a, a, overwrite_b="no")),
            ("overwrite_a", lambda: self.device.lu(a, overwrite_a=[])),
            ("positive", lambda: self.device.solve(a, a, positive=2)),
            ("normalise", lambda: self.device.ifft(z, normalise="ortho")),
            ("normalise", lambda: self.device.irfft(z, normalise="ortho")),
            ("releases_gil", lambda: self.team.add("a", print, releases_gil="yes")),
        ):
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"{name} is .*; it must be True or False"):
                call()
        np.testing.assert_array_equal(self.device.cholesky(a, lower=np.bool_(True), overwrite_a=0), a)
        self.assertEqual(len(self.team), 0)

    def test_words(self):
        a = np.eye(3)
        for call, kind, message in (
            (lambda: self.platform.partition(4, "speed"), ValueError, "objective is 'speed'; it must be 'time', 'energy', "),
            (lambda: self.platform.partition(4, ["time"]), TypeError, r"objective is \['time'\]; it must be a string"),
            (lambda: self.platform.pareto(4, None), TypeError, "energy is None; it must be a string"),
            (lambda: self.device.solve_triangular(a, a, side="top"), ValueError, "side is 'top'; it must be 'left' or 'right'"),
            (lambda: self.device.solve_triangular(a, a, side=["left"]), TypeError, "side is"),
            (lambda: hpart.Meter.of(print, ["joules"], 1), TypeError, "quantity is"),
            (lambda: hpart.Meter.of(print, "volts", 1), ValueError, "quantity is 'volts'; it must be 'joules' or 'watts'"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()

    def test_numbers(self):
        self.assert_refused(TypeError, [
            (lambda: hpart.Meter.of(print, "joules", "fast"), "interval is 'fast'; it must be a real number"),
            (lambda: hpart.Meter.of(print, "joules", 1, wrap=None), "wrap is None; it must be a real number"),
            (lambda: self.platform.set_link("a", "b", "1e-6", 1e9), "latency is '1e-6'; it must be a real number"),
            (lambda: self.platform.set_link("a", "b", 1e-6, 1j), "bandwidth is 1j; it must be a real number"),
            (lambda: self.platform.set_host_link("a", [], 1), r"latency is \[\]; it must be a real number"),
            (lambda: self.platform.set_border_bytes(True), "count is True; it must be a real number"),
            (lambda: setattr(self.platform, "base_power", "58"), "base_power is '58'; it must be a real number"),
            (lambda: self.platform.partition_time(4.0), "size is 4.0; it must be an integer"),
            (lambda: self.platform.evaluate([[1], [2, 3]]), "x is .*; it must be an array of numbers"),
        ])

    def test_long_values_are_cut_and_unknown_options_come_first(self):
        large = np.zeros((200, 200))
        self.assert_refused(TypeError, [(lambda: self.platform.partition_time(4, threads=large), r"^threads is array\(.{80,100}\.\.\.; it must be")])
        self.assert_refused(hpart.InvalidArgumentError, [(lambda: self.platform.partition_time(4, out=large), "option 'out' is unknown")])

    def test_things(self):
        self.assert_refused(TypeError, [
            (lambda: hpart.Platform("CPU"), "processors is 'CPU'; it must be a list of names or their number"),
            (lambda: hpart.Platform(2.0), "processors is 2.0; it must be a list of names or their number"),
            (lambda: self.team.set_application("AB", lambda sizes: 1), "names is 'AB'; it must be a list of names"),
            (lambda: hpart.Platform.read_slice("family.csv", 1.5), "parameter is 1.5; it must be an integer"),
            (lambda: hpart.Pipeline("host"), "device is 'host'; it must be a Device"),
            (lambda: self.team.additivity([[1]], alone="a"), "alone is 'a'; it must be a Platform"),
            (lambda: self.team.set_meter("rapl"), "meter is 'rapl'; it must be a Meter"),
            (lambda: self.platform.set_speed("a", [1], [1.0], complexity=3), "complexity is 3; it must be callable"),
            (lambda: self.platform.shape("a", complexity=3), "complexity is 3; it must be callable"),
            (lambda: self.platform.partition_time(4, progress=3), "progress is 3; it must be callable"),
        ])
