"""Targets, what their machines have, and functions that one of them cannot take."""
import json
import os
import unittest

from support import CANON, ToolTest, read, run

SAXPY = os.path.join(CANON, "01_saxpy.tsr")
MATMUL = os.path.join(CANON, "03_matmul.tsr")

# 64 x KiB floats: x / 4 KiB of shared memory.
BUFFER = """@kernel(grid=(1,), group=128)
def {name}(x: Tensor[{floats}, f32], y: Tensor[{floats}, f32]):
    first_half = tile.alloc_shared(({half},), f32)
    second_half = tile.alloc_shared(({half},), f32)
    for i in tile.range(tile.local_id(), {half}, tile.group_size()):
        first_half[i] = x[i]
        second_half[i] = x[i + {half}]
    tile.barrier()
    for i in tile.range(tile.local_id(), {half}, tile.group_size()):
        y[i] = second_half[{half} - 1 - i]
        y[i + {half}] = first_half[{half} - 1 - i]
"""


def buffer(name, kib):
    return BUFFER.format(name=name, floats=kib * 256, half=kib * 128)


class Targets(ToolTest):
    def refused(self, target):
        result = run("tesserac", SAXPY, "--target", target, "-o", self.path("k.src"))
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("error[E0704]", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])
        return result.stderr

    def test_a_machine_that_is_not_in_the_table_is_refused_with_the_nearest(self):
        for target, meant in (("h100", "cuda:sm_90a"), ("a100", "cuda:sm_80"), ("cuda_80", "cuda:sm_80"), ("sm_90", "cuda:sm_90"),
                              ("mi300", "hip:gfx942"), ("sm_999", "cuda:sm_89"), ("cuda:sm_81", "cuda:sm_80"), ("cuda:gfx942", "hip:gfx942"),
                              ("cpu:avx512", "cpu:x86-64-v4"), ("rocm", "hip")):
            with self.subTest(target):
                self.assertIn(f"did you mean `{meant}`?", self.refused(target))
        self.assertIn("the targets are cuda, hip, cpu, cuda:sm_75,", self.refused("vax"))

    def test_every_machine_compiles(self):
        targets = self.refused("vax").split("the targets are ")[1].split("\n")[0].split(", ")
        self.assertGreater(len(targets), 15)
        for i, target in enumerate(targets):
            with self.subTest(target):
                result = run("tesserac", MATMUL, "--target", target, "-o", self.path(f"m{i}.src"))
                self.assertEqual(result.returncode, 0, result.stderr)
                said = json.loads(read(self.path(f"m{i}.json")))["target"]
                family, _, machine = target.partition(":")
                self.assertEqual(said["device"], family)
                if machine:
                    self.assertTrue(said["machine"].endswith(machine), said)
                else:
                    self.assertEqual(said["machine"], {"cuda": "sm_80", "hip": "gfx90a", "cpu": "cpu"}[family])

    def test_shared_memory_that_the_machine_has_not(self):
        program = self.write("p.tsr", buffer("turned", 100))
        for target, has in (("cuda:sm_75", "sm_75 has 64"), ("cuda:sm_86", "sm_86 has 99"), ("hip:gfx90a", "gfx90a has 64"),
                            ("hip:gfx1100", "gfx1100 has 64")):
            with self.subTest(target):
                result = run("tesserac", program, "--target", target, "-o", self.path("k.out"))
                self.assertEqual(result.returncode, 1)
                self.assertIn("error[E0630]: a group of this kernel needs 100 KiB of shared memory: first_half 50, second_half 50; " + has,
                              result.stderr)
                self.assertIn("p.tsr:2", result.stderr)
                self.assertIn("p.tsr:3", result.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), ["p.tsr"])
        for target in ("cuda", "cuda:sm_80", "cuda:sm_90a", "cpu"):
            with self.subTest(target):
                self.assertEqual(run("tesserac", program, "--target", target, "-o", self.path("k.out")).returncode, 0)

    def test_more_than_sm_80_has(self):
        program = self.write("p.tsr", buffer("turned", 200))
        result = run("tesserac", program, "--target", "cuda", "-o", self.path("k.out"))
        self.assertIn("sm_80 has 163", result.stderr)
        self.assertIn("cuda:sm_90 has 227 KiB", result.stderr)
        self.assertEqual(run("tesserac", program, "--target", "cuda:sm_90a", "-o", self.path("k.out")).returncode, 0)

    def test_no_machine_has_so_much(self):
        result = run("tessera", "check", self.write("p.tsr", buffer("turned", 600)))
        self.assertIn("no machine gives a group 300 KiB of shared memory; the most is 227, of sm_90", result.stderr)


