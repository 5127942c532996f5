"""Random programs whose text is Python, too: host functions, and kernels that compute one number a row.

All numbers are whole and small, so that f32, i64 and Python agree exactly.
"""
import random


class Generator:
    """Statements that rebind a few names, alone and several at once, in nested conditions and loops."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.loops = 0

    def block(self, depth, in_loop=False):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.random()
            if kind < 0.5 or depth > 3:
                lines.append(self.rebinding())
            elif kind < 0.75:
                lines += self.choice(depth, in_loop)
            else:
                lines += self.loop(depth, in_loop)
        return ["    " + line for line in lines]

    def choice(self, depth, in_loop):
        lines = [f"if {self.condition()}:", *self.block(depth + 1, in_loop)]
        if in_loop and self.random.random() < 0.4:
            lines.append("    " + self.random.choice(["break", "continue"]))
        if self.random.random() < 0.3:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1, in_loop)]
        if self.random.random() < 0.5:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def counter(self):
        self.loops += 1
        return f"turn{self.loops}"

    def while_head(self, counter):
        return [f"{counter} = 0", f"while {counter} < {self.random.randrange(1, 7)}:", f"    {counter} += 1"]

    def whole(self, names, depth=0):
        """An expression over names of integers."""
        kind = self.random.randrange(6)
        if kind < 2 or depth > 2:
            return self.random.choice(names)
        if kind == 2:
            return str(self.random.randrange(-5, 9))
        if kind < 5:
            return f"({self.whole(names, depth + 1)} {'+-'[kind - 3]} {self.whole(names, depth + 1)})"
        return f"({self.whole(names, depth + 1)} * {self.random.randrange(-2, 3)} % {self.random.choice([3, 5, 97])})"

    def comparison(self, left, right):
        return f"{left} {self.random.choice(['<', '>', '==', '<=', '!='])} {right}"


class HostProgram(Generator):
    """`def main()`, with loops that are left early."""

    NAMES = ["a", "b", "c", "d", "e", "f"]

    def condition(self):
        test = self.comparison(self.whole(self.NAMES), self.whole(self.NAMES))
        if self.random.random() < 0.7:
            return test
        return f"{test} {self.random.choice(['and', 'or'])} {self.whole(self.NAMES)} % 3 == {self.random.randrange(3)}"

    def rebinding(self):
        if self.random.random() < 0.1:
            return f"print({self.random.choice(self.NAMES)}, {self.random.choice(self.NAMES)})"
        if self.random.random() < 0.7:
            return f"{self.random.choice(self.NAMES)} {self.random.choice(['=', '+=', '-='])} {self.whole(self.NAMES)} % 1009"
        names = self.random.sample(self.NAMES, self.random.choice([2, 2, 3]))
        return f"{', '.join(names)} = {', '.join(self.whole(self.NAMES) + ' % 1009' for _ in names)}"

    def loop(self, depth, in_loop):
        counter = self.counter()
        lines = self.while_head(counter)
        if self.random.random() < 0.6:
            lines = [f"for {counter} in range({self.random.randrange(1, 6)}):", f"    {self.random.choice(self.NAMES)} += {counter}"]
        lines += self.block(depth + 1, True)
        if self.random.random() < 0.3:
            lines += ["else:", *self.block(depth + 1, in_loop)]
        return lines

    def text(self):
        lines = ["def main():"]
        for _ in range(3):
            lines += [f"    {name} = {self.random.randrange(-9, 9)}" for name in self.NAMES]
            lines += [*self.block(0), f"    print({', '.join(self.NAMES)})"]
        return "\n".join(lines) + "\n"


class KernelProgram(Generator):
    """A kernel over rows of x; `python()` is the same for one row."""

    FLOATS, INTS, ROW, TWO = ["a", "b", "c"], ["i", "j"], "r", "2.0"
    HEAD = """@kernel
def f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32] where C >= 1:
    r, = tile.origin()
