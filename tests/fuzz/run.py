#!/usr/bin/env python3
"""Runs the fuzzers of the front end for a number of inputs or for some time, and counts what they did.

Three ways of making inputs share the work: changed bytes of short pieces of programs, changed bytes of whole programs,
and trees of programs recombined with sentences of the grammar. Every input goes through the lexer, the parser and the
checker; it must not crash, must take less than a second, and must keep the promises of tests/fuzz/Exercise.cpp. The
first that does not stops everything: its text is kept, and belongs into tests/fuzz/regressions once it is mended.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = ("tests/canon", "tests/sema/errors", "tests/frontend/errors", "tests/corpus", "examples", "stdlib")

REGRESSIONS = os.path.join(ROOT, "tests", "fuzz", "regressions")

EXAMPLES = """examples:
  ./dev fuzz                                                 60 seconds of each way, with a build first
  python3 tests/fuzz/run.py build/fuzz --inputs 10000000 --jobs 2
                                                             ten million inputs of a build that is there, on two cores
  python3 tests/fuzz/run.py build/fuzz --only programs --seconds 600
"""

# Name, program, bytes of an input at most, share of the inputs. What is short is quick; the long ones are there for what
# needs room.
WAYS = (
    ("bytes", "fuzz_bytes", 72, 0.90),
    ("long", "fuzz_bytes", 2000, 0.02),
    ("programs", "fuzz_programs", 420, 0.08),
)
CHUNK = 250_000  # inputs of one process: what it keeps of them stays small

# Checks of the sanitizer that cost much and find nothing here, or that LLVM's uninstrumented archives upset.
SANITIZER = ("detect_leaks=0:detect_stack_use_after_return=0:allow_user_poisoning=0:quarantine_size_mb=1:"
             "thread_local_quarantine_size_kb=64:malloc_context_size=0:max_malloc_fill_size=0:intercept_memcmp=0:max_redzone=16")
COUNTS = re.compile(r"^texts (\d+), of them readable (\d+), with functions that were checked (\d+), right (\d+)$", re.M)


def pieces(text: str, most: int) -> list[str]:
    """The statements at the left margin without comments, and single lines, as far as they are short."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.M)
    text = re.sub(r'^\s*""".*?"""\n', "", text, flags=re.M | re.S)
    found = []
    for block in re.split(r"\n(?=[^\s)\]}])(?<!@kernel\n)", text):
        found.append(block.strip("\n") + "\n")
        found += [line.strip() + "\n" for line in block.split("\n")]
    return [piece for piece in found if 8 < len(piece) <= most]


def write_seeds(folder: str, most: int) -> None:
    os.makedirs(folder, exist_ok=True)
    for programs in PROGRAMS:
        for parent, _, names in os.walk(os.path.join(ROOT, programs)):
            for name in names:
                if not name.endswith(".tsr"):
                    continue
                with open(os.path.join(parent, name), encoding="utf-8", errors="replace") as program:
                    text = program.read()
                for piece in [text] if len(text) <= most else pieces(text, most):
                    seed = hashlib.sha256(piece.encode("utf-8", "replace")).hexdigest()[:16]
                    with open(os.path.join(folder, seed), "w", encoding="utf-8", errors="replace") as out:
                        out.write(piece)


