// Lists of several lengths, of texts and of tuples, and dicts of such, as the emitted program holds them (include/tessera/host/rows.h): each
// function makes a new table.
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include "tessera/host/words.h"
#include <algorithm>
#include <numeric>

namespace tessera::reference {

using namespace checked;
namespace words = tsr::host::words;

namespace {
using Words = std::vector<double>;

Ref ofWords(Words given) {
  Ref out = makeDatum(DType::F64, {static_cast<int64_t>(given.size())});
  out->floats = std::move(given);
  return out;
}
/// A table whose rows these are: as long as the longest, each with its length in front.
Ref ofRows(const std::vector<Words> &rows) {
  size_t width = 1;
  for (const Words &row : rows) width = std::max(width, row.size() + 1);
  Ref out = makeDatum(DType::F64, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)});
  for (size_t i = 0; i < rows.size(); ++i) {
    out->floats[i * width] = static_cast<double>(rows[i].size());
    std::copy(rows[i].begin(), rows[i].end(), out->floats.begin() + static_cast<std::ptrdiff_t>(i * width + 1));
  }
  return out;
}
size_t countOf(const Datum &table) { return static_cast<size_t>(table.shape.at(0)); }
const double *rowOf(const Datum &table, size_t row) { return table.floats.data() + row * static_cast<size_t>(table.shape.at(1)); }
Words wordsOf(const Datum &table, size_t row) {
  const double *at = rowOf(table, row);
  return Words(at + 1, at + 1 + static_cast<size_t>(*at));
}
std::vector<Words> rowsOf(const Datum &table) {
  std::vector<Words> rows;
  for (size_t i = 0; i < countOf(table); ++i) rows.push_back(wordsOf(table, i));
  return rows;
}
Words numbersOf(const Datum &list) {
  if (list.isFloat()) return list.floats;
  return Words(list.ints.begin(), list.ints.end());
}
Words joined(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
std::string shownReal(double value) { return textOf(*makeFloat(DType::F64, value)); }

Ref listAt(const words::Part &part) {
  const auto count = static_cast<size_t>(*part.at);
  Ref out = makeDatum(part.schema[1] == 'w' ? DType::I64 : part.schema[1] == 'b' ? DType::Bool : DType::F64, {static_cast<int64_t>(count)});
  for (size_t i = 0; i < count; ++i)
    if (out->isFloat()) out->floats[i] = part.at[i + 1];
    else out->ints[i] = static_cast<int64_t>(part.at[i + 1]);
  return out;
}
Ref partIn(const std::string &name, const words::Part &part) {
  if (name == "number_in") return makeFloat(DType::F64, *part.at);
  if (name == "text_in") return makeText(words::text_at(part.at));
  if (name == "list_in") return listAt(part);
  if (name == "words_in") return ofWords(Words(part.at, words::skipped(part.schema, part.at)));
  std::vector<Words> rows;
  const double *at = part.at + 1;
  for (int64_t left = static_cast<int64_t>(*part.at); left > 0; --left) {
    const double *end = words::skipped(part.schema + 1, at);
    rows.emplace_back(at, end);
    at = end;
  }
  return ofRows(rows);
}

/// The row of a dict whose key has these words, or how many there are.
size_t rowOfKey(const Datum &dict, const Words &key) {
  size_t row = 0;
  for (; row < countOf(dict); ++row) {
    const Words entry = wordsOf(dict, row);
    if (entry.size() >= key.size() && std::equal(key.begin(), key.end(), entry.begin())) break;
  }
  return row;
}
Ref orderOf(const Datum &table, const std::string &schema, bool reverse) {
  std::vector<int64_t> order(countOf(table));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int compared = words::compared(schema.c_str(), rowOf(table, static_cast<size_t>(a)) + 1, rowOf(table, static_cast<size_t>(b)) + 1);
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
std::string shownRows(const Datum &table, const std::string &schema) {
  std::string text = "[";
  for (size_t row = 0; row < countOf(table); ++row) {
    if (row > 0) text += ", ";
    words::show(schema.c_str(), rowOf(table, row) + 1, shownReal, text);
  }
  return text + "]";
}
std::string shownEntries(const Datum &dict, const std::string &keys, const std::string &values) {
  std::string text = "{";
  for (size_t row = 0; row < countOf(dict); ++row) {
    const double *at = rowOf(dict, row) + 1;
    if (row > 0) text += ", ";
    words::show(keys.c_str(), at, shownReal, text);
    text += ": ";
    words::show(values.c_str(), words::skipped(keys.c_str(), at), shownReal, text);
  }
  return text + "}";
}
Ref entriesPart(const Datum &dict, const std::string &schema, bool keys) {
  std::vector<Words> rows;
  for (const Words &entry : rowsOf(dict)) {
    const double *middle = words::skipped(schema.c_str(), entry.data()), *end = entry.data() + entry.size();
    rows.emplace_back(keys ? entry.data() : middle, keys ? middle : end);
  }
  return ofRows(rows);
}
}  // namespace

bool isOfRows(const std::string &name) {
  return name == "store_next_words" || name == "store_entry" || name.starts_with("words_") || name.starts_with("rows_") || name.starts_with("entr") || name == "has_entry" ||
         name == "has_item" || name == "number_in" || name == "text_in" || name == "list_in" || name == "list_of_rows" || name == "text_parts" || name == "text_joined";
}

Ref Interpreter::hostRows(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  std::vector<Ref> args;
  if (!evalArguments(expr, args)) return nullptr;
  auto schema = [&](size_t i) -> const std::string & { return args[i]->text; };
  if (name == "words_of_numbers") {
    Words numbers;
    for (const Ref &arg : args) numbers.push_back(arg->floats[0]);
    return ofWords(std::move(numbers));
  }
  if (name == "rows_of") {
    std::vector<Words> rows;
    for (const Ref &arg : args) rows.push_back(arg->floats);
    return ofRows(rows);
  }
  if (name == "words_of_text") {
    Words text;
    words::put_text(args[0]->text, text);
    return ofWords(std::move(text));
  }
  if (name == "text_parts") return ofRows(partsOfText(args[0]->text, args[1]->text));
  if (name == "text_joined") {
    std::string all;
    for (size_t row = 0; row < countOf(*args[1]); ++row) all += (row > 0 ? args[0]->text : std::string()) + words::text_at(rowOf(*args[1], row) + 1);
    return makeText(std::move(all));
  }
  const Datum &first = *args[0];
  if (name == "words_of_list") return ofWords(joined({static_cast<double>(first.size())}, numbersOf(first)));
  if (name == "words_joined") {
    Words all;
    for (const Ref &arg : args) all = joined(std::move(all), arg->floats);
    return ofWords(std::move(all));
  }
  if (name.ends_with("_in")) return partIn(name, words::part_of(schema(1).c_str(), first.floats.data(), args[2]->ints[0]));
  if (name == "rows_of_list") {
    std::vector<Words> rows;
    for (double number : numbersOf(first)) rows.push_back({number});
    return ofRows(rows);
  }
  if (name == "rows_of_table") {
    std::vector<Words> rows;
    const Words all = numbersOf(first);
    const size_t count = countOf(first) == 0 ? 0 : all.size() / countOf(first);
    for (size_t at = 0; at < all.size(); at += count) rows.push_back(joined({static_cast<double>(count)}, Words(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + count))));
    return ofRows(rows);
  }
  if (name == "words_of_rows" || name == "list_of_rows") {
    Words all = {static_cast<double>(countOf(first))};
    for (const Words &row : rowsOf(first)) all = joined(std::move(all), row);
    if (name == "words_of_rows") return ofWords(std::move(all));
    const std::string list = "[" + schema(1) + "]";
    return listAt({list.c_str(), all.data()});
  }
  return name.starts_with("entr") || name.ends_with("_entry") ? hostEntries(expr, args) : hostRowsOf(expr, args);
}

