#!/usr/bin/env python3
"""Attention written plainly in tensor functions: as emitted for CPUs and, as HIP on the CPU, for GPUs, beside float64.

    attention.py TESSERAC FOLDER [FUNCTION...]

Each function is one kernel, or one for each kind of extents, that stores nothing of the size of the scores. Extents are
awkward: 1, 2, numbers beside a tile, fewer keys than queries; masks hide whole rows. Results hold NaN before each run, and
what lies beside them must stay as it is.
"""
import ctypes
import hashlib
import json
import math
import operator
import os
import random
import subprocess
import sys

import memory_bound
from memory_bound import ROOT, SHIM, Array, Device

PROGRAM = """
def plain[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32]) -> Tensor[B, S, D, f32]:
    s = q @ transpose(k, -2, -1) * rsqrt(f32(D))
    return softmax_safe(s) @ v

def by_hand[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32]) -> Tensor[B, S, D, f32]:
    s = q @ transpose(k, -2, -1) * rsqrt(f32(D))
    e = exp(s - max(s, axis=-1, keepdim=True))
    return (e / sum(e, axis=-1, keepdim=True)) @ v

def library[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32], *, causal: bool = True) -> Tensor[B, S, D, f32] where D <= 128:
    return flash_attention(q, k, v, causal=causal)

def halves[B, S, T, D](q: Tensor[B, S, D, bf16 @accum(f32)], k: Tensor[B, T, D, bf16 @accum(f32)], v: Tensor[B, T, D, bf16 @accum(f32)], *, causal: bool = True) -> Tensor[B, S, D, bf16]:
    return flash_attention(q, k, v, causal=causal)

def capped[B, S, T](q: Tensor[B, S, 24, f32], k: Tensor[B, T, 24, f32], v: Tensor[B, T, 40, f32], bias: Tensor[S, T, f32]) -> Tensor[B, S, 40, f32]:
    s = 5.0 * tanh(q @ transpose(k, -2, -1) * 0.2) + bias
    query = iota(s.shape, axis=-2)
    key = iota(s.shape, axis=-1)
    s = where((key <= query - 3) & (key + 20 > query), s, -INF)
    return softmax_safe(s) @ v

def dropped[B, S, T, D](q: Tensor[B, S, D, f32], k: Tensor[B, T, D, f32], v: Tensor[B, T, D, f32]) -> Tensor[B, S, D, f32] where D <= 64:
    w = softmax_safe(q @ transpose(k, -2, -1))
    kept = (iota(w.shape, axis=-2) + iota(w.shape, axis=-1)) % 3 > 0
    return where(kept, w * 1.5, 0.0) @ v + 1.0

def grouped[H, S, T, D](q: Tensor[2 * H, S, D, f32], k: Tensor[H, T, D, f32], v: Tensor[H, T, D, f32]) -> Tensor[2 * H, S, D, f32] where D <= 64:
    s = q.reshape(H, 2, S, D) @ transpose(k, -2, -1)[:, None]
    return (softmax_safe(s) @ v[:, None]).reshape(2 * H, S, D)

def heads[S, T, D](q: Tensor[S, 2, D, f32], k: Tensor[T, 2, D, f32], v: Tensor[T, 2, D, f32]) -> Tensor[S, 2, D, f32] where D <= 64:
    s = q.transpose(0, 1) @ k.permute(1, 2, 0)
    return (softmax_safe(s) @ v.transpose(0, 1)).transpose(0, 1)

def paired[B, S, T](q: Tensor[B, S, 16, f32], k: Tensor[B, T, 16, f32], v: Tensor[B, T, 40, f32], r: Tensor[B, S, 24, f32], p: Tensor[B, T, 24, f32]) -> Tensor[B, S, 40, f32]:
    return softmax_safe(q @ transpose(k, -2, -1) + r @ transpose(p, -2, -1)) @ v

def parted[B, S, D](x: Tensor[B, S, 3 * D, f32]) -> Tensor[B, S, D, f32] where D % 2 == 0:
    q, k, v = [t.reshape(B, S, 2, D // 2).transpose(1, 2) for t in split(x, 3, axis=-1)]
    return flash_attention(q, k, v, causal=True).transpose(1, 2).reshape(B, S, D)

def numbered[B, S, D](x: Tensor[B, S, 3 * D, f32]) -> Tensor[B, S, D, f32] where D % 16 == 0:
    parts = x.reshape(B, S, 3, D // 16, 16).permute(2, 0, 3, 1, 4)
    s = parts[0] @ parts[1].transpose(-2, -1) * 0.25
    return (softmax_safe(s) @ parts[2]).transpose(1, 2).reshape(B, S, D)

def cached[B, S, U](q: Tensor[B, S, 32, f32], k: Tensor[2, B, U, 32, f32], v: Tensor[2, B, U, 48, f32]) -> Tensor[B, S, 40, f32] where U >= 5:
    s = q @ transpose(k[1, :, 2:U - 3], -2, -1) * 0.25
    return softmax_safe(s) @ v[1, :, 2:U - 3, 8:]

def packed[B, S, T](q: Tensor[B, 3, S, 16, f32], k: Tensor[B, T, 16, f32], v: Tensor[B, T, 16, f32]) -> Tensor[B, 3 * S, 16, f32]:
    s = q.reshape(B, 3 * S, 16) @ transpose(k, -2, -1)
    s = where(iota(s.shape, axis=-1) <= T - S + iota(s.shape, axis=-2) % S, s, -INF)
    return softmax_safe(s) @ v + 1.0
"""


