// Work beside the server that may take long: another process does it, reads a text and sends one back. It can be stopped at any
// time, and what goes wrong in it harms nobody.
#pragma once
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tessera::lsp {

class Background {
public:
  Background() = default;
  ~Background();
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;
  /// Starts a program with `input` on its standard input. What was going on is stopped.
  void start(const std::vector<std::string> &command, const std::string &input);
  void stop();
  /// Where the text comes from, to be waited for; -1: nothing goes on.
  int descriptor() const { return descriptor_; }
  /// Takes in what has come. The text, once it is whole; empty if the program failed.
  std::optional<std::string> take();

private:
  void bury();
  std::vector<pid_t> stopped_;  // they may still be giving their memory back
  pid_t child_ = -1;
  int descriptor_ = -1;
  std::string text_;
};

}  // namespace tessera::lsp
