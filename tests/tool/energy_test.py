"""hpart energy and the meters of hpart info, on machines that are played: trees of files, recordings, programs."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys

from command import COMMAND, CommandTest

KEYS = ["subcommand", "joules", "seconds", "watts", "base_power", "dynamic_joules", "meter", "method", "exit_status"]
REFUSED_READ = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
ssize_t read(int file, void *bytes, size_t count)
{
    ssize_t (*real)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "hwmon0/power1_average")) return errno = EPERM, -1;
    return real(file, bytes, count);
}
"""
SCRIPT = "# clock = script\nseconds,watts\n" + "".join(f"{k},{100 + (k % 2)}\n" for k in range(41))


class EnergyTest(CommandTest):
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

    def rapl(self, microjoules=0, wrap=262143328850):
        """A package whose counter stands still, in a tree of files."""
        zone = self.folder / "sys/class/powercap/intel-rapl:0"
        zone.mkdir(parents=True)
        (zone / "name").write_text("package-0\n")
        (zone / "max_energy_range_uj").write_text(f"{wrap}\n")
        (zone / "energy_uj").write_text(f"{microjoules}\n")
        return zone, {"HPART_MACHINE_ROOT": str(self.folder)}


class Energy(EnergyTest):
    def test_a_budget_bounds_the_windows(self):
        watts = ["--meter", "command:while echo 50; do sleep 0.01; done"]
        self.assert_fails(2, "measure", *watts, "--budget", "5", "--", "true", says="--budget is 5, and must be at least 40.0 s")
        self.assert_fails(2, "measure", *watts, "--base-power", "40", "--budget", "5", "--", "true", says="at least 20.0 s: a window of the meter")
        self.assert_fails(2, "profile", *watts, "--processor", "A=true {size}", "--sizes", "1", "--budget", "5", "-o", "w.csv", says="at least 40.0 s")
        self.assertFalse((self.folder / "w.csv").exists())
        result = self.run_command("measure", "--format", "json", *watts, "--option", "interval=0.02", "--base-power", "40", "--budget", "0.5", "--", "sleep", "0.02")
        self.assertEqual(result.returncode, 0, result.stderr)
        made = json.loads(result.stdout)
        self.assertEqual((made["precision_reached"], made["complete"]), (False, False))  # one window has no interval
        self.assertGreater(made["joules"], 0)

    def hwmon(self, **watts):
        """Sensors of constant power, a fan, and the counters of a quiet machine."""
        chip = self.folder / "sys/class/hwmon/hwmon1"
        chip.mkdir(parents=True)
        for name, value in watts.items():
            (chip / f"{name}_input").write_text(f"{value * 1000000}\n")
        (chip / "update_interval").write_text("5\n")
        (chip / "fan1_input").write_text("1200\n")
        proc = self.folder / "proc"
        (proc / "net").mkdir(parents=True)
        (proc / "diskstats").write_text("8 0 sda 1 0 1000 0 1 0 1000 0 0 0 0\n")
        return chip, proc, {"HPART_MACHINE_ROOT": str(self.folder)}

    def test_other_parts_that_took_energy(self):
        chip, proc, environment = self.hwmon(power1=100)
        meter = ["--meter", "hwmon:hwmon1/power1_input", "--"]
        result, _ = self.energy(*meter, "true", environment=environment)
        self.assertEqual(result["busy"], "")
        busy = f"echo 2400 > {chip}/fan1_input; echo '8 0 sda 1 0 1000000 0 1 0 1000 0 0 0 0' > {proc}/diskstats"
        result, _ = self.energy(*meter, "sh", "-c", busy, environment=environment)
        self.assertRegex(result["busy"], "^[0-9.e+]+ MB/s moved to and from disks; fan hwmon1/fan1 ran at 1200 to 2400 turns per minute$")
        (chip / "fan1_input").write_text("1200\n")
        text = self.text_of("energy", *meter, "sh", "-c", f"echo 2400 > {chip}/fan1_input", environment=environment)
        self.assertIn("Other parts of the machine took energy: fan hwmon1/fan1 ran", text)

    def test_base_power(self):
        result, _ = self.energy("--meter", self.script, "--base-power", "measure", "--", "true")
        self.assertAlmostEqual(result["base_power"], 100.5)
        self.assertAlmostEqual(result["dynamic_joules"], 0)

    def test_a_counter(self):
        """The command itself moves it: by 150 J, the third time over the end of its range."""
        zone, environment = self.rapl(wrap=330000000)
        for microjoules in (150000000, 300000000, 120000000):
            # It goes on to move when the command has ended, as a counter of RAPL's does.
            script = f"echo {microjoules} > {zone}/energy_uj; (sleep 0.3; echo {microjoules + 1} > {zone}/energy_uj) >&- 2>&- &"
            result, _ = self.energy("--meter", "rapl", "--option", "interval=0.1", "--", "sh", "-c", script, environment=environment)
            self.assertAlmostEqual(result["joules"], 150, places=4)
            self.assertAlmostEqual(result["joules"], result["watts"] * result["seconds"])
            self.assertEqual((result["method"], result["channels"].keys()), ("counter", {"package-0"}))

    def test_channels_have_any_names(self):
        program = "echo '100, 200' >/dev/null; while echo 50; do sleep 0.02; done"
        result, _ = self.energy("--meter", f"estimate:5+command:{program}", "--", "sleep", "0.1")
        self.assertEqual(list(result["channels"])[1], f"command:{program} printed power")
        self.assertEqual(len(result["channels"]), 2)
        self.assertAlmostEqual(sum(result["channels"].values()), result["joules"])

    def test_several_sensors_are_added_up(self):
        program = "command:while printf '300\\n100\\n'; do sleep 0.05; done"
        result, _ = self.energy("--meter", program, "--option", "lines=2", "--", "sleep", "0.2")
        self.assertAlmostEqual(result["watts"], 400)
        self.assert_fails(125, "energy", "--meter", program.replace("0.05", "0.3"), "--", "sleep", "0.1", says="lines=2 adds them up")

    def test_for_people(self):
        text = self.text_of("energy", "--meter", "estimate:10", "--", "true")
        self.assert_has(text, "energy (estimated)", "estimate:10, estimated")

    def test_an_estimate_is_that_of_the_command(self):
        busy = "import time\nend = time.process_time() + 0.1\nwhile time.process_time() < end: pass"
        result, _ = self.energy("--meter", "estimate:20", "--", sys.executable, "-c", busy)
        self.assertEqual(result["method"], "estimated")
        self.assertGreater(result["joules"], 1.5)


