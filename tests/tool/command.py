"""Runs the hpart command and checks what every call must hold to: what is on stdout, on stderr, and how it ends."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

COMMAND = os.environ["HPART_COMMAND"]
DATA = pathlib.Path(os.environ["HPART_TEST_DATA"])
# Tests that stand in a shell's background ignore it, and so would the commands that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Whatever else this machine does, the command finds it quiet.
os.environ["HPART_MACHINE_ROOT"] = "/nowhere"


def numbers_of(constant):
    """JSON has no NaN or infinity: a result with one is not JSON."""
    raise ValueError(f"{constant} is not JSON")


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hpart-test."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_command(self, *arguments, stdin=b"", environment=None, stdout=subprocess.PIPE, timeout=300):
        return subprocess.run([COMMAND, *map(str, arguments)], input=stdin, stdout=stdout, stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})}, cwd=self.folder, timeout=timeout, check=False)

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

    def assert_fails(self, status, *arguments, says=(), **settings):
        """The call ends with the status, one line on stderr that has all the texts, and nothing on stdout."""
        result = self.run_command(*arguments, **settings)
        message = result.stderr.decode(errors="replace")
        self.assertEqual(result.returncode, status, f"{arguments}: {message}")
        self.assertEqual(result.stdout or b"", b"", arguments)
        self.assertTrue(message.startswith("hpart: ") and message.endswith("\n"), message)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertLess(len(message), 1000, message)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, message)
        return message
