"""A Fortran procedure that converts its arguments and calls a C function: common to the module's procedures and FORTRAN 77's."""

from interfaces.description import Failure
from interfaces.fortran import wrapped

# The count that an index may choose from, and its owner in messages: by the type of a function's first handle, or by the
# function's noun in the plural.
OWNERS = {
    "adaptive": ("c_adaptive_processors({})", "the application"),
    "devices": ("c_device_count()", "this machine"),
    "front": ("c_front_count({})", "the front"),
    "platform": ("c_platform_processors({})", "the platform"),
    "schedule": ("c_schedule_tasks({})", "the schedule"),
}


class Procedure:
    indent = 0

    def __init__(self, function, indices):
        self.function, self.indices = function, indices
        self.called = f"c_{function.name.removeprefix('hpart_')}"
        self.declared = {}  # a type and its attributes: the names
        self.before, self.tests, self.fits, self.stored, self.ending = [], [], [], [], []
        self.passed, self.asking = [], []  # arguments of the call, and of the call before it that asks for a length
        self.room = []  # statements between the two
        handle = next((argument for argument in function.arguments if argument.kind == "handle"), None)
        self.owner = handle.base.removeprefix("hpart_") if handle else function.name.split("_")[1] + "s"
        self.owner_handle = self.handle(handle.name) if handle else ""
        results = [a for a in function.arguments if a.kind == "out" or (a.kind == "array" and not a.const)]
        self.may_not_fit = any(a.base == "int64_t" and a.name != "needed" for a in results)
        for argument in function.arguments:
            convert = getattr(self, f"add_{argument.kind}", None)
            if convert is None or argument.base in ("int", "float"):
                self.refuse(argument.name)
            convert(argument, argument.name)

    def refuse(self, subject):
        raise Failure(f"bindings/interface.toml: no rule converts {subject} of {self.function.name}: list it in {self.place}")

    def declare(self, kind, name):
        self.declared.setdefault(kind, []).append(name)

    def give(self, passed, asking=None):
        self.passed.append(passed)
        self.asking.append(asking or passed)

    def value_of(self, name):
        """The value argument of that name, if the function has one."""
        return next((a for a in self.function.arguments if a.name == name and a.kind == "value"), None)

    def processors(self):
        """The number of processors of the first handle."""
        if self.owner not in ("adaptive", "front", "platform", "team"):
            self.refuse("an array of one entry a processor")
        return f"c_{self.owner}_processors({self.owner_handle})"

    def add_index(self, name, wide, argument):
        if self.owner in OWNERS:
            count, owner = OWNERS[self.owner]
            self.tests.append(f"check_index({wide}, {count.format(self.owner_handle)}, '{argument}', '{owner}')")
        self.give(f"{wide} - 1")

    def statements(self):
        """All that a call with a status does."""
        steps = [*self.tests, f"{self.called}({', '.join(self.passed)})", *self.fits]
        lines = [f"status = {step}" for step in steps]
        if self.room:
            at = len(self.tests)
            lines[at:at] = [f"status = {self.called}({', '.join(self.asking)})", *self.room]
        lines = [lines[0], *(f"if (status == HPART_SUCCESS) {line}" for line in lines[1:])]
        if len(self.stored) == 1:
            lines.append(f"if (status == HPART_SUCCESS) {self.stored[0]}")
        elif self.stored:
            lines += ["if (status == HPART_SUCCESS) then", *(f"  {line}" for line in self.stored), "end if"]
        return [*self.before, *lines, *self.ending]

    def lines(self, head, statements, end, uses=""):
        declarations = [f"{kind} :: {', '.join(names)}" for kind, names in self.declared.items()]
        text = wrapped(head, self.indent) + uses
        for line in declarations + statements:
            text += wrapped(line.lstrip(), self.indent + 2 + len(line) - len(line.lstrip()))
        return text + " " * self.indent + f"end {end}\n"
