"""Operators as their users first write them, beside PyTorch's eager ones: what no benchmark of one kernel shows.

    operators.py TESSERAC [--only NAME...] [--json FILE]

For each operator and its sizes: the time of a call of both on the same data, how many times faster ours is, the fraction of a
copy's bandwidth at which the bytes that a call has to move go by (the limit of all but the products), and the largest
difference, as a fraction of the largest value. What is not right to 1e-2 is reported and ends with status 1. Sorted: what is
slowest beside PyTorch comes first.
"""
import argparse
import json
import os
import re
import tempfile

import torch
import torch.nn.functional as F

import common

BF16, F32, I64 = torch.bfloat16, torch.float32, torch.int64


def random(*shape, dtype=F32):
    return torch.randn(*shape, device="cuda").to(dtype)


def labels(below, *shape):
    return torch.randint(0, below, shape, device="cuda")


def rotated(x, c, s):
    half = x.shape[-1] // 2
    a, b = x[..., :half].float(), x[..., half:].float()
    c, s = c[None, :, None], s[None, :, None]
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


def covariance(x):
    centred = x - x.mean(0, True)
    return centred.T @ centred / len(x)


def laplace(x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def images():
    """(the name of a function of operators.tsr, what makes its arguments, PyTorch's function)"""
    x = lambda dtype=F32: random(32, 256, 56, 56, dtype=dtype)
    yield "pooled_max", lambda: [x(BF16)], lambda a: F.max_pool2d(a, 2)
    yield "pooled_mean", lambda: [x(BF16)], lambda a: F.avg_pool2d(a, 2)
    yield "batch_norm_train", lambda: [x(), random(256), random(256)], lambda a, g, b: F.batch_norm(a, None, None, g, b, True)
    yield "group_norm32", lambda: [x(), random(256), random(256)], lambda a, g, b: F.group_norm(a, 32, g, b)
    yield "nchw_to_nhwc", lambda: [x(BF16)], lambda a: a.permute(0, 2, 3, 1).contiguous()
    yield "padded", lambda: [x()], lambda a: F.pad(a, (1, 1, 1, 1))
    yield "upsampled", lambda: [random(32, 256, 28, 28, dtype=BF16)], lambda a: F.interpolate(a, scale_factor=2)
    yield "depthwise", lambda: [x(), random(256, 1, 3, 3)], lambda a, w: F.conv2d(a, w, padding=1, groups=256)
    yield "conv1d_layer", lambda: [random(32, 256, 4096), random(256, 256, 3)], lambda a, w: F.conv1d(a, w, padding=1)


def sequences():
    q = lambda: random(16, 2048, 32, 128, dtype=BF16)
    y = lambda dtype=F32: random(16384, 4096, dtype=dtype)
    yield "permuted", lambda: [q()], lambda a: a.permute(0, 2, 1, 3).contiguous()
    yield "rope", lambda: [q(), random(2048, 64), random(2048, 64)], rotated
    yield "rolled", lambda: [y()], lambda a: torch.roll(a, 1, 1)
    yield "joined", lambda: [y(BF16), y(BF16)], lambda a, b: torch.cat([a, b], -1)
    yield "lower", lambda: [random(8192, 8192)], torch.tril
    yield "laplace", lambda: [random(8192, 8192)], laplace
    yield "mse", lambda: [y(), y()], F.mse_loss
    yield "mse_slope", lambda: [y(), y()], lambda a, b: (a - b) * (2 / a.numel())


def reductions():
    y = lambda dtype=F32: random(16384, 4096, dtype=dtype)
    yield "any_nan", lambda: [random(1 << 28)], lambda a: torch.isnan(a).any()
    yield "mean_and_std", lambda: [random(1 << 28)], lambda a: torch.std_mean(a, unbiased=False)[::-1]
    yield "row_max", lambda: [y(BF16)], lambda a: a.amax(-1)
    yield "col_max", lambda: [y()], lambda a: a.amax(0)
    yield "middle_sum", lambda: [random(256, 128, 2048)], lambda a: a.sum(1)
    yield "weighted", lambda: [random(512, 256), random(512, 256, 512)], lambda p, a: torch.einsum("bs,bsd->bd", p, a)
    yield "softmax_columns", lambda: [y()], lambda a: a.softmax(0)
    yield "normalized", lambda: [y()], lambda a: a / (a.square().sum(-1, True) + 1e-12).sqrt()
    yield "smooth_loss", lambda: [random(8192, 32000), labels(32000, 8192)], lambda a, t: F.cross_entropy(a, t, label_smoothing=0.1)


def places():
    yield "top8", lambda: [random(4096, 8192)], lambda a: torch.topk(a, 8)
    for rows, columns in (4096, 1024), (64, 65536), (1, 1 << 20), (1, 1 << 24), (1, 1 << 26):
        yield "sorted_rows", lambda rows=rows, columns=columns: [random(rows, columns)], lambda a: torch.sort(a, -1)[0]
    for count in 1 << 14, 1 << 20, 1 << 24:
        yield "long_order", lambda count=count: [random(count)], lambda a: torch.sort(a, stable=True)[1]
    yield "long_wide", lambda: [random(1 << 24, dtype=torch.float64)], lambda a: torch.sort(a, stable=True)[1]
    yield "long_halves", lambda: [random(1 << 24, dtype=BF16)], lambda a: torch.sort(a, descending=True)[0]
    yield "long_top8", lambda: [random(1 << 24)], lambda a: torch.topk(a, 8)
    yield "bins", lambda: [labels(256, 1 << 24)], lambda a: torch.bincount(a, minlength=256)
    added = lambda at, a, w: w.index_add(0, at, a)
    yield "added_at", lambda: [labels(50000, 65536), random(65536, 512), random(50000, 512)], added
    yield "added_at", lambda: [labels(1000000, 1 << 21), random(1 << 21, 32), random(1000000, 32)], added
    yield "added_at", lambda: [labels(50000, 1 << 20) // 1000 * 1000, random(1 << 20, 64), random(50000, 64)], added  # few places have many
    yield "added_at", lambda: [labels(1, 1 << 20), random(1 << 20, 64), random(50000, 64)], added
    yield "added_at", lambda: [labels(32000, 2048), random(2048, 1024), random(32000, 1024)], added


def products():
    whole = lambda: torch.randint(-9, 9, (4096, 4096), device="cuda", dtype=torch.int8)
    for batch, size in (4096, 16), (4096, 33), (2048, 64):
        yield "small_products", lambda batch=batch, size=size: [random(batch, size, size), random(batch, size, size)], torch.matmul
    yield "small_products_bf16", lambda: [random(8192, 64, 64, dtype=BF16), random(8192, 64, 64, dtype=BF16)], torch.matmul
    yield "outer", lambda: [random(8192), random(8192)], lambda a, b: a[:, None] * b[None]
    yield "matvec", lambda: [random(16384, 8192), random(8192)], torch.mv
    yield "vecmat", lambda: [random(16384), random(16384, 8192)], torch.matmul
    yield "distances", lambda: [random(4096, 64), random(4096, 64)], lambda a, b: torch.cdist(a, b) ** 2
    yield "manhattan", lambda: [random(4096, 64), random(4096, 64)], lambda a, b: torch.cdist(a, b, p=1)
    yield "shortest", lambda: [random(1024, 1024), random(1024, 1024)], lambda a, b: torch.stack([(row[:, None] + b).amin(0) for row in a])
    for name, layer in ("layer_f32", torch.mm), ("layer_turned_f32", lambda a, w: a @ w.T):
        yield name, lambda: [random(4096, 4096), random(4096, 4096)], layer
    yield "bilinear", lambda: [random(1024, 128), random(128, 128, 128), random(1024, 128)], lambda a, w, b: torch.einsum("bi,oij,bj->bo", a, w, b)
    yield "covariance", lambda: [random(65536, 512)], covariance
    yield "int_product", lambda: [whole(), whole()], lambda a, w: torch._int_mm(a, w.T)


def functions_of(path):
    """{name: text} of the functions of a program, each with those that it calls."""
    with open(path) as file:
        text = file.read()
    own = {match.group(1): match.group(0) for match in re.finditer(r"^def (\w+).*?(?=^def |\Z)", text, re.S | re.M)}
    calls = lambda name: [other for other in own if other != name and re.search(rf"\b{other}\b", own[name])]
    return {name: "".join(own[other] for other in [*calls(name), name]) for name in own}


def measure(program, name, arguments, reference, timer, copy):
    wanted = reference(*arguments)
    wanted = list(wanted) if isinstance(wanted, (tuple, list)) else [wanted]
    results = [torch.full_like(value, 77) for value in wanted]  # no result is right by chance
    call = program.prepare(name, *arguments, *results)
    call()
    torch.cuda.synchronize()
    error = max(((got.double() - want.double()).abs().max() / (want.double().abs().max() + 1e-30)).item() for got, want in zip(results, wanted))
    moved = sum(tensor.numel() * tensor.element_size() for tensor in [*arguments, *results])
    ours, theirs = timer.seconds(call), timer.seconds(lambda: reference(*arguments))
    return {"operator": name, "sizes": [list(a.shape) for a in arguments], "us": ours * 1e6, "pytorch_us": theirs * 1e6,
            "times_faster": theirs / ours, "of_copy": moved / ours / copy, "error": error}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    rows = [row for group in (images, sequences, reductions, places, products) for row in group() if not options.only or row[0] in options.only]
    texts = functions_of(os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.tsr"))
    with tempfile.TemporaryDirectory() as folder:
        made = common.build_all(options.tesserac, folder, {name: texts[name] for name in dict.fromkeys(row[0] for row in rows)})
        failed = [f"{name}: {program}" for name, program in made.items() if isinstance(program, str)]
        timer = common.Timer(9)
        copy = timer.copy_bandwidth()
        measured = [measure(made[name], name, arguments(), reference, timer, copy) for name, arguments, reference in rows if not isinstance(made[name], str)]
    measured.sort(key=lambda row: row["times_faster"])
    print(f"{'operator':20} {'first operand':22} {'us':>10} {'PyTorch':>10} {'ratio':>7} {'of copy':>8} {'error':>8}")
    for row in measured:
        print(f"{row['operator']:20} {'x'.join(map(str, row['sizes'][0])):22} {row['us']:10.1f} {row['pytorch_us']:10.1f} "
              f"{row['times_faster']:7.2f} {row['of_copy']:8.2f} {row['error']:8.1e}")
    failed += [f"{row['operator']}: wrong by {row['error']:.1e}" for row in measured if not row["error"] < 1e-2]
    print(*failed, sep="\n")
    if options.json:
        with open(options.json, "w") as file:
            json.dump(measured, file, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
