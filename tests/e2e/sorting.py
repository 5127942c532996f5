#!/usr/bin/env python3
"""Sorting, by the reference and compiled for the CPU, against Python's `sorted`, which is stable, too.

    sorting.py TESSERA

Rows of awkward lengths with ties, NaN, both zeros and both infinities, along every axis; places must be equal, values the
same bits.
"""
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
def both[N](x: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[N, i64], Tensor[N, f32], Tensor[N, i64]):
    return sort(x), argsort(x), sort(x, descending=True), argsort(x, descending=True)

def first[A, B, C](x: Tensor[A, B, C, f32]) -> (Tensor[A, B, C, f32], Tensor[A, B, C, i64], Tensor[A, B, C, f32], Tensor[A, B, C, i64]):
    return sort(x, axis=0), argsort(x, axis=0), sort(x, axis=0, descending=True), argsort(x, axis=0, descending=True)

def inner[A, B, C](x: Tensor[A, B, C, f32]) -> (Tensor[A, B, C, f32], Tensor[A, B, C, i64], Tensor[A, B, C, f32], Tensor[A, B, C, i64]):
    return sort(x, axis=1), argsort(x, axis=1), sort(x, axis=1, descending=True), argsort(x, axis=1, descending=True)

def chosen[N](x: Tensor[N, f32]) -> (Tensor[5, f32], Tensor[5, i64], Tensor[5, f32], Tensor[5, i64]) where N >= 5:
    values, places = topk(x, 5)
    least, where_least = topk(x, 5, largest=False)
    return values, places, least, where_least

def middle[N](x: Tensor[N, f32]) -> f32:
    return median(x)
"""


def bits(value):
    return "nan" if value != value else struct.pack("<f", value)


def order(row, falling):
    """NaN last in both directions; `sorted` keeps what is equal as it came."""
    return sorted(range(len(row)), key=lambda i: (row[i] != row[i], 0.0 if row[i] != row[i] else -row[i] if falling else row[i]))


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def numbers(count, kind, dice):
    special = [math.nan, 0.0, -0.0, math.inf, -math.inf]
    draw = {
        "ties": lambda: float(dice.randrange(4)),
        "special": lambda: dice.choice(special) if dice.random() < 0.5 else float(dice.randrange(-3, 4)),
        "any": lambda: single(dice.gauss(0, 1)),
    }[kind]
    return [draw() for _ in range(count)]


class Sorting(Tool):
    right = wrong = 0

    def results(self, function, values, shape, target):
        write_npy(self.path("x.npy"), values, shape)
        out = tempfile.mkdtemp(dir=self.folder)
        result = self.call(PROGRAM, "run", function, "--arg", "x=x.npy", "--target", target, "--out", out + "/")
        if result.returncode != 0:
            sys.exit(f"{function} {shape} on {target}: {result.stdout}{result.stderr}")
        return [read_npy(os.path.join(out, name))[1] for name in sorted(os.listdir(out))]

    def check(self, function, shape, kind, target, got, expected):
        same = len(got) == len(expected) and all(
            [bits(v) if isinstance(v, float) else v for v in a] == [bits(v) if isinstance(v, float) else v for v in b] for a, b in zip(got, expected)
        )
        self.right += same
        if not same:
            self.wrong += 1
            print(f"FAILED {function} {shape} of {kind} on {target}: {[g[:9] for g in got]}, expected {[e[:9] for e in expected]}")

    def rows(self, function, shape, axis, kind, dice):
        count = math.prod(shape)
        x = numbers(count, kind, dice)
        behind = math.prod(shape[axis + 1 :])
        expected = []
        for falling in (False, True):
            values, places = [0.0] * count, [0] * count
            for at in range(count):
                if at // behind % shape[axis]:
                    continue  # `at` is where a row begins
                row = [at + i * behind for i in range(shape[axis])]
                for i, place in enumerate(order([x[e] for e in row], falling)):
                    values[row[i]], places[row[i]] = x[row[place]], place
            expected += [values, places]
        for target in ("reference", "cpu"):
            self.check(function, shape, kind, target, self.results(function, x, shape, target), expected)

    def selections(self, length, kind, dice):
        x = numbers(length, kind, dice)
        falling, rising = order(x, True), order(x, False)
        chosen = [[x[i] for i in falling[:5]], falling[:5], [x[i] for i in rising[:5]], rising[:5]]
        middle = math.nan if any(v != v for v in x) else 0.5 * x[rising[(length - 1) // 2]] + 0.5 * x[rising[length // 2]]
        for target in ("reference", "cpu"):
            self.check("chosen", [length], kind, target, self.results("chosen", x, [length], target), chosen)
            self.check("middle", [length], kind, target, self.results("middle", x, [length], target), [[single(middle)]])


def main(tessera):
    dice = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        sorting = Sorting(tessera, folder)
        for length in (0, 1, 2, 3, 7, 31, 32, 33, 127, 128, 129, 1009, 2047, 2048, 2049):
            sorting.rows("both", [length], 0, dice.choice(["ties", "special"]), dice)
        sorting.rows("both", [257], 0, "any", dice)
        for shape in ([1, 1, 1], [5, 3, 7], [33, 2, 3], [2, 64, 1], [3, 0, 2], [0, 2, 2]):
            sorting.rows("first", shape, 0, "special", dice)
            sorting.rows("inner", shape, 1, "special", dice)
        for length, kind in ((5, "ties"), (6, "special"), (64, "special"), (101, "any"), (1000, "any")):
            sorting.selections(length, kind, dice)
    print(f"{sorting.right} results are right, {sorting.wrong} are not")
    return sorting.wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
