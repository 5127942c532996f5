#!/usr/bin/env python3
"""Keeps the emitted kernel and the message in README.md what the compiler says.

usage: update_readme.py TESSERAC [--check]
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"(<!-- emitted: (\S+) (\S+) (\S+) -->\n)(.*?)(<!-- /emitted -->)", re.S)
MISTAKE = re.compile(r"(<!-- mistake: (\S+) -->\n```python\n(.*?)```\n.*?```text\n)(.*?)(```\n<!-- /mistake -->)", re.S)


def kernel_of(source: str, name: str) -> str:
    """The kernel `name` with the comment over it."""
    at = source.index(f"\n{name}_kernel(") if f"\n{name}_kernel(" in source else source.index(f" {name}_kernel(")
    begin = source.rindex("\n\n", 0, at) + 2
    return source[begin : source.index("\n}\n", at) + 3]


def main() -> int:
    tesserac, check = sys.argv[1], "--check" in sys.argv
    path = os.path.join(ROOT, "README.md")
    text = open(path, encoding="utf-8").read()

    def emitted(match: re.Match) -> str:
        program, target, name = match.group(2, 3, 4)
        with tempfile.TemporaryDirectory() as folder:
            suffix = {"cuda": "cu", "hip": "hip", "cpu": "cpp"}[target]
            out = os.path.join(folder, os.path.basename(program).replace(".tsr", "." + suffix))
            subprocess.run([tesserac, os.path.join(ROOT, program), "-o", out], check=True)
            kernel = kernel_of(open(out, encoding="utf-8").read(), name)
        return f"{match.group(1)}```cpp\n{kernel}```\n{match.group(6)}"

    def message(match: re.Match) -> str:
        program, wrong = match.group(2, 3)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, program), "w", encoding="utf-8") as file:
                file.write(wrong)
            said = subprocess.run([tesserac, program, "--emit=checked"], cwd=folder, capture_output=True, text=True).stderr
        return match.group(1) + said[: said.rindex("\n\n") + 1] + match.group(5)  # without the count of errors

    new = MISTAKE.sub(message, BLOCK.sub(emitted, text))
    if new == text:
        return 0
    if check:
        print("README.md shows another kernel or message than the compiler prints: run scripts/update_readme.py")
        return 1
    open(path, "w", encoding="utf-8").write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
