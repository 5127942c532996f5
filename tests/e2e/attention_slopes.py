#!/usr/bin/env python3
"""Derivatives of attention as they are emitted for GPUs: run as HIP on the CPU, beside float64.

    attention_slopes.py TESSERAC FOLDER [FUNCTION...]

Each kernel goes over the scores again: none stores anything of their size, in the function or in its derivative. Extents are
awkward: 1, 2, numbers beside a tile, fewer keys than queries; masks hide whole rows. Results hold NaN before each run, and
what lies beside them must stay as it is.
"""
import ctypes
import hashlib
import math
import os
import random
import sys

import attention
from attention import dot, rows
from memory_bound import SHIM, Array, Device

PROGRAM = """
def masked[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32]) -> Tensor[B, S, D, f32] where D <= 64:
    return flash_attention(q, k, v, causal=True)

def by_hand[B, S, T](q: Tensor[B, S, 16, f32], k: Tensor[B, T, 16, f32], v: Tensor[B, T, 40, f32]) -> Tensor[B, S, 40, f32]:
    s = q @ transpose(k, -2, -1) * 0.25
    e = exp(s - max(s, axis=-1, keepdim=True))
    return (e / sum(e, axis=-1, keepdim=True)) @ v

def capped[B, S, T](q: Tensor[B, S, 24, f32], k: Tensor[B, T, 24, f32], v: Tensor[B, T, 24, f32]) -> Tensor[B, S, 24, f32]:
    s = 5.0 * tanh(q @ transpose(k, -2, -1) * 0.2)
    query, key = iota(s.shape, axis=-2), iota(s.shape, axis=-1)
    return softmax_safe(where((key <= query - 3) & (key + 20 > query), s, -INF)) @ v

def halves[B, S, T](q: Tensor[B, S, 64, bf16 @accum(f32)], k: Tensor[B, T, 64, bf16 @accum(f32)], v: Tensor[B, T, 64, bf16 @accum(f32)]) -> Tensor[B, S, 64, bf16]:
    return flash_attention(q, k, v, causal=True)

def heads[S](x: Tensor[S, 96, bf16 @accum(f32)]) -> Tensor[S, 32, bf16]:
    q, k, v = [t.reshape(S, 2, 16).transpose(0, 1) for t in split(x, 3, axis=-1)]
    return flash_attention(q, k, v, causal=True).transpose(0, 1).reshape(S, 32)

def weighed[B, S, T](q: Tensor[B, S, 16, f32], k: Tensor[B, T, 16, f32], v: Tensor[B, T, 16, f32], w: Tensor[B, S, 16, f32]) -> f32:
    return sum(flash_attention(q, k, v, causal=True) * w)

def padded[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32], length: Tensor[B, f32]) -> Tensor[B, S, D, f32]:
    s = q @ transpose(k, -2, -1) * rsqrt(f32(D))
    s = where(iota(s.shape, axis=2) < cast(length, i32)[:, None, None], s, -INF)
    return softmax_safe(s) @ v

def places[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32], first: Tensor[B, f32]) -> Tensor[B, S, D, f32] where D <= 64:
    s = q @ transpose(k, -2, -1)
    s = where(iota(s.shape, axis=1) + 1 > cast(first, i32)[:, None, None], s, -INF)
    return softmax_safe(s) @ v

def biased[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32], bias: Tensor[S, T, f32]) -> Tensor[B, S, D, f32]:
    return softmax_safe(q @ transpose(k, -2, -1) * rsqrt(f32(D)) + bias) @ v

def rounded[B, S, T, D](q: Tensor[B, S, D, bf16 @accum(f32)], k: Tensor[B, T, D, bf16 @accum(f32)], v: Tensor[B, T, D, bf16 @accum(f32)], bias: Tensor[S, T, bf16]) -> Tensor[B, S, D, bf16] where D <= 128:
    s = q @ transpose(k, -2, -1) * rsqrt(f32(D)) + cast(bias, f32)
    return cast(softmax_safe(s), bf16) @ v

slopes_padded = vjp(padded, wrt=("q", "k", "v"))
slopes_places = vjp(places, wrt=("q", "k", "v"))
slopes_biased = vjp(biased, wrt=("q", "k", "v", "bias"))
slopes_rounded = vjp(rounded, wrt=("q", "k", "v", "bias"))
slopes_weighed = value_and_grad(weighed, wrt=("q", "k", "v"))
slopes_masked = vjp(masked, wrt=("q", "k", "v"))
slopes_by_hand = vjp(by_hand, wrt=("q", "k", "v"))
slopes_capped = vjp(capped, wrt=("q", "k", "v"))
slopes_halves = vjp(halves, wrt=("q", "k", "v"))
slopes_heads = vjp(heads, wrt="x")
"""
SIZES = [(1, 1), (2, 63), (64, 2), (63, 65), (65, 64), (130, 66), (40, 140)]
FUNCTIONS = {  # sizes S and T
    "masked 16": SIZES, "masked 33": SIZES[3:5], "masked 64": [(65, 129)], "weighed": SIZES,
    "by_hand": SIZES, "capped": SIZES, "halves": SIZES[:5], "heads": [(1, 1), (65, 65), (130, 130)],
    "padded 16": SIZES, "padded 130": SIZES[3:5], "places 16": SIZES, "biased 16": SIZES, "biased 130": SIZES[3:5], "rounded 16": SIZES[:5], "rounded 64": SIZES[3:4],
}
LONG = ("slopes_padded", "slopes_biased")  # heads may be longer than those for which scores are computed again, and are then stored
PER_BATCH = ("padded", "places")  # a number of each batch: what it hides ends, or begins, there


