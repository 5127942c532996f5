// Programs that are nearly right: trees of known programs are recombined, and sentences of the grammar put in.
#include "Exercise.h"
#include "Mutation.h"
#include <cstdint>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tessera::fuzz::exercise({reinterpret_cast<const char *>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  if (seed % 20 == 0) return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = tessera::fuzz::changed({reinterpret_cast<const char *>(data), size}, seed);
  size_t length = text.size() < maxSize ? text.size() : maxSize;
  std::memcpy(data, text.data(), length);
  return length;
}
