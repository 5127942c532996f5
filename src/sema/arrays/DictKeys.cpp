#include "sema/arrays/DictKeys.h"
#include "sema/Report.h"
#include "sema/arrays/Arrays.h"
#include "sema/host/Host.h"
#include "sema/trace/Held.h"
#include "sema/trace/Trace.h"

namespace tessera::sema {

namespace {
/// What to say about a key that a dict does not have.
void explainKeys(const Context &cx, diag::Builder &builder, const Value &dict, const Value &key,
                 const ast::Expr &syntax) {
  std::vector<std::string_view> keys;
  std::string all;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2)
    if (dict.items[i].kind == ValueKind::String) {
      keys.push_back(dict.items[i].text);
      all += (all.empty() ? "`\"" : ", `\"") + dict.items[i].text + "\"`";
    }
  auto near = key.kind == ValueKind::String ? diag::didYouMean(key.text, keys) : std::string_view();
  bool certain = !near.empty();
  for (std::string_view one : keys)  // `acc` for `accuracy`
    if (!certain && !key.text.empty() && one.rfind(key.text, 0) == 0) near = near.empty() ? one : std::string_view(" ");
  if (near == " ") near = {};  // several begin so
  const std::string_view written = cx.sources.text(syntax.span);
  const std::string quote(1, written.empty() ? '"' : written.back()), quoted = quote + std::string(near) + quote;
  if (!near.empty() && syntax.kind == ast::ExprKind::String) {
    builder.help("did you mean `" + quoted + "`?");
    if (certain) builder.fix(syntax.span, quoted, "write `" + quoted + "`");
    else builder.suggest(syntax.span, quoted, "write `" + quoted + "`");
  } else if (!all.empty()) builder.help("its keys are " + all);
}
}  // namespace

Value subscriptDict(Context &cx, const Value &dict, const ast::SubscriptExpr &expr) {
  const ast::Expr &syntax = *expr.items[0].value;
  Value key = checkExpr(cx, syntax);
  if (key.isPoison()) return key;
  if (inHost(cx) && key.expr) return readDict(cx, dict, std::move(key), expr.span);
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    Value same = compareValues(cx, ast::CompareOp::Eq, key, dict.items[i], expr.span);
    if (knownCondition(same).value_or(false)) return dict.items[i + 1];
  }
  auto builder = report(cx, Id::badConstant, syntax.span, "the dict has no such key");
  explainKeys(cx, builder, dict, key, syntax);
  return Value::poison();
}

}  // namespace tessera::sema
