#!/usr/bin/env python3
"""docs/library.md: every name that the language knows, from stdlib/builtins.toml, Builtins.def and the doc strings.

A name without an entry, without an example, or with an entry that is of no name is a finding. With --check nothing is
written, and a page that is out of date is a finding, too.
"""

import json
import re
import tomllib

from house import arguments, finish, run, text_of

ROW = re.compile(r'^TSR_BUILTIN\("(\w+)", "(\w+)", "([^"]*)", (\w+), "([^"]*)"\)', re.M)
DTYPE = re.compile(r'^TSR_DTYPE\(\w+, "(\w+)", (\d+), (\w+), (\w+), ', re.M)
ALIAS = re.compile(r'^TSR_DTYPE_ALIAS\("(\w+)", (\w+)\)', re.M)
CONSTANTS = ["INF", "NAN", "pi", "KiB", "MiB", "GiB", "tile", "Tensor", "Const", "Int", "Tile", "Callable"]  # Checker::builtinName
RESERVED = "Unsupported"
STATUS = {
    "checked": "The checker knows it; it is compiled for no target yet.",
    "reserved": "Reserved: a program that uses it is refused with a message that says so.",
}


class Name:
    """One name: where it may stand, its signatures, its doc string if it has one."""

    def __init__(self, name):
        self.name, self.forms, self.doc, self.unsupported, self.where = name, [], "", None, []


def builtins(root):
    names = {}
    for name, places, signature, kind, op in ROW.findall(text_of(root / "src/sema/Builtins.def")):
        entry = names.setdefault(name, Name(name))
        if kind == RESERVED:
            entry.unsupported = op
        signature = re.sub(r"(\w+)=", r"\1=...", signature)
        signature = signature.replace("**", "...")
        inner = re.sub(r"^[^,]*,? ?", "", signature)
        if kind == "Decorator":
            entry.forms.append(f"@{name}")
            continue
        if "P" in places:
            entry.forms.append(f"{name}({signature})")
        if "M" in places:
            entry.forms.append(f"x.{name}({inner})")
        if "T" in places:
            entry.forms.append(f"tile.{name}({signature})")
        if "R" in places:
            entry.forms.append(f"rng.{name}({inner})")
        if "S" in places:
            entry.forms.append(f"cache.{name}({inner})")
        if "D" in places:
            entry.forms.append(f"d.{name}({inner})")
        if "K" in places:
            entry.where.append("in kernels only")
        if "H" in places:
            entry.where.append("in host code only")
    for name in CONSTANTS:
        names.setdefault(name, Name(name)).forms.append(name)
    return names


def library(root, names, findings):
    """Adds the functions of stdlib/tessera."""
    for path in sorted((root / "stdlib/tessera").glob("*.tsr")):
        text = text_of(path)
        for match in re.finditer(r'^def (\w+)\((.*?)\)(?: -> [^\n]*)?:\n((?: {4}"""(.*?)""")?)', text, re.M | re.S):
            name, parameters, _, doc = match.groups()
            if name.startswith("_"):
                continue
            entry = names.setdefault(name, Name(name))
            entry.forms.append(f"{name}({parameters})")
            if doc is None:
                findings.append(f"{path.relative_to(root)}: `{name}` has no doc string")
            else:
                doc = re.sub(r"\n {4}", "\n", doc).strip()
                entry.doc += ("\n\n" if entry.doc else "") + (f"`{entry.forms[-1]}`: " if entry.doc else "") + doc


def structures(root, names, findings):
    """Adds the structs of stdlib/tessera, with their methods."""
    for path in sorted((root / "stdlib/tessera").glob("*.tsr")):
        text = text_of(path)
        for name, parameters, body in re.findall(r"^struct (\w+)\[(.*?)\]:\n((?: {4}[^\n]*\n|\n(?= {4}))+)", text, re.M):
            entry = names.setdefault(name, Name(name))
            entry.forms.append(f"{name}[{parameters}]")
            doc = re.match(r' {4}"""(.*?)"""', body, re.S)
            if not doc:
                findings.append(f"{path.relative_to(root)}: `{name}` has no doc string")
            entry.doc = re.sub(r"\n {4}", "\n", doc[1]).strip() if doc else ""
            for method, given, about in re.findall(r'^ {4}def (\w+)\(self, (.*?)\):\n {8}"""(.*?)"""', body, re.M | re.S):
                entry.forms.append(f"cache.{method}({given})")
                entry.doc += f"\n\n`{method}`: " + re.sub(r"\n {8}", "\n", about).strip()


def shown(value):
    return value if isinstance(value, str) else json.dumps(value)


