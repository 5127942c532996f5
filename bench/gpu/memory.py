#!/usr/bin/env python3
"""Kernels that are bound by memory: their bandwidth as a fraction of that of a copy, beside PyTorch's.

    memory.py TESSERAC [--only NAME] [--arch sm_90a] [--folder /tmp/memory] [--no-compile]

For each row: the shape, GB/s, the fraction of a copy of 2 GiB, that of a copy of as many bytes as the row moves (to start a
kernel takes its time), PyTorch's eager and torch.compile's fraction, ours over the better of the two, and the greatest error against float64 (of PyTorch's eager result for comparison).
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

def row_dots[R, C](x: Tensor[R, C, bf16], y: Tensor[R, C, bf16]) -> Tensor[R, f32]:
    return sum(cast(x, f32) * cast(y, f32), axis=-1)
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
PLACES = """
def largest_at[R, C](x: Tensor[R, C, f32]) -> Tensor[R, i64]:
    return argmax(x, axis=-1)

def gathered[V, D, R](table: Tensor[V, D, bf16], ids: Tensor[R, i64]) -> Tensor[R, D, bf16]:
    return embedding(ids, table)

def widened[R, C](x: Tensor[R, C, bf16]) -> Tensor[R, C, f32]:
    return cast(x, f32)
