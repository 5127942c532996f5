#!/usr/bin/env python3
"""Draws of compiled programs against a Philox of our own, and against the distributions that they are of.

    random_numbers.py TESSERA

The seeds are fixed: a bound that one run in a million breaks is broken by no change that is right.
"""
import math
import os
import statistics
import struct
import sys
import tempfile

from programs import read_npy
from tool import Tool

PROGRAM = """
def draws[N](x: Tensor[N, f32], rng: Rng) -> (Tensor[N, f32], Tensor[N, f32], Tensor[N, f64], Tensor[N, f64], Tensor[N, bool]):
    a, b, c, d, e = rng.split(5)
    return a.uniform((N,)), b.normal((N,)), c.uniform((N,), f64), d.normal((N,), f64), e.bernoulli(0.3, (N,))

def rows[R, C](x: Tensor[R, C, f32], rng: Rng) -> Tensor[R, C, f32]:
    return rng.uniform((R, C))

def dropped[N](x: Tensor[N, f32], rng: Rng) -> Tensor[N, f32]:
    return dropout(x, 0.2, rng)

def rounded[N](x: Tensor[N, f32], rng: Rng) -> (Tensor[N, bf16], Tensor[N, f32]):
    a, b = rng.split()
    return cast(x, bf16, rng=a), cast(cast(x, f8e4m3, rng=b), f32)
"""
DRAW, SPLIT = 0, 1


def philox(key, number, tag):
    """Four words of Philox 4x32-10."""
    x, y, z, w = number & 0xFFFFFFFF, number >> 32, 0, tag
    low, high = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * x, 0xCD9E8D57 * z
        x, y, z, w = b >> 32 ^ y ^ low, b & 0xFFFFFFFF, a >> 32 ^ w ^ high, a & 0xFFFFFFFF
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return x, y, z, w


def part(key, i):
    words = philox(key, i, SPLIT)
    return words[1] << 32 | words[0]


def bits(key, e):
    return philox(key, e // 4, DRAW)[e % 4]


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


class Check:
    def __init__(self, tool):
        self.tool, self.good, self.bad = tool, 0, 0

    def expect(self, holds, what):
        self.good += bool(holds)
        self.bad += not holds
        if not holds:
            print("FAILED:", what)

    def run(self, function, sizes, *more):
        out = self.tool.path(f"out_{function}_{self.good}/")
        result = self.tool.call(PROGRAM, "run", function, "--random", sizes, "--out", out, *more)
        if result.returncode != 0:
            raise SystemExit(f"{function}: {result.stdout}{result.stderr}")
        return [list(read_npy(out + name)[1]) for name in sorted(os.listdir(out))]

    def close(self, what, got, wanted, deviation):
        """Five deviations: one run in two million."""
        self.expect(abs(got - wanted) <= 5 * deviation, f"{what} is {got}, not {wanted} within {5 * deviation}")


def known_bits(check):
    words = [philox(0, 0, 0), philox(0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0)]
    check.expect(words[0] == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8), "the Philox of this test gives the known answer")
    for seed in (0, 7, -1, 2**62 + 12345):
        key = seed & 0xFFFFFFFFFFFFFFFF
        uniform, normal, wide, wide_normal, events = check.run("draws", "N=203", "--arg", f"rng={seed}")
        keys = [part(key, i) for i in range(5)]
        check.expect(uniform == [(bits(keys[0], e) >> 8) * 2.0**-24 for e in range(203)], f"uniform of the stream {seed}")
        double = [bits(keys[2], 2 * e) << 32 | bits(keys[2], 2 * e + 1) for e in range(203)]
        check.expect(wide == [(word >> 11) * 2.0**-53 for word in double], f"uniform of f64 of the stream {seed}")
        check.expect(events == [bits(keys[4], e) < int(0.3 * 2**32) for e in range(203)], f"bernoulli of the stream {seed}")
        quantile = statistics.NormalDist().inv_cdf
        for e in range(203):
            word = bits(keys[1], e)
            exact = quantile(((word & 0x7FFFFFFF) + 0.5) * 2.0**-32) * (-1 if word >> 31 else 1)
            check.expect(abs(normal[e] - exact) <= 1e-6 * max(abs(exact), 0.1), f"normal {e} of the stream {seed}: {normal[e]}, exactly {exact}")
            word = bits(keys[3], 2 * e) << 32 | bits(keys[3], 2 * e + 1)
            exact = quantile(((word >> 11 & (1 << 52) - 1) + 0.5) * 2.0**-53) * (-1 if word >> 63 else 1)
            check.expect(abs(wide_normal[e] - exact) <= 1e-14 * max(abs(exact), 0.1), f"normal of f64 {e} of the stream {seed}")
    (rows,) = check.run("rows", "R=7,C=13", "--arg", "rng=5")
    check.expect(rows == [(bits(5, e) >> 8) * 2.0**-24 for e in range(91)], "elements are numbered along the rows")


