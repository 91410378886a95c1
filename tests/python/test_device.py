"""Devices: operations on NumPy's arrays in every order and type, without copies, and what is refused."""
import hpart
import numpy as np
from refusals import RefusalTest

# The four types and two orders of matrices, each at least once, by one operation: all choose the library's function in one place.
LAYOUTS = ((np.float32, "C"), (np.float64, "F"), (np.complex64, "F"), (np.complex128, "C"))


class DeviceTest(RefusalTest):
    def setUp(self):
        self.random = np.random.default_rng(5)
        self.device = hpart.Device("host", memory_limit=65536)
        self.addCleanup(self.device.close)

    def array(self, shape, kind, order="C"):
        values = self.random.standard_normal(shape)
        if np.issubdtype(kind, np.complexfloating):
            values = values + 1j * self.random.standard_normal(shape)
        return np.array(values, kind, order=order)

    def assert_close(self, found, expected, factor=2000):
        self.assertEqual(found.dtype, expected.dtype)
        self.assertEqual(found.shape, expected.shape)
        scale = max(float(np.max(np.abs(expected), initial=0)), 1)
        self.assertLessEqual(float(np.max(np.abs(found - expected), initial=0)), factor * np.finfo(found.dtype).eps * scale)


def op(array, trans):
    return {"N": array, "T": array.T, "C": array.conj().T}[trans]


