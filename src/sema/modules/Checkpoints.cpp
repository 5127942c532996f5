// What `@checkpoint(keep=("h",), budget=64 * MiB, B=32)` above a function says: which values a derivative keeps beside the arguments.
#include "sema/Report.h"
#include "sema/kernels/Kernels.h"
#include "sema/modules/Modules.h"
#include "sema/trace/Trace.h"
#include <algorithm>

namespace tessera::sema {

using ast::as;

namespace {

const ast::Argument *namedArgument(const ast::CallExpr &call, std::string_view name) {
  for (const ast::Argument &arg : call.arguments)
    if (arg.keyword && arg.keyword->text == name) return &arg;
  return nullptr;
}

/// The names in `keep="h"` or `keep=("h", "k")`; nothing if there are others.
std::vector<std::string> namesIn(const ast::Expr &value) {
  std::vector<const ast::Expr *> items{&value};
  if (value.kind == ast::ExprKind::Tuple || value.kind == ast::ExprKind::List) {
    items.clear();
    for (const ast::ExprPtr &item : static_cast<const ast::SequenceExpr &>(value).items) items.push_back(item.get());
  }
  std::vector<std::string> names;
  for (const ast::Expr *item : items) {
    auto *text = as<ast::StringExpr>(item);
    if (!text) return {};
    names.push_back(text->value);
  }
  return names;
}

/// The call in `@checkpoint(...)` above a function; null if it says nothing.
const ast::CallExpr *checkpointCall(Context &cx, const Callable &callable) {
  if (!callable.def) return nullptr;
  for (const ast::Decorator &decorator : callable.def->decorators)
    if (decoratorName(cx, *decorator.expression) == "checkpoint") return as<ast::CallExpr>(decorator.expression);
  return nullptr;
}

/// False, after one message for a decorator.
bool refuse(Context &cx, Span span, const std::string &what, const std::string &help) {
  ++cx.failures;
  if (fresh(cx, Id::badDecorator, span)) report(cx, Id::badDecorator, span, "checkpoint", what).help(help);
  return false;
}

/// Bytes, and a size for each dimension of the function.
bool takeBudget(Context &cx, const Callable &callable, const ast::CallExpr &call, Function &function) {
  const ast::Argument *budget = namedArgument(call, "budget");
  if (!budget) return true;
  Value bytes = checkExpr(cx, *budget->value);
  if (bytes.isPoison()) return false;
  if (!bytes.isKnownInt() || bytes.sym.constant() < 0)
    return refuse(cx, budget->span, "has a budget that is no number of bytes", "for example `budget=64 * MiB`");
  KeptBudget kept{bytes.sym.constant(), {}, call.span};
  for (const ast::Argument &arg : call.arguments) {
    if (arg.keyword->text == "budget" || arg.keyword->text == "keep") continue;
    auto *number = as<ast::IntExpr>(arg.value);
    if (!number) return refuse(cx, arg.span, "gives `" + arg.keyword->text + "` a size that is no number", "write a number: `" + arg.keyword->text + "=32`");
    if (std::find(function.dims.begin(), function.dims.end(), arg.keyword->text) == function.dims.end())
      return refuse(cx, arg.span, "gives a size to `" + arg.keyword->text + "`, which is no dimension of `" + callable.name + "`",
                    "it takes `keep`, `budget` and sizes of dimensions");
    kept.sizes.emplace_back(arg.keyword->text, static_cast<int64_t>(number->value));
  }
  std::string absent;
  for (const std::string &dim : function.dims)
    if (std::none_of(kept.sizes.begin(), kept.sizes.end(), [&](const auto &size) { return size.first == dim; })) absent += ", " + dim + "=...";
  if (!absent.empty())
    return refuse(cx, budget->span, "has a budget of bytes, and no size for " + quoted(absent.substr(2, absent.find('=') - 2)) + ", which decides how many values have",
                  "say for which sizes the values are chosen: `@checkpoint(budget=..." + absent + ")`");
  function.budget = std::move(kept);
  return true;
}

}  // namespace

std::vector<std::string> keptNames(const ast::Expr &decorator) {
  auto *call = as<ast::CallExpr>(&decorator);
  const ast::Argument *keep = call ? namedArgument(*call, "keep") : nullptr;
  return keep ? namesIn(*keep->value) : std::vector<std::string>();
}

std::string wrongCheckpoint(const ast::CallExpr &call) {
  const std::string all = "it takes `keep=(\"h\", \"scores\")`, names of values, and `budget=64 * MiB` with sizes of dimensions, `B=32`";
  if (call.arguments.empty()) return "without arguments it is `@checkpoint`";
  for (const ast::Argument &arg : call.arguments)
    if (!arg.keyword) return all;
  const ast::Argument *keep = namedArgument(call, "keep");
  if (keep && namesIn(*keep->value).empty()) return "`keep` takes names of values in quotes: `keep=(\"h\", \"scores\")`";
  bool hasSizes = call.arguments.size() > (keep ? 1u : 0u);
  return hasSizes && !namedArgument(call, "budget") ? all : "";
}

bool takeKept(Context &cx, const Callable &callable, Function &function) {
  for (const std::string &name : callable.keeps) {
    bool isThere = std::any_of(function.vars.begin(), function.vars.end(), [&](const auto &var) { return var->name == name; });
    if (!isThere)
      return refuse(cx, callable.nameSpan, "keeps `" + name + "`, and no value of `" + callable.name + "` is called so",
                    "a value has the name that it is assigned to: `" + name + " = ...`");
  }
  function.keeps = callable.keeps;
  const ast::CallExpr *call = checkpointCall(cx, callable);
  return !call || takeBudget(cx, callable, *call, function);
}

}  // namespace tessera::sema
