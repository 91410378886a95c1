"""Fortran's interfaces of the C functions, and the constants."""

import re

from interfaces.description import MARK, NUMBERS


def wrapped(text, indent):
    """A statement of Fortran in lines of at most 120 characters."""
    lines, line = [], " " * indent
    for word in re.findall(r".+?(?:, |$)", text):
        if len(line) + len(word) > 118:
            lines.append(line + "&")
            line = " " * (indent + 4)
        line += word
    return "\n".join([*lines, line]) + "\n"


def fortran_argument(function, argument, is_callback):
    """Type and attributes, and the shape behind the name."""
    if argument.kind == "value":
        return f"{NUMBERS[argument.base]}, value", ""
    if argument.kind == "record":
        return f"type({argument.base}), intent(in)", ""
    if argument.kind == "callback":
        return "type(c_funptr), value", ""
    if argument.kind == "complex":
        return f"complex(c_{'float' if function.name[6] == 'c' else 'double'}_complex), intent(in)", ""
    if argument.null or argument.kind in ("handle", "buffer", "memory", "operand") or (is_callback and argument.kind == "text"):
        return "type(c_ptr), value", ""
    if argument.kind == "text":
        return "character(kind=c_char), intent(in)", "(*)"
    intent = "intent(in)" if argument.const else "intent(out)" if is_callback and argument.kind != "array" else "intent(inout)"
    kind = NUMBERS.get(argument.base, "type(c_ptr)")
    is_known = any(other.name == argument.length and other.kind == "value" for other in function.arguments)
    shape = f"({argument.length if is_known else '*'})" if argument.kind == "array" else ""
    return f"{kind}, {intent}", shape


def fortran_interface(function, is_callback):
    names = ", ".join(argument.name for argument in function.arguments)
    word = "subroutine" if function.result == "void" else "function"
    own = function.name if is_callback else f"c_{function.name.removeprefix('hpart_')}"
    binding = "bind(C)" if is_callback else f"bind(C, name='{function.name}')"
    text = wrapped(f"{word} {own}({names}) {binding}" + (" result(answer)" if word == "function" else ""), 4) + "      import\n"
    declared = {}
    for argument in function.arguments:
        kind, shape = fortran_argument(function, argument, is_callback)
        declared.setdefault(kind, []).append(argument.name + shape)
    # Values first: they are the lengths of arrays.
    for kind in sorted(declared, key=lambda kind: not kind.endswith("value")):
        text += wrapped(f"{kind} :: {', '.join(declared[kind])}", 6)
    if word == "function":
        text += f"      {NUMBERS.get(function.result, 'type(c_ptr)')} :: answer\n"
    return f"{text}    end {word}\n"


def fortran(header, _):
    constants = ", ".join(f"{name} = {value}" for name, value in header.constants.items())
    records = "".join(
        f"  type, bind(C) :: {name}\n"
        + "".join(wrapped(f"{NUMBERS.get(kind, 'type(c_ptr)')} :: {', '.join(names)}", 4) for kind, names in members)
        + "  end type\n\n"
        for name, members in header.records.items()
    )
    callbacks = "\n".join(fortran_interface(callback, True) for callback in header.callbacks)
    functions = "\n".join(fortran_interface(function, False) for function in header.functions)
    return f"""! {MARK}
module hpart_constants
  use, intrinsic :: iso_c_binding, only: c_int32_t
  implicit none
  private :: c_int32_t
{wrapped(f"integer(c_int32_t), parameter :: {constants}", 2)}end module

! The functions of hpart.h and the procedures that they call back. An address may be null; outputs are intent(inout), because a
! call that fails leaves them as they are.
module hpart_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_double_complex, c_float, c_float_complex, c_funptr, c_int, &
      c_int32_t, c_int64_t, c_ptr
  implicit none
  public

{records}  abstract interface
{callbacks}  end interface

  interface
{functions}  end interface

end module
"""
