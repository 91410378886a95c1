"""The functions of bindings/languages: for each of hpart.h one that takes and returns values of an interpreter."""

import fnmatch
import re

from interfaces.description import MARK, Failure

# The kinds of arguments whose functions the other languages do not have.
LEFT_OUT_KINDS = {"operand", "complex", "memory"}
CALLBACKS = {"hpart_kernel", "hpart_application", "hpart_complexity"}
LEFT_OUT_HANDLES = {"hpart_report", "hpart_pipeline", "hpart_step", "hpart_device"}
C_TYPES = {"int64_t": "Integers", "double": "Numbers"}


def short(name):
    return name.removeprefix("hpart_")


def is_wrapped(function):
    """Whether the function has the kinds of arguments that all languages have."""
    if function.result == "memory" or function.name.startswith("hpart_last_error"):
        return False
    for argument in function.arguments:
        if (argument.kind in LEFT_OUT_KINDS and argument.name != "user") or "dims" in argument.length:
            return False
        if argument.kind == "callback" and argument.base not in CALLBACKS and argument.base != "hpart_free":
            return False
        if argument.base in LEFT_OUT_HANDLES and argument.kind in ("handle", "made") and not is_report(argument):
            return False
    return True


def is_report(argument):
    return argument.base == "hpart_report" and argument.kind == "made"


