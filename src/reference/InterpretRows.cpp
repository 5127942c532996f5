// Lists of several lengths, of texts, tuples and arrays, and dicts of such, as the emitted program holds them (include/tessera/host/rows.h): each
// function makes a new table.
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include "tessera/host/json.h"
#include "tessera/host/words.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace tessera::reference {

using namespace checked;
namespace words = tsr::host::words;

namespace {
using words::Word;
using words::Words;

Ref ofWords(Words given) {
  Ref out = makeDatum(DType::I64, {static_cast<int64_t>(given.size())});
  out->ints = std::move(given);
  return out;
}
/// A table whose rows these are: as long as the longest, each with its length in front.
Ref ofRows(const std::vector<Words> &rows) {
  size_t width = 1;
  for (const Words &row : rows) width = std::max(width, row.size() + 1);
  Ref out = makeDatum(DType::I64, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)});
  for (size_t i = 0; i < rows.size(); ++i) {
    out->ints[i * width] = static_cast<Word>(rows[i].size());
    std::copy(rows[i].begin(), rows[i].end(), out->ints.begin() + static_cast<std::ptrdiff_t>(i * width + 1));
  }
  return out;
}
size_t countOf(const Datum &table) { return static_cast<size_t>(table.shape.at(0)); }
const Word *rowOf(const Datum &table, size_t row) { return table.ints.data() + row * static_cast<size_t>(table.shape.at(1)); }
Words wordsOf(const Datum &table, size_t row) {
  const Word *at = rowOf(table, row);
  return Words(at + 1, at + 1 + static_cast<size_t>(*at));
}
std::vector<Words> rowsOf(const Datum &table) {
  std::vector<Words> rows;
  for (size_t i = 0; i < countOf(table); ++i) rows.push_back(wordsOf(table, i));
  return rows;
}
Word kindOf(const Datum &array) { return array.isFloat() ? words::Real : array.dtype == DType::Bool ? words::Truth : words::Whole; }
Word wordOf(const Datum &array, size_t i) { return array.isFloat() ? words::bits_of(array.floats[i]) : array.ints[i]; }
/// The numbers of an array as items of a list, without the list around them.
Words itemsOf(const Datum &list) {
  Words items;
  for (size_t i = 0; i < list.size(); ++i) items.push_back(kindOf(list)), items.push_back(wordOf(list, i));
  return items;
}
Words joined(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::string shownReal(double value, Word bits) { return textOf(*makeFloat(bits == 64 ? DType::F64 : DType::F32, value)); }

/// Numbers as an array: number `i` begins at `at(i)` and is of a kind.
template <class At> Ref arrayOf(const std::string &dtype, std::vector<int64_t> shape, const At &at) {
  Ref out = makeDatum(*dtypeByName(dtype), std::move(shape));
  for (size_t i = 0; i < out->size(); ++i) {
    const std::array<Word, 2> number = at(i);
    if (out->isFloat()) out->floats[i] = words::real_at(number.data());
    else out->ints[i] = words::whole_at(number.data());
  }
  return out;
}
Ref listAt(const std::string &dtype, const Word *part) {
  return arrayOf(dtype, {part[1]}, [&](size_t i) { return std::array<Word, 2>{part[2 + 2 * i], part[3 + 2 * i]}; });
}
Ref partIn(const std::string &name, const Word *part) {
  if (name == "whole_in") return makeInt(DType::I64, words::whole_at(part));
  if (name == "real_in") return makeFloat(DType::F64, words::real_at(part));
  if (name == "truth_in") return makeInt(DType::Bool, words::whole_at(part) != 0);
  if (name == "text_in") return makeText(words::text_at(part));
  if (name == "words_in") return ofWords(Words(part, words::skipped(part)));
  std::vector<Words> rows;
  const Word *at = part + 2;
  for (Word left = part[1]; left > 0; --left) {
    const Word *end = words::skipped(at);
    rows.emplace_back(at, end);
    at = end;
  }
  return ofRows(rows);
}

/// The row of a dict whose key has these words, or how many there are.
size_t rowOfKey(const Datum &dict, const Words &key) {
  size_t row = 0;
  for (; row < countOf(dict); ++row) {
    if (words::compared(rowOf(dict, row) + 1, key.data()) == 0) break;
  }
  return row;
}
Ref orderOf(const Datum &table, bool reverse) {
  std::vector<int64_t> order(countOf(table));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int compared = words::compared(rowOf(table, static_cast<size_t>(a)) + 1, rowOf(table, static_cast<size_t>(b)) + 1);
    return reverse ? compared > 0 : compared < 0;
  });
  Ref out = makeDatum(DType::I64, {static_cast<int64_t>(order.size())});
  out->ints = std::move(order);
  return out;
}
std::vector<Words> partsOfText(const std::string &text, const std::string &mark) {
  std::vector<Words> parts;
  words::parts_of(text, mark, [&](const std::string &part) { words::put_text(part, parts.emplace_back()); });
  return parts;
}
std::string shownRows(const Datum &table) {
  std::string text = "[";
  for (size_t row = 0; row < countOf(table); ++row) {
    if (row > 0) text += ", ";
    words::show(rowOf(table, row) + 1, shownReal, text);
  }
  return text + "]";
}
std::string shownEntries(const Datum &dict) {
  std::string text = "{";
  for (size_t row = 0; row < countOf(dict); ++row) {
    const Word *at = rowOf(dict, row) + 1;
    if (row > 0) text += ", ";
    words::show(at, shownReal, text);
    text += ": ";
    words::show(words::skipped(at), shownReal, text);
  }
  return text + "}";
}
std::string jsonRows(const Datum &table, bool entries) {
  std::string text = entries ? "{" : "[";
  for (size_t row = 0; row < countOf(table); ++row) {
    const Word *at = rowOf(table, row) + 1;
    if (row > 0) text += ", ";
    if (entries) words::json_key(at, shownReal, text), text += ": ", at = words::skipped(at);
    words::json(at, shownReal, text);
  }
  return text + (entries ? "}" : "]");
}
Ref entriesPart(const Datum &dict, bool keys) {
  std::vector<Words> rows;
  for (const Words &entry : rowsOf(dict)) {
    const Word *middle = words::skipped(entry.data()), *end = entry.data() + entry.size();
    rows.emplace_back(keys ? entry.data() : middle, keys ? middle : end);
  }
  return ofRows(rows);
}
}  // namespace

