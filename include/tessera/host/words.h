// Lists whose items are no numbers of one kind: lists of several lengths, texts, tuples. An item is a row of numbers, its words, which a
// schema tells how to read:
//   w  an integer          r  a number with a fraction      b  True or False
//   t  a text: how many bytes, and they                     [X]  a list: how many items, and they
//   (XYZ)  a tuple: its parts, one after the other
// This file has what emitted programs and the reference interpreter read alike; rows.h keeps such rows in tensors.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tsr {
namespace host {
namespace words {

/// Behind one schema.
inline const char *past(const char *schema) {
  int depth = 0;
  do {
    depth += *schema == '(' || *schema == '[' ? 1 : *schema == ')' || *schema == ']' ? -1 : 0;
    ++schema;
  } while (depth > 0);
  return schema;
}

/// Behind the words of one value.
inline const double *skipped(const char *schema, const double *at) {
  if (*schema == 't') return at + 1 + static_cast<int64_t>(*at);
  if (*schema == '[') {
    const char item = schema[1];
    if (item == 'w' || item == 'r' || item == 'b') return at + 1 + static_cast<int64_t>(*at);
    for (int64_t left = static_cast<int64_t>(*at++); left > 0; --left) at = skipped(schema + 1, at);
    return at;
  }
  if (*schema != '(') return at + 1;
  for (const char *part = schema + 1; *part != ')'; part = past(part)) at = skipped(part, at);
  return at;
}

/// Part `k` of a tuple; the value itself where `k` is below 0.
struct Part {
  const char *schema;
  const double *at;
};
inline Part part_of(const char *schema, const double *at, int64_t k) {
  if (k < 0) return {schema, at};
  ++schema;
  for (; k > 0; --k) {
    at = skipped(schema, at);
    schema = past(schema);
  }
  return {schema, at};
}

inline std::string text_at(const double *at) {
  std::string text(static_cast<size_t>(*at), '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(static_cast<unsigned char>(at[1 + i]));
  return text;
}
inline void put_text(const std::string &text, std::vector<double> &words) {
  words.push_back(static_cast<double>(text.size()));
  for (char c : text) words.push_back(static_cast<double>(static_cast<unsigned char>(c)));
}

/// As Python shows it. `real` shows a number with a fraction.
template <class Real> void show(const char *schema, const double *at, const Real &real, std::string &out) {
  switch (*schema) {
  case 'w': out += std::to_string(static_cast<int64_t>(*at)); return;
  case 'b': out += *at != 0 ? "True" : "False"; return;
  case 't': out += "'" + text_at(at) + "'"; return;
  case '[': {
    int64_t count = static_cast<int64_t>(*at++);
    out += "[";
    for (int64_t i = 0; i < count; ++i, at = skipped(schema + 1, at)) {
      if (i > 0) out += ", ";
      show(schema + 1, at, real, out);
    }
    out += "]";
    return;
  }
  case '(': {
    out += "(";
    int64_t parts = 0;
    for (const char *part = schema + 1; *part != ')'; part = past(part), ++parts) {
      if (parts > 0) out += ", ";
      show(part, at, real, out);
      at = skipped(part, at);
    }
    out += parts == 1 ? ",)" : ")";
    return;
  }
  default: out += real(*at);
  }
}

/// Below, equal or above 0, as Python compares: parts one after the other, texts by their bytes, and what ends first is less.
inline int compared(const char *schema, const double *a, const double *b) {
  if (*schema == '(') {
    for (const char *part = schema + 1; *part != ')'; part = past(part)) {
      if (int order = compared(part, a, b)) return order;
      a = skipped(part, a);
      b = skipped(part, b);
    }
    return 0;
  }
  if (*schema != '[' && *schema != 't') return *a < *b ? -1 : *a > *b ? 1 : 0;
  const char *item = *schema == 't' ? "w" : schema + 1;
  const int64_t mine = static_cast<int64_t>(*a++), others = static_cast<int64_t>(*b++);
  for (int64_t i = 0; i < mine && i < others; ++i) {
    if (int order = compared(item, a, b)) return order;
    a = skipped(item, a);
    b = skipped(item, b);
  }
  return mine < others ? -1 : mine > others ? 1 : 0;
}

/// Calls `visit` with the parts of a text between marks, or between blanks if the mark is empty.
template <class Visit> void parts_of(const std::string &text, const std::string &mark, const Visit &visit) {
  if (!mark.empty()) {
    size_t at = 0, next;
    for (; (next = text.find(mark, at)) != std::string::npos; at = next + mark.size()) visit(text.substr(at, next - at));
    return visit(text.substr(at));
  }
  auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && !blank(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end + 1;
  }
}

/// The end of a slice as Python takes it: from the end below 0, and cut to what there is.
inline int64_t cut(int64_t index, int64_t count) {
  if (index < 0) index += count;
  return index < 0 ? 0 : index > count ? count : index;
}

}  // namespace words
}  // namespace host
}  // namespace tsr
