// The text of the last error, one for each thread: the same place that emitted code of this program uses. A shared library
// of emitted code has a place of its own; loading one copies its text from there (Cpu.cpp).
#include "runtime/Internal.h"
#include "tessera/entry.h"
#include <cstdarg>
#include <cstdio>

namespace tessera::runtime {

TessStatus fail(TessStatus status, const char *format, ...) {
  auto &text = tsr::error_text().text;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

void clearError() { tsr::error_text().text[0] = '\0'; }

}  // namespace tessera::runtime
