"""hpart group: the groupings of this machine compared on a tiny product."""

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

    def test_for_people(self):
        text = self.text_of(*TINY, "--size", "7", "--grouping", "node")
        self.assertIn("best: node, 7; as in hpart profile --processor cpu:", text)

    def test_wrong_calls(self):
        self.assert_fails(2, *TINY, "--size", "0", says="--size is 0")
        self.assert_fails(2, *TINY, "--size", "8", "--grouping", "pair", says=("'pair'", "node"))
        self.assert_fails(2, *TINY, "--size", "8", "--points", "0", says="--points is 0")
        self.assert_fails(2, *TINY, says="--size")


if __name__ == "__main__":
    unittest.main()
