// What `@checkpoint(keep=("h",), budget=64 * MiB, B=32)` above a function says, or `checkpoint(f, keep=("h",), budget=64 * MiB, B=32)`:
// which values a derivative keeps beside the arguments.
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

bool hasDim(const Function &function, const std::string &name) {
  return std::find(function.dims.begin(), function.dims.end(), name) != function.dims.end();
}
/// The dimensions of the function that a budget has no size for.
std::vector<std::string> dimsWithoutSize(const KeptBudget &kept, const Function &function) {
  std::vector<std::string> absent;
  for (const std::string &dim : function.dims)
    if (std::none_of(kept.sizes.begin(), kept.sizes.end(), [&](const auto &size) { return size.first == dim; })) absent.push_back(dim);
  return absent;
}
/// ", B=..., D=..."
std::string sizesToWrite(const std::vector<std::string> &dims) {
  std::string text;
  for (const std::string &dim : dims) text += ", " + dim + "=...";
  return text;
}
bool hasValue(const Function &function, const std::string &name) {
  return std::any_of(function.vars.begin(), function.vars.end(), [&](const auto &var) { return var->name == name; });
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
    if (!hasDim(function, arg.keyword->text))
      return refuse(cx, arg.span, "gives a size to `" + arg.keyword->text + "`, which is no dimension of `" + callable.name + "`",
                    "it takes `keep`, `budget` and sizes of dimensions");
    kept.sizes.emplace_back(arg.keyword->text, static_cast<int64_t>(number->value));
  }
  const std::vector<std::string> absent = dimsWithoutSize(kept, function);
  if (!absent.empty())
    return refuse(cx, budget->span, "has a budget of bytes, and no size for " + quoted(absent[0]) + ", which decides how many values have",
                  "say for which sizes the values are chosen: `@checkpoint(budget=..." + sizesToWrite(absent) + ")`");
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
    if (!hasValue(function, name))
      return refuse(cx, callable.nameSpan, "keeps `" + name + "`, and no value of `" + callable.name + "` is called so",
                    "a value has the name that it is assigned to: `" + name + " = ...`");
  }
  function.keeps = callable.keeps;
  const ast::CallExpr *call = checkpointCall(cx, callable);
  return !call || takeBudget(cx, callable, *call, function);
}

// ---------------------------------------------------------------- checkpoint(f, keep=, budget=)

/// The names of `keep`, which is one text or a tuple or list of them.
static std::optional<std::vector<Value>> textsOf(const Value &keep) {
  std::vector<Value> names = keep.isSequence() ? keep.items : std::vector<Value>{keep};
  auto isText = [](const Value &v) { return v.kind == ValueKind::String && !v.expr; };
  return !names.empty() && std::all_of(names.begin(), names.end(), isText) ? std::optional(std::move(names)) : std::nullopt;
}

Value checkpointOptions(Context &cx, const GivenList &args) {
  Value options = Value::of(ValueKind::Dict);
  const Given *budget = nullptr, *size = nullptr;
  for (const Given &arg : args) {
    if (arg.keyword.empty() || arg.keyword == "f") continue;
    Value value = arg.value;
    const bool isCount = value.isKnownInt() && value.sym.constant() >= 0;
    auto wrong = [&](const char *expected, const char *help) {
      report(cx, Id::wrongArgument, arg.span, quoted(arg.keyword), expected, describe(cx, arg.value)).help(help);
      return Value::poison();
    };
    if (arg.keyword == "keep") {
      auto names = textsOf(value);
      if (!names) return wrong("names of values in quotes", "for example `keep=(\"h\", \"scores\")`");
      value = Value::tuple(std::move(*names));
    } else if (arg.keyword == "budget") {
      if (!isCount) return wrong("a whole number of bytes", "for example `budget=64 * MiB`");
      budget = &arg;
    } else {
      if (!isCount) return wrong("a whole number, the size of a dimension", "for example `B=32`");
      size = size ? size : &arg;
    }
    value.declared = arg.keyword == "keep" || arg.keyword == "budget" ? arg.span : arg.keywordSpan;
    options.items.push_back(Value::string(arg.keyword));
    options.items.push_back(std::move(value));
  }
  if (size && !budget) {
    report(cx, Id::unknownKeyword, size->keywordSpan, "checkpoint", size->keyword)
        .help("it takes `keep`, names of values, and `budget=64 * MiB` with sizes of dimensions, `B=32`");
    return Value::poison();
  }
  return options;
}

/// Which sizes of `options` are of dimensions that the call has, and whether each has one. False after a message.
static bool sizesFit(Context &cx, const Value &options, const KeptBudget &kept, const Function &function, const ApartCall &call) {
  for (size_t i = 0; i < options.items.size(); i += 2) {
    const std::string &name = options.items[i].text;
    if (name == "keep" || name == "budget" || hasDim(function, name)) continue;
    auto builder = report(cx, Id::unknownKeyword, options.items[i + 1].declared, "checkpoint", name);
    builder.label("the call has no dimension of this name").note(call.span, "this call");
    if (!function.dims.empty()) builder.help("sizes are of the dimensions of the function around: `" + sizesToWrite(function.dims).substr(2) + "`");
    return false;
  }
  const std::vector<std::string> absent = dimsWithoutSize(kept, function);
  if (absent.empty()) return true;
  report(cx, Id::argumentNotGiven, kept.span, "checkpoint", absent[0])
      .label("how many bytes values have depends on `" + absent[0] + "`").note(call.span, "in this call")
      .help("say for which sizes the values are chosen: `checkpoint(" + call.name + ", budget=..." + sizesToWrite(function.dims) + ")`");
  return false;
}

bool takeOptions(Context &cx, const Value &options, Function &function, const ApartCall &call) {
  KeptBudget kept;
  bool hasBudget = false;
  for (size_t i = 0; i < options.items.size(); i += 2) {
    const std::string &name = options.items[i].text;
    const Value &value = options.items[i + 1];
    if (name == "budget") {
      kept.bytes = value.sym.constant(), kept.span = value.declared, hasBudget = true;
    } else if (name != "keep") {
      kept.sizes.emplace_back(name, value.sym.constant());
    } else {
      for (const Value &item : value.items) {
        if (hasValue(function, item.text)) {
          function.keeps.push_back(item.text);
          continue;
        }
        report(cx, Id::wrongArgument, value.declared, quoted("keep"), "names of values of `" + call.name + "`", "`" + item.text + "`, which is none")
            .help("a value has the name that it is assigned to: `" + item.text + " = ...`");
        return false;
      }
    }
  }
  if (!hasBudget) return true;
  if (!sizesFit(cx, options, kept, function, call)) return false;
  function.budget = std::move(kept);
  return true;
}

}  // namespace tessera::sema
