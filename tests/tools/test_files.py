"""Files that the tools write: all or none, never the input, never a file of the user's; and names of outputs and targets."""
import json
import os
import socket
import subprocess
import tempfile
import unittest

from support import BIN, CANON, ToolTest, read, run, write_npy

SAXPY = os.path.join(CANON, "01_saxpy.tsr")
SUFFIXES = (".cpp", ".h", ".hpp", ".json", ".lines.json")


class Outputs(ToolTest):
    def refuse(self, code, *arguments, program="tesserac"):
        before = self.everything()
        result = run(program, *arguments)
        self.assertIn(result.returncode, (1, 2), result.stdout)
        self.assertIn(f"error[{code}]", result.stderr)
        self.assertEqual(self.everything(), before)
        return result.stderr

    def everything(self):
        """What is in the folder, byte for byte."""
        found = {}
        for folder, _, files in os.walk(self.folder):
            for file in files:
                path = os.path.join(folder, file)
                if os.path.isfile(path):
                    with open(path, "rb") as opened:
                        found[path] = opened.read()
        return found

    def test_a_file_of_the_user_is_not_replaced(self):
        out = self.path("m.cpp")
        for suffix in SUFFIXES:
            with self.subTest(suffix):
                theirs = self.write("m" + suffix, "mine\n")
                self.assertIn(f"`{theirs}`: it is there, and tesserac did not write it", self.refuse("E0703", SAXPY, "-o", out))
                os.remove(theirs)
        self.write("m.h", "mine\n")
        self.assertEqual(run("tesserac", SAXPY, "-o", out, "--force").returncode, 0)
        self.assertIn("The C interface of", read(self.path("m.h")))

    def test_what_the_compiler_wrote_is_replaced(self):
        out = self.path("m.cpp")
        for flags in ([], ["--standalone"], ["--line-directives"], ["--depfile", self.path("m.d")], ["--depfile", self.path("m.d")]):
            result = run("tesserac", SAXPY, "-o", out, *flags)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.write("m.h", "")  # an empty file is nobody's
        self.assertEqual(run("tesserac", SAXPY, "-o", out).returncode, 0)
        self.write("m.d", "all: mine\n")
        self.refuse("E0703", SAXPY, "-o", out, "--depfile", self.path("m.d"))

    def test_no_program_that_was_read_is_replaced(self):
        module = self.write("part.tsr", "def twice[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return x * 2.0\n")
        program = self.write("p.tsr", "from .part import twice\n\ndef f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    return twice(x)\n")
        for path in (program, module, os.path.join(self.folder, ".", "p.tsr")):
            self.refuse("E0706", program, "--target", "cpu", "--force", "-o", path)
        os.link(program, self.path("other.cpp"))
        self.refuse("E0706", program, "-o", self.path("other.cpp"))
        os.symlink(module, self.path("m.h"))
        self.refuse("E0706", program, "-o", self.path("m.cpp"))
        self.refuse("E0706", program, "-o", self.path("n.cpp"), "--depfile", program)

    def test_two_outputs_are_two_files(self):
        for name in ("m.h", "m.hpp", "m.json"):
            self.refuse("E0804", SAXPY, "--target", "cpu", "-o", self.path(name))
        self.refuse("E0804", SAXPY, "-o", self.path("m.cpp"), "--depfile", self.path("m.json"))

    def test_messages_replace_messages_alone(self):
        program = self.write("p.tsr", read(SAXPY))
        notes = self.write("notes.txt", "mine\n")
        for path in (program, notes):
            for tool, words in (("tesserac", (SAXPY, "-o", self.path("m.cpp"))), ("tessera", ("check", "--no-cache", SAXPY))):
                self.assertEqual(run(tool, *words, "--sarif", self.path("m.sarif")).returncode, 0)  # the first time, and once more
                self.assertIn("is no such log", self.refuse("E0703", *words, "--sarif", path, program=tool))

    def test_options_that_cannot_be_meant_together(self):
        out = self.path("m.cpp")
        for said, words in {"is a name for cuda": ("--emit=tile", "-o", self.path("m.cu")), "the target is `cpu`": ("--emit=source", "--target", "cpu", "-o", self.path("m.cu")),
                            "`--function` is there": ("--emit=ast", "--function", "saxpy"), "`--depfile` is of a whole compile": ("--emit=graph", "--depfile", self.path("m.d")),
                            "`--standalone` says how it is written": ("--emit=graph", "--standalone"), "`--line-directives`": ("--emit=checked", "--line-directives"),
                            "`--namespace`": ("--emit=tile", "--namespace", "nn"), "`--dispatch`": ("--emit=graph", "--dispatch", "cpu", "-o", out),
                            "and something else, too": ("--emit=graph", "--sarif", "-")}.items():
            with self.subTest(words):
                self.assertIn(said, self.refuse("E0804", SAXPY, *words))
        for words in (("-o", out, "--json", "--sarif", "-"), ("-o", "/dev/stdout", "--target", "cpu", "--json")):
            result = run("tesserac", SAXPY, *words)
            self.assertEqual((result.returncode, json.loads(result.stdout.split("{\n  \"$schema")[0])["diagnostics"][0]["code"]), (2, "E0804"))
        self.assertEqual(run("tessera", "check", SAXPY, "--json", "--sarif", "-").returncode, 2)

    @unittest.skipUnless(os.path.isdir("/dev/shm") and os.access("/dev/shm", os.W_OK), "no folder of files in /dev here")
    def test_files_in_dev(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            for _ in range(2):
                result = run("tesserac", SAXPY, "-o", folder + "/m.cpp")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(sorted(os.listdir(folder)), ["m.cpp", "m.h", "m.hpp", "m.json", "m.lines.json"])
                self.assertEqual(read(folder + "/m.cpp").count("compiled by tesserac"), 1)

    def test_values_that_are_none(self):
        for option in ("--target", "--emit", "--namespace", "--depfile", "--sarif", "--function"):
            result = run("tesserac", SAXPY, "-o", self.path("m.cpp"), option, "")
            self.assertEqual((result.returncode, "needs a value" in result.stderr), (2, True), option + result.stderr)
        for name in ("int", "std", "nn::errno", "main", "tsr", "stdout::a", "TessTensor", "__nn", "a;b"):
            self.assertIn(name, self.refuse("E0804", SAXPY, "-o", self.path("m.cpp"), "--namespace", name))
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_follows_on_the_standard_output_follows(self):
        tesserac = os.path.join(BIN, "tesserac")
        with open(self.path("all.txt"), "w", encoding="utf-8") as out:
            subprocess.run(["sh", "-c", 'echo before; "$0" "$1" --target cpu -o -; echo behind', tesserac, SAXPY], stdout=out, check=True)
        lines = read(self.path("all.txt")).split("\n")
        self.assertEqual((lines[0], lines[-2]), ("before", "behind"))
        self.assertTrue(lines[1].startswith("// C++ for "), lines[1])

    def test_what_a_program_saves_is_there_or_is_not(self):
        """The disk is full, or the process is killed: what was there is there as it was. A link stays one."""
        program = self.write("p.tsr", "def main(n: int):\n    x = ones((n,), f32)\n    save_npy(\"x.npy\", x)\n")
        self.assertEqual(run("tesserac", program, "-o", self.path("p.cpp")).returncode, 0)
        include = "-I" + os.path.join(os.path.dirname(os.path.dirname(CANON)), "include")
        made = subprocess.run(["g++", "-std=c++17", "-fopenmp", include, self.path("p.cpp"), "-o", self.path("p")], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        os.mkdir(self.path("run"))
        os.symlink("kept.npy", self.path("run/x.npy"))
        save = lambda n, before="": subprocess.run(["sh", "-c", before + f"exec ../p --n={n}"], cwd=self.path("run"), capture_output=True, check=False).returncode
        self.assertEqual(save(3), 0)
        before = self.everything()
        self.assertEqual(len(before[self.path("run/kept.npy")]), 128 + 12)
        self.assertNotEqual(save(10**6, "trap '' XFSZ; ulimit -f 8; "), 0)  # an error of the disk
        self.assertEqual(self.everything(), before)
        self.assertNotEqual(save(10**6, "ulimit -f 8; "), 0)  # a signal
        after = self.everything()
        self.assertEqual({path: after[path] for path in before}, before)
        self.assertTrue(os.path.islink(self.path("run/x.npy")))

    def test_the_files_of_a_compile_have_one_number(self):
        for suffix, number in {".cpp": "TESS_SET(", ".hip": "TESS_SET(", ".cu": "TESS_SET("}.items():
            numbers = []
            for name, options in (("one", ()), ("two", ()), ("two", ("--line-directives",))):
                self.assertEqual(run("tesserac", SAXPY, "-o", self.path(name + suffix), *options).returncode, 0)
                beside = [(suffix, number), (".h", "Set "), (".hpp", "Set "), (".json", '"set": "'), (".lines.json", '"set": "')]
                found = {read(self.path(name + end)).split(before, 1)[1][:16] for end, before in beside}
                self.assertEqual(len(found), 1, found)
                numbers.append(found.pop())
                self.assertRegex(numbers[-1], "^[0-9a-f]{16}$")
            self.assertEqual(len(set(numbers)), 3, "the header names, or the text, are others")
            self.assertEqual(run("tesserac", SAXPY, "-o", self.path("one" + suffix)).returncode, 0)
            self.assertIn(numbers[0], read(self.path("one.json")))

    def test_all_or_none(self):
        out = self.path("m.cpp")
        os.mkdir(self.path("m.json"))
        self.refuse("E0703", SAXPY, "-o", out)
        os.rmdir(self.path("m.json"))
        self.refuse("E0703", SAXPY, "-o", out, "--depfile", self.path("none/m.d"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_temporaries_of_others_are_not_followed(self):
        """No name of a temporary can be foreseen: a link that waits under one is not followed."""
        target = self.write("victim", "mine\n")
        for pid in range(os.getpid(), os.getpid() + 3000):
            os.symlink(target, self.path(f"m.cpp.tmp{pid}"))
        self.assertEqual(run("tesserac", SAXPY, "-o", self.path("m.cpp")).returncode, 0)
        self.assertEqual(read(target), "mine\n")

    def test_the_suffix_is_of_the_target(self):
        for target, name in (("cpu", "m.cu"), ("cuda", "m.cpp"), ("hip:gfx942", "m.cu"), ("cuda:sm_90a", "m.hip"), ("cpu", "m.hip")):
            with self.subTest(target=target, name=name):
                self.refuse("E0804", SAXPY, "--target", target, "-o", self.path(name))
        self.assertEqual(run("tesserac", SAXPY, "--target", "cuda:sm_90a", "-o", self.path("m.cu")).returncode, 0)

    def test_words_that_are_nearly_targets(self):
        for target in ("cuda:sm_90;x", "cuda:sm_", "cuda:sm_99999", "cuda:", ":sm_90", "cuda:sm_90 ", "CUDA", "cuda:sm_90\n", "cpu:native;rm"):
            with self.subTest(target):
                self.refuse("E0704", SAXPY, "--target", target, "-o", self.path("m.out"))

    def test_results_replace_arrays_alone(self):
        write_npy(self.path("x.npy"), [1.0, 2.0], [2])
        arguments = [SAXPY, "saxpy", "--arg", "alpha=2", "--arg", "x=" + self.path("x.npy"), "--arg", "y=" + self.path("x.npy"), "--out"]
        self.write("notes.txt", "mine\n")
        self.refuse("E0703", "run", *arguments, self.path("notes.txt"), program="tessera")
        self.refuse("E0706", "run", *arguments, self.path("x.npy"), program="tessera")
        for _ in range(2):
            result = run("tessera", "run", *arguments, self.path("r.npy"))
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(run("tessera", "run", *arguments, self.path("x.npy"), "--force").returncode, 0)

    def test_what_a_library_is_beside(self):
        self.write("m.json", "{\"mine\": 1}\n")
        self.refuse("E0703", "build", SAXPY, "-o", self.path("m.so"), program="tessera")
        os.remove(self.path("m.json"))
        for _ in range(2):
            result = run("tessera", "build", SAXPY, "-o", self.path("m.so"))
            self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("m.so"), "rb") as library:
            self.assertNotIn(b"tessera-cache", library.read())
        self.assertEqual(json.loads(read(self.path("m.json")))["name"], "m")


class Inputs(ToolTest):
    def test_folders_hold_more_than_files(self):
        os.mkdir(self.path("src"))
        with open(SAXPY, encoding="utf-8") as program:
            self.write("src/good.tsr", program.read())
        os.mkfifo(self.path("src/pipe.tsr"))
        os.symlink("/dev/zero", self.path("src/device.tsr"))
        os.symlink("nowhere", self.path("src/dangling.tsr"))
        os.mkdir(self.path("src/folder.tsr"))
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(self.path("src/socket.tsr"))
        self.addCleanup(listening.close)
        for command in (["check"], ["fmt", "--check"]):
            result = run("tessera", *command, self.path("src"), timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_imports_are_files(self):
        """Nobody has named the pipe: a program that was fetched from somewhere stops no tool."""
        os.mkfifo(self.path("pipe.tsr"))
        program = self.write("p.tsr", "from .pipe import f\n\ndef g(x: f32) -> f32:\n    return f(x)\n")
        result = run("tessera", "check", "--no-cache", program, timeout=60)
        self.assertEqual((result.returncode, "it is a pipe or a device" in result.stderr), (1, True), result.stderr)

    def test_line_feeds_in_names(self):
        with open(SAXPY, encoding="utf-8") as program:
            path = self.write("a\nint evil;\n\\.tsr", program.read())
        for flags in ([], ["--line-directives"], ["--standalone"]):
            result = run("tesserac", path, "-o", self.path("m.cpp"), *flags)
            self.assertEqual(result.returncode, 0, result.stderr)
            for suffix in (".cpp", ".h", ".hpp"):
                for line in read(self.path("m" + suffix)).split("\n"):
                    self.assertFalse(line.startswith("int evil"), suffix)


    def test_no_include_can_name_it(self):
        for name in ('a"b.cpp', "a\\b.cpp", "a\nb.cpp", "a\x01.cpp"):
            result = run("tesserac", SAXPY, "-o", self.path(name))
            self.assertEqual((result.returncode, os.listdir(self.folder)), (2, []), name)
            self.assertIn("no `#include` can name the headers", result.stderr)

    def test_names_do_not_reach_the_terminal_as_they_are(self):
        path = self.write("a\x1b]0;title\x07\r\u202e.tsr", "def f(x: f32) -> f32:\n    return y\n")
        for words in (("tessera", "check", "--no-cache", path), ("tesserac", path, "-o", self.path("m.cpp"))):
            said = run(*words).stderr
            self.assertIn("error[E0200]", said)
            self.assertFalse(set(said) & {"\x1b", "\x07", "\r", "\u202e"}, said)


class Text(ToolTest):
    def test_text_is_read_in_one_direction(self):
        """What is read is what is compiled; g++ warns of the characters, and would stop here."""
        marks = "".join(chr(code) for code in (0x202a, 0x202e, 0x2066, 0x2069))
        path = self.write(f"{marks}.tsr", f'def f[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    """Twice {marks} x.\n\n    More {marks}."""\n    return x * 2.0\n\n'
                          f'def main():\n    print("<{marks}>")\n')
        for flags in ([], ["--line-directives"]):
            result = run("tesserac", path, "-o", self.path("m.cpp"), *flags)
            self.assertEqual(result.returncode, 0, result.stderr)
            include = "-I" + os.path.join(os.path.dirname(CANON), os.pardir, "include")
            main = self.write("main.cpp", '#include "m.hpp"\nint own() { return 0; }\n')
            for file in (self.path("m.cpp"), main):
                compiled = subprocess.run(["g++", "-std=c++17", "-fopenmp", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", include, file], capture_output=True, text=True)
                self.assertEqual((compiled.returncode, compiled.stderr), (0, ""))
            self.assertFalse(set(read(self.path("m.h"))) & set(marks))
        self.assertEqual(run("tessera", "run", path).stdout, f"<{marks}>\n")

    def test_documentation_ends_no_comment_and_begins_no_code(self):
        endings = ["ends in a backslash \\\\", "x */ int evil; /*", "what ??/", "// twice // \\\\", "two lines\n    \\\\\n    int evil"]
        program = self.write("p.tsr", "\n".join(f'def f{i}[N](x: Tensor[N, f32]) -> Tensor[N, f32]:\n    """{text}"""\n    return x * 2.0\n'
                                                for i, text in enumerate(endings)))
        for suffix in (".cpp", ".cu", ".hip"):
            result = run("tesserac", program, "-o", self.path("p" + suffix))
            self.assertEqual(result.returncode, 0, result.stderr)
        include = "-I" + os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "include")
        main = self.write("main.c", '#include "p.h"\nint main(void) { return 0; }\n')
        for command in (["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-c", include, self.path("p.cpp"), "-o", self.path("p.o")],
                        ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", include, main]):
            result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)
        symbols = subprocess.run(["nm", "-g", "--defined-only", self.path("p.o")], capture_output=True, text=True).stdout
        self.assertNotIn("evil", symbols)
        for i in range(len(endings)):
            self.assertIn(f" f{i}\n", symbols)


if __name__ == "__main__":
    unittest.main()
