#!/usr/bin/env python3
"""A test that cannot fail is a bug.

Fails on a GoogleTest without an expectation, on expectations that always hold (`EXPECT_TRUE(true)`,
`EXPECT_EQ(x, x)`), on skipped tests without a reason, on a lit test without RUN or without anything that
checks what was run, and on a Python test without an assertion.
"""

import re
from house import arguments, files, finish, run, text_of

GTEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
CHECKING = re.compile(r"\b(EXPECT_\w+|ASSERT_\w+|FAIL\s*\(|ADD_FAILURE|GTEST_FAIL|SUCCEED_IF)\b")
ALWAYS = [
    (re.compile(r"\b(?:EXPECT|ASSERT)_TRUE\s*\(\s*(?:true|1)\s*\)"), "always holds"),
    (re.compile(r"\b(?:EXPECT|ASSERT)_FALSE\s*\(\s*(?:false|0)\s*\)"), "always holds"),
    (re.compile(r"\b(?:EXPECT|ASSERT)_(?:EQ|GE|LE)\s*\(\s*([\w.>\-\[\]:]+)\s*,\s*\1\s*\)"), "compares a thing with itself"),
    (re.compile(r"\bGTEST_SKIP\s*\(\s*\)\s*;"), "skips without saying why"),
    (re.compile(r"\|\|\s*true\b"), "always holds"),
]
LIT = re.compile(r"(?://|#|;)\s*RUN:(.*)")
LIT_CHECKS = re.compile(r"FileCheck|\bdiff\b|\bcmp\b|-verify-diagnostics|--verify|\bnot\b|count|--check")
LIT_CHECK_LINE = re.compile(r"(?://|#|;)\s*[A-Z][A-Z0-9_-]*(?:-(?:NEXT|SAME|NOT|DAG|LABEL|COUNT-\d+|EMPTY))?:")
HELPER = re.compile(r"^[ \t]*(?:template\s*<[^>]*>\s*)?(?:inline |static |constexpr )*[\w:<>&*,\s]+?\b(\w+)\s*\([^;{}]*\)\s*(?:const\s*)?\{", re.M)


def body(text, start):
    """The text between the braces behind `start`; strings and comments do not count."""
    open_at = text.find("{", start)
    depth, at = 0, open_at
    while 0 <= at < len(text):
        c = text[at]
        if c in "\"'" and not (c == "'" and text[at - 1].isalnum()):
            if text[at - 1] == "R" and c == '"':
                tag = text[at + 1 : text.index("(", at)]
                at = text.index(")" + tag + '"', at) + len(tag) + 1
            else:
                at += 1
                while at < len(text) and text[at] != c and text[at] != "\n":
                    at += 2 if text[at] == "\\" else 1
        elif text.startswith("//", at):
            at = text.find("\n", at)
        elif c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                return text[open_at : at + 1]
        at += 1
    return text[open_at:] if open_at >= 0 else ""


def code_only(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def checking_functions(texts):
    """Names of helpers that expect something, also through another helper."""
    bodies = {}
    for text in texts:
        for match in HELPER.finditer(text):
            bodies.setdefault(match.group(1), []).append(body(text, match.end() - 1))
    checking = {name for name, found in bodies.items() if any(CHECKING.search(b) for b in found)}
    while True:
        more = {
            name
            for name, found in bodies.items()
            if name not in checking and any(re.search(rf"\b{helper}\s*[(<]", b) for b in found for helper in checking)
        }
        if not more:
            return checking
        checking |= more


def check_gtest(name, text, helpers):
    for match in GTEST.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        inside = code_only(body(text, match.end()))
        calls = any(re.search(rf"\b{helper}\s*[(<]", inside) for helper in helpers)
        if not CHECKING.search(inside) and not calls:
            yield f"{name}:{line}: {match.group(1)}.{match.group(2)} expects nothing"
    plain = code_only(text)
    for pattern, why in ALWAYS:
        for match in pattern.finditer(plain):
            yield f"{name}:{plain.count(chr(10), 0, match.start()) + 1}: `{match.group(0)}` {why}"


def check_lit(name, text, readers):
    runs = " ".join(LIT.findall(text))
    if not runs:
        folder, file = name.rsplit("/", 1)
        if file not in readers and f"/{folder.rsplit('/', 1)[1]}" not in readers:  # not the input of another test
            yield f"{name}: no RUN line, and no test reads it"
    elif not LIT_CHECKS.search(runs):
        yield f"{name}: nothing looks at what RUN prints"
    elif "FileCheck" in runs:
        checks = [m for m in LIT_CHECK_LINE.finditer(text) if "RUN:" not in m.group(0)]
        if not checks:
            yield f"{name}: FileCheck is run and there is no CHECK line"


PY_FUNCTION = re.compile(r"^( *)def (\w+)\(.*?\).*?:\n((?:\1[ \t]+.*\n|[ \t]*\n)+)", re.M)
PY_CHECKING = re.compile(r"\bassert\b|\.assert\w+\(|\.fail\(|\braise\b|sys\.exit")


def checking_python(texts):
    """Names of functions that assert something, also through another one."""
    bodies = {name: inside for text in texts for _, name, inside in PY_FUNCTION.findall(text) if not name.startswith("test")}
    checking = {name for name, inside in bodies.items() if PY_CHECKING.search(inside)}
    while True:
        more = {n for n, inside in bodies.items() if n not in checking and any(re.search(rf"\b{c}\(", inside) for c in checking)}
        if not more:
            return checking
        checking |= more


def check_python(name, text, helpers):
    for match in PY_FUNCTION.finditer(text):
        if not match.group(2).startswith("test"):
            continue
        inside = match.group(3)
        if not PY_CHECKING.search(inside) and not any(re.search(rf"\b{helper}\(", inside) for helper in helpers):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(2)} asserts nothing"


def main():
    args = arguments(__doc__).parse_args()
    findings, checked = [], 0
    by_folder = {}
    for path in files(args.root, ["tests"], [".cpp", ".cu", ".h"]):
        by_folder.setdefault(path.parent, []).append(path)
    for folder, paths in by_folder.items():
        texts = {path: text_of(path) for path in paths}
        helpers = checking_functions(texts.values())
        for path, text in texts.items():
            if GTEST.search(text):
                checked += 1
                findings += check_gtest(path.relative_to(args.root).as_posix(), text, helpers)
    readers = "\n".join(text_of(p) for p in files(args.root, ["tests"], [".cpp", ".h", ".py", ".txt", ".cmake"]))
    for path in files(args.root, ["tests"], [".mlir", ".test", ".lit"]):
        if "Inputs" not in path.parts and "golden" not in path.parts:
            checked += 1
            findings += check_lit(path.relative_to(args.root).as_posix(), text_of(path), readers)
    python = {path: text_of(path) for path in files(args.root, ["tests"], [".py"])}
    helpers = checking_python(python.values())
    for path, text in python.items():
        if path.name.startswith("test_"):
            checked += 1
            findings += check_python(path.relative_to(args.root).as_posix(), text, helpers)
    return finish(findings, checked, "test files")


if __name__ == "__main__":
    run(main)
