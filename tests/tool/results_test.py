"""Results: the keys of the JSON objects, worked examples, numbers that read back, and the same for people."""

import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import struct
import termios

from command import DATA, CommandTest

PARTITION_KEYS = ["objective", "method", "size", "time", "energy", "distribution", "processors", "optimal", "lower_bound",
                  "utilisation", "solve_seconds", "among_measured_sizes", "chosen"]


class Partition(CommandTest):
    def test_keys_and_types(self):
        result = self.json_of("partition", "--size", "4", "--objective", "energy", DATA / "appendix-f.csv")
        self.assertEqual(list(result), PARTITION_KEYS)
        self.assertEqual((result["objective"], result["method"], result["size"]), ("energy", "exact", 4))
        self.assertIs(result["optimal"], True)
        self.assertEqual(result["lower_bound"], result["energy"])
        self.assertGreaterEqual(result["solve_seconds"], 0)
        self.assertEqual(len(result["distribution"]), len(result["processors"]))

    INTERVALS = ("processor,size,time,energy,time_low,time_high,energy_low,energy_high,repetitions\n"
                 "a,1,0.0132,3,0.0126,0.0139,2,4,12\n" "a,2,0.02,5,,,,,\n" "b,1,0.01,2,0.009,0.03,1.5,2.5,9\n"
                 "b,2,0.0135,3,0.013,0.0145,,,\n")

    def test_intervals(self):
        path = self.write("p.csv", self.INTERVALS)
        result = self.json_of("partition", "--size", "2", path)
        self.assertEqual((result["time"], result["time_low"], result["time_high"]), (0.0132, 0.0126, 0.03))
        self.assertEqual((result["energy_low"], result["energy_high"]), (3.5, 6.5))
        told = self.text_of("partition", "--size", "2", path)
        self.assertIn("time 13.2 ms (12.6 to 30.0), dynamic energy 5.00 J (3.50 to 6.50)", told)
        self.assertIn("13.2 ms (12.6 to 13.9)", told)
        in_turn = self.write("in_turn.csv", "# measured = one after another\n" + self.INTERVALS)
        hint = "measured one after another; processors that run at once may take longer"
        self.assertNotIn(hint, told)
        self.assertIn(hint, self.text_of("partition", "--size", "2", in_turn))
        self.assertNotIn(hint, self.text_of("partition", "--size", "2", "--objective", "sum-time", in_turn))
        robust = self.json_of("partition", "--size", "2", "--option", "objective_bound=high", path)
        self.assertEqual((robust["distribution"], robust["time"]), ([0, 2], 0.0145))
        self.assertNotIn("energy_low", robust)
        self.assertIn("14.5 ms (13.0 to 14.5)", self.text_of("partition", "--size", "2", "--option", "objective_bound=high", path))
        half = self.json_of("partition", "--size", "2", "--option", "objective_bound=low", "--option", "max_active=1", path)
        self.assertEqual((half["distribution"], half["time"], half["time_high"]), ([0, 2], 0.013, 0.0145))
        points = self.json_of("pareto", "--size", "2", path)["points"]
        self.assertEqual([(point["time"], point.get("energy_high")) for point in points], [(0.0132, 6.5), (0.0135, None)])
        schedule = self.json_of("schedule", "--size", "2", path)
        self.assertEqual((schedule["makespan"], schedule["time_low"]), (0.0132, 0.0126))

    def test_bounds(self):
        path = self.write("p.csv", "processor,size,time,energy\nfast,1,1,10\nfast,2,2,20\nfast,3,3,30\nfast,4,4,40\n"
                                   "slow,1,3,1\nslow,2,6,2\nslow,3,9,3\nslow,4,12,4\n")
        for bound in (["--deadline", "6"], ["--slowdown", "2"]):
            result = self.json_of("partition", "--size", "4", "--objective", "energy", *bound, path)
            self.assertEqual((result["distribution"], result["time"]), ([2, 2], 6))
        result = self.json_of("partition", "--size", "4", "--energy-budget", "22", path)
        self.assertEqual((result["distribution"], result["energy"]), ([2, 2], 22))
        self.assert_fails(3, "partition", "--size", "4", "--objective", "energy", "--deadline", "1", path)
        front = self.json_of("pareto", "--size", "4", "--option", "deadline=9", "--option", "max_points=2", path)
        self.assertEqual([point["time"] for point in front["points"]], [3, 9])

    def test_bounds_of_a_front(self):
        # Size 4: 3 s with 31 J, 6 s with 22 J, 9 s with 13 J, 12 s with 4 J.
        path = self.write("p.csv", "processor,size,time,energy\n" + "".join(
            f"{name},{size},{seconds * size},{joules * size}\n" for name, seconds, joules in (("fast", 1, 10), ("slow", 3, 1))
            for size in range(1, 5)))
        for bound, times in (([], [3, 6, 9, 12]), (["--deadline", "9"], [3, 6, 9]), (["--deadline", "9000ms"], [3, 6, 9]),
                             (["--slowdown", "2"], [3, 6]), (["--energy-budget", "22"], [6, 9, 12])):
            front = self.json_of("pareto", "--size", "4", *bound, path)
            self.assertEqual([point["time"] for point in front["points"]], times, bound)
        self.assert_fails(3, "pareto", "--size", "4", "--deadline", "1", path)
        same = self.write("same.csv", "processor,size,time,energy\na,1,1,1\nb,1,1,1\n")
        for previous in ([1, 0], [0, 1]):
            front = self.json_of("pareto", "--size", "1", "--previous", ",".join(map(str, previous)), same)
            self.assertEqual([point["distribution"] for point in front["points"]], [previous])
        self.assert_refused("""
            pareto --size 4 p.csv --deadline soon ==> --deadline is 'soon'
            pareto --size 4 p.csv --slowdown 0.5 ==> --slowdown is 0.5; it must be a number of at least 1
            pareto --size 4 p.csv --energy-budget -1 ==> --energy-budget is -1; it must be
            pareto --size 4 p.csv --previous 4 ==> previous
            pareto --size 4 p.csv --previous 4,x ==> --previous is '4,x'
            pareto --size 4 p.csv --deadline 9 --option deadline=8 ==> --deadline and --option deadline are the same""")

    def test_energy_is_null_where_nothing_was_measured(self):
        path = self.write("p.csv", "processor,size,time\na,4,0.5\nb,4,0.25\n")
        for size in (0, 4, 8):
            self.assertIsNone(self.json_of("partition", "--size", size, path)["energy"])

    def test_numbers_read_back(self):
        times = [0.1 + 0.2, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123456789]
        for time in times:
            path = self.write("p.csv", f"processor,size,time\na,9007199254740993,{time!r}\n")
            result = self.json_of("partition", "--size", "9007199254740993", path)
            self.assertEqual(result["time"], time)
            self.assertEqual(result["distribution"], [9007199254740993])

    def test_methods(self):
        path = DATA / "appendix-f.csv"
        for method in ("equal", "cpm"):
            result = self.json_of("partition", "--size", "4", "--method", method, path)
            self.assertEqual((list(result), result["method"], sum(result["distribution"])), (PARTITION_KEYS, method, 4))
            option = self.json_of("partition", "--size", "4", "--option", f"method={method}", path)
            self.assertEqual((option["method"], option["distribution"]), (method, result["distribution"]))

    def test_names_stay_as_they_are(self):
        names = ["Größe", "a b", "it's", "$(x)", "back\\slash", "<&>"]
        path = self.write("p.csv", "processor,size,time\n" + "".join(f"{name},1,1\n" for name in names))
        self.assertEqual(self.json_of("partition", "--size", "6", path)["processors"], names)
        bytes_that_are_no_text = self.write("q.csv", b"processor,size,time\n\xff\xfe,1,1\n")
        self.json_of("partition", "--size", "1", bytes_that_are_no_text)

    def test_base_power_of_the_file_and_of_the_call(self):
        path = self.write("p.csv", "# base_power = 10\nprocessor,size,time,energy\na,1,2,3\n")
        text = self.text_of("partition", "--size", "4", "--objective", "sum-time", DATA / "appendix-f.csv")
        self.assertIn("least sum of times", text)
        cluster = self.json_of("partition", "--size", "12", "--copies", "3", DATA / "appendix-f.csv")
        self.assertEqual((len(cluster["processors"]), cluster["processors"][-1][:2], sum(cluster["distribution"])), (6, "2/", 12))
        call = ["partition", "--size", "1", "--objective", "total-energy", path]
        self.assertEqual(self.json_of(*call)["energy"], 23)
        self.assertEqual(self.json_of(*call, "--base-power", "0")["energy"], 3)

    def test_for_people(self):
        text = self.text_of("partition", "--size", "4", DATA / "appendix-f.csv")
        self.assert_has(text, "processor", "share", "75.0 %", "20 s", "proved optimal")
        self.assertNotIn("\x1b", text)
        text = self.text_of("partition", "--size", "4", "--objective", "total-energy", "--base-power", "1", DATA / "appendix-f.csv")
        self.assertIn("least total energy by method exact", text)

    def test_options_take_the_suffixes_of_sizes(self):
        path = self.write("p.csv", "processor,size,time\na,1024,1\nb,1024,2\nb,512,0.1\na,512,0.1\n")
        result = self.json_of("partition", "--size", "1Ki", "--option", "block=1Ki", "--option", "memory_limit=1G", path)
        self.assertEqual(result["distribution"], [1024, 0])

    def test_the_file_of_output_has_the_same_object(self):
        said = self.text_of("partition", "--size", "4", DATA / "appendix-f.csv", "-o", "r.json", "--format", "json")
        self.assertEqual((self.folder / "r.json").read_text(), said)