def dot(a, b):
    return math.fsum(map(operator.mul, a, b))


def softmax(row, guarded=True):
    largest = max(row)
    if largest == -math.inf:
        return [0.0 if guarded else math.nan] * len(row)
    e = [math.exp(x - largest) for x in row]
    total = math.fsum(e)
    return [x / total for x in e]


def attended(q, k, v, score, weigh=lambda w, i: w, guarded=True):
    """One head: lists of rows. `score` is what a product becomes in row i and column j."""
    columns, result = list(zip(*v)), []
    for i, query in enumerate(q):
        weights = weigh(softmax([score(dot(query, key), i, j) for j, key in enumerate(k)], guarded), i)
        result.append([dot(weights, column) for column in columns])
    return result


def rows(values, count, width):
    return [values[i * width:(i + 1) * width] for i in range(count)]


def flat(lists):
    return [x for row in lists for x in row]


def case(name, s, t, d):
    """Shapes of the inputs, scalars, the shape of the result, its dtype, and what it is of the inputs' values."""
    b = 2
    shapes, result, scalars, dtype = [(b, s, d), (b, t, d), (b, t, d)], (b, s, d), [], "f32"
    scale = 1 / math.sqrt(d)
    scores = {
        "plain": lambda x, i, j: x * scale,
        "by_hand": lambda x, i, j: x * scale,
        "dropped": lambda x, i, j: x,
        "grouped": lambda x, i, j: x,
        "heads": lambda x, i, j: x,
    }
    weigh = lambda w, i: w
    if name == "dropped":
        weigh = lambda w, i: [1.5 * x if (i + j) % 3 else 0.0 for j, x in enumerate(w)]
    if name.startswith(("library", "halves")):
        name, causal = name.split()
        causal = causal == "causal"
        scalars, dtype = [ctypes.c_bool(causal)], "bf16" if name == "halves" else "f32"
        scores[name] = lambda x, i, j: x * scale if not causal or j <= i + t - s else -math.inf
    if name == "capped":
        d, e = 24, 40
        shapes, result = [(b, s, d), (b, t, d), (b, t, e), (s, t)], (b, s, e)
    if name == "paired":  # the reference has the two parts of the queries and keys in one row
        d = 16
        shapes, result = [(b, s, d), (b, t, d), (b, t, 40), (b, s, 24), (b, t, 24)], (b, s, 40)
    if name == "grouped":
        shapes, result = [(2 * b, s, d), (b, t, d), (b, t, d)], (2 * b, s, d)
    if name == "heads":
        shapes, result = [(s, b, d), (t, b, d), (t, b, d)], (s, b, d)
    if name == "cached":  # what lies around the keys and values is no number (see `check`)
        d = 32
        shapes, result, scores[name] = [(b, s, d), (2, b, t + 5, d), (2, b, t + 5, 48)], (b, s, 40), lambda x, i, j: x * 0.25
    if name == "packed":  # three queries one after the other: each of their rows has the place that it has in its own
        d = 16
        shapes, result = [(b, 3, s, d), (b, t, d), (b, t, d)], (b, 3 * s, d)
        scores[name] = lambda x, i, j: x if j <= i % s + t - s else -math.inf
    if name in ("parted", "numbered"):  # two heads of one batch, in the columns of one matrix
        t, shapes, result = s, [(1, s, 3 * b * d)], (1, s, b * d)
        scores[name] = lambda x, i, j: x * scale if j <= i or name == "numbered" else -math.inf

    def right(q, k=None, v=None, bias=None, more=None):
        if name in ("parted", "numbered"):
            q, k, v = [flat(row[p * b * d:(p + 1) * b * d] for row in rows(q, s, 3 * b * d)) for p in range(3)]
        height = 3 * s if name == "packed" else s
        if name == "cached":
            k, v = [flat(row[first:] for h in range(b) for row in rows(x, 2 * b * (t + 5), w)[(b + h) * (t + 5) + 2:][:t])
                    for x, w, first in ((k, d, 0), (v, 48, 8))]
        score, width = scores.get(name, lambda x, i, j: x), len(v) // (b * t)
        if name == "paired":
            q, k = [flat(a + c for a, c in zip(rows(x, b * n, 16), rows(y, b * n, 24))) for x, y, n in ((q, bias, s), (k, more, t))]
        elif bias:
            score = lambda x, i, j: 5 * math.tanh(x * 0.2) + bias[i * t + j] if i - 20 < j <= i - 3 else -math.inf
        made, depth = [], 40 if name == "paired" else d
        for h in range(result[0] if name == "grouped" else b):
            part = lambda values, count, w, h: rows(values[h * count * w:(h + 1) * count * w], count, w)
            if name in ("heads", "parted", "numbered"):
                part = lambda values, count, w, h: [values[(i * b + h) * w:(i * b + h + 1) * w] for i in range(count)]
            of = h // 2 if name == "grouped" else h
            made.append(attended(part(q, height, depth, h), part(k, t, depth, of), part(v, t, width, of), score, weigh, name != "by_hand"))
        if name in ("heads", "parted", "numbered"):
            made = [[made[h][i] for h in range(b)] for i in range(s)]
        extra = 1.0 if name in ("dropped", "packed") else 0.0
        return [x + extra for x in flat(flat(made))]

    return shapes, scalars, result, dtype, right


