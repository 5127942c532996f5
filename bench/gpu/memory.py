#!/usr/bin/env python3
"""Kernels that are bound by memory: their bandwidth as a fraction of that of a copy, beside PyTorch's.

    memory.py TESSERAC [--only NAME] [--arch sm_90a] [--folder /tmp/memory] [--no-compile]

For each row: the shape, GB/s, the fraction of a copy of 2 GiB, PyTorch's eager and torch.compile's fraction, ours over
the better of the two, and the greatest error against float64 (of PyTorch's eager result for comparison).
"""
import argparse
import sys
import time
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F

import common

CHAIN = """
def chain[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    a = x * 1.01 + 0.5
    b = maximum(a, -1.0) * a
    c = b * 0.25 - x
    d = abs(c) + 1.0
    e = c / d
    return e * 0.5 + a * 0.125
"""
MAPS = """
def gelu_add[R, C](x: Tensor[R, C, bf16], b: Tensor[C, bf16], r: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    return gelu(x + b) + r

def swiglu[R, C](gate: Tensor[R, C, bf16], up: Tensor[R, C, bf16]) -> Tensor[R, C, bf16]:
    return silu(gate) * up

def transposed[R, C](x: Tensor[R, C, bf16]) -> Tensor[C, R, bf16]:
    return x.T
"""
SUMS = """
def total[N](x: Tensor[N, f32]) -> f32:
    return sum(x)

def columns[R, C](x: Tensor[R, C, f32]) -> Tensor[C, f32]:
    return sum(x, axis=0)
"""
ROWS = {
    "softmax": """
def softmax[R, C](x: Tensor[R, C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]:
    return softmax_safe(x, axis=-1)
""",
    "rmsnorm": """
def rmsnorm[R, C](x: Tensor[R, C, bf16 @accum(f32)], w: Tensor[C, bf16]) -> Tensor[R, C, bf16]:
    return rmsnorm_safe(x, w, eps=1e-6)
""",
    "layernorm": """
def layernorm[R, C](x: Tensor[R, C, bf16 @accum(f32)], g: Tensor[C, bf16], b: Tensor[C, bf16]) -> Tensor[R, C, bf16]:
    return layernorm_safe(x, g, b, eps=1e-5)
""",
}
PROGRAMS = {"maps": MAPS, "chain": CHAIN, "sums": SUMS, **ROWS}
ROW_SHAPES = [(131072, 256), (32768, 1024), (16384, 4096), (8192, 8192), (4096, 32768), (2048, 131072)]


def chain(x):
    a = x * 1.01 + 0.5
    c = torch.clamp(a, min=-1.0) * a * 0.25 - x
    return c / (abs(c) + 1.0) * 0.5 + a * 0.125


@dataclass
class Row:
    program: str
    function: str
    shapes: list          # of the inputs
    dtype: torch.dtype
    torch: Callable       # the same with PyTorch
    result: tuple         # its shape

    @property
    def name(self):
        return f"{self.function} {'x'.join(map(str, self.shapes[0]))}"


def rows():
    bf16, f32 = torch.bfloat16, torch.float32
    m, n = 8192, 16384
    yield Row("maps", "gelu_add", [(m, n), (n,), (m, n)], bf16, lambda x, b, r: F.gelu(x + b) + r, (m, n))
    yield Row("maps", "swiglu", [(m, n), (m, n)], bf16, lambda g, u: F.silu(g) * u, (m, n))
    yield Row("chain", "chain", [(m, n)], bf16, chain, (m, n))
    yield Row("maps", "gelu_add", [(m, n - 1), (n - 1,), (m, n - 1)], bf16, lambda x, b, r: F.gelu(x + b) + r, (m, n - 1))
    for shape in ROW_SHAPES + [(16384, 4095)]:
        c = shape[1]
        yield Row("softmax", "softmax", [shape], bf16, lambda x: F.softmax(x, dim=-1), shape)
        yield Row("rmsnorm", "rmsnorm", [shape, (c,)], bf16, lambda x, w, c=c: F.rms_norm(x, (c,), w, 1e-6), shape)
        yield Row("layernorm", "layernorm", [shape, (c,), (c,)], bf16,
                  lambda x, g, b, c=c: F.layer_norm(x, (c,), g, b, 1e-5), shape)
    yield Row("maps", "transposed", [(m, n)], bf16, lambda x: x.t().contiguous(), (n, m))
    yield Row("sums", "total", [(1 << 28,)], f32, lambda x: x.sum(), ())
    yield Row("sums", "columns", [(m, n)], f32, lambda x: x.sum(dim=0), (n,))


