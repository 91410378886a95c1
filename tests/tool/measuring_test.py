"""profile, run and group on this machine: small problems, so that it is about the files and results, not the times."""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess

from command import COMMAND, CORES, FAST, CommandTest

DGEMM = ["--kernel", "dgemm", "--dims", "n=32,k=32"]
RECORDED = ["--meter", "replay:power.csv", "--base-power", "58"]  # 108 W for 10 s in every window: 500 J above 58 W, whatever runs


def rows_of(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(",")[:2]) for line in lines[1:]]


class MeasuringTest(CommandTest):
    def setUp(self):
        super().setUp()
        if len(CORES) < 2:
            self.skipTest("needs two cores")
        self.names = [f"cpu:{core}" for core in CORES]
        self.processors = [argument for name in self.names for argument in ("--processor", name)]
        self.write("power.csv", "# clock = script\nseconds,watts\n0,108\n10,108\n")
        os.mkdir(self.folder / "none")
        self.without_sensors = {"HPART_MACHINE_ROOT": str(self.folder / "none")}

    def profile(self, *more, output="p.csv", kernel=None, sizes="16:64:16"):
        given = {setting.partition("=")[0] for setting in more}
        fast = [argument for setting in FAST[1::2] if setting.partition("=")[0] not in given for argument in ("--option", setting)]
        return ["profile", *(kernel or DGEMM), "--sizes", sizes, *self.processors, "-o", output, *fast, *more]

    def machine_with_turbo(self):
        switch = self.folder / "machine/sys/devices/system/cpu/intel_pstate/no_turbo"
        switch.parent.mkdir(parents=True)
        switch.write_text("0\n")
        times = self.folder / "machine/proc/stat"
        times.parent.mkdir()
        times.write_text("cpu  1 0 1 9 0 0 0 0 0 0\ncpu0 1 0 1 9 0 0 0 0 0 0\n")
        return switch, {"HPART_MACHINE_ROOT": str(self.folder / "machine")}


