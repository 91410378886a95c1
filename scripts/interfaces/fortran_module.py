"""The procedures of the Fortran module that convert their arguments and call the C function, and the types of the handles.
A procedure has integers of no kind, of one kind (ik), or of two: the first is of kind ik, the others are of kind sk, so that a
literal may stand beside int64 arrays. fortran/hpart_generic.f90 includes them once for each kind or pair of kinds."""

import fnmatch

from interfaces.description import MARK, Failure
from interfaces.fortran import wrapped
from interfaces.procedures import Procedure

RESULTS = {"int32_t": "integer(int32)", "int64_t": "integer(int64)", "double": "real(real64)", "memory": "type(c_ptr)"}


class ModuleProcedure(Procedure):
    place = "fortran.by_hand"
    indent = 2

    def __init__(self, function, table):
        self.own, self.common = table["fortran"], table["common"]
        self.early, self.late = [], []  # dummy arguments before and after ierr
        integers = [a.name for a in function.arguments if a.base == "int64_t" and a.kind in ("value", "array", "out")
                    and a.name not in ("capacity", "needed") and not self.lengths(function, a.name)]
        if any(fnmatch.fnmatchcase(function.name, pattern) for pattern in self.own["one_kind"]):
            integers = integers[:1]
        self.first_integer = integers[0] if integers else ""
        self.kinds = min(len(integers), 2)
        super().__init__(function, self.common["indices"])

    @staticmethod
    def handle(name):
        return f"c_handle({name})"

    @staticmethod
    def lengths(function, name):
        """The arrays whose length, or number of columns, the argument is: Fortran's arrays know it."""
        return [a for a in function.arguments if a.kind == "array" and (a.length == name or a.length.startswith(f"{name} *"))]

    def kind(self, name):
        return "ik" if self.kinds < 2 or name == self.first_integer else "sk"

    def is_optional(self, argument):
        return f"{self.function.name}.{argument.name}" in self.common["optional"]

    def dummy(self, kind, name, shape="", late=False):
        name = self.own["names"].get(f"{self.function.name}.{name}", name)
        self.declare(kind, name + shape)
        (self.late if late else self.early).append(name)
        return name

    def optional_place(self, kind, null, name, value):
        """An address that is null when the argument is absent."""
        self.declare(kind, f"{name}_place")
        self.before += [f"{name}_place = {null}", f"if (present({name})) {name}_place = {value}"]
        self.give(f"{name}_place")

    def add_handle(self, argument, name):
        kind = f"type({argument.base})"
        if self.is_optional(argument) or (argument.base == "hpart_options" and argument is not self.function.arguments[0]):
            self.dummy(f"{kind}, intent(in), optional", name, late=True)
            self.give(f"handle_of({name})")
        else:
            self.dummy(f"{kind}, intent(in)", name)
            self.give(self.handle(name))

    def add_made(self, argument, name):
        if argument.base == "void":
            self.dummy("type(c_ptr), intent(inout)", name)
            self.give(name)
            return
        self.dummy(f"type({argument.base}), intent(inout)" + ", optional" * argument.null, name, late=argument.null)
        self.declare("type(c_ptr), target", f"{name}_made")
        self.before.append(f"{name}_made = c_null_ptr")
        self.give(f"report_target({name}_made, present({name}))" if argument.null else f"{name}_made")
        self.ending.append(f"if (present({name})) " * argument.null + f"call adopt({name}, {name}_made)")

    def add_value(self, argument, name):
        if name == "capacity":
            self.give("needed", "0_int64")
        elif arrays := self.lengths(self.function, name):
            self.give(f"ubound({arrays[0].name}, {1 if arrays[0].length == name else 2}, kind=int64)")
        elif argument.base == "int64_t":
            name = self.dummy(f"integer({self.kind(name)}), intent(in)", name)
            if argument.name in self.indices:
                self.add_index(name, f"int({name}, int64)", name)
            else:
                self.give(f"int({name}, int64)")
        elif f"{self.function.name}.{argument.name}" in self.own["characters"]:
            self.dummy("character, intent(in)", name)
            self.give(f"ichar({name}, int32)")
        else:
            self.give(self.dummy(f"{RESULTS[argument.base]}, intent(in)", name))

    def add_text(self, argument, name):
        if not argument.null:
            self.dummy("character(len=*), intent(in)", name)
            self.give(f"c_string({name})")
            return
        is_late = self.is_optional(argument)
        self.dummy("character(len=*), intent(in)" + ", optional" * is_late, name, late=is_late)
        self.declare("character(len=:, kind=c_char), allocatable, target", f"{name}_text")
        given = f"present({name})" if is_late else f"len_trim({name}) > 0"
        self.before.append(f"if ({given}) {name}_text = c_string({name})")
        self.give(f"text_place({name}_text)")

    def add_buffer(self, argument, name):
        last = self.function.name.rpartition("_")[2]
        name = self.dummy("character(len=:), allocatable, intent(inout)", {"string": "value", "describe": "text"}.get(last, last))
        self.declare("character(len=:, kind=c_char), allocatable, target", "buffer")
        self.room.append("allocate (character(len=needed) :: buffer)")
        self.give("c_loc(buffer)", "c_null_ptr")
        self.stored.append(f"{name} = buffer(:needed - 1)")

    def add_callback(self, argument, name):
        if argument.base == "hpart_free" or self.is_optional(argument):
            self.dummy(f"procedure({argument.base}), optional", name, late=True)
            self.optional_place("type(c_funptr)", "c_null_funptr", name, f"c_funloc({name})")
        else:
            self.dummy(f"procedure({argument.base})", name)
            self.give(f"c_funloc({name})")

    def add_memory(self, argument, name):
        if name == "user":
            self.dummy("type(c_ptr), intent(in), optional", name, late=True)
            self.optional_place("type(c_ptr)", "c_null_ptr", name, name)
        else:
            self.give(self.dummy("type(c_ptr), intent(in)", name))

    def check_length(self, argument, length):
        if not self.value_of(argument.length):
            self.tests.append(f"check_entries({self.processors()}, {length}, '{argument.name}')")
            return
        first = self.lengths(self.function, argument.length)[0]
        if first is not argument:
            dimension, whose = (1, first.name) if first.length == argument.length else (2, f"columns of {first.name}")
            self.tests.append(f"check_lengths({length}, ubound({first.name}, {dimension}), '{argument.name}', '{whose}')")

    def add_array(self, argument, name):
        kind = RESULTS["double"] if argument.base == "double" else f"integer({self.kind(name)})"
        if argument.length == "capacity":
            self.add_list(argument, name, kind)
            return
        if argument.null and not argument.const:
            self.refuse(name)
        shape = "(:, :)" if argument.length.endswith("* processors") else "(:)"
        attributes = f"intent({'in' if argument.const else 'inout'}), contiguous" + ", optional" * argument.null
        self.dummy(f"{kind}, {attributes}", name, shape)
        if argument.null:
            self.declare("integer(int64), allocatable, target", f"{name}_given(:)")
            self.before.append(f"if (present({name})) allocate ({name}_given, source=int({name}, int64))")
            first = self.lengths(self.function, argument.length)[0].name
            self.check_length(argument, f"length_of({name}_given, ubound({first}, 1))")
            self.give(f"list_place({name}_given)")
            return
        self.check_length(argument, f"ubound({name}, 1)")
        if argument.base == "double":
            self.give(name)
        elif argument.const:
            self.give(f"int({name}, int64)")
        else:
            self.declare("integer(int64), allocatable", f"{name}_found(:)")
            self.before.append(f"allocate ({name}_found(max(1, ubound({name}, 1))), source=0_int64)")
            self.give(f"{name}_found")
            self.store(name, f"{name}_found(:ubound({name}, 1))", f"maxval({name}_found)")

    def add_list(self, argument, name, kind):
        """An allocatable array, which gets as many elements as there are."""
        is_optional = self.is_optional(argument)
        self.dummy(f"{kind}, allocatable, intent(inout)" + ", optional" * is_optional, name, "(:)")
        zero = "0_int64" if argument.base == "int64_t" else "0.0_real64"
        self.declare(f"{RESULTS[argument.base]}, allocatable, target", f"{name}_found(:)")
        self.room.append(f"allocate ({name}_found(max(needed, 1_int64)), source={zero})")
        self.give(f"c_loc({name}_found)", "c_null_ptr")
        if argument.base == "int64_t":
            self.store(name, f"{name}_found(:needed)", f"maxval({name}_found)")
        else:
            self.stored.append(f"if (present({name})) " * is_optional + f"{name} = {name}_found(:needed)")

    def store(self, name, found, greatest):
        """An integer result, if it fits."""
        kind = self.kind(name)
        name = self.own["names"].get(f"{self.function.name}.{name}", name)
        self.fits.append(f"check_fits({greatest}, int(huge(1_{kind}), int64), '{name}')")
        self.stored.append(f"{name} = int({found}, {kind})")

    def add_out(self, argument, name):
        if name == "needed":
            self.declare("integer(int64)", name)
            self.before.append(f"{name} = 0")
            self.give(name)
        elif argument.base == "int64_t":
            self.dummy(f"integer({self.kind(name)}), intent(inout)", name)
            self.declare("integer(int64)", f"{name}_found")
            self.before.append(f"{name}_found = 0")
            self.give(f"{name}_found")
            found = f"{name}_found" + " + 1" * (name in self.indices)
            self.store(name, found, found)
        elif argument.null:
            self.dummy(f"{RESULTS[argument.base]}, intent(inout), optional, target", name)
            self.optional_place("type(c_ptr)", "c_null_ptr", name, f"c_loc({name})")
        elif self.may_not_fit:
            self.dummy(f"{RESULTS[argument.base]}, intent(inout)", name)
            self.declare(RESULTS[argument.base], f"{name}_found")
            self.give(f"{name}_found")
            self.stored.append(f"{name} = {name}_found")
        else:
            self.give(self.dummy(f"{RESULTS[argument.base]}, intent(inout)", name))

    def specific(self):
        return self.function.name.removeprefix("hpart_" if self.kinds else "")

    def text(self):
        name = self.specific()
        if self.function.is_status:
            self.dummy("integer(int32), intent(out), optional", "ierr")
            self.declare("integer(int32)", "status")
            arguments = ", ".join([*self.early, *self.late])
            return self.lines(f"subroutine {name}({arguments})", [*self.statements(), "call finish(status, ierr)"], "subroutine")
        if self.function.result not in RESULTS:
            self.refuse(f"the result {self.function.result}")
        head = f"{RESULTS[self.function.result]} function {name}({', '.join(self.early)}) result(answer)"
        return self.lines(head, [f"answer = {self.called}({', '.join(self.passed)})"], "function")


