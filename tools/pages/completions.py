"""Completions for bash, zsh and fish: subcommands, options, their words, the library's options, file names."""

BASH = r"""# Completion of hpart for bash 4 or later; generated from the command's help.
_hpart()
{
    local words=() rest=() values=() options='' part full prefix previous i
    # bash splits words at = and :, and here they are whole again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        part=${COMP_WORDS[i]}
        if ((i > 1)) && [[ $part == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
            words[-1]+=$part
        else
            words+=("$part")
        fi
    done
    [[ $part == [=:] ]] && part=
    full=${words[-1]} previous=${words[-2]}
    if [[ $full == --*=* ]]; then # --format=json
        previous=${full%%=*} full=${full#*=}
    fi
    prefix=${full%"$part"}
    COMPREPLY=()
    case ${words[1]} in
@SUBCOMMANDS@
    help) rest=(-W '@NAMES@') ;;
    esac
    case "${words[1]} $previous" in
@VALUES@
    *) if [[ $full == -* ]]; then values=(-W "$options"); else values=("${rest[@]}"); fi ;;
    esac
    ((${#words[@]} > 2)) || values=(-W '@NAMES@ help @TOP@')
    for ((i = 2; i < ${#words[@]} - 1; i++)); do
        if [[ ${words[i]} == -- ]]; then # the command to run
            values=(-f)
            ((i < ${#words[@]} - 2)) || values=(-c)
            break
        fi
    done
    ((${#values[@]})) || return 0
    [[ ${values[0]} == -W ]] || compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "${values[@]}" -- "$full")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
}
complete -F _hpart hpart
"""

ZSH = r"""#compdef hpart
# Completion of hpart for zsh; generated from the command's help.
_hpart()
{
    local -a subcommands
    subcommands=(
@SUBCOMMANDS@
    )
    if ((CURRENT == 2)); then
        _describe -t commands subcommand subcommands
        _arguments @TOP@
        return
    fi
    local subcommand=$words[2]
    shift words
    ((CURRENT--))
    case $subcommand in
    help) _describe -t commands subcommand subcommands ;;
@CASES@
    esac
}
if [[ $funcstack[1] == _hpart ]]; then _hpart "$@"; else compdef _hpart hpart; fi
"""


def names_of(entries):
    return [name for entry in entries for name in entry.names]


def key_words(help):
    """KEY=CHOICE for each choice, or KEY=."""
    return [f"{key['name']}={choice}" for key in help.keys for choice in key["choices"].split("|")]


def has_file(help):
    return any(entry.kind() == "files" for entry in help.positionals)


def bash(top, subcommands):
    cases, values = [], {}
    for help in subcommands:
        rest = " rest=(-f)" if has_file(help) else ""
        cases.append(f"    {help.name}) options='{' '.join(names_of(help.options))}'{rest} ;;")
        for entry in help.options:
            words = {"choices": entry.choices(), "keys": key_words(help)}.get(entry.kind())
            action = {"files": "values=(-f)", "nothing": ""}.get(entry.kind())
            if entry.kind():
                patterns = values.setdefault(action if words is None else f"values=(-W '{' '.join(words)}')", [])
                patterns += [f"'{help.name} {name}'" for name in entry.names]
    lines = [f"    {' | '.join(patterns)}) {action} ;;".replace(")  ;;", ") ;;") for action, patterns in values.items()]
    names = " ".join(help.name for help in subcommands)
    return BASH.replace("@SUBCOMMANDS@", "\n".join(cases)).replace("@VALUES@", "\n".join(lines)).replace(
        "@NAMES@", names).replace("@TOP@", " ".join(names_of(top.options)))


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    """Text in a specification of _arguments or _values, which end at colons and brackets."""
    for character in "\\:[]":
        text = text.replace(character, "\\" + character)
    return text


def zsh_action(entry, help):
    if entry.kind() == "choices":
        return f"({' '.join(entry.choices())})"
    if entry.kind() == "keys":
        keys = [f"{key['name']}[{zsh_text(key['meaning'])}]:value:({key['choices'].replace('|', ' ')})" for key in help.keys]
        return "_values option " + " ".join(quoted(zsh_text(key)) for key in keys)
    return {"files": "_files", "nothing": " "}[entry.kind()]


def zsh_options(help):
    specifications = []
    for entry in help.options:
        repeated = "*" if entry.is_repeated else f"({' '.join(entry.names)})"
        value = f":{zsh_text(entry.value)}:{zsh_action(entry, help)}" if entry.value else ""
        for name in entry.names:
            joined = "=" if value and name.startswith("--") else ""  # --format=json, too
            specifications.append(quoted(f"{repeated}{name}{joined}[{zsh_text(entry.meaning)}]{value}"))
    return specifications


def zsh(top, subcommands):
    cases = []
    for help in subcommands:
        words = zsh_options(help) + (["'*:FILE:_files'"] if has_file(help) else [])
        words += ["'*::command: _normal'"] if help.takes_command() else []
        cases.append(f"    {help.name})\n        _arguments -S \\\n            " + " \\\n            ".join(words) + "\n        ;;")
    descriptions = [f"        {quoted(help.name + ':' + help.summary)}" for help in subcommands]
    return ZSH.replace("@SUBCOMMANDS@", "\n".join(descriptions)).replace("@CASES@", "\n".join(cases)).replace(
        "@TOP@", " ".join(zsh_options(top)))


def fish_option(entry, help, condition):
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in entry.names)
    words = {"choices": entry.choices(), "keys": key_words(help)}.get(entry.kind())
    value = {"": "", "files": " -r -F", "nothing": " -x"}.get(entry.kind())
    if words is not None:
        value = f" -x -a {fish_text(' '.join(words))}"
    return f"complete -c hpart{condition} {names}{value} -d {fish_text(entry.meaning)}"


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(top, subcommands):
    first = " -n __fish_use_subcommand"
    lines = ["# Completion of hpart for fish; generated from the command's help.", "complete -c hpart -f"]
    lines += [fish_option(entry, top, first) for entry in top.options]
    for help in subcommands:
        lines.append(f"complete -c hpart{first} -a {help.name} -d {fish_text(help.summary)}")
        condition = f" -n '__fish_seen_subcommand_from {help.name}'"
        lines += [fish_option(entry, help, condition) for entry in help.options]
        if has_file(help):
            lines.append(f"complete -c hpart{condition} -F")
        if help.takes_command():
            is_command = f" -n '__fish_seen_subcommand_from {help.name}; and contains -- -- (commandline -opc)'"
            lines.append(f"complete -c hpart{is_command} -a '(__fish_complete_command)'")
    names = " ".join(help.name for help in subcommands)
    lines += [f"complete -c hpart{first} -a help -d 'explains a subcommand'",
              f"complete -c hpart -n '__fish_seen_subcommand_from help' -a {fish_text(names)}"]
    return "\n".join(lines) + "\n"
