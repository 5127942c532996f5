// What may stand behind the `:` of an f-string's field, by the value that it shows.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/Struct.h"
#include "sema/calls/Models.h"
#include "sema/host/Host.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Held.h"
#include "sema/types/OwnMethods.h"
#include "support/FormatSpec.h"
#include <cctype>
#include <functional>

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

/// `struct Linear[I, O]: w: Tensor[I, O, f32], b: Tensor[O, f32]`, a field in a line of its own.
std::string structText(Context &cx, const Value &type, Span span) {
  const StructInfo &info = *type.instance->info;
  if (info.model && !findModel(cx, info, span)) return info.name;
  std::string text = "struct " + info.name, dims;
  for (const ast::TypeParameter &t : info.def->typeParameters) dims += (dims.empty() ? "" : ", ") + std::string(cx.sources.text(t.bound ? t.name.span.to(t.bound->span) : t.name.span));
  text += dims.empty() ? ":" : "[" + dims + "]:";
  for (const StructField &field : info.fields) text += "\n    " + field.name + ": " + std::string(cx.sources.text(field.type->span));
  return text;
}

/// Collects the parts of a text, and what stands between them.
struct Opened {
  Context &cx;
  Span span;
  std::vector<Value> parts;
  std::vector<std::string> texts = {""}, formats;

  void put(const Value &value, std::string format) {
    parts.push_back(value);
    formats.push_back(std::move(format));
    texts.push_back("");
  }
  /// What stands inside of something else: texts have quotes there.
  void inner(const Value &value) {
    bool quotes = value.kind == ValueKind::String && (value.expr || value.text.find_first_of("'\\\n\t") != std::string::npos);
    if (value.kind == ValueKind::String && !quotes) texts.back() += "'" + value.text + "'";
    else whole(value, quotes ? "!r" : "");
  }
  void items(const Value &value, size_t step, const std::function<void(size_t)> &before) {
    for (size_t i = 0; i < value.items.size(); i += step) {
      if (i > 0) texts.back() += ", ";
      before(i);
      inner(value.items[i + step - 1]);
    }
  }
  void whole(const Value &value, const std::string &format) {
    bool plain = format.empty() || format == "!r" || format == "!s";
    if (auto text = byMethod(cx, value, "__str__", span)) return put(*text, format);
    auto nothing = [](size_t) {};
    if (plain && value.isSequence()) {
      bool tuple = value.kind == ValueKind::Tuple;
      texts.back() += tuple ? "(" : "[";
      items(value, 1, nothing);
      texts.back() += !tuple ? "]" : value.items.size() == 1 ? ",)" : ")";
    } else if (plain && value.kind == ValueKind::Dict && value.text == kSet) {
      Value keys = keysOfDict(value);
      texts.back() += keys.items.empty() ? "set(" : "{";
      items(keys, 1, nothing);
      texts.back() += keys.items.empty() ? ")" : "}";
    } else if (plain && value.kind == ValueKind::Dict) {
      texts.back() += "{";
      items(value, 2, [&](size_t i) { inner(value.items[i]), texts.back() += ": "; });
      texts.back() += "}";
    } else if (plain && isHeldRows(value)) {
      put(rowsText(cx, value, span), "");
    } else if (plain && isHeldDict(value)) {
      put(dictText(cx, value, span), "");
    } else if (plain && value.kind == ValueKind::Struct) {
      texts.back() += value.instance->info->name + "(";
      items(value, 1, [&](size_t i) { texts.back() += value.instance->info->fields[i].name + "="; });
      texts.back() += ")";
    } else if (plain && value.kind == ValueKind::StructType) {
      texts.back() += structText(cx, value, span);
    } else if (plain && value.kind == ValueKind::Function && value.callable->def) {
      texts.back() += signatureText(cx, *value.callable->def);
    } else if (value.kind == ValueKind::HostShape) {
      std::vector<ExprPtr> args;
      args.push_back(clone(*value.items[0].expr));
      put(hostCall(cx, "shape_text", std::move(args), span), format);
    } else {
      put(value, format);
    }
  }
};

}  // namespace

std::vector<Value> opened(Context &cx, const std::vector<Value> &parts, std::vector<std::string> &texts,
                          std::vector<std::string> &formats, Span span) {
  Opened open{cx, span, {}, {texts[0]}, {}};
  for (size_t i = 0; i < parts.size(); ++i) {
    open.whole(parts[i], formats[i]);
    open.texts.back() += texts[i + 1];
  }
  texts = std::move(open.texts);
  formats = std::move(open.formats);
  return std::move(open.parts);
}

