"""The FORTRAN 77 procedures that convert their arguments and call the C function. fortran/hpart_f77_all.inc includes them once for
each kind of integer, and the operations also once for each type of numbers."""

import fnmatch

from interfaces.description import MARK
from interfaces.procedures import Procedure

INTEGER_IN, INTEGER_OUT = "integer(ik), intent(in)", "integer(ik), intent(inout)"
TEXT_IN, TEXT_OUT = "character(len=*), intent(in)", "character(len=*), intent(inout)"
REAL_IN, REAL_OUT = "real(real64), intent(in)", "real(real64), intent(inout)"
# Letters of the BLAS, by the beginning of an argument's name: the function that finds the value, and its further arguments.
LETTERS = {"trans": ("trans_of", "'{}', "), "uplo": ("uplo_of", ""), "side": ("side_of", ""), "diag": ("diag_of", "")}


class Fortran77(Procedure):
    place = "fortran77.by_hand or absent"

    def __init__(self, function, table):
        self.own, self.optional = table["fortran77"], table["common"]["optional"]
        self.checks = []  # statements that return at a wrong argument
        self.order = []  # dummy arguments
        super().__init__(function, table["common"]["indices"])

    @staticmethod
    def handle(name):
        return f"{name}_object"

    def dummy(self, kind, name, shape=""):
        self.declare(kind, name + shape)
        self.order.append(name)

    def add_handle(self, argument, name):
        self.dummy(INTEGER_IN, name)
        self.declare("type(c_ptr)", f"{name}_object")
        check = f"if (wrong({name}, of_{argument.base.removeprefix('hpart_')}, {name}_object, ierr)) return"
        if f"{self.function.name}.{name}" in self.optional:
            self.checks += [f"{name}_object = c_null_ptr", f"if ({name} /= 0) then", f"  {check}", "end if"]
        else:
            self.checks.append(check)
        self.give(f"{name}_object")

    def add_made(self, argument, name):
        if argument.base == "void":
            self.refuse(name)
        self.dummy(INTEGER_OUT, name)
        self.declare("type(c_ptr), target", f"{name}_object")
        self.before.append(f"{name}_object = c_null_ptr")
        self.give(f"c_loc({name}_object)" if argument.null else f"{name}_object")
        self.ending.append(f"status = created(status, of_{argument.base.removeprefix('hpart_')}, {name}_object, {name})")

    def add_value(self, argument, name):
        if name == "capacity":
            self.give("needed", "0_int64")
        elif argument.base == "double":
            self.dummy(REAL_IN, name)
            self.give(name)
        else:
            self.dummy(INTEGER_IN, name)
            if argument.base == "int32_t" or name in self.indices or name in self.own["counts"]:
                self.checks.append(f"if (implausible({name}, '{name.upper()}', ierr)) return")
            if name in self.indices:
                self.add_index(name, f"wide({name})", name.upper())
            else:
                self.give(f"int({name}, int32)" if argument.base == "int32_t" else f"wide({name})")

    def add_text(self, argument, name):
        self.dummy(TEXT_IN, name)
        if argument.null:
            self.declare("character(len=:, kind=c_char), allocatable, target", f"{name}_text")
            self.before.append(f"if (len_trim({name}) > 0) {name}_text = c_string({name})")
        self.give(f"text_place({name}_text)" if argument.null else f"c_string({name})")

    def add_buffer(self, argument, name):
        self.dummy(TEXT_OUT, "text")
        self.declare("character(len=:, kind=c_char), allocatable, target", "buffer")
        self.room.append("allocate (character(len=needed) :: buffer)")
        self.give("c_loc(buffer)", "c_null_ptr")
        label = self.label() if "_get_" in self.function.name and self.label() != "STRING" else "TEXT"
        self.fits.append(f"give_text(buffer(:needed - 1), text, '{label}')")

    def length(self, argument):
        """The length of an array of integers, by arguments or by the first handle's number of processors."""
        count, _, processors = argument.length.rpartition(" * ")
        if self.value_of(argument.length) or processors != "processors":
            return argument.length
        return f"{count} * {self.processors()}" if count else self.processors()

    def add_array(self, argument, name):
        if argument.length == "capacity" or (argument.null and not argument.const):
            self.refuse(name)
        if argument.base == "double":
            self.dummy(REAL_IN if argument.const else REAL_OUT, name, "(*)")
            self.give(name)
            return
        self.dummy(INTEGER_IN if argument.const else INTEGER_OUT, name, "(*)")
        length = self.length(argument)
        if argument.const and not argument.null:
            self.give(f"wide({name}(:{length}))")
        elif argument.const:
            self.declare("integer(int64), allocatable, target", f"{name}_given(:)")
            self.before.append(f"{name}_given = wide({name}(:{length}))")
            self.give(f"list_place({name}_given)")
        else:
            self.declare("integer(int64), allocatable", f"{name}_found(:)")
            self.before.append(f"allocate ({name}_found({length}), source=0_int64)")
            self.give(f"{name}_found")
            self.store(name, f"{name}(:ubound({name}_found, 1))")

    def store(self, name, place):
        """An integer result, if it fits."""
        found = f"{name}_found" + " + 1" * (name in self.indices)
        self.fits.append(f"fits({found}, '{name.upper()}')")
        self.stored.append(f"{place} = int({found}, ik)")

    def add_out(self, argument, name):
        if name == "needed":
            self.declare("integer(int64)", name)
            self.before.append("needed = 0")
            self.give(name)
        elif argument.null:
            self.refuse(name)
        elif argument.base == "double":
            self.dummy(REAL_OUT, name)
            if self.may_not_fit:
                self.declare("real(real64)", f"{name}_found")
                self.stored.append(f"{name} = {name}_found")
            self.give(f"{name}_found" if self.may_not_fit else name)
        else:
            self.dummy(INTEGER_OUT, name)
            self.declare("integer(int32)" if argument.base == "int32_t" else "integer(int64)", f"{name}_found")
            self.before.append(f"{name}_found = 0")
            self.give(f"{name}_found")
            if argument.base == "int32_t":
                self.stored.append(f"{name} = {name}_found")
            else:
                self.store(name, name)

    def result(self):
        """Statements of a call that returns a number: it goes to the last argument but ierr."""
        if self.function.result not in ("int32_t", "int64_t", "double"):
            self.refuse(f"the result {self.function.result}")
        self.dummy(REAL_OUT if self.function.result == "double" else INTEGER_OUT, "answer")
        call = f"{self.called}({', '.join(self.passed)})"
        if self.function.result == "int64_t":
            return [f"call done(give({call}, answer, '{self.label()}'), ierr)"]
        return [f"answer = {call}"]

    def label(self):
        return self.function.name.rpartition("_")[2].upper()

    def text(self, name="", last="call done(status, ierr)"):
        name = name or f"F77({self.function.name.removeprefix('hpart_')})"
        statements = [*self.statements(), last] if self.function.is_status else self.result()
        if self.function.is_status:
            self.declare("integer(int32)", "status")
        self.dummy("integer(ik), intent(out)", "ierr")
        head = f"subroutine {name}({', '.join(self.order)})"
        return self.lines(head, [*self.checks, *statements], "subroutine", "  KIND_MODULE\n")


