// What run time knows of lists whose items are no numbers of one kind: their items as words and back, parts, sums, order.
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"
#include "support/HostParts.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {
constexpr std::string_view kRows = "rows:";

bool isNumber(char schema) { return schema == 'w' || schema == 'r' || schema == 'b' || schema == '?'; }
bool isNumberList(const std::string &schema) { return schema.size() == 3 && schema[0] == '[' && isNumber(schema[1]); }

/// Behind the schema that begins at `at`.
size_t past(const std::string &schema, size_t at) {
  int depth = 0;
  do {
    const char c = schema[at++];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  } while (depth > 0);
  return at;
}
std::vector<std::string> partsOf(const std::string &tuple) {
  std::vector<std::string> parts;
  for (size_t at = 1; tuple[at] != ')';) {
    const size_t end = past(tuple, at);
    parts.push_back(tuple.substr(at, end - at));
    at = end;
  }
  return parts;
}

char letterOf(DType dtype) { return dtype == DType::Bool ? 'b' : isFloat(dtype) ? 'r' : 'w'; }
DType dtypeOf(char letter) { return letter == 'w' ? DType::I64 : letter == 'b' ? DType::Bool : DType::F64; }

/// A list of numbers of one kind, as run time holds it.
bool isNumbersList(const Value &value) { return value.kind == ValueKind::HostTensor && value.rank == 1 && value.text == kHeldList; }
/// The schema of arrays of a dtype and so many axes, `{f32 2}`, and what such a schema says.
std::string schemaOfArray(DType dtype, int rank) { return "{" + std::string(info(dtype).name) + " " + std::to_string(rank) + "}"; }
std::pair<DType, int> arrayOf(const std::string &schema) {
  const size_t blank = schema.find(' ');
  return {*dtypeByName(schema.substr(1, blank - 1)), std::stoi(schema.substr(blank + 1))};
}

ExprPtr call(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span) {
  Value made = hostCall(cx, name, std::move(args), span);
  return takeExpr(made);
}
std::vector<ExprPtr> with(ExprPtr first) {
  std::vector<ExprPtr> args;
  args.push_back(std::move(first));
  return args;
}

/// The words of a value; null after a message.
ExprPtr wordsOfValue(Context &cx, const Value &value, Span span) {
  if (value.isSequence()) {
    std::vector<ExprPtr> items;
    for (const Value &item : value.items) {
      items.push_back(wordsOfValue(cx, item, span));
      if (!items.back()) return nullptr;
    }
    return call(cx, value.kind == ValueKind::Tuple ? "words_of_tuple" : "words_of_items", std::move(items), span);
  }
  if (value.kind == ValueKind::String) return call(cx, "words_of_text", with(value.expr ? clone(*value.expr) : textExpr(value.text, span)), span);
  if (isHeldRows(value)) return call(cx, "words_of_rows", with(clone(*value.expr)), span);
  if (isNumbersList(value)) return call(cx, "words_of_list", with(clone(*value.expr)), span);
  if (value.kind == ValueKind::HostTensor && value.rank > 0) return call(cx, "words_of_array", with(clone(*value.expr)), span);
  ExprPtr number = numberOfHost(cx, value, span);
  return number ? call(cx, "words_of_number", with(std::move(number)), span) : nullptr;
}

/// Part `k` of an item, or the item itself where `k` is -1.
Value partOfWords(Context &cx, const Value &words, const std::string &part, int64_t k, Span span) {
  auto ask = [&](std::string_view name, std::string_view dtype = {}) {
    std::vector<ExprPtr> args = with(clone(*words.expr));
    if (!dtype.empty()) args.push_back(textExpr(std::string(dtype), span));
    args.push_back(makeIndex(k, span));
    return hostCall(cx, name, std::move(args), span);
  };
  if (part[0] == '(') return valueOfWords(cx, k < 0 ? words : ask("words_in"), part, span);
  if (part == "t") return reusable(cx, ask("text_in"), "text", span);
  if (part[0] == '[') {
    if (!isNumberList(part)) return reusable(cx, rowsWithSchema(ask("rows_in"), part.substr(1, part.size() - 2)), "items", span);
    Value list = ask("list_in", info(dtypeOf(part[1])).name);
    list.rank = 1, list.text = kHeldList;
    if (part[1] != '?') list.madeOf = dtypeOf(part[1]);
    return reusable(cx, std::move(list), "items", span);
  }
  if (part[0] == '{') {
    const auto [dtype, rank] = arrayOf(part);
    Value array = ask("array_in", info(dtype).name);
    array.rank = rank, array.madeOf = dtype;
    return reusable(cx, std::move(array), "array", span);
  }
  if (part != "w") return reusable(cx, ask(part == "b" ? "truth_in" : "real_in"), "item", span);
  std::vector<ExprPtr> args = with(clone(*words.expr));
  args.push_back(makeIndex(k, span));
  return reusable(cx, convertInt(cx, wholeOfHost(cx, "whole_in", std::move(args), span), span), "item", span);
}
}  // namespace