class Measuring(MeasuringTest):
    def test_profile_then_run(self):
        for kernel, line in ((DGEMM, "# kernel = dgemm n=32 k=32"), (["--kernel", "zfft", "--dims", "n=32"], "# kernel = zfft n=32"),
                             (["--kernel", "fft2d", "--dims", "32"], "# kernel = fft2d n=32")):
            with self.subTest(line):
                name = f"{kernel[1]}.csv"
                made = self.json_of(*self.profile(kernel=kernel, output=name))
                self.assertEqual((made["kernel"], made["file"], made["processors"], made["sizes"]), (kernel[1], name, self.names, 4))
                path = self.folder / name
                self.assertIn(line, path.read_text().splitlines())
                self.assertIn("time_low,time_high,repetitions", path.read_text())
                self.assertEqual(sorted(rows_of(path)), sorted((core, str(size)) for core in self.names for size in (16, 32, 48, 64)))
                self.check_run(self.json_of("run", *kernel, "--size", "96", path, *FAST, "-o", "result.json"), kernel[1])
                self.text_of("plot", "result.json", "-o", "result.svg")
                self.text_of("plot", name, "-o", "functions.svg")
        text = self.text_of("run", "--size", "32", path, *FAST)
        self.assertRegex(text, r"(?m)^(optimal|equal)( is faster than|( and \w+ (cannot be told apart|cannot be compared|are the same split)))")
        self.assert_has(text, "optimal", "equal", "cpm", "fpm", "balanced", "32 rows")
        self.assert_fails(3, "run", "--size", "100", path, says=["100", "96", "112"])
        self.check_run(self.json_of("run", "--size", "96", path, *FAST, "--budget", "1m"), "fft2d")
        self.assertEqual([row["size"] for row in self.json_of("study", "--run", "--sizes", "32", path, *FAST, "--budget", "1m")["sizes"]], [32])

    def test_square_problems_in_single_precision(self):
        for dims in ("n=size,k=size", "sizexsize"):
            made = self.json_of(*self.profile(kernel=["--kernel", "sgemm", "--dims", dims], output=f"{dims}.csv"))
            self.assertEqual(made["dims"], {"k": "size", "n": "size"})
            self.assertIn("# kernel = sgemm n=size k=size", (self.folder / f"{dims}.csv").read_text().splitlines())
        result = self.json_of("run", "--size", "96", "--dims", dims, f"{dims}.csv", *FAST)
        self.assertEqual((result["kernel"], list(result["dims"].items())), ("sgemm", [("n", "size"), ("k", "size")]))
        for split in result["splits"]:
            if split["distribution"] is not None:
                self.assertIs(split["checked"], True)
                self.assertTrue(1e-12 < split["max_relative_error"] < 1e-4, split)
        self.assert_fails(2, *self.profile(kernel=["--kernel", "fft2d", "--dims", "n=size"]), says=["fft2d", "n=size", "a number"])

    def check_run(self, result, kernel):
        self.assertEqual((result["kernel"], result["size"], result["processors"]), (kernel, 96, self.names))
        self.assertEqual([split["method"] for split in result["splits"]], ["optimal", "equal", "cpm", "fpm", "balanced"])
        executed = [split for split in result["splits"] if split["distribution"] is not None]
        self.assertEqual(executed[0]["method"], "optimal")
        for split in executed:
            self.assertEqual(sum(split["distribution"]), 96)
            self.assertIs(split["checked"], True)
            self.assertLess(split["max_relative_error"], 1e-12)
            self.assertGreater(split["measured_seconds"], 0)
            self.assertTrue(split["time_low"] <= split["predicted_seconds"] <= split["time_high"])
            high = float("inf") if split["ratio_high"] is None else split["ratio_high"]  # no upper end after two or three runs
            self.assertLessEqual(split["ratio_low"], high)
            self.assertEqual(split["distinguishable"], split["ratio_low"] > 1 or high < 1)
            self.assertGreaterEqual(split["predicted_seconds"], executed[0]["predicted_seconds"])
            same = [other for other in executed if other["distribution"] == split["distribution"]]
            self.assertEqual({other["measured_seconds"] for other in same}, {split["measured_seconds"]})

    def test_schedules_that_run(self):
        self.json_of(*self.profile())
        call = ("schedule", "--size", "112", "--table", "table.csv", "--run", "p.csv")
        first, second = self.json_of(*call, *FAST), self.json_of(*call, *FAST)
        self.assertEqual((first["from_table"], second["from_table"]), (False, True))
        self.assertEqual((first["tasks"], first["makespan"]), (second["tasks"], second["makespan"]))
        self.assertEqual(first["utilisation"], second["utilisation"])
        table = (self.folder / "table.csv").read_text()
        self.assertTrue(table.startswith("# hpart schedules, version 1\n"))
        self.assertIn(",dgemm n=32 k=32 functions=", table)
        for result in (first, second):
            run = result["run"]
            self.assertEqual((sum(run["rows"]), run["checked"]), (112, True))
            self.assertLess(run["max_relative_error"], 1e-12)
            self.assertEqual(sum(run["packages"]), sum(task["repeats"] for task in result["tasks"]))
            self.assertTrue(0 < max(run["busy_seconds"]) <= run["makespan"] * (1 + 1e-9))
        self.assertIn("found in the table", self.text_of(*call, *FAST))
        # Functions that have changed: the schedule is computed, although the packages of the old one may have the same times.
        names = self.names
        self.write("p.csv", "# kernel = dgemm n=32 k=32\nprocessor,size,time\n" + "".join(f"{name},16,{k + 1}\n" for k, name in enumerate(names)))
        again = self.json_of("schedule", "--size", "112", "--table", "table.csv", "p.csv")
        self.assertFalse(again["from_table"])
        self.assertTrue(self.json_of("schedule", "--size", "112", "--table", "table.csv", "p.csv")["from_table"])
        self.assertEqual((self.folder / "table.csv").read_text().count(" functions="), len(table.splitlines()) - 2 + len(names))

    def test_self_scheduling_beside_splits(self):
        self.json_of(*self.profile())
        result = self.json_of("run", "--size", "96", "--dynamic", "p.csv", *FAST)
        self.assertEqual([row["method"] for row in result["dynamic"]], ["fixed", "guided", "factoring", "sigmoid"])
        for row in result["dynamic"]:
            self.assertEqual((sum(row["run"]["rows"]), row["run"]["checked"]), (96, True))
            self.assertTrue(row["predicted_seconds"] > 0 and row["run"]["makespan"] > 0)
            self.assertLessEqual(result["splits"][0]["utilisation"], 1)
        text = self.text_of("run", "--size", "96", "--dynamic", "p.csv", *FAST)
        self.assert_has(text, "self-scheduling", "guided", "factoring", "sigmoid", "utilisation")

    def test_a_machine_that_is_not_quiet_is_named_or_refused(self):
        switch, environment = self.machine_with_turbo()
        self.assert_fails(1, *self.profile("--strict"), environment=environment,
                          says=["not quiet", "turbo is on", "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"])
        self.assertFalse((self.folder / "p.csv").exists())
        made = self.run_command(*self.profile(), environment=environment)
        self.assertEqual(made.returncode, 0)
        self.assertRegex(made.stderr, rb"^hpart: not quiet: turbo is on: [^\n]*no_turbo\n$")
        switch.write_text("1\n")
        self.text_of(*self.profile("--strict", output="q.csv"), environment=environment)

    def test_a_wrong_call_is_one_line_on_a_busy_machine(self):
        _, environment = self.machine_with_turbo()
        whole = ["--kernel", "dgemm", "--dims", "n=12,k=12", "--sizes", "1,2", "-o", "q.csv"]
        one, twice = self.processors[:2], self.processors[:2] * 2
        for strict in ([], ["--strict"]):
            self.assert_fails(2, "profile", *whole, *one, "--budget", "x", *strict, environment=environment, says="--budget is 'x'")
            self.assert_fails(2, "profile", *whole, *one, "--meter", "abacus", *strict, environment=environment, says="--meter is 'abacus'")
            self.assert_fails(2, "tune", *whole, *one, "--size", "2", "--option", "statistic=mode", *strict, environment=environment, says="statistic")
        # The library refuses these when it is called.
        self.assert_fails(2, "profile", *whole, *twice, environment=environment)
        self.assert_fails(2, "tune", *whole, *twice, "--size", "2", environment=environment)
        self.assertFalse((self.folder / "q.csv").exists())

    def test_kernels_for_another_processor_are_told(self):
        if "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("needs a processor that OpenBLAS has kernels for")
        for kernels, told in (("Prescott", True), ("Haswell", False)):
            with self.subTest(kernels):
                result = subprocess.run([COMMAND, *self.profile(sizes="16", output=f"{kernels}.csv")], cwd=self.folder,
                                        env={**os.environ, "OPENBLAS_CORETYPE": kernels}, capture_output=True)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(b"it does not know this processor" in result.stderr, told, result.stderr)

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

    def test_a_profile_goes_on_where_it_stopped(self):
        self.text_of(*self.profile(sizes="16,48"))
        kept = [line for line in (self.folder / "p.csv").read_text().splitlines() if line.split(",")[1:2] == ["48"]]
        self.text_of(*self.profile(sizes="16:64:16"))
        content = (self.folder / "p.csv").read_text()
        for line in kept:
            self.assertIn(line, content)
        self.assertEqual(len(rows_of(self.folder / "p.csv")), 8)
        self.assert_fails(2, *self.profile(kernel=["--kernel", "dgemm", "--dims", "n=32,k=16"]), says="p.csv")

    def test_what_is_not_precise_is_told(self):
        options = ["--option", "precision=0.000001", "--option", "min_repetitions=3", "--option", "max_repetitions=3"]
        made = self.json_of(*self.profile(*options))
        self.assertEqual(len(made["imprecise"]), 8)
        for line in made["imprecise"]:
            self.assertRegex(line, r"^cpu:\d+ size (16|32|48|64) is known to .* % after 3 repetitions \(max_repetitions\)$")
        self.assertRegex(self.text_of(*self.profile(*options)),
                         r"(?m)^0 of 8 points reached the precision\. Worst: 'cpu:\d+', size \d+, "
                         r"(known to [\d.]+ %|its time \+- more than itself) \(3 repetitions\)\. p\.csv names all\. The same call")

    def test_a_budget_that_would_reach_the_precision(self):
        endless = ["--option", "precision=0.000001", "--option", "max_repetitions=100000000", "--budget", "2s"]
        found = self.json_of(*self.profile(*endless))
        widths = [float(re.fullmatch(r"cpu:\d+ size \d+ is known to ([\d.]+) % after \d+ repetitions \(max_total_seconds\)", line)[1])
                  for line in found["imprecise"]]
        self.assertEqual(len(widths), 8)
        needed = 1.25 * found["seconds"] / 8 * (1 + sum(max(1, width / 0.0001) ** 2 for width in widths))
        self.assertAlmostEqual(found["budget_needed"] / needed, 1)
        self.assertIn(" p.csv names all. The same call with --option remeasure=imprecise measures them again.\n", self.text_of(*self.profile(*endless)))  # nothing was measured now: no mean
        (self.folder / "p.csv").unlink()
        # More than a day is no advice.
        self.assertIn(" p.csv names all. The same call with --option remeasure=imprecise measures them again.\n", self.text_of(*self.profile(*endless)))

    def test_a_budget_that_may_be_given(self):
        # Every other run takes twice as long: the precision needs many times the budget, and less than a day.
        self.write("turns.sh", "#!/bin/sh\nread n <turns\necho $((3 - n)) >turns\necho $n ms\n").chmod(0o755)
        self.write("turns", "1\n")
        call = ["profile", "--processor", "A=./turns.sh {size}", "--time-from", "stdout", "--sizes", "1", "-o", "t.csv", "--budget", "2s",
                "--option", "precision=0.005"]
        self.assertRegex(self.text_of(*call), r" t\.csv names all\. The same call with --option remeasure=imprecise --budget \d+[smh] measures them again\.\n")

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
        busy = f"{self.names[1]} size 48 was measured on a busy machine: 4 of 12 repetitions were disturbed: other processes ran"
        self.write("p.csv", f"{kernel}# outliers: {first}\n# drift: {drift}\n# outliers: {second}\n# serial correlation: {wave}\n# busy: {busy}\n"
                            f"processor,size,time\n{rows}")
        made = self.json_of(*self.profile())
        self.assertEqual((made["outliers"], made["drift"], made["serial_correlation"], made["imprecise"]),
                         ([first, second], [drift], [wave], []))
        said = self.text_of(*self.profile())
        self.assertIn("\noutliers at 2 of 8 points, drift at 1, serial correlation at 1: p.csv names them\n", said)
        self.assertIn(f"\nthe machine was busy at 1 of 8 points; the last: {busy}\n", said)

    def test_sizes_are_added_and_samples_kept(self):
        made = self.text_of(*self.profile("--option", "max_sizes=7", "--option", "samples_file=runs.csv", "--option", "precision=0.000001", sizes="16,800"))
        self.assertIn("7  16..800", made)
        points = rows_of(self.folder / "p.csv")
        self.assertEqual(len(points), 14)
        self.assertEqual(sorted(set(rows_of(self.folder / "runs.csv"))), sorted(points))

    def test_a_file_of_another_math_mode_is_refused(self):
        self.write("tf32.csv", "# kernel = sgemm n=32 k=32 math=tf32\nprocessor,size,time\ncpu:0,16,1\n")
        for words in (["run"], ["study", "--sizes", "16", "--run"]):
            sizes = ["--size", "16"] if words == ["run"] else []
            self.assert_fails(2, *words, *sizes, "tf32.csv", says="was measured with the math mode 'tf32', but the library has 'usual' now")

    def test_a_list_of_cores_as_one_processor(self):
        both = ",".join(map(str, CORES))
        self.text_of("profile", *DGEMM, "--sizes", "32,64", "--processor", f"cpu:{both}", "-o", "p.csv", *FAST)
        self.assertEqual(self.json_of("run", "--size", "64", "p.csv", *FAST)["splits"][0]["distribution"], [64])

    def test_a_budget_bounds_the_whole(self):
        # Not even two repetitions of each fit: what was measured stays, and the same call goes on.
        made = self.run_command(*self.profile("--budget", "1e-6s", "--format", "json", sizes="80:160:16"))
        self.assertEqual(made.returncode, 0)
        self.assertRegex(made.stderr.decode(), r"^hpart: The budget ended with \d+ of 12 points missing\. Run the same command again to "
                                               r"continue; about \d+ (seconds?|minutes?) would measure the rest\.\n$")
        self.assertIs(json.loads(made.stdout)["complete"], False)
        self.assertGreater(len(rows_of(self.folder / "p.csv")), 0)
        self.assertIs(self.json_of(*self.profile("--budget", "1000m", sizes="80:160:16"))["complete"], True)

    def test_processors_that_share_a_core_are_refused(self):
        first, second = CORES
        shared = ["profile", *DGEMM, "--sizes", "16,32", "--processor", f"cpu:{first}", "--processor", f"cpu:{first},{second}", "-o", "p.csv", *FAST]
        self.assert_fails(2, *shared, says=[f"share core {first},", "'overlap'"])
        self.assertFalse((self.folder / "p.csv").exists())
        allowed = ["--option", "overlap=allowed"]
        self.assertEqual(self.json_of(*shared, *allowed)["binding_not_kept"], [])
        self.assert_fails(2, "run", "--size", "48", "p.csv", *FAST, says="share core")
        self.assertEqual(self.json_of("run", "--size", "48", "p.csv", *FAST, *allowed)["splits"][0]["binding_warning"], "")


