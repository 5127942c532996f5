"""--check-nan: a run ends at the first NaN, and the message has the operation that made it."""
import json
import os
import subprocess
import unittest

from support import ToolTest, read_npy, run, write_npy

TRAIN = """
def loss[B, D](w: Tensor[D, f32], x: Tensor[B, D, f32], y: Tensor[B, f32]) -> f32:
    p = sigmoid(x @ w)
    return -mean(y * log(p) + (1.0 - y) * log(1.0 - p))


def train_step[B, D](w: Tensor[D, f32], x: Tensor[B, D, f32], y: Tensor[B, f32], rate: f32) -> Tuple[Tensor[D, f32], f32]:
    value, slope = value_and_grad(loss, wrt="w")(w, x, y)
    return w - rate * slope, value


def data(rng: Rng) -> Tuple[Tensor[64, 3, f32], Tensor[64, f32]]:
    x = rng.normal((64, 3))
    return x, where(x[:, 0] + x[:, 1] > 0.0, 1.0, 0.0)


def main(steps: int = 40, rate: float = 50.0):
    x, y = data(Rng(1))
    w = zeros((3,))
    for step in range(steps):
        w, value = train_step(w, x, y, rate)
        print(f"step {step}")
"""
FUNCTIONS = """
@kernel
def logs[N](x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    i = tile.linear_id()
    if i < N:
        y[i] = log(x[i]) / 2.0
    return y


def through[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return exp(logs(x, zeros((N,)))) + 1.0


def overflow[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    big = exp(x * 100.0)
    return big - mean(big)


def masked[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return where(x > 0.0, sqrt(x), 0.0)


def sums[N](x: Tensor[N, f32]) -> Tensor[1, f32]:
    y = sign(x) * exp(x * x * 100.0)
    return sum(y, axis=0, keepdim=True)


@state
struct S:
    w: Tensor[4, f32]


def step(s: S, rate: f32) -> f32:
    s.w = s.w - rate * (s.w / sum(s.w))
    return sum(s.w)


def main():
    s = S(full((4,), 0.25))
    for i in range(5):
        print(step(s, 0.5))
"""


def line_of(text, part):
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


class CheckNaN(ToolTest):
    def setUp(self):
        super().setUp()
        self.train = self.write("train.tsr", TRAIN)
        self.functions = self.write("functions.tsr", FUNCTIONS)
        write_npy(self.path("x.npy"), [1.0, 2.0, -3.0, 4.0], [4])
        write_npy(self.path("nan.npy"), [1.0, float("nan"), -3.0, 4.0], [4])

    def finds(self, line, words, *arguments):
        done = run("tessera", "run", *arguments, "--check-nan", cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(f":{line}:", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def call(self, function, line, *words, x="x.npy", target="cpu"):
        return self.finds(line, words, self.functions, function, "--arg", "x=" + self.path(x), "--target", target)

    def test_a_loss_in_a_training_loop(self):
        done = self.finds(line_of(TRAIN, "log(1.0 - p)"), ["E0805", "div(-0, 0)", "call 2 of `train_step` (rate = 50)"], self.train)
        self.assertEqual(done.stdout, "step 0\n")  # what was printed before is there
        self.assertEqual([f for f in os.listdir(self.folder) if "nan_" in f], [])
        done = run("tessera", "run", self.train, "--check-nan", "--arg", "rate=0.1", "--arg", "steps=3", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "step 0\nstep 1\nstep 2\n", ""))

    def test_the_interpreter_finds_the_same(self):
        self.finds(line_of(TRAIN, "log(1.0 - p)"), ["`train_step` made a NaN: div(-0, 0)"], self.train, "--target", "reference")

    def test_in_a_kernel_that_a_function_calls(self):
        for target in "cpu", "reference":
            self.call("through", line_of(FUNCTIONS, "log(x[i])"), "log(-3)", target=target)

    def test_an_infinity_says_where_it_comes_from(self):
        done = self.call("overflow", line_of(FUNCTIONS, "big - mean(big)"), "sub(inf, inf)", "the infinity was made here: exp(100)")
        self.assertIn(f":{line_of(FUNCTIONS, 'exp(x * 100.0)')}:", done.stderr)
        self.call("sums", line_of(FUNCTIONS, "sum(y, axis=0"), "this, of numbers from -inf to inf")

    def test_what_is_thrown_away_is_none(self):
        done = run("tessera", "run", self.functions, "masked", "--arg", "x=" + self.path("x.npy"), "--check-nan", "--json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"][0]["values"][2], 0)

    def test_a_nan_that_was_given(self):
        self.call("overflow", line_of(FUNCTIONS, "def overflow"), "`overflow` was called with a NaN in `x`", x="nan.npy")

    def test_a_state_is_looked_at_as_it_was_before(self):
        self.finds(line_of(FUNCTIONS, "s.w / sum"), ["call 3 of `step` (rate = 0.5)", "div(0, 0)"], self.functions, "main")

    def test_a_program_keeps_what_the_function_was_called_with(self):
        built = run("tessera", "build", self.train, "-o", self.path("train"), "--check-nan", cwd=self.folder)
        self.assertEqual((built.returncode, built.stdout), (0, self.path("train") + "\n"), built.stderr)
        ran = subprocess.run([self.path("train"), "--rate", "50"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout), (1, "step 0\n"))
        self.assertIn("is in `nan_train_step`", ran.stderr)
        self.assertEqual(read_npy(self.path("nan_train_step/rate.npy")), ([], [50.0]))
        shape, values = read_npy(self.path("nan_train_step/w.npy"))
        self.assertEqual(shape, [3])
        self.assertTrue(all(value == value for value in values))

    def test_without_it_nothing_is_emitted(self):
        self.assertEqual(run("tesserac", self.train, "-o", self.path("plain.cpp")).returncode, 0)
        self.assertEqual(run("tesserac", self.train, "--check-nan", "-o", self.path("checked.cpp")).returncode, 0)
        with open(self.path("plain.cpp"), encoding="utf-8") as plain, open(self.path("checked.cpp"), encoding="utf-8") as checked:
            self.assertEqual(("NanCheck" in plain.read(), "NanCheck" in checked.read()), (False, True))


class Programs(ToolTest):
    def build(self, text, *arguments):
        return run("tessera", "build", self.write("p.tsr", text), *arguments, cwd=self.folder)

    def test_a_program(self):
        built = self.build('def main(who: str = "you"):\n    print(f"hello {who}")\n', "-o", "hello")
        self.assertEqual((built.returncode, built.stdout), (0, "hello\n"), built.stderr)
        ran = subprocess.run([self.path("hello"), "--who=me"], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout), (0, "hello me\n"), ran.stderr)

    def test_what_cannot_be_one(self):
        double = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n"
        for words, said in ((["-o", "f"], "no `def main()`"), (["-o", "f.exe"], "neither a shared library nor a program"), (["--check-nan"], "a library has no host code")):
            refused = self.build(double, *words)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(said, refused.stderr)
        self.write("f", "notes")
        refused = self.build(double + "def main():\n    print(f(ones((2,))))\n", "-o", "f")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("tessera did not write it", refused.stderr)


if __name__ == "__main__":
    unittest.main()
