"""Plots are whole SVG and PNG files, and no name in them is taken for a command; calls.txt has the scripts of every kind."""

import json
import os
import re
import struct
import xml.etree.ElementTree
import zlib

from command import DATA, CommandTest

FRONT = {"subcommand": "pareto", "size": 24, "energy": "dynamic", "processors": ["a", "b"], "solve_seconds": 0.1,
         "points": [{"time": 0.5 + k, "energy": 9.0 - k, "distribution": [k, 24 - k]} for k in range(4)]}
RUN = {"subcommand": "run", "kernel": "dgemm", "size": 2048, "processors": ["cpu:0", "opencl:0:0:1"],
       "splits": [{"method": method, "distribution": [1472, 576], "predicted_seconds": 0.01 + k / 500,
                   "measured_seconds": 0.011 + k / 500, "checked": True}
                  for k, method in enumerate(["optimal", "equal", "cpm", "fpm"])] +
                 [{"method": "balanced", "distribution": None, "predicted_seconds": None, "measured_seconds": None,
                   "checked": False}]}
TIMES = "processor,size,time\na,1,0.5\na,2,0.7\nb,1,0.25\nb,4,2\n"
HOSTILE = ["`touch pwned`", "$(touch pwned)'; system('touch pwned') #", "a\\n\\\"b", "@x %s %d {/=90 y}_z^2", "<b>&amp;&",
           "'" * 9, "long " * 60 + "name", "Größe µ"]


