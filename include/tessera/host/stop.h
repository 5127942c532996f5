// How host code ends where it cannot go on: with a message on standard error and exit status 1, or, within a `try`, by an exception that
// its `except` looks at. The kinds of errors have Python's names.
#pragma once
#include "tessera/host/apart.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tsr {
namespace host {

/// Those that a name of Python's stands for follow each other: LookupError is KeyError and IndexError.
enum ErrorKind : int64_t {
  kValueError = 1,
  kKeyError,
  kIndexError,
  kZeroDivisionError,
  kOverflowError,
  kFileNotFoundError,
  kOSError,
  kNotImplementedError,
  kRuntimeError,
  kAssertionError,
  kMemoryError,
  kTypeError,
  kEOFError,
  kOtherError,
};

/// What a `try` catches: the message, and how the program shows it if nothing does.
struct Stopped {
  int64_t kind;
  std::string message, shown;
};
/// As long as one lives, errors are exceptions.
class Trying {
public:
  Trying() { ++depth(); }
  ~Trying() { --depth(); }
  Trying(const Trying &) = delete;
  Trying &operator=(const Trying &) = delete;
  static int &depth() {
    static thread_local int depth = 0;
    return depth;
  }
};

namespace detail {
[[noreturn]] TSR_APART void stop_as(const Stopped &stopped) {
  if (Trying::depth() > 0) throw stopped;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", stopped.shown.c_str());
  std::exit(1);
}
/// The error that was caught last.
TSR_APART Stopped &last_caught() {
  static Stopped last = {kOtherError, "", ""};
  return last;
}
}  // namespace detail

/// Ends the program with a message, or what a `try` does.
[[noreturn]] TSR_APART void stop(const std::string &message, int64_t kind = kRuntimeError) { detail::stop_as({kind, message, message}); }

/// What `except` begins with, asks, and names.
TSR_APART void caught(const Stopped &stopped) { detail::last_caught() = stopped; }
TSR_APART bool caught_kind(int64_t first, int64_t last) {
  const int64_t kind = detail::last_caught().kind;
  return kind >= first && kind <= last;
}
TSR_APART std::string caught_text() { return detail::last_caught().message; }
/// `raise ValueError(text)`, `raise`, and `sys.exit(code)`.
[[noreturn]] TSR_APART void raise_error(const std::string &name, int64_t kind, const std::string &text) {
  detail::stop_as({kind, text, name + (text.empty() ? "" : ": " + text)});
}
[[noreturn]] TSR_APART void raise_again() { detail::stop_as(Stopped(detail::last_caught())); }
[[noreturn]] TSR_APART void exit_program(int64_t code) {
  std::fflush(stdout);
  std::exit(static_cast<int>(code & 255));
}

}  // namespace host
}  // namespace tsr
