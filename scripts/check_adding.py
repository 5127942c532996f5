#!/usr/bin/env python3
"""docs/adding.md names what one touches, counted over an example of each kind that is there.

A section of the page may have a line `<!-- counted: EXPRESSION -->`: a regular expression that finds one thing of its
kind wherever it is known. Each file of the compiler and of the device headers in which it is found must lie at a path in
backquotes of that section, and each such path must hold one. Those who only use a thing in the language are not counted:
of `stdlib` the table of built-ins alone.
"""

import re
from house import arguments, files, finish, run, text_of

HEADING = re.compile(r"^## (.+)$", re.M)
EXAMPLE = re.compile(r"^<!-- counted: (.+?) -->$", re.M)
PATH = re.compile(r"`((?:src/|include/|grammar/|stdlib/builtins\.toml)[^`\s]*?)/?`")
PLACES = ["src", "include", "grammar", "stdlib/builtins.toml"]
SUFFIXES = (".cpp", ".h", ".def", ".td", ".g4", ".toml")
# The names of the C library, whichever they are: written by scripts/make_library_names.py.
LISTS = {"src/ir/target/LibraryNames.def"}
# Each kind of which the page promises that the house has one place for it.
KINDS = {
    "A dtype",
    "An elementwise operation",
    "An op",
    "A pass",
    "A strategy",
    "A machine",
    "A matrix instruction",
    "A target of the C family",
}


def sections(page):
    """{heading: text} of the page."""
    parts = HEADING.split(page)
    return dict(zip(parts[1::2], parts[2::2]))


def pattern_of(path):
    """`src/<room>/*.cpp` as an expression for the paths it names, and for all that lies below."""
    text = re.escape(path)
    text = re.sub(r"<[^>]*>", "[^/]*", text).replace(r"\*", "[^/]*")
    return re.compile(text + r"(?:$|/)")


def main():
    args = arguments(__doc__).parse_args()
    page = sections(text_of(args.root / "docs/adding.md"))
    sources = {p.relative_to(args.root).as_posix(): text_of(p) for p in files(args.root, PLACES, SUFFIXES)}
    findings = []
    counted = 0
    for kind in sorted(KINDS - {k for k, text in page.items() if EXAMPLE.search(text)}):
        findings.append(f"docs/adding.md: `{kind}` has no example that is counted")
    for kind, text in page.items():
        for example in EXAMPLE.findall(text):
            word = re.compile(example)
            found = [p for p, content in sources.items() if p not in LISTS and word.search(content)]
            paths = {path: pattern_of(path) for path in PATH.findall(text)}
            counted += len(found)
            if not found:
                findings.append(f"docs/adding.md: `{kind}`: nothing is found by `{example}`")
            for place in found:
                if not any(pattern.match(place) for pattern in paths.values()):
                    findings.append(f"docs/adding.md: `{kind}` does not name {place}, where `{example}` is found")
            for path, pattern in paths.items():
                if not any(pattern.match(place) for place in found):
                    findings.append(f"docs/adding.md: `{kind}` names {path}, where nothing is found by `{example}`")
    return finish(findings, counted, "files of examples")


if __name__ == "__main__":
    run(main)
