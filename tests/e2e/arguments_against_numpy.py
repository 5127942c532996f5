#!/usr/bin/env python3
"""Arguments that NumPy and PyTorch have as well: limits of `clamp`, `dtype=`, `reduction=`, `weight=`, `padding="same"`; compiled for the CPU, against
NumPy in f64.

    arguments_against_numpy.py TESSERA
"""
import os
import sys

import library_against_numpy as base  # without NumPy it ends the program here
import numpy as np

base.CASES.clear()
base.random = random = np.random.default_rng(22)


@base.case("""
def clamped[N](x: Tensor[N, f32]):
    return clamp(x, min=-0.5), clamp(x, max=0.5), clamp(x, -0.5, 0.25), x.clamp(min=0.0), clip(x, low=0.1)
""")
def clamped():
    for n in (1, 7, 300):
        args = {"x": base.f32(n)}
        x = args["x"].astype(np.float64)
        yield args, (np.maximum(x, -0.5), np.minimum(x, 0.5), np.clip(x, -0.5, 0.25), np.maximum(x, 0.0), np.maximum(x, np.float32(0.1))), 1e-7


@base.case("""
def added_in[N, M](x: Tensor[N, M, f32]):
    b = cast(x, bf16)
    return sum(x, axis=1, dtype=f64), mean(x, axis=(0, -1), keepdims=True, dtype=f64), sum(b, axis=-1, dtype=f32), mean(b, dtype=f32), sum(x > 0.0, dtype=f32), prod(x, axis=0, dtype=f64), cumsum(x, axis=-1, dtype=f64), cumprod(x, dtype=f64)
""")
def added_in():
    for n, m in ((1, 1), (3, 7), (17, 129)):
        args = {"x": base.f32(n, m)}
        x = args["x"].astype(np.float64)
        rounded = (args["x"].view(np.uint32) + 0x7FFF + ((args["x"].view(np.uint32) >> 16) & 1)) & 0xFFFF0000
        b = rounded.view(np.float32).astype(np.float64)
        yield args, (x.sum(1), x.mean(keepdims=True), b.sum(-1), b.mean(), (x > 0).sum(), x.prod(0), x.cumsum(-1), x.cumprod(-1)), 1e-6


@base.case("""
def made_in[N](x: Tensor[N, f32]):
    return linspace(0.0, 1.0, 11, dtype=f64), zeros_like(x, dtype=f64), ones_like(x, dtype=i32), full_like(x, 2.5, dtype=f64), arange(N, dtype=f32)
""")
def made_in():
    for n in (1, 9):
        yield {"x": base.f32(n)}, (np.linspace(0, 1, 11), np.zeros(n), np.ones(n, np.int32), np.full(n, 2.5), np.arange(n)), 1e-15


@base.case("""
def losses_of[N, C](x: Tensor[N, C, f32], y: Tensor[N, C, f32], labels: Tensor[N, i32]):
    z = softmax(y)
    each = cross_entropy(x, labels, reduction="none", ignore_index=1), nll(log_softmax(x), labels, reduction="none"), mse(x, y, reduction="none"), mae(x, y, reduction="sum")
    more = cross_entropy(x, labels, reduction="sum", label_smoothing=0.1), huber(x, y, reduction="sum"), smooth_l1(x, y, beta=0.5, reduction="none"), bce_with_logits(x, z, reduction="sum")
    return *each, *more, kl_div(log_softmax(x), z), kl_div(log_softmax(x), z, reduction="sum"), kl_div(log_softmax(x), z, reduction="mean"), kl_div(log_softmax(x), z, reduction="none"), hinge(x, sign(y), reduction="sum"), triplet(x, y, z, reduction="none"), focal(x, z, reduction="sum")
""")
def losses_of():
    for n, c in ((1, 3), (6, 5), (33, 17)):
        args = {"x": base.f32(n, c), "y": base.f32(n, c), "labels": random.integers(0, c, n).astype(np.int32)}
        x, y, at = base.wide(args).values()
        log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
        z = np.exp(y) / np.exp(y).sum(1, keepdims=True)
        own, d = -log_p[np.arange(n), at], np.abs(x - y)
        bce = np.maximum(x, 0) - x * z + np.log1p(np.exp(-np.abs(x)))
        p = 1 / (1 + np.exp(-x))
        focal = (0.75 - 0.5 * z) * (p + z * (1 - 2 * p)) ** 2 * bce
        terms = z * (np.log(z) - log_p)
        far = np.sqrt(((x - y) ** 2).sum(1)) - np.sqrt(((x - z) ** 2).sum(1)) + 1
        smooth = np.where(d < 0.5, d * d, d - 0.25)
        yield args, (
            *(np.where(at == 1, 0, own), own, (x - y) ** 2, d.sum()),
            *((0.9 * own - 0.1 * log_p.mean(1)).sum(), np.where(d < 1, d * d / 2, d - 0.5).sum(), smooth, bce.sum()),
            *(terms.sum(1).mean(), terms.sum(), terms.mean(), terms, np.maximum(1 - np.sign(y) * x, 0).sum(), np.maximum(far, 0), focal.sum()),
        ), 1e-4