def slopes(q, k, v, do, score):
    """Derivatives of one head, the last by the scores: lists of rows. `score` gives a product's score and the derivative by it."""
    made = [[score(dot(query, key), i, j) for j, key in enumerate(k)] for i, query in enumerate(q)]
    weights = [attention.softmax([s for s, _ in row]) for row in made]
    seen = [[dot(d, value) for value in v] for d in do]
    ds, by_scores = [], []
    for row, w, d in zip(made, weights, seen):
        mean = dot(w, d)
        by_scores.append([x * (y - mean) for x, y in zip(w, d)])
        ds.append([x * slope for (_, slope), x in zip(row, by_scores[-1])])
    product = lambda a, b: [[dot(row, column) for column in zip(*b)] for row in a]
    turned = lambda a: list(zip(*a))
    return product(ds, k), product(turned(ds), q), product(turned(weights), do), by_scores


def case(name, s, t):
    """Shapes of the arguments and the results, the dtype, how far a result may be off, and the right ones."""
    kind, d = name.split()[0], int((name.split() + [{"by_hand": 16, "weighed": 16, "capped": 24, "halves": 64, "heads": 16}.get(name, 0)])[1])
    b, e, dtype = 2, 40 if kind == "by_hand" else d, "bf16" if kind in ("halves", "heads", "rounded") else "f32"
    scale = 0.25 if kind == "by_hand" else 1.0 if kind == "places" else 1 / math.sqrt(d)

    def score(x, i, j):
        if kind == "capped":
            capped = math.tanh(0.2 * x)
            return (5 * capped, 1 - capped * capped) if i - 20 < j <= i - 3 else (-math.inf, 0.0)
        return (x * scale, scale) if kind == "by_hand" or j <= i + t - s else (-math.inf, 0.0)

    def value(q, k, v, w):  # of `weighed`: the derivative by the result of attention is w
        made = []
        for h in range(b):
            part = lambda values, count: rows(values[h * count * d:(h + 1) * count * d], count, d)
            made += [x for row in attention.attended(part(q, s), part(k, t), part(v, t), lambda x, i, j: score(x, i, j)[0]) for x in row]
        return [dot(made, w)]

    def right(q, k, v, do):
        of = lambda values, count, width, h: rows(values[h * count * width:(h + 1) * count * width], count, width)
        heads = [slopes(of(q, s, d, h), of(k, t, d, h), of(v, t, e, h), of(do, s, e, h), score) for h in range(b)]
        return [[x for head in heads for row in head[i] for x in row] for i in range(3)]

    def right_with(q, k, v, more, do):
        of = lambda values, count, h: rows(values[h * count * d:(h + 1) * count * d], count, d)
        of_head = {"padded": lambda h: lambda x, i, j: (x * scale, scale) if j < more[h] else (-math.inf, 0.0),
                   "places": lambda h: lambda x, i, j: (x, 1.0) if i + 1 > more[h] else (-math.inf, 0.0)}
        with_bias = lambda h: lambda x, i, j: (x * scale + more[i * t + j], scale)
        heads = [slopes(of(q, s, h), of(k, t, h), of(v, t, h), of(do, s, h), of_head.get(kind, with_bias)(h)) for h in range(b)]
        by_bias = [] if kind in PER_BATCH else [[math.fsum(head[3][i][j] for head in heads) for i in range(s) for j in range(t)]]
        return [[x for head in heads for row in head[i] for x in row] for i in range(3)] + by_bias

    def right_of_heads(x, do):
        part = lambda values, width, first: [row[first:first + d] for row in rows(values, s, width)]
        heads = [slopes(*[part(x, 6 * d, (2 * p + h) * d) for p in range(3)], part(do, 2 * d, h * d), score) for h in range(b)]
        return [[y for i in range(s) for p in range(3) for h in range(b) for y in heads[h][p][i]]]

    if kind == "heads":
        return [(s, 6 * d), (s, 2 * d)], [(s, 6 * d)], dtype, right_of_heads
    shapes, results = [(b, s, d), (b, t, d), (b, t, e), (b, s, e)], [(b, s, d), (b, t, d), (b, t, e)]
    if kind in (*PER_BATCH, "biased", "rounded"):
        more = (b,) if kind in PER_BATCH else (s, t)
        return [*shapes[:3], more, shapes[3]], results if kind in PER_BATCH else [*results, more], dtype, right_with
    if kind == "weighed":
        return shapes, [(), *results], dtype, lambda *inputs: [value(*inputs), *right(*inputs)]
    return shapes, results, dtype, right


