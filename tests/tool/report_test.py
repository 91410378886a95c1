"""The page of hpart report: names are text, and the sliders move; calls.txt has the pages of all results."""

import html
import html.parser
import json
import os
import re
import shutil
import urllib.parse

from command import FRONT, CommandTest

NAME = "</script><script>document.title='taken'</script>"
JAGGED = [5, 3, 9, 4, 12, 6]
RIGHT, END = "\ue014", "\ue010"  # keys


class Page(html.parser.HTMLParser):
    """The elements, the text of each table's cells by caption, and the object of the data."""

    def __init__(self, content):
        super().__init__()
        self.tags, self.tables, self.scripts, self.inside, self.attributes = [], [], [], "", []
        self.feed(content)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.inside = tag
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.inside == "script":
            self.scripts[-1] += data


class Reports(CommandTest):
    def page_of(self, *files):
        self.assertEqual(self.text_of("report", *files, "-o", "page.html"), "")
        page = Page((self.folder / "page.html").read_text())
        self.assertEqual(len(page.scripts), 2, "the data and the script")
        for tag, name, value in page.attributes:
            self.assertFalse(name in ("src", "href") and not value.startswith("data:"), (tag, value))
        return page

    def platform(self, first="a"):
        rows = "".join(f"{json.dumps(first) if ',' in first else first},{k},{time}\nb,{k},{time * 2 % 7 + 1}\n"
                       for k, time in enumerate(JAGGED, 1))
        return self.write("p.csv", "processor,size,time\n" + rows)

    def test_names_are_text(self):
        page = self.page_of(self.platform(NAME))
        self.assertEqual(json.loads(page.scripts[0])[0]["processors"][0], NAME)
        self.assertNotIn(NAME, (self.folder / "page.html").read_text())

    def sentence_of(self, *files, **settings):
        """The page's heading, which is its title too."""
        self.assertEqual(self.text_of("report", *files, "-o", "page.html", **settings), "")
        page = (self.folder / "page.html").read_text()
        heading = html.unescape(re.search("<h1>(.*)</h1>", page)[1])
        self.assertEqual(html.unescape(re.search("<title>(.*)</title>", page)[1]), heading)
        return heading

    def run_result(self, ratio=1.3333, low=1.2, high=1.5, equal=(800, 800), **more):
        first = {"method": "optimal", "distribution": [600, 1000], "predicted_seconds": 0.05, "measured_seconds": 0.0541234, "measured_low": 0.0531,
                 "measured_high": 0.0551, "ratio": 1, "ratio_low": 1, "ratio_high": 1}
        other = {**first, "method": "equal", "distribution": list(equal), "ratio": ratio, "ratio_low": low, "ratio_high": high}
        return self.write("run.json", json.dumps({"subcommand": "run", "kernel": "dgemm", "dims": {"k": 8, "n": 8}, "size": 1600, "processors": ["CPU", "GPU"],
                                                  "splits": [first, other], **more}))

    def test_the_page_begins_with_the_finding(self):
        begin = "1600 rows of dgemm n=8 k=8: CPU 600, GPU 1000, 54.1 ms, "
        for settings, end in (({}, "1.33 x as fast as equal parts"),
                              ({"low": 0.9}, "cannot be told apart from equal parts"),
                              ({"low": 0, "high": None}, "too scattered to be compared with equal parts"),
                              ({"ratio": 0.8, "low": 0.75, "high": 0.9}, "equal parts are 1.25 x as fast"),
                              ({"equal": (600, 1000)}, "the same as equal parts")):
            self.assertEqual(self.sentence_of(self.run_result(**settings)), begin + end)
        self.assertEqual(self.sentence_of(self.run_result(kernel="programs A=./a | B=./b")), "Size " + begin.replace(" rows of dgemm n=8 k=8", "") + "1.33 x as fast as equal parts")
        text = self.sentence_of(self.run_result(contaminated=300, repetitions=639))
        self.assertEqual(text, begin + "1.33 x as fast as equal parts; the machine was busy: 300 of 639 repetitions were disturbed")
        # A second one of the same worth stands below the first.
        first = self.run_result()
        first.rename(self.folder / "first.json")
        self.assertEqual(self.sentence_of("first.json", self.run_result(low=0.9)), begin + "1.33 x as fast as equal parts")
        self.assertIn(f"</h1>\n<p>{begin}cannot be told apart from equal parts</p>", (self.folder / "page.html").read_text())

    def test_the_finding_of_a_search(self):
        rows = [{"method": "optimal", "distribution": [600, 1000], "time": 0.054, "ratio": 1, "ratio_low": 1, "ratio_high": 1},
                {"method": "equal", "distribution": [800, 800], "time": 0.06, "ratio": 1.1, "ratio_low": 1.05, "ratio_high": 1.2},
                {"method": "cpm", "distribution": [1, 1599], "time": 9, "ratio": 160, "ratio_low": 0, "ratio_high": None}]
        tune = {"subcommand": "tune", "objective": "time", "size": 1600, "kernel": "programs A=./a | B=./b", "processors": ["CPU", "GPU"], "distribution": [600, 1000], "time": 0.0541234,
                "time_low": 0.0531, "time_high": 0.0551, "certified": True, "precision": 0.05, "contaminated": 1, "repetitions": 100, "note": "a <note>",
                "baselines": rows}
        begin = "Size 1600: CPU 600, GPU 1000, 54.1 ms, "
        self.assertEqual(self.sentence_of(self.write("tune.json", json.dumps(tune))),
                         begin + "certified by medians to be within 5 % of the least, 1.10 x as fast as equal parts")
        (table,) = Page((self.folder / "page.html").read_text()).tables
        self.assertEqual(table[2:], [["equal", "800 | 800", "60 ms", "1.10 (1.05 to 1.20)"], ["cpm", "1 | 1599", "9 s", "unknown"]])
        self.assertIn("a &lt;note&gt;", (self.folder / "page.html").read_text())
        busy = {**tune, "certified": False, "contaminated": 508, "repetitions": 639}
        self.assertEqual(self.sentence_of(self.write("busy.json", json.dumps(busy))),
                         begin + "not certified; the machine was busy: 508 of 639 repetitions were disturbed")
        energy = {**tune, "objective": "energy", "energy": 7.25, "baselines": [{**row, "energy": 8} for row in rows]}
        self.assertEqual(self.sentence_of(self.write("energy.json", json.dumps(energy))),
                         "Size 1600: CPU 600, GPU 1000, 7.25 J, certified to be within 5 % of the least, equal parts need 1.10 x the energy")

    def test_date_and_machine(self):
        (self.folder / "machine/proc").mkdir(parents=True)
        (self.folder / "machine/proc/cpuinfo").write_text("processor\t: 0\nmodel name\t: A <model> 9\n")
        path = self.run_result(libraries={"openblas": "0.3.21 Zen", "fftw": "fftw-3.3.10", "cuda": "none"})
        settings = {"environment": {"SOURCE_DATE_EPOCH": "951782400", "HPART_MACHINE_ROOT": str(self.folder / "machine")}}
        self.sentence_of(path, **settings)
        first = (self.folder / "page.html").read_text()
        line = re.search("<p>(Written .*)</p>", first)[1]
        version = self.text_of("--version").split()[-1]
        self.assertRegex(line, rf"^Written on 2000-02-29 by hpart {re.escape(version)} on A &lt;model&gt; 9, \d+ cores?; openblas 0.3.21 Zen; fftw-3.3.10$")
        self.assertIn("<p>cuda none</p>", first)
        self.sentence_of(path, **settings)
        self.assertEqual((self.folder / "page.html").read_text(), first, "the same page at another time")
        for odd in ("", "today", "-1", "253402300800", "9e9"):
            self.assert_fails(2, "report", path, "-o", "page.html", environment={"SOURCE_DATE_EPOCH": odd}, says=[f"SOURCE_DATE_EPOCH is '{odd}'", "seconds since 1970"])

    def test_energies_and_intervals_of_results(self):
        split = {"method": "optimal", "distribution": [1, 2], "predicted_seconds": 1, "measured_seconds": 1.25, "measured_joules": 7}
        self.write("run.json", json.dumps({"subcommand": "run", "kernel": "k", "size": 3, "processors": ["a", "b"], "splits": [split], "energy_method": "estimated"}))
        self.write("split.json", json.dumps({"subcommand": "partition", "objective": "energy", "method": "exact", "optimal": True, "size": 3, "time": 2, "time_low": 1.5,
                                             "time_high": 2.5, "energy": 4, "energy_source": "estimated by estimate:12",
                                             "distribution": [1, 2], "processors": ["a", "b"]}))
        run, result = self.page_of("run.json", "split.json").tables
        self.assertEqual((run[0][4], run[1][4]), ("measured dynamic energy (estimated)", "7 J"))
        self.assertEqual((result[0][3], result[1][2:]), ("dynamic energy (estimated)", ["2.00 s (1.50 to 2.50)", "4 J"]))
        self.assertIn("energy by method exact, proved optimal<", (self.folder / "page.html").read_text())

    def test_an_interrupt_leaves_nothing(self):
        rows = "".join(f"p{p},{k},{k * (1 + (k * k * (p + 3)) % 97 / 50)}\n" for p in range(6) for k in range(1, 3000))
        self.write("large.csv", "processor,size,time\n" + rows)
        (self.folder / "tmp").mkdir()
        process = self.start_command("report", "large.csv", "-o", "page.html", env={**os.environ, "TMPDIR": str(self.folder / "tmp")})
        self.wait_for_handlers(process)
        self.assert_interrupted(process, says=b"nothing was written")
        self.assertEqual(sorted(os.listdir(self.folder)), ["large.csv", "tmp"])
        self.assertEqual(os.listdir(self.folder / "tmp"), [])

    def browse(self):
        """The page in a browser, or the test is skipped."""
        if not (shutil.which("chromium") and shutil.which("chromedriver")):
            self.skipTest("no Chromium and its driver")
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            self.skipTest("no Selenium")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for word in ("--headless=new", "--no-sandbox", f"--user-data-dir={self.folder / 'profile'}"):
            options.add_argument(word)
        browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.addCleanup(browser.quit)
        browser.get((self.folder / "page.html").as_uri())
        self.assertEqual(browser.title, browser.find_element("css selector", "h1").text)
        self.assertNotEqual(browser.title, "taken")
        return browser

    def test_slider_in_a_browser(self):
        page = self.page_of(self.platform(NAME))
        sizes = json.loads(page.scripts[0])[0]["sizes"]
        browser = self.browse()
        slider = browser.find_element("css selector", "input[type=range]")
        at = int(slider.get_attribute("value"))
        slider.send_keys(RIGHT)
        entry = sizes[at + 1]
        self.assertEqual(browser.find_element("css selector", "output").text, str(entry["size"]))
        shown = browser.find_elements("css selector", ".method")[0].text
        self.assertEqual(shown, "optimal: " + " | ".join(map(str, entry["optimal"]["distribution"])) + ", " +
                         entry["optimal"]["text"])
        self.assert_has(slider.get_attribute("aria-valuetext"), shown, f"size {entry['size']}")
        height = "return document.querySelector('details').offsetHeight"
        folded = browser.execute_script(height)
        browser.execute_script("dispatchEvent(new Event('beforeprint'))")
        self.assertGreater(browser.execute_script(height), 3 * folded)

    def test_points_of_a_front_in_a_browser(self):
        path = self.write("p.csv", "processor,size,time,energy\n" + "".join(f"a,{k},{k},{5 * k}\nb,{k},{2 * k},{k}\n" for k in range(1, 9)))
        self.text_of("pareto", path, "--size", "8", "-o", "front.json")
        front = json.loads((self.folder / "front.json").read_text())
        self.assertGreater(len(front["points"]), 3)
        self.page_of("front.json")
        browser = self.browse()
        slider = browser.find_element("css selector", "input[type=range]")
        line = browser.find_element("css selector", "[aria-live]")

        def assert_shown(k):
            point = front["points"][k]
            parts = " | ".join(f"{name} {part}" for name, part in zip(front["processors"], point["distribution"]))
            self.assertTrue(line.text.startswith(f"point {k + 1} of {len(front['points'])}: {point['time']:g} s, {point['energy']:g} J; "), line.text)
            self.assertTrue(line.text.endswith(parts), line.text)
            self.assertEqual(slider.get_attribute("aria-valuetext"), f"point {k + 1} of {len(front['points'])}")

        at = int(slider.get_attribute("value"))
        assert_shown(at)
        slider.send_keys(RIGHT)
        assert_shown(at + 1)
        # The dots of the drawing itself: its pixels are where the page says that the points are.
        browser.execute_script("window.scrollTo(0, 0)")
        for k in range(len(front["points"])):
            browser.execute_script("""
                const image = document.querySelector("img"), box = image.getBoundingClientRect(), [x, y] = arguments;
                image.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true}));
                """, *self.dot(browser, k))
            assert_shown(k)
            mark = browser.execute_script("""
                const mark = document.querySelector(".mark").getBoundingClientRect(), box = document.querySelector("img").getBoundingClientRect();
                return [(mark.left + mark.width / 2 - box.left) / box.width, (mark.top + mark.height / 2 - box.top) / box.height];""")
            for place, dot in zip(mark, self.dot(browser, k)):
                self.assertAlmostEqual(place, dot, 2)

    def dot(self, browser, k):
        """The place of the drawing's k-th dot, by the drawing itself."""
        source = urllib.parse.unquote(browser.find_element("css selector", "img").get_attribute("src").split(",", 1)[1])
        width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', source).groups())
        dots = re.findall(r"<use xlink:href='#gpPt6' transform='translate\(([\d.]+),([\d.]+)\)", source)
        return float(dots[k][0]) / width, float(dots[k][1]) / height

    def assert_hints(self, browser):
        """A line above each box that scrolls says so, and none above others. Returns the number of hints."""
        wait = """
            const done = arguments[arguments.length - 1];
            for (const details of document.querySelectorAll("details")) details.open = true;
            requestAnimationFrame(() => requestAnimationFrame(() => done([...document.querySelectorAll(".wide")].map(box =>
                [box.scrollWidth > box.clientWidth, box.previousElementSibling.offsetHeight > 0]))));"""
        boxes = browser.execute_async_script(wait)
        for scrolls, hints in boxes:
            self.assertEqual(scrolls, hints, boxes)
        return sum(hints for _, hints in boxes)

    def test_a_phone_in_a_browser(self):
        self.run_result()
        self.text_of("pareto", FRONT, "--size", "12", "-o", "front.json")
        self.page_of("run.json", "front.json", self.platform())
        browser = self.browse()
        browser.set_window_size(1280, 800)
        self.assertEqual(self.assert_hints(browser), 0, "a wide screen has all")
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True})
        self.assertEqual(browser.execute_script("return document.documentElement.scrollWidth"), 360)
        self.assertGreater(self.assert_hints(browser), 3)
        beyond = browser.execute_script("""
            const scrolls = element => element && (getComputedStyle(element).overflowX != "visible" || scrolls(element.parentElement));
            return [...document.querySelectorAll("main *")].filter(element => element.getBoundingClientRect().right > 360 && !scrolls(element))
                .map(element => element.outerHTML.slice(0, 100));""")
        self.assertEqual(beyond, [], "nothing is cut")

    def test_narrow_and_dark_screens_in_a_browser(self):
        self.text_of("pareto", FRONT, "--size", "12", "-o", "front.json")
        self.page_of(self.platform(), "front.json")
        browser = self.browse()
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True})
        self.assertEqual(browser.execute_script("return document.documentElement.scrollWidth"), 390, "drawings and tables scroll by themselves")
        self.assert_hints(browser)
        self.assertGreaterEqual(browser.execute_script("return document.querySelector('img').getBoundingClientRect().width"), 600)
        browser.find_element("css selector", ".front input").send_keys(END)
        place = browser.execute_script("const mark = document.querySelector('.front .mark').getBoundingClientRect(); return [mark.left, mark.right]")
        self.assertTrue(0 <= place[0] < place[1] <= 390, f"the last point is at {place}")
        colour = "return getComputedStyle(document.body).color"
        background = "return getComputedStyle(document.querySelector('img')).backgroundColor"
        self.assertEqual((browser.execute_script(colour), browser.execute_script(background)), ("rgb(0, 0, 0)", "rgb(255, 255, 255)"))
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual((browser.execute_script(colour), browser.execute_script(background)), ("rgb(255, 255, 255)", "rgb(255, 255, 255)"))
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(browser.execute_script(colour), "rgb(0, 0, 0)")
        self.assertFalse(browser.find_element("css selector", "input[type=range]").is_displayed())
