#!/usr/bin/env python3
"""What the pages point at exists.

Relative links of Markdown files must resolve, and so must paths in backquotes that start with a folder of the
project. Patterns (`*`), things to fill in (`<phase>`), `{a,b}` and `...` are not paths.
"""

import re
from house import arguments, files, finish, run, text_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:src|include|tests|docs|scripts|cmake|grammar|stdlib|examples|bench)/[\w./-]*\w/?)`")


def main():
    args = arguments(__doc__).parse_args()
    findings = []
    checked = files(args.root, ["docs", "README.md", "CONTRIBUTING.md"], [".md"])
    for path in checked:
        name = path.relative_to(args.root).as_posix()
        fenced = False
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced:
                continue
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if "://" in target or target.startswith(("#", "mailto:")):
                    continue
                if not (path.parent / target.split("#")[0]).exists():
                    findings.append(f"{name}:{number}: the link {target} leads nowhere")
            for target in PATH.findall(line):
                if not (args.root / target).exists():
                    findings.append(f"{name}:{number}: `{target}` does not exist")
    return finish(findings, len(checked), "pages")


if __name__ == "__main__":
    run(main)