def error(row, values, inputs):
    """The greatest distance from the result in float64, over the greatest magnitude in it; of some rows where there are
    many, because float64 of everything takes memory and time."""
    rowwise = row.function not in ("transposed", "total", "columns")
    part = [x[:256] if rowwise and x.dim() == 2 else x for x in inputs]
    exact = row.torch(*[x.double() for x in part])
    return [((v[:256] if rowwise else v).double() - exact).abs().max().item() / max(exact.abs().max().item(), 1e-30)
            for v in values]


def measure(row, programs, timer, copy, compiles):
    torch.manual_seed(1)
    inputs = [torch.randn(shape, dtype=row.dtype, device="cuda") for shape in row.shapes]
    result = torch.full(row.result, float("nan"), dtype=row.dtype, device="cuda")
    moved = sum(t.numel() * t.element_size() for t in [*inputs, result])
    program = programs[row.program]
    if isinstance(program, str):
        return f"{row.name:28} {program}"
    call = program.prepare(row.function, *inputs, result)
    call()
    torch.cuda.synchronize()
    eager = row.torch(*inputs)
    ours_off, eager_off = error(row, [result, eager], inputs)
    again = result.clone()
    call()
    torch.cuda.synchronize()
    note = "" if torch.equal(again, result) else "  OTHER BITS ON A SECOND RUN"
    if not ours_off <= max(4 * eager_off, 1e-2 if row.dtype == torch.bfloat16 else 1e-4):
        note += "  WRONG"
    fraction = moved / timer.seconds(call) / copy
    others = [moved / timer.seconds(lambda: row.torch(*inputs)) / copy]
    if compiles:
        fused = torch.compile(row.torch, dynamic=False)
        others.append(moved / timer.seconds(lambda: fused(*inputs)) / copy)
    shown = "  ".join(f"{other:7.2f}" for other in others)
    return (f"{row.name:28} {fraction * copy / 1e9:7.0f} GB/s  {fraction:5.2f}  {shown}  {fraction / max(others):6.2f}"
            f"   {ours_off:.1e} ({eager_off:.1e}){note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tesserac")
    parser.add_argument("--only", default="", help="rows whose name begins so")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--folder", default="/tmp/tessera-memory")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--seconds", type=float, default=270, help="rows that would begin later are left out")
    given = parser.parse_args()
    start = time.time()
    wanted = [row for row in rows() if row.name.startswith(given.only)]
    needed = {row.program for row in wanted}
    programs = common.build_all(given.tesserac, given.folder, {n: t for n, t in PROGRAMS.items() if n in needed}, given.arch)
    timer = common.Timer()
    copy = timer.copy_bandwidth()
    print(f"compiled in {time.time() - start:.0f} s; a copy moves {copy / 1e9:.0f} GB/s\n")
    print(f"{'':28} {'':12}  {'ours':>5}  {'eager':>7}  {'compile':>7}  {'ratio':>6}   error (eager's)")
    for row in wanted:
        if time.time() - start > given.seconds:
            print(f"{row.name:28} left out: no time")
            continue
        try:
            print(measure(row, programs, timer, copy, not given.no_compile), flush=True)
        except Exception as failure:  # one row must not take the others with it
            print(f"{row.name:28} failed: {str(failure)[:300]}", flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
