#!/usr/bin/env python3
"""Random functions over tensors: what the checker says of their shapes, against what Python does. (random_tensors.py)

    tensors_against_python.py TESSERA [COUNT [FIRST]]     TESSERA_SEED=N repeats a function that failed, and prints it

Without the seed of the FIRST, the functions are other ones in every run.

For the sizes that a message names, the function must fail; an edit must take its message away.
What passes is run by the reference, and some of it compiled: for sizes with a result it must compute that, and for all
others refuse to run.
"""
import collections
import itertools
import json
import math
import os
import random
import re
import sys
import tempfile

from arrays import Undefined
from programs import read_npy
from random_tensors import NAMES, PRELUDE, Tensors
from tool import Tool

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from npy import write_npy  # noqa: E402

COUNT, COMPILED = 200, 12  # functions, and how many of those that pass are compiled
NAMED = re.compile(r"(?:sizes that break it:|the smallest are) ((?:\w+ = -?\d+(?:, )?)+)")
# Refused, but not for a size: what cannot be compiled yet, and indices that only run time knows.
NOT_OF_SIZES = ("E0214", "E0410")


class Wrong(Exception):
    pass


class Runner(Tool):
    def __init__(self, tessera, folder):
        super().__init__(tessera, folder)
        self.counts = collections.Counter()

    def errors(self, text):
        result = self.call(text, "check", "--no-cache", "--json")
        if result.returncode not in (0, 1):
            raise Wrong(result.stdout + result.stderr)
        return [message for message in json.loads(result.stdout)["diagnostics"] if message["severity"] == "error"]

    def function(self, seed):
        """Whether the function passes; a Wrong says what is not right."""
        program = Tensors(seed)
        text = PRELUDE + program.text()
        errors = self.errors(text)
        for error in errors:
            self.message(program, error)
            self.edits(text, error, len(errors))
        if errors:
            return False
        self.counts["that pass"] += 1
        self.mistake(text)
        self.runs(program, "f", text, "reference")
        return True

    def message(self, program, error):
        """The sizes that it names must break the function; without such, all must."""
        said = f"{error['code']} {error['message']}"
        notes = " ".join(note["message"] for note in error["notes"])
        sizes = NAMED.search(notes)
        conditional = any(line.startswith(("if ", "for ")) for line in program.lines)  # other sizes decide, too
        if sizes:
            self.counts["messages with sizes"] += 1
            given = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", sizes.group(1))}
            if math.prod(max(size, 1) for size in given.values()) > 5000:
                return
            ranges = [[given[name]] if name in given else range(26 if conditional else 13) for name in NAMES]
            tried = [chosen for chosen in itertools.product(*ranges) if program.admits(chosen)]
            # Facts may ask for larger sizes of those that are not named.
            if not tried and all(name in given for name in NAMES):
                raise Wrong(f"{said}\nnames sizes that its facts do not admit: {given}")
            if "for no sizes" in notes and not conditional:
                tried += [chosen for chosen in program.admitted if min(chosen) >= 1]
        elif error["code"] in NOT_OF_SIZES or conditional or ".." in said:  # a slice that is empty or outside
            return
        else:
            tried = [chosen for chosen in program.admitted if min(chosen) >= 1]
        breaks = (not self.isRight(program, chosen) for chosen in random.sample(tried, min(len(tried), 300 if conditional else 5)))
        if tried and not (any(breaks) if conditional else all(breaks)):
            raise Wrong(f"{said}\n{notes}\nbut it is right for such sizes")

    def isRight(self, program, sizes):
        try:
            return program.outcome(sizes)[1] is not None
        except Undefined:
            return False

    def edits(self, text, error, before):
        for edit in error["fixes"]:
            self.counts["edits"] += 1
            bytes_ = text.encode()
            after = self.errors((bytes_[: edit["byteBegin"]] + edit["replacement"].encode() + bytes_[edit["byteEnd"] :]).decode())
            remains = any((e["code"], e["line"]) == (error["code"], error["line"]) for e in after)
            if remains or len(after) > before:
                raise Wrong(f"{error['message']}\nthe edit `{edit['replacement']}` leaves {[e['message'] for e in after]}")

    def mistake(self, text):
        """A name that does not exist, in place of a value, is one mistake: what follows from it is not said."""
        uses = []
        for line in re.finditer(r"^    (?:v\d = |return )(.*)", text[len(PRELUDE) :], re.M):  # not behind a condition, which may be decided
            uses += [(line, use) for use in re.finditer(r"\b(?:x|y|z|v\d)\b", line.group(1))]
        line, use = random.choice(uses)
        at = len(PRELUDE) + line.start(1) + use.start()
        after = self.errors(text[:at] + "nobody" + text[at + len(use.group()) :])
        named = [error for error in after if "`nobody`" in error["message"]]
        others = [error for error in after if error not in named]
        # What the lost value required of the sizes may have decided an index that only run time knows, or a branch.
        inBranch = [error for error in others if text.splitlines()[error["line"] - 1].startswith(" " * 8)]
        if len(named) != 1 or any(error["code"] not in NOT_OF_SIZES for error in others if error not in inBranch):
            raise Wrong(f"`nobody` for `{use.group()}` in `{line.group().strip()}` is answered with {[e['message'] for e in after]}")

    def runs(self, program, name, text, target):
        positive = [sizes for sizes in program.admitted if min(sizes) >= 1]
        any_sizes = tuple(random.randrange(8) for _ in NAMES)
        lines, wanted = [], []
        for sizes in [*random.sample(positive, min(3, len(positive))), random.choice(program.admitted), any_sizes]:
            try:
                inputs, expected = program.outcome(sizes)
            except Undefined:
                continue
            line = f"{name} --out {self.path(f'out{len(lines)}.npy')}"
            for parameter, x in inputs.items():
                file = self.path(f"{parameter}{len(lines)}.npy")
                write_npy(file, x.data, tuple(map(int, x.shape)))
                line += f" --arg {parameter}={file}"
            lines.append(line)
            wanted.append((expected, f"for {target} and {sizes}"))
        answers, said = self.runs_of(text, lines, target) if lines else ([], "")
        if len(answers) != len(lines):
            raise Wrong(f"for {target}: {said}")
        for i, (answer, (expected, where)) in enumerate(zip(answers, wanted)):
            self.compare(answer, self.path(f"out{i}.npy"), expected, where)

    def compare(self, answer, out, expected, where):
        # What the command line says wrongly is none of its refusals.
        if not answer["passed"] and (expected is not None or any(message["code"] in ("E0801", "E0804") for message in answer["diagnostics"])):
            raise Wrong(f"{where}: {str(answer)[:1500]}")
        self.counts["runs" if expected is not None else "refusals"] += 1
        if expected is None:
            if answer["passed"]:
                raise Wrong(f"{where}: it must not run, and does")
            return
        shape, data, _ = read_npy(out)
        if tuple(shape) != tuple(map(int, expected.shape)) or list(data) != expected.data:
            raise Wrong(f"{where}: {shape} {list(data)[:20]}, expected {expected.shape} {expected.data[:20]}")


