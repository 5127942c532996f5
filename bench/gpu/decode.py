"""Products of few rows, as in decoding: what counts is how fast the weights are read (`products.py --only decode`).

A call reads weights that no cache holds: several sets of them take turns, in a graph of launches as a program of many layers
makes one. Each row is one shape: GB/s of ours and of PyTorch (weights, x and the result, each once), ours beside a copy from
device to device (bytes read and written), and the relative error against sums in float64.
"""
import torch

import common

SHAPES = [(4096, 14336), (14336, 4096), (4096, 6144), (8192, 8192), (4096, 128256)]  # K N
ROWS = (1, 4, 16)
SETS_BYTES = 1 << 29  # of all sets of weights together: several times the L2 cache
MOST_SETS = 16

# name: the program, and how the weights are stored
TEXTS = {
    "decode_kn": ("[K,N]", """def decode_kn[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:
    return cast(x @ w, bf16)
"""),
    "decode_nk": ("[N,K]", """def decode_nk[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[N, K, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:
    return cast(x @ transpose(w, 0, 1), bf16)
"""),
    "row_kn": ("[K,N]", """def row_kn[N, K](x: Tensor[1, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[1, N, bf16]:
    return cast(x @ w, bf16)
"""),
    "row_nk": ("[N,K]", """def row_nk[N, K](x: Tensor[1, K, bf16 @accum(f32)], w: Tensor[N, K, bf16 @accum(f32)]) -> Tensor[1, N, bf16]:
    return cast(x @ transpose(w, 0, 1), bf16)
"""),
    "bytes_kn": ("[K,N] i8", """def bytes_kn[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, i8], scale: Tensor[N, f32]) -> Tensor[M, N, bf16]:
    return cast((x @ cast(w, bf16)) * scale, bf16)
"""),
    "bytes_nk": ("[N,K] i8", """def bytes_nk[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[N, K, i8], scale: Tensor[N, f32]) -> Tensor[M, N, bf16]:
    return cast((x @ transpose(cast(w, bf16), 0, 1)) * scale, bf16)
"""),
}


def graph_seconds(calls, repeats=9):
    """The time of one of the calls, which run one after the other in a graph."""
    replay = common.recorded(*calls)
    replay()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3 / len(calls))
    return sorted(times)[len(times) // 2]


def drawn_weights(kind, k, n):
    shape = (k, n) if kind.startswith("[K,N]") else (n, k)
    if kind.endswith("i8"):
        return torch.randint(-127, 128, shape, device="cuda", dtype=torch.int8)
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def matrix(kind, w):
    """As K x N in bf16."""
    w = w.to(torch.bfloat16)
    return w if kind.startswith("[K,N]") else w.t()


def row(name, program, m, k, n, copy, peers):
    kind = TEXTS[name][0]
    size = k * n * (1 if kind.endswith("i8") else 2)
    sets = max(2, min(MOST_SETS, SETS_BYTES // size))
    weights = [drawn_weights(kind, k, n) for _ in range(sets)]
    x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    scale = torch.rand(n, device="cuda") + 0.5 if kind.endswith("i8") else None
    outs = [torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for _ in weights]
    extra = [] if scale is None else [scale]
    calls = [program.prepare(name, x, w, *extra, out) for w, out in zip(weights, outs)]
    ours = graph_seconds(calls)
    wanted = torch.cat([x.double() @ part.double() for part in matrix(kind, weights[-1]).split(8192, 1)], 1)
    if scale is not None:
        wanted = wanted * scale.double()
    error = ((outs[-1].double() - wanted).norm() / wanted.norm()).item()
    moved = size + 2 * m * (k + n)
    if (kind, m, k, n) not in peers and scale is None:
        peers[kind, m, k, n] = graph_seconds([lambda w=w: torch.matmul(x, matrix(kind, w)) for w in weights])
    peer = peers.get((kind, m, k, n))
    beside = f"{moved / peer / 1e9:8.0f} {peer / ours:6.2f}" if peer else f"{'':8} {'':6}"
    print(f"{m:>3} {k:>6} {n:>7} {kind:>9} {name:>10} {ours * 1e6:8.1f} {moved / ours / 1e9:7.0f} {moved / ours / copy:6.2f} {beside} {error:8.1e}", flush=True)


def decode(programs, timer):
    copy = timer.copy_bandwidth()
    print(f"copy from device to device: {copy / 1e9:.0f} GB/s")
    print(f"{'M':>3} {'K':>6} {'N':>7} {'weights':>9} {'function':>10} {'us':>8} {'GB/s':>7} {'of copy':>6} {'PyTorch':>8} {'ratio':>6} {'error':>8}")
    peers = {}
    for k, n in SHAPES:
        for m in ROWS:
            for name in TEXTS:
                if name.startswith("row") and m != 1:
                    continue
                if isinstance(programs[name], str):
                    print(name, programs[name])
                    continue
                row(name, programs[name], m, k, n, copy, peers)