bool isOfRows(const std::string &name) {
  return name == "store_next_words" || name == "store_words" || name == "store_entry" || name.starts_with("words_") || name.starts_with("rows_") || name.starts_with("entr") || name == "has_entry" || name.starts_with("set_") ||
         name == "has_item" || name == "whole_in" || name == "real_in" || name == "truth_in" || name == "text_in" || name == "list_in" || name == "array_in" || name == "list_of_rows" || name == "text_parts" || name == "text_lines" || name == "json_items" || name == "text_joined";
}

Ref Interpreter::hostRows(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  std::vector<Ref> args;
  if (!evalArguments(expr, args)) return nullptr;
  if (name == "words_of_number") return ofWords(itemsOf(*args[0]));
  if (name == "rows_of") {
    std::vector<Words> rows;
    for (const Ref &arg : args) rows.push_back(arg->ints);
    return ofRows(rows);
  }
  if (name == "words_of_text") {
    Words text;
    words::put_text(args[0]->text, text);
    return ofWords(std::move(text));
  }
  if (name == "text_parts") return ofRows(partsOfText(args[0]->text, args[1]->text));
  if (name == "json_items") {
    std::vector<Words> items;
    std::string problem;
    tsr::host::json::items(args[0]->text, problem, [&](const std::string &item) { words::put_text(item, items.emplace_back()); });
    return problem.empty() ? ofRows(items) : fail(expr.span, "JSON: " + problem, tsr::host::kValueError);
  }
  if (name == "rows_json") return makeText(jsonRows(*args[0], false));
  if (name == "text_lines") {
    std::vector<Words> lines;
    tsr::host::lines_of(args[0]->text, args[1]->ints.at(0) != 0, [&](const std::string &line) { words::put_text(line, lines.emplace_back()); });
    return ofRows(lines);
  }
  if (name == "text_joined") {
    std::string all;
    for (size_t row = 0; row < countOf(*args[1]); ++row) all += (row > 0 ? args[0]->text : std::string()) + words::text_at(rowOf(*args[1], row) + 1);
    return makeText(std::move(all));
  }
  if (name == "words_of_tuple" || name == "words_of_items") {
    Words all = {name == "words_of_tuple" ? words::Tuple : words::List, static_cast<Word>(args.size())};
    for (const Ref &arg : args) all = joined(std::move(all), arg->ints);
    return ofWords(std::move(all));
  }
  const Datum &first = *args[0];
  if (name == "words_of_list") return ofWords(joined({words::List, static_cast<Word>(first.size())}, itemsOf(first)));
  if (name == "words_of_array") {
    Words all = {words::Array, kindOf(first), info(first.dtype).bits, static_cast<Word>(first.shape.size())};
    all.insert(all.end(), first.shape.begin(), first.shape.end());
    for (size_t i = 0; i < first.size(); ++i) all.push_back(wordOf(first, i));
    return ofWords(std::move(all));
  }
  if (name == "list_in") return listAt(args[1]->text, words::part_of(first.ints.data(), args[2]->ints[0]));
  if (name == "array_in") {
    const Word *part = words::part_of(first.ints.data(), args[2]->ints[0]), *elements = words::element_words(part);
    return arrayOf(args[1]->text, std::vector<int64_t>(part + 4, elements), [&](size_t i) { return std::array<Word, 2>{part[1], elements[i]}; });
  }
  if (name.ends_with("_in")) return partIn(name, words::part_of(first.ints.data(), args[1]->ints[0]));
  if (name == "rows_of_list" || name == "rows_of_table") {
    std::vector<Words> rows;
    const Words all = itemsOf(first);
    const bool table = name == "rows_of_table";
    const auto count = static_cast<std::ptrdiff_t>(countOf(first) == 0 ? 0 : all.size() / countOf(first));
    for (auto at = all.begin(); at != all.end(); at += count) rows.push_back(table ? joined({args[1]->ints[0] != 0 ? words::Tuple : words::List, count / 2}, Words(at, at + count)) : Words(at, at + count));
    return ofRows(rows);
  }
  if (name == "set_of_rows") {
    std::vector<Words> entries;
    for (const Words &item : rowsOf(first))
      if (std::none_of(entries.begin(), entries.end(), [&](const Words &entry) { return words::compared(entry.data(), item.data()) == 0; }))
        entries.push_back(joined(item, {words::Truth, 1}));
    return ofRows(entries);
  }
  if (name == "set_text") {
    const std::string items = shownRows(*entriesPart(first, true));
    return makeText(countOf(first) == 0 ? "set()" : "{" + items.substr(1, items.size() - 2) + "}");
  }
  if (name == "words_of_rows" || name == "list_of_rows") {
    Words all = {words::List, static_cast<Word>(countOf(first))};
    for (const Words &row : rowsOf(first)) all = joined(std::move(all), row);
    return name == "words_of_rows" ? ofWords(std::move(all)) : listAt(args[1]->text, all.data());
  }
  return name.starts_with("entr") || name.ends_with("_entry") ? hostEntries(expr, args) : hostRowsOf(expr, args);
}

