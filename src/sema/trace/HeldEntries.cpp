#include "sema/trace/HeldEntries.h"
#include "checked/ExprBuild.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {
constexpr std::string_view kEntries = "entries:";

std::string keySchema(const Value &dict) { return dict.text.substr(kEntries.size(), dict.text.find(':', kEntries.size()) - kEntries.size()); }
std::string valueSchema(const Value &dict) { return dict.text.substr(dict.text.rfind(':') + 1); }

Value withSchemas(Value dict, const std::string &keys, const std::string &values) {
  dict.rank = 2, dict.madeOf = DType::I64;
  dict.madeAs = {Dim::var(kAnyExtent), Dim::var(kAnyExtent)};
  dict.text = std::string(kEntries) + keys + ":" + values;
  return dict;
}

/// The dict and the words of a key, as arguments of the host runtime. Nothing after a message.
std::optional<std::vector<ExprPtr>> lookForEntry(Context &cx, const Value &dict, const Value &key, Span span) {
  const std::string keys = keySchema(dict), mine = schemaOf(cx, key);
  ExprPtr words = mine.empty() || schemaTogether(keys, mine).empty() ? nullptr : wordsOf(cx, key, span);
  if (!words) {
    if (!key.isPoison()) report(cx, Id::wrongArgument, span, "a key of this dict", keys == "t" ? "a text" : "a key like the others", describe(cx, key));
    return std::nullopt;
  }
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  args.push_back(std::move(words));
  return args;
}
}  // namespace

bool isHeldSet(const Value &value) { return isHeldEntries(value) && valueSchema(value) == "s"; }
Value heldSet(Context &cx, const Value &rows, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*rows.expr));
  return withSchemas(hostCall(cx, "set_of_rows", std::move(args), span), schemaOfRows(rows), "s");
}
bool holdsNothing(const Value &dict) { return valueSchema(dict) == "?"; }
bool isHeldEntries(const Value &value) { return value.kind == ValueKind::HostTensor && value.text.starts_with(kEntries); }

std::optional<Value> withEntry(Context &cx, const Value &dict, const Value &key, const Value &value, Span span) {
  const std::string keys = schemaTogether(keySchema(dict), schemaOf(cx, key)), values = schemaTogether(valueSchema(dict), schemaOf(cx, value));
  if (keys.empty() || values.empty()) return std::nullopt;
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  for (const Value *part : {&key, &value}) {
    args.push_back(wordsOf(cx, *part, span));
    if (!args.back()) return std::nullopt;
  }
  return withSchemas(hostCall(cx, "store_entry", std::move(args), span), keys, values);
}

std::optional<Value> dictOfPairs(Context &cx, const Value &pairs, Span span) {
  std::optional<Value> rows = pairs;
  if (!isHeldRows(pairs) && pairs.rank == 2 && pairs.madeOf) {  // pairs of numbers
    std::vector<ExprPtr> table;
    table.push_back(clone(*pairs.expr));
    table.push_back(makeBool(true, span));
    const std::string number(1, *pairs.madeOf == DType::Bool ? 'b' : isFloat(*pairs.madeOf) ? 'r' : 'w');
    rows = rowsWithSchema(hostCall(cx, "rows_of_table", std::move(table), span), "(" + number + number + ")");
  } else if (!isHeldRows(pairs)) {
    rows = asHeldRows(cx, pairs, span);
  }
  const std::string schema = rows ? schemaOfRows(*rows) : std::string();
  std::vector<ExprPtr> args;
  if (rows) args.push_back(clone(*rows->expr));
  if (schema == "?") return withSchemas(hostCall(cx, "entries_of_rows", std::move(args), span), "?", "?");
  const std::vector<std::string> parts = !schema.empty() && schema[0] == '(' ? partsOfSchema(schema) : std::vector<std::string>();
  if (parts.size() != 2) return std::nullopt;
  return withSchemas(hostCall(cx, "entries_of_rows", std::move(args), span), parts[0], parts[1]);
}

std::optional<Value> asHeldEntries(Context &cx, const Value &dict, Span span) {
  Value held = withSchemas(hostCall(cx, "rows_of", {}, span), "?", dict.text == kSet ? "s" : "?");
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    auto made = withEntry(cx, held, dict.items[i], dict.items[i + 1], span);
    if (!made) return std::nullopt;
    held = std::move(*made);
  }
  return held;
}

Value entryOf(Context &cx, const Value &dict, const Value &key, Span span) {
  auto args = lookForEntry(cx, dict, key, span);
  if (!args) return Value::poison();
  const std::string values = valueSchema(dict);
  return valueOfWords(cx, hostCall(cx, "entry_of", std::move(*args), span), values == "?" ? "r" : values, span);
}

Value entryOr(Context &cx, const Value &dict, const Value &key, const Value &other, Span span) {
  const std::string mine = other.given() ? schemaOf(cx, other) : std::string(), values = mine.empty() ? mine : schemaTogether(valueSchema(dict), mine);
  if (values.empty()) {
    report(cx, Id::wrongArgument, span, quoted("get"), "what a key without a value stands for, like the other values", other.given() ? describe(cx, other) : "none").help("for example `get(key, 0)`");
    return Value::poison();
  }
  auto args = lookForEntry(cx, dict, key, span);
  ExprPtr words = args ? wordsOf(cx, other, span) : nullptr;
  if (!words) return Value::poison();
  args->push_back(std::move(words));
  return valueOfWords(cx, hostCall(cx, "entry_or", std::move(*args), span), values, span);
}

Value hasEntry(Context &cx, const Value &dict, const Value &key, Span span) {
  auto args = lookForEntry(cx, dict, key, span);
  return args ? hostCall(cx, "has_entry", std::move(*args), span) : Value::poison();
}

Value listOfEntries(Context &cx, const Value &dict, bool keys, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  return asGrownList(cx, rowsWithSchema(hostCall(cx, keys ? "entry_keys" : "entry_values", std::move(args), span), keys ? keySchema(dict) : valueSchema(dict)), span);
}

Value entriesText(Context &cx, const Value &dict, Span span) {
  std::vector<ExprPtr> args;
  args.push_back(clone(*dict.expr));
  return hostCall(cx, isHeldSet(dict) ? "set_text" : "entries_text", std::move(args), span);
}

}  // namespace tessera::sema
