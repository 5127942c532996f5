#!/usr/bin/env python3
"""The project speaks of itself alone, and says nothing that it does not do.

Fails on notes to oneself, on promises, on paths of one machine, on issues by number, and on names of tools
that write text. A line that must hold such a word (this list) carries `words: allowed`.
"""

import re
from house import arguments, files, finish, run, text_of

FOLDERS = [
    "src", "include", "grammar", "stdlib", "cmake", "scripts", "tests", "examples", "bench", "editors", "docs",
    "README.md", "CONTRIBUTING.md", "CMakeLists.txt", "CMakePresets.json", "dev",
]
SUFFIXES = [
    ".h", ".hpp", ".cpp", ".cu", ".cuh", ".c", ".td", ".g4", ".py", ".cmake", ".def", ".tsr", ".md", ".txt", ".json",
    ".mlir", ".test", ".in", ".sh", "dev",
]
RULES = [
    (r"\b(?:TODO|FIXME|XXX|HACK)\b", "a note to oneself: do it, or say what is so"),  # words: allowed
    (r"\b(?i:placeholder|coming soon|not (?:yet )?implemented yet|to be implemented|stubbed)\b", "a promise"),  # words: allowed
    (r"(?<![\w.@])/(?:work|root|home/\w+|Users/\w+)(?=/|\b(?!-))(?![\w]*\()", "a path of one machine"),  # words: allowed
    (r"\b(?i:issue|ticket|PR|pull request)s? ?#?\d+\b", "an issue by number"),  # words: allowed
    (r"\b(?i:chatgpt|copilot|claude|anthropic|openai|gpt-?[3-9]|gemini|llm[- ]generated|ai[- ]generated)\b", "a tool that writes text"),  # words: allowed
    (r"\b(?i:as an ai|language model wrote|coding agent|sub-?agents?)\b", "a tool that writes text"),  # words: allowed
    (r"\bWIP\b", "a note to oneself"),  # words: allowed
]
PATTERNS = [(re.compile(pattern), why) for pattern, why in RULES]


def main():
    args = arguments(__doc__).parse_args()
    findings = []
    checked = files(args.root, FOLDERS, SUFFIXES)
    for path in checked:
        name = path.relative_to(args.root).as_posix()
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if "words: allowed" in line:
                continue
            for pattern, why in PATTERNS:
                match = pattern.search(line)
                if match:
                    findings.append(f"{name}:{number}: `{match.group(0)}`: {why}")
    return finish(findings, len(checked), "files")


if __name__ == "__main__":
    run(main)
