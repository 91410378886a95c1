"""Runs the hpart command and checks what every call must hold to: what is on stdout, on stderr, and how it ends."""

import atexit
import ctypes
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import string
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["HPART_COMMAND"]
# An older OpenBLAS may not know this processor, which every call would tell on stderr.
if better := re.search(rb"OPENBLAS_CORETYPE=(\w+) in the environment", subprocess.run([COMMAND, "info"], capture_output=True, check=False).stdout):
    os.environ["OPENBLAS_CORETYPE"] = better[1].decode()
LOADED = ctypes.CDLL(os.environ["HPART_COMMAND_MODULE"])
DATA = pathlib.Path(os.environ["HPART_TEST_DATA"])
EXAMPLE, FRONT = DATA / "hpopta-fig-3.10.csv", DATA / "hepopta-fig-5.1.csv"
FAST = ["--option", "min_repetitions=2", "--option", "max_repetitions=3", "--option", "precision=1"]  # no time is exact
CORES = sorted(os.sched_getaffinity(0))[:2]
# Tests that stand in a shell's background ignore it, and so would the commands that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Whatever else this machine does, the command finds it quiet.
os.environ["HPART_MACHINE_ROOT"] = tempfile.mkdtemp(prefix="hpart-test.")
atexit.register(os.rmdir, os.environ["HPART_MACHINE_ROOT"])


def numbers_of(constant):
    """JSON has no NaN or infinity: a result with one is not JSON."""
    raise ValueError(f"{constant} is not JSON")


def why_no_units(info):
    """Why tests of opencl:0:0's compute units are skipped, by the output of hpart info; empty if it has some."""
    row = next((line for line in info.splitlines() if line.startswith("opencl:0:0 ")), "")
    if ", CPU," not in row:
        return "no OpenCL device on cores"
    return "the driver of opencl:0:0 makes no compute units" if ", CPU, indivisible," in row else ""


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hpart-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_command(self, *arguments, stdin=b"", environment=None, stdout=None, before=None):
        """Runs the command in a forked process, which calls before() first: its libraries, loaded already, cost nothing."""
        words = [word if isinstance(word, bytes) else os.fsencode(str(word)) for word in arguments]
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            process = os.fork()
            if process == 0:
                try:
                    for descriptor, file in enumerate((given, stdout or out, errors)):
                        os.dup2(file if isinstance(file, int) else file.fileno(), descriptor)
                    os.chdir(self.folder)
                    os.environ.update(environment or {})
                    if before:
                        before()
                    LOADED.run_and_exit(len(words), (ctypes.c_char_p * len(words))(*words))
                finally:
                    os._exit(99)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            out.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(arguments, status, out.read(), errors.read())

    def start_command(self, *arguments, **settings):
        """Starts the program itself, with pipes for its output."""
        process = subprocess.Popen([COMMAND, *map(str, arguments)], cwd=self.folder,
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, process, holds):
        while not holds():
            self.assertIsNone(process.poll(), "it ended too early")
            time.sleep(0.002)

    def wait_for_handlers(self, process, last=signal.SIGQUIT):
        """Until the program has the last one of its handlers: from then on it ends in good order."""
        def caught():
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(status.split("SigCgt:")[1].split()[0], 16) >> last - 1 & 1
        self.wait_until(process, caught)

    def assert_interrupted(self, process, number=signal.SIGINT, says=b"interrupted", send=None):
        """The signal ends the program with its status, one line on stderr, and nothing on stdout."""
        (send or process.send_signal)(number)
        out, message = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out, message.count(b"\n")), (128 + number, b"", 1), message)
        self.assertIn(says, message)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def text_of(self, *arguments, **settings):
        """The output of a call that succeeds and says nothing on stderr."""
        result = self.run_command(*arguments, **settings)
        self.assertEqual((result.returncode, result.stderr), (0, b""), arguments)
        return result.stdout.decode()

    def json_of(self, *arguments, **settings):
        """The one object of a call with --format json."""
        text = self.text_of(*arguments, "--format", "json", **settings)
        self.assertTrue(text.endswith("}\n"), text)
        result = json.loads(text, parse_constant=numbers_of)
        self.assertIsInstance(result, dict)
        return result

    def partial_of(self, *arguments, says="Run the same command again to continue"):
        """The output of a call whose budget ends: a result, and one line on stderr."""
        result = self.run_command(*arguments)
        message = result.stderr.decode()
        self.assertEqual((result.returncode, message.count("\n")), (0, 1), f"{arguments}: {message}")
        self.assert_has(message, "hpart: The budget ended", says)
        return result.stdout.decode()

    def assert_has(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)

    def assert_fails(self, status, *arguments, says=(), **settings):
        """The call ends with the status, one line on stderr that has all the texts, and nothing on stdout."""
        result = self.run_command(*arguments, **settings)
        message = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, status, f"{arguments}: {message}")
        self.assertEqual(result.stdout, b"", arguments)
        self.assertTrue(message.startswith("hpart: ") and message.endswith("\n"), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertLess(len(message), 1000, message)
        self.assert_has(message, *([says] if isinstance(says, str) else says))
        return message

    def assert_refused(self, table, status=2, **words):
        """Each line of the table is a call, with $names for words, and a text of its message. None leaves a file."""
        files = sorted(os.listdir(self.folder))
        for line in filter(None, map(str.strip, table.splitlines())):
            call, _, says = line.partition(" ==> ")
            with self.subTest(call):
                self.assert_fails(status, *shlex.split(string.Template(call).substitute(words)), says=says)
        self.assertEqual(sorted(os.listdir(self.folder)), files)
