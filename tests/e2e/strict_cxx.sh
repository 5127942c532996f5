#!/bin/sh
# A host compiler that lets no warning pass: what programs run in the tests is compiled by it.
exec g++ "$@" -Wall -Wextra -Werror