@base.case("""
def padded_alike[B, C, O, H, W](x: Tensor[B, C, H, W, f32], w: Tensor[O, C, 3, 4, f32], v: Tensor[O, C, 3, f32]) where H >= 5, W >= 4:
    same = conv2d(x, w, padding="same"), conv2d(x, w, padding="same", dilation=(2, 1)), conv1d(x[:, :, 0], v, padding="same")
    return *same, conv2d(x, w, padding="valid", stride=2), conv1d(x[:, :, 1], v, padding="valid")
""")
def padded_alike():
    for b, c, o, h, w in ((1, 1, 1, 5, 4), (2, 3, 4, 9, 7)):
        args = {"x": base.f32(b, c, h, w), "w": base.f32(o, c, 3, 4), "v": base.f32(o, c, 3)}
        x, k, v = base.wide(args).values()
        wider = np.pad(x, ((0, 0), (0, 0), (0, 0), (0, 1)))  # one more behind an axis of an even window
        same = base.correlated(wider, k, padding=(1, 1)), base.correlated(wider, k, padding=(2, 1), dilation=(2, 1)), base.correlated(x[:, :, 0], v, padding=1)
        yield args, (*same, base.correlated(x, k, stride=2), base.correlated(x[:, :, 1], v)), 1e-5


@base.case("""
def enlarged[B, H, W](x: Tensor[B, H, W, f32]) -> (Tensor[B, 2 * H, 3 * W, f32], Tensor[B, 4 * H, 4 * W, f32], Tensor[B, H, W, f32]) where H >= 1, W >= 1:
    return upsample_bilinear(x, (2, 3)), upsample_bilinear(x, 4), flip(x, axis=(0, 2))
""")
def enlarged():
    def along(x, scale, axis):
        n = x.shape[axis]
        place = np.clip((np.arange(n * scale) + 0.5) / scale - 0.5, 0, n - 1)
        first = np.floor(place).astype(int)
        share = (place - first).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        return x.take(first, axis) * (1 - share) + x.take(np.minimum(first + 1, n - 1), axis) * share
    for b, h, w in ((1, 1, 1), (2, 3, 5), (1, 17, 2)):
        args = {"x": base.f32(b, h, w)}
        x = args["x"].astype(np.float64)
        yield args, (along(along(x, 2, 1), 3, 2), along(along(x, 4, 1), 4, 2), np.flip(x, (0, 2))), 1e-6


@base.case("""
def weighted[N, V](x: Tensor[N, V, f32], labels: Tensor[N, i32], w: Tensor[V, f32]) where V >= 1:
    each = cross_entropy(x, labels, weight=w, reduction="none"), nll(log_softmax(x), labels, w, reduction="sum")
    return cross_entropy(x, labels, weight=w, label_smoothing=0.2), nll(log_softmax(x), labels, weight=w, ignore_index=0), each[0], each[1]
""")
def weighted():
    for n, v in ((1, 1), (17, 9), (5, 1000)):
        args = {"x": 3 * base.f32(n, v), "labels": random.integers(0, v, n).astype(np.int32), "w": np.abs(base.f32(v))}
        args["labels"][1::3] = -1  # left out
        x, w = args["x"].astype(np.float64), args["w"].astype(np.float64)
        log_p = x - np.log(np.exp(x).sum(1, keepdims=True))
        kept = args["labels"] >= 0
        share = np.where(kept, w[args["labels"]], 0)
        losses = -share * log_p[np.arange(n), args["labels"]]
        smooth = 0.8 * losses - 0.2 * np.where(kept, (w * log_p).mean(1), 0)
        others = kept & (args["labels"] != 0)
        rest = share[others].sum()
        yield args, (smooth.sum() / share.sum(), losses[others].sum() / rest if rest else 0.0, losses, losses.sum()), 5e-5


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(base.main(os.path.abspath(sys.argv[1])))