class Interrupted(MeasuringTest):
    SLOW = ["--option", "precision=1e-6", "--option", "min_repetitions=1000000000", "--option", "max_repetitions=1000000000"]

    def test_a_profile_keeps_what_it_measured(self):
        path = self.folder / "p.csv"
        process = self.start_command("profile", *DGEMM, "--sizes", "1:4000:1", *self.processors, "-o", "p.csv", *self.SLOW[:2], "--option", "max_seconds=0.05")
        self.wait_until(process, lambda: path.exists() and len(rows_of(path)) > 2)
        self.assert_interrupted(process, signal.SIGTERM, b"p.csv' and the same call goes on from there")
        self.text_of("plot", "p.csv", "-o", "p.svg")  # the file is whole

    def test_a_run_before_its_second_round_leaves_nothing(self):
        self.write("p.csv", "processor,size,time\n" + "".join(f"{name},{size},1\n" for name in "AB" for size in (4, 5, 6)))
        programs = [word for name in "AB" for word in ("--processor", f"{name}=sleep 1000 {{size}}")]
        process = self.start_command("run", *programs, "--size", "10", "p.csv", "-o", "r.json", *self.SLOW)
        self.wait_for_handlers(process)
        self.assert_interrupted(process)
        self.assertFalse((self.folder / "r.json").exists())

    def test_the_bar_is_for_terminals(self):
        terminal, end = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = self.start_command(*self.profile("--format", "json"), stderr=end)
        os.close(end)
        drawn = b""
        try:
            while part := os.read(terminal, 65536):
                drawn += part
        except OSError:  # the other end has closed
            pass
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn(b" %  ", drawn)
        self.assertTrue(drawn.endswith(b"\r\x1b[K"), drawn[-40:])


