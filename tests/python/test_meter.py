"""Meters: recordings, one's own, estimates; windows, base power, failures."""
import gc
import itertools
import os
import re
import signal
import tempfile
import threading
import time
import unittest

import hpart
from refusals import RefusalTest

SCRIPT = "# clock = script\nseconds,watts\n" + "".join(f"{k},{100 + (k % 2)}\n" for k in range(41))


class Meters(RefusalTest):
    def recording(self, content=SCRIPT):
        file = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(content)
        return f"replay:{file.name}"

    def test_a_recording(self):
        with hpart.Meter(self.recording(), base_power=60.0) as meter:
            with meter.window() as energy:
                self.assertNotEqual(energy.joules, energy.joules)
            self.assertAlmostEqual(energy.joules, 4020)
            self.assertEqual(energy.seconds, 40)
            self.assertAlmostEqual(energy.watts, 100.5)
            report = meter.report
            self.assertEqual((report["method"], report["short_window"]), ("replayed", 0))
            self.assertAlmostEqual(report["dynamic_joules"], 4020 - 2400)
            base = meter.base_power(20)
            self.assertAlmostEqual(base.watts, 100.5)
            self.assertAlmostEqual(meter.report["base_power"], 100.5)

    def test_a_correction(self):
        with hpart.Meter(self.recording(), meter_scale=2, meter_offset=-50) as meter:
            with meter.window() as energy:
                pass
            self.assertAlmostEqual(energy.watts, 2 * 100.5 - 50)
            self.assertEqual((meter.report["meter_scale"], meter.report["busy"]), (2, ""))

    def test_power_of_ones_own(self):
        meter = hpart.Meter.of(lambda: (75, time.monotonic()), "watts", 0.005, name="bench")
        with meter.window() as energy:
            sum(k * k for k in range(300000))  # the sampling thread takes its turns
        self.assertAlmostEqual(energy.watts, 75)
        self.assertAlmostEqual(meter.base_power(0.1).watts, 75)
        self.assertEqual(meter.report["meter"], "bench")
        meter.close()

    def test_what_a_meter_raises(self):
        class Unplugged(Exception):
            pass

        def read():
            raise Unplugged("the cable is out")

        meter = hpart.Meter.of(read, "watts", 0.01)
        with self.assertRaisesRegex(Unplugged, "cable"):
            meter.start()
        pair = "; it must be a pair of its value and the time"
        for wrong, kind, message in (
            (5, TypeError, f"the meter's result is 5{pair}"),
            ((1, 2, 3), TypeError, f"the meter's result is (1, 2, 3){pair}"),
            (("a", 1), TypeError, "the meter's value is 'a'; it must be a real number"),
            ((1, None), TypeError, "the meter's time is None; it must be a real number"),
            ((10**400, 1), hpart.InvalidArgumentError, "; it must fit in a double"),
        ):
            with self.subTest(message), self.assertRaisesRegex(kind, re.escape(message)):
                hpart.Meter.of(lambda: wrong, "watts", 0.01).start()
        with self.assertRaises(hpart.DeviceError):
            hpart.Meter.of(lambda: (-1.0, 0.0), "watts", 0.01).start()

    def test_a_meter_may_raise_stop_iteration(self):
        values = iter([(1.0, 0.0)])
        with hpart.Meter.of(lambda: next(values), "joules", 0.01) as meter:
            with self.assertRaises(StopIteration):
                with meter.window():
                    pass

    def test_the_failure_of_the_block_is_told(self):
        meter = hpart.Meter.of(lambda: (1, time.monotonic()), "watts", 0.01)
        with self.assertRaisesRegex(ValueError, "inside"):
            with meter.window():
                raise ValueError("inside")
        with meter.window() as energy:
            pass
        self.assertGreaterEqual(energy.joules, 0)

    def test_a_base_power_can_be_stopped(self):
        told = []

        def stop(fraction, what):
            told.append(what)
            return len(told) == 3

        with hpart.Meter("estimate:1", progress=stop) as meter:
            with self.assertRaises(hpart.CancelledError):
                meter.base_power(1e6)
        self.assertEqual(len(told), 3)

        def fail(fraction, what):
            raise ZeroDivisionError

        with hpart.Meter("estimate:1", progress=fail) as meter:
            with self.assertRaises(ZeroDivisionError):
                meter.base_power(1e6)
        with hpart.Meter("estimate:1", progress=lambda fraction, what: signal.raise_signal(signal.SIGINT)) as meter:
            with self.assertRaises(KeyboardInterrupt):
                meter.base_power(1e6)

    def test_a_base_power_of_ones_own_can_be_stopped(self):
        for quantity in ("watts", "joules"):
            reads = itertools.count()

            def read():
                if next(reads) == 0:
                    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
                return time.monotonic(), time.monotonic()

            with hpart.Meter.of(read, quantity, 0.002) as meter:
                with self.assertRaises(KeyboardInterrupt):
                    meter.base_power(10)
                self.assertGreater(meter.base_power(0.05).watts, 0)  # it works on

        def fails():
            raise ZeroDivisionError

        with hpart.Meter.of(fails, "watts", 0.01) as meter, self.assertRaises(ZeroDivisionError):
            meter.base_power(60)

    def test_wrong_calls(self):
        self.assert_refused(hpart.IoError, [(lambda: hpart.Meter("replay:no/such/file"), "no/such/file")])
        self.assert_refused(hpart.FormatError, [(lambda: hpart.Meter(self.recording("seconds,watts\n0,x\n")), "")])
        self.assert_refused(TypeError, [(lambda: hpart.Meter(5), ""), (lambda: hpart.Meter.of(None, "watts", 1), "")])
        self.assert_refused(hpart.InvalidArgumentError, [
            (lambda: hpart.Meter("volts"), "rapl.*estimate:W"),
            (lambda: hpart.Meter("estimate:1", deadline=3.0), "deadline"),
        ])
        for arguments in (("watts", 0), ("watts", 1, 5), ("joules", 1, -1), ("joules", float("nan"))):
            with self.assertRaises(hpart.InvalidArgumentError):
                hpart.Meter.of(lambda: (0, 0), *arguments)

    def test_a_meter_that_is_forgotten_goes(self):
        freed = []

        class Reader:
            def __call__(self):
                return 1, time.monotonic()

            def __del__(self):
                freed.append(True)

        meter = hpart.Meter.of(Reader(), "watts", 0.001)
        meter.start()
        del meter
        gc.collect()
        self.assertEqual(freed, [True])

    def test_kinds(self):
        kinds = {kind.form: kind for kind in hpart.meters()}
        self.assertEqual(list(kinds)[0], "rapl")
        self.assertTrue(kinds["estimate:W"].works)
        self.assertIn("not a measurement", kinds["estimate:W"].reason)
        for kind in kinds.values():
            self.assertTrue(kind.reason)