class TheCommand(EnergyTest):
    def test_what_the_command_prints(self):
        result, errors = self.energy("--meter", self.script, "--", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(errors.split()), ["err", "out"])
        result = self.run_command("energy", "--meter", self.script, "--", "cat", stdin=b"what came in")
        self.assertIn(b"what came in", result.stdout)

    def test_words_of_the_command_are_left_alone(self):
        words = ["--format", "text", "[1,2]", "", "--", "--meter", "a b", "-x"]
        _, errors = self.energy("--meter", self.script, "--", "printf", "%s\\n", *words)
        self.assertEqual(errors.split("\n")[:-1], words)

    def test_exit_status_is_passed_on(self):
        for status in (1, 2, 125, 255):
            self.energy("--meter", self.script, "--", "sh", "-c", f"exit {status}", status=status)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE):
            self.energy("--meter", self.script, "--", "sh", "-c", f"kill -{int(number)} $$", status=128 + number)
        self.assert_fails(127, "energy", "--meter", self.script, "--", "no-such-command", says="'no-such-command'")
        self.assert_fails(126, "energy", "--meter", self.script, "--", self.write("text", "no program"), says="Permission")

    def test_a_child_that_forks_and_stays(self):
        self.energy("--meter", self.script, "--", "sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $! > pid; exit 3", status=3)
        os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)

    def test_interrupts(self):
        call = ["energy", "--format", "json", "--meter", self.script, "--"]
        ready = self.folder / "ready"
        for send in (os.kill, os.killpg):  # hpart alone, as by kill; the whole group, as by Ctrl-C
            process = self.start_command(*call, "sh", "-c", "touch ready; exec sleep 1000", start_new_session=True)
            self.wait_until(process, ready.exists)
            send(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, err)
            self.assertAlmostEqual(json.loads(out)["joules"], 4020)
            ready.unlink()
        process = self.start_command(*call, "sh", "-c", "trap 'exit 9' TERM; touch ready; while :; do sleep 0.01; done")
        self.wait_until(process, ready.exists)
        process.terminate()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, json.loads(out)["exit_status"]), (9, 9), err)

    def test_an_interrupt_before_the_command_runs(self):
        """While the base power is measured, or a program is waited for: nothing is left running."""
        for meter, number in (("command:touch ready; while :; do echo 5; sleep 0.02; done", signal.SIGINT),
                              ("command:touch ready; sleep 1000", signal.SIGTERM)):
            process = self.start_command("energy", "--meter", meter, "--option", "interval=1000", "--base-power", "measure",
                                         "--base-seconds", "1e6", "--", "touch", "ran")
            self.wait_until(process, (self.folder / "ready").exists)
            self.assert_interrupted(process, number, b"hpart: interrupted before the command was run\n")
            self.assertFalse((self.folder / "ran").exists())
            (self.folder / "ready").unlink()

    def test_a_result_file_that_cannot_be_written_is_known_before_the_command_runs(self):
        marker = self.folder / "ran"
        for name in ("no/such/folder/r.json", ".", ""):
            self.assert_fails(1, "energy", "--meter", self.script, "-o", name, "--", "touch", marker, says=f"'{name}'")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["script.csv"])
        kept = self.write("kept.json", "what was there")
        self.assert_fails(127, "energy", "--meter", self.script, "-o", kept, "--", "no-such-command")
        self.assertEqual(kept.read_text(), "what was there")
        (self.folder / "link.json").symlink_to("target.json")
        self.assert_fails(127, "energy", "--meter", self.script, "-o", "link.json", "--", "no-such-command")
        self.assertFalse((self.folder / "target.json").exists())


