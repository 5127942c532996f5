#!/bin/sh
# What `./dev asan whole` compiles emitted code with: the host compiler and its sanitizers. What calls the code has their
# libraries loaded before all others (LD_PRELOAD), which the compiler itself does not need.
unset LD_PRELOAD
exec g++ "$@" -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
