#!/usr/bin/env python3
"""Every code block of the READMEs and of docs/ is a whole program that builds and runs, or is marked as a fragment.

A block's language is the first word after the fence: c, cpp, fortran or python. The words behind it are marks:

- `fragment`: part of a program, and not run; Python's must parse all the same. A block of sh is a fragment without saying so: most of them
  take minutes.
- `run`: a block of sh that bash runs, with hpart on its PATH and pkg-config's files of hpart; it ends at the first command that fails.
- `file=NAME`: a file of the reader's; it is written, and not run. One of this name in examples/ is the same.
- `output`: the output of the last block that ran, but for blanks and ends of lines; `...` stands for any text, also of several lines.

The blocks of a document run in its order in one folder, which holds functions.csv and the source tree's tests at the start; each must end
with 0. Blocks within a directive of MyST, such as ````{tab} Title, are blocks like others. Every relative link of a document names a file that is installed.
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

FENCE = re.compile(r"^(`{3,})([^`\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
INSTALLED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs/", "examples/")
UNIT = re.compile(r"\bopencl:0:0:[0-9]")
LANGUAGES = ("c", "cpp", "fortran", "python")


def blocks_of(text, first=1):
    """(line, language, marks, code) of each fenced block."""
    for match in FENCE.finditer(text):
        line = first + text.count("\n", 0, match.start())
        words = match.group(2).split()
        if words and words[0].startswith("{"):
            yield from blocks_of(match.group(3), line + 1)
        else:
            yield line, words[0] if words else "", words[1:], match.group(3)


def prose_of(text):
    """The text without its code."""
    return FENCE.sub(lambda match: prose_of(match.group(3)) if match.group(2).startswith("{") else "", text)


def commands_of(language, folder, code, options):
    """Writes the program to the folder. Returns the commands that compile, link and run it."""
    if language == "sh":
        return [["bash", "-euo", "pipefail", "-c", code]]
    if language == "python":
        (folder / "block.py").write_text(code)
        return [[options.python, "block.py"]]
    source, compiler = {"c": ("block.c", options.cc), "cpp": ("block.cpp", options.cxx), "fortran": ("block.f90", options.fc)}[language]
    (folder / source).write_text(code)
    words = shlex.split(compiler)
    return [*words, "-c", source], [*words, "block.o", "-o", "block"], ["./block"]


def write_pkg_config(folder, options):
    """Files of pkg-config with the flags of the compilers' commands."""
    for name, command in (("hpart", options.cc), ("hpart-fortran", options.fc), ("hpart-mpi", options.mpi)):
        words = shlex.split(command)
        flags = [" ".join(word for word in words if word.startswith(letters)) for letters in (("-L", "-Wl,", "-l"), "-I")]
        text = f"Name: {name}\nDescription: {name}\nVersion: 0\nLibs: {flags[0]}\nCflags: {flags[1]}\n"
        (folder / f"{name}.pc").write_text(text)


def why_not_run(language, code, options):
    """The reason to leave a program out; empty if all that it needs is here."""
    if not options.fc and (language == "fortran" or language == "sh" and "gfortran" in code):
        return "there is no Fortran compiler"
    if not options.mpi and language == "sh" and "mpi" in code:
        return "there is no MPI"
    if not options.units and UNIT.search(code):
        return "the driver of opencl:0:0 makes no compute units"
    return ""


def has_units(command):
    """False if the command lists opencl:0:0 as a device that cannot be divided."""
    devices = subprocess.run([pathlib.Path(command) / "hpart", "info", "--devices"], capture_output=True, text=True, check=True).stdout
    return not any(line.startswith("opencl:0:0 ") and ", CPU, indivisible," in line for line in devices.splitlines())


