// Format specifications of f-strings, as Python's mini-language has them.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// [[fill]align][sign][#][0][width][,|_][.precision][type]
struct FormatSpec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, hasSign = false;
  int width = 0, precision = -1;
  /// Types that show integers only, and types that show any number.
  bool isForIntegers() const { return type != 0 && std::string_view("bdoxX").find(type) != std::string_view::npos; }
  bool isForNumbers() const { return type != 0 && type != 's'; }
  /// Parts, beside the type, that only one number has a use for; a text is cut off by a precision.
  bool isForOneNumber() const {
    return hasSign || grouping || alternate || align == '=' || (precision >= 0 && type == 0);
  }
  /// How wide zeros behind a sign of `taken` characters make the digits.
  size_t zeroWidth(size_t taken) const {
    bool zeros = align == '=' && fill == "0" && static_cast<size_t>(width) > taken;
    return zeros ? static_cast<size_t>(width) - taken : 0;
  }
};

/// Nothing if the text is no specification. Widths go up to 100000, precisions up to 1000.
std::optional<FormatSpec> parseFormatSpec(std::string_view text);

/// How many bytes the code point has that starts with this byte.
size_t utf8Length(unsigned char lead);

}  // namespace tessera
