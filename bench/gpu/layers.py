"""Layers of well-known networks and their derivatives, as first written, beside PyTorch's eager ones and torch.compile.

    layers.py TESSERAC [--only NAME...] [--no-compile] [--json FILE]

For each layer: the time of a call of all three on the same data, the better of PyTorch's over ours, and the largest
differences of ours and of PyTorch's results from the same layer in f32, as fractions of the largest value. Where ours is more
than twice as far away as PyTorch's and more than 1e-2, it is reported and the status is 1. What PyTorch cannot compile in a
useful time (loops of a thousand steps) is compared with the eager form. Sorted: what is slowest beside PyTorch comes first.
"""
import argparse
import json
import os
import sys
import tempfile

import torch
import torch.nn.functional as F

import common

BF16, F32 = torch.bfloat16, torch.float32


def half(*shape, scale=1.0):
    return (torch.randn(*shape, device="cuda") * scale).to(BF16)


def full(*shape, scale=1.0):
    return torch.randn(*shape, device="cuda") * scale


def below(count, *shape):
    return torch.randint(0, count, shape, device="cuda", dtype=torch.int32)


def slopes(layer, count):
    """The derivatives of a layer by its first `count` arguments, given the cotangent as the last one."""
    def f(*arguments):
        *arguments, dy = arguments
        arguments = [a.detach().requires_grad_() if i < count else a for i, a in enumerate(arguments)]
        return torch.autograd.grad(layer(*arguments), arguments[:count], dy)
    f.layer = layer
    f.count = count
    return f


def rms(x, w):
    f = x.float()
    return (f * torch.rsqrt(f.square().mean(-1, True) + 1e-5)).to(x.dtype) * w


