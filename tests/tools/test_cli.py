"""The commands of tesserac and tessera on programs that are right."""
import json
import math
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BIN, CANON, ToolTest, read, read_npy, run, write_npy

SOFTMAX = os.path.join(CANON, "04_softmax.tsr")
SAXPY = os.path.join(CANON, "01_saxpy.tsr")


class Compile(ToolTest):
    def test_suffix_chooses_the_target(self):
        for suffix, word in ((".cu", "__global__"), (".hip", "hipLaunchKernelGGL"), (".cpp", "#pragma omp")):
            result = run("tesserac", SOFTMAX, "-o", self.path("softmax" + suffix))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(word, read(self.path("softmax" + suffix)))
            self.assertIn("softmax(", read(self.path("softmax.h")))
            manifest = json.loads(read(self.path("softmax.json")))
            self.assertIn("softmax", json.dumps(manifest))
            json.loads(read(self.path("softmax.lines.json")))

    def test_same_input_same_bytes(self):
        texts = []
        for name in ("a", "b"):
            os.mkdir(self.path(name))
            self.assertEqual(run("tesserac", SOFTMAX, "-o", self.path(name + "/s.cu")).returncode, 0)
            texts.append([read(self.path(f"{name}/s{end}")) for end in (".cu", ".h", ".hpp", ".json", ".lines.json")])
        self.assertEqual(texts[0], texts[1])

    def test_names_in_a_namespace(self):
        result = run("tesserac", SOFTMAX, "--namespace", "mine::nn", "-o", self.path("s.cpp"))
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("s.cpp", "s.h", "s.hpp", "s.json"):
            self.assertIn("mine_nn_softmax", read(self.path(name)))
        self.assertIn("namespace mine::nn {", read(self.path("s.hpp")))
        self.assertIn('extern "C" TessStatus mine_nn_softmax_call(', read(self.path("s.cpp")))
        for wrong in ("1st", "a.b", "a:b", "a::", "::a"):
            result = run("tesserac", SOFTMAX, "--namespace", wrong, "-o", self.path("wrong.cpp"))
            self.assertEqual(result.returncode, 2)
            self.assertIn("is no namespace of C++", result.stderr)
            self.assertFalse(os.path.exists(self.path("wrong.cpp")))

    def test_dispatch_calls_the_code_of_the_targets(self):
        result = run("tesserac", SOFTMAX, "--namespace", "nn", "--dispatch", "cpu,cuda:sm_90a", "-o", self.path("s.cpp"))
        self.assertEqual(result.returncode, 0, result.stderr)
        text = read(self.path("s.cpp"))
        self.assertIn("case TESS_CPU: return nn_cpu_softmax(x, ", text)
        self.assertIn("case TESS_CUDA: return nn_cuda_sm_90a_softmax_call(args, count, stream);", text)
        self.assertNotIn("__global__", text)
        for options, said in ((("cuda:sm_80,cuda:sm_90a",), "of its kind"), (("cpu,tpu",), "tpu"), (("cpu", "--target", "cuda"), "--target"),
                              (("cpu", "-o", self.path("s.cu")), "C++")):
            result = run("tesserac", SOFTMAX, *([] if "-o" in options else ["-o", self.path("t.cpp")]), "--dispatch", *options)
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(said, result.stderr)

    def test_headers_of_similar_names_go_together(self):
        for name, function in (("a-b", "dash"), ("a_b", "line")):
            program = self.write(name + ".tsr", f"def {function}(x: Tensor[4, f32]) -> Tensor[4, f32]:\n    return x + 1.0\n")
            self.assertEqual(run("tesserac", program, "-o", self.path(name + ".cpp")).returncode, 0)
        self.write("both.c", '#include "a-b.h"\n#include "a_b.h"\nint main(void) { return &dash == &line; }\n')
        include = os.path.join(os.path.dirname(os.path.dirname(CANON)), "include")
        command = ["gcc", "-std=c99", "-Wall", "-Werror=implicit-function-declaration", "-fsyntax-only", "-I" + include, self.path("both.c")]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_manifest_lists_effects(self):
        program = self.path("fast.tsr")
        with open(program, "w") as file:
            file.write("@fast(nondet)\ndef total[N](x: Tensor[N, f32]) -> f32:\n    return sum(x)\n"
                       "def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x + x\n")
        result = run("tesserac", program, "-o", self.path("fast.cpp"))
        self.assertEqual(result.returncode, 0, result.stderr)
        entries = {e["name"]: e for e in json.loads(read(self.path("fast.json")))["entries"]}
        self.assertEqual((entries["total"]["effects"], entries["total"]["determinism"]), (["nondet"], "nondeterministic"))
        self.assertEqual((entries["twice"]["effects"], entries["twice"]["determinism"]), ([], "reproducible"))

    def test_rounding_of_fractions_is_the_references(self):
        program = self.path("whole.tsr")
        with open(program, "w") as file:
            for name in ("toward_zero", "nearest_even", "up", "down"):
                file.write(f"def {name}_[N](x: Tensor[N, f32]) -> Tensor[N, i32 @round({name})]:\n    return cast(x, i32)\n")
        write_npy(self.path("x.npy"), [1.2, 1.5, 2.5, -1.2, -1.7, -2.5, 0.0, 7.0], [8])
        for name in ("toward_zero", "nearest_even", "up", "down"):
            outs = []
            for target in ("reference", "cpu"):
                out = self.path(f"{name}.{target}.npy")
                result = run("tessera", "run", program, name + "_", "--arg", "x=" + self.path("x.npy"), "--out", out,
                             "--target", target)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(out, "rb") as file:
                    outs.append(file.read())
            self.assertEqual(outs[0], outs[1], name)

    def test_every_level_can_be_printed(self):
        for level, word in (("ast", "softmax"), ("checked", "softmax"), ("graph", "graph.kernel"), ("schedule", "schedule.kernel"),
                            ("tile", "tile.kernel"), ("target", "target.kernel"), ("source", "__global__")):
            result = run("tesserac", SOFTMAX, "--emit=" + level, "--target", "cuda")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(word, result.stdout)

    def test_line_directives_and_standalone(self):
        self.assertEqual(run("tesserac", SAXPY, "-o", self.path("a.cpp"), "--line-directives", "--standalone").returncode, 0)
        text = read(self.path("a.cpp"))
        self.assertIn("#line", text)
        self.assertNotIn('#include "tessera/', text)
        self.assertIn("// Needs C++17", text)

    def test_depfile_names_imports(self):
        self.write("half.tsr", "def half(x):\n    return x * 0.5\n")
        program = self.write("p.tsr", "from .half import half\n\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return half(x)\n")
        result = run("tesserac", program, "-o", self.path("p.cpp"), "--depfile", self.path("p.d"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("half.tsr", read(self.path("p.d")))


class Run(ToolTest):
    def test_softmax_of_a_file(self):
        random.seed(3)
        x = [random.uniform(-4, 4) for _ in range(3 * 257)]
        write_npy(self.path("x.npy"), x, (1, 1, 3, 257))
        program = self.write("p.tsr", "def weights[B, H, R, C](x: Tensor[B, H, R, C, f32]) -> Tensor[B, H, R, C, f32]:\n    return softmax_safe(x, axis=-1)\n")
        for target in ("cpu", "reference"):
            out = self.path(target + ".npy")
            result = run("tessera", "run", program, "weights", "--arg", "x=" + self.path("x.npy"), "--out", out, "--target", target)
            self.assertEqual(result.returncode, 0, result.stderr)
            shape, y = read_npy(out)
            self.assertEqual(shape, [1, 1, 3, 257])
            for row in range(3):
                exact = [math.exp(v) for v in x[row * 257 : row * 257 + 257]]
                for got, e in zip(y[row * 257 : row * 257 + 257], exact):
                    self.assertAlmostEqual(got, e / sum(exact), delta=1e-7)

    def test_random_scalars_time_and_json(self):
        result = run("tessera", "run", SAXPY, "saxpy", "--random", "n=1000", "--seed", "7", "--arg", "alpha=2.0", "--time", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["results"][0]["shape"], [1000])
        self.assertGreater(answer["bytesPerSecond"], 0)

    def test_json_holds_values_and_the_comparison(self):
        program = self.write("p.tsr", "def both[N](x: Tensor[N, f32]) -> (Tensor[N, f32], Tensor[2, N, bool]):\n    return log(x), stack([x > 0.0, x <= 0.0], axis=0)\n")
        result = run("tessera", "run", program, "both", "--random", "N=9", "--json", "--check", "--out", self.path("out/"))
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        logs, signs = (r["values"] for r in answer["results"])
        self.assertEqual([len(logs), len(signs), len(signs[0])], [9, 2, 9])
        self.assertEqual(logs, ["nan" if math.isnan(v) else v for v in read_npy(self.path("out/result_0.npy"))[1]])
        self.assertEqual(signs[0], [v != "nan" for v in logs])
        self.assertEqual([(c["name"], c["acceptable"]) for c in answer["check"]], [("result_0", True), ("result_1", True)])
        large = json.loads(run("tessera", "run", program, "both", "--random", "N=70000", "--json").stdout)
        self.assertNotIn("values", large["results"][0])

    def test_seed_decides_the_inputs(self):
        outs = []
        for seed in ("7", "7", "8"):
            run("tessera", "run", SAXPY, "saxpy", "--random", "n=100", "--seed", seed, "--arg", "alpha=1", "--out", self.path("y.npy"))
            outs.append(read_npy(self.path("y.npy"))[1])
        self.assertEqual(outs[0], outs[1])
        self.assertNotEqual(outs[0], outs[2])

    def test_several_results_go_to_a_folder(self):
        program = self.write("p.tsr", "def both[N](x: Tensor[N, f32]):\n    return x * 2.0, x + 1.0\n")
        write_npy(self.path("x.npy"), [1.0, 2.0], (2,))
        result = run("tessera", "run", program, "both", "--arg", "x=" + self.path("x.npy"), "--out", self.path("out/"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_npy(self.path("out/result_0.npy"))[1], [2.0, 4.0])
        self.assertEqual(read_npy(self.path("out/result_1.npy"))[1], [2.0, 3.0])

    def test_host_program(self):
        program = os.path.join(os.path.dirname(CANON), "e2e", "programs", "20_host.tsr")
        write_npy(self.path("x.npy"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3))
        outputs = []
        for target in ("cpu", "reference"):
            result = run("tessera", "run", program, "--target", target, cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(read_npy(self.path("sums.npy")), ([2], [48.0, 120.0]))
            outputs.append(result.stdout)
        self.assertEqual(outputs[0], "step 0\nstep 1\nstep 2\nrow 0: 48.0000\nrow 1: 120.0000\n")
        self.assertEqual(outputs[0], outputs[1])

    def test_cast_rounds_arrays_of_another_dtype(self):
        program = self.write("p.tsr", "def f[N](x: Tensor[N, bf16]) -> Tensor[N, bf16]:\n    return x * 2.0\n")
        write_npy(self.path("x.npy"), [1.0, 3.14159, -2.5], (3,))
        words = ["tessera", "run", program, "f", "--arg", "x=x.npy"]
        refused = run(*words, cwd=self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("the array holds f32, and I expected bf16 (`--cast` rounds its numbers to bf16)", refused.stdout + refused.stderr)
        for target in ("cpu", "reference"):
            done = run(*words, "--cast", "--target", target, "--json", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["results"][0]["values"], [2.0, 6.28125, -5.0])

    def test_host_tensors_are_what_their_types_say(self):
        program = self.write("p.tsr", 'def show(x: Tensor["R", "C", f32]) where C % 2 == 0:\n    print(f"{R} x {C}")\n\n\n'
                             'def last(x: Tensor[..., "C", f32]):\n    print(f"rows of {C}")\n\n\n'
                             'def main():\n    last(load_npy("x.npy"))\n    show(load_npy("x.npy"))\n')
        for shape, says in (((2, 4), "rows of 4\n2 x 4"), ((8,), "the number of dimensions of `x` is 1, but"),
                            ((1, 2, 4), "the number of dimensions of `x` is 3, but"), ((4, 1), "`where C % 2 == 0` does not hold"),
                            ((), "the number of dimensions of `x` is 0, but `Tensor[..., \"C\", f32]` has at least 1")):
            write_npy(self.path("x.npy"), [1.0] * math.prod(shape), shape)
            for target in ("reference", "cpu"):
                with self.subTest(shape=shape, target=target):
                    result = run("tessera", "run", program, "--target", target, cwd=self.folder)
                    self.assertIn(says, result.stdout + result.stderr)
                    self.assertEqual(result.returncode == 0, says.endswith("2 x 4"), result.stderr)


class Codes(ToolTest):
    """docs/exit-codes.md: the same for both programs."""

    def test_a_wrong_program_is_1_and_a_wrong_command_line_2(self):
        wrong = self.write("w.tsr", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return y\n")
        none, out = self.path("none.tsr"), self.path("o.cpp")
        os.mkdir(self.path("folder"))
        for code, command in ((0, ["tesserac", SOFTMAX, "-o", out]), (0, ["tessera", "check", SOFTMAX]), (0, ["tessera", "inspect", SOFTMAX]),
                              (0, ["tesserac", "--version"]), (0, ["tessera", "--help"]),
                              (1, ["tesserac", wrong, "-o", out]), (1, ["tessera", "check", wrong]), (1, ["tessera", "run", wrong]),
                              (1, ["tessera", "build", wrong]), (1, ["tessera", "inspect", wrong]), (1, ["tesserac", wrong, "--emit=tile"]),
                              (1, ["tesserac", SOFTMAX, "-o", self.path("none/o.cpp")]),
                              (2, ["tesserac", none, "-o", out]), (2, ["tessera", "check", none]), (2, ["tessera", "run", none]),
                              (2, ["tessera", "build", none]), (2, ["tessera", "inspect", none]),
                              (2, ["tesserac", self.path("folder"), "-o", out]), (2, ["tessera", "run", self.path("folder")]),
                              (2, ["tesserac", SOFTMAX, "--target", "tpu", "-o", out]), (2, ["tessera", "run", SOFTMAX, "softmax", "--target", "tpu"]),
                              (2, ["tessera", "build", SOFTMAX, "--target", "tpu"]), (2, ["tessera", "inspect", SOFTMAX, "--target", "tpu"]),
                              (2, ["tesserac", SOFTMAX, "-o", self.path("o.txt")]), (2, ["tesserac", SOFTMAX, "--emit=none"]), (2, ["tesserac", SOFTMAX]),
                              (2, ["tesserac", SOFTMAX, "--function", "none", "-o", out]), (2, ["tessera", "run", SOFTMAX, "none"]),
                              (2, ["tessera", "run", SOFTMAX, "softmax", "--arg", "x=none.npy"]), (2, ["tessera", "run", SOFTMAX, "softmax", "--random", "Q=1"]),
                              (2, ["tesserac", "--none"]), (2, ["tessera", "none"]), (2, ["tesserac"]), (2, ["tessera"])):
            with self.subTest(command=command):
                result = run(*command, cwd=self.folder)
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)


class Others(ToolTest):
    def test_check(self):
        self.assertEqual(run("tessera", "check", SOFTMAX).returncode, 0)
        wrong = self.write("w.tsr", "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return y\n")
        result = run("tessera", "check", wrong, "--json")
        self.assertEqual(result.returncode, 1)
        message = json.loads(result.stdout)["diagnostics"][0]
        self.assertEqual((message["line"], message["column"]), (2, 12))

    def test_fmt(self):
        ugly = self.write("u.tsr", "def f( x ):   # why\n  return x+1\n")
        self.assertEqual(run("tessera", "fmt", "--check", ugly).returncode, 1)
        self.assertEqual(run("tessera", "fmt", ugly).returncode, 0)
        self.assertIn("# why", read(ugly))
        self.assertEqual(run("tessera", "fmt", "--check", ugly).returncode, 0)

    def test_explain(self):
        result = run("tessera", "explain", "e0701")
        self.assertEqual(result.returncode, 0)
        self.assertIn("E0701", result.stdout)
        self.assertEqual(run("tessera", "explain", "E9999").returncode, 2)

    def test_explain_why_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "products.tsr")
            with open(path, "w") as file:
                file.write("def singles[M, K, N](x: Tensor[M, K, f32], w: Tensor[K, N, f32]) -> Tensor[M, N, f32]:\n    return x @ w\n\n\n"
                           "def halves[M, K, N](x: Tensor[M, K, bf16 @accum(f32)], w: Tensor[K, N, bf16 @accum(f32)]) -> Tensor[M, N, f32]:\n"
                           "    return x @ w\n")
            result = run("tessera", "explain", "--why-not", "wgmma", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout.count("\n"), 1)
            self.assertIn("singles: no wgmma: operands are of f32, added up in f32; warpgroups multiply bf16, f16, tf32", result.stdout)
            self.assertIn("it has one for tf32", run("tessera", "explain", "--why-not", "mma", path + ":2").stdout)
            self.assertIn("is refused mma", run("tessera", "explain", "--why-not", "mma", path + ":6").stdout)
            for words in (["tma", path], ["mma", path + ":3"], ["mma"]):
                self.assertEqual(run("tessera", "explain", "--why-not", *words).returncode, 2)

    def test_mistakes_on_the_command_line(self):
        for command, message in (
            (["tessera", "chek", SOFTMAX], "there is no command `chek`; did you mean `check`?"),
            (["tessera"], "a command is missing\n  the commands are run, check"),
            (["tessera", "check", "--jsn", SOFTMAX], "there is no option `--jsn`; did you mean `--json`?\n  see `tessera check --help`"),
            (["tesserac", SOFTMAX, "--taget", "cpu"], "there is no option `--taget`; did you mean `--target`?\n  see `tesserac --help`"),
            (["tesserac", SOFTMAX, "-o"], "`--output` needs a value"),
            (["tesserac", SOFTMAX, "-o", "a.cu", "-o", "b.cu"], "`--output` was given more than once"),
            (["tesserac", SOFTMAX, SAXPY], "there is no place for `" + SAXPY + "`"),
        ):
            result = run(*command)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    def test_explain_lists_and_searches(self):
        every = run("tessera", "explain").stdout.splitlines()
        self.assertGreater(len(every), 100)
        self.assertTrue(all(line[:2] == "E0" and len(line) > 8 for line in every))
        found = run("tessera", "explain", "Broadcast").stdout.splitlines()
        self.assertTrue(found[0].startswith("E0400"), found)
        self.assertLess(len(found), 30)
        self.assertTrue(set(run("tessera", "explain", "shared", "barrier").stdout.splitlines()) <= set(every))
        self.assertEqual(run("tessera", "explain", "xylophone").returncode, 1)

    def test_inspect_shows_levels_side_by_side(self):
        result = run("tessera", "inspect", SOFTMAX, "softmax", "--levels", "graph,source", "--columns", "180", "--target", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        first = result.stdout.splitlines()[0]
        self.assertIn("graph", first)
        self.assertIn("| source", first)
        self.assertNotIn("attention_weights", result.stdout)

    def test_new_project_runs(self):
        for name in ("hello", "MY_NAME", "test/"):  # also a name that holds a word of the templates, and one that CMake keeps
            self.assertEqual(run("tessera", "new", self.path(name)).returncode, 0)
        result = run("tessera", "run", self.path("hello/main.tsr"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("row 1: [0.33", result.stdout)
        result = run("tessera", "run", self.path("test/kernels.tsr"), "scale_rows", "--random", "R=4,C=1000")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = run("tessera", "test", cwd=self.path("hello"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 passed, 0 failed", result.stdout)
        again = run("tessera", "new", self.path("hello"))
        self.assertEqual(again.returncode, 2)
        self.assertIn("has `kernels.tsr`, `main.tsr`, `README.md`", again.stderr)
        for file in ("kernels.tsr", "main.tsr"):
            self.assertEqual(run("tessera", "fmt", "--check", self.path("hello/" + file)).returncode, 0)
        self.assertIn("# MY_NAME", read(self.path("MY_NAME/README.md")))

    def test_new_in_place(self):
        folder = self.path("my-app 2")
        os.mkdir(folder)
        self.write("my-app 2/notes.txt", "mine")
        result = run("tessera", "new", ".", cwd=folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(folder)), [".github", ".gitignore", "CMakeLists.txt", "README.md", "kernels.tsr", "kernels_test.cpp", "main.cpp", "main.tsr", "notes.txt"])
        self.assertIn("project(my_app_2 LANGUAGES", read(os.path.join(folder, "CMakeLists.txt")))
        self.assertEqual(run("tessera", "run", "main.tsr", cwd=folder).returncode, 0)
        os.remove(os.path.join(folder, "main.cpp"))
        result = run("tessera", "new", ".", cwd=folder)
        self.assertEqual(result.returncode, 2)
        self.assertFalse(os.path.exists(os.path.join(folder, "main.cpp")), "nothing is written where something is in the way")
        self.write("file", "")
        self.assertEqual(run("tessera", "new", self.path("file")).returncode, 2)

    def test_fmt_of_folders_and_of_standard_input(self):
        os.makedirs(self.path("src/deep"))
        for name in ("src/a.tsr", "src/deep/b.tsr"):
            self.write(name, "x=1\n")
        self.assertEqual(run("tessera", "fmt", "--check", ".", cwd=self.folder).returncode, 1)
        self.assertEqual(run("tessera", "fmt", ".", cwd=self.folder).returncode, 0)
        self.assertEqual(read(self.path("src/deep/b.tsr")), "x = 1\n")
        self.assertEqual(run("tessera", "fmt", self.path("src/deep"), "--check").returncode, 0)
        os.mkdir(self.path("empty"))
        self.assertEqual(run("tessera", "fmt", self.path("empty")).returncode, 2)
        for text, out, code in (("x=1\n", "x = 1\n", 0), ("x = (\n", "", 1), ("", "", 0)):
            result = subprocess.run([os.path.join(BIN, "tessera"), "fmt", "-"], input=text, capture_output=True, text=True)
            self.assertEqual((result.stdout, result.returncode), (out, code), result.stderr)

    def test_the_library_is_formatted(self):
        result = run("tessera", "fmt", "--check", os.path.join(os.path.dirname(os.path.dirname(CANON)), "stdlib"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_doc(self):
        text = run("tessera", "doc", "softmax_safe").stdout
        self.assertIn("softmax_safe(x, axis=-1)", text)
        self.assertNotIn("log_softmax_safe(x", text)
        self.assertEqual(run("tessera", "doc", "tile.max").stdout, run("tessera", "doc", "max").stdout)
        listed = run("tessera", "doc").stdout
        for name in ("Reductions\n", " flash_attention", "barrier"):
            self.assertIn(name, listed)
        result = run("tessera", "doc", "sofmax_safe")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean `softmax_safe`?", result.stderr)

    def test_devices_and_links(self):
        """A device gets the bytes and stays what it is; a symbolic link stays one; permissions stay."""
        result = run("tesserac", SAXPY, "--target", "cpu", "-o", "/dev/stdout")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("saxpy", result.stdout)
        self.assertTrue(os.path.islink("/dev/stdout"))
        dash = run("tesserac", SAXPY, "--target", "cpu", "-o", "-", cwd=self.folder)
        self.assertEqual((dash.stdout, dash.stderr, os.listdir(self.folder)), (result.stdout, "", []))
        self.assertEqual(run("tesserac", SAXPY, "--target", "cpu", "-o", "-", "--json").returncode, 2)
        self.assertEqual(run("tesserac", SAXPY, "--target", "cpu", "-o", "/dev/null").returncode, 0)
        ugly = self.write("real.tsr", "x=1\n")
        os.chmod(ugly, 0o640)
        os.symlink(ugly, self.path("link.tsr"))
        self.assertEqual(run("tessera", "fmt", self.path("link.tsr")).returncode, 0)
        self.assertTrue(os.path.islink(self.path("link.tsr")))
        self.assertEqual(read(ugly), "x = 1\n")
        self.assertEqual(os.stat(ugly).st_mode & 0o777, 0o640)

    def test_examples_of_the_help_texts_work(self):
        """Every line of an `Examples:` section, pasted into a shell where its files are."""
        folder = self.path("examples")
        os.makedirs(os.path.join(folder, "src"))
        os.makedirs(os.path.join(folder, "build"))
        programs = {"saxpy": "01_saxpy", "norms": "05_norms"}
        sources = {name + ".tsr": os.path.join(CANON, canon + ".tsr") for name, canon in programs.items()}
        sources["program.tsr"] = os.path.join(os.path.dirname(CANON), "e2e", "programs", "20_host.tsr")
        sources["softmax.tsr"] = sources["model.tsr"] = sources["src/model.tsr"] = os.path.join(os.path.dirname(os.path.dirname(CANON)), "examples", "softmax.tsr")
        self.write("examples/sizes.txt", "--random B=2,S=3,D=1000\n--random B=1,S=1,D=7\n")
        self.write("examples/train.tsr", "def main(steps: int = 3):\n    print(steps)\n")
        for name, source in sources.items():
            self.write("examples/" + name, read(source))
        self.assertEqual(run("tessera", "run", "model.tsr", "--random", "R=2,C=3", "--target", "reference", "--out", "x.npy", cwd=folder).returncode, 0)
        path = BIN + os.pathsep + os.environ["PATH"]
        for command in ([], *[[c] for c in ("run", "check", "build", "fmt", "explain", "doc", "inspect", "new")], None):
            text = run("tesserac", "--help").stdout if command is None else run("tessera", *command, "--help").stdout
            lines = [line.strip() for line in re.split("Examples?:\n", text)[1].splitlines() if line.startswith("  tesser")]
            self.assertTrue(lines)
            for line in lines:
                if "--watch" in line:  # runs until it is interrupted; test_check.py does that
                    continue
                shutil.rmtree(os.path.join(folder, "hello"), ignore_errors=True)
                result = subprocess.run(re.split(r"\s{3,}", line)[0], shell=True, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=60)
                self.assertEqual(result.returncode, 0, line + "\n" + result.stdout + result.stderr)

    def test_help_has_examples(self):
        for command in (["tesserac"], ["tessera"], *[["tessera", c] for c in ("run", "check", "build", "fmt", "explain", "doc", "inspect", "new")]):
            result = run(*command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Example", result.stdout)
            self.assertNotIn("\033", result.stdout)


if __name__ == "__main__":
    unittest.main()
