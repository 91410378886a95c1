"""Machines that are not here: trees of the kernel's files, captured by grep -r . and made small by hand (tests/machines)."""
import json
import os
import pathlib

from command import CommandTest

MACHINES = pathlib.Path(os.environ["HPART_TEST_MACHINES"])


class MachinesTest(CommandTest):
    def machine(self, name):
        """The environment in which hwloc sees this machine."""
        root = self.folder / name
        files = {}
        for line in (MACHINES / f"{name}.txt").read_text().splitlines():
            if not line.startswith("#"):
                path, _, content = line.partition(":")
                files[path] = files.get(path, "") + content + "\n"
        for path, content in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        # x86 would add this machine's own caches.
        return {"HWLOC_FSROOT": str(root), "HWLOC_COMPONENTS": "linux,stop", "OCL_ICD_VENDORS": "/nowhere", "HPART_MACHINE_ROOT": str(root)}

    def groupings(self, name):
        """All names: the distinct groupings, then other names of the same groups."""
        message = self.assert_fails(2, "group", "--kernel", "dgemm", "--dims", "n=8,k=8", "--size", "8", "--grouping", "none",
                                    says="this machine has ", environment=self.machine(name))
        return message.strip().rpartition("this machine has ")[2].split(", ")

    def info(self, name):
        result = self.json_of("info", environment=self.machine(name))
        if "cuda:0" in str(result["devices"]):
            self.skipTest("the proposals are those of a GPU")
        return {device["spec"]: device["description"] for device in result["devices"]}, result["processors"]

    def test_low_power_cores_have_no_last_cache(self):
        self.assertEqual(self.groupings("low-power-cores"), ["node", "kind", "core", "socket", "numa", "l3", "l2", "thread"])
        devices, proposed = self.info("low-power-cores")
        self.assertEqual([devices[f"cpu:{core}"].split(", ")[1] for core in range(6)],
                         ["kind 1 of 2"] * 4 + ["kind 2 of 2"] * 2)
        self.assertEqual(proposed, [f"cpu:{core}" for core in range(6)])

    def test_capacities_within_five_percent_are_of_one_kind(self):
        self.assertEqual(self.groupings("capacities"), ["node", "kind", "core", "socket", "numa", "l3", "thread"])
        devices, _ = self.info("capacities")
        self.assertEqual([devices[f"cpu:{core}"].split(", ")[1] for core in range(8)], ["kind 1 of 2"] * 4 + ["kind 2 of 2"] * 4)

    def test_dense_cores_have_a_smaller_last_cache(self):
        self.assertEqual(self.groupings("dense-cores"), ["node", "kind", "core", "thread", "socket", "numa", "l3"])
        devices, proposed = self.info("dense-cores")
        self.assertEqual(devices["cpu:3"], "core of this machine, kind 1 of 2, one core with cpu:11")
        self.assertEqual(devices["cpu:12"], "core of this machine, kind 2 of 2, one core with cpu:4")
        self.assertEqual(proposed, [f"cpu:{core}" for core in range(8)])

    def test_sockets_with_two_threads_a_core(self):
        self.assertEqual(self.groupings("two-sockets"), ["node", "socket", "core", "thread", "numa", "kind", "l3"])
        devices, proposed = self.info("two-sockets")
        self.assertEqual(devices["cpu:0"], "core of this machine, one core with cpu:4")
        self.assertEqual(proposed, ["cpu:0", "cpu:1", "cpu:2", "cpu:3"])

    def test_a_level_that_has_the_groups_of_a_coarser_one(self):
        for level, processors in (("l3", ["cpu:0-1,4-5", "cpu:2-3,6-7"]), ("numa", ["cpu:0-7"])):
            result = self.run_command("group", "--kernel", "dgemm", "--dims", "n=8,k=8", "--size", "8", "--grouping", level, "--budget", "1s",
                                      "--format", "json", environment=self.machine("two-sockets"))
            self.assertEqual(result.returncode, 0, result.stderr)
            only, = json.loads(result.stdout)["alternatives"]
            self.assertEqual((only["grouping"], only["processors"]), (level, processors))

    def test_the_quota_of_a_captured_machine(self):
        environment = self.machine("two-sockets")
        proc = self.folder / "two-sockets/proc"
        (proc / "self").mkdir()
        (proc / "self/cgroup").write_text("4:cpuacct,cpu:/job\n")
        group = self.folder / "two-sockets/sys/fs/cgroup/cpu/job"
        group.mkdir(parents=True)
        (group / "cpu.cfs_quota_us").write_text("150000\n")
        (group / "cpu.cfs_period_us").write_text("100000\n")
        self.assertEqual(self.json_of("info", environment=environment)["cpu_quota"], 1.5)

    def test_a_captured_machine_has_the_same_text(self):
        environment = self.machine("two-sockets")
        root = pathlib.Path(environment["HPART_MACHINE_ROOT"])
        (root / "proc/self").mkdir()
        (root / "proc/self/cgroup").write_text("0::/a\\x2djob\n")
        for path, content in (("sys/fs/cgroup/a\\x2djob/cpu.max", "150000 100000\n"), ("sys/class/hwmon/hwmon3/power1_input", "55000000\n"),
                              ("sys/class/powercap/intel-rapl:0/name", "package-0\n")):
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(content)
        copy = self.folder / "copy"
        self.assertIn("of the kernel to copy", self.text_of("info", "--capture", "copy", environment=environment))
        self.assertTrue((copy / "sys/class/powercap/intel-rapl:0/name").exists())
        both = [self.text_of("info", environment=environment | {"HWLOC_FSROOT": str(folder), "HPART_MACHINE_ROOT": str(folder)}) for folder in (root, copy)]
        self.assertEqual(both[0], both[1].replace(str(copy), str(root)))
        self.assertIn("1.50 cores", both[0])
        self.assertIn("hwmon:hwmon3/power1_input", both[0])
        self.assert_fails(2, "info", "--capture", "copy", says="--capture is 'copy'; it must be the name of a new folder")

    def test_this_machine_can_be_captured(self):
        root = self.folder / "here"
        self.text_of("info", "--capture", "here", environment={"HPART_MACHINE_ROOT": "/"})
        self.assertEqual((root / "proc/cpuinfo").read_text().count("processor\t"), pathlib.Path("/proc/cpuinfo").read_text().count("processor\t"))
        self.assert_fails(1, "info", "--capture", "/dev/full/x", says="cannot write '/dev/full/x", environment={"HPART_MACHINE_ROOT": "/"})
        (self.folder / "empty").mkdir()
        self.assert_fails(1, "info", "--capture", "nothing", says="empty has no proc and sys of a machine", environment={"HPART_MACHINE_ROOT": "empty"})
        for call in (["info"], ["info", "--capture", "nothing"], ["energy", "--meter", "rapl", "--", "true"], ["gemm", "--m", "4", "--n", "4", "--k", "4"],
                     ["measure", "--", "true"], ["profile", "--processor", "A=echo {size}", "--sizes", "1", "-o", "p.csv"]):
            self.assert_fails(2, *call, says="HPART_MACHINE_ROOT is '/nowhere', which is no folder", environment={"HPART_MACHINE_ROOT": "/nowhere"})
        self.assertFalse((self.folder / "nothing").exists())

    def test_a_model_that_a_container_hides_is_unknown(self):
        root = self.folder / "root/proc/cpuinfo"
        root.mkdir(parents=True)  # a folder cannot be read as a file
        self.assertEqual(self.run_command("profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "-o", "a.csv", "--processor",
                                          f"cpu:{min(os.sched_getaffinity(0))}", "--option", "max_repetitions=2",
                                          environment={"HPART_MACHINE_ROOT": str(self.folder / "root")}).returncode, 0)

    def test_threads_of_one_core_are_named(self):
        result = self.run_command("profile", "--kernel", "dgemm", "--dims", "n=8,k=8", "--sizes", "8", "-o", "a.csv", "--processor", "cpu:1",
                                  "--processor", "cpu:5", "--option", "max_repetitions=2", environment=self.machine("two-sockets"))
        self.assertIn(b"cpu:1 and cpu:5 are threads of one core", result.stderr)
