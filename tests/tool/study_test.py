"""hpart study: its gains are those of the partitions, and its folder, refusals and runs are as promised."""

import csv
import io
import json
import math
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
INTERVALS = """processor,size,time,time_low,time_high
a,1,4,3.9,4.1
a,2,8,7,9
b,1,2,1.9,2.1
b,2,3,2.5,3.6
"""  # size 2: b alone in 3 (2.5 to 3.6) against one each in 4 (3.9 to 4.1)
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


def mean(values):
    return math.fsum(values) / len(values)


class Study(CommandTest):
    def test_energies_that_are_missing(self):
        self.write("gaps.csv", "processor,size,time,energy\na,1,1,\na,2,2,4\nb,1,1,\nb,2,2,5\n")
        note = "left out: 2 of 4 sizes of the processors, without an energy\n"
        for call in (["study", "--sizes", "2:4:1"], ["pareto", "--size", "2"], ["partition", "--objective", "energy", "--size", "2"]):
            self.assertEqual(self.text_of(*call, "gaps.csv").count(note), 1, call)
        self.assertNotIn("left out", self.text_of("partition", "--size", "2", "gaps.csv"))
        self.assertNotIn("\ndynamic energy", self.text_of("study", "--sizes", "3", "gaps.csv"))  # 1 + 2: none has an energy
        self.write("zero.csv", "processor,size,time,energy\na,1,1,0\na,2,2,0\nb,1,1,0\nb,2,2,0\n")
        text = self.text_of("study", "--sizes", "2:4:1", "zero.csv")
        self.assertIn("energies are all 0", text)
        self.assertNotIn("\ndynamic energy", text)
        self.assertNotIn("The front of", text)

    def test_self_scheduling(self):
        result = self.json_of("study", "--sizes", "256:1024:256", "--dynamic", "--option", "package=64", DGEMM)
        rows = self.rows(result)
        for size in (256, 512, 768, 1024):
            for method in ("fixed", "guided", "factoring", "sigmoid"):
                row = rows[size, method]
                alone = self.json_of("schedule", "--size", str(size), "--method", method, "--option", "package=64", DGEMM)
                self.assertEqual(row["time"], alone["makespan"])
                self.assertEqual(sum(row["distribution"]), size)
                self.assertEqual(row["gain"], saved(rows[size, "optimal"]["time"], row["time"]))
        self.assertEqual(result["summary"]["gain"]["sigmoid"]["sizes"], 4)
        self.assertIn("sigmoid", self.text_of("study", "--sizes", "256:512:256", "--dynamic", DGEMM))
        self.assert_fails(2, "study", "--sizes", "256", "--option", "package=64", DGEMM, says="package")

    def rows(self, result):
        """By size and method."""
        return {(entry["size"], row["method"]): row for entry in result["sizes"] for row in entry["methods"]}

    def test_gains_are_those_of_the_partitions(self):
        result = self.json_of("study", "--sizes", "4,7,11", "--base-power", "2", ENERGIES)
        rows = self.rows(result)
        for entry in result["sizes"]:
            size = entry["size"]

            def partition(*objective):
                return self.json_of("partition", "--size", size, *objective, ENERGIES)

            def energy_within(slowdown):
                return partition("--objective", "energy", "--slowdown", slowdown)["energy"]

            least = {"time": partition()["time"], "energy": partition("--objective", "energy")["energy"],
                     "total_energy": partition("--objective", "total-energy", "--base-power", "2")["energy"]}
            for key, method in (("time", "optimal"), ("energy", "least-energy"), ("total_energy", "least-total-energy")):
                self.assertEqual(rows[size, method][key], least[key])
            self.assertEqual(rows[size, "optimal"]["energy"], energy_within(1))
            for row in entry["methods"]:
                self.assertEqual(sum(row["distribution"]), size)
                for key, gain in (("time", "gain"), ("energy", "energy_gain"), ("total_energy", "total_energy_gain")):
                    self.assertEqual(row[gain], saved(least[key], row[key]))
            for ratio in (1.05, 1.2):
                self.assertEqual(entry[f"energy_saved_{ratio}"], saved(energy_within(ratio), energy_within(1)))

    def test_communication_and_nodes_are_in_all_costs(self):
        self.write("links.csv", """# base_power = 5
# border_bytes = 8
# link a b latency = 1 bandwidth = 8
# link_energy a b joules_per_byte = 0.5
# node_power b b watts = 3
processor,size,time,energy
a,1,1,2
a,2,2,3
a,3,3,7
a,4,8,9
b,1,1,1
b,2,3,2
b,3,4,6
""")
        chain = ("--option", "communication=chain")
        rows = self.rows(self.json_of("study", "--sizes", "4", *chain, "links.csv"))
        # 3 and 1: 3 + 2 s (the slower way takes 2), 8 + 4 J, 5 + 3 W. 4 and 0: 8 s, 9 J, 5 W. 2 and 2: 5 s, 5 + 4 J, 8 W.
        self.assertEqual([rows[4, "optimal"][key] for key in ("time", "energy", "total_energy")], [5, 9, 49])
        self.assertEqual(rows[4, "least-total-energy"]["total_energy"], 49)
        for objective in ("time", "energy", "total-energy"):
            found = self.json_of("partition", "--size", "4", "--objective", objective, *chain, "links.csv")
            row = rows[4, {"time": "optimal", "energy": "least-energy", "total-energy": "least-total-energy"}[objective]]
            self.assertEqual(row["time"], found["time"])
            if objective != "time":  # the fastest two differ in energy
                self.assertEqual(row["distribution"], found["distribution"])

    def test_the_summary_is_of_all_sizes(self):
        result = self.json_of("study", "--sizes", "1:14:1", "--base-power", "3", ENERGIES)
        rows, summary = self.rows(result), result["summary"]
        self.assertEqual((summary["sizes"], summary["feasible"]), (14, 14))
        for gain in ("gain", "energy_gain", "total_energy_gain"):
            for method, found in summary[gain].items():
                values = [rows[size, method][gain] for size in range(1, 15)]
                self.assertEqual((found["sizes"], found["min"], found["max"]), (14, min(values), max(values)))
                self.assertAlmostEqual(found["mean"], mean(values), 12)
                self.assertAlmostEqual(found["ratio_mean"], mean([1 / (1 - value) for value in values]), 12)
                self.assertAlmostEqual(found["ratio_max"], 1 / (1 - max(values)), 12)
                self.assertEqual((found["sure"], found["sure_mean"]), (None, None))
        for key, found in summary["front"].items():
            values = [entry[key] for entry in result["sizes"]]
            self.assertEqual((found["min"], found["max"]), (min(values), max(values)), key)
            self.assertAlmostEqual(found["mean"], mean(values), 12)
        text = self.text_of("study", "--sizes", "1:14:1", "--base-power", "3", ENERGIES)
        sentences = summary["text"].split("\n")
        self.assertEqual(text.split("\n")[:4], sentences[:4])
        self.assert_has(sentences[2], "Those of least dynamic energy need ", " of it than equal parts")
        self.assert_has(sentences[3], "Those of least total energy need ")
        self.assertEqual(len(sentences), 6, "and two of the fronts")
        self.assert_has(text, *sentences)
        self.assertTrue(summary["text"].startswith("Optimal distributions take 33 % less time than equal parts (0 to 80 %), and "), text)
        self.assertIn("no gain is known to be sure", text)
        self.assertIn(" 60 % less than the fastest ones", self.text_of("study", "--sizes", "4", ENERGIES))  # thesis, figure 5.1

    def test_intervals_that_overlap_are_not_sure(self):
        path = self.write("p.csv", INTERVALS)
        rows = self.rows(self.json_of("study", "--sizes", "2", path))
        optimal, equal = rows[2, "optimal"], rows[2, "equal"]
        self.assertEqual((optimal["distribution"], optimal["time_low"], optimal["time_high"]), ([0, 2], 2.5, 3.6))
        self.assertEqual((equal["distribution"], equal["time_low"], equal["time_high"]), ([1, 1], 3.9, 4.1))
        self.assertEqual((equal["gain"], equal["gain_low"], equal["gain_high"]), (0.25, saved(3.6, 3.9), saved(2.5, 4.1)))
        self.assertTrue(equal["distinguishable"])
        self.assertEqual((optimal["gain"], optimal["distinguishable"]), (0, False))
        wide = self.write("w.csv", INTERVALS.replace("3.9,4.1", "3.5,4.1"))
        result = self.json_of("study", "--sizes", "1,2", wide)
        self.assertFalse(self.rows(result)[2, "equal"]["distinguishable"])
        of = result["summary"]["gain"]["equal"]
        self.assertEqual((of["sizes"], of["sure"]), (2, 1))  # size 1: 2 (1.9 to 2.1) against 4 (3.5 to 4.1)
        self.assertEqual(of["sure_mean"], 0.25)
        self.assertEqual(of["mean"], 0.375)
        text = self.text_of("study", "--sizes", "1,2", wide)
        self.assertIn("the gain is sure at 1 of 2 sizes against equal parts", text)
        self.assertIn(" 25 % ~", text)
        self.assertIn("~ cannot be told apart", text)

    def test_the_same_split_is_no_doubtful_gain(self):
        path = self.write("p.csv", INTERVALS)
        result = self.json_of("study", "--sizes", "2", path)
        rows = self.rows(result)
        best = rows[2, "optimal"]["distribution"]
        same = {method for method in BASELINES if rows[2, method]["distribution"] == best}
        self.assertTrue(same and len(same) < len(BASELINES), rows)
        self.assertEqual({method for method in BASELINES if result["summary"]["gain"][method]["same"] == 1}, same)
        text = self.text_of("study", "--sizes", "2", path)
        self.assertEqual(text.count(" 0 % ="), len(same), text)
        self.assertRegex(text, r"(?m)^time   smooth-fpm +1 .* 1$")  # the column of the same split
        self.assertIn("= the same split\n", text)
        self.assertNotIn("~", text)
        self.assertNotIn("cannot be told apart", text)
        self.assertIn("at 1 of 2 sizes against FPM's (the same split at 1).\n", self.text_of("study", "--sizes", "1,2", path))

    def test_without_energies_there_are_columns_of_time_alone(self):
        text = self.text_of("study", "--sizes", "200,400", DGEMM)
        self.assertNotIn("energy", text)
        table = list(csv.DictReader(io.StringIO(self.text_of("study", "--sizes", "200,400", "--format", "csv", DGEMM))))
        self.assertEqual(list(table[0]), ["size", "method", "time", "gain", "core-haswell", "core-skylakex", "two-cores"])
        self.assertEqual([(row["size"], row["method"]) for row in table],
                         [(size, method) for size in ("200", "400") for method in ("optimal", *BASELINES)])
        rows = self.rows(self.json_of("study", "--sizes", "200,400", DGEMM))
        for row in table:
            expected = rows[int(row["size"]), row["method"]]
            self.assertEqual((float(row["time"]), float(row["gain"])), (expected["time"], expected["gain"]))
            self.assertIsNone(expected["energy"])
            self.assertNotIn("energy_gain", expected)

    def test_the_csv_has_energies_and_fronts(self):
        table = list(csv.DictReader(io.StringIO(self.text_of("study", "--sizes", "4,7", "--format", "csv", ENERGIES))))
        result = self.json_of("study", "--sizes", "4,7", ENERGIES)
        self.assertEqual(len(table), 2 * 7)
        for row in table:
            expected = self.rows(result)[int(row["size"]), row["method"]]
            self.assertEqual(float(row["energy_gain"]), expected["energy_gain"])
            self.assertEqual([int(row[str(i)]) for i in range(4)], expected["distribution"])
            entry = next(entry for entry in result["sizes"] if str(entry["size"]) == row["size"])
            self.assertEqual(float(row["energy_saved_1.2"]), entry["energy_saved_1.2"])

    def test_speeds_at_chosen_sizes(self):
        rows = self.rows(self.json_of("study", "--sizes", "800", "--speed-sizes", "4,1000", DGEMM))
        for size in (4, 1000):
            expected = self.json_of("partition", "--size", "800", "--method", "cpm", "--option", f"speed_size={size}", DGEMM)
            self.assertEqual(rows[800, f"cpm@{size}"]["time"], expected["time"])
        one = self.rows(self.json_of("study", "--sizes", "800", "--option", "speed_size=1k", DGEMM))
        self.assertEqual(one[800, "cpm"], {**rows[800, "cpm@1000"], "method": "cpm"})

    def test_infeasible_sizes_are_skipped(self):
        result = self.json_of("study", "--sizes", "8:12:1", DGEMM)
        self.assertEqual([bool(entry["methods"]) for entry in result["sizes"]], [True, False, False, False, True])
        self.assertEqual((result["summary"]["sizes"], result["summary"]["feasible"]), (5, 2))
        text = self.text_of("study", "--sizes", "8:12:1", DGEMM)
        self.assertIn("over 2 sizes.", text)
        self.assertIn("skipped: 3 sizes of 5, the first one 9: no distribution of size 9 exists", text)
        self.assert_fails(3, "study", "--sizes", "9:11:1", "-o", "made", DGEMM, says="no distribution of size 9 exists")
        self.assertEqual(os.listdir(self.folder), [])
        between = self.json_of("study", "--sizes", "8:12:1", "--option", "interpolate=linear", DGEMM)
        self.assertEqual(between["summary"]["feasible"], 5)

    def test_a_baseline_without_a_distribution(self):
        result = self.json_of("study", "--sizes", "8,12", "--option", "idle_processors=forbidden", DGEMM)
        for method in BASELINES:
            row = self.rows(result)[12, method]
            self.assertEqual((row["time"], row["gain"], row["distribution"]), (None, None, None))
            self.assertIn("does not keep", row["reason"])
            self.assertEqual(result["summary"]["gain"][method]["sizes"], 0)
        self.assertIn("No baseline has a distribution", self.text_of("study", "--sizes", "12", "--option", "idle_processors=forbidden", DGEMM))

