"""tessera run: results in rows, as NumPy prints integers; --json has all of them."""
import glob
import json
import shutil
import unittest

import numpy

from support import ToolTest, run

PROGRAM = """
def one[A](x: Tensor[A, i32]) -> Tensor[A, i32]:
    return x + 1


def two[A, B](x: Tensor[A, B, i32]) -> Tensor[A, B, i32]:
    return x + 1


def three[A, B, C](x: Tensor[A, B, C, i32]) -> (Tensor[A, B, C, i32], Tensor[A, B, C, bool]):
    return x - 50, x > 50


def turned[A](x: Tensor[A, complex64]) -> Tensor[A, complex64]:
    return x * x


def total[A](x: Tensor[A, f32]) -> f32:
    return sum(x)


def multiplied[M, K, N](a: Tensor[M, K, complex64], b: Tensor[K, N, complex64]) -> Tensor[M, N, complex64]:
    return a @ b


def added[M, K](a: Tensor[M, K, complex64]) -> Tuple[Tensor[M, complex64], Tensor[K, complex64], complex64]:
    return sum(a, axis=1), sum(a, axis=0), prod(a[0])
"""


class Arrays(ToolTest):
    def setUp(self):
        super().setUp()
        self.program = self.write("p.tsr", PROGRAM)

    def results(self, function, sizes):
        arguments = ("run", self.program, function, "--random", sizes, "--target", "reference")
        text, data = run("tessera", *arguments), run("tessera", *arguments, "--json")
        self.assertEqual((text.returncode, data.returncode), (0, 0), text.stderr + data.stderr)
        return text.stdout, json.loads(data.stdout)["results"]

    def test_rows_are_those_of_numpy(self):
        # Up to twelve along each dimension are shown whole, more than a thousand in all as NumPy cuts them.
        for function, sizes in (("one", "A=1"), ("one", "A=12"), ("one", "A=1001"), ("two", "A=2,B=3"), ("two", "A=12,B=12"), ("two", "A=7,B=143"), ("two", "A=1009,B=1"),
                                ("two", "A=2,B=1001"), ("three", "A=2,B=1,C=5"), ("three", "A=7,B=7,C=31"), ("three", "A=1001,B=2,C=1")):
            with self.subTest(function=function, sizes=sizes):
                text, results = self.results(function, sizes)
                expected = ""
                for result in results:
                    array = numpy.array(result["values"], dtype=result["dtype"].replace("i32", "int32"))
                    rows = numpy.array2string(array, separator=", ", threshold=1000, max_line_width=10**9)
                    expected += f"{result['name']}: {result['dtype']}[{', '.join(map(str, array.shape))}]\n{rows}\n"
                self.assertEqual(text, expected)

    def test_long_and_empty_dimensions(self):
        text, _ = self.results("one", "A=13")
        self.assertRegex(text, r"\Aresult: i32\[13\]\n\[( *\d+, ){3}\.\.\.,( *\d+,?){3}\]\n\Z")
        self.assertEqual(self.results("two", "A=0,B=3")[0], "result: i32[0, 3]\n[]\n")
        self.assertEqual(self.results("two", "A=2,B=0")[0], "result: i32[2, 0]\n[[],\n []]\n")

    def test_sums_and_products_of_complex_numbers(self):
        """The interpreter has none: NumPy says what they are."""
        random = numpy.random.default_rng(5)
        drawn = lambda *shape: (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(numpy.complex64)
        for m, k, n in ((1, 1, 1), (3, 4, 5), (17, 33, 70), (130, 65, 64)):
            with self.subTest(m=m, k=k, n=n):
                a, b = drawn(m, k), drawn(k, n)
                numpy.save(self.path("a.npy"), a)
                numpy.save(self.path("b.npy"), b)
                given = ("--arg", "a=" + self.path("a.npy"), "--target", "cpu", "--out", self.path("o/"))
                wide = a.astype(complex)
                for function, more, expected in (("multiplied", ("--arg", "b=" + self.path("b.npy")), [wide @ b]),
                                                 ("added", (), [wide.sum(axis=1), wide.sum(axis=0), wide[0].prod()])):
                    result = run("tessera", "run", self.program, function, *given, *more)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    for got, wanted in zip([numpy.load(path) for path in sorted(glob.glob(self.path("o/*.npy")))], expected, strict=True):
                        self.assertLess(numpy.abs(got - wanted).max(), 1e-5 * max(1, numpy.abs(wanted).max()))
                    shutil.rmtree(self.path("o"))

    def test_complex_numbers(self):
        x = numpy.array([1 + 2j, -0.5j, 3], numpy.complex64)
        numpy.save(self.path("x.npy"), x)
        result = run("tessera", "run", self.program, "turned", "--arg", "x=" + self.path("x.npy"))
        self.assertEqual(result.stdout, "result: complex64[3]\n[   -3+4j, -0.25+0j,     9+0j]\n", result.stderr)
        shown = json.loads(run("tessera", "run", self.program, "turned", "--arg", "x=" + self.path("x.npy"), "--json").stdout)
        self.assertEqual(shown["results"][0]["values"], [[-3, 4], [-0.25, 0], [9, 0]])
        result = run("tessera", "run", self.program, "turned", "--random", "A=4", "--check")
        self.assertEqual((result.returncode, "has real numbers only" in result.stderr), (1, True), result.stderr)

    def test_a_number_stands_behind_its_type(self):
        text, results = self.results("total", "A=5")
        self.assertEqual(text, f"result: f32[] = {results[0]['values']:.6g}\n")


if __name__ == "__main__":
    unittest.main()
