// Dicts of numbers: a row for each key, with its value, in the order in which the keys came: of either one its kind and its word (words.h), so
// that integers of 64 bits are exact. Keys are looked for from the first on.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/format.h"
#include "tessera/host/rows.h"
#include "tessera/host/store.h"

namespace tsr {
namespace host {
namespace detail {

struct KeyAndValue {
  Word key[2], value[2];
};
TSR_APART const KeyAndValue *entries_in(const Tensor &dict) { return reinterpret_cast<const KeyAndValue *>(dict.bytes()); }
/// The row of a key, or how many rows there are.
template <class Key> int64_t row_of(const Tensor &dict, Key key) {
  const Word wanted[2] = {words::kind_of<Key>(), words::word_of(key)};
  const KeyAndValue *entries = entries_in(dict);
  const int64_t rows = shape(dict, 0);
  int64_t row = 0;
  while (row < rows && words::compared_numbers(entries[row].key, wanted) != 0) ++row;
  return row;
}
template <class Number> std::string shown_number(Number value) {
  std::string text;
  words::show_number(words::kind_of<Number>(), words::word_of(value), 64, shown_real, text);
  return text;
}
/// The words of a key's value, which must be there.
template <class Key> const Word *value_words(const Tensor &dict, Key key) {
  const int64_t row = row_of(dict, key);
  if (row >= shape(dict, 0)) stop("the dict has no key " + shown_number(key) + ": ask with `in`, or read it with `get(key, value)`", kKeyError);
  return entries_in(dict)[row].value;
}
TSR_APART Tensor column(const Tensor &dict, int64_t which, const char *dtype) {
  const KeyAndValue *entries = entries_in(dict);
  return tensor_of(dtype, {shape(dict, 0)}, [&](int64_t i) {
    const Word *words = which == 0 ? entries[i].key : entries[i].value;
    return Held{{words[0], words[1]}};
  });
}
}  // namespace detail

/// `dict[key] = value`.
template <class Key, class Value> void store_key(Tensor &dict, Key key, Value value) {
  const int64_t row = detail::row_of(dict, key);
  dict.own();
  const bool isNew = row == shape(dict, 0);
  if (isNew) dict.grow();
  auto *entry = reinterpret_cast<detail::KeyAndValue *>(dict.bytes_to_write()) + row;
  if (isNew) entry->key[0] = words::kind_of<Key>(), entry->key[1] = words::word_of(key);
  entry->value[0] = words::kind_of<Value>(), entry->value[1] = words::word_of(value);
}
template <class Key> bool has_key(const Tensor &dict, Key key) { return detail::row_of(dict, key) < shape(dict, 0); }
/// The row of a key, which must be there.
template <class Key> int64_t place_of_key(const Tensor &dict, Key key) {
  (void)detail::value_words(dict, key);
  return detail::row_of(dict, key);
}
/// `dict[key]`, and `dict.get(key, other)`.
template <class Key> int64_t whole_of_key(const Tensor &dict, Key key) { return words::whole_at(detail::value_words(dict, key)); }
template <class Key> double real_of_key(const Tensor &dict, Key key) { return words::real_at(detail::value_words(dict, key)); }
template <class Key> int64_t whole_or(const Tensor &dict, Key key, int64_t other) { return has_key(dict, key) ? whole_of_key(dict, key) : other; }
template <class Key> double real_or(const Tensor &dict, Key key, double other) { return has_key(dict, key) ? real_of_key(dict, key) : other; }
/// All keys (0) or all values (1).
TSR_APART Tensor column_real(const Tensor &dict, int64_t which) { return detail::column(dict, which, "f64"); }
TSR_APART Tensor column_whole(const Tensor &dict, int64_t which) { return detail::column(dict, which, "i64"); }
/// `{3: 1.5, 4: 2.0}`
TSR_APART std::string dict_text(const Tensor &dict) {
  const detail::KeyAndValue *entries = detail::entries_in(dict);
  std::string text = "{";
  for (int64_t row = 0; row < shape(dict, 0); ++row) {
    if (row > 0) text += ", ";
    words::show(entries[row].key, detail::shown_real, text);
    text += ": ";
    words::show(entries[row].value, detail::shown_real, text);
  }
  return text + "}";
}

}  // namespace host
}  // namespace tsr
