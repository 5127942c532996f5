#!/usr/bin/env python3
"""The benchmarks: what is promised about the compiler's own speed, measured.

  check      `tessera check` on a generated module of 500 functions and 10,000 lines over symbolic sizes, and the
             slowest single function of it, of the canon and of the standard library; and one function that changed,
             checked again by the language server, which has seen the others
  compiler   front end and whole compiler in lines per second, and peak memory, on a generated 10,000-line program
  line       a mistake in a line of 4 MB: what reading it and showing a part of it take
  start      how long the programs take to start
  editor     the language server: from a key to what is said, hover and completion after a key, memory
  nvcc       how long nvcc takes for an emitted file against a hand-written one of the same kernel
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from typing import Optional

import module

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

EXAMPLES = """examples:
  ./dev bench                                     all of them, with a build first
  ./dev bench check                               one of them
  python3 bench/run.py build/release check start  two of them, of a build that is there
  python3 bench/run.py build/release check --json for a program; a row is {bench, what, value, unit, goal, met}
  python3 bench/run.py --module 500 > big.tsr     the generated module itself
"""

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


@dataclass
class Row:
    """One number. `goal`: it should not be above this; None where nothing is promised."""
    what: str
    value: float
    unit: str
    goal: Optional[float] = None
    note: str = ""

    @property
    def met(self) -> bool:
        return self.goal is None or self.value <= self.goal


@dataclass
class Cost:
    """The least of several runs of a command, which is what it costs on a machine with nothing else to do."""
    wall: float       # milliseconds
    processor: float  # milliseconds
    peak: float       # megabytes; no less than this program's own, because Linux counts a process from its fork
    output: str       # what it said, of the last run


def cost(command: list[str], repeats: int, mistakes: bool = False) -> Cost:
    """`mistakes`: the program may have some; the canon has a file of forms that are only read."""
    found = Cost(float("inf"), float("inf"), 0.0, "")
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = process.stdout.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        found.wall = min(found.wall, 1e3 * (time.perf_counter() - start))
        found.processor = min(found.processor, 1e3 * (usage.ru_utime + usage.ru_stime))
        found.peak = max(found.peak, usage.ru_maxrss * 1024 / 1e6)
        found.output = said
        if os.waitstatus_to_exitcode(status) not in ((0, 1) if mistakes else (0,)):
            raise SystemExit(f"{' '.join(command)} failed:\n{said[:2000]}")
    return found


def written(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return path


def generated(lines: int) -> str:
    text, i = "# A generated program.\n", 0
    while text.count("\n") < lines:
        text += KERNEL.format(i=i, scale=1 + i % 7)
        i += 1
    return text


def slowest(tools: str, paths: list[str], repeats: int) -> tuple[float, str]:
    """Milliseconds and name of the function that takes longest; of several runs the one where that is least."""
    best = (float("inf"), "")
    for _ in range(repeats):
        said = cost([f"{tools}/tessera", "check", "--no-cache", "--time=1", *paths], 1, mistakes=True).output
        row = next(line for line in said.splitlines() if line.endswith(")") and " ms  " in line)
        milliseconds, name = row.strip().split(" ms  ", 1)
        best = min(best, (float(milliseconds), name))
    return best


def check_of(tools: str, path: str, lines: int, repeats: int) -> list[Row]:
    """A check, and what it consists of, as `--time` says it; of several runs the one that takes least."""
    names = {"reading, by the clock": "of it, reading", "checking, by the clock": "of it, checking",
             "reading the text": "processor time of reading", "checking ": "processor time of its functions",
             "what is imported": "processor time of imports and the rest"}
    runs = [cost([f"{tools}/tessera", "check", "--no-cache", "--time=1", path], 1) for _ in range(repeats)]
    best = min(runs, key=lambda run: run.wall)
    parts: dict[str, Row] = {}
    for line in best.output.splitlines():
        milliseconds, _, what = line.strip().partition(" ms  ")
        row = next((row for start, row in names.items() if what.startswith(start)), None)
        if row:
            parts[row] = Row(row, float(milliseconds), "ms", None, what.partition(", in ")[2])
    reading, checking, *processor = (parts[row] for row in names.values())
    return [
        Row(f"{lines:,} lines, 500 functions", best.wall, "ms", 200, f"{lines / best.wall * 1e3:,.0f} lines/s"),
        reading, checking, Row("of it, start and end", best.wall - reading.value - checking.value, "ms"),
        Row("processor time of it", best.processor, "ms"), *processor,
        Row("peak memory of it", max(run.peak for run in runs), "MB", 200),
    ]


def processor_of(process: int) -> float:
    """Milliseconds that its threads have run."""
    spent = 0
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/schedstat") as file:
            spent += int(file.read().split()[0])
    return spent / 1e6


def again(tools: str, folder: str, functions: int, repeats: int) -> list[Row]:
    """From a statement that is put into one function, or taken from it, until all messages of the text are there: by a server
    that has checked the text before."""
    server = os.path.join(tools, "tessera-lsp")
    if not os.path.exists(server):
        print("no tessera-lsp in the build: a second check is SKIPPED", file=sys.stderr)
        return []
    sys.path.insert(0, os.path.join(ROOT, "tests", "lsp"))
    from client import Client
    text, uri, times, version = module.generated(functions), f"file://{folder}/again_{functions}.tsr", [], 1
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith("    ") and " = " in line and line.endswith((")", "0", "w", "x"))]
    client = Client(server, options={"debounce": 0})  # without the pause in which a next key may come
    client.open(uri, text)
    client.published(uri, version, timeout=120)
    processor = processor_of(client.process.pid)
    for turn in range(max(20, 4 * repeats)):
        line = places[turn * 7919 % len(places)] + 1  # a prime: all over the text
        here, below = {"line": line, "character": 0}, {"line": line + 1, "character": 0}
        for end, new in ((here, f"    more = {lines[line - 1].split()[0]} * 2.0\n"), (below, "")):
            version += 1
            start = time.perf_counter()
            client.change(uri, version, {"range": {"start": here, "end": end}, "text": new})
            client.published(uri, version, timeout=120)
            times.append(1e3 * (time.perf_counter() - start))
    processor = (processor_of(client.process.pid) - processor) / len(times)
    client.stop()
    times.sort()
    what = "one function again, alone" if functions == 1 else f"one function again, of {functions}"
    return [Row(what, times[len(times) // 2], "ms", 10, f"median of {len(times)}; least {times[0]:.1f} ms, processor {processor:.1f} ms, p99 {times[99 * len(times) // 100]:.1f} ms")]


def bench_check(tools: str, folder: str, repeats: int) -> list[Row]:
    text = module.generated(500)
    lines = text.count("\n")
    path = written(folder, "module.tsr", text)
    one, name = slowest(tools, [path], repeats)
    real = [os.path.join(ROOT, *part) for part in (("tests", "canon"), ("stdlib",), ("examples",))]
    real_one, real_name = slowest(tools, real, repeats)
    return [
        *check_of(tools, path, lines, repeats),
        Row("slowest function of it", one, "ms", 50, name),
        Row("slowest of canon, library, examples", real_one, "ms", 50, real_name),
        *again(tools, folder, 1, repeats), *again(tools, folder, 500, repeats),
    ]


def bench_compiler(tools: str, folder: str, repeats: int) -> list[Row]:
    text = generated(10_000)
    lines = text.count("\n")
    program = written(folder, "generated.tsr", text)
    commands = {
        "parse": [f"{tools}/tesserac", program, "--emit=ast", "-o", f"{folder}/out.ast"],
        "check": [f"{tools}/tessera", "check", "--no-cache", program],
        "compile to C++": [f"{tools}/tesserac", program, "-o", f"{folder}/out.cpp"],
        "compile to CUDA": [f"{tools}/tesserac", program, "-o", f"{folder}/out.cu"],
    }
    rows = []
    for name, command in commands.items():
        found = cost(command, min(repeats, 3))
        rows.append(Row(f"{name}, {lines:,} lines", found.wall, "ms", None, f"{lines / found.wall * 1e3:,.0f} lines/s"))
        rows.append(Row(f"{name}, peak memory", found.peak, "MB"))
    return rows


def bench_line(tools: str, folder: str, repeats: int) -> list[Row]:
    text = 'x = "' + "a" * 4_000_000 + "\n"
    program = written(folder, "line.tsr", text)
    found = cost([f"{tools}/tessera", "check", "--no-cache", program], min(repeats, 3), mistakes=True)
    megabytes = len(text) / 1e6
    return [
        Row(f"a mistake in a line of {megabytes:.1f} MB", found.wall, "ms"),
        Row("peak memory of it", found.peak, "MB", None, f"{found.peak / megabytes:.0f} bytes for each byte"),
    ]


def bench_start(tools: str, folder: str, repeats: int) -> list[Row]:
    rows = []
    for name in ("tesserac", "tessera"):
        found = cost([f"{tools}/{name}", "--version"], 2 * repeats)
        size = os.path.getsize(f"{tools}/{name}") / 1e6
        rows.append(Row(f"{name} starts", found.wall, "ms", None, f"{size:.1f} MB on disk"))
    return rows


def bench_editor(tools: str, folder: str, repeats: int) -> list[Row]:
    server = os.path.join(tools, "tessera-lsp")
    if not os.path.exists(server):
        print("no tessera-lsp in the build: `editor` is SKIPPED", file=sys.stderr)
        return []
    sys.path.insert(0, os.path.join(ROOT, "tests", "lsp"))
    from client import Client
    rows = []
    starts = []
    for _ in range(repeats):
        start = time.perf_counter()
        client = Client(server)
        starts.append(1e3 * (time.perf_counter() - start))
        client.stop()
    rows.append(Row("start to the first answer", min(starts), "ms"))
    for functions in (50, 500):
        text = module.generated(functions)
        uri = f"file://{folder}/module.tsr"
        # As VS Code has it: one range for all completions, details when they are looked at.
        client = Client(server, completion={"completionItem": {"resolveSupport": {"properties": ["documentation", "detail"]}},
                                            "completionList": {"itemDefaults": ["editRange", "data"]}},
                        workspace={"inlayHint": {"refreshSupport": True}})
        client.open(uri, text)
        client.published(uri, 1, timeout=120)
        size = f"{text.count(chr(10)):,} lines"
        for what, times in typing(client, uri, text.split("\n"), 2 * repeats).items():
            goal = {"key to diagnostics": 50}.get(what, 15)
            times.sort()
            late = times[min(len(times) - 1, 99 * len(times) // 100)]
            rows.append(Row(f"{what}, {size}, p99", late, "ms", goal, f"{len(times)} times, median {times[len(times) // 2]:.1f} ms, worst {times[-1]:.1f} ms"))
        with open(f"/proc/{client.process.pid}/status") as status:
            peak = next(int(l.split()[1]) for l in status if l.startswith("VmHWM"))
        rows.append(Row(f"peak memory, {size}", peak * 1024 / 1e6, "MB", 300))
        client.stop()
    return rows


def typing(client, uri: str, lines: list[str], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of the answers while statements are typed, letter by letter, into functions here and there: half of the
    texts on the way do not parse. Each statement goes away again."""
    spent: dict[str, list[float]] = {"completion after a key": [], "hover after a key": [], "key to diagnostics": []}
    version = 1

    def change(begin: tuple[int, int], end: tuple[int, int], new: str) -> None:
        nonlocal version
        version += 1
        place = {"start": dict(zip(("line", "character"), begin)), "end": dict(zip(("line", "character"), end))}
        client.change(uri, version, {"range": place, "text": new})

    def timed(what: str, ask) -> None:
        start = time.perf_counter()
        ask()
        spent[what].append(1e3 * (time.perf_counter() - start))

    places = [i for i, line in enumerate(lines) if line.startswith("    ") and " = " in line and line.endswith((")", "0", "w", "x"))]
    for turn in range(rounds):
        above = places[turn * 7919 % len(places)]  # a prime: all over the text
        end, line, at = (above, len(lines[above])), above + 1, 4
        name = lines[above].split()[0]
        change(end, end, "\n    ")
        for letter in f"new = {name}" + (".me" if turn % 2 else " * 2 + ex"):
            def complete() -> None:
                change((line, at), (line, at), letter)
                client.at("completion", uri, line, at + 1)
            timed("completion after a key", complete)
            at += 1

        def hover() -> None:
            change((line, at), (line, at), "x")
            client.at("hover", uri, above, 5)
        timed("hover after a key", hover)

        def check() -> None:
            change((line, at + 1), (line, at + 1), "y")
            client.published(uri, version, timeout=120)
        timed("key to diagnostics", check)

        def back() -> None:
            change(end, (line, at + 2), "")
            client.published(uri, version, timeout=120)
        timed("key to diagnostics", back)
    return spent