def handle_types(header, _):
    """Module hpart_handles: for each handle that a function destroys, a type, its assignment, and its release."""
    pairs = [(function.arguments[0].name, function.name) for function in header.functions if function.result == "void"
             and len(function.arguments) == 1 and function.name.rpartition("_")[2] in ("destroy", "close")]
    text = {"types": "", "adopted": "", "procedures": ""}
    for handle, destroy in pairs:
        text["types"] += f"""
  type, extends(shared_handle) :: hpart_{handle}
  contains
    procedure, private :: assign_{handle}
    generic :: assignment(=) => assign_{handle}
    final :: finalise_{handle}
  end type
"""
        text["adopted"] += f"    type is (hpart_{handle}); destroy = c_funloc(c_{destroy[6:]})\n"
        text["procedures"] += f"""
  impure elemental subroutine assign_{handle}(left, right)
    class(hpart_{handle}), intent(inout) :: left
    type(hpart_{handle}), intent(in) :: right
    call share(left, right)
  end subroutine

  impure elemental subroutine finalise_{handle}(variable)
    type(hpart_{handle}), intent(inout) :: variable
    call let_go(variable)
  end subroutine

  subroutine {destroy}({handle})
    type(hpart_{handle}), intent(inout) :: {handle}
    call let_go({handle})
  end subroutine
"""
    public = [f"hpart_{handle}" for handle, _ in pairs] + [destroy for _, destroy in pairs]
    used = ", ".join(f"c_{destroy[6:]}" for _, destroy in pairs)
    return f"""! {MARK}
! The types of the handles; hpart_shared has their common part. hpart_..._destroy and hpart_..._close let go of a variable's share
! before the variable itself goes. They have no effect on a variable that holds none.
module hpart_handles
  use, intrinsic :: iso_c_binding, only: c_associated, c_funloc, c_funptr, c_ptr
{wrapped(f"use hpart_c, only: {used}", 2)}  use hpart_shared
  implicit none
  private
  public :: adopt, c_handle, handle_of, report_target
{wrapped(f"public :: {', '.join(public)}", 2)}{text["types"]}
contains

  ! The variable becomes the only holder of a new handle; what it held before, it lets go. A null handle changes nothing.
  subroutine adopt(variable, handle)
    class(shared_handle), intent(inout) :: variable
    type(c_ptr), intent(in) :: handle
    type(c_funptr) :: destroy
    if (.not. c_associated(handle)) return
    select type (variable)
{text["adopted"]}    end select
    call take(variable, handle, destroy)
  end subroutine
{text["procedures"]}
end module
"""