def example_lines(entry):
    if "program" in entry:
        return ["```python", entry["program"].strip("\n"), "```", "", "prints", "", "```text", entry["prints"].rstrip("\n"), "```"]
    if "code" in entry:
        lines = ["```python", entry["code"].strip("\n"), "```"]
    elif "example" in entry:
        lines = ["```python", entry["example"], "```"]
    else:
        return []
    if "gives" in entry:
        given = ", ".join(f"`{name} = {shown(value)}`" for name, value in entry["args"].items())
        lines += ["", f"With {given} it is `{shown(entry['gives'])}`."]
    return lines


def section(name, entry, group):
    lines = [f"### `{name.name}`", "", "```python", *dict.fromkeys(name.forms), "```", ""]
    text = entry.get("does", "") or name.doc
    lines += [text + (f" ({', '.join(name.where)})" if name.where else ""), ""]
    facts = []
    if formula := entry.get("formula"):
        facts.append(f"| formula | `{formula}` |")
    for field in ("shape", "dtypes"):
        if value := entry.get(field, group.get(field)):
            facts.append(f"| {field} | {value} |".replace("[", "\\["))
    if status := entry.get("status"):
        facts.append(f"| status | {STATUS[status]} |")
    if facts:
        lines += ["| | |", "|---|---|", *facts, ""]
    if see := entry.get("see"):
        lines += [f"For an example see [`{see}`](#{see.lower()}).", ""]
    else:
        lines += [*example_lines(entry), ""]
    return lines


def dtype_table(root):
    text = text_of(root / "src/support/DTypes.def")
    aliases = {}
    for alias, dtype in ALIAS.findall(text):
        aliases.setdefault(dtype, []).append(alias)
    lines = ["## Dtypes", "", "| name | also | bits | kind | sums are carried in |", "|---|---|---|---|---|"]
    for name, bits, kind, wide in DTYPE.findall(text):
        also = ", ".join(f"`{a}`" for a in aliases.get(name.upper() if name.upper() in aliases else name.title(), []))
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()
        lines.append(f"| `{name}` | {also} | {bits} | {words} | `{wide.lower()}` |")
    return lines + [""]


def page(root):
    findings = []
    data = tomllib.loads(text_of(root / "stdlib/builtins.toml"))
    groups = data.pop("groups")
    names = builtins(root)
    library(root, names, findings)
    structures(root, names, findings)
    for name in names.values():
        if name.unsupported and name.name not in data:
            data[name.name] = {"group": "reserved", "does": f"For {name.unsupported.replace('`', '')}.", "status": "reserved"}
    for name, entry in data.items():
        where = f"stdlib/builtins.toml: [{name}]"
        if name not in names:
            findings.append(f"{where} is of a name that the language does not know")
            continue
        if entry.get("group") not in groups:
            findings.append(f"{where} stands in no group")
        if not entry.get("does") and not names[name].doc:
            findings.append(f"{where} does not say what it does")
        see = data.get(entry.get("see", ""))
        if entry.get("status") != "reserved" and not example_lines(see if see else entry):
            findings.append(f"{where} has no example")
        used = entry.get("code") or entry.get("example") or entry.get("program") or (see or {}).get("code") or (see or {}).get("program") or ""
        if used and not re.search(rf"\b{name}\b", used):
            findings.append(f"{where}: its example does not use it")
    for name in names:
        if name not in data:
            findings.append(f"stdlib/builtins.toml: `{name}` has no entry")
    lines = [
        "# Library", "",
        "Every name that a program has without an import. Made from `stdlib/builtins.toml`, `src/sema/Builtins.def` and the doc",
        "strings of `stdlib/tessera` by `scripts/make_library_page.py`; change it there. Each example is run by a test, on the",
        "CPU. `tessera doc NAME` prints the entry of a name.", "",
        "In shapes, `...` stands for any axes before. `x.f(...)` is the same as `f(x, ...)`; in kernels, the functions of",
        "`tile` work on tiles.", "",
    ]
    lines += [f"- [{group['title']}](#{re.sub('[^a-z0-9 -]', '', group['title'].lower()).replace(' ', '-')})" for group in groups.values()]
    lines += ["- [Dtypes](#dtypes)", ""]
    for key, group in groups.items():
        members = [n for n in data if data[n].get("group") == key and n in names]
        lines += [f"## {group['title']}", ""]
        for name in members:
            lines += section(names[name], data[name], group)
    lines += dtype_table(root)
    text = "\n".join(lines)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n", findings, len(names)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the page is not up to date")
    args = parser.parse_args()
    text, findings, count = page(args.root)
    target = args.root / "docs/library.md"
    if not args.check and not findings:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    elif args.check and (not target.is_file() or text_of(target) != text):
        findings.append("docs/library.md: outdated; run scripts/make_library_page.py")
    return finish(findings, count, "names")


if __name__ == "__main__":
    run(main)
