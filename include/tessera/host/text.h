// Texts of host code: their parts, their characters, which are bytes, and the numbers that they show.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/tensor.h"
#include "tessera/host/texts.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace tsr {
namespace host {

TSR_APART int64_t text_length(const std::string &text) { return static_cast<int64_t>(text.size()); }

/// `text[begin:end]`, as Python cuts it: what lies outside is left out.
TSR_APART std::string text_part(const std::string &text, int64_t begin, int64_t end) {
  const int64_t size = text_length(text);
  const auto within = [size](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size); };
  const int64_t from = within(begin), to = std::max(from, within(end));
  return text.substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
}

/// `int(text)` and `float(text)`.
TSR_APART int64_t whole_of_text(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || *end || errno != 0) stop("'" + text + "' is no integer", kValueError);
  return number;
}
TSR_APART double real_of_text(const std::string &text) {
  char *end = nullptr;
  errno = 0;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end || errno != 0) stop("'" + text + "' is no number", kValueError);
  return number;
}

TSR_APART int64_t code_of(const std::string &text) {
  if (text.size() != 1) stop("`ord` takes one character, and '" + text + "' has " + std::to_string(text.size()), kTypeError);
  return static_cast<unsigned char>(text[0]);
}
TSR_APART std::string character_of(int64_t code) {
  if (code < 0 || code > 255) stop("`chr` takes the code of a character, from 0 to 255, and this is " + std::to_string(code), kValueError);
  return std::string(1, static_cast<char>(code));
}

/// `base ** times` of integers.
TSR_APART int64_t power(int64_t base, int64_t times) {
  if (times < 0) stop("an integer to the power of " + std::to_string(times), kValueError);
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; times > 0; times >>= 1, square *= square)
    if (times & 1) result *= square;
  return static_cast<int64_t>(result);
}

}  // namespace host
}  // namespace tsr
