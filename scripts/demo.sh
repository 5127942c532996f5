#!/usr/bin/env bash
# Compiles an example to C++, CUDA and HIP, runs the C++ one on real arrays and compares it with the reference.
set -euo pipefail
cd "$(dirname "$0")/.."
BIN=$1/bin
OUT=build/demo
mkdir -p "$OUT"
say() { if [ -t 1 ]; then printf '\n\033[1m== %s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi; }

say "examples/softmax.tsr, compiled for three kinds of machine"
for suffix in cpp cu hip; do
  "$BIN/tesserac" examples/softmax.tsr -o "$OUT/softmax.$suffix"
  echo "  $PWD/$OUT/softmax.$suffix   $(wc -l <"$OUT/softmax.$suffix") lines"
done
if NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); then
  "$NVCC" -std=c++17 -fmad=false -arch=sm_80 -Iinclude -c "$OUT/softmax.cu" -o "$OUT/softmax.cu.o" && echo "  nvcc compiles the CUDA source"
else
  echo "  no CUDA toolkit here: the CUDA source is not compiled (SKIPPED)"
fi
if command -v clang++-19 >/dev/null && [ -d /usr/lib/x86_64-linux-gnu/amdgcn/bitcode ]; then
  clang++-19 -x hip -std=c++17 --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode --offload-arch=gfx90a -O2 -Iinclude -c "$OUT/softmax.hip" -o "$OUT/softmax.hip.o" && echo "  clang compiles the HIP source"
else
  echo "  no HIP toolchain here: the HIP source is not compiled (SKIPPED)"
fi

say "the C++ one on 2000 rows of 1009 random numbers, compared with the reference interpreter"
"$BIN/tessera" run examples/softmax.tsr softmax --random R=2000,C=1009 --seed 7 --check --time --out "$OUT/y.npy"
echo "  the result is in $PWD/$OUT/y.npy"