"""

    def __init__(self, seed):
        super().__init__(seed)
        start = ["    a = x[ROW, 0]", f"    b = {self.TWO}", "    c = x[ROW, C - 1] - 1.0", "    i = 3", "    j = C"]
        self.body = "\n".join([*start, *self.block(0), "    return a + b + c + cast(i * 3 + j, f32)"]) + "\n"

    def number(self, depth=0):
        kind = self.random.randrange(8)
        if kind < 3 or depth > 2:
            return self.random.choice(self.FLOATS)
        if kind == 3:
            return f"{self.random.randrange(-5, 9)}.0"
        if kind < 6:
            return f"({self.number(depth + 1)} {'+-'[kind - 4]} {self.number(depth + 1)})"
        if kind == 6:
            return f"cast({self.whole(self.INTS, depth + 1)}, f32)"
        return f"({self.number(depth + 1)} if {self.condition(depth + 1)} else {self.number(depth + 1)})"

    def limited(self, number):
        return f"tile.minimum(tile.maximum({number}, -1000.0), 1000.0)"

    def condition(self, depth=0):
        floats = self.random.random() < 0.5
        test = self.comparison(*[self.number(depth + 1) if floats else self.whole(self.INTS, depth + 1) for _ in range(2)])
        return f"({test})" if self.random.random() < 0.8 else f"({test} {self.random.choice(['and', 'or'])} {self.condition(depth + 1)})"

    def rebinding(self):
        floats = self.random.random() < 0.55
        names = self.FLOATS if floats else self.INTS
        value = (lambda: self.limited(self.number())) if floats else (lambda: self.whole(names) + " % 1009")
        if self.random.random() < 0.6:
            return f"{self.random.choice(names)} = {value()}"
        bound = self.random.sample(names, self.random.randrange(2, len(names) + 1))
        return f"{', '.join(bound)} = {', '.join(self.random.choice([value(), self.random.choice(names)]) for _ in bound)}"

    def block(self, depth, in_loop=False):
        return super().block(depth + 1)  # not so deep, and no loop is left early

    def loop(self, depth, in_loop):
        counter, kind = self.counter(), self.random.randrange(4)
        lines = self.while_head(counter)
        if kind == 0:
            summed = self.limited(f"{self.random.choice(self.FLOATS)} + x[ROW, {counter}]")
            lines = [f"for {counter} in tile.range(0, C):", f"    {self.random.choice(self.FLOATS)} = {summed}"]
        elif kind < 3:
            head = [f"range({self.random.choice([self.random.randrange(1, 4), self.whole(self.INTS) + ' % 4'])})", f"static_range({self.random.randrange(1, 4)})"]
            lines = [f"for {counter} in {head[kind - 1]}:", f"    {self.random.choice(self.INTS)} += {counter}"]
        return lines + self.block(depth + 1)

    def text(self):
        return self.HEAD + self.body.replace("ROW", self.ROW)

    def python(self):
        return "def f(x, r, C):\n" + self.body.replace("ROW", "r")


class TileProgram(KernelProgram):
    """The same for tiles of rows: conditions are on integers, and `tile.where` chooses between floats."""

    ROW, TWO = "r:r + T.m", "x[ROW, 0] * 0.0 + 2.0"
    HEAD = KernelProgram.HEAD + "    T = tile.context()\n"

    def number(self, depth=0):
        if depth and self.random.random() < 0.2:
            chosen = [self.random.choice(self.FLOATS), *(self.number(depth + 1) for _ in range(3))]
            return f"tile.where({self.comparison(*chosen[:2])}, {chosen[2]}, {chosen[3]})"
        return super().number(depth)

    def limited(self, number):
        return super().limited(f"({number} + {self.random.choice(self.FLOATS)})")  # a tile, not a number

    def condition(self, depth=0):
        return f"({self.comparison(self.whole(self.INTS), self.whole(self.INTS))})"
