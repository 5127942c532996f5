#!/usr/bin/env python3
"""What chooses tokens and experts, by the reference and compiled for the CPU: places against Python's `bisect`, draws against the
tokens that may be drawn and how often each is, a mixture of experts and its derivatives against sums in f64.

    serving.py TESSERA
"""
import bisect
import math
import os
import random
import struct
import sys
import tempfile

from programs import read_npy
from tool import Tool

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402

PROGRAM = """
def places[N, M](ordered: Tensor[N, f32], values: Tensor[M, f32]) -> (Tensor[M, i64], Tensor[M, i64]):
    return searchsorted(ordered, values), searchsorted(ordered, values, right=True)

def of_the_largest[V](x: Tensor[V, f32], rng: Rng) -> Tensor[20000, i64] where V >= 3:
    return sample_top_k(x + zeros((20000, V)), 3, 0.5, rng)

def of_the_likeliest[V](x: Tensor[V, f32], p: f32, rng: Rng) -> Tensor[20000, i64] where V >= 1:
    return sample_top_p(x + zeros((20000, V)), p, 2.0, rng)

def mixture[T, D, E, F](x: Tensor[T, D, f32], router: Tensor[D, E, f32], w_gate: Tensor[E, D, F, f32], w_up: Tensor[E, D, F, f32], w_down: Tensor[E, F, D, f32]) -> Tensor[T, D, f32] where E >= 2:
    return moe(x, router, w_gate, w_up, w_down, 2)

def loss[T, D, E, F](x: Tensor[T, D, f32], router: Tensor[D, E, f32], w_gate: Tensor[E, D, F, f32], w_up: Tensor[E, D, F, f32], w_down: Tensor[E, F, D, f32]) -> f32 where E >= 2:
    return sum(moe(x, router, w_gate, w_up, w_down, 2) ** 2)

slopes = grad(loss, wrt=("x", "router", "w_gate", "w_up", "w_down"))
"""
WEIGHTS = ("x", "router", "w_gate", "w_up", "w_down")
TARGETS = ("reference", "cpu")


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def mixture(given, shape):
    """Of k = 2 experts, in f64."""
    T, D, E, F = shape
    x, router, gate, up, down = (given[name] for name in WEIGHTS)
    out = [0.0] * (T * D)
    for t in range(T):
        row = x[t * D : t * D + D]
        scores = [math.fsum(row[d] * router[d * E + e] for d in range(D)) for e in range(E)]
        chosen = sorted(range(E), key=lambda e: -scores[e])[:2]
        weights = [math.exp(scores[e] - scores[chosen[0]]) for e in chosen]
        for e, weight in zip(chosen, weights):
            inner = []
            for f in range(F):
                a = math.fsum(row[d] * gate[(e * D + d) * F + f] for d in range(D))
                b = math.fsum(row[d] * up[(e * D + d) * F + f] for d in range(D))
                inner.append(a / (1 + math.exp(-a)) * b)
            for d in range(D):
                out[t * D + d] += weight / sum(weights) * math.fsum(inner[f] * down[(e * F + f) * D + d] for f in range(F))
    return out