def check_entries(header, table):
    """Every entry of the table is about something that the header has."""
    own = table.table["fortran"]
    table.require_used("fortran.by_hand", own["by_hand"])
    table.require_used("fortran.one_kind", own["one_kind"])
    table.require_used("fortran.generics", [name for names in own["generics"].values() for name in names])
    arguments = {f"{function.name}.{argument.name}" for function in header.functions for argument in function.arguments}
    for entry in [*table.table["common"]["optional"], *own["names"]]:
        if entry not in arguments:
            raise Failure(f"bindings/interface.toml: no function has the argument {entry}, which fortran lists")


def module_files(header, table):
    """The files of the procedures, by name."""
    own = table.table["fortran"]
    check_entries(header, table)
    sorts = [[], [], []]
    for function in header.functions:
        if not any(fnmatch.fnmatchcase(function.name, pattern) for pattern in own["by_hand"]):
            procedure = ModuleProcedure(function, table.table)
            sorts[procedure.kinds].append(procedure)
    files = {}
    names = ["hpart_plain.f90", "hpart_one_kind.inc", "hpart_two_kinds.inc"]
    for kinds, (name, procedures) in enumerate(zip(names, sorts)):
        generics = {procedure.function.name: [procedure] for procedure in procedures} if kinds else {}
        for generic, members in own["generics"].items():
            if found := [procedure for procedure in procedures if procedure.function.name in members]:
                generics[generic] = found
        public = sorted({procedure.function.name for procedure in procedures} | set(generics))
        text = f"! {MARK}\n" + ("" if kinds else "module hpart_plain\n  use hpart_common\n")
        text += "  implicit none\n  private\n" + wrapped(f"public :: {', '.join(public)}", 2)
        for generic, members in sorted(generics.items()):
            specific = ", ".join(member.specific() for member in members)
            text += f"  interface {generic}\n" + wrapped(f"procedure {specific}", 4) + "  end interface\n"
        text += "\ncontains\n" + "".join("\n" + procedure.text() for procedure in procedures)
        files[f"fortran/{name}"] = text + ("" if kinds else "\nend module\n")
    return files
