"""What only the machine or run time can refuse: tiles that fit on no stack, loops that would not end, arrays without elements."""
import os
import shutil
import subprocess
import time
import unittest

from support import ToolTest, read, run, write_npy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEAD = "from tessera import kernel, tile\n\n"


class Limits(ToolTest):
    def test_tiles_that_fit_on_no_stack(self):
        for name, body in {
            "one": "    a = x[0:4096, 0:4096]\n    y[0:4096, 0:4096] = a.T + a\n",
            "sums": "    acc = tile.zeros((1024, 1024), f32)\n    for k in tile.range(0, 4096, 1024):\n        acc += x[k:k + 1024, k:k + 1024]\n    y[0:1024, 0:1024] = acc\n",
        }.items():
            with self.subTest(name):
                program = self.write(name + ".tsr", HEAD + "@kernel(grid=(1,))\ndef f(x: Tensor[4096, 4096, f32], y: Tensor[4096, 4096, f32]) -> "
                                     "Tensor[4096, 4096, f32]:\n" + body + "    return y\n")
                result = run("tesserac", program, "-o", self.path(name + ".cpp"))
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"the tiles of a group of this kernel need \d+ MiB: \w+ \d+.*on the stack of a thread, of which they may take 6 MiB")
        program = self.write("few.tsr", HEAD + "@kernel(grid=(1,))\ndef f(x: Tensor[256, 256, f32], y: Tensor[256, 256, f32]) -> Tensor[256, 256, f32]:\n"
                             "    a = x[0:256, 0:256]\n    y[0:256, 0:256] = a + a\n    return y\n")
        self.assertEqual(run("tessera", "run", program, "f", "--random", "", "--check").returncode, 0)

    STEPS = HEAD + """@kernel(grid=(1,))
def by_number[N](x: Tensor[N, f32], s: i32) -> f32:
    acc = 0.0
    for k in tile.range(0, N, s):
        acc = acc + x[k]
    return acc

@kernel(grid=(1,))
def by_size[N, S](x: Tensor[N, f32], y: Tensor[S, f32]) -> f32:
    acc = 0.0
    for k in tile.range(0, N, S):
        acc = acc + x[k]
    return acc
"""

    def test_loops_that_would_not_end(self):
        program = self.write("p.tsr", self.STEPS)
        for function, sizes, numbers, said in (("by_number", "N=7", ["--arg", "s=0"], "`s >= 1` is required"), ("by_number", "N=7", ["--arg", "s=-1"], "`s >= 1` is required"),
                                               ("by_size", "N=3,S=0", [], "`S >= 1` is required")):
            with self.subTest(function=function, sizes=sizes, numbers=numbers):
                result = run("tessera", "run", program, function, "--random", sizes, *numbers, timeout=60)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(said, result.stderr)
        for function, sizes, numbers in (("by_number", "N=17", ["--arg", "s=3"]), ("by_size", "N=17,S=4", [])):
            result = run("tessera", "run", program, function, "--random", sizes, *numbers, "--check")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_sizes_of_which_some_give_no_step(self):
        program = self.write("p.tsr", self.STEPS.replace("N, S):", "N, N // 4):"))
        result = run("tessera", "check", "--no-cache", program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the step of a range must be at least 1", result.stderr)
        self.write("p.tsr", read(program).replace("-> f32:\n    acc = 0.0\n    for k in tile.range(0, N, N // 4)",
                                                  "-> f32 where N >= 4:\n    acc = 0.0\n    for k in tile.range(0, N, N // 4)"))
        self.assertEqual(run("tessera", "check", "--no-cache", program).returncode, 0)

    def test_a_step_that_nothing_asks_for(self):
        program = self.write("p.tsr", HEAD + "@kernel(grid=(1,))\ndef f[N](x: Tensor[N, f32], n: Tensor[1, i32]) -> f32:\n    acc = 0.0\n"
                             "    for k in tile.range(0, N, n[0]):\n        acc = acc + x[k]\n    return acc\n")
        result = run("tesserac", program, "-o", self.path("p.cpp"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("max(step, 1)", result.stderr)
        self.write("p.tsr", read(program).replace("n[0]", "max(n[0], 1)"))
        self.assertEqual(run("tesserac", program, "-o", self.path("p.cpp")).returncode, 0)

    WILD = HEAD + """@kernel(lanes=64)
def read[N, M](x: Tensor[N, f32], y: Tensor[M, f32], s: Tensor[M, {dtype}]) -> Tensor[M, f32]:
    q = tile.linear_id()
    if q < M:
        y[q] = 0.0
        if s[q] >= 0:
            y[q] = x[s[q] + 1] + x[s[q] * 4 + 3] + x[max(s[q], 0) * 4 + 3]
    return y

@kernel(lanes=64)
def write[N, M](x: Tensor[N, f32], s: Tensor[M, {dtype}]) -> Tensor[N, f32]:
    q = tile.linear_id()
    if q == 0:
        for m in range(M):
            if s[m] >= 0:
                x[s[m] + 1] = x[s[m] * 8 + 1] + 1.0
    return x

def numbers[M](s: Tensor[M, {dtype}], t: Tensor[M, {dtype}]) -> (Tensor[M, {dtype}], Tensor[M, {dtype}], Tensor[M, {dtype}], Tensor[1, {dtype}]):
    return s * t + s - t, (s << t) ^ (s >> t), abs(s) - -s, sum(s * t, keepdim=True)

def products[M, K](s: Tensor[M, K, {dtype}], t: Tensor[K, M, {dtype}]) -> Tensor[M, M, {dtype}]:
    return s @ t
"""

    def test_integers_that_do_not_fit(self):
        """Indices of data that wrap around read and write nothing outside; what is left of numbers is the same everywhere."""
        for dtype, code, bits in (("i32", "i", 32), ("i64", "q", 64)):
            program = self.write(dtype + ".tsr", self.WILD.replace("{dtype}", dtype))
            top = 2 ** (bits - 1)
            ends = [-top, top - 1, -1, 0, 1, 3, bits - 1, bits, bits + 1, top // 4, top // 4 + 1, top // 2, 65535]
            pairs = [(a, b) for a in ends for b in ends]
            for name, values in (("s", [a for a, _ in pairs]), ("t", [b for _, b in pairs]), ("w", ends)):
                write_npy(self.path(name + ".npy"), values, [len(values)], code)
            for function in ("read", "write"):
                with self.subTest(dtype=dtype, function=function):
                    result = run("tessera", "run", program, function, "--random", f"N=17,M={len(ends)}", "--arg", "s=" + self.path("w.npy"), "--check")
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            for name, shape in (("a", (13, 11)), ("b", (11, 13))):
                write_npy(self.path(name + ".npy"), [ends[i * i % len(ends)] for i in range(143)], shape, code)
            result = run("tessera", "run", program, "products", "--arg", "s=" + self.path("a.npy"), "--arg", "t=" + self.path("b.npy"), "--check")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            result = run("tessera", "run", program, "numbers", "--arg", "s=" + self.path("s.npy"), "--arg", "t=" + self.path("t.npy"), "--check")
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_rows_without_columns(self):
        program = self.write("p.tsr", "def f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return x * 2.0\n\n"
                             "def rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return softmax_safe(x, -1)\n\n"
                             "def turned[R, C](x: Tensor[R, C, f32]) -> Tensor[C, R, f32]:\n    return x.T * 2.0\n")
        for function in ("f", "rows", "turned"):
            start = time.monotonic()
            result = run("tessera", "run", program, function, "--random", f"R={2**40},C=0", timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertLess(time.monotonic() - start, 50)

    FORK = """#include "p.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static float *x, *y;
static int call(void) {
  int64_t extent = 1000000;
  TessTensor a = {x, {TESS_CPU, 0}, 1, {TESS_FLOAT, 32, 1}, &extent, 0, 0}, b = a;
  b.data = y;
  for (int i = 0; i < 1000000; ++i) y[i] = 0;
  return f(&a, &b, 0) == TESS_OK && y[0] == 2 && y[999999] == 2;
}
int main(void) {
  x = malloc(4000000), y = malloc(4000000);
  for (int i = 0; i < 1000000; ++i) x[i] = 1;
  if (!call()) return 2;
  pid_t child = fork();
  if (child == 0) {
    alarm(30);
    if (!call()) _exit(3);
    pid_t next = fork();
    if (next == 0) _exit(call() ? 0 : 4);
    int status = 0;
    waitpid(next, &status, 0);
    _exit(status == 0 ? 0 : 5);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0 ? 6 : call() ? 0 : 7;
}
"""

    def test_a_process_that_forks_after_a_call(self):
        program = self.write("p.tsr", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n")
        self.assertEqual(run("tesserac", program, "-o", self.path("p.cpp")).returncode, 0)
        main = self.write("main.c", self.FORK)
        for compiler, c in (("g++", "gcc"), ("clang++-19", "clang-19")):
            if not shutil.which(compiler):
                continue
            with self.subTest(compiler):
                include = "-I" + os.path.join(ROOT, "include")
                for command in ([c, "-c", include, main, "-o", self.path("main.o")],
                                [compiler, "-std=c++17", "-O1", "-fopenmp", include, self.path("p.cpp"), self.path("main.o"), "-o", self.path("main")]):
                    result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
                    self.assertEqual(result.returncode, 0, result.stderr)
                result = subprocess.run([self.path("main")], env={**os.environ, "OMP_NUM_THREADS": "4"}, timeout=90)
                self.assertEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
