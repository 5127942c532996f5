// What a check found in one program, and the text form in which a cache keeps it.
#pragma once
#include "diag/Diagnostic.h"
#include "driver/check/Texts.h"
#include "support/Sources.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {
class Session;

/// A file that a result rests on. The hash of one that must be missing is "-".
struct Dependency {
  std::string path, hash;
};

/// What the check of one function took, without that of the functions it needs.
struct FunctionTime {
  std::string name, path;
  uint32_t line = 0;
  double milliseconds = 0;  // of the processor
};

struct Report {
  std::string path;
  Sources sources;
  diag::Engine diagnostics;
  std::vector<Dependency> dependencies;  // the program itself first, then what it imports, also what it looked for
  std::vector<FunctionTime> times;        // empty if it comes from the cache
  double reading = 0, checking = 0;       // milliseconds of the processor: of the text in this thread, and of all behind it
  double readingClock = 0, checkingClock = 0;  // ... and by the clock
  size_t threads = 1;                          // that checked it
  bool unreadable = false;
  bool internalError = false;
  bool fromCache = false;
};

/// What is done with a program that is right, such as compiling it to nowhere; it reports into the session's engine.
using CheckMore = std::function<void(Session &)>;
/// Reads, parses and checks a program, and does more with one that is right. Never throws: a mistake of the compiler becomes
/// a diagnostic. A large program that is only checked is checked in up to `threads` threads.
std::unique_ptr<Report> checkProgram(const std::string &path, Texts &texts, const CheckMore &more = {}, size_t threads = 1);
/// The files that the session read or missed, as far as the report does not know them.
void addDependencies(Report &report, const Session &session, Texts &texts);

/// The report as JSON, and back. Nothing if the text is no report, or a file that it rests on has changed.
std::string savedReport(const Report &report);
std::unique_ptr<Report> restoredReport(const std::string &saved, Texts &texts);

}  // namespace tessera::driver
