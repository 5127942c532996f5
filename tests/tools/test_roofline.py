"""tessera roofline: operations and bytes are those of the formulas, for every target and strategy, and the limits follow from them."""
import json
import os
import re
import unittest

from support import ToolTest, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """
def product[M, K, N](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, bf16]:
    return x @ w


def triad[N](x: Tensor[N, f32], y: Tensor[N, f32], z: Tensor[N, f32]) -> Tensor[N, f32]:
    return x + y * z


def doubles[N](x: Tensor[N, f64], y: Tensor[N, f64]) -> Tensor[N, f64]:
    return x * y


def totals[R, C](x: Tensor[R, C, f32]) -> Tensor[R, f32]:
    return sum(x, axis=1)


def causal[S](q: Tensor[1, 8, S, 64, f32], k: Tensor[1, 8, S, 64, f32], v: Tensor[1, 8, S, 64, f32]) -> Tensor[1, 8, S, 64, f32]:
    return flash_attention(q, k, v, causal=True)


def layers[N](x: Tensor[N, N, bf16 @accum(f32)], a: Tensor[N, N, bf16], b: Tensor[N, N, bf16]) -> Tensor[N, N, bf16]:
    return cast(x @ a, bf16 @accum(f32)) @ b


def rows[V, D, N](table: Tensor[V, D, f32], places: Tensor[N, i64]) -> Tensor[N, D, f32]:
    return take(table, places)
"""
TARGETS = ("cuda:sm_90a", "cuda", "hip:gfx942", "cpu", "cpu:amx")


