"""The calls of calls.txt print and write what calls.expected holds, on every machine. HPART_REWRITE=1 in the environment writes that file anew.

A line of calls.txt is a comment (#) or a call: the words after hpart, perhaps with variables before (NAME=VALUE) and the standard input
behind: < FILE or <<< LINE.... write NAME LINE... writes a file of these lines. The expected file has after each call its standard output,
"! " before each line of standard error, "+ " before the name of each file that it wrote, whose content follows, and the exit status if it
is not 0."""

import difflib
import os
import pathlib
import re
import shlex
import shutil
import unittest
import xml.etree.ElementTree

from command import DATA, CommandTest

HERE = pathlib.Path(__file__).parent
# This gnuplot draws nothing: its drawing is the script with the tables.
GNUPLOT = r"""#!/bin/sh
cd "${4%/script}"
for file in script table*; do
    while IFS= read -r line; do printf '%s\n' "$line"; done <$file
done >drawn
"""


def calls():
    """Each call of the file with its words."""
    for call in (HERE / "calls.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        if call and not call.startswith("#"):
            yield call, shlex.split(call)


def masked(text):
    """The text without the time of a solution, the digits that depend on the compiler, and a page's date, libraries, script and drawings."""
    head = text.partition("\n")[0].split(",")
    if "solve_seconds" in head:
        text = re.sub(r"(?m)^((?:[^,\n]*,){%d})\d[^,\n]*" % head.index("solve_seconds"), r"\1SECONDS", text)
    text = re.sub(r'("solve_seconds":|solved in )[^,}\n]+', r"\1SECONDS", text)
    text = re.sub(r"\d+\.\d{9,}(e[-+]\d+)?", lambda number: f"{float(number[0]):.9g}", text)
    text = re.sub(r'(?s)^<!DOCTYPE.*(?=<h1>)|<p>Written on.*?</details>|<script>.*|(?<=src=")[^"]*', "", text)
    return text.replace("},", "},\n")


class Calls(CommandTest):
    def setUp(self):
        super().setUp()
        os.symlink(DATA, self.folder / "data")
        (self.folder / "quiet").mkdir()

    def written(self):
        """The files that were written since this was called last."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_file() and path.stat().st_mtime > 0)
        for path in found:
            os.utime(path, (0, 0))
        return found

    def answer(self, words, path):
        """The lines that a call shows; path is the PATH of its environment."""
        if words[0] == "write":
            self.write(words[1], "\n".join(words[2:]) + "\n")
            return ""
        self.written()
        stdin, environment = b"", {"PATH": path, "HPART_MACHINE_ROOT": "quiet"}
        if "<<<" in words:
            at = words.index("<<<")
            words, stdin = words[:at], ("\n".join(words[at + 1:]) + "\n").encode()
        elif "<" in words:
            *words, _, name = words
            stdin = (self.folder / name).read_bytes()
        while re.match("[A-Z_]+=", words[0]):
            name, _, environment[name] = words.pop(0).partition("=")
        made = self.run_command(*words, stdin=stdin, environment=environment)
        text = masked(made.stdout.decode())
        if text and not text.endswith("\n"):
            text += "(no newline)\n"
        text += "".join(f"! {line}\n" for line in made.stderr.decode().splitlines())
        for file in self.written():
            text += f"+ {file.relative_to(self.folder)}\n" + masked(file.read_text(encoding="utf-8"))
        return text + (f"exit status {made.returncode}\n" if made.returncode else "")

    def test_every_answer_is_the_expected_one(self):
        self.write("gnuplot", GNUPLOT).chmod(0o755)
        answers = []
        for call, words in calls():
            answer = self.answer(words, str(self.folder))
            if words[0] != "write":
                answers += f"$ {call}\n{answer}\n".splitlines()
        expected = HERE / "calls.expected"
        if os.environ.get("HPART_REWRITE"):
            expected.write_text("\n".join(answers) + "\n", encoding="utf-8")
        different = list(difflib.unified_diff(expected.read_text(encoding="utf-8").splitlines(), answers, "calls.expected", "these calls",
                                              lineterm="", n=6))
        self.assertFalse(different, "\n".join(["", *different[:200], "HPART_REWRITE=1 in the environment rewrites the expected file"]))

    @unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
    def test_gnuplot_draws_every_script(self):
        drawn = 0
        for call, words in calls():
            if words[0] == "write" or "-o" in words and words[0] in ("partition", "pareto", "plot", "schedule", "study"):
                answer = self.answer(words, os.environ["PATH"])
                if words[0] == "plot" and "!" not in answer:
                    path = self.folder / words[words.index("-o") + 1]
                    with self.subTest(call):
                        self.assertTrue(xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"))
                    path.unlink()
                    drawn += 1
        self.assertGreater(drawn, 20)


if __name__ == "__main__":
    unittest.main()
