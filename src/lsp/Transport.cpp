#include "lsp/Transport.h"
#include <cstdlib>
#include <cstring>
#include <strings.h>

namespace tessera::lsp {

namespace {
constexpr size_t kMostBytes = 256u << 20;
constexpr size_t kMostHeader = 4096;

/// A line of the header without its end; nothing at the end of the input, or where no header can be that long.
std::optional<std::string> headerLine(std::FILE *in) {
  std::string line;
  for (int c; (c = std::fgetc(in)) != EOF;) {
    if (c == '\n') {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    line += static_cast<char>(c);
    if (line.size() > kMostHeader) return std::nullopt;
  }
  return std::nullopt;
}
}  // namespace

std::optional<std::string> Transport::read() {
  size_t length = 0;
  bool known = false;
  while (true) {
    std::optional<std::string> line = headerLine(in_);
    if (!line) return std::nullopt;
    if (line->empty()) {
      if (known) break;
      continue;  // an empty line between messages
    }
    constexpr const char *kName = "content-length:";
    if (strncasecmp(line->c_str(), kName, std::strlen(kName)) != 0) continue;
    char *end = nullptr;
    unsigned long long value = std::strtoull(line->c_str() + std::strlen(kName), &end, 10);
    if (*end || value > kMostBytes) return std::nullopt;
    length = static_cast<size_t>(value);
    known = true;
  }
  std::string body(length, '\0');
  if (std::fread(body.data(), 1, length, in_) != length) return std::nullopt;
  return body;
}

void Transport::write(const Json &message) {
  std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::lock_guard lock(mutex_);
  std::fprintf(out_, "Content-Length: %zu\r\n\r\n", body.size());
  std::fwrite(body.data(), 1, body.size(), out_);
  std::fflush(out_);
}

}  // namespace tessera::lsp
