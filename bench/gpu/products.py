#!/usr/bin/env python3
"""Products and attention on one GPU, beside cuBLAS, Triton's mma.sync path, FlashAttention-2 and
cuDNN (through PyTorch).

  python3 bench/gpu/products.py TESSERAC [--only products|functions|attention|convolutions|dtypes|decode] [--schedules] [--arch sm_90a]

Each row is one shape: TFLOP/s of ours and of the peers, the ratios, and the relative error against float32 of the same
operands (float64 sums). `predicted` is what the manifest predicts, as a part of what is measured (docs/manifest.md). Medians of CUDA-event timings with the L2 cache emptied before each call; random inputs.
--schedules: also every schedule of a small space, to see which is best. Triton's path through mma.sync is measured by
running this file again with TRITON_OVERRIDE_ARCH=sm80.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch

import common
import decode

SHAPES = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (128, 8192, 8192)]
# Of tensor functions, whose tiles the compiler chooses: also small, long, few rows, and rows that no tile divides.
ALL_SHAPES = SHAPES + [(1024, 1024, 1024), (2048, 2048, 2048), (16384, 4096, 4096), (4096, 4096, 14336), (8192, 8192, 512), (8192, 1024, 8192),
                       (2048, 50304, 768), (64, 4096, 14336), (16, 14336, 4096), (1, 14336, 4096), (4096, 4104, 4088), (3000, 5000, 8888),
                       (4096, 4097, 4096), (4096, 4096, 4097), (2048, 50257, 768), (3001, 5001, 8889)]
# B H S D causal
ATTENTIONS = [(16, 16, 1024, 128, True), (8, 16, 2048, 128, True), (4, 16, 4096, 128, True), (2, 16, 8192, 128, True), (1, 16, 16384, 128, True),
              (4, 16, 4096, 128, False), (1, 16, 16384, 128, False), (4, 32, 4096, 64, True), (1, 32, 16384, 64, False), (2, 8, 8192, 256, True)]

PRODUCT = '''
@kernel.schedule(Schedule(block=({m}, {n}), k={k}, warps={w}, stages={s}, swizzle="xor"))
def {name}[M, N, K](A: Tensor[M, K, bf16 @accum(f32)], B: Tensor[{b}, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros((T.m, T.n), f32)
    for k in tile.range(0, K, T.k):
        acc += tile.dot(A[m:m + T.m, k:k + T.k], {operand})
    return tile.cast(acc, bf16)
'''

ATTENTION = '''
@kernel.schedule(Schedule(block=({m}, {n}), warps={w}, stages={s}))
def {name}[B, H, S](Q: Tensor[B, H, S, {d}, bf16 @accum(f32)], K: Tensor[B, H, S, {d}, bf16 @accum(f32)],
        V: Tensor[B, H, S, {d}, bf16 @accum(f32)]) -> Tensor[B, H, S, {d}, bf16]:
    T = tile.context()
    b, h, q0, _ = tile.origin()
    q = tile.load(Q[b, h, q0:q0 + T.m, :])
    acc = tile.zeros((T.m, {d}), f32)
    m_i = tile.full((T.m,), -INF, f32)
    l_i = tile.zeros((T.m,), f32)
    for k0 in tile.range(0, {end}, T.n):
        s = tile.dot(q, tile.transpose(K[b, h, k0:k0 + T.n, :])) * {scale}
{mask}        m_new = tile.maximum(m_i, tile.row_max(s))
        alpha = tile.exp(m_i - m_new)
        p = tile.exp(s - m_new[:, None])
        l_i = alpha * l_i + tile.row_sum(p)
        acc = alpha[:, None] * acc + tile.dot(tile.cast(p, bf16), V[b, h, k0:k0 + T.n, :])
        m_i = m_new
    return tile.cast(acc / l_i[:, None], bf16)
'''

# The same, of which the compiler makes the kernel.
PLAINLY = '''
def {name}[B, H, S](q: Tensor[B, H, S, {d}, bf16 @accum(f32)], k: Tensor[B, H, S, {d}, bf16 @accum(f32)],
        v: Tensor[B, H, S, {d}, bf16 @accum(f32)]) -> Tensor[B, H, S, {d}, bf16]:
    s = q @ transpose(k, -2, -1) * {scale}
{mask}    return cast(softmax_safe(s), bf16) @ v
'''


def product(name, m, n, k, w, s, transposed):
    b, operand = ("N, K", "tile.transpose(B[n:n + T.n, k:k + T.k])") if transposed else ("K, N", "B[k:k + T.k, n:n + T.n]")
    return PRODUCT.format(name=name, m=m, n=n, k=k, w=w, s=s, b=b, operand=operand)


def attention(name, m, n, w, s, d, causal):
    mask = "        s = tile.mask_causal(s, q0, k0)\n" if causal else ""
    end = "min(S, q0 + T.m)" if causal else "S"
    return ATTENTION.format(name=name, m=m, n=n, w=w, s=s, d=d, mask=mask, end=end, scale=repr(d ** -0.5))


def plainly(name, d, causal):
    mask = "    s = mask_causal(s, 0, 0)\n" if causal else ""
    return PLAINLY.format(name=name, d=d, mask=mask, scale=repr(d ** -0.5))


SPACE = [(128, 128, 64, 4, 3), (128, 128, 64, 4, 4), (128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 256, 32, 8, 4),
         (128, 128, 32, 4, 4), (64, 128, 64, 4, 4), (64, 256, 64, 4, 3), (64, 64, 64, 4, 4)]
CHOSEN = [(128, 256, 64, 8, 4), (128, 128, 64, 8, 6), (64, 128, 64, 4, 4)]
ATTENTION_SPACE = [(64, 64, 4, 2), (64, 64, 4, 3), (128, 64, 4, 2), (128, 64, 8, 2), (64, 32, 4, 3), (64, 128, 4, 2)]
ATTENTION_CHOSEN = [(128, 128, 8, 2), (128, 64, 8, 2), (64, 128, 4, 2)]


def triton_rows():
    """TFLOP/s of Triton's mma.sync path for each shape, in a process of its own."""
    environment = dict(os.environ, TRITON_OVERRIDE_ARCH="sm80")
    done = subprocess.run([sys.executable, __file__, "--triton"], capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else {"error": done.stderr[-300:]}


def triton_main():
    import triton
    import triton.language as tl
    configurations = [triton.Config(dict(BM=bm, BN=bn, BK=bk, GM=8), num_stages=s, num_warps=w) for bm, bn, bk, s, w in
                      [(128, 256, 32, 4, 8), (128, 128, 64, 3, 4), (128, 256, 64, 3, 8), (256, 128, 32, 3, 8)]]

    @triton.autotune(configurations, key=["M", "N", "K"])
    @triton.jit
    def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GM: tl.constexpr):
        pid = tl.program_id(0)
        rows, cols = tl.cdiv(M, BM), tl.cdiv(N, BN)
        first = pid // (GM * cols) * GM
        size = min(rows - first, GM)
        pm, pn = first + (pid % (GM * cols)) % size, (pid % (GM * cols)) // size
        om, on, ok = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
        pa, pb = a + om[:, None] * K + ok[None, :], b + ok[:, None] * N + on[None, :]
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc)
            pa += BK
            pb += BK * N
        tl.store(c + om[:, None] * N + on[None, :], acc.to(tl.bfloat16))

    timer, rows = common.Timer(), {}
    for m, n, k in SHAPES:
        a, b = torch.randn(m, k, device="cuda", dtype=torch.bfloat16), torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
        c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        call = lambda: matmul[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](a, b, c, m, n, k)
        rows[f"{m} {n} {k}"] = 2 * m * n * k / timer.seconds(call) / 1e12
    print(json.dumps(rows))


