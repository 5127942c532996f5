#!/usr/bin/env python3
"""The benchmarks. `./dev bench` runs all, `./dev bench check` one.

  check      `tessera check` on a generated module of 500 functions and 10,000 lines over symbolic sizes, beside its goals
  compiler   front end and whole compiler in lines per second, and peak memory, on a generated 10,000-line program
  start      how long the programs take to start
  nvcc       how long nvcc takes for an emitted file against a hand-written one of the same kernel
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import module

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

KERNEL = '''
@kernel
def rows_{i}[R, C](x: Tensor[R, C, bf16 @accum(f32)], w: Tensor[C, bf16]) -> Tensor[R, C, bf16]:
    """Kernel {i}: a scaled softmax of each row."""
    r, _ = tile.origin()
    v = tile.cast(x[r, :], f32) * {scale}
    e = tile.exp(v - tile.max(v, axis=-1, keepdim=True))
    s = tile.sum(e, axis=-1, keepdim=True)
    return tile.cast(e / s * tile.cast(w[:], f32), bf16)


def block_{i}[B, S, D](x: Tensor[B, S, D, f32], g: Tensor[D, f32], b: Tensor[D, f32]) -> Tensor[B, S, D, f32]:
    """Function {i}: a norm and an activation, one kernel."""
    mean = x.mean(axis=-1, keepdim=True)
    var = x.var(axis=-1, keepdim=True)
    n = (x - mean) / sqrt(var + 1e-5) * g + b
    y = gelu(n) * {scale} + x
    return y

'''


def generated(lines: int) -> str:
    text, i = "# A generated program.\n", 0
    while text.count("\n") < lines:
        text += KERNEL.format(i=i, scale=1 + i % 7)
        i += 1
    return text


def measure(command, repeats=5):
    """Median seconds and peak resident bytes of a command."""
    times, peak = [], 0
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        times.append(time.perf_counter() - start)
        peak = max(peak, usage.ru_maxrss * 1024)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors[:2000]}")
    return statistics.median(times), peak


def best(command, repeats):
    """Least wall milliseconds, least processor milliseconds and peak megabytes of a command that succeeds."""
    wall, processor, peak = float("inf"), float("inf"), 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        wall = min(wall, 1e3 * (time.perf_counter() - start))
        processor = min(processor, 1e3 * (usage.ru_utime + usage.ru_stime))
        peak = max(peak, usage.ru_maxrss * 1024 / 1e6)
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{errors[:2000]}")
    return wall, processor, peak


def bench_check(tools: str, folder: str) -> None:
    def written(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    text = module.generated(500)
    lines = text.count("\n")
    wall, processor, peak = best([f"{tools}/tessera", "check", "--no-cache", written("module.tsr", text)], 9)
    print(f"{lines} lines, 500 functions: {lines / wall * 1e3:,.0f} lines/s")
    print(f"{'wall time':24}{wall:8.1f} ms   goal 200 ms")
    print(f"{'processor time':24}{processor:8.1f} ms")
    print(f"{'peak memory':24}{peak:8.1f} MB   goal 200 MB")
    # Each kind of function alone with what it calls: what it takes beyond a file with nothing in it.
    check = [f"{tools}/tessera", "check", "--no-cache"]
    _, nothing, _ = best(check + [written("empty.tsr", module.HEAD)], 9)
    alone = {kind: best(check + [written(f"{kind}.tsr", text)], 5)[1] - nothing for kind, text in module.each_kind()}
    slowest = max(alone, key=alone.get)
    print(f"{'slowest function':24}{alone[slowest]:8.1f} ms   goal 50 ms   ({slowest}; processor time)")


def bench_compiler(tools: str, folder: str) -> None:
    program = os.path.join(folder, "generated.tsr")
    text = generated(10_000)
    open(program, "w").write(text)
    lines = text.count("\n")
    rows = [
        ("parse", [f"{tools}/tesserac", program, "--emit=ast", "-o", f"{folder}/out.ast"]),
        ("check", [f"{tools}/tessera", "check", "--no-cache", program]),
        ("compile to C++", [f"{tools}/tesserac", program, "-o", f"{folder}/out.cpp"]),
        ("compile to CUDA", [f"{tools}/tesserac", program, "-o", f"{folder}/out.cu"]),
    ]
    print(f"{'':18}{'seconds':>10}{'lines/s':>12}{'peak MB':>10}    ({lines} lines)")
    for name, command in rows:
        seconds, peak = measure(command, 3)
        print(f"{name:18}{seconds:10.3f}{lines / seconds:12,.0f}{peak / 1e6:10.0f}")


def bench_start(tools: str, folder: str) -> None:
    for name in ("tesserac", "tessera"):
        seconds, peak = measure([f"{tools}/{name}", "--version"], 21)
        print(f"{name:18}{seconds * 1e3:10.1f} ms to start{peak / 1e6:10.0f} MB, {os.path.getsize(f'{tools}/{name}') / 1e6:.1f} MB on disk")


def bench_nvcc(tools: str, folder: str) -> None:
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("no nvcc here: SKIPPED")
        return
    subprocess.run([f"{tools}/tesserac", f"{ROOT}/examples/softmax.tsr", "-o", f"{folder}/softmax.cu"], check=True)
    flags = ["-std=c++17", "-O3", "-arch=sm_90a", f"-I{ROOT}/include", "-c", "-o", f"{folder}/out.o"]
    emitted, _ = measure([nvcc, *flags, f"{folder}/softmax.cu"], 3)
    written, _ = measure([nvcc, *flags, f"{ROOT}/bench/handwritten/softmax.cu"], 3)
    print(f"nvcc softmax: emitted {emitted:.2f} s, hand-written {written:.2f} s, ratio {emitted / written:.2f}")


def main() -> None:
    build, names = sys.argv[1], sys.argv[2:] or ["check", "compiler", "start", "nvcc"]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            print(f"== {name}")
            {"check": bench_check, "compiler": bench_compiler, "start": bench_start, "nvcc": bench_nvcc}[name](os.path.join(build, "bin"), folder)


if __name__ == "__main__":
    main()