std::vector<std::string> partsOfSchema(const std::string &tuple) { return partsOf(tuple); }

bool isHeldRows(const Value &value) { return value.kind == ValueKind::HostTensor && value.text.starts_with(kRows); }
std::string schemaOfRows(const Value &rows) { return rows.text.substr(kRows.size()); }

std::string schemaTogether(const std::string &a, const std::string &b) {
  if (a == b || b == "?") return a;
  if (a == "?") return b;
  if (a.empty() || b.empty()) return {};
  if (a == "s" && b == "b") return a;  // of a set
  if ((a == "w" && b == "r") || (a == "r" && b == "w")) return "r";
  if (a[0] != b[0]) return {};
  if (a[0] == '[') {
    const std::string item = schemaTogether(a.substr(1, a.size() - 2), b.substr(1, b.size() - 2));
    return item.empty() ? item : "[" + item + "]";
  }
  if (a[0] != '(') return {};
  const std::vector<std::string> mine = partsOf(a), others = partsOf(b);
  if (mine.size() != others.size()) return {};
  std::string all = "(";
  for (size_t i = 0; i < mine.size(); ++i) {
    const std::string part = schemaTogether(mine[i], others[i]);
    if (part.empty()) return {};
    all += part;
  }
  return all + ")";
}

std::string schemaOf(const Context &cx, const Value &value) {
  if (value.kind == ValueKind::Bool || (value.isScalar() && value.type.dtype == DType::Bool)) return "b";
  if (value.kind == ValueKind::Int || (value.isScalar() && isInt(value.type.dtype))) return "w";
  if (value.kind == ValueKind::Float || (value.isScalar() && isFloat(value.type.dtype))) return "r";
  if (value.kind == ValueKind::String) return "t";
  if (isHeldRows(value)) return "[" + schemaOfRows(value) + "]";
  if (value.kind == ValueKind::HostTensor && value.rank == 0 && value.madeOf) return std::string(1, letterOf(*value.madeOf));
  if (isNumbersList(value)) return value.madeOf ? std::string("[") + letterOf(*value.madeOf) + "]" : "[?]";
  if (value.kind == ValueKind::HostTensor && value.rank > 0 && value.madeOf && value.stackAxes == 0 && !isHeldDict(value)) return schemaOfArray(*value.madeOf, value.rank);
  if (!value.isSequence()) return {};
  std::string all = value.kind == ValueKind::Tuple ? "(" : "?";
  for (const Value &item : value.items) {
    const std::string one = schemaOf(cx, item);
    if (one.empty()) return {};
    all = value.kind == ValueKind::Tuple ? all + one : schemaTogether(all, one);
    if (all.empty()) return {};
  }
  return value.kind == ValueKind::Tuple ? all + ")" : "[" + all + "]";
}

ExprPtr wordsOf(Context &cx, const Value &value, Span span) { return wordsOfValue(cx, value, span); }

Value valueOfWords(Context &cx, Value words, const std::string &schema, Span span) {
  words.rank = 1, words.madeOf = DType::I64;
  words = reusable(cx, std::move(words), "words", span);
  if (schema[0] != '(') return partOfWords(cx, words, schema, -1, span);
  std::vector<Value> parts;
  for (const std::string &part : partsOf(schema)) parts.push_back(partOfWords(cx, words, part, static_cast<int64_t>(parts.size()), span));
  return Value::tuple(std::move(parts));
}

Value rowsWithSchema(Value rows, const std::string &schema) {
  rows.rank = 2, rows.madeOf = DType::I64;
  rows.madeAs = {Dim::var(kAnyExtent), Dim::var(kAnyExtent)};
  rows.text = std::string(kRows) + schema;
  return rows;
}

ExprPtr rowsOfItems(Context &cx, const std::vector<Value> &items, Span span) {
  std::vector<ExprPtr> words;
  for (const Value &item : items) {
    words.push_back(wordsOf(cx, item, span));
    if (!words.back()) return nullptr;
  }
  return call(cx, "rows_of", std::move(words), span);
}

