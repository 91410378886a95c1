"""measure, profile and run of any program. Those of --protocol lines only say how long they would take: nothing waits."""

import json
import math
import pathlib
import signal
import sys

from command import FAST, CommandTest

SIMULATED = """
import sys
speed, broken = float(sys.argv[1]), int(sys.argv[2])
for line in sys.stdin:
    size = int(line)
    if size == broken:
        sys.exit(f"no memory for {size}")
    print(size / speed, flush=True)
"""
LINES = ["--protocol", "lines"]


class Programs(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("app.py", SIMULATED)

    def processor(self, name, speed, broken=0):
        return ["--processor", f"{name}='{sys.executable}' app.py {speed} {broken}"]

    def measure(self, options, *command):
        return json.loads(self.text_of("measure", *options, "--format", "json", "--", *command))

    def test_measure(self):
        result = self.measure(["--size", "25", "--time-from", "stdout"], "echo", "size {size}: 0.{size} s")
        self.assertIs(result["complete"], True)
        self.assertEqual(list(result)[1:9],
                         ["seconds", "low", "high", "median", "repetitions", "precision_reached", "joules", "contaminated"])
        self.assertEqual((result["seconds"], result["low"], result["high"], result["median"]), (0.25, result["low"], result["high"], 0.25))
        self.assertTrue(0.247 < result["low"] < 0.25 < result["high"] < 0.253, "a step of 0.01 s in a quarter of the runs at most")
        self.assertEqual((result["repetitions"], result["precision_reached"], result["joules"]), (10, True, None))
        text = self.text_of("measure", "--size", "3", *LINES, "--", sys.executable, "app.py", "10", "0")
        self.assertIn("300 ms", text)
        wall = self.measure(["--precision", "1", "--option", "min_repetitions=2", "-o", "r.json"], "true")
        self.assertGreater(wall["seconds"], 0)
        self.assertEqual(json.loads((self.folder / "r.json").read_text()), wall)

    def test_a_measurement_ends_at_its_budget(self):
        # Times of 1, 2 and 3 s in turns never have a mean within a millionth.
        self.write("turns.sh", "time=0\nwhile read size; do\n    time=$((time % 3 + 1))\n    echo $time\ndone\n")
        call = ["measure", "--size", "1", *LINES, "--precision", "1e-6", "--budget", "3", "--format", "json", "--", "sh", "turns.sh"]
        made = self.run_command(*call)
        self.assertEqual((made.returncode, made.stderr.decode()),
                         (0, "hpart: The budget ended before the precision was reached. A longer --budget gives it more time.\n"))
        result = json.loads(made.stdout)
        self.assertEqual((result["complete"], result["precision_reached"]), (False, False))
        self.assertTrue(1 <= result["median"] <= 3 and result["repetitions"] >= 2)

    def test_a_run_that_outlasts_the_budget_is_a_failure(self):
        self.assert_fails(1, "measure", "--budget", "0.1", "--", "sleep", "1000", says="within 0.1 s")

    def test_a_program_that_hangs_ends_with_the_budget(self):
        self.write("app.sh", "[ -e hangs ] && sleep 1000\necho 0.1\n")
        team = ["--processor", "A=sh app.sh {size}", "--processor", "B=sh app.sh {size}", "--time-from", "stdout"]
        self.text_of("profile", *team, "--sizes", "1,2", "-o", "f.csv", *FAST)
        self.write("hangs", "")
        self.assert_fails(1, "run", *team, "--size", "3", "--budget", "0.2", "f.csv", says="did not end within 1 s")
        self.assert_fails(1, "study", "--run", *team, "--sizes", "3", "--budget", "0.2", "f.csv", says="did not end within 1 s")
        both = self.run_command("study", "--run", *team, "--sizes", "2,3", "--budget", "0.2", "f.csv")
        self.assertEqual((both.returncode, both.stdout), (1, b""))
        self.assertIn(b"the budget ended before any size was executed", both.stderr)

    def test_an_interval_wider_than_its_value_is_a_word(self):
        self.write("turns.py", "import itertools, sys\nfor line, time in zip(sys.stdin, itertools.cycle((1, 30))):\n    print(time, flush=True)\n")
        text = self.text_of("measure", "--size", "1", *LINES, *FAST[:2], "--option", "max_repetitions=2", "--", sys.executable, "turns.py")
        self.assertRegex(text, r"(?m)^time +15\.5 s \+- more than itself$")

    def test_a_printed_time_longer_than_the_run_is_told(self):
        says = "'echo 530' says that it took 530 s, but its run took "
        printed = ["--time-from", "stdout", "--option", "min_repetitions=2"]
        self.assertRegex(self.text_of("measure", "--size", "530", *printed, "--", "echo", "{size}"), says + ".*, or give the time unit")
        self.assertRegex(self.measure(["--size", "530", *printed], "echo", "{size}")["time_doubt"], says + r"[0-9.]+ [mu]?s; ")
        team = ["--processor", "A=echo {size}", "--processor", "B=echo 0.{size}", *printed]
        self.assertIn("that it took 5", self.text_of("profile", *team, "--sizes", "530", "-o", "a.csv"))
        self.assertIn("# time doubt: 'echo 530' says", (self.folder / "a.csv").read_text())
        self.assertIn("that it took 5", self.text_of("run", *team, "--size", "530", "a.csv"))
        self.assertIn("that it took 5", self.text_of("partition", "--size", "530", "a.csv"))
        self.assertIn("that it took 5", self.json_of("partition", "--size", "530", "a.csv")["time_doubt"])
        for _ in ("new", "continued"):
            self.assertIn("says that it took", self.text_of("tune", *team, "--sizes", "1,2,3", "--size", "4", "-o", "b.csv"))
        chosen = self.text_of("measure", "--size", "530", *printed, "--time-pattern", "([0-9]+)", "--", "echo", "{size}")
        self.assertNotIn("says that it took", chosen)

    def test_a_clock_that_shows_zero_shows_nothing(self):
        text = self.text_of("profile", "--processor", "a=echo {size}: 0.00 s", "--sizes", "1:3:1", "--time-from", "stdout", "-o", "zero.csv")
        self.assertRegex(text, r"\na +3 +1..3 +- +-\n")
        self.assertRegex(text, r"0 of 3 points reached the precision\. Worst: 'a', size [1-3], 0, less than its clock shows \(10 repetitions\)", text)
        self.assertFalse(self.measure(["--time-from", "stdout"], "echo", "0 s")["precision_reached"])

    def test_equal_times_have_the_step_that_is_printed(self):
        team = [word for name in "AB" for word in ("--processor", f"{name}=sh -c 'printf %.9f 0.0$1' sh {{size}}")]
        found = self.json_of("tune", *team, "--time-from", "stdout", "--sizes", "10:90:10", "--size", "100", "-o", "t.csv")
        self.assertTrue(found["certified"], found["note"])

    def test_the_last_line_of_several_times_is_refused(self):
        says = "printed 'avg 5 ms, std 1 ms', which has several times; print the time alone on the last line, or give a time pattern"
        self.assert_fails(1, "measure", "--time-from", "stdout", "--", "echo", "avg 5 ms, std 1 ms", says=says)

    def test_words_of_a_measured_command_arrive_as_they_are(self):
        words = ["a b", "'", '"', "\\", "$HOME", "*", ">", ""]
        script = f"import sys; print(1 if sys.argv[1:] == {words!r} else sys.argv)"
        self.assertEqual(self.measure(["--time-from", "stdout", *FAST], sys.executable, "-c", script, *words)["seconds"], 1)

    def test_measure_with_energy(self):
        result = self.measure(["--meter", "estimate:10", "--base-power", "0", "--option", "max_repetitions=2", "--option",
                               "min_repetitions=2"], "true")
        self.assertGreaterEqual(result["joules"], 0)
        self.assertEqual(result["energy_method"], "estimated")
        text = self.text_of("measure", "--meter", "estimate:0.001", "--base-power", "90", "--option", "max_repetitions=2",
                            "--option", "min_repetitions=2", "--", "sleep", "0.02")
        self.assertIn("The dynamic energy is negative. An estimate counts busy cores only", text)
        self.assertNotIn("energy a unit", text)
        text = self.text_of("measure", "--meter", "estimate:10", "--base-power", "0", "--option", "max_repetitions=2",
                            "--option", "min_repetitions=2", "--size", "4", "--", "true", "{size}")
        self.assertRegex(text, "energy a unit .*J\n")
        result = self.measure(["--meter", "estimate:0.001", "--base-power", "90", "--option", "max_repetitions=2", "--option",
                               "min_repetitions=2"], "sleep", "0.02")
        self.assertLess(result["joules"], 0)
        self.assertIn("The dynamic energy is negative. An estimate counts busy cores only", result["meter_note"])

    def test_energies_below_zero_are_doubted(self):
        self.write("p.csv", "processor,size,time\nA,1,0.02\nA,2,0.02\nB,1,0.02\nB,2,0.02\n")
        meter = ["--meter", "estimate:0.001", "--base-power", "90", "--format", "json"]
        for call in (["run", *(word for name in "AB" for word in ("--processor", f"{name}=sh -c 'sleep 0.02' {{size}}")), "--size", "2",
                      "--budget", "2s", "p.csv"],
                     ["group", "--kernel", "dgemm", "--dims", "n=32,k=32", "--size", "64", "--points", "2", "--budget", "2s"]):
            result = self.run_command(*call, *meter)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("The dynamic energy is negative. An estimate counts busy cores only", json.loads(result.stdout)["meter_note"])
            self.assertEqual(result.stderr.count(b"The dynamic energy is negative"), 1)

    def test_an_interval_does_not_begin_below_zero(self):
        self.write("two.sh", "echo $(($(cat n 2>/dev/null || echo 0) + 1)) >n; test $(($(cat n) % 2)) = 0 && echo 1 || echo 0.001")
        result = self.measure(["--time-from", "stdout", "--option", "max_repetitions=2", "--option", "min_repetitions=2", "--option",
                               "warmup=0"], "sh", "two.sh")
        self.assertEqual(result["low"], 0)
        self.assertGreater(result["high"], 1)

    def test_failures_of_measure(self):
        self.assert_fails(1, "measure", "--", "sh", "-c", "echo no memory >&2; exit 3",
                          says=["ended with exit status 3", "'no memory'"])
        self.assert_fails(1, "measure", "--timeout", "0.05", "--", "sleep", "1000", says="did not end within 0.05 s")

    def test_profile_and_run(self):
        call = ["profile", *LINES, *self.processor("CPU", 100), *self.processor("GPU", 300, 30), "--sizes", "10:80:10", "-o", "p.csv"]
        made = self.json_of(*call)
        self.assertEqual([made["processors"], made["sizes"], len(made["failed"])], [["CPU", "GPU"], 8, 1])
        self.assertIn("no memory for 30", made["failed"][0])
        content = (self.folder / "p.csv").read_text()
        self.assertIn("\nCPU,30,0.3,", content)
        self.assertIn("\nGPU,60,0.2,", content)
        self.assertNotIn("\nGPU,30,", content)
        self.assertIn("# failed: GPU size 30 ", content)
        self.assertIn("failed: GPU size 30", self.text_of(*call))

        both = [*self.processor("GPU", 300, 30), *self.processor("CPU", 100)]  # in any order
        result = self.json_of("run", *LINES, *both, "--size", "80", "p.csv", "-o", "r.json")
        optimal = result["splits"][0]
        self.assertEqual((optimal["distribution"], optimal["checked"], optimal["max_relative_error"]), ([20, 60], False, None))
        self.assertEqual(optimal["measured_seconds"], optimal["predicted_seconds"])
        self.assertIn("20 | 60", self.text_of("run", *LINES, *both, "--size", "80", "p.csv"))
        self.text_of("plot", "r.json", "-o", "r.svg")

        self.assert_fails(2, "run", "--size", "80", "p.csv", says="--processor NAME=COMMAND")
        self.assert_fails(2, "run", *LINES, *self.processor("CPU", 100), "--size", "80", "p.csv", says="'GPU'")
        self.assert_fails(2, "run", *LINES, *self.processor("CPU", 100), *self.processor("GPU", 301, 30), "--size", "80", "p.csv",
                          says="was measured with")
        self.assert_fails(2, "run", *LINES, *both, *self.processor("FPGA", 1), "--size", "80", "p.csv", says="'FPGA'")
        self.assert_fails(2, "profile", *LINES, *self.processor("CPU", 101), *self.processor("GPU", 300, 30), "--sizes", "10:80:10",
                          "-o", "p.csv", says="cannot be continued")

    def test_a_file_of_somebody_elses_kernel_runs_with_programs(self):
        self.write("mine.csv", "# kernel = mysolver 2.1\nprocessor,size,time\n" + "".join(
            f"{name},{size},{size / speed}\n" for name, speed in (("CPU", 100), ("GPU", 300)) for size in range(10, 81, 10)))
        both = [*self.processor("GPU", 300), *self.processor("CPU", 100)]
        result = self.json_of("run", *LINES, *both, "--size", "80", "mine.csv")
        self.assertEqual(result["splits"][0]["distribution"], [20, 60])
        self.assertTrue(result["kernel"].startswith("programs "), result["kernel"])

    def test_ratios_of_splits_that_cannot_be_told_apart_name_both(self):
        self.write("app.py", SIMULATED.replace("for line", "times = [1, 3, 2] * 1000\nfor line").replace("size / speed", "times.pop()"))
        # Two distributions of size 30, whose times are three values in turn.
        self.write("p.csv", "# kernel = mine\nprocessor,size,time\nA,15,2\nA,20,1.9\nB,15,2\nB,10,1.9\n")
        both = [*self.processor("A", 10), *self.processor("B", 10)]
        text = self.text_of("run", *LINES, *both, "--size", "30", "--option", "max_repetitions=30", "--option", "min_repetitions=30",
                            "--option", "interpolate=linear", "--interference", "p.csv")
        self.assertRegex(text, r"(?m)^optimal and equal cannot be told apart: the time of equal is [\d.]+ x \(.*\) that of optimal$")
        self.assertIn("interference: ", text)
        rows = self.text_of("run", *LINES, *both, "--size", "30", "--option", "interpolate=linear", "--interference", "--format", "csv", *FAST, "p.csv")
        self.assertIn("interference_size", rows.splitlines()[0].split(","))
        # Times that differ by less than the digits show.
        self.write("app.py", SIMULATED.replace("size / speed", "1.9995 if size in (10, 20) else 2"))
        text = self.text_of("run", *LINES, *both, "--size", "30", "--option", "interpolate=linear", *FAST, "p.csv")
        self.assertRegex(text, r"(?m)^optimal and equal take the same time within 0.1 %$")

    def test_a_size_that_was_not_executed_is_missing(self):
        self.write("p.csv", "# kernel = mine\nprocessor,size,time\nA,5,0.5\nA,15,1.5\nB,5,0.5\nB,15,1.5\n")
        result = self.run_command("study", "--run", *LINES, *self.processor("A", 10, broken=15), *self.processor("B", 10), "--sizes", "10,30",
                                  "--format", "json", *FAST, "p.csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"hpart: size 30 was not executed", result.stderr)
        run = json.loads(result.stdout)["run"]
        self.assertEqual((run["complete"], run["sizes_executed"]), (False, 1))

    def test_a_program_that_is_replaced_ends_the_profile(self):
        self.write("app.sh", "#!/bin/sh\nif [ $1 = 2 ] && mkdir $2 2>/dev/null; then cp -p app.sh new; echo '#' >> new; mv new app.sh; fi\n"
                   "[ ! -e log ] || echo $1 >> log\necho 0.$1\n").chmod(0o755)
        for k, command in enumerate(["./app.sh {size} first", "sh app.sh {size} second"]):
            with self.subTest(command):
                call = ["profile", "--processor", f"A={command}", "--time-from", "stdout", "--sizes", "1:4:1", "--option", "order=given",
                        "-o", f"p{k}.csv", *FAST]
                self.assert_fails(1, *call, says="app.sh' was changed while its program was measured")
                measured = (self.folder / f"p{k}.csv").read_text()
                self.assertRegex(measured, "(?m)^A,1,")
                self.assertNotRegex(measured, "(?m)^A,[234],")
                self.assertEqual(self.json_of(*call)["sizes"], 4)
        # A new time alone is no other program.
        self.write("touched.sh", "#!/bin/sh\ntouch touched.sh\necho 0.$1\n").chmod(0o755)
        for k, command in enumerate(["./touched.sh {size}", "sh touched.sh {size}"]):
            result = self.json_of("profile", "--processor", f"A={command}", "--time-from", "stdout", "--sizes", "1:3:1", "-o", f"touched{k}.csv", *FAST)
            self.assertEqual((result["sizes"], result["failed"]), (3, []))
        # A file that the command writes is none of its program.
        self.write("log", "")
        self.assertEqual(self.json_of("profile", "--processor", "A=./app.sh {size} third log", "--time-from", "stdout", "--sizes", "1,3", "-o", "log.csv", *FAST)["sizes"], 2)

    def test_a_run_ends_at_its_budget(self):
        # Two distributions whose times, three values in turns, cannot be told apart within a millionth.
        self.write("app.py", SIMULATED.replace("for line", "import itertools\ntimes = itertools.cycle((1, 3, 2))\nfor line").replace("size / speed", "next(times)"))
        self.write("p.csv", "# kernel = mine\nprocessor,size,time\nA,15,2\nA,20,1.9\nB,15,2\nB,10,1.9\n")
        call = ["run", *LINES, *self.processor("A", 10), *self.processor("B", 10), "--size", "30", "--option", "precision=1e-6", "p.csv"]
        made = self.run_command(*call, "--budget", "0.3", "--timeout", "60", "--format", "json")  # the programs may start slowly
        self.assertEqual((made.returncode, made.stderr.decode()),
                         (0, "hpart: The budget ended before all splits were told apart. A longer --budget gives it more time.\n"))
        result = json.loads(made.stdout)
        self.assertIs(result["complete"], False)
        self.assertGreaterEqual(result["splits"][0]["repetitions"], 2)
        self.assert_fails(2, *call, "--budget", "1", "--option", "max_seconds=1", says="--budget and --option max_seconds")
        self.assertIs(self.json_of(*call[:-3], *FAST, "p.csv")["complete"], True)

    def test_a_size_that_the_budget_cuts_off_is_missing(self):
        call = ["profile", "--processor", "A=sleep {size}", "--sizes", "0.01,300"]
        self.assert_fails(2, *call, "-o", "p.csv", says="--sizes")
        call = ["profile", "--processor", "A=sh -c 'sleep $(($1 / 10 * 30)).01' sh {size}", "--sizes", "1,10", "--budget", "1s",
                "--option", "order=given", "-o", "p.csv", *FAST]
        result = self.run_command(*call, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        # One point was measured in these seconds, and one is missing.
        needed = 2.5 * found["seconds"]
        self.assertAlmostEqual(found["budget_needed"], needed)
        self.assertEqual(result.stderr.decode(), "hpart: The budget ended with 1 of 2 points missing. Run the same command again to continue; "
                                                 f"about {math.ceil(needed)} seconds would measure the rest.\n")
        self.assertEqual((found["complete"], found["failed"]), (False, []))
        self.assertIn("# unfinished: A size 10 after ", (self.folder / "p.csv").read_text())

    def test_a_budget_without_a_point_is_a_failure(self):
        self.assert_fails(1, "profile", "--processor", "A=sleep {size}", "--sizes", "300", "--budget", "0.1", "-o", "p.csv", says="--budget")
        self.assertFalse((self.folder / "p.csv").exists())

    def test_sizes_that_failed_come_last(self):
        self.write("app.sh", "echo $1 >>log; [ $1 -ne 3 ] || [ -e good ]")
        call = ["profile", "--processor", "A=sh app.sh {size}", "-o", "p.csv", *FAST, "--option", "warmup=0"]
        self.run_command(*call, "--sizes", "3,5")
        self.assertIn("# failed: A size 3 ", (self.folder / "p.csv").read_text())
        (self.folder / "log").unlink()
        self.write("good", "")
        self.text_of(*call, "--sizes", "3,4,5,6")
        sizes = list(dict.fromkeys((self.folder / "log").read_text().split()))
        self.assertEqual((sorted(sizes), sizes[-1]), (["3", "4", "6"], "3"))

    def test_a_profile_without_a_point_leaves_no_file(self):
        self.assert_fails(1, "profile", "--processor", "A=false {size}", "--sizes", "3,5", "-o", "p.csv", says="no point could be measured")
        self.assertFalse((self.folder / "p.csv").exists())

    def test_an_interrupt_keeps_the_comparison(self):
        self.write("app.py", """
import sys
import time
for line in sys.stdin:
    with open("log", "a") as log:
        log.write(sys.argv[1])
    time.sleep(0.02)
    print(1.5 + 0.25 * (int(line) % 2), flush=True)
""")
        self.write("p.csv", "processor,size,time\n" + "".join(f"{name},{size},1\n" for name in "AB" for size in (4, 5, 6)))
        programs = [word for name in "AB" for word in ("--processor", f"{name}='{sys.executable}' app.py {name}")]
        process = self.start_command("run", *programs, "--protocol", "lines", "--size", "10", "--interference", "p.csv", "--format", "json",
                                     "--option", "min_repetitions=5", "--option", "max_repetitions=5", "--option", "precision=1e-6")
        log = self.folder / "log"
        self.wait_until(process, lambda: log.exists() and log.read_text().endswith("AAA"))
        process.send_signal(signal.SIGINT)
        out, message = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, message)
        self.assertIn(b"the comparison is complete", message)
        result = json.loads(out)
        self.assertIsNone(result["interference"])
        self.assertGreater(result["splits"][0]["measured_seconds"], 0)

    def interrupt(self, process, says):
        """The signal ends the program after its result."""
        process.send_signal(signal.SIGINT)
        out, message = process.communicate(timeout=120)
        self.assertEqual((process.returncode, message), (128 + signal.SIGINT, says))
        self.assertIn(b"time", out)

    def test_an_interrupt_keeps_what_was_repeated(self):
        # Four runs, and the fifth waits.
        self.write("app.sh", "echo >>log; [ $(wc -l <log) -lt $1 ] || exec sleep 1000; echo 0.0005")
        log = self.folder / "log"
        slow = ["--option", "precision=1e-6", "--time-from", "stdout"]
        process = self.start_command("measure", *slow, "--option", "warmup=0", "--option", "contaminated=kept", "-o", "m.json", "--", "sh", "app.sh", "5")
        self.wait_until(process, lambda: log.exists() and log.read_text().count("\n") == 5)
        self.interrupt(process, b"hpart: interrupted; the result has 4 repetitions\n")
        found = json.loads((self.folder / "m.json").read_text())
        self.assertEqual((found["seconds"], found["repetitions"], found["complete"]), (0.0005, 4, False))

        log.unlink()
        self.write("p.csv", "processor,size,time\nA,5,1\nB,5,1\n")
        # One split of two processors: a round is two runs. The third round waits.
        programs = [word for name in "AB" for word in ("--processor", f"{name}=sh app.sh 5 {{size}}")]
        process = self.start_command("run", *programs, *slow, "--option", "warmup=0", "--size", "10", "p.csv", "-o", "r.json")
        self.wait_until(process, lambda: log.exists() and log.read_text().count("\n") >= 5)
        self.interrupt(process, b"hpart: interrupted; the comparison has 2 rounds\n")
        found = json.loads((self.folder / "r.json").read_text())
        self.assertEqual((found["splits"][0]["measured_seconds"], found["complete"]), (0.0005, False))

    def run_that_fails_late(self, condition, *more):
        """Runs a comparison of two programs that end with a failure once the condition holds, after it. Returns the result and the message."""
        self.write("app.py", f"""
import sys
for line in sys.stdin:
    with open("log", "a") as log:
        log.write(sys.argv[1])
    log, size = open("log").read(), int(line)
    if {condition}:
        sys.exit("no licence")
    print(size / 10, flush=True)
""")
        self.write("p.csv", "processor,size,time\n" + "".join(f"{name},{size},{size}\n" for name in "AB" for size in (1, 5)))
        programs = [word for name in "AB" for word in ("--processor", f"{name}='{sys.executable}' app.py {name}")]
        result = self.run_command("run", *programs, *LINES, "--size", "10", "p.csv", "--format", "json", *FAST, *more)
        message = result.stderr.decode()
        self.assertEqual((result.returncode, message.count("\n")), (1, 1), message)
        self.assert_has(message, "no licence", "; the comparison is complete")
        found = json.loads(result.stdout)
        self.assertEqual((found["splits"][0]["distribution"], found["splits"][0]["measured_seconds"]), ([5, 5], 0.5))
        return found, message

    def test_a_failure_after_the_comparison_keeps_it(self):
        found, message = self.run_that_fails_late("log.endswith('AAA')", "--interference")  # alone
        self.assertIn("hpart: the interference could not be measured: ", message)
        self.assertIsNone(found["interference"])
        found, message = self.run_that_fails_late("size == 1", "--dynamic")
        self.assertIn("hpart: the self-scheduling could not be measured: ", message)
        self.assertEqual({row["run"] for row in found["dynamic"]}, {None})

    def test_medians_of_splits(self):
        self.write("p.csv", "processor,size,time\nA,1,1\nA,2,2\nA,3,3\nB,1,1\nB,2,2\n")
        self.write("app.py", SIMULATED.replace("for line", "times = [1, 100, 1, 1, 2] * 1000\nfor line").replace("size / speed", "times.pop()"))
        both = [*self.processor("A", 10), *self.processor("B", 10)]
        text = self.text_of("run", *LINES, *both, "--size", "4", *FAST, "--option", "statistic=median", "p.csv")
        self.assertIn("(medians of each round's ratio", text)
        self.assertNotIn("max relative error", text)

    def test_a_program_that_fails_while_its_energy_is_measured(self):
        self.write("flaky.sh", "echo x >> runs; [ $(wc -l < runs) -lt 8 ] || { echo out of memory >&2; exit 3; }\nsleep 0.01\n")
        self.write("p.csv", "processor,size,time\nA,2,1\n")
        result = self.run_command("run", "--processor", "A=sh flaky.sh {size}", "--size", "2", "--meter", "estimate:5", "--base-power", "1",
                                  *FAST, "p.csv", "--format", "json")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, rb"\Ahpart: the energy could not be measured: .*out of memory.*; the comparison is complete\n\Z")
        split = json.loads(result.stdout)["splits"][0]
        self.assertGreater(split["measured_seconds"], 0)
        self.assertIsNone(split["measured_joules"])

    def test_the_confidence_of_a_comparison(self):
        self.write("p.csv", "processor,size,time\nA,1,1\nA,2,2\nB,1,1\nB,2,2\n")
        for options, shown in (([], "95 %"), (["--option", "confidence=0.9"], "90 %"), (["--option", "confidence=.999"], "99.9 %")):
            text = self.text_of("run", *LINES, *self.processor("A", 1), *self.processor("B", 1), "--size", "3", *FAST, *options, "p.csv")
            self.assertIn(f"with intervals of {shown} confidence", text)

    def test_a_call_whose_points_all_fail(self):
        self.write("app", "test $1 -le 2 && echo $1")
        call = ["profile", "--processor", "A=/bin/sh app {size}", "--time-from", "stdout", *FAST, "-o", "p.csv", "--sizes"]
        self.text_of(*call, "1,2")
        failed = self.run_command(*call, "3,4")
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b"processor 'A' failed at every size that this call tried: A size", failed.stderr)
        self.assertIn("\nA,2,2", (self.folder / "p.csv").read_text())
        self.text_of(*call, "2,3")

    def test_a_processor_that_always_fails(self):
        result = self.run_command("profile", "--processor", "CPU=echo {size}", "--processor", "GPU=false {size}", "--time-from",
                                  "stdout", "--sizes", "1,2", "-o", "p.csv")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"'GPU' failed at every size", result.stderr)
        self.assertIn("CPU,2,2", (self.folder / "p.csv").read_text())
        self.assert_fails(1, "profile", "--processor", "GPU=false {size}", "--sizes", "1,2", "-o", "q.csv",
                          says=["no point could be measured", "exit status 1"])

    def test_a_script_without_its_first_line(self):
        self.write("app.sh", "exit 0\n").chmod(0o755)
        advice = "a script must begin with a line such as #!/bin/sh"
        for call in (["profile"], ["tune", "--size", "2"]):
            self.assert_fails(2, *call, "--processor", "A=true {size}", "--processor", "B=./app.sh {size}", "--sizes", "1,2", "-o", "p.csv",
                              says=["processor 'B', size ", "'./app.sh ", advice])
        self.assert_fails(2, "measure", "--", "./app.sh", says=["'./app.sh' cannot be started", advice])
        self.assert_fails(126, "energy", "--meter", "estimate:1", "--", "./app.sh", says=["'./app.sh'", advice])

    def test_functions_of_libraries(self):
        # toupper(0..64) is the number itself, isalpha 0.
        call = ["profile", "--processor", "A=lib:libc.so.6:isalpha", "--processor", "B=lib:libc.so.6:iscntrl@0", "--sizes", "40,50",
                "-o", "p.csv", "--option", "precision=1"]
        self.assertEqual(self.json_of(*call)["processors"], ["A", "B"])
        self.assertIn("# kernel = programs A=lib:libc.so.6:isalpha | B=lib:libc.so.6:iscntrl on cores 0",
                      (self.folder / "p.csv").read_text())

    def test_signals_end_the_programs(self):
        # The second one, in a shell, ignores what it is asked for. Under nohup(1) SIGHUP is ignored, and SIGTERM still ends all.
        polite, stubborn = "echo $$ > pid; exec sleep 1000", "trap '' TERM INT; echo $$ > pid; while :; do sleep 1000; done"
        ignored = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for script, before, sent in ((polite, None, [signal.SIGINT]), (stubborn, None, [signal.SIGINT]), (polite, None, [signal.SIGHUP]),
                                     (polite, None, [signal.SIGQUIT]), (polite, ignored, [signal.SIGHUP, signal.SIGTERM])):
            self.write("app.sh", script)
            for call in (["measure", "--", "sh", "app.sh"], ["profile", "--processor", "A=sh app.sh {size}", "--sizes", "1:3:1", "-o", "p.csv"]):
                process = self.start_command(*call, preexec_fn=before)
                pid = self.folder / "pid"
                self.wait_until(process, lambda: pid.exists() and pid.read_text().endswith("\n"))
                program = pathlib.Path("/proc") / pid.read_text().strip() / "cmdline"
                pid.unlink()
                for number in sent[:-1]:
                    process.send_signal(number)
                self.assert_interrupted(process, sent[-1])
                self.assertFalse(program.exists() and program.read_bytes(), "the program still runs")
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["app.py", "app.sh"])