def relative_error(ours, reference):
    if not torch.isfinite(ours).all():
        return float("nan")
    return ((ours.double() - reference).norm() / reference.norm()).item()


def products(programs, space, timer, triton):
    print(f"{'M N K':>18} {'B':>6} {'schedule':>18} {'ours':>7} {'cuBLAS':>7} {'ratio':>6} {'Triton':>7} {'ratio':>6} {'error':>8}")
    for m, n, k in SHAPES:
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(k, n, device="cuda", dtype=torch.bfloat16)
        turned = b.t().contiguous()
        wanted = torch.cat([part.double() @ b.double() for part in a.split(1024)])
        cublas = 2 * m * n * k / timer.seconds(lambda: torch.matmul(a, b)) / 1e12
        peer = triton.get(f"{m} {n} {k}", float("nan"))
        for transposed in (False, True):
            for point in space:
                name = name_of("nk" if transposed else "kn", point)
                program = programs[name]
                if isinstance(program, str):
                    print(name, program)
                    continue
                c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
                call = program.prepare(name, a, turned if transposed else b, c)
                call()
                error = relative_error(c, wanted)
                ours = 2 * m * n * k / timer.seconds(call) / 1e12
                print(f"{f'{m} {n} {k}':>18} {'[N,K]' if transposed else '[K,N]':>6} {'x'.join(map(str, point)):>18} {ours:7.0f} "
                      f"{cublas:7.0f} {ours / cublas:6.2f} {peer:7.0f} {ours / peer:6.2f} {error:8.1e}", flush=True)


