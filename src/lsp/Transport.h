// Messages of the protocol: a header with a length, then JSON. Nothing here starts a thread: who serves asks for what has
// come, and waits when there is nothing else to do.
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera::lsp {

using Json = nlohmann::json;

class Transport {
public:
  using Clock = std::chrono::steady_clock;
  Transport(int in, int out) : in_(in), out_(out) {}
  /// Takes in what has come, without waiting, or waits for more: until then, or for ever.
  void receive();
  /// `beside`: another descriptor that ends the wait, or -1. Whether something has come there.
  bool await(std::optional<Clock::time_point> until, int beside = -1);
  /// Whether more has come than was taken in.
  bool waiting() const { return !ended_ && ready(0); }
  /// The text of the next message that has come whole.
  std::optional<std::string> next();
  /// The input has ended, or is no message: nothing more will come.
  bool ended() const { return ended_; }
  void write(const Json &message);

private:
  bool ready(int milliseconds, int beside = -1, bool *besideReady = nullptr) const;
  void fill();
  bool takeHeader();
  int in_, out_;
  std::string buffer_;
  size_t at_ = 0;                 // of the buffer: what comes before was taken
  std::optional<size_t> length_;  // of the message whose header was taken
  bool ended_ = false;
};

}  // namespace tessera::lsp
