#include "support/FormatSpec.h"
#include <algorithm>

namespace tessera {

size_t utf8Length(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

std::optional<FormatSpec> parseFormatSpec(std::string_view text) {
  FormatSpec spec;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  size_t first = text.empty() ? 1 : std::min(text.size(), utf8Length(static_cast<unsigned char>(text[0])));
  bool ownFill = text.size() > first && isAlign(text[first]);
  if (ownFill) {
    spec.fill = text.substr(0, first);
    spec.align = text[first];
    text.remove_prefix(first + 1);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text.remove_prefix(1);
  }
  auto take = [&](std::string_view set) {
    if (text.empty() || set.find(text[0]) == std::string_view::npos) return '\0';
    char c = text[0];
    text.remove_prefix(1);
    return c;
  };
  auto number = [&](int &into) {
    size_t n = 0;
    int value = 0;
    while (n < text.size() && n < 6 && text[n] >= '0' && text[n] <= '9')
      value = value * 10 + (text[n++] - '0');
    if (n != 0) into = value;
    text.remove_prefix(n);
    return n != 0;
  };
  if (char sign = take("+- ")) spec.sign = sign, spec.hasSign = true;
  spec.alternate = take("#") != 0;
  if (!text.empty() && text[0] == '0') {
    text.remove_prefix(1);
    if (!ownFill) spec.fill = "0";
    if (spec.align == 0) spec.align = '=';
  }
  number(spec.width);
  spec.grouping = take(",_");
  if (take(".") && !number(spec.precision)) return std::nullopt;
  spec.type = take("bdoxXeEfFgG%s");
  if (!text.empty() || spec.width > 100000 || spec.precision > 1000) return std::nullopt;
  return spec;
}

}  // namespace tessera
