"""Functions of a program called with NumPy arrays: values against float64, shapes, scalars, and what is refused."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

from support import PROGRAM, ROOT
import tessera


def setUpModule():
    global m, folder
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "program.tsr")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    m = tessera.load(path)


def tearDownModule():
    folder.cleanup()


class Values(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def floats(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_rows_of_awkward_sizes(self):
        for rows, columns in ((0, 5), (1, 1), (3, 31), (2, 100003), (17, 1025)):
            x = self.floats(rows, columns)
            wide = x.astype(np.float64)
            expected = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + 1e-5) if columns else wide
            y = m.rms(x)
            self.assertEqual((y.shape, y.dtype), (x.shape, np.float32))
            np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)

    def test_product(self):
        for sizes in ((1, 1, 1), (7, 13, 5), (65, 33, 129)):
            a, b = self.floats(sizes[0], sizes[2]), self.floats(sizes[2], sizes[1])
            np.testing.assert_allclose(m.product(a, b), a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)

    def test_several_results_and_solved_dimensions(self):
        x, y = self.floats(6), self.floats(4)
        first, second = m.parts(x, y)
        np.testing.assert_array_equal(first, x + 1)
        np.testing.assert_array_equal(second, y * 2)
        np.testing.assert_array_equal(m.half(x), x[:3])

    def test_a_written_argument_is_returned(self):
        x, y = self.floats(1000), self.floats(1000)
        before = y.copy()
        self.assertIs(m.saxpy(x, y, 2.0), y)
        np.testing.assert_allclose(y, 2 * x + before, rtol=1e-6)

    def test_results_into_memory_that_is_there(self):
        x = self.floats(4, 8)
        out = np.full((4, 8), np.nan, np.float32)
        self.assertIs(m.rms(x, out=out), out)
        np.testing.assert_array_equal(out, m.rms(x))

    def test_names_and_defaults(self):
        x = np.arange(5, dtype=np.int32)
        np.testing.assert_array_equal(m.shifted(by=3, x=x), x + 3)
        np.testing.assert_array_equal(m.shifted(x, np.int32(3), up=False), x - 3)
        self.assertEqual(str(m.shifted.__signature__), "(x, by, up=True, *, out=None, stream=None)")
        self.assertIn("x over the root", m.rms.__doc__)
        self.assertIn("rms", dir(m))

    def test_threads_have_their_own_errors(self):
        wrong = []

        def call(size):
            for _ in range(50):
                try:
                    m.half(np.zeros(size, np.float32))
                    wrong.append("no error")
                except tessera.ShapeError as error:
                    if f"is {size}," not in str(error):
                        wrong.append(str(error))

        threads = [threading.Thread(target=call, args=(size,)) for size in (3, 5, 7)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(wrong, [])


class Refused(unittest.TestCase):
    def refused(self, kind, said, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(said, str(caught.exception))
        self.assertIsInstance(caught.exception, tessera.Error)
        return caught.exception

    def test_arrays_that_do_not_fit(self):
        x = np.zeros(6, np.float32)
        self.refused(tessera.ShapeError, "half: argument `x`: dimension 0 is 5, but `2*N` is 4", lambda: m.half(x[:5]))
        self.refused(ValueError, "half: argument `x`: it has 2 dimensions, but 1 are declared", lambda: m.half(x.reshape(2, 3)))
        self.refused(tessera.DTypeError, "f64, but f32 is declared", lambda: m.half(x.astype(np.float64)))
        self.refused(tessera.DTypeError, "for which Tessera has none", lambda: m.half(x.astype(">f4")))
        self.refused(tessera.LayoutError, "copy it first", lambda: m.half(x[::2]))
        self.refused(tessera.AliasError, "share memory", lambda: m.saxpy(x, x, 1.0))
        self.refused(tessera.ShapeError, "but `2*N` is 4", lambda: m.half(x, out=np.zeros(2, np.float32)))
        self.assertEqual(self.refused(tessera.ShapeError, "`K`", lambda: m.product(np.zeros((2, 3), np.float32), np.zeros((4, 2), np.float32))).status, 3)

    def test_what_is_read_only_is_not_written(self):
        x, y = np.ones(4, np.float32), np.ones(4, np.float32)
        y.flags.writeable = False
        self.refused(tessera.LayoutError, "read-only", lambda: m.saxpy(x, y, 1.0))
        np.testing.assert_array_equal(m.half(y), [1, 1])
        self.assertTrue((y == 1).all())

    def test_arguments(self):
        x = np.zeros(4, np.int32)
        self.refused(TypeError, "`by` is missing: def shifted", lambda: m.shifted(x))
        self.refused(TypeError, "4 arguments were given, but 3 are declared", lambda: m.shifted(x, 1, True, 2))
        self.refused(TypeError, "there is no parameter `of`", lambda: m.shifted(x, of=1))
        self.refused(TypeError, "`x` was given twice", lambda: m.shifted(x, x=x))
        self.refused(TypeError, "`by` is 1.5, which is no i32", lambda: m.shifted(x, 1.5))
        self.refused(TypeError, "2147483648 does not fit i32", lambda: m.shifted(x, 2**31))
        self.refused(TypeError, "is a list", lambda: m.shifted([1, 2], 1))
        self.refused(TypeError, "`out` holds 1 arrays, but 2 are returned", lambda: m.parts(np.zeros(2, np.float32), np.zeros(2, np.float32), out=x))
        with self.assertRaisesRegex(AttributeError, "has no function `nothing`; it has rms, parts"):
            m.nothing

    def test_programs_with_mistakes(self):
        self.refused(tessera.CompileError, "E0400", lambda: tessera.loads("def f[N, M](x: Tensor[N, f32], y: Tensor[M, f32]) -> Tensor[N, f32]:\n    return x + y\n"))
        self.refused(tessera.CompileError, "no target `tpu`", lambda: tessera.load(os.path.join(folder.name, "program.tsr"), "tpu"))
        with self.assertRaisesRegex(FileNotFoundError, "no file nowhere.tsr"):
            tessera.load("nowhere.tsr")

    def test_no_compiler(self):
        code = "import sys; sys.path.insert(0, sys.argv[1])\nimport tessera\ntry: tessera.compiler_path()\nexcept tessera.CompilerNotFoundError as e: print(e)"
        copied = os.path.join(folder.name, "elsewhere")
        import shutil

        shutil.copytree(os.path.join(ROOT, "python", "tessera"), os.path.join(copied, "tessera"))
        for environment, said in (({"PATH": "/nowhere"}, "./dev build"), ({"TESSERA_HOME": "/nowhere"}, "TESSERA_HOME is /nowhere")):
            result = subprocess.run([sys.executable, "-c", code, copied], env=environment, capture_output=True, text=True)
            self.assertIn(said, result.stdout, result.stderr)


if __name__ == "__main__":
    unittest.main()
