#!/usr/bin/env python3
"""Rows of different lengths that lie behind each other, by the reference and compiled for the CPU, against sums in f64.

    ragged.py TESSERA

The programs are those of programs/data_ranges.tsr. Here `row` rises, some rows are empty, and elements outside of the rows are
infinite or NaN where a program must not read them: a tile that reaches over the end of its row would show them.
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

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 32  # of what is attended to


class Ragged(Tool):
    right = wrong = 0

    def __init__(self, tessera, folder):
        super().__init__(tessera, folder)
        with open(os.path.join(HERE, "programs", "data_ranges.tsr"), encoding="utf-8") as file:
            self.text = file.read()

    def results(self, function, target, arguments):
        words = []
        for name, (values, shape, code) in arguments.items():
            write_npy(self.path(name + ".npy"), values, shape, code)
            words += ["--arg", f"{name}={name}.npy"]
        out = tempfile.mkdtemp(dir=self.folder)
        result = self.call(self.text, "run", function, *words, "--target", target, "--out", out + "/")
        if result.returncode != 0:
            sys.exit(f"{function} on {target}: {result.stdout}{result.stderr}")
        return [list(read_npy(os.path.join(out, name))[1]) for name in sorted(os.listdir(out))]

    def check(self, function, arguments, expected, lengths):
        """`expected` of each result; f32 sums of at most some hundred terms."""
        for target in ("reference", "cpu"):
            got = self.results(function, target, arguments)
            pairs = [pair for a, b in zip(got, expected) for pair in zip(a, b)]
            same = [len(a) for a in got] == [len(b) for b in expected] and all(abs(a - b) <= 2e-5 * max(1.0, abs(b)) for a, b in pairs)
            self.right += same
            self.wrong += not same
            if not same:
                print(f"FAILED {function} with rows of {lengths} on {target}: {[g[:5] for g in got]}, expected {[e[:5] for e in expected]}")


def rows_of(lengths, before, behind):
    """Where each row begins; there are elements before the first and behind the last."""
    starts = [before]
    for length in lengths:
        starts.append(starts[-1] + length)
    return starts, starts[-1] + behind


def numbers(count, dice):
    return [dice.uniform(-1, 1) for _ in range(count)]


def singles(values):
    return list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values)))


def sparse(ragged, lengths, dice):
    row, count = rows_of(lengths, 2, 3)
    columns = 19
    value, x = singles(numbers(count, dice)), singles(numbers(columns, dice))
    column = [dice.randrange(columns) for _ in range(count)]
    for at in range(count):
        if not row[0] <= at < row[-1]:
            value[at] = math.nan
    y = [math.fsum(value[j] * x[column[j]] for j in range(a, b)) for a, b in zip(row, row[1:])]
    rows = len(lengths)
    made = {"y": ([0.0] * rows, [rows], "f")}
    for function, code, more in (("rows_of_lanes", "i", made), ("rows_of_groups", "q", {}), ("rows_of_warps", "i", made), ("product", "i", {})):
        arguments = {"row": (row, [rows + 1], code), "col": (column, [count], code), "val": (value, [count], "f"), "x": (x, [columns], "f")}
        ragged.check(function, {**arguments, **more}, [y], lengths)
    dvalue, dx = [0.0] * count, [0.0] * columns
    for r, (a, b) in enumerate(zip(row, row[1:])):
        for j in range(a, b):
            dvalue[j] += 2 * y[r] * x[column[j]]
            dx[column[j]] += 2 * y[r] * value[j]
    arguments = {"row": (row, [rows + 1], "i"), "col": (column, [count], "i"), "val": (value, [count], "f"), "x": (x, [columns], "f")}
    ragged.check("slopes", arguments, [[math.fsum(v * v for v in y)], dvalue, dx], lengths)


def segments(ragged, lengths, width, dice):
    row, count = rows_of(lengths, 1, 70)
    rows = len(lengths)
    x = singles(numbers(count * width, dice))
    for at in range(count):
        if not row[0] <= at < row[-1]:
            x[at * width : (at + 1) * width] = [math.inf] * width
    column = lambda r, d: [x[j * width + d] for j in range(row[r], row[r + 1])]
    sums = [math.fsum(column(r, d)) for r in range(rows) for d in range(width)]
    most = [max(column(r, d), default=-1000.0) for r in range(rows) for d in range(width)]
    arguments = {"row": (row, [rows + 1], "i"), "x": (x, [count, width], "f")}
    ragged.check("segments", arguments, [sums], lengths)
    ragged.check("largest", arguments, [most], lengths)
    ragged.check("inside", {"row": (row, [rows + 1], "q"), "x": (x, [count, width], "f")}, [sums], lengths)


def attention(ragged, lengths, dice):
    row, count = rows_of(lengths, 0, 40)
    rows = len(lengths)
    q, k, v = (singles(numbers(n * WIDTH, dice)) for n in (rows, count, count))
    expected = []
    for r in range(rows):
        keys = range(row[r], row[r + 1])
        scores = [0.125 * math.fsum(q[r * WIDTH + d] * k[j * WIDTH + d] for d in range(WIDTH)) for j in keys]
        weights = [math.exp(s) for s in scores]
        for d in range(WIDTH):
            expected.append(math.fsum(w * v[j * WIDTH + d] for w, j in zip(weights, keys)) / math.fsum(weights) if weights else 0.0)
    arguments = {"row": (row, [rows + 1], "i"), "q": (q, [rows, WIDTH], "f"), "k": (k, [count, WIDTH], "f"), "v": (v, [count, WIDTH], "f")}
    ragged.check("attended", arguments, [expected], lengths)


def main(tessera):
    dice = random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        ragged = Ragged(tessera, folder)
        for lengths in ([0], [1], [3, 0, 7, 1], [31, 32, 33, 0, 5], [127, 2, 65]):
            sparse(ragged, lengths, dice)
            segments(ragged, lengths, 5, dice)
            attention(ragged, lengths, dice)
        segments(ragged, [64, 63, 0, 1], 33, dice)
    print(f"{ragged.right} results are right, {ragged.wrong} are not")
    return ragged.wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
