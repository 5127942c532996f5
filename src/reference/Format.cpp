#include "reference/Format.h"
#include "support/FloatFormats.h"
#include "support/FormatSpec.h"
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tessera::reference {
namespace {

/// d.ddde+x as Python writes it: without an exponent if that is from -4 to below `highest`.
std::string pythonFloat(const char *begin, const char *end, int highest = 16) {
  std::string text(begin, end), digits;
  bool negative = text[0] == '-';
  size_t e = text.find('e');
  for (char c : text.substr(negative ? 1 : 0, e - (negative ? 1 : 0)))
    if (c != '.') digits += c;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  int exponent = std::atoi(text.c_str() + e + 1);
  std::string out;
  if (exponent < -4 || exponent >= highest) {
    out = digits.substr(0, 1) + (digits.size() > 1 ? "." + digits.substr(1) : "");
    std::string x = std::to_string(std::abs(exponent));
    out += std::string(exponent < 0 ? "e-" : "e+") + (x.size() < 2 ? "0" : "") + x;
  } else if (exponent < 0) {
    out = "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  } else {
    auto whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    out = digits.substr(0, whole) + "." + (digits.size() > whole ? digits.substr(whole) : "0");
  }
  return (negative ? "-" : "") + out;
}

std::string shortest(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  if (dtype == DType::F64) {
    auto r = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
    return pythonFloat(buffer, r.ptr);
  }
  // The fewest digits that still name this value among those of the dtype.
  double rounded = roundToFloat(dtype, value);
  for (int precision = 0; precision < 17; ++precision) {
    int length = std::snprintf(buffer, sizeof buffer, "%.*e", precision, rounded);
    if (roundToFloat(dtype, std::strtod(buffer, nullptr)) != rounded) continue;
    std::string text(buffer, static_cast<size_t>(length));
    return pythonFloat(text.data(), text.data() + text.size());
  }
  return pythonFloat(buffer, buffer + std::char_traits<char>::length(buffer));
}

std::string elementText(const Datum &value, size_t at) {
  if (value.isFloat()) return shortest(value.floats[at], value.dtype);
  if (value.dtype == DType::Bool) return value.ints[at] ? "True" : "False";
  return std::to_string(value.ints[at]);
}

std::string arrayText(const Datum &value, size_t d, size_t begin, size_t count, bool shorten) {
  if (d == value.shape.size()) return elementText(value, begin);
  auto extent = static_cast<size_t>(value.shape[d]);
  size_t inner = extent == 0 ? 0 : count / extent;
  std::string text = "[", gap = d + 1 == value.shape.size() ? ", " : ",\n" + std::string(d + 1, ' ');
  for (size_t i = 0; i < extent; ++i) {
    if (i != 0) text += gap;
    if (shorten && extent > 6 && i == 3) {
      text += "...";
      i = extent - 4;
      continue;
    }
    text += arrayText(value, d + 1, begin + i * inner, inner, shorten);
  }
  return text + "]";
}

using Spec = FormatSpec;

size_t codePoints(std::string_view text) {
  size_t n = 0;
  for (unsigned char c : text) n += (c & 0xc0) != 0x80;
  return n;
}

std::string padded(const Spec &spec, const std::string &prefix, const std::string &body, char defaultAlign) {
  size_t length = codePoints(prefix) + codePoints(body);
  char align = spec.align ? spec.align : defaultAlign;
  size_t gap = static_cast<size_t>(spec.width) > length ? static_cast<size_t>(spec.width) - length : 0;
  size_t before = align == '<' || align == '=' ? 0 : align == '^' ? gap / 2 : gap;
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

/// Separators between groups of digits of the whole part. Zeros that fill a field up to `width` are grouped,
/// too.
std::string grouped(std::string digits, char separator, size_t every, size_t width) {
  size_t whole = 0;
  while (whole < digits.size() && std::isxdigit(static_cast<unsigned char>(digits[whole]))) ++whole;
  if (every == 3)
    for (whole = 0; whole < digits.size() && digits[whole] >= '0' && digits[whole] <= '9';) ++whole;
  for (; whole != 0 && digits.size() + (whole - 1) / every < width; ++whole) digits.insert(0, 1, '0');
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && i < whole && (whole - i) % every == 0) out += separator;
    out += digits[i];
  }
  return out;
}

std::string signPrefix(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::string formatInt(const Spec &spec, int64_t value) {
  bool negative = value < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  int base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
  char buffer[72];
  auto r = std::to_chars(buffer, buffer + sizeof buffer, magnitude, base);
  std::string digits(buffer, r.ptr), prefix = signPrefix(spec, negative);
  if (spec.type == 'X')
    for (char &c : digits) c = static_cast<char>(std::toupper(c));
  if (spec.alternate && base != 10) prefix += std::string("0") + spec.type;
  if (spec.grouping)
    digits = grouped(digits, spec.grouping, base == 10 ? 3 : 4, spec.zeroWidth(prefix.size()));
  return padded(spec, prefix, digits, '>');
}

std::string formatFloat(const Spec &spec, double value, DType dtype) {
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = std::fabs(value);
  std::string body, prefix = signPrefix(spec, negative);
  bool upper = spec.type == 'E' || spec.type == 'F' || spec.type == 'G';
  if (!std::isfinite(value)) {
    body = std::isnan(value) ? "nan" : "inf";
    if (spec.type == '%') body += "%";
  } else if (spec.type == 0 && spec.precision < 0) {
    body = shortest(magnitude, dtype);
  } else if (spec.type == 0) {
    int precision = std::max(spec.precision, 1);
    body.resize(static_cast<size_t>(std::snprintf(nullptr, 0, "%.*e", precision - 1, magnitude)));
    std::snprintf(body.data(), body.size() + 1, "%.*e", precision - 1, magnitude);
    body = pythonFloat(body.data(), body.data() + body.size(), precision - 1);
  } else {
    char type = static_cast<char>(std::tolower(spec.type));
    int precision = spec.precision < 0 ? 6 : spec.precision;
    char pattern[] = {'%', '.', '*', type == '%' ? 'f' : type, 0};
    double shown = type == '%' ? magnitude * 100 : magnitude;
    body.resize(static_cast<size_t>(std::snprintf(nullptr, 0, pattern, precision, shown)));
    std::snprintf(body.data(), body.size() + 1, pattern, precision, shown);
    if (type == '%') body += "%";
  }
  if (upper)
    for (char &c : body) c = static_cast<char>(std::toupper(c));
  if (spec.grouping) body = grouped(body, spec.grouping, 3, spec.zeroWidth(prefix.size()));
  return padded(spec, prefix, body, '>');
}

}  // namespace

std::string textOf(const Datum &value) {
  switch (value.kind) {
  case Datum::Kind::String: return value.text;
  case Datum::Kind::None: return "None";
  case Datum::Kind::Number: return arrayText(value, 0, 0, value.size(), value.size() > 1000);
  case Datum::Kind::Tuple: break;
  }
  std::string text = "(";
  for (size_t i = 0; i < value.items.size(); ++i) text += (i ? ", " : "") + reprOf(*value.items[i]);
  return text + (value.items.size() == 1 ? ",)" : ")");
}

std::string reprOf(const Datum &value) {
  if (value.kind != Datum::Kind::String) return textOf(value);
  bool doubled = value.text.find('\'') != std::string::npos && value.text.find('"') == std::string::npos;
  char quote = doubled ? '"' : '\'';
  std::string out(1, quote);
  for (char c : value.text) {
    if (c == quote || c == '\\') out += '\\', out += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else out += c;
  }
  return out + quote;
}

Result<std::string> formatField(const Datum &value, std::string_view text) {
  bool repr = false;
  std::string_view whole = text;
  if (text.size() >= 2 && text[0] == '!' && (text[1] == 'r' || text[1] == 's' || text[1] == 'a')) {
    repr = text[1] != 's';
    text.remove_prefix(2);
    if (text.empty()) return repr ? reprOf(value) : textOf(value);
    Datum shown;
    shown.kind = Datum::Kind::String;
    shown.text = repr ? reprOf(value) : textOf(value);
    return formatField(shown, text);
  }
  if (text.size() > 1 && text[0] == ':' && std::string_view("<>^=").find(text[1]) == std::string_view::npos)
    text.remove_prefix(1);
  else if (text.size() > 2 && text[0] == ':' &&
           std::string_view("<>^=").find(text[2]) == std::string_view::npos)
    text.remove_prefix(1);
  if (text.empty()) return textOf(value);
  auto spec = parseFormatSpec(text);
  if (!spec) return Failure{"the format '" + std::string(whole) + "' is none that I know"};
  bool isNumber = value.isScalar();
  if (!isNumber || spec->type == 's') {
    bool isTensor = value.kind == Datum::Kind::Number;
    if ((spec->type != 0 && spec->type != 's') || (isTensor && spec->isForOneNumber()))
      return Failure{
          "the format '" + std::string(whole) + "' is for numbers, and this is a " +
          (value.kind == Datum::Kind::String ? "string" : "value of shape " + shapeText(value.shape))};
    std::string shown = textOf(value);
    if (spec->precision >= 0 && codePoints(shown) > static_cast<size_t>(spec->precision)) {
      size_t end = 0;
      for (int n = 0; n < spec->precision; ++n) end += utf8Length(static_cast<unsigned char>(shown[end]));
      shown.resize(end);
    }
    return padded(*spec, "", shown, '<');
  }
  bool intType = std::string_view("bdoxX").find(spec->type) != std::string_view::npos && spec->type != 0;
  if (value.isFloat() && intType)
    return Failure{"the format '" + std::string(whole) + "' is for whole numbers, and this is " +
                   std::string(name(value.dtype))};
  if (value.isFloat()) return formatFloat(*spec, value.floats[0], value.dtype);
  if (spec->type != 0 && !intType) return formatFloat(*spec, static_cast<double>(value.ints[0]), DType::F64);
  return formatInt(*spec, value.ints[0]);
}

bool isExact(int64_t value) {
  const auto real = static_cast<double>(value);
  return real < 0x1p63 && static_cast<int64_t>(real) == value;
}
std::string inexactText(int64_t value) {
  return "the integer " + std::to_string(value) + " is read as a number of f64, which cannot hold it: say that it is one, `cast(x, i64)`";
}

}  // namespace tessera::reference
