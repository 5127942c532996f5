// The source files of one compilation, by id. Holds text; never reads the disk (the driver does).
#pragma once
#include "support/Span.h"
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct LineColumn {
  uint32_t line = 1, column = 1;  // 1-based; column counts UTF-8 code points, not bytes
};

class SourceFile {
public:
  SourceFile(std::string path, std::string text);
  const std::string path;  // as the user wrote it
  const std::string text;
  LineColumn lineColumn(uint32_t offset) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(lineStarts_.size()); }
  /// The text of a 1-based line without its line break.
  std::string_view lineText(uint32_t line) const;
  uint32_t lineStart(uint32_t line) const { return lineStarts_[line - 1]; }

private:
  std::vector<uint32_t> lineStarts_;
};

class Sources {
public:
  FileId add(std::string path, std::string text);
  const SourceFile &file(FileId id) const { return *files_[id]; }
  size_t size() const { return files_.size(); }
  std::string_view text(Span span) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files_;
};

}  // namespace tessera
