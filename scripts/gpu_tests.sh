#!/usr/bin/env bash
# The tests that need a GPU. They need nvcc and the built tools, but neither LLVM nor ANTLR: the tools are static, so
# that a build made elsewhere can be brought along (build/release/bin).
#
#   gpu_tests.sh                            everything
#   gpu_tests.sh --part 2/5                 the second fifth: what takes too long at once is run in parts, in any order
#   gpu_tests.sh --sanitize memcheck        every program once more under a tool of compute-sanitizer: memcheck, racecheck,
#                                           synccheck or initcheck; several with commas between them
#   gpu_tests.sh --only attention           the tests whose names have that in them
set -uo pipefail
export LC_ALL=C  # the parts are the same on every machine
cd "$(dirname "$0")/.."
BIN=${TESSERA_BIN:-$PWD/build/release/bin}
ARCH=${TESSERA_GPU_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d . | sed 's/^/sm_/;s/^sm_90$/sm_90a/')}
export TESSERA_CACHE=${TESSERA_CACHE:-$PWD/build/gpu-cache}
export PATH=$PATH:/usr/local/cuda/bin
LOGS=$PWD/build/gpu-logs/$$  # several may run at once
export TESSERA_TEST_SECONDS=${TESSERA_TEST_SECONDS:-300}  # for one run of a program
RUNS=50  # of a program in one process under a tool, at most
part=1 parts=1 tools= only=
wrong() { echo "gpu_tests.sh: $1" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --part) [[ ${2:-} =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || wrong "--part is followed by which of how many, such as 1/3"
            part=${BASH_REMATCH[1]} parts=${BASH_REMATCH[2]}; [ "$part" -le "$parts" ] || wrong "there is no part $2"; shift 2 ;;
    --sanitize) [ -n "${2:-}" ] || wrong "--sanitize is followed by memcheck, racecheck, synccheck or initcheck"
                tools=${2//,/ }; shift 2
                for tool in $tools; do case $tool in memcheck | racecheck | synccheck | initcheck) ;; *) wrong "compute-sanitizer has no tool $tool" ;; esac; done ;;
    --only) [ -n "${2:-}" ] || wrong "--only is followed by a part of a name"; only=$2; shift 2 ;;
    *) wrong "I do not know $1" ;;
  esac
done

if ! command -v nvcc >/dev/null || ! nvidia-smi >/dev/null 2>&1; then
  echo "no nvcc or no GPU here: the GPU tests are SKIPPED"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi
[ -z "$tools" ] || command -v compute-sanitizer >/dev/null || wrong "compute-sanitizer is not here; it comes with CUDA's toolkit"
if [ ! -x "$BIN/canon_check" ]; then
  echo "build first (./dev build), or bring build/release/bin along" >&2
  exit 1
fi
mkdir -p "$LOGS"
echo "GPU: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1), $ARCH, part $part of $parts${tools:+, under $tools}"

# Every test is a name and the words that run it. Each part has every so-manieth of them: neighbours take alike long.
names=() commands=() number=0
declare_test() { # name command...
  local name=$1; shift
  [[ $name == *"$only"* ]] || return 0
  if [ $((number++ % parts + 1)) = "$part" ]; then names+=("$name"); commands+=("$(printf '%q ' "$@")"); fi
}
device_headers() {
  local only=()
  [ "$ARCH" = sm_90a ] && only=(-DTSR_TEST_SM90A)
  nvcc -x cu -std=c++17 -O2 -fmad=false -arch="$ARCH" "${only[@]}" -Iinclude -Itests/device tests/device/device_tests.cpp -o "$LOGS/device_tests" && "$LOGS/device_tests"
}
# Collectives between two GPUs or more, without NVLink's multicast. NCCL comes with CUDA, or from NCCL_HOME.
collectives() {
  nvcc -x cu -std=c++17 -O2 -fmad=false -arch="$ARCH" ${NCCL_HOME:+-I"$NCCL_HOME/include" -Xlinker -rpath="$NCCL_HOME/lib" -L"$NCCL_HOME/lib"} \
    -Iinclude -Itests/device tests/device/collectives_test.cpp -o "$LOGS/collectives_test" -Xlinker -l:libnccl.so.2 && NCCL_NVLS_ENABLE=0 "$LOGS/collectives_test"
}
# Runs a command of ours under a tool. What the tool says goes to a file of its own; what it finds is status 9.
sanitized() { # tool seconds program...
  local tool=$1 seconds=$2; shift 2
  printf '#!/bin/sh\nexec timeout %s compute-sanitizer --tool %s --target-processes all --require-cuda-init no --error-exitcode 9 --log-file "%s/%s.%%p.log" "%s" "$@"\n' \
    "$seconds" "$tool" "$LOGS" "$tool" "$1" >"$LOGS/$tool.$(basename "$1")"
  chmod +x "$LOGS/$tool.$(basename "$1")"
  echo "$LOGS/$tool.$(basename "$1")"
}
export -f device_headers collectives
export ARCH LOGS

