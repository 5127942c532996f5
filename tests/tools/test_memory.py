"""tessera memory: what it prints is what the manifest says and what a call takes."""
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from support import ToolTest, read, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """
def mlp[B, I, H, O](x: Tensor[B, I, f32], w: Tensor[I, H, f32], v: Tensor[H, O, f32], u: Tensor[O, H, f32]) -> Tensor[B, H, f32]:
    h = relu(x @ w)
    y = relu(h @ v)
    return y @ u


def plain[N](x: Tensor[N, f32]) -> Tensor[N, f32]:
    return x * 2.0
"""
# Four blocks of an MLP, and what is returned for each: the gradients of its weights.
BLOCKS = """
{0}
def block[B, D, F](x: Tensor[B, D, f32], w: Tensor[D, F, f32], v: Tensor[F, D, f32]) -> Tensor[B, D, f32]:
    return x + tanh(x @ w) @ v


def loss[B, D, F](x: Tensor[B, D, f32], w0: Tensor[D, F, f32], v0: Tensor[F, D, f32], w1: Tensor[D, F, f32], v1: Tensor[F, D, f32],
                  w2: Tensor[D, F, f32], v2: Tensor[F, D, f32], w3: Tensor[D, F, f32], v3: Tensor[F, D, f32]) -> f32:
    x = block(block(block(block(x, w0, v0), w1, v1), w2, v2), w3, v3)
    return sum(x * x)


slopes = grad(loss, wrt=("w0", "v0", "w1", "v1", "w2", "v2", "w3", "v3"))
"""
# Temporaries of each branch, and one of both.
BRANCHES = """def one_of_two[N, I, H, O](x: Tensor[N, I, f32], w: Tensor[I, H, f32], v: Tensor[I, O, f32], u: Tensor[O, H, f32], z: Tensor[H, H, f32]) -> Tensor[N, H, f32]:
    s = sum(relu(w), axis=0)
    if N > 100:
        return relu(x @ w) @ z + s
    else:
        return relu(x @ v) @ u + s
"""
# Counts what the call asks of the allocator: temporaries are aligned to 64 bytes, and nothing else of the program is.
MAIN = """
#include "mlp.h"
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
static size_t taken = 0;
void *operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t &) noexcept {
  taken += bytes;
  return std::aligned_alloc(static_cast<size_t>(align), (bytes + 63) / 64 * 64);
}
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept { std::free(memory); }
int main() {
  const int64_t B = 5, I = 3, H = 7, O = 11;
  std::vector<float> x(B * I, 1), w(I * H, 1), v(H * O, 1), u(O * H, 1), y(B * H);
  auto tensor = [](std::vector<float> &data, const int64_t *shape) { return TessTensor{data.data(), {TESS_CPU, 0}, 2, {TESS_FLOAT, 32, 1}, shape, nullptr, 0}; };
  const int64_t shapes[5][2] = {{B, I}, {I, H}, {H, O}, {O, H}, {B, H}};
  TessTensor tx = tensor(x, shapes[0]), tw = tensor(w, shapes[1]), tv = tensor(v, shapes[2]), tu = tensor(u, shapes[3]), ty = tensor(y, shapes[4]);
  if (mlp(&tx, &tw, &tv, &tu, &ty, nullptr) != TESS_OK) return std::puts(tessLastErrorText()), 1;
  std::printf("%zu\\n", taken);
}
"""


