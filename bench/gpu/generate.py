"""One token after the other with a model of the shape of Llama 3 with 8 billion parameters, beside PyTorch.

    python3 bench/gpu/generate.py --tesserac build/release/bin/tesserac [--batch 1 16] [--context 2048] [--library FILE.so]

generate.tsr is compiled once; all sizes run from the same library. Both have the same random weights in bf16, and a cache of
`context` places that are filled with the same numbers. Printed for each batch: milliseconds a token (medians), the weights and
the part of the cache that a token reads a second, the same for PyTorch (torch.compile, "reduce-overhead"), and how far the
logits are apart (the square root of the sum of squares, over that of PyTorch's logits). A token's launches are one graph on both
sides: PyTorch's mode makes one, where it knows that the caches stay where they are; ours are recorded. --prefill N: the time to read
N tokens into an empty cache, too, without graphs. --library takes a library that was built before. --profile prints the kernels that take most of a token's time.
"""
import argparse
import ctypes
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import common

V, L, D, E, H, G, M = 128256, 32, 4096, 128, 32, 8, 14336
NAMES = ("embed", "norm1", "wqkv", "wo", "norm2", "w_gate", "w_up", "w_down", "norm", "head")


def weights():
    """Under the names and in the layout of generate.tsr."""
    made = torch.Generator(device="cuda").manual_seed(1)

    def drawn(scale, *shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16, generator=made) * scale

    def ones(*shape):
        return torch.ones(*shape, device="cuda")
    return {"embed": drawn(1.0, V, D), "norm1": ones(L, D), "wqkv": drawn(0.02, L, D, (H + 2 * G) * E), "wo": drawn(0.02, L, D, D),
            "norm2": ones(L, D), "w_gate": drawn(0.02, L, D, M), "w_up": drawn(0.02, L, D, M), "w_down": drawn(0.01, L, M, D),
            "norm": ones(D), "head": drawn(0.02, D, V)}


class Model:
    """The compiled program; its cache is an in-out argument."""

    def __init__(self, library, parts, keys, values):
        self.library = ctypes.CDLL(library)
        self.library.tessLastErrorText.restype = ctypes.c_char_p
        self.parts, self.cache = [common.view(parts[name]) for name in NAMES], [common.view(keys), common.view(values)]

    def prepare(self, tokens, start, logits):
        views = [common.view(tokens), *self.parts, *self.cache, common.view(logits)]
        passed = [ctypes.byref(v) for v in views]
        passed.insert(-1, ctypes.c_int64(start))

        def call():
            if self.library.forward(*passed, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)):
                raise RuntimeError(self.library.tessLastErrorText().decode())
            return logits
        call.keep = views
        return call