class Plots(CommandTest):
    def texts(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        return ["".join(text.itertext()).strip() for text in root.iter() if text.tag.endswith("}text")]

    def texts_of_plot(self, *arguments):
        self.text_of("plot", *arguments, "-o", "out.svg")
        return self.texts(self.folder / "out.svg")

    def assert_png(self, path):
        content = path.read_bytes()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", content[16:24])
        self.assertGreater(width * height, 500 * 500)
        at, data = 8, b""
        while at < len(content):
            length, kind = struct.unpack(">I4s", content[at:at + 8])
            if kind == b"IDAT":
                data += content[at + 8:at + 8 + length]
            at += 12 + length
        self.assertGreater(len(set(zlib.decompress(data))), 8, "the picture is of one colour")

    def draw(self, name, content):
        """The texts of the SVG; a PNG is drawn too."""
        path = self.write(name, content)
        for suffix in ("svg", "png"):
            self.assertEqual(self.text_of("plot", path, "-o", f"out.{suffix}"), "")
        self.assert_png(self.folder / "out.png")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([name, "out.svg", "out.png"]))
        return self.texts(self.folder / "out.svg")

    def test_a_byte_order_mark_is_skipped(self):
        samples = "processor,size,repetition,seconds,outlier\n" + "".join(f"a,1,{k},{1 + k / 10},0\n" for k in range(9))
        for name, content in (("p.csv", TIMES), ("front.json", json.dumps(FRONT)), ("samples.csv", samples)):
            self.write(name, content.encode("utf-8-sig"))
            with self.subTest(name):
                self.texts_of_plot(name)
        self.text_of("report", "p.csv", "front.json", "-o", "page.html")

    def test_times(self):
        texts = self.draw("p.csv", TIMES)
        self.assert_has(texts, "a", "b", "size", "time [s]", "speed [units/s]")
        self.assertNotIn("dynamic energy [J]", texts)

    def places(self, *texts):
        """Where each text of the drawing begins, or its middle."""
        root = xml.etree.ElementTree.parse(self.folder / "out.svg").getroot()
        parents = {child: parent for parent in root.iter() for child in parent}
        found = {}
        for element in root.iter():
            name = "".join(element.itertext()).strip()
            if element.tag.endswith("}text") and name in texts and name not in found:
                x, y = re.match(r"translate\(([\d.]+),([\d.]+)\)", parents[element].get("transform")).groups()
                found[name] = (float(x), float(y))
        return [found[name] for name in texts]

    def test_numbers_stand_at_their_bars(self):
        # 142 ms with an interval up to 1.2 s, and bars of 0.2 to 0.4 s.
        times = {"optimal": (0.15, 0.142, 0.1, 1.2), "equal": (0.21, 0.203, 0.2, 0.3), "cpm": (0.31, 0.404, 0.35, 0.5)}
        splits = [{"method": method, "distribution": [1, 2], "predicted_seconds": predicted, "measured_seconds": measured,
                   "measured_low": low, "measured_high": high} for method, (predicted, measured, low, high) in times.items()]
        self.write("run.json", json.dumps({**RUN, "size": 3, "processors": ["a", "b"], "splits": splits}))
        texts = self.texts_of_plot("run.json")
        self.assert_has(texts, "150", "142", "210", "203", "310", "404", "0", "confidence interval", "time of the whole [ms]")
        # The bars: of each series the upper edges, from left to right.
        drawing = (self.folder / "out.svg").read_text()
        bars = {}
        for colour in ("86, 180, 233", "0, 114, 178"):
            shapes = re.findall(rf"<polygon fill = 'rgb\( *{colour.replace(',', ', *')}\)'[^>]*points = '([^']*)'", drawing)
            corners = [[tuple(map(float, corner.split(","))) for corner in shape.split()] for shape in shapes]
            bars[colour] = sorted((min(x for x, _ in one), max(x for x, _ in one), min(y for _, y in one)) for one in corners)
        for colour, numbers in (("86, 180, 233", ("150", "210", "310")), ("0, 114, 178", ("142", "203", "404"))):
            for (x, y), number in zip(self.places(*numbers), numbers):
                self.assertTrue(any(left < x < right and 0 < top - y < 20 for left, right, top in bars[colour]), (number, x, y, bars))
        self.assertIn("interval beyond the axis", texts, "the whisker to 1.2 s does not flatten the bars")
        heights = [float(text) for text in texts if re.fullmatch(r"\d+", text) and self.places(text)[0][0] < 110]  # of the axis
        self.assertLess(max(heights), 1200)

    def test_long_titles_are_whole(self):
        commands = " | ".join(f"the-processor-number-{i}=./app --with 'many words' " + "and more " * 30 for i in range(4))
        rows = "".join(f"the-processor-number-{i},{k},{k}\n" for i in range(4) for k in (1, 2))
        path = self.write("p.csv", f"# kernel = programs {commands} (time from stdout)\nprocessor,size,time\n{rows}")
        names = [f"the-processor-number-{i}" for i in range(4)]
        texts = self.texts_of_plot(path)
        self.assertIn(f"Speed and time of the programs of {', '.join(names[:3])} and {names[3]} (p.csv)", " ".join(texts))
        long = {**RUN, "processors": names + ["x" * 120], "kernel": "own " + "kernel " * 20}
        texts = self.texts_of_plot(self.write("run.json", json.dumps(long)))
        self.assert_has(" ".join(texts), "Time of size 2048 of own" + " kernel" * 20, " | ".join(names))
        self.assertIn("x" * 90, texts)
        drawing = (self.folder / "out.svg").read_text()
        (_, key), (_, title) = self.places("predicted", next(text for text in texts if text.endswith("(run.json)")))
        self.assertGreater(key - title, 20, "the legend is below the title's last line")
        self.assertNotIn("...", drawing)

    def test_front_of_one_point(self):
        self.draw("zero.json", json.dumps({**FRONT, "points": [{"time": 0, "energy": 0, "distribution": [0, 0]}]}))

    def test_run(self):
        texts = self.draw("run.json", json.dumps(RUN, indent=1))
        self.assert_has(texts, "Time of 2048 rows of dgemm, per split (run.json)", "predicted", "measured", "optimal", "fpm", "time of the whole [ms]", "12")
        self.assertNotIn("balanced", texts)  # it has no times

    def test_names_are_never_commands(self):
        names = [name.replace('"', "") for name in HOSTILE]
        rows = "".join(f"{name},{size},{size + k}\n" for k, name in enumerate(names) for size in (1, 2))
        texts = self.draw("p.csv", "# kernel = `touch pwned` '\nprocessor,size,time\n" + rows)
        self.assert_has(texts, "`touch pwned`", "<b>&amp;&", "@x %s %d {/=90 y}_z^2", "a\\n\\b", "Größe µ")
        os.remove(self.folder / "p.csv")
        self.draw("run.json", json.dumps({**RUN, "kernel": HOSTILE[1], "splits": [{**RUN["splits"][0], "method": name} for name in HOSTILE]}))

    def test_bytes_that_are_no_text(self):
        self.draw("p.csv", b"processor,size,time\n\xff\xfe\xc3,1,1\n\xff\xfe\xc3,2,1\n")

    def test_odd_functions(self):
        cases = {"one point": "a,1,1\n", "times of zero": "a,1,0\na,2,0\n", "huge": "a,9000000000000000000,1e300\na,1,1\n",
                 "many processors": "".join(f"processor {i},{k},{i + k}\n" for i in range(40) for k in (1, 2, 3)),
                 "many points": "".join(f"a,{k},{k % 97 + 1}\n" for k in range(1, 20001))}
        for name, rows in cases.items():
            with self.subTest(name):
                self.draw("p.csv", "processor,size,time\n" + rows)
                self.assertLess((self.folder / "out.svg").stat().st_size, 500_000)

    def test_nothing_is_left_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.text_of("plot", DATA / "appendix-f.csv", "-o", "out.svg", environment={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])
