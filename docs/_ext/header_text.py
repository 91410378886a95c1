"""Comments of the C headers as reStructuredText."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent
IDENTIFIERS = r"[a-z_]\w*(?:\[\w+\]){0,2}"
# A line with two columns: names, two blanks or more, and a meaning.
ROW = re.compile(r"( *)(\S(?:.*?\S)?) {2,}(\S.*)")
ARGUMENTS = re.compile(rf"((?:{IDENTIFIERS}, )*{IDENTIFIERS}): (.*)", re.DOTALL)
INLINE = re.compile(r"`[^`]+`|docs/[\w/-]+\.md(?:#[\w-]+)?|\bhpart_\w+|\bHPART_\w+|\b[a-z]+(?:_[a-z]+)+\b|[*\\|]|\w_(?!\w)")
BEGIN = re.compile(rf"(?:{IDENTIFIERS}|HPART_ERR_\w+): |Report keys?|Options? |Source: |Time ")
WIDTH = 120  # of comments: a line that is shorter, although the next word would fit, ends a paragraph


class Writer:
    """Knows the names of the headers: functions, types, enumerators, option keys."""

    def __init__(self, roles, options):
        self.roles = roles
        self.options = set(options)

    def inline(self, text):
        """The text with its names as links, those of options where the text speaks of options."""
        speaks_of_options = "ption" in text

        def piece(match):
            word = match[0]
            if word.startswith("`"):
                name = word.strip("`")
                found = f":ref:`{name} <option-{name}>`" if name in self.options else f"``{name}``"
            elif word.startswith("docs/"):
                page = word[5:].split(".md")[0]
                found = f":doc:`/{page}`" if (DOCS / f"{page}.md").exists() else f"``{word}``"
            elif word in self.roles:
                found = f":{self.roles[word]}:`{word}`"
            elif speaks_of_options and word in self.options:
                found = f":ref:`{word} <option-{word}>`"
            elif re.fullmatch("[a-z]+(_[a-z]+)+", word) and not word.startswith("hpart_"):
                return word
            elif word.startswith(("hpart_", "HPART_")):
                found = f"``{word}``"
            else:
                return re.sub(r"([*\\|_])", r"\\\1", word)
            # Markup ends at a blank or a sign.
            before = "\\ " if match.start() and re.match(r"\w", text[match.start() - 1]) else ""
            return before + found + "\\ "

        return INLINE.sub(piece, text).replace("\\ .", ".").replace("\\  ", " ").rstrip("\\ ")

    def names(self, text):
        """The first column of a table: names as code."""
        return re.sub(r"[\w.]*_[\w.]*|(?:^|(?<=, ))[a-z]\w*(?=,|$)", lambda word: self.inline(word[0]) if word[0] in self.roles else f"``{word[0]}``", text)

    def table(self, rows):
        lines = [".. list-table::", "   :class: keys", "   :widths: 3 7", ""]
        for name, meaning in rows:
            lines += [f"   * - {self.names(name)}", f"     - {self.inline(meaning)}"]
        return lines + [""]

    def paragraph(self, text):
        found = ARGUMENTS.fullmatch(text)
        if found:
            return [f"{', '.join(f'``{name}``' for name in found[1].split(', '))}: {self.inline(found[2])}", ""]
        return [self.inline(text), ""]

    def body(self, comment):
        """Paragraphs and tables."""
        lines = []
        for kind, content in blocks(comment):
            lines += self.table(content) if kind == "table" else self.paragraph(content)
        return lines


def indent_of(line):
    return len(line) - len(line.lstrip())


def is_row(line, is_in_table):
    found = ROW.fullmatch(line)
    return bool(found) and (found[2].startswith("HPART_") or indent_of(line) >= 2) or (is_in_table and re.fullmatch(r" {2,4}[a-z_]+\b.{0,60}[^.:]", line))


def blocks(comment):
    """("paragraph", text) and ("table", [(name, meaning)]) of a comment, whose lines have lost their ' * '."""
    found, before = [], ""
    for line in comment.split("\n"):
        kind = found[-1][0] if found else ""
        indent = indent_of(line)
        if not line.strip():
            found.append(("gap", ""))
        elif is_row(line, kind == "table" or before.endswith(":")):
            row = ROW.fullmatch(line)
            entry = [row[2], row[3]] if row else [line.strip(), ""]
            if kind != "table":
                found.append(("table", []))
            rows = found[-1][1]
            if rows and rows[-1][1].endswith(",") and row:  # the name has a second line
                rows[-1] = [f"{rows[-1][0]} {entry[0]}", f"{rows[-1][1]} {entry[1]}"]
            else:
                rows.append(entry)
        elif kind == "table" and indent > 6:
            found[-1][1][-1][1] += " " + line.strip()
        elif kind == "paragraph" and (indent >= 2 or indent_of(before) == 0 and not ends_paragraph(before, line)):
            found[-1] = ("paragraph", f"{found[-1][1]} {line.strip()}")
        else:
            found.append(("paragraph", line.strip()))
        before = line
    return [(kind, content) for kind, content in found if kind != "gap"]


def ends_paragraph(before, line):
    return before.rstrip().endswith((".", ":", ";")) and (len(before) + 1 + len(line.split()[0]) < WIDTH or BEGIN.match(line) is not None)
