#!/usr/bin/env python3
"""The documents' site, as scripts/site makes it, in a browser without a window.

usage: site_test.py make | browse      environment: HPART_SITE: its folder, HPART_COMMAND, HPART_SOURCE
Ends with 77 if Sphinx, its extensions or Chromium are missing.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zlib

SITE, COMMAND, SOURCE = (pathlib.Path(os.environ[f"HPART_{name}"]) for name in ("SITE", "COMMAND", "SOURCE"))
WIDTHS = {"desktop": 1280, "phone": 360}
# Nothing if the page is as wide as the window. Else its width, and the elements that reach beyond without something around them that scrolls.
TOO_WIDE = """
const content = document.querySelector(".content");
if (document.documentElement.scrollWidth <= innerWidth && content.scrollWidth <= content.clientWidth) return [];
const scrolls = element => element.tagName != "ARTICLE" && (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
return [...document.querySelectorAll("article *")].filter(element => element.getBoundingClientRect().right > content.getBoundingClientRect().right && !scrolls(element))
    .map(element => element.outerHTML.slice(0, 120)).concat([`${document.documentElement.scrollWidth} pixels`]);
"""
# The first lines of the blocks whose button to copy them covers a part of the text that is seen.
COVERED = """
const covers = block => {
    const button = block.querySelector(".copybtn").getBoundingClientRect(), code = block.querySelector("pre"), range = document.createRange();
    range.selectNodeContents(code);
    const edge = code.getBoundingClientRect().right;
    return button.width > 0 && [...range.getClientRects()].some(text => text.width > 0 && text.left < button.right && Math.min(text.right, edge) > button.left
        && text.top < button.bottom && text.bottom > button.top);
};
return [...document.querySelectorAll("div.highlight")].filter(block => block.querySelector(".copybtn") && covers(block)).map(block => block.textContent.slice(0, 80));
"""
# Names in the first columns of tables that are broken over lines.
BROKEN = """
return [...document.querySelectorAll("td:first-child code, th:first-child code")].filter(code => code.getClientRects().length > 1).map(code => code.textContent);
"""
BRIGHTNESS = r"return getComputedStyle(document.body)[arguments[0]].match(/\d+/g).slice(0, 3).reduce((sum, one) => sum + Number(one), 0) / 765;"


def skip(reason):
    print(f"skipped: {reason}; scripts/setup installs it")
    sys.exit(77)


def make():
    sphinx = shutil.which("sphinx-build") or skip("no Sphinx")
    python = pathlib.Path(sphinx).read_text().splitlines()[0].removeprefix("#!").split()
    found = subprocess.run([*python, "-c", "import myst_parser, furo, sphinx_copybutton, sphinx_inline_tabs"], capture_output=True, text=True)
    if found.returncode:
        skip(f"Sphinx has not all extensions: {found.stderr.splitlines()[-1]}")
    shutil.rmtree(SITE, ignore_errors=True)
    sys.exit(subprocess.run([SOURCE / "scripts/site", SITE, COMMAND]).returncode)


def inventory():
    """The names of the site's index, by kind."""
    text = zlib.decompress((SITE / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]).decode()
    names = {}
    for name, kind in re.findall(r"^(\S+) (\S+) ", text, re.MULTILINE):
        names.setdefault(kind, set()).add(name)
    return names


class Reference(unittest.TestCase):
    def test_EachFunctionHasAnEntry(self):
        maps = (SOURCE / "src/c_api/hpart.map").read_text() + (SOURCE / "src/mpi/hpart_mpi.map").read_text()
        functions = set(re.findall(r"^ +(hpart_\w+);", maps, re.MULTILINE))
        self.assertGreater(len(functions), 150)
        self.assertEqual(functions, inventory()["c:function"])

    def test_EachOptionHasAnEntry(self):
        text = subprocess.run([COMMAND, "options", "--format", "json"], check=True, capture_output=True).stdout
        options = {f"option-{key['name'].replace('_', '-')}" for key in json.loads(text)["options"]}
        self.assertGreater(len(options), 50)
        page = (SITE / "reference/options.html").read_text()
        self.assertEqual(set(), {name for name in options if f'id="{name}"' not in page})

    def test_EachSubcommandHasASection(self):
        text = subprocess.run([COMMAND, "--help"], check=True, capture_output=True, text=True).stdout
        names = re.findall(r"^  ([a-z]+) {2,}", text.split("Subcommands:")[1], re.MULTILINE)
        self.assertGreater(len(names), 10)
        page = (SITE / "reference/subcommands.html").read_text()
        self.assertEqual([], [name for name in names if f'id="hpart-{name}"' not in page])


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = Options()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(word)
        cls.state = {}  # width and colour scheme, which take time to change
        cls.driver = webdriver.Chrome(service=Service(DRIVER), options=options)

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, page, width="desktop"):
        self.resize(width)
        address = (SITE / page).as_uri()
        self.driver.get(address)
        # A busy browser may return before the page is there.
        is_there = "return document.readyState == 'complete' && location.href.startsWith(arguments[0])"
        self.wait_for(lambda: self.driver.execute_script(is_there, address))

    def resize(self, width):
        if self.state.get("width") == width:
            return
        self.state["width"] = width
        metrics = {"width": WIDTHS[width], "height": 900, "deviceScaleFactor": 1, "mobile": width == "phone"}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme):
        if self.state.get("scheme") == scheme:
            return
        self.state["scheme"] = scheme
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def wait_for(self, condition):
        return WebDriverWait(self.driver, 60).until(lambda _: condition())

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def test_SearchFindsAFunction(self):
        self.open("index.html")
        self.find("input.sidebar-search")[0].send_keys("gemm\n")
        self.wait_for(lambda: any("hpart_dgemm" in link.text for link in self.find("#search-results li a")))
        link = next(link for link in self.find("#search-results li a") if "hpart_dgemm" in link.text)
        link.click()
        self.wait_for(lambda: self.find("[id='c.hpart_dgemm']"))

    def test_TabsSwitch(self):
        self.open("index.html")

        def shown():
            return [block.text for block in self.find(".tab-content .highlight") if block.is_displayed()]

        self.assertEqual(["import hpart"], [line for text in shown() for line in text.splitlines() if line.startswith("import")])
        label = next(label for label in self.find(".tab-label") if label.text == "Fortran")
        self.driver.execute_script("arguments[0].click()", label)  # wherever a scroll that goes on has it
        self.wait_for(lambda: len(shown()) == 1 and "use hpart" in shown()[0])

    def test_NoPageOverflowsOrHidesText(self):
        pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
        self.assertGreater(len(pages), 50)
        faults, looks = [], list(zip(WIDTHS, ("light", "dark")))
        for page in pages:
            self.open(page, looks[0][0])
            for width, scheme in looks:
                self.resize(width)
                self.prefer(scheme)
                for fault in (TOO_WIDE, COVERED, BROKEN):
                    faults += [f"{page}, {width}, {scheme}: {element}" for element in self.driver.execute_script(fault)]
            # The next page begins at this width, in the other colours, which change no layout.
            looks = [(width, {"light": "dark", "dark": "light"}[scheme]) for width, scheme in reversed(looks)]
        self.assertEqual([], faults)

    def test_ColoursFollowTheSystem(self):
        self.open("index.html")
        for scheme, least, most in (("light", 0.8, 1), ("dark", 0, 0.2)):
            self.prefer(scheme)
            background = self.driver.execute_script(BRIGHTNESS, "backgroundColor")
            self.assertTrue(least <= background <= most, (scheme, background))
            self.assertGreater(abs(background - self.driver.execute_script(BRIGHTNESS, "color")), 0.5, scheme)


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        make()
    CHROMIUM, DRIVER = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        from selenium.webdriver.common.by import By
        from selenium.webdriver.support.ui import WebDriverWait
    except ImportError as error:
        skip(str(error))
    if not CHROMIUM or not DRIVER:
        skip("no Chromium with its driver")
    if not (SITE / "index.html").exists():
        skip("no site, as there is no Sphinx")
    unittest.main(argv=sys.argv[:1])
