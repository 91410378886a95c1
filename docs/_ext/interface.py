"""Pages made from the code: the functions of hpart.h by topic, options, report keys, statuses, environment, subcommands."""

import functools
import pathlib
import re
import sys

from sphinx import addnodes
from sphinx.domains.c import CDomain, CFunctionObject
from sphinx.errors import SphinxError

from header_text import Writer, blocks

root = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(root / "scripts"), str(root / "tools/pages")]
from interfaces.description import Header, read_header  # noqa: E402
from write_pages import output_of, read_help  # noqa: E402

ITEM = re.compile(r"^/\*(.*?)\*/|^typedef struct \w+ \{.*?\} \w+;|^(?:HPART_API|typedef) [^;]*;|^enum \{.*?\};", re.DOTALL | re.MULTILINE)
DESTRUCTOR = re.compile(r"hpart_\w+_(destroy|close)\(")
TITLE = re.compile(r" ---- (.*?) -+ *")


# Words of the table of options that are no part of a function's name.
CALLS = {"add_builtin": "team_add_builtin", "factor": "dgetrf", "adaptive": "adaptive"}
INTRODUCTION = """hpart's functions are declared in ``hpart.h``, and those over MPI in ``hpart_mpi.h``. These pages are made from the two headers.
"""


def plain(comment):
    return re.sub(r"^ \*? ?", "", comment, flags=re.MULTILINE).strip("\n ")


def sections(text):
    """(title, introduction, [(comment, [declaration])]) of each section of a header."""
    found = []
    for item in ITEM.finditer(text):
        if item[1] is None:
            if not found:
                continue
            entries = found[-1][2]
            if not entries:
                entries.append(("", []))
            if entries[-1][1] and (item[0].split()[0] != entries[-1][1][-1].split()[0] or DESTRUCTOR.search(entries[-1][1][-1] + item[0])):
                entries.append(("", []))  # types, enumerations and destructors have no comment
            entries[-1][1].append(item[0])
        elif title := TITLE.match(item[1]):
            found.append((title[1], plain(item[1][title.end():]), []))
        elif found:
            found[-1][2].append((plain(item[1]), []))
    return found


def declaration_lines(declarations, body, writer):
    """A directive of the C domain for the declarations, which share a comment."""
    first = declarations[0]
    if first.startswith("enum"):
        lines = []
        for name, value, meaning in re.findall(r"(HPART_\w+) = (-?\d+),?(?: +/\* (.*?) \*/)?", first):
            lines += [f".. c:enumerator:: {name} = {value}", "", *([f"   {writer.inline(' '.join(meaning.split()))}", ""] if meaning else [])]
        return [*body, *lines]
    if record := re.match(r"typedef struct (\w+) \{(.*)\}", first, re.DOTALL):
        lines = [f".. c:struct:: {record[1]}", "", *(f"   {line}".rstrip() for line in body), ""]
        for kind, names, meaning in re.findall(r"((?:const )?\w+) ([*\w, ]+);(?: */\* (.*?) \*/)?", record[2]):
            members = [f"{kind} {name}" for name in names.split(", ")]
            lines += [f"   .. c:member:: {members[0]}", *(f"                 {member}" for member in members[1:]), ""]
            lines += [f"      {writer.inline(meaning)}", ""] if meaning else []
        return lines
    if first.startswith("typedef"):
        names = [re.sub(r"typedef struct (\w+) \1", r"\1", " ".join(one.split())) for one in declarations]
        signatures = [name.removeprefix("typedef ").rstrip(";") for name in names]
        kind = "type"
    else:
        signatures = [" ".join(one.removeprefix("HPART_API ").split()).rstrip(";") for one in declarations]
        kind = "function"
    head = f".. c:{kind}:: "
    lines = [(head if k == 0 else " " * len(head)) + signature for k, signature in enumerate(signatures)]
    return [*lines, "", *(f"   {line}".rstrip() for line in body), ""]


def heading(title, sign="="):
    return [title, sign * len(title), ""]


def page_name(title):
    return re.sub(r"[^a-z]+", "-", re.split("[:,]", title)[0].lower()).strip("-")


def option_rows(text):
    """(name, type, default, calls, meaning) of each option key, from the header's table."""
    table = text.split("--- option keys: name, type, default, calls; meaning ---\n")[1].split(" * --- end of option keys ---")[0]
    lines = [line[5:] for line in table.splitlines()]
    return [(*re.split(r" +", first.strip(), 3), second.strip()) for first, second in zip(lines[::2], lines[1::2])]


def topic_page(title, introduction, entries, writer):
    title, _, rest = re.sub("[:,] ?", ":", title, count=1).partition(":")
    lines = heading(title[0].upper() + title[1:])
    lines += [writer.inline(rest if rest.startswith("p ") else rest[0].upper() + rest[1:]) + ".", ""] if rest else []
    lines += writer.body(introduction)
    for comment, declarations in entries:
        comment = re.sub(r"--- option keys:.*--- end of option keys ---", ":doc:`options`", comment, flags=re.DOTALL)
        if declarations:
            lines += declaration_lines(declarations, writer.body(comment), writer)
        else:
            lines += writer.body(comment)
    return lines