class Wrapper:
    """One function: its arguments and results in the other languages, and its C++."""

    def __init__(self, function, table):
        self.function, self.table = function, table
        self.inputs, self.results = [], []  # (name, optional); names
        self.before, self.passed, self.rethrown, self.after = [], [], [], []
        self.lengths = {}  # of input arrays: the arguments of same_length, by the name of the count
        self.is_run = self.fetches_arrays = self.fetches_text = False
        arrays = [a for a in function.arguments if a.kind == "array" and a.const]
        self.inferred = {a.length.split(" * ")[0] for a in arrays} & {a.name for a in function.arguments if a.kind == "value"}
        owners = ("hpart_platform", "hpart_team", "hpart_adaptive", "hpart_front")
        self.owner = next((a.name for a in function.arguments if a.kind == "handle" and a.base in owners), None)
        for argument in function.arguments:
            getattr(self, f"pass_{argument.kind}")(argument)
        if function.name == "hpart_team_set_meter":
            self.after.append("keep_meter(team, processor, meter);")

    def is_index(self, a):
        return a.base == "int64_t" and a.name in self.table["common"]["indices"]

    def processors(self):
        if self.owner is None:
            raise Failure(f"bindings/languages: no argument of {self.function.name} has the number of processors")
        return f"processors({self.owner}.get())"

    def read(self, kind, name, more=""):
        return f'{kind}({name}_, "{name}"{more})'

    def line(self, declaration, value):
        self.before.append(f"const {declaration} = {value};")

    def pass_value(self, a):
        name = a.name
        if name == "capacity":
            self.passed.append(name)
        elif name in self.inferred:
            self.passed.append(f"count_of_{name}")
        else:
            self.inputs.append((name, False))
            self.passed.append(name)
            own = self.table["languages"]
            if name == "k":
                self.line(f"int64_t {name}", self.read("index", name, f", {own['counts'].get(self.function.name, '-1')}, 0"))
            elif self.is_index(a):
                least = -1 if f"{self.function.name}.{name}" in own["or_none"] else 0
                self.line(f"int64_t {name}", self.read("index", name, f", {self.processors()}, {least}"))
            else:
                kind = {"int64_t": "integer", "int32_t": "small_integer"}.get(a.base, "number")
                self.line(f"{a.base} {name}", self.read(kind, name))

    def pass_text(self, a):
        name = a.name
        self.inputs.append((name, a.null))
        if a.null:
            self.line(f"bool has_{name}", f"is_given({name}_)")
            self.line(f"std::string {name}", f"has_{name} ? {self.read('text', name)} : std::string()")
            self.passed.append(f"has_{name} ? {name}.c_str() : nullptr")
        else:
            kind = "joined" if name in self.table["languages"]["name_lists"] else "text"
            self.line(f"std::string {name}", self.read(kind, name))
            self.passed.append(f"{name}.c_str()")

    def pass_handle(self, a):
        name = a.name
        self.passed.append(f"{name}.get()")
        if a.base == "hpart_options" and a.const:
            self.inputs.append((name, True))
            self.before.append(f"Options {name}({name}_);")
            self.rethrown.append(f"{name}.rethrow();")
            self.is_run = self.owner == "team" and not re.search("_add|_set_", self.function.name)
        else:
            may_be_absent = f"{self.function.name}.{name}" in self.table["common"]["optional"]
            self.inputs.append((name, may_be_absent))
            self.before.append(f'const Borrowed<{a.base}> {name}({name}_, "{name}"{", true" * may_be_absent});')

    def pass_callback(self, a):
        name, kind = a.name, short(a.base)
        if kind == "free":
            self.passed.append("free_called")
            return
        self.inputs.append((name, kind == "complexity"))
        if kind == "complexity":
            self.before.append(f'Complexity complexity({name}_);')
            self.passed.append("complexity.get()")
            self.rethrown.append("complexity.rethrow();")
            self.user = "&complexity"
        else:
            self.before.append(f'auto called = new_called({self.read("function", name)}, team.state());')
            self.passed.append(f"run_{kind}")
            self.after.append(f"keep_called(team, called, {'true' if kind == 'kernel' else 'false'});")
            self.user = "called.get()"

    def pass_memory(self, _):
        self.passed.append(self.user)

    def pass_buffer(self, a):
        self.fetches_text = True
        self.passed.append(a.name)
        self.results.append("text")
        self.after.append('add(results, "text", std::move(text));')

    def pass_made(self, a):
        name = a.name
        self.results.append(name)
        self.before.append(f"Made<{a.base}> {name};")
        self.passed.append(f"{name}.place()")
        self.after.append(f"add_report(results, {name}.get());" if a.base == "hpart_report" else f'add(results, "{name}", {name}.take());')

    def pass_out(self, a):
        name = a.name
        if name == "needed":
            self.passed.append(name)
            return
        self.results.append(name)
        self.before.append(f"{a.base} {name} = {'NAN' if a.base == 'double' else 0};")
        self.passed.append(f"&{name}")
        value = f"int64_t{{{name}}}" if a.base.startswith("int") else name
        if name == "works_here":
            value = "std::string(status_name(works_here))"
        self.after.append(f'add{"_index" * self.is_index(a)}(results, "{name}", {value});')

    def pass_array(self, a):
        name, kind = a.name, C_TYPES[a.base]
        if not a.const:
            self.pass_output_array(a, name, kind)
            return
        self.inputs.append((name, a.null))
        if a.null:
            self.line(f"bool has_{name}", f"is_given({name}_)")
            self.line(f"{kind} {name}", f"has_{name} ? {self.read(kind.lower(), name)} : {kind}()")
            self.before.append(f'if (has_{name}) same_length({self.lengths[a.length]}, "{name}", {name}.size());')
            self.passed.append(f"has_{name} ? {name}.data() : nullptr")
            return
        self.passed.append(f"{name}.data()")
        self.line(f"{kind} {name}", self.read(kind.lower(), name))
        count = a.length.split(" * ")[0]
        if " * " in a.length:
            self.line(f"int64_t count_of_{count}", f'rows({name}.size(), {self.processors()}, "{name}")')
        elif count in self.lengths:
            self.before.append(f'same_length({self.lengths[count]}, "{name}", {name}.size());')
            return
        elif count in self.inferred:
            self.line(f"auto count_of_{count}", f"static_cast<int64_t>({name}.size())")
        else:
            self.before.append(f'same_length("the {self.owner}", {self.processors()}, "{name}", {name}.size());')
        self.lengths[count] = f'"{name}", {name}.size()'

    def pass_output_array(self, a, name, kind):
        self.results.append(name)
        if a.length == "capacity":
            self.fetches_arrays = True
            self.before.append(f"{kind} {name};")
            self.passed.append(f"capacity == 0 ? nullptr : {name}.data()")
        elif a.length == "1 or processors":
            self.before.append(f"{kind} {name}(joules_of(team), NAN);")
            self.passed.append(f"{name}.empty() ? nullptr : {name}.data()")
        else:
            count = f"count_of_{a.length}" if a.length in self.inferred else self.processors()
            self.before.append(f"{kind} {name}(static_cast<size_t>({count}));")
            self.passed.append(f"{name}.data()")
        self.after.append(f'add{"_indices" * self.is_index(a)}(results, "{name}", std::move({name}));')

    def prototype(self, suffix, default):
        texts, may_end = [], True
        for name, is_optional in reversed(self.inputs):
            may_end = may_end and is_optional
            texts.insert(0, f"Argument {name}{suffix}" + default * may_end)
        return f"Outcome *{short(self.function.name)}({', '.join(texts)})"

    def routine(self):
        least = len(self.inputs)
        while least > 0 and self.inputs[least - 1][1]:
            least -= 1
        name = short(self.function.name)
        passed = ", ".join(f"a[{i}]" for i in range(len(self.inputs)))
        return f'    {{"{name}", {least}, {len(self.inputs)}, [](const Argument *{"a" * bool(passed)}) {{ return {name}({passed}); }}}},\n'

    def signature(self):
        """As help shows it."""
        texts = [f"[{name}]" if is_optional else name for name, is_optional in self.inputs]
        result = self.results or ([] if self.function.is_status or self.function.result == "void" else ["value"])
        return f"{', '.join(result)}{' = ' * bool(result)}{short(self.function.name)}({', '.join(texts)})"

    def body(self):
        function, call = self.function, f"{self.function.name}({', '.join(self.passed)})"
        if re.search("_(destroy|close)$", function.name):
            argument = function.arguments[0]
            return [f'destroy({argument.name}_, "{argument.name}", Kind<{argument.base}>::name);']
        lines = list(self.before)
        if self.fetches_text:
            lines.append(f"std::string text = fetched_text([&](char *buffer, int64_t capacity, int64_t *needed) {{ return {call}; }});")
            return lines + self.after
        if not function.is_status:
            if function.result == "void":
                return lines + [f"{call};"] + self.after
            kind = {"text": "std::string", "double": "double"}.get(function.result, "int64_t")
            return lines + [f'add(results, "value", {kind}({call}));']
        if self.fetches_arrays:
            arrays = [a.name for a in function.arguments if a.length == "capacity"]
            lines += [f"const auto fetch = [&](int64_t capacity, int64_t *needed) {{ return {call}; }};", "int64_t length = 0;",
                      "check(fetch(0, &length));", *(f"{name}.resize(static_cast<size_t>(length));" for name in arrays)]
            call = "fetch(length, &length)"
        if re.match("hpart_(partition|front_compute|schedule_compute|platform_aggregate)", function.name):
            lines.append("options.watch();")
        if self.is_run:
            when = self.table["languages"]["simultaneous"].get(function.name, "Simultaneous::always")
            lines.append(f"prepare_run(team, options, {when});")
            call = f"run(team, options, [&] {{ return {call}; }})"
        lines.append(f"{'const ' * (not self.may_lack())}Status status = {call};")
        if lacking := self.may_lack():
            lines.append(f"if (status.value != HPART_SUCCESS) status = {call.replace(f'&{lacking}', 'nullptr')};")
        return [*lines, *self.rethrown, *(["check(status);"] if self.after else []), *self.after, "finish(status, results);"]

    def may_lack(self):
        """The result that is NaN if the functions lack it."""
        return next((a.name for a in reversed(self.function.arguments) if a.kind == "out" and a.null), None)

    def definition(self):
        body = "".join(f"        {line}\n" for line in self.body())
        uses_results = "results" in body
        return f"{self.prototype('_', '')}\n{{\n    return call([&](Record &{'results' * uses_results}) {{\n{body}    }});\n}}\n"


