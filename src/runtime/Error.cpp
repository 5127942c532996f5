// The text of the last error, one for each thread: the same place that emitted code uses, whichever of them fails.
#include "runtime/Internal.h"
#include "tessera/entry.h"
#include <cstdarg>
#include <cstdio>

namespace tessera::runtime {

TessStatus fail(TessStatus status, const char *format, ...) {
  auto &text = tsr::detail::error_text().text;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace tessera::runtime
