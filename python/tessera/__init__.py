"""Tessera programs as Python modules.

    import tessera
    m = tessera.load("model.tsr", target="cuda")
    y = m.softmax(x)              # NumPy, PyTorch, or anything with __dlpack__; nothing is copied

A call works on the memory of its arguments, on the caller's stream, and returns arrays of the kind that it was given.
What is wrong with a call is an exception (tessera.ShapeError and so on) before anything has run.
"""

from ._compiler import compiler_path
from ._errors import (
    AliasError,
    ArgumentError,
    CapacityError,
    CompileError,
    CompilerNotFoundError,
    DeviceError,
    DTypeError,
    Error,
    LaunchError,
    LayoutError,
    OutOfMemoryError,
    RequirementError,
    ShapeError,
)
from ._function import Function
from ._module import Module, load, loads
from ._stubs import stubs
from ._torch import register_torch
from .importer import install_import_hook

__all__ = [
    "AliasError",
    "ArgumentError",
    "CapacityError",
    "CompileError",
    "CompilerNotFoundError",
    "DTypeError",
    "DeviceError",
    "Error",
    "Function",
    "LaunchError",
    "LayoutError",
    "Module",
    "OutOfMemoryError",
    "RequirementError",
    "ShapeError",
    "compiler_path",
    "install_import_hook",
    "load",
    "loads",
    "register_torch",
    "stubs",
]