class Node:
    """Takes 58 W; its kernels burn joules a unit of size, a second by its own clock."""

    def __init__(self):
        self.seconds, self.joules = 0.0, 0.0

    def kernel(self, joules):
        def burn(size):
            self.seconds += 1
            self.joules += 58 + joules * size

        return burn

    def read(self):
        return self.joules, self.seconds

    def meter(self):
        return hpart.Meter.of(self.read, "joules", 1e-6)


QUICK = {"min_repetitions": 2, "max_repetitions": 2, "warmup": 0}


class Teams(unittest.TestCase):
    def test_energy_of_the_node(self):
        node = Node()
        with hpart.Team() as team, node.meter() as meter:
            team.add("a", node.kernel(2))
            team.add("b", node.kernel(3))
            self.assertIsNone(team.measure([4, 0], **QUICK).joules)
            team.set_meter(meter)
            measured = team.measure([4, 0], base_power=58.0, **QUICK)
            self.assertAlmostEqual(measured.joules, 8)
            self.assertAlmostEqual(measured.report["energy_total"], 66)
            self.assertEqual(measured.report["energy_method"], "counter")
            # Kernels that hold the lock run in turn.
            self.assertAlmostEqual(team.measure([4, 5], base_power=58.0, **QUICK).joules, 8 + 15)
            platform = team.profile([1, 2], base_power=58.0, **QUICK)
            self.assertAlmostEqual(platform.evaluate([1, 2]).energy, 2 + 6)
            self.assertEqual(platform.base_power, 58)

    def test_energy_of_each(self):
        first, second = Node(), Node()
        with hpart.Team() as team, first.meter() as one, second.meter() as other:
            team.add("a", first.kernel(2), releases_gil=True)
            team.add("b", second.kernel(3), releases_gil=True)
            team.set_meter(one, "a")
            self.assertIsNone(team.measure([4, 5], **QUICK).joules)
            with self.assertRaises(hpart.InvalidArgumentError):
                team.set_meter(one, 1)
            with self.assertRaises(hpart.InvalidArgumentError):
                team.set_meter(other)
            team.set_meter(other, 1)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "base_power"):
                team.measure([4, 5], base_power=58.0, **QUICK)

    def test_additivity(self):
        node = Node()
        with hpart.Team() as team, node.meter() as meter:
            team.add("a", node.kernel(2))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "no meter of the whole node"):
                team.additivity([[1]])
            team.set_meter(meter)
            alone = hpart.Platform(["a"])
            alone.set_time(0, [1, 2], [1, 1])
            alone.set_energy(0, [1, 2], [1.6, 4])
            self.assertAlmostEqual(team.additivity([[1], [2]], alone, base_power=58.0, **QUICK).mean, 12.5)
            team.add("b", node.kernel(2))
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "releases_gil"):
                team.additivity([[1, 1]])

    def test_what_the_meter_raises_comes_back(self):
        node = Node()
        with hpart.Team() as team:
            team.add("a", node.kernel(2))

            def broken():
                raise ZeroDivisionError("no volts")

            team.set_meter(hpart.Meter.of(broken, "joules", 1e-6))
            with self.assertRaisesRegex(ZeroDivisionError, "no volts"):
                team.measure([1], base_power=58.0, **QUICK)

    def test_a_meter_is_there_while_the_team_measures(self):
        node = Node()
        meter = node.meter()
        with hpart.Team() as team:
            team.add("a", lambda size: meter.close())
            team.set_meter(meter)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "a team measures"):
                team.measure([1], base_power=58.0, **QUICK)
            meter.close()
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "closed"):
                team.measure([1], **QUICK)
            with self.assertRaisesRegex(hpart.InvalidArgumentError, "closed"):
                team.set_meter(meter)
            team.set_meter(None)
        with self.assertRaisesRegex(hpart.InvalidArgumentError, "the meter is closed"):
            meter.start()