class Operation(Fortran77):
    """An operation on matrices: the arguments of the BLAS or LAPACK between the device and ierr. They are read from the function
    of type double; OPERATION, C_OPERATION and NUMBERS are macros."""

    letter, number = "d", "NUMBERS"  # of the function that is read, and its numbers of type double

    def __init__(self, function, table):
        self.short = function.name.removeprefix(f"hpart_{self.letter}")
        super().__init__(function, table)
        # LAPACK's names of Q begin with or for real types, un for complex ones.
        self.macro = f"OPERATION({self.short})"
        if self.short.startswith("or"):
            self.macro = f"OPERATION_OF_Q({self.short.removeprefix('or')})"
        self.called = f"C_{self.macro}"
        # A matrix that is written, or the first one, has as many columns as fit into memory.
        matrices = [a for a in function.arguments if a.kind == "operand" and self.value_of(f"ld{a.name}")]
        name = next((a.name for a in matrices if not a.const), matrices[0].name)
        self.checks.append(f"if (too_large(ld{name}, n, '{name.upper()}', ierr)) return")

    def add_value(self, argument, name):
        letters = next((LETTERS[start] for start in LETTERS if name.startswith(start)), None)
        if name == "layout":
            self.give("HPART_COLUMN_MAJOR")
        elif letters:
            self.dummy("character, intent(in)", name)
            self.declare("integer(int32)", f"{name}_value")
            self.tests.append(f"{letters[0]}({name}, {letters[1].format(name.upper())}{name}_value)")
            self.give(f"{name}_value")
        elif argument.base == "double":
            self.dummy(f"{self.number}, intent(in)", name)
            self.give(name)
        else:
            self.dummy(INTEGER_IN, name)
            self.give(f"wide({name})")

    def add_operand(self, argument, name):
        self.dummy(f"NUMBERS, intent({'in' if argument.const else 'inout'}), target", name, "(*)")
        self.give(f"c_loc({name})")

    def add_array(self, argument, name):
        if argument.const:
            super().add_array(argument, name)
            return
        self.dummy(INTEGER_OUT, name, "(*)")
        self.declare("integer(int64), allocatable", f"{name}_found(:)")
        self.before.append(f"allocate ({name}_found(max(min({argument.length}, lda), 1_ik)))")
        self.give(f"{name}_found")

    def add_handle(self, argument, name):
        if name == "device":
            super().add_handle(argument, name)
        else:
            self.give("c_null_ptr")

    def add_made(self, argument, name):
        self.give("c_null_ptr")

    def text(self):
        pivots = any(argument.name == "pivots" and not argument.const for argument in self.function.arguments)
        last = {"last": "call done_with_pivots(status, pivots_found, pivots, ierr)"} if pivots else {}
        return super().text(self.macro, **last)


class HermitianOperation(Operation):
    """One that complex types alone have: some of its numbers are real."""

    letter, number = "z", "REALS"

    def add_complex(self, _, name):
        self.dummy("NUMBERS, intent(in)", name)
        self.give(name)


def fortran77(header, table):
    """The procedures, the operations, and those of complex types alone."""
    own = table.table["fortran77"]
    others = own["by_hand"] + own["absent"]
    table.require_used("fortran77", others)
    procedures, operations, hermitian = [], [], []
    names = {function.name for function in header.functions}
    for function in header.functions:
        if any(argument.name == "layout" for argument in function.arguments):
            short = function.name.removeprefix("hpart_z")
            if function.name.startswith("hpart_d"):
                operations.append(Operation(function, table.table))
            elif function.name != short and not {f"hpart_d{short}", f"hpart_dor{short[2:]}"} & names:
                hermitian.append(HermitianOperation(function, table.table))
        elif not any(fnmatch.fnmatchcase(function.name, pattern) for pattern in others):
            procedures.append(Fortran77(function, table.table))
    return procedures, operations, hermitian


def fortran77_files(header, table):
    """The files of the procedures, by name."""
    names = ("fortran/hpart_f77_generated.inc", "fortran/hpart_f77_operations.inc", "fortran/hpart_f77_hermitian.inc")
    return {name: f"! {MARK}\n" + "".join("\n" + procedure.text() for procedure in procedures)
            for name, procedures in zip(names, fortran77(header, table))}
