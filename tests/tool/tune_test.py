"""tune: the certified optimum of programs that only say how long they would take. Nothing waits."""

import json
import os
import subprocess
import sys
import unittest

from command import CORES, FAST, CommandTest

# Fast at the multiples of 4 only.
SIMULATED = """
import sys
speed = float(sys.argv[1])
for line in sys.stdin:
    size = int(line)
    if size == 13:
        sys.exit("no luck with 13")
    print(size / speed * (1 if size % 4 == 0 else 1.4) * 1.0000000001, flush=True)  # of many decimals, as of a fine clock
"""


class Tune(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("app.py", SIMULATED)

    def arguments(self, *more):
        processors = []
        for name, speed in (("slow", 1), ("fast", 2)):
            processors += ["--processor", f"{name}='{sys.executable}' app.py {speed}"]
        return ["tune", *processors, "--protocol", "lines", "--sizes", "1:48:1", "-o", "t.csv",
                "--option", "min_repetitions=2", "--option", "warmup=0", *more]

    def tune(self, *more):
        return json.loads(self.text_of(*self.arguments(*more), "--format", "json"))

    def test_finds_the_optimum(self):
        result = self.tune("--size", "60")
        self.assertEqual(list(result)[:5], ["subcommand", "objective", "size", "kernel", "processors"])
        self.assertEqual((result["processors"], result["distribution"]), (["slow", "fast"], [20, 40]))
        self.assertTrue(result["certified"])
        self.assertAlmostEqual(result["time"], 20)
        self.assertLessEqual(result["lower_bound"], 20.0001)
        self.assertGreaterEqual(result["upper_bound"], 20)
        self.assertEqual((result["precision"], result["confidence"], result["stop_reason"]), (0.05, 0.95, "certified"))
        self.assertLess(result["measured_points"], 96)
        first, *others = result["baselines"]
        self.assertEqual((first["method"], first["ratio"]), ("optimal", 1))
        self.assertTrue(others)
        for baseline in others:
            self.assertEqual(sum(baseline["distribution"]), 60)
            self.assertGreaterEqual(baseline["ratio"], 1)
        content = (self.folder / "t.csv").read_text()
        self.assertIn("time_low", content)
        again = self.tune("--size", "60", "--no-confirm")
        self.assertLess(again["repetitions"], result["repetitions"] / 2)
        self.assertIsNone(again["baselines"][0]["ratio"])
        partition = json.loads(self.text_of("partition", "--size", "60", "--format", "json", "t.csv"))
        self.assertEqual((partition["distribution"], partition["among_measured_sizes"]), ([20, 40], True))
        self.assertEqual(partition["chosen"], {"distribution": [20, 40], "time": again["time"], "measured": True, "certified": True})

    def test_partition_finds_the_same_baselines(self):
        for size in ("60", "47", "90"):
            for baseline in self.tune("--size", size)["baselines"][1:]:
                found = self.json_of("partition", "--size", size, "--method", baseline["method"], "t.csv")
                self.assertEqual(found["distribution"], baseline["distribution"], (size, baseline["method"]))
            (self.folder / "t.csv").unlink()

    def test_partition_names_what_was_chosen(self):
        self.tune("--size", "60")
        text = self.text_of("partition", "--size", "60", "t.csv")
        self.assertIn("time by method exact, among the sizes that hpart tune measured\n", text)
        self.assertNotIn("proved", text)
        self.assertRegex(text, r"(?m)^hpart tune chose this split: measured 20(\.0+)? s, certified within 5 %\.$")
        content = (self.folder / "t.csv").read_text()
        self.write("t.csv", content.replace(" = 20,40 ran 20.000000002 certified 0.05", " = 24,36 ran 24.5 not certified"))
        self.assertNotEqual((self.folder / "t.csv").read_text(), content)
        text = self.text_of("partition", "--size", "60", "t.csv")
        self.assert_has(text, "hpart tune chose another split for this size, 24 | 36: measured 24.5 s, not certified.\n")
        chosen = self.json_of("partition", "--size", "60", "t.csv")["chosen"]
        self.assertEqual(chosen, {"distribution": [24, 36], "time": 24.5, "measured": True, "certified": False})
        team = [f"{name}='{sys.executable}' app.py {speed}" for name, speed in (("slow", 1), ("fast", 2))]
        splits = self.json_of("run", "--size", "60", "--processor", team[0], "--processor", team[1], "--protocol", "lines", *FAST, "t.csv")["splits"]
        self.assertEqual([(split["method"], split["distribution"]) for split in splits[:2]], [("chosen", [24, 36]), ("equal", [30, 30])])
        self.assertAlmostEqual(splits[0]["measured_seconds"], 24)
        line = " = 24,36 ran 24.5 not certified"
        kept = (self.folder / "t.csv").read_bytes()
        for odd in (" = 24,35 ran 24.5 not certified", " = 24,36,0 ran 24.5 not certified", " = 61,-1 ran 24.5 not certified", " = 24,36 ran nan not certified",
                    " = 24,36 ran 24.50 not certified", " = 24,36 said 24.5 not certified", " = 24,36 ran 24.5 certified nan", " = 9223372036854775807,1 ran 1 not certified"):
            self.write("t.csv", kept.replace(line.encode(), odd.encode()))
            self.assertIsNone(self.json_of("partition", "--size", "60", "t.csv")["chosen"], odd)
        self.write("t.csv", kept)
        piped = self.json_of("partition", "--size", "60", "-", stdin=kept)
        os.mkfifo(self.folder / "pipe")
        writer = subprocess.Popen(["cp", "t.csv", "pipe"], cwd=self.folder)
        self.assertEqual(self.json_of("partition", "--size", "60", "pipe")["chosen"], piped["chosen"])
        writer.wait()

    def test_a_budget_that_ends_the_race_is_named(self):
        # The second search needs no more points, and in its race size 30 of the equal parts never ends.
        self.write("app.py", SIMULATED.replace("import sys", "import os\nimport sys\nimport time").replace(
            "    print", "    time.sleep(1000 if size == 30 and os.path.exists('race') else 0)\n    print"))
        self.tune("--size", "60")
        self.write("race", "")
        call = self.arguments("--size", "60", "--budget", "2s")
        for form in (["--format", "json"], []):
            made = self.run_command(*call, *form)  # beside other work it may end the search, too
            self.assertEqual(made.returncode, 0, made.stderr)
            failure = "the time budget, 2 s, ended while the processors ran"
            self.assertIn(f'"race_failure":"{failure}"' if form else f"Not run against the usual splits: {failure}\n", made.stdout.decode())

    def test_a_budget_that_suffices_is_named(self):
        self.write("app.py", SIMULATED.replace("import sys", "import sys\nimport time").replace("    print", "    time.sleep(0.05)\n    print"))
        for more in ([], ["--objective", "front", "--meter", "estimate:1", "--base-power", "0"]):
            call = self.arguments("--size", "60", "--budget", "3s", *more)
            found = json.loads(self.partial_of(*call, "--format", "json"))
            self.assertEqual((found["certified"], found["complete"], found["stop_reason"]), (False, False, "max_total_seconds"))
            left = 2 * 37 - found["measured_points"]  # 60 of two sizes up to 48: none is below 12
            now = found["measured_points"] - found["known_points"]
            self.assertAlmostEqual(found["budget_needed"], 1.25 * found["seconds"] / now * (left + 1))
            (self.folder / "t.csv").unlink()
            text = self.partial_of(*call)
            self.assertNotIn("Without a time", text)  # what has just begun
            self.assertRegex(text, r"(?m)^Not certified: the budget ended first. Run it again to continue; about \d+ (seconds|minutes) would measure the remaining sizes. Until then ")
            (self.folder / "t.csv").unlink()

    def test_sizes_that_no_split_can_have_are_left_out(self):
        call = self.arguments("--size", "1600", "--no-confirm")
        call[call.index("--sizes") + 1] = "100:1600:300"
        for more in ([], ["--option", "sizes=all"]):
            self.assertIn("\nLeft out: 5 of the 6 sizes, which no split of 1600 into these sizes has\n", self.text_of(*call, *more))
            self.assertEqual({line.split(",")[1] for line in (self.folder / "t.csv").read_text().splitlines() if line.startswith(("slow,", "fast,"))}, {"1600"})
            (self.folder / "t.csv").unlink()
        call[call.index("--sizes") + 1] = "100:1600:100"
        self.assertNotIn("Left out", self.text_of(*call))

    def test_least_sum_of_times(self):
        result = self.tune("--size", "60", "--objective", "sum-time")
        self.assertEqual((result["distribution"], result["certified"]), ([12, 48], True))
        self.assertAlmostEqual(result["time"], 36)
        ratios = {one["method"]: one["ratio"] for one in result["baselines"]}
        self.assertNotIn("least-time", ratios)
        self.assertAlmostEqual(ratios["equal"], 63 / 36)
        programs = [argument for argument in self.arguments() if argument.startswith(("slow=", "fast="))]
        team = ["--processor", programs[0], "--processor", programs[1], "--protocol", "lines"]
        ran = self.json_of("run", "--objective", "sum-time", "--size", "60", "--option", "min_repetitions=2", *team, "t.csv")
        optimal = ran["splits"][0]
        self.assertEqual((ran["objective"], optimal["distribution"]), ("sum-time", [12, 48]))
        self.assertAlmostEqual(optimal["measured_seconds"], 36)
        self.assertAlmostEqual(optimal["utilisation"], 0.5)
        study = self.json_of("study", "--objective", "sum-time", "--sizes", "60", "t.csv")
        self.assertEqual(study["sizes"][0]["methods"][0]["distribution"], [12, 48])
        self.assertIn("sum of times", study["summary"]["text"])
        for more in (["--dynamic"], ["--interference"], ["--meter", "estimate:1"]):
            self.assert_fails(2, "run", "--objective", "sum-time", "--size", "60", *more, *team, "t.csv", says=more[0])

    def test_for_people(self):
        text = self.text_of(*self.arguments("--size", "60"))
        self.assert_has(text, "slow", "20", "Certified: no other split is more than 5 % faster (95 % confidence).", "measured time ", "Run against each other", "t.csv")
        again = self.text_of(*self.arguments("--size", "60", "--no-confirm"))
        self.assertRegex(again, "more points? in")
        self.assertIn("predicted time 20 s, by", again)  # not "20.000000002 s (20.000000002 to 20.000000002)"
        self.assertRegex(again, r"(?m)^predicted time .*, by the medians of single processors$")

    def test_no_repetitions_help_coarse_times(self):
        self.write("app.py", SIMULATED.replace("print(", "print('%.0f' % (", 1).replace(", flush", "), flush"))
        call = self.arguments("--size", "10", "--no-confirm")
        text = self.text_of(*call)
        self.assertRegex(text, r"(?m)^Not certified: '\w+' has times in steps of 1 s, .*: print more digits; nothing can be certified by these\.$")
        self.assertNotIn("max_repetitions", text)
        self.assertEqual(json.loads(self.text_of(*call, "--format", "json"))["stop_reason"], "exhausted")

    def test_a_distribution_slower_than_its_processors_is_told(self):
        self.write("app.py", SIMULATED.replace("print(", 'import os; print((1.5 if os.path.exists("slow") else 1) * ', 1))
        self.tune("--size", "60", "--no-confirm")
        self.write("slow", "")
        text = self.text_of(*self.arguments("--size", "60", "--option", "resume_tolerance=1000",
                                             "--option", "max_repetitions=8"))  # the file's points have as many
        self.assertRegex(text, r"(?m)^(Not certified: its runs took at least 30 s, more than the|Whole runs take 1\.\d+ times as long as single processors predict \(median 30 s\))")

    def test_output_into_a_device_or_an_odd_folder(self):
        quick = ["tune", "--processor", "A=true {size}", "--sizes", "1,2", "--size", "2", "--no-confirm", "--option", "max_repetitions=3", "-o"]
        self.assert_fails(1, *quick, "/proc/t.csv", says=["'/proc/t.csv'", "its folder takes no new files"])
        self.assertIn("measured", self.text_of(*quick, "/dev/null"))
        os.mkfifo(self.folder / "pipe.csv")
        self.assert_fails(2, *quick, "pipe.csv", says=["'pipe.csv'", "it is no regular file"])

    def test_names_what_hangs(self):
        hangs = ["tune", "--processor", "quick=true {size}", "--processor", "hangs=sleep 1000 {size}", "--sizes", "1,2",
                 "--budget", "1.2", "-o", "t.csv"]
        self.assert_fails(1, *hangs, "--size", "2", says=["it ended hangs size ", "after ", "timeout"])
        self.write("app.sh", "test $1 = 1 || sleep 1000\n")
        hangs[4], hangs[-1] = "hangs=sh app.sh {size}", "u.csv"
        hangs[hangs.index("1,2")] = "1"
        self.assertEqual(self.run_command(*hangs, "--size", "2", "--no-confirm").returncode, 0)
        hangs[hangs.index("1")] = "1,2"
        result = self.partial_of(*hangs, "--size", "2", "--no-confirm")  # what is known suffices
        self.assertRegex(result, r"Not finished at the end of the budget: hangs size 2 after [0-9.]+ s; --timeout")

    def test_an_application_of_one_time(self):
        self.write("whole.py", "import sys\nfor line in sys.stdin:\n    a, b = map(int, line.split())\n    print(max(a, b / 2), flush=True)\n")
        arguments = ["tune", "--application", f"'{sys.executable}' whole.py", "--processors", "slow,fast", "--protocol", "lines",
                     "--sizes", "1:48:1", "--size", "60", "--shares", "1:4", "-o", "t.csv", "--option", "min_repetitions=2"]
        result = json.loads(self.text_of(*arguments, "--format", "json"))
        self.assertEqual((result["distribution"], result["time"], result["certified"], result["one_time"]), ([20, 40], 20, False, True))
        self.assertEqual([(one["method"], one["distribution"]) for one in result["baselines"]],
                         [("best", [20, 40]), ("equal", [30, 30]), ("shares", [12, 48])])
        self.assertAlmostEqual(result["baselines"][1]["ratio"], 1.5)
        self.assertIsNone(result["lower_bound"])
        self.assertLessEqual(result["runs"], 30)
        text = self.text_of(*arguments)
        self.assert_has(text, f"the best of {result['distributions']} distributions run; nothing is certified", "if it printed 2 times",
                        "against best", f"{result['runs']} runs of {result['distributions']} distributions", "no other distribution is likely to gain")
        limited = json.loads(self.text_of(*arguments, "--option", "max_runs=4", "--no-confirm", "--format", "json"))
        self.assertEqual((limited["runs"], limited["stop_reason"], limited["baselines"][0]["ratio"]), (4, "max_runs", None))

    def test_an_application_starts_once_a_run(self):
        self.write("whole.sh", "echo start >>starts\necho $(($1 > $2 / 2 ? $1 : $2 / 2))\n")
        result = json.loads(self.text_of("tune", "--application", "sh whole.sh {x1} {x2}", "--processors", "slow,fast", "--time-from", "stdout",
                                         "--sizes", "1:48:1", "--size", "60", "-o", "t.csv", "--option", "min_repetitions=2", "--option", "warmup=0",
                                         "--option", "max_runs=9", "--no-confirm", "--format", "json"))
        self.assertEqual(len((self.folder / "starts").read_text().split()), result["runs"])

    def test_points_that_are_not_measured_again_stay_as_they_are(self):
        self.write("app.py", SIMULATED.replace("size == 13", "False"))
        self.tune("--size", "60", "--no-confirm")
        lines = (self.folder / "t.csv").read_text().splitlines()
        at = max(k for k, line in enumerate(lines) if line.startswith("slow,"))  # its largest size, far from the result
        name, size, seconds, *_ = lines[at].split(",")
        lines[at] = f"{name},{size},{seconds},{float(seconds) * 0.99},{float(seconds) * 1.001},3"
        self.write("t.csv", "\n".join(lines) + "\n")
        self.tune("--size", "60", "--no-confirm")
        self.assertIn(lines[at], (self.folder / "t.csv").read_text().splitlines())

    def test_usual_methods_among_the_sizes_of_a_search_are_none(self):
        self.write("app.py", SIMULATED.replace("size == 13", "False"))
        self.tune("--size", "60")
        call = self.arguments()[1:5]
        result = json.loads(self.text_of("run", *call, "--protocol", "lines", "--size", "56", "t.csv", *FAST, "--format", "json"))
        for split in result["splits"][1:]:
            self.assertTrue(split["distribution"] in (None, [28, 28]) and (split["method"] == "equal" or split["distribution"] is None), split)
        self.assertEqual(result["splits"][0]["method"], "best measured")
        text = self.text_of("run", *call, "--protocol", "lines", "--size", "56", "t.csv", *FAST)
        self.assertRegex(text, r"(?m)^cpm +not among the sizes +- +-")
        at_60 = json.loads(self.text_of("run", *call, "--protocol", "lines", "--size", "60", "t.csv", *FAST, "--format", "json"))
        self.assertTrue(all(split["distribution"] for split in at_60["splits"]))
        self.json_of("study", "--sizes", "60", "t.csv")

    def test_a_program_that_always_fails(self):
        call = ["tune", "--processor", "A=false {size}", "--processor", "B=true {size}", "--sizes", "1:8:1", "--size", "8", "-o", "f.csv"]
        self.assert_fails(1, *call, says="processor 'A' failed at every size that this call tried")
        self.assert_fails(1, "tune", "--application", "false {x}", "--processors", "A,B", "--sizes", "1:8:1", "--size", "8", "-o", "f.csv",
                          says="the application failed with")
        # Nothing is left that the corrected call would have to continue.
        self.assertFalse((self.folder / "f.csv").exists())

    def test_a_single_processor_has_one_distribution(self):
        call = ["tune", "--processor", f"A='{sys.executable}' app.py 2", "--protocol", "lines", "--sizes", "1:48:1", "--size", "20",
                "-o", "one.csv", "--format", "json"]
        result = json.loads(self.text_of(*call))
        self.assertEqual((result["distribution"], result["measured_points"], result["certified"]), ([20], 1, True))
        self.assertAlmostEqual(result["time"], 10)

    def test_an_interrupt_before_the_first_point(self):
        self.write("app.py", "import time\nopen('started', 'w').close()\ntime.sleep(1000)\n")
        process = self.start_command(*self.arguments("--size", "60"))
        self.wait_until(process, (self.folder / "started").exists)
        self.assert_interrupted(process, says=b"hpart: interrupted; nothing was measured\n")
        self.assertFalse((self.folder / "t.csv").exists())

    def test_an_interrupt_names_the_fastest_run(self):
        self.write("app.sh", "[ -e run3 ] && sleep 1000\nfor k in 1 2 3; do [ -e run$k ] || { : > run$k; break; }; done\nsleep 0.01\n")
        process = self.start_command("tune", "--application", "sh app.sh {x}", "--processors", "A,B", "--sizes", "1:8:1", "--size", "8",
                                     "--time-from", "wall", "-o", "runs.csv", "--option", "warmup=0")
        self.wait_until(process, (self.folder / "run3").exists)
        self.wait_until(process, lambda: (self.folder / "runs.csv").exists())
        self.assert_interrupted(process, says=b"the best split so far is ")
        self.assertIn("# run ", (self.folder / "runs.csv").read_text())

    def test_a_time_that_is_too_long_has_a_processor(self):
        self.write("app.py", SIMULATED.replace("size / speed", "1e308"))
        self.assert_fails(2, *self.arguments("--size", "60"), says=["of processor 'slow' is inf", "must be finite"])

    def test_a_size_that_fails_is_left_out(self):
        result = self.tune("--size", "26", "--option", "sizes=all")
        self.assertNotIn(13, result["distribution"])
        self.assertGreater(result["jaggedness"], 1)  # the sizes that fail are not known

    def search_with_a_meter(self, *more):
        """The meter has a recording of 10 s at 108 W for each window: above 58 W a processor takes 500 J, whatever runs."""
        self.write("power.csv", "# clock = script\nseconds,watts\n0,108\n10,108\n")
        processors = [word for core in CORES for word in ("--processor", f"cpu:{core}")]
        return ["tune", "--kernel", "dgemv", "--dims", "n=256", *processors, "--sizes", "64:256:64", "--size", "256", "-o", "e.csv",
                "--meter", "replay:power.csv", "--base-power", "58", "--option", "min_repetitions=2", "--option", "max_repetitions=3", *more]

    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_finds_the_least_energy(self):
        result = self.json_of(*self.search_with_a_meter("--objective", "energy"))
        self.assertEqual((result["objective"], result["energy_method"], result["certified"]), ("energy", "replayed", True))
        self.assertNotIn("time", result)
        self.assertEqual((result["energy_low"], result["energy"], result["energy_high"]), (500, 500, 500))
        self.assertEqual(sorted(result["distribution"]), [0, 256])
        self.assertLessEqual({baseline["method"] for baseline in result["baselines"]}, {"optimal", "least-time", "equal", "cpm", "fpm", "balanced"})
        self.assertIn("# energy = replayed by replay:power.csv", (self.folder / "e.csv").read_text())
        text = self.text_of(*self.search_with_a_meter("--objective", "energy", "--no-confirm", "--option", "resume_tolerance=1000"))
        self.assertIn("energy (replayed) ", text)
        self.assertIn("least dynamic energy >= ", text)

    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_points_that_get_their_energy_are_counted(self):
        of_times = self.search_with_a_meter("--no-confirm")
        at = of_times.index("--meter")
        self.text_of(*of_times[:at], *of_times[at + 4:])
        text = self.text_of(*self.search_with_a_meter("--objective", "energy", "--no-confirm", "--option", "resume_tolerance=1000"))
        self.assertRegex(text, r"(?m)^measured [1-9]\d* points? in ")

    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_finds_the_front(self):
        result = self.json_of(*self.search_with_a_meter("--objective", "front"))
        self.assertEqual((result["objective"], result["energy"], result["energy_method"]), ("front", "dynamic", "replayed"))
        self.assertEqual(result["points"][-1]["energy"], 500)
        for point in result["points"]:
            self.assertEqual(sum(point["distribution"]), 256)
            self.assertTrue(point["time_low"] <= point["time"] <= point["time_high"])
        self.assertTrue(0 <= result["covered"] <= 1)
        again = self.text_of(*self.search_with_a_meter("--objective", "front", "--energy", "total", "--option", "resume_tolerance=1000"))
        self.assertIn("total energy (replayed)", again)
        self.assertIn("more points in", again)
        self.assertTrue(self.json_of("pareto", "--size", "256", "e.csv")["points"])
        self.write("front.json", json.dumps(result))
        self.text_of("plot", "front.json", "-o", "front.svg")
