"""What help() and completion show, and the command: python -m hpart."""
import contextlib
import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

import hpart

HEADER = pathlib.Path(os.environ["HPART_HEADER"]).read_text()


MODULES = [hpart]
with contextlib.suppress(ImportError):  # of a build without MPI, or an interpreter without mpi4py
    import hpart.mpi

    MODULES.append(hpart.mpi)
EXAMPLES = {"Adaptive", "Device", "Meter", "Pipeline", "Platform", "Team", "groupings", "info", "matrix_partition",
            "shares", "tune"}


def public_members():
    for module in MODULES:
        for name in module.__all__:
            thing = getattr(module, name)
            yield f"{module.__name__}.{name}", thing
            for member in dir(thing) if inspect.isclass(thing) else ():
                # Those of a tuple's fields are Python's own.
                if not member.startswith("_") and not hasattr(BaseException, member) and not hasattr(tuple, member):
                    yield f"{module.__name__}.{name}.{member}", inspect.getattr_static(thing, member)


class Interpreter(unittest.TestCase):
    def failure_without(self, module):
        hidden = f"import sys; sys.modules[{module!r}] = None; import hpart"
        run = subprocess.run([sys.executable, "-B", "-c", hidden], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        return run.stderr.splitlines()[-1]

    def test_parts_that_are_missing_are_named(self):
        self.assertRegex(self.failure_without("numpy"),
                         f"^ImportError: hpart needs NumPy, which {re.escape(sys.executable)} does not have; (install it|hpart was built for .*: run that one)$")
        self.assertTrue(self.failure_without("hpart._hpart").startswith(f"ImportError: hpart has no module for {sys.executable} (Python "))


class Help(unittest.TestCase):
    def test_choices_are_those_of_the_call(self):
        self.assertIn("statistic: statistic of the samples that is a point's time (median); median by default", hpart.tune.__doc__)
        self.assertIn("(mean|median|minimum)", hpart.Team.profile.__doc__)
        self.assertIn("statistic: statistic of the samples that is a point's time (mean|median); mean by default", hpart.Team.compare.__doc__)

    def test_texts_name_all_parameters(self):
        members = dict(public_members())
        self.assertGreater(len(members), 160)
        for name, member in members.items():
            if isinstance(member, (classmethod, staticmethod)):
                member = member.__get__(None, object)
            if not callable(member) and not isinstance(member, property):
                continue
            text = inspect.getdoc(member) or ""
            self.assertRegex(text, r"\A\w.*[.:]", f"{name} needs a first line")
            if inspect.isclass(member):
                text += inspect.getdoc(member.__init__) or ""  # has the options
            if callable(member) and not (inspect.isclass(member) and issubclass(member, BaseException)):
                for parameter in inspect.signature(member).parameters:
                    if parameter != "self" and not parameter.startswith("_"):
                        self.assertRegex(text, rf"\b{parameter}\b", f"the docstring of {name} lacks {parameter}")

    def test_examples_run(self):
        finder, seen = doctest.DocTestFinder(exclude_empty=True), set()
        for module in MODULES:
            known = {"hpart": hpart, "np": np, "comm": module is not hpart and module.MPI.COMM_WORLD}
            for name in module.__all__:
                for test in finder.find(getattr(module, name), name, globs=known):
                    if test.examples:
                        seen.add(name)
                        with self.subTest(name):
                            self.assertEqual(doctest.DocTestRunner().run(test).failed, 0)
        self.assertLessEqual(EXAMPLES, seen)

    def test_options_are_those_of_the_header(self):
        table = re.search(r"--- option keys:.*?--- end of option keys", HEADER, re.DOTALL)[0]
        keys = re.findall(r"^ \*   (\w+) +(?:int|double|string) +\S+ +(.*)$", table, re.MULTILINE)
        self.assertGreater(len(keys), 50)
        for call, method in (
            ("partition", hpart.Platform.partition_energy),
            ("front", hpart.Platform.pareto),
            ("schedule", hpart.Platform.schedule),
            ("slice", hpart.Platform.read_slice),
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

    def test_blas_library(self):
        library = pathlib.Path(hpart.__file__).with_name("libhpart_blas.so")
        if library.exists():
            self.assertTrue(os.path.samefile(library, hpart.blas_library()))
        else:
            with self.assertRaisesRegex(hpart.UnsupportedError, "this installation has no libhpart_blas: "):
                hpart.blas_library()

    def test_command(self):
        if not pathlib.Path(hpart.__file__).with_name("command").exists():
            self.assertIn("no command", self.run_module("--version").stderr)
            self.skipTest("the command was not built")
        self.assertIn(hpart.__version__, self.run_module("--version").stdout)
        wrong = self.run_module("partition", "no/such/file.csv", "--size", "3", "--objective", "time")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("no/such/file.csv", wrong.stderr)
