#!/usr/bin/env python3
"""Keeps the emitted kernel, the message and the table of targets in README.md, and programs in docs/comparison.md, what the compiler says.

usage: update_readme.py TESSERAC [--check]
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"(<!-- emitted: (\S+) (\S+) (\S+) -->\n)(.*?)(<!-- /emitted -->)", re.S)
MISTAKE = re.compile(r"(<!-- mistake: (\S+) -->\n```python\n(.*?)```\n.*?```text\n)(.*?)(```\n<!-- /mistake -->)", re.S)
TARGETS = re.compile(r"(<!-- targets -->\n)(.*?)(<!-- /targets -->)", re.S)
COLUMNS = {"cpu": "CPU", "cuda:sm_80": "CUDA sm_80", "cuda:sm_90a": "CUDA sm_90a", "hip:gfx942": "HIP gfx942", "hip:gfx1100": "HIP gfx1100"}


def targets_table(tesserac: str) -> str:
    """What tesserac emits of each example; tests/e2e runs or compiles exactly that."""
    lines = ["| example | " + " | ".join(COLUMNS.values()) + " |", "|---|" + "---|" * len(COLUMNS)]
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.tsr"))):
        name = os.path.basename(path)
        cells = []
        with open(path, encoding="utf-8") as file:
            host = "\ndef main()" in file.read()
        for target in COLUMNS:
            suffix = {"cpu": "cpp", "cud": "cu", "hip": "hip"}[target[:3]]
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, "emitted." + suffix)
                emitted = subprocess.run([tesserac, path, "--target", target, "-o", out], capture_output=True).returncode == 0
            cells.append("-" if not emitted or (host and target != "cpu") else "runs" if target == "cpu" else "compiles")
        lines.append(f"| [{name}](examples/{name}) | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def kernel_of(source: str, name: str) -> str:
    """The kernel `name` with the comment over it."""
    at = source.index(f"\n{name}_kernel(") if f"\n{name}_kernel(" in source else source.index(f" {name}_kernel(")
    begin = source.rindex("\n\n", 0, at) + 2
    return source[begin : source.index("\n}\n", at) + 3]


PROGRAM = re.compile(r"(<!-- program: (\S+) -->\n)(.*?)(<!-- /program -->)", re.S)


def shown_program(match: re.Match) -> str:
    """The functions of a program, without the comments around them."""
    with open(os.path.join(ROOT, match.group(2)), encoding="utf-8") as file:
        lines = [line for line in file.read().split("\n") if not line.startswith("#")]
    return f"{match.group(1)}```python\n" + "\n".join(lines).strip() + f"\n```\n{match.group(4)}"


def main() -> int:
    tesserac, check = os.path.abspath(sys.argv[1]), "--check" in sys.argv
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
    new = TARGETS.sub(lambda m: m.group(1) + targets_table(tesserac) + m.group(3), new)
    page = os.path.join(ROOT, "docs", "comparison.md")
    old_page = open(page, encoding="utf-8").read()
    new_page = PROGRAM.sub(shown_program, old_page)
    if new == text and new_page == old_page:
        return 0
    if check:
        print("README.md or docs/comparison.md shows another kernel, message or table than what the compiler does: run scripts/update_readme.py")
        return 1
    open(path, "w", encoding="utf-8").write(new)
    open(page, "w", encoding="utf-8").write(new_page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
