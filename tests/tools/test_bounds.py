"""A run ends where a function is called with an index that lies outside, before anything is changed; with --check-bounds wherever it is."""
import unittest

from support import ToolTest, read_npy, run, write_npy

TRAIN = """
@state
struct Model:
    table: Tensor[5, 3, f32]


def loss[B, T](table: Tensor[5, 3, f32], tokens: Tensor[B, T, i32]) -> f32:
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    x = embedding(inputs, table)
    y = embedding(targets, table)
    return mean((x * y).reshape(-1))


def step[B, T](model: Model, tokens: Tensor[B, T, i32]) -> f32 where T >= 2:
    value, slope = value_and_grad(loss, wrt="table")(model.table, tokens)
    model.table = model.table - 0.1 * slope
    return value


def main(token: int = 4):
    model = Model(full((5, 3), 0.5))
    for i in range(3):
        tokens = full((2, 4), min(i * token, 2 * token), dtype=i32)
        print(f"step {i}: {step(model, tokens):.4f}")
        save_npy("table.npy", model.table)
"""
FUNCTIONS = """
def rows[V, D, N](table: Tensor[V, D, f32], ids: Tensor[N, i32]) -> Tensor[N, D, f32]:
    return take(table, ids, axis=0)


def masked[V, D, N](table: Tensor[V, D, f32], ids: Tensor[N, i32]) -> Tensor[N, D, f32]:
    return take(table, where(ids >= 0, ids, 0), axis=0)


def second[V, D, N](table: Tensor[V, D, f32], pairs: Tensor[N, 2, i32]) -> Tensor[N, D, f32]:
    return take(table, pairs[:, 1], axis=0)
"""


class CheckBounds(ToolTest):
    def setUp(self):
        super().setUp()
        self.train = self.write("train.tsr", TRAIN)
        self.functions = self.write("functions.tsr", FUNCTIONS)

    def test_a_token_that_is_not_in_the_vocabulary(self):
        for target in ("cpu", "reference"):
            with self.subTest(target=target):
                done = run("tessera", "run", self.train, "--check-bounds", "--target", target, "--arg", "token=5", cwd=self.folder)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("`step` was called with an index that lies outside: `tokens` holds 5 at [0, 0], and `", done.stderr)
                self.assertIn("has 5 elements there", done.stderr)
                self.assertIn("step 0", done.stdout)
                self.assertNotIn("step 1", done.stdout)

    def test_what_the_call_would_change_stays(self):
        run("tessera", "run", self.train, "--check-bounds", "--arg", "token=5", cwd=self.folder)
        _, table = read_npy(self.path("table.npy"))
        once = list(table)
        run("tessera", "run", self.train, "--arg", "token=0", cwd=self.folder)
        self.assertNotEqual(once, list(read_npy(self.path("table.npy"))[1]))

    def test_a_right_run_is_the_same(self):
        plain = run("tessera", "run", self.train, "--arg", "token=2", cwd=self.folder)
        for target in ("cpu", "reference"):
            done = run("tessera", "run", self.train, "--check-bounds", "--target", target, "--arg", "token=2", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)

    def test_indices_in_host_memory_are_looked_at_without_it(self):
        for target in ("cpu", "reference"):
            with self.subTest(target=target):
                done = run("tessera", "run", self.train, "--target", target, "--arg", "token=5", cwd=self.folder)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("`tokens` holds 5 at [0, 0]", done.stderr)

    def call(self, function, *words, ids=(0, 4, -5)):
        write_npy(self.path("table.npy"), [float(i) for i in range(10)], [5, 2])
        name = "pairs" if function == "second" else "ids"
        shape = [len(ids) // 2, 2] if function == "second" else [len(ids)]
        write_npy(self.path("ids.npy"), list(ids), shape, "i")
        return run("tessera", "run", self.functions, function, "--arg", "table=" + self.path("table.npy"), "--arg", f"{name}=" + self.path("ids.npy"), *words, cwd=self.folder)

    def test_one_function(self):
        for target in ("cpu", "reference"):
            for ids, outside in (((0, 4, -5), None), ((0, 5), "5 at [1]"), ((-6, 1), "-6 at [0]")):
                done = self.call("rows", "--check-bounds", "--target", target, ids=ids)
                self.assertEqual(done.returncode, 1 if outside else 0, done.stderr)
                if outside:
                    self.assertIn(f"`ids` holds {outside}, and `table` has 5 elements there", done.stderr)

    def test_what_is_computed_from_indices_is_not_asked(self):
        self.assertEqual(self.call("masked", "--check-bounds", ids=(-100, 1)).returncode, 0)

    def test_only_the_part_that_is_used(self):
        self.assertEqual(self.call("second", "--check-bounds", ids=(99, 1, 98, 4)).returncode, 0)
        done = self.call("second", "--check-bounds", ids=(99, 1, 98, 7))
        self.assertEqual(done.returncode, 1)
        self.assertIn("`pairs` holds 7 at [1, 1]", done.stderr)

    def test_a_program_and_its_source(self):
        built = run("tessera", "build", self.train, "-o", self.path("train"), "--check-bounds", cwd=self.folder)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(run("tesserac", self.train, "--check-bounds", "-o", self.path("train.cpp")).returncode, 0)
        with open(self.path("train.cpp")) as file:
            self.assertIn("tsr::host::check_indices(", file.read())
        self.assertEqual(run("tesserac", self.train, "--force", "-o", self.path("train.cpp")).returncode, 0)
        with open(self.path("train.cpp")) as file:
            text = file.read()
        self.assertIn("tsr::host::check_indices_here(", text)  # what a device alone has is not waited for
        self.assertNotIn("tsr::host::check_indices(", text)
        refused = run("tessera", "build", self.train, "-o", self.path("train.so"), "--check-bounds", cwd=self.folder)
        self.assertIn("a library has no host code, and `--check-bounds` changes that", refused.stderr)


if __name__ == "__main__":
    unittest.main()
