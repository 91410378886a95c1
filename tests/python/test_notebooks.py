"""The notebooks of examples/: their code cells run in order, and each last expression can be shown."""
import ast
import contextlib
import io
import json
import os
import pathlib
import unittest

from matplotlib import pyplot

EXAMPLES = pathlib.Path(os.environ["HPART_EXAMPLES"])


def run(path):
    """The variables of a notebook's program, its printed text, and the tables that it shows."""
    known, printed, shown = {"__name__": "__main__"}, io.StringIO(), []
    for k, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "a notebook has no outputs: they would have dates and pictures"
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"{path.name}, cell {k}", "exec"), known)
            value = eval(compile(ast.Expression(last.value), f"{path.name}, cell {k}", "eval"), known) if last else None
        if hasattr(value, "_repr_html_"):
            shown.append(value._repr_html_())
    return known, printed.getvalue(), shown


class Notebooks(unittest.TestCase):
    def tearDown(self):
        pyplot.close("all")

    def test_there_are_no_others(self):
        self.assertEqual(sorted(path.name for path in EXAMPLES.glob("*.ipynb")), ["measure.ipynb", "tune.ipynb"])

    def test_measure(self):
        known, _, shown = run(EXAMPLES / "measure.ipynb")
        self.assertEqual(known["best"].x.sum(), 24)
        self.assertEqual(known["front"][0].time, known["best"].time)
        self.assertEqual(len(shown), 3)
        self.assertEqual(len(pyplot.get_fignums()), 4)

    def test_tune(self):
        known, printed, shown = run(EXAMPLES / "tune.ipynb")
        self.assertEqual(known["found"].x.sum(), 480)
        self.assertIn("True", printed)
        self.assertIn("A 20, B 40, C 60: 20 s", printed)
        self.assertIn("einsum", shown[0])
        self.assertEqual(len(pyplot.get_fignums()), 1)