/// What asks for the items of a list, or makes another one of them.
Ref Interpreter::hostRowsOf(const Expr &expr, const std::vector<Ref> &args) {
  const std::string &name = expr.as<node::HostCall>().function;
  std::vector<Words> rows = rowsOf(*args[0]);
  const auto count = static_cast<int64_t>(rows.size());
  if (name == "store_next_words") {
    rows.push_back(args[1]->ints);
    return ofRows(rows);
  }
  if (name == "words_at" || name == "store_words") {
    const int64_t index = args[1]->ints[0], row = index < 0 ? index + count : index;
    if (row < 0 || row >= count)
      return fail(expr.span, rows.empty() ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(index) + " of a list of " + std::to_string(count), tsr::host::kIndexError);
    if (name == "words_at") return ofWords(rows[static_cast<size_t>(row)]);
    rows[static_cast<size_t>(row)] = args[2]->ints;
    return ofRows(rows);
  }
  if (name == "rows_part") {
    const int64_t first = words::cut(args[1]->ints[0], count), last = std::max(first, words::cut(args[2]->ints[0], count));
    return ofRows({rows.begin() + first, rows.begin() + last});
  }
  if (name == "rows_by") {
    std::vector<Words> chosen;
    for (int64_t i : args[1]->ints) chosen.push_back(rows.at(static_cast<size_t>(i)));
    return ofRows(chosen);
  }
  if (name == "rows_joined") {
    for (Words &row : rowsOf(*args[1])) rows.push_back(std::move(row));
    return ofRows(rows);
  }
  if (name == "rows_turned") return ofRows({rows.rbegin(), rows.rend()});
  if (name == "rows_place" || name == "rows_count") {
    const Words &item = args[1]->ints;
    const auto found = std::count_if(rows.begin(), rows.end(), [&](const Words &row) { return words::compared(row.data(), item.data()) == 0; });
    if (name == "rows_count") return makeInt(DType::I64, found);
    if (found > 0) return makeInt(DType::I64, static_cast<int64_t>(rowOfKey(*args[0], item)));
    std::string text;
    words::show(item.data(), shownReal, text);
    return fail(expr.span, "the list has no item " + text + ": ask with `in`", tsr::host::kValueError);
  }
  if (name == "rows_order") return orderOf(*args[0], args[1]->ints[0] != 0);
  if (name == "has_item") return makeInt(DType::Bool, rowOfKey(*args[0], args[1]->ints) < rows.size());
  return makeText(shownRows(*args[0]));
}

