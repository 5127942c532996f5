// Lists of lists of several lengths, of texts, tuples and arrays, and dicts of such keys and values: tensors of i64 with a row for each item,
// which begins with the number of its words (words.h). Rows are as wide as the longest item so far.
#pragma once
#include "tessera/host/apart.h"
#include "tessera/host/format.h"
#include "tessera/host/store.h"
#include "tessera/host/words.h"
#include <algorithm>

namespace tsr {
namespace host {
namespace detail {

using words::Word;
using words::Words;

TSR_APART Tensor tensor_of_words(const Words &words) {
  Tensor made = Tensor::make<Word>({static_cast<int64_t>(words.size())});
  if (!words.empty()) memcpy(made.bytes_to_write(), words.data(), words.size() * sizeof(Word));
  return made;
}
TSR_APART const Word *words_in(const Tensor &tensor) { return reinterpret_cast<const Word *>(tensor.bytes()); }
TSR_APART int64_t width_of(const Tensor &table) { return table.shape()[1]; }
TSR_APART const Word *row_in(const Tensor &table, int64_t row) { return words_in(table) + row * width_of(table); }
TSR_APART std::string shown_real(double value, Word bits) {
  return shortest(value, [&](double x) { return bits == 64 ? x : static_cast<double>(static_cast<float>(x)); });
}
/// Room for rows of this many words.
TSR_APART void widen(Tensor &table, int64_t words) {
  const int64_t rows = table.shape()[0], before = width_of(table);
  if (words < before) return;
  const int64_t width = std::max<int64_t>(words + 1, 2 * before);
  Tensor wide = Tensor::make<Word>({rows, width});
  Word *to = reinterpret_cast<Word *>(wide.bytes_to_write());
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(row_in(table, row), before, to + row * width);
    std::fill_n(to + row * width + before, width - before, 0);
  }
  table = wide;
}
TSR_APART void write_words(Tensor &table, int64_t row, const Word *words, int64_t count) {
  Word *to = reinterpret_cast<Word *>(table.bytes_to_write()) + row * width_of(table);
  to[0] = count;
  std::copy_n(words, count, to + 1);
}
TSR_APART int64_t row_at(const Tensor &table, int64_t index) {
  const int64_t rows = shape(table, 0), row = index < 0 ? index + rows : index;
  if (row < 0 || row >= rows) stop(rows == 0 ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(index) + " of a list of " + std::to_string(rows), kIndexError);
  return row;
}
/// The row of a dict whose key has these words, or how many rows there are.
TSR_APART int64_t row_of_key(const Tensor &dict, const Tensor &key) {
  const int64_t rows = shape(dict, 0), count = key.count();
  int64_t row = 0;
  for (; row < rows; ++row) {
    const Word *words = row_in(dict, row) + 1;
    if (count > 0 && words::compared(words, words_in(key)) == 0) break;
  }
  return row;
}
/// That row; where there is none, the program ends, and says so in these words around the key.
TSR_APART int64_t place_of(const Tensor &table, const Tensor &key, const char *missing, const char *advice, int64_t kind) {
  const int64_t row = row_of_key(table, key);
  if (row < shape(table, 0)) return row;
  std::string text;
  words::show(words_in(key), shown_real, text);
  stop(missing + text + advice, kind);
}
TSR_APART const Word *part_in(const Tensor &row, int64_t k) { return words::part_of(words_in(row), k); }
TSR_APART Words words_of(const Tensor &row) { return Words(words_in(row), words_in(row) + row.count()); }
/// A table of rows that visit(row) tells the words of: from the first to the last.
template <class Visit> Tensor table_of(int64_t rows, const Visit &visit) {
  int64_t width = 1;
  std::vector<std::pair<const Word *, int64_t>> all;
  for (int64_t row = 0; row < rows; ++row) {
    all.push_back(visit(row));
    width = std::max(width, all.back().second + 1);
  }
  Tensor table = Tensor::make<Word>({rows, width});
  if (rows > 0) std::fill_n(reinterpret_cast<Word *>(table.bytes_to_write()), rows * width, 0);
  for (int64_t row = 0; row < rows; ++row) write_words(table, row, all[static_cast<size_t>(row)].first, all[static_cast<size_t>(row)].second);
  return table;
}
TSR_APART std::pair<const Word *, int64_t> row_words(const Tensor &table, int64_t row) {
  const Word *words = row_in(table, row);
  return {words + 1, words[0]};
}
struct Held {
  Word words[2];
  double real() const { return words::real_at(words); }
  int64_t whole() const { return words::whole_at(words); }
};
/// Numbers as a tensor of a dtype: number(i) is a Held.
template <class NumberAt> Tensor tensor_of(const std::string &dtype, std::vector<int64_t> shape, const NumberAt &number) {
  Tensor made(dtype_named(dtype), std::move(shape));
  const Places all(made, {});
  if (made.is_real()) store_values(made, all, [&](int64_t i) { return number(i).real(); });
  else store_values(made, all, [&](int64_t i) { return number(i).whole(); });
  return made;
}
/// The kind of a tensor's elements, and the word of one.
TSR_APART words::Kind kind_of(const Tensor &tensor) { return tensor.is_real() ? words::Real : tensor.dtype().code == TESS_BOOL ? words::Truth : words::Whole; }
TSR_APART Word element_word(const Tensor &tensor, int64_t i) { return tensor.is_real() ? words::bits_of(tensor.real(i)) : tensor.integer(i); }
}  // namespace detail

/// A list of items with these words.
template <class... Rows> Tensor rows_of(const Rows &...rows) {
  const std::vector<std::pair<const detail::Word *, int64_t>> all = {std::make_pair(detail::words_in(rows), rows.count())...};
  return detail::table_of(static_cast<int64_t>(all.size()), [&](int64_t row) { return all[static_cast<size_t>(row)]; });
}
/// The words of a number, a text, a list of numbers, a list of rows, an array, and of a tuple and a list of what has these words.
template <class Number> Tensor words_of_number(Number number) {
  detail::Words words;
  words::put_number(number, words);
  return detail::tensor_of_words(words);
}
TSR_APART Tensor words_of_text(const std::string &text) {
  detail::Words words;
  words::put_text(text, words);
  return detail::tensor_of_words(words);
}
TSR_APART Tensor words_of_list(const Tensor &list) {
  detail::Words words = {words::List, list.count()};
  for (int64_t i = 0; i < list.count(); ++i) words.insert(words.end(), {detail::kind_of(list), detail::element_word(list, i)});
  return detail::tensor_of_words(words);
}
TSR_APART Tensor words_of_array(const Tensor &array) {
  detail::Words words = {words::Array, detail::kind_of(array), array.dtype().bits, rank(array)};
  words.insert(words.end(), array.shape().begin(), array.shape().end());
  for (int64_t i = 0; i < array.count(); ++i) words.push_back(detail::element_word(array, i));
  return detail::tensor_of_words(words);
}
TSR_APART Tensor words_of_rows(const Tensor &table) {
  const int64_t rows = shape(table, 0);
  detail::Words words = {words::List, rows};
  for (int64_t row = 0; row < rows; ++row) {
    const auto one = detail::row_words(table, row);
    words.insert(words.end(), one.first, one.first + one.second);
  }
  return detail::tensor_of_words(words);
}
template <class... Parts> Tensor words_of_tuple(const Parts &...parts) {
  detail::Words words = {words::Tuple, sizeof...(parts)};
  (words.insert(words.end(), detail::words_in(parts), detail::words_in(parts) + parts.count()), ...);
  return detail::tensor_of_words(words);
}
template <class... Items> Tensor words_of_items(const Items &...items) {
  detail::Words words = {words::List, sizeof...(items)};
  (words.insert(words.end(), detail::words_in(items), detail::words_in(items) + items.count()), ...);
  return detail::tensor_of_words(words);
}

/// The words of an item, one behind the last, and a list with another item in the place of one.
TSR_APART Tensor words_at(const Tensor &table, int64_t index) {
  const auto row = detail::row_words(table, detail::row_at(table, index));
  return detail::tensor_of_words(detail::Words(row.first, row.first + row.second));
}
TSR_APART void store_next_words(Tensor &table, const Tensor &given) {
  const Tensor words = given;  // it may share the list's elements
  detail::widen(table, words.count());
  table.own();
  table.grow();
  detail::write_words(table, shape(table, 0) - 1, detail::words_in(words), words.count());
}
TSR_APART void store_words(Tensor &table, int64_t index, const Tensor &given) {
  const Tensor words = given;  // it may share the list's elements
  const int64_t row = detail::row_at(table, index);
  detail::widen(table, words.count());
  table.own();
  detail::write_words(table, row, detail::words_in(words), words.count());
}

/// Part `k` of an item, or the item itself where `k` is below 0: a number, a text, a list of numbers or array of a dtype, a list of other things.
TSR_APART int64_t whole_in(const Tensor &row, int64_t k) { return words::whole_at(detail::part_in(row, k)); }
TSR_APART double real_in(const Tensor &row, int64_t k) { return words::real_at(detail::part_in(row, k)); }
TSR_APART bool truth_in(const Tensor &row, int64_t k) { return words::whole_at(detail::part_in(row, k)) != 0; }
TSR_APART std::string text_in(const Tensor &row, int64_t k) { return words::text_at(detail::part_in(row, k)); }
TSR_APART Tensor words_in(const Tensor &row, int64_t k) {
  const detail::Word *part = detail::part_in(row, k);
  return detail::tensor_of_words(detail::Words(part, words::skipped(part)));
}
TSR_APART Tensor list_in(const Tensor &row, const std::string &dtype, int64_t k) {
  const detail::Word *part = detail::part_in(row, k), *items = part + 2;
  return detail::tensor_of(dtype, {part[1]}, [&](int64_t i) { return detail::Held{{items[2 * i], items[2 * i + 1]}}; });
}
TSR_APART Tensor array_in(const Tensor &row, const std::string &dtype, int64_t k) {
  const detail::Word *part = detail::part_in(row, k), *elements = words::element_words(part);
  return detail::tensor_of(dtype, std::vector<int64_t>(part + 4, elements), [&](int64_t i) { return detail::Held{{part[1], elements[i]}}; });
}
TSR_APART Tensor rows_in(const Tensor &row, int64_t k) {
  const detail::Word *part = detail::part_in(row, k), *at = part + 2;
  return detail::table_of(part[1], [&](int64_t) {
    const detail::Word *begin = at;
    at = words::skipped(at);
    return std::make_pair(begin, static_cast<int64_t>(at - begin));
  });
}

/// `rows[a:b]`, cut as Python cuts lists, the items that indices name, and one list behind another.
TSR_APART Tensor rows_part(const Tensor &table, int64_t begin, int64_t end) {
  const int64_t rows = shape(table, 0), first = words::cut(begin, rows), last = words::cut(end, rows);
  return detail::table_of(std::max<int64_t>(last - first, 0), [&](int64_t i) { return detail::row_words(table, first + i); });
}
TSR_APART Tensor rows_by(const Tensor &table, const Tensor &order) {
  return detail::table_of(order.count(), [&](int64_t i) { return detail::row_words(table, static_cast<int64_t>(order.real(i))); });
}
TSR_APART Tensor rows_joined(const Tensor &a, const Tensor &b) {
  const int64_t first = shape(a, 0);
  return detail::table_of(first + shape(b, 0), [&](int64_t i) { return i < first ? detail::row_words(a, i) : detail::row_words(b, i - first); });
}
/// Where the items lie once they are in order; what is equal keeps its order.
TSR_APART Tensor rows_order(const Tensor &table, bool reverse) {
  std::vector<int64_t> order(static_cast<size_t>(shape(table, 0)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int compared = words::compared(detail::row_in(table, a) + 1, detail::row_in(table, b) + 1);
    return compared == 0 ? a < b : reverse ? compared > 0 : compared < 0;
  });
  Tensor made = Tensor::make<int64_t>({static_cast<int64_t>(order.size())});
  if (!order.empty()) memcpy(made.bytes_to_write(), order.data(), order.size() * sizeof(int64_t));
  return made;
}
/// From the last item to the first; where an item is, and how often.
TSR_APART Tensor rows_turned(const Tensor &table) {
  const int64_t rows = shape(table, 0);
  return detail::table_of(rows, [&](int64_t i) { return detail::row_words(table, rows - 1 - i); });
}
TSR_APART int64_t rows_place(const Tensor &table, const Tensor &item) { return detail::place_of(table, item, "the list has no item ", ": ask with `in`", kValueError); }
TSR_APART int64_t rows_count(const Tensor &table, const Tensor &item) {
  int64_t count = 0;
  for (int64_t row = 0; row < shape(table, 0); ++row) count += words::compared(detail::row_in(table, row) + 1, detail::words_in(item)) == 0;
  return count;
}
TSR_APART bool has_item(const Tensor &table, const Tensor &item) { return detail::row_of_key(table, item) < shape(table, 0); }
TSR_APART std::string rows_text(const Tensor &table) {
  std::string text = "[";
  for (int64_t row = 0; row < shape(table, 0); ++row) {
    if (row > 0) text += ", ";
    words::show(detail::row_in(table, row) + 1, detail::shown_real, text);
  }
  return text + "]";
}

/// A dict: rows of a key's words and its value's.
TSR_APART void store_entry(Tensor &dict, const Tensor &key, const Tensor &value) {
  detail::Words both = detail::words_of(key);
  both.insert(both.end(), detail::words_in(value), detail::words_in(value) + value.count());
  const Tensor words = detail::tensor_of_words(both);
  const int64_t row = detail::row_of_key(dict, key);
  if (row == shape(dict, 0)) return store_next_words(dict, words);
  detail::widen(dict, words.count());
  dict.own();
  detail::write_words(dict, row, detail::words_in(words), words.count());
}
TSR_APART int64_t entry_place(const Tensor &dict, const Tensor &key) {
  return detail::place_of(dict, key, "the dict has no key ", ": ask with `in`, or read it with `get(key, value)`", kKeyError);
}
TSR_APART bool has_entry(const Tensor &dict, const Tensor &key) { return detail::row_of_key(dict, key) < shape(dict, 0); }
TSR_APART Tensor entry_of(const Tensor &dict, const Tensor &key) {
  const auto words = detail::row_words(dict, entry_place(dict, key));
  return detail::tensor_of_words(detail::Words(words.first + key.count(), words.first + words.second));
}
/// The words of the key's value, or these where it has none.
TSR_APART Tensor entry_or(const Tensor &dict, const Tensor &key, const Tensor &other) {
  const int64_t row = detail::row_of_key(dict, key);
  if (row == shape(dict, 0)) return other;
  const auto words = detail::row_words(dict, row);
  return detail::tensor_of_words(detail::Words(words.first + key.count(), words.first + words.second));
}
/// A dict of the pairs of a list.
TSR_APART Tensor entries_of_rows(const Tensor &pairs) {
  Tensor dict = rows_of();
  for (int64_t row = 0; row < shape(pairs, 0); ++row) {
    const detail::Word *key = detail::row_words(pairs, row).first + 2, *value = words::skipped(key);
    store_entry(dict, detail::tensor_of_words(detail::Words(key, value)), detail::tensor_of_words(detail::Words(value, words::skipped(value))));
  }
  return dict;
}
/// All keys, or all values, as a list.
TSR_APART Tensor entry_keys(const Tensor &dict) {
  return detail::table_of(shape(dict, 0), [&](int64_t i) {
    const auto words = detail::row_words(dict, i);
    return std::make_pair(words.first, static_cast<int64_t>(words::skipped(words.first) - words.first));
  });
}
TSR_APART Tensor entry_values(const Tensor &dict) {
  return detail::table_of(shape(dict, 0), [&](int64_t i) {
    const auto words = detail::row_words(dict, i);
    const detail::Word *value = words::skipped(words.first);
    return std::make_pair(value, words.second - static_cast<int64_t>(value - words.first));
  });
}
/// A list and a dict as JSON.
TSR_APART std::string rows_json(const Tensor &table) {
  std::string text = "[";
  for (int64_t row = 0; row < shape(table, 0); ++row) {
    if (row > 0) text += ", ";
    words::json(detail::row_in(table, row) + 1, detail::shown_real, text);
  }
  return text + "]";
}
namespace detail {
/// The entries of a dict between braces; `key` and `value` append what they show of the words at `at`.
template <class Key, class Value> std::string entries_shown(const Tensor &dict, const Key &key, const Value &value) {
  std::string text = "{";
  for (int64_t row = 0; row < shape(dict, 0); ++row) {
    const Word *at = row_in(dict, row) + 1;
    if (row > 0) text += ", ";
    key(at, text);
    text += ": ";
    value(words::skipped(at), text);
  }
  return text + "}";
}
}  // namespace detail
TSR_APART std::string entries_json(const Tensor &dict) {
  return detail::entries_shown(dict, [](const detail::Word *at, std::string &text) { words::json_key(at, detail::shown_real, text); },
                               [](const detail::Word *at, std::string &text) { words::json(at, detail::shown_real, text); });
}
TSR_APART std::string entries_text(const Tensor &dict) {
  const auto show = [](const detail::Word *at, std::string &text) { words::show(at, detail::shown_real, text); };
  return detail::entries_shown(dict, show, show);
}
/// A set: a dict whose values say nothing.
TSR_APART Tensor set_of_rows(const Tensor &table) {
  Tensor set = rows_of();
  const Tensor none = words_of_number(true);
  for (int64_t row = 0; row < shape(table, 0); ++row) store_entry(set, words_at(table, row), none);
  return set;
}
TSR_APART std::string set_text(const Tensor &set) {
  const std::string items = rows_text(entry_keys(set));
  return shape(set, 0) == 0 ? "set()" : "{" + items.substr(1, items.size() - 2) + "}";
}
/// A list of numbers as a list of rows, and back: a row for each.
TSR_APART Tensor rows_of_list(const Tensor &list) {
  const Tensor words = words_of_list(list);
  const detail::Word *at = detail::words_in(words) + 2;
  return detail::table_of(list.count(), [&](int64_t i) { return std::make_pair(at + 2 * i, int64_t(2)); });
}
/// A matrix as a list of lists, or of tuples.
TSR_APART Tensor rows_of_table(const Tensor &table, bool tuples) {
  const int64_t rows = shape(table, 0), count = rows == 0 ? 0 : table.count() / rows, wide = 2 + 2 * count;
  detail::Words words;
  for (int64_t i = 0; i < table.count(); ++i) {
    if (i % count == 0) words.insert(words.end(), {tuples ? words::Tuple : words::List, count});
    words.insert(words.end(), {detail::kind_of(table), detail::element_word(table, i)});
  }
  return detail::table_of(rows, [&](int64_t row) { return std::make_pair(words.data() + row * wide, wide); });
}
TSR_APART Tensor list_of_rows(const Tensor &table, const std::string &dtype) { return list_in(words_of_rows(table), dtype, -1); }
/// The parts of a text between marks, of none between blanks, and texts with a mark between them.
TSR_APART Tensor text_parts(const std::string &text, const std::string &mark) {
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
TSR_APART Tensor text_lines(const std::string &text, bool keepEnds) {
  std::vector<detail::Words> lines;
  lines_of(text, keepEnds, [&](const std::string &line) { words::put_text(line, lines.emplace_back()); });
  return detail::table_of(static_cast<int64_t>(lines.size()), [&](int64_t i) {
    const detail::Words &line = lines[static_cast<size_t>(i)];
    return std::make_pair(line.data(), static_cast<int64_t>(line.size()));
  });
}
TSR_APART std::string text_joined(const std::string &mark, const Tensor &texts) {
  std::string all;
  for (int64_t row = 0; row < shape(texts, 0); ++row) all += (row > 0 ? mark : "") + words::text_at(detail::row_in(texts, row) + 1);
  return all;
}

}  // namespace host
}  // namespace tsr
