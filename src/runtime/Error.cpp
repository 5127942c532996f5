// The text of the last error, one for each thread.
#include "runtime/Internal.h"
#include <cstdarg>
#include <cstdio>

namespace tessera::runtime {
namespace {
thread_local std::string lastError;
}

TessStatus fail(TessStatus status, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lastError = text;
  return status;
}

}  // namespace tessera::runtime

extern "C" const char *tessLastErrorText(void) { return tessera::runtime::lastError.c_str(); }
