#!/usr/bin/env python3
"""Products that models are served with: weights of 4 and 8 bits, a mixture of experts, floats of 8 bits with fast sums.

  python3 bench/gpu/serving.py TESSERAC [--only int4|int8|experts|float8] [--arch sm_90a]

Each row is one shape beside the best of PyTorch and of a Triton kernel written here: microseconds, the ratio (theirs / ours), and the
relative error against sums in float64. Up to 64 rows a call reads weights that no cache holds (decode.graph_seconds); above that,
medians of single calls with the L2 cache emptied.
"""
import argparse
import tempfile

import torch

import common
import decode
import serving_triton as triton_kernels

GROUP = 128
WEIGHTS = [(4096, 14336), (14336, 4096), (8192, 8192)]  # K N
ROWS = (1, 4, 16, 64, 4096)
FEW = 64  # rows of calls that read weights, and do little else

# Rows, columns of the weights, warps, stages, parts of k: tiles of few rows, each of which is tried.
FEW_SPACE = [(16, 64, 4, 8, 1), (16, 64, 4, 8, 2), (16, 128, 8, 6, 1), (16, 128, 8, 6, 2), (16, 128, 8, 6, 4), (64, 128, 8, 4, 1), (64, 128, 8, 4, 2),
             (64, 128, 8, 4, 4)]

# A byte holds the number of column k in its lower half, and that of column k + K / 2 in its upper one.
INT4_FEW = """
@kernel.schedule(Schedule(block=({m}, {n}), warps={w}, stages={s}, split_k={p}))
def tiles_{name}[M, N, G](x: Tensor[M, 256 * G, bf16 @accum(f32)], w: Tensor[N, 128 * G, u8], scale: Tensor[2 * G, N, f32],
                          offset: Tensor[2 * G, N, f32], sums: Tensor[2 * G, {m}, f32]) -> Tensor[M, N, bf16] where M <= {m}:
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros((T.m, T.n), f32)
    for g in tile.range(G):
        both, h = w[n:n + T.n, 128 * g:128 * g + 128], g + G
        low = tile.dot(x[m:m + T.m, 128 * g:128 * g + 128], tile.transpose(tile.cast(both & 15, bf16)))
        high = tile.dot(x[m:m + T.m, 128 * h:128 * h + 128], tile.transpose(tile.cast(both >> 4, bf16)))
        scaled = low * scale[g, n:n + T.n][None, :] + high * scale[h, n:n + T.n][None, :]
        moved = sums[g, m:m + T.m][:, None] * offset[g, n:n + T.n][None, :] + sums[h, m:m + T.m][:, None] * offset[h, n:n + T.n][None, :]
        acc += scaled + moved
    return tile.cast(acc, bf16)

def {name}[M, N, G](x: Tensor[M, 256 * G, bf16 @accum(f32)], w: Tensor[N, 128 * G, u8], scale: Tensor[2 * G, N, f32],
                    offset: Tensor[2 * G, N, f32]) -> Tensor[M, N, bf16] where M <= {m}:
    rows = reshape(concat(x, zeros(({m} - M, 256 * G), bf16), axis=0), {m}, 2 * G, 128)
    return tiles_{name}(x, w, scale, offset, sum(cast(permute(rows, (1, 0, 2)), f32), axis=-1))
"""
INT4_MANY = """
def int4_many[M, N, G](x: Tensor[M, 256 * G, bf16 @accum(f32)], w: Tensor[N, 128 * G, u8], scale: Tensor[2 * G, N, f32],
                       offset: Tensor[2 * G, N, f32]) -> Tensor[M, N, bf16]:
    numbers = reshape(concat(cast(w & 15, f32), cast(w >> 4, f32), axis=1), N, 2 * G, 128)
    weights = numbers * scale.T[:, :, None] + offset.T[:, :, None]
    return cast(x @ cast(reshape(weights, N, 256 * G), bf16).T, bf16)
"""
INT8_FEW = """
@kernel.schedule(Schedule(block=({m}, {n}), k=128, warps={w}, stages={s}, split_k={p}))
def {name}[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[N, K, i8], scale: Tensor[N, f32]) -> Tensor[M, N, bf16]:
    T = tile.context()
    m, n = tile.origin()
    acc = tile.zeros((T.m, T.n), f32)
    for k in tile.range(0, K, T.k):
        acc += tile.dot(x[m:m + T.m, k:k + T.k], tile.transpose(tile.cast(w[n:n + T.n, k:k + T.k], bf16)))
    return tile.cast(acc * scale[n:n + T.n][None, :], bf16)
"""
INT8 = """
def bytes[M, N, K](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[N, K, i8], scale: Tensor[N, f32]) -> Tensor[M, N, bf16]:
    return cast((x @ cast(w, bf16).T) * scale, bf16)
"""


