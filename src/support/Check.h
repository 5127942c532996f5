// TSR_CHECK: an internal invariant. A failure is a bug of the compiler: it throws InternalError, which
// the tools turn into a message that asks for a report; it never aborts and is never compiled out.
#pragma once
#include <stdexcept>
#include <string>

namespace tessera {

class InternalError : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// The place is named as in the repository: where that lay on the machine that compiled it is nobody's business.
[[noreturn]] inline void internalError(const std::string &file, int line, const std::string &what) {
  const size_t inside = file.rfind("/src/");
  throw InternalError(file.substr(inside == std::string::npos ? 0 : inside + 1) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace tessera

#define TSR_CHECK(condition, message)                                      \
  do {                                                                     \
    if (!(condition)) ::tessera::internalError(__FILE__, __LINE__, message); \
  } while (false)
#define TSR_UNREACHABLE(message) ::tessera::internalError(__FILE__, __LINE__, message)