class Products(DeviceTest):
    def test_gemm(self):
        for kind, order in LAYOUTS:
            for trans_a, trans_b in ("NT", "CN"):
                a = self.array((40, 30) if trans_a == "N" else (30, 40), kind, order)
                b = self.array((30, 50) if trans_b == "N" else (50, 30), kind)
                out = self.array((40, 50), kind, order)
                expected = (2 * (op(a, trans_a) @ op(b, trans_b)) + 3 * out).astype(kind)
                self.assertIs(self.device.gemm(a, b, alpha=2, beta=3, out=out, trans_a=trans_a, trans_b=trans_b), out)
                self.assert_close(out, expected)
        self.assertIn("seconds", self.device.report)

    def test_slices_and_views_are_used_where_they_are(self):
        whole = self.array((60, 80), np.float64)
        before = whole.copy()
        found = self.device.gemm(whole[:20, :30], whole[20:50, 10:35].T.T, out=whole[20:40, 40:65])
        self.assertTrue(np.shares_memory(found, whole))
        self.assert_close(whole[20:40, 40:65], before[:20, :30] @ before[20:50, 10:35])
        whole[20:40, 40:65] = before[20:40, 40:65]
        self.assertTrue((whole == before).all())

    def test_no_elements(self):
        self.assertEqual(self.device.gemm(np.zeros((0, 3)), np.zeros((3, 2))).shape, (0, 2))
        self.assertTrue((self.device.gemm(np.zeros((2, 0)), np.zeros((0, 2)), out=np.ones((2, 2))) == 0).all())

    def test_gemv(self):
        a, x, out = self.array((40, 30), np.complex64, "F"), self.array(80, np.complex64)[::-2], self.array(60, np.complex64)[1::2]
        expected = (a.conj().T @ x - out).astype(np.complex64)
        self.assert_close(self.device.gemv(a, x, trans="C"), (a.conj().T @ x).astype(np.complex64))
        self.assert_close(self.device.gemv(a, x, trans="C", beta=-1, out=out), expected)

    def test_syrk(self):
        a = self.array((30, 20), np.complex128)
        self.assert_close(self.device.syrk(a, trans="C", lower=False), np.triu(a.conj().T @ a))
        real = self.array((30, 20), np.float32, "F")
        self.assert_close(self.device.syrk(real), np.tril(real @ real.T))
        self.assert_close(self.device.syrk(a, hermitian=False), np.tril(a @ a.T))

    def test_solve_triangular(self):
        a = np.tril(self.array((30, 30), np.float64)) + 10 * np.eye(30)
        b = self.array((30, 7), np.float64)
        self.assert_close(a.T @ self.device.solve_triangular(a, b, lower=True, trans="T"), b)
        self.assert_close(self.device.solve_triangular(a, b.T.copy(), lower=True, side="right", alpha=2) @ a, 2 * b.T)
        self.assertIs(self.device.solve_triangular(a, b, lower=True, overwrite_b=True), b)
        product = self.device.multiply_triangular(a, b, lower=True, trans="T", alpha=2)
        self.assert_close(product, 2 * a.T @ b)
        self.assert_close(self.device.multiply_triangular(a, np.asfortranarray(b.T), lower=True, side="right"), b.T @ a)

    def test_symm(self):
        for kind, order in LAYOUTS:
            a, b = self.array((30, 30), kind, order), self.array((30, 7), kind)
            whole = np.tril(a) + np.tril(a, -1).conj().T
            whole.flat[::31] = whole.flat[::31].real
            out = self.array((30, 7), kind, order)
            expected = (2 * (whole @ b) + out).astype(kind)
            self.assertIs(self.device.symm(a, b, alpha=2, beta=1, out=out), out)
            self.assert_close(out, expected)
            plain = np.triu(a) + np.triu(a, 1).T
            self.assert_close(self.device.symm(a, b.T, side="right", lower=False, hermitian=False), b.T @ plain)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, r"a has the shape \(30, 30\); it must have \(7, 7\)"):
            self.device.symm(a, b, side="right")

    def test_one_triangle(self):
        for kind, order in LAYOUTS:
            a, b = self.array((30, 20), kind, order), self.array((30, 20), kind)
            product = a @ b.conj().T
            self.assert_close(self.device.syr2k(a, b), np.tril(product + product.conj().T))
            plain = 2 * (a.T @ b)
            self.assert_close(
                self.device.syr2k(a, b, trans="T", lower=False, hermitian=False, alpha=2), np.triu(plain + plain.T).astype(kind)
            )
            out = self.array((30, 30), kind, order)
            expected = np.where(np.tri(30, dtype=bool), (a @ b.T + 3 * out).astype(kind), out)
            self.assertIs(self.device.gemmt(a, b, trans_b="T", beta=3, out=out), out)
            self.assert_close(out, expected)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, r"op\(b\) has the shape \(30, 20\); it must have \(20, 30\)"):
            self.device.gemmt(a, b)

    def test_batches(self):
        for kind, order in LAYOUTS:
            a, b = self.array((4, 20, 10), kind, order), self.array((4, 10, 30), kind)
            self.assert_close(self.device.gemm_batched(a, b), a @ b)
            self.assert_close(self.device.gemm_batched(a[:1], b.conj(), trans_b="N"), a[0] @ b.conj())
            out = self.array((4, 30, 20), kind)
            expected = (out - b.transpose(0, 2, 1) @ a.transpose(0, 2, 1)).astype(kind)
            self.assertIs(self.device.gemm_batched(b, a, trans_a="T", trans_b="T", alpha=-1, beta=1, out=out), out)
            self.assert_close(out, expected)
        self.assertEqual(self.device.gemm_batched(a[:0], b[:1]).shape, (0, 20, 30))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "a has 3 matrices; it must have 1 or 4"):
            self.device.gemm_batched(a[:3], b)