class Layer(nn.Module):
    def __init__(self, parts, l):
        super().__init__()

        def linear(w):
            made = nn.Linear(*w.shape, bias=False, device="meta")
            made.weight = nn.Parameter(w.T.contiguous(), requires_grad=False)
            return made
        self.wqkv, self.wo, self.w_down = linear(parts["wqkv"][l]), linear(parts["wo"][l]), linear(parts["w_down"][l])
        self.w_in = linear(torch.cat([parts["w_gate"][l], parts["w_up"][l]], 1))

    def forward(self, x, keys, values, places, turned, mask):
        B, T, _ = x.shape
        n = F.rms_norm(x, (D,)).bfloat16()
        q, k, v = self.wqkv(n).view(B, T, H + 2 * G, E).split([H, G, G], 2)

        def rope(t):
            a, b = t.float().chunk(2, -1)
            c, s = turned
            return torch.cat([a * c - b * s, a * s + b * c], -1).bfloat16()
        keys[:, :, places] = rope(k).transpose(1, 2)
        values[:, :, places] = v.transpose(1, 2)
        if mask is None:  # a prompt: the places that it fills are all there are
            k, v = rope(k).transpose(1, 2), v.transpose(1, 2)
            y = F.scaled_dot_product_attention(rope(q).transpose(1, 2), k, v, is_causal=True, enable_gqa=True)
        else:
            y = F.scaled_dot_product_attention(rope(q).transpose(1, 2), keys, values, attn_mask=mask, enable_gqa=True)
        x = x + self.wo(y.transpose(1, 2).reshape(B, T, D))
        gate, up = self.w_in(F.rms_norm(x, (D,)).bfloat16()).chunk(2, -1)
        return x + self.w_down(F.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.layers = nn.ModuleList(Layer(parts, l) for l in range(L))
        self.embed, self.head = parts["embed"], nn.Parameter(parts["head"].T.contiguous(), requires_grad=False)

    def forward(self, tokens, keys, values, places, turned, mask):
        x = self.embed[tokens].float()
        for l, layer in enumerate(self.layers):
            x = layer(x, keys[l], values[l], places, turned, mask)
        return F.linear(F.rms_norm(x[:, -1], (D,)).bfloat16(), self.head).float()


def turns(places):
    """Cosines and sines of rope at the places, [T, 1, E / 2]."""
    angle = places.float()[:, None] * torch.exp(torch.arange(E // 2, device="cuda").float() * (-2.0 / E * 13.122363377404328))
    return angle.cos()[:, None], angle.sin()[:, None]


def median_seconds(call, repeats):
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def apart(ours, theirs):
    return float((ours - theirs).norm() / theirs.norm())


def row(name, ours, theirs, tokens, read, logits, other):
    print(f"{name:16s} ours {ours * 1e3:8.2f} ms  PyTorch {theirs * 1e3:8.2f} ms  ratio {theirs / ours:.2f}   {tokens / ours:8.0f} tokens/s   "
          f"{read / ours / 1e12:.2f} TB/s of weights and cache (PyTorch {read / theirs / 1e12:.2f})   apart {apart(logits, other):.4f}", flush=True)


def measure(library, parts, model, name, batch, count, start, repeats, compile_mode, profiled):
    """`count` tokens in each of `batch` texts at the places from `start` on."""
    keys = torch.randn(L, batch, G, start + count + 64 - (start + count) % 64, E, device="cuda", dtype=torch.bfloat16)
    values = torch.randn_like(keys)
    tokens = torch.randint(0, V, (batch, count), device="cuda", dtype=torch.int32)
    logits = torch.full((batch, V), float("nan"), device="cuda")
    call = Model(library, parts, keys, values).prepare(tokens, start, logits)
    ours = median_seconds(common.recorded(call) if count == 1 else call, repeats)
    # A tensor for each layer: of one for all, PyTorch copies the whole for each layer's place.
    their_keys, their_values = [[part.clone() for part in whole] for whole in (keys, values)]
    for part in (*their_keys, *their_values):
        torch._dynamo.mark_static_address(part)
    places = torch.arange(start, start + count, device="cuda")
    mask = None
    if start:
        mask = torch.full((1, 1, count, keys.shape[3]), float("-inf"), device="cuda", dtype=torch.bfloat16).triu(start + 1)
    torch._dynamo.reset()  # for these sizes alone: a text for any size is slower
    forward = torch.compile(model, mode=compile_mode, dynamic=False) if compile_mode != "eager" else model
    ids, turned = tokens.long(), turns(places)
    with torch.no_grad():
        other = forward(ids, their_keys, their_values, places, turned, mask).clone()
        theirs = median_seconds(lambda: forward(ids, their_keys, their_values, places, turned, mask), repeats)
    if profiled:
        common.kernels(call, "ours")
        with torch.no_grad():
            common.kernels(lambda: forward(ids, their_keys, their_values, places, turned, mask), "PyTorch")
    read = 2 * sum(parts[n].numel() for n in ("wqkv", "wo", "w_gate", "w_up", "w_down", "head")) + 2 * 2 * L * batch * G * (start + count) * E
    row(name, ours, theirs, batch * count, read, logits, other)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tesserac", default="build/release/bin/tesserac")
    parser.add_argument("--library", help="a library of generate.tsr")
    parser.add_argument("--batch", type=int, nargs="*", default=[1, 16])
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--prefill", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--compile", default="reduce-overhead", help="a mode of torch.compile, or eager")
    parser.add_argument("--profile", action="store_true", help="print the kernels that take most of the time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = arguments.library
        if not library:
            made = common.build(arguments.tesserac, folder, "generate", open(os.path.join(common.ROOT, "bench/gpu/generate.tsr")).read(), "sm_90a")
            if isinstance(made, str):
                sys.exit(made)
            library = os.path.join(folder, "libgenerate.so")
        parts = weights()
        model = Llama(parts)
        for batch in arguments.batch:
            measure(library, parts, model, f"B {batch} at {arguments.context}", batch, 1, arguments.context, arguments.repeats, arguments.compile, arguments.profile)
        if arguments.prefill:
            mode = "eager" if arguments.compile == "eager" else "default"
            measure(library, parts, model, f"prefill {arguments.prefill}", 1, arguments.prefill, 0, 5, mode, arguments.profile)


if __name__ == "__main__":
    main()
