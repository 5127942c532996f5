// Texts in host code, as the emitted program takes them apart (include/tessera/host/text.h).
#include "reference/Interpreter.h"
#include "support/Check.h"
#include "support/HostParts.h"
#include "tessera/host/json.h"
#include "tessera/host/texts.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace tessera::reference {

using checked::Expr;
namespace node = checked::node;

Ref Interpreter::textCall(const Expr &expr, const std::string &text) {
  const std::string &name = expr.as<node::HostCall>().function;
  const auto size = static_cast<int64_t>(text.size());
  if (name.starts_with("json_")) return jsonCall(expr, text);
  if (name == "text_length") return makeInt(DType::I64, size);
  if (name == "text_lower") return makeText(tsr::host::text_lower(text));
  if (name == "text_upper") return makeText(tsr::host::text_upper(text));
  if (name == "text_strip") return makeText(tsr::host::text_strip(text));
  if (name == "text_lstrip") return makeText(tsr::host::text_lstrip(text));
  if (name == "text_rstrip") return makeText(tsr::host::text_rstrip(text));
  if (name == "text_quoted") return makeText(tsr::host::text_quoted(text));
  if (name == "text_digits") return makeInt(DType::Bool, tsr::host::text_digits(text));
  if (name == "text_letters") return makeInt(DType::Bool, tsr::host::text_letters(text));
  if (name == "text_blank") return makeInt(DType::Bool, tsr::host::text_blank(text));
  if (name == "text_words") return makeInt(DType::Bool, tsr::host::text_words(text));
  if (name == "text_title") return makeText(tsr::host::text_title(text));
  if (name == "text_capital") return makeText(tsr::host::text_capital(text));
  if (name == "text_turned") return makeText(tsr::host::text_turned(text));
  if (name == "text_times" || name == "text_zfill" || name == "text_padded") {
    auto width = evalInt(*expr.args.at(1));
    if (!width) return nullptr;
    if (name == "text_times") return makeText(tsr::host::text_times(text, *width));
    if (name == "text_zfill") return makeText(tsr::host::text_zfill(text, *width));
    Ref fill = eval(*expr.args.at(2)), side = fill ? eval(*expr.args.at(3)) : nullptr;
    return side ? makeText(tsr::host::text_padded(text, *width, fill->text, side->text)) : nullptr;
  }
  if (name == "text_count" || name == "text_order") {
    Ref other = eval(*expr.args.at(1));
    return !other ? nullptr : makeInt(DType::I64, name == "text_count" ? tsr::host::text_count(text, other->text) : tsr::host::text_order(text, other->text));
  }
  if (name == "text_without") {
    Ref characters = eval(*expr.args.at(1)), where = characters ? eval(*expr.args.at(2)) : nullptr;
    return where ? makeText(tsr::host::text_without(text, characters->text, where->text)) : nullptr;
  }
  if (name == "text_starts" || name == "text_ends" || name == "text_find" || name == "text_rfind" || name == "text_replace") {
    Ref part = eval(*expr.args.at(1)), other = part && name == "text_replace" ? eval(*expr.args.at(2)) : part;
    if (!other) return nullptr;
    if (name == "text_find") return makeInt(DType::I64, tsr::host::text_find(text, part->text));
    if (name == "text_rfind") return makeInt(DType::I64, tsr::host::text_rfind(text, part->text));
    if (name == "text_replace") return makeText(tsr::host::text_replace(text, part->text, other->text));
    return makeInt(DType::Bool, name == "text_starts" ? tsr::host::text_starts(text, part->text) : tsr::host::text_ends(text, part->text));
  }
  if (name == "text_part") {
    auto from = evalInt(*expr.args.at(1)), to = from ? evalInt(*expr.args.at(2)) : std::nullopt;
    if (!to) return nullptr;
    auto within = [&](int64_t index) { return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size); };
    const int64_t begin = within(*from), end = *to == kPartToEnd ? size : std::max(begin, within(*to));
    return makeText(text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  }
  if (name == "code_of") {
    if (size != 1) return fail(expr.span, "`ord` takes one character, and '" + text + "' has " + std::to_string(size), tsr::host::kTypeError);
    return makeInt(DType::I64, static_cast<unsigned char>(text[0]));
  }
  if (name == "character_of") {
    auto code = evalInt(*expr.args.at(0));
    if (!code) return nullptr;
    if (*code < 0 || *code > 255) return fail(expr.span, "`chr` takes the code of a character, from 0 to 255, and this is " + std::to_string(*code), tsr::host::kValueError);
    return makeText(std::string(1, static_cast<char>(*code)));
  }
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  const bool whole = name == "whole_of_text";
  Ref number = whole ? makeInt(DType::I64, std::strtoll(begin, &end, 10)) : makeFloat(DType::F64, std::strtod(begin, &end));
  if (end != begin && !*end && errno == 0) return number;
  return fail(expr.span, "'" + text + "' is no " + (whole ? "integer" : "number"), tsr::host::kValueError);
}

Ref Interpreter::jsonCall(const Expr &expr, const std::string &value) {
  namespace json = tsr::host::json;
  const std::string &name = expr.as<node::HostCall>().function;
  std::string problem;
  Ref result;
  if (name == "json_whole") result = makeText(json::whole(value, problem));
  else if (name == "json_count") result = makeInt(DType::I64, json::count(value, problem));
  else if (name == "json_shown") result = makeText(json::shown(value));
  else if (name == "json_item") {
    auto index = evalInt(*expr.args.at(1));
    if (!index) return nullptr;
    result = makeText(json::item(value, *index, problem));
  } else {
    TSR_CHECK(name == "json_member", "a function of JSON that the interpreter does not know");
    Ref key = eval(*expr.args.at(1));
    if (!key) return nullptr;
    result = makeText(json::member(value, key->text, problem));
  }
  return problem.empty() ? result : fail(expr.span, "JSON: " + problem, tsr::host::kValueError);
}

Ref Interpreter::powerOf(const Expr &expr) {
  auto base = evalInt(*expr.args.at(0)), times = base ? evalInt(*expr.args.at(1)) : std::nullopt;
  if (!times) return nullptr;
  if (*times < 0) return fail(expr.span, "an integer to the power of " + std::to_string(*times), tsr::host::kValueError);
  uint64_t result = 1, square = static_cast<uint64_t>(*base);
  for (int64_t left = *times; left > 0; left >>= 1, square *= square)
    if (left & 1) result *= square;
  return makeInt(DType::I64, static_cast<int64_t>(result));
}

}  // namespace tessera::reference
