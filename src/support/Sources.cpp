#include "support/Sources.h"
#include <algorithm>

namespace tessera {

SourceFile::SourceFile(std::string path, std::string text) : path(std::move(path)), text(std::move(text)) {
  lineStarts_.push_back(0);
  for (size_t end = this->text.find('\n'); end != std::string::npos; end = this->text.find('\n', end + 1))
    lineStarts_.push_back(static_cast<uint32_t>(end + 1));
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, text.size());
  auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  uint32_t line = static_cast<uint32_t>(after - lineStarts_.begin());
  uint32_t column = 1;
  for (uint32_t i = lineStarts_[line - 1]; i < offset; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) ++column;
  return {line, column};
}

std::string_view SourceFile::lineText(uint32_t line) const {
  if (line == 0 || line > lineStarts_.size()) return {};
  uint32_t begin = lineStarts_[line - 1];
  uint32_t end = line < lineStarts_.size() ? lineStarts_[line] - 1 : static_cast<uint32_t>(text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return std::string_view(text).substr(begin, end - begin);
}

FileId Sources::add(std::string path, std::string text) {
  files_.push_back(std::make_unique<SourceFile>(std::move(path), std::move(text)));
  return static_cast<FileId>(files_.size() - 1);
}

std::string_view Sources::text(Span span) const {
  if (!span.valid() || span.file >= files_.size()) return {};
  const std::string &all = files_[span.file]->text;
  uint32_t begin = std::min<uint32_t>(span.begin, all.size()), end = std::min<uint32_t>(span.end, all.size());
  return std::string_view(all).substr(begin, end - begin);
}

}  // namespace tessera
