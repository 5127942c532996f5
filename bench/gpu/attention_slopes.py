#!/usr/bin/env python3
"""The derivative of causal attention on one GPU, beside cuDNN's forward and backward pass (through PyTorch).

  python3 bench/gpu/attention_slopes.py TESSERAC [--arch sm_90a]

From q, k, v and the derivative of the result to those by q, k and v. Each row is one shape: microseconds, the ratio to cuDNN, the largest
relative error of the three against float64 for one head, and whether two calls give the same bits. Medians of CUDA-event timings with the
L2 cache emptied before each call; random inputs.
"""
import argparse
import math
import tempfile

import torch

import common
from products import plainly, relative_error

# B H S D
SHAPES = [(32, 12, 1024, 64), (8, 16, 2048, 64), (4, 16, 4096, 64), (1, 16, 16384, 64), (16, 16, 1024, 128), (4, 16, 4096, 128), (1, 16, 16384, 128)]
AWKWARD = [(2, 3, s, d) for d in (64, 128) for s in (3, 65, 127, 130, 257, 1001)]
LONGEST_CHECKED = 8192  # float64 scores of one head fit the memory


def program(d):
    return "from tessera.nn import mask_causal, softmax_safe\n" + plainly("attend", d, True) + '\n\nslopes = vjp(attend, wrt=("q", "k", "v"))\n'


def exact(q, k, v, do):
    """Of the first head, in float64."""
    q, k, v, do = (t[0, 0].double() for t in (q, k, v, do))
    at = torch.arange(len(q), device="cuda")
    scores = (q @ k.T * q.shape[-1] ** -0.5).masked_fill(at[None, :] > at[:, None], -math.inf)
    weights = torch.softmax(scores, -1)
    ds = weights * (do @ v.T - (do * (weights @ v)).sum(-1, keepdim=True)) * q.shape[-1] ** -0.5
    return ds @ k, ds.T @ q, weights.T @ do


def cudnn(q, k, v, do):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    operands = [t.detach().requires_grad_() for t in (q, k, v)]

    def both():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            result = torch.nn.functional.scaled_dot_product_attention(*operands, is_causal=True)
        return torch.autograd.grad(result, operands, do)
    return both


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tesserac")
    parser.add_argument("--arch", default="sm_90a")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    timer = common.Timer()
    print(f"{'B H S D':>16} {'ours us':>8} {'cuDNN us':>8} {'ratio':>6} {'error':>8} same")
    with tempfile.TemporaryDirectory() as folder:
        programs = common.build_all(arguments.tesserac, folder, {f"slopes_{d}": program(d) for d in (64, 128)}, arguments.arch)
        for b, h, s, d in SHAPES + AWKWARD:
            made = programs[f"slopes_{d}"]
            if isinstance(made, str):
                print(d, made)
                continue
            q, k, v, do = (torch.randn(b, h, s, d, device="cuda", dtype=torch.bfloat16) for _ in range(4))
            results, again = ([torch.full_like(q, math.nan) for _ in range(3)] for _ in range(2))
            call = made.prepare("slopes", q, k, v, do, *results)
            call()
            made.prepare("slopes", q, k, v, do, *again)()
            same = all(torch.equal(one, other) for one, other in zip(results, again))
            error = max(relative_error(one[0, 0], wanted) for one, wanted in zip(results, exact(q, k, v, do))) if s <= LONGEST_CHECKED else math.nan
            ours, theirs = timer.seconds(call), timer.seconds(cudnn(q, k, v, do))
            print(f"{f'{b} {h} {s} {d}':>16} {ours * 1e6:8.0f} {theirs * 1e6:8.0f} {theirs / ours:6.2f} {error:8.1e} {same}", flush=True)


if __name__ == "__main__":
    main()
