#include "driver/Console.h"
#include "driver/Embedded.h"
#include "driver/Files.h"
#include "support/Check.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tessera::driver {

ExitCode exitCodeOf(const diag::Engine &diagnostics) {
  using diag::Id;
  bool usage = false;
  for (const diag::Diagnostic &d : diagnostics.all()) {
    if (d.severity != diag::Severity::Error) continue;
    switch (d.id) {
    case Id::cannotReadFile:
    case Id::isDirectory:
    case Id::fileTooLarge:
    case Id::unknownTarget:
    case Id::unknownSuffix:
    case Id::outputIsInput:
    case Id::noSuchFunction:
    case Id::badArgument:
    case Id::badMesh:
    case Id::badOption: usage = true; break;
    default: return kProgramHasErrors;
    }
  }
  return usage ? kBadUsage : kSuccess;
}

bool wantsColour(int fileDescriptor) {
  const char *terminal = std::getenv("TERM");
  return isatty(fileDescriptor) && !std::getenv("NO_COLOR") && terminal && std::strcmp(terminal, "dumb") != 0;
}

diag::TextStyle terminalStyle() {
  diag::TextStyle style;
  style.colour = wantsColour(2);
  winsize size{};
  if (ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) style.width = size.ws_col;
  return style;
}

void printMessages(const Session &session, MessageFormat format) {
  if (format == MessageFormat::Json) {
    std::printf("%s\n", diag::renderJson(session.diagnostics, session.sources).c_str());
    return;
  }
  if (session.diagnostics.all().empty()) return;
  std::fputs(diag::renderText(session.diagnostics, session.sources, terminalStyle()).c_str(), stderr);
}

std::string writeSarif(const std::string &path, const diag::Findings &findings, const std::string &tool) {
  auto pageOf = [](std::string_view code) -> std::string_view {
    for (const EmbeddedFile &page : embeddedPages())
      if (page.path == std::string(code) + ".md") return page.text;
    return {};
  };
  std::string text = diag::renderSarif(diag::shortened(findings).shown, {tool, TESSERA_VERSION, pageOf});
  if (path != "-") {
    OutputFile log{path, text, "sarif-2.1.0"};
    if (!foreignAmong({log}).empty()) return "it is there, and is no such log; give another name to --sarif";
    return writeFiles({log});
  }
  std::fputs(text.c_str(), stdout);
  return {};
}

int guardedMain(const std::function<int()> &body) {
  try {
    int code = body();
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
    std::fprintf(stderr, "error[E0703]: I cannot write to the standard output: %s\n", std::strerror(errno));
    return code == kSuccess ? kProgramHasErrors : code;
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
