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
import hpart.__main__
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
    def test_package_and_program(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "program.py").write_text(RIGHT + "\n".join(WRONG) + "\n")
            command = [sys.executable, "-m", "mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir", folder, "program.py"]
            environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
            found = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True).stdout.splitlines()
        errors = [line for line in found if ": error: " in line]
        self.assertEqual(len(errors), len(WRONG), found)
        first = RIGHT.count("\n") + 1
        for line, (error, name) in enumerate(zip(errors, WRONG.values()), first):
            self.assertIn(f"program.py:{line}: ", error)
            self.assertIn(name, error)


if __name__ == "__main__":
    unittest.main()