/// What asks for the items of a list, or makes another one of them.
Ref Interpreter::hostRowsOf(const Expr &expr, const std::vector<Ref> &args) {
  const std::string &name = expr.as<node::HostCall>().function;
  std::vector<Words> rows = rowsOf(*args[0]);
  const auto count = static_cast<int64_t>(rows.size());
  if (name == "store_next_words") {
    rows.push_back(args[1]->floats);
    return ofRows(rows);
  }
  if (name == "words_at" || name == "rows_with") {
    const int64_t index = args[1]->ints[0], row = index < 0 ? index + count : index;
    if (row < 0 || row >= count)
      return fail(expr.span, rows.empty() ? "an item is taken from a list that is empty" : "there is no item " + std::to_string(index) + " of a list of " + std::to_string(count));
    if (name == "words_at") return ofWords(rows[static_cast<size_t>(row)]);
    rows[static_cast<size_t>(row)] = args[2]->floats;
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
  if (name == "rows_order") return orderOf(*args[0], args[1]->text, args[2]->ints[0] != 0);
  if (name == "has_item") return makeInt(DType::Bool, std::find(rows.begin(), rows.end(), args[1]->floats) != rows.end());
  return makeText(shownRows(*args[0], args[1]->text));
}

Ref Interpreter::hostEntries(const Expr &expr, const std::vector<Ref> &args) {
  const std::string &name = expr.as<node::HostCall>().function;
  if (name == "entry_keys" || name == "entry_values") return entriesPart(*args[0], args[1]->text, name == "entry_keys");
  if (name == "entries_text") return makeText(shownEntries(*args[0], args[1]->text, args[2]->text));
  const Words &key = args[1]->floats;
  const size_t row = rowOfKey(*args[0], key);
  const bool is = row < countOf(*args[0]);
  if (name == "has_entry") return makeInt(DType::Bool, is);
  if (name == "store_entry") {
    std::vector<Words> rows = rowsOf(*args[0]);
    if (!is) rows.emplace_back();
    rows[row] = joined(key, args[2]->floats);
    return ofRows(rows);
  }
  if (!is && name == "entry_or") return args[2];
  if (!is) {
    std::string text;
    words::show(args[2]->text.c_str(), key.data(), shownReal, text);
    return fail(expr.span, "the dict has no key " + text + ": ask with `in`, or read it with `get(key, value)`");
  }
  const Words entry = wordsOf(*args[0], row);
  return ofWords(Words(entry.begin() + static_cast<std::ptrdiff_t>(key.size()), entry.end()));
}

}  // namespace tessera::reference
