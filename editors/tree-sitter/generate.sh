#!/bin/sh
# Makes src/parser.c of grammar.js: generate.sh [PROGRAM], with tree-sitter 0.20.8 or later. What it was made of is written beside
# it, so that a test can say when it is not up to date.
set -eu
cd "$(dirname "$0")"
"${1:-tree-sitter}" generate --no-bindings
cat grammar.js tokens.js | sha256sum | cut -d' ' -f1 > src/made-of
