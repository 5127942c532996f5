#!/usr/bin/env python3
"""Writes a C++ file that holds the texts of files, so that the tools need no folder beside them.

usage: embed.py OUTPUT ROOT FILE...     each FILE's key is its path relative to ROOT
"""
import os
import sys

PIECE = 12000  # characters a string literal: compilers promise 65,536 at least


def literal(text: str) -> str:
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)] or [""]
    return "\n".join(f'R"tsr({piece})tsr"' for piece in pieces)


def main() -> None:
    output, root, files = sys.argv[1], sys.argv[2], sorted(sys.argv[3:])
    rows = []
    for path in files:
        text = open(path, encoding="utf-8").read()
        key = os.path.relpath(path, root)
        rows.append(f'  {{"{key}", std::string_view({literal(text)}, {len(text.encode())})}},')
    name = os.path.splitext(os.path.basename(output))[0]
    body = "\n".join(rows)
    with open(output, "w", encoding="utf-8") as out:
        out.write(f'// Made by scripts/embed.py.\n#include "driver/Embedded.h"\nnamespace tessera::driver {{\n'
                  f"const std::vector<EmbeddedFile> &embedded{name}() {{\n"
                  f"  static const std::vector<EmbeddedFile> files = {{\n{body}\n  }};\n  return files;\n}}\n}}\n")


if __name__ == "__main__":
    main()
