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
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("size", "time [s]"))
        (band,) = ax.collections
        corners = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
        self.assertLessEqual({(1, 0.5), (1, 1.5), (2, 2.0), (2, 3.5), (3, 4.0)}, corners)
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["<CPU>", "GPU"])

    def test_energies_in_given_axes(self):
        ax = pyplot.figure().add_subplot()
        self.assertIs(two().plot(ax, quantity="energy"), ax)
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[2, 8.0], [4, 9.0]])
        self.assertEqual((ax.get_ylabel(), len(ax.collections)), ("dynamic energy [J]", 0))
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "quantity is 'power'; it must be 'time' or 'energy'"):
            two().plot(quantity="power")

    def test_as_the_command_draws(self):
        platform = hpart.Platform([f"p{i}" for i in range(8)])
        for name in platform:
            platform.set_time(name, [1, 2], [0.002, 0.25])
        ax = platform.plot()
        self.assertEqual((ax.get_ylabel(), ax.get_title()), ("time [ms]", "Time by size"))
        self.assertEqual(ax.yaxis.get_major_formatter()(0.25, 0), "250")
        self.assertEqual(ax.get_ylim()[0], 0)
        self.assertEqual([line.get_color() for line in ax.lines[:2]], ["#0072B2", "#D55E00"])
        styles = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
        self.assertEqual(len(styles), 8, "the eighth has the first one's colour and other dashes")
        platform.set_time("p0", [1, 2], [0.002, 0.25], low=[0.001, 0.1], high=[0.004, 9.0])
        self.assertLess(platform.plot().get_ylim()[1], 0.3, "the band does not flatten the points")
        given = pyplot.figure().add_subplot()
        given.set_title("mine")
        self.assertEqual(platform.plot(given).get_title(), "mine")

    def test_front(self):
        front = two().pareto(3, interpolate="linear")
        self.assertGreater(len(front), 1)
        ax = front.plot()
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[point.time, point.energy] for point in front])
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("execution time [s]", "energy [J]"))
        self.assertEqual([text.get_text() for text in ax.texts], [" | ".join(map(str, point.x)) for point in front])
        self.assertEqual(ax.get_title().replace("\n", " "), f"Pareto front of size 3, {len(front)} points; at the points the sizes of <CPU> | GPU")
        long = hpart.Platform(["a", "b"])
        for k in (0, 1):
            long.set_time(k, range(1, 30), [(k + 1.0) * n for n in range(1, 30)])
            long.set_energy(k, range(1, 30), [(2.0 - k) ** 2 * n for n in range(1, 30)])
        many = long.pareto(29)
        self.assertGreater(len(many), 8)
        self.assertEqual(list(many.plot().texts), [], "too many to be read")

    def test_distribution(self):
        platform = two()
        ax = platform.plot_distribution(platform.partition_time(4))
        self.assertEqual((heights(ax), labels(ax), ax.get_ylabel()), ([[1.0, 2.0]], ["<CPU>", "GPU"], "time [s]"))
        ax = platform.partition_time(4).plot()
        self.assertEqual((heights(ax), ax.get_ylabel(), ax.get_title()), ([[1, 3]], "size", "size 4, 2 s"))
        self.assertEqual([text.get_text() for text in ax.texts], ["1", "3"])
        large = hpart.Platform(["a"])
        large.set_time("a", [1048576], [0.25])
        ax = large.partition_time(1048576).plot()
        self.assertEqual(([text.get_text() for text in ax.texts], ax.get_title()), (["1048576"], "size 1048576, 250 ms"))
        self.assertEqual(heights(platform.plot_distribution({"GPU": 2}, quantity="energy")), [[0.0, 7.0]])
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "function of time of GPU has no point"):
            platform.plot_distribution([1, 2])

    def test_predicted_against_measured(self):
        with hpart.Team() as team:
            team.set_application(["GPU", "<CPU>"], lambda sizes: [sizes[0] / 2, sizes[1] / 4])
            measured = team.measure([3, 2], min_repetitions=2, max_repetitions=3)
            single = team.execute([3, 2], warmup=0)
        ax = measured.plot(predicted=two())
        self.assertEqual((heights(ax), labels(ax)), ([[2.0, 3.0], [1.5, 0.5]], ["GPU", "<CPU>"]))
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["predicted", "measured"], "as `hpart plot`")
        self.assertEqual([bars[0].get_facecolor() for bars in ax.containers if isinstance(bars, matplotlib.container.BarContainer)], [matplotlib.colors.to_rgba(colour) for colour in ("#56B4E9", "#0072B2")])
        self.assertIsNone(single.plot().get_legend())
        wide = hpart.Measurement(("a", "b"), np.array([1, 0]), np.array([2.0, 0.0]), {"interval_low": [1.5, np.nan], "interval_high": [4.0, np.nan]})
        (errors,) = (one for one in wide.plot().containers if isinstance(one, matplotlib.container.ErrorbarContainer))
        ends = errors[2][0].get_segments()[0]
        np.testing.assert_array_equal(ends[:, 1], [1.5, 4.0])
        (number,) = (text for text in wide.plot().texts if text.get_text() == "2")
        self.assertEqual(number.xy[1], 2.0, "the number stands on the bar, not at the interval's end")
        self.assertLess(number.xy[0], ends[0, 0], "beside the interval")
        unknown = hpart.Measurement(("GPU", "<CPU>"), np.array([2, 2]), np.array([1.0, 1.0]), wide.report).plot(predicted=two())
        self.assertEqual([text.get_text() for text in unknown.texts], ["no value", "3", "1", "1"])

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
