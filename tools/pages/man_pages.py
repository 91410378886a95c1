"""Manual pages in man(7)."""

import datetime
import os
import re
import textwrap


def page_name(help):
    return f"hpart-{help.name}" if help.name else "hpart"


def escape(text):
    """Hyphens are such that can be copied into a shell."""
    return text.replace("\\", "\\e").replace("-", "\\-")


def wrap(text):
    """Lines of less than 80 bytes, none of which begins as a request."""
    lines = textwrap.wrap(text, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(re.sub(r"^([.'])", r"\\&\1", line) for line in lines)


def bold(text):
    return f"\\fB{escape(text)}\\fR"


def italic(text):
    return f"\\fI{escape(text)}\\fR"


def paragraphs(text):
    return "\n.PP\n".join(wrap(escape(paragraph)) for paragraph in text.split("\n\n"))


def item(term, text):
    return [".TP", term, paragraphs(text)]


def option_term(entry):
    term = ", ".join(map(bold, entry.names))
    return term + (f" {italic(entry.value)}" if entry.value else "") + (" ..." if entry.is_repeated else "")


def key_lines(key):
    default = "" if key["default"] == "none" else f" Default: {key['default']}."
    term = bold(key["name"]) + "=" + italic(key["choices"] or key["type"])
    return item(term, f"{key['meaning'][0].upper()}{key['meaning'][1:]}.{default}")


def synopsis(help):
    """The usage of the help, with the options that are required and the command that follows."""
    words = [bold(word) for word in ["hpart", help.name] if word]
    for entry in help.options:
        if entry.is_required:
            words.append(f"{bold(entry.names[-1])} {italic(entry.value)}")
    words.append(f"[{italic('OPTION')} ...]\\&")
    words += [italic(entry.value) if entry.is_required else f"[{italic(entry.value)}]" for entry in help.positionals]
    if help.subcommands:
        words.append(italic("SUBCOMMAND") + " ...")
    return words + ([f"{bold('--')} {italic('COMMAND')} ..."] if help.takes_command() else [])


def page(help, top, version):
    name = page_name(help)
    # A build that sets SOURCE_DATE_EPOCH gives the same page on every day.
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else datetime.datetime.now()
    lines = [f'.TH "{name.upper()}" 1 "{day:%Y-%m-%d}" "{version}" "User Commands"',
             ".SH NAME", wrap(f"{escape(name)} \\- {escape(help.summary.rstrip('.'))}"), ".SH SYNOPSIS", *synopsis(help)]
    if help.notes:
        lines += [".SH DESCRIPTION", paragraphs(help.notes)]
    if help.subcommands:
        lines += [".SH SUBCOMMANDS"]
        for entry in help.subcommands:
            lines += item(bold(entry.names[0]), entry.meaning)
    if help.positionals:
        lines += [".SH ARGUMENTS"]
        for entry in help.positionals:
            lines += item(italic(entry.value), entry.meaning)
    lines += [".SH OPTIONS"]
    for entry in help.options:
        lines += item(option_term(entry), entry.meaning + (" (required)" if entry.is_required else ""))
    if help.keys:
        lines += [".SH LIBRARY OPTIONS", f"{bold('--option')} takes these keys, each once:"]
        for key in help.keys:
            lines += key_lines(key)
    if help.exit_status:
        lines += [".SH EXIT STATUS", paragraphs(help.exit_status)]
    if help.examples:
        lines += [".SH EXAMPLES", ".EX", *map(escape, help.examples), ".EE"]
    others = [page_name(top)] if help.name else [f"hpart-{entry.names[0]}" for entry in help.subcommands]
    lines += [".SH SEE ALSO", ",\n".join(f".BR {escape(other)} (1)" for other in others)]
    return "\n".join(lines) + "\n"
