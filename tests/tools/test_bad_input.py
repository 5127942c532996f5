"""Bad input: a message with a fix and a non-zero exit; no crash, nothing half-written."""
import json
import os
import shutil
import struct
import unittest

from support import CANON, ToolTest, read, run, write_npy

SAXPY = os.path.join(CANON, "01_saxpy.tsr")


class BadFiles(ToolTest):
    def refuse(self, *arguments, code=None, says=None, exit_codes=(1, 2)):
        result = run(*arguments, text=False)
        output = (result.stdout + result.stderr).decode("utf-8", "replace")
        self.assertIn(result.returncode, exit_codes, output[-2000:])
        self.assertLess(len(output), 200_000)
        if code:
            self.assertIn(code, output[:5000])
        if says:
            self.assertIn(says, output)
        return output

    def compile(self, path, **expect):
        output = self.refuse("tesserac", path, "-o", self.path("out.cpp"), **expect)
        left = [name for name in os.listdir(self.folder) if name.startswith("out.")]
        self.assertEqual(left, [], "something was written")
        return output

    def test_missing_file(self):
        self.compile(self.path("no.tsr"), code="E0700")

    def test_directory(self):
        self.compile(self.folder, code="E0701")

    def test_unreadable_output_folder(self):
        self.refuse("tesserac", SAXPY, "-o", self.path("none/out.cpp"), code="E0703")

    def test_output_is_input(self):
        program = self.write("p.tsr", "x = 1\n")
        self.refuse("tesserac", program, "-o", program, "--target", "cpu", code="E0706")
        self.assertEqual(read(program), "x = 1\n")

    def test_unknown_suffix_target_and_level(self):
        self.refuse("tesserac", SAXPY, "-o", self.path("out.xyz"), code="E0705")
        self.refuse("tesserac", SAXPY, "--target", "cudda", "-o", self.path("out.cu"), code="E0704", says="cuda")
        self.refuse("tesserac", SAXPY, "--emit=tiles", code="E0804")
        self.refuse("tesserac", SAXPY, code="E0804")
        self.refuse("tesserac", exit_codes=(2,))

    def test_file_too_large(self):
        with open(self.path("huge.tsr"), "wb") as file:
            file.truncate((64 << 20) + 1)
        self.compile(self.path("huge.tsr"), code="E0702")

    def test_binary_junk(self):
        self.compile(self.write("junk.tsr", bytes((i * 73 + i // 7) % 256 for i in range(100_000))))

    def test_nul_byte(self):
        self.compile(self.write("nul.tsr", b"x = 1\n\0y = 2\n"), says="2:1")

    def test_bad_utf8(self):
        self.compile(self.write("utf.tsr", b"x = 1  # \xff\xfe\n"), says="1:10")

    def test_ten_megabytes(self):
        self.compile(self.write("big.tsr", "x = 1 +\n" * 1_300_000))

    def test_nested_brackets(self):
        self.compile(self.write("deep.tsr", "x = " + "(" * 10_000 + ")" * 10_000 + "\n"))
        self.compile(self.write("open.tsr", "x = " + "[" * 10_000 + "\n"))

    def test_cyclic_import(self):
        self.write("a.tsr", "from .b import g\n\ndef f(x):\n    return g(x)\n")
        self.write("b.tsr", "from .a import f\n\ndef g(x):\n    return f(x)\n")
        self.compile(self.path("a.tsr"), says="import")

    def test_missing_import(self):
        self.compile(self.write("p.tsr", "from .nowhere import f\n"), says="nowhere")


class BadArguments(ToolTest):
    def refuse(self, says, *arguments):
        result = run("tessera", "run", *arguments)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(says, result.stdout + result.stderr)
        self.assertFalse(os.path.exists(self.path("y.npy")))

    def setUp(self):
        super().setUp()
        write_npy(self.path("x.npy"), [1.0, 2.0, 3.0], (3,))
        write_npy(self.path("long.npy"), [1.0] * 4, (4,))
        write_npy(self.path("flat.npy"), [1.0] * 4, (2, 2))
        write_npy(self.path("double.npy"), [1.0] * 3, (3,), "d")
        self.x = ["--arg", "x=" + self.path("x.npy"), "--arg", "alpha=2", "--out", self.path("y.npy")]

    def test_wrong_arguments(self):
        saxpy = [SAXPY, "saxpy", *self.x]
        self.refuse("E0803", *saxpy)
        self.refuse("`n` is 3", *saxpy, "--arg", "y=" + self.path("long.npy"))
        self.refuse("dimensions", *saxpy, "--arg", "y=" + self.path("flat.npy"))
        self.refuse("f32", *saxpy, "--arg", "y=" + self.path("double.npy"))
        self.refuse("E0801", *saxpy, "--arg", "y=" + self.path("none.npy"))
        self.refuse("no such parameter", *saxpy, "--arg", "z=1")
        self.refuse("number", SAXPY, "saxpy", *self.x[:2], "--arg", "y=" + self.path("x.npy"), "--arg", "alpha=two")
        self.refuse("given twice", *saxpy, "--arg", "y=" + self.path("x.npy"), "--arg", "alpha=3")
        self.refuse("`n` twice", SAXPY, "saxpy", "--random", "n=3,n=4", "--arg", "alpha=2")
        for seed in ("-1", "18446744073709551616", "1.5", "0x10", ""):
            self.refuse("from 0 to 2^64 - 1", SAXPY, "saxpy", "--random", "n=3", "--arg", "alpha=2", "--seed", seed)
        self.refuse("E0800", SAXPY, "sexpy")
        self.refuse("no dimension `m`", SAXPY, "saxpy", "--random", "m=3", "--arg", "alpha=2")
        self.refuse("cpu", SAXPY, "saxpy", "--target", "tpu")

    NUMBERS = """def whole(a: i64 = 9007199254740993) -> i64:
    return a

def real(a: f32 = 0.5) -> f32:
    return a

def half(a: f16) -> f16:
    return a

def small(a: u8 = 255) -> u8:
    return a

def either(x: Tensor[2, bool]) -> Tensor[2, i32]:
    return cast(x, i32)
"""

    def test_numbers_that_do_not_fit(self):
        program = self.write("p.tsr", self.NUMBERS)
        for function, value in (("whole", "9223372036854775808"), ("whole", "-9223372036854775809"), ("real", "1e39"), ("real", "1e400"), ("real", "-3.5e38"),
                                ("half", "65520"), ("small", "256"), ("small", "-1")):
            self.refuse("does not fit", program, function, "--arg", "a=" + value)
        for function, words, shown in (("whole", [], "9007199254740993"), ("whole", ["--arg", "a=9223372036854775807"], "9223372036854775807"),
                                       ("real", ["--arg", "a=3.4028235e38"], "3.40282e+38"), ("real", ["--arg", "a=-inf"], "-inf"), ("half", ["--arg", "a=65504"], "65504"),
                                       ("small", [], "255")):
            result = run("tessera", "run", program, function, *words)
            self.assertEqual((result.returncode, shown in result.stdout), (0, True), result.stdout + result.stderr)
        header = b"{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
        truth = self.write("truth.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\x01\x02")
        self.refuse("holds 2 where a truth value is 0 or 1", program, "either", "--arg", "x=" + truth)

    def test_division_by_zero_ends_a_host_program(self):
        write_npy(self.path("empty.npy"), [], (0,))
        for operator in ("//", "%"):
            program = self.write("p.tsr", 'def main():\n    x = load_npy("empty.npy")\n    n = x.shape[0]\n    print("before")\n'
                                          f"    print(7 {operator} n)\n    print(\"behind\")\n")
            for target in ("reference", "cpu"):
                result = run("tessera", "run", program, "--target", target, cwd=self.folder)
                self.assertEqual((result.returncode, result.stdout), (1, "before\n"))
                self.assertIn("a division by zero", result.stderr)

    def test_junk_array(self):
        self.write("junk.npy", b"\x93NUMPY\x01\x00\xff\xff{'descr'")
        self.refuse("junk.npy", SAXPY, "saxpy", "--arg", "x=" + self.path("junk.npy"), "--arg", "y=" + self.path("x.npy"), "--arg", "alpha=2")


class Toolchains(ToolTest):
    def run_softmax(self, **environment):
        result = run("tessera", "run", os.path.join(CANON, "04_softmax.tsr"), "softmax", "--random", "R=2,C=3",
                     TESSERA_CACHE=self.path("cache"), **environment)
        self.assertEqual(result.returncode, 1)
        return result.stderr

    def test_no_compiler(self):
        self.assertIn("E0707", self.run_softmax(PATH=self.folder))

    def test_compiler_that_fails(self):
        self.assertIn("E0708", self.run_softmax(TESSERA_CXX="/bin/false"))

    def test_no_device(self):
        result = run("tessera", "run", SAXPY, "saxpy", "--random", "n=3", "--arg", "alpha=1", "--target", "hip")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no HIP device", result.stderr)


class Requirements(ToolTest):
    PROGRAM = ("def f[B, D](x: Tensor[B, D, f32], w: Tensor[D, D, f32]) -> Tensor[B, D, f32] where D <= 8192:\n"  # longer rows are sorted by all groups
               "    return sort(softmax_safe(x @ w) @ w)\n")

    def compile(self, *claims):
        program = self.write("p.tsr", "".join(f"@require({claim})\n" for claim in claims) + self.PROGRAM)
        return run("tesserac", program, "-o", self.path("p.cu"))

    def test_kept(self):
        result = self.compile("workspace <= 1 * GiB, B=4096, D=16", "workspace <= 16 * B * D, B=64, D=64", "flops <= 4 * B * D * D + 6 * B * D + B")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_broken(self):
        for claim, words in (("workspace <= 200 * KiB, B=4096, D=16", ["takes 768.00 KiB at B = 4096, D = 16", "workspace = 12*B*D "]),
                             ("workspace <= 1 * MiB, D=16", ["cannot prove it for all sizes", "at D = 16 it is 192*B"]),
                             ("flops <= 1000, B=10, D=10", ["it takes 4510 at B = 10, D = 10", "flops = B + 5*B*D + 4*B*D*D"])):
            result = self.compile(claim)
            self.assertEqual(result.returncode, 1, claim)
            self.assertEqual(os.listdir(self.folder), ["p.tsr"])
            for word in ["E0602", *words]:
                self.assertIn(word, result.stderr)

    def test_operations_are_counted_without_a_compile(self):
        for claim, code in (("flops <= 1000, B=10, D=10", 1), ("flops <= 4510, B=10, D=10", 0), ("workspace <= 1, B=4096, D=16", 0)):
            program = self.write("p.tsr", f"@require({claim})\n" + self.PROGRAM)
            result = run("tessera", "check", program)
            self.assertEqual((result.returncode, "E0602" in result.stderr), (code, code == 1), claim)

    def test_what_is_no_claim(self):
        for claim in ("", "B=3", "memory <= 3", "workspace < 3", "workspace <= 3, C=4", "workspace <= 3, B=x", "workspace <= 1.5", "tensor_core <= 3", "smem", "smem <= B", "no_spills",
                      "workspace <= 3, memory <= 4"):
            result = self.compile(claim)
            self.assertEqual(result.returncode, 1, claim)
            self.assertIn("E0357", result.stderr, claim)


class KernelRequirements(ToolTest):
    """What `@require` demands of kernels on GPUs."""

    def compile(self, claims, dtype="bf16", output="p.cu", target="cuda:sm_80", stages=2, warps=8, rows=128):
        program = self.write("p.tsr", (
            f"tuned = Schedule(name='tuned').block(m={rows}, n=128).k(64).warps({warps}).stages({stages})\n\n"
            f"@require({claims})\n@kernel.schedule(tuned)\n"
            f"def product[M, N, K](a: Tensor[M, K, {dtype} @accum(f32)], b: Tensor[K, N, {dtype} @accum(f32)]) -> Tensor[M, N, f32]:\n"
            "    T = tile.context()\n    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), f32)\n"
            "    for k in tile.range(0, K, T.k):\n        acc = acc + tile.dot(a[m:m + T.m, k:k + T.k], b[k:k + T.k, n:n + T.n])\n    return acc\n"))
        return run("tesserac", program, "-o", self.path(output), "--target", target)

    def kept(self, *arguments, **options):
        result = self.compile(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def broken(self, words, *arguments, **options):
        result = self.compile(*arguments, **options)
        self.assertEqual(result.returncode, 1)
        for word in ["E0602", *words]:
            self.assertIn(word, result.stderr)
        self.assertEqual(os.listdir(self.folder), ["p.tsr"])

    def test_tensor_cores(self):
        self.broken(["`product` does not keep to `tensor_core`", "no mma: the machine has no instruction for products of f32", "tf32, if the operands are"],
                    "tensor_core", dtype="f32")
        for output, target in (("p.cu", "cuda:sm_80"), ("p.cu", "cuda:sm_90a"), ("p.hip", "hip:gfx90a")):
            self.kept("tensor_core", output=output, target=target)

    def test_no_product(self):
        program = self.write("p.tsr", "@require(tensor_core)\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x + 1.0\n")
        result = run("tesserac", program, "-o", self.path("p.cu"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("no kernel of it multiplies tiles", result.stderr)

    def test_shared_memory(self):
        """Two stages of two tiles of 128 x 64 in bf16 are 64 KiB, three are 96."""
        self.kept("tensor_core, smem <= 64 * KiB")
        with open(self.path("p.json"), encoding="utf-8") as file:
            launch = json.load(file)["entries"][0]["launches"][0]
        self.assertEqual((launch["shared_bytes"], launch["tensor_cores"]), (64 * 1024, True))
        for file in os.listdir(self.folder):
            os.remove(self.path(file))
        self.broken(["takes 96.00 KiB", "fewer stages"], "smem <= 64 * KiB", stages=3)

    def test_rows_in_shared_memory(self):
        """How long a row may be decides what a group holds of it."""
        claim, body = "@require(smem <= 2 * KiB)\n", "    return softmax_safe(x)\n"
        for facts, words in (("", ["E0602", "where C <= 4096"]), (" where C <= 64", [])):
            program = self.write("p.tsr", claim + f"def f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]{facts}:\n" + body)
            result = run("tesserac", program, "-o", self.path("p.cu"), "--target", "cuda:sm_90a")
            self.assertEqual(result.returncode, 1 if words else 0, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "nvcc is not here")
    def test_registers(self):
        """256 sums a lane are more than it has registers; 64 are not."""
        for rows, warps, spills in ((256, 4, True), (128, 8, False)):
            self.kept("no_spill", rows=rows, warps=warps)
            result = run("tessera", "build", self.path("p.tsr"), "--target", "cuda:sm_80", "-o", self.path("libp.so"))
            self.assertEqual((result.returncode, os.path.exists(self.path("libp.so"))), (1, False) if spills else (0, True), result.stderr)
            for word in ["does not keep to `no_spill`: the kernel `product_kernel`", "bytes spill stores"] if spills else []:
                self.assertEqual(result.stderr.count(word), 1, result.stderr)

    def test_processors_have_neither(self):
        self.kept("tensor_core, no_spill, smem <= 1", dtype="f32", output="p.cpp", target="cpu")


class Names(ToolTest):
    def test_names_of_the_target_language(self):
        """Names that C++ or CUDA use are renamed, and the program still runs right."""
        program = self.write("p.tsr", (
            "def namespace[M](float: Tensor[M, f32], template: Tensor[M, f32]) -> Tensor[M, f32]:\n"
            "    int = float * 2.0\n    threadIdx = int + template\n    return threadIdx\n\n"
            "@kernel\ndef NULL[errno](assert_: Tensor[errno, f32], y: Tensor[errno, f32], M_PI: f32) -> Tensor[errno, f32]:\n"
            "    i = tile.linear_id()\n    if i < errno:\n        y[i] = assert_[i] * M_PI\n    return y\n"))
        for suffix in (".cpp", ".cu", ".hip"):
            result = run("tesserac", program, "-o", self.path("out" + suffix))
            self.assertEqual(result.returncode, 0, result.stderr)
        result = run("tessera", "run", program, "namespace", "--random", "M=5", "--out", self.path("y.npy"))
        self.assertEqual(result.returncode, 0, result.stderr)
        result = run("tessera", "run", program, "NULL", "--random", "errno=5")
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main()