class WithAMeter(MeasuringTest):
    def test_energy_is_in_the_file_and_in_what_is_made_of_it(self):
        made = self.json_of(*self.profile(*RECORDED))
        self.assertEqual((made["meter"], made["energy_method"], made["base_power"]), ("replay:power.csv", "replayed", 58))
        lines = (self.folder / "p.csv").read_text().splitlines()
        self.assertIn("# energy = replayed by replay:power.csv, each processor alone", lines)
        self.assertIn("# base_power = 58", lines)
        self.assertEqual({float(line.split(",")[3]) for line in lines if line.startswith("cpu:")}, {500})

        front = self.json_of("pareto", "--size", "32", "p.csv")
        self.assertEqual(front["points"][-1]["energy"] % 500, 0)
        self.assertIn("replayed by replay:power.csv", front["energy_source"])
        for call in (["pareto"], ["partition", "--objective", "energy"]):
            self.assertIn("energies are not measured here but replayed", self.text_of(*call, "--size", "32", "p.csv"))

        result = self.json_of("run", "--size", "32", "p.csv", *RECORDED, *FAST)
        self.assertEqual((result["energy_method"], result["splits"][0]["measured_joules"]), ("replayed", 500))
        self.assertEqual(result["splits"][0]["predicted_joules"] % 500, 0)
        # Two watts less of base power are 20 J more in 10 s.
        wrong = self.json_of("run", "--size", "32", "p.csv", *RECORDED[:3], "56", *FAST)
        self.assertEqual(wrong["splits"][0]["measured_joules"], 520)
        text = self.text_of("run", "--size", "32", "p.csv", *RECORDED, *FAST)
        self.assertIn("measured energy (replayed)", text)
        self.assertIn("predicted energy (replayed)", text)

    def test_an_estimate_is_called_one(self):
        text = self.text_of(*self.profile("--meter", "estimate:12", "--base-power", "0", "--option", "interval=0.002", sizes="16"))
        self.assertIn("dynamic energy (estimated) by estimate:12", text)
        self.assertRegex(text, "energy a unit\n.* m?u?n?J\n")
        self.assertIn("# energy = estimated by estimate:12", (self.folder / "p.csv").read_text())
        self.assertIn("predicted energy (estimated)", self.text_of("run", "--size", "16", "p.csv", *FAST))

    def test_without_a_sensor_the_times_are_measured_all_the_same(self):
        for call in (self.profile("--meter", "rapl"), ["run", "--size", "32", "p.csv", "--meter", "rapl", *FAST]):
            done = self.run_command(*call, environment=self.without_sensors)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (0, 1), done.stderr)
        self.assertIn(b"no energy is measured: ", done.stderr)
        self.assertIn("processor,size,time,time_low,time_high,repetitions\n", (self.folder / "p.csv").read_text())
        self.assert_fails(1, "tune", *DGEMM, *self.processors, "--meter", "rapl", "--objective", "energy", "--sizes", "1,2", "--size", "2", "-o", "q.csv",
                          environment=self.without_sensors, says="--objective energy needs a meter that works here: ")

    def test_a_meter_that_fails_in_mid_run_costs_the_energies_alone(self):
        self.json_of(*self.profile())
        # Works for a window or two, then is gone.
        self.write("meter.sh", "#!/bin/sh\ntest -e gone && exit 1\ntouch gone\nfor i in 1 2 3 4 5; do echo 50; sleep 0.01; done\n").chmod(0o755)
        done = self.run_command("run", "--size", "32", "p.csv", "--meter", "command:./meter.sh", "--base-power", "5", "--format", "json", *FAST)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (0, 1), done.stderr)
        self.assertIn(b"no energy is measured: ", done.stderr)
        result = json.loads(done.stdout)
        self.assertGreater(result["splits"][0]["measured_seconds"], 0)
        self.assertIn(None, [split["measured_joules"] for split in result["splits"]])
        self.assertIn("no energy is measured: ", result["meter_note"])

    def test_a_long_comment_about_energies(self):
        file = self.write("p.csv", "# energy = estimated " + "\u00e9" * 5000 + "\nprocessor,size,time,energy\na,1,1,1\na,2,2,2\n")
        source, text = self.json_of("pareto", "--size", "2", file)["energy_source"], self.text_of("pareto", "--size", "2", file)
        self.assertLess(len(source), 250)
        self.assertTrue(source.endswith("\u00e9..."), source)
        self.assertLess(len(text), 1000)


