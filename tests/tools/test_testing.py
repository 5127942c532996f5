"""tessera test and tessera bench on programs: what holds, what does not and how it is shown, what is no test."""
import json
import os
import re
import unittest

from support import BIN, CANON, ToolTest, read, run

PAGE = os.path.join(os.path.dirname(os.path.dirname(CANON)), "docs", "testing.md")
TWICE = """\
def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return 2.0 * x


"""
HELPERS = """\
@kernel
def halve[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    (i,) = tile.origin()
    return 0.5 * x[i]


def _near(a, b):
    assert allclose(a, b), "near"


@test(N=5)
@test(N=1031)
def halves[N](x: Tensor[N, f32]):
    _near(halve(x) + halve(x), x)
    assert N != 1031, "not so many"


@test
def wrong_in_a_helper():
    _near(ones((2,)), 2.0)
"""
IN_TURNS = """\
def step(x):
    return 2.0 * x


def _grows(x):
    assert all(step(x) >= x), "it grows"


@test
def holds_in_each_turn():
    x = ones((3,))
    for i in range(5):
        x = step(x)
        assert x <= tensor([32.0, 32.0, 32.0])
        _grows(x)
    assert x == 32.0


@test(N=4)
def fails_in_the_third_turn[N](x: Tensor[N, f32]):
    y = ones((2,))
    turns = 0
    while turns < N:
        y = step(y)
        turns = turns + 1
        assert y < tensor([99.0, 8.0]), "not for long"


@test(N=4)
def fails_in_a_branch[N](x: Tensor[N, f32]):
    y = sum(x * x)
    if y > 0.0:
        assert y + 1.0 == 0.5 * y + 0.5
    else:
        assert y == 0.0


@test(N=4)
def of_parts[N](x: Tensor[N, f32]):
    for i in range(N):
        assert x[i] < 2.0
        assert f32(i) + 0.0 * x[i] < 1.5
"""
PARTLY = """\
@test
def fine():
    assert ones((3,)) == 1.0
@test
def later():
    assert dropout(ones((3,)), 0.5) == 1.0
@test(N=3)
def not_of_this_size[N](x: Tensor[N, f32]) where N % 4 == 0:
    assert x < 2.0
"""


def without_times(text):
    return re.sub(r"[\d.]+ ms", "T ms", text)


def programs_of_the_page():
    """(program, what is printed about it) of the page."""
    blocks = re.findall(r"```(tsr|text)\n(.*?)```", read(PAGE), re.S)
    return [text for kind, text in blocks if kind == "tsr"], [text for kind, text in blocks if kind == "text"]


