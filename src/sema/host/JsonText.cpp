// What host code writes: the values of a `print`, and `json.dumps(value)`: numbers, texts, truth values, lists, dicts and structs as JSON writes them.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/Struct.h"
#include "sema/calls/Calls.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "sema/types/OwnMethods.h"
#include "sema/types/Types.h"
#include "tessera/host/texts.h"
#include <functional>

namespace tessera::sema {

namespace {
struct Json {
  Context &cx;
  Span span;
  std::vector<Value> parts;
  std::vector<std::string> texts = {""}, formats;
  bool failed = false;

  void put(Value value) {
    failed |= value.isPoison();
    parts.push_back(std::move(value));
    formats.push_back("");
    texts.push_back("");
  }
  void items(const Value &value) {
    texts.back() += "[";
    for (size_t i = 0; i < value.items.size(); ++i) texts.back() += i > 0 ? ", " : "", whole(value.items[i]);
    texts.back() += "]";
  }
  void entries(const Value &value, const std::function<Value(size_t)> &key, size_t first, size_t step) {
    texts.back() += "{";
    for (size_t i = 0; i < value.items.size(); i += step) {
      if (i > 0) texts.back() += ", ";
      const Value named = key(i / step);
      if (named.kind == ValueKind::String) whole(named);
      else texts.back() += "\"", whole(named), texts.back() += "\"";  // a number is its text
      texts.back() += ": ";
      whole(value.items[i + first]);
    }
    texts.back() += "}";
  }
  void whole(const Value &value) {
    if (value.isPoison()) failed = true;
    else if (auto text = byMethod(cx, value, "__json__", span)) put(std::move(*text));
    else if (value.kind == ValueKind::None) texts.back() += "null";
    else if (value.kind == ValueKind::String && !value.expr) texts.back() += tsr::host::text_quoted(value.text);
    else if (value.kind == ValueKind::String) put(hostTextCall(cx, "text_quoted", value, span));
    else if (value.kind == ValueKind::Bool) texts.back() += value.truth ? "true" : "false";
    else if (value.isScalar() && value.type.dtype == DType::Bool) put(hostTextCall(cx, "text_lower", formatText(cx, {value}, {"", ""}, {""}, span), span));
    else if (value.kind == ValueKind::Int || value.kind == ValueKind::Float || value.isScalar()) put(value);
    else if (value.isSequence()) items(value);
    else if (value.kind == ValueKind::Dict) entries(value, [&](size_t i) { return value.items[2 * i]; }, 1, 2);
    else if (value.kind == ValueKind::Struct && !value.isStack()) entries(value, [&](size_t i) { return Value::string(value.instance->info->fields[i].name); }, 0, 1);
    else if (value.kind == ValueKind::HostTensor && isHeldRows(value)) put(heldText(value, "rows_json"));
    else if (isHeldDict(value)) entriesOf(value);
    else if (value.kind == ValueKind::HostTensor && value.text == kHeldList) put(value);
    else if (value.kind == ValueKind::HostTensor && (value.rank == 0 || isHostElement(value))) put(hostScalar(cx, value, span));
    else {
      failed = true;
      unsupported(cx, describe(cx, value) + " as JSON", span, "numbers, texts, truth values, lists, dicts and structs of them have a text; arrays are kept by `save_npy`");
    }
  }
  /// A dict that run time holds: of those with texts for keys the text that `str` gives, as JSON.
  void entriesOf(const Value &dict) {
    Value text = dictText(cx, dict, span);
    auto *call = text.expr ? text.expr->get<node::HostCall>() : nullptr;
    if (call && call->function == "entries_text") {
      call->function = "entries_json";
      return put(std::move(text));
    }
    failed = true;
    unsupported(cx, describe(cx, dict) + " as JSON", span, "the keys of what JSON writes are texts: `counts[str(key)] = value`");
  }
  Value heldText(const Value &value, std::string_view function) {
    std::vector<ExprPtr> args;
    args.push_back(hostArgument(cx, value, span));
    return args[0] ? hostCall(cx, function, std::move(args), span) : Value::poison();
  }
};
}  // namespace

Value jsonText(Context &cx, const Value &value, Span span) {
  Json json{cx, span, {}, {""}, {}, false};
  json.whole(value);
  return json.failed ? Value::poison() : formatText(cx, json.parts, std::move(json.texts), std::move(json.formats), span);
}

/// A text between the values of a `print` or behind them, which the compiler knows. Nothing after a message.
static std::optional<std::string> knownText(Context &cx, const Value &value, const char *otherwise, Span span) {
  if (!value.given() || value.kind == ValueKind::None) return otherwise;
  if (value.kind == ValueKind::String && !value.expr) return value.text;
  if (!value.isPoison()) report(cx, Id::wrongArgument, span, quoted("print"), "a known text", describe(cx, value));
  return std::nullopt;
}

Value printed(Context &cx, Bound &args, Span span) {
  const Value &file = args.values[3];
  const auto between = knownText(cx, args.values[1], " ", args.spans[1]), end = knownText(cx, args.values[2], "\n", args.spans[2]);
  if (!between || !end || file.isPoison()) return Value::poison();
  std::vector<std::string> texts = {""};
  for (size_t i = 0; i < args.rest.size(); ++i) texts.push_back(i + 1 < args.rest.size() ? *between : "");
  const bool plain = !file.given() && *end == "\n";
  if (!plain) texts.back() += *end;
  if (plain) {
    ExprPtr e = formatExpr(cx, args.rest, std::move(texts), span);
    if (!e) return Value::poison();
    emit(cx, StmtKind::Print, span).value = std::move(e);
    return Value::of(ValueKind::None);
  }
  Value text = formatText(cx, args.rest, std::move(texts), std::vector<std::string>(args.rest.size()), span);
  if (text.isPoison()) return text;
  if (file.given()) {
    if (file.kind != ValueKind::Struct || !file.instance->info->methods.count("write")) {
      report(cx, Id::wrongArgument, args.spans[3], quoted("print"), "a file that `open` gave", describe(cx, file));
      return Value::poison();
    }
    GivenList given;
    given.push_back({"", std::move(text), span, {}, nullptr});
    return callValue(cx, memberOfStruct(cx, file, "write", span), std::move(given), span, "write");
  }
  std::vector<ExprPtr> parts;
  parts.push_back(makeIndex(1, span));  // the standard output
  parts.push_back(text.expr ? takeExpr(text) : textExpr(text.text, span));
  return hostCall(cx, "file_write", std::move(parts), span);
}

Value iteratedStruct(Context &cx, Value value, Span span) {
  if (value.kind != ValueKind::Struct || value.isStack() || !value.instance->info->methods.count("__iter__")) return value;
  return callValue(cx, memberOfStruct(cx, value, "__iter__", span), {}, span, "__iter__");
}

}  // namespace tessera::sema
