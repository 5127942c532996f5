#!/usr/bin/env python3
"""Claims on numbers that are proved, run: nothing may overflow or become a NaN. (random_claims.py)

    claims_against_runs.py TESSERA [FIRST]     TESSERA_SEED=N repeats a module that failed, and prints it

The reference computes the proved functions of random modules for inputs at the ends of what they promise.
"""
import json
import math
import os
import random
import sys
import tempfile

from programs import read_npy
from random_claims import Claim
from tool import Tool

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402

MODULES, FUNCTIONS, RUNS = 40, 25, 3


class Runner(Tool):
    def __init__(self, tessera, folder):
        super().__init__(tessera, folder)
        self.proved = self.unproved = self.wrong = 0

    def unproved_lines(self, text):
        result = self.call(text, "check", "--no-cache", "--json")
        return [message["line"] for message in json.loads(result.stdout)["diagnostics"]]

    def module(self, seed):
        """Checks functions together, and runs those together that are proved. The text, if one of them is wrong."""
        claims = [Claim(f"f{i}", seed * FUNCTIONS + i) for i in range(FUNCTIONS)]
        lines, first = [], []
        for claim in claims:
            first.append(len(lines) + 1)
            lines += claim.text
        unproved = self.unproved_lines("\n".join(lines) + "\n")
        proved = [c for c, at in zip(claims, first) if not any(at <= line < at + len(c.text) for line in unproved)]
        self.proved += len(proved)
        self.unproved += len(claims) - len(proved)
        for _ in range(RUNS if proved else 0):
            wrong = self.run(proved)
            if wrong:
                self.wrong += 1
                return f"TESSERA_SEED={seed}: {wrong}"
        return ""

    def run(self, claims):
        lines = [line for claim in claims for line in claim.text] + ["def main():"]
        for i, claim in enumerate(claims):
            R, C = claim.sizes()
            write_npy(self.path(f"x{i}.npy"), claim.inputs(R, C), (R, C), "e" if claim.half else "f")
            write_npy(self.path(f"y{i}.npy"), claim.inputs(R, C), (R, C))
            name = claim.text[1].removeprefix("def ").split("[")[0]
            lines.append(f'    save_npy("r{i}.npy", {name}(load_npy("x{i}.npy"), load_npy("y{i}.npy")))')
        result = self.call("\n".join(lines) + "\n", "run", "--target", "reference")
        if result.returncode:
            return result.stdout + result.stderr
        for i, claim in enumerate(claims):
            if not all(map(math.isfinite, read_npy(self.path(f"r{i}.npy"))[1])):
                given = [read_npy(self.path(f"{name}{i}.npy")) for name in "xy"]
                return "\n".join(claim.text) + "\nis not finite for\n" + "\n".join(f"{shape} {list(v)}" for shape, v, _ in given)
        return ""


def main(tessera, first=None):
    given = os.environ.get("TESSERA_SEED")
    start, count = (int(given), 1) if given else (random.randrange(1 << 30) if first is None else first, MODULES)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tessera, folder)
        for seed in range(start, start + count):
            wrong = runner.module(seed)
            if wrong:
                print(wrong)
    print(f"{runner.proved} proved, {runner.unproved} not; {runner.wrong} modules are wrong")
    return 1 if runner.wrong or not runner.proved or not runner.unproved else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:])))