class Tests(ToolTest):
    def test_the_page_shows_what_is_printed(self):
        programs, printed = programs_of_the_page()
        self.assertEqual((len(programs), len(printed)), (2, 3))
        for name, program, text, code in zip(("center.tsr", "powers.tsr"), programs, printed, (0, 1)):
            self.write(name, program)
            for target in ("cpu", "reference"):
                with self.subTest(name, target=target):
                    result = run("tessera", "test", name, "--target", target, cwd=self.folder)
                    self.assertEqual((without_times(result.stdout), result.stderr), (without_times(text), ""))
                    self.assertEqual(result.returncode, code)
            self.assertEqual(run("tessera", "fmt", "--check", name, cwd=self.folder).returncode, 0)

    def test_tests_are_not_emitted(self):
        self.write("p.tsr", TWICE + "@test\ndef doubles():\n    assert twice(ones((3,))) == [2.0, 2.0, 2.0]\n")
        self.assertEqual(run("tesserac", self.path("p.tsr"), "-o", self.path("p.cpp")).returncode, 0)
        self.assertEqual([entry["name"] for entry in json.loads(read(self.path("p.json")))["entries"]], ["twice"])
        self.assertNotIn("doubles", read(self.path("p.cpp")))
        self.assertEqual(run("tessera", "check", self.path("p.tsr")).returncode, 0)

    def test_in_loops_and_branches_of_the_run(self):
        path = self.write("p.tsr", IN_TURNS)
        for target in ("cpu", "reference"):
            with self.subTest(target=target):
                result = run("tessera", "test", path, "--json", "--target", target)
                found = {test["name"]: test for test in json.loads(result.stdout)["tests"]}
                self.assertEqual({name: test["passed"] for name, test in found.items()},
                                 {"holds_in_each_turn": True, "fails_in_the_third_turn(N=4)": False, "fails_in_a_branch(N=4)": False, "of_parts(N=4)": False},
                                 result.stdout + result.stderr)
                third = found["fails_in_the_third_turn(N=4)"]["failures"][0]
                self.assertEqual((third["left"]["value"], third["right"]["value"]), ("[8., 8.]", "[99.,  8.]"), third)
                self.assertIn("[1]: 8 and 8", third["where"])
                self.assertEqual(len(found["fails_in_a_branch(N=4)"]["failures"]), 1)
                self.assertEqual(found["of_parts(N=4)"]["failures"][0]["line"], 42)

    def test_sides_of_what_does_not_hold(self):
        cases = {
            "twice(x) == [2.0, 2.0, 2.5]": ("1 of 3 elements does not hold; the first is [2]: 2 and 2.5", "[2., 2., 2.]", "[ 2.,  2., 2.5]"),
            "twice(x) < x": ("3 of 3 elements do not hold; the first is [0]: 2 and 1", "[2., 2., 2.]", "[1., 1., 1.]"),
            "twice(x)[1] == 3.0": (None, "2.", ""),
            "allclose(twice(x), 2.25)": ("they are farthest apart at [0]: 2 and 2.25", "[2., 2., 2.]", ""),
            "allclose(sum(x), sum(twice(x)))": (None, "3.", "6."),
            "any(twice(x) == 3.0)": (None, None, None),
            "1.0 + 1e-7 * x[0] == 1.0": (None, "1.", ""),
            "twice(x)[None, :] == [[2.0, 2.0, 2.0], [2.0, 9.0, 2.0]]":
                ("1 of 6 elements does not hold; the first is [1, 1]: 2 and 9", "[[2., 2., 2.]]", "[[2., 2., 2.],\n [2., 9., 2.]]"),
        }
        for target in ("cpu", "reference"):
            tests = "".join(f"@test\ndef t{i}():\n    x = ones((3,))\n    assert {text}\n\n\n" for i, text in enumerate(cases))
            result = run("tessera", "test", self.write("p.tsr", TWICE + tests), "--json", "--target", target)
            self.assertEqual(result.returncode, 1, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual((document["passed"], document["failed"], document["diagnostics"]), (0, len(cases), []))
            for i, (test, (text, (where, left, right))) in enumerate(zip(document["tests"], cases.items())):
                with self.subTest(text, target=target):
                    self.assertEqual((test["name"], test["kind"], test["passed"], test["line"]), (f"t{i}", "test", False, 6 + 6 * i))
                    [failure] = test["failures"]
                    self.assertEqual((failure["what"], failure["line"]), ("assert " + text, test["line"] + 2))
                    self.assertEqual(failure.get("where"), where)
                    self.assertEqual((failure.get("left", {}).get("value"), failure.get("right", {}).get("value")), (left, right))

    def test_assertions_of_helpers_of_kernels_and_about_sizes(self):
        program = self.write("p.tsr", HELPERS)
        result = run("tessera", "test", program)
        self.assertEqual(result.returncode, 1, result.stderr)
        text = without_times(result.stdout)
        self.assertIn(f"ok      {program}:13  halves(N=5)", text)
        self.assertIn(f"FAILED  {program}:13  halves(N=1031)  T ms\n        {program}:15: assert N != 1031: not so many\n        N     1031\n", text)
        self.assertIn(f"{program}:8: assert allclose(a, b): near\n", text)
        self.assertIn("1 passed, 2 failed", text)
        only = run("tessera", "test", program, "--only", "helper")
        self.assertIn("0 passed, 1 failed", only.stdout)
        nothing = run("tessera", "test", program, "--only", "nobody")
        self.assertEqual((nothing.returncode, nothing.stdout), (2, ""))
        self.assertIn("no test has `nobody` in its name", nothing.stderr)

    def test_random_arguments_follow_the_seed(self):
        program = self.write("p.tsr", "@test(N=3)\ndef t[N](x: Tensor[N, f32], k: i32):\n    assert all(x == 5.0)\n    assert k == 1000\n")
        texts = [without_times(run("tessera", "test", program, "--seed", seed).stdout) for seed in ("0", "0", "7")]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])
        self.assertIn("        x    [", texts[0])

    def test_what_is_no_test(self):
        cases = (
            ("@test\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n", "E0340", "above a function with a result"),
            ("@test\n@kernel\ndef f(x: Tensor[3, f32]):\n    if tile.linear_id() < 3:\n        x[tile.linear_id()] = 1.0\n", "E0340", "above a kernel"),
            ("@test\ndef main():\n    print(1)\n", "E0340", "above `main`"),
            ("@test\ndef f():\n    x = ones((3,))\n", "E0340", "asserts nothing"),
            ("@test\ndef f[N](x: Tensor[N, f32]):\n    assert all(x < 2.0)\n", "E0340", "gives no size to the dimension `N`"),
            ("@test(M=2, N=3)\ndef f[N](x: Tensor[N, f32]):\n    assert all(x < 2.0)\n", "E0340", "`M`, which is no dimension of `f`"),
            ("@test(N=2.5)\ndef f[N](x: Tensor[N, f32]):\n    assert all(x < 2.0)\n", "E0340", "as a whole number"),
            ("@test(N=2, N=3)\ndef f[N](x: Tensor[N, f32]):\n    assert all(x < 2.0)\n", "E0340", "each dimension a size once"),
            ("def g():\n    @test\n    def f():\n        assert 1 == 1\n    print(1)\n", "E0340", "part of another definition"),
            ("@test\ndef f():\n    assert 1 + 1 == 3\n", "E0409", "never true"),
            ("@test\ndef f():\n    assert ones((3,)) + 1.0\n", "E0310", "true or false"),
            ("@test\ndef f():\n    assert ones((3,)) == 1.0\n    return 3\n", "E0214", "a result of a test"),
            ("@benchmark\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n", "E0340", "gives no size"),
            ("@benchmark(N=3)\ndef _f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x\n", "E0340", "begins with `_`"),
            ("@benchmark\ndef f(x):\n    return x\n", "E0340", "has no type"),
            ("@test\n@benchmark\ndef f():\n    assert ones((3,)) == 1.0\n", "E0340", "above a test"),
        )
        for program, code, said in cases:
            with self.subTest(program):
                self.write("p.tsr", program)
                for command in (("test",), ("check",)):
                    result = run("tessera", *command, self.path("p.tsr"))
                    self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                    self.assertRegex(result.stderr, rf"error\[({code})\]")
                    self.assertEqual(len(re.findall(r"error\[", result.stderr)), 1, result.stderr)
                    self.assertIn(said, result.stderr)

    def test_errors_of_one_program_do_not_hide_the_others(self):
        self.write("a.tsr", "def f(:\n")
        self.write("b.tsr", "@test\ndef f():\n    assert ones((3,)) == 1.0\n")
        result = run("tessera", "test", "--json", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        document = json.loads(result.stdout)
        self.assertEqual([document["passed"], document["failed"]], [1, 0])
        self.assertEqual({d["file"] for d in document["diagnostics"]}, {"./a.tsr"})
        os.remove(self.path("a.tsr"))
        os.remove(self.path("b.tsr"))
        empty = run("tessera", "test", cwd=self.folder)
        self.assertEqual((empty.returncode, empty.stdout), (2, ""))
        self.assertEqual(run("tessera", "test", self.path("nowhere.tsr")).returncode, 2)
        self.assertEqual(run("tessera", "test", "--target", "tpu", cwd=self.folder).returncode, 2)


    def test_a_test_that_cannot_be_compiled_hides_no_other(self):
        self.write("p.tsr", PARTLY)
        for target in ("cpu", "reference"):
            result = run("tessera", "test", "p.tsr", "--json", "--target", target, cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr), (1, ""))
            fine, later, size = json.loads(result.stdout)["tests"]
            self.assertEqual(fine["failures"], [])
            self.assertRegex(later["failures"][0]["what"], r"^p.tsr:6.*dropout.* cannot be (compiled|run) yet")
            self.assertIn("N % 4 == 0", size["failures"][0]["what"])

    def test_without_a_compiler_nothing_runs(self):
        self.write("p.tsr", "@test\ndef f():\n    assert ones((3,)) == 1.0\n")
        result = run("tessera", "test", self.path("p.tsr"), TESSERA_CXX="/nowhere/c++", TESSERA_CACHE=self.path("cache"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(len(re.findall(r"error\[E07\d\d\]", result.stderr)), 1, result.stderr)


class Examples(ToolTest):
    PROGRAM = '''\
"""About squares.

>>> squares(3)
[0.0, 1.0, 4.0]
"""


def square[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    """Each element times itself.

    >>> x = iota((3,), axis=0, dtype=f32)
    >>> square(x)
    [0.0, 1.0, 4.0]

    Several lines, and what prints itself:

    >>> for i in range(2):
    ...     print(f"{i}!")
    0!
    1!
    >>> square(
    ...     full((2,), 3.0)
    ... )
    [9.0, 9.0]
    """
    return x * x


def squares(n):
    return square(iota((n,), axis=0, dtype=f32))


def main():
    print("not run")
'''

    def examples(self, program, target="cpu"):
        result = run("tessera", "test", self.write("p.tsr", program), "--json", "--target", target)
        self.assertEqual(result.stderr, "")
        return result.returncode, json.loads(result.stdout)["tests"]

    def test_examples_hold(self):
        for target in ("cpu", "reference"):
            code, tests = self.examples(self.PROGRAM, target)
            self.assertEqual([(t["name"], t["kind"], t["line"], t["failures"]) for t in tests],
                             [("the program", "example", 3, []), ("square", "example", 11, [])])
            self.assertEqual(code, 0)
        none = run("tessera", "test", self.path("p.tsr"), "--no-examples")
        self.assertEqual((none.returncode, none.stdout), (2, ""))

    def test_an_example_that_prints_something_else(self):
        for target in ("cpu", "reference"):
            code, tests = self.examples(self.PROGRAM.replace("    1!", "    2!"), target)
            self.assertEqual(code, 1)
            self.assertEqual(tests[0]["failures"], [])
            [failure] = tests[1]["failures"]
            self.assertEqual(failure["line"], 17)
            self.assertEqual(failure["what"], '>>> for i in range(2):\n    print(f"{i}!")')
            self.assertEqual((failure["left"]["value"], failure["right"]["value"]), ("0!\n1!", "0!\n2!"))

    def test_an_example_with_a_mistake_hides_no_other(self):
        code, tests = self.examples(self.PROGRAM.replace(">>> squares(3)", ">>> sqares(3)"))
        self.assertEqual(code, 1)
        self.assertEqual([(f["line"], f["what"]) for f in tests[0]["failures"]], [(3, "I know no name `sqares`")])
        self.assertEqual(tests[1]["failures"], [])

    def test_an_example_that_ends_early(self):
        program = 'def f(n):\n    """Text.\n\n    >>> print(1)\n    1\n    >>> x = load_npy("nowhere.npy")\n    >>> print(2)\n    2\n    """\n    return n\n'
        for target in ("cpu", "reference"):
            code, tests = self.examples(program, target)
            self.assertEqual(code, 1)
            [failure] = tests[0]["failures"]
            self.assertEqual(failure["line"], 6)
            self.assertIn("nowhere.npy", failure["left"]["value"] + failure["where"])


class Benchmarks(ToolTest):
    PROGRAM = TWICE.replace("def twice", "@benchmark(N=1000)\n@benchmark(N=7)\ndef twice")

    def test_benchmarks(self):
        program = self.write("p.tsr", self.PROGRAM)
        for target in ("cpu", "reference"):
            result = run("tessera", "bench", program, "--json", "--repeats", "9", "--target", target)
            self.assertEqual(result.returncode, 0, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual([b["name"] for b in document["benchmarks"]], ["twice(N=1000)", "twice(N=7)"])
            self.assertEqual([b["bytes"] for b in document["benchmarks"]], [8000, 56])
            for benchmark in document["benchmarks"]:
                self.assertEqual(benchmark["runs"], 9)
                self.assertLess(0, benchmark["best"])
                times = [benchmark[key] for key in ("best", "p10", "median", "p90")]
                self.assertEqual(times, sorted(times))
                self.assertAlmostEqual(benchmark["bytesPerSecond"] * benchmark["median"] / benchmark["bytes"], 1.0)
        text = run("tessera", "bench", program, "--only", "twice", "--seconds", "0").stdout
        self.assertRegex(text, r":3  twice\(N=1000\) +[\d.]+ [mun]?s  10% below .*, 5 runs, [\d.]+ GB/s\n")
        self.assertEqual(len(text.splitlines()), 2)

    def test_against_an_earlier_run(self):
        program = self.write("p.tsr", self.PROGRAM)
        before = run("tessera", "bench", program, "--json", "--repeats", "5").stdout
        document = json.loads(before)
        document["benchmarks"][0]["median"] = 1000.0
        del document["benchmarks"][1]
        result = run("tessera", "bench", program, "--json", "--repeats", "5", "--against", self.write("before.json", json.dumps(document)))
        first, second = json.loads(result.stdout)["benchmarks"]
        self.assertEqual(first["before"], 1000.0)
        self.assertAlmostEqual(first["ratio"], first["median"] / 1000.0)
        self.assertNotIn("before", second)
        text = run("tessera", "bench", program, "--repeats", "5", "--against", self.path("before.json")).stdout
        self.assertIn("0.00 times as long as before (1000 s)", text)
        wrong = run("tessera", "bench", program, "--against", self.write("no.json", "[]"))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("is not what `tessera bench --json` writes", wrong.stderr)

    def test_what_cannot_be_measured(self):
        self.write("p.tsr", TWICE)
        result = run("tessera", "bench", self.path("p.tsr"))
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("put `@benchmark(N=1000)` above a function", result.stderr)
        self.write("q.tsr", "@benchmark(N=3)\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32] where N > 5:\n    return x + 1.0\n")
        result = run("tessera", "bench", self.path("q.tsr"), "--json")
        self.assertEqual(result.returncode, 1)
        [failure] = json.loads(result.stdout)["failures"]
        self.assertEqual(failure["name"], "f(N=3)")
        self.assertIn("N > 5", failure["what"])
        self.write("r.tsr", "def f(:\n")
        self.assertEqual(run("tessera", "bench", self.path("r.tsr")).returncode, 1)


if __name__ == "__main__":
    assert BIN
    unittest.main()
