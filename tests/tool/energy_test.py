"""hpart energy and the meters of hpart info, on machines that are played: trees of files, recordings, programs, a pseudo-terminal."""

import json
import os
import pathlib
import pty
import resource
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from command import COMMAND, CommandTest

KEYS = ["joules", "seconds", "watts", "base_power", "dynamic_joules", "meter", "method", "exit_status"]
SCRIPT = "# clock = script\nseconds,watts\n" + "".join(f"{k},{100 + (k % 2)}\n" for k in range(41))


class Rapl:
    """A package whose counter moves, in a tree of files."""

    def __init__(self, folder, watts=80.0, wrap=262143328850):
        self.root = folder / "sys"
        self.zone = self.root / "class/powercap/intel-rapl:0"
        self.zone.mkdir(parents=True)
        (self.zone / "name").write_text("package-0\n")
        (self.zone / "max_energy_range_uj").write_text(f"{wrap}\n")
        self.watts, self.wrap = watts, wrap
        self.stopping = threading.Event()
        (self.zone / "energy_uj").touch()
        self.write(0)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def write(self, microjoules):
        try:  # a file that was removed is not made anew
            file = os.open(self.zone / "energy_uj", os.O_WRONLY)
        except FileNotFoundError:
            return
        os.write(file, b"%018d\n" % (int(microjoules + 0.9 * self.wrap) % self.wrap))
        os.close(file)

    def run(self):
        start = time.monotonic()
        while not self.stopping.wait(0.002):
            self.write((time.monotonic() - start) * self.watts * 1e6)

    def stop(self):
        self.stopping.set()
        self.thread.join()

    @property
    def environment(self):
        return {"HPART_SYSFS_ROOT": str(self.root)}


