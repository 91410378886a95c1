"""gemm, fft and factor: small problems under small memory limits, so that they go in parts; checked results, keys, wrong calls."""

import os
import re
import unittest

from command import CommandTest

KEYS = ["seconds", "gflops", "in_card_gflops", "bytes_to_device", "bytes_from_device", "lower_bound_bytes", "plan",
        "max_relative_error", "device", "memory_limit"]


class Operations(CommandTest):
    def setUp(self):
        super().setUp()
        info = self.json_of("info")
        self.devices = ["host"] + [one["spec"] for one in info["devices"] if one["spec"].startswith("opencl:0:0")]

    def check(self, result, device, limit, error):
        self.assertEqual(list(result)[: len(KEYS)], KEYS)
        self.assertEqual((result["device"], result["memory_limit"]), (device, limit))
        self.assertGreater(result["seconds"], 0)
        self.assertGreaterEqual(result["setup_seconds"], 0)
        self.assertFalse(set(result) & set(result["report"]), "two keys for one thing")
        self.assertGreater(result["gflops"], 0)
        self.assertLessEqual(result["max_relative_error"], error)

    def test_gemm(self):
        sizes = ["--m", 150, "--n", 120, "--k", 90]
        for device in self.devices:
            for more, error in (([], 1e-13), (["--trans", "TC", "--precision", "z", "--layout", "col"], 1e-13),
                                (["--precision", "s", "--beta", "1", "--alpha", "-2"], 1e-4)):
                with self.subTest(device=device, more=more):
                    result = self.json_of("gemm", "--device", device, *sizes, "--memory-limit", 150000, "--repetitions", 1,
                                          *more)
                    self.check(result, device, 150000, error)
                    self.assertGreaterEqual(result["bytes_to_device"] + result["bytes_from_device"],
                                            result["lower_bound_bytes"])
        text = self.text_of("gemm", *sizes, "--repetitions", 1)
        for part in ("dgemm, m = 150", "rate", "GFLOP/s", "max |(C - R) v| / max |R v|"):
            self.assertIn(part, text)

    def test_plans(self):
        for plan in ("model", "hclooc"):
            result = self.json_of("gemm", "--m", 200, "--n", 200, "--k", 50, "--memory-limit", 300000, "--option", f"plan={plan}",
                                  "-o", "result.json")
            self.assertIn(plan, result["plan"])
            self.assertTrue((self.folder / "result.json").exists())

    def test_fft(self):
        for device in self.devices:
            for more, error in ((["--dims", "60x64"], 1e-14), (["--dims", "4096", "--precision", "s"], 1e-5),
                                (["--dims", "12x14x16", "--real"], 1e-14), (["--dims", "100", "--batch", 30], 1e-14)):
                with self.subTest(device=device, more=more):
                    result = self.json_of("fft", "--device", device, "--memory-limit", 150000, "--repetitions", 1, *more)
                    self.check(result, device, 150000, error)

    def test_factor(self):
        for device in self.devices:
            for kind in ("lu", "cholesky", "qr"):
                for precision, error in (("d", 1e-13), ("s", 1e-4), ("z", 1e-13), ("c", 1e-4)):
                    with self.subTest(device=device, kind=kind, precision=precision):
                        result = self.json_of("factor", "--device", device, "--kind", kind, "--n", 150, "--memory-limit", 200000,
                                              "--precision", precision, "--repetitions", 1)
                        self.check(result, device, 200000, error)

    def test_wrong_calls(self):
        sizes = ["--m", 4, "--n", 4, "--k", 4]
        for arguments, says in (
            (["gemm", "--m", 4, "--n", 4], "--k"),
            (["gemm", "--m", 0, "--n", 4, "--k", 4], ["--m is '0'", "a whole number from 1"]),
            (["gemm", "--m", "4x", "--n", 4, "--k", 4], ["--m", "'4x'"]),
            (["gemm", "--m", 2**62, "--n", 4, "--k", 4], ["A has 4611686018427387904 x 4", "than any machine"]),
            (["gemm", *sizes, "--option", "til=4x4x4"], "did you mean 'tile'?"),
            (["gemm", *sizes, "--option", "tile=0x4x4"], ["'0x4x4'", "MBxNBxKB"]),
            (["gemm", *sizes, "--option", "panel_width=4"], ["'panel_width' does not belong to hpart gemm", "in_card_rate"]),
            (["gemm", *sizes, "--device", "gpu"], "'gpu'"),
            (["gemm", *sizes, "--device", "host,host"], "twice"),
            (["gemm", *sizes, "--precision", "q"], ["--precision", "'q'"]),
            (["gemm", *sizes, "--trans", "N"], ["--trans", "'N'"]),
            (["gemm", *sizes, "--trans", "NX"], ["--trans", "'NX'"]),
            (["gemm", *sizes, "--layout", "diagonal"], ["--layout", "'diagonal'"]),
            (["gemm", *sizes, "--alpha", "one"], ["--alpha", "'one'"]),
            (["gemm", *sizes, "--alpha", "nan"], ["--alpha is 'nan'", "finite"]),
            (["gemm", *sizes, "--beta=-inf"], ["--beta is '-inf'", "finite"]),
            (["gemm", *sizes, "--memory-limit", "much"], ["--memory-limit", "'much'"]),
            (["gemm", *sizes, "--memory-limit", "0"], "--memory-limit is '0'; it must be a whole number from 1"),
            (["gemm", *sizes, "--memory-limit", "90000", "--option", "memory_limit=80000"],
             "--memory-limit and --option memory_limit are the same"),
            (["gemm", *sizes, "--option", "run_on=host"], "'run_on' does not belong to hpart gemm"),
            (["gemm", *sizes, "--repetitions", "0"], "--repetitions is '0'"),
            (["gemm", *sizes, "--option", "ties=fewest"], "'ties'"),
            (["gemm", *sizes, "--option", "plan=best"], "model|hclooc"),
            (["fft"], "--dims"),
            (["fft", "--dims", "8x"], ["--dims is '8x'", "as in 8"]),
            (["fft", "--dims", "x8"], ["--dims is 'x8'", "as in 8"]),
            (["fft", "--dims", "8xx16"], ["--dims is '8xx16'", "as in 8x16"]),
            (["fft", "--dims", ""], ["--dims is ''", "as in 256x256"]),
            (["fft", "--dims", "8;16"], ["--dims", "'8;16'", "as in 8x16"]),
            (["fft", "--dims", "eight"], ["--dims", "'eight'", "as in 256x256"]),
            (["fft", "--dims", "0x8"], "--dims is '0'"),
            (["fft", "--dims", "8", "--precision", "z"], ["--precision", "'z'"]),
            (["factor", "--n", 4], "--kind"),
            (["gemm", *sizes, "--device", "host", "--option", "kernel=xyz"], ["kernel is 'xyz'", "it must be auto or openblas"]),
            (["fft", "--dims", "8", "--device", "host", "--option", "kernel=xyz"], ["kernel is 'xyz'", "it must be auto or fftw"]),
            (["factor", "--n", 4, "--kind", "svd"], ["--kind", "'svd'"]),
            (["factor", "--n", 4, "--kind", "lu", "--precision", "q"], ["--precision", "'q'"]),
        ):
            with self.subTest(arguments):
                self.assert_fails(2, *arguments, says=says)

    def test_a_memory_that_is_too_small(self):
        for device in self.devices:
            for arguments in (["gemm", "--m", 200, "--n", 200, "--k", 200], ["gemm", "--m", 200, "--n", 190, "--k", 180, "--precision", "z"],
                              ["gemm", "--m", 100, "--n", 90, "--k", 80, "--option", "plan=hclooc"],
                              ["gemm", "--m", 100, "--n", 90, "--k", 80, "--option", "tile=50x40x30"],
                              ["factor", "--kind", "lu", "--n", 300], ["factor", "--kind", "cholesky", "--n", 300],
                              ["factor", "--kind", "qr", "--n", 300], ["fft", "--dims", "60x64"],
                              ["fft", "--dims", "60x64", "--option", "fft_plan=slabs"]):
                with self.subTest(device=device, arguments=arguments):
                    call = [*arguments, "--device", device, "--repetitions", 1]
                    # A product that would fit so many bytes, but in steps of a few numbers each, takes minutes.
                    for limit in (100, 1000) if "--option" not in arguments and arguments[0] == "gemm" else (100,):
                        message = self.assert_fails(1, *call, "--memory-limit", limit, says="bytes would do")
                    enough = int(re.search(r"(\d+) bytes would do", message)[1])
                    self.assertLess(self.json_of(*call, "--memory-limit", enough)["max_relative_error"], 1e-12)

    def test_functions_of_a_device_with_too_little_memory(self):
        for device in self.devices[1:]:
            for kernel, dims in (("dgemm", "n=64,k=64"), ("dgemv", "n=64"), ("zfft", "n=64")):
                with self.subTest(device=device, kernel=kernel):
                    self.assert_fails(1, "profile", "--kernel", kernel, "--dims", dims, "--sizes", "60", "--processor", device,
                                      "--memory-limit", 100, "-o", "small.csv", says=[f"'{device}', size 60", "bytes would do"])

    def test_transforms_that_are_done_on_the_host(self):
        for device in self.devices:
            with self.subTest(device):
                call = ["fft", "--dims", "60x64", "--device", device, "--repetitions", 1, "--option", "run_on=auto"]
                why = self.json_of(*call, "--memory-limit", 2000)["report"]["on_host"]
                self.assertIn("bytes would do", why)
                enough = int(re.search(r"(\d+) bytes would do", why)[1])
                self.assertEqual(self.json_of(*call, "--memory-limit", enough)["report"]["on_host"], "")
                self.assertIn(why, self.text_of(*call, "--memory-limit", 2000))
                self.assertEqual(self.json_of(*call[:-2], "--option", "fft_plan=host")["report"]["on_host"], "all: as asked for")

    def test_more_than_the_machine_has(self):
        says = ["bytes are wanted", "A 320000000000000", "and this machine has"]
        self.assert_fails(1, "gemm", "--m", 10**13, "--n", 4, "--k", 4, says=says)
        self.assert_fails(1, "fft", "--dims", "1000000x1000000", says="the spectrum 16000000000000")
        self.assert_fails(1, "factor", "--kind", "lu", "--n", 10**7, says="the matrix 800000000000000")

    def test_what_is_checked(self):
        for arguments, check in ((["gemm", "--m", 20, "--n", 20, "--k", 20], "random signs"), (["fft", "--dims", "20"], "random sums"),
                                 (["factor", "--kind", "qr", "--n", 20], "A - Q R")):
            self.assertIn(check, self.json_of(*arguments, "--repetitions", 1)["check"])

    def test_a_result_that_cannot_be_checked(self):
        for device in self.devices:
            with self.subTest(device):
                call = ["gemm", "--m", 20, "--n", 20, "--k", 20, "--device", device, "--repetitions", 1]
                self.assert_fails(1, *call, "--alpha", "1e308", "--beta", "-1e308", says="cannot be checked")
                self.assert_fails(1, *call, "--precision", "s", "--alpha", "1e300", says="cannot be checked")

    def test_a_profile_beyond_the_memory(self):
        if "opencl:0:0" not in self.devices or len(os.sched_getaffinity(0)) < 2:
            self.skipTest("no OpenCL device")
        fast = ["--option", "min_repetitions=2", "--option", "max_repetitions=3", "--option", "precision=1"]
        for kernel, dims in (("dgemm", "n=64,k=64"), ("dgemv", "n=64"), ("zfft", "n=64")):
            with self.subTest(kernel):
                limit = ["--memory-limit", 60000]
                name = f"{kernel}.csv"
                self.json_of("profile", "--kernel", kernel, "--dims", dims, "--sizes", "32:128:32", "--processor", "opencl:0:0",
                             *limit, "-o", name, *fast)
                result = self.json_of("run", "--size", 128, name, *limit, *fast)
                self.assertIs(result["splits"][0]["checked"], True)
                self.assertLess(result["splits"][0]["max_relative_error"], 1e-12)


if __name__ == "__main__":
    unittest.main()