class Memory(ToolTest):
    def setUp(self):
        super().setUp()
        self.program = self.write("mlp.tsr", PROGRAM)

    def memory(self, *arguments):
        return run("tessera", "memory", self.program, *arguments, cwd=self.folder)

    def test_what_is_computed_again_is_not_kept(self):
        held = {}
        for name, decorator in (("kept", ""), ("again", "@checkpoint")):
            program = self.write(name + ".tsr", BLOCKS.format(decorator))
            plan = json.loads(run("tessera", "memory", program, "slopes", "--sizes", "B=100,D=16,F=512", "--json", cwd=self.folder).stdout)
            held[name] = sum(1 for part in plan["temporaries"] if part["bytes"] == 4 * 100 * 512)
            held[name + "_bytes"] = plan["bytes"]
        self.assertEqual(held["kept"], 5)  # the activations of each block, and the derivative by one
        self.assertEqual(held["again"], 2)  # those of the block that is being computed
        self.assertLess(held["again_bytes"], held["kept_bytes"] / 2)

    def test_the_plan_is_what_a_call_takes(self):
        plan = json.loads(self.memory("mlp", "--sizes", "B=5,I=3,H=7,O=11", "--json").stdout)
        self.assertEqual(plan["bytes"], sum(part["bytes"] for part in plan["temporaries"]))
        self.assertEqual(plan["bytes"], 4 * (5 * 7 + 5 * 11))
        self.assertEqual(run("tesserac", self.program, "-o", self.path("mlp.cpp")).returncode, 0)
        entry = next(e for e in json.loads(read(self.path("mlp.json")))["entries"] if e["name"] == "mlp")
        self.assertEqual(entry["workspace_bytes"], plan["formula"])
        self.assertEqual([t["name"] for t in entry["temporaries"]], [t["name"] for t in plan["temporaries"]])
        self.write("main.cpp", MAIN)
        built = subprocess.run(["g++", "-std=c++17", "-O1", "-fopenmp", "-I", os.path.join(ROOT, "include"), self.path("main.cpp"), self.path("mlp.cpp"), "-o",
                                self.path("measured")], capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        measured = subprocess.run([self.path("measured")], capture_output=True, text=True)
        self.assertEqual((measured.returncode, measured.stdout.strip()), (0, str(plan["bytes"])), measured.stderr)

    def test_of_two_branches_the_larger_one_counts(self):
        program = self.write("branches.tsr", BRANCHES)
        self.assertEqual(run("tesserac", program, "-o", self.path("branches.cpp")).returncode, 0)
        entry = json.loads(read(self.path("branches.json")))["entries"][0]
        held = {tuple(t["shape"]): t["bytes"] for t in entry["temporaries"]}
        self.assertEqual(held, {("N", "H"): "4*H*N", ("N", "O"): "4*N*O", ("H",): "4*H"})
        self.assertEqual(entry["workspace_bytes"], "4*H + max(4*H*N, 4*N*O)")
        self.assertIn("Takes at most 4*H + max(4*H*N, 4*N*O) bytes", read(self.path("branches.h")))
        plan = json.loads(run("tessera", "memory", program, "--sizes", "N=10,H=3,O=7,I=2", "--json", cwd=self.folder).stdout)
        self.assertEqual(plan["bytes"], 4 * 3 + 4 * 10 * 7)
        self.assertLessEqual(plan["needed_at_once"], plan["bytes"])

    def test_a_claim_for_sizes_asks_only_the_branch_that_they_take(self):
        for sizes, most, code in (("N=1000,H=2,O=4000,I=2", 8 * 1000 + 8, 0), ("N=1000,H=2,O=4000,I=2", 8 * 1000 + 7, 1), ("N=10,H=2,O=4000,I=2", 8 * 1000, 1),
                                  ("H=2,O=4000,I=2", 8 * 1000 + 8, 1)):
            program = self.write("claims.tsr", f"@require(workspace <= {most}, {sizes.replace(',', ', ')})\n" + BRANCHES)
            result = run("tesserac", program, "-o", self.path("claims.cpp"))
            self.assertEqual(result.returncode, code, (sizes, most, result.stderr))

    def test_lives_lie_within_the_launches(self):
        plan = json.loads(self.memory("mlp", "--sizes", "B=5,I=3,H=7,O=11", "--json").stdout)
        self.assertEqual(len(plan["launches"]), 3)
        self.assertEqual([part["launches"] for part in plan["temporaries"]], [[0, 1], [1, 2]])
        self.assertEqual(plan["needed_at_once"], plan["bytes"])  # both, while the second product runs

    def test_text_and_picture(self):
        result = self.memory("mlp", "--sizes", "B=5,I=3,H=7,O=11", "--svg", "plan.svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("mlp at B=5, H=7, I=3, O=11: 360 bytes", result.stdout)
        self.assertRegex(result.stdout, r"220 +2-3 +\w+ +f32\[B, O\]")
        picture = ElementTree.fromstring(read(self.path("plan.svg")))
        titles = [e.text for e in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(len(titles), 4)
        self.assertIn("220 bytes, launches 2 to 3", titles[-1])
        self.assertIn("0 bytes", self.memory("plain", "--sizes", "N=4").stdout)

    def test_other_machines(self):
        for target in ("cuda", "hip:gfx942"):
            plan = json.loads(self.memory("mlp", "--sizes", "B=5,I=3,H=7,O=11", "--json", "--target", target).stdout)
            self.assertEqual(plan["bytes"], 360)

    def test_mistakes(self):
        for words, code, *arguments in (("says nothing about `I`, `H`, `O`", 2, "mlp", "--sizes", "B=5"), ("has no dimension `Q`; it has `N`", 2, "plain", "--sizes", "N=1,Q=2"),
                                        ("is not of the form", 2, "mlp", "--sizes", "B"), ("is not of the form", 2, "mlp", "--sizes", "B=-1"),
                                        ("there is no function `none`", 2, "none"), ("say which function", 2), ("`tpu`", 1, "mlp", "--target", "tpu")):
            result = self.memory(*arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
