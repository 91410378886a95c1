"""Tables of pandas and notebooks, and the errors for missing packages."""
import importlib.util
import sys
import unittest
import unittest.mock

import numpy as np

import hpart


def two() -> hpart.Platform:
    platform = hpart.Platform(["<CPU>", "GPU"])
    platform.set_time("<CPU>", [1, 2], [1.0, 3.0])
    platform.set_energy("<CPU>", [2, 4], [8.0, 9.0])
    platform.set_time("GPU", [1], [0.5])
    return platform


class Recorder:
    """Stands for a package: keeps the calls."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        def call(*positional, **named):
            self.calls.append((name, positional, named))
            return self

        return call

    def named(self, name):
        return [(positional, named) for called, positional, named in self.calls if called == name]


class Frames(unittest.TestCase):
    POINTS = {
        "processor": ["<CPU>", "<CPU>", "<CPU>", "GPU"],
        "size": [1, 2, 4, 1],
        "time": [1.0, 3.0, np.nan, 0.5],
        "energy": [np.nan, 8.0, 9.0, np.nan],
    }

    def test_to_dataframe(self):
        pandas = Recorder()
        with unittest.mock.patch.dict(sys.modules, pandas=pandas):
            two().to_dataframe()
        ((columns,), _), = pandas.named("DataFrame")
        self.assertEqual(list(columns), list(self.POINTS))
        self.assertEqual([list(columns[key]) for key in ("processor", "size")], [self.POINTS["processor"], self.POINTS["size"]])
        for key in ("time", "energy"):
            np.testing.assert_array_equal(columns[key], self.POINTS[key])

    INTERVALS = {
        "time_low": [0.5, 3.0, np.nan, np.nan],
        "time_high": [1.5, 3.0, np.nan, np.nan],
        "energy_low": [np.nan, np.nan, 8.5, np.nan],
        "energy_high": [np.nan, np.nan, 9.0, np.nan],
        "repetitions": [7, 3, 5, 0],
    }

    def test_intervals(self):
        platform = hpart.Platform.from_dataframe({**self.POINTS, **self.INTERVALS})
        pandas = Recorder()
        with unittest.mock.patch.dict(sys.modules, pandas=pandas):
            platform.to_dataframe()
        ((columns,), _), = pandas.named("DataFrame")
        self.assertEqual(list(columns), [*self.POINTS, *self.INTERVALS])
        for key, values in self.INTERVALS.items():
            np.testing.assert_array_equal(columns[key], values)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "columns"):
            hpart.Platform.from_dataframe({"processor": ["a"], "size": [1], "time_low": [1.0]})

    def test_from_dataframe(self):
        self.assertEqual(hpart.Platform.from_dataframe(self.POINTS), two())
        only_time = {key: self.POINTS[key] for key in ("processor", "size", "time")}
        np.testing.assert_array_equal(hpart.Platform.from_dataframe(only_time)["<CPU>"].seconds, [1.0, 3.0])

    def test_columns_of_other_lengths_are_refused(self):
        for frame in ({"processor": ["A", "A"], "size": [10, 20, 10], "time": [1.0, 2.0, 3.0]},
                      {"processor": ["A"] * 3, "size": [10, 20, 30], "time": [1.0, 2.0]},
                      {"processor": ["A"] * 3, "size": [10, 20, 30], "time": [1.0, 2.0, 3.0, 4.0]}):
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "rows; all must have as many"):
                hpart.Platform.from_dataframe(frame)
        masked = np.ma.array(["A", "B"], mask=[False, True])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "processor has masked elements"):
            hpart.Platform.from_dataframe({"processor": masked, "size": [1, 2], "time": [1.0, 2.0]})

    def test_an_interval_from_zero_stays(self):
        platform = hpart.Platform(["A"])
        platform.set_time("A", [10], [0.2], low=[0.0], high=[0.5], repetitions=[3])
        pandas = Recorder()
        with unittest.mock.patch.dict(sys.modules, pandas=pandas):
            platform.to_dataframe()
        ((columns,), _), = pandas.named("DataFrame")
        self.assertEqual(hpart.Platform.from_dataframe(columns), platform)

    def test_rows_in_any_order(self):
        random = np.random.default_rng(7)
        for _ in range(50):
            names = random.permutation([f"P{k}" for k in range(5)])
            platform = hpart.Platform(names)
            rows = []
            for name in names:
                sizes = random.choice(30, random.integers(1, 9), replace=False) + 1
                seconds, joules = random.random(len(sizes)), random.random(len(sizes))
                joules[random.random(len(sizes)) < 0.3] = np.nan
                platform.set_time(name, sizes, seconds)
                platform.set_energy(name, sizes[~np.isnan(joules)], joules[~np.isnan(joules)])
                rows += zip([name] * len(sizes), sizes, seconds, joules)
            order = random.permutation(len(rows))
            mixed = dict(zip(("processor", "size", "time", "energy"), map(list, zip(*[rows[k] for k in order]))))
            found = hpart.Platform.from_dataframe(mixed)
            self.assertEqual(found.processors, list(dict.fromkeys(mixed["processor"])))
            for name in names:
                self.assertEqual(found[name], platform[name])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not here")
    def test_there_and_back(self):
        frame = two().to_dataframe()
        self.assertEqual(frame.shape, (4, 4))
        self.assertEqual(hpart.Platform.from_dataframe(frame), two())


class Missing(unittest.TestCase):
    def test_missing_packages(self):
        platform = two()
        for module, call in (("pandas", platform.to_dataframe), ("matplotlib", platform.plot)):
            with unittest.mock.patch.dict(sys.modules, {module: None}), self.assertRaisesRegex(ImportError, f"pip install {module}"):
                call()


class Notebooks(unittest.TestCase):
    def test_html(self):
        platform = two()
        for shown, parts in (
            (platform, ["<td>&lt;CPU&gt;</td><td>3</td><td>1 to 4</td><td>1 s to 3 s</td><td>8 J to 9 J</td>", "<td>none</td>"]),
            (platform.partition_time(3), ["<td>&lt;CPU&gt;</td><td>2</td>", "<p>3 s</p><table>"]),
            (platform.schedule(2), ["<th>repeats</th>", "<td>GPU</td><td>1</td><td>2</td>"]),
        ):
            table = shown._repr_html_()
            self.assertTrue(table.endswith("</table>"), table)
            self.assertNotIn("<caption>", table, "it would be as narrow as the table")
            for part in parts:
                self.assertIn(part, table)

    def test_numbers_are_no_names(self):
        platform = hpart.Platform(2)
        for k in (0, 1):
            platform.set_time(k, [1, 2, 3], [0.1234567890123456, 0.2, 0.3])
        best = platform.partition_time(2)
        self.assertIn("<td>processor 1</td><td>1</td>", best._repr_html_())
        self.assertEqual(repr(best), "<hpart.Distribution processor 0: 1, processor 1: 1; 123.5 ms>")
        self.assertIn("<td>processor 0</td><td>3</td><td>1 to 3</td><td>123.5 ms to 300 ms</td>", platform._repr_html_())

    def test_long_fronts_are_cut(self):
        platform = hpart.Platform(2)
        n = 200
        sizes = np.arange(1, n)
        platform.set_time(0, sizes, sizes.astype(float))
        platform.set_energy(0, sizes, sizes.astype(float))
        platform.set_time(1, sizes, 2.0 * sizes)
        platform.set_energy(1, sizes, 0.1 * sizes)
        front = platform.pareto(n)
        self.assertGreater(len(front), 100)
        self.assertIn(f"... {len(front) - 60} more", front._repr_html_())
