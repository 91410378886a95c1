"""Calls that must raise."""
import unittest


class RefusalTest(unittest.TestCase):
    def assert_refused(self, kind, cases):
        """A case is a call and a pattern of its exception's message."""
        for call, message in cases:
            with self.subTest(message), self.assertRaisesRegex(kind, message):
                call()
