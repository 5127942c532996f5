// What the headers of include/tessera/device have for sm_90a alone. What all machines have is in device_tests.cpp, which
// scripts/gpu_tests.sh compiles for that one, too.
#include "harness.h"
#include "tiled_tests.h"
#include "window_tests.h"
#include "mma_tests.h"

int main() {
  tiled_tests::all();
  window_tests::all();
  mma_tests::all();
  std::printf("%d passed, %d failed\n", harness::passed, harness::failed);
  return harness::failed ? 1 : 0;
}
