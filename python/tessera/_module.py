"""A compiled program: its functions as attributes."""

import ctypes
import json
import os
import tempfile

from . import _compiler
from ._errors import ArgumentError
from ._function import Function


class Module:
    """The functions of a program are its attributes, and `module["name"]`."""

    def __init__(self, library_path, manifest, name):
        self.__name__ = name
        self.manifest = manifest
        self.library_path = library_path
        self.target = manifest["target"]["device"]
        library = ctypes.CDLL(library_path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.functions = {entry["name"]: Function(library, entry) for entry in manifest["entries"]}

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        known = ", ".join(functions) or "none"
        raise AttributeError(f"the program `{self.__dict__.get('__name__')}` has no function `{name}`; it has {known}")

    def __getitem__(self, name):
        return self.functions[name]

    def __dir__(self):
        return sorted([*super().__dir__(), *self.functions])

    def __repr__(self):
        return f"<tessera module `{self.__name__}` for {self.target}: {', '.join(self.functions)}>"


def _is_of_set(library_path, number):
    """Whether the library was compiled from the source that this manifest belongs to."""
    return number is not None and hasattr(ctypes.CDLL(library_path, mode=os.RTLD_NOW | os.RTLD_LOCAL), f"tessSet_{number}")


def load(path, target=None):
    """Loads a program (`model.tsr`), which is compiled for `target` ("cpu" if not said, "cuda", "cuda:sm_90a", "hip"),
    or a library that `tessera build -o model.so` made, with model.json beside it: that needs no compiler."""
    path = os.fspath(path)
    stem, suffix = os.path.splitext(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {path}")
    if suffix == ".so":
        library, manifest = os.path.abspath(path), stem + ".json"
        if not os.path.exists(manifest):
            raise FileNotFoundError(f"{manifest} is missing: the manifest that `tessera build` writes beside {path}")
    else:
        library, manifest = _compiler.build(path, target or "cpu")
    with open(manifest, encoding="utf-8") as file:
        facts = json.load(file)
    if not facts["entries"]:
        raise ArgumentError(f"{path} has no functions to call: those of a program with types in their signatures are, such as "
                            "`def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]`; `main` and functions without types are run by `tessera run`")
    if not _is_of_set(library, facts.get("set")):
        raise ArgumentError(f"{library} and {manifest} are of two compiles: the manifest is of set {facts.get('set')}, and the library "
                            "is not; build both anew with `tessera build`")
    device = facts["target"]["device"]
    if suffix == ".so" and target and target.partition(":")[0] != device:
        raise ArgumentError(f"{path} was compiled for {device}, not for {target}")
    return Module(library, facts, os.path.basename(stem))


def loads(text, target=None, name="program"):
    """Loads a program from its text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".tsr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return load(path, target)
