// Places as the protocol has them: a line from 0, and how many code units of an encoding come before it on the line.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::lsp {

enum class Encoding : uint8_t { Utf8, Utf16, Utf32 };

struct Position {
  uint32_t line = 0, character = 0;
};

/// Of one text; the text has to outlive it.
class Positions {
public:
  Positions(const std::string &text, Encoding encoding);
  /// What lies behind the end of a line or of the text is the end of it.
  uint32_t offset(Position position) const;
  /// A place inside of a character is its beginning.
  Position position(uint32_t offset) const;
  uint32_t lineCount() const { return static_cast<uint32_t>(starts_.size()); }
  uint32_t lineStart(uint32_t line) const { return starts_[line]; }

private:
  const std::string &text_;
  Encoding encoding_;
  std::vector<uint32_t> starts_;
};

/// Positions of the texts that one message is about; they must not change meanwhile.
class PositionsOf {
public:
  const Positions &operator()(const std::string &text, Encoding encoding) {
    return all_.try_emplace(&text, text, encoding).first->second;
  }
  void clear() { all_.clear(); }

private:
  std::map<const std::string *, Positions> all_;
};

}  // namespace tessera::lsp
