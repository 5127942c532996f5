#!/usr/bin/env python3
"""Orders of long rows, and sums at places, compiled for the CPU, against NumPy: hubs, places that count from the end, places outside, all at one.

    places_against_numpy.py TESSERA
"""
import os
import sys

import library_against_numpy as base  # without NumPy it ends the program here
import numpy as np

base.CASES.clear()
base.random = RANDOM = np.random.default_rng(21)


@base.case("""
def orders[N](x: Tensor[N, f32]):
    return argsort(x), argsort(x, descending=True)
""")
def orders():
    for n in (0, 1, 2, 8191, 8193, 20011):
        special = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf, 1.0], np.float32)
        for x in (base.f32(n), np.zeros(n, np.float32), np.sort(base.f32(n)), np.sort(base.f32(n))[::-1].copy(), special[RANDOM.integers(0, 6, n)]):
            yield {"x": x}, (np.argsort(x, kind="stable"), np.argsort(-x, kind="stable")), 0


@base.case("""
def sums_at[N, V, D](x: Tensor[V, D, f32], at: Tensor[N, i64], values: Tensor[N, D, f32]):
    return index_add(x, at, values)
""")
def sums_at():
    for n, v, d in ((0, 3, 2), (1, 1, 1), (97, 13, 7), (8209, 101, 3), (9001, 70001, 1), (20011, 5, 2)):
        hub = np.where(RANDOM.integers(0, 3, n) == 0, RANDOM.integers(0, v, n), v // 2)
        for at in (RANDOM.integers(0, v, n), RANDOM.integers(-v, v, n), RANDOM.integers(-2 * v, 2 * v, n), np.full(n, v - 1), np.arange(n) % v, np.arange(n)[::-1] % v, hub):
            args = {"x": base.f32(v, d), "at": at.astype(np.int64), "values": base.f32(n, d)}
            x, at, values = base.wide(args).values()
            there = (-v <= at) & (at < v)
            np.add.at(x, at[there], values[there])
            yield args, (x,), 1e-4


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(base.main(os.path.abspath(sys.argv[1])))