class Energy(CommandTest):
    def setUp(self):
        super().setUp()
        self.script = f"replay:{self.write('script.csv', SCRIPT)}"

    def energy(self, *arguments, status=0, **settings):
        """The JSON object of a call that ends with the status."""
        result = self.run_command("energy", "--format", "json", *arguments, **settings)
        self.assertEqual(result.returncode, status, result.stderr)
        value = json.loads(result.stdout)
        self.assertEqual(list(value)[: len(KEYS)], KEYS)
        self.assertEqual(value["exit_status"], status)
        return value, result.stderr.decode()

    def rapl(self, **settings):
        played = Rapl(self.folder, **settings)
        self.addCleanup(played.stop)
        return played

    def test_a_recording(self):
        result, _ = self.energy("--meter", self.script, "--", "true")
        self.assertAlmostEqual(result["joules"], 40 * 100.5)
        self.assertEqual((result["seconds"], result["base_power"], result["dynamic_joules"]), (40, None, None))
        self.assertAlmostEqual(result["watts"], 100.5)
        self.assertEqual((result["method"], result["meter"]), ("replayed", self.script))
        self.assertIs(result["short_window"], False)

    def test_base_power(self):
        result, _ = self.energy("--meter", self.script, "--base-power", "60.5", "--", "true")
        self.assertAlmostEqual(result["dynamic_joules"], 40 * 40)
        self.assertEqual((result["base_power"], result["base_power_error"]), (60.5, 0))
        result, _ = self.energy("--meter", self.script, "--base-power", "measure", "--", "true")
        self.assertAlmostEqual(result["base_power"], 100.5)
        self.assertAlmostEqual(result["dynamic_joules"], 0)
        played = self.rapl(watts=50)
        result, _ = self.energy("--meter", "rapl", "--base-power", "measure", "--base-seconds", "0.5", "--", "sleep", "0.5",
                                environment=played.environment)
        self.assertAlmostEqual(result["base_power"], 50, delta=1)
        self.assertAlmostEqual(result["dynamic_joules"], 0, delta=1)
        self.assertGreater(result["base_power_error"], 0)

    def test_a_counter_that_wraps(self):
        played = self.rapl(watts=100, wrap=100000000)
        result, _ = self.energy("--meter", "rapl", "--", "sleep", "2", environment=played.environment)
        self.assertAlmostEqual(result["watts"], 100, delta=1)
        self.assertAlmostEqual(result["joules"], 100 * result["seconds"], delta=2)
        self.assertEqual((result["method"], result["channels"].keys()), ("counter", {"package-0"}))
        self.assertGreaterEqual(result["seconds"], 2)

    def test_for_people(self):
        text = self.text_of("energy", "--meter", self.script, "--base-power", "50", "--", "echo", "from the command")
        for part in ("from the command", "energy (replayed)", "4.02 kJ", "100.50 W", "dynamic energy", "2.02 kJ", "replayed"):
            self.assertIn(part, text)
        text = self.text_of("energy", "--meter", "estimate:10", "--", "true")
        for part in ("energy (estimated)", "estimate:10, estimated"):
            self.assertIn(part, text)

    def test_an_estimate_is_that_of_the_command(self):
        busy = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
        result, _ = self.energy("--meter", "estimate:20", "--", sys.executable, "-c", busy)
        self.assertEqual(result["method"], "estimated")
        self.assertGreater(result["joules"], 9.5)
        self.assertLess(result["joules"], 25)

    def test_what_the_command_prints(self):
        result, errors = self.energy("--meter", self.script, "--", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(errors.split()), ["err", "out"])
        result = self.run_command("energy", "--meter", self.script, "--", "cat", stdin=b"what came in")
        self.assertIn(b"what came in", result.stdout)

    def test_words_of_the_command_are_left_alone(self):
        words = ["--format", "text", "[1,2]", "", "--", "--meter", "a b", "-x"]
        result = self.run_command("energy", "--meter", self.script, "--format", "json", "--", sys.executable, "-c",
                                  "import sys; print(sys.argv[1:], file=sys.stderr)", *words)
        self.assertEqual(result.stderr.decode().strip(), str(words))

    def test_exit_status_is_passed_on(self):
        for status in (1, 2, 77, 125, 255):
            self.energy("--meter", self.script, "--", "sh", "-c", f"exit {status}", status=status)
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGPIPE):
            self.energy("--meter", self.script, "--", "sh", "-c", f"kill -{int(number)} $$", status=128 + number)
        self.assert_fails(127, "energy", "--meter", self.script, "--", "no-such-command", says="'no-such-command'")
        self.assert_fails(126, "energy", "--meter", self.script, "--", self.write("text", "no program"), says="Permission")

    def test_wrong_calls(self):
        for arguments, says in (
            (["--", "true"], "--meter"),
            (["--meter", self.script], "after --"),
            (["--meter", self.script, "--"], "after --"),
            (["--meter", self.script, "true"], "true"),
            (["--meter", "volts", "--", "true"], ["'volts'", "rapl", "replay:FILE"]),
            (["--meter", "", "--", "true"], "''"),
            (["--meter", "estimate:much", "--", "true"], "estimate:much"),
            (["--meter", "estimate:1", "--base-power", "measur", "--", "true"], "or measure"),
            (["--meter", "replay:no-file", "--", "true"], "no-file"),
            (["--meter", f"replay:{self.write('bad.csv', 'seconds,watts')}", "--", "true"], "0 rows"),
            (["--meter", self.script, "--base-power", "few", "--", "true"], ["--base-power", "'few'"]),
            (["--meter", self.script, "--base-power", "-1", "--", "true"], ["--base-power", "'-1'"]),
            (["--meter", self.script, "--base-seconds", "3", "--", "true"], "--base-seconds"),
            (["--meter", self.script, "--base-power", "measure", "--base-seconds", "0", "--", "true"], "--base-seconds"),
            (["--meter", self.script, "--base-power", "measure", "--base-seconds", "1", "--", "true"], ["seconds is 1", "20"]),
            (["--meter", self.script, "--option", "interval=0", "--", "true"], "interval"),
            (["--meter", self.script, "--option", "ties=fewest", "--", "true"], "ties"),
            (["--bogus", "--meter", self.script, "--", "true"], "--bogus"),
        ):
            with self.subTest(arguments):
                self.assert_fails(2, "energy", *arguments, says=says)

    def test_a_meter_without_descriptors_has_failed(self):
        # The pipe of a program that prints watts does not fit so few.
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))
        made = subprocess.run([COMMAND, "energy", "--meter", "command:echo 5", "--", "true"], cwd=self.folder, capture_output=True,
                              preexec_fn=limit, check=False)
        self.assertEqual((made.returncode, made.stdout), (125, b""), made.stderr)
        self.assertRegex(made.stderr, rb"^hpart: cannot .*: Too many open files\n$")

    def test_a_meter_that_fails_is_125(self):
        empty = {"HPART_SYSFS_ROOT": str(self.folder)}
        self.assert_fails(125, "energy", "--meter", "rapl", "--", "echo", "not run", says="no RAPL counters", environment=empty)
        self.assert_fails(125, "energy", "--meter", "perf", "--", "true", says="no energy counters", environment=empty)
        self.assert_fails(125, "energy", "--meter", "hwmon:hwmon0", "--", "true", says="no sensor", environment=empty)
        self.assert_fails(125, "energy", "--meter", "wattsup:/dev/none", "--", "true", says="/dev/none")
        self.assert_fails(125, "energy", "--meter", "command:exit 4", "--", "true", says="exit status 4")
        # In the middle: the command runs to its end.
        played = self.rapl()
        done = self.folder / "done"
        self.assert_fails(125, "energy", "--meter", "rapl", "--", "sh", "-c", f"rm -r {played.root}; sleep 0.1; touch {done}",
                          says="energy_uj", environment=played.environment)
        self.assertTrue(done.exists())

    def test_a_meter_that_fails_is_told_while_the_command_runs(self):
        process = subprocess.Popen([COMMAND, "energy", "--meter", "command:for k in 1 2 3 4 5; do echo 7; sleep 0.1; done", "--",
                                    "sleep", "3"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        started = time.monotonic()
        self.assertRegex(process.stderr.readline(), b"^hpart: the energy is lost, while the command goes on: meter command:")
        self.assertLess(time.monotonic() - started, 2.5)
        self.assertIsNone(process.poll())
        out, _ = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (125, b""))

    def test_a_counter_that_stands_still_is_125(self):
        played = self.rapl(watts=0)
        self.assert_fails(125, "energy", "--meter", "rapl", "--", "sleep", "0.3", says=["package-0", "did not move"],
                          environment=played.environment)

    def test_a_program_that_prints_watts(self):
        result, _ = self.energy("--meter", "command:while :; do echo 42.5; sleep 0.05; done", "--", "sleep", "0.3")
        self.assertAlmostEqual(result["watts"], 42.5)
        self.assertEqual(result["method"], "integrated")
        self.assertIs(result["short_window"], True)

    def test_a_wall_meter(self):
        ours, theirs = pty.openpty()
        stopping = threading.Event()

        def play():
            heard = b""
            while not stopping.wait(0.05):
                if select.select([ours], [], [], 0)[0]:
                    heard += os.read(ours, 1000)
                if b"#L,W,3,E,,1;" in heard:
                    os.write(ours, b"#d,-,18,1575,2301,680,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15;\r\n")

        thread = threading.Thread(target=play)
        thread.start()
        result, _ = self.energy("--meter", f"wattsup:{os.ttyname(theirs)}", "--", "sleep", "0.4")
        stopping.set()
        thread.join()
        os.close(ours)
        os.close(theirs)
        self.assertAlmostEqual(result["watts"], 157.5)

    def test_a_child_that_forks_and_stays(self):
        started = time.monotonic()
        self.energy("--meter", self.script, "--", "sh", "-c", "sleep 30 >/dev/null 2>&1 & echo $! > pid; exit 3", status=3)
        self.assertLess(time.monotonic() - started, 20)
        os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)

    def start(self, *command):
        process = subprocess.Popen([COMMAND, "energy", "--format", "json", "--meter", self.script, "--", *command],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.kill)
        for _ in range(500):
            if (self.folder / "ready").exists():
                return process
            time.sleep(0.01)
        self.fail("the command did not start")

    def test_interrupts(self):
        for whom in (os.kill, os.killpg):  # hpart alone, as by kill; the whole group, as by Ctrl-C
            process = self.start("sh", "-c", "touch ready; exec sleep 30")
            whom(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130, err)
            self.assertAlmostEqual(json.loads(out)["joules"], 4020)
            (self.folder / "ready").unlink()
        process = self.start(sys.executable, "-c", "import signal, sys, time, pathlib\n"
                             "signal.signal(signal.SIGTERM, lambda *a: sys.exit(9))\npathlib.Path('ready').touch()\ntime.sleep(30)")
        process.terminate()
        out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, json.loads(out)["exit_status"]), (9, 9), err)

    def test_a_result_file(self):
        result, _ = self.energy("--meter", self.script, "-o", "result.json", "--", "true")
        self.assertEqual(json.loads((self.folder / "result.json").read_text()), result)


    def test_a_result_file_that_cannot_be_written_is_known_before_the_command_runs(self):
        marker = self.folder / "ran"
        for name in ("no/such/folder/r.json", ".", ""):
            self.assert_fails(1, "energy", "--meter", self.script, "-o", name, "--", "touch", marker, says=f"'{name}'")
            self.assertFalse(marker.exists())
        self.assertEqual([path.name for path in self.folder.iterdir()], ["script.csv"])
        kept = self.write("kept.json", "what was there")
        self.assert_fails(127, "energy", "--meter", self.script, "-o", kept, "--", "no-such-command")
        self.assertEqual(kept.read_text(), "what was there")
        (self.folder / "link.json").symlink_to("target.json")
        self.assert_fails(127, "energy", "--meter", self.script, "-o", "link.json", "--", "no-such-command")
        self.assertFalse((self.folder / "target.json").exists())
        self.energy("--meter", self.script, "-o", "link.json", "--", "true")
        self.assertTrue((self.folder / "target.json").exists())

    def test_an_interrupt_before_the_command_runs(self):
        """While the base power is measured, or a program is waited for: nothing is left running."""
        for meter, number, status in (("command:touch ready; while :; do echo 5; sleep 0.1; done", signal.SIGINT, 130),
                                      ("command:touch ready; sleep 1000", signal.SIGTERM, 143)):
            process = subprocess.Popen([COMMAND, "energy", "--meter", meter, "--option", "interval=1000", "--base-power", "measure",
                                        "--base-seconds", "1e6", "--", "touch", "ran"],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            while not (self.folder / "ready").exists():
                time.sleep(0.01)
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, err), (status, b"", b"hpart: interrupted before the command was run\n"))
            self.assertFalse((self.folder / "ran").exists())
            (self.folder / "ready").unlink()

    def test_errors_are_in_the_unit_of_their_values(self):
        played = self.rapl(watts=0.05)
        text = self.text_of("energy", "--meter", "rapl", "--base-power", "measure", "--base-seconds", "0.5", "--", "sleep", "0.2",
                            environment=played.environment)
        for line in ("base power", "dynamic energy"):
            self.assertRegex(text, rf"{line} +-?[0-9.]+ \+- [0-9.]*[1-9][0-9.]* [mun]?[WJ]\n")

    def test_a_negative_dynamic_energy_is_flagged(self):
        text = self.text_of("energy", "--meter", "estimate:5", "--base-power", "50", "--", "sleep", "0.1")
        for part in ("dynamic energy is negative", "50 W", "estimate counts busy cores only"):
            self.assertIn(part, text)
        text = self.text_of("energy", "--meter", self.script, "--base-power", "150", "--", "true")
        for part in ("dynamic energy (replayed)  -1.98 kJ", "dynamic energy is negative", "not this machine's"):
            self.assertIn(part, text)
        text = self.text_of("energy", "--meter", self.script, "--base-power", "100", "--", "true")
        self.assertNotIn("negative", text)

    def test_base_powers_that_are_none(self):
        for value in ("inf", "nan", "-inf", "1e400"):
            self.assert_fails(2, "energy", "--meter", self.script, "--base-power", value, "--", "true", says=f"'{value}'")
            self.assert_fails(2, "energy", "--meter", self.script, "--option", f"base_power={value}", "--", "true", says="base_power")

    def test_programs_that_are_not_there(self):
        self.assert_fails(125, "energy", "--meter", "command:nosuchprog --watts", "--", "true", says=["nosuchprog", "was not found"])

    def test_a_command_without_its_dashes(self):
        self.assert_fails(2, "energy", "--meter", self.script, "sleep", "1",
                          says=["stands after --", "hpart energy --meter rapl -- sleep 1", "see hpart energy --help"])
        self.assert_fails(2, "energy", "--meter", self.script, says="after --")
        self.assert_fails(2, "energy", "sleep", "1", says="see hpart energy --help")
        self.assert_fails(2, "gemm", "--bogus", says="see hpart gemm --help")


