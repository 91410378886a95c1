"""hpart.tune: the certified optimum of Python functions in one call; its printed forms, and its errors."""
import dataclasses
import os
import signal
import time
import unittest

import numpy as np

import hpart

QUICK = {"max_total_seconds": 60, "min_repetitions": 2}


class Oops(Exception):
    pass


def slow(size):
    time.sleep(size / 2e4)


def fast(size):
    time.sleep(size / 6e4)


def exact(sizes):
    """An application whose times are known."""
    return [size / speed for size, speed in zip(sizes, (1, 2, 3))]


class Found(unittest.TestCase):
    def test_functions(self):
        found = hpart.tune([slow, fast], 40, **QUICK)
        self.assertEqual(list(found.platform), ["slow", "fast"])
        self.assertEqual(found["slow"] + found["fast"], 40)
        self.assertGreater(found["fast"], found["slow"])
        self.assertEqual(found.distribution.as_dict(), found.as_dict())
        self.assertEqual(found.distribution.time, found.time)
        self.assertEqual(found.platform.evaluate(found).time, found.platform.evaluate(found.x).time)
        with hpart.Team() as team:
            team.add("fast", slow)
            team.add("slow", fast)
            self.assertEqual(team.execute(found, warmup=0).x.tolist(), found.x[::-1].tolist())

    def test_names(self):
        once = {"max_total_seconds": 5, "min_repetitions": 2, "max_repetitions": 2, "confirm": 0}
        for callables, processors, names in (
            ({"CPU": slow, "GPU": fast}, None, ["CPU", "GPU"]),
            ([slow, slow], None, ["0", "1"]),
            ([lambda size: None, fast], None, ["0", "1"]),
            ((slow, fast), ["a", "b"], ["a", "b"]),
        ):
            self.assertEqual(list(hpart.tune(callables, 4, processors=processors, **once).platform), names)

    def test_application(self):
        found = hpart.tune(exact, 120, processors=["A", "B", "C"], candidates=range(10, 121, 10), **QUICK)
        self.assertEqual((found.x.tolist(), found.value, found.certified), ([20, 40, 60], 20, True))
        self.assertLessEqual(found.bounds[0], 20)
        self.assertGreaterEqual(found.bounds[1], 20)
        first, equal = found.baselines[:2]
        self.assertEqual((first.name, first.ratio, first.x.tolist()), ("optimal", 1, [20, 40, 60]))
        self.assertEqual((equal.name, equal.value, equal.ratio, equal.x.tolist()), ("equal", 40, 2, [40, 40, 40]))
        self.assertEqual(found.report["baselines"][0]["distribution"], [20, 40, 60])
        text = str(found).splitlines()
        self.assertEqual(text[0], "A 20, B 40, C 60: 20 s in whole runs")
        self.assertRegex(text[1], "^certified: by single processors the least is .* to 20.5 s, with 95 % confidence$")
        self.assertRegex(text[3], r"^equal +2.000  [\d.]+ to [\d.]+ +40, 40, 40$")
        self.assertEqual(repr(found), "<hpart.Optimum [20, 40, 60]: 20 s, certified>")
        table = found._repr_html_()
        for part in ("<td>C</td><td>60</td>", "<td>equal</td><td>2.000</td>", "<p>20 s in whole runs; certified: by single processors "):
            self.assertIn(part, table)

    def test_sum_of_times(self):
        found = hpart.tune(exact, 120, processors=["A", "B", "C"], candidates=range(10, 121, 10), objective="sum_time", **QUICK)
        self.assertEqual((found.x.tolist(), found.time), ([0, 0, 120], 40))
        self.assertIn("40 s", str(found))

    def test_one_time(self):
        found = hpart.tune(lambda sizes: max(exact(sizes)), 60, processors=["A", "B", "C"], max_runs=6, **QUICK)
        self.assertNotEqual(found.bounds[0], found.bounds[0])
        self.assertRegex(str(found), "not certified: the best of .* distributions run")

    def test_default_candidates_sum_to_every_size(self):
        for size in (1, 2, 127, 128, 129, 1000, 10**6 + 3, 2**40 + 1):
            found = hpart.tune(exact, size, processors=["A", "B", "C"], confirm=0, **QUICK)
            self.assertEqual(found.x.sum(), size)
            self.assertLess(found.value, 1.3 * size / 6 + 1)

    def test_energy(self):
        joules = [0.0]

        def burner(rate):
            def run(size):
                joules[0] += rate * size
                time.sleep(1e-5 * size)

            return run

        with hpart.Meter.of(lambda: (joules[0], time.monotonic()), "joules", 1e-6, name="bench") as meter:
            given = {"meter": meter, "candidates": [2, 4, 6, 8], "base_power": 0, **QUICK}
            found = hpart.tune([burner(3), burner(1)], 8, objective="energy", **given)
        self.assertEqual((found.x.tolist(), found.energy), ([0, 8], 8))
        self.assertTrue(np.isnan(found.time))
        self.assertIn("8 J", str(found))
        self.assertIn("8 J", found._repr_html_())
        self.assertGreater(len(found.baselines), 1)
        for one in found.baselines:
            self.assertAlmostEqual(one.value, 3 * one.x[0] + one.x[1])
            self.assertAlmostEqual(one.ratio, one.value / 8)


