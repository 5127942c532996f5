"""Random functions over tensors with dimension variables, whose text is Python, too. (arrays.py)

Most of their statements are right for typical sizes, but few of them for all; some are not tried at all.
"""
import itertools
import random

import arrays
from arrays import Array, Refused, Size, Undefined

FACTS = ("", "", "A % 2 == 0", "B >= 2", "A == 2 * B", "B <= A", "A % 3 == 0, B >= 1", "A > B, B >= 2", "A == B", "C == A + B", "A * B == C",
         "A % B == 0", "A % B == 0, B >= 2", "B == 1", "A >= 4 or B >= 4", "C % 4 == 0, A >= 3", "A % 4 == 2", "B in 2..=5", "C // 2 >= A")
NAMES = "ABC"
SHAPES = (["A", "B"], ["B", "C"], ["A"], ["C", "B", "A"], ["B", "A"], ["A", "B", "C"], ["2 * A", "B"], ["A", "4"], ["C"], ["1", "C"], ["B", "3"])
EXTENTS = ("A", "B", "C", "A + B", "2 * B", "A // 2", "A - 1", "A * B", "1", "2", "3", "4")
CONDITIONS = ("A % 2 == 0", "B <= A", "A == B", "C >= 2", "A * B <= 20", "C % B == 0", "A + B >= C",
              "B > 0 and A % B == 0", "B == 0 or C // B >= 2", "A % (B + 1) == 0")
BOUNDS = ("", "", "1", "2", "-1", "-2", "3", "B", "A", "A - 1", "A // 2", "B - 1", "C // 3", "A - B", "A // B", "B % A")
MOST = 11  # of a size
RIGHT = 0.9  # the part of the statements that is tried, and of the results that are declared as they are

PRELUDE = """def halves[P, Q](a: Tensor[P, Q, f32]) -> Tensor[P, Q // 2, f32] where Q % 2 == 0:
    return a[:, :Q // 2]

def paired[P, Q](a: Tensor[P, f32], b: Tensor[Q, f32]) -> Tensor[P, Q, f32] where P <= Q:
    return a[:, None] * b

def even[P](a: Tensor[2 * P, f32]) -> Tensor[P, f32]:
    return a[:P]

"""


def bounded(expression):
    """Numbers stay small enough to be exact."""
    return f"minimum(maximum({expression}, -8.0), 8.0)"


