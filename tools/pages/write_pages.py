"""Writes the manual pages and the completions of the hpart command from the command's own help.

usage: write_pages.py FOLDER COMMAND..., with an emulator before hpart if one is needed. FOLDER gets man/hpart.1, man/hpart-SUBCOMMAND.1, bash/hpart, zsh/_hpart and fish/hpart.fish.
"""

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys

import completions
import man_pages


@dataclasses.dataclass
class Entry:
    """One line under Options, Positionals or Subcommands."""
    names: list
    value: str  # of an option: the placeholder, "" if it takes none
    is_required: bool
    is_repeated: bool
    meaning: str

    def choices(self):
        """The words of "a|b|c" or "W|a". "a|b=b" has a default; "NAME=COMMAND" has none."""
        words, _, default = self.value.rpartition("=")
        if default in words.split("|"):
            return re.findall(r"[\w-]+", words)
        return [word for word in self.value.split("|") if re.fullmatch("[a-z][a-z0-9-]*", word)]

    def kind(self):
        """What completes the value: choices, keys, files or nothing; "" if there is no value."""
        if not self.value:
            return ""
        if self.choices():
            return "choices"
        if self.value == "KEY=VALUE":
            return "keys"
        return "files" if re.match("FILE|OUT", self.value) else "nothing"


@dataclasses.dataclass
class Help:
    """The help of the command itself, whose name is "", or of a subcommand."""
    name: str
    summary: str
    usage: str
    options: list
    positionals: list
    subcommands: list
    notes: str  # the text below, without examples
    exit_status: str
    examples: list
    keys: list  # the library's options that --option takes: name, choices, meaning ...

    def takes_command(self):
        return "The command stands after --" in self.notes


def output_of(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def entry_of(left, meaning, section):
    words = left.split()
    is_required, is_repeated = "REQUIRED" in words, "..." in words
    words = [word for word in words if word not in ("REQUIRED", "...")]
    value = " ".join(words[1:]) if section == "Options" else words[0]
    return Entry(words[0].split(","), value, is_required, is_repeated, meaning)


def read_sections(lines):
    """The entries by section and the lines below. Meanings begin in column 30; a long left side has a line of its own."""
    column = 30
    sections, section, left = {"Options": [], "Positionals": [], "Subcommands": []}, None, None
    for number, line in enumerate(lines):
        if line.removesuffix(":") in sections:
            section = line.removesuffix(":")
        elif section and line.startswith("  "):
            has_meaning_below = number + 1 < len(lines) and lines[number + 1].startswith(" " * column)
            left = left or (line if has_meaning_below else line[:column])
            if not has_meaning_below:
                sections[section].append(entry_of(left, line[column:], section))
                left = None
        elif line:
            return sections, lines[number:]
    return sections, []


def read_help(command, name):
    lines = output_of(*command, *([name] if name else []), "--help").splitlines()
    if not lines[1].startswith("Usage: "):
        sys.exit(f"write_pages.py: the help of '{name}' has no line Usage: after the first")
    sections, below = read_sections(lines[2:])
    notes, examples = [], []
    for line in below:
        is_example = re.match(r"Examples?: (.*)", line)
        if is_example:
            examples.append(is_example[1])
        elif examples and line.strip():
            examples.append(line.strip())
        else:
            notes.append(line)
    text, _, exit_status = "\n".join(notes).strip().partition("Exit status: ")
    keys = []
    if any(entry.kind() == "keys" for entry in sections["Options"]):
        keys = json.loads(output_of(*command, "options", name, "--format", "json"))["options"]
    return Help(name, lines[0], lines[1].removeprefix("Usage: "), sections["Options"], sections["Positionals"],
                sections["Subcommands"], text.strip(), exit_status, examples, keys)


def main():
    folder, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    version = output_of(*command, "--version").strip()
    top = read_help(command, "")
    subcommands = [read_help(command, entry.names[0]) for entry in top.subcommands]
    files = {f"man/{man_pages.page_name(one)}.1": man_pages.page(one, top, version) for one in [top, *subcommands]}
    files["bash/hpart"] = completions.bash(top, subcommands)
    files["zsh/_hpart"] = completions.zsh(top, subcommands)
    files["fish/hpart.fish"] = completions.fish(top, subcommands)
    shutil.rmtree(folder, ignore_errors=True)  # pages of subcommands that no longer exist
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
