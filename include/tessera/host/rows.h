// Lists of lists of several lengths, of texts and of tuples, and dicts of such keys and values: tensors of f64 with a row for each item, which
// begins with the number of its words (words.h). Rows are as wide as the longest item so far.
#pragma once
#include "tessera/host/format.h"
#include "tessera/host/store.h"
#include "tessera/host/words.h"
#include <algorithm>

namespace tsr {
namespace host {
namespace detail {

using Words = std::vector<double>;

inline Tensor tensor_of_words(const Words &words) {
  Tensor made = Tensor::make<double>({static_cast<int64_t>(words.size())});
  if (!words.empty()) memcpy(made.bytes_to_write(), words.data(), words.size() * sizeof(double));
  return made;
}
inline const double *words_in(const Tensor &tensor) { return reinterpret_cast<const double *>(tensor.bytes()); }
inline int64_t width_of(const Tensor &table) { return table.shape()[1]; }
inline const double *row_in(const Tensor &table, int64_t row) { return words_in(table) + row * width_of(table); }
inline std::string shown_real(double value) {
  return shortest(value, [](double x) { return x; });
}
/// Room for rows of this many words.
inline void widen(Tensor &table, int64_t words) {
  const int64_t rows = table.shape()[0], before = width_of(table);
  if (words < before) return;
  const int64_t width = std::max<int64_t>(words + 1, 2 * before);
  Tensor wide = Tensor::make<double>({rows, width});
  double *to = reinterpret_cast<double *>(wide.bytes_to_write());
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(row_in(table, row), before, to + row * width);
    std::fill_n(to + row * width + before, width - before, 0.0);
  }
  table = wide;
}
inline void write_words(Tensor &table, int64_t row, const double *words, int64_t count) {
  double *to = reinterpret_cast<double *>(table.bytes_to_write()) + row * width_of(table);
  to[0] = static_cast<double>(count);
  std::copy_n(words, count, to + 1);
}
inline int64_t row_at(const Tensor &table, int64_t index) {
  const int64_t rows = shape(table, 0), row = index < 0 ? index + rows : index;
  check(row >= 0 && row < rows, rows == 0 ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(index) + " of a list of " + std::to_string(rows));
  return row;
}
/// The row of a dict whose key has these words, or how many rows there are.
inline int64_t row_of_key(const Tensor &dict, const Tensor &key) {
  const int64_t rows = shape(dict, 0), count = key.count();
  int64_t row = 0;
  for (; row < rows; ++row) {
    const double *words = row_in(dict, row);
    if (static_cast<int64_t>(words[0]) >= count && std::equal(words + 1, words + 1 + count, words_in(key))) break;
  }
  return row;
}
inline Words words_of(const Tensor &row) { return Words(words_in(row), words_in(row) + row.count()); }
/// A table of rows that visit(row) tells the words of: from the first to the last.
template <class Visit> Tensor table_of(int64_t rows, const Visit &visit) {
  int64_t width = 1;
  std::vector<std::pair<const double *, int64_t>> all;
  for (int64_t row = 0; row < rows; ++row) {
    all.push_back(visit(row));
    width = std::max(width, all.back().second + 1);
  }
  Tensor table = Tensor::make<double>({rows, width});
  if (rows > 0) std::fill_n(reinterpret_cast<double *>(table.bytes_to_write()), rows * width, 0.0);
  for (int64_t row = 0; row < rows; ++row) write_words(table, row, all[static_cast<size_t>(row)].first, all[static_cast<size_t>(row)].second);
  return table;
}
inline std::pair<const double *, int64_t> row_words(const Tensor &table, int64_t row) {
  const double *words = row_in(table, row);
  return {words + 1, static_cast<int64_t>(words[0])};
}
template <class T> Tensor list_of(const double *at) {
  const int64_t count = static_cast<int64_t>(*at++);
  Tensor made = Tensor::make<T>({count});
  unsigned char *to = made.bytes_to_write();
  for (int64_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(at[i]);
    memcpy(to + static_cast<size_t>(i) * sizeof value, &value, sizeof value);
  }
  return made;
}
}  // namespace detail

/// A list of items with these words.
template <class... Rows> Tensor rows_of(const Rows &...rows) {
  const std::vector<std::pair<const double *, int64_t>> all = {std::make_pair(detail::words_in(rows), rows.count())...};
  return detail::table_of(static_cast<int64_t>(all.size()), [&](int64_t row) { return all[static_cast<size_t>(row)]; });
}
/// The words of numbers, of a text, of a list of numbers, of a list of rows, and of several things one after the other.
template <class... Numbers> Tensor words_of_numbers(double first, Numbers... numbers) { return detail::tensor_of_words({first, static_cast<double>(numbers)...}); }
inline Tensor words_of_text(const std::string &text) {
  detail::Words words;
  words::put_text(text, words);
  return detail::tensor_of_words(words);
}
inline Tensor words_of_list(const Tensor &list) {
  detail::Words words = {static_cast<double>(list.count())};
  for (int64_t i = 0; i < list.count(); ++i) words.push_back(list.real(i));
  return detail::tensor_of_words(words);
}
inline Tensor words_of_rows(const Tensor &table) {
  const int64_t rows = shape(table, 0);
  detail::Words words = {static_cast<double>(rows)};
  for (int64_t row = 0; row < rows; ++row) {
    const auto one = detail::row_words(table, row);
    words.insert(words.end(), one.first, one.first + one.second);
  }
  return detail::tensor_of_words(words);
}
template <class... Rows> Tensor words_joined(const Tensor &first, const Rows &...others) {
  detail::Words words = detail::words_of(first);
  (words.insert(words.end(), detail::words_in(others), detail::words_in(others) + others.count()), ...);
  return detail::tensor_of_words(words);
}

/// The words of an item, one behind the last, and a list with another item in the place of one.
inline Tensor words_at(const Tensor &table, int64_t index) {
  const auto row = detail::row_words(table, detail::row_at(table, index));
  return detail::tensor_of_words(detail::Words(row.first, row.first + row.second));
}
inline void store_next_words(Tensor &table, const Tensor &given) {
  const Tensor words = given;  // it may share the list's elements
  detail::widen(table, words.count());
  table.own();
  table.grow();
  detail::write_words(table, shape(table, 0) - 1, detail::words_in(words), words.count());
}
inline Tensor rows_with(const Tensor &table, int64_t index, const Tensor &words) {
  const int64_t row = detail::row_at(table, index);
  return detail::table_of(shape(table, 0), [&](int64_t i) { return i == row ? std::make_pair(detail::words_in(words), words.count()) : detail::row_words(table, i); });
}

/// Part `k` of an item, or the item itself where `k` is below 0: a number, a text, a list of numbers, a list of other things.
inline double number_in(const Tensor &row, const std::string &schema, int64_t k) { return *words::part_of(schema.c_str(), detail::words_in(row), k).at; }
inline std::string text_in(const Tensor &row, const std::string &schema, int64_t k) { return words::text_at(words::part_of(schema.c_str(), detail::words_in(row), k).at); }
inline Tensor words_in(const Tensor &row, const std::string &schema, int64_t k) {
  const words::Part part = words::part_of(schema.c_str(), detail::words_in(row), k);
  return detail::tensor_of_words(detail::Words(part.at, words::skipped(part.schema, part.at)));
}
inline Tensor list_in(const Tensor &row, const std::string &schema, int64_t k) {
  const words::Part part = words::part_of(schema.c_str(), detail::words_in(row), k);
  return part.schema[1] == 'w' ? detail::list_of<int64_t>(part.at) : part.schema[1] == 'b' ? detail::list_of<bool>(part.at) : detail::list_of<double>(part.at);
}
inline Tensor rows_in(const Tensor &row, const std::string &schema, int64_t k) {
  const words::Part part = words::part_of(schema.c_str(), detail::words_in(row), k);
  const double *at = part.at + 1;
  return detail::table_of(static_cast<int64_t>(*part.at), [&](int64_t) {
    const double *begin = at;
    at = words::skipped(part.schema + 1, at);
    return std::make_pair(begin, static_cast<int64_t>(at - begin));
  });
}

/// `rows[a:b]`, cut as Python cuts lists, the items that indices name, and one list behind another.
inline Tensor rows_part(const Tensor &table, int64_t begin, int64_t end) {
  const int64_t rows = shape(table, 0), first = words::cut(begin, rows), last = words::cut(end, rows);
  return detail::table_of(std::max<int64_t>(last - first, 0), [&](int64_t i) { return detail::row_words(table, first + i); });
}
inline Tensor rows_by(const Tensor &table, const Tensor &order) {
  return detail::table_of(order.count(), [&](int64_t i) { return detail::row_words(table, static_cast<int64_t>(order.real(i))); });
}
inline Tensor rows_joined(const Tensor &a, const Tensor &b) {
  const int64_t first = shape(a, 0);
  return detail::table_of(first + shape(b, 0), [&](int64_t i) { return i < first ? detail::row_words(a, i) : detail::row_words(b, i - first); });
}
/// Where the items lie once they are in order; what is equal keeps its order.
inline Tensor rows_order(const Tensor &table, const std::string &schema, bool reverse) {
  std::vector<int64_t> order(static_cast<size_t>(shape(table, 0)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int compared = words::compared(schema.c_str(), detail::row_in(table, a) + 1, detail::row_in(table, b) + 1);
    return compared == 0 ? a < b : reverse ? compared > 0 : compared < 0;
  });
  Tensor made = Tensor::make<int64_t>({static_cast<int64_t>(order.size())});
  if (!order.empty()) memcpy(made.bytes_to_write(), order.data(), order.size() * sizeof(int64_t));
  return made;
}
inline bool has_item(const Tensor &table, const Tensor &item) {
  for (int64_t row = 0; row < shape(table, 0); ++row)
    if (detail::row_words(table, row).second == item.count() && std::equal(detail::words_in(item), detail::words_in(item) + item.count(), detail::row_in(table, row) + 1)) return true;
  return false;
}
inline std::string rows_text(const Tensor &table, const std::string &schema) {
  std::string text = "[";
  for (int64_t row = 0; row < shape(table, 0); ++row) {
    if (row > 0) text += ", ";
    words::show(schema.c_str(), detail::row_in(table, row) + 1, detail::shown_real, text);
  }
  return text + "]";
}

/// A dict: rows of a key's words and its value's.
inline void store_entry(Tensor &dict, const Tensor &key, const Tensor &value) {
  const Tensor words = words_joined(key, value);
  const int64_t row = detail::row_of_key(dict, key);
  if (row == shape(dict, 0)) return store_next_words(dict, words);
  detail::widen(dict, words.count());
  dict.own();
  detail::write_words(dict, row, detail::words_in(words), words.count());
}
inline bool has_entry(const Tensor &dict, const Tensor &key) { return detail::row_of_key(dict, key) < shape(dict, 0); }
inline Tensor entry_of(const Tensor &dict, const Tensor &key, const std::string &schema) {
  const int64_t row = detail::row_of_key(dict, key);
  if (row == shape(dict, 0)) {
    std::string text;
    words::show(schema.c_str(), detail::words_in(key), detail::shown_real, text);
    stop("the dict has no key " + text + ": ask with `in`, or read it with `get(key, value)`");
  }
  const auto words = detail::row_words(dict, row);
  return detail::tensor_of_words(detail::Words(words.first + key.count(), words.first + words.second));
}
/// The words of the key's value, or these where it has none.
inline Tensor entry_or(const Tensor &dict, const Tensor &key, const Tensor &other) {
  const int64_t row = detail::row_of_key(dict, key);
  if (row == shape(dict, 0)) return other;
  const auto words = detail::row_words(dict, row);
  return detail::tensor_of_words(detail::Words(words.first + key.count(), words.first + words.second));
}
/// All keys, whose schema this is, or all values, as a list.
inline Tensor entry_keys(const Tensor &dict, const std::string &schema) {
  return detail::table_of(shape(dict, 0), [&](int64_t i) {
    const auto words = detail::row_words(dict, i);
    return std::make_pair(words.first, static_cast<int64_t>(words::skipped(schema.c_str(), words.first) - words.first));
  });
}
inline Tensor entry_values(const Tensor &dict, const std::string &schema) {
  return detail::table_of(shape(dict, 0), [&](int64_t i) {
    const auto words = detail::row_words(dict, i);
    const double *value = words::skipped(schema.c_str(), words.first);
    return std::make_pair(value, words.second - static_cast<int64_t>(value - words.first));
  });
}
inline std::string entries_text(const Tensor &dict, const std::string &keys, const std::string &values) {
  std::string text = "{";
  for (int64_t row = 0; row < shape(dict, 0); ++row) {
    const double *at = detail::row_in(dict, row) + 1;
    if (row > 0) text += ", ";
    words::show(keys.c_str(), at, detail::shown_real, text);
    text += ": ";
    words::show(values.c_str(), words::skipped(keys.c_str(), at), detail::shown_real, text);
  }
  return text + "}";
}
/// A list of numbers as a list of rows, and back: a row for each.
inline Tensor rows_of_list(const Tensor &list) {
  const Tensor words = words_of_list(list);
  const double *at = detail::words_in(words) + 1;
  return detail::table_of(list.count(), [&](int64_t i) { return std::make_pair(at + i, int64_t(1)); });
}
/// A matrix as a list of lists.
inline Tensor rows_of_table(const Tensor &table) {
  const int64_t rows = shape(table, 0), count = rows == 0 ? 0 : table.count() / rows;
  detail::Words words;
  for (int64_t i = 0; i < table.count(); ++i) {
    if (i % count == 0) words.push_back(static_cast<double>(count));
    words.push_back(table.real(i));
  }
  return detail::table_of(rows, [&](int64_t row) { return std::make_pair(words.data() + row * (count + 1), count + 1); });
}
inline Tensor list_of_rows(const Tensor &table, const std::string &schema) {
  const Tensor words = words_of_rows(table);
  return list_in(words, "[" + schema + "]", -1);
}
/// The parts of a text between marks, of none between blanks, and texts with a mark between them.
inline Tensor text_parts(const std::string &text, const std::string &mark) {
  std::vector<detail::Words> parts;
  words::parts_of(text, mark, [&](const std::string &part) {
    parts.emplace_back();
    words::put_text(part, parts.back());
  });
  return detail::table_of(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const detail::Words &part = parts[static_cast<size_t>(i)];
    return std::make_pair(part.data(), static_cast<int64_t>(part.size()));
  });
}
inline std::string text_joined(const std::string &mark, const Tensor &texts) {
  std::string all;
  for (int64_t row = 0; row < shape(texts, 0); ++row) all += (row > 0 ? mark : "") + words::text_at(detail::row_in(texts, row) + 1);
  return all;
}

}  // namespace host
}  // namespace tsr