class Roofline(ToolTest):
    def setUp(self):
        super().setUp()
        self.program = self.write("work.tsr", PROGRAM)

    def roofline(self, *arguments, program=None):
        return run("tessera", "roofline", program or self.program, *arguments, cwd=self.folder)

    def counted(self, function, sizes, target="cuda:sm_90a", program=None):
        result = self.roofline(function, "--sizes", sizes, "--target", target, "--json", program=program)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        for kernel in found["kernels"]:
            limits = kernel["seconds"]
            self.assertEqual(limits[kernel["limited_by"]], max(limits.values()))
            self.assertAlmostEqual(limits["memory"], (kernel["read_bytes"] + kernel["written_bytes"]) / found["bytes_per_second"])
        return found

    def test_products(self):
        for target in TARGETS:
            for m, k, n in ((4096, 4096, 4096), (1009, 257, 127), (16, 64, 32)):
                found = self.counted("product", f"M={m},K={k},N={n}", target)
                self.assertAlmostEqual(sum(each["products"].get("bf16", 0) for each in found["kernels"]), 2 * m * k * n, delta=1e-6 * m * k * n)
                self.assertEqual(sum(each["read_bytes"] + each["written_bytes"] for each in found["kernels"]), 2 * (m * k + k * n + m * n), (target, m))
        large, small = (self.counted("product", f"M={m},K=4096,N=4096")["kernels"][0] for m in (4096, 16))
        self.assertEqual((large["limited_by"], small["limited_by"]), ("products", "memory"))

    def test_matrix_instructions_are_the_compilers_decision(self):
        singles = self.write("singles.tsr", PROGRAM.replace("bf16 @accum(f32)", "f32").replace("bf16", "f32"))
        fast, plain = self.counted("product", "M=512,K=512,N=512"), self.counted("product", "M=512,K=512,N=512", program=singles)
        self.assertTrue(fast["kernels"][0]["matrix_instructions"])
        self.assertFalse(plain["kernels"][0]["matrix_instructions"])
        self.assertIn("tf32", plain["kernels"][0]["why_not"]["mma"])
        self.assertGreater(plain["kernels"][0]["seconds"]["products"], 10 * fast["kernels"][0]["seconds"]["products"])
        self.assertAlmostEqual(plain["kernels"][0]["seconds"]["products"], 2 * 512**3 / plain["flops_per_second"], delta=1e-9)

    def test_equal_kernels_have_equal_limits(self):
        for target in ("cuda:sm_90a", "hip:gfx942"):
            first, second = self.counted("layers", "N=4096", target)["kernels"]
            self.assertTrue(first["matrix_instructions"] and second["matrix_instructions"], target)
            self.assertEqual(first["seconds"], second["seconds"])

    def test_elements_and_sums(self):
        for target in TARGETS:
            for n in (1, 1009, 65536):
                (triad,) = self.counted("triad", f"N={n}", target)["kernels"]
                self.assertAlmostEqual(triad["flops"], 2 * n, delta=1e-6 * n)
                self.assertEqual((triad["read_bytes"], triad["written_bytes"], triad["limited_by"]), (12 * n, 4 * n, "memory"))
            totals = self.counted("totals", "R=33,C=1009", target)["kernels"]
            self.assertAlmostEqual(sum(each["flops"] for each in totals), 33 * 1009, delta=1)
            self.assertEqual(sum(each["read_bytes"] for each in totals), 4 * 33 * 1009)
        doubles, singles = self.counted("doubles", "N=1000", "cuda:sm_86")["kernels"][0], self.counted("triad", "N=1000", "cuda:sm_86")["kernels"][0]
        self.assertGreater(doubles["seconds"]["arithmetic"], 10 * singles["seconds"]["arithmetic"])

    def test_what_a_causal_mask_leaves_out_is_not_counted(self):
        whole = 4 * 8 * 64 * 4096**2
        found = sum(sum(each["products"].values()) for each in self.counted("causal", "S=4096")["kernels"])
        self.assertTrue(0.48 * whole < found < 0.56 * whole, found / whole)

    def test_of_a_table_only_the_rows_that_are_read(self):
        read = sum(each["read_bytes"] for each in self.counted("rows", "V=100000,D=64,N=10")["kernels"])
        self.assertTrue(10 * 64 * 4 <= read < 4 * 10 * 64 * 4, read)

    def test_text(self):
        result = self.roofline("product", "--sizes", "M=4096,K=4096,N=4096", "--target", "cuda:sm_90a")
        self.assertIn("product at K=4096, M=4096, N=4096 on cuda:sm_90a (H100 SXM): 3.35 TB/s", result.stdout)
        self.assertRegex(result.stdout, r"product_kernel +1 +13[78] G +101 M +1\.3\d k +139 us +\d+ us  products of bf16 by matrix instructions\n")

    def manifest(self, function, target="cuda:sm_90a"):
        result = run("tesserac", self.program, "--function", function, "--target", target, "-o", os.path.join(self.folder, "out.cu"), "--force")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as file:
            return json.load(file)["entries"][0]

    def test_formulas_of_the_manifest_give_the_same_numbers(self):
        cases = (("product", dict(M=4096, K=4096, N=4096)), ("product", dict(M=1009, K=257, N=127)), ("product", dict(M=16, K=4096, N=14336)),
                 ("triad", dict(N=10007)), ("totals", dict(R=33, C=1009)), ("causal", dict(S=4096)), ("layers", dict(N=1024)))
        for function, sizes in cases:
            names = {"min": min, "max": max, "__builtins__": {}, **sizes}
            value = lambda formula: eval(formula, names)
            flops = moved = expected = 0
            for launch in self.manifest(function)["launches"]:
                if not all(value(condition) for condition in launch.get("when", [])):
                    continue
                predicted = launch["predicted"]
                flops += value(predicted["flops"])
                moved += value(predicted["read_bytes"]) + value(predicted["written_bytes"])
                parts = {name: value(formula) for name, formula in predicted["nanoseconds"].items() if name != "expected"}
                expected += eval(predicted["nanoseconds"]["expected"], {**names, **parts}) / 1e9
            found = self.counted(function, ",".join(f"{name}={size}" for name, size in sizes.items()))
            self.assertAlmostEqual(flops, sum(each["flops"] for each in found["kernels"]), delta=1e-3 * flops + 9, msg=function)
            self.assertAlmostEqual(moved, sum(each["read_bytes"] + each["written_bytes"] for each in found["kernels"]), delta=1e-3 * moved + 64, msg=function)
            # a kernel that is split by a later pass is started twice
            self.assertAlmostEqual(expected, found["expected_seconds"], delta=0.01 * expected + 5e-6, msg=function)

    def test_what_is_expected_is_more_than_the_least(self):
        for target in TARGETS:
            for function, sizes in (("product", "M=4096,K=4096,N=4096"), ("triad", "N=100000000"), ("causal", "S=4096")):
                found = self.counted(function, sizes, target)
                self.assertGreater(found["expected_seconds"], found["seconds"], (target, function))
        found = self.counted("product", "M=2304,K=4096,N=2048")["kernels"][0]  # 144 tiles for 132 processors
        self.assertEqual(found["expected_limit"], "waves")

    def test_another_card_has_another_bandwidth(self):
        def expected(*more):
            return json.loads(self.roofline("triad", "--sizes", "N=100000000", "--target", "cuda:sm_90a", "--json", *more).stdout)["expected_seconds"]
        self.assertAlmostEqual(expected("--bytes-per-second", "6.7e12"), expected() / 2, delta=3e-6)

    def test_inspect_tells_it_for_sizes(self):
        result = run("tessera", "inspect", self.program, "triad", "--levels", "graph", "--sizes", "N=100000000", "--target", "cuda:sm_90a")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(re.search(r"triad_kernel +1 +200 M +1\.6 G .* us +\d+ us  memory", result.stdout), result.stdout[-500:])
        wrong = run("tessera", "inspect", self.program, "triad", "--levels", "graph", "--sizes", "Q=1")
        self.assertEqual(wrong.returncode, 2)

    def test_every_example_has_a_roofline(self):
        for name, function, sizes in (("transformer", "block", "B=2,S=17"), ("training", "step", "B=17,I=33,H=64,O=7"), ("convolution", "features", "B=2,H=8,W=9"),
                                      ("shared_memory", None, ""), ("norms", "layer_norm", "B=2,S=3,D=129"), ("saxpy", "saxpy", "n=1009")):
            program = os.path.join(ROOT, "examples", name + ".tsr")
            if function:
                self.assertGreater(self.counted(function, sizes, program=program)["seconds"], 0)
            else:
                self.assertEqual(self.roofline(program=program).returncode, 2)

    def test_mistakes(self):
        for words, code, *arguments in (("says nothing about `M`", 2, "product", "--sizes", "K=5,N=2"), ("has no dimension `Q`", 2, "triad", "--sizes", "N=1,Q=2"),
                                        ("is not of the form", 2, "triad", "--sizes", "N"), ("`none`", 1, "none"), ("say which function", 2),
                                        ("`tpu`", 1, "triad", "--target", "tpu")):
            result = self.roofline(*arguments)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
