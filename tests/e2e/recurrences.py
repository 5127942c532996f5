#!/usr/bin/env python3
"""Recurrences written as loops over time, and running sums, against f64.

    recurrences.py [--target cpu] TESSERA
"""
import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402
from programs import read_npy  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """
def last[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32]:
    return cumsum(x)

def first[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32]:
    return cumsum(x, axis=0)

def products[N, M](x: Tensor[N, M, f32]) -> Tensor[N, M, f32]:
    return cumprod(1.0 + 0.01 * x, axis=1)

def counted[N](x: Tensor[N, i32]) -> Tensor[N, i32]:
    return cumsum(x)
"""


class Runner:
    def __init__(self, tessera, target, folder):
        self.tessera, self.target, self.folder, self.bad, self.good = tessera, target, folder, 0, 0
        self.random = random.Random(31)

    def data(self, *shape):
        return [self.random.gauss(0, 1) for _ in range(math.prod(shape))], shape

    def run(self, program, function, arrays, code="f", several=""):
        out = os.path.join(self.folder, function)
        words = [self.tessera, "run", program, function, "--target", self.target, "--out", out if several else out + ".npy"]
        for name, (values, shape) in arrays.items():
            path = os.path.join(self.folder, name + ".npy")
            write_npy(path, values, shape, code)
            words += ["--arg", f"{name}={path}"]
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            sys.exit(f"FAILED {function}: {result.stdout}{result.stderr}")
        return read_npy(os.path.join(out, several) if several else out + ".npy")[1]

    def compare(self, what, got, expected, bound):
        right = len(got) == len(expected) and all(abs(a - b) <= bound * max(1.0, abs(b)) for a, b in zip(got, expected))
        self.good += right
        self.bad += not right
        if not right:
            worst = max((abs(a - b) for a, b in zip(got, expected)), default=0)
            print(f"FAILED {what}: {len(got)} elements, {len(expected)} expected, off by up to {worst:.3g}")


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def running_sums(runner, program):
    for n, m in ((1, 1), (3, 1), (1, 7), (5, 64), (65, 33), (2, 100003)):
        x, shape = runner.data(n, m)
        along, down, products = [], [], []
        for i in range(n):
            total, product = 0.0, 1.0
            for j in range(m):
                total, product = total + x[i * m + j], product * (1 + 0.01 * x[i * m + j])
                along.append(total)
                products.append(product)
                down.append(x[i * m + j] + (down[(i - 1) * m + j] if i else 0.0))
        bound = 4e-7 * math.sqrt(max(n, m)) * math.log2(2 * max(n, m))
        runner.compare(f"cumsum {n}x{m}", runner.run(program, "last", {"x": (x, shape)}), along, bound)
        runner.compare(f"cumsum axis 0 {n}x{m}", runner.run(program, "first", {"x": (x, shape)}), down, bound)
        if m < 1000:
            runner.compare(f"cumprod {n}x{m}", runner.run(program, "products", {"x": (x, shape)}), products, 1e-5)
    for n in (0, 1, 2, 1000):
        x = [runner.random.randrange(-1000, 1000) for _ in range(n)]
        runner.compare(f"cumsum of {n} integers", runner.run(program, "counted", {"x": (x, (n,))}, "i"), [sum(x[: i + 1]) for i in range(n)], 0)


def lstm(runner, program):
    T, B, X, H = 9, 3, 5, 17
    data = {"x": runner.data(T, B, X), "w": runner.data(X, 4 * H), "u": runner.data(H, 4 * H), "b": runner.data(4 * H)}
    x, w, u, b = (data[k][0] for k in "xwub")
    h, c, out = [[0.0] * H for _ in range(B)], [[0.0] * H for _ in range(B)], []
    for t in range(T):
        for r in range(B):
            gates = [math.fsum(x[(t * B + r) * X + k] * w[k * 4 * H + j] for k in range(X)) +
                     0.1 * math.fsum(h[r][k] * u[k * 4 * H + j] for k in range(H)) + b[j] for j in range(4 * H)]
            i, f, o = ([sigmoid(g) for g in gates[k * H:(k + 1) * H]] for k in (0, 1, 3))
            g = [math.tanh(v) for v in gates[2 * H:3 * H]]
            c[r] = [f[j] * c[r][j] + i[j] * g[j] for j in range(H)]
            h[r] = [o[j] * math.tanh(c[r][j]) for j in range(H)]
        out += [v for row in h for v in row]
    runner.compare("lstm", runner.run(program, "lstm", data, several="result_0.npy"), out, 2e-5)


def selective_scan(runner, program):
    B, L, D, N = 2, 11, 5, 3
    data = {"x": runner.data(B, L, D), "delta": runner.data(B, L, D), "A": runner.data(D, N), "Bs": runner.data(B, L, N), "Cs": runner.data(B, L, N)}
    x, delta, A, Bs, Cs = (data[k][0] for k in data)
    out = []
    for b in range(B):
        h = [[0.0] * N for _ in range(D)]
        for t in range(L):
            for d in range(D):
                step = abs(delta[(b * L + t) * D + d])
                for n in range(N):
                    h[d][n] = math.exp(-step * abs(A[d * N + n])) * h[d][n] + step * Bs[(b * L + t) * N + n] * x[(b * L + t) * D + d]
                out.append(math.fsum(h[d][n] * Cs[(b * L + t) * N + n] for n in range(N)))
    runner.compare("selective_scan", runner.run(program, "selective_scan", data), out, 2e-5)


def slopes_grow_with_turns(runner):
    """A derivative of so many turns has text in proportion: what the turns before have made is stored, not made anew in each."""
    lines = {}
    for turns in (12, 24):
        program = os.path.join(runner.folder, f"turns_{turns}.tsr")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"""
def loss[B, H](x: Tensor[{turns}, B, 3, f32], w: Tensor[3, 4 * H, f32], u: Tensor[H, 4 * H, f32], b: Tensor[4 * H, f32]) -> f32:
    out, h, c = lstm(x, zeros((B, H)), zeros((B, H)), w, u, b)
    return sum(out * out)

slopes = grad(loss, wrt=("w", "u"))
""")
        words = [runner.tessera, "inspect", program, "slopes", "--levels", "source", "--target", runner.target]
        result = subprocess.run(words, cwd=runner.folder, capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            sys.exit(f"FAILED slopes of {turns} turns: {result.stdout}{result.stderr}")
        lines[turns] = result.stdout.count("\n")
    right = 1000 < lines[12] and lines[24] < 2.6 * lines[12]
    runner.good += right
    runner.bad += not right
    if not right:
        print(f"FAILED slopes: {lines} lines by turns")


def main(tessera, target):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "sums.tsr")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        runner = Runner(tessera, target, folder)
        running_sums(runner, program)
        lstm(runner, os.path.join(HERE, "programs", "updates.tsr"))
        selective_scan(runner, os.path.join(HERE, "programs", "updates.tsr"))
        slopes_grow_with_turns(runner)
        print(f"{runner.good} results are right, {runner.bad} are not")
        return 0 if runner.good and not runner.bad else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cpu", help="what is compiled and run: cpu, cuda:sm_90a, ...")
    parser.add_argument("tessera")
    given = parser.parse_args()
    sys.exit(main(os.path.abspath(given.tessera), given.target))