def check(library, device, name, sizes, rng):
    shapes, results, dtype, right = case(name, *sizes)
    drawn = lambda shape: [rng.choice([0, sizes[1] // 2, max(sizes)]) if len(shape) == 1 else rng.uniform(-1.5, 1.5) for _ in range(math.prod(shape))]
    arrays = [Array(s, dtype, drawn(s)) for s in shapes]
    made = [Array(s, dtype) for s in results]
    for array in [*arrays, *made]:
        array.tensor.device = device
    if getattr(library, "slopes_" + name.split()[0])(*[ctypes.byref(a.tensor) for a in [*arrays, *made]], None):
        return library.tessLastErrorText().decode()
    if not all(a.intact() for a in [*arrays, *made]):
        return "wrote beside a tensor"
    for number, (array, wanted) in enumerate(zip(made, right(*[a.values() for a in arrays]))):
        near = (0.02 if dtype == "bf16" else 3e-5) * max(1.0, *map(abs, wanted))
        for i, (got, want) in enumerate(zip(array.values(), wanted)):
            if not abs(got - want) <= near:
                return f"element {i} of result {number} is {got}, not {want}"
    return None


def main(tesserac, folder, chosen):
    rng = random.Random(hashlib.sha256(b"slopes of attention").digest())
    library = attention.compiled(tesserac, folder, "hip", ["-O1", "-D__HIP_PLATFORM_AMD__", "-DTSR_WAVE=64", "-I" + SHIM], PROGRAM)
    # A bias that batches share is read turned where it lies so in memory: it has no scores of theirs.
    stored = [line for line in attention.stores_scores(folder) if not line.startswith(LONG) and not (line.startswith("slopes_rounded") and "B" not in line)]
    failed, ran = [f"FAILED {line}" for line in stored], 0
    for name, sizes in FUNCTIONS.items():
        for size in sizes if not chosen or name.split()[0] in chosen else []:
            ran += 1
            if wrong := check(library, Device(10, 0), name, size, rng):
                failed.append(f"FAILED {name} {size}: {wrong}")
    print("\n".join([*failed, f"{ran} cases, {len(failed)} failures"]))
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]))
