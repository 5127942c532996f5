"""Every operation of a dialect's .td files has an example there and stands in a test of tests/ir/<dialect>."""
import pathlib
import re
import sys


def operations(folder):
    """(mnemonic, text of its definition) for each operation that the folder's .td files define."""
    for path in sorted(folder.glob("*.td")):
        for part in re.split(r"^def ", path.read_text(), flags=re.M)[1:]:
            head = re.match(r"\w+Op\s*:\s*\w+<(?:\w+,\s*)?\"(\w+)\"", part)
            if head:
                yield head.group(1), part


def main(root):
    problems = []
    for dialect in ("graph", "schedule", "tile", "target"):
        tests = root / "tests" / "ir" / dialect
        text = "\n".join(p.read_text() for p in sorted(tests.glob("*.mlir")) if not p.name.startswith("invalid"))
        found = list(operations(root / "src" / "ir" / dialect))
        if not found:
            problems.append(f"{dialect}: no operations found")
        for mnemonic, definition in found:
            name = f"{dialect}.{mnemonic}"
            if not re.search(re.escape(name) + r"\b", definition):
                problems.append(f"{name}: no example in its definition")
            if not re.search(re.escape(name) + r"\b", text):
                problems.append(f"{name}: in no test of {tests.relative_to(root)}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
