"""The module has every function and constant of hpart.h, and nothing else of that kind."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from hpart import _hpart

HEADER = pathlib.Path(os.environ["HPART_HEADER"])
HEADER = HEADER.read_text() + "".join(part.read_text() for part in sorted(HEADER.parent.glob("hpart/*.h")))
CODE = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL)


class AnInterpreterWithoutNumPy(unittest.TestCase):
    def test_is_told_what_is_missing(self):
        package = pathlib.Path(_hpart.__file__).parents[1]
        environment = {**os.environ, "PYTHONPATH": str(package)}
        call = [sys.executable, "-S", "-c", "import hpart"]  # without site-packages
        result = subprocess.run(call, env=environment, capture_output=True, text=True)
        self.assertIn(f"ImportError: hpart needs NumPy, which {sys.executable} does not have", result.stderr)
        self.assertEqual(result.returncode, 1)


class Names(unittest.TestCase):
    def test_functions(self):
        declared = set(re.findall(r"\b(hpart_\w+)\s*\(", CODE))
        wrapped = {name for name in dir(_hpart) if name.startswith("hpart_")}
        self.assertGreater(len(declared), 50)
        self.assertEqual(declared - wrapped, {"hpart_device_set_gemm"})  # its function gets a record of C
        self.assertEqual(wrapped - declared, set())

    def test_constants(self):
        constants = re.findall(r"\b(HPART_[A-Z]\w*) = (-?\d+)", CODE)
        self.assertGreater(len(constants), 15)
        for name, value in constants:
            self.assertEqual(getattr(_hpart, name), int(value), name)