bool formatFits(Context &cx, const Value &value, const ast::FStringPart &part) {
  if (part.format.empty()) return true;
  std::optional<FormatSpec> spec = parseFormatSpec(part.format);
  std::string described = part.conversion ? "a text (`!" + std::string(1, part.conversion) + "`)" : describe(cx, value);
  if (!spec) return true;  // one that there is not is a mistake of the text
  // A loop that rebinds it gives it other extents, not fewer of them: that is seen where it is rebound.
  const size_t rank = std::max(knownRank(value, cx.function.rebindable), value.kind == ValueKind::HostTensor && value.text.empty() ? withKeptExtents(cx, value).madeAs.size() : 0);
  Shown shown = shownAs(value, part.conversion, static_cast<int>(rank));
  const std::optional<DType> dtype = shown == Shown::Unknown ? knownDType(cx, value) : std::nullopt;
  if (dtype && isFloat(*dtype) && spec->isForIntegers()) shown = Shown::Number;  // with whatever number of dimensions
  FormatMistake mistake = mistakeOf(part.format, *spec, shown, described);
  if (mistake.what.empty()) return true;
  Span span = formatSpan(part, cx.sources.file(part.value->span.file).text);
  if (!fresh(cx, Id::badFormat, span)) return false;
  auto builder = report(cx, Id::badFormat, span, part.format, mistake.what);
  if (shown == Shown::Tensor) {
    const std::string name(cx.sources.text(part.value->span));
    std::string zeros = "0";
    for (size_t i = 1; i < rank; ++i) zeros += "][0";
    builder.help("one element is shown by its index, `{" + name + "[" + zeros + "]:" + part.format + "}`, all of them as one number by `{mean(" + name + "):" + part.format + "}`");
  }
  if (mistake.instead && cx.sources.text(span) == part.format) {
    bool empty = mistake.instead->empty();
    Span edited = empty ? Span{span.file, span.begin - 1, span.end} : span;
    builder.suggest(edited, *mistake.instead, empty ? "leave it out" : "write `" + *mistake.instead + "`");
  }
  return false;
}

/// `{name}`, `{name:.3f}`, `{name[0]}`, `{name.field}` or `{f(name)}` in a text, behind this place; empty if there is none. `name` gets the name.
static std::string nextField(const std::string &text, size_t &at, std::string &name) {
  auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while ((at = text.find('{', at)) != std::string::npos) {
    size_t begin = ++at, close = text.find('}', begin);
    while (at < text.size() && inWord(text[at])) ++at;
    if (at > begin && at < text.size() && text[at] == '(') {  // what it is given decides
      const size_t open = begin;
      for (begin = ++at; at < text.size() && inWord(text[at]);) ++at;
      if (at > begin && at < text.size() && std::string_view(").,[ ").find(text[at]) != std::string_view::npos &&
          close != std::string::npos) {
        name = text.substr(begin, at - begin);
        return text.substr(open - 1, close + 2 - open);
      }
      continue;
    }
    bool ends = at < text.size() && std::string_view("}:.[").find(text[at]) != std::string_view::npos;
    if (at > begin && ends && close != std::string::npos && !std::isdigit(static_cast<unsigned char>(text[begin]))) {
      name = text.substr(begin, at - begin);
      return text.substr(begin - 1, close + 2 - begin);
    }
  }
  return {};
}

void fieldInText(Context &cx, const ast::StringExpr &text) {
  if (cx.sources.text(text.span) != "\"" + text.value + "\"" || !cx.function.frame) return;  // in parts, or with a prefix
  std::string name;
  for (size_t at = 0; at != std::string::npos;) {
    std::string field = nextField(text.value, at, name);
    if (field.empty()) return;
    auto bound = cx.function.frame->names.find(name);
    if (bound == cx.function.frame->names.end() || !bound->second.isBound()) continue;
    if (!cx.reportedSpans.count({static_cast<int>(Id::fieldInText), text.span.file, text.span.begin}))
      warn(cx, Id::fieldInText, text.span, field)
          .label("values are put into text by an `f` in front of it")
          .suggest({text.span.file, text.span.begin, text.span.begin}, "f", "insert `f`");
    return;
  }
}

}  // namespace tessera::sema
