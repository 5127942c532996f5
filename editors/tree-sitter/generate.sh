#!/bin/sh
# Makes src/parser.c of grammar.js: generate.sh [PROGRAM], with tree-sitter 0.20.8 to 0.24. What it was made of is written beside
# it, so that a check can say when it is not up to date.
set -eu
cd "$(dirname "$0")"
"${1:-tree-sitter}" generate --no-bindings
rm -f src/tree_sitter/alloc.h src/tree_sitter/array.h  # newer programs write them, and src/scanner.c includes neither
cat grammar.js tokens.js | sha256sum | cut -d' ' -f1 > src/made-of