class Pareto(CommandTest):
    def test_the_printed_front(self):
        result = self.json_of("pareto", "--size", "4", DATA / "hepopta-fig-5.1.csv")
        self.assertEqual(list(result), ["size", "energy", "processors", "points", "solve_seconds"])
        self.assertEqual((result["size"], result["energy"]), (4, "dynamic"))
        self.assertEqual([(point["energy"], point["time"]) for point in result["points"]], [(5, 2), (4, 3), (2, 6)])
        for point in result["points"]:
            self.assertEqual(list(point), ["time", "energy", "distribution"])
            self.assertEqual(sum(point["distribution"]), 4)


class Schedule(CommandTest):
    def test_worked_example(self):
        path = DATA / "wdah-eq-4.9.csv"
        result = self.json_of("schedule", "--size", "16", path)
        self.assertEqual(list(result), ["size", "makespan", "optimal", "tasks", "utilisation", "solve_seconds"])
        self.assertEqual((result["size"], result["makespan"], result["optimal"]), (16, 6, True))
        self.assertEqual(list(result["tasks"][0]), ["processor", "size", "repeats", "time"])
        times = {tuple(line.split(",")[:2]): float(line.split(",")[2]) for line in path.read_text().splitlines() if line[0].isdigit()}
        for task in result["tasks"]:
            self.assertEqual(task["time"], times[task["processor"], str(task["size"])])
        self.assertEqual(sum(task["size"] * task["repeats"] for task in result["tasks"]), 16)
        self.assertIn("makespan 6 s", self.text_of("schedule", "--size", "16", path))
        self.assertEqual(result["utilisation"], [4 / 6, 1.0])
        compared = ("schedule", "--size", "16", "--method", "wdah", "--option", "compare=exact", path)
        self.assertEqual(self.json_of(*compared)["excess"], 0)
        self.assertIn("0.0 % above the optimum", self.text_of(*compared))

    def test_nothing_to_do(self):
        result = self.json_of("schedule", "--size", "0", DATA / "wdah-eq-4.9.csv")
        self.assertEqual((result["tasks"], result["makespan"]), ([], 0))


