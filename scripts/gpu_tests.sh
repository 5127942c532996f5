#!/usr/bin/env bash
# The tests that need a GPU. They need nvcc and the built tools, but neither LLVM nor ANTLR: the tools are static, so
# that a build made elsewhere can be brought along (build/release/bin).
set -uo pipefail
cd "$(dirname "$0")/.."
BIN=${TESSERA_BIN:-$PWD/build/release/bin}
ARCH=${TESSERA_GPU_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d . | sed 's/^/sm_/;s/^sm_90$/sm_90a/')}
export TESSERA_CACHE=${TESSERA_CACHE:-$PWD/build/gpu-cache}
export PATH=$PATH:/usr/local/cuda/bin
passed=0 failed=0

if ! command -v nvcc >/dev/null || ! nvidia-smi >/dev/null 2>&1; then
  echo "no nvcc or no GPU here: the GPU tests are SKIPPED"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
if [ ! -x "$BIN/canon_check" ]; then
  echo "build first (./dev build), or bring build/release/bin along" >&2
  exit 1
fi
echo "GPU: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1), $ARCH"

check() { # name command...
  local name=$1; shift
  local output
  if output=$("$@" 2>&1); then passed=$((passed + 1)); echo "ok     $name: $(tail -1 <<<"$output")"
  else failed=$((failed + 1)); echo "FAILED $name"; tail -40 <<<"$output"; return 1; fi
}

canon=(tests/canon/0[1-8]_*.tsr)
# Device code has no `main`: host programs run on the CPU alone.
programs=($(grep -l '^# run:' tests/e2e/programs/*.tsr examples/*.tsr))
# nvcc takes most of the time: compile several programs at once, print in order.
mkdir -p build/gpu-logs
started() { # program command...
  local log=build/gpu-logs/${1//\//_}; shift
  ("$@" >"$log.log" 2>&1; echo $? >"$log.status") &
}
for program in "${canon[@]}"; do started "$program" "$BIN/canon_check" --target "cuda:$ARCH" "$program"; done
for program in "${programs[@]}"; do
  started "$program" python3 tests/e2e/programs.py --target "cuda:$ARCH" "$BIN/tessera" "$program"
done
wait
for program in "${canon[@]}" "${programs[@]}"; do
  log=build/gpu-logs/${program//\//_}
  check "$program" bash -c "cat $log.log; exit \$(cat $log.status)"
done
[ -x "$BIN/runtime_test" ] && check runtime "$BIN/runtime_test"
[ -x "$BIN/runtime_gpu_test" ] && check runtime_gpu "$BIN/runtime_gpu_test"
only=(); [ "$ARCH" = sm_90a ] && only=(-DTSR_TEST_SM90A)
check "device headers: compile" nvcc -x cu -std=c++17 -O2 -fmad=false -arch="$ARCH" "${only[@]}" -Iinclude -Itests/device tests/device/device_tests.cpp -o build/gpu-logs/device_tests &&
  check "device headers: run" build/gpu-logs/device_tests
if command -v compute-sanitizer >/dev/null && [ "${TESSERA_SANITIZE:-1}" = 1 ]; then
  for program in 06_cooperative_reduction 07_double_buffered_gemm; do
    check "memcheck $program" compute-sanitizer --tool memcheck --error-exitcode 9 "$BIN/canon_check" --quick --target "cuda:$ARCH" "tests/canon/$program.tsr"
    check "racecheck $program" compute-sanitizer --tool racecheck --error-exitcode 9 "$BIN/canon_check" --quick --target "cuda:$ARCH" "tests/canon/$program.tsr"
  done
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
