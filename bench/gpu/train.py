"""A training step of GPT-2 124M beside PyTorch's: the same weights, the same tokens, the same optimiser.

    python3 bench/gpu/train.py --tesserac build/release/bin/tesserac [--batch 8 32] [--library gpt2.so] [--json FILE]

examples/gpt2/gpt2.tsr is compiled once; all batch sizes run from the same library. Printed for each batch: the losses of
both in the first steps, milliseconds a step (medians), the memory at its peak (batches from the small to the large), and PyTorch's time
over ours. --library takes a library that was built before, beside its manifest (.json).
"""
import argparse
import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import common

V, T, D, H, L = 50304, 1024, 768, 12, 12
RATE, BETAS, DECAY = 3e-4, (0.9, 0.95), 0.1


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.o = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.w_in, self.w_out = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        B = x.shape[0]
        q, k, v = (t.view(B, T, H, D // H).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(D, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(B, T, D))
        return x + self.w_out(F.gelu(self.w_in(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.norm = nn.LayerNorm(D)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02 / (math.sqrt(2 * L) if name.endswith(("o.weight", "w_out.weight")) else 1))

    def forward(self, ids, labels):
        x = self.tokens(ids) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy((self.norm(x) @ self.tokens.weight.T).flatten(0, 1), labels.flatten())

    def as_tessera(self):
        """Its weights under the names and in the layout of gpt2.tsr."""
        weights = {"tokens": self.tokens.weight, "places": self.places.weight, "norm": self.norm.weight, "shift": self.norm.bias}
        for i, b in enumerate(self.blocks):
            weights |= {f"blocks_{i}_{name}": w for name, w in (
                ("norm1", b.norm1.weight), ("shift1", b.norm1.bias), ("wqkv", b.qkv.weight.T), ("bqkv", b.qkv.bias),
                ("wo", b.o.weight.T), ("bo", b.o.bias), ("norm2", b.norm2.weight), ("shift2", b.norm2.bias),
                ("w_in", b.w_in.weight.T), ("b_in", b.w_in.bias), ("w_out", b.w_out.weight.T), ("b_out", b.w_out.bias))}
        return {name: w.detach().clone().contiguous() for name, w in weights.items()}


def batches(size, count):
    made = torch.Generator(device="cuda").manual_seed(size)
    return [torch.randint(0, 50257, (size, T + 1), device="cuda", generator=made, dtype=torch.int32) for _ in range(count)]


def measured(step, steps, repeats):
    """Losses of the first steps; then the median of seconds a step."""
    losses = [float(step()) for _ in range(steps)]
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return losses, statistics.median(times)


def torch_step(model, tokens, compiled):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=1e-8, fused=True)
    forward = torch.compile(model) if compiled else model
    turn = iter(range(1 << 30))

    def step():
        ids = tokens[next(turn) % len(tokens)].long()
        with torch.autocast("cuda", torch.bfloat16):
            loss = forward(ids[:, :-1], ids[:, 1:])
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss.detach()
    return step


class Training:
    """A model and its moments as one state, which a step changes where it lies."""

    def __init__(self, library, manifest, weights):
        entry = next(e for e in json.load(open(manifest))["entries"] if e["name"] == "train_step")
        self.library = ctypes.CDLL(library)
        self.library.tessLastErrorText.restype = ctypes.c_char_p
        self.function = getattr(self.library, entry["symbol"])
        self.loss = torch.full((), math.nan, device="cuda")
        self.state = {"t_model_" + name: w for name, w in weights.items()}
        for moment in "mv":
            self.state |= {f"t_{moment}_{name}": torch.zeros_like(w) for name, w in weights.items()}
        self.views = {name: common.view(value) for name, value in (self.state | {"result": self.loss}).items()}
        self.passed = {p["name"]: ctypes.byref(self.views[p["name"]]) if p["name"] in self.views else None for p in entry["parameters"]}
        self.passed["rate"] = ctypes.c_float(RATE)
        self.count = 0

    def step(self, ids):
        self.count += 1
        held = common.view(ids)
        self.passed["step"], self.passed["ids"] = ctypes.c_int64(self.count), ctypes.byref(held)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if self.function(*self.passed.values(), stream):
            raise RuntimeError(self.library.tessLastErrorText().decode())
        return self.loss


def compiled(arguments, folder):
    if arguments.library:
        return arguments.library, os.path.splitext(arguments.library)[0] + ".json"
    begin = time.perf_counter()
    text = open(os.path.join(common.ROOT, "examples", "gpt2", "gpt2.tsr")).read()
    with open(os.path.join(folder, "gpt2.tsr"), "w") as program:
        program.write(text)
    library = os.path.join(folder, "gpt2.so")
    tessera = os.path.join(os.path.dirname(os.path.abspath(arguments.tesserac)), "tessera")
    made = subprocess.run([tessera, "build", program.name, "--target", "cuda:sm_90a", "-o", library], capture_output=True, text=True,
                          env={**os.environ, "TESSERA_CACHE": os.path.join(folder, "cache")})  # an empty one
    if made.returncode:
        sys.exit(made.stderr)
    print(f"gpt2.tsr to a library: {time.perf_counter() - begin:.1f} s", flush=True)
    return library, os.path.join(folder, "gpt2.json")


def used_bytes():
    free, total = torch.cuda.mem_get_info()
    return total - free


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tesserac", default="build/release/bin/tesserac", help="`tessera` stands beside it")
    parser.add_argument("--library", help="a library of gpt2.tsr, its manifest beside it")
    parser.add_argument("--batch", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--steps", type=int, default=20, help="steps whose losses are compared")
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--eager", action="store_true", help="PyTorch without torch.compile")
    parser.add_argument("--profile", action="store_true", help="print the kernels that take most of a step")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows, kept = [], 0  # bytes of intermediate results, which the library keeps from one batch to the next
    with tempfile.TemporaryDirectory() as folder:
        library, manifest = compiled(arguments, folder)
        for batch in arguments.batch:
            torch.manual_seed(batch)
            model, tokens = Gpt2().cuda(), batches(batch, arguments.steps)
            before = used_bytes()
            training, turn = Training(library, manifest, model.as_tessera()), iter(range(1 << 30))
            ours, seconds = measured(lambda: training.step(tokens[next(turn) % len(tokens)]), arguments.steps, arguments.repeats)
            memory = used_bytes() - before + kept
            kept = memory - sum(value.nbytes for value in training.state.values())
            if arguments.profile:
                common.kernels(lambda: training.step(tokens[0]), "ours")
            del training
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            step = torch_step(model, tokens, not arguments.eager)
            theirs, other = measured(step, arguments.steps, arguments.repeats)
            if arguments.profile:
                common.kernels(step, "PyTorch")
            peak = torch.cuda.max_memory_allocated()
            apart = max(abs(a - b) for a, b in zip(ours, theirs))
            rows.append({"batch": batch, "ms": seconds * 1e3, "torch_ms": other * 1e3, "ratio": other / seconds, "loss_first": ours[0],
                         "loss_last": ours[-1], "torch_last": theirs[-1], "loss_apart": apart, "gib": memory / 2**30, "torch_gib": peak / 2**30})
            print(f"B {batch:3d}  ours {seconds * 1e3:7.2f} ms  PyTorch {other * 1e3:7.2f} ms  ratio {other / seconds:.2f}   loss {ours[0]:.4f} -> "
                  f"{ours[-1]:.4f} (PyTorch {theirs[-1]:.4f}, at most {apart:.4f} apart)   {memory / 2**30:.1f} GiB ({peak / 2**30:.1f})", flush=True)
            del model
            torch.cuda.empty_cache()
    if arguments.json:
        json.dump(rows, open(arguments.json, "w"), indent=1)


if __name__ == "__main__":
    main()