class SeveralSizes(CommandTest):
    def test_lists_and_ranges(self):
        path = DATA / "hepopta-fig-5.1.csv"
        for call in (["partition"], ["pareto"], ["schedule"]):
            def of(*sizes):
                arguments = [word for size in sizes for word in ("--size", size)]
                return self.json_of(*call, *arguments, path)
            def without_time(result):
                return {key: value for key, value in result.items() if key != "solve_seconds"}
            single = [without_time(of(size)) for size in (2, 3, 4)]
            for together in (of("2,3,4"), of(2, "3:4:1")):
                self.assertEqual(list(together), ["results"])
                self.assertEqual([without_time(result) for result in together["results"]], single)
        rows = [line.split() for line in self.text_of("partition", "--size", "2,3", path).splitlines()]
        self.assertEqual([row[0] for row in rows], ["size", "2", "3"])
        self.assertEqual([row[-1] for row in rows], ["optimal", "proved", "proved"])

    def test_sizes_without_a_distribution_leave_the_others(self):
        path = self.write("gaps.csv", "processor,size,time,energy\na,10,1,1\na,25,2,2\nb,10,1,1\n")
        absent = {"partition": "distribution", "pareto": "points", "schedule": "tasks"}
        for call, key in absent.items():
            found = [self.json_of(call, "--size", size, path) for size in (10, 35)]
            result = self.run_command(call, "--size", "13,10,14,35", path, "--format", "json", "-o", "r.json")
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (3, 1), result.stderr)
            self.assertTrue(result.stderr.startswith(b"hpart: 2 of 4 sizes have no distribution; no distribution of size 13 exists"), result.stderr)
            self.assertEqual((self.folder / "r.json").read_bytes(), result.stdout)
            entries = json.loads(result.stdout)["results"]
            self.assertEqual([entry["size"] for entry in entries], [13, 10, 14, 35])
            for entry in entries[::2]:
                self.assertIn(f"no distribution of size {entry['size']} exists; the nearest", entry["reason"])
                self.assertFalse(entry[key])
            self.assertEqual([entry[key] for entry in entries[1::2]], [one[key] for one in found])
            self.assertNotIn("reason", entries[1])
            result = self.run_command(call, "--size", "13,10", path)
            self.assertEqual((result.returncode, result.stderr.count(b"\n")), (3, 1), result.stderr)
            self.assertIn(b"hpart: no distribution of size 13 exists", result.stderr)
            self.assertIn(b"no distribution of size 13 exists", result.stdout)
            self.assertIn(b"10  0 | 10" if call == "partition" else b"size 10", result.stdout)
            result = self.run_command(call, "--size", "13,10", path, "--format", "csv")
            self.assertEqual(result.returncode, 3)
            rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
            self.assertEqual((rows[0]["size"], rows[1]["size"], rows[1]["reason"]), ("13", "10", ""))
            self.assertIn("no distribution of size 13", rows[0]["reason"])
            self.assertEqual(list(rows[0])[-1], "reason")
            self.assertNotIn("distribution", rows[0])
            self.assert_fails(3, call, "--size", "13,14", path, "--format", "json", says="no distribution of size 13 exists")

    def test_suffixes(self):
        path = self.write("p.csv", "processor,size,time\n" + "".join(f"a,{size},1\n" for size in (4000, 4096, 4000000, 2**32)))
        for text, size in (("4k", 4000), ("4K", 4000), ("4Ki", 4096), ("4M", 4000000), ("4Gi", 2**32)):
            self.assertEqual(self.json_of("partition", "--size", text, path)["size"], size)


