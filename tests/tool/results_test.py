"""Results that read back, and the command's information about itself; calls.txt has the results that are the same on every machine."""

import csv
import fcntl
import io
import os
import pathlib
import pty
import re
import struct
import termios

from command import CommandTest


class Results(CommandTest):
    def test_numbers_read_back(self):
        times = [0.1 + 0.2, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123456789]
        for time in times:
            path = self.write("p.csv", f"processor,size,time\na,9007199254740993,{time!r}\n")
            result = self.json_of("partition", "--size", "9007199254740993", path)
            self.assertEqual(result["time"], time)
            self.assertEqual(result["distribution"], [9007199254740993])

    def test_names_that_are_no_text(self):
        self.json_of("partition", "--size", "1", self.write("q.csv", b"processor,size,time\n\xff\xfe,1,1\n"))

    def test_tables_of_this_machine(self):
        for call in (["info"], ["gemm", "--m", 8, "--n", 8, "--k", 8]):
            rows = list(csv.DictReader(io.StringIO(self.text_of(*call, "--format", "csv"))))
            self.assertGreaterEqual(len(rows), 1)
            self.assertGreater(len(rows[0]), 3)


class About(CommandTest):
    def test_info(self):
        result = self.json_of("info")
        self.assertEqual(list(result), ["subcommand", "version", "libraries", "devices", "meters", "processors"])
        self.assertRegex(result["version"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(self.text_of("--version"), f"hpart {result['version']}\n")
        self.assertIn("openblas", result["libraries"])
        self.assertTrue(any(device["spec"].startswith("cpu:") for device in result["devices"]))
        self.assertIn(result["version"], self.text_of("info"))
        for word in ("--version", "-V", "version"):
            self.assertEqual(self.text_of(word), f"hpart {result['version']}\n")

    def test_info_on_devices(self):
        text = self.text_of("info", "--devices")
        for library in ("cuda", "cublas", "cufft", "cusolver", "opencl", "clblast", "vkfft", "nvml"):
            self.assertRegex(text, rf"(?m)^{library} +\S")
        nowhere = self.text_of("info", "--devices", environment={"HPART_CUDA_PATH": "/nowhere"})
        self.assertRegex(nowhere, r"(?m)^cuda +(CUDA|.*/nowhere)")

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
        self.assertEqual(names_of("group"), [option["name"] for option in options if option["name"] in
                                             {*of_meters, *names_of("profile"), *names_of("measure")}])
        def statistic_of(call):
            found = next(option for option in self.json_of("options", call)["options"] if option["name"] == "statistic")
            return found["choices"], found["default"]
        self.assertEqual(statistic_of("profile"), ("mean|median|minimum", "mean"))
        self.assertEqual(statistic_of("compare"), ("mean|median", "mean"))
        for call in ("tune", "optimize"):  # as they refuse the others
            self.assertEqual(statistic_of(call), ("median", "median"))
        of_gemm = self.json_of("options", "gemm")["options"]
        self.assertEqual([one["name"] for one in of_gemm], [option["name"] for option in options if "gemm" in option["calls"].split(", ")])
        self.assertEqual(self.text_of("options", "symm"), self.text_of("options", "gemm"))
        self.assertEqual(self.text_of("options", "getri"), self.text_of("options", "factor"))
