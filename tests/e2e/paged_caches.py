#!/usr/bin/env python3
"""Caches in pages and of 8 bits: what they hold after rows were put, and attention to them, by the reference and compiled for the
CPU, against sums in f64.

    paged_caches.py TESSERA
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


def paged[B, H, P, L, D, M, G](q: Tensor[B, G, D, f32], k: Tensor[B, H, D, f32], v: Tensor[B, H, D, f32], cache: PagedCache[P, H, L, D, f32], table: Tensor[B, M, i32], lengths: Tensor[B, i32]) -> (Tensor[B, G, D, f32], Tensor[P, H, L, D, f32], Tensor[P, H, L, D, f32]) where P >= 1, M >= 1, L >= 1, G % H == 0:
    cache.append(table, lengths, k, v)
    return cache.attend(q, table, lengths + 1), cache.k * 1.0, cache.v * 1.0

def where_they_lie[B, H, P, L, D, M, G](q: Tensor[B, G, D, f32], k: Tensor[P, H, L, D, f32], v: Tensor[P, H, L, D, f32], table: Tensor[B, M, i32], lengths: Tensor[B, i32]) -> Tensor[B, G, D, f32] where P >= 1, M >= 1, L >= 1, H >= 1, G % H == 0, D <= 256:
    return paged_attention(q, k, v, table, lengths)

def of_halves[B, H, P, L, D, M, G](q: Tensor[B, G, D, f32], k: Tensor[P, H, L, D, f32], v: Tensor[P, H, L, D, f32], table: Tensor[B, M, i32], lengths: Tensor[B, i32]) -> Tensor[B, G, D, f32] where P >= 1, M >= 1, L >= 1, H >= 1, G % H == 0, D <= 256:
    # The kernels of bf16 and f16, a half of each.
    y = paged_attention(cast(q, bf16), cast(k, bf16), cast(v, bf16), table, lengths)
    return 0.5 * cast(y, f32) + 0.5 * cast(paged_attention(cast(q, f16), cast(k, f16), cast(v, f16), table, lengths), f32)

def quantized[B, H, S, D, T, P, G](q: Tensor[B, G, T, D, f32], k: Tensor[B, H, T, D, f32], v: Tensor[B, H, T, D, f32], cache: QuantizedCache[B, H, S, D], pos: Const[P]) -> (Tensor[B, G, T, D, f32], Tensor[B, H, S, D, i32], Tensor[B, H, S, D, i32], Tensor[B, H, S, f32], Tensor[B, H, S, f32]) where 0 <= P, P + T <= S, G % H == 0:
    cache.append(P, k, v)
    return cache.attend(q, P + T, causal=True), cast(cache.k, i32), cast(cache.v, i32), cache.k_scale * 1.0, cache.v_scale * 1.0
"""
TARGETS = ("reference", "cpu")


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def attention(query, keys, values):
    """One query, a list of rows, to others, in f64."""
    if not keys:
        return [0.0] * len(query)
    scores = [math.fsum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
    largest = max(scores)
    weights = [math.exp(s - largest) for s in scores]
    total = math.fsum(weights)
    return [math.fsum(w * value[d] for w, value in zip(weights, values)) / total for d in range(len(query))]


class Caches(Tool):
    right = wrong = 0

    def results(self, function, arguments, target, *more):
        words = list(more)
        for name, (values, shape, code) in arguments.items():
            write_npy(self.path(name + ".npy"), values, shape, code)
            words += ["--arg", f"{name}={name}.npy"]
        out = tempfile.mkdtemp(dir=self.folder)
        result = self.call(PROGRAM, "run", function, *words, "--target", target, "--out", out + "/")
        if result.returncode != 0:
            sys.exit(f"{function} on {target}: {result.stdout}{result.stderr}")
        names = ("result", "cache_k", "cache_v", "cache_k_scale", "cache_v_scale")
        return {name: read_npy(os.path.join(out, file))[1] for name, file in zip(names, sorted(os.listdir(out)))}

    def check(self, good, what):
        self.right += bool(good)
        if not good:
            self.wrong += 1
            print("FAILED", what)

    def numbers(self, count):
        return [single(self.dice.gauss(0, 1)) for _ in range(count)]

    def near(self, got, expected, bound, what):
        worst = max((abs(a - b) for a, b in zip(got, expected)), default=0.0)
        self.check(len(got) == len(expected) and worst <= bound, f"{what} is {worst} off")

    def paged(self, B, H, G, P, L, D, M):
        """Pages in any order; one sequence has no room, and the page of another is missing."""
        pages = self.dice.sample(range(P), B * M)
        table = [page for page in pages]
        lengths = [self.dice.randrange(M * L) for _ in range(B)]
        lengths[0] = 0
        if B > 2:
            lengths[1] = M * L
            table[2 * M + lengths[2] // L] = -1
        cache = {name: self.numbers(P * H * L * D) for name in "kv"}
        rows = {name: self.numbers(B * H * D) for name in "kv"}
        q = self.numbers(B * G * D)
        expected = {name: list(values) for name, values in cache.items()}
        at = lambda page, h, row: ((page * H + h) * L + row) * D
        for b in range(B):
            page = table[b * M + lengths[b] // L] if lengths[b] < M * L else -1
            for h in range(H if page >= 0 else 0):
                for name in "kv":
                    i = at(page, h, lengths[b] % L)
                    expected[name][i : i + D] = rows[name][(b * H + h) * D : (b * H + h + 1) * D]
        given = {"q": (q, [B, G, D], "f"), "k": (rows["k"], [B, H, D], "f"), "v": (rows["v"], [B, H, D], "f"),
                 "cache_k": (cache["k"], [P, H, L, D], "f"), "cache_v": (cache["v"], [P, H, L, D], "f"),
                 "table": (table, [B, M], "i"), "lengths": (lengths, [B], "i")}
        for target in TARGETS:
            got = self.results("paged", given, target)
            what = f"{(B, H, G, P, L, D, M)} on {target}"
            for name in "kv":
                self.check(list(got["cache_" + name]) == expected[name], f"the pages of {name}, {what}")
            for b in range(B):
                places = [(table[b * M + n // L], n % L) for n in range(min(lengths[b] + 1, M * L))]
                if any(page < 0 for page, _ in places):
                    continue  # what is not there
                for g in range(G):
                    take = lambda name: [expected[name][at(page, g // (G // H), row) :][:D] for page, row in places]
                    result = got["result"][(b * G + g) * D :][:D]
                    self.near(result, attention(q[(b * G + g) * D :][:D], take("k"), take("v")), 1e-5, f"attention to pages, {what}, sequence {b}")

    def where_they_lie(self, B, H, G, P, L, D, M):
        """One kernel over the pages, against a plain cache: sequences of no rows, of one, of all, with no page behind their last row."""
        pages = self.dice.sample(range(P), B * M)
        lengths = [self.dice.randrange(M * L + 1) for _ in range(B)]
        lengths[:3] = [M * L, 0, 1][:B]
        table = [pages[i] if i % M * L < lengths[i // M] else self.dice.choice((-1, P, P + 7)) for i in range(B * M)]
        k, v, q = self.numbers(P * H * L * D), self.numbers(P * H * L * D), self.numbers(B * G * D)
        given = {"q": (q, [B, G, D], "f"), "k": (k, [P, H, L, D], "f"), "v": (v, [P, H, L, D], "f"), "table": (table, [B, M], "i"), "lengths": (lengths, [B], "i")}
        for target in TARGETS:
            for function, bound in (("where_they_lie", 1e-5), ("of_halves", 3e-2)):
                got = self.results(function, given, target)["result"]
                for b in range(B):
                    for g in range(G):
                        first = [((table[b * M + n // L] * H + g // (G // H)) * L + n % L) * D for n in range(lengths[b])]
                        expected = attention(q[(b * G + g) * D :][:D], [k[i : i + D] for i in first], [v[i : i + D] for i in first])
                        self.near(got[(b * G + g) * D :][:D], expected, bound, f"{function}, {(B, H, G, P, L, D, M)} on {target}, sequence {b}")

    def quantized(self, B, H, G, S, D, T, at):
        rows = {name: self.numbers(B * H * T * D) for name in "kv"}
        rows["k"][:D] = [0.0] * D
        q = self.numbers(B * G * T * D)
        held = {name: [self.dice.randrange(-127, 128) for _ in range(B * H * S * D)] for name in "kv"}
        scales = {name: [single(abs(self.dice.gauss(0, 0.02))) for _ in range(B * H * S)] for name in "kv"}
        given = {"q": (q, [B, G, T, D], "f"), "k": (rows["k"], [B, H, T, D], "f"), "v": (rows["v"], [B, H, T, D], "f")}
        for name in "kv":
            given["cache_" + name] = (held[name], [B, H, S, D], "b")
            given[f"cache_{name}_scale"] = (scales[name], [B, H, S], "f")
        for target in TARGETS:
            got = self.results("quantized", given, target, "--arg", f"pos={at}")
            what = f"{(B, H, G, S, D, T, at)} on {target}"
            stands = {}
            for name in "kv":
                whole, scale = got["cache_" + name], got[f"cache_{name}_scale"]
                stands[name] = [[n * scale[row] for n in whole[row * D : row * D + D]] for row in range(B * H * S)]
                for row in range(B * H * S):
                    place = row % S - at
                    if 0 <= place < T:
                        source = rows[name][((row // S) * T + place) * D :][:D]
                        off = max(abs(a - b) for a, b in zip(stands[name][row], source))
                        self.check(off <= 0.5001 * max(map(abs, source)) / 127.0, f"a row of {name}, {what}, is {off} off")
                    else:
                        self.check(list(whole[row * D : row * D + D]) == held[name][row * D : row * D + D] and scale[row] == scales[name][row], f"what was in {name}, {what}")
            for b in range(B):
                for g in range(G):
                    first = (b * H + g // (G // H)) * S
                    for t in range(T):
                        seen = slice(first, first + at + t + 1)
                        i = ((b * G + g) * T + t) * D
                        self.near(got["result"][i : i + D], attention(q[i : i + D], stands["k"][seen], stands["v"][seen]), 1e-5, f"attention to 8 bits, {what}")


def main(tessera):
    with tempfile.TemporaryDirectory() as folder:
        caches = Caches(tessera, folder)
        caches.dice = random.Random(23)
        for shape in ((1, 1, 1, 1, 1, 3, 1), (3, 2, 4, 17, 4, 8, 5), (4, 1, 3, 9, 16, 5, 2), (2, 3, 3, 40, 2, 33, 19)):
            caches.paged(*shape)
            caches.where_they_lie(*shape)
        for shape in ((1, 1, 1, 1, 3, 1, 0), (2, 2, 4, 9, 8, 3, 4), (1, 3, 3, 40, 33, 1, 39), (2, 1, 2, 17, 16, 17, 0)):
            caches.quantized(*shape)
        print(f"{caches.right} comparisons are right, {caches.wrong} are not")
        return 1 if caches.wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