class Tensors:
    """One function `f[A, B, C](x, y, z)`."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        facts = self.random.choice(FACTS)
        self.where = f" where {facts}" if facts else ""
        self.facts = [fact.replace("B in 2..=5", "2 <= B <= 5") for fact in facts.split(", ") if fact]
        self.parameters = {"x": ["A", "B"], "y": self.random.choice(SHAPES), "z": self.random.choice([s for s in SHAPES if "C" in s])}
        self.admitted = [sizes for sizes in itertools.product(range(MOST + 1), repeat=3) if self.admits(sizes)]
        typical = [sizes for sizes in self.admitted if min(sizes) >= 2] or [sizes for sizes in self.admitted if min(sizes) >= 1]
        self.elsewhere = self.random.sample(typical, min(8, len(typical)))
        self.lines, self.values = [], list(self.parameters)
        scope = self.scope(self.random.choice(typical))
        for i in range(self.random.randrange(2, 6)):
            self.statement(f"v{i}", scope)
        self.result = [arrays.text(n) for n in scope[self.values[-1]].shape]
        if self.random.random() > RIGHT:
            self.result = [self.choice(EXTENTS) if self.random.random() < 0.3 else n for n in self.result]
        self.lines.append(f"return {self.values[-1]}")

    def choice(self, *options):
        return self.random.choice(options[0] if len(options) == 1 else options)

    def text(self, name="f"):
        parameters = ", ".join(f"{x}: Tensor[{', '.join([*shape, 'f32'])}]" for x, shape in self.parameters.items())
        head = f"def {name}[A, B, C]({parameters}) -> Tensor[{', '.join([*self.result, 'f32'])}]{self.where}:"
        return "\n".join([head, *("    " + line for line in self.lines)]) + "\n"

    # ---- for given sizes

    def admits(self, sizes):
        """Sizes for which a fact divides by 0 are not admitted. (S11)"""
        if sizes[1] == 0 and any("% B" in fact for fact in self.facts):
            return False
        return all(eval(fact, {}, dict(zip(NAMES, sizes))) for fact in self.facts)

    def scope(self, sizes):
        """The names of the program for these sizes, with random inputs."""
        scope = {name: getattr(arrays, name) for name in dir(arrays) if not name.startswith("_")}
        for place, (name, value) in enumerate(zip(NAMES, sizes)):
            scope[name] = Size(value, name, tuple(other[place] for other in self.elsewhere))
        numbers = random.Random(str(sizes))
        for name, extents in self.parameters.items():
            scope[name] = Array.of([eval(n, scope) for n in extents], lambda at: float(numbers.randrange(-6, 7)))
        return scope

    def outcome(self, sizes):
        """The inputs, and the result: None if it is refused. Undefined if nothing is promised."""
        scope = self.scope(sizes)
        inputs = {name: scope[name] for name in self.parameters}
        try:
            exec("def f():\n" + "".join(f"    {line}\n" for line in self.lines), scope)
            result = scope["f"]()
            arrays.require(list(result.shape) == [eval(n, scope) for n in self.result] and self.admits(sizes))
        except (Refused, AssertionError):
            return inputs, None
        return inputs, result

    # ---- statements

    def statement(self, name, scope):
        for _ in range(60):
            lines = self.choice(*[self.assignment] * 8, self.branches, self.loop)(name, scope)
            if self.random.random() < 0.07:
                lines.insert(0, f"assert {self.choice(CONDITIONS)}")
            after = dict(scope)
            try:
                exec("\n".join(lines), after)
                arrays.require(isinstance(after[name], Array))
            except (Refused, AssertionError):
                if self.random.random() < RIGHT:
                    continue
                self.lines += lines
                return
            except Undefined:
                continue
            if len(after[name].data) > 3000 or len(after[name].shape) > 4:
                continue
            scope.update(after)
            self.lines += lines
            self.values.append(name)
            return

    def assignment(self, name, scope):
        return [f"{name} = {bounded(self.expression(scope))}"]

    def branches(self, name, scope):
        one, other = (bounded(f"sum({self.expression(scope)})") for _ in range(2))
        return [f"if {self.choice(CONDITIONS)}:", f"    {name} = {one}", "else:", f"    {name} = {other}"]

    def loop(self, name, scope):
        a, count = self.any(scope), self.choice("A", "B", "C", "A - 1", "B // 2", "2", "3")
        index = self.choice("i", "i", "i + 1", f"{count} - 1 - i", "2 * i", "i // 2", "i % 2", "i - 1", "A - 1 - i", "i:i + 2")
        whole = ":" in index or self.random.random() < 0.5
        first, item = (f"sum({a})", f"sum({a}[{index}])") if whole else (f"sum({a}, axis=0)", f"{a}[{index}]")
        return [f"{name} = {first}", f"for i in range({count}):", f"    {name} = {bounded(f'{name} + {item}')}"]

    # ---- expressions

    def any(self, scope, ranks=(1, 2, 3, 4)):
        """A value, mostly a late one."""
        values = [name for name in self.values if len(scope[name].shape) in ranks]
        return self.choice(values[-2:] if self.random.random() < 0.6 else values) if values else "x"

    def axis(self, scope, name, more=0):
        count = len(scope[name].shape) + more
        return self.random.randrange(-count, count) if count else 0

    def expression(self, scope):
        return self.choice(self.elementwise, self.elementwise, self.reduction, self.transposed, self.reshaped, self.reshaped, self.slice, self.slice,
                           self.slice, self.joined, self.joined, self.parted, self.moved, self.product, self.contraction, self.window, self.taken,
                           self.called)(scope)

    def like(self, scope, name):
        """A value that broadcasts with this one, mostly."""
        def fits(other):
            try:
                arrays.broadcast_shape(scope[name].shape, scope[other].shape)
            except Refused:
                return False
            return True
        return self.choice([other for other in self.values if fits(other)] if self.random.random() < 0.9 else self.values)

    def elementwise(self, scope):
        a = self.any(scope)
        b, c = self.like(scope, a), self.like(scope, a)
        return self.choice(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"maximum({a}, {b})", f"where({a} > {b}, {a}, {c})", f"({a} * 2.0)")

    def reduction(self, scope):
        a = self.any(scope)
        axes = ["(0, 1)", "(1, 2)", "(0, -1)"] if len(scope[a].shape) == 3 and self.random.random() < 0.3 else [self.axis(scope, a)]
        return f"{self.choice('sum', 'max', 'min')}({a}, axis={self.choice(axes)}{self.choice('', ', keepdim=True')})"

    def transposed(self, scope):
        a = self.any(scope, (2, 3, 4))
        axes = list(range(len(scope[a].shape)))
        self.random.shuffle(axes)
        return self.choice(f"transpose({a})", f"transpose({a}, {axes[0]}, {axes[-1]})", f"permute({a}, {', '.join(map(str, axes))})")

    def reshaped(self, scope):
        a = self.any(scope)
        shape = [arrays.text(n) for n in scope[a].shape]
        k, kind = self.random.randrange(len(shape)), self.random.randrange(6)
        if kind == 0:
            n = self.choice("2", "3", "B", "A")
            shape[k:k + 1] = self.choice([f"{shape[k]} // {n}", n], [n, f"{shape[k]} // {n}"])
        elif kind == 1 and k > 0:
            shape[k - 1:k + 1] = [f"{shape[k - 1]} * {shape[k]}"]
        elif kind == 2:
            shape[k:k + 1] = [self.choice(EXTENTS), "-1"]
        elif kind == 3:
            shape = ["-1"] if self.random.random() < 0.3 else [self.choice(EXTENTS) for _ in range(self.random.randrange(1, 4))]
        elif kind == 4:
            factors = shape[k].removeprefix("(").removesuffix(")").split(" * ")
            shape[k:k + 1] = factors if all(f.count("(") == f.count(")") for f in factors) else [shape[k]]
        else:
            self.random.shuffle(shape)
        return f"reshape({a}, {', '.join(shape)})"

    def slice(self, scope):
        a, index = self.any(scope), []
        for _ in scope[a].shape[:self.random.randrange(1, 4)]:
            kind = self.random.random()
            if kind < 0.15:
                index.append(self.choice("0", "-1", "1", "B", "A - 1", "-2"))
            elif kind < 0.35:
                index.append(":")
            else:
                index.append(f"{self.choice(BOUNDS)}:{self.choice(BOUNDS)}{self.choice('', '', '', ':2', ':3', ':-1', ':-2')}")
        if self.random.random() < 0.15:
            index.insert(self.random.randrange(len(index) + 1), "None")
        return f"{a}[{', '.join(index)}]"

    def joined(self, scope):
        a = self.any(scope)
        alike = [name for name in self.values if len(scope[name].shape) == len(scope[a].shape)]
        parts = ", ".join([a, *(self.choice(alike) for _ in range(self.choice(1, 1, 2)))])
        return f"stack({parts}, axis={self.axis(scope, a, 1)})" if self.random.random() < 0.3 else f"concat({parts}, axis={self.axis(scope, a)})"

    def parted(self, scope):
        a = self.any(scope)
        k = self.axis(scope, a)
        n = arrays.text(scope[a].shape[k])
        parts = self.choice("2", "3", f"[1, {n} - 1]", f"[B, {n} - B]", "[A, B]", f"[{n} // 2, {n} - {n} // 2]", "[2, 2]")
        return f"split({a}, {parts}, axis={k})[{self.random.randrange(3 if parts == '3' else 2)}]"

    def moved(self, scope):
        a = self.any(scope)
        k, times = self.axis(scope, a), self.choice("2", "3", "B")
        shape = ", ".join([self.choice(EXTENTS), *(arrays.text(n) for n in scope[a].shape)])
        return self.choice(f"unsqueeze({a}, {self.axis(scope, a, 1)})", f"squeeze({a}, {k})", f"{a}.flatten()", f"{a}.flatten(0, {k})",
                           f"{a}.repeat({times}, {k})", f"{a}.tile_repeat({times}, {k})", f"{a}.broadcast_to(({shape}))")

    def product(self, scope):
        a, b = self.any(scope, (2, 3)), self.any(scope, (2, 3))
        return self.choice(f"({a} @ {b})", f"({a} @ transpose({b}, -1, -2))", f"(transpose({a}, -1, -2) @ {b})")

    def contraction(self, scope):
        a, b, c = self.any(scope, (2,)), self.any(scope, (2,)), self.any(scope, (1,))
        return self.choice(f'einsum("ij,jk->ik", {a}, {b})', f'einsum("ij,kj->ik", {a}, {b})', f'einsum("ij,j->i", {a}, {c})',
                           f'einsum("i,j->ji", {c}, {c})', f'einsum("ij,ij->j", {a}, {b})', f'einsum("ij->ji", {a})')

    def window(self, scope):
        a, b = self.any(scope, (3,)), self.any(scope, (3,))
        if len(scope[a].shape) != 3:
            a = b = f"unsqueeze({self.any(scope, (2,))}, 0)"
        options = self.choice("", ", stride=2", ", padding=1", ", stride=2, padding=1", ", dilation=2")
        pool = self.choice("2", "3", "2, stride=1", "3, stride=2, padding=1")
        return self.choice(f"conv1d({a}, {b}{options})", f"{a}.max_pool({pool})")

    def taken(self, scope):
        a = self.any(scope)
        return self.choice(f"{a}.take(cast(z, i32), {self.axis(scope, a)})", f"{a}.gather(cast({self.any(scope)}, i32), {self.axis(scope, a)})")

    def called(self, scope):
        a, b, c = self.any(scope, (1,)), self.any(scope, (1,)), self.any(scope, (2,))
        return self.choice(f"paired({a}, {b})", f"even({a})", f"halves({c})")