def rotated(x):
    T, E = x.shape[-2:]
    at = torch.arange(T, device="cuda", dtype=F32)[:, None]
    angle = at * torch.exp(torch.arange(E // 2, device="cuda", dtype=F32) * (-2.0 / E * 9.210340371976184))
    c, s = angle.cos(), angle.sin()
    a, b = x[..., :E // 2].float(), x[..., E // 2:].float()
    return torch.cat([a * c - b * s, a * s + b * c], -1).to(x.dtype)


def llama(x, n1, wq, wk, wv, wo, n2, wg, wu, wd):
    B, T, D = x.shape
    heads = lambda t: t.reshape(B, T, -1, 128).transpose(1, 2)
    h = rms(x, n1)
    q, k, v = rotated(heads(h @ wq)), rotated(heads(h @ wk)), heads(h @ wv)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    x = x + y.transpose(1, 2).reshape(B, T, D) @ wo
    h = rms(x, n2)
    return x + (F.silu(h @ wg) * (h @ wu)) @ wd


def vit(x, w, b, o):
    B, S, D = x.shape
    q, k, v = (x @ w + b).reshape(B, S, 3, D // 64, 64).permute(2, 0, 3, 1, 4)
    return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(B, S, D) @ o


def masked(q, k, v, length):
    seen = torch.arange(q.shape[2], device="cuda")[None, None, None, :] < length[:, None, None, None]
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


def with_scores(change):
    """Attention whose scores are changed by a function of score, place of the query, place of the key; keys behind a query are hidden."""
    def f(q, k, v, *more):
        s = q.float() @ k.float().transpose(-2, -1) * q.shape[-1] ** -0.5
        i = torch.arange(s.shape[-2], device="cuda")[:, None]
        j = torch.arange(s.shape[-1], device="cuda")[None]
        s = change(s, i, j, *more).masked_fill(j > i, float("-inf"))
        return s.softmax(-1).to(v.dtype) @ v
    return f


def capped_flex(q, k, v):
    """For torch.compile, as is alibi_flex."""
    from torch.nn.attention.flex_attention import flex_attention, create_block_mask
    mask = create_block_mask(lambda b, h, i, j: j <= i, None, None, q.shape[2], k.shape[2])
    return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: 50 * torch.tanh(s / 50), block_mask=mask)


def alibi_flex(q, k, v, slope):
    from torch.nn.attention.flex_attention import flex_attention, create_block_mask
    mask = create_block_mask(lambda b, h, i, j: j <= i, None, None, q.shape[2], k.shape[2])
    return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + slope[h] * (j - i), block_mask=mask)


def scan(x, delta, a, b, c):
    h = torch.zeros(x.shape[0], x.shape[2], a.shape[1], device="cuda", dtype=x.dtype)
    ys = []
    for t in range(x.shape[1]):
        step = delta[:, t, :, None]
        h = torch.exp(step * a) * h + step * x[:, t, :, None] * b[:, t, None]
        ys.append((h * c[:, t, None]).sum(-1))
    return torch.stack(ys, 1)


def first(x):
    return x.permute(0, 3, 1, 2)


def last(y):
    return y.permute(0, 2, 3, 1)


def differing(B, H, W, C):
    """Images in which no two elements of a window of 3 x 3 are equal: what is equal shares a derivative with us."""
    at = torch.arange(H, device="cuda")[:, None] % 3 * 3 + torch.arange(W, device="cuda") % 3
    return (at[None, :, :, None] + 9 * torch.randint(0, 12, (B, H, W, C), device="cuda")).to(BF16)


def window(x, w):
    return F.conv2d(first(x), w.permute(3, 2, 0, 1), padding=1).permute(0, 2, 3, 1)


def normed(x, g, b):
    return F.batch_norm(first(x), None, None, g.to(F32), b.to(F32), True).permute(0, 2, 3, 1)


def bottleneck(x, w1, w2, w3, g1, b1, g2, b2, g3, b3):
    y = F.relu(normed(x @ w1, g1, b1))
    y = F.relu(normed(window(y, w2), g2, b2))
    return F.relu(x + normed(y @ w3, g3, b3))


def over(layer):
    """A layer of images with the channels first, of those with the channels last."""
    return lambda x, *w: last(layer(first(x), *w))


def depthwise(**how):
    return over(lambda x, w: F.conv2d(x, w.permute(2, 0, 1)[:, None], groups=x.shape[1], **how))


def windows(**how):
    return over(lambda x, w: F.conv2d(x, w.permute(3, 2, 0, 1), **how))


def convnext(x, w, g, b, w1, w2):
    C = x.shape[-1]
    y = F.conv2d(first(x), w.permute(2, 0, 1)[:, None], padding=3, groups=C).permute(0, 2, 3, 1)
    return x + F.gelu(F.layer_norm(y, (C,), g, b) @ w1) @ w2


def unet(x, t, w1, w2, g, b):
    grouped = lambda x: F.silu(F.group_norm(first(x), 32, g.to(x.dtype), b.to(x.dtype))).permute(0, 2, 3, 1)
    return x + window(grouped(window(grouped(x), w1) + t[:, None, None]), w2)


def lstm(x, w, u, b):
    """cuDNN's: its weights are ours turned."""
    zero = torch.zeros(1, x.shape[1], u.shape[0], device="cuda", dtype=x.dtype)
    bias = b.to(x.dtype)
    return torch._VF.lstm(x, (zero, zero), [w.T.contiguous(), u.T.contiguous(), bias, torch.zeros_like(bias)], True, 1, 0.0, True, False, False)[0]


def lstm_slopes(x, w, u, b, dy):
    w, u, b = (t.detach().requires_grad_() for t in (w, u, b))
    return torch.autograd.grad(lstm(x, w, u, b), (w, u, b), dy)


def graph(x, w, src, dst):
    return F.relu(x + torch.zeros_like(x).index_add(0, dst, (x @ w)[src]))


def bags(ids, table, dense):
    B, G, K = ids.shape
    e = F.embedding_bag(ids.reshape(-1, K), table, mode="sum").reshape(B, G, -1)
    z = torch.cat([dense[:, None], e], 1)
    return z @ z.transpose(1, 2)


def nerf(x, w):
    for one in w.unbind(0):
        x = F.relu(x @ one)
    return x


def clip(a, b):
    s = (a @ b.T).float() * 14.3
    at = torch.arange(len(a), device="cuda")
    return 0.5 * (F.cross_entropy(s, at) + F.cross_entropy(s.T, at))


def clip_slopes(a, b):
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    value = clip(a, b)
    return (value.detach(), *torch.autograd.grad(value, (a, b)))


def nearest(x, codes):
    return ((x * x).sum(-1, True) - 2 * (x @ codes.T) + (codes * codes).sum(-1)).argmin(-1)


def int8_layer(x, w, s):
    f = x.float()
    top = f.abs().amax(-1, True) / 127
    q = torch.round(f / top).to(torch.int8)
    return (torch._int_mm(q, w.T).float() * top * s).to(x.dtype)


def distill(student, teacher):
    student = student.detach().requires_grad_()
    p = F.log_softmax(teacher.float() / 2, -1)
    value = (p.exp() * (p - F.log_softmax(student.float() / 2, -1))).sum(-1).mean()
    return value.detach(), torch.autograd.grad(value, student)[0]


def advantages(reward, value, done):
    out, last = torch.empty_like(reward), torch.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        delta = reward[t] + 0.99 * value[t + 1] * (1 - done[t]) - value[t]
        last = delta + 0.99 * 0.95 * (1 - done[t]) * last
        out[t] = last
    return out


def linear_attention(q, k, v):
    return torch.tril(q @ k.transpose(-2, -1)) @ v


def mixture(x, router, w1, w2):
    gates, chosen = torch.topk((x @ router).float().softmax(-1), 2)
    y = torch.zeros(x.shape, device="cuda")
    for e in range(len(w1)):
        g = torch.where(chosen == e, gates, 0).sum(-1)
        y = y + g[:, None] * (F.relu(x @ w1[e]) @ w2[e]).float()
    return y.to(x.dtype)


def llama_arguments(B=2, T=2048, D=4096, W=1024, H=14336):
    s = D ** -0.5
    return [half(B, T, D), half(D), half(D, D, scale=s), half(D, W, scale=s), half(D, W, scale=s), half(D, D, scale=s), half(D),
            half(D, H, scale=s), half(D, H, scale=s), half(H, D, scale=H ** -0.5)]


def rows():
    """(the name of a function of layers.tsr, what makes its arguments, PyTorch's function[, what torch.compile takes: None for nothing])"""
    yield "llama_block", llama_arguments, llama
    yield "llama_train", lambda: [*llama_arguments(), half(2, 2048, 4096)], slopes(llama, 10)
    v = lambda: [half(64, 197, 768), half(768, 2304, scale=0.03), half(2304), half(768, 768, scale=0.03)]
    yield "vit_attention", v, vit
    yield "vit_train", lambda: [*v(), half(64, 197, 768)], slopes(vit, 4)
    heads = lambda *s: [half(*s) for _ in range(3)]
    lengths = lambda: below(385, 16) + 128
    yield "masked_attention", lambda: [*heads(16, 16, 512, 64), lengths()], masked
    yield "masked_train", lambda: [*heads(16, 16, 512, 64), lengths(), half(16, 16, 512, 64)], slopes(masked, 3)
    yield "capped_attention", lambda: heads(2, 16, 4096, 128), with_scores(lambda s, i, j: 50 * torch.tanh(s / 50)), capped_flex
    yield "alibi_attention", lambda: [*heads(2, 16, 4096, 128), -full(16).abs()], with_scores(lambda s, i, j, slope: s + slope[:, None, None] * (j - i)), alibi_flex
    biased = lambda q, k, v, b: F.scaled_dot_product_attention(q, k, v, attn_mask=b[None])
    yield "biased_attention", lambda: [*heads(8, 12, 1024, 64), half(12, 1024, 1024)], biased
    yield "biased_train", lambda: [*heads(8, 12, 1024, 64), half(12, 1024, 1024), half(8, 12, 1024, 64)], slopes(biased, 4)
    yield "cross_attention", lambda: [half(8, 8, 4096, 40), half(8, 8, 77, 40), half(8, 8, 77, 40)], F.scaled_dot_product_attention
    m = lambda: [full(4, 1024, 2048), full(4, 1024, 2048).abs() * 0.1, -full(2048, 16).abs(), full(4, 1024, 16), full(4, 1024, 16)]
    yield "mamba", m, scan, None
    yield "mamba_train", lambda: [*m(), full(4, 1024, 2048)], slopes(scan, 5), None
    n = lambda c: [1 + full(c, scale=0.1), full(c)]
    r = lambda: [half(32, 56, 56, 256), half(256, 64, scale=0.06), half(3, 3, 64, 64, scale=0.04), half(64, 256, scale=0.12), *n(64), *n(64), *n(256)]
    yield "bottleneck", r, bottleneck
    yield "bottleneck_train", lambda: [*r(), half(32, 56, 56, 256)], slopes(bottleneck, 6)
    yield "convnext", lambda: [half(64, 56, 56, 128), half(7, 7, 128, scale=0.1), half(128), half(128), half(128, 512, scale=0.09), half(512, 128, scale=0.04)], convnext
    yield "unet_block", lambda: [half(8, 64, 64, 320), half(8, 320), half(3, 3, 320, 320, scale=0.02), half(3, 3, 320, 320, scale=0.02), *n(320)], unet
    deep, wide = lambda: [half(32, 56, 56, 96), half(7, 7, 96, scale=0.1)], lambda: [half(64, 112, 112, 96), half(3, 3, 96, scale=0.3)]
    yield "depthwise", deep, depthwise(padding=3)
    yield "depthwise_train", lambda: [*deep(), half(32, 56, 56, 96)], slopes(depthwise(padding=3), 2)
    yield "mobile", wide, depthwise(padding=1, stride=2)
    yield "mobile_train", lambda: [*wide(), half(64, 56, 56, 96)], slopes(depthwise(padding=1, stride=2), 2)
    pictures, pool = lambda: [half(64, 112, 112, 64)], over(lambda x: F.max_pool2d(x, 3, 2, 1))
    yield "pooled", pictures, pool
    yield "pooled_train", lambda: [differing(64, 112, 112, 64), half(64, 56, 56, 64)], slopes(pool, 1)
    yield "averaged", pictures, over(lambda x: F.avg_pool2d(x, 3, 1, 1))
    apart, small = lambda: [half(32, 56, 56, 128), half(3, 3, 128, 128, scale=0.03)], lambda: [half(8, 32, 32, 320), half(3, 3, 320, 320, scale=0.02)]
    yield "strided", apart, windows(padding=1, stride=2)
    yield "strided_train", lambda: [*apart(), half(32, 28, 28, 128)], slopes(windows(padding=1, stride=2), 2)
    up = over(lambda x, w: F.conv2d(F.interpolate(x, scale_factor=2, mode="nearest"), w.permute(3, 2, 0, 1), padding=1))
    yield "upsampled", small, up
    yield "upsampled_train", lambda: [*small(), half(8, 64, 64, 320)], slopes(up, 2)
    back, firsts = lambda: [half(16, 32, 32, 256), half(4, 4, 256, 256, scale=0.02)], lambda: [half(16, 256, 32, 32), half(256, 256, 4, 4, scale=0.02)]
    turned = over(lambda x, w: F.conv_transpose2d(x, w.permute(2, 3, 0, 1), stride=2, padding=1))
    plainly = lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1)
    yield "deconvolved", back, turned
    yield "deconvolved_train", lambda: [*back(), half(16, 64, 64, 256)], slopes(turned, 2)
    yield "deconvolved_first", firsts, plainly
    yield "deconvolved_first_train", lambda: [*firsts(), half(16, 256, 64, 64)], slopes(plainly, 2)
    yield "upwards", lambda: [half(16, 256, 64, 64), half(256, 128, 2, 2, scale=0.06)], lambda x, w: F.conv_transpose2d(x, w, stride=2)
    yield "upwards_line", lambda: [half(16, 512, 1024), half(512, 256, 16, scale=0.03)], lambda x, w: F.conv_transpose1d(x, w, stride=8, padding=4)
    room = lambda: [half(2, 16, 56, 56, 128), half(3, 3, 3, 128, 128, scale=0.02)]
    rooms = lambda x, w: F.conv3d(x.permute(0, 4, 1, 2, 3), w.permute(4, 3, 0, 1, 2), padding=1).permute(0, 2, 3, 4, 1)
    yield "volume", room, rooms
    yield "volume_train", lambda: [*room(), half(2, 16, 56, 56, 128)], slopes(rooms, 2)
    yield "line", lambda: [half(32, 4096, 256), half(3, 256, 256, scale=0.04)], lambda x, w: F.conv1d(x.transpose(1, 2), w.permute(2, 1, 0), padding=1).transpose(1, 2)
    wide_apart = lambda: [half(8, 64, 64, 256), half(3, 3, 256, 256, scale=0.02)]
    yield "dilated", wide_apart, windows(padding=2, dilation=2)
    yield "dilated_train", lambda: [*wide_apart(), half(8, 64, 64, 256)], slopes(windows(padding=2, dilation=2), 2)
    yield "biased_window", lambda: [*wide_apart(), half(256)], over(lambda x, w, b: F.relu(F.conv2d(x, w.permute(3, 2, 0, 1), b, padding=1)))
    yield "shortcut", lambda: [half(32, 56, 56, 256), half(256, 512, scale=0.06)], over(lambda x, w: F.conv2d(x, w.T[:, :, None, None], stride=2))
    grouped = lambda: [half(32, 56, 56, 256), half(3, 3, 8, 256, scale=0.1)]
    yield "grouped_windows", grouped, windows(padding=1, groups=32)
    yield "grouped_train", lambda: [*grouped(), half(32, 56, 56, 256)], slopes(windows(padding=1, groups=32), 2)
    yield "grouped_wide", lambda: [half(32, 14, 14, 1024), half(3, 3, 32, 1024, scale=0.06)], windows(padding=1, groups=32)
    yield "channels_normed", lambda: [half(8, 320, 64, 64), *n(320)], lambda x, g, b: F.group_norm(x, 32, g.to(x.dtype), b.to(x.dtype))
    l = lambda: [half(256, 64, 512), half(512, 2048, scale=0.04), half(512, 2048, scale=0.04), full(2048)]
    yield "lstm_layer", l, lstm, None
    yield "lstm_train", lambda: [*l(), half(256, 64, 512)], lstm_slopes, None
    g = lambda: [full(100000, 128), below(100000, 1000000), below(100000, 1000000), full(128, 128, scale=0.1)]
    yield "graph_layer", g, lambda x, src, dst, w: graph(x, w, src, dst)
    yield "graph_train", lambda: [*g(), full(100000, 128)], lambda x, src, dst, w, dy: slopes(graph, 2)(x, w, src, dst, dy)
    yield "bags", lambda: [below(1000000, 8192, 26, 10), full(1000000, 64), full(8192, 64)], bags
    yield "nerf", lambda: [half(1 << 19, 256), half(8, 256, 256, scale=0.09)], nerf
    yield "clip_train", lambda: [half(8192, 512, scale=0.04), half(8192, 512, scale=0.04)], clip_slopes
    yield "nearest", lambda: [full(65536, 64), full(8192, 64)], nearest
    yield "lora", lambda: [half(8192, 4096), half(4096, 4096, scale=0.02), half(4096, 16, scale=0.02), half(16, 4096)], lambda x, w, a, b: x @ w + 0.5 * ((x @ a) @ b)
    yield "dynamic_int8", lambda: [half(8192, 4096), below(255, 4096, 4096).to(torch.int8), full(4096)], int8_layer
    yield "widened", lambda: [half(8192, 4096), half(4096, 4096, scale=0.02)], lambda x, w: x @ w
    signed = lambda *shape: (below(255, *shape) - 127).to(torch.int8)
    yield "widened_bytes", lambda: [signed(8192, 4096), signed(4096, 4096), full(8192), full(4096)], lambda x, w, r, c: (torch._int_mm(x, w.t()) * r[:, None] * c).to(BF16)
    yield "distill_train", lambda: [half(8192, 32000), half(8192, 32000)], distill
    yield "advantages", lambda: [full(1024, 4096), full(1025, 4096), (full(1024, 4096) > 2).float()], advantages, None
    yield "linear_attention", lambda: heads(4, 16, 4096, 128), linear_attention
    yield "mixture", lambda: [half(8192, 1024), half(1024, 8), half(8, 1024, 4096, scale=0.03), half(8, 4096, 1024, scale=0.015)], mixture


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def distances(results, exact):
    return max(((got.double() - want.double()).abs().max() / (want.double().abs().max() + 1e-30)).item() for got, want in zip(results, exact))


def measure(program, layer, timer, compiled):
    name, make, reference, *other = layer
    arguments = make()
    theirs = [t.detach().clone() for t in listed(reference(*arguments))]
    try:
        exact = listed(reference(*[a.float() if a.dtype == BF16 else a for a in arguments]))
    except RuntimeError:
        exact = theirs
    results = [torch.full(t.shape, 77, dtype=t.dtype, device="cuda") for t in theirs]  # no result is right by chance, and all are contiguous
    call = program.prepare(name, *arguments, *results)
    call()
    torch.cuda.synchronize()
    row = {"layer": name, "us": timer.seconds(call) * 1e6, "eager_us": timer.seconds(lambda: reference(*arguments)) * 1e6,
           "error": distances(results, exact), "eager_error": distances(theirs, exact)}
    del exact
    fast = other[0] if other else reference
    if compiled and fast:
        try:
            forward = getattr(fast, "layer", None)
            quick = slopes(torch.compile(forward), fast.count) if forward else torch.compile(fast)
            row["compiled_us"] = timer.seconds(lambda: quick(*arguments)) * 1e6
        except Exception as error:  # what it cannot compile is compared with the eager form
            print(f"{name}: torch.compile: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    row["times_faster"] = min(row["eager_us"], row.get("compiled_us", float("inf"))) / row["us"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tesserac")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    chosen = [row for row in rows() if not options.only or row[0] in options.only]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.tsr")) as file:
        text = file.read()
    done, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        made = common.build_all(options.tesserac, folder, {row[0]: (text, "--function", row[0]) for row in chosen})
        timer = common.Timer(9)
        for row in chosen:
            if isinstance(made[row[0]], str):
                failed.append(f"{row[0]}: {made[row[0]]}")
                continue
            try:
                done.append(measure(made[row[0]], row, timer, not options.no_compile))
                print("#", done[-1], file=sys.stderr, flush=True)
            except (RuntimeError, torch.OutOfMemoryError) as error:
                failed.append(f"{row[0]}: {error}"[:300])
            torch.cuda.empty_cache()
    print(f"{'layer':24} {'us':>9} {'eager':>9} {'compile':>9} {'faster':>7} {'error':>8} {'eager':>8}")
    for row in sorted(done, key=lambda row: row["times_faster"]):
        print(f"{row['layer']:24} {row['us']:9.0f} {row['eager_us']:9.0f} {row.get('compiled_us', float('nan')):9.0f} {row['times_faster']:7.2f} {row['error']:8.1e} {row['eager_error']:8.1e}")
    failed += [f"{row['layer']}: {row['error']:.1e} from f32, PyTorch {row['eager_error']:.1e}" for row in done
               if not row["error"] <= max(1e-2, 2 * row["eager_error"])]
    if options.json:
        with open(options.json, "w") as file:
            json.dump(done, file, indent=1)
    for line in failed:
        print("wrong:", line)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
