#!/usr/bin/env python3
"""Every rule of the language has a number of its own.

A rule of docs/spec begins with `**(S21)**`: letters that one page alone uses, and a number. Each number stands once, and
a page of the specification that is named with a number, `docs/spec/shapes.md, S11`, has it.
"""

import re
from house import arguments, files, finish, run, text_of

RULE = re.compile(r"\*\*\(([A-Z]+)(\d+[a-z]?)\)\*\*")
NAMED = re.compile(r"docs/spec/(\w+\.md)[,:]? \(?((?:[A-Z]+\d+[a-z]?(?: (?:to|and) |, )?)+)")
NUMBER = re.compile(r"[A-Z]+\d+[a-z]?")


def main():
    args = arguments(__doc__).parse_args()
    findings, rules, prefixes = [], {}, {}
    pages = files(args.root, ["docs/spec"], [".md"])
    for page in pages:
        text = text_of(page)
        for match in RULE.finditer(text):
            place = f"docs/spec/{page.name}:{text.count(chr(10), 0, match.start()) + 1}"
            rule = match.group(1) + match.group(2)
            if rule in rules:
                findings.append(f"{place}: {rule} is the number of another rule, at {rules[rule]}")
            rules.setdefault(rule, place)
            owner = prefixes.setdefault(match.group(1), page.name)
            if owner != page.name:
                findings.append(f"{place}: rules of {owner} begin with {match.group(1)}; this page needs letters of its own")
    for path in files(args.root, ["src", "tests", "docs"], [".h", ".cpp", ".md", ".def"]):
        text = text_of(path)
        for match in NAMED.finditer(text):
            for number in NUMBER.findall(match.group(2)):
                if not rules.get(number, "").startswith(f"docs/spec/{match.group(1)}:"):
                    place = f"{path.relative_to(args.root).as_posix()}:{text.count(chr(10), 0, match.start()) + 1}"
                    findings.append(f"{place}: docs/spec/{match.group(1)} has no rule {number}")
    return finish(findings, len(rules), "rules")


if __name__ == "__main__":
    run(main)
