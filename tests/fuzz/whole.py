#!/usr/bin/env python3
"""Programs that the checker accepts, made by changing right ones, through the whole compiler and what follows it.

`fuzz_whole` makes the programs and compiles them for four machines. Of each so many, the text is compiled by g++ (and, more
rarely, by nvcc), and each function is run on random arrays and compared with the interpreter. What is found is kept in
BUILD/tests/fuzz/whole, the shortest program of each kind.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = "-I" + os.path.join(ROOT, "include")
SIZES = (0, 1, 2, 3, 4, 8, 17, 64)


class Sample:
    """One accepted program: its text through compilers, its functions against the interpreter."""

    def __init__(self, tools, path, number):
        self.tools, self.path, self.number = tools, path, number
        self.found = []

    def call(self, *command, seconds=120, must_end=True):
        try:
            return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            if must_end:
                self.found.append((f"{os.path.basename(command[0])} takes more than {seconds} s", self.path))
            return None

    def compiled(self, suffix, *compiler):
        out = self.path[:-4] + suffix
        made = self.call(os.path.join(self.tools, "tesserac"), self.path, "-o", out)
        if not made or made.returncode != 0:
            return
        result = self.call(*compiler, INCLUDE, out)
        if result and (result.returncode != 0 or result.stderr.strip()):
            lines = [line for line in result.stderr.split("\n") if "error" in line or "warning" in line] or [result.stderr]
            self.found.append((f"{os.path.basename(compiler[0])}: {re.sub(r'^[^ ]*: ', '', lines[0])[:200]}", self.path))

    def run(self):
        self.compiled(".cpp", "g++", "-std=c++17", "-fopenmp", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unknown-pragmas")
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if self.number % 10 == 0 and os.path.exists(nvcc):
            self.compiled(".cu", nvcc, "-std=c++17", "-arch=sm_80", "-cuda", "-o", self.path[:-4] + ".ii")
        self.functions()
        return self.found

    def functions(self):
        try:
            with open(self.path[:-4] + ".json", encoding="utf-8") as manifest:
                entries = json.load(manifest)["entries"]
        except OSError:
            return
        choose = random.Random(self.number)
        for entry in entries[:4]:
            dims = sorted({d for p in entry["parameters"] for extent in p.get("shape", []) for d in re.findall(r"[A-Za-z_]\w*", str(extent))})
            sizes = ",".join(f"{d}={choose.choice(SIZES)}" for d in dims)
            self.checked(entry["name"], sizes)
            wild = self.wild_integers(entry, dict(part.split("=") for part in sizes.split(",") if part), choose)
            if wild:
                self.checked(entry["name"], sizes, wild, must_end=False)  # they may be what a loop counts to

    def wild_integers(self, entry, sizes, choose):
        """Integers of any size for the tensors of integers: an index may be any of them."""
        words = []
        for parameter in entry["parameters"]:
            bits = {"i32": 32, "i64": 64}.get(parameter.get("dtype"))
            try:
                shape = [eval(str(extent), {}, {name: int(size) for name, size in sizes.items()}) for extent in parameter["shape"]]
            except (KeyError, NameError, SyntaxError, TypeError, ZeroDivisionError):
                continue
            count = 1
            for extent in shape:
                count *= extent
            if not bits or parameter["mode"] != "in" or not 0 < count < 1 << 16:
                continue
            ends = [-(1 << bits - 1), (1 << bits - 1) - 1, -1, 0, 1, 2, 1 << bits - 2, 1 << bits - 3]
            path = f"{self.path[:-4]}.{parameter['name']}.npy"
            write_npy(path, [choose.choice(ends) for _ in range(count)], shape, "i" if bits == 32 else "q")
            words += ["--arg", f"{parameter['name']}={path}"]
        return words

    def checked(self, name, sizes, words=(), must_end=True):
        """Runs a function and compares it with the interpreter."""
        result = self.call(os.path.join(self.tools, "tessera"), "run", self.path, name, "--random", sizes, *words, "--check", seconds=60, must_end=must_end)
        if not result:
            return
        said = result.stdout + result.stderr
        if result.returncode < 0 or "E0709" in said or "TOO MUCH" in said or "E0708" in said:
            what = next((line for line in said.split("\n") if "TOO MUCH" in line or "error" in line), f"ended by signal {-result.returncode}")
            self.found.append((f"run {name} {sizes} {' '.join(words)}: {what[:200]}", self.path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build folder")
    parser.add_argument("--seconds", default="60", metavar="N", help="how long programs are made (60 if not said)")
    parser.add_argument("--seed", default="1", metavar="N", help="of the changes (1 if not said)")
    parser.add_argument("--every", default="40", metavar="N", help="of so many accepted programs, one goes to the compilers of the text (40 if not said)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    folder = os.path.join(os.path.abspath(options.build), "tests", "fuzz")
    kept, samples = os.path.join(folder, "whole"), os.path.join(folder, "whole_samples")
    for old in (kept, samples):
        shutil.rmtree(old, ignore_errors=True)
    made = subprocess.run([os.path.join(folder, "fuzz_whole"), "--seconds", options.seconds, "--seed", options.seed, "--keep", kept,
                           "--sample", options.every, samples, "--refused"], check=False)
    tools = os.path.join(os.path.abspath(options.build), "bin")
    programs = sorted(glob.glob(os.path.join(samples, "*.tsr")))
    found = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(lambda job: Sample(tools, job[1], job[0]).run(), enumerate(programs)):
            found += one
    for what, path in found:
        print(f"FOUND {what}\n  see {path}")
    print(f"of {len(programs)} programs the text was compiled and run: findings {len(found)}")
    return 1 if found or made.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
