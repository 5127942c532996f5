#!/usr/bin/env python3
"""Every diagnostic is emitted, tested, and explained.

A row of src/diag/*.def needs: a code and a name that no other row has, a place in `src` that reports it, a
test or golden that shows it (its code or its name), and the page docs/errors/<code>.md with a title that
starts with the code, a wrong program and a right one in ```tsr fences (from E0700 on: commands, in ```sh
fences). A page needs a row. A mistake of the compiler itself (`internalError`) has no wrong program.
"""

import re
from house import arguments, files, finish, run, text_of

ROW = re.compile(r'^TSR_DIAG\(\s*(\w+)\s*,\s*(\w+)\s*,\s*(\w+)\s*,\s*((?:"(?:\\.|[^"\\])*"\s*)+)\)', re.M)
START = re.compile(r"^TSR_DIAG\((?!code, name)", re.M)
TESTED = [".cpp", ".h", ".mlir", ".test", ".lit", ".txt", ".py", ".expected", ".err", ".out", ".tsr", ".golden", ".json", ".md"]


def page_findings(code, ident, page):
    title = page.split("\n", 1)[0]
    if not re.match(rf"#\s*{code}\b", title):
        yield f"its first line must be a title that starts with {code}"
    tools = code >= "E0700"
    if ident != "internalError" and len(re.findall(r"^```(?:tsr|sh)" if tools else r"^```tsr", page, re.M)) < 2:
        yield f"it needs {'a wrong and a right command or program' if tools else 'a wrong and a right program in ```tsr fences'}"


def main():
    args = arguments(__doc__).parse_args()
    root, findings, rows = args.root, [], []
    for path in files(root, ["src/diag"], [".def"]):
        text = text_of(path)
        name = path.relative_to(root).as_posix()
        found = ROW.findall(text)
        if len(found) != len(START.findall(text)):
            findings.append(f"{name}: {len(START.findall(text)) - len(found)} rows that I cannot read")
        rows += [(code, ident, name) for code, ident, _, _ in found]
    for position, what in ((0, "code"), (1, "name")):
        values = [row[position] for row in rows]
        for value in sorted({v for v in values if values.count(v) > 1}):
            findings.append(f"src/diag: the {what} {value} has more than one row")

    source = "\n".join(text_of(p) for p in files(root, ["src"], [".cpp", ".h"]))
    emitted = set(re.findall(r"\bId::(\w+)", source))
    tests = "\n".join(text_of(p) for p in files(root, ["tests"], TESTED))
    tested = set(re.findall(r"\bE\d{4}\b", tests)) | set(re.findall(r"\bId::(\w+)", tests))
    pages = root / "docs/errors"
    for code, ident, name in rows:
        if ident not in emitted:
            findings.append(f"{name}: {code} {ident} is never reported")
        if code not in tested and ident not in tested:
            findings.append(f"{name}: {code} {ident} occurs in no test")
        page = pages / f"{code}.md"
        if not page.is_file():
            findings.append(f"{name}: {code} {ident} has no page docs/errors/{code}.md")
        else:
            findings += [f"docs/errors/{code}.md: {finding}" for finding in page_findings(code, ident, text_of(page))]
    codes = {row[0] for row in rows}
    for page in sorted(pages.glob("E*.md")) if pages.is_dir() else []:
        if page.stem not in codes:
            findings.append(f"docs/errors/{page.name}: no row has this code")
    return finish(findings, len(rows), "diagnostics")


if __name__ == "__main__":
    run(main)