class Way:
    """One way of making inputs, and what became of them."""

    def __init__(self, build: str, name: str, program: str, most: int):
        self.name, self.most = name, most
        self.folder = os.path.join(build, "tests", "fuzz")
        self.program = os.path.join(self.folder, program)
        self.seeds = os.path.join(self.folder, f"seeds_{name}")
        self.kept = os.path.join(self.folder, f"found_{name}")
        self.inputs, self.seconds = 0, 0.0
        self.readable = self.checked = self.right = 0
        self.broken = ""

    def prepare(self) -> None:
        write_seeds(self.seeds, self.most)
        os.makedirs(self.kept, exist_ok=True)

    def stored(self) -> int:
        """Inputs that every process runs first. They are not counted."""
        return sum(len(os.listdir(folder)) for folder in (self.seeds, self.kept, REGRESSIONS))

    def command(self, limits: list[str]) -> list[str]:
        return [
            self.program, *limits, f"-max_len={self.most}", "-timeout=30", "-detect_leaks=0", "-entropic=0",
            "-reload=0", "-use_counters=0", "-keep_seed=1", "-print_final_stats=1",
            f"-artifact_prefix={self.folder}/{self.name}_", f"-dict={self.folder}/words.dict",
            self.kept, REGRESSIONS, self.seeds,
        ]

    def run(self, limits: list[str], jobs: int) -> None:
        """So many processes side by side, each within the limits."""
        stored = self.stored()
        start = time.monotonic()
        running = []
        for _ in range(jobs):
            said = tempfile.TemporaryFile("w+", errors="replace")
            running.append((said, subprocess.Popen(self.command(limits), stdout=said, stderr=subprocess.STDOUT,
                                                   env={**os.environ, "ASAN_OPTIONS": SANITIZER})))
        for said, process in running:
            code = process.wait()
            said.seek(0)
            self.take(said.read(), code, stored)
            said.close()
        self.seconds += time.monotonic() - start

    def take(self, said: str, code: int, stored: int) -> None:
        """Counts what one process did."""
        units = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
        self.inputs += max(int(units.group(1)) - stored, 0) if units else 0
        if counts := COUNTS.search(said):
            self.readable += int(counts.group(2))
            self.checked += int(counts.group(3))
            self.right += int(counts.group(4))
        if code != 0:
            self.broken = said[-6000:]

    def row(self) -> dict:
        return {"way": self.name, "longest": self.most, "inputs": self.inputs, "readable": self.readable,
                "checked": self.checked, "right": self.right, "seconds": round(self.seconds, 1), "broken": bool(self.broken)}


def show(ways: list[Way]) -> None:
    print(f"{'':10}{'bytes':>7}{'inputs':>12}{'readable':>11}{'checked':>10}{'right':>10}{'per second':>12}")
    for way in ways:
        rate = way.inputs / way.seconds if way.seconds else 0
        print(f"{way.name:10}{'<= ' + str(way.most):>7}{way.inputs:12,}{way.readable:11,}{way.checked:10,}{way.right:10,}{rate:12,.0f}")
    print(f"{'together':17}{sum(way.inputs for way in ways):12,}   {sum(bool(way.broken) for way in ways)} broken promises", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build folder of the preset `fuzz`")
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--seconds", type=int, default=60, metavar="N", help="so long for each way (60 if not said)")
    much.add_argument("--inputs", type=int, metavar="N", help="so many inputs in all")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many processes side by side (1 if not said)")
    parser.add_argument("--only", choices=[name for name, *_ in WAYS], help="one way alone")
    parser.add_argument("--json", metavar="FILE", help="write the counts to this file as well, after each step")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    table = [entry for entry in WAYS if options.only in (None, entry[0])]
    ways = [Way(build, name, program, most) for name, program, most, _ in table]
    for way in ways:
        if not os.path.exists(way.program):
            parser.error(f"there is no `{way.program}`: build it with `./dev fuzz`")
        way.prepare()
    shares = [share / sum(entry[3] for entry in table) for *_, share in table]
    broken = False
    while not broken:
        for way, share in zip(ways, shares):
            limits = [f"-max_total_time={options.seconds}"]
            if options.inputs:
                wanted = min((int(options.inputs * share) + 1 - way.inputs) // options.jobs + 1, int(CHUNK * share) + 1)
                if way.inputs > options.inputs * share:
                    continue
                limits = [f"-runs={wanted + way.stored()}"]
            way.run(limits, options.jobs)
            broken |= bool(way.broken)
            if options.json:
                with open(options.json, "w", encoding="utf-8") as out:
                    json.dump([one.row() for one in ways], out, indent=1)
        show(ways)
        if not options.inputs or all(way.inputs > options.inputs * share for way, share in zip(ways, shares)):
            break
    for way in ways:
        if way.broken:
            print(f"== {way.name}\n{way.broken}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
