#!/usr/bin/env python3
"""The programs of examples/ that stand in folders of their own and need no data, in small sizes: they do what their pages say.

    example_programs.py TESSERA [digits|poisson|waves|lstm]
"""
import math
import os
import re
import subprocess
import sys
import tempfile

from programs import read_npy

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Example:
    """examples/<name>/<name>.tsr with other sizes, in a folder of its own."""

    def __init__(self, tool, name, folder):
        self.tool, self.name, self.folder = tool, name, folder
        with open(os.path.join(ROOT, "examples", name, name + ".tsr"), encoding="utf-8") as file:
            self.text = file.read()

    def run(self, *arguments, sizes, threads=1):
        program = self.text
        for size, value in sizes.items():
            program, count = re.subn(rf"^{size} = [\d.]+", f"{size} = {value}", program, flags=re.M)
            assert count == 1, size
        with open(self.path(self.name + ".tsr"), "w", encoding="utf-8") as file:
            file.write(program)
        words = [self.tool, "run", self.name + ".tsr"]
        for argument in arguments:
            words += ["--arg", argument]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=500, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
        assert done.returncode == 0, done.stdout + done.stderr
        print(done.stdout)
        return done.stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


def losses_of(said):
    return [float(loss) for loss in re.findall(r"loss (\d+[.]\d+)", said)]


def digits(example):
    said = example.run("steps=150", sizes={})
    losses = losses_of(said)
    assert abs(losses[0] - math.log(10)) < 0.4, f"before it learns, it guesses: {losses}"
    read = float(re.search(r"([\d.]+) % of 2048 new digits", said).group(1))
    assert read > 95, f"{read} % are read"
    rows = said.splitlines()[:16]
    assert all(len(row) == 85 - 1 for row in rows) and sum(row.count("@") for row in rows) > 50, "five pictures of 16 x 16"
    again = example.run("steps=150", sizes={}, threads=2)
    assert losses_of(again) == losses and again.splitlines()[-1] == said.splitlines()[-1], again


def poisson(example):
    errors = {}
    for n in (31, 63):
        said = example.run(sizes={"N": n})
        found = re.search(r"solved in (\d+) steps, .* the largest error is (\S+)", said)
        assert found and n <= int(found.group(1)) < 6 * n, said
        errors[n] = float(found.group(2))
        shape, values, _ = read_npy(example.path("solution.npy"))
        assert shape == (n, n), shape
        h = 1 / (n + 1)
        exact = [math.sin(math.pi * x) * y * (1 - y) * math.exp(x) for y in (h * (i + 1) for i in range(n)) for x in (h * (j + 1) for j in range(n))]
        assert abs(max(abs(a - b) for a, b in zip(values, exact)) - errors[n]) < 0.01 * errors[n], "the error that it prints"
    assert 3.5 < errors[31] / errors[63] < 4.5, f"with half the step the error is a quarter: {errors}"
    said = example.run("most=3", "tolerance=1e-12", sizes={"N": 31})
    assert "after 3 steps the residual is" in said and "above 1e-12" in said, said


def waves(example):
    rows, cols = 72, 180
    said = example.run("steps=240", "every=60", "name=w", sizes={"ROWS": rows, "COLS": cols})
    assert re.findall(r"^w_(\d+).ppm", said, re.M) == ["001", "002", "003", "004"], said
    head = f"P6 {cols} {rows} 255\n".encode()
    pictures = []
    for number in (1, 2, 3, 4):
        data = example.bytes_of(f"w_{number:03d}.ppm")
        assert data.startswith(head) and len(data) == len(head) + 3 * rows * cols, len(data)
        pictures.append(data[len(head):])

    def pixel(picture, row, col):
        return picture[3 * (row * cols + col):][:3]

    for picture in pictures:
        assert pixel(picture, 0, 101) == bytes([89] * 3) and pixel(picture, rows // 2 + 20, 101) != bytes([89] * 3), "the wall, and a slit"
        apart = max(abs(a - b) for row in range(rows) for col in range(cols) for a, b in zip(pixel(picture, row, col), pixel(picture, rows - 1 - row, col)))
        assert apart <= 1, f"the upper half is the lower one, but for rounding: {apart}"
    assert all(pixel(pictures[0], row, col) == bytes([255] * 3) for row in range(rows) for col in range(105, cols)), "no wave is behind the wall yet"
    behind = [max(255 - min(pixel(pictures[3], row, col)) for col in range(130, 150)) for row in range(rows)]
    assert max(behind) > 2 * min(behind[10:-10]) > 0, f"waves add up in some directions and cancel in others: {behind}"


def lstm(example):
    words = "six lazy dogs jump over a quick brown fox. "
    with open(example.path("words.txt"), "w", encoding="utf-8") as file:
        file.write(words * 40)
    sizes = {"T": 8, "D": 16, "H": 48, "B": 16, "K": 60}
    arguments = ("text=words.txt", "steps=300", "rate=0.02", "heat=0.1")
    said = example.run(*arguments, sizes=sizes)
    losses = losses_of(said)
    assert abs(losses[0] - math.log(256)) < 0.2 and losses[-1] < 0.7, f"it does not learn: {losses}"
    written = said.splitlines()[-1]
    known = sum(word in words.split() for word in written.split()) / len(written.split())
    assert len(written) == sizes["K"] and known > 0.6, f"it writes '{written}'"
    again = example.run(*arguments, sizes=sizes, threads=2)
    assert losses_of(again) == losses and again.splitlines()[-1] == written, again


def main(tool, *names):
    tests = {"digits": digits, "poisson": poisson, "waves": waves, "lstm": lstm}
    for name in names or tests:
        with tempfile.TemporaryDirectory() as folder:
            tests[name](Example(tool, name, folder))
        print(f"{name} does what its page says")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
