"""Type checkers: the package passes mypy --strict, and a misspelt option or a wrong value of one is found."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import hpart

PACKAGE = pathlib.Path(hpart.__file__).parent
RIGHT = """
import hpart
platform = hpart.Platform(["A"])
best = platform.partition_time(1, deadline=3.0, interpolate="linear", previous=[1], threads=2, memory_limit=1e9)
platform.evaluate(best), platform.evaluate({"A": 1})
with hpart.Team() as team:
    team.profile([1], checkpoint_file="a.csv", simultaneous=False)
"""
WRONG = {
    'platform.partition_time(1, deadlin=3.0)': '"deadlin"',
    'platform.pareto(1, idle_processors="sometimes")': '"idle_processors"',
    'platform.schedule(1, deadline=3.0)': '"deadline"',
    'hpart.Adaptive(2, 10, tolerance=[1])': '"tolerance"',
    'hpart.Device("host", memory_limits=1)': '"memory_limits"',
}


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not here")
class Types(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def mypy(self, *arguments):
        command = [sys.executable, "-m", "mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir", self.folder.name]
        environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
        return subprocess.run([*command, *arguments], cwd=self.folder.name, env=environment, text=True, capture_output=True)

    def test_package(self):
        found = self.mypy("-p", "hpart")
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_programs(self):
        program = pathlib.Path(self.folder.name, "program.py")
        program.write_text(RIGHT + "\n".join(WRONG) + "\n")
        found = self.mypy("program.py").stdout.splitlines()
        errors = [line for line in found if line.startswith("program.py:") and ": error: " in line]
        self.assertEqual(len(errors), len(WRONG), found)
        first = RIGHT.count("\n") + 1
        for line, (error, name) in enumerate(zip(errors, WRONG.values()), first):
            self.assertIn(f"program.py:{line}: ", error)
            self.assertIn(name, error)


if __name__ == "__main__":
    unittest.main()
