#!/usr/bin/env python3
"""Every code block of the READMEs and of docs/ is a whole program that builds and runs, or is marked as a fragment.

A block's language is the first word after the fence: c, cpp, fortran or python. The word `fragment` behind it says that the block is part of a program
and is not run; Python's must parse all the same. A block of sh is a fragment without saying so: most of them take minutes. Each program runs
in an empty folder that holds functions.csv, and must end with 0. Every relative link of a document names a file that is installed.
"""
import argparse
import ast
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(.*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
INSTALLED = ("README.md", "CHANGELOG.md", "CONVENTIONS.md", "VERSIONING.md", "LICENSE", "docs/", "examples/")
LANGUAGES = ("c", "cpp", "fortran", "python")
# Those whose blocks are an example, which a test runs, with its suffix.
EXAMPLES = {"octave": "m", "r": "R", "lua": "lua", "perl": "pl", "tcl": "tcl", "ruby": "rb", "scheme": "scm"}


def blocks_of(text):
    """(line, language, marks, code) of each fenced block."""
    for match in FENCE.finditer(text):
        words = match.group(1).split()
        language = words[0] if words else ""
        yield text.count("\n", 0, match.start()) + 1, language, words[1:], match.group(2)


def commands_of(language, folder, code, options):
    """Writes the program to the folder. Returns the commands that compile, link and run it."""
    if language == "python":
        (folder / "block.py").write_text(code)
        return [[options.python, "block.py"]]
    source, compiler = {"c": ("block.c", options.cc), "cpp": ("block.cpp", options.cxx), "fortran": ("block.f90", options.fc)}[language]
    (folder / source).write_text(code)
    words = shlex.split(compiler)
    return [*words, "-c", source], [*words, "block.o", "-o", "block"], ["./block"]


def failure_of(language, code, options):
    """What went wrong when the program was built and run; nothing when all went well."""
    with tempfile.TemporaryDirectory(dir=".") as name:  # from whose depth ccache knows the paths of another clone
        folder = pathlib.Path(name)
        shutil.copy(options.functions, folder / "functions.csv")
        for command in commands_of(language, folder, code, options):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                return f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    return ""


def check(document, root, options):
    """The faults of one document, and how many of its blocks ran."""
    faults, ran = [], 0
    text = document.read_text()
    name = document.relative_to(root)
    for link in LINK.findall(FENCE.sub("", text)):
        target = os.path.normpath(document.parent / link)
        relative = os.path.relpath(target, root)
        if not os.path.exists(target) or not relative.startswith(INSTALLED):
            faults.append(f"{name}: the link to {link} names no file that is installed")
    for line, language, marks, code in blocks_of(text):
        if language.startswith("{"):  # a directive of the site
            continue
        if any(mark != "fragment" for mark in marks):
            faults.append(f"{name}:{line}: {' '.join(marks)} marks nothing; `fragment` is the one mark")
        if language in EXAMPLES and code != (root / f"examples/first.{EXAMPLES[language]}").read_text():
            faults.append(f"{name}:{line}: the block differs from examples/first.{EXAMPLES[language]}")
        if language not in LANGUAGES:
            continue
        if "fragment" not in marks:
            if language == "fortran" and not options.fc:
                continue
            ran += 1
            if failure := failure_of(language, code, options):
                faults.append(f"{name}:{line}: {failure}")
        elif language == "python":
            try:
                ast.parse(code)
            except SyntaxError as error:
                faults.append(f"{name}:{line}: {error}")
    return faults, ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--cc", required=True, help="compiles and links a C program against hpart")
    parser.add_argument("--cxx", required=True, help="the same for C++")
    parser.add_argument("--fc", default="", help="the same for Fortran; without it Fortran's blocks are left out")
    parser.add_argument("--python", required=True)
    parser.add_argument("--functions", required=True, help="a platform file: functions.csv of the programs")
    options = parser.parse_args()
    faults, ran = [], 0
    for document in [options.root / "README.md", options.root / "bindings/python/README.md", *sorted((options.root / "docs").rglob("*.md"))]:
        found, count = check(document, options.root, options)
        faults += found
        ran += count
    print(*faults, f"{ran} programs of the documents ran, {len(faults)} faults", sep="\n")
    return 1 if faults or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