class Information(CommandTest):
    def test_libraries_and_devices(self):
        info = self.json_of("info")
        self.assertRegex(info["libraries"]["lapacke"], r"^LAPACK \d+\.\d+\.\d+$|not built in")
        specs = [device["spec"] for device in info["devices"]]
        self.assertEqual(specs.count("host"), 1)
        self.assertLess(specs.index("cpu:0"), specs.index("host"))

    def test_a_dead_counter_does_not_work(self):
        played = Rapl(self.folder)
        played.stop()
        meter = self.meters(environment=played.environment)["rapl"]
        self.assertIs(meter["works"], False)
        self.assertIn("package-0 did not move", meter["reason"])

    def meters(self, **settings):
        return {meter["kind"]: meter for meter in self.json_of("info", **settings)["meters"]}

    def test_kinds(self):
        meters = self.meters(environment={"HPART_SYSFS_ROOT": str(self.folder)})
        self.assertEqual(list(meters), ["rapl", "perf", "nvml", "hwmon", "wattsup", "command", "replay", "estimate"])
        for kind in ("rapl", "perf", "hwmon"):
            self.assertIs(meters[kind]["works"], False)
            self.assertTrue(meters[kind]["reason"])
        for kind in ("command", "replay", "estimate"):
            self.assertIs(meters[kind]["works"], True)
        self.assertIn("not a measurement", meters["estimate"]["reason"])

    def test_a_machine_without_a_sensor_says_so_in_one_sentence(self):
        text = self.text_of("info", environment={"HPART_SYSFS_ROOT": str(self.folder)})
        if not any(meter["works"] for kind, meter in self.meters().items() if kind in ("nvml", "wattsup")):
            self.assertEqual(text.count("No energy sensor of this machine can be read."), 1)
        self.assertIn("processor", text)

    def test_a_machine_with_sensors(self):
        played = Rapl(self.folder)
        self.addCleanup(played.stop)
        power = played.root / "class/hwmon/hwmon3/power1_input"
        power.parent.mkdir(parents=True)
        power.write_text("55000000\n")
        meters = self.meters(environment=played.environment)
        self.assertEqual((meters["rapl"]["works"], meters["rapl"]["reason"]), (True, "package-0"))
        self.assertEqual((meters["hwmon"]["works"], meters["hwmon"]["reason"]), (True, "hwmon:hwmon3/power1_input"))
        self.assertNotIn("No energy sensor", self.text_of("info", environment=played.environment))

    @unittest.skipIf(os.geteuid() != 0, "needs a user who may become another")
    def test_unreadable_has_a_remedy(self):
        played = Rapl(self.folder)
        played.stop()
        (played.zone / "energy_uj").chmod(0)
        command, environment = self.copied_command()
        for path in (self.folder, *self.folder.glob("**/")):
            path.chmod(0o755)
        as_nobody = {"capture_output": True, "user": 65534, "group": 65534, "cwd": self.folder, "check": False,
                     "env": {**os.environ, **played.environment, **environment, "HOME": "/tmp", "XDG_CACHE_HOME": str(self.folder)}}
        result = subprocess.run([command, "info", "--format", "json"], **as_nobody)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        meters = {meter["kind"]: meter for meter in json.loads(result.stdout)["meters"]}
        self.assertIs(meters["rapl"]["works"], False)
        self.assertIn("udev", meters["rapl"]["reason"])
        result = subprocess.run([command, "energy", "--meter", "rapl", "--", "true"], **as_nobody)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b"chmod", result.stderr)

    def copied_command(self):
        """The command and its library where every user can read them: the build may be under a private home folder."""
        folder = self.folder / "copied"
        folder.mkdir()
        linked = subprocess.run(["ldd", COMMAND], capture_output=True, check=True, text=True).stdout
        libraries = [line.split()[2] for line in linked.splitlines() if line.split()[0].startswith("libhpart")]
        for path in (COMMAND, *libraries):
            shutil.copy(path, folder)
        return folder / pathlib.Path(COMMAND).name, {"LD_LIBRARY_PATH": str(folder)}


if __name__ == "__main__":
    unittest.main()
