// Numbers and arrays as Python prints them, and the format specifications of f-strings, for host code.
#pragma once
#include "tessera/host/apart.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace tsr {
namespace host {
namespace detail {

/// The digits of "d.ddde+x" as Python writes them: without an exponent if that is from -4 to below `highest`.
TSR_APART std::string python_float(const std::string &text, int highest = 16) {
  const bool negative = text[0] == '-';
  const size_t e = text.find('e');
  std::string digits;
  for (char c : text.substr(negative ? 1 : 0, e - (negative ? 1 : 0)))
    if (c != '.') digits += c;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const int exponent = std::atoi(text.c_str() + e + 1);
  std::string out;
  if (exponent < -4 || exponent >= highest) {
    out = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "");
    const std::string x = std::to_string(std::abs(exponent));
    out += std::string(exponent < 0 ? "e-" : "e+") + (x.size() < 2 ? "0" : "") + x;
  } else if (exponent < 0) {
    out = "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  } else {
    const size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    out = digits.substr(0, whole) + "." + (digits.size() > whole ? digits.substr(whole) : "0");
  }
  return (negative ? "-" : "") + out;
}

TSR_APART std::string printed(const char *pattern, int precision, double value) {
  const int length = std::snprintf(nullptr, 0, pattern, precision, value);
  std::string text(static_cast<size_t>(length), '\0');
  std::snprintf(&text[0], text.size() + 1, pattern, precision, value);
  return text;
}

/// The fewest digits that read back as `value` after `round`, which rounds to the value's dtype.
template <class Round> std::string shortest(double value, Round round) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text;
  for (int precision = 0; precision < 17; ++precision) {
    text = printed("%.*e", precision, value);
    if (round(std::strtod(text.c_str(), nullptr)) == value) break;
  }
  return python_float(text);
}

/// [[fill]align][sign][#][0][width][,|_][.precision][type]
struct Spec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false;
  int width = 0, precision = -1;
  /// How wide zeros behind a sign of `taken` characters make the digits.
  size_t zero_width(size_t taken) const {
    const bool zeros = align == '=' && fill == "0" && static_cast<size_t>(width) > taken;
    return zeros ? static_cast<size_t>(width) - taken : 0;
  }
};

TSR_APART size_t utf8_length(unsigned char lead) { return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }
TSR_APART size_t code_points(std::string_view text) {
  size_t n = 0;
  for (unsigned char c : text) n += (c & 0xc0) != 0x80;
  return n;
}

class SpecReader {
public:
  explicit SpecReader(std::string_view text) : text_(text) {}
  std::optional<Spec> read() {
    const bool ownFill = fill_and_align();
    if (char sign = take("+- ")) spec_.sign = sign;
    spec_.alternate = take("#") != 0;
    if (!text_.empty() && text_[0] == '0') {
      text_.remove_prefix(1);
      if (!ownFill) spec_.fill = "0";
      if (spec_.align == 0) spec_.align = '=';
    }
    number(spec_.width);
    spec_.grouping = take(",_");
    if (take(".") && !number(spec_.precision)) return std::nullopt;
    spec_.type = take("bdoxXeEfFgG%s");
    if (!text_.empty() || spec_.width > 100000 || spec_.precision > 1000) return std::nullopt;
    return spec_;
  }

private:
  static bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }
  bool fill_and_align() {
    if (text_.empty()) return false;
    const size_t first = std::min(text_.size(), utf8_length(static_cast<unsigned char>(text_[0])));
    if (text_.size() > first && is_align(text_[first])) {
      spec_.fill = std::string(text_.substr(0, first));
      spec_.align = text_[first];
      text_.remove_prefix(first + 1);
      return true;
    }
    if (is_align(text_[0])) {
      spec_.align = text_[0];
      text_.remove_prefix(1);
    }
    return false;
  }
  char take(std::string_view set) {
    if (text_.empty() || set.find(text_[0]) == std::string_view::npos) return '\0';
    const char c = text_[0];
    text_.remove_prefix(1);
    return c;
  }
  bool number(int &into) {
    size_t n = 0;
    int value = 0;
    while (n < text_.size() && n < 6 && text_[n] >= '0' && text_[n] <= '9') value = value * 10 + (text_[n++] - '0');
    if (n != 0) into = value;
    text_.remove_prefix(n);
    return n != 0;
  }
  std::string_view text_;
  Spec spec_;
};