class Shown(unittest.TestCase):
    """Numbers for people."""

    def optimum(self, **changes):
        found = hpart.tune(exact, 120, processors=["A", "B", "C"], candidates=range(10, 121, 10), **QUICK)
        return dataclasses.replace(found, report={**found.report, **changes})

    def test_intervals_that_are_unknown(self):
        found = self.optimum()
        first, *others = found.report["baselines"]
        unknown = [{**row, "ratio_low": 0.0, "ratio_high": float("inf")} for row in others]
        wide = self.optimum(baselines=[first, *unknown], lower_bound=0.0, upper_bound=1.0893812345)
        for shown in (str(wide), wide._repr_html_()):
            self.assertIn("unknown", shown)
            self.assertIn("the least is at most 1.089 s", shown)
            self.assertNotIn("inf", shown.replace("interval", ""))
        none = self.optimum(lower_bound=0.0, upper_bound=float("inf"))
        self.assertIn("the least is unknown", str(none))
        self.assertIn("the least is 72.1 to 72.5 ms", str(self.optimum(lower_bound=0.0721234, upper_bound=0.07246)))

    def test_functions_without_names(self):
        found = dataclasses.replace(self.optimum(), platform=hpart.Platform(3))
        self.assertTrue(str(found).startswith("processor 0 = 20, processor 1 = 40, processor 2 = 60: 20 s"), str(found))
        self.assertIn("<td>processor 1</td><td>40</td>", found._repr_html_())


class Refused(unittest.TestCase):
    def test_arguments(self):
        for call, kind, message in (
            (lambda: hpart.tune([slow, 3], 4), TypeError, r"callables\[1\] is 3; it must be callable"),
            (lambda: hpart.tune({"a": None}, 4), TypeError, r"callables\[0\] is None; it must be callable"),
            (lambda: hpart.tune("slow", 4), TypeError, "callables is 'slow'; it must be a function, or a list"),
            (lambda: hpart.tune(None, 4), TypeError, "callables is None"),
            (lambda: hpart.tune([], 4), ValueError, "callables is empty"),
            (lambda: hpart.tune({}, 4), ValueError, "callables is empty"),
            (lambda: hpart.tune({3: slow}, 4), TypeError, "a name of callables is 3; it must be a string"),
            (lambda: hpart.tune([slow], 0), ValueError, "size is 0; it must be >= 1"),
            (lambda: hpart.tune([slow], -3), ValueError, "size is -3; it must be >= 1"),
            (lambda: hpart.tune([slow], 2**63), ValueError, "size is 9223372036854775808; it must fit"),
            (lambda: hpart.tune([slow], 4.0), TypeError, "size is 4.0; it must be an integer"),
            (lambda: hpart.tune([slow, fast], 4, processors=["a"]), ValueError, "it must have 2 different names"),
            (lambda: hpart.tune([slow, fast], 4, processors=["a", "a"]), ValueError, "it must have 2 different names"),
            (lambda: hpart.tune({"a": slow}, 4, processors=["a"]), ValueError, "callables has names"),
            (lambda: hpart.tune(exact, 4), ValueError, "processors is None; a function of all sizes needs"),
            (lambda: hpart.tune(exact, 4, processors=[]), ValueError, r"processors is \[\]; a function"),
            (lambda: hpart.tune(exact, 4, processors="AB"), TypeError, "processors is 'AB'; it must be a list of names"),
            (lambda: hpart.tune([slow], 4, processors=3), TypeError, "processors is 3; it must be a list of names"),
            (lambda: hpart.tune([slow], 4, candidates=[3]), hpart.InfeasibleError, "4"),
            (lambda: hpart.tune([slow], 4, candidates=[2.5]), TypeError, "candidates has elements of type float64"),
            (lambda: hpart.tune([slow], 4, candidates=[0, 4]), ValueError, "0"),
            (lambda: hpart.tune({"a": lambda n: 0.1}, 4), ValueError, "function 'a' returned 0.1; hpart measures the time"),
            (lambda: hpart.tune([slow], 4, objective="energy"), ValueError, "meter"),
            (lambda: hpart.tune([slow], 4, objective="speed"), ValueError, "objective is 'speed'"),
            (lambda: hpart.tune([slow], 4, presicion=0.1), ValueError, "precision"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()

    def test_exceptions_pass_through(self):
        def raising(size):
            raise Oops(f"size {size}")

        with self.assertRaisesRegex(Oops, "size"):
            hpart.tune([slow, raising], 8, **QUICK)
        with self.assertRaisesRegex(Oops, "all"):
            hpart.tune(lambda sizes: raising("all"), 8, processors=["A", "B"], **QUICK)

    def test_sizes_at_which_an_application_raises_are_left_out(self):
        def limited(sizes):
            if sizes[1] > 20:
                raise MemoryError(sizes)
            return exact(sizes)

        found = hpart.tune(limited, 60, processors=["A", "B"], candidates=range(5, 61, 5), confirm=0, **QUICK)
        self.assertEqual(found.x.tolist(), [40, 20])
        self.assertIn("B: ", found.report["failed"])
        self.assertRegex(str(found), r"failed: B: .* \(MemoryError: \[\d+, \d+\]\)")

    def test_the_confidence_asked_for_is_the_one_shown(self):
        found = hpart.tune(exact, 60, processors=["A", "B"], candidates=range(5, 61, 5), confidence=0.9, **QUICK)
        self.assertIn("90 % interval", str(found))
        self.assertIn("90 % confidence", str(found))
        self.assertNotIn("95 %", str(found) + found._repr_html_())

    def test_interrupt_of_the_keyboard(self):
        def kernel(size):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

        with self.assertRaises(KeyboardInterrupt):
            hpart.tune([kernel], 8)
        with self.assertRaises(KeyboardInterrupt):
            hpart.tune(lambda sizes: kernel(sizes), 8, processors=["A", "B"])
