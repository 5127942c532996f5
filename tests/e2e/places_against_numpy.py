#!/usr/bin/env python3
"""Orders of long rows, sums at places and stores to places, compiled for the CPU, against NumPy: hubs, places that count from the end,
places outside, all at one, places that are named several times.

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


def places(n, *extents):
    """Places of n elements: of each several, from the end, and outside."""
    kinds = (lambda e: RANDOM.integers(0, e, n), lambda e: RANDOM.integers(-e, e, n), lambda e: RANDOM.integers(-2 * e, 2 * e, n), lambda e: np.full(n, e - 1))
    for kind in kinds:
        at = [kind(e).astype(np.int32) for e in extents]
        there = np.all([(-e <= a) & (a < e) for a, e in zip(at, extents)], axis=0)
        yield at, there


@base.case("""
def stored_pairs[N, M, K](x: Tensor[N, M, f32], i: Tensor[K, i32], j: Tensor[K, i32], v: Tensor[K, f32]):
    y, z, u, w = x, x, x, x
    y[i, j] = v
    z[i, j] = 5.0
    u[i, j] += v
    w[i, j] *= -2.0
    return y, z, u, w
""")
def stored_pairs():
    for n, m, k in ((1, 1, 1), (3, 4, 0), (5, 7, 20), (31, 65, 300), (100, 3, 1000)):
        for (i, j), there in places(k, n, m):
            args = {"x": base.f32(n, m), "i": i, "j": j, "v": base.f32(k)}
            x, _, _, v = base.wide(args).values()
            i, j, v = i[there], j[there], v[there]
            y, z, u, w = x.copy(), x.copy(), x.copy(), x.copy()
            y[i, j] = v
            z[i, j] = 5.0
            u[i, j] += v
            w[i, j] *= -2.0
            yield args, (y, z, u, w), 1e-5


@base.case("""
def stored_rows[N, M, K](x: Tensor[N, M, f32], i: Tensor[K, i32], v: Tensor[K, M, f32]) where M >= 3:
    y, z, u, w = x, x, x, x
    y[i] = v
    z[i, 1] += 1.0
    u[i, 0:2] = v[:, 1:3]
    w[::2, 1] = 0.5
    return y, z, u, w
""")
def stored_rows():
    for n, m, k in ((1, 3, 1), (4, 3, 0), (9, 5, 4), (40, 33, 77)):
        for (i,), there in places(k, n):
            args = {"x": base.f32(n, m), "i": i, "v": base.f32(k, m)}
            x, _, v = base.wide(args).values()
            i, v = i[there], v[there]
            y, z, u, w = x.copy(), x.copy(), x.copy(), x.copy()
            y[i] = v
            z[i, 1] += 1.0
            u[i, 0:2] = v[:, 1:3]
            w[::2, 1] = 0.5
            yield args, (y, z, u, w), 1e-5


@base.case("""
def stored_columns[B, N, M, K](x: Tensor[B, N, M, f32], i: Tensor[K, i32], j: Tensor[K, i32], v: Tensor[B, N, K, f32], w: Tensor[B, K, f32], g: Tensor[2, K, i32], p: Tensor[B, N, 2, K, f32]) where N >= 2:
    y, z, u, a = x, x, x, x
    y[:, :, i] = v
    z[:, j, i] -= w
    u[..., i] += 1.0
    a[..., g] = p
    return y, z, u, a
""")
def stored_columns():
    for b, n, m, k in ((1, 2, 1, 1), (2, 3, 5, 4), (3, 9, 17, 40)):
        for (i, j), there in places(k, m, n):
            (g,), inside = next(iter(places(2 * k, m)))
            args = {"x": base.f32(b, n, m), "i": i, "j": j, "v": base.f32(b, n, k), "w": base.f32(b, k), "g": g.reshape(2, k), "p": base.f32(b, n, 2, k)}
            x, _, _, v, w, g, p = base.wide(args).values()
            own = (-m <= i) & (i < m)
            y, z, u, a = x.copy(), x.copy(), x.copy(), x.copy()
            y[:, :, i[own]] = v[:, :, own]
            z[:, j[there], i[there]] -= w[:, there]
            u[..., i[own]] += 1.0
            a[..., g.astype(int)] = p
            yield args, (y, z, u, a), 1e-5


@base.case("""
def stored_labels[N, M, D](x: Tensor[N, M, f32], t: Tensor[N, M, D, f32], labels: Tensor[N, i32], v: Tensor[N, D, f32]):
    y, z = softmax(x), t
    y[arange(N), labels] -= 1.0
    z[arange(N), labels] = v
    return y, z
""")
def stored_labels():
    for n, m, d in ((1, 1, 1), (6, 5, 3), (33, 129, 2)):
        for (labels,), there in places(n, m):
            args = {"x": base.f32(n, m), "t": base.f32(n, m, d), "labels": labels, "v": base.f32(n, d)}
            x, t, _, v = base.wide(args).values()
            y, z = np.exp(x - x.max(1, keepdims=True)), t.copy()
            y /= y.sum(1, keepdims=True)
            y[np.arange(n)[there], labels[there]] -= 1.0
            z[np.arange(n)[there], labels[there]] = v[there]
            yield args, (y, z), 1e-5


@base.case("""
def stored_masked[N, M](x: Tensor[N, M, f32], r: Tensor[N, f32], c: Tensor[M, f32]) where M >= 2:
    y, z, u, w, a = x, x, x, x, x
    y[x < 0.0] = 0.0
    z[x > 0.3] *= -1.0
    u[r > 0.0] += c
    w[:, c > 0.0] = 9.0
    a[r > 0.0, 1] = 3.0
    b = x
    b[x > 0.0] = x * 2.0
    return y, z, u, w, a, b
""")
def stored_masked():
    for n, m in ((1, 2), (7, 5), (65, 33)):
        args = {"x": base.f32(n, m), "r": base.f32(n), "c": base.f32(m)}
        x, r, c = base.wide(args).values()
        y, z, u, w, a = x.copy(), x.copy(), x.copy(), x.copy(), x.copy()
        y[x < 0.0] = 0.0
        z[x > np.float32(0.3)] *= -1.0
        u[r > 0.0] += c
        w[:, c > 0.0] = 9.0
        a[r > 0.0, 1] = 3.0
        yield args, (y, z, u, w, a, np.where(x > 0, 2 * x, x)), 1e-5


@base.case("""
def stored_parts[N, M](x: Tensor[N, M, f32], k: i32, v: Tensor[2, M, f32], c: Tensor[N, f32]):
    y, z, u, w = x, x, x, x
    y[k:k + 2] = v
    z[k:k + 3] += 1.0
    u[:, k] = c
    w[k:k + 2, k:k + 1] = 4.0
    return y, z, u, w
""")
def stored_parts():
    for n, m in ((1, 1), (3, 4), (20, 33)):
        for k in (-3, -1, 0, 1, n - 1, n, n + 5):
            args = {"x": base.f32(n, m), "k": k, "v": base.f32(2, m), "c": base.f32(n)}
            x, v, c = base.wide({name: args[name] for name in ("x", "v", "c")}).values()
            y, z, u, w = x.copy(), x.copy(), x.copy(), x.copy()
            for row in range(n):
                if k <= row < k + 2:
                    y[row] = v[row - k]
                    if 0 <= k < m:
                        w[row, k] = 4.0
                z[row] += k <= row < k + 3
            if -m <= k < m:
                u[:, k] = c
            yield args, (y, z, u, w), 1e-5


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(base.main(os.path.abspath(sys.argv[1])))
