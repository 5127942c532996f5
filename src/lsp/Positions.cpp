#include "lsp/Positions.h"
#include <algorithm>
#include <cstring>

namespace tessera::lsp {

namespace {
/// How many bytes the character at `at` has: what is no UTF-8 counts byte by byte.
uint32_t bytesAt(const std::string &text, uint32_t at) {
  unsigned char c = static_cast<unsigned char>(text[at]);
  uint32_t length = c < 0x80 ? 1 : (c & 0xE0) == 0xC0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : (c & 0xF8) == 0xF0 ? 4 : 1;
  for (uint32_t i = 1; i < length; ++i)
    if (at + i >= text.size() || (static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) return 1;
  return length;
}
uint32_t unitsOf(uint32_t bytes, Encoding encoding) {
  if (encoding == Encoding::Utf8) return bytes;
  return encoding == Encoding::Utf16 && bytes == 4 ? 2 : 1;
}
}  // namespace

Positions::Positions(const std::string &text, Encoding encoding) : text_(text), encoding_(encoding) {
  starts_.push_back(0);
  bool returns = std::memchr(text.data(), '\r', text.size()) != nullptr;
  for (uint32_t i = 0; i < text.size(); ++i) {
    if (!returns) {
      const void *end = std::memchr(text.data() + i, '\n', text.size() - i);
      if (!end) break;
      i = static_cast<uint32_t>(static_cast<const char *>(end) - text.data());
    }
    bool lone = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');  // a line end of the protocol, too
    if (text[i] == '\n' || lone) starts_.push_back(i + 1);
  }
}

uint32_t Positions::offset(Position position) const {
  if (position.line >= starts_.size()) return static_cast<uint32_t>(text_.size());
  uint32_t at = starts_[position.line];
  uint32_t end = position.line + 1 < starts_.size() ? starts_[position.line + 1] : static_cast<uint32_t>(text_.size());
  while (end > at && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  for (uint32_t units = 0; at < end;) {
    uint32_t bytes = bytesAt(text_, at);
    units += unitsOf(bytes, encoding_);
    if (units > position.character) break;
    at += bytes;
  }
  return at;
}

Position Positions::position(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  Position found{static_cast<uint32_t>(after - starts_.begin()) - 1, 0};
  for (uint32_t at = starts_[found.line]; at < offset;) {
    uint32_t bytes = bytesAt(text_, at);
    if (at + bytes > offset) break;
    found.character += unitsOf(bytes, encoding_);
    at += bytes;
  }
  return found;
}

}  // namespace tessera::lsp