class Operation:
    """A function that is written by hand for all types of arrays: its name, signature, arguments (name, optional), and functions of hpart.h."""

    def __init__(self, name, text, description, header):
        self.name = name
        results, _, inputs = text.rpartition(" = ")
        self.signature = f"{results}{' = ' * bool(results)}{name}({inputs})"
        self.inputs = [(word.strip("[]"), word.startswith("[")) for word in inputs.split(", ")]
        # LAPACK's names of Q begin with or for real types, un for complex ones.
        pattern = "hpart_[sdcz]?" + (f"(or|un){name[2:]}" if name.startswith("or") else name)
        self.functions = [f.name for f in header.functions if re.fullmatch(pattern, f.name)]
        if not self.functions:
            raise Failure(f"include/hpart.h has no {name}, which languages.operations lists")
        self.comment = description or header.comments[self.functions[-1]]

    def routine(self):
        least = sum(not is_optional for _, is_optional in self.inputs)
        return f'    {{"{self.name}", {least}, {len(self.inputs)}, {self.name}}},\n'


def operations(header, table):
    return [Operation(name, *both, header) for name, both in table.table["languages"]["operations"].items()]


def wrappers(header, table):
    by_name = [Wrapper(function, table.table) for function in header.functions if is_wrapped(function)]
    wrapped = {w.function.name for w in by_name}
    known = wrapped.union(*(o.functions for o in operations(header, table)))
    languages = table.table["languages"]
    for name in languages["by_hand"]:
        if name not in wrapped:
            raise Failure(f"bindings/interface.toml: languages lists {name}, which other languages do not have")
    for function in header.functions:
        is_absent = any(fnmatch.fnmatchcase(function.name, pattern) for pattern in languages["absent"])
        if is_absent == (function.name in known):
            raise Failure(f"bindings/interface.toml: the other languages {'have' if is_absent else 'lack'} {function.name}, "
                          f"which languages.absent {'lists' if is_absent else 'does not list'}")
        if not header.comments.get(function.name):
            raise Failure(f"include/hpart.h: {function.name} has no description")
    return by_name