class Csv(CommandTest):
    def rows_of(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.text_of(*arguments, "--format", "csv"))))

    def test_partition(self):
        path = self.write("p.csv", 'processor,size,time\na b,4,0.5\nb\'s,4,0.25\n')
        rows = self.rows_of("partition", "--size", "4,8", path)
        self.assertEqual([(row["size"], row["a b"], row["b's"], row["time"], row["energy"], row["optimal"]) for row in rows],
                         [("4", "0", "4", "0.25", "", "true"), ("8", "4", "4", "0.5", "", "true")])

    def test_a_processor_with_the_name_of_a_column(self):
        path = self.write("p.csv", "processor,size,time\nsize,4,0.5\ntime,4,0.25\n")
        self.assertEqual([(row["size"], row["x_size"], row["x_time"], row["time"]) for row in self.rows_of("partition", "--size", "4", path)],
                         [("4", "0", "4", "0.25")])

    def test_a_processor_with_the_name_of_another_ones_column(self):
        path = self.write("p.csv", "processor,size,time\n" + "".join(
            f"{name},4,0.5\n{name},8,1\n" for name in ("A", "A_utilisation", "x_A_utilisation")))
        row, found = self.rows_of("partition", "--size", "16", path)[0], self.json_of("partition", "--size", "16", path)
        self.assertEqual([int(row[column]) for column in ("A", "x_A_utilisation", "x_x_A_utilisation")], found["distribution"])
        self.assertEqual(float(row["A_utilisation"]), found["utilisation"][0])

    def test_pareto_and_schedule(self):
        path = DATA / "hepopta-fig-5.1.csv"
        names = self.json_of("pareto", "--size", "4", path)["processors"]
        points = self.json_of("pareto", "--size", "4", path)["points"]
        rows = self.rows_of("pareto", "--size", "4", path)
        self.assertEqual([(float(row["time"]), float(row["energy"]), [int(row[name]) for name in names]) for row in rows],
                         [(point["time"], point["energy"], point["distribution"]) for point in points])
        self.assertEqual({row["energy_kind"] for row in rows}, {"dynamic"})
        tasks = self.json_of("schedule", "--size", "16", DATA / "wdah-eq-4.9.csv")["tasks"]
        rows = self.rows_of("schedule", "--size", "16", DATA / "wdah-eq-4.9.csv")
        self.assertEqual([(row["processor"], int(row["task_size"]), int(row["repeats"]), row["makespan"]) for row in rows],
                         [(task["processor"], task["size"], task["repeats"], "6.0") for task in tasks])

    def test_the_others(self):
        for call in (["info"], ["shape", DATA / "appendix-f.csv"], ["options"], ["gemm", "--m", 8, "--n", 8, "--k", 8]):
            rows = self.rows_of(*call)
            self.assertGreaterEqual(len(rows), 1)
            self.assertGreater(len(rows[0]), 3)


