"""hpart study: its folder and its runs; calls.txt has its results."""

import json
import os
import resource
import signal
import sys
import unittest
import xml.etree.ElementTree

from command import CORES, DATA, FAST, CommandTest

DGEMM = DATA / "measured/dgemm-rows-by-512-by-512.csv"
ENERGIES = DATA / "hepopta-fig-5.1.csv"
BASELINES = ["equal", "cpm", "fpm", "smooth-fpm", "balanced"]
SIMULATED = """
import os
import sys
speed = float(sys.argv[1])
open("started", "w").close()
for line in sys.stdin:
    if int(line) == 7 and os.path.exists("unlucky"):
        sys.exit("no luck with 7")
    print((int(line) % 4 + 1) * int(line) / speed * 1.0000000001, flush=True)  # of many decimals, as of a fine clock
"""


def saved(least, most):
    return 1 - least / most if most > 0 else 0


class Folder(CommandTest):
    def titles(self, name):
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        return ["".join(text.itertext()).strip() for text in root.iter() if text.tag.endswith("}text")]

    def test_the_ending_chooses_the_format(self):
        call = ["study", "--sizes", "1:14:1", "--base-power", "3", ENERGIES]
        for output in ("out", "out.svg", "out.png", "out.pdf"):
            self.assertIn(f"written to '{output}'", self.text_of(*call, "-o", output))
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["distributions.svg", "energy-gain.svg", "functions.svg", "gain.svg", "report.json",
                                                                   "study.csv", "total-energy-gain.svg"])
        for name in ("out.svg", "out/gain.svg", "out/energy-gain.svg", "out/total-energy-gain.svg"):
            titles = self.titles(name)
            self.assert_has(titles, *BASELINES, "size")
        self.assertEqual((self.folder / "out.png").read_bytes()[:4], b"\x89PNG")
        content = (self.folder / "out.pdf").read_bytes()
        self.assertEqual((content[:5], content.rstrip()[-5:]), (b"%PDF-", b"%%EOF"))

    def test_the_last_block_of_many_processors_has_the_rest(self):
        self.write("many.csv", "processor,size,time\n" + "".join(f"p{i},{k},{k}\n" for i in range(14) for k in (1, 2)))
        self.text_of("study", "--sizes", "14", "many.csv", "-o", "out")
        titles = self.titles("out/distributions.svg")
        self.assert_has(titles, "p10", "3 more")
        self.assertNotIn("p11", titles)

    def test_a_folder_that_is_there_keeps_other_files(self):
        (self.folder / "out").mkdir()
        self.write("out/mine.txt", "mine")
        self.write("out/study.csv", "old")
        self.text_of("study", "--sizes", "200,400", DGEMM, "-o", "out")
        self.assertEqual((self.folder / "out/mine.txt").read_text(), "mine")
        self.assertTrue((self.folder / "out/study.csv").read_text().startswith("size,method,time,"))

    def test_a_file_that_cannot_grow(self):
        (self.folder / "out").mkdir()
        self.write("out/report.json", "old")
        for output in ("out", "new"):
            result = self.run_command("study", "--sizes", "200", DGEMM, "-o", output, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), result.stderr)
            self.assertIn(b"Over 1 size", result.stdout, "the result is not lost")
            self.assertNotIn(b"written to", result.stdout)
            self.assertIn(b"File too large", result.stderr)
        self.assertEqual((self.folder / "out/report.json").read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["out"])

