// Work beside the server that may take long: a copy of the process does it, with all that the server knows at that moment, and
// sends a text back. It can be stopped at any time, and what goes wrong in it harms nobody.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace tessera::lsp {

class Background {
public:
  Background() = default;
  ~Background() { stop(); }
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;
  /// Stops what was going on.
  void start(const std::function<std::string()> &work);
  void stop();
  /// Where the text comes from, to be waited for; -1: nothing goes on.
  int descriptor() const { return descriptor_; }
  /// Takes in what has come. The text, once it is whole.
  std::optional<std::string> take();

private:
  pid_t child_ = -1;
  int descriptor_ = -1;
  std::string text_;
};

}  // namespace tessera::lsp
