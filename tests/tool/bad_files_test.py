"""Every malformed platform file: exit 2, nothing on stdout, one line with file, line, column and the offending text."""

import json
import unittest

from command import CommandTest

HEADER = "processor,size,time\n"
WITH_ENERGY = "processor,size,time,energy\n"

# name: content, place in the file (line:column), text of the message
BAD_FILES = {
    "empty file": ("", "1:1", "empty"),
    "blank lines only": ("\n \n", "", "empty"),
    "comments only": ("# nothing\n", "", "empty"),
    "header only": (HEADER, "2:1", "no rows"),
    "no header": ("a,1,2.5\n", "1:1", "'a'"),
    "unknown column": ("processor,size,time,colour\na,1,1,red\n", "1:21", "'colour'"),
    "empty column name": ("processor,size,time,\na,1,1,1\n", "1:21", "''"),
    "two columns of one name": ("processor,size,time,time\na,1,1,1\n", "1:21", "'time'"),
    "no processor column": ("size,time\n1,1\n", "1:1", "'processor'"),
    "no size column": ("processor,time\na,1\n", "1:1", "'size'"),
    "neither time nor speed": ("processor,size\na,1\n", "1:1", "'time'"),
    "time and speed": ("processor,size,time,speed\na,1,1,1\n", "1:1", "'speed'"),
    "short row": (HEADER + "a,1\n", "2:1", "2 fields"),
    "long row": (HEADER + "a,1,2,3\n", "2:7", "4 fields"),
    "no processor name": (HEADER + ",1,2\n", "2:1", ""),
    "size is text": (HEADER + "a,many,2\n", "2:3", "'many'"),
    "size is empty": (HEADER + "a,,2\n", "2:3", "''"),
    "size zero": (HEADER + "a,0,2\n", "2:3", "'0'"),
    "size negative": (HEADER + "a,-4,2\n", "2:3", "'-4'"),
    "size with a fraction": (HEADER + "a,1.5,2\n", "2:3", "'1.5'"),
    "size as a power of ten": (HEADER + "a,1e3,2\n", "2:3", "'1e3'"),
    "size in hexadecimal": (HEADER + "a,0x10,2\n", "2:3", "'0x10'"),
    "size that does not fit": (HEADER + "a,9223372036854775808,2\n", "2:3", "'9223372036854775808'"),
    "time is text": (HEADER + "a,1,fast\n", "2:5", "'fast'"),
    "time is empty": (HEADER + "a,1,\n", "2:5", "''"),
    "time NaN": (HEADER + "a,1,nan\n", "2:5", "'nan'"),
    "time infinite": (HEADER + "a,1,inf\n", "2:5", "'inf'"),
    "time minus infinity": (HEADER + "a,1,-inf\n", "2:5", "'-inf'"),
    "time negative": (HEADER + "a,1,-0.5\n", "2:5", "'-0.5'"),
    "time that does not fit": (HEADER + "a,1,1e999\n", "2:5", "'1e999'"),
    "time followed by text": (HEADER + "a,1,1.5s\n", "2:5", "'1.5s'"),
    "energy negative": (WITH_ENERGY + "a,1,1,-1\n", "2:7", "'-1'"),
    "energy NaN": (WITH_ENERGY + "a,1,1,nan\n", "2:7", "'nan'"),
    "energy infinite": (WITH_ENERGY + "a,1,1,infinity\n", "2:7", "'infinity'"),
    "speed zero": ("processor,size,speed\na,1,0\n", "2:5", "'0'"),
    "speed negative": ("processor,size,speed\na,1,-3\n", "2:5", "'-3'"),
    "size there twice": (HEADER + "a,7,1\nb,7,1\na,7,2\n", "4:1", "size 7"),
    "base power NaN": ("# base_power = nan\n" + HEADER + "a,1,1\n", "1:", "'nan'"),
    "base power negative": ("# base_power = -1\n" + HEADER + "a,1,1\n", "1:", "'-1'"),
    "base power text": ("# base_power = much\n" + HEADER + "a,1,1\n", "1:", "'much'"),
    "border bytes negative": ("# border_bytes = -8\n" + HEADER + "a,1,1\n", "1:", "'-8'"),
    "link of an unknown processor": ("# link a z latency = 1 bandwidth = 1\n" + HEADER + "a,1,1\n", "1:", "z"),
    "link without bandwidth": ("# link a b latency = 1\n" + HEADER + "a,1,1\nb,1,1\n", "1:", ""),
    "link with bandwidth 0": ("# link a b latency = 1 bandwidth = 0\n" + HEADER + "a,1,1\nb,1,1\n", "1:", "'0'"),
    "limits the wrong way round": ("# limits a = 9 3\n" + HEADER + "a,1,1\n", "1:", ""),
    "quoted field": (HEADER + '"a",1,1\n', "2:1", ""),
    "binary": (b"\x7fELF\x02\x01\x01\x00\x00", "1:1", ""),
    "zero byte in a number": (b"processor,size,time\na,1,1\x002\n", "2:5", ""),
    "UTF-16": ("\ufeff" + HEADER).encode("utf-16-le"),
}


