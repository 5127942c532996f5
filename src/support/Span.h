// Places in source text. A Span is a half-open range of byte offsets in one file.
#pragma once
#include <cstdint>

namespace tessera {

using FileId = uint32_t;
inline constexpr FileId kNoFile = ~0u;

struct Span {
  FileId file = kNoFile;
  uint32_t begin = 0, end = 0;  // bytes; end is one past the last byte

  bool valid() const { return file != kNoFile; }
  /// The smallest span that covers both; an invalid side is ignored.
  Span to(Span other) const {
    if (!valid()) return other;
    if (!other.valid() || other.file != file) return *this;
    return {file, begin < other.begin ? begin : other.begin, end > other.end ? end : other.end};
  }
  bool operator==(const Span &other) const { return file == other.file && begin == other.begin && end == other.end; }
};

}  // namespace tessera