def run(language, code, folder, options):
    """Builds and runs the program. Returns its output, and what went wrong; nothing when all went well."""
    output = ""
    environment = {**os.environ, "PATH": f"{options.command}:{os.environ['PATH']}", "PKG_CONFIG_PATH": os.path.abspath(folder)}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    environment |= {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_mpi_yield_when_idle": "1"}
    for command in commands_of(language, folder, code, options):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)
        if done.returncode != 0:
            return "", f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}"
        output = done.stdout
    return output, ""


def is_output(expected, output):
    """Whether a block marked `output` is this output."""
    pattern = " ?.* ?".join(re.escape(" ".join(part.split())) for part in expected.split("..."))
    return re.fullmatch(pattern, " ".join(output.split())) is not None


def fault_of(language, marks, code, output, folder):
    """What is wrong with a block that does not run; nothing if all is well."""
    if unknown := [mark for mark in marks if mark not in ("fragment", "run", "output") and not mark.startswith("file=")]:
        return f"{' '.join(unknown)} marks nothing; fragment, run, file=NAME and output do"
    for mark in marks:
        if mark.startswith("file="):
            name = mark[len("file="):]
            (folder / name).write_text(code)
            example = pathlib.Path(__file__).parents[2] / "examples" / name
            if example.exists() and example.read_text() != code:
                return f"the file is not examples/{name}'s"
    if "output" in marks and not is_output(code, output):
        return f"the output is not this, but\n{output}"
    if language == "python":
        try:
            ast.parse(code)
        except SyntaxError as error:
            return str(error)
    return ""


def check(document, options):
    """The faults of one document, and how many of its blocks ran."""
    faults, ran, output = [], 0, ""
    text = document.read_text()
    name = document.relative_to(options.root)
    for link in LINK.findall(prose_of(text)):
        target = os.path.normpath(document.parent / link)
        relative = os.path.relpath(target, options.root)
        if not os.path.exists(target) or not relative.startswith(INSTALLED):
            faults.append(f"{name}: the link to {link} names no file that is installed")
    with tempfile.TemporaryDirectory(dir=".") as folder:  # from whose depth ccache knows the paths of another clone
        folder = pathlib.Path(folder)
        shutil.copy(options.functions, folder / "functions.csv")
        write_pkg_config(folder, options)
        (folder / "tests").symlink_to(options.root.resolve() / "tests")
        for line, language, marks, code in blocks_of(text):
            fault = fault_of(language, marks, code, output, folder)
            if not fault and ("run" in marks if language == "sh" else language in LANGUAGES and not marks):
                if reason := why_not_run(language, code, options):
                    print(f"{name}:{line}: not run: {reason}")
                    continue
                ran += 1
                output, fault = run(language, code, folder, options)
            if fault:
                faults.append(f"{name}:{line}: {fault}")
    return faults, ran


def documents_of(options):
    """The files that the call names, in order."""
    for name in options.documents or ["README.md", "bindings/python/README.md", "docs"]:
        path = options.root / name
        for document in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
            if not any(document.is_relative_to(options.root / folder) for folder in options.without):
                yield document


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("documents", nargs="*", help="files and folders of the root; default: all")
    parser.add_argument("--without", action="append", default=[], help="a folder of the root")
    parser.add_argument("--cc", required=True, help="compiles and links a C program against hpart")
    parser.add_argument("--cxx", required=True, help="the same for C++")
    parser.add_argument("--fc", default="", help="the same for Fortran; without it Fortran's blocks are left out")
    parser.add_argument("--mpi", default="", help="the same for hpart's library over MPI; without it blocks of sh with mpicc or mpirun are left out")
    parser.add_argument("--python", required=True)
    parser.add_argument("--command", required=True, help="the folder of the command hpart")
    parser.add_argument("--functions", required=True, help="a platform file: functions.csv of the programs")
    options = parser.parse_args()
    options.units = has_units(options.command)
    faults, ran = [], 0
    for document in documents_of(options):
        found, count = check(document, options)
        faults += found
        ran += count
    print(*faults, f"{ran} programs of the documents ran, {len(faults)} faults", sep="\n")
    return 1 if faults or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
