// What may stand behind the `:` of an f-string's field, by the value that it shows.
#include "sema/Report.h"
#include "sema/host/Host.h"
#include "support/FormatSpec.h"

namespace tessera::sema {

namespace {

enum class Shown { Text, Integer, Number, Tensor, Unknown };

/// `rank`: how many dimensions a tensor of host code is known to have.
Shown shownAs(const Value &value, char conversion, int rank) {
  if (conversion) return Shown::Text;
  switch (value.kind) {
  case ValueKind::Int:
  case ValueKind::Bool: return Shown::Integer;
  case ValueKind::Float: return Shown::Number;
  case ValueKind::Array:
    if (value.type.kind == TypeKind::Tensor) return Shown::Tensor;
    return isFloat(value.type.dtype) ? Shown::Number : Shown::Integer;
  case ValueKind::HostTensor:  // what was read from a file may be one number
    return rank > 0 ? Shown::Tensor : Shown::Unknown;
  default: return Shown::Text;
  }
}

/// What is wrong with the specification for such a value, and what may stand in its place; empty: nothing is.
struct FormatMistake {
  std::string what;
  std::optional<std::string> instead;
};
FormatMistake mistakeOf(const std::string &text, const FormatSpec &spec, Shown shown, const std::string &value) {
  auto without = [&](size_t count) { return text.substr(0, text.size() - count); };
  switch (shown) {
  case Shown::Text:
    if (spec.isForNumbers()) return {"is for numbers, and this is " + value, std::nullopt};
    if (spec.hasSign || spec.grouping || spec.alternate || spec.align == '=')  // a precision cuts a text off
      return {"has a part that is for numbers, and this is " + value, std::nullopt};
    return {};
  case Shown::Tensor:
    if (!spec.isForNumbers() && !spec.isForOneNumber()) return {};
    return {"is for one number, and this is " + value, ""};
  case Shown::Integer:
    if (spec.type == 's') return {"is for text, and this is " + value, without(1)};
    if (spec.precision >= 0 && (spec.type == 0 || spec.isForIntegers())) {
      size_t dot = text.rfind('.');
      std::string type = spec.type ? std::string(1, spec.type) : "";
      return {"has a precision, and this is " + value, text.substr(0, dot) + type};
    }
    return {};
  case Shown::Number:
    if (spec.type == 's') return {"is for text, and this is " + value, without(1)};
    if (spec.isForIntegers())
      return {"is for integers, and this is " + value,
              spec.type == 'd' && spec.precision < 0 ? std::optional(without(1) + ".0f") : std::nullopt};
    return {};
  case Shown::Unknown: return {};
  }
  return {};
}

/// Where the specification stands: the field's text goes on behind its value, `!r` and `:` may follow.
Span formatSpan(const ast::FStringPart &part, std::string_view file) {
  uint32_t at = part.value->span.end;
  while (at < file.size() && file[at] != ':' && file[at] != '"' && file[at] != '\'') ++at;
  uint32_t begin = at + 1, end = begin + static_cast<uint32_t>(part.format.size());
  bool found = end <= file.size() && file.substr(begin, part.format.size()) == part.format;
  return found ? Span{part.value->span.file, begin, end} : part.value->span;
}

}  // namespace

bool formatFits(Context &cx, const Value &value, const ast::FStringPart &part) {
  if (part.format.empty()) return true;
  std::optional<FormatSpec> spec = parseFormatSpec(part.format);
  std::string described = part.conversion ? "a text (`!" + std::string(1, part.conversion) + "`)" : describe(cx, value);
  if (!spec) return true;  // one that there is not is a mistake of the text
  Shown shown = shownAs(value, part.conversion, static_cast<int>(knownRank(value, cx.function.rebindable)));
  FormatMistake mistake = mistakeOf(part.format, *spec, shown, described);
  if (mistake.what.empty()) return true;
  Span span = formatSpan(part, cx.sources.file(part.value->span.file).text);
  if (!fresh(cx, Id::badFormat, span)) return false;
  auto builder = report(cx, Id::badFormat, span, part.format, mistake.what);
  if (mistake.instead && cx.sources.text(span) == part.format) {
    bool empty = mistake.instead->empty();
    Span edited = empty ? Span{span.file, span.begin - 1, span.end} : span;
    builder.suggest(edited, *mistake.instead, empty ? "leave it out" : "write `" + *mistake.instead + "`");
  }
  return false;
}

}  // namespace tessera::sema
