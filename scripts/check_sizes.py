#!/usr/bin/env python3
"""Files stay small enough to be read at once.

A source file of more than 700 lines fails; one of more than 500, and a function of more than 100 lines, is
warned about. Generated files and goldens of tests are not counted.
"""

import re
from house import arguments, files, finish, run, text_of

LIMIT, LONG, LONG_FUNCTION = 700, 500, 100
SUFFIXES = [".h", ".hpp", ".cuh", ".cpp", ".cu", ".td", ".g4", ".py", ".cmake", ".def", ".tsr"]
FOLDERS = ["src", "include", "grammar", "stdlib", "cmake", "scripts", "tests", "examples", "bench", "dev"]
# A function in the house's formatting: its header starts in column 0, 2 or 4 and ends with `{`.
CPP_FUNCTION = re.compile(r"^( {0,4})(?!\s|namespace|struct|class|enum|union|extern|if|for|while|switch|else|do|return)[\w:~<>&*,\s\[\]]+\([^;]*\{\s*$")


def long_functions(text, path):
    """(line, name, length) of C++ functions that are too long, by the indentation of their braces."""
    if path.suffix not in (".h", ".cpp", ".cuh"):
        return
    lines = text.split("\n")
    for start, line in enumerate(lines):
        match = CPP_FUNCTION.match(line)
        if not match or line.lstrip().startswith(":"):  # the initialisers of a constructor
            continue
        end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith(match.group(1) + "}")), start)
        if end - start > LONG_FUNCTION:
            yield start + 1, line.strip().split("(")[0].split()[-1], end - start


def main():
    args = arguments(__doc__).parse_args()
    findings, warnings, checked = [], [], 0
    for path in files(args.root, FOLDERS, SUFFIXES):
        name = path.relative_to(args.root).as_posix()
        if "/golden" in name or "/Inputs/" in name:
            continue
        checked += 1
        text = text_of(path)
        count = text.count("\n")
        if count > LIMIT:
            findings.append(f"{name}: {count} lines, and {LIMIT} is the limit: split it by construct")
        elif count > LONG:
            warnings.append(f"{name}: {count} lines")
        warnings += [f"{name}:{line}: `{function}` has {length} lines" for line, function, length in long_functions(text, path)]
    for warning in warnings:
        print(f"warning: {warning}")
    return finish(findings, checked, "source files")


if __name__ == "__main__":
    run(main)