def functions_of(call, functions):
    """The functions that a call of the table of options means."""
    forms = ["hpart_{}", "hpart_team_{}", "hpart_{}_compute", "hpart_{}_open", "hpart_{}_create", "hpart_{}_run", "hpart_energy_{}", "hpart_team_measure_{}",
             "hpart_platform_{}_with", "hpart_platform_read_{}", "hpart_d{}", "hpart_z{}"]
    return [name for name in (form.format(CALLS.get(call, call)) for form in forms) if name in functions]


def options_page(rows, writer, functions):
    lines = heading("Options")
    lines += ["Keys of :c:type:`hpart_options`, of ``--option KEY=VALUE`` in the command, and of keyword arguments in Python.", ""]
    for name, kind, default, calls, meaning in rows:
        if choices := re.search(r" \((\w[\w-]*(?:\|[\w-]+)+|MBxNBxKB)\)$", meaning):
            kind, meaning = choices[1].replace("|", ", "), meaning[:choices.start()]
        if default not in ("none", '""') or default in kind:
            kind += f"; default: {default}"
        lines += [f".. _option-{name}:", "", heading(name, "-")[0], "-" * len(name), "", f"{meaning[0].upper()}{writer.inline(meaning[1:])}.", "",
                  f":Value: {writer.inline(kind)}",
                  f":Calls: {', '.join(writer.inline(function) for call in calls.split(', ') for function in functions_of(call, functions)[:1])}", ""]
    return lines


def report_keys(pages):
    """key: {function: meaning}, from the comments of the functions that return reports."""
    keys = {}
    for page, _, introduction, entries in pages:
        found = [(page, introduction)] if "Report keys" in introduction else []
        found += [(function, comment) for comment, declarations in entries for one in declarations[:1]
                  for function in re.findall(r"^HPART_API \w+ (hpart_\w+)\(", one) if "hpart_report **" in one]
        for owner, comment in found:
            is_list = False
            for kind, content in blocks(comment):
                if kind == "paragraph":
                    is_list = re.search(r"\b[Kk]eys?\b", content) or is_list and not content.startswith(("HPART_ERR", "Statuses"))
                    for item in re.split(r"[,;:.]\s+(?![^(]*\))", content.rstrip(".")) if is_list else []:
                        if one := re.fullmatch(r"(?:and )?([a-z]+(?:_[a-z]+)*)(?: \((.*)\))?", item.strip()):
                            keys.setdefault(one[1], {}).setdefault(owner, one[2] or "")
                elif is_list:
                    for names, meaning in content:
                        for name in re.findall(r"\b[a-zF]+(?:_[a-z]+)*\b", re.sub(r"\(.*?\)", "", names)):
                            keys.setdefault(name, {})[owner] = meaning
    return keys


def report_page(pages, writer, options):
    code = {name for path in root.glob("src/**/*.cpp") for name in re.findall(r'\bset\w*\("([a-z_.]+)"', path.read_text())}
    lines = heading("Report keys") + ["Keys of :c:type:`hpart_report`, with the calls that set them.", "", ".. list-table::", "   :class: keys", "   :widths: 3 5 6", ""]
    lines += ["   * - key", "     - call", "     - meaning"]
    lines[-4] = "   :header-rows: 1\n"
    for name, owners in sorted(report_keys(pages).items()):
        if name not in code and ("_" not in name or name in options):
            continue
        for k, (owner, meaning) in enumerate(owners.items()):
            call = writer.inline(owner) if owner.startswith("hpart_") else f":doc:`c/{owner}`"
            lines += [f"   * - {f'``{name}``' if k == 0 else ''}", f"     - {call}", f"     - {writer.inline(meaning)}"]
    return lines


def statuses_page(header, writer):
    lines = heading("Statuses") + [":c:func:`hpart_strerror` names a status, :c:func:`hpart_last_error` is the message of the last failure.", "",
                                   ".. list-table::", "   :header-rows: 1", "   :widths: 1 4 8", "", "   * - value", "     - name", "     - meaning"]
    for name, value in header.constants.items():
        if name == "HPART_SUCCESS" or name.startswith("HPART_ERR_"):
            lines += [f"   * - {value}", f"     - {writer.inline(name)}", f"     - {writer.inline(header.meanings[name])}"]
    return lines


def literal(text):
    return ["::", "", *(f"   {line}" for line in text.splitlines()), ""]