canon=(tests/canon/0[1-8]_*.tsr)
# Device code has no `main`: host programs run on the CPU alone.
programs=($(grep -l '^# run:' tests/e2e/programs/*.tsr examples/*.tsr))
if [ -z "$tools" ]; then
  for program in "${canon[@]}"; do declare_test "$program" "$BIN/canon_check" --target "cuda:$ARCH" "$program"; done
  for program in "${programs[@]}"; do declare_test "$program" python3 tests/e2e/programs.py --target "cuda:$ARCH" "$BIN/tessera" "$program"; done
  for test in runtime_test runtime_gpu_test; do [ -x "$BIN/$test" ] && declare_test "$test" "$BIN/$test"; done
  declare_test "device headers" bash -c device_headers
  if [ "$(nvidia-smi --list-gpus | wc -l)" -ge 2 ]; then
    declare_test "collectives" bash -c collectives
    for program in tests/e2e/devices/*.tsr; do declare_test "$program" python3 -B tests/e2e/devices.py "$BIN/tesserac" "$BIN/tessera" "$program" --target "cuda:$ARCH"; done
  fi
  python3 -c "import torch" 2>/dev/null && declare_test "operators of PyTorch" env TESSERA_TORCH_TARGET=cuda TESSERA_HOME="$(dirname "$BIN")" python3 -B tests/python/test_torch.py
  # Two programs with barriers are looked at each time.
  if command -v compute-sanitizer >/dev/null && [ "${TESSERA_SANITIZE:-1}" = 1 ]; then
    for program in 06_cooperative_reduction 07_double_buffered_gemm; do
      for tool in memcheck racecheck; do
        declare_test "$tool $program" "$(sanitized "$tool" 300 "$BIN/canon_check")" --quick --target "cuda:$ARCH" "tests/canon/$program.tsr"
      done
    done
  fi
else
  export NVCC_APPEND_FLAGS="${NVCC_APPEND_FLAGS:-} -DTSR_SEPARATE_TEMPORARIES"  # what is read or written behind a temporary is found
  for tool in $tools; do
    check=$(sanitized "$tool" "$TESSERA_TEST_SECONDS" "$BIN/canon_check") run=$(sanitized "$tool" $((TESSERA_TEST_SECONDS * RUNS)) "$BIN/tessera")
    for program in "${canon[@]}"; do declare_test "$tool $program" "$check" --quick --target "cuda:$ARCH" "$program"; done
    for program in "${programs[@]}"; do
      # A run takes seconds under a tool. So many of a program, which are one process, go side by side with its others.
      runs=$(python3 -c 'import sys; sys.path.insert(0, "tests/e2e"); import programs; print(len(list(programs.runs_of(open(sys.argv[1]).read()))))' "$program")
      of=$(((runs + RUNS - 1) / RUNS))
      for i in $(seq $of); do
        declare_test "$tool $program $i/$of" python3 tests/e2e/programs.py --target "cuda:$ARCH" --reference "$BIN/tessera" --part "$i/$of" "$run" "$program"
      done
    done
    [ -x "$BIN/runtime_gpu_test" ] && declare_test "$tool runtime_gpu_test" "$(sanitized "$tool" "$TESSERA_TEST_SECONDS" "$BIN/runtime_gpu_test")"
  done
fi
[ ${#names[@]} -gt 0 ] || wrong "no test is called so"

# nvcc takes most of the time: as many run at once as there are cores. Each says how it ended when it did: what follows may be cut off.
run_one() { # number
  local log=$LOGS/test_$1.log began=$SECONDS status
  bash -c "${commands[$1]}" >"$log" 2>&1; status=$?
  echo "$status" >"$LOGS/test_$1.status"
  if [ "$status" = 0 ]; then echo "ok     ${names[$1]} ($((SECONDS - began)) s): $(tail -1 "$log")"
  else printf 'FAILED %s (%d s, status %d)\n%s\n' "${names[$1]}" $((SECONDS - began)) "$status" "$(tail -40 "$log")"; fi
}
for i in "${!names[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n; done
  run_one "$i" &
done
wait
passed=$(grep -lx 0 "$LOGS"/test_*.status | wc -l)
failed=$((${#names[@]} - passed))
for tool in $tools; do grep -h -A12 -E '^========= (Invalid|Race|Error|Warning|Barrier|Uninit|Program hit)' "$LOGS/$tool".*.log 2>/dev/null | head -60; done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
