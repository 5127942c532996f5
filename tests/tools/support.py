"""What the tests of the programs share: running them, and .npy files without NumPy."""
import array
import ast
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402, F401: the tests take it from here

BIN = os.path.abspath(sys.argv[1])
del sys.argv[1]
CANON = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "canon")


def run(program, *arguments, cwd=None, text=True, timeout=300, **environment):
    return subprocess.run([os.path.join(BIN, program), *arguments], cwd=cwd, capture_output=True, text=text, timeout=timeout,
                          env={**os.environ, **environment})


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + size].decode().strip())
    code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}[header["descr"]]
    return list(header["shape"]), array.array(code, data[10 + size :]).tolist()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class ToolTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.path(name), mode) as out:
            out.write(text)
        return self.path(name)
