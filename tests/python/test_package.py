"""The package installed by pip without a network, stubs, imports, and libraries built before."""
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from support import PROGRAM, ROOT
import tessera


class Package(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.program = os.path.join(self.folder, "rows.tsr")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def python(self, *arguments, **environment):
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=self.folder, env={**os.environ, **environment})

    def test_pip_installs_it_without_a_network(self):
        if self.python("-m", "pip", "--version").returncode != 0:
            self.skipTest("pip is not here (python3-pip)")
        site = os.path.join(self.folder, "site")
        result = self.python("-m", "pip", "install", "--no-build-isolation", "--no-index", "--quiet", "--root-user-action=ignore",
                             "--disable-pip-version-check", "--target", site, ROOT)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(os.path.exists(os.path.join(site, "tessera", "py.typed")))
        code = "import tessera, numpy; print(tessera.__file__); print(tessera.load('rows.tsr').half(numpy.arange(4, dtype=numpy.float32)))"
        result = self.python("-c", code, PYTHONPATH=site)
        self.assertEqual(result.stdout, f"{site}/tessera/__init__.py\n[0. 1.]\n", result.stderr)
        # Without TESSERA_HOME the checkout from which it was installed has the compiler, if it was built there.
        built = os.path.join(ROOT, "build", "release", "bin", "tessera")
        result = self.python("-c", "import tessera; print(tessera.compiler_path())", PYTHONPATH=site, TESSERA_HOME="", PATH="/usr/bin:/bin")
        self.assertEqual(result.stdout.strip() if os.path.exists(built) else built, built, result.stderr)

    def test_stubs(self):
        result = self.python("-m", "tessera", "stubs", "rows.tsr", PYTHONPATH=os.path.join(ROOT, "python"))
        self.assertEqual((result.returncode, result.stdout), (0, "rows.pyi\n"), result.stderr)
        with open(os.path.join(self.folder, "rows.pyi"), encoding="utf-8") as file:
            text = file.read()
        functions = {node.name: ast.unparse(node.args) + " -> " + ast.unparse(node.returns) for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(functions["rms"], "x: ArrayT, eps: float=1e-05, *, out: ArrayT | None=None, stream: int | None=None -> ArrayT")
        self.assertEqual(functions["parts"], "x: ArrayT, y: ArrayT, *, out: tuple[ArrayT, ArrayT] | None=None, stream: int | None=None -> tuple[ArrayT, ArrayT]")
        self.assertEqual(functions["saxpy"], "x: ArrayT, y: ArrayT, alpha: float, *, out: None=None, stream: int | None=None -> ArrayT")
        self.assertIn("x over the root of its mean square.", text)
        # A mistake is a message, not a traceback.
        with open(self.program, "w", encoding="utf-8") as file:
            file.write("def f(:\n")
        result = self.python("-m", "tessera", "stubs", "rows.tsr", PYTHONPATH=os.path.join(ROOT, "python"))
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("Traceback", result.stderr)

    def test_programs_are_imported(self):
        tessera.install_import_hook()
        sys.path.insert(0, self.folder)
        self.addCleanup(sys.path.remove, self.folder)
        import rows

        self.addCleanup(sys.modules.pop, "rows")
        np.testing.assert_array_equal(rows.half(np.arange(4, dtype=np.float32)), [0, 1])

    def test_a_library_needs_no_compiler(self):
        command = [tessera.compiler_path(), "build", self.program, "-o", os.path.join(self.folder, "built.so")]
        subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(sorted(n for n in os.listdir(self.folder) if n.startswith("built")), ["built.h", "built.hpp", "built.json", "built.so"])
        # C++ programs link to it, by its own headers and those of the compiler. `half` is a word of CUDA: there it is half_.
        with open(os.path.join(self.folder, "main.cpp"), "w", encoding="utf-8") as file:
            file.write('#include "built.hpp"\n#include <cstdio>\nint main() {\n  float x[4] = {1, 2, 3, 4}, y[2];\n'
                       '  tessera::built::half_({x, {4}}, {y, {2}});\n  std::printf("%g %g\\n", y[0], y[1]);\n}\n')
        subprocess.run(["g++", "-std=c++17", "-I" + os.path.join(ROOT, "include"), "main.cpp", "built.so", "-Wl,-rpath,.", "-o", "main"], cwd=self.folder, check=True)
        self.assertEqual(subprocess.run(["./main"], cwd=self.folder, capture_output=True, text=True).stdout, "1 2\n")
        code = "import tessera, numpy; print(tessera.load('built.so').half(numpy.arange(4, dtype=numpy.float32)))"
        result = self.python("-c", code, PYTHONPATH=os.path.join(ROOT, "python"), TESSERA_HOME="/nowhere")
        self.assertEqual(result.stdout, "[0. 1.]\n", result.stderr)
        with self.assertRaisesRegex(tessera.ArgumentError, "compiled for cpu, not for cuda"):
            tessera.load(os.path.join(self.folder, "built.so"), "cuda")
        # The manifest of another compile, though its functions are the same.
        with open(self.program, "a", encoding="utf-8") as file:
            file.write("\n\ndef other(x: f32) -> f32:\n    return x\n")
        subprocess.run([tessera.compiler_path(), "build", self.program, "-o", os.path.join(self.folder, "other.so")], check=True, capture_output=True)
        shutil.copy(os.path.join(self.folder, "other.json"), os.path.join(self.folder, "built.json"))
        with self.assertRaisesRegex(tessera.ArgumentError, "built.so and .*built.json are of two compiles: the manifest is of set [0-9a-f]{16}"):
            tessera.load(os.path.join(self.folder, "built.so"))
        # A library of a program that has nothing to call.
        program = os.path.join(self.folder, "only_main.tsr")
        with open(program, "w", encoding="utf-8") as file:
            file.write("def main():\n    print(1)\n")
        subprocess.run([tessera.compiler_path(), "build", program, "-o", os.path.join(self.folder, "only_main.so")], check=True, capture_output=True)
        for path in (program, os.path.join(self.folder, "only_main.so")):
            with self.assertRaisesRegex(tessera.ArgumentError, "only_main.(tsr|so) has no functions to call"):
                tessera.load(path)
        os.remove(os.path.join(self.folder, "built.json"))
        with self.assertRaisesRegex(FileNotFoundError, "built.json is missing"):
            tessera.load(os.path.join(self.folder, "built.so"))

    def test_build_says_what_is_wrong(self):
        for options, said in ((("-o", "x.cu"), "names neither a shared library nor a program"), (("--target", "reference"), "a library is built for"), (("-o", "no/x.so"), "mkdir -p no")):
            result = subprocess.run([tessera.compiler_path(), "build", self.program, *options], cwd=self.folder, capture_output=True, text=True)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(said, result.stderr)
            self.assertEqual(sorted(os.listdir(self.folder)), ["rows.tsr"])


if __name__ == "__main__":
    unittest.main()
