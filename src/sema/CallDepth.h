// How deep calls may stand inside of one another while they are checked.
#pragma once
#include <cstddef>

namespace tessera::sema {

/// A limit to calls in number, and to what they need of the machine's stack, because each of them may nest deeply, too.
class CallDepth {
public:
  static constexpr size_t kMostCalls = 200;
  static constexpr std::ptrdiff_t kMostStack = 4 << 20;  // bytes; half of what programs get

  /// `here`: an address in the frame of the caller. Once it was exceeded less is allowed: the program is in error.
  bool exceeds(size_t calls, const char *here) {
    if (!begin_) begin_ = here;
    bool now = calls > (exceeded_ ? kMostCalls / 8 : kMostCalls) || begin_ - here > kMostStack;
    exceeded_ |= now;
    return now;
  }

private:
  const char *begin_ = nullptr;  // where the first expression was met
  bool exceeded_ = false;
};

}  // namespace tessera::sema
