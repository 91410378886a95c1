"""The FORTRAN 77 procedures that convert their arguments, call the C function, and have nothing of their own.
fortran/hpart_f77_all.inc includes them once for each kind of integer."""

from interfaces.description import MARK, Failure
from interfaces.fortran import wrapped

INTEGER_IN, INTEGER_OUT = "integer(ik), intent(in)", "integer(ik), intent(inout)"
REAL_IN, REAL_OUT = "real(real64), intent(in)", "real(real64), intent(inout)"


class Procedure:
    """Collects declarations, statements before and after the call, and the arguments of the call."""

    def __init__(self, function, own):
        self.function, self.own = function, own
        self.declared = {INTEGER_IN: [], "character(len=*), intent(in)": [], REAL_IN: [], INTEGER_OUT: [], REAL_OUT: []}
        self.checks, self.before, self.passed, self.after, self.made = [], [], [], [], []
        self.indices = []

    def declare(self, kind, name):
        self.declared.setdefault(kind, []).append(name)

    def refuse(self, subject):
        raise Failure(f"bindings/interface.toml: fortran77.generated lists {self.function.name}, but no rule converts {subject}")

    def add(self, argument):
        convert = getattr(self, f"add_{argument.kind}", None)
        if convert is None or argument.base in ("int", "float"):
            self.refuse(argument.name)
        convert(argument, argument.name)

    def add_handle(self, argument, name):
        self.declare(INTEGER_IN, name)
        self.declare("type(c_ptr)", f"{name}_object")
        kind = argument.base.removeprefix("hpart_")
        self.checks.append(f"if (wrong({name}, of_{kind}, {name}_object, ierr)) return")
        self.passed.append(f"{name}_object")

    def add_made(self, argument, name):
        if argument.base == "void":
            self.refuse(argument.name)
        self.declare(INTEGER_OUT, name)
        self.declare("type(c_ptr), target" if argument.null else "type(c_ptr)", f"{name}_object")
        self.before.append(f"{name}_object = c_null_ptr")
        self.passed.append(f"c_loc({name}_object)" if argument.null else f"{name}_object")
        self.made.append(f"call created(status, of_{argument.base.removeprefix('hpart_')}, {name}_object, {name}, ierr)")

    def add_value(self, argument, name):
        if argument.base == "double":
            self.declare(REAL_IN, name)
            self.passed.append(name)
            return
        self.declare(INTEGER_IN, name)
        if argument.base == "int32_t" or name in self.own["indices"] or name in self.own["counts"]:
            self.checks.append(f"if (implausible({name}, '{name.upper()}', ierr)) return")
        if name in self.own["indices"]:
            self.indices.append(name)
            self.passed.append(f"wide({name}) - 1")
        else:
            self.passed.append(f"int({name}, int32)" if argument.base == "int32_t" else f"wide({name})")

    def add_text(self, argument, name):
        self.declare("character(len=*), intent(in)", name)
        if not argument.null:
            self.passed.append(f"c_string({name})")
            return
        self.declare("character(len=:, kind=c_char), allocatable, target", f"{name}_text")
        self.before.append(f"{name}_text = c_string({name})")
        self.passed.append(f"c_text({name}, {name}_text)")

    def length(self, argument):
        """The length of an array of integers, by arguments or by the first handle's number of processors."""
        if any(other.name == argument.length and other.kind == "value" for other in self.function.arguments):
            return argument.length
        if argument.length == "processors" and self.function.arguments[0].kind == "handle":
            return f"c_{self.function.arguments[0].name}_processors({self.function.arguments[0].name}_object)"
        self.refuse(argument.name)

    def add_array(self, argument, name):
        if argument.base == "double":
            self.declare(REAL_IN if argument.const else REAL_OUT, f"{name}(*)")
            self.passed.append(name)
        elif argument.const and not argument.null:
            self.declare(INTEGER_IN, f"{name}(*)")
            self.passed.append(f"wide({name}(:{self.length(argument)}))")
        elif argument.const:
            self.declare(INTEGER_IN, f"{name}(*)")
            self.declare("integer(int64), allocatable, target", f"{name}_given(:)")
            self.before.append(f"{name}_given = [wide({name}(:{self.length(argument)})), 0_int64]")
            self.passed.append(f"c_loc({name}_given)")
        else:
            self.declare(INTEGER_OUT, f"{name}(*)")
            self.declare("integer(int64), allocatable", f"{name}_found(:)")
            self.before.append(f"allocate ({name}_found({self.length(argument)}), source=0_int64)")
            self.passed.append(f"{name}_found")
            self.after.append(f"give({name}_found, {name}(:ubound({name}_found, 1)), '{name.upper()}')")

    def add_out(self, argument, name):
        if argument.base == "double":
            self.declare(REAL_OUT, name)
            self.passed.append(name)
            return
        self.declare(INTEGER_OUT, name)
        self.declare("integer(int64)", f"{name}_found")
        self.before.append(f"{name}_found = 0")
        self.passed.append(f"{name}_found")
        self.after.append(f"give({name}_found, {name}, '{name.upper()}')")

    def getter(self, name):
        """Statements of a call without a status, and the argument that gets its result."""
        if self.function.result not in ("int64_t", "double") or any(a.kind != "handle" for a in self.function.arguments):
            self.refuse(f"a result {self.function.result} with these arguments")
        result, call = name.rpartition("_")[2], f"c_{name}({', '.join(self.passed)})"
        if self.function.result == "double":
            self.declare(REAL_OUT, result)
            return [f"{result} = {call}"], [result]
        self.declare(INTEGER_OUT, result)
        return [f"call done(give({call}, {result}, '{result.upper()}'), ierr)"], [result]

    def call(self, name):
        """Statements of a call with a status."""
        if self.after and any(not shaped.endswith(")") for shaped in self.declared[REAL_OUT]):
            self.refuse("an integer that may not fit beside a time or an energy that is written already")
        self.declare("integer(int32)", "status")
        owner = self.function.arguments[0].name
        tests = [f"check_index(wide({index}), c_{owner}_processors({owner}_object), '{index.upper()}', 'the {owner}')"
                 for index in self.indices]
        steps = [*tests, f"c_{name}({', '.join(self.passed)})", *self.after]
        rest = [f"if (status == HPART_SUCCESS) status = {step}" for step in steps[1:]]
        return [f"status = {steps[0]}", *rest, *(self.made or ["call done(status, ierr)"])]

    def text(self):
        name = self.function.name.removeprefix("hpart_")
        lines, results = (self.call(name), []) if self.function.is_status else self.getter(name)
        self.declare("integer(ik), intent(out)", "ierr")
        declarations = [f"{kind} :: {', '.join(names)}" for kind, names in self.declared.items() if names]
        statements = [*declarations, *self.checks, *self.before, *lines]
        order = [*(argument.name for argument in self.function.arguments), *results, "ierr"]
        return (wrapped(f"subroutine F77({name})({', '.join(order)})", 0) + "  KIND_MODULE\n"
                + "".join(wrapped(statement, 2) for statement in statements) + "end subroutine\n")


def fortran77(header, table):
    own = table.table["fortran77"]
    functions = {function.name: function for function in header.functions}
    text = f"! {MARK}\n"
    for name in own["generated"]:
        if name not in functions:
            raise Failure(f"bindings/interface.toml: no function has the name {name}, which fortran77.generated lists")
        procedure = Procedure(functions[name], own)
        for argument in functions[name].arguments:
            procedure.add(argument)
        text += "\n" + procedure.text()
    return text
