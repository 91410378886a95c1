"""gemm, fft and factor: small problems under small memory limits, so that they go in parts; checked results, keys, wrong calls."""

import os
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
        for part in ("dgemm, m = 150", "rate", "GFLOP/s", "max |C - R| / max |R|"):
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
                for precision, error in (("d", 1e-13), ("s", 1e-4)):
                    with self.subTest(device=device, kind=kind):
                        result = self.json_of("factor", "--device", device, "--kind", kind, "--n", 150, "--memory-limit", 200000,
                                              "--precision", precision, "--repetitions", 1)
                        self.check(result, device, 200000, error)

    def test_wrong_calls(self):
        sizes = ["--m", 4, "--n", 4, "--k", 4]
        for arguments, says in (
            (["gemm", "--m", 4, "--n", 4], "--k"),
            (["gemm", "--m", 0, "--n", 4, "--k", 4], ["--m is 0", "1 or more"]),
            (["gemm", "--m", "4x", "--n", 4, "--k", 4], ["--m", "'4x'"]),
            (["gemm", "--m", 2**62, "--n", 4, "--k", 4], "more elements than any machine"),
            (["gemm", *sizes, "--device", "gpu"], "'gpu'"),
            (["gemm", *sizes, "--device", "host,host"], "twice"),
            (["gemm", *sizes, "--precision", "q"], ["--precision", "'q'"]),
            (["gemm", *sizes, "--trans", "N"], ["--trans", "'N'"]),
            (["gemm", *sizes, "--trans", "NX"], ["--trans", "'NX'"]),
            (["gemm", *sizes, "--layout", "diagonal"], ["--layout", "'diagonal'"]),
            (["gemm", *sizes, "--alpha", "one"], ["--alpha", "'one'"]),
            (["gemm", *sizes, "--memory-limit", "much"], ["--memory-limit", "'much'"]),
            (["gemm", *sizes, "--repetitions", "0"], "--repetitions is 0"),
            (["gemm", *sizes, "--option", "ties=fewest"], "'ties'"),
            (["gemm", *sizes, "--option", "plan=best"], "model|hclooc"),
            (["fft"], "--dims"),
            (["fft", "--dims", "8x"], ["--dims", "''"]),
            (["fft", "--dims", "8,8"], ["--dims", "'8,8'"]),
            (["fft", "--dims", "0x8"], "--dims is 0"),
            (["fft", "--dims", "8", "--precision", "z"], ["--precision", "'z'"]),
            (["factor", "--n", 4], "--kind"),
            (["factor", "--n", 4, "--kind", "svd"], ["--kind", "'svd'"]),
        ):
            with self.subTest(arguments):
                self.assert_fails(2, *arguments, says=says)

    def test_a_memory_that_is_too_small(self):
        self.assert_fails(1, "gemm", "--m", 100, "--n", 100, "--k", 100, "--memory-limit", 100)

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
