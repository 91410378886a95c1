"""SWIG's lists and the stub of the module that SWIG makes for Python."""

import keyword

from interfaces.description import MARK


def swig(header, table):
    arguments = [argument for function in header.functions for argument in function.arguments]
    made = sorted({(a.base, a.name) for a in arguments if a.kind == "made" and a.base != "void"})
    operands = sorted({a.name for a in arguments if a.kind == "operand"})
    return f"// {MARK}\n" + "".join(
        [f"HPART_MADE({base}, {name})\n" for base, name in made]
        + [f"HPART_OPERANDS({name})\n" for name in operands]
        + [f"%ignore {function.name};\n" for function in header.functions if header.takes_record(function)]
        + [f"%ignore {name};\n" for name in header.records]
        + ["%nothread;\n"]
        + [f"%thread {name};\n" for name in table.released()]
    )


def python_signature(function):
    kinds = {"callback": "Callback", "handle": "Handle", "buffer": "bytearray | None", "memory": "int", "complex": "complex"}
    results = {"void": [], "text": ["str"], "float": ["float"], "double": ["float"]}.get(function.result, ["int"])
    parts, before = [], ""
    for argument in function.arguments:
        name = argument.name + "_" * keyword.iskeyword(argument.name)
        if argument.kind == "made":
            results = [*results, "int" if argument.base == "void" else "Handle"]
        elif argument.kind == "value":
            parts.append(f"{name}: {'int' if argument.base.startswith('int') else 'float'}")
        elif argument.kind == "text":
            parts.append(f"{name}: str" + " | None" * argument.null)
        # A callback and its user pointer are one object.
        elif argument.name == "user" and before != "callback":
            parts.append("user: Callback")
        elif argument.name not in ("user", "free_user"):
            parts.append(f"{name}: {kinds.get(argument.kind, 'Numbers')}")
        before = argument.kind
    arguments = ", ".join([*parts, "/"] if parts else [])
    return arguments, "None" if not results else results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"


def python_stub(header, _):
    text = f"""# {MARK}
from typing import Any, TypeAlias

Handle: TypeAlias = Any  # or None
Callback: TypeAlias = Any  # an object with a method call(...) and an attribute error, or None
Numbers: TypeAlias = Any  # an object with a buffer of the type in hpart.h, or None

"""
    text += "".join(f"{name}: int\n" for name in header.constants)
    # SWIG returns lists; here they are tuples, because only these have a number and types of elements.
    for function in header.functions:
        if header.takes_record(function):
            continue
        arguments, result = python_signature(function)
        text += f"def {function.name}({arguments}) -> {result}: ...\n"
    return text
