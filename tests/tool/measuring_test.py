"""profile and run on this machine: small problems, so that it is about the files and results, not the times."""

import json
import os
import pty
import signal
import subprocess
import time
import unittest

from command import COMMAND, CommandTest

FAST = ["--option", "min_repetitions=2", "--option", "max_repetitions=3", "--option", "precision=1"]
DGEMM = ["--kernel", "dgemm", "--dims", "n=32,k=32"]


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(",")[:2]) for line in lines[1:]]


class Measuring(CommandTest):
    def setUp(self):
        super().setUp()
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")
        self.cores = sorted(os.sched_getaffinity(0))[:2]
        self.processors = [argument for core in self.cores for argument in ("--processor", f"cpu:{core}")]
        self.names = [f"cpu:{core}" for core in self.cores]

    def profile(self, *more, output="p.csv", kernel=None, sizes="16:64:16"):
        given = {setting.partition("=")[0] for setting in more}
        fast = [argument for setting in FAST[1::2] if setting.partition("=")[0] not in given for argument in ("--option", setting)]
        return ["profile", *(kernel or DGEMM), "--sizes", sizes, *self.processors, "-o", output, *fast, *more]

    def test_profile_then_run(self):
        for kernel, line in ((DGEMM, "# kernel = dgemm n=32 k=32"), (["--kernel", "zfft", "--dims", "n=32"],
                                                                    "# kernel = zfft n=32")):
            with self.subTest(line):
                name = f"{kernel[1]}.csv"
                made = self.json_of(*self.profile(kernel=kernel, output=name))
                self.assertEqual((made["kernel"], made["file"], made["processors"], made["sizes"]),
                                 (kernel[1], name, self.names, 4))
                path = self.folder / name
                self.assertIn(line, path.read_text().splitlines())
                self.assertEqual(sorted(rows_of(path)),
                                 sorted((core, str(size)) for core in self.names for size in (16, 32, 48, 64)))
                result = self.json_of("run", *kernel, "--size", "96", path, *FAST, "-o", "result.json")
                self.check_run(result, kernel[1])
                self.text_of("plot", "result.json", "-o", "result.svg")
                self.text_of("plot", name, "-o", "functions.svg")
                self.assertIn("time_low,time_high,repetitions", path.read_text())
                self.assertRegex(self.text_of("run", "--size", "32", path, *FAST),
                                 r"(?m)^(optimal|equal)( is faster than|( and \w+ (cannot be told apart|are the same split)))")
                for method in ("optimal", "equal", "cpm", "fpm", "balanced", "32 rows"):
                    self.assertIn(method, self.text_of("run", "--size", "32", path, *FAST))

    def test_a_machine_that_is_not_quiet_is_named_or_refused(self):
        switch = self.folder / "sys/devices/system/cpu/intel_pstate/no_turbo"
        switch.parent.mkdir(parents=True)
        switch.write_text("0\n")
        environment = {"HPART_MACHINE_ROOT": str(self.folder)}
        self.assert_fails(1, *self.profile("--strict"), environment=environment,
                          says=["not quiet", "turbo is on", "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"])
        self.assertFalse((self.folder / "p.csv").exists())
        made = self.run_command(*self.profile(), environment=environment)
        self.assertEqual(made.returncode, 0)
        self.assertRegex(made.stderr, rb"^hpart: not quiet: turbo is on: [^\n]*no_turbo\n$")
        switch.write_text("1\n")
        self.text_of(*self.profile("--strict", output="q.csv"), environment=environment)

    def test_a_wrong_call_is_one_line_on_a_busy_machine(self):
        switch = self.folder / "sys/devices/system/cpu/intel_pstate/no_turbo"
        switch.parent.mkdir(parents=True)
        switch.write_text("0\n")
        environment = {"HPART_MACHINE_ROOT": str(self.folder)}
        core = ["--processor", self.processors[1]]
        whole = ["--kernel", "dgemm", "--dims", "n=12,k=12"]
        for wrong, says in (([*core, "--kernel", "dgemm", "--dims", "n=12"], "k is missing"),
                            ([*core, *whole, "--budget", "x"], "--budget is 'x'"),
                            ([*core, *whole, "--option", "statistic=mode"], "statistic"),
                            ([*core, *whole, "--meter", "abacus"], "--meter is 'abacus'")):
            for call in (["profile", "--sizes", "1,2", "-o", "q.csv"], ["tune", "--objective", "energy", "--sizes", "1,2", "--size", "2", "-o", "q.csv"]):
                meter = ["--meter", "estimate:5"] if call[0] == "tune" and "--meter" not in wrong else []
                for strict in ([], ["--strict"]):
                    self.assert_fails(2, *call, *wrong, *meter, *strict, environment=environment, says=says)
        # The library refuses these when it is called.
        self.assert_fails(2, "profile", *whole, *core, *core, "--sizes", "1,2", "-o", "q.csv", environment=environment)
        self.assert_fails(2, "tune", *whole, *core, *core, "--sizes", "1,2", "--size", "2", "-o", "q.csv", environment=environment)
        self.assertFalse((self.folder / "q.csv").exists())

    def test_a_meter_that_does_not_work_adds_no_line_to_a_refusal(self):
        environment = {"HPART_SYSFS_ROOT": "/nowhere"}
        core = ["--processor", self.processors[1]]
        wrong = ["--kernel", "dgemm", "--dims", "n=12", "--meter", "rapl"]
        self.assert_fails(2, "profile", *core, *wrong, "--sizes", "1,2", "-o", "q.csv", environment=environment, says="k is missing")
        self.assert_fails(2, "group", *wrong, "--size", "4", environment=environment, says="k is missing")
        self.assert_fails(1, "tune", *core, "--kernel", "dgemm", "--dims", "n=12,k=12", "--meter", "rapl", "--objective", "energy", "--sizes", "1,2",
                          "--size", "2", "-o", "q.csv", environment=environment, says="--objective energy needs a meter that works here: ")

    def test_medians_are_measured(self):
        self.json_of(*self.profile("--option", "statistic=median"))
        self.assertIn("# statistic = median", (self.folder / "p.csv").read_text().splitlines())
        self.assert_fails(2, *self.profile(), says="its times are medians, this call's means")

    def test_interference_is_measured(self):
        self.json_of(*self.profile())
        result = self.json_of("run", "--size", "64", "p.csv", *FAST, "--interference")
        self.assertEqual(result["functions_measured"], "all processors at once")
        active = [(name, x) for name, x in zip(self.names, result["splits"][0]["distribution"]) if x > 0]
        self.assertEqual([(of["processor"], of["size"]) for of in result["interference"]], active)
        for of in result["interference"]:
            self.assertAlmostEqual(of["ratio"], of["together_seconds"] / of["alone_seconds"])
            self.assertLessEqual(of["ratio_low"], of["ratio"])
            if of["ratio_high"] is not None:  # alone it may take no time, by what is known
                self.assertLessEqual(of["ratio"], of["ratio_high"])
            if of["disturbed_by"]:
                self.assertEqual(of["disturbed_by"], [name for name in self.names if name != of["processor"]])
        self.assertIn("interference: ", self.text_of("run", "--size", "64", "p.csv", *FAST, "--interference"))

    def check_run(self, result, kernel):
        for key in ("kernel", "size", "processors", "splits"):
            self.assertIn(key, result)
        self.assertEqual((result["kernel"], result["size"], result["processors"]), (kernel, 96, self.names))
        self.assertEqual([split["method"] for split in result["splits"]], ["optimal", "equal", "cpm", "fpm", "balanced"])
        executed = [split for split in result["splits"] if split["distribution"] is not None]
        self.assertEqual(executed[0]["method"], "optimal")
        for split in executed:
            for key in ("method", "distribution", "predicted_seconds", "measured_seconds", "checked"):
                self.assertIn(key, split)
            self.assertEqual(sum(split["distribution"]), 96)
            self.assertIs(split["checked"], True)
            self.assertLess(split["max_relative_error"], 1e-12)
            self.assertGreater(split["measured_seconds"], 0)
            self.assertLessEqual(split["time_low"], split["predicted_seconds"])
            self.assertGreaterEqual(split["time_high"], split["predicted_seconds"])
            high = float("inf") if split["ratio_high"] is None else split["ratio_high"]  # no upper end after two or three runs
            self.assertLessEqual(split["ratio_low"], high)
            self.assertEqual(split["distinguishable"], split["ratio_low"] > 1 or high < 1)
            self.assertGreaterEqual(split["predicted_seconds"], executed[0]["predicted_seconds"])
            same = [other for other in executed if other["distribution"] == split["distribution"]]
            self.assertEqual({other["measured_seconds"] for other in same}, {split["measured_seconds"]})

    def test_a_profile_goes_on_where_it_stopped(self):
        self.text_of(*self.profile(sizes="16,48"))
        kept = [line for line in (self.folder / "p.csv").read_text().splitlines() if line.split(",")[1:2] == ["48"]]
        self.text_of(*self.profile(sizes="16:64:16"))
        content = (self.folder / "p.csv").read_text()
        for line in kept:
            self.assertIn(line, content)
        self.assertEqual(len(rows_of(self.folder / "p.csv")), 8)
        other = ["--kernel", "dgemm", "--dims", "n=32,k=16"]
        self.assert_fails(2, *self.profile(kernel=other), says="p.csv")
        self.assertEqual((self.folder / "p.csv").read_text(), content)

    def test_what_is_not_precise_is_told(self):
        options = ["--option", "precision=0.000001", "--option", "min_repetitions=3", "--option", "max_repetitions=3"]
        made = self.json_of(*self.profile(*options))
        self.assertEqual(len(made["imprecise"]), 8)
        for line in made["imprecise"]:
            self.assertRegex(line, r"^cpu:\d+ size (16|32|48|64) is known to .* % after 3 repetitions \(max_repetitions\)$")
        self.assertEqual(self.text_of(*self.profile(*options)).count("precision not reached: "), 8)

    def test_points_of_odd_samples_are_named(self):
        # The file of an earlier call: the same call goes on, measures nothing and tells what the file has.
        rows = "".join(f"{core},{size},1\n" for core in self.names for size in (16, 32, 48, 64))
        kernel = "# kernel = dgemm n=32 k=32\n# measured = all processors at once\n"
        self.write("p.csv", kernel + "processor,size,time\n" + rows)
        made = self.json_of(*self.profile())
        self.assertEqual((made["outliers"], made["drift"], made["serial_correlation"]), ([], [], []))
        self.assertNotIn("names them", self.text_of(*self.profile()))
        first, second = (f"{self.names[0]} size {size} has {far} of 12 samples far from the median" for size, far in ((16, 2), (64, 1)))
        drift = f"{self.names[1]} size 32 changed by 7.1 % in 12 repetitions (drift_p 0.0003)"
        wave = f"{self.names[1]} size 32 has 0.81 between neighbours of 12 samples (serial_correlation_p 0.0004)"
        self.write("p.csv", f"{kernel}# outliers: {first}\n# drift: {drift}\n# outliers: {second}\n# serial correlation: {wave}\n"
                            f"processor,size,time\n{rows}")
        made = self.json_of(*self.profile())
        self.assertEqual((made["outliers"], made["drift"], made["serial_correlation"], made["imprecise"]),
                         ([first, second], [drift], [wave], []))
        self.assertIn("\noutliers at 2 of 8 points, drift at 1, serial correlation at 1: p.csv names them\n",
                      self.text_of(*self.profile()))

    def test_sizes_are_added_and_samples_kept(self):
        made = self.text_of(*self.profile("--option", "max_sizes=7", "--option", "samples_file=runs.csv", "--option", "precision=0.000001",
                                          sizes="16,800"))
        self.assertIn("7  16..800", made)
        points = rows_of(self.folder / "p.csv")
        self.assertEqual(len(points), 14)
        self.assertEqual(sorted(set(rows_of(self.folder / "runs.csv"))), sorted(points))

    def test_a_spoiled_file_is_not_gone_on_with(self):
        self.write("p.csv", "processor,size,time\na,1,nan\n")
        self.assert_fails(2, *self.profile(), says=["p.csv:2:5", "'nan'"])

    def test_a_run_has_the_memory_that_was_measured_with(self):
        file = self.write("limited.csv", "# kernel = dgemm n=32 k=32\n# memory limit of gpu = 300000\n"
                                         "# memory limit of mine is large\nprocessor,size,time\ngpu,16,1\n")
        for limit in ([], ["--memory-limit", "400000"]):
            self.assert_fails(2, "run", "--size", "16", *limit, file, says="give --memory-limit 300000")
        self.assert_fails(2, "run", "--size", "16", "--memory-limit", "300000", file, says="gpu")

    def test_an_infeasible_run_executes_nothing(self):
        self.text_of(*self.profile())
        self.assert_fails(3, "run", "--size", "100", "p.csv", says=["100", "96", "112"])

    def test_list_of_cores_as_one_processor(self):
        both = ",".join(map(str, self.cores))
        self.text_of("profile", *DGEMM, "--sizes", "32,64", "--processor", f"cpu:{both}", "-o", "p.csv", *FAST)
        result = self.json_of("run", "--size", "64", "p.csv", *FAST)
        self.assertEqual(result["splits"][0]["distribution"], [64])

    def interrupt(self, arguments, ready, signal_number):
        """Status and message of a call that is interrupted once ready() holds."""
        with subprocess.Popen([COMMAND, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            for _ in range(6000):
                if ready() or process.poll() is not None:
                    break
                time.sleep(0.01)
            process.send_signal(signal_number)
            out, message = process.communicate(timeout=120)
        self.assertEqual(out, b"")
        self.assertEqual(message.count(b"\n"), 1, message)
        return process.returncode, message.decode()

    def test_an_interrupted_profile_keeps_what_it_measured(self):
        path = self.folder / "p.csv"
        slow = ["--option", "precision=1e-6", "--option", "max_seconds=0.4"]
        call = ["profile", *DGEMM, "--sizes", "1:400:1", *self.processors, "-o", "p.csv"]
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            before = len(rows_of(path)) if path.exists() else 0
            ready = lambda: path.exists() and len(rows_of(path)) > before + 2
            returned, message = self.interrupt(call + slow, ready, number)
            self.assertEqual(returned, status, message)
            self.assertIn("p.csv", message)
            after = len(rows_of(path))
            self.assertGreater(after, before)
            self.assertLess(after, 800)
            self.text_of("plot", "p.csv", "-o", "p.svg")  # the file is whole
        self.assertEqual(sorted(os.listdir(self.folder)), ["p.csv", "p.svg"])

    def test_two_signals_in_a_row_are_one_request(self):
        # timeout(1) sends its signal to the process and then to its group.
        slow = ["--option", "precision=1e-6", "--option", "max_seconds=0.2"]
        path = self.folder / "p.csv"
        call = ["profile", *DGEMM, "--sizes", "1:4000:1", *self.processors, "-o", "p.csv", *slow]
        for attempt in range(6):
            before = len(rows_of(path)) if path.exists() else 0
            with subprocess.Popen([COMMAND, *call], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                for _ in range(6000):
                    if path.exists() and len(rows_of(path)) > before or process.poll() is not None:
                        break
                    time.sleep(0.01)
                process.send_signal(signal.SIGTERM)
                time.sleep(0.002 * attempt)
                process.send_signal(signal.SIGTERM)
                out, message = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out), (143, b""), message)
            self.assertIn(b"p.csv' and the same call goes on from there", message)

    def test_a_budget_bounds_the_whole(self):
        never_precise = ["--option", "precision=1e-6", "--format", "json"]
        call = ["profile", *DGEMM, *self.processors, "-o", "p.csv", *never_precise]
        made = self.run_command(*call, "--sizes", "16:64:16", "--budget", "2s")
        self.assertEqual((made.returncode, made.stderr), (0, b""))
        result = json.loads(made.stdout)
        self.assertEqual((result["complete"], len(result["imprecise"]), len(rows_of(self.folder / "p.csv"))), (True, 8, 8))
        # Not even two repetitions of each fit: what was measured stays, and the same call goes on.
        made = self.run_command(*call, "--sizes", "80:160:16", "--budget", "1e-6s")
        self.assertEqual(made.returncode, 1)
        self.assertRegex(made.stderr.decode(), r"^hpart: --budget, .* 5 of 6 points.*\n$")
        self.assertIs(json.loads(made.stdout)["complete"], False)
        self.assertEqual(len(rows_of(self.folder / "p.csv")), 10)
        self.assertIn("precision reached at ", self.text_of(*call[:-2], "--sizes", "80:160:16", "--budget", "0.05m"))
        for wrong in ("0", "5x", "m", "-1s", "inf", ""):
            self.assert_fails(2, *call[:-2], "--sizes", "16", "--budget", wrong, says=["--budget", "5m"])

    def test_processors_that_share_a_core_are_refused(self):
        first, second = self.cores
        shared = ["profile", *DGEMM, "--sizes", "16,32", "--processor", f"cpu:{first}", "--processor", f"cpu:{first},{second}",
                  "-o", "p.csv", *FAST]
        self.assert_fails(2, *shared, says=[f"share core {first},", "'overlap'"])
        self.assertFalse((self.folder / "p.csv").exists())
        allowed = ["--option", "overlap=allowed"]
        self.assertEqual(self.json_of(*shared, *allowed)["binding_not_kept"], [])
        self.assert_fails(2, "run", "--size", "48", "p.csv", *FAST, says="share core")
        self.assertEqual(self.json_of("run", "--size", "48", "p.csv", *FAST, *allowed)["splits"][0]["binding_warning"], "")
        devices = self.json_of("info")["devices"]
        if not any(device["spec"] == "opencl:0:0" and ", CPU," in device["description"] for device in devices):
            self.skipTest("no OpenCL device of this machine's cores")
        self.assert_fails(2, "profile", *DGEMM, "--sizes", "16", "--processor", "cpu:0", "--processor", "opencl:0:0", "-o", "q.csv",
                          says="share core 0,")

    def test_an_interrupted_run(self):
        self.text_of(*self.profile())
        slow = ["--option", "min_repetitions=1000000", "--option", "max_repetitions=1000000", "--option", "max_seconds=60"]
        start = time.monotonic()
        returned, message = self.interrupt(["run", "--size", "96", "p.csv", "-o", "r.json", *slow],
                                           lambda: time.monotonic() > start + 3, signal.SIGINT)
        self.assertEqual(returned, 130, message)
        self.assertFalse((self.folder / "r.json").exists())

    def test_the_bar_is_for_terminals(self):
        self.assertEqual(self.run_command(*self.profile()).stderr, b"")
        try:
            terminal, end = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal: {error}")
        with subprocess.Popen([COMMAND, *self.profile("--format", "json", output="q.csv")], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=end) as process:
            os.close(end)
            drawn = b""
            while True:
                try:
                    part = os.read(terminal, 65536)
                except OSError:  # the other end has closed
                    break
                if not part:
                    break
                drawn += part
            process.communicate(timeout=60)
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b" %  ", drawn)
        self.assertTrue(drawn.endswith(b"\r\x1b[K"), drawn[-40:])


if __name__ == "__main__":
    unittest.main()
