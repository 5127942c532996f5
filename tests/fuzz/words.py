#!/usr/bin/env python3
"""A libFuzzer dictionary of the language's words: those between quotes in the lexer grammar and the tables."""
import re
import sys

target, *sources = sys.argv[1:]
words = set()
for path in sources:
    text = open(path, encoding="utf-8").read()
    if path.endswith(".g4"):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        words.update(word for word in re.findall(r"'((?:[^'\\\n]|\\.)+)'", text) if "\\" not in word)
    else:
        words.update(re.findall(r'"([A-Za-z_][A-Za-z_0-9]*)"', text))
words.update([' \\n', "\\n    ", "where ", "effects[", "policy ", "struct ", "state "])
with open(target, "w", encoding="utf-8") as out:
    for word in sorted(words):
        escaped = word.replace('"', '\\"').replace("\\n", "\\x0a")
        out.write(f'"{escaped}"\n')