SIZES = [(1, 1, 8), (2, 63, 16), (64, 2, 9), (63, 65, 64), (65, 64, 40), (127, 1, 33), (40, 257, 24), (129, 128, 17)]
FUNCTIONS = {
    "plain": SIZES + [(66, 130, 128), (5, 70, 129), (67, 65, 200)],
    "by_hand": SIZES,
    "library causal": SIZES + [(130, 70, 128)],
    "library full": SIZES[:4],
    "halves causal": SIZES + [(66, 130, 128), (67, 65, 136)],
    "halves full": SIZES[3:5],
    "capped": [(1, 1, 24), (70, 30, 24), (65, 130, 24)],
    "dropped": SIZES[:6],
    "grouped": [(1, 2, 8), (33, 65, 64), (65, 129, 16)],
    "heads": [(2, 2, 8), (33, 65, 64), (65, 130, 16)],
    "paired": [(3, 2, 16), (65, 67, 16)],
    "cached": [(1, 1, 32), (1, 64, 32), (3, 129, 32), (64, 200, 32), (65, 66, 32), (1, 700, 32)],
    "packed": [(1, 1, 16), (1, 200, 16), (21, 65, 16), (22, 130, 16), (64, 64, 16), (67, 140, 16)],
    "parted": [(1, 1, 8), (65, 65, 33), (66, 66, 72), (130, 130, 130)],
    "numbered": [(1, 1, 16), (65, 65, 16), (130, 130, 16)],
}