Ref Interpreter::hostEntries(const Expr &expr, const std::vector<Ref> &args) {
  const std::string &name = expr.as<node::HostCall>().function;
  if (name == "entry_keys" || name == "entry_values") return entriesPart(*args[0], name == "entry_keys");
  if (name == "entries_of_rows") {
    std::vector<Words> entries;
    for (const Words &pair : rowsOf(*args[0])) {
      const Word *key = pair.data() + 2, *value = words::skipped(key);
      Words entry(key, words::skipped(value));
      auto same = std::find_if(entries.begin(), entries.end(), [&](const Words &other) { return words::compared(other.data(), key) == 0; });
      if (same == entries.end()) entries.push_back(std::move(entry));
      else *same = std::move(entry);
    }
    return ofRows(entries);
  }
  if (name == "entries_json") return makeText(jsonRows(*args[0], true));
  if (name == "entries_text") return makeText(shownEntries(*args[0]));
  const Words &key = args[1]->ints;
  const size_t row = rowOfKey(*args[0], key);
  const bool is = row < countOf(*args[0]);
  if (name == "has_entry") return makeInt(DType::Bool, is);
  if (name == "store_entry") {
    std::vector<Words> rows = rowsOf(*args[0]);
    if (!is) rows.emplace_back();
    rows[row] = joined(key, args[2]->ints);
    return ofRows(rows);
  }
  if (!is && name == "entry_or") return args[2];
  if (!is) {
    std::string text;
    words::show(key.data(), shownReal, text);
    return fail(expr.span, "the dict has no key " + text + ": ask with `in`, or read it with `get(key, value)`", tsr::host::kKeyError);
  }
  if (name == "entry_place") return makeInt(DType::I64, static_cast<int64_t>(row));
  const Words entry = wordsOf(*args[0], row);
  return ofWords(Words(entry.begin() + static_cast<std::ptrdiff_t>(key.size()), entry.end()));
}

}  // namespace tessera::reference
