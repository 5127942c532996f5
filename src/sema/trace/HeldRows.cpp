// What run time knows of lists whose items are no numbers of one kind: their items as words and back, parts, sums, order.
#include "sema/trace/HeldRows.h"
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
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
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
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

ExprPtr call(Context &cx, std::string_view name, std::vector<ExprPtr> args, Span span) {
  Value made = hostCall(cx, name, std::move(args), span);
  return takeExpr(made);
}
std::vector<ExprPtr> with(ExprPtr first) {
  std::vector<ExprPtr> args;
  args.push_back(std::move(first));
  return args;
}

/// The words of a value, piece by piece: numbers that follow one another are one piece.
class Pieces {
public:
  Pieces(Context &cx, Span span) : cx_(cx), span_(span) {}

  bool add(const Value &value) {
    if (value.kind == ValueKind::Tuple) return std::all_of(value.items.begin(), value.items.end(), [&](const Value &part) { return add(part); });
    if (value.kind == ValueKind::List) {
      numbers_.push_back(makeConstant(DType::F64, static_cast<double>(value.items.size()), span_));
      return std::all_of(value.items.begin(), value.items.end(), [&](const Value &item) { return add(item); });
    }
    if (value.kind == ValueKind::String) return piece("words_of_text", value.expr ? clone(*value.expr) : textExpr(value.text, span_));
    if (isHeldRows(value)) return piece("words_of_rows", clone(*value.expr));
    if (value.kind == ValueKind::HostTensor && value.rank == 1) return piece("words_of_list", clone(*value.expr));
    Value number = value.kind == ValueKind::Bool ? Value::integer(Dim(value.truth)) : value;
    if (number.kind == ValueKind::HostTensor) number = hostScalar(cx_, number, span_);
    if (number.isScalar() && number.type.dtype == DType::Bool) number = castTo(cx_, std::move(number), DType::I64, {}, span_);
    ExprPtr real = number.isPoison() ? nullptr : inCarryType(cx_, number, DType::F64, span_);
    if (!real) return false;
    numbers_.push_back(std::move(real));
    return true;
  }
  ExprPtr whole() {
    flush();
    if (pieces_.size() == 1) return std::move(pieces_[0]);
    return call(cx_, "words_joined", std::move(pieces_), span_);
  }

private:
  void flush() {
    if (numbers_.empty()) return;
    pieces_.push_back(call(cx_, "words_of_numbers", std::move(numbers_), span_));
    numbers_.clear();
  }
  bool piece(std::string_view function, ExprPtr of) {
    flush();
    pieces_.push_back(call(cx_, function, with(std::move(of)), span_));
    return true;
  }

  Context &cx_;
  Span span_;
  std::vector<ExprPtr> pieces_, numbers_;
};

/// Part `k` of an item, or the item itself where `k` is -1.
Value partOfWords(Context &cx, const Value &words, const std::string &schema, const std::string &part, int64_t k, Span span) {
  auto ask = [&](std::string_view name) {
    std::vector<ExprPtr> args = with(clone(*words.expr));
    args.push_back(textExpr(schema, span));
    args.push_back(makeIndex(k, span));
    return hostCall(cx, name, std::move(args), span);
  };
  if (part[0] == '(') return k < 0 ? valueOfWords(cx, words, part, span) : valueOfWords(cx, ask("words_in"), part, span);
  if (part == "t") return reusable(cx, ask("text_in"), "text", span);
  if (part[0] == '[') {
    if (!isNumberList(part)) return reusable(cx, rowsWithSchema(ask("rows_in"), part.substr(1, part.size() - 2)), "items", span);
    Value list = ask("list_in");
    list.rank = 1, list.text = kHeldList;
    if (part[1] != '?') list.madeOf = part[1] == 'w' ? DType::I64 : part[1] == 'b' ? DType::Bool : DType::F64;
    return reusable(cx, std::move(list), "items", span);
  }
  Value number = ask("number_in");
  if (part != "r") number = castTo(cx, std::move(number), part == "b" ? DType::Bool : DType::I64, {}, span);
  if (part == "w") number = convertInt(cx, number, span);
  return number.isPoison() ? number : reusable(cx, std::move(number), "item", span);
}
}  // namespace

bool isHeldRows(const Value &value) { return value.kind == ValueKind::HostTensor && value.text.starts_with(kRows); }
std::string schemaOfRows(const Value &rows) { return rows.text.substr(kRows.size()); }

std::string schemaTogether(const std::string &a, const std::string &b) {
  if (a == b || b == "?") return a;
  if (a == "?") return b;
  if (a.empty() || b.empty()) return {};
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
  if (value.kind == ValueKind::HostTensor && value.rank == 1 && value.text == kHeldList) return value.madeOf ? std::string("[") + letterOf(*value.madeOf) + "]" : "[?]";
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

ExprPtr wordsOf(Context &cx, const Value &value, Span span) {
  Pieces pieces(cx, span);
  return pieces.add(value) ? pieces.whole() : nullptr;
}

Value valueOfWords(Context &cx, Value words, const std::string &schema, Span span) {
  words.rank = 1, words.madeOf = DType::F64;
  words = reusable(cx, std::move(words), "words", span);
  if (schema[0] != '(') return partOfWords(cx, words, schema, schema, -1, span);
  std::vector<Value> parts;
  for (const std::string &part : partsOf(schema)) parts.push_back(partOfWords(cx, words, schema, part, static_cast<int64_t>(parts.size()), span));
  return Value::tuple(std::move(parts));
}

Value rowsWithSchema(Value rows, const std::string &schema) {
  rows.rank = 2, rows.madeOf = DType::F64;
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
  args.push_back(textExpr(schema, span));
  Value list = hostCall(cx, "list_of_rows", std::move(args), span);
  list.rank = 1, list.text = kHeldList;
  if (schema != "?") list.madeOf = schema == "w" ? DType::I64 : schema == "b" ? DType::Bool : DType::F64;
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
  std::vector<ExprPtr> args = with(clone(*rows.expr));
  args.push_back(textExpr(schemaOfRows(rows), span));
  return hostCall(cx, "rows_text", std::move(args), span);
}

}  // namespace tessera::sema
