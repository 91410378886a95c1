"""Plots of matplotlib, by the data of what they draw."""
import time
import unittest

import matplotlib
import numpy as np

import hpart

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


def two() -> hpart.Platform:
    platform = hpart.Platform(["<CPU>", "GPU"])
    platform.set_time("<CPU>", [1, 2, 3], [1.0, 3.0, 4.0], low=[0.5, 2.0, 4.0], high=[1.5, 3.5, 4.0])
    platform.set_energy("<CPU>", [2, 4], [8.0, 9.0])
    platform.set_time("GPU", [1, 3], [0.5, 2.0])
    platform.set_energy("GPU", [1, 2], [4.0, 7.0])
    return platform


def heights(ax):
    """The bars of each series."""
    return [[bar.get_height() for bar in bars] for bars in ax.containers if isinstance(bars, matplotlib.container.BarContainer)]


def labels(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


class Plots(unittest.TestCase):
    def tearDown(self):
        pyplot.close("all")

    def test_functions(self):
        ax = two().plot()
        self.assertEqual([line.get_label() for line in ax.lines], ["<CPU>", "GPU"])
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[1, 1.0], [2, 3.0], [3, 4.0]])
        np.testing.assert_array_equal(ax.lines[1].get_xydata(), [[1, 0.5], [3, 2.0]])
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("size", "time, s"))
        (band,) = ax.collections
        corners = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
        self.assertLessEqual({(1, 0.5), (1, 1.5), (2, 2.0), (2, 3.5), (3, 4.0)}, corners)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["<CPU>", "GPU"])

    def test_energies_in_given_axes(self):
        ax = pyplot.figure().add_subplot()
        self.assertIs(two().plot(ax, quantity="energy"), ax)
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[2, 8.0], [4, 9.0]])
        self.assertEqual((ax.get_ylabel(), len(ax.collections)), ("energy, J", 0))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "quantity is 'power'; it must be 'time' or 'energy'"):
            two().plot(quantity="power")

    def test_front(self):
        front = two().pareto(3, interpolate="linear")
        self.assertGreater(len(front), 1)
        ax = front.plot()
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[point.time, point.energy] for point in front])
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("time, s", "energy, J"))

    def test_distribution(self):
        platform = two()
        ax = platform.plot_distribution(platform.partition_time(4))
        self.assertEqual((heights(ax), labels(ax), ax.get_ylabel()), ([[1.0, 2.0]], ["<CPU>", "GPU"], "time, s"))
        self.assertEqual(heights(platform.plot_distribution({"GPU": 2}, quantity="energy")), [[0.0, 7.0]])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "function of time of GPU has no point"):
            platform.plot_distribution([1, 2])

    def test_predicted_against_measured(self):
        with hpart.Team() as team:
            team.set_application(["GPU", "<CPU>"], lambda sizes: [sizes[0] / 2, sizes[1] / 4])
            measured = team.measure([3, 2], min_repetitions=2, max_repetitions=3)
            single = team.execute([3, 2], warmup=0)
        ax = measured.plot(predicted=two())
        self.assertEqual((heights(ax), labels(ax)), ([[1.5, 0.5], [2.0, 3.0]], ["GPU", "<CPU>"]))
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["measured", "predicted"])
        self.assertIsNone(single.plot().get_legend())
        wide = hpart.Measurement(("a", "b"), np.array([1, 0]), np.array([2.0, 0.0]), {"interval_low": [1.5, np.nan], "interval_high": [4.0, np.nan]})
        (errors,) = (one for one in wide.plot().containers if isinstance(one, matplotlib.container.ErrorbarContainer))
        np.testing.assert_array_equal(errors[2][0].get_segments()[0], [[0, 1.5], [0, 4.0]])
        unknown = hpart.Measurement(("GPU", "<CPU>"), np.array([2, 2]), np.array([1.0, 1.0]), wide.report).plot(predicted=two())
        self.assertEqual([text.get_text() for text in unknown.texts], ["no value"])

    def test_optima(self):
        found = hpart.tune(lambda sizes: [sizes[0], sizes[1] / 2], 30, processors=["a", "b"], candidates=range(5, 31, 5), confirm=0)
        ax = found.plot()
        self.assertEqual(found.x.tolist(), [10, 20])
        circles = [line.get_xydata().tolist() for line in ax.lines if line.get_fillstyle() == "none"]
        self.assertEqual(circles, [[[10, 10]], [[20, 10]]])

    def test_optimal_front(self):
        joules = [0.0]

        def burner(size):
            joules[0] += size

        with hpart.Meter.of(lambda: (joules[0], time.monotonic()), "joules", 1e-6) as meter, hpart.Team() as team:
            team.add("a", burner)
            team.set_meter(meter)
            found = team.optimize_front(4, [2, 4], sizes="all", base_power=0, min_repetitions=2, max_total_seconds=5)
        np.testing.assert_array_equal(found.plot().lines[0].get_xydata(), [[point.time, point.energy] for point in found.front])
        self.assertEqual(found._repr_html_(), found.front._repr_html_())