GOOD = "def {0}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n\n"


class Functions(ToolTest):
    """One function that fails stops no other."""

    def program(self):
        return self.write("p.tsr", GOOD.format("first") + buffer("large", 200) + "\n" + GOOD.format("second") + buffer("larger", 180))

    def test_all_that_fail_are_reported(self):
        result = run("tesserac", self.program(), "-o", self.path("p.cu"))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr.count("error[E0630]"), 2, result.stderr)
        self.assertIn("needs 200 KiB", result.stderr)
        self.assertIn("needs 180 KiB", result.stderr)
        self.assertEqual(result.stderr.count("2 of 4 functions cannot be compiled: `large`, `larger`; the others can: "
                                             "`--keep-going`, or `--function first --function second`"), 1, result.stderr)
        self.assertEqual(os.listdir(self.folder), ["p.tsr"])

    def test_the_others_are_written_where_they_are_asked_for(self):
        result = run("tesserac", self.program(), "-o", self.path("p.cu"), "--keep-going")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("warning[E0630]"), 2, result.stderr)
        self.assertNotIn("error", result.stderr)
        self.assertIn("2 of 4 functions cannot be compiled: `large`, `larger`; left out, and the others are written", result.stderr)
        manifest = json.loads(read(self.path("p.json")))
        self.assertEqual([e["name"] for e in manifest["entries"]], ["first", "second"])
        self.assertEqual([f["name"] for f in manifest["left_out"]], ["large", "larger"])
        self.assertIn("needs 180 KiB", manifest["left_out"][1]["reason"])
        source = " ".join(read(self.path("p.cu")).replace("//", "").split())
        self.assertIn("Left out: larger, which cannot be compiled: a group of this kernel needs 180 KiB", source)

    def test_what_calls_it_is_left_out_too(self):
        program = self.write("q.tsr", GOOD.format("first") + "def bad[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dropout(x, 0.5)\n\n"
                             "def calls[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return bad(x) + 1.0\n")
        result = run("tesserac", program, "-o", self.path("q.cpp"), "--keep-going")
        self.assertEqual(result.returncode, 0, result.stderr)
        manifest = json.loads(read(self.path("q.json")))
        self.assertEqual([e["name"] for e in manifest["entries"]], ["first"])
        self.assertEqual([f["name"] for f in manifest["left_out"]], ["bad", "calls"])
        self.assertTrue(all(f["reason"] for f in manifest["left_out"]))

    def test_nothing_is_left(self):
        result = run("tesserac", self.write("r.tsr", buffer("large", 200)), "-o", self.path("r.cu"), "--keep-going")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error[E0630]", result.stderr)
        self.assertNotIn("r.cu", os.listdir(self.folder))
        result = run("tesserac", self.program(), "-o", self.path("p.cu"), "--keep-going", "--function", "first")
        self.assertEqual(result.returncode, 2)

    def test_check_finds_them_for_a_target(self):
        program = self.program()
        self.assertEqual(run("tessera", "check", program).returncode, 0)
        self.assertEqual(run("tessera", "check", program, "--target", "cuda:sm_90a").returncode, 0)
        result = run("tessera", "check", program, "--target", "cuda")
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 errors in 1 of 1 file", result.stderr)
        result = run("tessera", "check", program, "--target", "h100")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean `cuda:sm_90a`?", result.stderr)

    def test_the_others_can_be_written(self):
        result = run("tesserac", self.program(), "-o", self.path("p.cu"), "--function", "first", "--function", "second")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([e["name"] for e in json.loads(read(self.path("p.json")))["entries"]], ["first", "second"])
        self.assertNotIn("large", read(self.path("p.cu")))
        result = run("tesserac", self.program(), "-o", self.path("p.cu"), "--function", "third")
        self.assertIn("error[E0800]", result.stderr)

    def test_only_what_a_function_reaches_is_compiled(self):
        # Random numbers of a function's own are checked and not compiled.
        program = self.write("p.tsr", GOOD.format("first") + "def total[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return dropout(x, 0.5)\n\n"
                             "def calls[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return first(x)\n")
        result = run("tesserac", program, "-o", self.path("p.cpp"))
        self.assertEqual(result.returncode, 1)
        for name in ("first", "calls"):
            result = run("tessera", "run", program, name, "--random", "N=3", "--check")
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(run("tessera", "run", program, "total", "--random", "N=3").returncode, 1)


if __name__ == "__main__":
    unittest.main()
