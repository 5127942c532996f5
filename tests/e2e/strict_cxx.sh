#!/bin/sh
# A host compiler that lets no warning pass: what programs run in the tests is compiled by it.
[ -z "${TESSERA_SANITIZED:-}" ] || exec "$(dirname "$0")/../../scripts/sanitized_cxx.sh" "$@"  # ./dev asan whole
exec g++ "$@" -Wall -Wextra -Werror
