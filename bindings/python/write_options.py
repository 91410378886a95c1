"""Writes the types of the options from the table of option keys in hpart.h: write_options.py HEADER OUTPUT."""
import pathlib
import re
import sys

HEAD = '''"""Options of each call, by keyword. Written by write_options.py from the table of option keys in hpart.h."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, SupportsIndex, TypedDict

if TYPE_CHECKING:
    import numpy.typing as npt
'''
BASE = '''

class {name}(TypedDict, total=False):
    """progress: called now and then with the fraction done, -1 when it is unknown, and a text; a true result stops the call.{more}
    """

    progress: Callable[[float, str], object] | None
'''
PREVIOUS = "\n    previous: the current distribution, one size a processor"
PREVIOUS_CALLS = {"partition", "front", "adaptive"}  # hpart_options_set_previous


def type_of(kind: str, choices: list[str]) -> str:
    if kind == "int":
        return "SupportsIndex | float | str | None"
    if kind == "double":
        return "float | str | None"
    if choices:
        return "Literal[" + ", ".join(f'"{choice}"' for choice in choices) + "] | None"
    return "str | os.PathLike[str] | None"


def about(call: str, meaning: str, default: str, calls: set[str]) -> tuple[str, list[str]]:
    """The meaning and choices for one call: the part of this call alone, or that of no other.

    Parts: "optimize, front (0.05): excess ..." has a default and a meaning, "schedule: none|host" choices, "optimize (median)" the one choice.
    """
    whole, listed = re.fullmatch(r"(.*?)(?: \(([a-z0-9|-]*\|[a-z0-9|-]*)\))?", meaning).groups(default="")
    choices = listed.split("|") if listed else []
    general = []
    for part in whole.split("; "):
        found = re.fullmatch(r"(\w+(?:, \w+)*)(?: \((.+?)\))?(?:: (.*))?", part)
        if not found or not calls.issuperset(found[1].split(", ")):
            general.append(part)
        elif call in found[1].split(", "):
            default = found[2] or default
            if found[3] is None:
                choices = [default]
            elif re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", found[3]):
                choices = found[3].split("|")
            else:
                general = [found[3]]
    shown = f" ({'|'.join(choices)})" if choices else ""
    return "; ".join(general) + shown + ("" if default in ("none", '""') else f"; {default} by default"), choices


def write(header: str) -> str:
    table = re.search(r"--- option keys:.*?\n(.*?)--- end of option keys ---", header, re.DOTALL)
    assert table, "hpart.h has no table of option keys"
    rows = re.findall(r"^ \*   (\w+) +(int|double|string) +(\S+) +(.*)\n \* +(.*)$", table[1], re.MULTILINE)
    assert 2 * len(rows) == table[1].count("\n") > 0, "a line of the table is not understood"
    calls: dict[str, list[tuple[str, str, str]]] = {}
    names = {call for *_, where, _ in rows for call in where.split(", ")}
    for key, kind, default, where, meaning in rows:
        for call in where.split(", "):
            text, choices = about(call, meaning, default, names)
            calls.setdefault(call, []).append((key, type_of(kind, choices), text))
    out = HEAD
    for call, keys in sorted(calls.items()):
        name = "".join(word.title() for word in call.split("_")) + "Options"
        previous = call in PREVIOUS_CALLS
        lines = "".join(f"\n    {key}: {text}" for key, _, text in keys)
        out += BASE.format(name=name, more=(PREVIOUS if previous else "") + lines)
        if previous:
            by_name = "" if call == "adaptive" else "Mapping[str, int] | "  # its processors have no names
            out += f"    previous: npt.ArrayLike | {by_name}None\n"
        out += "".join(f"    {key}: {kind}\n" for key, kind, _ in keys)
    return out


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(write(pathlib.Path(sys.argv[1]).read_text()))
