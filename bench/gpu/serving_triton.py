"""Kernels in Triton that do what `serving.py` measures: the peers that a serving engine would write."""
import torch
import triton
import triton.language as tl


_POINTS = [(16, 32, 4, 4), (16, 64, 4, 4), (16, 64, 4, 6), (16, 128, 4, 4), (16, 128, 8, 3), (64, 64, 4, 4), (64, 128, 4, 3), (128, 128, 8, 3), (128, 256, 8, 3)]


def _keep(configurations, arguments, **_):
    """Tiles of no more rows than there are, but of as many as there may be."""
    rows = arguments["M"]
    wanted = [16] if rows <= 16 else [64] if rows <= 64 else [64, 128]
    return [each for each in configurations if each.kwargs["BM"] in wanted]


def _pruned(key):
    configurations = [triton.Config(dict(BM=bm, BN=bn), num_warps=w, num_stages=s) for bm, bn, w, s in _POINTS]
    return triton.autotune(configurations, key=key, prune_configs_by={"early_config_prune": _keep})


@_pruned(["M", "N", "K"])
@triton.jit
def _int4(x, w, scale, offset, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, 128)
    acc = tl.zeros((BM, BN), tl.float32)
    half = K // 2
    for g in range(half // 128):
        both = tl.load(w + n[None, :] * half + (g * 128 + k)[:, None], mask=n[None, :] < N, other=0)
        x_low = tl.load(x + m[:, None] * K + (g * 128 + k)[None, :], mask=m[:, None] < M, other=0.0)
        x_high = tl.load(x + m[:, None] * K + (half + g * 128 + k)[None, :], mask=m[:, None] < M, other=0.0)
        h = g + half // 128
        low = (both & 15).to(tl.float32) * tl.load(scale + g * N + n)[None, :] + tl.load(offset + g * N + n)[None, :]
        high = (both >> 4).to(tl.float32) * tl.load(scale + h * N + n)[None, :] + tl.load(offset + h * N + n)[None, :]
        acc = tl.dot(x_low, low.to(tl.bfloat16), acc)
        acc = tl.dot(x_high, high.to(tl.bfloat16), acc)
    tl.store(y + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=(m[:, None] < M) & (n[None, :] < N))


def int4(x, w, scale, offset):
    (M, K), N = x.shape, w.shape[0]
    y = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)
    _int4[lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))](x, w, scale, offset, y, M, N, K)
    return y


@_pruned(["M", "N", "K"])
@triton.jit
def _int8(x, w, scale, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, 128)
    acc = tl.zeros((BM, BN), tl.float32)
    for g in range(K // 128):
        right = tl.load(w + n[None, :] * K + (g * 128 + k)[:, None], mask=n[None, :] < N, other=0)
        left = tl.load(x + m[:, None] * K + (g * 128 + k)[None, :], mask=m[:, None] < M, other=0.0)
        acc = tl.dot(left, right.to(tl.bfloat16), acc)
    acc = acc * tl.load(scale + n)[None, :]
    tl.store(y + m[:, None] * N + n[None, :], acc.to(tl.bfloat16), mask=(m[:, None] < M) & (n[None, :] < N))


def int8(x, w, scale):
    (M, K), N = x.shape, w.shape[0]
    y = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)
    _int8[lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))](x, w, scale, y, M, N, K)
    return y


@triton.autotune([triton.Config(dict(BN=bn, BK=bk), num_warps=w, num_stages=s) for bn, bk, w, s in
                  [(256, 64, 8, 3), (128, 64, 8, 4), (128, 64, 4, 3), (64, 128, 4, 4), (64, 64, 4, 5)]], key=["N", "K", "BM"])
@triton.jit
def _experts(x, w, expert, y, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    b = tl.program_id(1)
    m, n, k = b * BM + tl.arange(0, BM), tl.program_id(0) * BN + tl.arange(0, BN), tl.arange(0, BK)
    left = x + m[:, None] * K + k[None, :]
    right = w + tl.load(expert + b).to(tl.int64) * K * N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(K // BK):
        acc = tl.dot(tl.load(left), tl.load(right), acc)
        left += BK
        right += BK * N
    tl.store(y + m[:, None] * N + n[None, :], acc.to(tl.bfloat16))


def experts(x, w, expert, rows):
    (M, K), N = x.shape, w.shape[2]
    y = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)
    _experts[lambda meta: (triton.cdiv(N, meta["BN"]), M // rows)](x, w, expert, y, N, K, BM=rows)
    return y
