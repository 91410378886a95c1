"""The page of hpart report: its numbers are those of hpart partition, names are text, and the slider moves."""

import html.parser
import json
import shutil
import unittest

from command import EXAMPLE, FRONT, CommandTest

NAME = "</script><script>document.title='taken'</script>"
JAGGED = [5, 3, 9, 4, 12, 6]


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

    def test_distributions_are_those_of_partition(self):
        path = self.platform()
        data = json.loads(self.page_of(path).scripts[0])
        self.assertEqual([entry["size"] for entry in data[0]["sizes"]], list(range(1, 13)))
        self.assertEqual(data[0]["processors"], ["a", "b"])
        for entry in data[0]["sizes"]:
            for name, method in (("optimal", "exact"), ("balanced", "balanced"), ("equal", "equal")):
                call = ("partition", path, "--size", entry["size"], "--method", method)
                if entry[name] is None:
                    self.assert_fails(3, *call)
                    continue
                result = self.json_of(*call)
                self.assertEqual(entry[name]["distribution"], result["distribution"])
                self.assertEqual(entry[name]["time"], result["time"])

    def test_names_are_text(self):
        page = self.page_of(self.platform(NAME))
        self.assertEqual(json.loads(page.scripts[0])[0]["processors"][0], NAME)
        self.assertNotIn(NAME, (self.folder / "page.html").read_text())

    def test_results(self):
        self.text_of("pareto", FRONT, "--size", "12", "-o", "front.json")
        self.text_of("partition", EXAMPLE, "--size", "12", "-o", "split.json")
        run = {"kernel": "k", "size": 3, "processors": ["<i>", "b"], "splits": [
            {"method": "optimal", "distribution": [1, 2], "predicted_seconds": 1, "measured_seconds": 1.25,
             "measured_low": 1, "measured_high": 1.5}]}
        self.write("run.json", json.dumps(run))
        study = self.json_of("study", EXAMPLE, "--sizes", "4:8:2")
        self.write("study.json", json.dumps(study))
        page = self.page_of("front.json", "split.json", "run.json", "study.json")
        front, split, times, gains = page.tables
        points = json.loads((self.folder / "front.json").read_text())["points"]
        self.assertEqual([row[2] for row in front[1:]], [" | ".join(map(str, point["distribution"])) for point in points])
        best = json.loads((self.folder / "split.json").read_text())["distribution"]
        self.assertEqual(split[1][0], " | ".join(map(str, best)))
        self.assertEqual(times[0], ["method", "<i> | b", "predicted", "measured"])
        self.assertEqual(times[1][:2], ["optimal", "1 | 2"])
        self.assert_has(times[1][3], "1.2", "to 1.5")
        self.assertEqual(len(gains) - 1, sum(len(size["methods"]) for size in study["sizes"]))

    def test_bad_calls_leave_no_page(self):
        self.write("list.json", "{\"tasks\": []}")
        self.write("wrong.json", '{"size": 1, "processors": ["a"], "time": 1, "distribution": ["x"]}')
        self.write("flat.json", '{"size": 1, "processors": ["a"], "splits": 3}')
        self.assert_refused(f"""
            report {EXAMPLE} -o page.svg ==> its name must end in .html
            report {EXAMPLE} ==> --output
            report none.csv -o page.html ==> none.csv
            report list.json -o page.html ==> is no result of
            report wrong.json -o page.html ==> wrong.json
            report flat.json -o page.html ==> has no list 'splits'
        """)
        self.assert_fails(1, "report", EXAMPLE, "-o", "none/page.html", says="none/page.html")

    @unittest.skipUnless(shutil.which("chromium") and shutil.which("chromedriver"), "no Chromium and its driver")
    def test_slider_in_a_browser(self):
        try:
            from selenium import webdriver
            from selenium.webdriver.chrome.service import Service
        except ImportError:
            self.skipTest("no Selenium")
        page = self.page_of(self.platform(NAME))
        sizes = json.loads(page.scripts[0])[0]["sizes"]
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for word in ("--headless=new", "--no-sandbox", f"--user-data-dir={self.folder / 'profile'}"):
            options.add_argument(word)
        browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.addCleanup(browser.quit)
        browser.get((self.folder / "page.html").as_uri())
        self.assertEqual(browser.title, "hpart report")
        slider = browser.find_element("css selector", "input[type=range]")
        at = int(slider.get_attribute("value"))
        slider.send_keys("\ue014")  # the right arrow
        entry = sizes[at + 1]
        self.assertEqual(browser.find_element("css selector", "output").text, str(entry["size"]))
        shown = browser.find_elements("css selector", ".method")[0].text
        self.assertEqual(shown, "optimal: " + " | ".join(map(str, entry["optimal"]["distribution"])) + ", " +
                         entry["optimal"]["text"])
        self.assert_has(slider.get_attribute("aria-valuetext"), shown, f"size {entry['size']}")
        self.assertFalse(browser.find_element("css selector", "details table").is_displayed())
        browser.execute_script("dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(browser.find_element("css selector", "details table").is_displayed())