class Running(CommandTest):
    """Programs that only say how long they would take, so that measured times are known."""

    def setUp(self):
        super().setUp()
        self.write("app.py", SIMULATED)
        self.processors = [word for name, speed in (("slow", 1000), ("fast", 3000))
                           for word in ("--processor", f"{name}='{sys.executable}' app.py {speed}")]
        self.processors += ["--protocol", "lines"]
        self.text_of("profile", *self.processors, "--sizes", "1:16:1", "-o", "p.csv", "--option", "min_repetitions=2")

    def test_programs_take_the_time_that_was_predicted(self):
        result = self.json_of("study", "--sizes", "6:20:2", "--run", *self.processors, "-o", "out", "p.csv")
        for entry in result["sizes"]:
            best = entry["methods"][0]
            for row in entry["methods"]:
                self.assertAlmostEqual(row["measured_seconds"], row["time"], 9)
                self.assertAlmostEqual(row["measured_gain"], row["gain"], 9)
                self.assertEqual(row["measured_distinguishable"], row["distribution"] != best["distribution"] and row["gain"] > 1e-9,
                                 (entry["size"], row))
                self.assertFalse(row["checked"])
        for method in BASELINES:
            of = result["summary"]["measured_gain"][method]
            self.assertAlmostEqual(of["mean"], result["summary"]["gain"][method]["mean"], 9)
            self.assertEqual(of["sure_losses"], 0)
        self.assertLess(result["summary"]["prediction_error"]["max"], 1e-9)
        for name in ("gain.svg", "measured-gain.svg", "run.svg"):
            self.assertTrue((self.folder / "out" / name).exists())
        self.text_of("plot", "out/report.json", "-o", "all.svg")
        self.assertIn("measured time saved [%]", (self.folder / "all.svg").read_text())
        text = self.text_of("study", "--sizes", "6:20:2", "--run", *self.processors, "p.csv")
        self.assertIn("Run here, over 8 sizes, optimal distributions take ", text)
        self.assertIn("Measured times of the optimal distributions differ from predicted ones by 0 %", text)

    def test_self_scheduling_runs(self):
        result = self.json_of("study", "--sizes", "8,16", "--run", "--dynamic", "--option", "package=2", *self.processors, "p.csv")
        for entry in result["sizes"]:
            best = entry["methods"][0]
            for row in entry["methods"]:
                if row["method"] in ("fixed", "guided", "factoring", "sigmoid"):
                    # The order in which processors ask depends on the machine.
                    self.assertTrue(entry["size"] / 4000 <= row["measured_seconds"] <= 4 * entry["size"] / 1000, row)
                    self.assertAlmostEqual(row["measured_gain"], saved(best["measured_seconds"], row["measured_seconds"]), 9)
        self.assertEqual(result["summary"]["measured_gain"]["guided"]["sizes"], 2)

    def test_a_program_that_takes_longer_than_predicted(self):
        """The file says that the slow one is fast: what is measured is a loss, and is said to be one."""
        lines = (self.folder / "p.csv").read_text().splitlines()
        head = next(k for k, line in enumerate(lines) if line.startswith("processor,"))
        points = [line.split(",") for line in lines[head + 1:]]
        wrong = [f"{name},{size},{float(time) / (30 if name == 'slow' else 1)}" for name, size, time, *_ in points]
        self.write("w.csv", "\n".join([*lines[:head], "processor,size,time", *wrong]) + "\n")
        result = self.json_of("study", "--sizes", "7", "--run", *self.processors, "w.csv")
        equal = self.rows_of(result)["equal"]
        self.assertGreaterEqual(equal["gain"], 0)
        self.assertLess(equal["measured_gain"], 0)
        self.assertEqual(result["summary"]["measured_gain"]["equal"]["sure_losses"], 1)
        self.assertIn("more time than equal parts", result["summary"]["text"])

    def test_a_size_that_fails_leaves_the_others(self):
        self.write("unlucky", "")
        call = ["study", "--sizes", "2,7,13,14", "--run", *self.processors, "p.csv", "--format", "json"]
        result = self.run_command(*call)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"was not executed", result.stderr)
        executed = [entry["methods"][0].get("measured_seconds") is not None for entry in json.loads(result.stdout)["sizes"]]
        self.assertTrue(executed[0])
        self.assertFalse(all(executed))

    def test_a_budget_that_ends_leaves_the_first_size(self):
        call = ["study", "--sizes", "8,16", "--run", *self.processors, "p.csv", "--format", "json", "--budget", "1e-6s"]
        made = self.run_command(*call)
        self.assertEqual((made.returncode, made.stderr.decode()),
                         (0, "hpart: The budget ended with 1 of 2 sizes executed; the others are predictions alone. "
                             "A longer --budget gives it more time.\n"))
        run = json.loads(made.stdout)["run"]
        self.assertEqual((run["complete"], run["sizes_executed"]), (False, 1))

    def rows_of(self, result):
        return {row["method"]: row for row in result["sizes"][0]["methods"]}

    def test_an_interrupt_leaves_nothing(self):
        (self.folder / "started").unlink()
        process = self.start_command("study", "--sizes", "6:20:1", "--run", *self.processors, "p.csv", "-o", "out", "--budget", "1000m",
                                     "--option", "precision=1e-6", "--option", "max_seconds=1000", "--option", "min_repetitions=1G",
                                     "--option", "max_repetitions=1G")
        self.wait_until(process, (self.folder / "started").exists)
        self.assert_interrupted(process)
        self.assertFalse((self.folder / "out").exists())

    def test_an_interrupt_keeps_the_sizes_that_ran(self):
        self.write("sleepy.py", """
import pathlib
import sys
import time

for line in sys.stdin:
    if int(line) == 5:
        pathlib.Path("second").touch()
        time.sleep(1000)
    print(int(line), flush=True)
""")
        self.write("s.csv", "processor,size,time\n" + "".join(f"{name},{size},{size}\n" for name in "AB" for size in (2, 5)))
        programs = [word for name in "AB" for word in ("--processor", f"{name}='{sys.executable}' sleepy.py")]
        for output in ([], ["-o", "out"]):
            process = self.start_command("study", "--sizes", "4,10", "--run", *programs, "--protocol", "lines", "s.csv", "--format", "json",
                                         *FAST, *output)
            self.wait_until(process, (self.folder / "second").exists)
            process.send_signal(signal.SIGINT)
            out, message = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 128 + signal.SIGINT, message)
            self.assertIn(b"interrupted; 1 of 2 sizes were executed", message)
            self.assertNotIn(b"nothing was written", message)
            result = json.loads(out)
            self.assertIs(result["run"]["complete"], False)
            self.assertEqual(result["run"]["sizes_executed"], 1)
            measured = [size["methods"][0].get("measured_seconds") is not None for size in result["sizes"]]
            self.assertEqual(measured, [True, False])
            (self.folder / "second").unlink()
        self.assertIs(json.loads((self.folder / "out" / "report.json").read_text())["run"]["complete"], False)

    @unittest.skipIf(len(CORES) < 2, "needs two cores")
    def test_kernels_on_cores(self):
        self.text_of("profile", "--kernel", "dgemm", "--dims", "n=32,k=32", "--sizes", "16:64:16", *FAST, "-o", "d.csv",
                     *(word for core in CORES for word in ("--processor", f"cpu:{core}")))
        result = self.json_of("study", "--sizes", "32:96:32", "--run", "--kernel", "dgemm", *FAST,
                              "--meter", "estimate:10", "--base-power", "0", "--option", "interval=0.002", "d.csv")
        for entry in result["sizes"]:
            for row in entry["methods"]:
                self.assertTrue(row["checked"])
                self.assertGreater(row["measured_seconds"], 0)
                self.assertIsNotNone(row["measured_joules"])
        self.assertEqual(result["run"]["energy_method"], "estimated")
        self.assertIn("openblas", result["run"]["libraries"])
