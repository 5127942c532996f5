"""tessera run --runs: many calls of one program in one process."""
import json
import os
import unittest

from support import CANON, ToolTest, read, read_npy, run

SAXPY = os.path.join(CANON, "01_saxpy.tsr")
PROGRAM = """
def doubled[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2.0

def total[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:
    return sum(x, axis=1)

def main():
    print("main")
"""


class Runs(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("p.tsr", PROGRAM)

    def runs(self, lines, *words, program="p.tsr", **environment):
        self.write("runs.txt", lines)
        return run("tessera", "run", program, *words, "--runs", "runs.txt", cwd=self.folder, **environment)

    def test_each_line_does_what_it_does_by_itself(self):
        calls = ["doubled --random N=0", "total --random R=3,C=7 --seed 5", "doubled --random N=7 --seed 2 --check", "total --random R=1,C=1009"]
        for target in ("cpu", "reference"):
            lines = "".join(f"{call} --out together/{i}/\n" for i, call in enumerate(calls))
            result = self.runs(lines, "--target", target)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.splitlines()[-1], "4 passed, 0 failed")
            printed = ""
            for i, call in enumerate(calls):
                alone = run("tessera", "run", "p.tsr", *call.split(), "--out", f"alone/{i}/", "--target", target, cwd=self.folder)
                self.assertEqual(read_npy(self.path(f"together/{i}/result_0.npy")), read_npy(self.path(f"alone/{i}/result_0.npy")), call)
                printed += f"line {i + 1}: {call} --out together/{i}/\n{alone.stdout}"
            self.assertEqual(result.stdout, printed + "4 passed, 0 failed\n")

    def compiler(self, first):
        """A compiler that does something else first."""
        path = self.write("compiler.sh", f'#!/bin/sh\n{first}\nexec g++ "$@"\n')
        os.chmod(path, 0o755)
        return path

    def test_the_program_is_compiled_once(self):
        compiler = self.compiler(f'case "$*" in *.cpp*) echo once >>{self.path("compiled")} ;; esac')
        result = self.runs("doubled --random N=3\ntotal --random R=2,C=2\ndoubled --random N=4\n", TESSERA_CXX=compiler, TESSERA_CACHE=self.path("cache"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read(self.path("compiled")), "once\n")

    def test_the_command_says_what_lines_leave_out(self):
        lines = '# sizes\n\n--random n=5\n  --random "n=3" --arg alpha=4\n'
        result = self.runs(lines, "saxpy", "--arg", "alpha=0.5", "--seed", "9", "--json", program=SAXPY)
        self.assertEqual(result.returncode, 0, result.stderr)
        first, second = map(json.loads, result.stdout.splitlines())
        for line, alpha, n, answer in ((3, "0.5", 5, first), (4, "4", 3, second)):
            alone = run("tessera", "run", SAXPY, "saxpy", "--random", f"n={n}", "--seed", "9", "--arg", "alpha=" + alpha, "--json")
            self.assertEqual((answer.pop("line"), answer.pop("passed")), (line, True))
            self.assertIn(f"n={n}", answer.pop("run"))
            self.assertEqual(answer, json.loads(alone.stdout))

    def test_a_run_that_fails_is_one_of_them(self):
        lines = "doubled --random N=2\ndoubled --random M=2\ndoubled --arg x=none.npy\ntotal --random R=2,C=2\n"
        result = self.runs(lines)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[-1], "2 passed, 2 failed")
        self.assertIn("error[E0804]: `doubled` has no dimension `M`\n --> runs.txt:2:1\n  |\n2 | doubled --random M=2\n  | ^", result.stderr)
        self.assertIn("error[E0801]: argument `x`: I cannot read `none.npy`: there is no such file\n --> runs.txt:3:1\n", result.stderr)
        answers = [json.loads(line) for line in self.runs(lines, "--json").stdout.splitlines()]
        self.assertEqual([answer["passed"] for answer in answers], [True, False, False, True])
        self.assertEqual([(d["code"], d["line"]) for answer in answers for d in answer.get("diagnostics", [])], [("E0804", 2), ("E0801", 3)])

    def test_results_that_differ_fail_their_run(self):
        compiler = self.compiler("""for word; do case $word in *.cpp) sed -i 's/2[.]0f/3.0f/' "$word" ;; esac; done""")
        result = self.runs("doubled --random N=4 --check\ntotal --random R=2,C=3 --check\n", TESSERA_CXX=compiler, TESSERA_CACHE=self.path("cache"))
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 1 failed")
        self.assertEqual(result.stdout.count("TOO MUCH"), 1)

    def test_mistakes_of_the_file_are_said_before_anything_runs(self):
        lines = 'doubled --random N=1\ndoubled --rndom N=1\ndubled\ndoubled "a b\ndoubled --out a.npy\ntotal --out a.npy\nmain\ndoubled --target cpu\ndoubled --seed -1\n'
        result = self.runs(lines)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        for line, said in ((2, "there is no option `--rndom`; did you mean `--random`?"), (3, "`p.tsr` has no entry function `dubled`"),
                           (4, 'a `"` is opened in this line and not closed'), (6, "`a.npy` is written by line 5, too"),
                           (7, "`main` is a program of its own: it is none of several runs"), (8, "there is no option `--target`"),
                           (9, "--seed: `-1` is no integer from 0 to 2^64 - 1")):
            self.assertIn(f"{said}\n --> runs.txt:{line}:1\n", result.stderr)
        self.assertIn("7 errors", result.stderr)
        for nothing in ("", "# no run\n"):
            result = self.runs(nothing)
            self.assertEqual(result.returncode, 2)
            self.assertIn("`runs.txt` asks for no run", result.stderr)
        result = run("tessera", "run", "p.tsr", "--runs", "none.txt", cwd=self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("I cannot read `none.txt`", result.stderr)

    def test_a_function_that_cannot_be_compiled_spares_the_others(self):
        self.write("p.tsr", PROGRAM + "\ndef ranked[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dropout(x, 0.5)\n")
        result = self.runs("doubled --random N=3\nranked --random N=3\ntotal --random R=2,C=2\n")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout.splitlines()[-1], "2 passed, 1 failed")
        self.assertIn("error[E0214]", result.stderr)
        self.assertIn("runs.txt:2:1", result.stderr)


if __name__ == "__main__":
    unittest.main()
