"""Random functions with a claim on their numbers, `@verify.numerics(bounded=[low, high])`, and inputs within it."""
import random

RANGES = ((-1, 1), (0, 1), (-4, 4), (1, 2), (0.5, 8), (-2, 10), (-3, -1), (-100, 100), (0, 60000), (-1e4, 1e4), (-1e15, 1e15))
# Facts, and whether sizes obey them.
FACTS = (
    ("", lambda R, C: True),
    ("C <= 512", lambda R, C: C <= 512),
    ("C <= 64, R <= 8", lambda R, C: C <= 64 and R <= 8),
    ("C % 2 == 0, C <= 1024", lambda R, C: C % 2 == 0),
    ("R < C, C <= 100", lambda R, C: R < C),
    ("C == 2 * R", lambda R, C: C == 2 * R),
)
NUMBERS = ("0.5", "2.0", "1e-3", "1e-6", "3.0", "100.0", "1000.0", "-1.0", "0.1")
LOOPS = ("acc * 0.5 + {0}", "maximum(acc, {0}) + 1.0", "acc + {0}", "acc * {0}", "exp(acc - maximum(acc, {0}))", "acc * acc")


class Claim:
    """`f[R, C](x, y)` of one claim. Expressions have a shape: "rc", "r1" (one number a row), or None for a number."""

    def __init__(self, name, seed):
        self.random = random.Random(seed)
        self.low, self.high = self.random.choice(RANGES)
        self.fact, self.obeys = self.random.choice(FACTS)
        self.half = self.high < 65000 and self.random.random() < 0.4  # `x` is f16
        self.text = self.function(name)

    def function(self, name):
        names, lines = [("x", "rc"), ("y", "rc")], []
        for i in range(self.random.randrange(1, 4)):
            text, shape = self.shaped(names)
            lines.append(f"v{i} = {text}")
            names.append((f"v{i}", shape))
        last, shape = names[-1]
        if self.random.random() < 0.3:
            lines += [f"acc = cast({last}, f32)", f"for i in range({self.random.choice([1, 2, 5, 40])}):",
                      "    acc = " + self.random.choice(LOOPS).format(last)]
            last = "acc"
        dtype = self.random.choice(["f32", "f32", "f16"])
        lines.append(f"return cast({last}, {dtype})")
        result = f"Tensor[R, {'C' if shape == 'rc' else '1'}, {dtype}]"
        where = f" where {self.fact}" if self.fact else ""
        head = [f"@verify.numerics(bounded=[{self.low}, {self.high}])",
                f"def {name}[R, C](x: Tensor[R, C, {'f16 @accum(f32)' if self.half else 'f32'}], y: Tensor[R, C, f32]) -> {result}{where}:"]
        return head + ["    " + line for line in lines]

    def shaped(self, names, depth=0, shapes=("rc", "r1")):
        """An expression of one of the shapes."""
        for _ in range(20):
            text, shape = self.expression(names, depth)
            if shape in shapes:
                return text, shape
        return "x", "rc"

    def expression(self, names, depth):
        choice, kind = self.random.choice, self.random.random()
        if depth > 3 or kind < 0.15:
            return choice(names)
        if kind < 0.22:
            return choice(NUMBERS), None
        if kind < 0.5:
            (a, one), (b, other) = self.expression(names, depth + 1), self.expression(names, depth + 1)
            return f"({a} {choice('+-*/+-*')} {b})", both(one, other)
        if kind < 0.57:
            (a, one), (b, other) = self.shaped(names, depth + 1), self.expression(names, depth + 1)
            return f"{choice(['maximum', 'minimum'])}({a}, {b})", both(one, other)
        if kind < 0.74:
            return self.function_of(*self.shaped(names, depth + 1))
        if kind < 0.79:
            parts = [self.shaped(names, depth + 1) for _ in range(4)]
            a, b, c, d = (text for text, _ in parts)
            shape = "rc" if any(shape == "rc" for _, shape in parts) else "r1"
            return f"where({a} {choice(['<', '>', '<=', '>='])} {b}, {c}, {d})", shape
        if kind < 0.9:
            a, _ = self.shaped(names, depth + 1, ("rc",))
            return f"{choice(['sum', 'mean', 'max', 'min'])}({a}, axis=1, keepdim=True)", "r1"
        return self.pattern(*self.shaped(names, depth + 1, ("rc",)))

    def function_of(self, a, shape):
        function = self.random.choice(["exp", "exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "abs"])
        if function in ("log", "sqrt", "rsqrt") and self.random.random() < 0.7:
            a = f"(abs({a}) + {self.random.choice(['1e-3', '0.5', '1.0'])})"
        return f"{function}({a})", shape

    def pattern(self, a, shape):
        """What people write, and what the analysis knows more about than the ranges of its parts."""
        return self.random.choice([
            f"({a}) * ({a})", f"softmax_safe({a}, axis=1)", f"({a} ** {self.random.choice(['2', '3', '0.5'])})",
            f"({a} / sqrt(mean({a} * {a}, axis=1, keepdim=True) + {self.random.choice(['1e-5', '1e-3', '1.0'])}))",
            f"({a} - {self.random.choice(['max', 'min', 'mean'])}({a}, axis=1, keepdim=True))",
            f"cast({a}, {self.random.choice(['f16', 'bf16', 'f8e4m3', 'f8e5m2'])})", f"where({a} > 0.0, log({a}), {a})",
        ]), shape

    def sizes(self):
        return self.random.choice([(R, C) for R in (1, 2, 4, 8) for C in (1, 2, 3, 8, 17, 64) if self.obeys(R, C)])

    def inputs(self, R, C):
        """Numbers at the ends of the range, at 0 and between, in different mixtures."""
        ends, r = [self.low, self.high], self.random
        middle = 0 if self.low <= 0 <= self.high else (self.low + self.high) / 2
        style = r.randrange(5)
        if style == 0:
            return [r.choice(ends)] * (R * C)
        if style == 1:
            most, once, column = *r.sample(ends, 2), r.randrange(C)
            return [once if i % C == column else most for i in range(R * C)]
        draw = (lambda: r.choice(ends), lambda: r.uniform(self.low, self.high), lambda: r.choice([*ends, middle]))[style - 2]
        return [draw() for _ in range(R * C)]


def both(one, other):
    return "rc" if "rc" in (one, other) else one or other
