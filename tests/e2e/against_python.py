#!/usr/bin/env python3
"""Random host programs whose text is Python, too: Python says what they must print.

    against_python.py TESSERA          TESSERA_SEED=N repeats a program that failed, and prints it

A program rebinds a few integers in nested conditions and loops that are left early, alone and several at once. The
reference interprets all of them, and the C++ of some is compiled and run.
"""
import contextlib
import io
import os
import random
import subprocess
import sys
import tempfile

COUNT, COMPILED = 24, 8  # programs, and of how many one is compiled
NAMES = ["a", "b", "c", "d", "e", "f"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def expression(self, depth=0):
        kind = self.random.randrange(6)
        if kind < 2 or depth > 2:
            return self.random.choice(NAMES)
        if kind == 2:
            return str(self.random.randrange(-5, 9))
        if kind < 5:
            return f"({self.expression(depth + 1)} {'+-'[kind - 3]} {self.expression(depth + 1)})"
        return f"({self.expression(depth + 1)} * {self.random.randrange(-2, 3)} % {self.random.choice([3, 5, 97])})"

    def condition(self):
        test = f"{self.expression()} {self.random.choice(['<', '>', '==', '<=', '!='])} {self.expression()}"
        if self.random.random() < 0.7:
            return test
        return f"{test} {self.random.choice(['and', 'or'])} {self.expression()} % 3 == {self.random.randrange(3)}"

    def rebinding(self):
        if self.random.random() < 0.7:
            return f"{self.random.choice(NAMES)} {self.random.choice(['=', '+=', '-='])} {self.expression()} % 1009"
        names = self.random.sample(NAMES, self.random.choice([2, 2, 3]))
        return f"{', '.join(names)} = {', '.join(self.expression() + ' % 1009' for _ in names)}"

    def choice(self, depth, in_loop):
        lines = [f"if {self.condition()}:", *self.block(depth + 1, in_loop)]
        if in_loop and self.random.random() < 0.4:
            lines.append("    " + self.random.choice(["break", "continue"]))
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1, in_loop)]
        if self.random.random() < 0.5:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def loop(self, depth, in_loop):
        self.loops += 1
        counter = f"turn{self.loops}"
        if self.random.random() < 0.6:
            lines = [f"for {counter} in range({self.random.randrange(1, 6)}):", f"    {self.random.choice(NAMES)} += {counter}"]
        else:
            lines = [f"{counter} = 0", f"while {counter} < {self.random.randrange(1, 7)}:", f"    {counter} += 1"]
        lines += self.block(depth + 1, True)
        if self.random.random() < 0.3:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def block(self, depth, in_loop):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.random()
            if kind < 0.5 or depth > 3:
                lines.append(self.rebinding())
            elif kind < 0.75:
                lines += self.choice(depth, in_loop)
            else:
                lines += self.loop(depth, in_loop)
        if self.random.random() < 0.15:
            lines.append(f"print({self.random.choice(NAMES)}, {self.random.choice(NAMES)})")
        return ["    " + line for line in lines] if depth else lines

    def program(self):
        lines = ["def main():"]
        for _ in range(3):
            lines += [f"    {name} = {self.random.randrange(-9, 9)}" for name in NAMES]
            lines += ["    " + line for line in self.block(0, False)]
            lines.append(f"    print({', '.join(NAMES)})")
        return "\n".join(lines) + "\n"


def printed_by_python(program):
    names, text = {}, io.StringIO()
    exec(program, names)
    with contextlib.redirect_stdout(text):
        names["main"]()
    return text.getvalue()


def difference(result, expected):
    if result.returncode != 0:
        return "\n".join((result.stdout + result.stderr).splitlines()[:12])
    for i, (line, wanted) in enumerate(zip(result.stdout.splitlines(), expected.splitlines()), 1):
        if line != wanted:
            return f"line {i} is `{line}`, and Python prints `{wanted}`"
    return "the number of lines is another"


def main(tessera):
    given = os.environ.get("TESSERA_SEED")
    seed, count = (int(given), 1) if given else (random.randrange(1 << 30), COUNT)
    wrong = 0
    for i in range(count):
        program = Generator(seed + i).program()
        if given:
            print(program)
        expected = printed_by_python(program)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.tsr")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            for target in ["reference"] + ["cpu"] * (i % COMPILED == 0):
                result = subprocess.run([tessera, "run", path, "--target", target], cwd=folder, capture_output=True, text=True, timeout=300)
                if result.stdout != expected:
                    wrong += 1
                    print(f"FAILED (TESSERA_SEED={seed + i} of one program) for {target}: {difference(result, expected)}")
    print(f"{count} programs, {wrong} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1])))