class Solvers(DeviceTest):
    def test_factors(self):
        a = self.array((40, 40), np.float64)
        kept = a.copy()
        factors, pivots = self.device.lu(a)
        rows = np.arange(40)
        for k, other in enumerate(pivots):
            rows[[k, other]] = rows[[other, k]]
        self.assert_close((np.tril(factors, -1) + np.eye(40)) @ np.triu(factors), a[rows])
        factors, tau = self.device.qr(a)
        r = np.triu(factors)
        self.assert_close(r.T @ r, a.T @ a)
        self.assertEqual(len(tau), 40)
        self.assertTrue((a == kept).all())
        positive = a @ a.T + 10 * np.eye(40)
        lower, upper = self.device.cholesky(positive), self.device.cholesky(positive, lower=False)
        self.assert_close(lower @ lower.T, positive)
        self.assert_close(upper.T @ upper, positive)

    def test_solutions(self):
        a = self.array((40, 40), np.float64) + 8 * np.eye(40)
        for b in (self.array(40, np.float64), self.array((40, 3), np.float64, "F")):
            self.assert_close(a @ self.device.solve(a, b), b)
            for order, trans, of_a in (("C", "N", a), ("F", "T", a.T)):
                factors = self.device.lu(np.array(a, order=order))
                self.assert_close(of_a @ self.device.lu_solve(factors, b, trans=trans), b)
            factor = self.device.cholesky(a @ a.T, lower=False)
            self.assert_close(a @ a.T @ self.device.cholesky_solve(factor, b, lower=False), b, 100000)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, r"pivots has the shape \(3,\); it must be \(40,\)"):
            self.device.lu_solve(factors._replace(pivots=np.arange(3)), b)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, r"pivots\[1\] is 41; it must be a row, from 1 to 40"):
            self.device.lu_solve(factors._replace(pivots=np.arange(40) * 40), b)
        positive, tall = a @ a.T, self.array((50, 20), np.float64)
        self.assert_close(positive @ self.device.solve(positive, b, positive=True), b, 100000)
        b = self.array((50, 2), np.float64)
        expected = np.linalg.lstsq(tall, b, rcond=None)[0]
        self.assert_close(self.device.lstsq(tall, b), expected)
        self.assert_close(self.device.lstsq(tall, b[:, 0]), expected[:, 0])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "trans is 'T'; it must be 'N' or 'C'"):
            self.device.lstsq(tall + 0j, b + 0j, trans="T")

    def test_inverses_and_q(self):
        for kind, order in ((np.float64, "C"), (np.complex64, "F"), (np.complex128, "C"), (np.float32, "F")):
            a = np.array(self.array((30, 30), kind) + 8 * np.eye(30, dtype=kind), order=order)
            factors, one = self.device.lu(a), np.eye(30, dtype=kind)
            self.assert_close(self.device.lu_inverse(factors) @ a, one)
            inverse = self.device.lu_inverse(factors, overwrite_a=True)
            self.assertIs(inverse, factors.lu)
            self.assert_close(a @ inverse, one)
            positive = np.array(a @ a.conj().T, order=order)
            for lower in (True, False):
                factor = self.device.cholesky(positive, lower=lower)
                self.assert_close(self.device.cholesky_inverse(factor, lower=lower) @ positive, one, 100000)
            tall, c = self.array((40, 15), kind, order), self.array((40, 3), kind)
            factors = self.device.qr(tall)
            q = self.device.form_q(factors)
            self.assertEqual(q.shape, (40, 15))
            self.assert_close(q @ np.triu(factors.qr[:15]), tall)
            whole = self.device.multiply_q(factors, np.eye(40, dtype=kind))
            self.assert_close(whole[:, :15], q)
            self.assert_close(self.device.multiply_q(factors, c, trans="C"), whole.conj().T @ c)
            self.assert_close(self.device.multiply_q(factors, c.T, side="right"), c.T @ whole)
            wide = self.device.qr(tall.T)
            self.assert_close(self.device.form_q(wide) @ np.triu(wide.qr), tall.T)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "a has 40 rows; it must have 3"):
            self.device.multiply_q(factors, c, side="right")
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "tau has 40 elements; it must have at most 15"):
            self.device.form_q(factors._replace(tau=np.ones(40, np.float32)))

    def test_a_singular_matrix(self):
        a = np.eye(5)
        a[3, 3] = 0
        with self.assertRaises(hpart.NumericalError):
            self.device.solve(a, np.ones(5))
        self.assertEqual(self.device.report["info"], 4)


