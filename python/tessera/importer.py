"""`import model` for model.tsr.

    import tessera
    tessera.install_import_hook()
    import model                  # model.tsr, from a folder on sys.path; model.pyi beside it tells editors its types
"""

import importlib.abc
import importlib.machinery
import os
import sys

from ._module import load


class _Loader(importlib.abc.Loader):
    def __init__(self, path, target):
        self.path, self.target = path, target

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        program = load(self.path, self.target)
        module.__doc__ = f"The functions of {self.path} for {program.target}."
        module.__tessera__ = program
        module.__dict__.update(program.functions)


class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, target):
        self.target = target

    def find_spec(self, name, path, target=None):
        for folder in sys.path if path is None else path:
            file = os.path.join(folder or os.getcwd(), name.rpartition(".")[2] + ".tsr")
            if os.path.isfile(file):
                return importlib.machinery.ModuleSpec(name, _Loader(file, self.target), origin=file)
        return None


def install_import_hook(target="cpu"):
    """Makes .tsr files importable, compiled for `target`; after all other kinds of modules."""
    for finder in sys.meta_path:
        if isinstance(finder, Finder):
            finder.target = target
            return
    sys.meta_path.append(Finder(target))
