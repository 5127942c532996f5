// Any bytes at all.
#include "Exercise.h"
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tessera::fuzz::exercise({reinterpret_cast<const char *>(data), size});
  return 0;
}