class Serving(Tool):
    right = wrong = 0

    def results(self, function, arguments, target, *more):
        words = list(more)
        for name, (values, shape) in arguments.items():
            write_npy(self.path(f"{name}.npy"), values, shape)
            words += ["--arg", f"{name}={name}.npy"]
        out = tempfile.mkdtemp(dir=self.folder)
        result = self.call(PROGRAM, "run", function, *words, "--target", target, "--out", out + "/")
        if result.returncode != 0:
            sys.exit(f"{function} on {target}: {result.stdout}{result.stderr}")
        return [read_npy(os.path.join(out, name))[1] for name in sorted(os.listdir(out))]

    def check(self, good, what):
        self.right += bool(good)
        if not good:
            self.wrong += 1
            print("FAILED", what)

    def places(self, count, dice):
        ordered = sorted(float(dice.randrange(12)) if dice.random() < 0.9 else dice.choice([math.inf, -math.inf]) for _ in range(count))
        values = [float(dice.randrange(-1, 13)) / dice.choice([1, 2]) for _ in range(37)] + [math.inf, -math.inf, math.nan]
        nan = count
        if count > 3:  # they come last
            ordered[-2:] = [math.nan, math.nan]
            nan = count - 2
        expected = [[nan if v != v else bisect.bisect_left(ordered, v, 0, nan) for v in values],
                    [count if v != v else bisect.bisect_right(ordered, v, 0, nan) for v in values]]
        for target in TARGETS:
            got = self.results("places", {"ordered": (ordered, [count]), "values": (values, [len(values)])}, target)
            self.check([list(g) for g in got] == expected, f"places in {ordered} on {target}: {got}, expected {expected}")

    def draws(self, dice):
        x = [single(dice.gauss(0, 1.5)) for _ in range(17)]
        falling = sorted(range(17), key=lambda i: -x[i])
        cases = [("of_the_largest", [], falling[:3], 0.5)]
        for p in (0.0, 0.4, 0.93, 1.0):
            share = [math.exp(x[i] / 2.0) for i in falling]
            count = next((n for n in range(1, 18) if math.fsum(share[:n]) >= p * math.fsum(share) - 1e-6), 17)
            cases.append(("of_the_likeliest", ["--arg", f"p={p}"], falling[:count], 2.0))
        for function, more, allowed, heat in cases:
            share = [math.exp(x[i] / heat) for i in allowed]
            drawn = {}
            for target in TARGETS:
                (drawn[target],) = self.results(function, {"x": (x, [17])}, target, *more, "--arg", "rng=5")
                self.check(set(drawn[target]) <= set(allowed), f"{function} {more} on {target} draws {set(drawn[target]) - set(allowed)}")
                for i, weight in zip(allowed, share):
                    p = weight / sum(share)
                    often = drawn[target].count(i) / 20000
                    self.check(abs(often - p) <= 5 * math.sqrt(p * (1 - p) / 20000) + 1e-9, f"{function} {more} on {target}: {i} at {often}, expected {p}")
            self.check(drawn["cpu"] == drawn["reference"], f"{function} {more}: the CPU draws otherwise")

    def mixtures(self, shape, dice):
        T, D, E, F = shape
        shapes = {"x": [T, D], "router": [D, E], "w_gate": [E, D, F], "w_up": [E, D, F], "w_down": [E, F, D]}
        given = {name: [single(dice.gauss(0, 0.7)) for _ in range(math.prod(extents))] for name, extents in shapes.items()}
        arguments = {name: (given[name], shapes[name]) for name in WEIGHTS}
        expected = mixture(given, shape)
        loss = lambda: math.fsum(y * y for y in mixture(given, shape))
        places = [(name, dice.randrange(len(given[name]))) for name in WEIGHTS for _ in range(4)]
        slopes = []
        for name, i in places:
            before, step = given[name][i], 1e-6
            given[name][i] = before + step
            above = loss()
            given[name][i] = before - step
            slopes.append((above - loss()) / (2 * step))
            given[name][i] = before
        for target in TARGETS:
            (got,) = self.results("mixture", arguments, target)
            worst = max(abs(a - b) for a, b in zip(got, expected))
            self.check(worst <= 1e-5 * max(1.0, max(map(abs, expected))), f"a mixture of {shape} on {target} is {worst} off")
            parts = dict(zip(WEIGHTS, self.results("slopes", arguments, target)))
            largest = max(1.0, max(map(abs, slopes)))
            for (name, i), slope in zip(places, slopes):
                self.check(abs(parts[name][i] - slope) <= 1e-4 * largest, f"the slope of {name}[{i}] of {shape} on {target}: {parts[name][i]}, expected {slope}")


def main(tessera):
    dice = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        serving = Serving(tessera, folder)
        for count in (0, 1, 2, 3, 4, 7, 8, 9, 31, 257, 1000):
            serving.places(count, dice)
        serving.draws(dice)
        for shape in ((1, 1, 2, 1), (5, 4, 3, 7), (13, 8, 5, 6)):
            serving.mixtures(shape, dice)
    print(f"{serving.right} results are right, {serving.wrong} are not")
    return serving.wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
