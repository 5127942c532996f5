// Dicts of numbers of host code, as the emitted program holds them (include/tessera/host/dict.h): of a key and of its value its kind and its word.
#include "reference/Format.h"
#include "reference/Interpreter.h"
#include "tessera/host/words.h"
#include <algorithm>
#include <array>

namespace tessera::reference {

using namespace checked;
namespace words = tsr::host::words;

namespace {
using words::Word;
constexpr size_t kWide = 4;

/// A number as its kind and its word.
std::array<Word, 2> wordsOf(const Datum &number) {
  if (number.isFloat()) return {words::Real, words::bits_of(number.floats[0])};
  return {number.dtype == DType::Bool ? words::Truth : words::Whole, number.ints[0]};
}
/// The row of a key, or how many rows there are.
size_t rowOf(const Datum &dict, const std::array<Word, 2> &key) {
  const auto rows = static_cast<size_t>(dict.shape.at(0));
  size_t row = 0;
  while (row < rows && words::compared_numbers(dict.ints.data() + kWide * row, key.data()) != 0) ++row;
  return row;
}
void show(const Word *number, std::string &out) {
  words::show(number, [](double value, Word) { return textOf(*makeFloat(DType::F64, value)); }, out);
}
std::string dictText(const Datum &dict) {
  std::string text = "{";
  for (size_t i = 0; i < dict.ints.size(); i += kWide) {
    if (i > 0) text += ", ";
    show(dict.ints.data() + i, text);
    text += ": ";
    show(dict.ints.data() + i + 2, text);
  }
  return text + "}";
}

Ref columnOf(const Datum &dict, size_t which, bool whole) {
  Ref out = makeDatum(whole ? DType::I64 : DType::F64, {dict.shape.at(0)});
  for (size_t row = 0; row < static_cast<size_t>(dict.shape[0]); ++row) {
    const Word *number = dict.ints.data() + kWide * row + 2 * which;
    if (whole) out->ints[row] = words::whole_at(number);
    else out->floats[row] = words::real_at(number);
  }
  return out;
}

Ref withKey(const Ref &dict, size_t row, const std::array<Word, 2> &key, const std::array<Word, 2> &value) {
  Ref out = std::make_shared<Datum>(*dict);
  if (row < static_cast<size_t>(dict->shape.at(0))) {
    std::copy(value.begin(), value.end(), out->ints.begin() + static_cast<std::ptrdiff_t>(kWide * row + 2));
    return out;
  }
  out->ints.insert(out->ints.end(), key.begin(), key.end());
  out->ints.insert(out->ints.end(), value.begin(), value.end());
  ++out->shape[0];
  return out;
}
}  // namespace

Ref Interpreter::hostDict(const Expr &expr) {
  const std::string &name = expr.as<node::HostCall>().function;
  std::vector<Ref> args;
  if (!evalArguments(expr, args)) return nullptr;
  const Ref &dict = args[0];
  if (name.starts_with("column_")) return columnOf(*dict, static_cast<size_t>(args[1]->ints[0]), name == "column_whole");
  if (name == "dict_text") return makeText(dictText(*dict));
  const std::array<Word, 2> key = wordsOf(*args[1]);
  const size_t row = rowOf(*dict, key);
  const bool is = row < static_cast<size_t>(dict->shape.at(0));
  if (name == "has_key") return makeInt(DType::Bool, is);
  if (name == "store_key") return withKey(dict, row, key, wordsOf(*args[2]));
  if (!is && name.ends_with("_or")) return args[2];
  if (!is) {
    std::string text;
    show(key.data(), text);
    return fail(expr.span, "the dict has no key " + text + ": ask with `in`, or read it with `get(key, value)`", tsr::host::kKeyError);
  }
  if (name == "place_of_key") return makeInt(DType::I64, static_cast<int64_t>(row));
  const Word *value = dict->ints.data() + kWide * row + 2;
  return name.starts_with("whole_") ? makeInt(DType::I64, words::whole_at(value)) : makeFloat(DType::F64, words::real_at(value));
}

}  // namespace tessera::reference
