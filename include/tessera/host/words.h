// Lists whose items are no numbers of one kind: lists of several lengths, texts, tuples, arrays. An item is a row of words, integers of 64 bits.
// A value says what it is, and holds integers of 64 bits and numbers of f64 exactly:
//   Whole, its integer       Real, the bits of its f64       Truth, 0 or 1
//   Text, how many bytes, and they, eight in a word          List or Tuple, how many items, and they
//   Array, what its elements are, how many bits they have, how many axes, its extents, and a word for each element
// This file has what emitted programs and the reference interpreter read alike; rows.h keeps such rows in tensors.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/texts.h"
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace tsr {
namespace host {
namespace words {

using Word = int64_t;
using Words = std::vector<Word>;
enum Kind : Word { Whole, Real, Truth, Text, List, Tuple, Array };

TSR_APART Word bits_of(double value) {
  Word bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
TSR_APART double real_of(Word bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <class Number> constexpr Kind kind_of() { return std::is_same<Number, bool>::value ? Truth : std::is_integral<Number>::value ? Whole : Real; }
/// What holds a number of this kind.
template <class Number> Word word_of(Number value) {
  if constexpr (std::is_integral<Number>::value) return static_cast<Word>(value);
  else return bits_of(static_cast<double>(value));
}
template <class Number> void put_number(Number value, Words &words) {
  words.push_back(kind_of<Number>());
  words.push_back(word_of(value));
}
/// A number of any kind as one of f64.
TSR_APART double real_at(const Word *at) { return at[0] == Real ? real_of(at[1]) : static_cast<double>(at[1]); }
TSR_APART Word whole_at(const Word *at) { return at[0] == Real ? static_cast<Word>(real_of(at[1])) : at[1]; }

TSR_APART std::string text_at(const Word *at) { return std::string(reinterpret_cast<const char *>(at + 2), static_cast<size_t>(at[1])); }
TSR_APART Word words_of_bytes(Word bytes) { return (bytes + 7) / 8; }
TSR_APART void put_text(const std::string &text, Words &words) {
  const size_t begin = words.size() + 2;
  words.push_back(Text);
  words.push_back(static_cast<Word>(text.size()));
  words.resize(begin + static_cast<size_t>(words_of_bytes(static_cast<Word>(text.size()))), 0);
  if (!text.empty()) memcpy(words.data() + begin, text.data(), text.size());
}

/// How many elements an array has, and the first of them.
TSR_APART Word elements_of(const Word *at) {
  Word count = 1;
  for (Word axis = 0; axis < at[3]; ++axis) count *= at[4 + axis];
  return count;
}
TSR_APART const Word *element_words(const Word *at) { return at + 4 + at[3]; }

/// Behind the words of one value.
TSR_APART const Word *skipped(const Word *at) {
  switch (static_cast<Kind>(*at)) {
  case Whole:
  case Real:
  case Truth: return at + 2;
  case Text: return at + 2 + words_of_bytes(at[1]);
  case Array: return element_words(at) + elements_of(at);
  case List:
  case Tuple: break;
  }
  Word left = at[1];
  for (at += 2; left > 0; --left) at = skipped(at);
  return at;
}
/// Item `k` of a list or tuple; the value itself where `k` is below 0.
TSR_APART const Word *part_of(const Word *at, Word k) {
  if (k < 0) return at;
  for (at += 2; k > 0; --k) at = skipped(at);
  return at;
}

/// As Python shows it; arrays as lists. `real` shows a number with a fraction that has so many bits.
template <class Show> void show_number(Word kind, Word word, Word bits, const Show &real, std::string &out) {
  if (kind == Real) out += real(real_of(word), bits);
  else out += kind == Whole ? std::to_string(word) : word != 0 ? "True" : "False";
}
template <class Show> const Word *show_axes(const Word *array, Word axis, const Word *element, const Show &real, std::string &out) {
  if (axis == array[3]) return show_number(array[1], *element, array[2], real, out), element + 1;
  out += "[";
  for (Word i = 0; i < array[4 + axis]; ++i) {
    if (i > 0) out += ", ";
    element = show_axes(array, axis + 1, element, real, out);
  }
  out += "]";
  return element;
}
template <class Show> void show(const Word *at, const Show &real, std::string &out) {
  switch (static_cast<Kind>(*at)) {
  case Whole:
  case Real:
  case Truth: return show_number(at[0], at[1], 64, real, out);
  case Text: out += "'" + text_at(at) + "'"; return;
  case Array: (void)show_axes(at, 0, element_words(at), real, out); return;
  case List:
  case Tuple: break;
  }
  const bool tuple = *at == Tuple;
  const Word count = at[1];
  out += tuple ? "(" : "[";
  at += 2;
  for (Word i = 0; i < count; ++i, at = skipped(at)) {
    if (i > 0) out += ", ";
    show(at, real, out);
  }
  out += tuple ? (count == 1 ? ",)" : ")") : "]";
}

/// As JSON writes it.
template <class Show> void json(const Word *at, const Show &real, std::string &out) {
  switch (static_cast<Kind>(*at)) {
  case Text: out += text_quoted(text_at(at)); return;
  case Truth: out += at[1] != 0 ? "true" : "false"; return;
  case Whole:
  case Real:
  case Array: return show(at, real, out);
  case List:
  case Tuple: break;
  }
  const Word count = at[1];
  out += "[";
  at += 2;
  for (Word i = 0; i < count; ++i, at = skipped(at)) {
    if (i > 0) out += ", ";
    json(at, real, out);
  }
  out += "]";
}
/// A key of an object: a text, as which it writes numbers, too.
template <class Show> void json_key(const Word *at, const Show &real, std::string &out) {
  std::string key;
  if (*at == Text) key = text_at(at);
  else json(at, real, key);
  out += text_quoted(key);
}

/// Below, equal or above 0, as Python compares: an integer and a number with a fraction by their values, not as f64.
TSR_APART int compared_numbers(const Word *a, const Word *b) {
  if (a[0] != Real && b[0] != Real) return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0;
  if (a[0] == Real && b[0] == Real) {
    const double x = real_of(a[1]), y = real_of(b[1]);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : (x != x) - (y != y);  // NaN is behind all numbers
  }
  if (a[0] == Real) return -compared_numbers(b, a);
  const double real = real_of(b[1]);
  if (!(real < 0x1p63)) return -1;
  if (real < -0x1p63) return 1;
  const Word whole = static_cast<Word>(real);  // cut towards 0
  if (a[1] != whole) return a[1] < whole ? -1 : 1;
  return static_cast<double>(whole) < real ? -1 : static_cast<double>(whole) > real ? 1 : 0;
}
/// ... parts one after the other, texts by their bytes, and what ends first is less.
TSR_APART int compared(const Word *a, const Word *b) {
  if (*a <= Truth && *b <= Truth) return compared_numbers(a, b);
  if (*a != *b) return *a < *b ? -1 : 1;
  if (*a == Text) return text_at(a).compare(text_at(b));
  if (*a == Array) {
    const Word *end = skipped(a);
    for (++a, ++b; a < end; ++a, ++b)
      if (*a != *b) return *a < *b ? -1 : 1;
    return 0;
  }
  const Word mine = a[1], others = b[1];
  a += 2, b += 2;
  for (Word i = 0; i < mine && i < others; ++i) {
    if (int order = compared(a, b)) return order;
    a = skipped(a);
    b = skipped(b);
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
TSR_APART int64_t cut(int64_t index, int64_t count) {
  if (index < 0) index += count;
  return index < 0 ? 0 : index > count ? count : index;
}

}  // namespace words
}  // namespace host
}  // namespace tsr