"""
SCANS = """
def running_rows[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return cumsum(x, axis=-1)

def running_columns[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:
    return cumsum(x, axis=0)

def running[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return cumsum(x)
"""
LOSSES = """
def loss[R, C](x: Tensor[R, C, bf16 @accum(f32)], labels: Tensor[R, i64]) -> f32:
    return cross_entropy(cast(x, f32), labels)

def loss_and_slope[R, C](x: Tensor[R, C, bf16 @accum(f32)], labels: Tensor[R, i64]) -> (f32, Tensor[R, C, bf16]):
    return value_and_grad(loss, wrt="x")(x, labels)
"""
NORM_SLOPES = """
def _norm[R, C](x: Tensor[R, C, bf16 @accum(f32)], g: Tensor[C, bf16 @accum(f32)], b: Tensor[C, bf16 @accum(f32)]) -> Tensor[R, C, bf16]:
    return layernorm_safe(x, g, b, eps=1e-5)

def norm_slopes[R, C](x: Tensor[R, C, bf16 @accum(f32)], g: Tensor[C, bf16 @accum(f32)], b: Tensor[C, bf16 @accum(f32)],
        dy: Tensor[R, C, bf16 @accum(f32)]) -> (Tensor[R, C, bf16], Tensor[C, bf16], Tensor[C, bf16]):
    return vjp(_norm, wrt=("x", "g", "b"))(x, g, b, cotangent=dy)
"""
NORM_SLOPES_KNOWN = NORM_SLOPES.replace("[R, C]", "[R]").replace("R, C,", "R, 4096,").replace("Tensor[C,", "Tensor[4096,").replace("norm_slopes", "norm_slopes_known")
UPDATES = """
def adam[N](p: Tensor[N, f32], g: Tensor[N, f32], m: Tensor[N, f32], v: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[N, f32], Tensor[N, f32]):
    return adamw(p, g, m, v, 7, 1e-3)
"""
PROGRAMS = {"maps": MAPS, "chain": CHAIN, "sums": SUMS, **ROWS, "places": PLACES, "scans": SCANS, "losses": LOSSES,
            "norm_slopes": NORM_SLOPES, "norm_slopes_known": NORM_SLOPES_KNOWN, "updates": UPDATES}
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
    limit: int = 0        # the last input is of integers below it
    results: tuple = ()   # of several results, or of one of another dtype: the shape and dtype of each
    moved: int = 0        # bytes that have to be moved, if not those of all inputs and results

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
    for shape in [(1 << 22, 64), (1 << 18, 1024)]:
        yield Row("sums", "row_dots", [shape] * 2, bf16, lambda x, y: (x.float() * y.float()).sum(dim=-1) if x.dtype == bf16 else (x * y).sum(dim=-1), (),
                  results=((shape[:1], f32),))
    yield Row("places", "largest_at", [(m, n)], f32, lambda x: x.argmax(dim=-1), (), results=(((m,), torch.int64),))
    yield Row("places", "gathered", [(50304, 4096), (32768,)], bf16, lambda t, ids: F.embedding(ids, t), (32768, 4096), 50304, moved=4 * 32768 * 4096)
    yield Row("places", "widened", [(m, n)], bf16, lambda x: x.float() if x.dtype == bf16 else x.clone(), (), results=(((m, n), f32),))
    yield Row("scans", "running_rows", [(16384, 8192)], f32, lambda x: x.cumsum(dim=-1), (16384, 8192))
    yield Row("scans", "running_columns", [(8192, 16384)], f32, lambda x: x.cumsum(dim=0), (8192, 16384))
    yield Row("scans", "running", [(1 << 28,)], f32, lambda x: x.cumsum(dim=0), (1 << 28,))
    logits = [(8192, 50304), (8192,)]
    yield Row("losses", "loss", logits, bf16, cross_entropy, (), 50304, results=(((), f32),))
    yield Row("losses", "loss_and_slope", logits, bf16, loss_and_slope, (), 50304, results=(((), f32), (logits[0], bf16)))
    for shape in [(16384, 4096), (32768, 1024)]:
        c = shape[1]
        known = "_known" if c == 4096 else ""
        for name in {"norm_slopes", "norm_slopes" + known}:
            yield Row(name, name, [shape, (c,), (c,), shape], bf16, norm_slopes, (), results=((shape, bf16), ((c,), bf16), ((c,), bf16)))
    n = 1 << 28
    yield Row("updates", "adam", [(n,)] * 4, f32, adam, (), results=(((n,), f32),) * 3)


def cross_entropy(x, labels):
    return F.cross_entropy(x if x.dtype == torch.float64 else x.float(), labels)


def slopes(function, inputs, *cotangents):
    inputs = [x.detach().requires_grad_() for x in inputs]
    with torch.enable_grad():
        value = function(*inputs)
    return value.detach(), torch.autograd.grad(value, inputs, *cotangents)


def loss_and_slope(x, labels):
    value, (dx,) = slopes(lambda x: cross_entropy(x, labels), [x])
    return value, dx


def norm_slopes(x, g, b, dy):
    return slopes(lambda x, g, b: F.layer_norm(x, (x.shape[1],), g, b, 1e-5), [x, g, b], dy)[1]


def adam(p, g, m, v):
    rate, step = 1e-3, 7
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    first, second = m / (1 - 0.9 ** step), v / (1 - 0.999 ** step)
    return p - rate * first / (second.sqrt() + 1e-8), m, v


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def errors(row, values, inputs):
    """The greatest distance of each result from that in float64, over the greatest magnitude in it; of some rows where there are
    many and each is its own, because float64 of everything takes memory and time."""
    rowwise = row.program in PARTLY
    part = [x[:256] if rowwise and x.dim() == 2 else x for x in inputs]
    exact = listed(row.torch(*[x.double() if x.is_floating_point() else x for x in part]))
    return [((v[:256] if rowwise else v).double() - e).abs().max().item() / max(e.abs().double().max().item(), 1e-30)
            for v, e in zip(values, exact)]


PARTLY = {"maps", "chain", *ROWS}  # `transposed` is exact: it is compared with what PyTorch makes


def made(row):
    inputs = [torch.randn(shape, dtype=row.dtype, device="cuda") for shape in row.shapes]
    if row.limit:
        inputs[-1] = torch.randint(0, row.limit, row.shapes[-1], device="cuda")
    if row.program == "updates":
        inputs[3] = inputs[3].abs()
    return inputs


def measure(row, programs, timer, copy, compiles):
    torch.manual_seed(1)
    inputs = made(row)
    results = [torch.full(shape, float("nan") if dtype.is_floating_point else -7, dtype=dtype, device="cuda")
               for shape, dtype in row.results or [(row.result, row.dtype)]]
    moved = row.moved or sum(t.numel() * t.element_size() for t in [*inputs, *results])
    program = programs[row.program]
    if isinstance(program, str):
        return f"{row.name:30} {program}"
    call = program.prepare(row.function, *inputs, *results)
    call()
    torch.cuda.synchronize()
    limit = moved / timer.copy_seconds(moved // 2) / copy
    eager = listed(row.torch(*inputs))
    if row.function == "transposed":
        ours_off, eager_off = [float(not torch.equal(results[0], eager[0]))], [0.0]
    else:
        ours_off, eager_off = errors(row, results, inputs), errors(row, eager, inputs)
    del eager
    again = [result.clone() for result in results]
    call()
    torch.cuda.synchronize()
    note = "" if all(torch.equal(a, b) for a, b in zip(again, results)) else "  OTHER BITS ON A SECOND RUN"
    del again
    for ours, theirs, result in zip(ours_off, eager_off, results):
        if not ours <= max(4 * theirs, 1e-2 if result.dtype == torch.bfloat16 else 1e-4):
            note += "  WRONG"
    seconds = timer.seconds(call)
    fraction = moved / seconds / copy
    predicted = program.predicted_seconds(row.function, [*inputs, *results], copy) / seconds
    others = [moved / timer.seconds(lambda: row.torch(*inputs)) / copy]
    if compiles and row.program != "losses" and not row.program.startswith("norm_slopes"):
        fused = torch.compile(row.torch, dynamic=False)
        others.append(moved / timer.seconds(lambda: fused(*inputs)) / copy)
    shown = "  ".join(f"{other:7.2f}" for other in others + [float("nan")] * (2 - len(others)))
    return (f"{row.name:30} {fraction * copy / 1e9:7.0f} GB/s  {fraction:5.2f}  {limit:5.2f}  {shown}  {fraction / max(others):6.2f}"
            f"  {predicted:9.2f}   {max(ours_off):.1e} ({max(eager_off):.1e}){note}")


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
    print(f"{'':30} {'':12}  {'ours':>5}  {'copy':>5}  {'eager':>7}  {'compile':>7}  {'ratio':>6}  {'predicted':>9}   error (eager's)")
    for row in wanted:
        if time.time() - start > given.seconds:
            print(f"{row.name:30} left out: no time")
            continue
        try:
            print(measure(row, programs, timer, copy, not given.no_compile), flush=True)
        except Exception as failure:  # one row must not take the others with it
            print(f"{row.name:30} failed: {str(failure)[:300]}", flush=True)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main())