def names_for(names, rows):
    """Those whose tiles have as many rows, and no more than that."""
    most = 16 if rows <= 16 else 64
    return [name for name in names if rows <= most and name.split("_")[1] == str(most)]


def few(text, kind):
    """Names of the kernels for few rows, and their texts."""
    names = {"_".join([kind, *map(str, point)]): point for point in FEW_SPACE}
    return list(names), "".join(text.format(name=name, m=m, n=n, w=w, s=s, p=p) for name, (m, n, w, s, p) in names.items())


INT4_NAMES, INT4_TEXT = few(INT4_FEW, "int4")
INT8_NAMES, INT8_TEXT = few(INT8_FEW, "int8")
TILES = "from tessera import kernel, tile\n"
# Rows lie by experts; those of each begin at a multiple of a tile, and `expert` says whose the tiles are.
EXPERTS = """from tessera import kernel, tile

@kernel.schedule(Schedule(block=({m}, {n}), k={k}, warps={w}, stages={s}))
def {name}[E, B, N, K](x: Tensor[{m} * B, K, bf16 @accum(f32)], w: Tensor[E, K, N, bf16 @accum(f32)], expert: Tensor[B, i32]) -> Tensor[{m} * B, N, bf16]:
    T = tile.context()
    m, n = tile.origin()
    e = expert[m // T.m]
    acc = tile.zeros((T.m, T.n), f32)
    for k in tile.range(0, K, T.k):
        acc += tile.dot(x[m:m + T.m, k:k + T.k], w[e, k:k + T.k, n:n + T.n])
    return tile.cast(acc, bf16)
"""
EXPERTS_OF = [(64, 16384, 4096, 1536), (64, 8192, 2048, 8192), (64, 256, 4096, 1536)]  # E rows K N
FLOAT8 = """def {name}[M, N, K](x: Tensor[M, K, f8e4m3 @accum(f32){policy}], w: Tensor[N, K, f8e4m3 @accum(f32)]) -> Tensor[M, N, bf16]:
    return cast(x @ w.T, bf16)
"""
FLOAT8_OF = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (128, 8192, 8192), (64, 4096, 14336)]  # M N K

TEXTS = {"int4": TILES + INT4_TEXT + INT4_MANY, "int8": TILES + INT8_TEXT + INT8,
         "experts128": EXPERTS.format(name="experts128", m=128, n=256, k=64, w=8, s=4),
         "experts16": EXPERTS.format(name="experts16", m=16, n=128, k=64, w=8, s=8),
         "promoted": FLOAT8.format(name="promoted", policy=""), "fast": FLOAT8.format(name="fast", policy=" @fast_sums")}


def relative(ours, wanted):
    return ((ours.double() - wanted).norm() / wanted.norm()).item()


def least(peers, seconds):
    """The peer that takes the least time, of those that run."""
    times = {}
    for name, call in peers.items():
        try:
            times[name] = seconds(call)
        except Exception as why:  # not in this build of PyTorch, or refused
            print(f"  {name}: {str(why).splitlines()[0][:110]}")
    return min(times.items(), key=lambda each: each[1]), times


def report(what, ours, peers, seconds, error):
    (best, theirs), times = least(peers, seconds)
    others = "  ".join(f"{name} {time * 1e6:.1f}" for name, time in times.items())
    print(f"{what:>40} {ours * 1e6:9.1f} us  {theirs / ours:5.2f} x {best:<12} error {error:.1e}   {others}", flush=True)