class Group(MeasuringTest):
    TINY = ("group", "--kernel", "dgemm", "--dims", "n=32,k=32", *FAST)

    def test_the_best_is_named(self):
        result = self.json_of(*self.TINY, "--points", "3", "--size", "64", "-o", "result.json")
        self.assertTrue((self.folder / "result.json").exists())
        alternatives = result["alternatives"]
        self.assertEqual((alternatives[0]["grouping"], len(alternatives[0]["processors"])), ("node", 1))
        for alternative in alternatives:
            self.assertEqual(sum(alternative["x"]), 64)
            self.assertEqual(len(alternative["x"]), len(alternative["processors"]))
            self.assertGreater(alternative["predicted_seconds"], 0)
        self.assertEqual(result["best"], min(alternatives, key=lambda alternative: alternative["seconds"])["grouping"])
        self.assertIn("best: node, 7; as in hpart profile --processor cpu:", self.text_of(*self.TINY, "--size", "7", "--grouping", "node"))

    def test_a_file_is_for_one_grouping(self):
        kept = ["--option", "checkpoint_file=kept.csv"]
        names = [alternative["grouping"] for alternative in self.json_of(*self.TINY, "--points", "1", "--size", "8")["alternatives"]]
        if len(names) > 1:
            self.assert_fails(2, *self.TINY, "--size", "8", *kept, says=f"--option checkpoint_file is for one grouping, but {len(names)} would be measured")
            self.assertFalse((self.folder / "kept.csv").exists())
        call = [*self.TINY, "--points", "2", "--size", "8", "--grouping", "node", *kept]
        self.assertEqual(self.json_of(*call)["best"], self.json_of(*call)["best"])

    def test_a_budget_that_ends_is_a_result(self):
        call = [*self.TINY, "--size", "64", "--grouping", "node", "--option", "checkpoint_file=kept.csv"]
        self.assertIs(self.json_of(*call, "--points", "1")["complete"], True)
        # The file has size 64; of the others the first alone is measured.
        made = self.run_command(*call, "--points", "4", "--budget", "1e-6s", "--format", "json")
        self.assertEqual((made.returncode, made.stderr.decode()),
                         (0, "hpart: The budget ended with sizes missing in 1 of 1 grouping. A longer --budget gives it more time.\n"))
        result = json.loads(made.stdout)
        self.assertEqual((result["complete"], result["best"], result["alternatives"][0]["x"]), (False, "node", [64]))

    def test_energies(self):
        for objective in ("time", "energy"):
            call = [*self.TINY, "--points", "2", "--size", "64", *RECORDED, "--objective", objective]
            result = self.json_of(*call)
            self.assertEqual((result["objective"], result["energy_method"], result["meter"], result["meter_note"]),
                             (objective, "replayed", "replay:power.csv", None))
            for alternative in result["alternatives"]:
                self.assertEqual((alternative["joules"], alternative["joules_error"], alternative["total_joules"]), (500, 0, 1080))
                # With work on one processor only there is one run of the recording in it.
                active = sum(size > 0 for size in alternative["x"])
                self.assertEqual(alternative["predicted_joules"], None if objective == "time" else 500 * active)
            self.assertEqual(result["best_by_energy"], "node", "all are alike: the first")
            self.assertEqual(result["best"], result[f"best_by_{objective}"])
        text = self.text_of(*call)
        self.assertIn("dynamic energy (replayed) by replay:power.csv", text)
        self.assertIn("\nbest by time: ", text)
        self.assertIn("\nbest by dynamic energy: node, 64", text)
        if len(result["alternatives"]) > 1:
            self.assertIn("within the errors as good: " + result["alternatives"][1]["grouping"], text)

    def test_without_a_sensor_times_are_compared_all_the_same(self):
        done = self.run_command(*self.TINY, "--points", "2", "--size", "16", "--meter", "rapl", "--objective", "energy", "--format", "json",
                                environment=self.without_sensors)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (0, 1), done.stderr)
        result = json.loads(done.stdout)
        self.assertIn(result["meter_note"], done.stderr.decode())
        self.assertEqual((result["objective"], result["energy_method"], result["best_by_energy"]), ("time", None, None))
        self.assertEqual(result["best"], result["best_by_time"])