class About(CommandTest):
    def test_info(self):
        result = self.json_of("info")
        self.assertEqual(list(result), ["version", "libraries", "devices", "meters", "processors"])
        self.assertRegex(result["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(self.text_of("--version"), f"hpart {result['version']}\n")
        self.assertIn("openblas", result["libraries"])
        self.assertTrue(any(device["spec"].startswith("cpu:") for device in result["devices"]))
        self.assertIn(result["version"], self.text_of("info"))
        for word in ("--version", "-V", "version"):
            self.assertEqual(self.text_of(word), f"hpart {result['version']}\n")

    def test_info_on_devices(self):
        text = self.text_of("info", "--devices")
        for library in ("cuda", "cublas", "cufft", "opencl", "clblast", "vkfft", "nvml"):
            self.assertRegex(text, rf"(?m)^{library} +\S")
        nowhere = self.text_of("info", "--devices", environment={"HPART_CUDA_PATH": "/nowhere"})
        self.assertRegex(nowhere, r"(?m)^cuda +(CUDA|.*/nowhere)")

    def test_a_result_does_not_replace_its_input(self):
        for call in (["partition"], ["pareto"], ["schedule"]):
            path = self.write("w", "processor,size,time,energy\na,10,1,1\n")
            content = (self.folder / path).read_text()
            for output in ("w", "./w"):
                self.assert_fails(2, *call, "--size", "10", path, "-o", output, says="which was read: the result would replace it")
            self.assertEqual((self.folder / path).read_text(), content)

    def test_help(self):
        names = ["info", "profile", "partition", "pareto", "schedule", "run", "plot", "options"]
        text = self.text_of("--help")
        self.assertEqual(self.text_of("help"), text)
        for name in names:
            self.assertIn(f"\n  {name} ", text)
            of_sub = self.text_of(name, "--help")
            self.assertEqual(self.text_of("help", name), of_sub)
            self.assertIn(f"Example: hpart {name}", of_sub)
            self.assertLessEqual(max(map(len, of_sub.splitlines())), 200)

    def test_help_fits_the_terminal(self):
        terminal, end = pty.openpty()
        self.addCleanup(os.close, terminal)
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        self.assertEqual(self.run_command("tune", "--help", stdout=end).returncode, 0)
        os.close(end)
        shown = b""
        try:
            while part := os.read(terminal, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        lines = shown.decode().replace("\r\n", "\n").splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertEqual(" ".join(" ".join(lines).split()), " ".join(self.text_of("tune", "--help").split()))

    def test_environment(self):
        self.assert_fails(1, "info", "--environment", says="this command is not installed")  # it is python here

    def test_options(self):
        header = (pathlib.Path(__file__).parents[2] / "include/hpart.h").read_text()
        table = header[header.index("--- option keys"):header.index("--- end of option keys")]
        names = re.findall(r"^ \*   (\w+) +(?:int|double|string) ", table, re.MULTILINE)
        options = self.json_of("options")["options"]
        self.assertEqual([option["name"] for option in options], names)
        names_of = lambda name: [option["name"] for option in self.json_of("options", name)["options"]]
        of_meters = ("interval", "lines", "meter_scale", "meter_offset")
        for subcommand, call in (("pareto", "front"), ("tune", "optimize")):
            self.assertEqual([name for name in names_of(subcommand) if name not in of_meters], names_of(call))
        self.assertEqual(set(names_of("run")), {*of_meters, "interpolate", *names_of("compare"), *names_of("measure"), *names_of("self_schedule")})
        self.assertTrue({"interpolate", "max_seconds"} <= set(names_of("study")))
        self.assertNotIn("method", names_of("study"))
        self.assertEqual(names_of("slowdown"), ["slowdown"])
        self.assertEqual(names_of("group"), [option["name"] for option in options if option["name"] in
                                             {*of_meters, *names_of("profile"), *names_of("measure")}])
        def statistic_of(call):
            found = next(option for option in self.json_of("options", call)["options"] if option["name"] == "statistic")
            return found["choices"], found["default"]
        self.assertEqual(statistic_of("profile"), ("mean|median|minimum", "mean"))
        self.assertEqual(statistic_of("compare"), ("mean|median", "mean"))
        for call in ("tune", "optimize"):  # as they refuse the others
            self.assertEqual(statistic_of(call), ("median", "median"))
        self.assertIn("statistic (median; default median)\n    median of the samples\n", self.text_of("options", "tune"))
        of_gemm = self.json_of("options", "gemm")["options"]
        self.assertEqual([one["name"] for one in of_gemm], [option["name"] for option in options if "gemm" in option["calls"].split(", ")])
        self.assertIn("tile", self.text_of("options", "gemm"))
        self.assertIn("memory_limit (int; default none)\n    bytes on each device, whose operations take no other value\n", self.text_of("options", "gemm"))
        self.assertIn("memory_limit (int; default 1 GiB)\n    bytes of the search, then HPART_ERR_LIMIT\n", self.text_of("options", "pareto"))
        self.assertEqual(self.text_of("options", "symm"), self.text_of("options", "gemm"))
        self.assertEqual(self.text_of("options", "getri"), self.text_of("options", "factor"))
