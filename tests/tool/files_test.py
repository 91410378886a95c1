"""Files that the command reads and writes: wrong ones, links, full disks, devices, bytes that a terminal must not see."""

import os
import signal
import subprocess

from command import COMMAND, DATA, EXAMPLE, CommandTest

CALL = ["partition", "--size", "4", EXAMPLE]
HEADER = "processor,size,time\n"


class Inputs(CommandTest):
    def test_bad_platform_files(self):
        for content, place, says in ((HEADER + "a,1,nan\n", "2:5", "'nan'"), (b"\x7fELF\x02\x01\x00", "1:1", "")):
            path = self.write("bad.csv", content)
            for call in (["partition", "--size", "1"], ["pareto", "--size", "1"], ["schedule", "--size", "1"], ["plot", "-o", "out.svg"]):
                with self.subTest(content=content, call=call):
                    self.assert_fails(2, *call, path, says=[f"{path}:{place}", says])
        self.assertEqual(os.listdir(self.folder), ["bad.csv"])

    def test_json_that_is_no_result(self):
        for content in ('{"size": 4, "points": [', '{"a": 1}', '{"size": 4, "makespan": 2, "tasks": []}',
                        '{"size": 4, "energy": "dynamic", "points": 3}', '{"size": 4, "energy": "dynamic", "points": []}',
                        '{"size": 4, "energy": "dynamic", "points": [{"time": 1}]}', '{"size": 4, "energy": "dynamic", "points": [7]}',
                        '{"size": 4, "energy": 7, "points": [{"time": 1, "energy": 1}]}',
                        '{"kernel": "dgemm", "size": 4, "splits": [{"method": "equal"}]}', '{"kernel": "dgemm", "size": 4, "splits": []}'):
            with self.subTest(content):
                path = self.write("result.json", content)
                self.assertEqual(self.assert_fails(2, "plot", path, "-o", "out.svg").count(str(path)), 1)
        self.write("broken.json", '{"size": 4,\n "x": ]}')
        self.assert_fails(2, "plot", "broken.json", "-o", "a.svg", says="broken.json' is not JSON from line 2, column 7 on\n")
        self.assert_fails(2, "plot", "-", "-o", "a.svg", stdin=b'{"size": 4,', says="hpart: standard input is not JSON: it ends too early\n")

    def test_a_device_that_never_ends(self):
        for call in (["plot", "/dev/zero", "-o", "out.svg"], ["partition", "--size", "4", "/dev/zero"]):
            self.assert_fails(2, *call, says=["'/dev/zero'", "it is a device"])

    def test_standard_input(self):
        for path, call in ((DATA / "hepopta-fig-5.1.csv", ["pareto", "--size", "4"]), (DATA / "wdah-eq-4.9.csv", ["schedule", "--size", "16"]),
                           (DATA / "appendix-f.csv", ["shape"]), (DATA / "appendix-f.csv", ["study", "--sizes", "4"])):
            content = path.read_bytes()
            named, given = self.json_of(*call, path), self.json_of(*call, "-", stdin=content)
            for times in (named, given, named.get("platform", {}), given.get("platform", {})):
                times.pop("solve_seconds", None), times.pop("file", None)
            self.assertEqual(given, named)
        self.text_of("plot", "-", "-o", "out.svg", stdin=content)
        source = b"# energy = estimated by 12 W\nprocessor,size,time,energy\na,4,1,1\n"
        self.assertEqual(self.json_of("partition", "--size", "4", "-", stdin=source)["energy_source"], "estimated by 12 W")
        self.json_of("slice", "--parameter", "5", "-", "-o", "p.csv", stdin=b"parameter,processor,size,time\n5,a,1,1\n")
        self.assert_fails(2, "partition", "--size", "4", "-", stdin=b"processor,size,time\na,1,nan\n", says="hpart: standard input:2:5")
        with subprocess.Popen([COMMAND, "partition", "--size", "4", "/dev/stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self.assertIn(b"20 s", process.communicate(content)[0])


class Outputs(CommandTest):
    def test_links_in_a_circle(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.assert_fails(1, *CALL, "-o", "a", says="symbolic links")

    def test_standard_output_by_name(self):
        done = subprocess.run([COMMAND, *map(str, CALL), "-o", "/dev/stdout"], capture_output=True, check=True)
        self.assertIn(b'"distribution"', done.stdout)


class Terminals(CommandTest):
    """No byte of a file can steer the terminal: U+009B is the CSI of many."""

    def assert_harmless(self, *call):
        result = self.run_command(*call)
        output = result.stdout + result.stderr
        output.decode()  # it is UTF-8
        for code in (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0)):
            self.assertNotIn(chr(code).encode(), output, (call, output))
        return result

    def test_control_bytes_of_files(self):
        for bad in (b"\x9b31m", "\u009b31m".encode(), b"\x1b[31m", b"\x7f", b"\xe0\x82\x9b31m"):
            name = bad.replace(b"\x1b", b"").replace(b"\x7f", b"")
            for content in (b"processor,size,time\n" + name + b"x,4,1\n",
                            b"# energy = estimated " + bad + b"\nprocessor,size,time,energy\na,4,1,1\n",
                            b"# measured = " + bad + b"\n# kernel = odd " + name + b"\nprocessor,size,time\na,4,1\n",
                            b"processor,size,time\na,4," + bad + b"\n"):
                path = self.write("odd.csv", content)
                for call in (["partition", "--size", "4", path], ["partition", "--size", "4", path, "--format", "json"],
                             ["pareto", "--size", "4", path], ["shape", path], ["run", "--size", "4", path]):
                    self.assert_harmless(*call)

    def test_control_bytes_of_the_call(self):
        for bad in (b"\x9b31m", "\u009b31m".encode(), b"\x1b[31m", b"4\nhpart: all is well"):
            for call in (["partition", "--size", bad, EXAMPLE], [bad], ["partition", "--size", "4", bad]):
                result = self.assert_harmless(*call)
                self.assertEqual((result.returncode, result.stderr.count(b"\n")), (2, 1))


class Interrupted(CommandTest):
    def test_operations(self):
        for call, number in ((["fft", "--dims", "64x64"], signal.SIGINT), (["gemm", "--m", "64", "--n", "64", "--k", "64"], signal.SIGTERM)):
            process = self.start_command(*call, "--repetitions", "1000000000", "-o", "r.json")
            self.wait_for_handlers(process)
            self.assert_interrupted(process, number, b"hpart: interrupted; nothing was written\n")
            self.assertEqual(os.listdir(self.folder), [])
