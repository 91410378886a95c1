"""Calls that this machine refuses end with one line that names the reason; calls.txt has those that every machine refuses."""

import os
import pathlib
import resource
import subprocess
import unittest

from command import COMMAND, CORES, EXAMPLE, CommandTest

FULL = pathlib.Path("/dev/full")


class BadCalls(CommandTest):
    def test_without_a_subcommand(self):
        nothing = self.run_command()
        self.assertEqual((nothing.returncode, nothing.stdout), (2, b""))
        self.assertTrue(nothing.stderr.endswith(b"hpart: a subcommand is needed\n") and b"  partition  " in nothing.stderr, nothing.stderr)

    def test_messages_that_depend_on_the_machine(self):
        self.assert_refused("""
            group --kernel dgemm --dims 8x8 --size 8 --grouping pair ==> 'pair'
            measure --time-pattern ( -- echo ==> --time-pattern is '('""")

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_an_unreadable_file(self):
        path = self.write("p.csv", EXAMPLE.read_bytes())
        path.chmod(0)
        self.assert_fails(2, "partition", "--size", "4", path, says=[str(path), "denied"])


class RefusedByTheMachine(CommandTest):
    @unittest.skipUnless(FULL.exists(), "there is no /dev/full")
    def test_a_full_disk(self):
        for call in (["--help"], ["partition", "--help"], ["partition", "--size", "4", EXAMPLE], ["study", "--sizes", "4", EXAMPLE]):
            with self.subTest(call=call), FULL.open("wb") as full:
                self.assert_fails(1, *call, stdout=full, says="No space left")
        made = self.run_command("partition", "--size", "4", EXAMPLE, "-o", FULL)
        self.assertEqual((made.returncode, b"'/dev/full'" in made.stderr, b"size 4, least time" in made.stdout), (1, True, True), "the result is not lost")

    def test_a_reader_that_has_gone(self):
        reading, writing = os.pipe()
        os.close(reading)
        self.addCleanup(os.close, writing)
        self.assert_fails(1, "partition", "--size", "4", EXAMPLE, stdout=writing, says="Broken pipe")

    def test_closed_descriptors(self):
        for script, status, says in (('"$0" partition --size 4 "$1" >&-', 1, b"standard output"),
                                     ('"$0" partition --size 4 - <&-', 2, b"cannot read the standard input: it is closed")):
            result = subprocess.run(["sh", "-c", script, COMMAND, str(EXAMPLE)], capture_output=True, check=False)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count(b"\n")), (status, b"", 1))
            self.assertIn(says, result.stderr)

    def test_a_profile_that_cannot_be_written(self):
        self.assert_refused("profile --kernel dgemm --dims 8x8 --sizes 8 --processor cpu:$CORE -o no/such/p.csv ==> no/such/p.csv", status=1, CORE=CORES[0])

    def test_sizes_that_wrap(self):
        n = 2**63 - 1
        path = self.write("p.csv", f"# kernel = zfft n={n}\nprocessor,size,time\ncpu:0,1,1\n")
        self.assert_fails(1, "run", "--size", "1", path, says="memory")
        call = ["--kernel", "dgemm", "--dims", f"n={n},k={n}"]
        self.assert_fails(1, "group", *call, "--size", "1", "--grouping", "node", says="memory")
        self.assert_fails(1, "profile", *call, "--sizes", "1", "--processor", "cpu:0", "-o", "new.csv", says="memory")

    def test_more_than_the_machine_has(self):
        self.assert_refused("""
            gemm --m 10000000000000 --n 4 --k 4 ==> A 320000000000000
            fft --dims 1000000x1000000 ==> the spectrum 16000000000000
            factor --kind lu --n 10000000 ==> the matrix 800000000000000""", status=1)

    def test_a_small_address_space(self):
        def gemm_within(megabytes, timeout=60, **environment):
            limit = megabytes << 20
            return subprocess.run([COMMAND, "gemm", "--m", "30", "--n", "30", "--k", "30"], capture_output=True, timeout=timeout,
                                  env={**os.environ, **environment}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

        # From too little for OpenBLAS's threads to enough for all. With less, OpenBLAS 0.3.29 does not return from its start.
        done = 0
        for megabytes in range(400, 1000, 60):
            ended = gemm_within(megabytes)
            done += ended.returncode == 0
            self.assertIn(ended.returncode, (0, 1), ended.stderr)
        self.assertTrue(done > 0 or os.cpu_count() > 4)
        # One thread lets OpenBLAS start with less, but for 0.3.29.
        refused, hangs = [], 0
        for megabytes in range(160, 400, 40):
            try:
                refused.append(gemm_within(megabytes, timeout=8 if hangs else 20, OPENBLAS_NUM_THREADS="1"))
            except subprocess.TimeoutExpired:
                hangs += 1
        self.assertTrue(hangs or any(ended.returncode == 1 and b"OpenBLAS needs" in ended.stderr for ended in refused), refused)

    def test_no_gnuplot(self):
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment={"PATH": str(self.folder)}, says=["gnuplot", "PATH"])
        self.write("gnuplot", "#!/bin/sh\necho 'out of ink' >&2\nexit 3\n").chmod(0o755)
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        self.assert_fails(1, "plot", EXAMPLE, "-o", "out.svg", environment=environment, says="out of ink")
        self.assertFalse((self.folder / "out.svg").exists())
