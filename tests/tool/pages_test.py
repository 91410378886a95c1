"""The manual pages of the command have all of its help, and the tools that read them find nothing wrong."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

COMMAND, PAGES = os.environ["HPART_COMMAND"], pathlib.Path(os.environ["HPART_PAGES"])
MAN = PAGES / "man"


def text_of(*words, **settings):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8", **settings).stdout


def needs(program):
    return unittest.skipIf(shutil.which(program) is None, f"{program} is not installed")


HELP = {name: text_of(COMMAND, name, "--help")
        for name in re.findall(r"^  (\w+) ", text_of(COMMAND, "--help").partition("\nSubcommands:\n")[2], re.M)}


def options_of(help):
    """Each option with its placeholder, "" if there is none."""
    found = re.findall(r"^  ((?:-\w,)?--[\w-]+)(?: (\S+))?(?:\s|$)", help, re.M)
    return {name.rpartition(",")[2]: value for name, value in found}


def texts_of(help):
    """The help's texts, a line or less each: meanings of its entries, and what stands below them."""
    lines = help.splitlines()[2:] + [""]
    for line, below in zip(lines, lines[1:]):
        if not line.startswith("  ") or line.startswith("   " * 3 + " hpart"):
            yield from filter(None, re.split("Examples?: |Exit status: |^[A-Z][a-z]+:$", line.strip()))
        elif not below.startswith(" " * 30):
            yield line[30:].strip()


class Pages(unittest.TestCase):
    def shown(self, page):
        """The source of the page without its fonts and escapes."""
        text = (MAN / page).read_text().replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
        return re.sub(r"\\f[BIR]", "", text)

    def test_help_is_read_here(self):
        self.assertGreater(len(HELP), 15)
        self.assertEqual({"--format": "text|json|csv", "--help": "", "--devices": ""}, options_of(HELP["info"]))

    def test_each_subcommand_has_a_page_and_no_page_is_of_another(self):
        self.assertEqual({"hpart.1", *(f"hpart-{name}.1" for name in HELP)}, {path.name for path in MAN.iterdir()})
        for name in HELP:
            self.assertIn(f".BR hpart-{name} (1)", self.shown("hpart.1"))

    def test_each_option_is_in_its_page_with_its_meaning(self):
        for name, help in HELP.items():
            page = self.shown(f"hpart-{name}.1")
            listed = dict(re.findall(r"^\.TP\n(?:-\w, )?(--[\w-]+)(?: ([^\s]+))?", page, re.M))
            self.assertEqual(options_of(help), listed, name)
            words = " ".join(page.split())
            for text in texts_of(help):
                self.assertIn(text, words, name)

    def test_each_key_of_the_library_is_in_the_pages_that_take_it(self):
        for name, help in HELP.items():
            if "--option" in options_of(help):
                for key in re.findall(r"^(\w+) \(", text_of(COMMAND, "options", name), re.M):
                    self.assertRegex(self.shown(f"hpart-{name}.1"), rf"\n{key}=\S")

    @needs("mandoc")
    def test_mandoc_has_no_warning(self):
        self.assertEqual("", text_of("mandoc", "-T", "lint", *sorted(map(str, MAN.iterdir()))))

    @needs("man")
    def test_man_has_no_warning(self):
        for page in sorted(MAN.iterdir()):
            result = subprocess.run(["man", "--warnings", "-l", page], check=True, capture_output=True, encoding="utf-8",
                                    env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            self.assertEqual("", result.stderr, page)
            self.assertIn("SEE ALSO", result.stdout)


if __name__ == "__main__":
    unittest.main()
