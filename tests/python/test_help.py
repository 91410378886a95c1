"""What help() and completion show, and the command: python -m hpart."""
import inspect
import os
import pathlib
import re
import subprocess
import sys
import unittest

import hpart

HEADER = pathlib.Path(os.environ["HPART_HEADER"]).read_text()


def public_members():
    for name in hpart.__all__:
        thing = getattr(hpart, name)
        if not inspect.isclass(thing):
            yield name, thing
            continue
        yield name, thing
        for member in dir(thing):
            # Those of a tuple's fields are Python's own.
            if not member.startswith("_") and not hasattr(BaseException, member) and not hasattr(tuple, member):
                yield f"{name}.{member}", inspect.getattr_static(thing, member)


class Help(unittest.TestCase):
    def test_everything_public_has_a_text(self):
        members = dict(public_members())
        self.assertGreater(len(members), 150)
        for name, member in members.items():
            if isinstance(member, (classmethod, staticmethod)):
                member = member.__func__
            if callable(member) or isinstance(member, property):
                self.assertTrue((member.__doc__ or "").strip(), f"{name} has no docstring")

    def test_options_are_those_of_the_header(self):
        table = re.search(r"--- option keys:.*?--- end of option keys", HEADER, re.DOTALL)[0]
        keys = re.findall(r"^ \*   (\w+) +(?:int|double|string) +\S+ +(.*)$", table, re.MULTILINE)
        self.assertGreater(len(keys), 50)
        for call, method in (
            ("partition", hpart.Platform.partition_energy),
            ("front", hpart.Platform.pareto),
            ("schedule", hpart.Platform.schedule),
            ("slice", hpart.Family.slice),
            ("add_builtin", hpart.Team.add_builtin),
            ("measure", hpart.Team.measure),
            ("profile", hpart.Team.profile),
            ("execute", hpart.Team.execute),
            ("additivity", hpart.Team.additivity),
            ("adaptive", hpart.Adaptive.__init__),
            ("meter", hpart.Meter.__init__),
            ("device", hpart.Device.__init__),
            ("gemm", hpart.Device.gemm),
            ("gemv", hpart.Device.gemv),
            ("factor", hpart.Device.solve),
            ("fft", hpart.Device.rfft),
            ("pipeline", hpart.Pipeline.run),
        ):
            expected = {key for key, calls in keys if call in calls.split(", ")}
            shown = {name for name, one in inspect.signature(method).parameters.items() if one.default is None}
            self.assertTrue(expected, call)
            self.assertLessEqual(expected | {"progress"}, shown, call)
            for key in expected:
                self.assertRegex(inspect.getdoc(method), rf"(?m)^{key}: \w")
        self.assertNotIn("deadline", inspect.signature(hpart.Platform.schedule).parameters)


class Command(unittest.TestCase):
    def run_module(self, *arguments):
        return subprocess.run([sys.executable, "-m", "hpart", *arguments], capture_output=True, text=True)

    def test_command(self):
        if not pathlib.Path(hpart.__file__).with_name("command").exists():
            self.assertIn("no command", self.run_module("--version").stderr)
            self.skipTest("the command was not built")
        self.assertIn(hpart.__version__, self.run_module("--version").stdout)
        wrong = self.run_module("partition", "no/such/file.csv", "--size", "3", "--objective", "time")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("no/such/file.csv", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
