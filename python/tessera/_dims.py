"""Dimension expressions of the manifest: `2*N`, `(N + 3) // 4`, `min(a, b)`."""

import ast
import os
import re


class Extent:
    """One extent of a declared shape."""

    def __init__(self, text):
        self.text = text
        tree = ast.parse(re.sub(r"mesh\.(size|index|rank)(?:\.(\w+))?", _number_of_mesh, text), mode="eval")
        for node in ast.walk(tree):
            if not isinstance(node, _ALLOWED) or (isinstance(node, ast.Constant) and type(node.value) is not int):
                raise ValueError(f"`{text}` is no dimension expression")
        self.names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - {"min", "max"})
        self.variable = text if isinstance(tree.body, ast.Name) else None
        self._code = compile(tree, "<dimension>", "eval")

    def value(self, dims):
        return eval(self._code, {"__builtins__": {}, "min": min, "max": max}, dims)

    def bind(self, extent, dims):
        """Adds the variable that this extent gives, if it has one without a value: of `factor * N + rest`, too, where the others have values."""
        missing = [name for name in self.names if name not in dims]
        if len(missing) != 1:
            return
        name = missing[0]
        if self.variable:
            dims[name] = extent
            return
        zero, one, two = (self.value({**dims, name: n}) for n in (0, 1, 2))
        if one > zero and two - one == one - zero:  # others are bound by another argument, or checked by the function
            dims[name] = max(extent - zero, 0) // (one - zero)
        elif zero == one == self.value({**dims, name: extent + 1}) and "//" not in self.text and "%" not in self.text and "(" not in self.text:
            dims[name] = 0  # of `H*D`, where D is 0


def _number_of_mesh(asked):
    """What the mesh of this process (docs/devices.md) gives: `mesh.size.dp`, `mesh.index.dp`, `mesh.rank`. One device is alone."""
    what, wanted = asked.groups()
    rank = int(os.environ.get("RANK", 0)) if "TESSERA_MESH" in os.environ else 0
    if what == "rank":
        return str(rank)
    stride = 1
    for axis in reversed(os.environ.get("TESSERA_MESH", "").split(",")):
        name, _, size = (part.strip() for part in axis.partition("="))
        if name == wanted:
            return size if what == "size" else str(rank // stride % int(size))
        stride *= int(size or 1)
    return "1" if what == "size" else "0"


_ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
    ast.Mod,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
)