class Applications(CommandTest):
    COMMAND = ["--application", "sh -c 'echo $1 0.$2' sh {x1} {x2}", "--time-from", "stdout"]

    def test_every_command_that_measures(self):
        team = [*self.COMMAND, "--processors", "CPU,GPU"]
        measured = self.json_of("measure", *team, "--distribution", "1,5")
        self.assertEqual((measured["distribution"], measured["seconds"]), ([1, 5], [1, 0.5]))
        self.assertIn("GPU", self.text_of("measure", *team, "--distribution", "1,5"))
        self.json_of("profile", *team, "--sizes", "1:9:1", "-o", "p.csv")
        self.assertIn("# kernel = application sh -c ", (self.folder / "p.csv").read_text())
        found = self.json_of("tune", *team, "--size", "10", "--sizes", "1:9:1", "-o", "t.csv", "--option", "min_repetitions=2")
        self.assertEqual(found["distribution"], [1, 9])
        ran = self.json_of("run", *self.COMMAND, "--size", "10", "p.csv")
        self.assertEqual(ran["splits"][0]["distribution"], [1, 9])

    def test_additivity(self):
        call = ["additivity", "--application", "true {x}", "--processors", "A,B", "--sizes", "1,2"]
        quick = ["--meter", "estimate:10", "--base-power", "0", "--option", "min_repetitions=2", "--option", "max_repetitions=2"]
        result = self.json_of(*call, *quick)
        self.assertEqual((result["processors"], result["sizes"], len(result["differences"])), (2, [1, 2], 2))
        self.assertGreaterEqual(result["largest_difference"], result["least_difference"])
        self.assertIn("differences: least", self.text_of(*call, *quick))

    def test_the_worst_energy_is_that_of_the_file(self):
        busy = f"A='{sys.executable}' -c 'sum(range({{size}})); print(1)'"  # a time without an error
        text = self.text_of("profile", "--processor", busy, "--time-from", "stdout", "--sizes", "1M,2M", "-o", "e.csv", "--meter", "estimate:10", "--base-power", "0",
                            *FAST, "--option", "energy_precision=0.000001")
        self.assertRegex(text, r"0 of 2 points reached the precision\. Worst: 'A', size [12]000000, [\d.]+ m?J (\([\d.]+ to [\d.]+\)|\+- more "
                               r"than itself) \(\d windows\)")

    def test_an_application_without_times(self):
        self.assert_fails(1, "profile", "--application", "true {x}", "--processors", "A,B", "--sizes", "1:3:1", "-o", "q.csv",
                          says="time of each")