def subcommand_lines(one, writer):
    lines = [f".. _hpart-{one.name}:", "", *heading(f"hpart {one.name}", "-"), writer.inline(one.summary[0].upper() + one.summary[1:]) + ".", "", *literal(one.usage)]
    for paragraph in one.notes.split("\n\n") if one.notes else []:
        lines += [writer.inline(" ".join(paragraph.split())), ""]
    entries = [*one.positionals, *one.options]
    if entries:
        lines += [".. list-table::", "   :class: keys", "   :widths: 4 7", ""]
    for entry in entries:
        names = ", ".join(f"``{name}``" for name in entry.names)
        value = re.sub(r" *Excludes:.*", "", entry.value) if entry in one.options else ""
        value = f" *{writer.inline(value)}*" if value else ""
        lines += [f"   * - {names}{value}", f"     - {writer.inline(entry.meaning)}{' (required)' if entry.is_required else ''}"]
    keys = ", ".join(writer.inline(f"`{key['name']}`") for key in one.keys)
    lines += ["", *([f"Library options: {keys}.", ""] if keys else [])]
    lines += [f"Exit status: {writer.inline(' '.join(one.exit_status.split()))}", ""] if one.exit_status else []
    return lines + (["Examples:", "", *literal("\n".join(one.examples))] if one.examples else [])


def subcommands_page(command, writer):
    top = read_help([command], "")
    lines = heading("Subcommands") + [f"The help of ``{output_of(command, '--version').strip()}``. :doc:`command` explains the main ones.", ""]
    for entry in top.subcommands:
        lines += subcommand_lines(read_help([command], entry.names[0]), writer)
    return lines


def check_environment():
    page = (root / "docs/reference/environment.md").read_text()
    for path in [*root.glob("src/**/*.cpp"), *root.glob("tools/**/*.cpp")]:
        for name in re.findall(r'\b(?:getenv|variable|absolute)\("([A-Z_]+)"', path.read_text()):
            if f"`{name}`" not in page:
                raise SphinxError(f"docs/reference/environment.md lacks {name}, which {path.relative_to(root)} reads")


@functools.cache
def names():
    """The texts of the headers, the first one parsed, the parts of the second, the functions, and the role of each name."""
    texts = {"hpart.h": read_header(root), "hpart_mpi.h": (root / "include/hpart_mpi.h").read_text()}
    header = Header(texts["hpart.h"])
    mpi = texts["hpart_mpi.h"].split('extern "C" {\n#endif\n')
    functions = [function.name for function in header.functions] + re.findall(r"(hpart_mpi_\w+)\(", "".join(re.findall(r"^HPART_API [^;]*;", mpi[1], re.MULTILINE)))
    types = [*header.handles, *header.records, *header.aliases, *(callback.name for callback in header.callbacks)]
    enumerators = [*header.constants, *re.findall(r"(HPART_\w+) = \d", mpi[1])]
    roles = dict.fromkeys(functions, "c:func") | dict.fromkeys(types, "c:type") | dict.fromkeys(enumerators, "c:enumerator")
    return texts, header, mpi, functions, roles


def pages_of(command):
    """{name: lines} of all pages that follow from the code."""
    check_environment()
    texts, header, mpi, functions, roles = names()
    options = option_rows(texts["hpart.h"])
    writer = Writer(roles, [row[0] for row in options])
    parts = [(page_name(title), title, introduction, entries) for title, introduction, entries in sections(texts["hpart.h"])]
    over_mpi = re.match(r"/\*(.*?)\*/", mpi[0], re.DOTALL)[1].split("\n", 2)[2]
    parts += [("mpi", "Functions over MPI", plain(over_mpi), sections("/* ---- MPI ---- */\n" + mpi[1])[0][2])]
    overview = re.match(r"/\*.*?\n \*\n(.*?)\*/", texts["hpart.h"], re.DOTALL)[1]
    toctree = [".. toctree::", "   :maxdepth: 1", "", *(f"   c/{name}" for name, *_ in parts), ""]
    pages = {f"c/{name}": topic_page(title, introduction, entries, writer) for name, title, introduction, entries in parts}
    pages["c"] = heading("hpart for C") + [INTRODUCTION] + toctree + writer.body(plain(overview))
    pages["options"] = options_page(options, writer, functions)
    pages["report-keys"] = report_page(parts, writer, [row[0] for row in options])
    pages["statuses"] = statuses_page(header, writer)
    if command:
        pages["subcommands"] = subcommands_page(command, writer)
    return pages


def with_references(text):
    """Markdown whose names of the interface, as code, are links to their entries."""
    roles = names()[4]
    parts = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [re.sub(r"(?<![`\[])`(hpart_\w+|HPART_\w+)`(?![`\]])", lambda name: f"{{{roles[name[1]]}}}{name[0]}" if name[1] in roles else name[0], part)
                  for part in parts[::2]]
    return "".join(parts)


class Function(CFunctionObject):
    """A function, which the page's list of contents names."""

    def _object_hierarchy_parts(self, sig_node):
        return (self._toc_entry_name(sig_node),)

    def _toc_entry_name(self, sig_node):
        return next(sig_node.findall(addnodes.desc_name)).astext()


class Domain(CDomain):
    """C, whose search finds functions and not their parameters."""

    directives = CDomain.directives | {"function": Function}

    def get_objects(self):
        return (found for found in super().get_objects() if found[2] != "functionParam")
