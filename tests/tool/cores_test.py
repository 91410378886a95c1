"""The command on some of the machine's cores: a mask as of taskset, and a cpuset as of a container or batch system."""
import json
import os
import pathlib
import subprocess
import unittest

from command import COMMAND, CommandTest, why_no_units

CORES = sorted(os.sched_getaffinity(0))
CPUSET = pathlib.Path("/sys/fs/cgroup/cpuset")
PROFILE = ["profile", "--kernel", "dgemm", "--dims", "n=64,k=64", "--sizes", "128", "--option", "max_repetitions=3", "-o", "a.csv"]


class ThreadsOfPocl(CommandTest):
    """PoCL ends the process where it may not bind thread S to core S, as with more threads than cores."""
    MANY = {name: "64" for name in ("POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")}

    def call(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("POCL_") or name == "POCL_MEMORY_LIMIT"}
        return subprocess.run([COMMAND, *map(str, arguments)], cwd=self.folder, env=environment | variables, capture_output=True, text=True, check=False)

    def setUp(self):
        super().setUp()
        if "PoCL" not in self.call("info").stdout or self.call("info", **self.MANY, POCL_AFFINITY="1").returncode == 0:
            self.skipTest("no PoCL, or one that runs without its cores")

    def test_the_users_number_of_threads_has_no_affinity(self):
        for call in (["info"], ["gemm", "--m", 8, "--n", 8, "--k", 8, "--repetitions", 1, "--device", "opencl:0:0"]):
            result = self.call(*call, **self.MANY)
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_unbound_units_may_use_all_cores(self):
        profile = ["profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "--option", "max_repetitions=3"]
        self.assertRegex(self.call("info", **self.MANY).stdout, r"(?m)^proposed [^\n]*cpu:0[^\n]*$")
        self.assertNotRegex(self.call("info", **self.MANY).stdout, r"(?m)^proposed .*opencl")
        for processors in ([], ["--processor", "opencl:0:0"]):
            result = self.call(*profile, *processors, "-o", f"{len(processors)}.csv", **self.MANY)
            self.assertEqual(result.returncode, 0, result.stderr)
        if reason := why_no_units(self.call("info", **self.MANY).stdout):
            self.skipTest(reason)
        result = self.call(*profile, "--processor", "cpu:0", "--processor", "opencl:0:0:1", "-o", "b.csv", **self.MANY)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "share core 0, .*; POCL_AFFINITY=1 in the environment gives each unit of PoCL its own core")

    def test_one_unit_is_not_proposed(self):
        one = self.call("info", **dict.fromkeys(self.MANY, "1")).stdout
        self.assertIn(" 1 compute units", one)
        self.assertNotRegex(one, r"(?m)^proposed .*opencl")

    def test_opencl_is_opened_for_its_devices_alone(self):
        fast = ["--option", "max_repetitions=3"]
        for call in (["profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "--processor", "cpu:0", "-o", "a.csv", *fast],
                     ["gemm", "--m", 8, "--n", 8, "--k", 8, "--repetitions", 1, "--device", "host"],
                     ["fft", "--dims", "8x8", "--repetitions", 1, "--device", "host"],
                     ["factor", "--kind", "lu", "--n", 8, "--repetitions", 1, "--device", "host"],
                     ["partition", "--size", 8, "a.csv"], ["run", "--size", 8, "a.csv", *fast], ["report", "a.csv", "-o", "a.html"]):
            result = self.call(*call, **self.MANY, POCL_AFFINITY="1")
            self.assertEqual(result.returncode, 0, (call, result.stderr))


@unittest.skipIf(len(CORES) < 2, "one core has no part")
class SomeCores(CommandTest):
    def run_on(self, core, *arguments, affinity=None):
        """The program itself, whose libraries are loaded on that core."""
        environment = {name: value for name, value in os.environ.items() if name != "POCL_AFFINITY"} | (affinity or {})
        return subprocess.run([COMMAND, *arguments], cwd=self.folder, env=environment, capture_output=True,
                              preexec_fn=lambda: os.sched_setaffinity(0, {core}))

    def need_units(self):
        if reason := why_no_units(self.run_on(CORES[0], "info").stdout.decode()):
            self.skipTest(reason)

    def test_transforms_of_a_unit_stay_on_its_core(self):
        self.need_units()
        if CORES[:2] != [0, 1]:
            self.skipTest("needs cores 0 and 1")
        result = self.json_of("profile", "--kernel", "zfft", "--dims", "n=512", "--sizes", "256,320", "--processor", "cpu:0",
                              "--processor", "opencl:0:0:1", "-o", "p.csv", "--option", "min_repetitions=60", "--option", "max_repetitions=60")
        self.assertEqual(result["binding_not_kept"], [])

    def test_units_run_on_usable_cores(self):
        self.need_units()
        for core in CORES[:2]:
            for unit in "01":
                with self.subTest(core=core, unit=unit):
                    result = self.run_on(core, *PROFILE, "--processor", f"cpu:{core}", "--processor", f"opencl:0:0:{unit}")
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertIn(f"share core {core},".encode(), result.stderr)

    def test_info_tells_how_many_are_usable(self):
        info = self.run_on(CORES[1], "info").stdout
        if b"opencl:0:0 " not in info:
            self.skipTest("no OpenCL device")
        self.assertIn(b", 1 usable core", info)

    def test_a_unit_bound_to_another_core_is_refused(self):
        self.need_units()
        result = self.run_on(CORES[1], *PROFILE, "--processor", "opencl:0:0:0", affinity={"POCL_AFFINITY": "1"})
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"unset POCL_AFFINITY", result.stderr)

    def test_a_cpuset_without_the_first_core(self):
        group = CPUSET / f"hpart-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            self.skipTest("this process may make no cpuset")
        self.addCleanup(group.rmdir)
        try:
            (group / "cpuset.cpus").write_text(str(CORES[1]))
            (group / "cpuset.mems").write_text("0")
        except OSError:
            self.skipTest("this process may not choose a cpuset's cores")
        environment = {name: value for name, value in os.environ.items() if name != "POCL_AFFINITY"}
        result = subprocess.run([COMMAND, "info", "--format", "json"], env=environment, capture_output=True,
                                preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout)