def compiled(tesserac, folder, suffix, flags, program=PROGRAM):
    os.makedirs(folder, exist_ok=True)
    source, emitted = os.path.join(folder, "attention.tsr"), os.path.join(folder, "attention." + suffix)
    with open(source, "w") as file:
        file.write(program)
    subprocess.run([tesserac, source, "-o", emitted], check=True)
    library = os.path.join(folder, f"attention_{suffix}.so")
    command = ["g++", "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-ffp-contract=off", "-fno-gnu-unique", "-shared",
               "-fPIC", *flags, "-I" + os.path.join(ROOT, "include"), emitted, "-o", library]
    subprocess.run(command, check=True)
    made = ctypes.CDLL(library)
    made.tessLastErrorText.restype = ctypes.c_char_p
    return made


def inside(shape, i):
    """Whether element i is of the part that `cached` attends to."""
    if len(shape) < 4:
        return True
    half, _, place, col = (i // math.prod(shape[axis + 1:]) % shape[axis] for axis in range(4))
    return half == 1 and 2 <= place < shape[2] - 3 and col >= shape[3] - 40


def check(library, device, name, sizes, rng):
    shapes, scalars, shape, dtype, right = case(name, *sizes)
    drawn = lambda shape, i: math.nan if name == "cached" and not inside(shape, i) else rng.uniform(-2, 2)
    arrays = [Array(s, dtype, [drawn(s, i) for i in range(math.prod(s))]) for s in shapes]
    result = Array(shape, dtype)
    for array in [*arrays, result]:
        array.tensor.device = device
    if getattr(library, name.split()[0])(*[ctypes.byref(a.tensor) for a in arrays], *scalars, ctypes.byref(result.tensor), None):
        return library.tessLastErrorText().decode()
    if not all(a.intact() for a in [*arrays, result]):
        return "wrote beside a tensor"
    for i, (got, want) in enumerate(zip(result.values(), right(*[a.values() for a in arrays]))):
        near = 0.03 if dtype == "bf16" else 2e-5
        if not (abs(got - want) <= near or (got != got and want != want)):
            return f"element {i} is {got}, not {want}"
    return None


def stores_scores(folder):
    """Functions whose kernels need memory of the size of the scores: two of the lengths S and T in one product."""
    with open(os.path.join(folder, "attention.json")) as file:
        manifest = json.load(file)
    terms = [(entry["name"], term) for entry in manifest["entries"] for term in entry["workspace_bytes"].split("+")]
    return [f"{name} has a workspace of {term}" for name, term in terms if term.count("S") + term.count("T") > 1 or "**" in term]


def main(tesserac, folder, chosen):
    rng = random.Random(hashlib.sha256(b"attention").digest())
    targets = {"cpp": (Device(1, 0), ["-O1", "-march=x86-64-v3", "-fopenmp"]),
               "hip": (Device(10, 0), ["-O1", "-D__HIP_PLATFORM_AMD__", "-DTSR_WAVE=64", "-I" + SHIM])}
    failed = ran = 0
    for suffix, (device, flags) in targets.items():
        library = compiled(tesserac, folder, suffix, flags)
        for line in stores_scores(folder):
            failed += 1
            print(f"FAILED {suffix}: {line}")
        for name, sizes in FUNCTIONS.items():
            for size in sizes if not chosen or name.split()[0] in chosen else []:
                ran += 1
                if wrong := check(library, device, name, size, rng):
                    failed += 1
                    print(f"FAILED {suffix} {name} {size}: {wrong}", flush=True)
    print(f"{ran - failed} of {ran} cases are right")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]))
