"""tessera check: folders, the cache, fixes, SARIF, watching, exit codes."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from support import BIN, ToolTest, read, run

RIGHT = "def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n"
WRONG = RIGHT.replace("x * 2.0", "x * unknown_scale")
NO_COLON = RIGHT.replace("]:\n", "]\n")


class CheckTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.cache = os.path.join(self.folder, "cache")
        os.mkdir(self.path("src"))

    def program(self, name, text):
        os.makedirs(os.path.dirname(self.path("src/" + name)), exist_ok=True)
        return self.write("src/" + name, text)

    def check(self, *arguments, code=0):
        result = run("tessera", "check", *(arguments or ["src"]), cwd=self.folder, TESSERA_CACHE=self.cache)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def summary(self, *arguments, code=0):
        return json.loads(self.check("--json", *(arguments or ["src"]), code=code).stdout)["summary"]


class Folders(CheckTest):
    def test_all_programs_below_but_hidden_and_build_folders(self):
        self.program("a.tsr", RIGHT)
        self.program("deep/er/b.tsr", RIGHT)
        for ignored in (".git/c.tsr", "build/c.tsr", "build-asan/c.tsr", "tree/c.tsr"):
            self.program(ignored, "x = (\n")
        self.program("tree/CMakeCache.txt", "")
        self.assertEqual(self.summary()["files"], 2)
        self.assertEqual(self.summary("src", "src/a.tsr", "src/../src/a.tsr")["files"], 2)
        self.assertEqual(self.summary("src/build", code=1)["files"], 1)

    def test_exit_codes(self):
        self.program("a.tsr", RIGHT)
        self.assertIn("1 file is right", self.check().stdout)
        self.program("b.tsr", WRONG)
        self.assertIn("1 error in 1 of 2 files", self.check(code=1).stderr)
        self.assertIn("E0700", self.check("src/a.tsr", "src/none.tsr", code=2).stderr)
        os.mkdir(self.path("empty"))
        self.check("empty", code=2)
        self.check("--no-such-option", "src", code=2)
        self.check("--fix=some", "src", code=2)
        self.check("--dry-run", "src", code=2)

    def test_what_no_target_compiles_is_said_without_a_target(self):
        kernel = ("@kernel\ndef product[S, D](q: Tensor[S, D, f32], w: Tensor[D, D, f32]) -> Tensor[S, D, f32]{}:\n"
                  "    T = tile.context()\n    m, _ = tile.origin()\n"
                  "    return tile.dot(q[m:m + T.m, :], w)\n")
        self.program("a.tsr", kernel.format(" where D <= 256"))
        self.check()
        self.program("a.tsr", kernel.format(""))
        said = self.check(code=1).stderr
        self.assertIn("error[E0630]: I cannot compile this yet: a group holds this tile in registers and shared memory, so D, ", said)
        self.assertIn("a.tsr:5:", said)

    def test_a_tile_of_the_whole_result_gets_one_message(self):
        self.program("a.tsr", "@kernel\ndef f[R, C](x: Tensor[R, C, f32]) -> Tensor[R, C, f32]:\n    return x * 2.0\n")
        self.assertIn("warning[E0349]: one group computes all of the result of `f`", self.check().stderr)
        self.program("a.tsr", "@kernel\ndef f[R](x: Tensor[R, R, f32]) -> Tensor[R, R, f32]:\n    return x * 2.0\n")
        said = self.check(code=1).stderr
        self.assertIn("1 error in 1 of 1 file", said)
        self.assertIn("a group computes a part: `T = tile.context()`", said)
        self.assertNotIn("E0349", said)

    def test_products_that_no_instruction_takes_are_said_without_a_target(self):
        kernel = ("@kernel.schedule(Schedule(block=({}), k={}))\n"
                  "def f[M, N, K](A: Tensor[M, K, {} @accum(f32)], B: Tensor[K, N, {} @accum(f32)]) -> Tensor[M, N, f32]:\n"
                  "    T = tile.context()\n    m, n = tile.origin()\n    acc = tile.zeros((T.m, T.n), f32)\n"
                  "    for k in tile.range(0, K, T.k):\n        acc += tile.dot(A[m:m + T.m, k:k + T.k], B[k:k + T.k, n:n + T.n])\n"
                  "    return acc\n")
        for block, k, dtype, sizes in (("20, 24", 12, "bf16", "20 x 24 with 12"), ("32, 32", 24, "f8e4m3", "32 x 32 with 24")):
            self.program("a.tsr", kernel.format(block, k, dtype, dtype))
            said = self.check().stderr
            self.assertIn("warning[E0603]: no matrix instruction takes a product of " + sizes + " summed", said)
        for block, k, dtype in (("32, 32", 16, "bf16"), ("20, 24", 12, "f32")):  # no instruction is missed
            self.program("a.tsr", kernel.format(block, k, dtype, dtype))
            self.assertNotIn("E0603", self.check().stderr)

    def test_json_is_one_document(self):
        self.program("a.tsr", WRONG)
        self.program("b.tsr", NO_COLON)
        found = json.loads(self.check("--json", "src", code=1).stdout)
        self.assertEqual([(d["file"], d["code"], d["line"]) for d in found["diagnostics"]], [("src/a.tsr", "E0200", 2), ("src/b.tsr", "E0130", 1)])
        self.assertEqual(found["summary"]["errors"], 2)
        self.assertEqual(found["diagnostics"][1]["fixes"][0]["applicability"], "certain")

    def test_max_errors(self):
        self.program("a.tsr", "".join(WRONG.replace("def f", f"def f{i}") for i in range(5)))
        text = self.check("--max-errors", "2", "src", code=1).stderr
        self.assertEqual(text.count("error[E0200]"), 2)
        self.assertIn("3 messages not shown", text)
        self.assertIn("5 errors", text)

    def test_a_mistake_in_an_imported_file_is_said_once(self):
        self.program("base.tsr", NO_COLON)
        for name in "abc":
            self.program(name + ".tsr", "from .base import f as g\n")
            self.assertEqual(self.summary("src/" + name + ".tsr", code=1)["errors"], 1)
        summary = self.summary(code=1)
        self.assertEqual((summary["errors"], summary["filesWithErrors"], summary["files"]), (1, 1, 4))

    def test_one_mistake_in_each_line(self):
        self.write("many.tsr", "def f(a: f32) -> f32:\n" + "".join(f"    y{i} = nothing{i} + a\n" for i in range(3000)) + "    return a\n")
        result = run("tessera", "check", "--no-cache", self.path("many.tsr"))
        self.assertEqual(result.stderr.count("error[E0200]"), 100)
        self.assertIn("2900 more messages of E0200 are not shown\n3000 errors in 1 of 1 file", result.stderr)
        found = json.loads(run("tessera", "check", "--no-cache", "--json", self.path("many.tsr")).stdout)
        self.assertEqual((len(found["diagnostics"]), found["notShown"], found["summary"]["errors"]), (100, {"E0200": 2900}, 3000))
        compiled = run("tesserac", self.path("many.tsr"), "-o", self.path("many.cpp"))
        self.assertEqual(compiled.stderr.count("error[E0200]"), 100)

    def test_sarif(self):
        self.program("a.tsr", NO_COLON)
        self.check("--sarif", self.path("out.sarif"), "src", code=1)
        run_ = json.loads(read(self.path("out.sarif")))["runs"][0]
        self.assertEqual(run_["results"][0]["ruleId"], "E0130")
        self.assertEqual(run_["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/a.tsr")
        self.assertIn("```tsr", run_["tool"]["driver"]["rules"][0]["help"]["markdown"])
        compiled = run("tesserac", self.path("src/a.tsr"), "-o", self.path("a.cpp"), "--sarif", "-")
        self.assertEqual(json.loads(compiled.stdout)["runs"][0]["results"][0]["ruleId"], "E0130")


class Cache(CheckTest):
    def setUp(self):
        super().setUp()
        self.program("base.tsr", RIGHT)
        self.program("user.tsr", "from .base import f\n\ndef g[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return f(x)\n")
        self.program("over.tsr", "from .user import g\n\ndef h[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return g(x)\n")
        self.program("other.tsr", RIGHT)
        self.assertEqual(self.summary()["fromCache"], 0)

    def test_what_has_not_changed_is_known(self):
        self.assertEqual(self.summary()["fromCache"], 4)
        self.assertEqual(self.summary("--no-cache", "src")["fromCache"], 0)
        os.utime(self.path("src/base.tsr"))
        self.assertEqual(self.summary()["fromCache"], 4)

    def test_a_changed_import_checks_its_dependents(self):
        self.program("base.tsr", RIGHT.replace("2.0", "3.0"))
        self.assertEqual(self.summary()["fromCache"], 1)
        self.program("over.tsr", read(self.path("src/over.tsr")) + "\n")
        self.assertEqual(self.summary()["fromCache"], 3)

    def test_an_import_that_comes_or_goes(self):
        os.rename(self.path("src/base.tsr"), self.path("src/away.txt"))
        self.assertEqual(self.summary(code=1)["fromCache"], 1)
        self.assertEqual(self.summary(code=1)["fromCache"], 3)
        os.rename(self.path("src/away.txt"), self.path("src/base.tsr"))
        self.assertEqual(self.summary()["fromCache"], 2)  # `other` and, as it was before, `base`

    def test_known_messages_are_the_same(self):
        self.program("other.tsr", NO_COLON + WRONG.replace("def f", "def g"))
        self.program("base.tsr", WRONG)
        first, again = self.check("src", code=1), self.check("src", code=1)
        self.assertIn("(4 unchanged)", again.stderr)
        self.assertEqual(first.stderr.rsplit("\n", 2)[0], again.stderr.rsplit("\n", 2)[0])
        fields = [json.loads(self.check("--json", *more, "src", code=1).stdout)["diagnostics"] for more in ([], ["--no-cache"])]
        self.assertEqual(fields[0], fields[1])

    def test_a_damaged_cache_is_done_without(self):
        folder = os.path.join(self.cache, "check")
        entries = sorted(os.listdir(folder))
        for name, text in zip(entries, ("", "{", '{"path": 3}', "\xff\0")):
            head = read(os.path.join(folder, name)).split("\n")[0] + "\n"
            with open(os.path.join(folder, name), "w", encoding="latin-1") as out:
                out.write(head + text)
        self.assertEqual(self.summary()["fromCache"], 0)
        self.assertEqual(self.summary()["fromCache"], 4)


class Fixes(CheckTest):
    def test_certain_fixes_are_applied(self):
        path = self.program("a.tsr", "x = 1;\n" + NO_COLON + "\n" + WRONG.replace("unknown_scale", "xx").replace("def f", "def g"))
        result = self.check("--fix", "src", code=1)
        self.assertIn("src/a.tsr:2:46: E0130: insert `:`", result.stdout)
        self.assertIn("]:\n", read(path))
        self.assertIn("xx", read(path))

    def test_suggestions_only_when_asked_for(self):
        path = self.program("a.tsr", RIGHT.replace("x * 2.0", "gleu(x)"))
        self.check("--fix", "src", code=1)
        self.assertIn("gleu", read(path))
        self.check("--fix=all", "src")
        self.assertIn("gelu", read(path))

    def test_several_rounds(self):
        path = self.program("a.tsr", RIGHT.replace("]:\n", "]\n").replace("x * 2.0", "gleu(x)"))
        self.assertIn("2 edits in 1 file made", self.check("--fix=all", "src").stdout)
        self.assertEqual(read(path), RIGHT.replace("x * 2.0", "gelu(x)"))

    def test_a_dry_run_writes_nothing(self):
        path = self.program("a.tsr", NO_COLON)
        result = self.check("--fix", "--diff", "src", code=1)
        self.assertEqual(read(path), NO_COLON)
        patched = subprocess.run(["patch", "-p0", "-o", "-"], input=result.stdout.rsplit("\n", 2)[0] + "\n", cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(patched.stdout, RIGHT, patched.stderr)

    def test_nothing_is_left_beside_the_file(self):
        self.program("a.tsr", NO_COLON)
        self.check("--fix", "src")
        self.assertEqual(os.listdir(self.path("src")), ["a.tsr"])

    def test_a_file_that_cannot_be_written(self):
        long = NO_COLON + "# x\n" * 2000
        path, other = self.program("a.tsr", long), self.program("b.tsr", NO_COLON)
        result = subprocess.run([os.path.join(BIN, "tessera"), "check", "--no-cache", "--fix", "src"], cwd=self.folder, capture_output=True, text=True,
                                restore_signals=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("E0703", result.stderr)
        self.assertEqual((read(path), read(other)), (long, NO_COLON))
        self.assertEqual(len(os.listdir(self.path("src"))), 2)

    def test_only_named_files_are_changed(self):
        path = self.program("base.tsr", NO_COLON)
        self.program("user.tsr", "from .base import f\n")
        self.check("--fix", "src/user.tsr", code=1)
        self.assertEqual(read(path), NO_COLON)


class Watch(CheckTest):
    def test_each_change_gives_one_summary(self):
        self.program("a.tsr", RIGHT)
        self.program("b.tsr", "from .a import f as g\n")
        watch = subprocess.Popen([os.path.join(BIN, "tessera"), "check", "src", "--watch"], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TESSERA_CACHE": self.cache})
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.kill)

        def next_summary():
            for line in watch.stdout:
                if " ms" in line:
                    return line
            self.fail("the watch ended")

        self.assertIn("2 files are right", next_summary())
        self.program("a.tsr", NO_COLON)
        self.assertIn("1 error in 1 of 2 files, ", next_summary())
        self.program("c.tsr", RIGHT)
        self.assertIn("1 of 3 files (2 unchanged)", next_summary())
        self.program("a.tsr", RIGHT)
        self.assertIn("3 files are right (1 unchanged)", next_summary())
        os.remove(self.path("src/c.tsr"))
        self.assertIn("2 files are right (2 unchanged)", next_summary())
        self.program("b.tsr", WRONG)
        self.assertIn("1 error", next_summary())
        time.sleep(0.3)
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(timeout=20), 1)
        self.assertEqual(watch.stdout.read(), "")


if __name__ == "__main__":
    unittest.main()
