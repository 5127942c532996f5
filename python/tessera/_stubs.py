"""Stubs for type checkers and editors, from the manifest."""

import inspect
import keyword

_SCALARS = {"bool": "bool", "f": "float", "b": "float", "t": "float", "i": "int", "u": "int", "c": "complex"}


def _scalar(dtype):
    return _SCALARS.get(dtype) or _SCALARS[dtype[0]]


def _stub(function):
    parameters = []
    optional = False  # after a default all have one, in Python
    for parameter in function.parameters:
        kind = "ArrayT" if parameter.tensor else _scalar(parameter.dtype)
        has_default = parameter.default is not inspect.Parameter.empty
        parameters.append(f"{parameter.name}: {kind}" + (f" = {parameter.default!r}" if has_default else " = ..." if optional else ""))
        optional = optional or has_default
    count = len(function.results)
    made = [p for p in function.made]
    arrays = any(p.tensor for p in function.parameters)
    array = "ArrayT" if arrays else "Any"
    result = "None" if count == 0 else array if count == 1 else f"tuple[{', '.join([array] * count)}]"
    out = array if len(made) == 1 else f"tuple[{', '.join([array] * len(made))}]" if made else "None"
    options = [] if "out" in {p.name for p in function.parameters} else [f"out: {out} | None = None" if made else "out: None = None"]
    if "stream" not in {p.name for p in function.parameters}:
        options.append("stream: int | None = None")
    listed = ", ".join(parameters + (["*", *options] if options else []))
    doc = function.__doc__.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [f"def {function.name}({listed}) -> {result}:"]
    lines += ['    """' + doc.split("\n")[0]]
    lines += [("    " + line).rstrip() for line in doc.split("\n")[1:]]
    if len(lines) == 2:
        lines[1] += '"""'
    else:
        lines.append('    """')
    return "\n".join([*lines, "    ..."])


def stubs(module):
    """The text of a .pyi file for the functions of a module. `python3 -m tessera stubs model.tsr` writes it."""
    head = [
        f"# Functions of {module.manifest.get('program', module.__name__)}, made by `python3 -m tessera stubs`.",
        "# ArrayT: a NumPy array, a PyTorch tensor, or another array with __dlpack__.",
        "from typing import Any, TypeVar",
        "",
        'ArrayT = TypeVar("ArrayT")',
    ]
    named = [f for f in module.functions.values() if not any(keyword.iskeyword(n) for n in (f.name, *(p.name for p in f.parameters)))]
    return "\n".join(head) + "".join("\n\n" + _stub(function) for function in named) + "\n"