class BadFiles(CommandTest):
    def test_every_bad_file_is_refused(self):
        for name, case in BAD_FILES.items():
            content, place, text = case if isinstance(case, tuple) else (case, "", "")
            with self.subTest(name):
                path = self.write("bad.csv", content)
                for call in (["partition", "--size", "1"], ["pareto", "--size", "1"], ["schedule", "--size", "1"]):
                    self.assert_fails(2, *call, path, "--format", "json", says=[f"{path}:{place}", text])
        self.assertGreater(len(BAD_FILES), 45)

    def test_plot_refuses_a_bad_file_before_it_draws(self):
        path = self.write("bad.csv", HEADER + "a,1,nan\n")
        self.assert_fails(2, "plot", path, "-o", "out.svg", says=["bad.csv:2:5", "'nan'"])
        self.assertFalse((self.folder / "out.svg").exists())

    def test_what_looks_odd_but_is_right(self):
        good = {
            "CRLF": "processor,size,time\r\na,4,1.5\r\n",
            "byte order mark": "\ufeffprocessor,size,time\na,4,1.5\n",
            "blank lines": "\n\nprocessor,size,time\n\na,4,1.5\n\n",
            "no newline at the end": "processor,size,time\na,4,1.5",
            "columns in another order": "time,size,processor\n1.5,4,a\n",
            "speed": f"processor,size,speed\na,4,{4 / 1.5!r}\n",
            "largest size": "processor,size,time\na,4,1.5\na,9223372036854775807,9\n",
        }
        for name, content in good.items():
            with self.subTest(name):
                path = self.write("good.csv", content)
                result = self.json_of("partition", "--size", "4", path)
                self.assertEqual(result["distribution"], [4])
                self.assertAlmostEqual(result["time"], 1.5, places=12)


class BadResults(CommandTest):
    """JSON that is given to plot and is no result."""

    def test_refused(self):
        cases = {
            "cut off": '{"size": 4, "points": [',
            "no result of ours": '{"a": 1}',
            "another result": '{"size": 4, "makespan": 2, "tasks": []}',
            "points of another type": '{"size": 4, "energy": "dynamic", "points": 3}',
            "front without points": '{"size": 4, "energy": "dynamic", "points": []}',
            "point without energy": '{"size": 4, "energy": "dynamic", "points": [{"time": 1}]}',
            "point of another type": '{"size": 4, "energy": "dynamic", "points": [7]}',
            "energy is no text": '{"size": 4, "energy": 7, "points": [{"time": 1, "energy": 1}]}',
            "splits without times": '{"kernel": "dgemm", "size": 4, "splits": [{"method": "equal"}]}',
            "no splits": '{"kernel": "dgemm", "size": 4, "splits": []}',
        }
        for name, content in cases.items():
            with self.subTest(name):
                path = self.write("result.json", content)
                self.assert_fails(2, "plot", path, "-o", "out.svg", says=str(path))

    def test_names_the_file_once(self):
        path = self.write("result.json", json.dumps({"size": 4, "energy": "total", "points": "none"}))
        self.assertEqual(self.assert_fails(2, "plot", path, "-o", "out.png").count(str(path)), 1)


if __name__ == "__main__":
    unittest.main()
