// The sentence of tessLastErrorText: one place in a program for the emitted code of all its targets.
#pragma once
#include "tessera/abi.h"

namespace tsr {

/// Why the last call of this thread failed.
struct ErrorText {
  char text[1024] = "";
};
inline ErrorText &error_text() {
  static thread_local ErrorText error;
  return error;
}

}  // namespace tsr

/// A symbol with the number of the emitted file: who loads a library finds out by it whether a manifest is of the same compile.
#define TESS_SET(number)                                                                 \
  extern "C" {                                                                           \
  extern __attribute__((visibility("default"))) const char tessSet_##number;             \
  __attribute__((used)) const char tessSet_##number = 0;                                 \
  }

// One definition in a program, whichever emitted file it comes from.
extern "C" __attribute__((weak)) const char *tessLastErrorText(void) { return tsr::error_text().text; }
