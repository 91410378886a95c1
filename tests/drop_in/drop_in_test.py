"""Programs that know nothing of hpart, run with libhpart_blas before their BLAS: their results are those of a plain run."""

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["HPART_DROP_IN_BUILD"])
LIBRARY = os.environ["HPART_BLAS_LIBRARY"]
CALLS, FORTRAN = BUILD / "drop_in_calls", BUILD / "drop_in_legacy"
LIMIT = "memory_limit=160k"
HOST, OPENCL = "host", "opencl:0:0"
SUITES = next(pathlib.Path("/usr/lib").glob("*/blas/xblat3d"), None)
HPL = shutil.which("hpcc")
LAPACK_SUITE = next(pathlib.Path("/usr/lib").glob("*/lapack/xlintstd"), None)


class DropIn(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hpart-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.report_file = self.folder / "report.json"

    def run_program(self, *command, stdin=None, errors="", **environment):
        """Its output."""
        done = subprocess.run([str(word) for word in command], cwd=self.folder, stdin=stdin, capture_output=True, check=False, timeout=300,
                              env={**os.environ, **environment})
        self.assertEqual((0, errors), (done.returncode, done.stderr.decode()), command)
        return done.stdout.decode()

    def preloaded(self, *command, devices=HOST, options=LIMIT, least="5", library=LIBRARY, stdin=None, **environment):
        settings = {"HPART_BLAS_DEVICES": devices, "HPART_BLAS_OPTIONS": options, "HPART_BLAS_LEAST": least}
        if "HPART_DROP_IN_LINKED" not in os.environ:
            environment["LD_PRELOAD"] = library
        else:  # PoCL's LLVM and AddressSanitizer both set the signal stack of a thread
            environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":use_sigaltstack=0"
        return self.run_program(*command, stdin=stdin, HPART_BLAS_REPORT=str(self.report_file),
                                **{name: value for name, value in settings.items() if value is not None}, **environment)

    def report(self):
        """The report, and its functions by name."""
        report = json.loads(self.report_file.read_text())
        for row in report["functions"]:
            parts = ("on_devices", "below_least", "devices_off", "predicted_slower", "busy", "refused", "failed")
            self.assertEqual(row["calls"], sum(row[part] for part in parts), row)
        return report, {row["function"]: row for row in report["functions"]}

    def assert_same(self, plain, other, tolerance=1e-9):
        """Words are equal, numbers nearly so."""
        self.assertEqual(len(plain.splitlines()), len(other.splitlines()), other)
        for one, two in zip(plain.splitlines(), other.splitlines()):
            # Single precision leads to these.
            near = 1e-4 if re.match("sgemm|dgemv", one) else tolerance
            for word, compared in zip(one.split(), two.split(), strict=True):
                try:
                    same = math.isclose(float(word), float(compared), rel_tol=near, abs_tol=near)
                except ValueError:
                    same = word == compared
                self.assertTrue(same, f"{one}\n{two}")

    def devices(self):
        return (HOST, OPENCL) if "HPART_HAVE_OPENCL" in os.environ else (HOST,)

    def test_calls(self):
        plain = self.run_program(CALLS)
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.assert_same(plain, self.preloaded(CALLS, devices=devices))
                report, rows = self.report()
                self.assertEqual((devices, "", 5), (report["devices"], report["reason"], report["least"]))
                for name in ("sgemm_", "dgemm_", "cblas_dgemm", "cblas_zgemm", "cblas_dsymm", "zherk_", "dgemv_", "dgetrf_", "dgetrs_", "dgetri_",
                             "dgesv_", "dpotrf_", "zgeqrf_", "zungqr_", "dgels_"):
                    self.assertGreaterEqual(rows[name]["on_devices"], 1, name)
                self.assertEqual(0, rows["dormqr_"]["on_devices"])
                self.assertEqual(2, rows["dgemm_"]["refused"])  # an invalid lda and an invalid transa
                self.assertGreater(rows["cblas_zgemm"]["seconds"], 0)
                self.assertGreater(rows["cblas_zgemm"]["estimated_seconds"], 0)
                if devices == OPENCL:
                    self.assertGreater(rows["dgemm_"]["bytes_to_device"], 150 * 70 * 8 * 2)

    def test_calls_come_back_from_the_libraries_of_hpart(self):
        # OpenBLAS's dgeqrf, which computes the panels, calls dgemm_ by its name while the devices are in use.
        self.preloaded(CALLS)
        self.assertGreater(self.report()[1]["dgemm_"]["busy"], 0)

    def test_a_function_that_the_blas_lacks(self):
        plain = self.run_program(CALLS, "gemmt")
        self.assert_same(plain, self.preloaded(CALLS, "gemmt"))
        self.assertEqual(1, self.report()[1]["dgemmt_"]["on_devices"])
        done = subprocess.run([CALLS, "gemmt"], capture_output=True, check=False, env={**os.environ, "LD_PRELOAD": LIBRARY})
        if done.returncode != 0:  # else it has it
            self.assertEqual((127, b"libhpart_blas: no library of this program has dgemmt_\n"), (done.returncode, done.stderr))

    def test_small_calls_stay(self):
        plain = self.run_program(CALLS)
        self.assertEqual(plain, self.preloaded(CALLS, least="1000"))
        report, rows = self.report()
        self.assertEqual(0, sum(row["on_devices"] for row in rows.values()))
        self.assertEqual(0, report["host_gflops"])  # nothing was opened

    @unittest.skipUnless(FORTRAN.exists(), "no Fortran compiler")
    def test_fortran_77(self):
        plain = self.run_program(FORTRAN)
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.assert_same(plain, self.preloaded(FORTRAN, devices=devices))
                rows = self.report()[1]
                self.assertEqual((1, 1), (rows["dgemm_"]["on_devices"], rows["dgesv_"]["on_devices"]))

    def test_without_a_least_size_the_prediction_decides(self):
        large = (CALLS, "product", "1100")
        self.assertEqual(self.run_program(CALLS, "product"), self.preloaded(CALLS, "product", least=None))
        report, rows = self.report()
        self.assertEqual((1024, 1), (report["least"], rows["dgemm_"]["below_least"]))
        # The host has no prediction of itself.
        self.assertEqual(self.run_program(*large), self.preloaded(*large, least=None))
        self.assertEqual(1, self.report()[1]["dgemm_"]["predicted_slower"])
        for devices in self.devices():
            self.assert_same(self.run_program(*large), self.preloaded(*large, least=None, devices=devices, options=""))
            row = self.report()[1]["dgemm_"]
            self.assertEqual(1, row["predicted_slower"] + row["on_devices"])

    def test_a_device_faster_than_the_blas_has_the_call(self):
        for devices in set(self.devices()) - {HOST}:
            large = (CALLS, "product", "1100")
            library = f"{LIBRARY}:{BUILD / 'libdrop_in_slow.so'}"
            self.assert_same(self.run_program(*large), self.preloaded(*large, least=None, devices=devices, options="", library=library))
            report, rows = self.report()
            self.assertEqual(1, rows["dgemm_"]["on_devices"])
            self.assertLess(report["host_gflops"], 1)
            self.assertGreater(rows["dgemm_"]["estimated_gain"], 0)

    def test_threads(self):
        plain = self.run_program(CALLS, "threads")
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.assert_same(plain, self.preloaded(CALLS, "threads", devices=devices))
                row = self.report()[1]["dgemm_"]
                self.assertGreaterEqual(row["on_devices"], 1)
                self.assertEqual(24, row["on_devices"] + row["busy"])

    def test_signals_and_cancelled_threads(self):
        for part, last in (("signals", "seen 4"), ("cancel", "cancelled 1")):
            plain = self.run_program(CALLS, part)
            self.assertEqual(last, plain.splitlines()[-1])
            for devices in self.devices():
                with self.subTest(devices=devices, part=part):
                    self.assert_same(plain, self.preloaded(CALLS, part, devices=devices))

    def test_calls_that_stay_go_to_the_blas_of_a_plugin(self):
        program = "import ctypes; f = ctypes.CDLL('libdrop_in_plugin.so').product_of_plugin; f.restype = ctypes.c_double; print(f())"
        self.assertEqual("7.0\n", self.preloaded(sys.executable, "-c", program, LD_LIBRARY_PATH=str(BUILD)))
        self.assertEqual(1, self.report()[1]["dgemm_"]["below_least"])

    def test_libraries_of_hpart_lend_no_symbols(self):
        # A module that has its own BLAS would call hpart's otherwise, where libhpart_blas does not have the function.
        program = ("import ctypes; every = ctypes.CDLL(None); before = hasattr(every, 'idamax_'), hasattr(every, 'hpart_version');"
                   "f = ctypes.CDLL('libdrop_in_plugin.so').product_of_plugin; f.restype = ctypes.c_double;"
                   "print(before, f(), hasattr(every, 'idamax_'), hasattr(every, 'hpart_version'), hasattr(every, 'dgemm_'))")
        printed = self.preloaded(sys.executable, "-c", program, LD_LIBRARY_PATH=str(BUILD), least="1")
        self.assertEqual("(False, False) 1.0 False False True\n", printed)

    def test_a_report_of_a_program_that_goes_elsewhere(self):
        folder, self.report_file = self.folder, pathlib.Path("report.json")
        self.assert_same(self.run_program(CALLS, "elsewhere"), self.preloaded(CALLS, "elsewhere"))
        self.assertEqual(1, json.loads((folder / "report.json").read_text())["functions"][0]["on_devices"])

    def test_fork(self):
        plain = self.run_program(CALLS, "fork")
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.assert_same(plain, self.preloaded(CALLS, "fork", devices=devices))
                self.assertEqual(2, self.report()[1]["dgemm_"]["on_devices"])  # the parent's

    def test_a_shell_writes_no_report(self):
        self.preloaded("/bin/sh", "-c", "echo a | cat")
        self.assertFalse(self.report_file.exists())
        self.preloaded("/bin/sh", "-c", f"{CALLS} product; true")
        self.assertEqual(1, self.report()[1]["dgemm_"]["calls"])

    def test_a_report_for_each_process(self):
        self.report_file = self.folder / "report-%p.json"
        self.preloaded("/bin/sh", "-c", f"{CALLS} product; {CALLS} product")
        self.assertEqual(2, len(list(self.folder.glob("report-[0-9]*.json"))))

    @unittest.skipUnless("HPART_FAKE_CUDA" in os.environ, "no fake CUDA")
    def test_a_device_that_fails(self):
        fake = os.environ["HPART_FAKE_CUDA"]
        for name in ("libcuda.so.1", "libcublas.so.12", "libcufft.so.11"):
            (self.folder / name).symlink_to(fake)
        for command in (1, 5, 20, 40):
            with self.subTest(command=command):
                failing = (CALLS, "fail", fake, "_ZN9fake_cuda12fail_commandEli", command)
                self.assert_same(self.run_program(*failing), self.preloaded(*failing, devices="cuda:0", HPART_CUDA_PATH=str(self.folder)))
                report, rows = self.report()
                row = rows["dgemm_"]
                self.assertEqual((1, 1, 2), (row["on_devices"], row["failed"], row["devices_off"]))
                self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", report["reason"])
        # Without HPART_BLAS_DEVICES the GPU is found.
        self.preloaded(CALLS, "product", devices="", HPART_CUDA_PATH=str(self.folder))
        report, rows = self.report()
        self.assertEqual(("cuda:0", 1), (report["devices"], rows["dgemm_"]["on_devices"]))

    def test_wrong_settings(self):
        plain = self.run_program(CALLS)
        for settings, reason in (
            ({"least": "many"}, "HPART_BLAS_LEAST is 'many'"),
            ({"least": "0"}, "HPART_BLAS_LEAST is '0'"),
            ({"options": "memory=4"}, "memory"),
            ({"options": "memory_limit"}, "memory_limit"),
            ({"options": "memory_limit=160k,,queues=1"}, "option"),
            ({"devices": "opencl:99:0"}, "opencl:99:0"),
            ({"devices": "nothing"}, "nothing"),
        ):
            with self.subTest(settings=settings):
                self.assertEqual(plain, self.preloaded(CALLS, **settings))
                report, rows = self.report()
                self.assertIn(reason, report["reason"])
                self.assertEqual(0, sum(row["on_devices"] for row in rows.values()))
        for path, reason in ((self.folder / "none" / "report.json", "No such file or directory"), ("/dev/full", "No space left on device")):
            self.report_file = path
            errors = f"libhpart_blas: HPART_BLAS_REPORT: cannot write '{path}': {reason}\n"
            self.assertEqual(self.run_program(CALLS, "product", "100"), self.preloaded(CALLS, "product", "100", errors=errors))

    def test_a_report_that_is_a_link(self):
        folder, target = self.folder, self.folder / "target.json"
        self.report_file = folder / "link.json"
        self.report_file.symlink_to(target)
        self.preloaded(CALLS, "product")
        self.assertTrue(self.report_file.is_symlink())
        self.assertEqual(1, json.loads(target.read_text())["functions"][0]["calls"])
        self.report_file = folder / "stdout"  # as /dev/stdout
        self.report_file.symlink_to("/proc/self/fd/1")
        with open(folder / "all", "wb") as output:
            environment = {"LD_PRELOAD": LIBRARY, "HPART_BLAS_REPORT": str(self.report_file), "HPART_BLAS_DEVICES": "none"}
            subprocess.run([CALLS, "product"], stdout=output, check=True, env={**os.environ, **environment})
        self.assertTrue(self.report_file.is_symlink())
        self.assertRegex((folder / "all").read_text(), r'(?s)"functions".*product ')  # the program's text is written last

    def test_names_of_other_libraries(self):
        for name, function in (("64", "dgemm_64_"), ("scipy", "scipy_dgemm_"), ("scipy_64", "scipy_dgemm_64_")):
            with self.subTest(name=name):
                program = BUILD / f"drop_in_calls_{name}"
                self.assert_same(self.run_program(program, "threads"), self.preloaded(program, "threads"))
                report, rows = self.report()
                self.assertGreaterEqual(rows[function]["on_devices"], 1)
                self.assertTrue(0 < report["host_gflops"] < 20, report)  # the rate is the program's own

    def test_integers_of_another_size_under_the_usual_names(self):
        program = BUILD / "drop_in_calls_ilp64"
        self.assertEqual(self.run_program(program, "threads"), self.preloaded(program, "threads"))
        report, rows = self.report()
        self.assertEqual("the program's BLAS has 64-bit integers in dgemm_", report["reason"])
        self.assertEqual(0, rows["dgemm_"]["on_devices"])

    def test_octave(self):
        self.session("octave-cli", "--no-init-file", "--eval", """
a = reshape(sin(1:14400), 120, 120); b = reshape(cos(1:14400), 120, 120);
printf("%.9g ", sum(sum(abs(a * b))), det(a + 9 * eye(120)), max(max(abs((a + 9 * eye(120)) \\ b))), svd(a)(1:3), sum(sum(abs(chol(a * a' + eye(120))))));
""")

    def test_r(self):
        self.session("Rscript", "--vanilla", "-e", """
a <- matrix(sin(1:14400), 120); b <- matrix(cos(1:14400), 120); d <- a + 9 * diag(120)
cat(sum(abs(a %*% b)), det(d), max(abs(solve(d, b))), svd(a)$d[1:3], sum(abs(chol(a %*% t(a) + diag(120)))), sum(abs(qr.Q(qr(d, LAPACK = TRUE)))))
""")

    def session(self, program, *arguments):
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed")
        command = ("/bin/sh", "-c", 'exec "$@" 2>errors', "sh", program, *arguments)  # Octave writes a line when it ends
        plain = self.run_program(*command)
        self.assertGreater(len(plain.split()), 6)
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.assert_same(plain, self.preloaded(*command, devices=devices), 1e-6)
                self.assertGreater(sum(row["on_devices"] for row in self.report()[1].values()), 3)

    @unittest.skipUnless(SUITES, "the BLAS's own tests are not installed (libblas-test)")
    def test_suite_of_the_blas(self):
        for letter in "sdcz":
            for devices in self.devices():
                with self.subTest(letter=letter, devices=devices):
                    with open(SUITES.parent / f"{letter}blat3.in", encoding="ascii") as given:
                        self.preloaded(SUITES.parent / f"xblat3{letter}", stdin=given, least="1" if devices == HOST else "9", devices=devices, options="")
                    text = (self.folder / f"{letter}blat3.out").read_text()
                    self.assertNotIn("FAIL", text)
                    self.assertEqual(12 if letter in "sd" else 18, len(re.findall(" PASSED THE (?:COMPUTATIONAL|TESTS OF ERROR)", text)))
                    self.assertGreater(self.report()[1][f"{letter}gemm_"]["on_devices"], 10)

    @unittest.skipUnless(LAPACK_SUITE, "LAPACK's own tests are not installed (liblapack-test)")
    def test_suite_of_lapack(self):
        for letter in "sdcz" if "HPART_TEST_LONG" in os.environ else "z":
            with self.subTest(letter=letter):
                given = LAPACK_SUITE.parent / f"{letter}test.in"
                program = LAPACK_SUITE.parent / f"xlintst{letter}"
                with open(given, encoding="ascii") as lines:
                    plain = self.run_program(program, stdin=lines)
                with open(given, encoding="ascii") as lines:
                    text = self.preloaded(program, stdin=lines, least="20", options="")
                for words in ("passed the threshold", "passed the tests of the error exits"):
                    self.assertEqual(plain.count(words), text.count(words))
                self.assertGreater(self.report()[1][f"{letter}getrf_"]["on_devices"], 100)

    @unittest.skipUnless(HPL, "HPL is not installed (hpcc)")
    def test_hpl(self):
        order, block, ptrans = 500, 64, "0 sizes\n100 size\n0 blocks\n40 block\n"
        head = ["1 size", f"{order} N", "1 block size", f"{block} NB", "0 rows first", "1 grid", "1 P", "1 Q", "16.0 threshold"]
        # Panels: right-looking, recursive; ring broadcast; no lookahead; mixed swaps; equilibrated; aligned to 8 numbers.
        panels = ["1 n", "2 right", "1 n", "4 NBMIN", "1 n", "2 NDIV", "1 n", "1 Crout", "1 n", "1 ring", "1 n", "0 depth", "2 mix", "64 swap",
                  "0 L1", "0 U", "1 equilibrate", "8 align"]
        (self.folder / "hpccinf.txt").write_text("\n".join(["HPL", "a test", "HPL.out file", "8 to it", *head, *panels, "separator", ptrans]))
        for devices in self.devices():
            with self.subTest(devices=devices):
                self.preloaded(HPL, devices=devices, least="40", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
                output = self.folder / "hpccoutf.txt"
                text = output.read_text()
                output.unlink()  # or the next run appends
                self.assertRegex(text, r"Ax-b.* PASSED\n")
                self.assertIn("Success=1\n", text)
                self.assertNotIn("FAILED", text)
                rows = self.report()[1]
                self.assertGreater(rows["cblas_dgemm"]["on_devices"], 10)
                self.assertGreater(rows["cblas_dtrsm"]["on_devices"], 5)

    def test_scipy(self):
        if subprocess.run([sys.executable, "-c", "import scipy.linalg"], capture_output=True, check=False).returncode:
            self.skipTest(f"{sys.executable} has no SciPy")
        program = self.folder / "program.py"
        program.write_text("""
import numpy as np, scipy.linalg as la
random = np.random.default_rng(1)
a, b = random.standard_normal((2, 120, 120))
print(np.abs(a @ b).sum(), np.abs(la.solve(a, b)).max(), *la.svdvals(a)[:3], *la.eigvalsh(a + a.T)[:3])
q, r = la.qr(a + 1j * b)
print(np.abs(q @ r - a - 1j * b).max() < 1e-12, la.det(a), np.abs(la.inv(a) @ a - np.eye(120)).max() < 1e-10)
print(np.abs(la.lstsq(a[:, :30], b)[0]).sum(), np.abs(la.cholesky(a @ a.T)).sum())
""")
        self.assert_same(self.run_program(sys.executable, program), self.preloaded(sys.executable, program))
        self.assertGreater(sum(row["on_devices"] for row in self.report()[1].values()), 10)

    @unittest.skipUnless("HPART_TEST_LONG" in os.environ, "takes a minute and a half")
    def test_suite_of_scipy(self):
        if subprocess.run([sys.executable, "-c", "import pytest, scipy.linalg"], capture_output=True, check=False).returncode:
            self.skipTest(f"{sys.executable} has no SciPy or no pytest")
        suite = ("/bin/sh", "-c", '"$@"; true', "sh", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "scipy.linalg")
        plain, other = (text.splitlines()[-1].partition(" in ")[0] for text in (self.run_program(*suite), self.preloaded(*suite)))
        self.assertRegex(plain, "[0-9]{4} passed")
        self.assertEqual(plain, other)
        self.assertGreater(sum(row["on_devices"] for row in self.report()[1].values()), 10000)


if __name__ == "__main__":
    unittest.main()
