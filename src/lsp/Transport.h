// Messages of the protocol: a header with a length, then JSON. Reading ends at the end of the input or where the input is
// no such message.
#pragma once
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera::lsp {

using Json = nlohmann::json;

class Transport {
public:
  Transport(std::FILE *in, std::FILE *out) : in_(in), out_(out) {}
  /// The text of the next message; nothing at the end.
  std::optional<std::string> read();
  /// May be called by several threads.
  void write(const Json &message);

private:
  std::FILE *in_, *out_;
  std::mutex mutex_;
};

}  // namespace tessera::lsp
