// What texts can do that emitted programs, the reference interpreter and the checker need alike.
#pragma once
#include "tessera/host/apart.h"
#include <algorithm>
#include <cstdint>
#include <string>

namespace tsr {
namespace host {

TSR_APART bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
/// Letters of ASCII; others stay as they are.
TSR_APART std::string text_lower(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}
TSR_APART std::string text_upper(std::string text) {
  for (char &c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}
/// Without blanks at its ends.
TSR_APART std::string text_strip(const std::string &text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_blank).base();
  return std::string(first, last);
}
/// Without those of these characters that stand at its begin ("l"), its end ("r"), or both.
TSR_APART std::string text_without(const std::string &text, const std::string &characters, const std::string &where) {
  size_t begin = 0, end = text.size();
  if (where != "r") while (begin < end && characters.find(text[begin]) != std::string::npos) ++begin;
  if (where != "l") while (end > begin && characters.find(text[end - 1]) != std::string::npos) --end;
  return text.substr(begin, end - begin);
}
TSR_APART std::string text_lstrip(const std::string &text) { return text_without(text, " \t\n\v\f\r", "l"); }
TSR_APART std::string text_rstrip(const std::string &text) { return text_without(text, " \t\n\v\f\r", "r"); }
/// So many times, one behind the other.
TSR_APART std::string text_times(const std::string &text, int64_t times) {
  std::string all;
  for (; times > 0; --times) all += text;
  return all;
}
/// As wide as this at least, with a character at its end ("l"), in front of it ("r") or on both sides, as Python puts it.
TSR_APART std::string text_padded(const std::string &text, int64_t width, const std::string &fill, const std::string &side) {
  const int64_t size = static_cast<int64_t>(text.size()), more = width > size ? width - size : 0;
  const int64_t front = side == "l" ? 0 : side == "r" ? more : more / 2 + (more & width & 1);
  return text_times(fill, front) + text + text_times(fill, more - front);
}
/// With zeros behind its sign.
TSR_APART std::string text_zfill(const std::string &text, int64_t width) {
  const size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return text.substr(0, sign) + text_padded(text.substr(sign), width - static_cast<int64_t>(sign), "0", "r");
}
TSR_APART bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Words with a capital in front; the first letter alone; the other way round.
TSR_APART std::string text_title(std::string text) {
  bool inside = false;
  for (char &c : text) {
    c = (inside ? text_lower(std::string(1, c)) : text_upper(std::string(1, c)))[0];
    inside = is_letter(c);
  }
  return text;
}
TSR_APART std::string text_capital(const std::string &text) { return text_upper(text.substr(0, 1)) + (text.empty() ? "" : text_lower(text.substr(1))); }
TSR_APART std::string text_turned(const std::string &text) { return std::string(text.rbegin(), text.rend()); }
/// How often a part is in a text, one behind the other; the empty part is between all characters.
TSR_APART int64_t text_count(const std::string &text, const std::string &part) {
  if (part.empty()) return static_cast<int64_t>(text.size()) + 1;
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}
TSR_APART bool text_digits(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}
TSR_APART bool text_letters(const std::string &text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_letter); }
TSR_APART bool text_blank(const std::string &text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_blank); }
TSR_APART bool text_words(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}
/// Below 0, 0 or above, as one text stands before, at or behind another.
TSR_APART int64_t text_order(const std::string &a, const std::string &b) { return a.compare(b); }
/// As JSON writes it.
TSR_APART std::string text_quoted(const std::string &text) {
  std::string all = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') all += std::string("\\") + c;
    else if (c == '\n') all += "\\n";
    else if (c == '\t') all += "\\t";
    else if (c == '\r') all += "\\r";
    else if (code < 0x20) all += std::string("\\u00") + "0123456789abcdef"[code >> 4] + "0123456789abcdef"[code & 15];
    else all += c;
  }
  return all + "\"";
}
/// The lines of a text, with their ends or without.
template <class Visit> void lines_of(const std::string &text, bool keepEnds, const Visit &visit) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at), next = end == std::string::npos ? text.size() : end + 1;
    size_t stop = keepEnds || end == std::string::npos ? next : end;
    if (!keepEnds && stop > at && stop < next && text[stop - 1] == '\r') --stop;
    visit(text.substr(at, stop - at));
    at = next;
  }
}
TSR_APART bool text_starts(const std::string &text, const std::string &part) { return text.compare(0, part.size(), part) == 0; }
TSR_APART bool text_ends(const std::string &text, const std::string &part) {
  return text.size() >= part.size() && text.compare(text.size() - part.size(), part.size(), part) == 0;
}
/// Where a part begins, or -1.
TSR_APART int64_t text_find(const std::string &text, const std::string &part) {
  const size_t at = text.find(part);
  return at == std::string::npos ? -1 : static_cast<int64_t>(at);
}
TSR_APART int64_t text_rfind(const std::string &text, const std::string &part) {
  const size_t at = text.rfind(part);
  return at == std::string::npos ? -1 : static_cast<int64_t>(at);
}
/// With another text in the place of each part; an empty part stands between all characters.
TSR_APART std::string text_replace(const std::string &text, const std::string &part, const std::string &other) {
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
