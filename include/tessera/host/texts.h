// What texts can do that emitted programs, the reference interpreter and the checker need alike.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

namespace tsr {
namespace host {

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
/// Letters of ASCII; others stay as they are.
inline std::string text_lower(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}
inline std::string text_upper(std::string text) {
  for (char &c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}
/// Without blanks at its ends.
inline std::string text_strip(const std::string &text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_blank).base();
  return std::string(first, last);
}
inline bool text_starts(const std::string &text, const std::string &part) { return text.compare(0, part.size(), part) == 0; }
inline bool text_ends(const std::string &text, const std::string &part) {
  return text.size() >= part.size() && text.compare(text.size() - part.size(), part.size(), part) == 0;
}
/// Where a part begins, or -1.
inline int64_t text_find(const std::string &text, const std::string &part) {
  const size_t at = text.find(part);
  return at == std::string::npos ? -1 : static_cast<int64_t>(at);
}
/// With another text in the place of each part; an empty part stands between all characters.
inline std::string text_replace(const std::string &text, const std::string &part, const std::string &other) {
  std::string out;
  size_t at = 0;
  if (part.empty()) {
    for (char c : text) out += other + c;
    return out + other;
  }
  for (size_t next; (next = text.find(part, at)) != std::string::npos; at = next + part.size()) out += text.substr(at, next - at) + other;
  return out + text.substr(at);
}

}  // namespace host
}  // namespace tsr