def bench_nvcc(tools: str, folder: str, repeats: int) -> list[Row]:
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("no nvcc here: `nvcc` is SKIPPED", file=sys.stderr)
        return []
    subprocess.run([f"{tools}/tesserac", f"{ROOT}/examples/softmax.tsr", "-o", f"{folder}/softmax.cu"], check=True)
    flags = ["-std=c++17", "-O3", "-fmad=false", "-arch=sm_90a", f"-I{ROOT}/include", "-c", "-o", f"{folder}/out.o"]
    emitted = cost([nvcc, *flags, f"{folder}/softmax.cu"], 3).wall
    by_hand = cost([nvcc, *flags, f"{ROOT}/bench/handwritten/softmax.cu"], 3).wall
    return [
        Row("nvcc on the emitted softmax", emitted, "ms", None, f"{emitted / by_hand:.2f} times the hand-written one"),
        Row("nvcc on the hand-written softmax", by_hand, "ms"),
    ]


BENCHES = {"check": bench_check, "compiler": bench_compiler, "line": bench_line, "start": bench_start, "editor": bench_editor, "nvcc": bench_nvcc}


def show(name: str, rows: list[Row]) -> None:
    print(f"== {name}")
    for row in rows:
        goal = "" if row.goal is None else f"goal {row.goal:g} {row.unit}" + ("" if row.met else " MISSED")
        print(f"  {row.what:44}{row.value:10.1f} {row.unit:3} {goal:20} {row.note}".rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", help="the build folder, with bin/tessera and bin/tesserac in it")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which benchmarks: {', '.join(BENCHES)}; all if none is named")
    parser.add_argument("--repeat", type=int, default=9, metavar="N", help="runs of which the least counts (9 if not said)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout in place of the table")
    parser.add_argument("--module", type=int, metavar="N", help="write the generated module with N functions and stop")
    options = parser.parse_args()
    if options.module is not None:
        sys.stdout.write(module.generated(options.module))
        return 0
    if not options.build:
        parser.error("name the build folder, for example `python3 bench/run.py build/release check`")
    unknown = [name for name in options.names if name not in BENCHES]
    if unknown:
        parser.error(f"there is no benchmark `{unknown[0]}`; there are {', '.join(BENCHES)}")
    if options.repeat < 1:
        parser.error("`--repeat` is at least 1")
    tools = os.path.join(options.build, "bin")
    for tool in ("tessera", "tesserac"):
        if not os.path.exists(os.path.join(tools, tool)):
            parser.error(f"there is no `{tool}` in `{tools}`: build it with `./dev build tesserac tessera`")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or BENCHES:
            rows = BENCHES[name](tools, folder, options.repeat)
            found += [{"bench": name, **asdict(row), "met": row.met} for row in rows]
            if not options.json:
                show(name, rows)
    if options.json:
        print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
