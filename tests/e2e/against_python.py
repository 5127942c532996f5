#!/usr/bin/env python3
"""Random programs whose text is Python, too: Python says what they must compute. (random_programs.py)

    against_python.py TESSERA [FIRST]          TESSERA_SEED=N repeats a program that failed, and prints it

The reference interprets all of them; the C++ of the kernels and of some host programs is compiled and run.
"""
import contextlib
import io
import os
import random
import sys
import tempfile

from programs import read_npy
from random_programs import HostProgram, KernelProgram, TileProgram
from tool import Tool

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402

COUNT, COMPILED = 24, 6  # programs of each kind, and how many host programs are compiled
ROWS = 5


class Tile:
    """What kernels call, as Python has it."""

    minimum, maximum, range = min, max, range
    where = staticmethod(lambda condition, a, b: a if condition else b)


def first_difference(got, expected):
    for i, (one, wanted) in enumerate(zip(got, expected)):
        if one != wanted:
            return f"number {i} is `{one}`, and Python says `{wanted}`"
    return "" if len(got) == len(expected) else f"there are {len(got)}, and Python gives {len(expected)}"


class Runner(Tool):
    def __init__(self, tessera, folder):
        super().__init__(tessera, folder)
        self.runs = self.wrong = 0

    def check(self, seed, text, arguments, target, got, expected):
        """False if it is a formula over C that nothing keeps short: a documented limit."""
        result = self.call(text, "run", *arguments, "--target", target)
        said = result.stdout + result.stderr
        if result.returncode != 0 and "error[E0431]" in said:
            return False
        problem = first_difference(got(result), expected) if result.returncode == 0 else said[:1500]
        self.runs += 1
        if problem:
            self.wrong += 1
            print(f"FAILED (TESSERA_SEED={seed}) for {target}: {problem}")
        return True

    def host(self, seed, targets):
        text, names, printed = HostProgram(seed).text(), {}, io.StringIO()
        exec(text, names)
        with contextlib.redirect_stdout(printed):
            names["main"]()
        for target in targets:
            self.check(seed, text, [], target, lambda result: result.stdout.splitlines(), printed.getvalue().splitlines())
        return text

    def kernel(self, seed, program, text, target):
        """Runs the kernel of this seed, which is one of those in the text."""
        numbers = random.Random(seed)
        columns = numbers.choice([1, 2, 4])
        x = {(r, c): float(numbers.randrange(-6, 7)) for r in range(ROWS) for c in range(columns)}
        names = {"tile": Tile, "static_range": range, "f32": None, "cast": lambda value, dtype: value}
        exec(program.python(), names)
        expected = [names["f"](x, r, columns) for r in range(ROWS)]
        write_npy(self.path("x.npy"), list(x.values()), (ROWS, columns))
        arguments = [f"f{seed}", "--arg", "x=" + self.path("x.npy"), "--out", self.path("y.npy")]
        return self.check(seed, text, arguments, target, lambda _: list(read_npy(self.path("y.npy"))[1]), expected)

    def kernels(self, kind, seeds):
        """Each by itself in the reference, and all together in one module for the compiler."""
        programs = {seed: kind(seed) for seed in seeds}
        texts = {seed: program.text().replace("def f[", f"def f{seed}[") for seed, program in programs.items()}
        compiled = [seed for seed in seeds if self.kernel(seed, programs[seed], texts[seed], "reference")]
        module = "\n".join(texts[seed] for seed in compiled)
        for seed in compiled:
            self.kernel(seed, programs[seed], module, "cpu")
        return module


def main(tessera, first=None):
    given = os.environ.get("TESSERA_SEED")
    start, count = (int(given), 1) if given else (random.randrange(1 << 30) if first is None else first, COUNT)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tessera, folder)
        for i in range(count):
            text = runner.host(start + i, ["reference", "cpu"] if i < COMPILED else ["reference"])
            if given:
                print(text)
        for kind in (KernelProgram, TileProgram):
            module = runner.kernels(kind, range(start, start + count))
            if given:
                print(module)
    print(f"{runner.runs} runs, {runner.wrong} are wrong")
    return 1 if runner.wrong or not runner.runs else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:])))
