#!/usr/bin/env python3
"""The safe functions of the standard library against exact arithmetic, over the whole range of f32: rules L1 to L8.

    library_numerics.py [--target cpu] TESSERA

Each function is compiled and run by the reference on the same rows; both must lie within the bound that
docs/spec/numerics.md states, computed here in f64 from the rule's own formula.
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

import struct  # noqa: E402

U = 2.0**-24  # half a unit in the last place of f32, relative
TINY = 2.0**-126  # below it f32 keeps fewer digits
INF, NAN = math.inf, math.nan
EPS_RMS, EPS_LAYER = 1e-6, 1e-5

PROGRAM = """
def softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return softmax_safe(x)

def log_softmax[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return log_softmax_safe(x)

def rms[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return rmsnorm_safe(x)

def layer[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return layernorm_safe(x)

def length[N](x: Tensor[N, f32]) -> f32:
    return norm(x)

def gelus[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return gelu(x)

def softpluses[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return softplus(x)

def complements[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return erfc(x)

def logs[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return log1p(x)

def exponentials[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return expm1(x)

def of_tan[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return tan(x)

def of_asin[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return asin(x)

def of_acos[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return acos(x)

def of_atan[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return atan(x)

def of_sinh[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return sinh(x)

def of_cosh[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return cosh(x)

def of_asinh[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return asinh(x)

def of_acosh[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return acosh(x)

def of_atanh[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return atanh(x)

def of_log10[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return log10(x)

def of_trunc[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return trunc(x)

def of_mish[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return mish(x)

def of_logsigmoid[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return logsigmoid(x)

def of_selu[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return selu(x)

def of_atan2[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    return atan2(x, y)

def of_hypot[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    return hypot(x, y)

def of_fmod[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    return fmod(x, y)

def of_lerp[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    return lerp(x, y, 0.7)

def masked[S, T](q: Tensor[S, 4, f32], k: Tensor[T, 4, f32], v: Tensor[T, 4, f32]) -> Tensor[S, 4, f32]:
    return flash_attention(q, k, v, causal=True)
"""


def f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


# ---------------------------------------------------------------- exact values and bounds: (value, bound) for each element


def shares(row):
    if any(x != x or x == INF for x in row):
        return None  # no number is promised
    largest = max(row)
    if largest == -INF:
        return None, None
    terms = [math.exp(x - largest) if x > -INF else 0.0 for x in row]
    return largest, math.fsum(terms)


def softmax(row):
    largest, total = shares(row)
    if largest is None:
        return [(0.0, 0.0)] * len(row)
    n = len(row)
    return [(p, p * (n + 16 + min(largest - x, 1e3)) * U + TINY) for x in row for p in [math.exp(x - largest) / total if x > -INF else 0.0]]


def log_softmax(row):
    largest, total = shares(row)
    if largest is None:
        return [(-INF, 0.0)] * len(row)
    return [(r, (len(row) + 8 + 3 * abs(r)) * U if x > -INF else 0.0) for x in row for r in [x - largest - math.log(total)]]


def scaled(row):
    """The row over its largest element, and that element: squares that f64 holds."""
    largest = max(abs(x) for x in row) or 1.0
    return [x / largest for x in row], largest


def rms(row):
    y, largest = scaled(row)
    root = math.sqrt(math.fsum(v * v for v in y) / len(row) + EPS_RMS / largest / largest)
    return [(v / root, abs(v / root) * (len(row) + 12) * U + len(row) * TINY) for v in y]


def layer(row):
    n = len(row)
    y, largest = scaled(row)
    mean = math.fsum(y) / n
    centred = [v - mean for v in y]
    rest = math.fsum(centred) / n  # of rounding to f64
    centred = [v - rest for v in centred]
    root = math.sqrt(math.fsum(v * v for v in centred) / n + EPS_LAYER / largest / largest)
    deviation = root or 1.0
    lost = 1 + n * U * abs(mean) / deviation
    return [(v / root if root else 0.0, (n + 16) * U * lost * (1 + abs(v / deviation))) for v in centred]


def length(values):
    y, largest = scaled(values)
    r = largest * math.sqrt(math.fsum(v * v for v in y))
    return [(r if r <= 3.4028235e38 else INF, r * (len(values) + 8) * U + TINY)]


def gelu(x):
    r = 0.5 * x * math.erfc(-x * math.sqrt(0.5))
    return r, abs(r) * (2 * x * x + 16) * U + 16 * TINY


def softplus(x):
    r = max(x, 0.0) + math.log1p(math.exp(-abs(x)))
    return r, r * 12 * U + TINY


def of_function(f, error=lambda x: 16):
    def exact(x):
        try:
            r = f(x)
        except OverflowError:
            r = -INF if f is math.sinh and x < 0 else INF
        except ValueError:  # NaN, or the infinity at the end of a domain
            r = -INF if x == -1 and f in (math.log1p, math.atanh) else INF if x == 1 and f is math.atanh else NAN
        return r, abs(r) * error(x) * U + TINY if math.isfinite(r) else 0.0

    return exact


def mish(x):
    r = x * math.tanh(softplus(x)[0])
    return r, abs(r) * 24 * U + TINY


def logsigmoid(x):
    r = min(x, 0.0) - math.log1p(math.exp(-abs(x)))
    return r, abs(r) * 12 * U + TINY


def selu(x):
    r = 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))
    return r, abs(r) * 16 * U + TINY


def of_two(f, error):
    def exact(x, y):
        try:
            r = f(x, y)
        except ValueError:
            r = NAN
        return r, error(x, y, r) + TINY

    return exact


# Rule L8.
OF_ONE = {
    "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh, "log10": math.log10, "trunc": lambda x: float(math.trunc(x)),
}
OF_TWO = {
    "atan2": of_two(math.atan2, lambda x, y, r: 8 * U * abs(r)),
    "hypot": of_two(math.hypot, lambda x, y, r: 8 * U * r),
    "fmod": of_two(math.fmod, lambda x, y, r: 0.0),
    "lerp": of_two(lambda x, y: x + 0.7 * (y - x), lambda x, y, r: 8 * U * (abs(x) + abs(y))),
}


# ---------------------------------------------------------------- inputs


def rows(random_):
    """Rows of one length at a time, of all magnitudes."""
    for n in (1, 2, 3, 31, 64, 257, 1000, 5000):
        many = []
        noise = lambda s=1.0: random_.gauss(0, s)  # noqa: E731
        for scale in (1e-38, 1e-30, 1e-20, 1e-6, 1.0, 80.0, 1e4, 1e10, 1e19, 1e20, 1e30, 1e37 / n, 1e37):
            many.append([noise(scale) for _ in range(n)])
        many.append([1e4 + noise(1e-2) for _ in range(n)])
        many.append([-3e4 + noise(1.0) for _ in range(n)])
        many.append([1e20 + noise(1e14) for _ in range(n)])
        many.append([3.0] * n)
        many.append([-1.7e20] * n)
        many.append([0.0] * n)
        many.append([1000.0 if i == n // 2 else noise() for i in range(n)])
        many.append([random_.uniform(-100, 0) for _ in range(n)])
        many.append([-100.0 * i / n for i in range(n)])
        yield [[f32(x) for x in row] for row in many]


def points(random_):
    values = [0.0, -0.0, 1e-45, -1e-45, 1e-38, 1e-30, -1e-30, 1e-8, -1e-8, 0.5, 1.0, 3.4e38, -3.4e38]
    values += [i / 8 for i in range(-840, 841)]
    values += [random_.choice((-1, 1)) * 10 ** random_.uniform(-38, 38) for _ in range(500)]
    return [f32(x) for x in values]


# ---------------------------------------------------------------- running


class Runner:
    def __init__(self, tessera, target, folder):
        self.tessera, self.folder, self.good, self.bad, self.worst = tessera, folder, 0, 0, {}
        self.targets = (target, "reference")
        self.program = os.path.join(folder, "library.tsr")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def run(self, function, target, arrays):
        words = [self.tessera, "run", self.program, function, "--target", target, "--out", os.path.join(self.folder, "out.npy")]
        for name, (values, shape) in arrays.items():
            path = os.path.join(self.folder, name + ".npy")
            write_npy(path, values, shape)
            words += ["--arg", f"{name}={path}"]
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            sys.exit(f"FAILED {function} for {target}: {result.stdout}{result.stderr}")
        return read_npy(os.path.join(self.folder, "out.npy"))[1]

    def compare(self, function, target, inputs, got, expected):
        for x, value, (exact, bound) in zip(inputs, got, expected):
            exact = exact if not math.isfinite(exact) else exact if abs(exact) <= 3.4028235e38 else math.copysign(INF, exact)
            right = value == exact or (exact != exact and value != value) or abs(value - exact) <= bound
            self.good += right
            self.bad += not right
            if bound > 0 and math.isfinite(exact) and math.isfinite(value):
                key = (function, target)
                self.worst[key] = max(self.worst.get(key, 0), abs(value - exact) / bound)
            if not right and self.bad < 20:
                print(f"FAILED {function} for {target}: of {x!r} it is {value!r} and not {exact!r}, by more than {bound:.3g}")

    def of_rows(self, function, exact, table):
        values = [x for row in table for x in row]
        expected = [pair for row in table for pair in exact(row)]
        for target in self.targets:
            got = self.run(function, target, {"x": (values, (len(table), len(table[0])))})
            self.compare(function, target, values, got, expected)

    def of_all(self, function, exact, values):
        for target in self.targets:
            self.compare(function, target, [values[:3]], self.run(function, target, {"x": (values, (len(values),))}), exact(values))

    def of_points(self, function, exact, values):
        expected = [exact(x) for x in values]
        for target in self.targets:
            got = self.run(function, target, {"x": (values, (len(values),))})
            self.compare(function, target, values, got, expected)

    def of_pairs(self, function, exact, pairs):
        xs, ys = zip(*pairs)
        expected = [exact(x, y) for x, y in pairs]
        for target in self.targets:
            got = self.run(function, target, {"x": (list(xs), (len(xs),)), "y": (list(ys), (len(ys),))})
            self.compare(function, target, pairs, got, expected)

    def of_masks(self):
        """Rows with nothing to choose, and causal attention of fewer keys than queries: zeros."""
        table = [[-INF] * 5, [-INF, 1.0, -INF, 2.0, -INF], [-INF, -INF, -3e38, -INF, -INF], [0.0] * 5]
        self.of_rows("softmax", softmax, table)
        self.of_rows("log_softmax", log_softmax, table)
        q, k, v = ([f32(random.Random(seed).gauss(0, 1)) for _ in range(4 * n)] for seed, n in ((1, 5), (2, 3), (3, 3)))
        for target in self.targets:
            got = self.run("masked", target, {"q": (q, (5, 4)), "k": (k, (3, 4)), "v": (v, (3, 4))})
            # Query 0 and 1 of five see none of three keys, query 2 the first.
            self.compare("masked", target, got, got[:12], [(0.0, 0.0)] * 8 + [(x, 0.0) for x in v[:4]])
            right = all(math.isfinite(x) for x in got)
            self.good += right
            self.bad += not right


def main(tessera, target):
    random_ = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tessera, target, folder)
        for table in rows(random_):
            runner.of_rows("softmax", softmax, table)
            runner.of_rows("log_softmax", log_softmax, table)
            runner.of_rows("rms", rms, table)
            runner.of_rows("layer", layer, table)
        for scale in (1e-40, 1e-30, 1.0, 1e20, 1e36):
            runner.of_all("length", length, [f32(random_.gauss(0, scale)) for _ in range(3001)])
        runner.of_all("length", length, [0.0, 0.0])
        runner.of_all("length", length, [1.0, INF])
        values = points(random_)
        runner.of_points("gelus", gelu, values)
        runner.of_points("softpluses", softplus, values)
        runner.of_points("complements", of_function(math.erfc), values)
        runner.of_points("logs", of_function(math.log1p), [x for x in values if x > -1])
        runner.of_points("exponentials", of_function(math.expm1, lambda x: 8), values)
        for name, function in OF_ONE.items():
            runner.of_points("of_" + name, of_function(function, lambda x: 8), [x for x in values if name != "log10" or x != 0])
        for name, function in (("mish", mish), ("logsigmoid", logsigmoid), ("selu", selu)):
            runner.of_points("of_" + name, function, [x for x in values if abs(x) < 700 or name != "selu"])
        others = [random_.choice(values) for _ in values]
        small = [(x, y) for x, y in zip(values, others) if abs(x) < 1e38 and abs(y) < 1e38]
        for name, function in OF_TWO.items():
            runner.of_pairs("of_" + name, function, small)
        runner.of_masks()
        for (function, where), part in sorted(runner.worst.items()):
            print(f"{function} for {where}: at most {part:.2f} of the bound")
        print(f"{runner.good} elements are right, {runner.bad} are not")
        return 0 if runner.good and not runner.bad else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cpu", help="what is compiled and run: cpu, cuda:sm_90a, ...")
    parser.add_argument("tessera")
    given = parser.parse_args()
    sys.exit(main(os.path.abspath(given.tessera), given.target))
