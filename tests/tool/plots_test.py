"""Plots of every kind are whole SVG and PNG files, and no name in them is taken for a command."""

import json
import os
import re
import struct
import xml.etree.ElementTree
import zlib

from command import DATA, CommandTest

FRONT = {"size": 24, "energy": "dynamic", "processors": ["a", "b"], "solve_seconds": 0.1,
         "points": [{"time": 0.5 + k, "energy": 9.0 - k, "distribution": [k, 24 - k]} for k in range(4)]}
RUN = {"kernel": "dgemm", "size": 2048, "processors": ["cpu:0", "opencl:0:0:1"],
       "splits": [{"method": method, "distribution": [1472, 576], "predicted_seconds": 0.01 + k / 500,
                   "measured_seconds": 0.011 + k / 500, "checked": True}
                  for k, method in enumerate(["optimal", "equal", "cpm", "fpm"])] +
                 [{"method": "balanced", "distribution": None, "predicted_seconds": None, "measured_seconds": None,
                   "checked": False}]}
TIMES = "processor,size,time\na,1,0.5\na,2,0.7\nb,1,0.25\nb,4,2\n"
ENERGIES = "# kernel = dgemm n=64 k=64\nprocessor,size,time,energy\na,1,0.5,3\na,2,0.7,\nb,1,0.25,9\n"
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

    def test_times(self):
        texts = self.draw("p.csv", TIMES)
        self.assert_has(texts, "a", "b", "size", "time [s]", "speed [units/s]")
        self.assertNotIn("dynamic energy [J]", texts)

    def test_bands_of_intervals(self):
        rows = "".join(f"a,{k},{k},{k - 0.2},{k + 0.5}\n" if k != 4 else "a,4,4,,\n" for k in range(1, 8))
        self.draw("p.csv", "processor,size,time,time_low,time_high\n" + rows + "b,1,1,,\nb,7,3,,\n")
        drawing = (self.folder / "out.svg").read_text()
        self.assertEqual(len(re.findall(r"<polygon[^>]*fill-opacity *= *['\"]0\.2", drawing)), 4, "two of each kind: a gap at 4")

    def test_energies_and_a_known_kernel(self):
        texts = self.draw("p.csv", ENERGIES)
        self.assert_has(texts, "Speed, time and energy of dgemm n=64 k=64 by a and b (p.csv)", "size [rows]", "time [ms]", "speed [kFLOP/s]", "dynamic energy [J]")

    def test_front(self):
        texts = self.draw("front.json", json.dumps(FRONT))
        self.assert_has(texts, "Pareto front of size 24, 4 points; at the points the sizes of a | b (front.json)", "execution time [s]", "dynamic energy [J]")
        self.assertNotIn("confidence intervals", texts)
        points = [{**point, "time_low": point["time"] - 0.1, "time_high": point["time"] + 0.2} for point in FRONT["points"]]
        texts = self.texts_of_plot(self.write("sure.json", json.dumps({**FRONT, "points": points})))
        self.assertIn("confidence intervals", texts)

    def test_intervals_of_a_run(self):
        self.write("plain.json", json.dumps(RUN))
        self.assertNotIn("confidence interval", self.texts_of_plot("plain.json"))
        for split in (run := json.loads(json.dumps(RUN)))["splits"][:2]:
            split |= {"measured_low": 0.005, "measured_high": 0.045}
        self.write("run.json", json.dumps(run))
        texts = self.texts_of_plot("run.json")
        self.assert_has(texts, "confidence interval", "40")  # the axis holds the whiskers

    def test_what_a_run_says_of_its_methods(self):
        ratios = {"equal": (1.5, 1.4, 1.6), "cpm": (1.01, 0.97, 1.05), "fpm": (1, 1, 1), "balanced": (0.5, 0.4, 0.6), "odd": (1, 0, 9)}
        splits = [{**RUN["splits"][0], "ratio": 1, "ratio_low": 1, "ratio_high": 1}]
        for k, (method, (ratio, low, high)) in enumerate(ratios.items()):
            x = [1472, 576] if method == "fpm" else [1024 + k, 1024 - k]
            splits.append({**RUN["splits"][0], "method": method, "distribution": x, "ratio": ratio, "ratio_low": low, "ratio_high": high})
        texts = self.texts_of_plot(self.write("run.json", json.dumps({**RUN, "splits": splits})))
        at = {text: k for k, text in enumerate(texts)}
        for method, says in (("equal", ["1024 | 1024", "1.50 x as long"]), ("cpm", ["1025 | 1023", "cannot be", "told apart"]),
                             ("fpm", ["1472 | 576", "the same split"]), ("balanced", ["1027 | 1021", "2.00 x faster"]),
                             ("odd", ["1028 | 1020", "cannot be", "compared"])):
            self.assertEqual(texts[at[method] + 1:at[method] + 1 + len(says)], says)
        self.assertEqual(texts[at["optimal"] + 1:at["optimal"] + 3], ["1472 | 576", "equal"], "nothing to compare it with")
        self.assertIn("sizes of cpu:0 | opencl:0:0:1", texts)
        self.assertIn("Time of size 2048, per split (own.json)", self.texts_of_plot(self.write("own.json", json.dumps({**RUN, "kernel": "programs A=./a | B=./b"}))))

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
        self.write("run.json", json.dumps({"kernel": "k", "size": 3, "processors": ["a", "b"], "splits": splits}))
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

    def test_predicted_stands_before_measured(self):
        self.write("run.json", json.dumps(RUN))
        texts = self.texts_of_plot("run.json")
        self.assertLess(texts.index("predicted"), texts.index("measured"))
        (predicted, _), (measured, _) = self.places("predicted", "measured")
        self.assertLess(predicted, measured)
        (left, _), (right, _) = self.places("10", "11")
        self.assertLess(left, right, "the bars of optimal: 10 ms predicted, 11 ms measured")

    def test_a_result_of_tune(self):
        rows = [{"method": method, "distribution": [a, 4 - a], "same_split": [], "time": time, "ratio": time and time / 2, "ratio_low": low, "ratio_high": high}
                for method, a, time, low, high in (("optimal", 3, 2, 1, 1), ("equal", 2, 3, 1.4, 1.6), ("cpm", 1, None, None, None))]
        tune = {"objective": "time", "size": 4, "kernel": "programs A=./a | B=./b", "processors": ["A", "B"], "distribution": [3, 1], "time": 2, "baselines": rows}
        texts = self.texts_of_plot(self.write("tune.json", json.dumps(tune)))
        self.assert_has(texts, "Time of size 4, per split (tune.json)", "3 | 1", "1.50 x as long", "measured")
        self.assertFalse({"cpm", "predicted"} & set(texts))
        energy = {**tune, "objective": "energy", "energy": 2, "baselines": [{**row, "energy": row["time"]} for row in rows]}
        self.assertIn("dynamic energy of the whole [J]", self.texts_of_plot(self.write("energy.json", json.dumps(energy))))

    def test_points_of_a_short_front_have_their_sizes(self):
        def front(count, **more):
            points = [{"time": 0.5 + k / 100, "energy": 9.0 - k / 10, "distribution": [64 * k, 100000 - 64 * k]} for k in range(count)]
            return json.dumps({**FRONT, "size": 100000, "points": points, **more})
        texts = self.texts_of_plot(self.write("front.json", front(8)))
        names = [f"{64 * k} | {100000 - 64 * k}" for k in range(8)]
        self.assert_has(texts, *names)
        boxes = [(x, y) for x, y in self.places(*names)]
        self.assertEqual(len(set(boxes)), 8)
        for k, (x, y) in enumerate(boxes):
            for other_x, other_y in boxes[:k]:
                self.assertTrue(abs(x - other_x) > 100 or abs(y - other_y) > 14, "no two lie on each other")
        texts = self.texts_of_plot(self.write("front.json", front(9)))
        self.assertFalse(set(names) & set(texts), "too many to be read")
        many = {**json.loads(front(3)), "processors": [f"p{i}" for i in range(12)]}
        for point in many["points"]:
            point["distribution"] = list(range(1000, 1012))
        self.assert_has(self.texts_of_plot(self.write("front.json", json.dumps(many))), "1000 | 1001 | 1002 |", "...")

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

    def test_several_fronts(self):
        self.write("small.json", json.dumps({**FRONT, "size": 12}))
        self.write("large.json", json.dumps(FRONT))
        texts = self.texts_of_plot("small.json", "large.json")
        self.assert_has(texts, "Pareto fronts of time and dynamic energy; at the points the sizes of a | b", "size 12", "size 24")
        self.text_of("pareto", "--size", "2,4", DATA / "hepopta-fig-5.1.csv", "-o", "both.json")
        self.assert_has(self.texts_of_plot("both.json"), "size 2", "size 4")
        self.write("other.json", json.dumps(FRONT))  # of the same size: the files tell them apart
        self.assertIn("other.json", self.texts_of_plot("large.json", "other.json"))
        self.write("total.json", json.dumps({**FRONT, "energy": "total"}))
        self.assert_fails(2, "plot", "large.json", "total.json", "-o", "out.svg", says="draw them apart")
        self.assert_fails(2, "plot", "large.json", DATA / "appendix-f.csv", "-o", "out.svg", says="only if all are fronts")

    def test_smoothed_speeds(self):
        # Speeds 1, 4, 9, 16: their trend line of degree 1 is 5 x - 5, of degree 2 themselves.
        path = self.write("p.csv", "processor,size,time\n" + "".join(f"a,{k},{1 / k}\n" for k in range(1, 5)) + "b,1,1\nb,2,2\n")
        points = {}
        for degree in ("1", "2"):
            self.text_of("plot", path, "--smoothed", degree, "-o", f"{degree}.svg")
            self.assertIn("a smoothed", self.texts(self.folder / f"{degree}.svg"))
            drawing = (self.folder / f"{degree}.svg").read_text()
            lines = [[tuple(map(float, xy)) for xy in re.findall(r"[ML]?([\d.]+),([\d.]+)", path)]
                     for path in re.findall(r"<path stroke='[^']*' [^>]*d='(M[^']*)'", drawing)]
            points[degree] = [line for line in lines if len(line) == 4][:2]  # of speeds, the first panel
        def is_straight(line):
            steps = [a[1] - b[1] for a, b in zip(line, line[1:])]
            return min(steps) > 1 and max(steps) - min(steps) < 0.5
        straight = [line for line in points["1"] if is_straight(line)]
        self.assertEqual(len(straight), 1, points["1"])
        self.assertEqual(sorted(map(str, points["2"])).count(str(points["2"][0])), 2, "the line of degree 2 is the function")
        self.assert_fails(2, "plot", path, "--smoothed", "21", "-o", "out.svg", says="it must be from 1 to 20")
        self.assert_fails(2, "plot", self.write("f.json", json.dumps(FRONT)), "--smoothed", "2", "-o", "out.svg",
                          says="belongs to a platform file")

    def test_density_of_samples(self):
        rows = [f"{name},{size},{k},{size * 1e-3 * (1 + 0.01 * (k % 5))},0" for name in "ab" for size in (1, 2) for k in range(30)]
        content = "processor,size,repetition,seconds,outlier\n" + "\n".join(rows) + "\n"
        path = self.write("s.csv", content)
        texts = self.texts_of_plot(path, "--size", "2")
        self.assert_has(texts, "Density of the samples of size 2 (s.csv)", "a, 30 samples", "b, 30 samples", "time [ms]", "density [1/ms]")
        self.assert_fails(2, "plot", path, "-o", "out.svg", says="samples of 2 sizes, 1 to 2; choose one with --size")
        self.assert_fails(2, "plot", path, "--size", "3", "-o", "out.svg", says="--size is 3")
        self.assert_fails(2, "plot", self.write("w.csv", content + "a,1,x\n"), "--size", "1", "-o", "out.svg", says="line 122")
        equal = self.write("e.csv", "processor,size,repetition,seconds,outlier\na,1,0,2,0\na,1,1,2,0\n")
        self.assert_fails(2, "plot", equal, "-o", "out.svg", says="equal samples only")
        self.assert_fails(2, "plot", self.write("r.json", json.dumps(RUN)), "--size", "3", "-o", "out.svg", says="--size belongs to")

    def test_utilisation(self):
        self.text_of("partition", "--size", "4", DATA / "hepopta-fig-5.1.csv", "-o", "p.json")
        result = json.loads((self.folder / "p.json").read_text())
        result["utilisation"] = [1, 0.5] + [0] * (len(result["processors"]) - 2)
        self.assertIn("utilisation [%]", self.texts_of_plot(self.write("u.json", json.dumps(result))))
        del result["utilisation"]
        self.assertNotIn("utilisation [%]", self.texts_of_plot(self.write("u.json", json.dumps(result))))
        self.write("u.json", json.dumps({**result, "utilisation": [1]}))
        self.assert_fails(2, "plot", "u.json", "-o", "out.svg", says="the utilisation of 1 processor")
        self.write("u.json", json.dumps({**result, "distribution": [-1, 5] + [0] * (len(result["processors"]) - 2)}))
        self.assert_fails(2, "plot", "u.json", "-o", "out.svg", says="has a distribution that is not of sizes")

    def test_front_of_one_point(self):
        self.draw("zero.json", json.dumps({**FRONT, "points": [{"time": 0, "energy": 0, "distribution": [0, 0]}]}))

    def test_run(self):
        texts = self.draw("run.json", json.dumps(RUN, indent=1))
        self.assert_has(texts, "Time of 2048 rows of dgemm, per split (run.json)", "predicted", "measured", "optimal", "fpm", "time of the whole [ms]", "12")
        self.assertNotIn("balanced", texts)  # it has no times

    def test_what_the_command_itself_writes(self):
        for call, title in (
            (["partition", "--size", "4", DATA / "hepopta-fig-5.1.csv"], "Distribution of size 4 by method exact for time: 2 s (result.json)"),
            (["partition", "--size", "4,6", DATA / "hepopta-fig-5.1.csv"], "Distributions by size: method exact, for time (result.json)"),
            (["schedule", "--size", "16", DATA / "wdah-eq-4.9.csv"], "Size 16 in packages, makespan 6 s (result.json)"),
        ):
            self.text_of(*call, "-o", "result.json")
            texts = self.texts_of_plot("result.json")
            self.assertIn(title, texts)
            for name in {line.split(",")[0] for line in call[-1].read_text().splitlines() if line[0] not in "#p"}:
                self.assertIn(name, texts)
        self.text_of("pareto", "--size", "4", DATA / "hepopta-fig-5.1.csv", "-o", "front.json")
        self.assertIn("Pareto front of size 4, 3 points; at the points the sizes of 0 | 1 | 2 | 3 (front.json)", self.texts_of_plot("front.json"))

    def test_packages_over_time(self):
        rows = {"a": {1: 2.0, 3: 5.0}, "b": {2: 3.0, 5: 4.0}}
        path = self.write("p.csv", "processor,size,time\n" + "".join(f"{name},{size},{time}\n" for name in rows for size, time in rows[name].items()))
        schedule = self.json_of("schedule", "--size", "13", path, "-o", "s.json")
        texts = self.texts_of_plot("s.json")
        self.assert_has(texts, "a", "b", "makespan", "time [s]", f"Size 13 in packages, makespan {schedule['makespan']:g} s (s.json)")
        shapes = re.findall(r"<polygon fill = 'rgb\( 86, 180, 233\)'[^>]*points = '([^']*)'", (self.folder / "out.svg").read_text())
        corners = [[tuple(map(float, corner.split(","))) for corner in shape.split()] for shape in shapes]
        widths = [max(x for x, _ in block) - min(x for x, _ in block) for block in corners]
        times = [rows[task["processor"]][task["size"]] for task in schedule["tasks"] for _ in range(task["repeats"])]
        self.assertEqual(len(widths), len(times))
        for width, time in zip(widths, times):
            self.assertAlmostEqual(width / max(widths), time / max(times), 2)
        self.assert_has(texts, *{str(task["size"]) for task in schedule["tasks"]})
        self.assertNotIn("measured", texts)
        self.assert_has(self.texts_of_plot(self.write("ran.json", json.dumps({**schedule, "measured_makespan": 20}))), "measured", "20")
        many = {**schedule, "tasks": [{"processor": "a", "size": 1, "repeats": 2000, "time": 0.001}], "makespan": 2}
        self.assertIn("2000 x 1", self.texts_of_plot(self.write("many.json", json.dumps(many))))
        self.assert_has(self.texts_of_plot(self.write("percent.json", json.dumps(
            {**schedule, "tasks": [{"processor": "50 %s", "size": 1, "repeats": 2, "time": 1}]}))), "50 %s")
        self.write("old.json", json.dumps({**schedule, "tasks": [{"processor": "a", "size": 1, "repeats": 2}]}))
        self.assert_fails(2, "plot", "old.json", "-o", "old.svg", says="has no number 'time'")

    def test_schedules_of_several_sizes(self):
        path = self.write("p.csv", "processor,size,time\na,1,2\na,3,5\nb,2,3\nb,5,4\n")
        titles = {size: f"Size {size} in packages, makespan {self.json_of('schedule', '--size', size, path)['makespan']:g} s (s.json)"
                  for size in (7, 13)}
        self.text_of("schedule", "--size", "7,13", path, "-o", "s.json")
        self.assert_has(self.texts_of_plot("s.json"), *titles.values())
        one = self.texts_of_plot("s.json", "--size", "13")
        self.assertIn(titles[13], one)
        self.assertNotIn(titles[7], one)
        # One scale: equal packages are equally wide in all charts, one below the other.
        package = {"processor": "a", "size": 1, "repeats": 1, "time": 2}
        results = [{"size": count, "makespan": 2 * count, "tasks": [{**package, "repeats": count}]} for count in (1, 4)]
        self.texts_of_plot(self.write("two.json", json.dumps({"results": results})))
        shapes = re.findall(r"<polygon fill = 'rgb\( 86, 180, 233\)'[^>]*points = '([^']*)'", (self.folder / "out.svg").read_text())
        corners = [[tuple(map(float, corner.split(","))) for corner in shape.split()] for shape in shapes]
        widths = [max(x for x, _ in block) - min(x for x, _ in block) for block in corners]
        self.assertEqual(len(widths), 5)
        self.assertLess(max(widths) - min(widths), 0.3)
        self.assertLess(max(y for _, y in corners[0]), min(y for _, y in corners[1]))
        self.assert_fails(2, "plot", "s.json", "--size", "8", "-o", "out.svg", says="has no result of size 8")
        many = [{**results[0], "size": size} for size in range(1, 14)]
        self.write("many.json", json.dumps({"results": many}))
        self.assert_fails(2, "plot", "many.json", "-o", "out.svg", says="choose one by --size")
        self.assertIn("Size 9 in packages, makespan 2 s (many.json)", self.texts_of_plot("many.json", "--size", "9"))

    def test_one_size_of_a_result(self):
        self.text_of("partition", "--size", "4,6", DATA / "hepopta-fig-5.1.csv", "-o", "splits.json")
        self.assert_has(self.texts_of_plot("splits.json", "--size", "4"), "Distribution of size 4 by method exact for time: 2 s (splits.json)")
        self.write("run.json", json.dumps(RUN))
        self.assert_fails(2, "plot", "run.json", "--size", "2048", "-o", "out.svg", says="--size belongs to")

    def test_the_optimal_distribution_is_marked(self):
        path = self.write("p.csv", "processor,size,time\n" + "".join(f"{name},{k},{k * factor}\n" for name, factor in (("a", 3), ("b", 2)) for k in range(1, 9)))
        best = self.json_of("partition", "--size", "10", path)
        texts = self.texts_of_plot(path, "--size", "10")
        title = f"Speed and time of a and b; ringed: the optimal distribution of size 10, {best['distribution'][0]} | {best['distribution'][1]} in {best['time']:g} s (p.csv)"
        self.assertIn(title, " ".join(texts), "in as many lines as it needs")
        drawing = (self.folder / "out.svg").read_text()
        rings = [tuple(map(float, place)) for place in re.findall(r"<use xlink:href='#gpPt5' transform='translate\(([\d.]+),([\d.]+)\)", drawing)]
        self.assertEqual(len(rings), 4, "two of speed, two of time")
        lines = [[tuple(map(float, xy)) for xy in re.findall(r"([\d.]+),([\d.]+)", line)] for line in re.findall(r"<path stroke='[^']*' [^>]*d='(M[^']*)'", drawing)]
        curves = [line for line in lines if len(line) == 8]
        for k, (ring, curve) in enumerate(zip(rings, curves)):
            point = curve[best["distribution"][k % 2] - 1]
            self.assertLess(max(abs(ring[0] - point[0]), abs(ring[1] - point[1])), 0.2)
        self.assert_fails(3, "plot", path, "--size", "17", "-o", "other.svg", says="17")
        self.assertFalse((self.folder / "other.svg").exists())

    def test_axes_end_with_the_points(self):
        rows = "".join(f"a,{k},{k / 1000},{k / 2000 if k == 2000 else k / 1001},{k / 10 if k == 2000 else k / 999}\n" for k in range(1000, 3001, 500))
        texts = self.texts_of_plot(self.write("p.csv", "processor,size,time,time_low,time_high\n" + rows))
        numbers = [float(text) for text in texts if re.fullmatch(r"[\d.]+", text)]
        sizes = [n for n in numbers if n >= 900]
        self.assertEqual((min(sizes), max(sizes)), (1000, 3000))
        times = [n for n in numbers if n < 900]
        self.assertLess(max(times), 4)  # the longest time is 3 s; its interval up to 200 s does not flatten it
        drawing = (self.folder / "out.svg").read_text()
        right = max(float(x) for line in re.findall(r"<path stroke='[^']*' [^>]*d='(M[^']*)'", drawing) for x in re.findall(r"([\d.]+),[\d.]+", line))
        self.assertGreater(right, 0.95 * 900)

    def test_a_study_in_one_drawing(self):
        study = self.json_of("study", "--sizes", "1:14:1", "--base-power", "3", DATA / "hepopta-fig-5.1.csv")
        self.write("study.json", json.dumps(study))
        texts = self.texts_of_plot("study.json")
        labels = ["time saved [%]", "dynamic energy saved [%]", "total energy saved [%]"]
        self.assert_has(texts, *labels, "Savings by optimal distributions: processors 0, 1, 2 and 3 (hepopta-fig-5.1.csv)")
        for method in {method for kind in ("gain", "energy_gain", "total_energy_gain") for method in study["summary"][kind]}:
            self.assertEqual(texts.count(method), 1, "one legend for all panels")
        self.assertNotIn("measured time saved [%]", texts)
        for size in study["sizes"]:
            for row in size["methods"]:
                row["measured_gain"] = 0.25
        study["summary"]["measured_gain"] = study["summary"]["gain"]
        self.write("run.json", json.dumps(study))
        self.assertIn("measured time saved [%]", self.texts_of_plot("run.json"))

    def test_results_of_several_sizes(self):
        self.run_command("partition", "--size", "4,6,4000", DATA / "hepopta-fig-5.1.csv", "-o", "sizes.json")
        self.assertEqual(len(json.loads((self.folder / "sizes.json").read_text())["results"]), 3)
        self.assert_has(self.texts_of_plot("sizes.json"), "share [%]", "4", "6")
        self.write("none.json", json.dumps({"results": []}))
        self.assert_fails(2, "plot", "none.json", "-o", "out.svg", says="has no size with a distribution")
        self.write("mixed.json", json.dumps({"results": [FRONT, RUN]}))
        self.assert_fails(2, "plot", "mixed.json", "-o", "out.svg", says="is no result of")

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

    def test_the_suffix_may_be_in_capitals_and_the_old_file_is_replaced(self):
        self.write("OUT.SVG", "old")
        self.text_of("plot", DATA / "appendix-f.csv", "-o", "OUT.SVG")
        self.assertIn("size", self.texts(self.folder / "OUT.SVG"))

    def test_nothing_is_left_behind(self):
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.text_of("plot", DATA / "appendix-f.csv", "-o", "out.svg", environment={"TMPDIR": str(temporary)})
        self.assertEqual(list(temporary.iterdir()), [])