TSR_APART std::string padded(const Spec &spec, const std::string &prefix, const std::string &body, char defaultAlign) {
  const size_t length = code_points(prefix) + code_points(body);
  const char align = spec.align ? spec.align : defaultAlign;
  const size_t gap = static_cast<size_t>(spec.width) > length ? static_cast<size_t>(spec.width) - length : 0;
  const size_t before = align == '<' || align == '=' ? 0 : align == '^' ? gap / 2 : gap;
  std::string out;
  auto fill = [&](size_t n) {
    while (n-- > 0) out += spec.fill;
  };
  fill(before);
  out += prefix;
  if (align == '=') fill(gap);
  out += body;
  if (align != '=') fill(gap - before);
  return out;
}

/// Separators between groups of digits of the whole part; zeros that fill a field up to `width` are grouped, too.
TSR_APART std::string grouped(std::string digits, char separator, size_t every, size_t width) {
  size_t whole = 0;
  auto counts = [&](char c) { return every == 3 ? c >= '0' && c <= '9' : std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  while (whole < digits.size() && counts(digits[whole])) ++whole;
  for (; whole != 0 && digits.size() + (whole - 1) / every < width; ++whole) digits.insert(0, 1, '0');
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i < whole && (whole - i) % every == 0) out += separator;
    out += digits[i];
  }
  return out;
}

TSR_APART std::string sign_prefix(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

TSR_APART std::string format_integer(const Spec &spec, int64_t value) {
  const bool negative = value < 0;
  uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const unsigned base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
  std::string digits, prefix = sign_prefix(spec, negative);
  const char *const numerals = spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  do digits.insert(digits.begin(), numerals[magnitude % base]);
  while (magnitude /= base);
  if (spec.alternate && base != 10) prefix += std::string("0") + spec.type;
  if (spec.grouping) digits = grouped(digits, spec.grouping, base == 10 ? 3 : 4, spec.zero_width(prefix.size()));
  return padded(spec, prefix, digits, '>');
}

template <class Round> std::string format_real(const Spec &spec, double value, Round round) {
  const bool negative = std::signbit(value) && !std::isnan(value);
  const double magnitude = std::fabs(value);
  const char type = static_cast<char>(std::tolower(spec.type));
  std::string body, prefix = sign_prefix(spec, negative);
  if (!std::isfinite(value)) {
    body = std::isnan(value) ? "nan" : "inf";
    if (type == '%') body += "%";
  } else if (type == 0 && spec.precision < 0) {
    body = shortest(magnitude, round);
  } else if (type == 0) {
    const int precision = std::max(spec.precision, 1);
    body = python_float(printed("%.*e", precision - 1, magnitude), precision - 1);
  } else {
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    const char *pattern = type == 'e' ? "%.*e" : type == 'g' ? "%.*g" : "%.*f";
    body = printed(pattern, precision, type == '%' ? magnitude * 100 : magnitude);
    if (type == '%') body += "%";
  }
  if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G')
    for (char &c : body) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (spec.grouping) body = grouped(body, spec.grouping, 3, spec.zero_width(prefix.size()));
  return padded(spec, prefix, body, '>');
}

TSR_APART std::string format_text(const Spec &spec, std::string shown) {
  if (spec.precision >= 0 && code_points(shown) > static_cast<size_t>(spec.precision)) {
    size_t end = 0;
    for (int n = 0; n < spec.precision; ++n) end += utf8_length(static_cast<unsigned char>(shown[end]));
    shown.resize(end);
  }
  return padded(spec, "", shown, '<');
}

TSR_APART std::string repr(const std::string &text) {
  const bool doubled = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = doubled ? '"' : '\'';
  std::string out(1, quote);
  for (char c : text) {
    if (c == quote || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else out += c;
  }
  return out + quote;
}

}  // namespace detail
}  // namespace host
}  // namespace tsr
