"""tessera run: results in rows, as NumPy prints integers; --json has all of them."""
import json
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
