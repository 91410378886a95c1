"""Files that the command reads and writes: wrong ones, links, full disks, devices, bytes that a terminal must not see."""

import os
import signal
import subprocess

from command import COMMAND, DATA, EXAMPLE, CommandTest

CALL = ["partition", "--size", "4", EXAMPLE]


class Inputs(CommandTest):
    def test_a_platform_file_that_is_a_program(self):
        path = self.write("bad.csv", b"\x7fELF\x02\x01\x00")
        for call in (["partition", "--size", "1"], ["plot", "-o", "out.svg"]):
            self.assert_fails(2, *call, path, says=f"{path}:1:1")
        self.assertEqual(os.listdir(self.folder), ["bad.csv"])

    def test_a_pipe(self):
        with subprocess.Popen([COMMAND, "partition", "--size", "4", "/dev/stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self.assertIn(b"20 s", process.communicate((DATA / "appendix-f.csv").read_bytes())[0])


class Outputs(CommandTest):
    def test_links_in_a_circle(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.assert_fails(1, *CALL, "-o", "a", says="symbolic links")

    def test_links_to_another_file_of_the_call(self):
        """A link is the file, and an output that is not there yet is the file of a link to it."""
        path = self.write("p.csv", EXAMPLE.read_bytes())
        os.link(path, self.folder / "hard.json")
        (self.folder / "soft.json").symlink_to("p.csv")
        (self.folder / "later.json").symlink_to("new.json")
        for name in ("hard.json", "soft.json"):
            self.assert_fails(2, "partition", "--size", "4", "p.csv", "-o", name, says=f"-o is '{name}', which would replace the input 'p.csv'")
        self.assert_fails(2, "gemm", "--m", "4", "--n", "4", "--k", "4", "-o", "later.json", "--option", f"trace_file={self.folder}/new.json",
                          says="-o is 'later.json', which is also the file of --option trace_file; name another file")
        self.assertEqual(path.read_bytes(), EXAMPLE.read_bytes())
        self.text_of("partition", "--size", "4", "p.csv", "-o", "/dev/null")

        with open(path, "rb") as file:  # as the standard input
            done = subprocess.run([COMMAND, "study", "--sizes", "4", "-", "-o", "p.csv"], stdin=file, cwd=self.folder, capture_output=True, check=False)
        self.assertEqual((2, True), (done.returncode, b"would replace the input '/dev/stdin'" in done.stderr), done)
        (self.folder / "out").mkdir()
        (self.folder / "out" / "gain.svg").symlink_to("../p.csv")
        self.assert_fails(2, "study", "--sizes", "4", "p.csv", "-o", "out", says="out/gain.svg', which would replace the input 'p.csv'")
        (self.folder / "recording.json").symlink_to(self.write("recording.csv", "seconds,watts\n0,100\n1,100\n"))
        for meter in ("replay:recording.csv+estimate:1", "estimate:1+replay:recording.csv"):
            self.assert_fails(2, "energy", "--meter", meter, "-o", "recording.json", "--", "true", says="which would replace the input 'recording.csv'")
        self.assertEqual(path.read_bytes(), EXAMPLE.read_bytes())

    def test_open_files_by_name(self):
        """/dev/stdout and its kind go on where they stand."""
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with open(self.folder / "all", "wb") as file:
                file.write(b"before\n")
                file.flush()
                subprocess.run([COMMAND, *map(str, CALL), "-o", name], stdout=file, check=True)
            first, second, *others = (self.folder / "all").read_bytes().split(b"\n")
            self.assertEqual((b"before", True), (first, b'"distribution"' in second + others[-2]), name)
            done = subprocess.run([COMMAND, *map(str, CALL), "-o", name], capture_output=True, check=True)
            self.assertIn(b'"distribution"', done.stdout)

    def test_a_trace_by_a_link(self):
        call = ["gemm", "--m", "9", "--n", "9", "--k", "9", "--repetitions", "2", "--option"]
        (self.folder / "link.json").symlink_to("trace.json")
        (self.folder / "errors").symlink_to("/proc/self/fd/2")
        self.write("link.json.new", "another file")
        self.text_of(*call, "trace_file=link.json")
        with open(self.folder / "log", "wb") as log:
            subprocess.run([COMMAND, *call, "trace_file=errors"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=log, check=True)
        self.assertTrue((self.folder / "link.json").is_symlink() and (self.folder / "errors").is_symlink())
        self.assertEqual("another file", (self.folder / "link.json.new").read_text())
        for name in ("trace.json", "log"):
            self.assertIn('"displayTimeUnit"', (self.folder / name).read_text())

    def test_processors_with_names_of_columns(self):
        self.write("p.csv", "processor,size,time\nreason,1,1\nreason,2,2\n")
        rows = self.run_command("partition", "--size", "2,5", "--format", "csv", "p.csv").stdout.decode().splitlines()
        titles, first, second = (row.split(",") for row in rows)
        self.assertEqual(("2", ""), (first[titles.index("x_reason")], second[titles.index("x_reason")]))
        self.assertEqual(1, titles.count("reason"))


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
                             ["pareto", "--size", "4", path], ["info", path], ["run", "--size", "4", path]):
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
