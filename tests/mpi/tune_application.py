"""hpart measures and tunes an MPI application of two ranks: usage tune_application.py HPART 'mpirun -n 2 APPLICATION OPTIONS'."""

import json
import subprocess
import sys
import tempfile
import unittest

HPART, COMMAND = sys.argv.pop(1), sys.argv.pop(1)
FEW_RUNS = ["--option", "min_repetitions=2", "--option", "max_repetitions=2", "--option", "warmup=0"]


class TuneApplication(unittest.TestCase):
    def call(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([HPART, *arguments, "--format", "json"], cwd=folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_printed_times_are_those_of_each_rank(self):
        result = self.call("measure", "--application", COMMAND + " {x}", "--processors", "A,B", "--distribution", "300,20",
                           "--time-from", "stdout", *FEW_RUNS)
        self.assertFalse(result["one_time"])
        self.assertEqual(len(result["seconds"]), 2)
        self.assertGreater(min(result["seconds"]), 0)

    def test_a_split_is_found(self):
        result = self.call("tune", "--application", COMMAND + " --lines", "--protocol", "lines", "--processors", "A,B", "--sizes",
                           "20:80:20", "--size", "100", "--budget", "60s", "--precision", "0.5", "--option", "min_repetitions=2",
                           "-o", "t.csv")
        self.assertEqual(sum(result["distribution"]), 100)
        self.assertGreater(result["time"], 0)
        self.assertIn(result["stop_reason"], ["certified", "refuted", "max_total_seconds", "max_repetitions", "exhausted"])


if __name__ == "__main__":
    unittest.main()