class Transforms(DeviceTest):
    def test_complex(self):
        for kind, shape, rank in ((np.complex64, (60,), 1), (np.complex128, (3, 50), 1), (np.complex64, (24, 30), 2), (np.complex128, (9, 10), 2)):
            x = self.array(shape, kind)
            axes = tuple(range(len(shape) - rank, len(shape)))
            expected = np.ascontiguousarray(np.fft.fftn(x, axes=axes), kind)
            self.assert_close(self.device.fft(x, rank=rank), expected)
            self.assert_close(self.device.ifft(expected, rank=rank), x)
            self.assertIs(self.device.fft(x, rank=rank, out=x), x)
            self.assert_close(x, expected)
        # Fortran order is no other data then.
        self.assert_close(self.device.ifft(np.asfortranarray(expected), rank=2), np.fft.ifftn(expected).astype(kind))

    def test_real(self):
        for kind, shape, rank in ((np.float32, (60,), 1), (np.float64, (3, 51), 1), (np.float32, (24, 30), 2)):
            x = self.array(shape, kind)
            spectrum = self.device.rfft(x, rank=rank)
            self.assert_close(spectrum, np.fft.rfftn(x, axes=tuple(range(len(shape) - rank, len(shape)))).astype(spectrum.dtype))
            self.assert_close(self.device.irfft(spectrum, shape[-1], rank=rank), x)


class Refused(DeviceTest):
    def test_types(self):
        a = np.ones((3, 3))
        self.assert_refused(TypeError, [
            (lambda: self.device.gemm(a.astype(np.int64), a), "a has elements of type"),
            (lambda: self.device.gemm(a.astype(">f8"), a), "a has elements of type"),
            (lambda: self.device.gemm(a, a.astype(np.float32)), "b has elements of type float32; they must be float64 as those of a"),
            (lambda: self.device.gemm(a, a, out=a.astype(np.float32)), "out has elements of type float32"),
            (lambda: self.device.gemm(a, a, out=[1]), "out is list"),
            (lambda: self.device.gemm(a, a, alpha=1j), "alpha is 1j; for real matrices it must be real"),
            (lambda: self.device.gemm(a, a, alpha="2"), "alpha is .*; it must be a number"),
            (lambda: self.device.fft(a), "x has elements of type float64; .*; rfft is for real"),
            (lambda: self.device.rfft(a.astype(complex)), "x has elements of type complex128; .*; fft is for complex"),
        ])

    def test_shapes(self):
        a, frozen = np.ones((3, 4)), np.ones((3, 3))
        frozen.flags.writeable = False
        self.assert_refused(hpart.InvalidArgumentError, [
            (lambda: self.device.gemm(a, a), "op.b. has 3 rows; it must have 4"),
            (lambda: self.device.gemm(a, a.T, out=np.ones((4, 4))), r"out has the shape \(4, 4\); it must have \(3, 3\)"),
            (lambda: self.device.gemm(a[0], a), "a has 1 dimensions; it must have 2"),
            (lambda: self.device.gemm(a, a.T, beta=1), "beta is 1; without out"),
            (lambda: self.device.gemm(a, a, trans_a="X"), "trans_a is 'X'; it must be 'N', 'T' or 'C'"),
            (lambda: self.device.gemm(a, a.T, out=a[:3, :3]), "c overlaps"),
            (lambda: self.device.gemv(a, np.ones(3)), "x has 3 elements; it must have 4"),
            (lambda: self.device.lu(a[0]), "a has 1 dimensions"),
            (lambda: self.device.cholesky(a), r"a has the shape \(3, 4\); it must be square"),
            (lambda: self.device.solve(np.eye(3), np.ones(4)), "b has 4 rows; it must have 3"),
            (lambda: self.device.solve(np.eye(3), 1.0), "b has 0 dimensions; it must have 1, or 2"),
            (lambda: self.device.fft(np.ones((4, 4), complex)[:, 1:]), "x is not contiguous in C order"),
            (lambda: self.device.fft(np.ones(4, complex), rank=2), "rank is 2; it must be from 1 to 1"),
            (lambda: self.device.irfft(np.ones(4, complex), 9), "n is 9; for 4 numbers"),
            (lambda: self.device.gemm(a, a.T, out=frozen), "out is read-only"),
        ])

    def test_pinned_arrays(self):
        for shape, dtype, order, kind, message in (
            (-3, float, "C", hpart.InvalidArgumentError, "shape is -3; it must not be negative"),
            ((2**40, 2**40), float, "C", hpart.InvalidArgumentError, "must fit in 64 bits"),
            (10**17, float, "C", MemoryError, "more than the memory of this machine"),
            ("3", float, "C", TypeError, "shape is '3'; it must be an integer"),
            (3, object, "C", TypeError, "dtype is object"),
            (3, float, "Z", hpart.InvalidArgumentError, "order is 'Z'; it must be 'C' or 'F'"),
        ):
            with self.assertRaisesRegex(kind, message):
                self.device.empty(shape, dtype, order)
        self.assertEqual(self.device.empty(()).shape, ())
        self.assertEqual(self.device.empty((0, 3)).shape, (0, 3))
        self.assertEqual(self.device.empty([2, 3], np.complex64, "F").strides, (8, 16))
        with self.assertRaisesRegex(TypeError, r"trans_a is \['T'\]; it must be a string"):
            self.device.gemm(np.eye(2), np.eye(2), trans_a=["T"])