def constants_of(header):
    """The constants that the functions take: (name, value)."""
    return [(name.removeprefix("HPART_"), value) for name, value in header.constants.items() if re.match("HPART_(OBJECTIVE|ENERGY)_", name)]


def declarations(header, table):
    own = "".join(w.prototype("", " = nullptr") + ";\n" for w in wrappers(header, table))
    chosen = constants_of(header)
    constants = "".join(f"%constant int {name} = {value};\n" for name, value in chosen)
    pairs = "".join(f'    {{"{name}", {value}}},\n' for name, value in chosen)
    by_hand = operations(header, table)
    made_by_hand = "".join(f"Outcome *{o.name}(const Argument *);\n" for o in by_hand)
    return f"""// {MARK}
// clang-format off
#pragma once

#include "values.hpp"

namespace hpart_languages {{

#ifdef SWIG
{constants}#endif

{own}
// Written by hand.
Outcome *help(Argument name = nullptr);
Outcome *limit_results();

#ifndef SWIG
// Operations on arrays, of languages that have such: their arguments in the order of help, null for those that are not given.
{made_by_hand}
// All functions by name, for languages without SWIG. call takes `most` arguments, null for those that are not given.
struct Routine {{
    const char *name;
    int least, most;
    Outcome *(*call)(const Argument *);
}};
constexpr int routine_count = {len(wrappers(header, table)) + len(by_hand) + 2};
extern const Routine routines[routine_count];

struct Constant {{
    const char *name;
    int value;
}};
constexpr Constant constants[] = {{
{pairs}}};
#endif

}} // namespace hpart_languages
"""


