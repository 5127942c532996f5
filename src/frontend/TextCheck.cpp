#include "frontend/TextCheck.h"
#include <cstring>

namespace tessera::frontend {

using diag::Id;

uint32_t utf8Length(std::string_view text, uint32_t offset) {
  auto byte = [&](uint32_t i) { return static_cast<unsigned char>(text[offset + i]); };
  auto tail = [&](uint32_t count) {
    if (offset + count >= text.size()) return false;
    for (uint32_t i = 1; i <= count; ++i)
      if ((byte(i) & 0xC0) != 0x80) return false;
    return true;
  };
  unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!tail(2)) return 0;
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;  // longer than needed
    if (lead == 0xED && byte(1) > 0x9F) return 0;  // a UTF-16 surrogate
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!tail(3)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;  // past U+10FFFF
    return 4;
  }
  return 0;
}

namespace {
std::string hexByte(unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  return std::string("0x") + digits[byte >> 4] + digits[byte & 15];
}

bool reportUtf16(std::string_view text, FileId file, diag::Engine &diagnostics) {
  if (text.size() < 2) return false;
  std::string_view mark = text.substr(0, 2);
  if (mark != "\xFF\xFE" && mark != "\xFE\xFF") return false;
  diagnostics.report(Id::badUtf8, {file, 0, 2}, hexByte(static_cast<unsigned char>(text[0])))
      .label("a UTF-16 byte order mark")
      .help("the file seems to be UTF-16; save it as UTF-8");
  return true;
}
}  // namespace

/// Eight characters from `offset` on that are printable ASCII, which most of a line is.
static bool arePlain(const std::string &text, size_t offset) {
  if (offset + 8 > text.size()) return false;
  uint64_t bytes;
  std::memcpy(&bytes, text.data() + offset, 8);
  constexpr uint64_t kEach = 0x0101010101010101;
  return ((bytes | (bytes - kEach * ' ')) & (kEach * 0x80)) == 0;  // no byte's highest bit, and none borrows
}

bool checkText(const SourceFile &source, FileId file, diag::Engine &diagnostics) {
  const std::string &text = source.text;
  if (text.size() > kMaxFileBytes) {
    diagnostics.report(Id::sourceTooLarge, {file, 0, 0}, text.size(), kMaxFileBytes)
        .help("split the program into several files and import them");
    return false;
  }
  if (reportUtf16(text, file, diagnostics)) return false;
  for (uint32_t i = 0; i < text.size();) {
    if (arePlain(text, i)) {
      i += 8;
      continue;
    }
    auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= ' ' && byte < 0x80) || byte == '\n') {
      ++i;
      continue;
    }
    if (text[i] == '\0') {
      diagnostics.report(Id::nulByte, {file, i, i + 1})
          .help("programs are UTF-8 text; this looks like a binary file, or a damaged one");
      return false;
    }
    if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      diagnostics.report(Id::bareCarriageReturn, {file, i, i + 1})
          .fix({file, i, i + 1}, "\n", "end the line with a line feed");
      return false;
    }
    uint32_t length = utf8Length(text, i);
    if (length == 0) {
      diagnostics.report(Id::badUtf8, {file, i, i + 1}, hexByte(static_cast<unsigned char>(text[i])))
          .help("save the file as UTF-8");
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace tessera::frontend
