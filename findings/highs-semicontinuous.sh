#!/usr/bin/env bash
# HiGHS: a semi-continuous variable does not exceed 100,000: the answer is a worse distribution, "Optimal" with a gap of 0, or "Infeasible".
#
# Library    HiGHS 1.16.0, by the PyPI package highspy 1.16.0; the same by scipy.optimize.milp of SciPy 1.17.1
# Input      150,000 items on two processors of least energy. A takes none or at least 100, 1 J each; B none or 80,000 to 100,000, 2 J each.
#            Then 300,000 items, where B takes as many as A. The same in units of 1000 items.
# Expected   All items on A, 150,000 J and 300,000 J, as in units of 1000: bounds of such a size are normal for an integer variable. Else
#            an error.
# Seen       70,000 and 80,000 items, 230,000 J: the model status is Optimal, the gap 0. With 300,000 items the model is Infeasible.
#            run() returns kOk in both. HiGHS replaces an upper bound above 100,000 by 100,000; only its log warns of it, and SciPy
#            shows no log. It returns an error where the least size is large, or where an answer has a variable at 100,000.
# For users  A processor with a least size, unless it is idle, is such a variable. Count in units with all sizes below 100,000, or write
#            an integer variable x and a binary one: least * used <= x <= n * used.
#
# Usage: findings/highs-semicontinuous.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q install --disable-pip-version-check highspy==1.16.0 scipy==1.17.1
"$folder/python/bin/python" - <<'PROGRAM'
import sys
from importlib.metadata import version

import highspy
import numpy
from scipy.optimize import Bounds, LinearConstraint, milp

joules = (1.0, 2.0)


def by_highs(n, least, most):
    """Answer, energy and gap for two processors that take none, or least to most of n items."""
    model = highspy.Highs()
    model.silent()
    for number, cost in enumerate(joules):
        model.addVar(least[number], most[number])
        model.changeColCost(number, cost)
        model.changeColIntegrality(number, highspy.HighsVarType.kSemiContinuous)
    model.addRow(n, n, 2, numpy.arange(2), numpy.ones(2))
    is_ok = model.run() == highspy.HighsStatus.kOk
    answer = model.modelStatusToString(model.getModelStatus()) if is_ok else "error"
    if answer != "Optimal":
        return answer
    return answer, [round(x, 3) for x in model.getSolution().col_value], model.getObjectiveValue(), model.getInfo().mip_gap


def by_scipy(n, least, most):
    """The same by SciPy; 2 marks semi-continuous variables."""
    result = milp(joules, integrality=[2, 2], bounds=Bounds(least, most), constraints=LinearConstraint([[1, 1]], n, n))
    if result.status != 0:
        return {2: "Infeasible"}.get(result.status, "error")
    return "Optimal", [round(float(x), 3) for x in result.x], result.fun, result.mip_gap


print("highspy", version("highspy"), "SciPy", version("scipy"))
seen = {}
for name, solve in (("HiGHS", by_highs), ("SciPy", by_scipy)):
    for unit in (1, 1000):
        one = solve(150000 / unit, (100 / unit, 80000 / unit), (150000 / unit, 100000 / unit))
        two = solve(300000 / unit, (100 / unit, 100 / unit), (300000 / unit, 300000 / unit))
        print(f"{name}, units of {unit}: {one}; {two}")
        seen[name, unit] = [one, two]
large = [("Optimal", [70000, 80000], 230000, 0), "Infeasible"]
small = [("Optimal", [150, 0], 150, 0), ("Optimal", [300, 0], 300, 0)]
as_seen = all(seen[name, 1] == large and seen[name, 1000] == small for name in ("HiGHS", "SciPy"))
print("as seen" if as_seen else "the behaviour has changed")
sys.exit(0 if as_seen else 1)
PROGRAM
