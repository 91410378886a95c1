"""hpart group: the groupings of this machine compared on a tiny product, in time and in energy."""

import json
import unittest

from command import CommandTest

TINY = ("group", "--kernel", "dgemm", "--dims", "n=32,k=32", "--option", "min_repetitions=2", "--option", "max_repetitions=3")


class Group(CommandTest):
    def test_the_best_is_named(self):
        result = self.json_of(*TINY, "--points", "3", "--size", "64", "-o", "result.json")
        self.assertTrue((self.folder / "result.json").exists())
        alternatives = result["alternatives"]
        self.assertEqual(alternatives[0]["grouping"], "node")
        self.assertEqual(len(alternatives[0]["processors"]), 1)
        for alternative in alternatives:
            self.assertEqual(sum(alternative["x"]), 64)
            self.assertEqual(len(alternative["x"]), len(alternative["processors"]))
            self.assertGreater(alternative["predicted_seconds"], 0)
        best = min(alternatives, key=lambda alternative: alternative["seconds"])
        self.assertEqual(result["best"], best["grouping"])

    def test_a_file_is_for_one_grouping(self):
        names = [alternative["grouping"] for alternative in self.json_of(*TINY, "--points", "1", "--size", "8")["alternatives"]]
        if len(names) > 1:
            for key in ("checkpoint_file", "samples_file"):
                done = self.run_command(*TINY, "--size", "8", "--option", key + "=kept.csv")
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(f"--option {key} is for one grouping, but {len(names)} would be measured; name one with --grouping",
                              done.stderr.decode())
                self.assertFalse((self.folder / "kept.csv").exists())
        call = [*TINY, "--points", "2", "--size", "8", "--grouping", "node", "--option", "checkpoint_file=kept.csv"]
        self.assertEqual(self.json_of(*call)["best"], self.json_of(*call)["best"])

    def test_for_people(self):
        text = self.text_of(*TINY, "--size", "7", "--grouping", "node")
        self.assertIn("best: node, 7; as in hpart profile --processor cpu:", text)

    def test_energies_of_a_recording(self):
        # 108 W for 10 s in every window: above 58 W they are 500 J, whatever runs.
        self.write("power.csv", "# clock = script\nseconds,watts\n0,108\n10,108\n")
        for objective in ("time", "energy", "total-energy"):
            call = [*TINY, "--points", "2", "--size", "64", "--meter", "replay:power.csv", "--base-power", "58", "--objective", objective]
            result = self.json_of(*call)
            self.assertEqual((result["objective"], result["energy_method"], result["meter"], result["meter_note"]),
                             (objective, "replayed", "replay:power.csv", None))
            for alternative in result["alternatives"]:
                self.assertEqual(sum(alternative["x"]), 64)
                self.assertEqual((alternative["joules"], alternative["joules_error"], alternative["total_joules"]), (500, 0, 1080))
                if objective == "time":
                    self.assertIsNone(alternative["predicted_joules"])
                else:
                    # With work on one processor only there is one run of the recording in it.
                    active = sum(size > 0 for size in alternative["x"])
                    self.assertAlmostEqual(alternative["predicted_joules"], 500 * active, 6)
            least = min(result["alternatives"], key=lambda alternative: alternative["seconds"])["grouping"]
            self.assertEqual(result["best_by_time"], least)
            self.assertEqual(result["best_by_energy"], "node", "all are alike: the first")
            self.assertEqual(result["best"], least if objective == "time" else "node")
        text = self.text_of(*call)
        self.assertIn("dynamic energy (replayed) by replay:power.csv", text)
        self.assertIn("\nbest by time: ", text)
        self.assertIn("\nbest by dynamic energy: node, 64", text)
        if len(result["alternatives"]) > 1:
            self.assertIn("within the errors as good: " + result["alternatives"][1]["grouping"], text)

    def test_the_best_by_an_estimate_is_that_of_least_joules(self):
        call = [*TINY, "--points", "2", "--size", "64", "--meter", "estimate:12", "--base-power", "0"]
        result = self.json_of(*call, "--objective", "energy")
        self.assertEqual(result["energy_method"], "estimated")
        for alternative in result["alternatives"]:
            self.assertGreater(alternative["predicted_joules"], 0)
            self.assertGreater(alternative["joules"], 0)
            self.assertGreaterEqual(alternative["joules_error"], 0)
            self.assertAlmostEqual(alternative["joules"], alternative["total_joules"], delta=1e-12 * alternative["joules"])
        least = min(result["alternatives"], key=lambda alternative: alternative["joules"])["grouping"]
        self.assertEqual((result["best_by_energy"], result["best"]), (least, least))
        self.assertIn("dynamic energy (estimated) by estimate:12", self.text_of(*call))

    def test_without_a_sensor_times_are_compared_all_the_same(self):
        done = self.run_command(*TINY, "--points", "2", "--size", "16", "--meter", "rapl", "--objective", "energy", "--format", "json",
                                environment={"HPART_SYSFS_ROOT": str(self.folder)})
        message = done.stderr.decode()
        self.assertEqual((done.returncode, message.count("\n")), (0, 1), message)
        self.assertIn("no energy is measured: ", message)
        result = json.loads(done.stdout)
        self.assertIn(result["meter_note"], message)
        self.assertEqual((result["objective"], result["energy_method"], result["best_by_energy"]), ("time", None, None))
        self.assertEqual(result["best"], result["best_by_time"])
        self.assertGreater(result["alternatives"][0]["seconds"], 0)
        self.assertIsNone(result["alternatives"][0]["joules"])

    def test_wrong_calls(self):
        self.assert_fails(2, *TINY, "--size", "8", "--objective", "energy", says=("--objective is energy", "--meter"))
        self.assert_fails(2, *TINY, "--size", "8", "--objective", "speed", says="'speed'")
        self.assert_fails(2, *TINY, "--size", "8", "--base-power", "58", says="--base-power is given without --meter")
        self.assert_fails(2, *TINY, "--size", "0", says="--size is 0")
        self.assert_fails(2, *TINY, "--size", "8", "--grouping", "pair", says=("'pair'", "node"))
        self.assert_fails(2, *TINY, "--size", "8", "--points", "0", says="--points is '0'")
        self.assert_fails(2, *TINY, says="--size")


if __name__ == "__main__":
    unittest.main()
