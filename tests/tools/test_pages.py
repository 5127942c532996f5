"""Explanation pages: the wrong program or command of a page gives its message and no other, the right one none.

Pages of the checker are run by tests/corpus/PagesTest.cpp; here are those of lowering, tools and runs."""
import glob
import os
import re
import subprocess
import unittest

from support import BIN, CANON, ToolTest, read, run, write_npy

PAGES = os.path.join(os.path.dirname(os.path.dirname(CANON)), "docs", "errors")
LARGEST_SOURCE = 64 << 20
SOFTMAX = """\
def softmax[B, D](x: Tensor[B, D, f32]) -> Tensor[B, D, f32]:
    e = exp(x - max(x, axis=-1, keepdim=True))
    return e / sum(e, axis=-1, keepdim=True)
"""
SAXPY = """\
def saxpy[N](alpha: f32, x: Tensor[N, f32], y: Tensor[N, f32]) -> Tensor[N, f32]:
    return alpha * x + y
"""


def pages(kinds, fence):
    """(code, wrong, right) of the pages E06xx, E07xx, ... that have two blocks of this kind."""
    for page in sorted(glob.glob(os.path.join(PAGES, f"E{kinds}*.md"))):
        yield os.path.basename(page)[:5], re.findall(rf"```{fence}\n(.*?)```", read(page), re.S)


WARNINGS_OF_CHECK = {"E0603"}  # which compiling does not repeat


class Pages(ToolTest):
    def expect_one_message(self, code, result):
        said = result.stdout + result.stderr
        self.assertIn(result.returncode, (0,) if code in WARNINGS_OF_CHECK else (1, 2), said)
        self.assertEqual(re.findall(r"(?:error|warning)\[(E\d+)\]", said), [code], said)

    def expect_none(self, result):
        said = result.stdout + result.stderr
        self.assertEqual(result.returncode, 0, said)
        self.assertNotRegex(said, r"(?:error|warning)\[")

    def test_pages_of_lowering(self):
        found = list(pages("06", "tsr"))
        self.assertTrue(found)
        for code, programs in found:
            with self.subTest(code):
                self.assertEqual(len(programs), 2)
                if code in WARNINGS_OF_CHECK:
                    results = [run("tessera", "check", self.write("p.tsr", text)) for text in programs]
                else:
                    results = [run("tesserac", self.write("p.tsr", text), "-o", self.path("p.cpp")) for text in programs]
                self.expect_one_message(code, results[0])
                self.expect_none(results[1])

    def test_pages_of_tools_and_runs(self):
        found = [page for page in pages("0[78]", "sh") if page[0] != "E0709"]  # a mistake of the compiler has no command
        self.assertGreater(len(found), 10)
        self.write("model.tsr", SOFTMAX)
        self.write("saxpy.tsr", SAXPY)
        os.mkdir(self.path("models"))
        self.write("models/model.tsr", SOFTMAX)
        with open(self.write("table.tsr", ""), "wb") as table:
            table.truncate(LARGEST_SOURCE + 1)
        for name, size in (("three", 3), ("four", 4)):
            write_npy(self.path(name + ".npy"), [float(i) for i in range(size)], [size])
        for code, commands in found:
            with self.subTest(code):
                self.assertEqual(len(commands), 2)
                results = [self.shell(command) for command in commands]
                self.expect_one_message(code, results[0])
                self.expect_none(results[1])

    def shell(self, command):
        path = BIN + os.pathsep + os.environ["PATH"]
        return subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, timeout=300, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    unittest.main()
