"""scripts/demo with small sizes, beside three loops that take all cores: it ends with 0, and every file is there."""

import os
import pathlib
import subprocess
import sys
import unittest

from command import COMMAND, CORES, CommandTest

DEMO = pathlib.Path(os.environ["HPART_DEMO"])
FILES = ["dgemm.csv", "zfft.csv", "dgemm-run.json", "zfft-run.json", "dgemm-functions.svg", "dgemm-functions.png", "zfft-functions.svg",
         "dgemm-run.svg", "zfft-run.svg", "dgemm-energy.csv", "dgemm-front.json", "dgemm-front.svg", "dgemm-energy.json", "report.html"]


@unittest.skipIf(len(CORES) < 2, "needs two cores")
class Demo(CommandTest):
    def demo(self):
        environment = {name: value for name, value in os.environ.items() if name != "HPART_MACHINE_ROOT"}
        return subprocess.run(["bash", DEMO, "--command", COMMAND, "--small", self.folder / "results"], capture_output=True, text=True,
                              env=environment, check=False)

    def test_beside_three_loops(self):
        for _ in range(3):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(loop.wait)
            self.addCleanup(loop.kill)
        made = self.demo()
        self.assertEqual((made.returncode, made.stderr.count("ended with status")), (0, 0), made.stderr)
        for name in FILES:
            self.assertGreater((self.folder / "results" / name).stat().st_size, 0, name)
        self.assertEqual(made.stdout.lower().count("machine is busy") + made.stdout.lower().count("machine was busy"), 1, made.stdout)
        self.assertNotRegex(made.stdout, r"\b(inf|nan)\b")
        self.assertNotIn("--option", made.stderr)  # which the user has not typed
        self.assertRegex(made.stdout, r"(?s)equal +A +600  B +600 +7\.4 ms\nbalanced +A +312  B +888 +3\.34 ms\noptimal +A +408  B +792 +1\.39 ms\n")
        *_, first, second, page, program = made.stdout.splitlines()
        self.assertRegex(first, r"^Found for dgemm .*: \S+ \| \S+ = \d+ \| \d+, [^;]+(;|\.)")
        self.assertRegex(second, r"^Found for zfft .*: \S+ \| \S+ = \d+ \| \d+, [^;]+(;|\.)")
        for method in ("equal", "balanced"):
            self.assertIn(method, first)
        self.assert_has(page, str(self.folder / "results" / "report.html"))
        self.assert_has(program, "tune", "{size}")

    def test_a_step_that_fails_is_named(self):
        (self.folder / "results" / "dgemm.csv").mkdir(parents=True)
        made = self.demo()
        self.assertEqual(made.returncode, 1)
        self.assert_has(made.stderr, "the step 'tune dgemm' ended with status 1")
        self.assert_has(made.stdout, "Failed: tune dgemm. Mend what the messages say; the same call goes on from there.")
        self.assertTrue((self.folder / "results" / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
