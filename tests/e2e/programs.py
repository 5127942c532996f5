#!/usr/bin/env python3
"""Runs the programs of a folder and compares what was compiled with the reference interpreter.

    programs.py [--target cpu] [--seed N] TESSERA PROGRAM.tsr...

A program says in comments what to do with it:
    # run: FUNCTION N=0,1,7 C=5 [ARGUMENT:2.5] [tolerance:1e-3]     every combination of the sizes, fresh random inputs
    # main                                                         its `def main()`; the printed text must be the same
    # prints: LINE                                                 and these lines, where they are known independently
Integers and truth values must be equal, floats to within the tolerance, 2e-5 if none is given, times the larger of one
and the exact value. Without --seed the seed is new in each run; it is printed with what fails, and TESSERA_SEED repeats a run.
"""
import argparse
import ast
import itertools
import math
import operator
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SECONDS = int(os.environ.get("TESSERA_TEST_SECONDS", 300))  # for one run; a tool that looks at every access takes longer
CODES = {"<f8": "d", "<f4": "f", "<f2": "e", "<i8": "q", "<i4": "i", "<i2": "h", "|i1": "b", "|u1": "B", "|b1": "?", "<u2": "H", "<u4": "I"}


def read_npy(path):
    """Shape, values and whether they are floats. bf16 is stored as `<V2`, the upper half of an f32."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + size].decode().strip())
    descr, body = header["descr"], data[10 + size :]
    if descr.endswith("V2"):
        wide = bytearray(2 * len(body))
        wide[2::4], wide[3::4] = body[0::2], body[1::2]
        descr, body = "<f4", bytes(wide)
    code = CODES[descr]
    values = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
    return header["shape"], values, code in "dfe"


def within(got, expected, tolerance):
    """Whether no number is further apart, for most arrays: where one is infinite or none, the sum is, too, and difference() looks."""
    apart = list(map(abs, map(operator.sub, got, expected)))
    return math.isfinite(sum(apart)) and max(apart, default=0) <= tolerance


def difference(got, expected, tolerance):
    """Empty if the two arrays agree, else where they do not."""
    if got[0] != expected[0] or got[2] != expected[2]:
        return f"shape or dtype differs: {got[0]} and {expected[0]}"
    if got[1] == expected[1] or (got[2] and within(got[1], expected[1], tolerance)):
        return ""
    for i, (a, b) in enumerate(zip(got[1], expected[1])):
        if a == b or (a != a and b != b):
            continue
        if not got[2] or not math.isfinite(a) or not abs(a - b) <= tolerance * max(1.0, abs(b)):
            return f"element {i} is {a}, the reference says {b}"
    return ""


def runs_of(text):
    """What the lines `# run:` ask for: function, sizes, arguments, tolerance."""
    for line in re.findall(r"^# run: (.*)$", text, re.M):
        name, *words = line.split()
        sizes = [(k, v.split(",")) for k, _, v in (w.partition("=") for w in words) if v]
        given = dict(w.split(":") for w in words if ":" in w)
        tolerance = float(given.pop("tolerance", 2e-5))
        for values in itertools.product(*[v for _, v in sizes]):
            yield name, list(zip([k for k, _ in sizes], values)), [f"{k}={v}" for k, v in given.items()], tolerance


class Run:
    """One line `# run:` with one choice of sizes: what `tessera run` is asked, and where it writes."""

    def __init__(self, number, name, sizes, given, tolerance, seed):
        self.number, self.tolerance = number, tolerance
        self.what = f"{name} " + " ".join(f"{k}={v}" for k, v in sizes)
        random = ",".join(f"{k}={v}" for k, v in sizes)
        self.words = [name, "--random", random or '""', "--seed", str(seed), *[w for argument in given for w in ("--arg", argument)]]

    def line(self, target):
        return " ".join([*self.words, "--out", f"{target}/{self.number}/"]) + "\n"

    def wrong(self, folder, target):
        """Empty if what the target computed agrees with the reference, else where it does not."""
        places = [os.path.join(folder, side, str(self.number)) for side in (target, "reference")]
        got, expected = (sorted(os.listdir(place)) if os.path.isdir(place) else [] for place in places)
        if not expected or got != expected:
            return f"the results are not the same in number: {got} and {expected}"
        for result in expected:
            if wrong := difference(*(read_npy(os.path.join(place, result)) for place in places), self.tolerance):
                return f"{result}: {wrong}"
        return ""


class Runner:
    def __init__(self, tessera, target, seed, reference):
        self.tessera, self.target, self.reference = tessera, target, reference
        self.seed = int(os.environ.get("TESSERA_SEED", random.randrange(1 << 30) if seed is None else seed))
        self.good = self.bad = 0

    def fail(self, what, why):
        self.bad += 1
        print(f"FAILED {what} (TESSERA_SEED={self.seed}): {why}")

    def run(self, program, arguments, target, folder, seconds=SECONDS):
        tool = self.reference if target == "reference" else self.tessera
        try:
            return subprocess.run([tool, "run", program, *arguments, "--target", target], cwd=folder, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess([], 1, "", f"it does not end within {seconds} seconds")

    def together(self, program, runs, target, folder):
        """Runs in one process, which reads and compiles the program once: empty, or what it says when one of them fails."""
        with open(os.path.join(folder, "runs"), "w", encoding="utf-8") as file:
            file.writelines(run.line(target) for run in runs)
        result = self.run(program, ["--runs", "runs"], target, folder, SECONDS * len(runs))
        return "" if result.returncode == 0 else f"--target {target}: status {result.returncode}\n{result.stdout[-4000:]}{result.stderr}"

    def functions(self, program, runs):
        name = os.path.basename(program)
        with tempfile.TemporaryDirectory() as folder:
            failed = {}
            for target in (self.target, "reference"):
                said = self.together(program, runs, target, folder)
                # What brings the process down, or keeps the others from being compiled, is found where each runs by itself.
                alone = {run: self.together(program, [run], target, folder) for run in runs} if said and len(runs) > 1 else {runs[0]: said}
                failed = {run: why for run, why in alone.items() if why} | failed
                if said and not any(alone.values()):
                    self.fail(name, "each run is right by itself, and not all together: " + said)
            for run in runs:
                if wrong := failed.get(run) or run.wrong(folder, self.target):
                    self.fail(f"{name} {run.what}", wrong)
                else:
                    self.good += 1

    def main(self, program, wanted):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for target in ("cpu", "reference"):
                result = self.run(program, [], target, folder)
                if result.returncode != 0:
                    return self.fail(os.path.basename(program), f"--target {target}: {result.stdout}{result.stderr}")
                texts.append(result.stdout)
        if texts[0] != texts[1] or not texts[0]:
            return self.fail(os.path.basename(program), f"it prints\n{texts[0]}\nand the reference\n{texts[1]}")
        if wanted and texts[1].splitlines() != wanted:
            return self.fail(os.path.basename(program), f"it prints\n{texts[1]}\nand not\n" + "\n".join(wanted))
        self.good += 1

    def program(self, path, part, parts):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        runs = [Run(i, *run, self.seed + i) for i, run in enumerate(runs_of(text))]
        if chosen := runs[len(runs) * (part - 1) // parts : len(runs) * part // parts]:  # neighbours are mostly of one function
            self.functions(path, chosen)
        if part == 1 and self.target == "cpu" and re.search(r"^# main$", text, re.M):  # device code has no `main`
            self.main(path, re.findall(r"^# prints: (.*)$", text, re.M))


def main(tessera, target, programs, seed, reference=None, part="1/1"):
    runner = Runner(tessera, target, seed, reference or tessera)
    for path in programs:
        runner.program(os.path.abspath(path), *map(int, part.split("/")))
    print(f"{runner.good} runs are right, {runner.bad} are not")
    return 0 if runner.good and not runner.bad else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="cpu", help="what is compared with the reference: cpu, cuda:sm_90a, ...")
    parser.add_argument("--seed", type=int, help="of the first inputs; a new one if it is not given")
    parser.add_argument("--reference", type=os.path.abspath, help="what runs the reference, where TESSERA runs under a slow tool")
    parser.add_argument("--part", default="1/1", metavar="2/4", help="the second of four parts of each program's runs, which may go side by side")
    parser.add_argument("tessera")
    parser.add_argument("programs", nargs="+")
    given = parser.parse_args()
    sys.exit(main(os.path.abspath(given.tessera), given.target, given.programs, given.seed, given.reference, given.part))