def literal(text):
    """C++ of a text: a line a string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return "\n".join(f'     "{line}\\n"' for line in escaped.splitlines())


def definitions(header, table):
    listed = wrappers(header, table)
    kinds = [f for f in header.functions if re.search("_(destroy|close)$", f.name)]
    kinds = "".join(
        f"template <> struct Kind<{f.arguments[0].base}> {{\n    static constexpr const char *name = \"{short(f.arguments[0].base)}\";\n"
        f"    static void destroy({f.arguments[0].base} *old) {{ {f.name}(old); }}\n}};\n" for f in kinds)
    by_hand = table.table["languages"]["by_hand"]
    bodies = "\n".join(w.definition() for w in listed if w.function.name not in by_hand)
    def comment_of(name):
        if re.search("_(destroy|close)$", name):
            return "Frees the object at once; else the language does it."
        return header.comments[name]

    def helps(listed):
        return ",\n".join(f'    {{"{name}",\n{literal(f"{signature}{chr(10)}{comment}")}}}' for name, signature, comment in listed)

    manual = helps([
        *((short(w.function.name), w.signature(), comment_of(w.function.name)) for w in listed),
        ("help", "text = help([name])", "The description of a function, or the names of all."),
        ("limit_results", "... = limit_results()",
         "The results of the last call that ended with status limit or numerical and had some: those that it would have returned."),
    ])
    by_hand_manual = helps((o.name, o.signature, o.comment) for o in operations(header, table))
    statuses = "".join(f'    case {value}: return "{re.sub("HPART_(ERR_)?", "", name).lower()}";\n' for name, value in header.constants.items()
                       if re.match("HPART_(SUCCESS|ERR_)", name))
    indices = ", ".join(f'"{key}"' for key in table.table["languages"]["report_indices"])
    return f"""// {MARK}
// clang-format off
#include "functions.hpp"

#include "kernels.hpp"

namespace hpart_languages {{

{bodies}
const std::set<std::string> index_keys = {{{indices}}};

const char *status_name(hpart_status status)
{{
    switch (status) {{
{statuses}    default: return "internal";
    }}
}}

const Routine routines[routine_count] = {{
{"".join(w.routine() for w in listed)}{"".join(o.routine() for o in operations(header, table))}    {{"help", 0, 1, [](const Argument *a) {{ return help(a[0]); }}}},
    {{"limit_results", 0, 0, [](const Argument *) {{ return limit_results(); }}}},
}};

}} // namespace hpart_languages
""", f"""// {MARK}
// clang-format off
#include "values.hpp"

namespace hpart_languages {{

const std::map<std::string, std::string> manual = {{
{manual}}};

const std::map<std::string, std::string> manual_of_operations = {{
{by_hand_manual}}};

}} // namespace hpart_languages
""", f"""// {MARK}
// clang-format off
#pragma once

#include "values.hpp"

namespace hpart_languages {{

{kinds}
}} // namespace hpart_languages
"""


def r_functions(header, table):
    """The functions of the R package."""
    text = f"# {MARK}\n" + "".join(f"{name} <- {value}\n" for name, value in constants_of(header))
    renamed = {"version": "hpart_version", "fft": "hpart_fft"}  # base and stats have functions of these names
    listed = [(short(w.function.name), w.inputs) for w in wrappers(header, table)]
    listed += [(o.name, o.inputs) for o in operations(header, table)] + [("limit_results", [])]
    for name, inputs in listed:
        parameters, passed, may_end = [], [], True
        for argument, is_optional in reversed(inputs):
            may_end = may_end and is_optional
            argument = {"function": "fun"}.get(argument, argument)
            parameters.insert(0, argument + " = NULL" * may_end)
            passed.insert(0, argument)
        text += f'{renamed.get(name, name)} <- function({", ".join(parameters)}) .call({", ".join([chr(34) + name + chr(34), *passed])})\n'
    return text


def languages_files(header, table):
    """The files of the other languages, by name."""
    functions, manual, kinds = definitions(header, table)
    files = {"functions.cpp": functions, "functions.hpp": declarations(header, table), "kinds.hpp": kinds, "manual.cpp": manual,
             "r/R/functions.R": r_functions(header, table)}
    return {f"bindings/languages/{name}": text for name, text in files.items()}