def distributions(check):
    n = 40000
    uniform, normal, wide, wide_normal, events = check.run("draws", f"N={n}", "--arg", "rng=2024")
    for name, values in (("uniform", uniform), ("uniform of f64", wide)):
        check.expect(0 <= min(values) and max(values) < 1, f"{name} lies in [0, 1)")
        check.close(f"the mean of {name}", statistics.fmean(values), 0.5, math.sqrt(1 / 12 / n))
        check.close(f"the variance of {name}", statistics.pvariance(values), 1 / 12, math.sqrt(1 / 180 / n))
        counts = [0] * 64
        for value in values:
            counts[int(value * 64)] += 1
        chi = sum((count - n / 64) ** 2 / (n / 64) for count in counts)
        check.close(f"chi squared of {name}", chi, 63, math.sqrt(2 * 63))
        pairs = statistics.fmean((a - 0.5) * (b - 0.5) for a, b in zip(values, values[1:]))
        check.close(f"neighbours of {name}", pairs, 0, 1 / 12 / math.sqrt(n))
    for name, values in (("normal", normal), ("normal of f64", wide_normal)):
        check.close(f"the mean of {name}", statistics.fmean(values), 0, math.sqrt(1 / n))
        check.close(f"the variance of {name}", statistics.pvariance(values), 1, math.sqrt(2 / n))
        check.close(f"the third moment of {name}", statistics.fmean(v**3 for v in values), 0, math.sqrt(15 / n))
        check.close(f"the fourth moment of {name}", statistics.fmean(v**4 for v in values), 3, math.sqrt(96 / n))
        edges = [statistics.NormalDist().inv_cdf(i / 64) for i in range(1, 64)]
        counts = [0] * 64
        for value in values:
            counts[sum(value > edge for edge in edges)] += 1
        chi = sum((count - n / 64) ** 2 / (n / 64) for count in counts)
        check.close(f"chi squared of {name}", chi, 63, math.sqrt(2 * 63))
    check.close("the share of events", sum(events) / n, 0.3, math.sqrt(0.21 / n))


def expectations(check):
    n = 40000
    ones = check.tool.path("ones.npy")
    write_f32(ones, [1.0] * n)
    (kept,) = check.run("dropped", f"N={n}", "--arg", f"x={ones}", "--arg", "rng=11")
    check.expect(set(kept) == {0.0, f32(1 / f32(0.8))}, "dropout gives 0 and 1 / (1 - p)")
    check.close("the mean after dropout", statistics.fmean(kept), 1, math.sqrt(0.2 / 0.8 / n))
    for value, below, above, eighth_below, eighth_above in (
        (1.0009765625, 1.0, 1.0078125, 1.0, 1.125), (-3.3, -3.3125, -3.296875, -3.5, -3.25), (1.0, 1.0, 1.0, 1.0, 1.0)):
        write_f32(ones, [value] * n)
        got = check.run("rounded", f"N={n}", "--arg", f"x={ones}", "--arg", "rng=3")
        for values, low, high in ((got[0], below, above), (got[1], eighth_below, eighth_above)):
            check.expect(set(values) == {low, high}, f"{value} becomes {low} or {high}, not {sorted(set(values))[:5]}")
            share = (f32(value) - low) / (high - low) if high > low else 0
            deviation = (high - low) * math.sqrt(share * (1 - share) / n)
            check.close(f"the mean of {value} rounded by chance", statistics.fmean(values), f32(value), deviation + 1e-12)
    ends = [math.inf, -math.inf, 3.3e38, -3.39e38, 3.4e38, -3.4e38, 0.0]
    write_f32(ones, ends)
    rounded, eighth = check.run("rounded", f"N={len(ends)}", "--arg", f"x={ones}", "--arg", "rng=3")
    check.expect(rounded[:2] == [math.inf, -math.inf] and rounded[6] == 0, f"infinities and zero stay: {rounded}")
    check.expect(all(math.isfinite(v) for v in rounded[2:4]), f"what lies below the largest value stays finite: {rounded}")
    check.expect(rounded[4:6] == [math.inf, -math.inf], f"what lies beyond the largest value is rounded to nearest: {rounded}")
    check.expect(all(v != v for v in eighth[:6]), f"f8e4m3 has no infinities: {eighth}")


def write_f32(path, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def main(tessera):
    with tempfile.TemporaryDirectory() as folder:
        check = Check(Tool(tessera, folder))
        known_bits(check)
        distributions(check)
        expectations(check)
    print(f"{check.good} checks hold, {check.bad} do not")
    return 1 if check.bad or check.good < 1000 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