def sets_of(size):
    return max(2, min(decode.MOST_SETS, decode.SETS_BYTES // size))


def timed(calls, rows, timer):
    """Seconds of one of the calls, which differ in the weights that they read."""
    return decode.graph_seconds(calls) if rows <= FEW else timer.seconds(calls[0])


def best_of(program, names, x, sets, extra, timer):
    """The time, the name and a result, of the last set, of the function that takes the least time."""
    best, rows = None, x.shape[0]
    for name in names:
        outs = [torch.full((rows, w.shape[0]), float("nan"), device="cuda", dtype=torch.bfloat16) for w in sets]
        calls = [program.prepare(name, x, w, *extra, out) for w, out in zip(sets, outs)]
        seconds = timed(calls, rows, timer)
        calls[-1]()
        if len(names) > 1:
            print(f"  {name} {seconds * 1e6:.1f}", end="", flush=True)
        if best is None or seconds < best[0]:
            best = seconds, name, outs[-1]
    print()
    return best


def int4(programs, timer):
    for k, n in WEIGHTS:
        sets = [torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8) for _ in range(sets_of(k * n // 2))]
        scale = torch.rand(k // GROUP, n, device="cuda").bfloat16().float() * 0.1 + 0.05
        offset = -8 * scale + torch.randn_like(scale).bfloat16().float() * 0.01
        numbers = [torch.cat([w & 15, w >> 4], 1) for w in sets]
        plain = lambda q: (q.float().view(n, -1, GROUP) * scale.t()[:, :, None] + offset.t()[:, :, None]).view(n, k).bfloat16()
        ready = [plain(q) for q in numbers[:4]]
        scales_and_zeros = torch.stack([scale, offset + 8 * scale], 2).bfloat16().contiguous()  # (q - 8) * scale + zero
        try:
            packed = [torch._convert_weight_to_int4pack((q[:, ::2] << 4 | q[:, 1::2]).contiguous(), 8) for q in numbers]
        except Exception as why:
            packed = []
            print("  no packed weights:", str(why).splitlines()[0][:110])
        exact = numbers[-1].double().view(n, -1, GROUP) * scale.t().double()[:, :, None] + offset.t().double()[:, :, None]
        exact = exact.view(n, k)
        for m in ROWS:
            x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
            names = names_for(INT4_NAMES, m) or ["int4_many"]
            ours, name, out = best_of(programs["int4"], names, x, sets, (scale, offset), timer)
            peers = {"bf16 ready": [lambda w=w: torch.matmul(x, w.t()) for w in ready],
                     "Triton": [lambda w=w: triton_kernels.int4(x, w, scale, offset) for w in sets]}
            if packed:
                peers["int4pack"] = [lambda w=w: torch._weight_int4pack_mm(x, w, GROUP, scales_and_zeros) for w in packed]
            if m > FEW:
                peers["unpack + bf16"] = [lambda q=q: torch.matmul(x, plain(q).t()) for q in numbers]
            report(f"{name} M={m} K={k} N={n}", ours, peers, lambda each: timed(each, m, timer), relative(out, x.double() @ exact.t()))


def int8(programs, timer):
    for k, n in WEIGHTS:
        sets = [torch.randint(-127, 128, (n, k), device="cuda", dtype=torch.int8) for _ in range(sets_of(k * n))]
        scale = torch.rand(n, device="cuda") + 0.5
        ready = [w.bfloat16() for w in sets[:4]]
        for m in ROWS:
            x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
            ours, name, out = best_of(programs["int8"], names_for(INT8_NAMES, m) + ["bytes"], x, sets, (scale,), timer)
            peers = {"bf16 ready": [lambda w=w: torch.matmul(x, w.t()) for w in ready],
                     "int8pack": [lambda w=w: torch._weight_int8pack_mm(x, w, scale.bfloat16()) for w in sets],
                     "Triton": [lambda w=w: triton_kernels.int8(x, w, scale) for w in sets]}
            wanted = (x.double() @ sets[-1].double().t()) * scale.double()
            report(f"{name} M={m} K={k} N={n}", ours, peers, lambda each: timed(each, m, timer), relative(out, wanted))


def experts(programs, timer):
    for count, rows, k, n in EXPERTS_OF:
        drawn = torch.multinomial(torch.rand(count) + 0.2, rows, replacement=True)
        of_each = torch.bincount(drawn, minlength=count)
        tile = 128 if rows > 1024 else 16
        padded = (of_each + tile - 1) // tile * tile
        begins = torch.cumsum(padded, 0) - padded
        places = torch.cat([torch.arange(c) + b for c, b in zip(of_each.tolist(), begins.tolist())]).cuda()
        expert = torch.repeat_interleave(torch.arange(count), padded // tile).int().cuda()
        ends = torch.cumsum(of_each, 0).int().cuda()
        x = torch.randn(rows, k, device="cuda", dtype=torch.bfloat16)
        w = torch.randn(count, k, n, device="cuda", dtype=torch.bfloat16)
        spread = torch.zeros(int(padded.sum()), k, device="cuda", dtype=torch.bfloat16)
        spread[places] = x
        out = torch.full((spread.shape[0], n), float("nan"), device="cuda", dtype=torch.bfloat16)
        call = programs[f"experts{tile}"].prepare(f"experts{tile}", spread, w, expert, out)
        call()
        wanted, begin = torch.empty(rows, n, device="cuda", dtype=torch.float64), 0
        for e, size in enumerate(of_each.tolist()):
            wanted[begin:begin + size] = x[begin:begin + size].double() @ w[e].double()
            begin += size
        of_columns = w.transpose(1, 2).contiguous().transpose(1, 2)
        peers = {"grouped_mm": lambda: torch._grouped_mm(x, w, offs=ends),
                 "grouped_mm kn": lambda: torch._grouped_mm(x, of_columns, offs=ends),
                 "Triton": lambda: triton_kernels.experts(spread, w, expert, tile)}
        report(f"experts {count} x {rows} K={k} N={n}", timer.seconds(call), peers, timer.seconds, relative(out[places], wanted))
        print(f"  {2e-12 * rows * k * n / timer.seconds(call):.0f} TFLOP/s of ours; {spread.shape[0]} rows with those that fill tiles", flush=True)


def float8(programs, timer):
    one = torch.ones((), device="cuda")
    for m, n, k in FLOAT8_OF:
        x, w = (torch.randn(*shape, device="cuda").to(torch.float8_e4m3fn) for shape in ((m, k), (n, k)))
        wanted = x.double() @ w.double().t()
        for name in ("promoted", "fast"):
            out = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
            call = programs[name].prepare(name, x, w, out)
            call()
            scaled = lambda: torch._scaled_mm(x, w.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=name == "fast")
            ours = timer.seconds(call)
            report(f"e4m3 {name} {m} {n} {k}", ours, {"cuBLASLt": scaled}, timer.seconds, relative(out, wanted))
            print(f"  {2e-12 * m * n * k / ours:.0f} TFLOP/s; cuBLASLt's error {relative(scaled(), wanted):.1e}", flush=True)


SECTIONS = {"int4": (int4, ["int4"]), "int8": (int8, ["int8"]), "experts": (experts, ["experts128", "experts16"]), "float8": (float8, ["promoted", "fast"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tesserac")
    parser.add_argument("--only", choices=SECTIONS)
    parser.add_argument("--arch", default="sm_90a")
    options = parser.parse_args()
    torch.manual_seed(7)
    sections = [options.only] if options.only else list(SECTIONS)
    with tempfile.TemporaryDirectory() as folder:
        programs = common.build_all(options.tesserac, folder, {name: TEXTS[name] for each in sections for name in SECTIONS[each][1]}, options.arch)
        timer = common.Timer()
        print(torch.cuda.get_device_name(), f"copy {timer.copy_bandwidth() / 1e9:.0f} GB/s", flush=True)
        for each in sections:
            run, needed = SECTIONS[each]
            refused = [f"{name}: {programs[name]}" for name in needed if isinstance(programs[name], str)]
            if refused:
                print("\n".join(refused))
            else:
                run(programs, timer)


if __name__ == "__main__":
    main()
