// Dicts of numbers of host code, as the emitted program holds them (include/tessera/host/dict.h).
#include "reference/Format.h"
#include "reference/Interpreter.h"

namespace tessera::reference {

using namespace checked;

namespace {
/// The row of a key, or how many rows there are.
size_t rowOf(const Datum &dict, double key) {
  const auto rows = static_cast<size_t>(dict.shape.at(0));
  size_t row = 0;
  while (row < rows && dict.floats[2 * row] != key) ++row;
  return row;
}
std::string numberIn(double value, bool whole) { return whole ? std::to_string(static_cast<int64_t>(value)) : textOf(*makeFloat(DType::F64, value)); }

std::string dictText(const Datum &dict, bool wholeKeys, bool wholeValues) {
  std::string text = "{";
  for (size_t i = 0; i < dict.floats.size(); i += 2)
    text += (i == 0 ? "" : ", ") + numberIn(dict.floats[i], wholeKeys) + ": " + numberIn(dict.floats[i + 1], wholeValues);
  return text + "}";
}

Ref columnOf(const Datum &dict, size_t which, bool whole) {
  Ref out = makeDatum(whole ? DType::I64 : DType::F64, {dict.shape.at(0)});
  for (size_t row = 0; row < static_cast<size_t>(dict.shape[0]); ++row)
    if (whole) out->ints[row] = static_cast<int64_t>(dict.floats[2 * row + which]);
    else out->floats[row] = dict.floats[2 * row + which];
  return out;
}

Ref withKey(const Ref &dict, size_t row, double key, double value) {
  Ref out = std::make_shared<Datum>(*dict);
  if (row < static_cast<size_t>(dict->shape.at(0))) {
    out->floats[2 * row + 1] = value;
    return out;
  }
  out->floats.push_back(key), out->floats.push_back(value);
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
  if (name == "dict_text") return makeText(dictText(*dict, args[1]->ints[0] != 0, args[2]->ints[0] != 0));
  const double key = args[1]->floats[0];
  const size_t row = rowOf(*dict, key);
  const bool is = row < static_cast<size_t>(dict->shape.at(0));
  if (name == "has_key") return makeInt(DType::Bool, is);
  if (name == "store_key") return withKey(dict, row, key, args[2]->floats[0]);
  if (!is && name == "value_or") return args[2];
  if (!is)
    return fail(expr.span, "the dict has no key " + numberIn(key, key == static_cast<double>(static_cast<int64_t>(key))) +
                               ": ask with `in`, or read it with `get(key, value)`");
  return makeFloat(DType::F64, dict->floats[2 * row + 1]);
}

}  // namespace tessera::reference