class Folder(CommandTest):
    def titles(self, name):
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        return ["".join(text.itertext()).strip() for text in root.iter() if text.tag.endswith("}text")]

    def test_report_csv_and_drawings(self):
        call = ["study", "--sizes", "1:14:1", "--base-power", "3", ENERGIES]
        self.assertIn("written to 'out'", self.text_of(*call, "-o", "out"))
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["distributions.svg", "energy-gain.svg", "functions.svg", "gain.svg", "report.json",
                                                                   "study.csv", "total-energy-gain.svg"])
        self.assertEqual(json.loads((self.folder / "out/report.json").read_text()), self.json_of(*call))
        self.assertEqual((self.folder / "out/study.csv").read_text(), self.text_of(*call, "--format", "csv"))
        for name, label in (("gain", "time"), ("energy-gain", "dynamic energy"), ("total-energy-gain", "total energy")):
            titles = self.titles(f"out/{name}.svg")
            self.assert_has(titles, *BASELINES, f"{label} saved [%]", "size")
        self.assertIn("dynamic energy [J]", self.titles("out/functions.svg"))
        result = self.json_of(*call)
        titles = self.titles("out/distributions.svg")
        for expected in (*result["processors"], "share [%]", "size"):
            self.assertIn(expected, titles)

    def test_the_ending_chooses_what_is_written(self):
        call = ["study", "--sizes", "1:14:1", ENERGIES]
        for ending in ("json", "csv", "svg", "png", "pdf"):
            self.assertIn(f"written to 'out.{ending}'", self.text_of(*call, "-o", f"out.{ending}"))
        self.assertEqual(json.loads((self.folder / "out.json").read_text()), self.json_of(*call))
        self.assertEqual((self.folder / "out.csv").read_text(), self.text_of(*call, "--format", "csv"))
        self.assert_has(self.titles("out.svg"), *BASELINES, "time saved [%]", "dynamic energy saved [%]")
        self.assertEqual((self.folder / "out.png").read_bytes()[:4], b"\x89PNG")
        content = (self.folder / "out.pdf").read_bytes()
        self.assertEqual((content[:5], content.rstrip()[-5:]), (b"%PDF-", b"%%EOF"))
        self.text_of("plot", "out.json", "-o", "again.svg")
        self.assertEqual((self.folder / "again.svg").read_bytes(), (self.folder / "out.svg").read_bytes())
        self.assert_fails(1, *call, "-o", "none/out.svg", says="none/out.svg")
        self.assert_fails(1, *call, "-o", "other.svg", environment={"PATH": "/nowhere"}, says="gnuplot was not found")
        self.assertFalse((self.folder / "other.svg").exists())

    def test_the_last_block_of_many_processors_has_the_rest(self):
        self.write("many.csv", "processor,size,time\n" + "".join(f"p{i},{k},{k}\n" for i in range(14) for k in (1, 2)))
        self.text_of("study", "--sizes", "14", "many.csv", "-o", "out")
        titles = self.titles("out/distributions.svg")
        self.assertIn("p10", titles)
        self.assertIn("3 more", titles)
        self.assertNotIn("p11", titles)

    def test_a_folder_that_is_there_keeps_other_files(self):
        (self.folder / "out").mkdir()
        self.write("out/mine.txt", "mine")
        self.write("out/study.csv", "old")
        self.json_of("study", "--sizes", "200,400", DGEMM, "-o", "out")
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["distributions.svg", "functions.svg", "gain.svg", "mine.txt", "report.json", "study.csv"])
        self.assertEqual((self.folder / "out/mine.txt").read_text(), "mine")
        self.assertTrue((self.folder / "out/study.csv").read_text().startswith("size,method,time,"))

    def test_a_file_that_cannot_grow(self):
        (self.folder / "out").mkdir()
        self.write("out/report.json", "old")
        for output in ("out", "new"):
            result = self.run_command("study", "--sizes", "200", DGEMM, "-o", output, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), result.stderr)
            self.assertEqual(result.stdout, b"")
            self.assertIn(b"File too large", result.stderr)
        self.assertEqual((self.folder / "out/report.json").read_text(), "old")
        self.assertEqual(os.listdir(self.folder), ["out"])

    def test_without_gnuplot_there_are_no_drawings(self):
        result = self.run_command("study", "--sizes", "200", DGEMM, "-o", "out", environment={"PATH": "/nowhere"})
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (0, 1))
        self.assertIn(b"gnuplot was not found", result.stderr)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["report.json", "study.csv"])


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
        text = self.text_of("study", "--sizes", "6:20:2", "--run", *self.processors, "p.csv")
        self.assertIn("Run here, optimal distributions take ", text)
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
        for call in (["run", "--size", "8"], ["study", "--sizes", "8", "--run"]):
            self.assert_fails(2, *call, "--dynamic", "--application", "echo {x}", "p.csv", says="--dynamic")

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
                              "--meter", "estimate:10", "--base-power", "1", "--option", "interval=0.002", "d.csv")
        for entry in result["sizes"]:
            for row in entry["methods"]:
                self.assertTrue(row["checked"])
                self.assertGreater(row["measured_seconds"], 0)
                self.assertIsNotNone(row["measured_joules"])
        self.assertEqual(result["run"]["energy_method"], "estimated")
        self.assertIn("openblas", result["run"]["libraries"])
