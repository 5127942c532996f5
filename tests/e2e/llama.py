#!/usr/bin/env python3
"""examples/llama/llama.tsr in a small size: logits of prefill and of decoding token by token, which read the cache, beside the
whole sequence at once in f64; and the program itself, which writes the same text twice, also from saved weights.

    llama.py TESSERA
"""
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from programs import read_npy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples/llama/llama.tsr")
V, L, D, E, G, F, S, N = 11, 2, 12, 4, 1, 7, 9, 7  # N tokens, of which the first few are read at once
H = D // E
SHAPES = {"embed": (V, D), "norm1": (L, D), "wq": (L, D, D), "wk": (L, D, G * E), "wv": (L, D, G * E), "wo": (L, D, D), "norm2": (L, D),
          "w_gate": (L, D, F), "w_up": (L, D, F), "w_down": (L, F, D), "norm": (D,), "head": (D, V)}


OF_LAYERS = [name for name, shape in SHAPES.items() if name not in ("embed", "norm", "head")]


def write_npy(path, shape, values, code="f"):
    header = repr({"descr": {"f": "<f4", "i": "<i4"}[code], "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values))


def write_safetensors(path, tensors):
    """Tensors of f32 by name: (shape, values)."""
    entries, data = {}, b""
    for name, (shape, values) in tensors.items():
        body = struct.pack(f"<{len(values)}f", *values)
        entries[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    header = json.dumps(entries).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


def in_files(model, shapes):
    """The tensors of a model as files name them: those of a layer behind its number."""
    tensors = {}
    for name, shape in shapes.items():
        size = len(model[name]) // shape[0]
        if name not in OF_LAYERS:
            tensors[name] = (shape, model[name])
        else:
            for l in range(shape[0]):
                tensors[f"layers.{l}.{name}"] = (shape[1:], model[name][l * size : l * size + size])
    return tensors


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]


def times(x, w):
    """[T, I] times [I, O]."""
    return [[math.fsum(a * b for a, b in zip(row, column)) for column in zip(*w)] for row in x]


def norm(x, w):
    out = []
    for row in x:
        root = math.sqrt(math.fsum(a * a for a in row) / len(row) + 1e-6)
        out.append([a / root * b for a, b in zip(row, w)])
    return out


def rope(head, place):
    half = len(head) // 2
    out = [0.0] * len(head)
    for i in range(half):
        angle = place * 10000 ** (-2 * i / len(head))
        a, b = head[i], head[i + half]
        out[i], out[i + half] = a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)
    return out


def whole_sequence(tokens, m):
    """The logits after each token, without a cache."""
    x = [rows(m["embed"], D)[t] for t in tokens]
    layer = lambda name, l, width: rows(m[name][l * len(m[name]) // L : (l + 1) * len(m[name]) // L], width)
    for l in range(L):
        n = norm(x, layer("norm1", l, D)[0])
        q, k, v = times(n, layer("wq", l, D)), times(n, layer("wk", l, G * E)), times(n, layer("wv", l, G * E))
        mixed = []
        for t in range(len(tokens)):
            out = []
            for h in range(H):
                g = h // (H // G)
                query = rope(q[t][h * E : h * E + E], t)
                scores = [math.fsum(a * b for a, b in zip(query, rope(k[s][g * E : g * E + E], s))) / math.sqrt(E) for s in range(t + 1)]
                weights = [math.exp(s - max(scores)) for s in scores]
                out += [math.fsum(w * v[s][g * E + e] for s, w in enumerate(weights)) / math.fsum(weights) for e in range(E)]
            mixed.append(out)
        x = [[a + b for a, b in zip(*pair)] for pair in zip(x, times(mixed, layer("wo", l, D)))]
        n = norm(x, layer("norm2", l, D)[0])
        gate, up = times(n, layer("w_gate", l, F)), times(n, layer("w_up", l, F))
        inner = [[a / (1 + math.exp(-a)) * b for a, b in zip(*pair)] for pair in zip(gate, up)]
        x = [[a + b for a, b in zip(*pair)] for pair in zip(x, times(inner, layer("w_down", l, D)))]
    return times(norm(x, m["norm"]), rows(m["head"], V))


def main(tool):
    random.seed(1)
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    model = {name: [single(random.gauss(1.0 if "norm" in name else 0.0, 0.4)) for _ in range(math.prod(shape))] for name, shape in SHAPES.items()}
    tokens = [random.randrange(V) for _ in range(N)]
    expected = whole_sequence(tokens, model)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)

        def run(*words):
            done = subprocess.run([tool, "run", *words], cwd=folder, capture_output=True, encoding="utf-8", errors="replace", timeout=500)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        given = []
        for name, shape in SHAPES.items():
            write_npy(path(f"{name}.npy"), shape, model[name])
            given += ["--arg", f"model_{'layers_' if name in OF_LAYERS else ''}{name}={name}.npy"]
        write_safetensors(path("model.safetensors"), in_files(model, SHAPES))
        in_one_file = ["--arg", "model=model.safetensors"]
        for many, weights in ((5, given), (1, in_one_file)):  # so many are read at once, the others one by one
            for name in "kv":
                write_npy(path(f"cache_{name}.npy"), (L, G, S, E), [math.nan] * (L * G * S * E))  # what is not written is not read
            start = 0
            while start < N:
                now = tokens[start : start + (many if start == 0 else 1)]
                write_npy(path("tokens.npy"), (len(now),), now, "i")
                run(EXAMPLE, "forward", *weights, "--arg", "tokens=tokens.npy", "--arg", f"start={start}", "--arg", "cache_k=cache_k.npy",
                    "--arg", "cache_v=cache_v.npy", "--out", "out/")
                shape, logits, _ = read_npy(path("out/result_0.npy"))
                assert shape == (len(now), V), shape
                for t, row in enumerate(rows(logits, V), start):
                    for token, (a, b) in enumerate(zip(row, expected[t])):
                        assert abs(a - b) <= 2e-5 * max(1.0, abs(b)), f"{many} at once: logit {token} after token {t} is {a}, and in f64 {b}"
                for i, name in enumerate("kv", 1):  # the results behind the first are what the call leaves in the cache
                    os.replace(path(f"out/result_{i}.npy"), path(f"cache_{name}.npy"))
                start += len(now)

        with open(EXAMPLE, encoding="utf-8") as file:
            program = file.read()
        for name, value in {"L": L, "D": 16, "E": 4, "G": 2, "F": 24, "S": 64, "K": 40}.items():
            program, count = re.subn(rf"^{name} = \d+", f"{name} = {value}", program, flags=re.M)
            assert count == 1, name
        with open(path("small.tsr"), "w", encoding="utf-8") as file:
            file.write(program)
        with open(path("prompt.txt"), "w", encoding="utf-8") as file:
            file.write("the cat sees")
        texts = [run("small.tsr", "--arg", f"seed={seed}").rsplit("\n", 2)[0] for seed in (1, 1, 2)]
        assert texts[0] == texts[1] != texts[2], texts

        # Weights with which the program can write one letter alone.
        v, d = 256, 16
        shapes = {"embed": (v, d), "norm1": (L, d), "wq": (L, d, d), "wk": (L, d, 8), "wv": (L, d, 8), "wo": (L, d, d), "norm2": (L, d),
                  "w_gate": (L, d, 24), "w_up": (L, d, 24), "w_down": (L, 24, d), "norm": (d,), "head": (d, v)}
        letter = {name: [0.0] * math.prod(shape) for name, shape in shapes.items()}
        letter["embed"] = [1.0] * (v * d)
        letter["norm"] = [1.0] * d
        letter["head"] = [9.0 if token == ord("q") else 0.0 for _ in range(d) for token in range(v)]
        letter = in_files(letter, shapes)
        write_safetensors(path("letter.safetensors"), letter)
        text = run("small.tsr", "--arg", "saved=True", "--arg", "weights=letter.safetensors", "--arg", "share=0.5")
        assert text.startswith("q" * 40 + "\n"), text
        del letter["layers.1.w_up"]
        write_safetensors(path("letter.safetensors"), letter)
        done = subprocess.run([tool, "run", "small.tsr", "--arg", "saved=True", "--arg", "weights=letter.safetensors"], cwd=folder,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=500)
        assert done.returncode != 0 and "w_up" in done.stderr, done.stdout + done.stderr
        for l in range(L):
            letter.pop(f"layers.{l}.w_up", None)
        write_safetensors(path("letter.safetensors"), letter)
        done = subprocess.run([tool, "run", "small.tsr", "--arg", "saved=True", "--arg", "weights=letter.safetensors"], cwd=folder,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=500)
        assert done.returncode != 0 and "it lacks `layers.*.w_up`" in done.stderr, done.stdout + done.stderr
    print("decoding with the cache is the whole sequence")
    return 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