def main(tessera, count, first=None):
    given = os.environ.get("TESSERA_SEED")
    start, count = (int(given), 1) if given else (random.randrange(1 << 30) if first is None else first, count)
    random.seed(start)
    wrong, passing = 0, []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(tessera, folder)

        def attempt(seed, check):
            nonlocal wrong
            try:
                return check()
            except Wrong as why:
                wrong += 1
                print(f"FAILED (TESSERA_SEED={seed})\n{Tensors(seed).text()}{why}\n")
                return False

        for seed in range(start, start + count):
            if given:
                print(Tensors(seed).text())
            if attempt(seed, lambda: runner.function(seed)):
                passing.append(seed)
        programs = {seed: Tensors(seed) for seed in passing}
        # Loops with as many turns as run time says are left to kernels (E0630).
        compiled = [seed for seed in passing if not any(line.startswith("for ") for line in programs[seed].lines)][:COMPILED]
        module = PRELUDE + "\n".join(programs[seed].text(f"f{seed}") for seed in compiled)
        for seed in compiled:
            attempt(seed, lambda: runner.runs(programs[seed], f"f{seed}", module, "cpu"))
    print(", ".join(f"{number} {what}" for what, number in runner.counts.items()) + f"; {wrong} functions are wrong")
    return 1 if wrong or not (given or runner.counts["runs"]) else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:] or [COUNT])))