class Failing(EnergyTest):
    def test_a_meter_that_fails_is_125(self):
        empty = {"HPART_MACHINE_ROOT": str(self.folder)}
        for meter, says in (("rapl", "no RAPL counters"), ("perf", "no energy counters"), ("hwmon:hwmon0", "no sensor"), ("wattsup:/dev/none", "/dev/none"),
                            ("command:exit 4", "exit status 4"), ("command:nosuchprog --watts", "nosuchprog")):
            self.assert_fails(125, "energy", "--meter", meter, "--", "echo", "not run", says=says, environment=empty)
        # In the middle: the command runs to its end.
        zone, environment = self.rapl()
        done = self.folder / "done"
        self.assert_fails(125, "energy", "--meter", "rapl", "--", "sh", "-c", f"rm -r {zone}; touch {done}", says="energy_uj", environment=environment)
        self.assertTrue(done.exists())

    def test_a_meter_without_descriptors_has_failed(self):
        # The pipe of a program that prints watts does not fit so few.
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))
        made = subprocess.run([COMMAND, "energy", "--meter", "command:echo 5", "--", "true"], cwd=self.folder, capture_output=True,
                              preexec_fn=limit, check=False)
        self.assertEqual((made.returncode, made.stdout), (125, b""), made.stderr)
        self.assertRegex(made.stderr, rb"^hpart: cannot .*: Too many open files\n$")

    def test_a_meter_that_fails_is_told_while_the_command_runs(self):
        process = self.start_command("energy", "--meter", "command:for k in 1 2 3; do echo 7; sleep 0.02; done", "--",
                                     "sh", "-c", "until test -e end; do sleep 0.02; done")
        self.assertRegex(process.stderr.readline(), b"^hpart: the energy is lost, while the command goes on: meter command:")
        self.assertIsNone(process.poll())
        self.write("end", "")
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (125, b""))

    def test_a_driver_that_refuses_is_named(self):
        """As AMD's, whose device sleeps: more rights to the file would not help."""
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no compiler")
        chip = self.folder / "sys/class/hwmon/hwmon0"
        chip.mkdir(parents=True)
        (chip / "power1_average").write_text("61000000\n")
        source, refusing = self.folder / "eperm.c", self.folder / "libeperm.so"
        source.write_text(REFUSED_READ)
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", refusing, "-ldl"], check=True)
        environment = {**os.environ, "HPART_MACHINE_ROOT": str(self.folder), "LD_PRELOAD": str(refusing)}
        made = subprocess.run([COMMAND, "energy", "--meter", "hwmon:hwmon0", "--", "true"], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, made.stdout), (125, ""), made.stderr)
        self.assertIn("hwmon0/power1_average': Operation not permitted by its driver, as of a device that sleeps", made.stderr)
        self.assertNotIn("udev", made.stderr)

    def test_a_counter_that_stands_still(self):
        zone, environment = self.rapl()
        self.assert_fails(125, "energy", "--meter", "rapl", "--", "sleep", "0.1", says=["package-0", "did not move"], environment=environment)
        meter = next(meter for meter in self.json_of("info", environment=environment)["meters"] if meter["kind"] == "rapl")
        self.assertIs(meter["works"], False)
        self.assertIn("package-0 did not move", meter["reason"])
        self.assertTrue(zone.exists())


class Information(EnergyTest):
    def meters(self, **settings):
        return {meter["kind"]: meter for meter in self.json_of("info", **settings)["meters"]}

    def test_kinds(self):
        environment = {"HPART_MACHINE_ROOT": str(self.folder)}
        meters = self.meters(environment=environment)
        self.assertEqual(list(meters), ["rapl", "perf", "nvml", "hwmon", "wattsup", "command", "replay", "estimate"])
        for kind in ("rapl", "perf", "hwmon"):
            self.assertIs(meters[kind]["works"], False)
            self.assertTrue(meters[kind]["reason"])
        for kind in ("command", "replay", "estimate"):
            self.assertIs(meters[kind]["works"], True)
        if not any(meters[kind]["works"] for kind in ("nvml", "wattsup")):
            self.assertEqual(self.text_of("info", environment=environment).count("No energy sensor of this machine can be read."), 1)

    def test_options_of_meters_alone_need_one(self):
        keys = [option["name"] for option in self.json_of("options", "meter")["options"] if option["calls"] == "meter"]
        self.assertIn("meter_scale", keys)
        for key in keys:
            self.assert_fails(2, "profile", "--processor", "A=true {size}", "--sizes", "1", "-o", "p.csv", "--option", f"{key}=1",
                              says=f"option '{key}' does not belong to a call without --meter")

    def test_a_machine_with_a_sensor(self):
        power = self.folder / "sys/class/hwmon/hwmon3/power1_input"
        power.parent.mkdir(parents=True)
        power.write_text("55000000\n")
        environment = {"HPART_MACHINE_ROOT": str(self.folder)}
        meter = self.meters(environment=environment)["hwmon"]
        self.assertEqual((meter["works"], meter["reason"]), (True, "hwmon:hwmon3/power1_input"))
        self.assertNotIn("No energy sensor", self.text_of("info", environment=environment))
