"""tune: the certified optimum of programs that only say how long they would take. Nothing waits."""

import json
import subprocess
import sys
import unittest

from command import COMMAND, CommandTest

# Fast at the multiples of 4 only.
SIMULATED = """
import sys
speed = float(sys.argv[1])
for line in sys.stdin:
    size = int(line)
    if size == 13:
        sys.exit("no luck with 13")
    print(size / speed * (1 if size % 4 == 0 else 1.4), flush=True)
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
        self.assertEqual(list(result)[:4], ["objective", "size", "kernel", "processors"])
        self.assertEqual((result["processors"], result["distribution"]), (["slow", "fast"], [20, 40]))
        self.assertTrue(result["certified"])
        self.assertAlmostEqual(result["time"], 20)
        self.assertLessEqual(result["lower_bound"], 20)
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
        self.assertEqual(partition["distribution"], [20, 40])

    def test_for_people(self):
        text = self.text_of(*self.arguments("--size", "60"))
        for words in ("slow", "20", "certified: within 5.0 % of the least time", "by the medians of single processors no distribution takes less than",
                      "measured time ", "), the mean of runs of the whole distribution\n", ",\nassuming that no unmeasured size is more than ", "run against each other", "t.csv"):
            self.assertIn(words, text)
        again = self.text_of(*self.arguments("--size", "60", "--no-confirm"))
        self.assertIn("more points in", again)
        self.assertRegex(again, r"(?m)^predicted time .*\), by the medians of single processors$")

    def test_a_distribution_slower_than_its_processors_is_told(self):
        self.write("app.py", SIMULATED.replace("print(", 'import os; print((1.5 if os.path.exists("slow") else 1) * ', 1))
        self.tune("--size", "60", "--no-confirm")
        self.write("slow", "")
        text = self.text_of(*self.arguments("--size", "60", "--option", "resume_tolerance=1000", "--budget", "20s"))
        self.assertRegex(text, r"(?m)^the interval measured does not reach down to [\d.]+ s: the whole distribution took 1\.\d+ times as much; ")

    def test_a_program_that_always_fails(self):
        call = ["tune", "--processor", "A=false {size}", "--processor", "B=true {size}", "--sizes", "1:8:1", "--size", "8", "-o", "f.csv"]
        self.assert_fails(1, *call, says="processor 'A' failed at every size tried")

    def test_a_size_that_fails_is_left_out(self):
        result = self.tune("--size", "26", "--option", "sizes=all")
        self.assertNotIn(13, result["distribution"])
        self.assertEqual(result["jaggedness"] > 1, True)  # the sizes that fail are not known

    def test_finds_the_least_energy(self):
        call = ["tune", "--kernel", "dgemv", "--dims", "n=256", "--processor", "cpu:0", "--processor", "cpu:1", "--sizes", "64:256:64",
                "--size", "256", "-o", "e.csv", "--objective", "energy", "--meter", "estimate:12", "--base-power", "0",
                "--option", "interval=0.002", "--budget", "3s", "--precision", "0.5", "--option", "overlap=allowed"]
        result = json.loads(self.text_of(*call, "--format", "json"))
        self.assertEqual((result["objective"], result["energy_method"]), ("energy", "estimated"))
        self.assertNotIn("time", result)
        self.assertEqual(sum(result["distribution"]), 256)
        self.assertLessEqual(result["energy_low"], result["energy"])
        self.assertGreaterEqual(result["energy_high"], result["energy"])
        names = {baseline["method"] for baseline in result["baselines"]}
        self.assertLessEqual(names, {"optimal", "least-time", "equal", "cpm", "fpm", "balanced"})
        self.assertIn("# energy = estimated by estimate:12", (self.folder / "e.csv").read_text())
        text = self.text_of(*call, "--no-confirm", "--option", "resume_tolerance=1000")
        self.assertIn("energy (estimated) ", text)
        self.assertIn("of the least energy", text)

    def test_finds_the_front(self):
        call = ["tune", "--kernel", "dgemv", "--dims", "n=256", "--processor", "cpu:0", "--processor", "cpu:1", "--sizes", "64:256:64",
                "--size", "256", "-o", "f.csv", "--objective", "front", "--meter", "estimate:12", "--base-power", "20",
                "--option", "interval=0.002", "--budget", "3s", "--precision", "0.5", "--option", "overlap=allowed"]
        result = json.loads(self.text_of(*call, "--format", "json"))
        self.assertEqual((result["objective"], result["energy"], result["energy_method"]), ("front", "dynamic", "estimated"))
        self.assertTrue(result["points"])
        for point in result["points"]:
            self.assertEqual(sum(point["distribution"]), 256)
            self.assertTrue(point["time_low"] <= point["time"] <= point["time_high"])
            self.assertTrue(point["energy_low"] <= point["energy"] <= point["energy_high"])
        self.assertTrue(0 <= result["covered"] <= 1)
        again = self.text_of(*call, "--energy", "total", "--option", "resume_tolerance=1000")
        self.assertIn("total energy (estimated)", again)
        self.assertIn("more points in", again)
        front = json.loads(self.text_of("pareto", "--size", "256", "--format", "json", "f.csv"))
        self.assertTrue(front["points"])
        self.write("front.json", json.dumps(result))
        self.text_of("plot", "front.json", "-o", "front.svg")

    def test_a_killed_search_for_a_front_goes_on(self):
        call = [*self.arguments("--size", "60", "--objective", "front", "--meter", "estimate:12", "--base-power", "0",
                                "--option", "interval=0.002", "--option", "resume_tolerance=1000")]
        process = subprocess.Popen([COMMAND, *call], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = self.folder / "t.csv"
        while not (file.exists() and file.read_text().count("\n") > 8):
            self.assertIsNone(process.poll(), "it ended before it was killed")
        process.kill()
        process.wait()
        kept = file.read_text()
        result = json.loads(self.text_of(*call, "--budget", "2s", "--format", "json"))
        self.assertGreater(result["known_points"], 0)
        self.assertGreater(len(file.read_text()), len(kept))

    def test_wrong_calls(self):
        self.assert_fails(2, *self.arguments("--size", "0"), says="--size")
        self.assert_fails(2, *self.arguments("--size", "60", "--objective", "joules"), says="--objective is 'joules'")
        self.assert_fails(2, *self.arguments("--size", "60", "--objective", "front"), says="--objective front needs --meter")
        self.assert_fails(2, *self.arguments("--size", "60", "--energy", "total"), says="--energy belongs to --objective front")
        self.assert_fails(2, *self.arguments("--size", "60", "--objective", "front", "--energy", "some", "--meter", "estimate:12"),
                          says="--energy is 'some'")
        self.assert_fails(2, *self.arguments("--size", "60", "--objective", "energy"), says="needs --meter")
        self.assert_fails(2, *self.arguments("--size", "60", "--meter", "estimate:12"), says="--meter belongs to --objective energy, total-energy and front")
        self.assert_fails(2, *self.arguments("--size", "60", "--precision", "2"), says="precision")
        self.assert_fails(2, *["tune", "--sizes", "1:4:1", "--size", "4", "-o", "t.csv"], says="--kernel is required")


if __name__ == "__main__":
    unittest.main()