def attentions(programs, space, timer):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    print(f"{'B H S D':>16} {'causal':>6} {'schedule':>14} {'ours':>6} {'FA-2':>6} {'ratio':>6} {'cuDNN':>6} {'ratio':>6} {'predicted':>9} {'error':>8}")
    copy = timer.copy_bandwidth()
    for b, h, s, d, causal in ATTENTIONS:
        q, key, v = (torch.randn(b, h, s, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
        flops = 4 * b * h * s * s * d * (0.5 if causal else 1)
        peers = []
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            with sdpa_kernel(backend):
                attend = lambda: torch.nn.functional.scaled_dot_product_attention(q, key, v, is_causal=causal)
                peers.append(flops / timer.seconds(attend) / 1e12)
        rows = slice(0, s, max(1, s // 64))
        scores = (q[0, 0, rows].double() @ key[0, 0].double().T) * d ** -0.5
        if causal:
            at = torch.arange(s, device="cuda")
            scores = scores.masked_fill(at[None, :] > at[rows][:, None], float("-inf"))
        wanted = torch.softmax(scores, -1) @ v[0, 0].double()
        for point in [("plainly",), *space]:
            name = name_of(f"attention_{d}_{'causal' if causal else 'full'}", point)
            program = programs[name]
            if isinstance(program, str):
                print(name, program)
                continue
            out = torch.full_like(q, float("nan"))
            call = program.prepare(name, q, key, v, out)
            call()
            error = relative_error(out[0, 0, rows], wanted)
            seconds = timer.seconds(call)
            ours, predicted = flops / seconds / 1e12, program.predicted_seconds(name, (q, key, v, out), copy) / seconds
            print(f"{f'{b} {h} {s} {d}':>16} {str(causal):>6} {'x'.join(map(str, point)):>14} {ours:6.0f} "
                  f"{' '.join(f'{peer:6.0f} {ours / peer:6.2f}' for peer in peers)} {predicted:9.2f} {error:8.1e}", flush=True)


FUNCTIONS = {
    "plain": """def plain[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)], b: Tensor[N, bf16],
        r: Tensor[M, N, bf16]) -> Tensor[M, N, bf16]:
    return cast(x @ w, bf16)
""",
    "fused": """def fused[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)], b: Tensor[N, bf16],
        r: Tensor[M, N, bf16]) -> Tensor[M, N, bf16]:
    return gelu(x @ w + b) + r
""",
}


def functions(programs, timer):
    """Products of tensor functions, alone and with bias, gelu and residual: what the epilogue costs."""
    gelu = torch.nn.functional.gelu
    copy = timer.copy_bandwidth()
    peers = {"plain": lambda x, w, b, r: x @ w, "fused": lambda x, w, b, r: gelu(x @ w + b) + r}
    print(f"{'M N K':>18} {'function':>9} {'ours':>7} {'PyTorch':>8} {'ratio':>6} {'predicted':>9} {'error':>8}")
    for m, n, k in ALL_SHAPES:
        x, w, b, r = (torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for shape in ((m, k), (k, n), (n,), (m, n)))
        for name, peer in peers.items():
            program = programs[name]
            if isinstance(program, str):
                print(name, program)
                continue
            out = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            call = program.prepare(name, x, w, b, r, out)
            call()
            rows = slice(0, m, max(1, m // 128))
            wanted = peers[name](x[rows].double(), w.double(), b.double(), r[rows].double())
            error = relative_error(out[rows], wanted)
            flops = 2 * m * n * k
            seconds = timer.seconds(call)
            ours, theirs = flops / seconds / 1e12, flops / timer.seconds(lambda: peer(x, w, b, r)) / 1e12
            predicted = program.predicted_seconds(name, (x, w, b, r, out), copy) / seconds
            print(f"{f'{m} {n} {k}':>18} {name:>9} {ours:7.0f} {theirs:8.0f} {ours / theirs:6.2f} {predicted:9.2f} {error:8.1e}", flush=True)


CONVOLUTION = """
def convolution[N, H, W, C, O](x: Tensor[N, H, W, C, bf16 @accum(f32)], w: Tensor[3, 3, C, O, bf16 @accum(f32)]) -> Tensor[N, H, W, O, bf16]:
    y = conv2d(permute(x, (0, 3, 1, 2)), permute(w, (3, 2, 0, 1)), padding=1)
    return cast(permute(y, (0, 2, 3, 1)), bf16)
"""
# N H W C O; channels lie side by side
CONVOLUTIONS = [(32, 56, 56, 256, 256), (32, 28, 28, 512, 512), (64, 56, 56, 64, 64), (64, 112, 112, 3, 64)]


def convolutions(programs, timer):
    """3 x 3 with as many results as inputs, beside cuDNN with the same layout."""
    print(f"{'N H W C O':>18} {'ours':>6} {'cuDNN':>6} {'ratio':>6} {'error':>8}")
    for n, h, w, c, o in CONVOLUTIONS:
        x = torch.randn(n, h, w, c, device="cuda", dtype=torch.bfloat16)
        weights = torch.randn(3, 3, c, o, device="cuda", dtype=torch.bfloat16) / (9 * c) ** 0.5
        as_torch = x.permute(0, 3, 1, 2), weights.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        peer = lambda: torch.nn.functional.conv2d(*as_torch, padding=1)
        wanted = torch.nn.functional.conv2d(as_torch[0][:1].double(), as_torch[1].double(), padding=1).permute(0, 2, 3, 1)
        out = torch.full((n, h, w, o), float("nan"), device="cuda", dtype=torch.bfloat16)
        if isinstance(programs["convolution"], str):
            print(programs["convolution"])
            return
        call = programs["convolution"].prepare("convolution", x, weights, out)
        call()
        error = relative_error(out[:1], wanted)
        flops = 2 * 9 * n * h * w * c * o
        with torch.backends.cudnn.flags(benchmark=True):
            ours, theirs = flops / timer.seconds(call) / 1e12, flops / timer.seconds(peer) / 1e12
        print(f"{f'{n} {h} {w} {c} {o}':>18} {ours:6.0f} {theirs:6.0f} {ours / theirs:6.2f} {error:8.1e}", flush=True)


# Products of 8 bits and of tf32: dtype, what it is added up in, what is stored, bytes. B lies as [N, K].
DTYPES = {"e4m3": ("f8e4m3", "f32", "bf16", 1), "e5m2": ("f8e5m2", "f32", "bf16", 1), "int8": ("i8", "i32", "i32", 1),
          "tf32": ("tf32", "f32", "f32", 4)}
DTYPES_SPACE = [(128, 256, 8, 4), (256, 128, 8, 4), (128, 128, 8, 6), (128, 192, 8, 4), (192, 128, 12, 4), (64, 256, 4, 4), (64, 128, 4, 6)]
DTYPES_CHOSEN = [(128, 256, 8, 4), (256, 128, 8, 4), (128, 128, 8, 6)]

DTYPE_PRODUCT = '''
@kernel.schedule(Schedule(block=({m}, {n}), k={k}, warps={w}, stages={s}))
def {name}[M, N, K](A: Tensor[M, K, {e} @accum({t})], B: Tensor[N, K, {e} @accum({t})]) -> Tensor[M, N, {r}]:
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros((T.m, T.n), {t})
    for k in tile.range(0, K, T.k):
        acc += tile.dot(A[m:m + T.m, k:k + T.k], tile.transpose(B[n:n + T.n, k:k + T.k]))
    return tile.cast(acc, {r})
'''
DTYPE_PLAINLY = '''
def {name}[M, N, K](x: Tensor[M, K, {e} @accum({t})], w: Tensor[N, K, {e} @accum({t})]) -> Tensor[M, N, {r}]:
    return cast(x @ transpose(w, 0, 1), {r})
'''


def dtype_texts(space):
    texts = {}
    for kind, (e, t, r, size) in DTYPES.items():
        for m, n, w, s in space:
            name = name_of(kind, (m, n, w, s))
            texts[name] = DTYPE_PRODUCT.format(name=name, m=m, n=n, k=128 // size, w=w, s=s, e=e, t=t, r=r)
        texts[name_of(kind, ("plainly",))] = DTYPE_PLAINLY.format(name=name_of(kind, ("plainly",)), e=e, t=t, r=r)
    return texts


def dtype_operand(kind, rows, cols):
    if kind == "int8":
        return torch.randint(-128, 128, (rows, cols), device="cuda", dtype=torch.int8)
    drawn = torch.randn(rows, cols, device="cuda")
    if kind == "tf32":  # what a tensor of tf32 holds: the low 13 bits are zero
        return (drawn.view(torch.int32) & ~0x1fff).view(torch.float32)
    return drawn.to(torch.float8_e4m3fn if kind == "e4m3" else torch.float8_e5m2)


def dtype_peers(kind, a, b):
    """What PyTorch has for a product of the kind, by name; cuBLASLt multiplies no two matrices of e5m2."""
    if kind == "int8":
        return {"_int_mm": lambda: torch._int_mm(a, b.t())}
    if kind == "tf32":
        return {"cuBLAS": lambda: torch.matmul(a, b.t())}
    if kind == "e5m2":
        return {}
    one = torch.ones((), device="cuda")
    scaled = lambda fast: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast)
    return {"exact": lambda: scaled(False), "fast": lambda: scaled(True)}


def dtypes(programs, space, timer):
    """Beside cuBLASLt: for 8-bit floats both its sums in f32 (`exact`) and those that the tensor cores keep (`fast`)."""
    torch.backends.cuda.matmul.allow_tf32 = True
    print(f"{'M N K':>18} {'dtype':>6} {'schedule':>14} {'ours':>6} {'error':>8}  peers: TFLOP/s, ratio, error")
    for m, n, k in SHAPES:
        for kind in DTYPES:
            a, b = dtype_operand(kind, m, k), dtype_operand(kind, n, k)
            rows = slice(0, m, max(1, m // 512))
            wanted = a[rows].double() @ b.double().t()
            peers = []
            for name, peer in dtype_peers(kind, a, b).items():
                error = relative_error(peer()[rows], wanted)
                peers.append((name, 2 * m * n * k / timer.seconds(peer) / 1e12, error))
            for point in [("plainly",), *space]:
                name = name_of(kind, point)
                program = programs[name]
                if isinstance(program, str):
                    print(name, program)
                    continue
                stored = {"int8": torch.int32, "tf32": torch.float32}.get(kind, torch.bfloat16)
                c = torch.full((m, n), -77777777 if kind == "int8" else float("nan"), device="cuda", dtype=stored)
                operands = [common.As(x, common.TF32) if kind == "tf32" else x for x in (a, b)]
                call = program.prepare(name, *operands, c)
                call()
                error = relative_error(c[rows], wanted)
                whole = "" if torch.isfinite(c).all() and (kind != "int8" or not (c == -77777777).any()) else " NOT ALL WRITTEN"
                ours = 2 * m * n * k / timer.seconds(call) / 1e12
                beside = "  ".join(f"{peer} {theirs:.0f} {ours / theirs:.2f} {its:.1e}" for peer, theirs, its in peers)
                print(f"{f'{m} {n} {k}':>18} {kind:>6} {'x'.join(map(str, point)):>14} {ours:6.0f} {error:8.1e}  {beside}{whole}", flush=True)


def name_of(stem, point):
    return stem + "_" + "_".join(map(str, point))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tesserac", nargs="?")
    parser.add_argument("--only", choices=["products", "functions", "attention", "convolutions", "dtypes", "decode"])
    parser.add_argument("--schedules", action="store_true")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--triton", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.manual_seed(0)
    if options.triton:
        return triton_main()
    space = SPACE if options.schedules else CHOSEN
    attention_space = ATTENTION_SPACE if options.schedules else ATTENTION_CHOSEN
    texts = {}
    if options.only in (None, "functions"):
        texts.update(FUNCTIONS)
    if options.only in (None, "products"):
        for point in space:
            texts[name_of("kn", point)] = product(name_of("kn", point), *point, False)
            texts[name_of("nk", point)] = product(name_of("nk", point), *point, True)
    if options.only in (None, "attention"):
        for d, causal in sorted({(d, causal) for _, _, _, d, causal in ATTENTIONS}):
            name = name_of(f"attention_{d}_{'causal' if causal else 'full'}", ("plainly",))
            texts[name] = plainly(name, d, causal)
            for point in attention_space:
                name = name_of(f"attention_{d}_{'causal' if causal else 'full'}", point)
                texts[name] = attention(name, *point, d, causal)
    dtypes_space = DTYPES_SPACE if options.schedules else DTYPES_CHOSEN
    if options.only == "dtypes":
        texts.update(dtype_texts(dtypes_space))
    if options.only in (None, "convolutions"):
        texts["convolution"] = CONVOLUTION
    if options.only == "decode":
        texts.update({name: text for name, (_, text) in decode.TEXTS.items()})
    with tempfile.TemporaryDirectory() as folder:
        programs = common.build_all(options.tesserac, folder, texts, options.arch)
        timer = common.Timer()
        if options.only in (None, "products"):
            products(programs, space, timer, triton_rows())
        if options.only in (None, "functions"):
            functions(programs, timer)
        if options.only == "dtypes":
            dtypes(programs, dtypes_space, timer)
        if options.only in (None, "convolutions"):
            convolutions(programs, timer)
        if options.only == "decode":
            decode.decode(programs, timer)
        if options.only in (None, "attention"):
            attentions(programs, attention_space, timer)


if __name__ == "__main__":
    main()
