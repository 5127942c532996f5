#include "driver/Console.h"
#include "diag/Render.h"
#include "support/Check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera::driver {

bool wantsColour(int fileDescriptor) {
  const char *terminal = std::getenv("TERM");
  return isatty(fileDescriptor) && !std::getenv("NO_COLOR") && terminal && std::strcmp(terminal, "dumb") != 0;
}

void printMessages(const Session &session, MessageFormat format) {
  if (format == MessageFormat::Json) {
    std::printf("%s\n", diag::renderJson(session.diagnostics, session.sources).c_str());
    return;
  }
  if (format == MessageFormat::Sarif) {
    std::printf("%s\n", diag::renderSarif(session.diagnostics, session.sources).c_str());
    return;
  }
  if (session.diagnostics.all().empty()) return;
  diag::TextStyle style;
  style.colour = wantsColour(2);
  winsize size{};
  if (ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) style.width = size.ws_col;
  std::fputs(diag::renderText(session.diagnostics, session.sources, style).c_str(), stderr);
}

int guardedMain(const std::function<int()> &body) {
  try {
    return body();
  } catch (const InternalError &error) {
    std::fprintf(stderr, "error[E0709]: this is a mistake in the compiler, not in your program: %s\n  nothing was written; please report it with the program that shows it\n", error.what());
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "error[E0709]: there is no memory left; nothing was written\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error[E0709]: this is a mistake in the compiler, not in your program: %s\n  nothing was written; please report it with the program that shows it\n", error.what());
  }
  return kInternalError;
}

}  // namespace tessera::driver
