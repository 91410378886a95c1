"""gemm, fft and factor: small problems under small memory limits, so that they go in parts; checked results and keys."""

import glob
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import unittest.mock

from command import COMMAND, FAST, CommandTest

KEYS = ["subcommand", "seconds", "gflops", "in_card_gflops", "bytes_to_device", "bytes_from_device", "lower_bound_bytes", "plan",
        "max_relative_error", "device", "memory_limit"]
OPENCL = ["--device", "opencl:0:0"]


def busy(intervals):
    """The length of their union."""
    length, end = 0, -math.inf
    for begin, last in sorted(intervals):
        length += max(0, last - max(begin, end))
        end = max(end, last)
    return length


class Operations(CommandTest):
    def setUp(self):
        super().setUp()
        found = [one["description"] for one in self.json_of("info")["devices"] if one["spec"] == "opencl:0:0"]
        self.has_opencl, self.has_opencl_on_cores = bool(found), ", CPU," in "".join(found)
        self.devices = [[], OPENCL] if self.has_opencl else [[]]

    def check(self, limit, error, *call, device=()):
        with self.subTest(call):
            result = self.json_of(*call, *device, "--repetitions", 1, "--memory-limit", limit)
            self.assertEqual(list(result)[: len(KEYS)], KEYS)
            self.assertEqual((result["device"], result["memory_limit"]), (device[1] if device else "host", limit))
            self.assertFalse(set(result) & set(result["report"]), "two keys for one thing")
            self.assertGreater(result["gflops"], 0)
            self.assertLessEqual(result["max_relative_error"], error)
            return result

    def test_products(self):
        sizes = ["gemm", "--m", 150, "--n", 120, "--k", 90]
        for more, error in (([], 1e-13), (["--trans", "TC", "--precision", "z", "--layout", "col"], 1e-13),
                            (["--precision", "s", "--beta", "1", "--alpha", "-2", "-o", "result.json"], 1e-4)):
            result = self.check(150000, error, *sizes, *more)
            self.assertGreaterEqual(result["bytes_to_device"] + result["bytes_from_device"], result["lower_bound_bytes"])
        self.assertTrue((self.folder / "result.json").exists())
        self.assertIn("hclooc", self.check(150000, 1e-13, *sizes, "--option", "plan=hclooc")["plan"])
        text = self.text_of(*sizes, "--repetitions", 1)
        self.assert_has(text, "dgemm, m = 150", "rate", "GFLOP/s", "max |(C - R) v| / max |R v|")

    def test_other_libraries_of_the_process_take_no_calls(self):
        compiler, library = shutil.which("cc"), os.environ["HPART_LIBRARY"]
        if not compiler or not library.endswith(".so"):
            self.skipTest("an archive's functions are the program's, or there is no compiler")
        symbols = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, check=True, text=True).stdout.split()
        # Not geqrt3_ and openblas_*, which OpenBLAS calls by these names itself.
        own = {one for one in symbols if re.match("(cblas_|fftwf?_(?!version)|[sdcz](getrf|potrf|geqrf|trtri|lauum)_)", one)}
        self.assertLess({"cblas_dgemm", "fftw_execute_dft", "dgetrf_"}, own)
        source, other = self.folder / "other.c", self.folder / "libother.so"
        source.write_text("void abort(void);\n" + "".join(f"void {one}(void) {{ abort(); }}\n" for one in sorted(own)))
        subprocess.run([compiler, "-shared", "-fPIC", "-w", "-fno-builtin", source, "-o", other], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(other), "POCL_AFFINITY": "1"}
        sizes = ["--sizes", "8:16:8", "--processor", "cpu:0", "-o", "functions.csv", *FAST]
        calls = [["info"]]
        for precision in "sdcz":
            calls += [["gemm", "--m", "60", "--n", "50", "--k", "40", "--precision", precision]]
            calls += [["factor", "--kind", kind, "--n", "64", "--precision", precision] for kind in ("lu", "cholesky", "qr")]
        calls += [["fft", "--dims", "64", "--precision", precision, *more] for precision in "sd" for more in ([], ["--real"])]
        calls += [["profile", "--kernel", kernel, "--dims", "n=16,k=16" if kernel == "dgemm" else "n=16", *sizes] for kernel in ("dgemm", "dgemv", "zfft")]
        for call in calls:
            with self.subTest(call):
                done = subprocess.run([COMMAND, *call], cwd=self.folder, env=environment, capture_output=True, check=False, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                (self.folder / "functions.csv").unlink(missing_ok=True)

    def test_a_kernel_of_a_file(self):
        if not self.has_opencl:
            self.skipTest("there is no OpenCL device here")
        kernel = "source:" + str(pathlib.Path(__file__).parents[2] / "examples" / "own_gemm.cl")
        sizes, option = ["--m", 150, "--n", 120, "--k", 90], ["--option", f"kernel={kernel}"]
        result = self.check(150000, 1e-13, "gemm", *sizes, "--trans", "TN", *option, device=OPENCL)
        self.assertEqual((result["report"]["kernel"], result["plan"]), (kernel, "model"))
        self.check(400000, 1e-12, "factor", "--kind", "cholesky", "--n", 200, *option, device=OPENCL)
        self.write("zero.cl", "// hpart gemm group=8x8 tile=8x8\n" + open(kernel[7:], encoding="utf-8").read().replace("alpha * sums", "0 * sums"))
        self.assert_fails(2, "gemm", *OPENCL, *sizes, "--option", "kernel=source:zero.cl", says="which is no product: of 11 x 13 x 37")
        self.assert_fails(1, "gemm", *sizes, *option, says="which OpenCL devices take for products; on host it must be auto")

    def test_transforms(self):
        for more, error in ((["--dims", "4096", "--precision", "s"], 1e-5), (["--dims", "12x14x16", "--real"], 1e-14),
                            (["--dims", "100", "--batch", 30], 1e-14)):
            self.assertIn("random sums", self.check(150000, error, "fft", *more)["check"])

    def test_factors(self):
        for kind, precision, error in (("lu", "d", 1e-13), ("cholesky", "s", 1e-4), ("cholesky", "z", 1e-13), ("qr", "c", 1e-4)):
            self.check(200000, error, "factor", "--kind", kind, "--n", 150, "--precision", precision)

    def test_dry_runs(self):
        for call in (["gemm", "--m", 150, "--n", 120, "--k", 90], ["fft", "--dims", "60x64"], ["factor", "--kind", "lu", "--n", 150]):
            for device in self.devices:
                limited = [*call, *device, "--memory-limit", 60000]
                dry, run = self.json_of(*limited, "--dry-run"), self.json_of(*limited, "--repetitions", 1)
                # Rates of so little memory are not kept: the run measures its own, and may plan otherwise.
                self.assertEqual((dry["plan"] is None, dry["tiles"] is None), (run["plan"] is None, run["report"]["tiles"] is None))
                self.assertLessEqual(dry["device_bytes"] or 0, 60000)
                self.assertGreater(dry["predicted_seconds"], 0)
                self.assertLessEqual(dry["least_memory"], 60000)
                self.assertGreaterEqual(dry["advised_memory"], dry["least_memory"])
                self.assertGreater(run["seconds"], 0)
                self.assert_has(self.text_of(*limited, "--dry-run"), "not run", "predicted time", "a plan needs at least", "nearly the best time from")
        huge = self.json_of("gemm", "--m", "1M", "--n", "1M", "--k", "1M", "--memory-limit", "1G", "--dry-run")
        self.assertGreater(huge["bytes_planned"], 24e12)
        self.assert_fails(1, "gemm", "--m", 150, "--n", 120, "--k", 90, "--memory-limit", 64, "--dry-run", says="bytes would do")
        self.assert_fails(2, "gemm", "--m", 9, "--n", 9, "--k", 9, "--option", "dry_run=1", says="--dry-run")

    def test_traces(self):
        for call in (["gemm", "--m", 150, "--n", 120, "--k", 90], ["fft", "--dims", "60x64"], ["factor", "--kind", "lu", "--n", 150]):
            for device in self.devices:
                run = self.json_of(*call, *device, "--memory-limit", 150000, "--repetitions", 1, "--option", "trace_file=t.json")
                trace = json.loads((self.folder / "t.json").read_text())
                names = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["ph"] == "M"}
                spec, lines = run["device"], {name: [] for name in names.values()}
                for event in trace["traceEvents"]:
                    if event["ph"] == "X":
                        lines[names[event["tid"]]].append((event["ts"], event["ts"] + event["dur"]))
                self.assertEqual(set(lines) - {"host"}, {f"{spec} in", f"{spec} kernels", f"{spec} out"})
                self.assertEqual("host" in lines, "factor" in call)
                self.assertAlmostEqual(busy(lines[f"{spec} kernels"]), 1e6 * run["report"]["kernel_seconds"], delta=1)
                self.assertFalse((self.folder / "t.json.new").exists())
                self.assertGreaterEqual(min(time for line in lines.values() for time, _ in line), 0)
                self.assertLess(min(lines[f"{spec} in"]), min(lines[f"{spec} kernels"]))
                times = [time for queue in ("in", "kernels", "out") for command in lines[f"{spec} {queue}"] for time in command]
                self.assertLessEqual(max(times) - min(times), 1.01e6 * (run["seconds"] + run["setup_seconds"]))
                self.assertLess(min(lines[f"{spec} kernels"])[0], max(end for _, end in lines[f"{spec} out"]))
                if "host" in lines:  # a panel is sent after it was made
                    self.assertLess(min(lines["host"])[1], max(lines[f"{spec} in"])[0])
        self.json_of("gemm", "--m", 9, "--n", 9, "--k", 9, "--repetitions", 1, "--option", "trace_file=one.json")
        self.assertIn('"all of the operation"', (self.folder / "one.json").read_text())
        self.assert_fails(2, *call, "--option", "trace_file=none/t.json", says="none/t.json")
        # A trace that cannot be written costs no result.
        for operation in (["gemm", "--m", 9, "--n", 9, "--k", 9], ["fft", "--dims", "6x4"], ["factor", "--kind", "lu", "--n", 9]):
            made = self.run_command(*operation, "--format", "json", "--option", "trace_file=/dev/full")
            self.assertEqual((made.returncode, json.loads(made.stdout)["device"]), (1, "host"), made.stderr)
            self.assertRegex(made.stderr.decode(), "^hpart: cannot write '/dev/full': .*; the result is complete, only the trace is missing\n$")
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())
        self.write("own.csv", "processor,size,time\na,1,1\n")
        self.assert_fails(2, *call, "--option", "trace_file=own.csv", says="is no trace; it is not written over")
        self.write("deep.json", '{"traceEvents":' + "[" * 60000 + "]" * 60000 + "}")
        self.assert_fails(2, "plot", "deep.json", "-o", "e.svg", says="nested too deeply")
        self.assert_fails(2, *call, "--dry-run", "--option", "trace_file=t.json", says="a dry run has no commands")
        if shutil.which("gnuplot"):
            self.text_of("plot", "t.json", "-o", "t.svg")
            self.assertIn(f"{spec} kernels", (self.folder / "t.svg").read_text())
            self.text_of("report", "t.json", "one.json", "-o", "t.html")
            self.assertIn("time in which it works", (self.folder / "t.html").read_text())
            events = [{"ph": "M", "tid": k, "name": "thread_name", "args": {"name": f"{'é' * 60}{k}"}} for k in range(2)]
            events += [{"ph": "X", "tid": k, "name": "work", "ts": k, "dur": 1} for k in range(2)]
            self.write("long.json", json.dumps({"otherData": {"commands left out": 7}, "traceEvents": events}))
            self.text_of("plot", "long.json", "-o", "long.svg")
            drawn = (self.folder / "long.svg").read_text()
            self.assertRegex(drawn, r">…é{17}0  50 %<")
            self.assertIn("(7 left out)", drawn)

    def test_a_device(self):
        if not self.has_opencl:
            self.skipTest("no OpenCL device")
        self.check(150000, 1e-13, "gemm", "--m", 150, "--n", 120, "--k", 90, device=OPENCL)
        self.check(150000, 1e-14, "fft", "--dims", "60x64", device=OPENCL)
        self.check(200000, 1e-13, "factor", "--kind", "lu", "--n", 150, device=OPENCL)
        limit = ["--memory-limit", 60000]
        call = ["profile", "--kernel", "dgemm", "--dims", "n=64,k=64", "--processor", "opencl:0:0", "-o", "p.csv", *FAST]
        self.json_of(*call, "--sizes", "32,128", *limit)
        split = self.json_of("run", "--size", 128, "p.csv", *limit, *FAST)["splits"][0]
        self.assertEqual((split["checked"], split["max_relative_error"] < 1e-12), (True, True))
        self.assert_fails(1, *call[:-len(FAST) - 1], "q.csv", "--sizes", "60", "--memory-limit", 100, says=["'opencl:0:0', size 60", "bytes would do"])
        if self.has_opencl_on_cores:
            self.assert_fails(2, "profile", "--kernel", "dgemm", "--dims", "8x8", "--sizes", "16", "--processor", "cpu:0", "--processor", "opencl:0:0",
                              "-o", "q.csv", says="share core 0,")

    def test_a_memory_that_is_too_small(self):
        sizes = ["gemm", "--m", 100, "--n", 90, "--k", 80]
        for *call, device in ((*sizes, "--precision", "z", []), ("factor", "--kind", "qr", "--n", 200, []),
                              *((*call, device) for device in self.devices for call in ((*sizes, "--option", "tile=50x40x30"),
                                                                                        ("fft", "--dims", "60x64", "--option", "fft_plan=slabs")))):
            message = self.assert_fails(1, *call, *device, "--memory-limit", 100, says="bytes would do")
            self.check(int(re.search(r"(\d+) bytes would do", message)[1]), 1e-12, *call, device=device)

    def test_transforms_that_are_done_on_the_host(self):
        for device in self.devices:
            call = ["fft", "--dims", "60x64", *device, "--repetitions", 1, "--option", "run_on=auto"]
            why = self.json_of(*call, "--memory-limit", 2000)["report"]["on_host"]
            enough = int(re.search(r"(\d+) bytes would do", why)[1])
            self.assertEqual(self.json_of(*call, "--memory-limit", enough)["report"]["on_host"], "")
            self.assertIn(why, self.text_of(*call, "--memory-limit", 2000))

    def test_a_result_that_cannot_be_checked(self):
        call = ["gemm", "--m", 20, "--n", 20, "--k", 20, "--repetitions", 1]
        self.assert_fails(1, *call, "--alpha", "1e308", "--beta", "-1e308", says="above what its precision can hold")
        self.assert_fails(1, *call, "--precision", "s", "--alpha", "1e300", says="above what its precision can hold")

    def run_with_shim(self, settings, *call, operation=True):
        """The command, whose OpenCL device is made to look and fail otherwise."""
        shim = os.environ.get("HPART_OPENCL_SHIM")
        if not shim or not self.has_opencl_on_cores:
            self.skipTest("no OpenCL device on cores")
        environment = {**os.environ, "LD_PRELOAD": shim, "OPENCL_SHIM": settings}
        return subprocess.run([COMMAND, *map(str, call), *([*OPENCL, "--repetitions", "1"] if operation else [])], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)

    def test_a_device_that_cannot_be_divided(self):
        for shim in ("indivisible", "indivisible=counts"):
            with self.subTest(shim):
                info = self.run_with_shim(shim, "info", operation=False)
                self.assertEqual(info.returncode, 0, info.stderr)
                self.assertIn(", CPU, indivisible, ", info.stdout)
                proposal = next(line for line in info.stdout.splitlines() if line.startswith("proposed"))
                self.assertNotIn("opencl", proposal)
                profile = ["profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "-o", f"{shim}.csv"]
                made = self.run_with_shim(shim, *profile, *FAST, operation=False)
                self.assertEqual(made.returncode, 0, made.stderr)
                made = self.run_with_shim(shim, "gemm", "--m", 8, "--n", 8, "--k", 8, "--device", "opencl:0:0:0", operation=False)
                self.assertEqual(made.returncode, 2)
                self.assertIn("cannot be divided into compute units: its driver makes no such sub-devices; give opencl:0:0, the whole device", made.stderr)

    def test_a_platform_without_devices(self):
        for name, remedy in (("rusticl", "; set RUSTICL_ENABLE to its drivers"), ("Clover", "; LP_CL=1 enables llvmpipe"), ("Other", "")):
            info = self.run_with_shim(f"empty_platform={name}", "info", "--devices", operation=False)
            self.assertEqual((info.returncode, info.stderr), (0, ""))
            self.assertIn(f"{name} has no device{remedy}", info.stdout)
            result = self.run_with_shim(f"empty_platform={name}", "gemm", "--m", 8, "--n", 8, "--k", 8)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(f"is not here: OpenCL platform 0, {name} has no device{remedy}", result.stderr)

    def test_a_driver_that_ends_loops_early(self):
        result = self.run_with_shim("loop_turns=65535", "gemm", "--m", 8, "--n", 8, "--k", 8)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"opencl:0:0 cannot be used: its driver \(.+\) ends a kernel's loops after 65535 turns")

    def test_a_driver_without_times_of_commands(self):
        call = ("gemm", "--m", 300, "--n", 300, "--k", 300, "--memory-limit", 1000000, "--option", "kernel=tiled")
        for settings, is_known in (("gpu", True), ("gpu,constant_times", False)):
            result = self.run_with_shim(settings, *call)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual("transfers behind kernels" in result.stdout, is_known, result.stdout)

    def test_a_device_that_computes_wrong_numbers(self):
        for call in (("gemm", "--m", 50, "--n", 40, "--k", 30, "--option", "kernel=tiled"),
                     ("factor", "--kind", "lu", "--n", 300, "--memory-limit", 300000, "--option", "kernel=tiled"),
                     ("factor", "--kind", "cholesky", "--n", 300, "--memory-limit", 300000, "--option", "kernel=tiled"),
                     ("factor", "--kind", "qr", "--n", 300, "--memory-limit", 300000, "--option", "kernel=tiled"),
                     ("fft", "--dims", "60x64")):
            right, wrong = (self.run_with_shim(settings, *call) for settings in ("gpu", "gpu,idle_kernels"))
            if "computes wrong transforms" not in right.stderr:  # as PoCL 7.1 does
                self.assertEqual((right.returncode, right.stderr), (0, ""))
            self.assertEqual((wrong.returncode, wrong.stdout), (1, ""))
            # A matrix that nothing wrote may have anything. Plans of VkFFT are tried first.
            self.assertRegex(wrong.stderr, "the result on opencl:0:0 is wrong(: .*rounding explains|, or above .* is (nan|inf))"
                             "|opencl:0:0 computes wrong transforms of 6[04] points in double precision: VkFFT")
            self.assertEqual(wrong.stderr.count("\n"), 1)

    def test_a_device_without_double_precision(self):
        for call in (("gemm", "--m", 50, "--n", 40, "--k", 30), ("fft", "--dims", "16x16"), ("factor", "--kind", "qr", "--n", 9)):
            result = self.run_with_shim("gpu,no_double", *call)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assert_has(result.stderr, "opencl:0:0 has no double precision; take single precision or another device")

    def test_kernels_of_a_device_without_double_precision(self):
        for kernel, dims in (("dgemm", "n=8,k=8"), ("dgemv", "n=8"), ("zfft", "n=8"), ("fft2d", "n=8")):
            call = ["profile", "--kernel", kernel, "--dims", dims, "--processor", "opencl:0:0", "--sizes", "8", "-o", "p.csv"]
            result = self.run_with_shim("gpu,no_double", *call, operation=False)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assert_has(result.stderr, "opencl:0:0 has no double precision; take single precision or another device")

    def test_drivers_that_do_not_load(self):
        call, none = ["gemm", *OPENCL, "--m", 9, "--n", 9, "--k", 9], self.folder / "none"
        self.assert_fails(1, *call, environment={"OCL_ICD_VENDORS": str(none)},
                          says=[f"no OpenCL platform: there is no .icd file in {none}", "/etc/OpenCL/vendors", "OCL_ICD_VENDORS"])
        none.mkdir()
        self.write("none/a.icd", "libhpart_none.so.1\n")
        says = f"{none}/a.icd: libhpart_none.so.1: cannot open shared object file"
        self.assert_fails(1, *call, environment={"OCL_ICD_VENDORS": str(none)}, says=["this machine has no OpenCL platform: ", says])
        self.assert_has(self.text_of("info", environment={"OCL_ICD_VENDORS": str(none)}), says)
        for line, place in ((b"libc.so.6\r\n", "ends with a carriage return"), (b"libc.so.6 \n", "ends with a blank"),
                            (b"\tlibc.so.6\n", "begins with a tab"), (b"\xef\xbb\xbflibc.so.6\n", "begins with a byte order mark"),
                            (b"\xef\xbb\xbflibc.so.6\r\n", "begins with a byte order mark")):
            self.write("none/a.icd", line)
            self.assert_fails(1, *call, environment={"OCL_ICD_VENDORS": str(none)},
                              says=[f"{none}/a.icd: its line {place}, which the loader takes for a part of the name; it must be libc.so.6 alone"])
        self.write("none/a.icd", "libc.so.6\n".encode("utf-16"))
        self.assert_fails(1, *call, environment={"OCL_ICD_VENDORS": str(none)}, says=["a.icd: it is no text in UTF-8, but perhaps in UTF-16"])
        self.write("none/a.icd", b"libc.so.6\n")
        self.assert_fails(1, *call, environment={"OCL_ICD_VENDORS": f"{none}/a.icd"},
                          says=["a.icd show none; some loaders take a folder alone, of .icd files, in OCL_ICD_VENDORS"])

    # PoCL would bind a thread to each core of the topology, and end the process at the first that is not there.
    def test_a_topology_of_more_cores_than_the_machine(self):
        if not glob.glob("/usr/lib/*/libpocl.so.2"):
            self.skipTest("no PoCL")
        many = {"HWLOC_SYNTHETIC": f"core:{(os.cpu_count() or 1) + 6} pu:1"}
        self.assert_has(self.text_of("info", environment={"POCL_AFFINITY": "0", **many}), "opencl:0:0")
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("POCL_AFFINITY", None)
            self.assert_has(self.text_of("info", environment=many), "opencl:0:0")
        bound = {"POCL_AFFINITY": "1", **many}
        says = ["POCL_AFFINITY=1 makes PoCL bind a thread to core ", ", which this process cannot have; unset POCL_AFFINITY"]
        self.assert_has(self.text_of("info", environment=bound), *says)
        self.assert_fails(1, "gemm", *OPENCL, "--m", 9, "--n", 9, "--k", 9, environment=bound, says=says)

    def test_one_processor_under_two_platforms(self):
        found = glob.glob("/usr/lib/*/libpocl.so.2")
        if not found:
            self.skipTest("no PoCL")
        vendors = self.folder / "vendors"
        vendors.mkdir()
        self.write("vendors/a.icd", "libpocl.so.2\n")
        self.write("vendors/b.icd", os.path.realpath(found[0]) + "\n")
        environment = {"OCL_ICD_VENDORS": str(vendors)}
        for call in (("gemm", "--m", 50, "--n", 40, "--k", 30), ("fft", "--dims", "16x16"), ("factor", "--kind", "lu", "--n", 50)):
            self.assert_fails(2, *call, "--device", "opencl:0:0,opencl:1:0", environment=environment,
                              says=["'opencl:0:0' and 'opencl:1:0' share core", "open one of them alone"])
        self.assert_has(self.text_of("info", environment=environment), "the same cores as opencl:0:0")
