"""Files that the command reads and writes: links, modes, full disks, devices, bytes that a terminal must not see."""

import os
import resource
import signal
import subprocess
import time
import unittest

from command import COMMAND, DATA, CommandTest

EXAMPLE = DATA / "hpopta-fig-3.10.csv"
CALL = ["partition", "--size", "4", EXAMPLE]


class Results(CommandTest):
    def test_a_link_and_the_mode_of_its_file_stay(self):
        target = self.write("target.json", "old")
        target.chmod(0o600)
        (self.folder / "other").mkdir()
        link = self.folder / "other/link.json"
        link.symlink_to("../target.json")
        self.text_of(*CALL, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn('"distribution"', target.read_text())
        self.assertEqual(target.stat().st_mode & 0o777, 0o600)

    def test_a_link_to_nothing_makes_its_file(self):
        link = self.folder / "link.json"
        link.symlink_to("made.json")
        self.text_of(*CALL, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertIn('"distribution"', (self.folder / "made.json").read_text())

    def test_links_in_a_circle(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.assert_fails(1, *CALL, "-o", "a", says="symbolic links")

    def test_a_file_that_cannot_grow(self):
        """As on a full disk, the old content stays and nothing is left beside it."""
        target = self.write("target.json", "old")
        (self.folder / "link.json").symlink_to("target.json")
        for output in ("target.json", "link.json", "new.json"):
            result = subprocess.run([COMMAND, *map(str, CALL), "-o", output], cwd=self.folder, capture_output=True, check=False,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
            self.assertEqual((result.returncode, result.stdout), (1, b""), result.stderr)
            self.assertIn(b"File too large", result.stderr)
            self.assertEqual(target.read_text(), "old")
            self.assertEqual(sorted(os.listdir(self.folder)), ["link.json", "target.json"])

    def test_standard_output_by_name(self):
        self.assertIn('"distribution"', self.text_of(*CALL, "-o", "/dev/stdout"))


class Inputs(CommandTest):
    def test_a_closed_standard_input(self):
        result = subprocess.run(["sh", "-c", '"$0" partition --size 4 - <&-', COMMAND], capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (2, b"", b"hpart: cannot read the standard input: it is closed\n"))

    def test_a_device_that_never_ends(self):
        for call in (["plot", "/dev/zero", "-o", "out.svg"], ["partition", "--size", "4", "/dev/zero"]):
            self.assert_fails(2, *call, says=["'/dev/zero'", "it is a device"])


class Terminals(CommandTest):
    """No byte of a file can steer the terminal: U+009B is the CSI of many."""

    def assert_harmless(self, output):
        output.decode()  # it is UTF-8
        for code in (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0)):
            self.assertNotIn(chr(code).encode(), output, output)

    def test_control_bytes_of_files(self):
        for bad in (b"\x9b31m", "\u009b31m".encode(), b"\x1b[31m", b"\x7f", b"\xe0\x82\x9b31m"):
            files = {
                "names": b"processor,size,time\n" + bad.replace(b"\x1b", b"").replace(b"\x7f", b"") + b"x,4,1\n",
                "energy": b"# energy = estimated " + bad + b"\nprocessor,size,time,energy\na,4,1,1\n",
                "kernel": b"# measured = " + bad + b"\n# kernel = odd " + bad.replace(b"\x1b", b"").replace(b"\x7f", b"") +
                          b"\nprocessor,size,time\na,4,1\n",
                "wrong": b"processor,size,time\na,4," + bad + b"\n",
            }
            for name, content in files.items():
                path = self.write(f"{name}.csv", content)
                for call in (["partition", "--size", "4", path], ["partition", "--size", "4", path, "--format", "json"],
                             ["pareto", "--size", "4", path], ["shape", path], ["run", "--size", "4", path]):
                    with self.subTest(call=call, bad=bad):
                        result = self.run_command(*call)
                        self.assert_harmless(result.stdout + result.stderr)

    def test_control_bytes_of_the_call(self):
        for bad in (b"\x9b31m", "\u009b31m".encode(), b"\x1b[31m"):
            for call in (["partition", "--size", bad, EXAMPLE], [bad], ["partition", "--size", "4", bad]):
                result = subprocess.run([COMMAND, *call], capture_output=True, check=False)
                self.assertEqual(result.returncode, 2)
                self.assert_harmless(result.stderr)


class Interrupted(CommandTest):
    def test_operations(self):
        """On the host they are calls of other libraries, which do not look."""
        for call in (["fft", "--dims", "3001x2003", "--repetitions", "1000"],
                     ["gemm", "--m", "1500", "--n", "1500", "--k", "1500", "--repetitions", "1000"]):
            for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                with subprocess.Popen([COMMAND, *call, "-o", "r.json"], cwd=self.folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE) as process:
                    time.sleep(1)
                    process.send_signal(number)
                    out, message = process.communicate(timeout=120)
                self.assertEqual((process.returncode, out, message), (status, b"", b"hpart: interrupted; nothing was written\n"), call)
                self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