class Handles(DeviceTest):
    def test_closing(self):
        device = hpart.Device("host")
        device.close()
        device.close()
        self.assertIn("closed", repr(device))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "the device is closed"):
            device.gemm(np.eye(2), np.eye(2))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "the device is closed"), device:
            pass

    def test_pinned_arrays_outlive_the_device(self):
        for spec in ("host", "opencl:0:0"):
            try:
                with hpart.Device(spec) as device:
                    a = device.empty((30, 20))
                    b = device.empty((20, 10), np.float64, "F")
                    self.assertTrue(b.flags.f_contiguous)
                    self.assertEqual(device.empty(0).size, 0)
                    a[:] = self.random.standard_normal(a.shape)
                    b[:] = self.random.standard_normal(b.shape)
                    self.assert_close(device.gemm(a, b), a @ b)
            except (hpart.UnsupportedError, hpart.DeviceError) as error:
                print(f"skipped {spec}: {error}")
                continue
            a[:] = 1
            self.assertEqual(a.sum(), 600)

    def test_pins_arrays_of_the_caller(self):
        a = self.random.standard_normal((30, 20))
        b = np.asfortranarray(self.random.standard_normal((20, 10)))
        for spec in ("host", "opencl:0:0"):
            try:
                device = hpart.Device(spec)
            except (hpart.UnsupportedError, hpart.DeviceError) as error:
                print(f"skipped {spec}: {error}")
                continue
            with device, device.pin(a, b, np.empty(0)):
                self.assert_close(device.gemm(a, b), a @ b)
                with self.assertRaisesRegex(hpart.InvalidArgumentError, "pinned for this device already"), device.pin(a[2:]):
                    pass
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "closed"), device.pin(a):
                pass
            with hpart.Device(spec) as device:
                with device.pin(a):
                    pass
                with self.assertRaisesRegex(hpart.InvalidArgumentError, "pinned for this device already"), device.pin(b, b):
                    pass
                with device.pin(b):
                    pass
                for wrong in (a[:, 1:3], [1.0], np.array([object()])):
                    with self.assertRaisesRegex(TypeError, r"arrays\[1\] is no contiguous NumPy array of numbers"), device.pin(a, wrong):
                        pass

    def test_progress_stops(self):
        with hpart.Device("host", memory_limit=300000) as device:
            a = self.random.standard_normal((300, 300))
            with self.assertRaises(hpart.CancelledError):
                device.gemm(a, a, progress=lambda fraction, what: True)
            with self.assertRaises(ZeroDivisionError):
                device.gemm(a, a, progress=lambda fraction, what: 1 / 0)
            self.assert_close(device.gemm(a, a), a @ a)
