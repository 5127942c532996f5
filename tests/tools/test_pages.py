"""The pages of what the compiler cannot lower: the wrong program gets that message, the right one compiles."""
import glob
import os
import re
import unittest

from support import CANON, ToolTest, read, run

PAGES = os.path.join(os.path.dirname(os.path.dirname(CANON)), "docs", "errors")


class Pages(ToolTest):
    def compile(self, text):
        return run("tesserac", self.write("p.tsr", text), "-o", self.path("p.cpp"), "--json")

    def test_pages_of_lowering(self):
        pages = sorted(glob.glob(os.path.join(PAGES, "E06*.md")))
        self.assertTrue(pages)
        for page in pages:
            code = os.path.basename(page)[:5]
            with self.subTest(code):
                programs = re.findall(r"```tsr\n(.*?)```", read(page), re.S)
                self.assertEqual(len(programs), 2)
                wrong = self.compile(programs[0])
                self.assertEqual(wrong.returncode, 1)
                self.assertIn(f'"code": "{code}"', wrong.stdout)
                self.assertEqual(wrong.stdout.count('"code"'), 1, wrong.stdout)
                right = self.compile(programs[1])
                self.assertEqual(right.returncode, 0, right.stdout)


if __name__ == "__main__":
    unittest.main()
