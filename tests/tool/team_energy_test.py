"""Energy functions and fronts of teams: profile, run, pareto and partition with a meter, and with one that is not there."""

import json
import os
import subprocess
import unittest

from command import COMMAND, CommandTest

# A script of 10 s at 108 W in every window: 500 J above 58 W, whatever runs.
SCRIPT = "# clock = script\nseconds,watts\n0,108\n10,108\n"
FAST = ["--option", "min_repetitions=2", "--option", "max_repetitions=2"]


class TeamEnergy(CommandTest):
    def setUp(self):
        super().setUp()
        self.core = sorted(os.sched_getaffinity(0))[0]
        (self.folder / "power.csv").write_text(SCRIPT)

    def profile(self, *more, output="p.csv"):
        return ["profile", "--kernel", "dgemm", "--dims", "n=32,k=32", "--sizes", "16:48:16", "--processor", f"cpu:{self.core}",
                "-o", output, *FAST, *more]

    def call(self, *arguments):
        return subprocess.run([COMMAND, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False)

    def test_energy_is_in_the_file_and_in_what_is_made_of_it(self):
        meter = ["--meter", "replay:power.csv", "--base-power", "58"]
        made = self.json_of(*self.profile(*meter))
        self.assertEqual((made["meter"], made["energy_method"], made["base_power"]), ("replay:power.csv", "replayed", 58))
        lines = (self.folder / "p.csv").read_text().splitlines()
        self.assertIn("# energy = replayed by replay:power.csv, each processor alone", lines)
        self.assertIn("# base_power = 58", lines)
        rows = [line.split(",") for line in lines if line.startswith("cpu:")]
        self.assertEqual([float(row[3]) for row in rows], [500, 500, 500])

        front = self.json_of("pareto", "--size", "32", "p.csv")
        self.assertEqual(front["points"][0]["energy"], 500)
        self.assertIn("replayed by replay:power.csv", front["energy_source"])
        self.assertIn("energies are not measured here but replayed", self.text_of("pareto", "--size", "32", "p.csv"))
        self.assertIn("energies are not measured here but replayed",
                      self.text_of("partition", "--objective", "energy", "--size", "32", "p.csv"))

        result = self.json_of("run", "--size", "32", "p.csv", *meter, *FAST)
        self.assertEqual(result["energy_method"], "replayed")
        self.assertEqual(result["splits"][0]["predicted_joules"], 500)
        self.assertEqual(result["splits"][0]["measured_joules"], 500)
        # Two watts less of base power are 20 J more in 10 s.
        wrong = self.json_of("run", "--size", "32", "p.csv", "--meter", "replay:power.csv", "--base-power", "56", *FAST)
        self.assertEqual(wrong["splits"][0]["measured_joules"], 520)
        text = self.text_of("run", "--size", "32", "p.csv", *meter, *FAST)
        self.assertIn("measured energy (replayed)", text)
        self.assertIn("predicted energy (replayed)", text)

    def test_an_estimate_is_called_one(self):
        text = self.text_of(*self.profile("--meter", "estimate:12", "--option", "base_seconds=0.1"))
        self.assertIn("dynamic energy (estimated) by estimate:12", text)
        self.assertIn("# energy = estimated by estimate:12", (self.folder / "p.csv").read_text())
        self.assertIn("predicted energy (estimated)", self.text_of("run", "--size", "32", "p.csv", *FAST))

    def test_the_interval_is_the_meters(self):
        meter = ["--meter", "estimate:12", "--base-power", "0", "--option", "interval=0.002"]
        self.assertEqual(self.json_of(*self.profile(*meter))["energy_method"], "estimated")
        self.assertEqual(self.json_of("run", "--size", "32", "p.csv", *meter, *FAST)["energy_method"], "estimated")
        for wrong, said in ((["--meter", "estimate:12", "--option", "interval=0"], "interval"),
                            (["--option", "interval=1"], "does not belong")):
            done = self.call(*self.profile(*wrong, output="other.csv"))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_without_a_sensor_the_times_are_measured_all_the_same(self):
        os.environ["HPART_SYSFS_ROOT"] = str(self.folder)
        try:
            done = self.call(*self.profile("--meter", "rapl"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("no energy is measured: ", done.stderr)
            ran = self.call("run", "--size", "32", "p.csv", "--meter", "rapl", *FAST)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)
        finally:
            del os.environ["HPART_SYSFS_ROOT"]
        self.assertIn("processor,size,time,time_low,time_high,repetitions\n", (self.folder / "p.csv").read_text())

    def test_a_meter_that_fails_in_mid_run_costs_the_energies_alone(self):
        self.json_of(*self.profile())
        # Works for a window or two, then is gone.
        script = self.write("meter.sh", "#!/bin/sh\ntest -e gone && exit 1\ntouch gone\n"
                                        "for i in 1 2 3 4 5; do echo 50; sleep 0.05; done\n")
        script.chmod(0o755)
        done = self.call("run", "--size", "32", "p.csv", "--meter", f"command:{script}", "--base-power", "5", "--format",
                         "json", *FAST)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("no energy is measured: ", done.stderr)
        result = json.loads(done.stdout)
        self.assertGreater(result["splits"][0]["measured_seconds"], 0)
        self.assertIn(None, [split["measured_joules"] for split in result["splits"]])
        self.assertIn("no energy is measured: ", result["meter_note"])

    def test_wrong_calls(self):
        for arguments in (("--meter", "volts"), ("--meter", "replay:none.csv"), ("--base-power", "58"),
                          ("--meter", "estimate:12", "--base-power", "x"), ("--meter", "replay:power.csv")):
            done = self.call(*self.profile(*arguments))
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertFalse((self.folder / "p.csv").exists())


class Source(CommandTest):
    """What a file's comments say of its energies is shown, and nothing else of them."""

    def front(self, *comments):
        lines = "".join(f"# energy = {comment}\n" for comment in comments)
        file = self.write("p.csv", f"{lines}processor,size,time,energy\na,1,1,1\na,2,2,2\n")
        return self.json_of("pareto", "--size", "2", file).get("energy_source"), self.text_of("pareto", "--size", "2", file)

    def test_odd_comments(self):
        self.assertIsNone(self.front()[0])
        self.assertIsNone(self.front("")[0])
        source, text = self.front("estimated by \x1b[31mred\x07\x7f")
        self.assertEqual(source, "estimated by  [31mred  ")
        self.assertNotIn("\x1b", text)
        source, text = self.front("estimated " + "\u00e9" * 5000)
        self.assertLess(len(source), 250)
        self.assertTrue(source.endswith("\u00e9..."), source)
        self.assertLess(len(text), 1000)
        source, text = self.front("counter by rapl", "counter by rapl", "estimated by estimate:12", "counter by perf")
        self.assertEqual(source, "estimated by estimate:12 (and 2 more)")
        self.assertIn("not measured here but estimated", text)
        source, text = self.front("counter by rapl")
        self.assertEqual(source, "counter by rapl")
        self.assertNotIn("not measured", text)


if __name__ == "__main__":
    unittest.main()
