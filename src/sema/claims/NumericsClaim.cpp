// `@verify.numerics(bounded=[a, b])`, `bounded={"x": [a, b], ...}` as it is written.
#include "sema/Report.h"
#include "sema/claims/Claims.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <cctype>
#include <cmath>

namespace tessera::sema {

using ast::as;

namespace {
/// A parameter of nearly this name, or of this name in other letters: `w` for `W`.
std::string nearParameter(const std::string &name, const std::vector<std::string> &known) {
  auto lower = [](std::string text) {
    for (char &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  for (const std::string &one : known)
    if (lower(one) == lower(name)) return one;
  return std::string(diag::didYouMean(name, {known.begin(), known.end()}));
}
}  // namespace

/// `[low, high]`, two known numbers.
static std::optional<ValueBounds> valueBounds(Context &cx, const Value &value, Span span) {
  if (value.isPoison()) return std::nullopt;
  std::vector<double> ends;
  if (value.isSequence())
    for (const Value &item : value.items) {
      bool known = item.kind == ValueKind::Float || (item.isKnownInt() && !item.expr);
      if (!known) break;
      ends.push_back(item.kind == ValueKind::Float ? item.number : static_cast<double>(item.sym.constant()));
    }
  if (!value.isSequence() || value.items.size() != 2 || ends.size() != 2) {
    report(cx, Id::badClaim, span, "the range of inputs is not two numbers").help("for example `bounded=[-4, 4]`");
    return std::nullopt;
  }
  if (!std::isfinite(ends[0]) || !std::isfinite(ends[1])) {
    report(cx, Id::badClaim, span, "the range of inputs is not finite")
        .help("infinite inputs are not numbers to bound");
    return std::nullopt;
  }
  if (ends[0] > ends[1]) {
    report(cx, Id::badClaim, span, "the range of inputs is empty").label("the lower end stands first");
    return std::nullopt;
  }
  return ValueBounds{ends[0], ends[1]};
}

/// The ranges of single parameters; every float parameter must have one.
static bool boundsByName(Context &cx, const Value &dict, const ast::Expr &syntax, NumericsClaim &claim) {
  std::vector<std::string> known;
  for (const Param &p : cx.function.fn->params)
    if (p.var->type.kind != TypeKind::Index && p.var->type.kind != TypeKind::String) known.push_back(p.var->name);
  auto *written = as<ast::DictExpr>(&syntax);
  if (written && written->items.size() * 2 != dict.items.size()) written = nullptr;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const Value &key = dict.items[i];
    if (key.isPoison()) return false;
    const ast::Expr *keyText = written ? written->items[i / 2].key.get() : nullptr;
    Span keySpan = keyText ? keyText->span : syntax.span,
         valueSpan = written ? written->items[i / 2].value->span : syntax.span;
    bool found = key.kind == ValueKind::String && std::find(known.begin(), known.end(), key.text) != known.end();
    if (!found) {
      std::string shown = key.kind == ValueKind::String ? "`" + key.text + "`" : describe(cx, key);
      auto builder = report(cx, Id::badClaim, keySpan, shown + " is no parameter that holds numbers");
      std::string near = key.kind == ValueKind::String ? nearParameter(key.text, known) : "";
      if (!near.empty()) builder.help("did you mean `" + near + "`?");
      if (!near.empty() && as<ast::StringExpr>(keyText))
        builder.suggest(keySpan, "\"" + near + "\"", "write `\"" + near + "\"`");
      return false;
    }
    auto bounds = valueBounds(cx, dict.items[i + 1], valueSpan);
    if (!bounds) return false;
    claim.bounds[key.text] = *bounds;
  }
  for (const Param &p : cx.function.fn->params) {
    bool real = (p.var->type.kind == TypeKind::Tensor || p.var->type.kind == TypeKind::View ||
                 p.var->type.kind == TypeKind::Scalar) &&
                isFloat(p.var->type.dtype);
    if (!real || claim.bounds.count(p.var->name)) continue;
    report(cx, Id::badClaim, syntax.span, "the range of `" + p.var->name + "` is missing")
        .note(p.var->span, "declared here")
        .help("a parameter that is only written needs one, too: any will do");
    return false;
  }
  return true;
}

void numericsClaim(Context &cx, const ast::CallExpr *call, const ast::FuncDef &def, Span span) {
  NumericsClaim claim;
  claim.span = span;
  const ast::Argument *bounded = nullptr;
  for (size_t i = 0; call && i < call->arguments.size(); ++i) {
    const ast::Argument &arg = call->arguments[i];
    if (arg.keyword && arg.keyword->text == "bounded") bounded = &arg;
    else if (arg.keyword) {
      report(cx, Id::unknownKeyword, arg.span, "verify.numerics", arg.keyword->text).help("it takes `bounded`");
      return;
    } else {
      auto builder = report(cx, Id::badClaim, arg.span, "the range of inputs is given by name");
      if (call->arguments.size() == 1)
        builder.suggest({arg.span.file, arg.span.begin, arg.span.begin}, "bounded=", "name it");
      return;
    }
  }
  if (inHost(cx) || !bounded) {
    report(cx, Id::badClaim, span,
           inHost(cx) ? "host code makes no claim about its numbers" : "the range of inputs is missing")
        .help(inHost(cx) ? "put the claim on the functions that it calls"
                         : "for example `@verify.numerics(bounded=[-4, 4])`");
    return;
  }
  Value given = checkExpr(cx, *bounded->value);
  if (given.kind == ValueKind::Dict) {
    if (!boundsByName(cx, given, *bounded->value, claim)) return;
  } else {
    claim.all = valueBounds(cx, given, bounded->value->span);
    if (!claim.all) return;
  }
  uint32_t end = headerEnd(cx, def);
  claim.signatureEnd = {def.span.file, end, end};
  claim.hasFacts = !def.where.empty();
  cx.function.fn->claim = std::move(claim);
}

}  // namespace tessera::sema