std::optional<Value> asHeldRows(Context &cx, const Value &list, Span span) {
  if (isHeldRows(list)) return list;
  if (list.kind == ValueKind::HostTensor && list.rank == 1 && list.text == kHeldList)
    return rowsWithSchema(hostCall(cx, "rows_of_list", with(clone(*list.expr)), span), list.madeOf ? std::string(1, letterOf(*list.madeOf)) : "?");
  if (!list.isSequence()) return std::nullopt;
  Value asList = list;
  asList.kind = ValueKind::List;
  const std::string schema = schemaOf(cx, asList);
  if (schema.empty()) return std::nullopt;
  ExprPtr rows = rowsOfItems(cx, list.items, span);
  if (!rows) return std::nullopt;
  Value made = Value::of(ValueKind::HostTensor);
  made.type = rows->type;
  made.expr = std::shared_ptr<Expr>(rows.release());
  return rowsWithSchema(std::move(made), schema.substr(1, schema.size() - 2));
}

Value itemOfRows(Context &cx, const Value &rows, const Value &index, Span span) {
  std::vector<ExprPtr> args = with(clone(*rows.expr));
  args.push_back(indexExpr(cx, index, span));
  const std::string schema = schemaOfRows(rows);
  return valueOfWords(cx, hostCall(cx, "words_at", std::move(args), span), schema == "?" ? "r" : schema, span);
}

std::optional<Value> subscriptOfRows(Context &cx, const Value &rows, const ast::SubscriptExpr &expr) {
  if (expr.items.size() != 1) return std::nullopt;
  auto *slice = as<ast::SliceExpr>(expr.items[0].value);
  if (!slice) {
    const Value index = convertInt(cx, checkExpr(cx, *expr.items[0].value), expr.items[0].span);
    return index.isPoison() ? index : itemOfRows(cx, rows, index, expr.span);
  }
  if (slice->step) return std::nullopt;
  auto end = [&](const ast::Expr *written, int64_t otherwise) { return written ? convertInt(cx, checkExpr(cx, *written), written->span) : Value::integer(Dim(otherwise)); };
  const Value from = end(slice->start.get(), 0), to = end(slice->stop.get(), kPartToEnd);
  if (from.isPoison() || to.isPoison()) return Value::poison();
  std::vector<ExprPtr> args = with(clone(*rows.expr));
  for (const Value *index : {&from, &to}) args.push_back(indexExpr(cx, *index, expr.span));
  return rowsWithSchema(hostCall(cx, "rows_part", std::move(args), expr.span), schemaOfRows(rows));
}

std::optional<Value> joinedLists(Context &cx, const Value &a, const Value &b, Span span) {
  auto isHeld = [](const Value &v) { return v.kind == ValueKind::HostTensor && (v.text == kHeldList || isHeldRows(v)); };
  if (!inHost(cx) || (!isHeld(a) && !isHeld(b))) return std::nullopt;
  if ((!isHeld(a) && a.kind != ValueKind::List) || (!isHeld(b) && b.kind != ValueKind::List)) return std::nullopt;
  auto first = asHeldRows(cx, a, span), second = asHeldRows(cx, b, span);
  const std::string schema = first && second ? schemaTogether(schemaOfRows(*first), schemaOfRows(*second)) : std::string();
  if (schema.empty()) return std::nullopt;
  std::vector<ExprPtr> args = with(takeExpr(*first));
  args.push_back(takeExpr(*second));
  return asGrownList(cx, rowsWithSchema(hostCall(cx, "rows_joined", std::move(args), span), schema), span);
}

Value asGrownList(Context &cx, Value rows, Span span) {
  const std::string schema = schemaOfRows(rows);
  if (schema.size() > 1 || !isNumber(schema[0])) return rows;
  std::vector<ExprPtr> args = with(takeExpr(rows));
  args.push_back(textExpr(std::string(info(dtypeOf(schema[0])).name), span));
  Value list = hostCall(cx, "list_of_rows", std::move(args), span);
  list.rank = 1, list.text = kHeldList;
  if (schema != "?") list.madeOf = dtypeOf(schema[0]);
  return list;
}

std::optional<Value> rowsHold(Context &cx, const Value &rows, const Value &item, Span span) {
  const std::string schema = schemaOf(cx, item);
  if (schema.empty() || schemaTogether(schemaOfRows(rows), schema).empty()) return std::nullopt;
  ExprPtr words = wordsOf(cx, item, span);
  if (!words) return std::nullopt;
  std::vector<ExprPtr> args = with(clone(*rows.expr));
  args.push_back(std::move(words));
  return hostCall(cx, "has_item", std::move(args), span);
}

Value rowsText(Context &cx, const Value &rows, Span span) {
  return hostCall(cx, "rows_text", with(clone(*rows.expr)), span);
}

}  // namespace tessera::sema
