"""Type checkers: program.py and the package pass mypy --strict, and a misspelt option or a wrong value of one is found."""
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import hpart

PACKAGE = pathlib.Path(hpart.__file__).parent
PROGRAM = pathlib.Path(__file__).with_name("program.py")
WRONG = {
    'mine.partition_time(1, deadlin=3.0)': '"deadlin"',
    'mine.pareto(1, idle_processors="sometimes")': '"idle_processors"',
    'mine.schedule(1, deadline=3.0)': '"deadline"',
    'hpart.Adaptive(2, 10, tolerance=[1])': '"tolerance"',
    'hpart.Device("host", memory_limits=1)': '"memory_limits"',
    'hpart.tune([print], 4, presicion=0.1)': '"presicion"',
    'hpart.tune([3], 4)': '"int"',
    'mine.plot(quantity="power")': '"quantity"',
}


class Types(unittest.TestCase):
    def test_program_touches_the_whole_interface_and_runs(self):
        text = PROGRAM.read_text()
        missing = []
        for name in hpart.__all__:
            thing = getattr(hpart, name)
            if not inspect.isclass(thing):
                missing += [] if f"hpart.{name}" in text else [name]
            elif not issubclass(thing, (Exception, tuple)):
                members = (member for member in dir(thing) if not member.startswith("_"))
                missing += [f"{name}.{member}" for member in members if not re.search(rf"\.{member}\b", text)]
        self.assertEqual(missing, [])
        subprocess.run([sys.executable, "-W", "error", PROGRAM], check=True)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not here")
    def test_package_and_program(self):
        text = PROGRAM.read_text()
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "program.py").write_text(text + "\n".join(WRONG) + "\n")
            command = [sys.executable, "-m", "mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir", folder, "program.py"]
            environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
            found = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True).stdout.splitlines()
        errors = [line for line in found if ": error: " in line]
        self.assertEqual(len(errors), len(WRONG), found)
        for line, (error, name) in enumerate(zip(errors, WRONG.values()), text.count("\n") + 1):
            self.assertIn(f"program.py:{line}: ", error)
            self.assertIn(name, error)
